"""Say what you expect before you run the cell that shows it.

A prediction is never graded and is remembered for the session. The right answer is not written
down here: it is what torch computes in the next cell.
"""

import ast
import math
from dataclasses import dataclass, field
from html import escape

from course.laboratory.front_end import show, show_widget, somebody_looks, this_run

_ASKED: dict[str, "Prediction"] = {}  # this session's predictions, by question


@dataclass(eq=False)
class Prediction:
    """A question, what the learner committed to, and later what torch gave."""

    question: str
    choices: tuple[str, ...] | None  # None: a number is asked for
    why: str
    committed: str | None = None
    late: bool = False  # committed after the answer was shown
    revealed: bool = False
    answer: object = field(default=None, repr=False)
    widgets: list = field(default_factory=list, repr=False)
    shown_by: object = field(default=None, repr=False)  # the run of a cell that showed it last

    def commit(self, said: str) -> None:
        """Keep what the learner said; the first commitment stays."""
        if self.committed is None:
            self.committed, self.late = str(said), self.revealed

    def right(self) -> bool | None:
        """Whether the commitment is what torch gave; None before both are known."""
        if self.committed is None or not self.revealed:
            return None
        return agrees(self.committed, self.answer)

    def reveal(self, answer) -> None:
        """Show the commitment, what torch gave, and why: `p.reveal(c.grad)`.

        `answer` is a tensor, a number, None, an error that was raised, or one of the choices.
        """
        self.answer, self.revealed = plain(answer), True
        if somebody_looks():
            for widget in self.widgets:
                widget.refresh()
            show(f'<div class="hl-outcome">{self.html()}</div>', self.text())

    def show(self) -> None:
        """Display the question, once in a run of a cell."""
        if not somebody_looks() or self.shown_by == this_run():
            return
        from course.laboratory.prediction_widget import PredictionWidget

        self.shown_by = this_run()
        self.widgets.append(widget := PredictionWidget(self))
        show_widget(widget, self.html(), self.text(), "Run this cell to make a prediction.")

    def _ipython_display_(self):
        self.show()

    def text(self) -> str:
        """The outcome, or the open question, in plain words."""
        if not self.revealed:
            options = "".join(f"\n  ( ) {choice}" for choice in self.choices or ["a number: ____"])
            return f"{self.question}{options}"
        return "\n".join([" ".join(self.verdict()), self.facts(), self.why]).strip()

    def html(self) -> str:
        """The same as HTML that needs no kernel and no style sheet."""
        if not self.revealed:
            options = "".join(f"<li>{escape(c)}</li>" for c in self.choices or ["a number"])
            return f"<p><strong>{escape(self.question)}</strong></p><ul>{options}</ul>"
        sign, words = self.verdict()
        why = f"<p>{escape(self.why)}</p>" if self.why else ""
        head = f'<span aria-hidden="true">{sign}</span> {words}'
        return f"<p><strong>{head}</strong> {escape(self.facts())}</p>{why}"

    def verdict(self) -> tuple[str, str]:
        """A sign and its words."""
        right = self.right()
        if right is None:
            return "○", "You made no prediction this time."
        return ("✓", "Right.") if right else ("✗", "Not this time.")

    def facts(self) -> str:
        late = ", after the answer was shown" if self.late else ""
        said = "" if self.committed is None else f"You said {self.committed}{late}. "
        return f"{said}PyTorch gave {words(self.answer)}."


def predict(question: str, choices=None, *, number: bool = False, why: str = "") -> Prediction:
    """Ask for a prediction; the next cell reveals what torch does.

    >>> p = predict("What is c.grad?", ["12.0", "8.0", "None"], why="c is not a leaf: ...")
    >>> e.backward()
    >>> p.reveal(c.grad)

    With `number=True` the learner types a number. Asked again in the same session, a question
    remembers its answer. While nbgrader marks, and outside notebooks, nothing is shown.
    Raises ValueError when there is nothing to choose from.
    """
    if number == (choices is not None) or (choices is not None and len(choices) < 2):
        raise ValueError("predict() needs two or more choices, or number=True and no choices.")
    options = None if number else tuple(str(choice) for choice in choices)
    known = _ASKED.get(question)
    if known is None or known.choices != options:
        known = _ASKED[question] = Prediction(question, options, why)
    known.why = why
    known.show()
    return known


def plain(answer):
    """What torch gave as Python data: numbers, lists, tuples, None, or a text."""
    if isinstance(answer, BaseException):
        return f"{type(answer).__name__}: {answer}"
    if hasattr(answer, "tolist"):
        return answer.tolist()
    if isinstance(answer, (list, tuple)):
        items = [plain(item) for item in answer]
        return items if isinstance(answer, list) else tuple(items)
    return answer if answer is None or isinstance(answer, (bool, int, float, str)) else str(answer)


def agrees(said: str, answer) -> bool:
    """Whether a choice, or a typed number, says what torch gave.

    Words may follow the value after a comma: "4.0, which is d".
    """
    if isinstance(answer, str):
        return said == answer or answer.startswith(f"{said}:")  # "RuntimeError" for its message
    value = said
    while value:
        try:
            return _close(ast.literal_eval(value), answer)
        except (ValueError, SyntaxError):
            value = value.rpartition(", ")[0]
    return said == words(answer)


def words(value) -> str:
    """Short, as PyTorch writes numbers: 12.0, 0.33333, [2.0, 3.0], None."""
    if isinstance(value, list):
        return f"[{', '.join(map(words, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(words, value))}{',' * (len(value) == 1)})"
    if isinstance(value, float) and math.isfinite(value):
        text = f"{value:.6g}"
        return text if set(text) & set(".e") else f"{text}.0"
    return str(value)


def _close(said, answer):
    if isinstance(said, (list, tuple)) and isinstance(answer, (list, tuple)):
        return len(said) == len(answer) and all(map(_close, said, answer))
    if None in (said, answer) or isinstance(said, bool) or isinstance(answer, bool):
        return said is answer
    numbers = isinstance(said, (int, float)) and isinstance(answer, (int, float))
    return numbers and math.isclose(said, answer, rel_tol=1e-3, abs_tol=1e-6)
