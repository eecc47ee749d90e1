"""A learner's own marking: nbgrader's points, the reasons, no hidden test, no file touched."""

import json
import os
import shutil
import subprocess
import sys
import time

import nbformat
import psutil
import pytest
from nbgrader_course import edited, position, without

from course.answers import read_bank
from course.build import ROOT
from course.exercise import lesson_checks
from course.grading.batch.bundle import CannotMark
from course.judge import NOT_ATTEMPTED, PASSED, RAISED, WRONG
from course.lessons import find_lesson
from course.own_marks import live
from course.own_marks.marking import expect_exercises, mark_notebook, marks_in
from course.own_marks.page import as_html, as_text, outcome, reasons
from course.own_marks.process import Marking

LEAVES = find_lesson("leaf_tensors")
CHECKS = lesson_checks("leaf_tensors")
BANK = read_bank((LEAVES.folder / "answers.py").read_text("utf-8"))
RELEASED = ROOT / "release" / LEAVES.assignment / "exercises.ipynb"
RIGHT = next(e for e in BANK if e.exercise == "freeze" and e.right)
HALF = next(e for e in BANK if e.exercise == "why_no_grad" and not e.right and e.points)
TELLS = "def history(t):\n    raise ValueError(f'it was {t}')"  # of a hidden case too
ANSWERS = {"freeze": RIGHT.source, "why_no_grad": HALF.source, "history": TELLS}


@pytest.fixture(scope="module")
def learner(tmp_path_factory):
    """A folder as a learner has it: the notebook with a few answers, and a file that is a trap."""
    folder = tmp_path_factory.mktemp("learner") / LEAVES.assignment
    folder.mkdir()
    notebook = edited(nbformat.read(RELEASED, 4), **ANSWERS)
    nbformat.write(notebook, folder / "exercises.ipynb")
    (folder / "json.py").write_text("raise SystemExit('a file of the learner ran')")
    return folder


def files(folder):
    return {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def found(learner):
    """What a kernel in that folder is told, and the steps on the way."""
    before, here, steps = files(learner), os.getcwd(), []
    os.chdir(learner)
    try:
        marking = Marking("leaf_tensors", learner / "exercises.ipynb", steps.append)
        result = marking.result()
    finally:
        os.chdir(here)
    assert files(learner) == before
    assert "marks" in result, result
    return result["marks"], steps


def exercise(marks, name):
    return next(one for one in marks["exercises"] if one["name"] == name)


@pytest.mark.nbgrader
def test_the_points_are_those_that_an_instructor_would_give(found):
    marks, steps = found
    points = {one["name"]: one["points"] for one in marks["exercises"] if one["points"]}
    assert points == {"freeze": CHECKS["freeze"].points(), "why_no_grad": HALF.points}
    assert marks["of"] == sum(CHECKS[name].points() for name in CHECKS.exercises)
    assert marks["points"] == sum(points.values())
    assert len(steps) == 2


def test_only_what_an_instructor_handed_out_is_named_with_the_points_it_has():
    notebook = without(nbformat.read(RELEASED, 4), "freeze_visible", "freeze_hidden")
    notebook.cells[position(notebook, "history_visible")].metadata.nbgrader["points"] = 3
    marks = marks_in(LEAVES, notebook, {"history_visible": 3, "history_hidden": 1})
    names = [one["name"] for one in marks["exercises"]]
    assert "freeze" not in names and len(names) == len(CHECKS.exercises) - 1
    assert (exercise(marks, "history")["points"], exercise(marks, "history")["of"]) == (4, 5)


@pytest.mark.nbgrader
def test_each_exercise_has_its_outcome_and_its_reasons(found):
    marks, _ = found
    assert outcome(exercise(marks, "freeze")) == PASSED
    assert reasons(exercise(marks, "freeze")) == []
    assert outcome(exercise(marks, "why_no_grad")) == WRONG
    assert HALF.code in [reason["code"] for reason in reasons(exercise(marks, "why_no_grad"))]
    assert all(reason["hint"] for reason in reasons(exercise(marks, "why_no_grad")))
    assert outcome(exercise(marks, "history")) == RAISED
    assert outcome(exercise(marks, "find_leaves")) == NOT_ATTEMPTED


@pytest.mark.nbgrader
def test_nothing_of_a_hidden_test_is_shown(found):
    marks, _ = found
    said = as_text(marks) + as_html(marks) + json.dumps(marks)
    for name in CHECKS.exercises:
        visible = {case.name for case in CHECKS[name].cases if not case.hidden}
        for case in CHECKS[name].cases:
            if case.hidden and not any(case.name in other for other in visible):
                assert f"{case.name};" not in said
                assert f'"{case.name}"' not in said
    for mark in ("hidden=True", "HIDDEN TESTS", "check("):
        assert mark not in said
    parts = exercise(marks, "history")["parts"]
    assert all("it was" in case["sentence"] for case in parts["visible"]["cases"])
    assert not any("it was" in json.dumps(case) for case in without_source(parts["hidden"]))


def without_source(part):
    """The learner's own line is the learner's to see."""
    return [{k: v for k, v in case.items() if k != "source"} for case in part["cases"]]


@pytest.mark.nbgrader
def test_a_marking_that_takes_too_long_is_ended_with_all_that_it_started(learner):
    begun = []
    marking = Marking("leaf_tensors", learner / "exercises.ipynb", begun.append, seconds=4)
    start, process = time.monotonic(), psutil.Process(marking.process.pid)
    assert marking.result() == {"error": "The marking was ended: it took longer than 4 seconds."}
    assert time.monotonic() - start < 20
    assert not process.is_running()


@pytest.mark.nbgrader
def test_a_marking_whose_kernel_is_gone_ends_itself(learner):
    marking = Marking("leaf_tensors", learner / "exercises.ipynb", lambda words: None)
    process = psutil.Process(marking.process.pid)
    marking.process.stdin.close()
    assert marking.process.wait(30) == 2
    assert not process.is_running()


# ---- what is refused, in a sentence ---------------------------------------------------------


def test_only_the_exercises_of_the_lesson_are_marked(tmp_path):
    with pytest.raises(CannotMark, match="not a notebook that can be read"):
        expect_exercises(LEAVES, b"\xff no notebook")
    other = ROOT / "release" / "02_retain_grad" / "exercises.ipynb"
    with pytest.raises(CannotMark, match="holds no exercise of lesson 1"):
        expect_exercises(LEAVES, other.read_bytes())
    with pytest.raises(CannotMark, match="Lesson 0 has no exercises"):
        mark_notebook(find_lesson("start_here"), b"")


def test_without_the_sources_of_the_course_there_is_one_sentence(tmp_path):
    shutil.copytree(ROOT / "release", tmp_path / "release")
    with pytest.raises(CannotMark, match=r"There is no source/01_leaf_tensors here, so hidden"):
        mark_notebook(LEAVES, RELEASED.read_bytes(), root=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["no_such"], "There is no lesson 'no_such'"),
        (["leaf_tensors", "--notebook", "gone.ipynb"], "No such file or directory: gone.ipynb"),
        (["start_here", "--notebook", str(RELEASED)], "Lesson 0 has no exercises."),
    ],
)
def test_the_command_says_what_is_wrong_and_its_status_is_2(arguments, words):
    done = subprocess.run(
        [sys.executable, "-m", "course", "grade-me", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("grade-me: ")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_in_a_terminal_grade_me_names_the_command_and_nothing_while_nbgrader_marks(
    capsys, monkeypatch
):
    live.grade_me("leaf_tensors")
    assert "python -m course grade-me leaf_tensors" in capsys.readouterr().out
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    live.grade_me("leaf_tensors")
    assert capsys.readouterr().out == ""
