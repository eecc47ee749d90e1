"""``grade_me()`` in a lesson's exercises: a button that marks the saved notebook, in place."""

import os
import sys
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

from course.judge import RAISED
from course.laboratory.front_end import show_widget, somebody_looks, source
from course.own_marks.process import Marking
from course.report import COLOURS, SIGNS, marked

ASIDE = "Run this cell to have your saved notebook marked."


def grade_me(lesson: str) -> None:
    """Show the button, or in a terminal the command; nothing while nbgrader marks."""
    if somebody_looks():
        from IPython.display import display

        widget = button(lesson)
        show_widget(widget, f"<p>{ASIDE}</p>", ASIDE, ASIDE)
        widget.below = display({"text/plain": ""}, raw=True, display_id=True)
    elif not os.environ.get("NBGRADER_EXECUTION"):
        print(f"In a terminal, mark your notebook with: python -m course grade-me {lesson}")


def own_notebook() -> Path:
    """The notebook of this kernel, as Jupyter or VS Code says; else exercises.ipynb."""
    shell = sys.modules["IPython"].get_ipython()
    said = (shell.user_ns.get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME"))
    for path in map(Path, filter(None, said)):
        if path.suffix == ".ipynb" and path.is_file():
            return path
    return Path("exercises.ipynb")


def trouble(words: str) -> dict[str, str]:
    """A sentence in the place of marks."""
    html = (
        f'<div role="status" style="border-left: 4px solid {COLOURS[RAISED]};'
        f' padding: 4px 0 4px 14px; max-width: 46em">{SIGNS[RAISED]} {marked(words)}</div>'
    )
    return {"text/html": html, "text/plain": words}


def shown(found: dict, saved: datetime) -> dict[str, str]:
    """What came of a marking, for the output below the button."""
    if "marks" not in found:
        return trouble(found["error"].removeprefix("grade-me: "))
    from course.own_marks.page import as_html, as_text

    words = (
        f"This is your notebook as it was saved at {saved:%H:%M:%S}. What you changed later is "
        "not in it."
    )
    marks = found["marks"]
    return {"text/html": as_html(marks, words), "text/plain": as_text(marks, words)}


def button(lesson: str):
    """The browser's side; anywidget is imported only where somebody looks."""
    import anywidget
    import traitlets

    class GradeMe(anywidget.AnyWidget):
        _esm = source("controls.js", Path(__file__).with_name("button.js"))
        _css = source("style.css")
        static_id = traitlets.Unicode().tag(sync=True)
        shown = traitlets.Dict().tag(sync=True)
        marking: Marking | None = None
        below: Any = None  # the output below the button

        def receive(self, _, message, __):
            if message.get("press") == "stop" and self.marking:
                Thread(target=self.marking.end, args=["you stopped it"], daemon=True).start()
            elif message.get("press") == "mark" and not self.shown["running"]:
                self.say("Starting …")
                Thread(target=self.mark, daemon=True).start()

        def say(self, words, running=True):
            self.shown = {"running": running, "words": words}

        def mark(self):
            try:
                path = own_notebook()
                saved = datetime.fromtimestamp(path.stat().st_mtime)
                self.marking = Marking(lesson, path.absolute(), self.say)
                data = shown(self.marking.result(), saved)
            except Exception as error:  # in a thread nobody else would hear of it
                data = trouble(f"The marking did not begin: {type(error).__name__}: {error}.")
            self.marking = None
            self.below.update(data, raw=True)
            self.say(data["text/plain"].split("\n")[0], running=False)

    made = GradeMe(static_id=uuid4().hex, shown={"running": False, "words": ""})
    made.on_msg(made.receive)
    return made
