"""What a new exercise leaves for its author to fill in: the lines that hold the word FILL_IN."""

from collections.abc import Iterator
from pathlib import Path

from course.author_text import BuildError

MARK = "FILL_IN"
FILES = ("exercises.py", "checks.py", "answers.py")


def refuse_unfilled(folder: Path) -> None:
    """Refuse a lesson that still holds the mark: ``refuse_unfilled(find_lesson("1").folder)``.

    Raises BuildError with the first such line, and with all of them in its words.
    """
    found = list(unfilled(folder))
    if found:
        lines = "; ".join(f"{path.name} {', '.join(map(str, lines))}" for path, lines in found)
        path, (first, *_) = found[0]
        raise BuildError(path, first, f"is still to be filled in. Lines with {MARK}: {lines}.")


def unfilled(folder: Path) -> Iterator[tuple[Path, list[int]]]:
    """Each file of a lesson that holds the mark, with the numbers of the lines."""
    for path in (folder / name for name in FILES):
        text = path.read_text("utf-8") if path.exists() else ""
        lines = [n for n, line in enumerate(text.splitlines(), start=1) if MARK in line]
        if lines:
            yield path, lines
