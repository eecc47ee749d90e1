"""Deleted, doubled and edited cells: what is made of them, here and by stock nbgrader."""

import copy
import json

import nbformat
import pytest
from nbgrader.nbgraderformat import SchemaTooNewError, SchemaTooOldError, ValidationError
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    OverwriteCells,
    OverwriteKernelspec,
)
from nbgrader_course import (
    code,
    position,
    text,
    without,
)
from scratch_assignment import RIGHT, answered

from course.grading import RestoreCells, SafeDeduplicate

pytest_plugins = ["scratch_course"]
pytestmark = pytest.mark.nbgrader

STOCK = [ClearOutput, DeduplicateIds, OverwriteKernelspec, OverwriteCells, CheckCellMetadata]
OURS = [
    ClearOutput,
    SafeDeduplicate,
    OverwriteKernelspec,
    RestoreCells,
    OverwriteCells,
    CheckCellMetadata,
]
NAMES = ["setup", "test_setup", "double", "test_double", "test_hidden", "half", "test_half"]
NAMES += ["why", "draw"]


@pytest.fixture
def right(scratch):
    return answered(scratch.released("numbers"))


@pytest.fixture
def sanitized(scratch):
    """What `nbgrader autograde` makes of a submission before it runs it."""

    def sanitize(nb, preprocessors=OURS, **traits):
        nb = copy.deepcopy(nb)
        where = {
            "db_url": f"sqlite:///{scratch.root / 'gradebook.db'}",
            "assignment": "numbers",
            "notebook": "exercises",
            "student": "ann",
        }
        for preprocessor in preprocessors:
            made = preprocessor(**(traits if preprocessor is OverwriteCells else {}))
            nb, _ = made.preprocess(nb, {"nbgrader": where})
        return nb

    return sanitize


def names(nb):
    """The names of the marked cells, in their order."""
    marks = [cell.metadata.get("nbgrader", {}) for cell in nb.cells]
    return [mark["grade_id"] for mark in marks if "grade_id" in mark]


def assignment_part(nb):
    """All that marking depends on: mark, type and text of each cell of the assignment."""
    return {
        cell.metadata.nbgrader["grade_id"]: (cell.metadata.nbgrader, cell.cell_type, cell.source)
        for cell in nb.cells
        if "nbgrader" in cell.metadata
    }


def changed(nb, name, **mark):
    nb = copy.deepcopy(nb)
    nb.cells[position(nb, name)].metadata.nbgrader.update(mark)
    return nb


def doubled(nb, name, **new):
    """A copy of ``nb`` in which the named cell is pasted above itself."""
    nb = copy.deepcopy(nb)
    at = position(nb, name)
    nb.cells.insert(at, copy.deepcopy(nb.cells[at]))
    nb.cells[at].update(new)
    return nb


def without_marks(nb):
    nb = copy.deepcopy(nb)
    for cell in nb.cells:
        cell.metadata.pop("nbgrader", None)
    return nb


def test_a_right_submission_is_left_as_it_is(sanitized, right):
    made = sanitized(right)
    assert names(made) == NAMES
    assert assignment_part(made) == assignment_part(sanitized(right, STOCK))


def test_a_doubled_cell_stops_stock_nbgrader_and_is_an_ordinary_cell_here(sanitized, right):
    twice = doubled(right, "double", source="def double(x):\n    return 'an older try'")
    with pytest.raises(SchemaTooOldError):  # which nbgrader takes for the end of the class run
        sanitized(twice, STOCK)
    made = sanitized(twice)
    assert names(made) == NAMES
    at = position(made, "double")
    assert made.cells[at].source == RIGHT["double"]
    assert "nbgrader" not in made.cells[at - 1].metadata
    assert "an older try" in made.cells[at - 1].source


def test_a_version_number_from_the_future_stops_stock_nbgrader_and_not_this(sanitized, right):
    edited = changed(right, "test_half", schema_version=99)
    with pytest.raises(SchemaTooNewError):
        sanitized(edited, STOCK)
    assert assignment_part(sanitized(edited)) == assignment_part(sanitized(right))


@pytest.mark.parametrize(
    "mark",
    [
        {"points": 1000},
        {"points": "many"},
        {"grade": False},
        {"solution": True},
        {"solution": True, "grade": False, "locked": False},
        {"task": True},
        {"schema_version": 0},
        {"checksum": "0"},
        {"cell_type": "markdown"},
    ],
    ids=json.dumps,
)
def test_edited_metadata_is_what_the_gradebook_says(sanitized, right, mark):
    assert assignment_part(sanitized(changed(right, "test_half", **mark))) == assignment_part(
        sanitized(right)
    )


@pytest.mark.parametrize("name", ["mine", "", 5, None, ["a", 1], {"a": 1}], ids=json.dumps)
def test_a_cell_that_lost_its_name_is_known_by_its_id(sanitized, right, name):
    assert assignment_part(sanitized(changed(right, "test_half", grade_id=name))) == (
        assignment_part(sanitized(right))
    )


def test_a_mark_that_is_not_a_mark_is_taken_off(sanitized, right):
    wanted = assignment_part(sanitized(right))
    right.cells[position(right, "test_half")].metadata["nbgrader"] = []
    right.cells[0].metadata["nbgrader"] = "grade me"
    assert assignment_part(sanitized(right)) == wanted


def test_a_cell_that_calls_itself_a_test_is_an_ordinary_cell(sanitized, right):
    mark = {"schema_version": 3, "grade_id": "bonus", "grade": True, "points": 100}
    mark |= {"solution": False, "locked": False, "task": False}
    bonus = code("pass")
    bonus.metadata["nbgrader"] = mark
    right.cells.append(bonus)
    with pytest.raises(ValidationError):
        sanitized(right, STOCK)
    assert names(sanitized(right)) == NAMES


def test_marks_lost_by_another_program_are_found_again_by_the_cells_ids(sanitized, right):
    assert assignment_part(sanitized(without_marks(right))) == assignment_part(sanitized(right))


def test_missing_tests_and_read_only_cells_are_put_back_in_their_places(sanitized, right):
    deleted = without(right, "setup", "test_double", "test_hidden", "test_half", "draw")
    made = sanitized(deleted)
    assert names(made) == NAMES
    assert assignment_part(made) == assignment_part(sanitized(right))
    note = made.cells[position(made, "test_half") - 1]
    assert note.source == "*The cell `test_half` was missing: put back.*"


def test_stock_nbgrader_loses_a_missing_test_after_a_read_only_cell(sanitized, right):
    deleted = without(right, "test_setup")
    with pytest.raises(KeyError):
        sanitized(deleted, STOCK, add_missing_cells=True)
    assert names(sanitized(deleted)) == NAMES


def test_a_missing_answer_is_not_put_back_and_a_missing_essay_is_the_empty_one(sanitized, right):
    made = sanitized(without(right, "double", "why"))
    assert names(made) == [name for name in NAMES if name != "double"]
    assert made.cells[position(made, "why")].source == "YOUR ANSWER HERE"


def test_a_notebook_with_nothing_in_it_gets_everything_but_the_answers(sanitized):
    made = sanitized(nbformat.v4.new_notebook())
    assert names(made) == [name for name in NAMES if name not in {"double", "half"}]


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_cell_of_another_kind_becomes_code_again(sanitized, right, kind):
    at = position(right, "test_half")
    new = getattr(nbformat.v4, f"new_{kind}_cell")(right.cells[at].source)
    new.metadata = right.cells[at].metadata
    new["attachments"] = {"a.png": {"image/png": "aGVsbG8="}}
    right.cells[at] = new
    made = sanitized(right)
    assert made.cells[at].cell_type == "code"
    assert "attachments" not in made.cells[at]
    nbformat.validate(made)


def test_a_tag_that_would_skip_a_test_is_taken_off(sanitized, right):
    right.cells[position(right, "test_half")].metadata["tags"] = ["skip-execution"]
    at = position(right, "test_half")
    assert sanitized(right, STOCK).cells[at].metadata.tags == ["skip-execution"]
    assert "tags" not in sanitized(right).cells[at].metadata


def test_text_and_ordinary_cells_of_the_learner_stay(sanitized, right):
    right.cells.insert(2, text("my notes"))
    right.cells.insert(5, code("print('my try')"))
    made = sanitized(right)
    assert (made.cells[2].source, made.cells[5].source) == ("my notes", "print('my try')")
