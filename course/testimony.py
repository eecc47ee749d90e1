"""What a test cell says when somebody outside decides: facts, and nothing about what is right.

When ``COURSE_SECRET_SEED`` is in the environment, ``check(...)`` reports what it observed of the
answer three times instead of judging it: with the inputs that everybody knows, with inputs from the
secret seed, and of an answer that is known to be wrong. second_judgement.py is the other side.
"""

import os

from course.exercise import SEED
from course.observation import observe_all

SECRET_SEED = "COURSE_SECRET_SEED"
REPORT = "application/vnd.hooked-on-backward.report+json"


def control(*args, **kwargs):
    """An answer that is wrong in every exercise."""
    return None


def wanted() -> bool:
    """Whether somebody outside decides."""
    return SECRET_SEED in os.environ


def report(exercise, answer, *, hidden: bool | None) -> dict:
    """The facts of one test cell, as plain data."""
    secret = os.environ[SECRET_SEED]
    return {
        "exercise": exercise.__name__,
        "known": observe_all(exercise, answer, hidden=hidden, seed=SEED),
        "secret": observe_all(exercise, answer, hidden=hidden, seed=secret),
        "control": observe_all(exercise, control, hidden=hidden, seed=secret),
    }


def testify(exercise, answer, *, hidden: bool | None) -> None:
    """Send the facts out as an output of the cell."""
    from IPython.display import display

    display({REPORT: report(exercise, answer, hidden=hidden)}, raw=True)
