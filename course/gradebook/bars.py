"""The report as a picture: a bar for each exercise, the hardest on top, its reasons beside it.

    write_whole("ps1.svg", drawn(marks, items, "svg"))

A bar is all learners whose answer has its marks: with all points, with some, with none. The three
differ in lightness, so that they differ in black and white too.
"""

import io
import warnings
from typing import Any

from course.gradebook.items import Item
from course.gradebook.marks import Marks
from course.gradebook.words import label, listed, percent

MOST = 40  # exercises; more are too small to read
REASONS = 3  # beside a bar
PARTS = (
    ("all points", "#0a56c2", "#ffffff"),
    ("some", "#9cc4f5", "#1f2328"),
    ("none", "#e1e5ea", "#1f2328"),
)
INK, MUTED = "#1f2328", "#57606a"


def drawn(marks: Marks, items: list[Item], kind: str) -> bytes:
    """The picture's file, of kind "svg" or "png": ``drawn(marks, analyse(marks), "svg")``."""
    import matplotlib
    from matplotlib.figure import Figure

    shown = items[:MOST]
    title = f"{marks.assignment}: {len(marks.learners)} of {marks.students} students handed in"
    title += ", the hardest first"
    if len(items) > MOST:
        title += f" ({MOST} of {len(items)} exercises)"
    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": title,
        "font.size": 10,
        "text.color": INK,
    }
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # an SVG takes the reader's fonts
        figure = Figure(figsize=(11, 1.5 + 0.42 * max(len(shown), 1)), layout="constrained")
        axes = figure.add_subplot()
        _bars(axes, shown)
        _names(axes, shown, items)
        axes.set_title(title, loc="left", parse_math=False, fontsize=12, pad=30)
        out = io.BytesIO()
        about = {"Date": None, "Title": title} if kind == "svg" else {"Title": title}
        figure.savefig(out, format=kind, dpi=130, facecolor="white", metadata=about)
    return out.getvalue()


def _bars(axes, items):
    starts = [0.0] * len(items)
    for part, (name, colour, ink) in enumerate(PARTS):
        widths = [_parts(item)[part] for item in items]
        axes.barh(range(len(items)), widths, 0.72, starts, color=colour, label=name)
        for place, width in enumerate(widths):
            if width >= 0.06:
                middle = starts[place] + width / 2
                axes.text(
                    middle, place, percent(width), color=ink, ha="center", va="center", fontsize=9
                )
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    if items:
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderaxespad=0.2
        )


def _names(axes, items, all_items):
    names = [_middle_out(label(item, all_items), 36) for item in items]
    axes.set_yticks(range(len(items)), names, parse_math=False)
    axes.set_ylim(max(len(items), 1) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.tick_params("y", length=0)
    axes.spines[:].set_visible(False)
    for place, item in enumerate(items):
        axes.text(
            1.015,
            place,
            _beside(item),
            transform=axes.get_yaxis_transform(),
            va="center",
            color=MUTED,
            fontsize=8.5,
            parse_math=False,
        )


def _parts(item):
    """Of the learners: with all points, with some, with none."""
    if item.full is None or item.zero is None:
        return 0.0, 0.0, 0.0
    return item.full, max(0.0, 1 - item.full - item.zero), item.zero


def _beside(item):
    if not item.submissions:
        return "no submissions"
    words = [f"untouched {percent(item.untouched)}"] if item.untouched else []
    words += [listed(item.reasons, "  ·  ", REASONS)] if item.reasons else []
    return _short("  ·  ".join(words), 110)


def _short(text, most):
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _middle_out(name, most):
    """Names of exercises often differ at their end."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"
