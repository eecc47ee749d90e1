"""`picture(record)`: a backward as a drawing that a notebook shows, with the same story as text.

    from course import picture, trace
    picture(trace(loss))

A drawing that fails never breaks the reader's cell: the text takes its place, with a line that
says so, in the cell's output and not on stderr (nbgrader takes no points away for it).
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from course.drawing.cards import board
from course.drawing.clock import check_step
from course.drawing.collapse import collapse
from course.drawing.narrate import description, narrate, title
from course.drawing.svg import render
from course.drawing.theme import classes
from course.record import Record

WIDE = 500  # pixels: a wider drawing may have to scroll, so the keyboard must reach it
MOST = 40  # cards; a larger graph is drawn collapsed


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """What `picture` returns: .svg, .text and .html; shows itself in a notebook."""

    svg: str | None  # None: the drawing failed, and .text says so
    text: str
    html: str

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "text/plain": self.text}

    def __repr__(self):  # what a terminal shows
        return self.text


def picture(record: Record, step: int | None = None, *, theme: str = "auto") -> Picture:
    """The picture of a record, or of what is known after its first `step` events.

    `picture(record)`, `picture(record, 3)`, `picture(record, theme="dark")`. theme is "auto" (as
    the page), "light" or "dark". Raises ValueError for a step or a theme that does not exist;
    never because a record could not be drawn.
    """
    classes(theme)
    check_step(record, step)
    return shown(lambda: _drawn(record, step, theme), lambda: narrate(record, step), theme)


def _drawn(record, step, theme):
    whole = board(record)
    final = collapse(record, whole, whole, MOST)
    now = final if step is None else collapse(record, board(record, step), whole, MOST)
    return render(now, final, title(record), description(record, step), theme)


def shown(draw: Callable, tell: Callable, theme: str) -> Picture:
    """What draw() (an SVG and its width) and tell() (a text) make, whether they succeed or not.

    A record may hold what nobody thought of, so any error is caught here, and named in the text.
    """
    try:
        text = tell()
    except Exception as error:
        text = f"This record cannot be told in words: {type(error).__name__}: {error}"
    try:
        svg, width = draw()
    except Exception as error:
        text += f"\n\n(The drawing failed, so this is its text. {type(error).__name__}: {error})"
        return Picture(None, text, f"<pre>{escape(text)}</pre>")
    scroll = ' tabindex="0" role="group" aria-label="Scrolls sideways"' if width > WIDE else ""
    html = (
        f'<div class="{classes(theme)}"><div style="overflow-x:auto"{scroll}>{svg}</div>'
        f"<details><summary>The same in words</summary><pre>{escape(text)}</pre></details></div>"
    )
    return Picture(svg, text, html)
