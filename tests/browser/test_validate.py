"""nbgrader's Validate in JupyterLab says what the check says; an error of one's own; `reset`."""

import nbformat
import pytest
from notebook_page import cell_node, leave, outcome, run_cells, write

from course.answers import read_bank
from course.lessons import find_lesson

LESSON = find_lesson("leaf_tensors")
BANK = read_bank((LESSON.folder / "answers.py").read_text("utf-8"))
RIGHT = {entry.exercise: entry.source for entry in BANK if entry.right}
WRONG = next(e for e in BANK if e.exercise == "freeze" and e.code == "NOT_FROZEN")


@pytest.fixture(scope="module")
def page(visit, jupyter, released):
    """The exercises of lesson 1 in JupyterLab, all answered right but `freeze`."""
    folder = jupyter.folder / released / LESSON.assignment
    notebook = nbformat.read(folder / "exercises.ipynb", 4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in RIGHT and grade_id != "freeze":
            cell.source = RIGHT[grade_id]
    nbformat.write(notebook, folder / "answered.ipynb")
    page = visit("lab", f"{released}/{LESSON.assignment}/answered.ipynb")
    run_cells(page, 0, 1)  # the imports
    yield page
    leave(page)


def validate(page):
    """Press Validate and give the words of the dialog that answers."""
    page.get_by_role("button", name="Validate").click()
    dialog = page.locator(".jp-Dialog")
    dialog.get_by_text("Validation").first.wait_for(timeout=90_000)
    said = dialog.inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    return said


def test_validate_agrees_with_the_check_about_a_wrong_answer(page):
    write(page, "freeze", WRONG.source)
    assert "NOT_FROZEN" in outcome(page, "freeze", "Wrong")
    assert "NOT_FROZEN" in validate(page)


def test_an_answer_that_raises_shows_the_learners_own_line(page):
    write(page, "freeze", "def freeze(part):\n    return part.parameter()")
    assert "Your line 2: return part.parameter()" in outcome(page, "freeze", "Raised")


def test_validate_agrees_with_the_check_about_right_answers(page):
    write(page, "freeze", RIGHT["freeze"])
    assert "1 of 1 visible cases passed (1 hidden case runs" in outcome(page, "freeze", "Passed")
    assert "Success" in validate(page)


def test_reset_puts_the_released_stub_back_into_the_cell(page):
    write(page, "freeze", 'reset("freeze")')
    cell = cell_node(page, "freeze")
    cell.wait_for_selector("text=raise NotImplementedError()")
    assert "def freeze(part):" in cell.inner_text()
