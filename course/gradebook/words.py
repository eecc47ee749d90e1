"""The report as text for a terminal, as CSV for a spreadsheet, and as JSON for programs.

print(as_text(marks, items, reasons))
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import asdict

from course.gradebook.items import Item
from course.gradebook.marks import Marks
from course.gradebook.reasons import Reasons

COLUMNS = (  # heading, and how an item fills it
    ("points", lambda item: f"{item.points:g}"),
    ("handed in", lambda item: str(item.submissions)),
    ("unmarked", lambda item: str(item.unmarked)),
    ("mean", lambda item: _number(item.mean)),
    ("share", lambda item: percent(item.share)),
    ("full", lambda item: percent(item.full)),
    ("zero", lambda item: percent(item.zero)),
    ("untouched", lambda item: percent(item.untouched)),
    ("discrimination", lambda item: _number(item.discrimination)),
)
PLAIN = ("points", "submissions", "unmarked")
ROUNDED = ("mean", "share", "full", "zero", "untouched", "discrimination")
NONE = "–"
SHOWN = 5  # reasons of an exercise, and notebooks that could not be read


def as_text(marks: Marks, items: list[Item], reasons: Reasons) -> str:
    """The tables of the report, the hardest first: ``as_text(marks, analyse(marks), reasons)``."""
    parts = [f"{marks.assignment}: {len(marks.learners)} of {marks.students} students handed in."]
    if not items:
        return parts[0] + "\nIt has no cell that gives points."
    columns = [c for c in COLUMNS if c[0] != "unmarked" or any(i.unmarked for i in items)]
    rows = [["exercise", *(heading for heading, _ in columns)]]
    for indent, item in _lines(items):
        name = "  " + item.name if indent else label(item, items)
        rows.append([name, *(fill(item) for _, fill in columns)])
    parts.append(_aligned(rows))
    failed = [
        [label(item, items), listed(item.reasons, ", ", SHOWN)] for item in items if item.reasons
    ]
    if failed:
        parts.append("Reasons, and how many learners got them:\n" + _aligned(failed, left=2))
    parts.append(_about(reasons))
    return "\n\n".join(filter(None, parts))


def as_csv(items: list[Item]) -> str:
    """One line an exercise, followed by one a cell of it: ``as_csv(analyse(marks))``."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["notebook", "exercise", "cell", *PLAIN, *ROUNDED, "reasons"])
    for exercise in items:
        for item in (exercise, *exercise.cells):
            rounded = (getattr(item, name) for name in ROUNDED)
            table.writerow(
                [
                    item.notebook,
                    exercise.name,
                    "" if item is exercise else item.name,
                    *(getattr(item, name) for name in PLAIN),
                    *(value if value is None else round(value, 4) for value in rounded),
                    listed(item.reasons, "; "),
                ]
            )
    return text.getvalue()


def as_json(marks: Marks, items: list[Item], reasons: Reasons) -> str:
    """All of it, with the names of the fields of ``Item``: ``json.loads(as_json(…))``."""
    return json.dumps(
        {
            "assignment": marks.assignment,
            "students": marks.students,
            "handed_in": len(marks.learners),
            "exercises": [asdict(item) for item in items],
            "notebooks": {
                "read": reasons.read,
                "missing": reasons.missing,
                "skipped": reasons.skipped,
            },
        },
        ensure_ascii=False,
        indent=2,
    )


def label(item: Item, items: list[Item]) -> str:
    """An exercise's name, with its notebook's where there are several: ``label(item, items)``."""
    several = len({other.notebook for other in items}) > 1
    return f"{item.notebook}/{item.name}" if several else item.name


def listed(reasons: dict[str, int], between: str, most: int | None = None) -> str:
    """``listed({"RAISED": 3, "A": 1, "B": 1}, ", ", most=2)`` → ``"RAISED 3, A 1, +1 more"``."""
    words = [f"{code} {learners}" for code, learners in reasons.items()]
    more = len(words[most:]) if most else 0
    return between.join([*words[:most], *([f"+{more} more"] if more else [])])


def percent(share: float | None) -> str:
    """``percent(0.125)`` → ``"12%"``; all and nothing are never rounded to."""
    if share is None:
        return NONE
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def _number(value):
    return NONE if value is None else f"{value:.2f}"


def _lines(items) -> Iterator[tuple[bool, Item]]:
    """The exercises, each followed by its cells where they say more than it does itself."""
    for item in items:
        yield False, item
        if len(item.cells) > 1:
            yield from ((True, cell) for cell in item.cells)


def _aligned(rows, left=1):
    """The first ``left`` columns start on the same place, the others end on it."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            text.ljust(width) if place < left else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _about(reasons):
    """What the reason codes rest on."""
    if not (reasons.read or reasons.missing or reasons.skipped):
        return ""
    if not reasons.read and not reasons.skipped:
        return (
            "No reasons: there is no marked notebook here. Run this in the folder of the course, "
            "after `nbgrader autograde`."
        )
    counts = {
        "read": reasons.read,
        "not found": reasons.missing,
        "unreadable": len(reasons.skipped),
    }
    said = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    more = len(reasons.skipped) - SHOWN
    return "\n".join(
        [
            f"Reasons come from the marked notebooks: {said}.",
            *(f"  {why}" for why in reasons.skipped[:SHOWN]),
            *([f"  and {more} more"] if more > 0 else []),
        ]
    )
