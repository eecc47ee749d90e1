"""From the outputs of a test cell to its points, beside what stock nbgrader makes of them."""

import pytest
from nbformat.v4 import new_code_cell, new_output
from nbgrader.utils import determine_grade

from course.grading.scores import without_doubt

STDERR = new_output("stream", name="stderr", text="UserWarning: careful\n")
STDOUT = new_output("stream", name="stdout", text="hello\n")
ERROR = new_output("error", ename="AssertionError", evalue="", traceback=[])


def result(text):
    return new_output("execute_result", data={} if text is None else {"text/plain": text})


def cell(*outputs, solution=False):
    mark = {"grade_id": "t", "grade": True, "solution": solution, "points": 4}
    return new_code_cell("", outputs=list(outputs), metadata={"nbgrader": mark})


def stock(cell):
    """The points that stock nbgrader gives, or the error by which it loses the submission."""
    try:
        return determine_grade(cell)[0]
    except (KeyError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize(
    ("outputs", "points", "in_stock"),
    [
        # nothing, or nothing that decides
        ([], 4, 4),
        ([STDOUT], 4, 4),
        # a warning is not an error, wherever it stands; an error is one
        ([STDERR], 4, 0),
        ([ERROR], 0, 0),
        ([STDERR, ERROR], 0, 0),
        # partial credit, before an error and after a warning
        ([result("1.5")], 1.5, 1.5),
        ([result("0")], 0, 0),
        ([result("1.5"), ERROR], 1.5, 1.5),
        ([STDERR, result("1.5"), ERROR], 1.5, 0),
        ([STDOUT, result("1.5"), STDERR, ERROR], 1.5, 1.5),
        ([ERROR, result("4")], 0, 0),
        ([result(["2.5"])], 2.5, 2.5),
        ([result("4.0000000001")], 4, ValueError),
    ],
)
def test_the_first_error_or_result_decides_and_stderr_does_not(outputs, points, in_stock):
    judged, doubt = without_doubt(cell(*outputs))
    assert (stock(judged), doubt) == (points, None)
    assert stock(cell(*outputs)) == in_stock


@pytest.mark.parametrize(
    ("text", "in_stock", "said"),
    [
        ("1000", ValueError, "its result is '1000' and the cell has 4 points"),
        ("4.1", ValueError, "its result is '4.1' and the cell has 4 points"),
        ("inf", ValueError, "its result is 'inf' and the cell has 4 points"),
        ("-1", 4, "its result is '-1' and the cell has 4 points"),
        ("nan", 4, "its result is 'nan' and the cell has 4 points"),
        ("True", 4, "its result is 'True', not a number of points"),
        ("4 points please", 4, "its result is '4 points please', not a number of points"),
        (["4", "4"], 4, "its result is '44' and the cell has 4 points"),
        ("", KeyError, "its result is '', not a number of points"),
        (None, KeyError, "its result is '', not a number of points"),
    ],
)
def test_a_result_that_is_no_number_of_points_is_worth_nothing(text, in_stock, said):
    judged, doubt = without_doubt(cell(result(text)))
    assert (stock(judged), doubt) == (0, said)
    assert stock(cell(result(text))) == in_stock


def test_the_cell_itself_keeps_its_outputs_for_the_feedback():
    marked = cell(STDERR, result("1000"))
    without_doubt(marked)
    assert marked.outputs == [STDERR, result("1000")]


def test_an_answer_that_is_marked_by_hand_is_left_alone():
    written = cell(result("1000"), solution=True)
    assert without_doubt(written) == (written, None)
