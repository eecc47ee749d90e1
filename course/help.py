"""Help in levels: the hint of the last failure, the exercise's own hints, then the solution."""

import re
from importlib import resources

from course.exercise import Exercise
from course.percent import exercise_cell

MARKS = re.compile(r"^\s*### (BEGIN|END) SOLUTION\s*$\n?", re.MULTILINE)
STUB = re.compile(r"^\s*### BEGIN STUB\s*$\n(.*\n)*?(?=^\s*### END SOLUTION)", re.MULTILINE)


def next_hint(exercise: type[Exercise], memory) -> str:
    """Give the next hint, the last one again when there is no stronger one."""
    hints = list(exercise.hints)
    number = min(memory.hints, len(hints) - 1)
    memory.hints += 1
    more = (
        "There is one more hint after this one."
        if number == len(hints) - 2
        else f"There are {len(hints) - 1 - number} more hints after this one."
        if number < len(hints) - 1
        else f'This is the last hint. After three tries, `solution("{exercise.__name__}")` opens.'
    )
    return f"Hint {number + 1} of {len(hints)}: {hints[number]} {more}"


def cell_source(lesson: str, name: str) -> str:
    """The text of an exercise's answer cell as its author wrote it, solution and stub included."""
    text = resources.files(f"course.lessons.{lesson}").joinpath("exercises.py").read_text("utf-8")
    cell = exercise_cell(text, name)
    if cell is None:
        raise KeyError(f"exercises.py of lesson {lesson} has no cell for {name!r}.")
    return cell.source


def solution_text(lesson: str, name: str) -> str:
    """The reference solution, without the marks for the builder."""
    return MARKS.sub("", STUB.sub("", cell_source(lesson, name) + "\n")).strip()


def stub_text(lesson: str, name: str) -> str:
    """The answer cell as it is released."""
    from course.stubs import release_text

    return release_text(cell_source(lesson, name))
