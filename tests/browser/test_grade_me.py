"""grade_me() in JupyterLab: its button by keyboard, the marks below it, a stop, both themes."""

import shutil

import nbformat
import pytest
from front_ends import axe_violations
from notebook_page import cells, change_theme, leave, run_cells

from course.answers import read_bank
from course.build import ROOT
from course.lessons import find_lesson

LEAVES = find_lesson("leaf_tensors")
BANK = read_bank((LEAVES.folder / "answers.py").read_text("utf-8"))
RIGHT = next(e for e in BANK if e.exercise == "freeze" and e.right)
RAISES = "def history(t):\n    raise ValueError(t)"


@pytest.fixture(scope="module")
def page(visit, jupyter):
    """The exercises of lesson 1 with a few answers, the cell at the end run."""
    folder = jupyter.folder / "grade_me" / LEAVES.assignment
    shutil.copytree(ROOT / "release" / LEAVES.assignment, folder)
    notebook = nbformat.read(folder / "exercises.ipynb", 4)
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if grade_id in ("freeze", "history"):
            cell.source = RIGHT.source if grade_id == "freeze" else RAISES
    nbformat.write(notebook, folder / "exercises.ipynb")
    page = visit("lab", f"grade_me/{LEAVES.assignment}/exercises.ipynb")
    page.file = folder / "exercises.ipynb"
    last = len(cells(page)) - 1
    run_cells(page, last, last)
    page.get_by_role("button", name="Mark my notebook").wait_for()
    yield page
    leave(page)


def press(page, name, key):
    """Press a button as someone without a mouse does."""
    page.get_by_role("button", name=name).focus()
    page.keyboard.press(key)


def marks(page):
    return page.locator(".jp-OutputArea-output").filter(has_text="of 46 points").last


def test_a_marking_can_be_stopped(page):
    press(page, "Mark my notebook", "Space")
    page.get_by_role("button", name="Stop marking").wait_for()
    assert page.get_by_role("progressbar", name="Marking").is_visible()
    press(page, "Stop marking", "Space")
    page.get_by_text("The marking was ended: you stopped it.").first.wait_for()
    page.get_by_role("button", name="Mark my notebook").wait_for()
    assert not page.get_by_role("progressbar", name="Marking").is_visible()


def test_the_button_marks_the_saved_notebook_and_changes_no_file(page):
    before = page.file.read_bytes(), page.file.stat().st_mtime_ns
    press(page, "Mark my notebook", "Enter")
    page.get_by_text("Running your notebook from the top").wait_for(timeout=120_000)
    marks(page).wait_for(timeout=240_000)
    said = marks(page).inner_text()
    assert "4 of 46 points" in said
    assert "This is your notebook as it was saved at" in said
    assert "4 of 4 points" in said
    assert "Your line 2: raise ValueError(t)" in said
    assert "not attempted" in said.lower()
    for secret in ("hidden=True", "BEGIN HIDDEN", "check("):
        assert secret not in said
    assert (page.file.read_bytes(), page.file.stat().st_mtime_ns) == before
    page.get_by_role("status").filter(has_text="4 of 46 points").first.wait_for()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_axe_finds_nothing_serious_in_either_theme(page, theme):
    marks(page).wait_for()
    change_theme(page, theme)
    page.wait_for_timeout(500)  # colours fade
    assert axe_violations(page, ".jp-OutputArea:has(.hl-static)") == []


@pytest.mark.parametrize("width", [700, 1400])
def test_button_and_marks_fit_their_cell(page, width):
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_timeout(300)
    for part in (marks(page), page.locator(".hl-widget").last):
        assert part.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
