"""Read py:percent text: a Python file whose cells begin with a line ``# %%``.

Only what a running notebook needs (which cell holds which exercise or answer). The builder
converts whole files with jupytext.
"""

import re
from dataclasses import dataclass

HEADER = re.compile(r"^# %%(?P<header>.*)$")


@dataclass(frozen=True)
class TextCell:
    """One cell: what follows ``# %%``, the number of that line in the file, and the text below."""

    header: str
    line: int
    source: str


def text_cells(text: str) -> list[TextCell]:
    """Split a percent file into its cells.

    >>> text_cells("# %% one\\nx = 1\\n\\n# %% two\\ny = 2")
    [TextCell(header='one', line=1, source='x = 1'), TextCell(header='two', line=4, source='y = 2')]
    """
    cells, header, start, lines = [], None, 0, []

    def close():
        if header is not None:
            cells.append(TextCell(header, start, "\n".join(lines).strip("\n")))

    for number, line in enumerate(text.splitlines(), start=1):
        match = HEADER.match(line)
        if match:
            close()
            header, start, lines = match["header"].strip(), number, []
        else:
            lines.append(line)
    close()
    return cells


def exercise_cell(text: str, name: str) -> TextCell | None:
    """Find the code cell that holds an exercise's stub and solution."""
    wanted = re.compile(rf'^exercise="{re.escape(name)}"')
    return next((cell for cell in text_cells(text) if wanted.match(cell.header)), None)
