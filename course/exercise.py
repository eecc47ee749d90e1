"""What an exercise is: its cases, what to observe, and how to tell one misconception from another.

A lesson's ``checks.py`` holds one subclass of ``Exercise`` for each exercise. The expected facts
are not written down anywhere: they are what ``observe`` says of the reference solution, which is
the object of the same name in the lesson's ``exercises.py``.
"""

import inspect
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

SEED = 20  # of the cases that a learner sees and of the hidden ones, unless a marker gives another


@dataclass(frozen=True)
class Reason:
    """A misconception: the sentence that names it and the hint that helps.

    Both may hold ``{names}`` that ``diagnose`` fills with evidence from the learner's own run;
    ``{got:leaf|leaves}`` becomes "1 leaf" or "3 leaves".
    ``guide`` names the trap of the field guide that tells more.
    """

    sentence: str
    hint: str
    guide: str = ""


@dataclass(frozen=True)
class Case:
    """One situation in which an answer is tried.

    >>> Case("a chain of three", 1, depth=3).given["depth"]
    3

    ``name`` is what the learner reads, ``points`` what it is worth. All other keyword arguments
    are handed to ``observe`` as ``given``. A hidden case decides when the notebook is marked.
    """

    name: str
    points: float
    hidden: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)

    def __init__(self, name: str, points: float, hidden: bool = False, **given: Any):
        for key, value in {
            "name": name,
            "points": points,
            "hidden": hidden,
            "given": given,
        }.items():
            object.__setattr__(self, key, value)

    def rng(self, seed: int | str) -> random.Random:
        """The random numbers of this case: the same for the same seed, whatever ran before."""
        return random.Random(f"{seed}/{self.name}")


class UnknownExercise(KeyError):
    """A name that no exercise has. IPython shows its sentence instead of a traceback."""

    def __str__(self):
        return self.args[0]

    def _render_traceback_(self):
        return [str(self)]


class Exercise:
    """Base class of all exercises; a subclass is never instantiated.

    class count_leaves(Exercise):
        cases = (Case("one product", 1, size=1), Case("a deep chain", 2, hidden=True, size=40))
        hints = ("Which tensors has nobody computed?",)

        @staticmethod
        def observe(answer, given, rng):       # run the answer, report plain data
            return {"count": describe(answer(chain(given["size"], rng)))}

        @staticmethod
        def diagnose(facts, expected):         # pure: why do the facts differ?
            return "COUNTS_NON_LEAVES" if facts["count"] > expected["count"] else None

    The class has the exercise's name, which is also the name the learner defines. ``diagnose``
    gives a reason code, or ``(code, evidence)`` with a dict for the reason's sentence, or None
    where it cannot tell more than "not the expected result".
    """

    cases: tuple[Case, ...] = ()
    hints: tuple[str, ...] = ()

    @staticmethod
    def observe(answer: Any, given: Mapping[str, Any], rng: random.Random) -> dict:
        raise NotImplementedError

    @staticmethod
    def diagnose(facts: dict, expected: dict) -> str | tuple[str, dict] | None:
        return None

    @classmethod
    def chosen(cls, hidden: bool | None = None) -> list[Case]:
        """The hidden cases, the visible ones, or (None) all."""
        return [case for case in cls.cases if hidden in (None, case.hidden)]

    @classmethod
    def points(cls, hidden: bool | None = None) -> float:
        """Sum of the points: of all cases, of the hidden or of the visible ones."""
        return sum(case.points for case in cls.chosen(hidden))


def wrong_kind(kind: str, code: str = "WRONG_TYPE") -> tuple[str, dict]:
    """The diagnosis of an answer that gave back another kind of thing than it was asked for.

    >>> wrong_kind("None"), wrong_kind("a number")
    (('RETURNS_NONE', {'got': 'None'}), ('WRONG_TYPE', {'got': 'a number'}))

    ``kind`` is what ``course.facts.kind_of`` says; ``code`` a lesson's own word for it.
    """
    return ("RETURNS_NONE" if kind == "None" else code), {"got": kind}


@dataclass(frozen=True)
class LessonChecks:
    """All exercises of one lesson, in the order of their classes in checks.py."""

    lesson: str
    exercises: Mapping[str, type[Exercise]]
    reasons: Mapping[str, Reason]
    module: ModuleType

    def __getitem__(self, name: str) -> type[Exercise]:
        try:
            return self.exercises[name]
        except KeyError:
            known = ", ".join(self.exercises)
            raise UnknownExercise(
                f"Lesson {self.lesson} has no exercise {name!r}; it has: {known}."
            ) from None

    def reference(self, name: str) -> Any:
        """The reference solution: the object of that name in the lesson's exercises.py."""
        return getattr(import_module(f"course.lessons.{self.lesson}.exercises"), name)


def lesson_checks(lesson: str) -> LessonChecks:
    """Load a lesson's checks, e.g. ``lesson_checks("leaf_tensors")["count_leaves"]``.

    With an instructor's private cases, if there are some: raises private_cases.CasesError.
    """
    from course.private_cases import with_private_cases
    from course.reasons import COMMON

    module = import_module(f"course.lessons.{lesson}.checks")
    reasons = {**COMMON, **getattr(module, "REASONS", {})}
    exercises = with_private_cases(lesson, exercises_of(module))
    return LessonChecks(lesson, exercises, reasons, module)


def exercises_of(module: ModuleType) -> dict[str, type[Exercise]]:
    """The exercises that a module defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Exercise) and value is not Exercise
    }
