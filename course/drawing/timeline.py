"""`timeline(record)`: what fired, in order, as a strip to scrub along.

    from course import timeline, trace
    timeline(trace(loss))

Time runs to the right, one column an event; each tensor has a lane. `timeline(record, step)` marks
the step a slider stands on, and dims what has not fired yet. Every mark carries its step in
`data-step`, for a page that wants to react to a click.
"""

from html import escape

from course.drawing.clock import Clock, check_step
from course.drawing.face import FLAG, MONO_11, glyph, short
from course.drawing.lanes import lanes
from course.drawing.narrate import caption, listed, title
from course.drawing.picture import Picture
from course.drawing.svg import ROOM, drawing, legend
from course.drawing.theme import classes
from course.record import Record

LANE = 22  # the height of a lane
PLAIN = {"node": "node ran", "accumulate": ".grad written", "retain_grad": ".grad kept"}
HEAD = 20  # above the lanes, for the names of the phases


def timeline(record: Record, step: int | None = None, *, theme: str = "auto") -> Picture:
    """The strip of a record, at a step or as a whole.

    theme is "auto" (as the page), "light" or "dark". Raises ValueError for a step or a theme that
    does not exist; a strip that cannot be drawn is shown as its text.
    """
    classes(theme)
    check_step(record, step)
    return Picture(
        lambda: _strip(record, step, theme), lambda: "\n".join(listed(record, step)), theme
    )


def _strip(record, step, theme):
    clock = Clock(record, step)
    names, lane_of = lanes(record)
    left = max((len(short(name)) for name in names), default=0) * MONO_11 + 18
    pitch = min(34, max(4, (ROOM - left) / max(1, len(lane_of))))
    size = min(1, pitch / 14)
    width = left + pitch * len(lane_of) + 4
    bottom = HEAD + LANE * len(names)
    out = []
    for i, name in enumerate(names):
        y = HEAD + LANE * i + LANE / 2
        words = f'x="{left - 10:.0f}" y="{y + 4:g}">{escape(short(name))}'
        out.append(
            f'<path class="hb-rule hb-faint" d="M{left:.0f} {y:g}H{width:.0f}"/>'
            f'<text class="hb-o hb-e" {words}</text>'
        )
    if step:
        x = left + pitch * (step - 0.5)
        out.append(
            f'<rect class="hb-cursor" x="{x - pitch / 2:.1f}" y="{HEAD - 2}" '
            f'width="{max(pitch, 6):.1f}" height="{bottom - HEAD + 20}" rx="4"/>'
        )
    every = 1 if pitch >= 15 else 5 if pitch >= 5 else 20
    phase = None
    for i, (event, lane) in enumerate(zip(record.events, lane_of, strict=True), 1):
        x, y = left + pitch * (i - 0.5), HEAD + LANE * lane + LANE / 2
        if (event.phase, event.backward) != phase:
            first, phase = phase is None, (event.phase, event.backward)
            lasts = sum((e.phase, e.backward) == phase for e in record.events[i - 1 :]) * pitch
            out.append(_phase(event, x - pitch / 2, bottom, record, first, lasts))
        later = step is not None and i > step
        mark = _mark(event, later)
        if not later and clock.failed_after(event):  # PyTorch refused what this one did
            mark += f'<g transform="translate(11 0)">{glyph("raised", 0, 0)}</g>'
        out.append(
            f'<g data-step="{i}" transform="translate({x:.1f} {y:g}) scale({size:.2f})">{mark}</g>'
        )
        if i % every == 0 or i == step:
            out.append(
                f'<text class="hb-s hb-c{" hb-b" if i == step else ""}" x="{x:.1f}" '
                f'y="{bottom + 13}">{i}</text>'
            )
    about = title(record) if step is None else caption(record, step)
    width, height = _legend(out, record, width, bottom + 40)
    return drawing(out, width, height, "What fired, in order", about, theme), width


def _legend(out, record, width, base):
    words = {}
    for event in record.events:
        words.setdefault(_words(event), event)
    items = [
        (f'<g transform="translate(4 0) scale(.85)">{_mark(event, False)}</g>', text)
        for text, event in words.items()
    ]
    return legend(out, items, width, base)


def _words(event):
    if event.error:
        return "raised an error"
    if event.kind in PLAIN:
        return PLAIN[event.kind]
    return "hook that changed it" if event.changed or event.in_place else "hook that only looked"


def _phase(event, x, bottom, record, first, room):
    """A line where forward ends, or a backward begins."""
    words = event.phase
    if event.phase == "backward" and any(e.backward > 1 for e in record.events):
        words = f"backward {event.backward}"
    line = f'<path class="hb-rule" d="M{x:.1f} 2V{bottom}"/>'
    if len(words) * 6.5 + 8 <= room:
        return f'{line}<text class="hb-l" x="{x + 5:.1f}" y="12">{words}</text>'
    if first:  # above the names there is room
        return f'{line}<text class="hb-l hb-e" x="{x - 5:.1f}" y="12">{words}</text>'
    return line


def _mark(event, later):
    """As on the cards: a pill for a node, a box for .grad, a diamond, circle, flag or cross."""
    if later:
        return '<circle class="hb-later" r="2.2"/>'
    if event.error:
        return glyph("raised", 0, 0)
    if event.kind == "node":
        return '<rect class="hb-pill" x="-7" y="-5" width="14" height="10" rx="5"/>'
    if event.kind == "accumulate":
        return '<rect class="hb-wrote" x="-5" y="-5" width="10" height="10" rx="1"/>'
    if event.kind == "retain_grad":
        return f'<path class="hb-fill hb-h" d="M-4 -6{FLAG}"/>'
    return glyph("changed" if event.changed or event.in_place else "saw", 0, 0)
