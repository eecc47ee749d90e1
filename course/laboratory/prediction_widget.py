"""The browser's side of a prediction: choices, one commitment, and the outcome."""

from uuid import uuid4

import anywidget
import traitlets

from course.laboratory.front_end import source


class PredictionWidget(anywidget.AnyWidget):
    """Shows a `course.laboratory.prediction.Prediction`; imported only where somebody looks."""

    _esm = source("controls.js", "predict.js")
    _css = source("style.css")
    static_id = traitlets.Unicode().tag(sync=True)  # of the picture that stands for this widget
    shown = traitlets.Dict().tag(sync=True)

    def __init__(self, prediction):
        self.prediction = prediction
        super().__init__(static_id=uuid4().hex, shown=self.state())
        self.on_msg(self.answer)

    def answer(self, _, message, __):
        self.prediction.commit(message["commit"])
        for widget in self.prediction.widgets:
            widget.refresh()

    def let_go(self):
        self.prediction.widgets.remove(self)

    def refresh(self):
        self.shown = self.state()

    def state(self):
        p = self.prediction
        return {
            "question": p.question,
            "choices": p.choices,
            "committed": p.committed,
            "right": p.right(),
            "outcome": f"{' '.join(p.verdict())} {p.facts()}" if p.revealed else "",
        }
