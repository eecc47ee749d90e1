"""The course and the progress in it: what is passed, what is next.

overview(read()).next.title
"""

from dataclasses import dataclass

from course.lessons import LESSONS, Lesson
from course.progress.places import Place, exercises
from course.progress.record import Progress

DONE, BEGUN, NOT_YET = "done", "begun", "not yet"


@dataclass(frozen=True)
class Part:
    """A lesson, its exercises, and the names of those that are passed."""

    lesson: Lesson
    exercises: tuple[Place, ...]
    passed: frozenset[str]

    @property
    def count(self) -> int:
        return len(self.passed)

    @property
    def state(self) -> str:
        if not self.exercises or not self.passed:
            return NOT_YET
        return DONE if self.count == len(self.exercises) else BEGUN

    @property
    def address(self) -> str:
        return f"{self.lesson.assignment}/lesson.ipynb"

    @property
    def left(self) -> tuple[Place, ...]:
        return tuple(one for one in self.exercises if one.name not in self.passed)


@dataclass(frozen=True)
class Next:
    """Where to go on, in words and as an address seen from the folder of the lessons."""

    lesson: Lesson
    title: str
    minutes: int
    address: str


@dataclass(frozen=True)
class Overview:
    """The whole course. ``live`` is False where nobody knows what is passed."""

    parts: tuple[Part, ...]
    next: Next | None
    words: str = ""
    live: bool = True

    @property
    def passed(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def total(self) -> int:
        return sum(len(part.exercises) for part in self.parts)


def overview(progress: Progress | None) -> Overview:
    """The course as a learner with this progress sees it; None where it is not known."""
    passed = progress.passed if progress else {}
    parts = tuple(part(lesson, passed.get(lesson.name, {})) for lesson in LESSONS)
    words = progress.words if progress else ""
    return Overview(parts, going_on(parts, passed), words, live=progress is not None)


def part(lesson: Lesson, passed: dict[str, str]) -> Part:
    known = exercises(lesson)  # an exercise of an older course may have gone
    return Part(lesson, known, frozenset(one.name for one in known if one.name in passed))


def going_on(parts: tuple[Part, ...], passed: dict[str, dict[str, str]]) -> Next | None:
    """What is left in the lesson of the last success, else in those after it, else before it."""
    last = {
        part.lesson.name: max(passed[part.lesson.name][name] for name in part.passed)
        for part in parts
        if part.passed
    }
    names = [part.lesson.name for part in parts]
    start = names.index(max(last, key=last.__getitem__)) if last else 0
    for part in parts[start:] + parts[:start]:
        if part.left and part.passed:
            place = part.left[0]
            return Next(part.lesson, f"exercise {place.title}", place.minutes, place.address)
        if part.left:
            return Next(part.lesson, part.lesson.title, part.lesson.minutes, part.address)
    return None
