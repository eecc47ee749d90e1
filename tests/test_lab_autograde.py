"""nbgrader marks a notebook with a lab and a prediction: they show nothing and cost nothing."""

import pytest
from nbgrader_course import COLD, Course, code, notebook, test

LAB = """\
import sys
from course import lab, predict

def never(a):
    raise SystemExit("forward ran")

p = predict("Will it run?", ["yes", "no"])
lab(never, a=2.0, hooks={"a": "scale 2"})
"""


@pytest.mark.nbgrader
def test_nbgrader_marks_a_notebook_with_a_lab_and_finds_no_output_of_it(tmp_path):
    course = Course(tmp_path / "course", config=COLD)
    cells = [
        code(LAB),
        code("p.reveal('no')"),
        test("quiet", "assert not {'torch', 'anywidget', 'ipywidgets'} & set(sys.modules)", 1),
    ]
    course.add_source("ps1", notebook(cells))
    course.generate("ps1")
    course.submit("ann", "ps1", course.released("ps1"))
    course.autograde("ps1")
    marked = course.autograded("ann", "ps1")
    assert [cell.outputs for cell in marked.cells[:2]] == [[], []]
    assert course.scores("ps1") == {"ann": {"quiet": 1}}
