"""What a learner calls: ``check``, ``hint``, ``solution`` and ``reset``, bound to one lesson.

A notebook says ``from course.lessons.leaf_tensors import check`` and then
``check("count_leaves")``. The test cells of nbgrader, visible and hidden, make the same call.
"""

import os
import sys
from dataclasses import dataclass
from functools import cached_property

from course import testimony
from course.exercise import LessonChecks, lesson_checks
from course.judge import Result, judge
from course.observation import MISSING, observe_all
from course.report import as_html, as_text, headline

TRIES_BEFORE_SOLUTION = 3


class CheckFailed(AssertionError):
    """A check that did not pass. IPython shows its short text instead of a traceback."""

    def __init__(self, text: str, shown: str):
        super().__init__(text)
        self.shown = shown

    def _render_traceback_(self):
        return self.shown.splitlines()


@dataclass
class Memory:
    """What this session remembers of one exercise."""

    tries: int = 0
    passed: bool = False
    hints: int = 0
    last: Result | None = None


class Desk:
    """The four helpers of one lesson; ``course/lessons/<lesson>/__init__.py`` exports them."""

    def __init__(self, lesson: str):
        self.lesson = lesson
        self.memory: dict[str, Memory] = {}

    @cached_property
    def checks(self) -> LessonChecks:
        return lesson_checks(self.lesson)

    def check(self, name: str, *, hidden: bool = False, namespace: dict | None = None) -> None:
        """Check the answer to an exercise: ``check("count_leaves")``.

        Runs the learner's object of that name in every visible case (with ``hidden=True``: in
        every hidden case), shows one block with the outcome of each, and raises ``CheckFailed``
        where one did not pass. When nbgrader marks, a partly right answer also gives its points
        as the cell's result, which nbgrader reads as partial credit.
        """
        answer = (namespace if namespace is not None else caller_names()).get(name, MISSING)
        if testimony.wanted():
            testimony.testify(self.checks[name], answer, hidden=hidden)
            return
        result = self.result(name, answer, hidden=hidden)
        if not hidden:
            self.remember(name, result)
        text, marking = as_text(result), os.environ.get("NBGRADER_EXECUTION")
        if marking or not in_notebook():
            if result.passed:
                print(text)
                return
            if marking == "autograde" and result.points:
                sys.displayhook(result.points)
            raise CheckFailed(headline(result)[1], text)
        display(as_html(result), text)
        if not result.passed:
            outcome, words = headline(result)
            raise CheckFailed(words, f"{name}: {outcome}. {words}")
        if not hidden:
            self.keep(name)

    def keep(self, name: str) -> None:
        """Note on the learner's disk that the visible cases of an exercise passed."""
        from course.progress.record import note_passed

        if words := note_passed(self.lesson, name):
            show(words)

    def result(self, name: str, answer, *, hidden: bool | None = False, **seed) -> Result:
        """Judge any object as the answer to an exercise, without showing or raising anything."""
        exercise = self.checks[name]
        observed = observe_all(exercise, answer, hidden=hidden, **seed)
        expected = observe_all(exercise, self.checks.reference(name), hidden=hidden, **seed)
        return judge(exercise, observed, expected, self.checks.reasons)

    def remember(self, name, result):
        memory = self.memory.setdefault(name, Memory())
        memory.last = result
        memory.passed |= result.passed
        memory.tries += result.attempted and not result.passed

    def hint(self, name: str) -> None:
        """Show the next hint for an exercise; each call gives a stronger one."""
        from course.help import next_hint

        show(next_hint(self.checks[name], self.memory.setdefault(name, Memory())))

    def solution(self, name: str) -> None:
        """Show the reference solution, after the check has passed or after three tries."""
        from course.help import solution_text

        memory = self.memory.setdefault(name, Memory())
        if not memory.passed and memory.tries < TRIES_BEFORE_SOLUTION:
            left = TRIES_BEFORE_SOLUTION - memory.tries
            show(
                f"The solution opens when the check has passed, or after {left} more "
                f'{"try" if left == 1 else "tries"}. A smaller step: `hint("{name}")`.'
            )
            return
        show_code(solution_text(self.lesson, self.checks[name].__name__))

    def grade_me(self) -> None:
        """Show a button that marks the saved notebook, hidden cases included: ``grade_me()``."""
        from course.own_marks.live import grade_me

        grade_me(self.lesson)

    def reset(self, name: str) -> None:
        """Put the exercise's answer cell back to its first state.

        Write ``reset("count_leaves")`` as the only line of the answer cell and run it.
        """
        from course.help import stub_text

        replace_cell(stub_text(self.lesson, self.checks[name].__name__))


def caller_names() -> dict:
    """The notebook's names, or those of the script that called the check."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if shell is not None:
            return shell.user_ns
    return sys._getframe(2).f_globals


def in_notebook() -> bool:
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


def display(html: str, text: str) -> None:
    from IPython.display import display as publish

    publish({"text/html": html, "text/plain": text}, raw=True)


def show(words: str) -> None:
    from course.report import marked

    if in_notebook():
        style = "max-width: 46em; line-height: 1.55; padding: 4px 0"
        display(f'<div style="{style}">{marked(words)}</div>', words)
    else:
        print(words)


def show_code(source: str) -> None:
    if in_notebook():
        from IPython.display import Code
        from IPython.display import display as publish

        publish(Code(source, language="python"))
    else:
        print(source)


def replace_cell(source: str) -> None:
    if in_notebook():
        sys.modules["IPython"].get_ipython().set_next_input(source, replace=True)
    else:
        print(source)
