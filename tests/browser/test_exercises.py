"""Every lesson's exercises in JupyterLab: not answered, answered wrong, right, and all right.

What a check says must be what the lesson's table of reasons says. Lesson 3 in Notebook 7 as well.
"""

import importlib
import re

import pytest
from front_ends import run_all
from notebook_page import IN_FRONT, cell_node, errors, leave, node, not_run, outcome, write

from course.answers import read_bank
from course.lessons import LESSONS, find_lesson
from course.reasons import COMMON

PLACES = [("lab", lesson) for lesson in LESSONS[1:]] + [("notebook", find_lesson("tensor_hooks"))]
IDS = [f"{lesson.name} {front_end}" for front_end, lesson in PLACES]
UNANSWERED = COMMON["NOT_ATTEMPTED"]
FILL = f"""(answers) => {{
  for (const {{ model }} of {IN_FRONT}.content.widgets) {{
    const answer = answers[model.getMetadata("nbgrader")?.grade_id];
    if (answer) model.sharedModel.setSource(answer);
  }}
}}"""


@pytest.fixture(scope="module", params=PLACES, ids=IDS)
def page(request, visit, released):
    """Exercises as they are released, run by the command of the Run menu."""
    front_end, lesson = request.param
    page = visit(front_end, f"{released}/{lesson.assignment}/exercises.ipynb")
    page.bank = read_bank((lesson.folder / "answers.py").read_text("utf-8"))
    page.reasons = importlib.import_module(f"course.lessons.{lesson.name}.reasons").REASONS
    run_all(page)
    yield page
    leave(page)


def test_without_an_answer_an_exercise_is_not_attempted(page):
    first = page.bank[0].exercise
    assert UNANSWERED.hint in outcome(page, first, UNANSWERED.sentence)
    assert errors(page) == [f"{first}_visible CheckFailed: {UNANSWERED.sentence}"]
    assert "Traceback" not in node(page).inner_text()


def test_a_wrong_answer_shows_its_misconception(page):
    # one that gets no point is wrong in the visible cases, too
    wrong = [e for e in page.bank if e.code in page.reasons and e.points == 0][-1]
    write(page, wrong.exercise, wrong.source)
    words = outcome(page, wrong.exercise, wrong.code)
    reason = page.reasons[wrong.code]
    for part in re.split(r"\{[^}]*\}", f"{reason.sentence}{{}}{reason.hint}"):
        assert part.replace("`", "") in words
    assert "Traceback" not in cell_node(page, f"{wrong.exercise}_visible").inner_text()


def test_a_right_answer_passes(page):
    right = [entry for entry in page.bank if entry.right][-1]
    write(page, right.exercise, right.source)
    said = outcome(page, right.exercise, "Passed")
    assert re.search(r"\d hidden cases? runs? when the notebook is marked\)", said)


def test_with_every_answer_right_the_notebook_runs_to_its_end(page):
    right = {entry.exercise: entry.source for entry in page.bank if entry.right}
    page.evaluate(FILL, right)
    run_all(page)
    assert (errors(page), not_run(page)) == ([], [])
    for exercise in right:
        outcome(page, exercise, "Passed")
    assert node(page).wait_for_selector("button:has-text('Mark my notebook')")
