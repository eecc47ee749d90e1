"""The lessons, in their order. A lesson's number is its place in this list."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Lesson:
    """A lesson: the folder that holds it, its title, the minutes it takes."""

    name: str
    title: str
    minutes: int
    home: Path = Path(__file__).parent

    @property
    def folder(self) -> Path:
        return self.home / self.name

    @property
    def number(self) -> int:
        return LESSONS.index(self)

    @property
    def assignment(self) -> str:
        """The name of its folder in source/ and release/, e.g. ``01_leaf_tensors``."""
        return f"{self.number:02d}_{self.name}"


LESSONS = (
    Lesson("start_here", "Start here", 3),
    Lesson("leaf_tensors", "Leaf and non-leaf tensors", 35),
    Lesson("retain_grad", "retain_grad: keep what backward throws away", 35),
    Lesson("tensor_hooks", "Tensor hooks", 40),
    Lesson("module_hooks", "Module hooks", 40),
    Lesson("linear_quirk", "The Linear backward-hook quirk", 35),
    Lesson("hooks_at_work", "Hooks at work", 40),
)


def lesson_of(assignment: str) -> Lesson | None:
    """The lesson whose exercises an assignment is; None for an assignment of somebody else.

    >>> lesson_of("01_leaf_tensors").name, lesson_of("ps1")
    ('leaf_tensors', None)
    """
    return next((lesson for lesson in LESSONS if lesson.assignment == assignment), None)


def find_lesson(name: str) -> Lesson:
    """Find a lesson by its name, number or assignment: ``find_lesson("01_leaf_tensors")``.

    Raises LookupError with the list of lessons.
    """
    for lesson in LESSONS:
        if name in (lesson.name, lesson.assignment, str(lesson.number)):
            return lesson
    known = ", ".join(lesson.name for lesson in LESSONS)
    raise LookupError(f"There is no lesson {name!r}. The lessons are: {known}.")
