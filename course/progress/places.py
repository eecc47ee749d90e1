"""The lessons and their exercises as places that a link can lead to.

    exercises(find_lesson("leaf_tensors"))[0].title      # "1. Say it before you run it"

Read from the text of exercises.py, which is quick: nothing is imported.
"""

import re
import shlex
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote

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

    @property
    def address(self) -> str:
        """Where it stands, seen from the folder of the lessons."""
        heading = self.title.replace("`", "").replace(" ", "-")  # JupyterLab's anchor
        return f"{self.folder}/exercises.ipynb#{quote(heading)}"


@cache
def exercises(lesson: Lesson) -> tuple[Place, ...]:
    """The exercises of a lesson, in their order; none for "Start here"."""
    path = lesson.folder / "exercises.py"
    if not path.exists():
        return ()
    return tuple(
        place(cell, lesson)
        for cell in text_cells(path.read_text("utf-8"))
        if cell.header.startswith("[markdown] exercise=")
    )


def place(cell, lesson) -> Place:
    keys = dict(word.split("=", 1) for word in shlex.split(cell.header)[1:])
    title = HEADING.findall(cell.source)[0]
    return Place(
        keys["exercise"], title, int(keys["minutes"]), int(keys["points"]), lesson.assignment
    )
