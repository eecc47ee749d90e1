"""The lessons and their exercises as places that a link can lead to.

    exercises(find_lesson("leaf_tensors"))[0].title      # "1. Say it before you run it"

Read from the text of exercises.py, which is quick: nothing is imported.
"""

import re
import shlex
from dataclasses import dataclass
from functools import cache

from course.lessons import Lesson
from course.percent import text_cells

HEADING = re.compile(r"^# ## (?P<title>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """An exercise: its name in code, its heading, what it takes and what it gives."""

    name: str
    title: str
    minutes: int
    points: int
    folder: str  # of its lesson
    cell: str  # the id of the cell that holds its text

    @property
    def address(self) -> str:
        """Where it stands, seen from the folder of the lessons."""
        return f"{self.folder}/exercises.ipynb#cell-id={self.cell}"  # JupyterLab goes there


@cache
def exercises(lesson: Lesson) -> tuple[Place, ...]:
    """The exercises of a lesson, in their order; none for "Start here"."""
    path = lesson.folder / "exercises.py"
    if not path.exists():
        return ()
    texts = [c for c in text_cells(path.read_text("utf-8")) if c.header.startswith("[markdown]")]
    return tuple(
        place(cell, f"text-{number:02d}", lesson)  # as course/authoring.py numbers them
        for number, cell in enumerate(texts, start=1)
        if cell.header.startswith("[markdown] exercise=")
    )


def place(cell, cell_id, lesson) -> Place:
    keys = dict(word.split("=", 1) for word in shlex.split(cell.header)[1:])
    title = HEADING.findall(cell.source)[0]
    minutes, points = int(keys["minutes"]), int(keys["points"])
    return Place(keys["exercise"], title, minutes, points, lesson.assignment, cell_id)
