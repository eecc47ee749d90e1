"""From facts to a verdict: pure, without torch, so that it can run far from the learner's code.

``judge(exercise, observed, expected, reasons)`` compares what was observed of an answer with what
the same ``observe`` says of the reference solution, case by case.
"""

import string
from collections.abc import Mapping
from dataclasses import dataclass

from course.exercise import Case, Exercise, Reason
from course.explanation import meaning_of
from course.facts import same
from course.reasons import RAISED_LATER


class AuthorError(RuntimeError):
    """What the author of an exercise has to mend before an answer can be judged, as a sentence."""


PASSED, NOT_ATTEMPTED, WRONG, RAISED = "passed", "not attempted", "wrong", "raised"


@dataclass(frozen=True)
class Verdict:
    """The outcome of one case, with the words for the learner. ``code`` is None where it passed."""

    case: Case
    outcome: str
    code: str | None = None
    sentence: str = ""
    hint: str = ""
    line: int | None = None  # of the learner's own code, where it raised
    source: str = ""
    guide: str = ""  # the trap of the field guide that tells more

    @property
    def points(self) -> float:
        return self.case.points if self.outcome == PASSED else 0.0


@dataclass(frozen=True)
class Result:
    """All verdicts on one answer, and how many hidden cases remain."""

    exercise: str
    verdicts: tuple[Verdict, ...]
    remaining: int = 0

    @property
    def passed(self) -> bool:
        return all(verdict.outcome == PASSED for verdict in self.verdicts)

    @property
    def attempted(self) -> bool:
        return any(verdict.outcome != NOT_ATTEMPTED for verdict in self.verdicts)

    @property
    def points(self) -> float:
        return sum(verdict.points for verdict in self.verdicts)

    @property
    def code(self) -> str | None:
        """The reason code of the first case that did not pass."""
        return next((v.code for v in self.verdicts if v.code), None)


def judge(
    exercise: type[Exercise],
    observed: Mapping[str, dict],
    expected: Mapping[str, dict],
    reasons: Mapping[str, Reason],
) -> Result:
    """Judge every observed case. ``expected`` holds the reference solution's outcomes.

    Raises AuthorError where the reference solution fails, and for a reason code without a sentence.
    """
    cases = [case for case in exercise.cases if case.name in observed]
    name = exercise.__name__
    verdicts = tuple(
        judge_case(exercise, case, observed[case.name], expected[case.name], reasons)
        for case in cases
    )
    return Result(name, verdicts, remaining=len(exercise.cases) - len(cases))


def judge_case(exercise, case, observed, expected, reasons):
    if "facts" not in expected:
        raise AuthorError(
            f"The reference solution of {exercise.__name__} failed in {case.name!r}: {expected}"
        )
    right = expected["facts"]
    if "not_attempted" in observed:
        code, evidence, outcome = observed["not_attempted"], {}, NOT_ATTEMPTED
    elif "raised" in observed:
        error = observed["raised"]
        said = f"{error['type']}: {error['message']}" if error["message"] else error["type"]
        said = said.removesuffix(".")  # the sentence it stands in has a full stop of its own
        code, evidence, outcome = "RAISED", {"error": said}, RAISED
    elif "unreadable" in observed:
        code, evidence, outcome = "UNFORESEEN", {}, WRONG
    elif same(observed["facts"], right):
        return Verdict(case, PASSED)
    else:
        code, evidence = diagnosis(exercise, observed["facts"], right)
        outcome = WRONG
    if code not in reasons:
        raise AuthorError(without_sentence(exercise, code))
    where = observed.get("raised", {})
    reason = RAISED_LATER if outcome == RAISED and not where["line"] else reasons[code]
    words = Words(evidence, name=exercise.__name__)
    sentence, hint = words.fill(reason.sentence), words.fill(reason.hint)
    if meaning := meaning_of(where.get("message", "")):
        happened, _, hint = meaning.partition("\nWhat to do: ")
        sentence = f"{sentence} {happened}"
    line, source = where.get("line"), where.get("code", "")
    return Verdict(case, outcome, code, sentence, hint, line, source, reason.guide)


def without_sentence(exercise, code):
    """Where a reason code came from, and where its sentence belongs."""
    checks = f"{exercise.observe.__module__.replace('.', '/')}.py"
    home = checks.removesuffix("checks.py")
    return (
        f"The exercise {exercise.__name__} gives the reason code {code!r}, which has no sentence: "
        f"write it in {home}reasons.py, or correct the code in {checks}."
    )


def diagnosis(exercise, facts, expected):
    """Ask the exercise why the facts differ; facts that it cannot read are wrong all the same."""
    if "not callable" in facts:
        return "NOT_CALLABLE", {"got": facts["not callable"]}
    try:
        found = exercise.diagnose(facts, expected)
    except Exception:
        return "UNFORESEEN", {}
    if found is None:
        return "WRONG_VALUE", {}
    return (found, {}) if isinstance(found, str) else found


class Words(string.Formatter):
    """Fill the {names} of a sentence with evidence; a name without evidence reads 'unknown'.

    >>> Words({"got": 1}, name="").fill("{got:hook is|hooks are} left")
    '1 hook is left'
    """

    def __init__(self, evidence, name):
        self.evidence = {"name": name, **evidence}

    def fill(self, sentence):
        return self.vformat(sentence, (), self.evidence)

    def get_value(self, key, args, kwargs):
        return kwargs.get(key, "unknown")

    def format_field(self, value, spec):
        one, plural, many = spec.partition("|")
        if not plural:
            return super().format_field(value, spec)
        return f"{value} {one if value == 1 else many}"
