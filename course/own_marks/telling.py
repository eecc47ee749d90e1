"""The judge of a learner's own marking: it rules as always, and says why in a form to be shown.

The text of its rulings is JSON, a list with an entry for each case. Of a hidden case that has no
name and no words of an error, which could quote what the case gave to the answer.
"""

import json
from dataclasses import replace

from course.exercise import lesson_checks
from course.grading.judgement import Ruling
from course.judge import RAISED
from course.second_judgement import LESSON_OF, Judge, called


class TellingJudge(Judge):
    """``Judge``, whose rulings can be read by ``told``."""

    def rule(self, assignment: str, source: str, reports: list) -> Ruling | None:
        ruling = super().rule(assignment, source, reports)
        call = called(source)
        if ruling is None or call is None:
            return None
        name, hidden = call
        checks = lesson_checks(LESSON_OF[assignment])
        cases = [case for case in checks[name].cases if case.hidden == hidden]
        try:
            observed = reports[0]["secret"]
            judged = self._judged(checks, name, cases, observed, self.seed)
            cells = [verdict_of(v, observed.get(v.case.name)) for v in judged.verdicts]
        except Exception:  # facts that have no form: the ruling itself says what is wrong
            cells = None
        if cells is None or judged.points != ruling.points:
            cells = [{"outcome": "wrong", "sentence": ruling.headline, "hint": ""}]
        return replace(ruling, text=json.dumps(cells))


def verdict_of(verdict, observed) -> dict:
    """One case for the learner."""
    said = {
        key: getattr(verdict, key)
        for key in ("outcome", "code", "sentence", "hint", "line", "source", "guide")
    }
    if verdict.outcome == RAISED:
        said["error"] = observed["raised"]["type"][:60]
    if not verdict.case.hidden:
        return {"case": verdict.case.name, **said}
    if verdict.outcome == RAISED:
        said["sentence"] = f"Your code raised `{said['error']}`."
    return said


def told(outputs: list) -> list[dict] | None:
    """What a ``TellingJudge`` says in the outputs of a cell; None if it is not its."""
    for output in outputs:
        if output.output_type in ("stream", "error"):
            text = output.get("text") or "\n".join(output.get("traceback", ()))
            try:
                cells = json.loads(text)
            except ValueError:
                continue
            if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells):
                return cells
    return None
