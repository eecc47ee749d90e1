"""What a test cell says when somebody outside decides: facts, and nothing about what is right.

When ``COURSE_SECRET_SEED`` is in the environment, ``check(...)`` reports what it observed of the
answer three times instead of judging it: with the inputs that everybody knows, with inputs from the
secret seed, and of an answer that is known to be wrong. second_judgement.py is the other side.
"""

import json
import os
import re
from itertools import accumulate
from typing import Any

from course.exercise import SEED
from course.grading import REPORT
from course.observation import observe_all

SECRET_SEED = "COURSE_SECRET_SEED"

MOST, DEEPEST = 100_000, 50  # of one outcome as JSON: characters, and lists in each other


def control(*args, **kwargs):
    """An answer that is wrong in every exercise."""
    return None


def wanted() -> bool:
    """Whether somebody outside decides."""
    return SECRET_SEED in os.environ


def report(exercise, answer, *, hidden: bool | None) -> dict:
    """The facts of one test cell, as plain data."""
    secret = os.environ[SECRET_SEED]
    parts: dict[str, tuple[Any, int | str]] = {
        "secret": (answer, secret),  # first: an answer may remember earlier calls
        "known": (answer, SEED),
        "control": (control, secret),
    }
    return {"exercise": exercise.__name__} | {
        part: {
            case: bounded(outcome)
            for case, outcome in observe_all(exercise, one, hidden=hidden, seed=seed).items()
        }
        for part, (one, seed) in parts.items()
    }


def bounded(outcome: dict) -> dict:
    """The outcome, or one that says so where it holds more than any right answer's.

    >>> bounded({"facts": {"log": [1.0]}})
    {'facts': {'log': [1.0]}}

    The line to the judge carries no more than a notebook may, and a report that is lost on the way
    would look like one that was replaced.
    """
    text = json.dumps(outcome)
    brackets = re.sub(r"[^][{}]", "", re.sub(r'"(?:[^"\\]|\\.)*"', "", text))
    deep = max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)
    if len(text) > MOST or deep > DEEPEST:
        return {"unreadable": "the answer gave back more than can be reported"}
    return outcome


def testify(exercise, answer, *, hidden: bool | None) -> None:
    """Send the facts out as an output of the cell."""
    from IPython.display import display

    display({REPORT: report(exercise, answer, hidden=hidden)}, raw=True)
