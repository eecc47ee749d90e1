"""The browser's side of an X-ray: what it is told, and how a moved control is answered."""

from html import escape
from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets

from course.laboratory.front_end import source
from course.radiology.settings import LAYERS, Settings
from course.radiology.words import summary


class XRayWidget(anywidget.AnyWidget):
    """Shows a `course.radiology.Panel`; imported only where somebody looks."""

    _esm = source("latest.js", "controls.js", Path(__file__).with_name("xray.js"))
    _css = source("style.css")
    static_id = traitlets.Unicode().tag(sync=True)  # of the picture that stands for this widget
    spec = traitlets.Dict().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)

    def __init__(self, panel):
        self.panel = panel
        super().__init__(static_id=uuid4().hex, spec=spec(), shown=page(panel))
        self.on_msg(self.answer)

    def answer(self, _, message, __):
        """Answer each request, whatever happens: the browser sends no other before."""
        try:
            self.panel.move(Settings.from_json(message["settings"]))
            shown = page(self.panel)
        except (Exception, KeyboardInterrupt) as error:  # said in the X-ray, not lost in a log
            words = f"{type(error).__name__}: {error}"
            # the answer differs from the last one by its "seq", so the browser hears of it
            shown = {**self.shown, "settings": message["settings"], "said": words}
            shown["picture"] = f'<p role="alert">{escape(words)}</p>'
        self.shown = {**shown, "seq": message["seq"]}


def spec() -> dict:
    """The choices of the controls as JSON-ready data."""
    layers = [
        {"name": name, "shapes": [list(shape) for shape in shapes]}
        for name, (_, shapes) in LAYERS.items()
    ]
    return {"layers": layers}


def page(panel) -> dict:
    """All that changes in the browser when a control moves."""
    measured = panel.measured
    said = f"Legacy hook: {summary(measured.legacy)} Full hook: {summary(measured.full)}"
    return {
        "seq": "",
        "settings": panel.settings.to_json(),
        "picture": panel.html,
        "words": panel.text,
        "code": panel.code,
        "said": said,
    }
