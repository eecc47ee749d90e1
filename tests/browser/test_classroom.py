"""A whole class through nbgrader in the browser: hand out, answer, hand in, mark, feedback.

Each fixture is a step and needs the one before it; each test says what one of the two then sees.
"""

import pwd
import re

import nbformat
import pytest
from classroom import cells, classroom, complaints, formgrader, menu, press_icon
from front_ends import READY

from course.answers import read_bank
from course.exercise import lesson_checks
from course.lessons import find_lesson

LESSON = find_lesson("leaf_tensors")
BANK = read_bank((LESSON.folder / "answers.py").read_text("utf-8"))
RIGHT = next(entry for entry in BANK if entry.exercise == "freeze" and entry.right)
WRONG = next(
    entry for entry in BANK if entry.exercise == "history" and entry.code == "HISTORY_STOPS_EARLY"
)
SCORE = f"{4 + WRONG.points:g} / 46"
CHECKS = lesson_checks(LESSON.name)
HIDDEN = [case.name for case in CHECKS[WRONG.exercise].cases if case.hidden]


@pytest.fixture(scope="module")
def room(browser, tmp_path_factory):
    with classroom(tmp_path_factory.mktemp("class"), LESSON) as room:
        yield room


@pytest.fixture(scope="module")
def teacher(browser, room):
    """The instructor's JupyterLab, with formgrader open."""
    page = room.open(browser, room.teacher)
    menu(page, "Formgrader")
    formgrader(page).get_by_role("heading", name="Manage Assignments").wait_for()
    yield page
    assert complaints(page) == []
    page.context.close()


@pytest.fixture(scope="module")
def learner(browser, room, released):
    """The learner's JupyterLab, with the list of assignments open."""
    page = room.open(browser, room.learner)
    menu(page, "Assignment List")
    yield page
    assert complaints(page) == []
    page.context.close()


@pytest.fixture(scope="module")
def released(teacher):
    press_icon(teacher, "assign", "Successfully created the student version")
    press_icon(teacher, "release", "Successfully released")


@pytest.fixture(scope="module")
def answered(learner):
    """The assignment fetched, two exercises answered, checked, the notebook saved."""
    learner.get_by_role("button", name="Fetch", exact=True).click()
    learner.get_by_role("button", name=LESSON.assignment).click()
    learner.get_by_text("exercises", exact=True).click()
    learner.wait_for_function(READY)
    write(learner, "def freeze(part):", RIGHT.source)
    write(learner, "def history(t):", WRONG.source)
    learner.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")


@pytest.fixture(scope="module")
def submitted(learner, answered):
    tab(learner, "Assignments")
    learner.get_by_role("button", name="Submit", exact=True).click()
    learner.get_by_role("button", name="Fetch Feedback").wait_for()


@pytest.fixture(scope="module")
def marked(room, teacher, submitted):
    """Collected by a click, marked by the course's own command: what that says."""
    press_icon(teacher, "collect", "Successfully collected")
    return room.grade()


@pytest.fixture(scope="module")
def fed_back(teacher, marked):
    teacher.reload()
    menu(teacher, "Formgrader")
    press_icon(teacher, "generate-feedback", "Successfully generated feedback")
    press_icon(teacher, "release-feedback", "Successfully released feedback")


def write(page, start, source):
    """Replace the answer cell that begins with `start`; run it and the check below it."""
    cell = page.locator(".jp-CodeCell").filter(has_text=start).first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")


def tab(page, name):
    page.locator(".lm-TabBar-tab").filter(has_text=name).first.click()


def follow(page, *links):
    """Follow links in formgrader, one after the other."""
    for link in links:
        formgrader(page).get_by_role("link", name=link, exact=True).click()


def test_the_learner_checks_and_validates_a_fetched_notebook(learner, answered):
    checks = learner.locator("[role=status]")
    checks.filter(has_text="Passed").first.wait_for(state="attached")
    checks.filter(has_text=WRONG.code).first.wait_for(state="attached")
    learner.get_by_role("button", name="Validate").click()
    dialog = learner.locator(".jp-Dialog")
    dialog.filter(has_text=WRONG.code).wait_for(timeout=90_000)
    assert 'check("history")' in dialog.inner_text()
    assert 'check("freeze")' not in dialog.inner_text()
    dialog.get_by_role("button").first.click()
    dialog.wait_for(state="detached")


def test_what_the_learner_submitted_is_collected_and_marked(room, marked):
    assert re.match(rf"{LESSON.assignment}: 1 marked in .* 0 not attempted, 0 flagged, 0 f", marked)
    folder = room.course / "autograded" / pwd.getpwuid(room.work.stat().st_uid).pw_name
    notebook = nbformat.read(folder / LESSON.assignment / "exercises.ipynb", 4)
    sources = [cell.source for cell in notebook.cells]
    assert RIGHT.source in sources and WRONG.source in sources


def test_formgrader_shows_the_scores_that_the_bank_names(teacher, marked):
    follow(teacher, "Manual Grading", LESSON.assignment, "exercises")
    row = formgrader(teacher).locator("tbody tr").first
    row.get_by_text("Submission #1").wait_for()
    assert cells(row)[2:] == [SCORE, SCORE, "0 / 0", "0 / 0", "", "", ""]


def test_the_feedback_tells_points_reason_and_hint_and_no_hidden_test(learner, fed_back):
    tab(learner, "Assignments")
    learner.get_by_role("button", name="Fetch Feedback").click()
    learner.get_by_text("(view feedback)").click()
    learner.get_by_text("exercises.html").dblclick()
    page = learner.frame_locator(".jp-HTMLViewer iframe")
    page.get_by_text("5 of 46 points").first.wait_for()
    said = page.locator("body").inner_text()
    assert WRONG.code in said and CHECKS.reasons[WRONG.code].hint in said
    assert "1 of 4 points" in said and "4 of 4 points" in said
    for secret in ("hidden=True", "BEGIN HIDDEN", *HIDDEN):
        assert secret not in said


def test_a_mark_that_the_instructor_changes_counts(teacher, marked):
    follow(teacher, "Manual Grading", LESSON.assignment, "exercises", "Submission #1")
    cell = formgrader(teacher).locator(".nbgrader_cell").filter(has_text='check("history")').first
    given = cell.locator(f"input.score[placeholder='{WRONG.points:g}']")
    given.fill("2")
    with teacher.expect_response("**/api/grade/*") as answer:
        given.press("Tab")
    assert answer.value.json()["manual_score"] == 2
    follow(teacher, "exercises")
    formgrader(teacher).get_by_text("6 / 46").first.wait_for()
