"""An exercise in JupyterLab: answered right, wrong and not at all, by keyboard, then validated."""

import nbformat
import pytest
from front_ends import open_notebook, run_all

from course.answers import read_bank
from course.build import ROOT
from course.lessons import find_lesson

LESSON = find_lesson("leaf_tensors")
BANK = read_bank((LESSON.folder / "answers.py").read_text("utf-8"))
RIGHT = {entry.exercise: entry.source for entry in BANK if entry.right}
WRONG = next(e for e in BANK if e.exercise == "freeze" and e.code == "NOT_FROZEN")


@pytest.fixture(scope="module")
def page(browser, jupyter):
    """The exercises of lesson 1 in JupyterLab, all answered right but `freeze`."""
    notebook = nbformat.read(ROOT / "release" / LESSON.assignment / "exercises.ipynb", 4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in RIGHT and grade_id != "freeze":
            cell.source = RIGHT[grade_id]
    nbformat.write(notebook, jupyter.folder / "exercises.ipynb")
    page = open_notebook(browser, jupyter, "lab", "exercises.ipynb", run=False)
    yield page
    assert page.complaints == []


def cell_of(page, text):
    return page.locator(".jp-CodeCell").filter(has_text=text)


def write_and_check(page, source):
    """Replace the answer cell of `freeze`, run it and the check below it."""
    editor = cell_of(page, "freeze(part)").or_(cell_of(page, "reset(")).first.locator(".cm-content")
    editor.scroll_into_view_if_needed()
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")


def outcome(page, word):
    """The words of the check's block, once it says `word`."""
    block = cell_of(page, 'check("freeze")').locator("[role=status]").filter(has_text=word)
    block.wait_for(state="attached", timeout=30_000)
    return block.text_content()


def validate(page):
    """Press Validate and give the words of the dialog that answers."""
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog")
    dialog.wait_for(timeout=90_000)
    page.wait_for_timeout(200)
    said = dialog.inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    return said


def test_an_exercise_that_nobody_answered_is_not_attempted(page):
    run_all(page)
    said = outcome(page, "Not attempted")
    assert "There is no answer here yet." in said


def test_a_wrong_answer_shows_its_reason_and_validate_agrees(page):
    write_and_check(page, WRONG.source)
    said = outcome(page, "Wrong")
    assert "NOT_FROZEN" in said
    assert "no switch of its own" in said
    assert "Traceback" not in cell_of(page, 'check("freeze")').inner_text()
    dialog = validate(page)
    assert "NOT_FROZEN" in dialog


def test_an_answer_that_raises_shows_the_learners_own_line(page):
    write_and_check(page, "def freeze(part):\n    return part.parameter()")
    said = outcome(page, "Raised")
    assert "Your line 2: return part.parameter()" in said


def test_a_right_answer_passes_and_validate_agrees(page):
    write_and_check(page, RIGHT["freeze"])
    said = outcome(page, "Passed")
    assert "1 of 1 visible cases passed (1 hidden remain" in said
    run_all(page)
    assert "Success" in validate(page)


def test_reset_puts_the_released_stub_back_into_the_cell(page):
    write_and_check(page, 'reset("freeze")')
    cell = cell_of(page, "raise NotImplementedError()")
    cell.wait_for(timeout=30_000)
    assert "def freeze(part):" in cell.inner_text()
