"""One card of a picture: how large it must be for its words, and how it looks.

A leaf is a box with two round corners, like a leaf; a non-leaf is a plain box; the node sits on its
tensor's box as a pill. A filled diamond marks what changed a gradient, an open circle what only
looked, a flag what retain_grad() keeps, a cross what raised. Each says the same in words.
"""

from html import escape
from typing import NamedTuple

from course.drawing.cards import HOOK_ROWS, Card, Row

NARROWEST, WIDEST = 120, 208  # a card; a longer row is broken into lines
PILL = 22  # the height of a node's pill
TOP = 15  # how much of a pill stands above its box
MONO_13, MONO_12, MONO_11, SANS_11 = 8.2, 7.4, 6.8, 6.7  # pixels one character takes at most
FLAG = "h9l-3 3l3 3h-7.5v5h-1.5z"  # drawn on from its left top corner
SIGN = {"+": " hb-p", "-": " hb-n", "nan": " hb-x", "": ""}


class Face(NamedTuple):
    """The size of a card, and the height of each of its rows."""

    width: int
    height: int
    port: int  # how far below its top a link from the side touches it
    rows: tuple[int, ...]


def measure(card: Card) -> Face:
    """How large a card must be. Widths go in steps of 12, so that numbers seldom change them."""
    widest = pill_width(card) + (24 if card.rows else 0)
    needs = [_needs(row) for row in card.rows]
    for row, (one, two) in zip(card.rows, needs, strict=True):
        widest = max(widest, one if one <= WIDEST and row.kind != "changed" else two)
    width = max(NARROWEST if card.rows else 0, -12 * (-round(widest + 0.5) // 12))
    if not card.rows:
        return Face(width, PILL, PILL // 2, ())
    heights = []
    for row, (one, _) in zip(card.rows, needs, strict=True):
        if row.kind == "name":
            heights.append(27)
        elif row.kind == "changed" or one > width:
            heights.append(20 + 15 * len(broken(row.text)))
        else:
            heights.append(19)
    top = _top(card)
    return Face(width, top + sum(heights) + 4, top + 17, tuple(heights))


def _top(card):
    """Where the rows begin; a pill above anything but a name needs more room."""
    if not card.operation:
        return 0
    return TOP if card.rows[0].kind == "name" else TOP + 9


def pill_width(card: Card) -> int:
    badge = badge_width(card.turn) if card.turn else 0
    return round(len(card.operation) * MONO_11 + 20 + badge) if card.operation else 0


def _needs(row: Row):
    """How wide a card must be for a row in one line, and in several."""
    mark = len(row.mark) * SANS_11 + 16 if row.mark else 0
    if row.kind == "name":
        name = len(short(row.label)) * MONO_13 + len(row.text) * MONO_11 + mark + 34
        return name, name
    label = len(row.label) * (MONO_12 if row.kind == "grad" else SANS_11) + mark + 24
    if row.kind in HOOK_ROWS:
        label += 14 + badge_width(row.turn)
    text = max(map(len, broken(row.text))) * MONO_12
    letters = max(len(row.text), len("None")) if row.kind == "grad" else len(row.text)
    return label + letters * MONO_12 + 10, max(label, text + 30)  # None: before it is there


def badge_width(turn: int) -> int:
    return 10 + 6 * len(str(turn))


def short(name: str, most: int = 26) -> str:
    """A long name without its middle."""
    return name if len(name) <= most else f"{name[: most // 2 - 1]}…{name[-(most // 2) :]}"


def broken(text: str, most: int = 30) -> list[str]:
    """A long "before → after" as two lines, each cut to what a card can hold."""
    if len(text) <= most:
        return [text]
    parts = [text]
    if " → " in text:
        before, _, after = text.partition(" → ")
        parts = [before, f"→ {after}"]
    return [part if len(part) <= most else f"{part[: most - 1]}…" for part in parts]


def draw_card(
    out: list, card: Card, face: Face, width: int, x: float, y: float, sideways: bool
) -> None:
    """Appends the SVG of a card with its left top corner at (x, y)."""
    dash = " hb-dash" if card.asleep or card.shape == "outside" else ""
    out.append(f'<g transform="translate({x:.1f} {y:.1f})">')
    top = TOP if card.operation else 0
    if card.rows:
        out.append(_box(card, width, face.height, top, dash))
        at = _top(card)
        for row, height in zip(card.rows, face.rows, strict=True):
            _row(out, row, at, width, height)
            at += height
    if card.operation:
        _pill(out, card, 12 if sideways and card.rows else (width - pill_width(card)) / 2, dash)
    out.append("</g>")


def _pill(out, card, left, dash):
    length = pill_width(card)
    now = " hb-now" if card.now else "" if card.ran else " hb-wait"
    out.append(
        f'<rect class="hb-pill{now}{dash}" x="{left:g}" width="{length}" height="{PILL}" rx="11"/>'
    )
    if card.turn:
        badge = badge_width(card.turn) + 2
        half = f"M{left + badge:g} 1h{11 - badge}a10 10 0 0 0 0 20h{badge - 11}z"
        number = card.turn if card.ran else ""
        out.append(
            f'<path class="hb-badge" d="{half}"/>'
            f'<text class="hb-s hb-c" x="{left + badge / 2 + 1:g}" y="15">{number}</text>'
        )
        if card.ran:
            left, length = left + badge - 2, length - badge + 2
    out.append(
        f'<text class="hb-o hb-c" x="{left + length / 2:g}" y="15">{escape(card.operation)}</text>'
    )


def _box(card, width, height, top, dash):
    bottom = height
    if card.rows[0].mark == "leaf":  # round at the left bottom and the right top
        return (
            f'<path class="hb-card hb-leaf{dash}" d="M3 {top}H{width - 20}q20 0 20 20V{bottom - 3}'
            f'q0 3 -3 3H20q-20 0 -20 -20V{top + 3}q0 -3 3 -3z"/>'
        )
    return f'<rect class="hb-card{dash}" y="{top}" width="{width}" height="{bottom - top}" rx="3"/>'


def _row(out, row, y, width, height):
    if row.kind == "name":
        _name(out, row, y, width)
        return
    base, right = y + 14, width - 12
    if row.kind == "changed":
        box = f'x="1" y="{y}" width="{width - 2}" height="{height - 1}"'
        out.append(f'<rect class="hb-tint" {box}/>')
    if row.kind == "grad":
        out.append(f'<path class="hb-rule" d="M1 {y}H{width - 1}"/>')
    if row.now:
        box = f'x="5" y="{y}" width="{width - 10}" height="{height}" rx="4"'
        out.append(f'<rect class="hb-now" fill="none" {box}/>')
    left = _hook_mark(out, row, y) if row.kind in HOOK_ROWS else 12
    style = "hb-b" if row.kind == "grad" else "hb-l"
    out.append(f'<text class="{style}" x="{left}" y="{base}">{escape(row.label)}</text>')
    if row.mark:
        at = left + len(row.label) * MONO_12 + 6
        out.append(
            f'<path class="hb-fill hb-h" d="M{at:g} {y + 4}{FLAG}"/>'
            f'<text class="hb-l" x="{at + 13:g}" y="{base}">{row.mark}</text>'
        )
    if not row.text:
        return
    style = f"hb-e{' hb-b' if row.kind == 'grad' else ''}{_tone(row)}"
    if height < 30:
        words = _coloured(row.text, row.sign)
        out.append(f'<text class="{style}" x="{right}" y="{base}">{words}</text>')
        return
    for k, line in enumerate(broken(row.text), 1):
        words = escape(line) if k > 1 else _coloured(line, row.sign)
        out.append(f'<text class="{style}" x="{right}" y="{base + 15 * k}">{words}</text>')


def _name(out, row, y, width):
    if y > TOP:  # a second tensor on the same card
        out.append(f'<path class="hb-rule" d="M0 {y}H{width}"/>')
    leaf = " hb-f" if row.mark == "leaf" else ""
    shape = f'<tspan class="hb-o hb-m" dx="6">{escape(row.text)}</tspan>' if row.text else ""
    out.append(
        f'<text class="hb-t" x="12" y="{y + 21}">{escape(short(row.label))}{shape}</text>'
        f'<text class="hb-l hb-e{leaf}" x="{width - 12}" y="{y + 21}">{row.mark}</text>'
    )


def _hook_mark(out, row, y):
    """The mark of a hook and when it fired; returns where its name goes."""
    if not row.turn:
        out.append(glyph(row.kind, 16, y + 10))
        return 26
    badge = badge_width(row.turn) - 2
    fill = "hb-badge" if row.kind == "changed" else "hb-soft"
    number = "" if row.kind == "waiting" else row.turn
    out.append(
        f'{glyph(row.kind, 16, y + 10)}<rect class="{fill}" x="26" y="{y + 3}" width="{badge}" '
        f'height="14" rx="7"/><text class="hb-s hb-c" x="{26 + badge / 2:g}" y="{y + 14}">'
        f"{number}</text>"
    )
    return 32 + badge


def _tone(row):
    if row.kind == "raised":
        return " hb-x"
    return " hb-m" if row.text in ("None", "False") else SIGN[row.sign]


def _coloured(text, sign):
    """Only the last number of "saw +1" and "+1 → +3" has its colour; the way there is plain."""
    head, arrow, tail = text.rpartition(" → ")
    if not arrow and text.startswith("saw "):
        head, arrow, tail = "", "saw ", text[4:]
    if not arrow or not sign:
        return escape(text)
    return f'<tspan class="hb-m">{escape(head + arrow)}</tspan>{escape(tail)}'


def glyph(kind: str, x: float, y: float) -> str:
    """The mark of a hook row, centred at (x, y)."""
    if kind == "changed":
        return f'<path class="hb-fill hb-h" d="M{x} {y - 5}l5 5l-5 5l-5 -5z"/>'
    if kind == "raised":
        return f'<path class="hb-cross" d="M{x - 4} {y - 4}l8 8m0 -8l-8 8"/>'
    if kind == "waiting":
        return f'<path class="hb-rule" d="M{x - 4} {y}h8"/>'
    return f'<circle class="hb-ring" cx="{x}" cy="{y}" r="3.6"/>'
