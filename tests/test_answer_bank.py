"""Every answer of every lesson's bank gets exactly the points and the reason of its table."""

import re
from functools import cache

import pytest

from course.answers import read_bank, too_few
from course.check import Desk
from course.explanation import meaning_of
from course.help import stub_text
from course.lessons import LESSONS
from course.observation import MISSING, observe_all

WITH_EXERCISES = [lesson for lesson in LESSONS if (lesson.folder / "answers.py").exists()]
DESKS = {lesson.name: Desk(lesson.name) for lesson in WITH_EXERCISES}
BANK = [
    (lesson.name, entry)
    for lesson in WITH_EXERCISES
    for entry in read_bank((lesson.folder / "answers.py").read_text("utf-8"))
]
EXERCISES = [
    (lesson.name, name) for lesson in WITH_EXERCISES for name in DESKS[lesson.name].checks.exercises
]


def judge(lesson, name, answer):
    return DESKS[lesson].result(name, answer, hidden=None)


@cache
def result_of(lesson, entry):
    return judge(lesson, entry.exercise, entry.run().get(entry.exercise, MISSING))


@pytest.mark.parametrize(("lesson", "entry"), BANK, ids=lambda value: str(value))
def test_an_answer_gets_the_points_and_the_reason_of_its_table(lesson, entry):
    result = result_of(lesson, entry)
    said = [(v.case.name, v.code) for v in result.verdicts]
    if entry.right:
        assert result.passed, said
    else:
        assert (result.points, result.code) == (entry.points, entry.code), said


@pytest.mark.parametrize(("lesson", "entry"), [b for b in BANK if b[1].right], ids=str)
def test_a_right_answer_is_right_for_any_seed(lesson, entry):
    for seed in range(1, 4):
        answer = entry.run()[entry.exercise]
        assert DESKS[lesson].result(entry.exercise, answer, hidden=None, seed=seed).passed


@pytest.mark.parametrize(("lesson", "entry"), [b for b in BANK if not b[1].right], ids=str)
def test_a_wrong_answer_keeps_its_points_for_any_seed(lesson, entry):
    """The one who marks draws inputs from a seed of his own: no seed may be kinder."""
    answer = entry.run().get(entry.exercise, MISSING)
    assert DESKS[lesson].result(entry.exercise, answer, hidden=None, seed="5eed").points == (
        entry.points
    )


@pytest.mark.parametrize(("lesson", "name"), EXERCISES)
def test_every_exercise_has_three_right_and_six_wrong_answers(lesson, name):
    assert list(too_few([entry for home, entry in BANK if home == lesson], [name])) == []


def untouched(lesson, name):
    names = {}
    exec(f"import torch\n{stub_text(lesson, name)}", names)
    return names[name]


LAZY = {
    "no answer at all": MISSING,
    "dots": ...,
    "None": None,
    "a number": 0,
    "a function that gives back None": lambda *_: None,
    "a function that gives back zero": lambda *_: 0,
    "a function that gives back its first argument": lambda *args: args[0] if args else None,
    "a function that gives back an empty list": lambda *_: [],
    "a function that ends the program": lambda *_: exit(),
}


@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize(("lesson", "name"), EXERCISES)
def test_an_answer_without_an_idea_does_not_pass(lesson, name, kind):
    result = judge(lesson, name, LAZY[kind])
    assert not result.passed
    assert result.points <= DESKS[lesson].checks[name].points() / 4


@pytest.mark.parametrize(("lesson", "name"), EXERCISES)
def test_the_untouched_stub_gets_no_points(lesson, name):
    assert judge(lesson, name, untouched(lesson, name)).points == 0


def numbers(words):
    return {float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", words)}


def sizes(facts):
    """How many things lie in each list, dict and string of the facts: a message may count them."""
    if isinstance(facts, str):
        return {len(facts)}
    if isinstance(facts, (list, dict)):
        inner = facts.values() if isinstance(facts, dict) else facts
        return {len(facts)}.union(*map(sizes, inner))
    return set()


@pytest.mark.parametrize(("lesson", "entry"), [b for b in BANK if not b[1].right], ids=str)
def test_a_message_holds_no_number_but_those_of_the_learners_own_run(lesson, entry):
    desk, answer = DESKS[lesson], entry.run().get(entry.exercise, MISSING)
    exercise = desk.checks[entry.exercise]
    observed = observe_all(exercise, answer)
    for verdict in result_of(lesson, entry).verdicts:
        words = f"{verdict.sentence} {verdict.hint}"
        assert "{" not in words
        assert "unknown" not in words
        if not verdict.code:
            continue
        reason = desk.checks.reasons[verdict.code]
        own = observed[verdict.case.name]
        meaning = meaning_of(own.get("raised", {}).get("message", "")) or ""
        known = numbers(f"{reason.sentence} {reason.hint} {meaning}")
        known |= numbers(str(own)) | sizes(own)
        assert numbers(words) <= known, words
