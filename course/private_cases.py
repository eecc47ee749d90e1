"""Hidden cases of an instructor's own, from a package that learners do not have.

In the package's ``pyproject.toml``, a line for each lesson, with the module that has its cases:

    [project.entry-points."hooked_on_backward.hidden_cases"]
    leaf_tensors = "my_cases.leaf_tensors"

In ``my_cases/leaf_tensors.py``:

    from course.exercise import Case

    HIDDEN = {"history": [Case("x / 5, then - 1", 3, steps=("div", "sub"))]}

Wherever the package is installed, these cases take the place of the exercise's hidden ones. They
are worth the same in sum, because the points of a cell are in the notebooks that were handed out.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from course.exercise import Case, Exercise

GROUP = "hooked_on_backward.hidden_cases"


class CasesError(ValueError):
    """Private cases that cannot take the place of the hidden ones; the text says why."""


@cache
def private_cases(lesson: str) -> tuple[Mapping[str, Any], str]:
    """({exercise: its private hidden cases}, who says so); empty if no package has any.

    Raises CasesError.
    """
    found: list[EntryPoint] = list(entry_points(group=GROUP, name=lesson))
    if not found:
        return {}, ""
    if len(found) > 1:
        places = " and ".join(sorted(point.value for point in found))
        raise CasesError(
            f"Hidden cases of {lesson} come from {places}: uninstall one of the packages."
        )
    [point] = found
    try:
        cases = point.load().HIDDEN
    except Exception as error:
        raise CasesError(
            f"The hidden cases of {lesson} cannot be read from {point.value}: "
            f"{type(error).__name__}: {error}"
        ) from error
    return cases, point.value


def with_private_cases(
    lesson: str, exercises: Mapping[str, type[Exercise]]
) -> dict[str, type[Exercise]]:
    """The exercises of a lesson, with the private hidden cases where there are some.

    Raises CasesError where these do not fit.
    """
    cases, place = private_cases(lesson)
    unknown = sorted(set(cases) - set(exercises))
    if unknown:
        raise CasesError(
            f"{place} has cases of {', '.join(unknown)}, and lesson {lesson} has: "
            f"{', '.join(exercises)}."
        )
    return {
        name: replaced(exercise, cases[name], place) if name in cases else exercise
        for name, exercise in exercises.items()
    }


def replaced(exercise: type[Exercise], hidden: list[Case], place: str) -> type[Exercise]:
    """The exercise with these hidden cases. Raises CasesError."""
    name = exercise.__name__
    if not all(isinstance(case, Case) for case in hidden):
        raise CasesError(f"{place} has something for {name} that is no course.exercise.Case.")
    visible = exercise.chosen(hidden=False)
    names = [case.name for case in (*visible, *hidden)]
    if doubles := sorted({one for one in names if names.count(one) > 1}):
        raise CasesError(f"{place} has a case of {name} with a name that is taken: {doubles[0]!r}.")
    points, wanted = sum(case.points for case in hidden), exercise.points(hidden=True)
    if points != wanted:
        raise CasesError(
            f"The hidden cases of {name} are worth {wanted:g} points, and those of {place} "
            f"{points:g}: make the sums equal."
        )
    cases = [Case(case.name, case.points, True, **case.given) for case in hidden]
    return type(name, (exercise,), {"cases": (*visible, *cases), "__doc__": exercise.__doc__})
