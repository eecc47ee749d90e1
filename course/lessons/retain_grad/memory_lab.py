"""The lab of lesson 2: what to keep, how many backwards, and the bytes that stay, over depth.

    memory_lab(keep="all", width=1000)

Each move of a control runs a real forward and backward for every depth on the axis.
"""

from dataclasses import dataclass, replace
from html import escape
from itertools import count
from pathlib import Path

from course.laboratory.front_end import show_widget, somebody_looks
from course.lessons.retain_grad.memory_chart import chart, headline, legend, told

DEPTHS = tuple(range(2, 25, 2))
LIMITS = {"width": (100, 10_000, 100), "backwards": (1, 3, 1)}
_charts = count(1)


@dataclass(frozen=True)
class MemoryLab:
    """Where the controls of the lab stand. Nothing runs until it is displayed."""

    keep: str = "all"
    width: int = 1000  # numbers of 4 bytes in each layer
    backwards: int = 1
    retain_graph: str = "but the last"

    def moved(self, **changes) -> "MemoryLab":
        """The lab with other settings; numbers outside of the sliders' limits are cut off."""
        for name, (low, high, _) in LIMITS.items():
            if name in changes:
                changes[name] = min(max(int(changes[name]), low), high)
        return replace(self, **changes)

    def rows(self) -> list:
        """Run every depth; give pairs (depth, Held)."""
        from course.lessons.retain_grad.memory import held_after_backward

        settings = (self.width, self.keep, self.backwards, self.retain_graph)
        return [(depth, held_after_backward(depth, *settings)) for depth in DEPTHS]

    def page(self) -> dict:
        """What is shown for these settings: HTML, the same numbers as text, one sentence."""
        rows, pattern = self.rows(), f"hl-stripes-{next(_charts)}"
        # one scale for all choices: the most is three gradients in a list and one saved value
        drawn = chart(rows, top=4 * 4 * self.width * DEPTHS[-1], pattern=pattern)
        error = rows[-1][1].error
        note = f"<p><strong>It raised RuntimeError:</strong> {escape(error)} …</p>" if error else ""
        text = told(rows) + (f"\nIt raised RuntimeError: {error} …" if error else "")
        return {
            "html": f"{note}{drawn}{legend(pattern)}",
            "words": headline(rows),
            "text": text,
            "error": error,
        }

    def _ipython_display_(self):
        if somebody_looks():
            still = self.page()  # with a pattern of its own: the widget stands beside it
            html = f"{still['html']}<p>{escape(still['words'])}</p>"
            show_widget(_widget(self), html, still["text"], "Run this cell to move the controls.")


def memory_lab(**settings) -> MemoryLab:
    """Open the lab, e.g. ``memory_lab(keep="hook", backwards=2)``.

    `keep` and `retain_graph` are keys of `memory.KEEP` and `memory.RETAIN_GRAPH`; `width` is 100
    to 10 000 numbers a layer, `backwards` 1 to 3. Raises ValueError for a key that is not there.
    """
    from course.lessons.retain_grad.memory import KEEP, RETAIN_GRAPH

    lab = MemoryLab().moved(**settings)
    if lab.keep not in KEEP or lab.retain_graph not in RETAIN_GRAPH:
        raise ValueError(f"keep is one of {list(KEEP)}, retain_graph one of {list(RETAIN_GRAPH)}.")
    return lab


def _widget(lab):
    """The browser's side; anywidget is imported only where somebody looks."""
    from uuid import uuid4

    import anywidget
    import traitlets

    from course.laboratory.front_end import source
    from course.lessons.retain_grad.memory import KEEP, RETAIN_GRAPH

    class MemoryWidget(anywidget.AnyWidget):
        _esm = source("latest.js", "controls.js", Path(__file__).with_suffix(".js"))
        _css = source("style.css")
        static_id = traitlets.Unicode().tag(sync=True)
        spec = traitlets.Dict().tag(sync=True)
        shown = traitlets.Dict().tag(sync=True)

        def answer(self, _, message, __):
            """Answer each request, whatever happens: the browser sends no other before."""
            try:
                shown = MemoryLab().moved(**message["settings"]).page()
            except Exception as error:  # said in the lab, not lost in a log
                words = f"{type(error).__name__}: {error}"
                shown = {**self.shown, "words": words, "error": words}
            self.shown = {**shown, "seq": message["seq"]}

    spec = {
        "keep": list(KEEP.items()),
        "retain_graph": list(RETAIN_GRAPH.items()),
        "limits": LIMITS,
        "start": vars(lab),
    }
    widget = MemoryWidget(static_id=uuid4().hex, spec=spec, shown={**lab.page(), "seq": ""})
    widget.on_msg(widget.answer)
    return widget
