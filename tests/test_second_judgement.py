"""The judge outside and the facts: no secret seed gives a wrong answer more than its marks."""

import json

import pytest

from course import testimony
from course.answers import read_bank
from course.exercise import lesson_checks
from course.grading.judgement import TAMPERED
from course.lessons import LESSONS
from course.observation import observe_all
from course.second_judgement import Judge

HOMES = {lesson.name: lesson for lesson in LESSONS}
LESSON, EXERCISE = "linear_quirk", "linear_gradients"
CHECKS = lesson_checks(LESSON)
JUDGE = Judge("class")


def facts_of(answer, hidden, monkeypatch):
    """As in a notebook that is marked: the facts travel as JSON."""
    monkeypatch.setenv(testimony.SECRET_SEED, JUDGE.seed)
    return json.loads(json.dumps(testimony.report(CHECKS[EXERCISE], answer, hidden=hidden)))


def ruling(facts, hidden):
    call = f'check("{EXERCISE}"{", hidden=True" if hidden else ""})'
    return JUDGE.rule(HOMES[LESSON].assignment, call, [facts])


@pytest.mark.parametrize("hidden", [False, True])
def test_a_secret_seed_that_is_too_kind_gives_no_points_and_no_flag(hidden, monkeypatch):
    """Numbers with which a wrong answer looks right, as two gradients whose sum is zero may do."""
    bank = read_bank((HOMES[LESSON].folder / "answers.py").read_text("utf-8"))
    entry = next(e for e in bank if e.exercise == EXERCISE and e.points == 0)
    wrong = facts_of(entry.run()[EXERCISE], hidden, monkeypatch)
    right = facts_of(CHECKS.reference(EXERCISE), hidden, monkeypatch)
    assert ruling(right, hidden).points > 0
    found = ruling(wrong | {"secret": right["secret"]}, hidden)
    assert (found.points, found.flags) == (0, ())
    assert found.reasons == ruling(wrong, hidden).reasons


def test_an_answer_that_is_right_with_the_known_numbers_alone_is_flagged(monkeypatch):
    learnt = {}

    def learn(x, grad_output):
        learnt[str(x.tolist())] = CHECKS.reference(EXERCISE)(x, grad_output)
        return learnt[str(x.tolist())]

    observe_all(CHECKS[EXERCISE], learn)
    cheat = facts_of(lambda x, grad_output: learnt.get(str(x.tolist())), True, monkeypatch)
    found = ruling(cheat, True)
    assert (found.points, found.flags) == (0, (TAMPERED,))
