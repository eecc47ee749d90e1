"""`picture(record)`: a backward as a drawing that a notebook shows, with the same story as text.

    from course import picture, trace
    picture(trace(loss))

A drawing that fails never breaks the reader's cell: a record may hold what nobody thought of, so
any error is caught, and the text takes its place, with a line that says so, in the cell's output
and not on stderr (nbgrader takes no points away for it).
"""

from functools import cached_property
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


class Picture:
    """What `picture` returns: .svg, .text and .html; shows itself in a notebook.

    Each is made when somebody asks for it: a lab shows the drawing at every move of a slider, and
    the words only to those who open them. `draw()` gives an SVG and its width in pixels, `tell()` a
    text; either may fail.
    """

    def __init__(self, draw, tell, theme: str):
        self._draw, self._tell, self._theme = draw, tell, theme

    @cached_property
    def _drawing(self):
        """The SVG, its width, and what went wrong."""
        try:
            return *self._draw(), ""
        except Exception as error:
            return None, 0, f"{type(error).__name__}: {error}"

    @property
    def svg(self) -> str | None:
        """None: the drawing failed, and .text says so."""
        return self._drawing[0]

    @cached_property
    def text(self) -> str:
        """The same in words, in firing order."""
        try:
            text = self._tell()
        except Exception as error:
            text = f"This record cannot be told in words: {type(error).__name__}: {error}"
        failure = self._drawing[2]
        if failure:
            text += f"\n\n(The drawing failed, so this is its text. {failure})"
        return text

    @cached_property
    def html(self) -> str:
        """The drawing, and the words below it, in a theme of their own."""
        svg, width, _ = self._drawing
        words = f"<pre>{escape(self.text)}</pre>"
        if svg is None:
            return words
        wide = ' tabindex="0" role="group" aria-label="Scrolls sideways"' if width > WIDE else ""
        return (
            f'<div class="{classes(self._theme)}"><div style="overflow-x:auto"{wide}>{svg}</div>'
            f"<details><summary>The same in words</summary>{words}</details></div>"
        )

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
    return Picture(lambda: _drawn(record, step, theme), lambda: narrate(record, step), theme)


def _drawn(record, step, theme):
    whole = board(record)
    final = collapse(record, whole, whole, MOST)
    now = final if step is None else collapse(record, board(record, step), whole, MOST)
    return render(now, final, title(record), description(record, step), theme)
