"""A small lab: a few controls beside a page of HTML that is made anew at every move.

    class DoubleLab: ...       # a frozen dataclass with moved(**changes) and page()
    panel(DoubleLab(), [Slider("x", "the number", 0, 10, 1), Choice("of", "speaks for", pairs)])

`page()` gives HTML, the same as text, and one sentence. The controls are native ones, with names
and arrow keys, as those of `lab`.
"""

from dataclasses import asdict, dataclass
from html import escape
from uuid import uuid4

from course.laboratory.front_end import show_widget, somebody_looks, source


@dataclass(frozen=True)
class Slider:
    """A number from `low` to `high`; with `log` the slider moves its power of ten."""

    name: str
    label: str
    low: float
    high: float
    step: float
    log: bool = False
    kind: str = "slider"

    def read(self, value):
        number = min(max(value, self.low), self.high)  # the field beside it takes any number
        return round(number) if isinstance(self.step, int) else number


@dataclass(frozen=True)
class Choice:
    """One of several values: pairs of value and text."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    kind: str = "choice"

    def read(self, value):
        return value


@dataclass(frozen=True)
class Check:
    """On or off."""

    name: str
    label: str
    kind: str = "check"

    def read(self, value):
        return bool(value)


def panel(lab, controls: list) -> None:
    """Display a lab with its controls, where somebody looks."""
    if somebody_looks():
        html, text, words = lab.page()
        still = f"{html}<p>{escape(words)}</p>"
        show_widget(widget(lab, controls), still, text, "Run this cell to move the controls.")


def answer(lab, controls, settings, before) -> dict:
    """What is shown for these settings; an error is said in the lab, not lost in a log."""
    try:
        html, _, words = lab.moved(**{c.name: c.read(settings[c.name]) for c in controls}).page()
    except Exception as error:
        return {**before, "words": f"{type(error).__name__}: {error}"}
    return {"html": html, "words": words}


def widget(lab, controls: list):
    """The browser's side; anywidget is imported only where somebody looks."""
    import anywidget
    import traitlets

    class Panel(anywidget.AnyWidget):
        _esm = source("latest.js", "controls.js", "panel.js")
        _css = source("style.css")
        static_id = traitlets.Unicode().tag(sync=True)
        spec = traitlets.Dict().tag(sync=True)
        shown = traitlets.Dict().tag(sync=True)

        def receive(self, _, message, __):
            """Answer each request: the browser sends no other before."""
            shown = answer(lab, controls, message["settings"], self.shown)
            self.shown = {**shown, "seq": message["seq"]}

    html, _, words = lab.page()
    spec = {
        "controls": [asdict(control) for control in controls],
        "start": {control.name: getattr(lab, control.name) for control in controls},
    }
    shown = {"html": html, "words": words, "seq": ""}
    made = Panel(static_id=uuid4().hex, spec=spec, shown=shown)
    made.on_msg(made.receive)
    return made
