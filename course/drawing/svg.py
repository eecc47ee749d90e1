"""Cards and links as an SVG drawing: with `face.py`, all that knows pixels and shapes.

A link is drawn as forward went, with its arrow at the operation. The gradient that came back along
it stands beside the tensor it reached, with a triangle that points the way it flowed.
"""

from html import escape
from textwrap import wrap

from course.drawing.cards import Board
from course.drawing.face import MONO_12, SIGN, draw_card, glyph, measure
from course.drawing.layout import LABEL, Arrangement, arrange
from course.drawing.style import STYLE
from course.drawing.theme import classes

ROOM = 684  # we draw for a notebook cell's output 700 pixels wide
MARGIN = 8


def render(
    board: Board, final: Board, title: str, description: str, theme: str = "auto"
) -> tuple[str, float]:
    """The SVG of a board, and its width in pixels.

    `final` is the board after the last step: sizes are taken from it, so that nothing moves while
    a slider goes through the steps. title and description are for screen readers.
    """
    faces = [measure(card) for card in final.cards]
    chips = tuple((k.source, k.target, chip_width(k.text)) for k in final.links)
    places = arrange(tuple((f.width, f.height, f.port) for f in faces), chips, ROOM)
    out = []
    for link, path in zip(board.links, places.paths, strict=True):
        dash = " hb-dash" if link.asleep else ""
        out.append(f'<path class="hb-link{dash}" d="{path}"/>')
    for link, (x, y), (_, _, across), path in zip(
        board.links, places.labels, chips, places.paths, strict=True
    ):
        out.append(_tip(path, places.sideways))
        if link.text:
            out.append(_chip(link, x, y, across, places.sideways))
    for card, face, across, (x, y) in zip(
        board.cards, faces, places.widths, places.cards, strict=True
    ):
        draw_card(out, card, face, across, x, y, places.sideways)

    width: float = places.width
    height: float = places.height
    if not (board.cards or board.outside):
        out.append('<text class="hb-l" x="0" y="14">No graph was recorded.</text>')
        width, height = 150, 20
    width, height = _outside(out, board, final, width, height)
    width, height = _legend(out, final, places, width, height)
    width, height = _problem(out, board.problem, width, height)
    return drawing(out, width, max(height, 20), title, description, theme), width


def drawing(
    parts: list, width: float, height: float, title: str, description: str, theme: str
) -> str:
    """The SVG around its parts: it shrinks a little in a narrow page, then it scrolls."""
    wide, high = round(width + 2 * MARGIN), round(height + 2 * MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{classes(theme)}" role="img" '
        f'width="{wide}" height="{high}" viewBox="-{MARGIN} -{MARGIN} {wide} {high}" '
        f'style="max-width:100%;min-width:{wide * 0.75:.0f}px;height:auto">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{STYLE}"
        f"{''.join(parts)}</svg>"
    )


def chip_width(text: str) -> int:
    """In steps of 8, so that a digit more or less seldom moves the picture."""
    return max(40, -8 * (-(len(text) * 7 + 20) // 8))


def _chip(link, x, y, width, sideways):
    now = " hb-now" if link.now else ""
    middle = y + LABEL / 2
    if sideways:
        flow = f"M{x + 6:.1f} {middle:.1f}l6 -3.5v7z"
    else:
        flow = f"M{x + 5.5:.1f} {middle + 3:.1f}h7l-3.5 -6z"
    return (
        f'<rect class="hb-chip{now}" x="{x:.1f}" y="{y:.1f}" width="{width}" height="{LABEL}" '
        f'rx="10"/><path class="hb-fill{SIGN[link.sign]}" d="{flow}"/>'
        f'<text class="hb-o hb-c{SIGN[link.sign]}" x="{x + 6 + width / 2:.1f}" '
        f'y="{middle + 4:.1f}">{escape(link.text)}</text>'
    )


def _tip(path, sideways):
    x, y = path.rsplit(" ", 2)[1:]
    back = "l-7 -3.5v7z" if sideways else "l-3.5 -7h7z"
    return f'<path class="hb-tip" d="M{x} {y}{back}"/>'


def _outside(out, board: Board, final: Board, width: float, height: float):
    """Cards that are not in the graph, in lines below it."""
    if not board.outside:
        return width, height
    top, left, line = height + (16 if height else 0), 0, 0
    out.append(f'<text class="hb-l" x="0" y="{top + 12:.0f}">Not in the graph of backward:</text>')
    top += 20
    for card, last in zip(board.outside, final.outside, strict=True):
        face = measure(last)
        if left and left + face.width > max(width, ROOM):
            top, left, line = top + line + 12, 0, 0
        draw_card(out, card, face, face.width, left, top, True)
        left, line = left + face.width + 14, max(line, face.height)
        width = max(width, left - 14)
    return max(width, 190), top + line


def _legend(out, board: Board, places: Arrangement, width: float, height: float):
    """A line that says what the marks mean; only those that are there."""
    kinds = {row.kind for card in board.cards + board.outside for row in card.rows if row.text}
    items = []
    if board.links:
        arrow = "M0 -3.5l7 3.5l-7 3.5z" if places.sideways else "M0 -3h7l-3.5 6z"
        back = "M7 -3.5l-7 3.5l7 3.5z" if places.sideways else "M0 3h7l-3.5 -6z"
        items.append((f'<path class="hb-tip" d="{arrow}"/>', "forward"))
        items.append((f'<path class="hb-fill" d="{back}"/>', "gradient, flowing back"))
    if "changed" in kinds:
        items.append((glyph("changed", 4, 0), "hook that changed it"))
    if "saw" in kinds:
        items.append((glyph("saw", 4, 0), "hook that only looked"))
    return legend(out, items, width, height + 26) if items else (width, height)


def legend(out: list, items: list[tuple[str, str]], width: float, base: float):
    """Marks, centred at (4, 0), with their words; in lines no longer than a notebook is wide."""
    left, right = 0.0, width
    for mark, words in items:
        wide = 14 + len(words) * 6 + 18
        if left and left + wide > ROOM:
            left, base = 0.0, base + 18
        out.append(
            f'<g transform="translate({left:.0f} {base - 4:.0f})">{mark}</g>'
            f'<text class="hb-l" x="{left + 15:.0f}" y="{base:.0f}">{words}</text>'
        )
        left += wide
        right = max(right, left)
    return right, base + 4


def _problem(out, problem: str, width: float, height: float):
    """PyTorch's own words, where a run ended with an error."""
    if not problem:
        return width, height
    width = max(width, 420)
    lines = wrap(problem, int((width - 40) / MONO_12))
    lines = lines if len(lines) <= 4 else [*lines[:3], f"{lines[3]} …"]
    top = height + 14
    out.append(
        f'<rect class="hb-card hb-error" y="{top:.0f}" width="{width:.0f}" '
        f'height="{len(lines) * 16 + 14}" rx="3"/>{glyph("raised", 16, round(top) + 15)}'
    )
    for k, line in enumerate(lines):
        out.append(f'<text class="hb-x" x="30" y="{top + 19 + 16 * k:.0f}">{escape(line)}</text>')
    return width, top + len(lines) * 16 + 14
