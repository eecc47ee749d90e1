"""Read a bank of answers: right ones that must get all points and wrong ones with their reason.

A lesson's ``answers.py`` is percent text. Each cell is what a learner might write in the answer
cell, and its header says what must come of it:

    # %% right count_leaves: a loop
    # %% wrong count_leaves COUNTS_NON_LEAVES 1: every node of the graph

The number is what the answer keeps: the points of the cases, visible and hidden, that pass.
"""

import linecache
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from course.percent import text_cells

HEADER = re.compile(
    r"^(?:(?P<right>right) (?P<name>\w+)|wrong (?P<wrong>\w+) (?P<code>[A-Z_]+) (?P<points>[\d.]+))"
    r"(?:: (?P<about>.+))?$"
)

RIGHT, WRONG = 3, 6  # how many answers of each kind an exercise needs


class BankError(ValueError):
    """A header that cannot be read, with its line."""

    def __init__(self, line: int, sentence: str):
        super().__init__(sentence)
        self.line = line


@dataclass(frozen=True)
class Entry:
    """One answer of the bank. ``code`` and ``points`` are None for a right one."""

    exercise: str
    right: bool
    code: str | None
    points: float | None
    about: str
    line: int
    source: str

    def __str__(self):
        return f"{self.exercise}:{self.line} {'right' if self.right else self.code} {self.about}"

    def run(self) -> dict:
        """Run the answer as a cell and give the names that it defined."""
        filename = f"<answer {self.exercise}:{self.line}>"
        linecache.cache[filename] = (len(self.source), None, self.source.splitlines(True), filename)
        names: dict = {"__name__": "__main__"}
        exec(compile(self.source, filename, "exec"), names)
        return names


def read_bank(text: str) -> list[Entry]:
    """Read all entries of a bank.

    >>> [entry] = read_bank("# %% wrong double RETURNS_NONE 0: no return\\ndef double(x): x * 2")
    >>> entry.code, entry.points
    ('RETURNS_NONE', 0.0)

    Raises BankError, naming the line, for a header of another form.
    """
    entries = []
    for cell in text_cells(text):
        match = HEADER.match(cell.header)
        if not match:
            raise BankError(
                cell.line,
                f"`# %% {cell.header}` is neither `right NAME: about` nor "
                "`wrong NAME REASON_CODE POINTS: about`.",
            )
        right = bool(match["right"])
        entries.append(
            Entry(
                match["name"] or match["wrong"],
                right,
                match["code"],
                None if right else float(match["points"]),
                match["about"] or "",
                cell.line,
                cell.source,
            )
        )
    return entries


def unknown(bank: Iterable[Entry], names: Iterable[str], codes: Iterable[str]) -> Iterator[tuple]:
    """The line and a sentence for each entry whose exercise or reason code does not exist."""
    names, codes = list(names), set(codes)
    for entry in bank:
        if entry.exercise not in names:
            known = ", ".join(names)
            yield entry.line, f"there is no exercise {entry.exercise!r}; there are: {known}."
        elif entry.code and entry.code not in codes:
            yield (
                entry.line,
                f"the reason code {entry.code!r} of exercise {entry.exercise!r} has no sentence: "
                "write it in reasons.py, or correct the code here.",
            )


def too_few(bank: Iterable[Entry], names: Iterable[str]) -> Iterator[str]:
    """A sentence for each exercise with fewer than 3 right and 6 wrong answers."""
    bank = list(bank)
    for name in names:
        kinds = [entry.right for entry in bank if entry.exercise == name]
        right, wrong = kinds.count(True), kinds.count(False)
        if right < RIGHT or wrong < WRONG:
            yield (
                f"exercise {name!r} has {right} right and {wrong} wrong answers; "
                f"it needs {RIGHT} right and {WRONG} wrong ones."
            )
