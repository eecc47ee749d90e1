"""An instructor may give a test cell other points, or hand out a part of the exercises."""

import nbformat
import pytest
from nbgrader_course import Course, edited, position
from test_private_cases import RIGHT

from course.build import ROOT
from course.grading.judgement import Ruling

pytestmark = pytest.mark.nbgrader
ASSIGNMENT = "01_leaf_tensors"
ONE_NODE = "def history(t):\n    return [t.grad_fn.name()] if t.grad_fn else []"


def test_a_cell_with_other_points_keeps_the_share_of_each_case(tmp_path):
    course = Course(tmp_path / "course")
    source = nbformat.read(ROOT / "source" / ASSIGNMENT / "exercises.ipynb", 4)
    for part, points in (("visible", 8), ("hidden", 3)):
        source.cells[position(source, f"history_{part}")].metadata.nbgrader["points"] = points
    source.cells = [
        cell
        for cell in source.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id", "history").startswith("history")
    ]
    course.add_source(ASSIGNMENT, source)
    course.generate(ASSIGNMENT)
    released = course.released(ASSIGNMENT)
    course.submit("ann", ASSIGNMENT, edited(released, history=RIGHT))
    course.submit("bob", ASSIGNMENT, edited(released, history=ONE_NODE))
    course.submit("cyd", ASSIGNMENT, released)
    marked = course.autograde(ASSIGNMENT)
    assert marked.status == 0, marked.output
    assert course.scores(ASSIGNMENT) == {
        "ann": {"history_visible": 8, "history_hidden": 3},
        "bob": {"history_visible": 4, "history_hidden": 0},
        "cyd": {"history_visible": 0, "history_hidden": 0},
    }


@pytest.mark.parametrize(
    ("ruling", "cell", "points"),
    [
        (Ruling(3, "", of=3), 0.1, 0.1),  # all, to the last bit
        (Ruling(1, "", of=3), 3, 1),
        (Ruling(1, "", of=2), 5, 2.5),
        (Ruling(0, "", of=2), 7, 0),
        (Ruling(1, "", of=2), 0, 0),
        (Ruling(0.5, "a judge that does not say out of how many"), 3, 0.5),
    ],
)
def test_a_ruling_keeps_its_share_of_the_points_of_a_cell(ruling, cell, points):
    assert ruling.for_cell(cell).points == points
