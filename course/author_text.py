"""What an author wrote: a percent file read into cells, refused where it is not valid.

Every refusal is a ``BuildError`` that names the file and the line of the cell.
"""

from dataclasses import dataclass, field
from pathlib import Path

from course.percent import text_cells

EXERCISE_KEYS = {"exercise", "points", "difficulty", "minutes"}


class BuildError(Exception):
    """What an author has to mend, as one sentence that begins with file and line."""

    def __init__(self, path: Path, line: int | None, sentence: str):
        where = f"{path.parent.name}/{path.name}"
        super().__init__(f"{where}:{line}: {sentence}" if line else f"{where}: {sentence}")


@dataclass
class AuthorCell:
    """One cell as the author wrote it, with the line of its ``# %%``."""

    kind: str
    source: str
    line: int
    keys: dict = field(default_factory=dict)


def read_cells(path: Path, allowed: set[str]) -> list[AuthorCell]:
    """Read a percent file, refusing what is not valid or not known."""
    text = path.read_text("utf-8")
    places = text_cells(text)
    if not places:
        raise BuildError(path, 1, "has no cell; a cell begins with a line `# %%`.")
    before = "\n".join(text.splitlines()[: places[0].line - 1]).strip()
    if before:
        raise BuildError(path, 1, "has text before its first cell `# %%`.")
    import jupytext  # an author has it; who only runs the course has not

    cells = jupytext.reads(text, fmt="py:percent").cells
    if len(cells) != len(places):
        raise BuildError(path, 1, "is not valid percent format: jupytext sees other cells.")
    return [
        author_cell(path, cell, place, allowed) for cell, place in zip(cells, places, strict=True)
    ]


def author_cell(path, cell, place, allowed):
    keys = {k: v for k, v in cell.metadata.items() if k != "lines_to_next_cell"}
    if "incorrectly_encoded_metadata" in keys or "title" in keys:
        raise BuildError(path, place.line, f"cannot read the cell's header `# %% {place.header}`.")
    if cell.cell_type not in ("code", "markdown"):
        raise BuildError(path, place.line, f"has a {cell.cell_type} cell; use code or [markdown].")
    unknown = sorted(set(keys) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise BuildError(path, place.line, f"has the unknown key {unknown[0]!r} (known: {known}).")
    if cell.cell_type == "code":
        try:
            compile(cell.source, path.name, "exec")
        except SyntaxError as error:
            line = place.line + (error.lineno or 1)
            raise BuildError(path, line, f"is not valid Python: {error.msg}.") from None
    return AuthorCell(cell.cell_type, cell.source, place.line, keys)
