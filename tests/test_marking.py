"""nbgrader itself, with the shipped configuration, gives bank answers their table's points.

Each student's notebook holds one answer of the bank for every exercise; the batch goes through
the real `nbgrader autograde` and `generate_feedback` in a temporary course. Lesson 1's whole bank
takes this way. Of the others one row of it does, with an untouched and a right notebook: a notebook
takes seconds here, and test_answer_bank.py judges every answer by the same check in milliseconds.
With EVERY_ANSWER=1 in the environment all of them go through nbgrader.
"""

import html
import os
import re
from itertools import zip_longest

import nbformat
import pytest
from nbgrader_course import Course, edited, without

from course.answers import read_bank
from course.build import ROOT
from course.exercise import lesson_checks
from course.lessons import LESSONS

pytestmark = pytest.mark.nbgrader
WITH_EXERCISES = [lesson for lesson in LESSONS if (lesson.folder / "answers.py").exists()]


def columns(lesson):
    """The bank as a table: one row a student, one answer for every exercise in it."""
    bank = read_bank((lesson.folder / "answers.py").read_text("utf-8"))
    names = list(lesson_checks(lesson.name).exercises)
    by_exercise = [[entry for entry in bank if entry.exercise == name] for name in names]
    rows = [[e for e in row if e] for row in zip_longest(*by_exercise)]
    if lesson.number == 1 or os.environ.get("EVERY_ANSWER"):
        return rows
    return [rows[len(rows) // 2]]


ONE_GROUP_A_LESSON = [
    pytest.param(lesson, id=lesson.name, marks=pytest.mark.xdist_group(f"marking {lesson.name}"))
    for lesson in WITH_EXERCISES
]


@pytest.fixture(scope="module", params=ONE_GROUP_A_LESSON)
def marked(request, tmp_path_factory):
    """The course after marking, with each student's row of the table."""
    lesson = request.param
    course = Course(tmp_path_factory.mktemp("marking") / "course")
    source = ROOT / "source" / lesson.assignment / "exercises.ipynb"
    course.add_source(lesson.assignment, nbformat.read(source, 4))
    course.generate(lesson.assignment)
    released = course.released(lesson.assignment)
    rows = {}
    for number, row in enumerate(columns(lesson)):
        student = f"student{number:02d}"
        rows[student] = row
        answers = {entry.exercise: entry.source for entry in row}
        course.submit(student, lesson.assignment, edited(released, **answers))
    course.submit("untouched", lesson.assignment, released)
    bank = read_bank((lesson.folder / "answers.py").read_text("utf-8"))
    right = {entry.exercise: entry.source for entry in bank if entry.right}
    course.submit("tidy", lesson.assignment, without(edited(released, **right), "given_1"))
    run = course.autograde(lesson.assignment)
    assert run.status == 0, run.output
    return lesson, course, rows


def kept(scores, exercise):
    return scores[f"{exercise}_visible"] + scores[f"{exercise}_hidden"]


def test_every_answer_of_the_bank_gets_the_points_of_its_table(marked):
    lesson, course, rows = marked
    scores = course.scores(lesson.assignment)
    checks = lesson_checks(lesson.name)
    table, given = {}, {}
    for student, row in rows.items():
        for entry in row:
            full = checks[entry.exercise].points()
            table[str(entry)] = full if entry.right else entry.points
            given[str(entry)] = kept(scores[student], entry.exercise)
    assert given == table
    print(f"{lesson.name}: nbgrader gave {len(table)} answers the points of their table")


def test_an_untouched_notebook_gets_nothing(marked):
    lesson, course, _ = marked
    assert set(course.scores(lesson.assignment)["untouched"].values()) == {0}


def test_given_code_that_nobody_touched_is_no_misconception(marked):
    lesson, course, _ = marked
    told = course.autograded("untouched", lesson.assignment).metadata["marking"]["told"]
    assert len(told) == 2 * len(lesson_checks(lesson.name).exercises)
    for cell, cases in told.items():
        assert {case["code"] for case in cases} == {"NOT_ATTEMPTED"}, cell


def test_right_answers_get_all_points_also_where_the_given_cell_was_deleted(marked):
    lesson, course, _ = marked
    scores, checks = course.scores(lesson.assignment)["tidy"], lesson_checks(lesson.name)
    full = {name: exercise.points() for name, exercise in checks.exercises.items()}
    assert {name: kept(scores, name) for name in full} == full


def test_the_feedback_names_the_reason_and_shows_no_hidden_test(marked):
    lesson, course, rows = marked
    run = course.generate_feedback(lesson.assignment)
    assert run.status == 0, run.output
    seen = " ".join(cell.source for cell in course.released(lesson.assignment).cells)
    cases = [c for e in lesson_checks(lesson.name).exercises.values() for c in e.cases]
    seen += " ".join(case.name for case in cases if not case.hidden)
    hidden = [case.name for case in cases if case.hidden and case.name not in seen]
    assert hidden
    for student, row in rows.items():
        page = html.unescape(re.sub(r"<[^>]+>", "", course.feedback(student, lesson.assignment)))
        visible = [e for e in row if e.code and e.points == 0]
        assert [e.code for e in visible if f"[{e.code}]" not in page] == []
        assert [n for n in hidden if re.search(rf"[✓✗○⚠] {re.escape(n)}: ", page)] == []
        assert "hidden=True" not in page
        assert page.count("(visible cases: ") == len(lesson_checks(lesson.name).exercises)
        hints = [e for e in row if e.code == "RETURNS_NONE"]
        assert not hints or "Try: " in page
