"""What the judge outside makes of facts: no secret seed gives a wrong answer more than its points.

A case with small numbers has secret seeds that are too kind: two gradients whose sum is zero, say.
"""

import json
from itertools import count

import pytest

from course import testimony
from course.answers import read_bank
from course.check import Desk
from course.exercise import lesson_checks
from course.grading.judgement import TAMPERED
from course.lessons import LESSONS
from course.observation import observe_all
from course.second_judgement import Judge

HOMES = {lesson.name: lesson for lesson in LESSONS}
WRONG = [  # answers that a secret seed in fifty, or in a hundred, would have let pass
    ("module_hooks", "features", "no copy"),
    ("retain_grad", "hidden_gradient", "the gradient of x"),
]


def entry_of(lesson, exercise, about):
    bank = read_bank((HOMES[lesson].folder / "answers.py").read_text("utf-8"))
    return next(e for e in bank if (e.exercise, e.about) == (exercise, about))


def ruling(lesson, exercise, answer, judge, hidden, monkeypatch):
    """As in a notebook that is marked: the facts travel as JSON."""
    monkeypatch.setenv(testimony.SECRET_SEED, judge.seed)
    facts = testimony.report(lesson_checks(lesson)[exercise], answer, hidden=hidden)
    call = f'check("{exercise}"{", hidden=True" if hidden else ""})'
    return judge.rule(HOMES[lesson].assignment, call, [json.loads(json.dumps(facts))])


@pytest.mark.parametrize(("lesson", "exercise", "about"), WRONG)
def test_a_secret_seed_that_is_too_kind_gives_no_points_and_no_flag(
    lesson, exercise, about, monkeypatch
):
    entry, desk = entry_of(lesson, exercise, about), Desk(lesson)

    def is_kind(judge):
        answer = entry.run()[exercise]
        return desk.result(exercise, answer, hidden=None, seed=judge.seed).points > entry.points

    judge = next(judge for n in count() if is_kind(judge := Judge(f"class {n}")))
    rulings = [
        ruling(lesson, exercise, entry.run()[exercise], judge, hidden, monkeypatch)
        for hidden in (False, True)
    ]
    assert sum(one.points for one in rulings) == entry.points
    assert entry.code in [code for one in rulings for code in one.reasons]
    assert [one.flags for one in rulings] == [(), ()]


def test_an_answer_that_is_right_with_the_known_numbers_alone_is_flagged(monkeypatch):
    lesson, exercise = "linear_quirk", "linear_gradients"
    checks, learnt = lesson_checks(lesson), {}

    def learn(x, grad_output):
        learnt[str(x.tolist())] = checks.reference(exercise)(x, grad_output)
        return learnt[str(x.tolist())]

    observe_all(checks[exercise], learn)
    found = ruling(
        lesson,
        exercise,
        lambda x, grad_output: learnt.get(str(x.tolist())),
        Judge("class"),
        True,
        monkeypatch,
    )
    assert (found.points, found.flags) == (0, (TAMPERED,))
