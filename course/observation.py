"""Run a learner's answer through an exercise's ``observe``, case by case, and keep the facts.

Nothing that an answer does here may reach the check's own output: what it prints and warns is
swallowed, an error becomes a fact with the line of the learner's own code, and torch's random
state and grad mode are as before. Nothing here says whether the answer is right.
"""

import contextlib
import io
import linecache
import sysconfig
import traceback
import warnings
from pathlib import Path
from typing import Any

import torch

from course.exercise import SEED, Exercise
from course.facts import assert_plain, describe, kind_of

OURS = (
    str(Path(__file__).parent),
    *{sysconfig.get_path(p) for p in ("stdlib", "purelib", "platlib")},
)
MISSING = object()  # stands for an answer whose name does not exist


def observe_all(
    exercise: type[Exercise], answer: Any, *, hidden: bool | None = None, seed: int | str = SEED
) -> dict[str, dict]:
    """Observe an answer in the visible, the hidden or (None) all cases.

    Gives ``{case name: outcome}``; an outcome is one of ``{"facts": {…}}``,
    ``{"not_attempted": reason code}``, ``{"raised": {"type", "message", "line", "code"}}`` and
    ``{"unreadable": why}``. All of it is plain data.
    """
    cases = exercise.chosen(hidden)
    return {case.name: observe_case(exercise, case, answer, seed) for case in cases}


def observe_case(exercise, case, answer, seed):
    if answer is MISSING:
        return {"not_attempted": "NAME_MISSING"}
    if answer is ...:
        return {"not_attempted": "NOT_ATTEMPTED"}
    if not callable(answer):  # every exercise asks for a function or a class
        return {"facts": {"not callable": kind_of(describe(answer))}}
    try:
        with undisturbed():
            facts = exercise.observe(answer, case.given, case.rng(seed))
    except NotImplementedError as error:
        # the stub raises it; torch raises its own for operations that do not exist
        if is_stub(error):
            return {"not_attempted": "NOT_ATTEMPTED"}
        return {"raised": raised(error)}
    except KeyboardInterrupt:
        raise  # a time limit or the stop button
    except BaseException as error:  # SystemExit too: an answer must not end the kernel
        return {"raised": raised(error)}
    try:
        assert_plain(facts)
    except TypeError as error:
        return {"unreadable": str(error)}
    return {"facts": facts}


@contextlib.contextmanager
def undisturbed():
    """Keep what an answer prints, warns and changes in torch's global state inside."""
    grad_enabled, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        torch.random.fork_rng(devices=[]),
    ):
        warnings.simplefilter("ignore")
        try:
            torch.set_grad_enabled(True)
            torch.manual_seed(0)
            yield
        finally:
            torch.set_grad_enabled(grad_enabled)
            torch.set_default_dtype(dtype)


def is_stub(error: NotImplementedError) -> bool:
    frame = learner_frame(error)
    return not error.args and frame is not None and "raise NotImplementedError" in frame.line


def raised(error: BaseException) -> dict:
    """Say what was raised and at which line of the learner's own code."""
    frame = learner_frame(error)
    return {
        "type": type(error).__name__,
        "message": safe_text(error),
        "line": frame.lineno if frame else None,
        "code": frame.line.strip() if frame else "",
    }


def safe_text(error):
    try:
        return str(error)[:1000]
    except Exception:  # an error class of the learner's whose __str__ fails
        return ""


def learner_frame(error):
    """The innermost frame that is neither ours nor of an installed package."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(OURS)]
    theirs = [frame for frame in theirs if linecache.getline(frame.filename, frame.lineno or 0)]
    return theirs[-1] if theirs else None
