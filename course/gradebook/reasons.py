"""Why answers failed: the reason codes that checks printed into the marked notebooks.

    reasons = gather([("ann", "exercises")], executed_notebooks(course_directory(), "ps1"))
    reasons.codes["ann", "exercises", "double_visible"]     # {"RETURNS_NONE"}

A check that fails prints a line for each reason, ``[RETURNS_NONE] Your function gave back None.``
The notebooks are those of strangers: whatever is in them, reading them comes to its end, and one
that cannot be read is left out and counted. A reader of another place for the codes is one more
function like that of ``executed_notebooks``.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAX_BYTES = 20_000_000  # of a notebook
MAX_CODES = 20  # of a cell
CODE = re.compile(r"^[ \t]*\[([A-Z][A-Z0-9_]{1,63})\] ", re.MULTILINE)

# (learner, notebook) → the codes of each cell. It raises FileNotFoundError or Unreadable.
Reader = Callable[[str, str], dict[str, set[str]]]


class Unreadable(Exception):
    """Why the reasons of a submission cannot be read, as the second half of a sentence."""


@dataclass
class Reasons:
    """What was found: the codes of each (learner, notebook, cell), and how many were read."""

    codes: dict[tuple[str, str, str], set[str]] = field(default_factory=dict)
    read: int = 0
    missing: int = 0
    skipped: list[str] = field(default_factory=list)


def gather(notebooks: Iterable[tuple[str, str]], reader: Reader) -> Reasons:
    """Ask a reader for each submission: ``gather([("ann", "exercises")], reader)``."""
    reasons = Reasons()
    for learner, notebook in notebooks:
        try:
            found = reader(learner, notebook)
        except FileNotFoundError:
            reasons.missing += 1
        except Unreadable as why:
            reasons.skipped.append(f"{learner}, {notebook}: {why}")
        else:
            reasons.read += 1
            reasons.codes |= {(learner, notebook, cell): codes for cell, codes in found.items()}
    return reasons


def executed_notebooks(course, assignment: str, *, max_bytes: int = MAX_BYTES) -> Reader:
    """A reader of the notebooks that autograde has run: ``executed_notebooks(course, "ps1")``.

    course: nbgrader's CourseDirectory, which says where they are.
    """

    def read(learner, notebook):
        folder = course.format_path(course.autograded_directory, learner, assignment)
        return codes_in(content_of(Path(folder) / f"{notebook}.ipynb", max_bytes))

    return read


def content_of(path: Path, max_bytes: int) -> bytes:
    """The bytes of a file that is not too large: ``content_of(path, 20_000_000)``."""
    try:
        if path.exists() and not path.is_file():
            raise Unreadable("it is not a file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(f"it cannot be opened ({error.strerror})") from error
    if len(content) > max_bytes:
        raise Unreadable(f"it is larger than {max_bytes / 1e6:g} MB")
    return content


def codes_in(notebook: bytes) -> dict[str, set[str]]:
    """The codes in the outputs of each test cell: ``codes_in(path.read_bytes())``."""
    try:
        cells = json.loads(notebook)["cells"]
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise Unreadable(f"it is not a notebook ({type(error).__name__})") from error
    if not isinstance(cells, list):
        raise Unreadable("it is not a notebook (its cells are no list)")
    found = {}
    for name, cell in _test_cells(cells):
        codes = sorted({code for text in _texts(cell) for code in CODE.findall(text)})
        found.setdefault(name, set()).update(codes[:MAX_CODES])
    return found


def _test_cells(cells) -> Iterator[tuple[str, dict]]:
    for cell in cells:
        match cell:
            case {"metadata": {"nbgrader": {"grade": True, "grade_id": str(name)}}}:
                yield name, cell


def _texts(cell) -> Iterator[str]:
    """What the cell printed and the text of its errors; a text may be a list of its lines."""
    match cell:
        case {"outputs": list(outputs)}:
            for output in outputs:
                match output:
                    case {"text": str(text)}:
                        yield text
                    case {"text": list(lines)}:
                        yield "".join(filter(_is_text, lines))
                    case {"traceback": list(lines)}:
                        yield "\n".join(filter(_is_text, lines))


def _is_text(value):
    return isinstance(value, str)
