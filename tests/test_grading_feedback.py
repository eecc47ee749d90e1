"""What a learner's feedback page shows of hidden tests."""

import copy

import pytest
from nbformat.v4 import new_output
from nbgrader_course import answer, code, notebook, test

from course.grading import HideTests
from course.grading.feedback import NOTE, WITHHELD

HIDDEN = "assert f(-7) == 49, 'a secret'"
TEST = f"assert f(1) == 1\n### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS\nprint('seen')"


def marked(*cells):
    nb = notebook(cells)
    return HideTests().preprocess(nb, {})[0]


def with_output(cell, kind, **content):
    cell = copy.deepcopy(cell)
    cell.outputs = [new_output(kind, **content)]
    return cell


def failed(cell):
    """The cell with the error that IPython writes: coloured, with the line that raised it."""
    line = "\x1b[31m---> 3\x1b[39m \x1b[38;5;28;01massert\x1b[39;00m f(-\x1b[32m7\x1b[39m) == "
    line += "\x1b[32m49\x1b[39m, \x1b[33m'\x1b[39m\x1b[33ma secret\x1b[39m\x1b[33m'\x1b[39m"
    return with_output(cell, "error", ename="AssertionError", evalue="a secret", traceback=[line])


def test_a_hidden_test_leaves_its_visible_part_and_one_line():
    nb = marked(answer("f", "def f(x): return x"), failed(test("t", TEST, 2)))
    assert nb.cells[1].source == "assert f(1) == 1\nprint('seen')"
    assert [output.text for output in nb.cells[1].outputs] == [NOTE]


def test_a_visible_test_keeps_its_error():
    visible = failed(test("t", HIDDEN, 2))
    assert marked(visible).cells[0].outputs == visible.outputs


def test_a_passed_hidden_test_says_the_same_as_a_failed_one():
    (passed,) = marked(test("t", TEST, 2)).cells
    (wrong,) = marked(failed(test("t", TEST, 2))).cells
    assert passed == wrong


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("stream", {"name": "stdout", "text": f"the cells so far: [{TEST!r}]"}),
        ("stream", {"name": "stderr", "text": HIDDEN.replace(" ", "\n")}),
        ("execute_result", {"data": {"text/plain": f"<{HIDDEN}>"}}),
        ("display_data", {"data": {"text/html": f"<b>{HIDDEN.replace(chr(39), '&#x27;')}</b>"}}),
        ("error", {"ename": "E", "evalue": HIDDEN, "traceback": []}),
    ],
)
def test_an_output_that_quotes_a_hidden_test_is_withheld(kind, content):
    if kind == "stream" and "[" in content["text"]:  # the text of a list escapes its quotes
        content["text"] = content["text"].replace("\\'", "'")
    nb = marked(test("t", TEST, 2), with_output(code("print(In)"), kind, **content))
    assert [output.text for output in nb.cells[1].outputs] == [WITHHELD]


def test_what_everybody_can_read_is_no_secret():
    quoting = with_output(code(HIDDEN), "stream", name="stdout", text=HIDDEN)
    assert marked(test("t", TEST, 2), quoting).cells[1].outputs == quoting.outputs


def test_an_answer_with_the_marker_in_it_is_shown():
    own = answer("f", "### BEGIN HIDDEN TESTS\nprint('mine')")
    shown = with_output(own, "stream", name="stdout", text="mine")
    assert marked(shown).cells[0] == shown


def test_a_region_that_does_not_end_is_hidden_to_the_end():
    (cell,) = marked(test("t", "visible = 1\n### BEGIN HIDDEN TESTS\nhidden = 1", 2)).cells
    assert cell.source == "visible = 1"


def test_the_markers_are_those_of_clear_hidden_tests():
    nb = notebook([test("t", "a = 1\n# SECRET\nb = 2\n# PUBLIC\nc = 3", 2)])
    hide = HideTests(begin_test_delimeter="SECRET", end_test_delimeter="PUBLIC")
    assert hide.preprocess(nb, {})[0].cells[0].source == "a = 1\nc = 3"
