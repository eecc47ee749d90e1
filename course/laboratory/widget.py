"""The browser's side of a lab: what it is told at first, and how it is answered."""

from uuid import uuid4

import anywidget
import traitlets

from course.laboratory.front_end import source
from course.laboratory.page import note, page
from course.laboratory.spec import spec

SCRIPTS = (
    "latest.js",
    "patch.js",
    "controls.js",
    "leaf_rows.js",
    "hook_rows.js",
    "lab_controls.js",
    "view_parts.js",
    "view.js",
    "lab.js",
)


class LabWidget(anywidget.AnyWidget):
    """Shows a `course.laboratory.Lab`; imported only where somebody looks."""

    _esm = source(*SCRIPTS)
    _css = source("style.css")
    static_id = traitlets.Unicode().tag(sync=True)  # of the picture that stands for this widget
    spec = traitlets.Dict().tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)

    def __init__(self, lab):
        self.lab = lab
        self.step = None  # of backward, in all its views; None: the last one
        self.opened = set()  # folded parts that somebody has opened in one of its views
        super().__init__(static_id=uuid4().hex, spec=spec(lab), shown=page(lab, opened=()))
        self.asked = self.shown["settings"]  # by the controls; the run of them may have been ended
        self.on_msg(self.answer)

    def let_go(self):
        self.lab.forget()

    def answer(self, _, message, __):
        """Answer each request, whatever happens: the browser sends no other before.

        A message holds what somebody has changed: the settings of all controls, the step of
        backward, or the names of the folded parts that were opened.
        """
        try:
            self.step = message.get("step", self.step)
            self.opened.update(message.get("opened", ()))
            self.asked = message.get("settings", self.asked)
            settings = self.lab.settings.from_json(self.asked)
            if settings != self.lab.settings:
                self.lab.move(settings)
            shown = page(self.lab, self.step, self.opened)
        # An exit would take the kernel with it. What happened is said in the lab, not in a log.
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            words = f"{type(error).__name__}: {error}"
            shown = {**self.shown, "notes": note("hl-error", "The lab could not run", words)}
            shown |= {"error": words, "settings": self.asked}
        self.shown = {**shown, "seq": message["seq"]}
