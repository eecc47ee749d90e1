"""The judge of this course's test cells, for course.grading.JudgedExecute.

It runs where the learner's code does not, and holds what that must not see: the reference
solutions, and what they give for inputs from the secret seed. A case passes when the facts are
those of a right answer on the secret inputs and on those that everybody knows: a secret seed may
happen to draw numbers with which a wrong answer looks right (a sum that is zero), but on the known
ones every answer of the bank was tried. Anything else is diagnosed as ``check`` would.
"""

import ast
import hashlib
import json
from dataclasses import replace
from functools import lru_cache

from course.exercise import SEED, LessonChecks, lesson_checks
from course.facts import same
from course.grading.judgement import TAMPERED, Ruling
from course.judge import RAISED, WRONG, Result, Verdict, judge, judge_case
from course.lessons import lesson_of
from course.observation import observe_all
from course.report import as_text, headline
from course.testimony import SECRET_SEED, control

NO_FACTS = "The check did not report what it observed: something in this notebook replaced it."
NOT_BELIEVED = "What the check reported of this case contradicts itself."
LEAVE_ALONE = "leave `check`, torch and Python as they are, and hand in the notebook again."
LONGEST = 2_000  # characters of an error's text; course.observation keeps fewer
MUCH = 50_000  # characters of wrong facts that are still diagnosed
NO_OUTCOME = {"unreadable": "nothing was reported that has the form of an outcome"}


class Judge:
    """Rules on cells that call ``check("exercise")``; ``secret`` makes the secret seed."""

    def __init__(self, secret: str):
        self.seed = hashlib.sha256(f"seed {secret}".encode()).hexdigest()[:16]

    def environment(self) -> dict[str, str]:
        return {SECRET_SEED: self.seed}

    def prelude(self, assignment: str, source: str) -> str:
        """A notebook that has called something of its own ``check`` gets the right one back."""
        lesson = lesson_of(assignment)
        if lesson is None or called(source) is None:
            return ""
        return f"from course.lessons.{lesson.name} import check"

    def rule(
        self, assignment: str, source: str, reports: list, untouched: bool = False
    ) -> Ruling | None:
        lesson, call = lesson_of(assignment), called(source)
        if lesson is None or call is None:
            return None
        name, hidden = call
        checks = lesson_checks(lesson.name)
        if name not in checks.exercises:
            return None
        if not reports:
            return Ruling(0, NO_FACTS, NO_FACTS, flags=(TAMPERED,))
        rulings = [self._rule_safely(checks, name, hidden, report) for report in reports]
        worst = min(rulings, key=lambda ruling: ruling.points)
        if len(rulings) == 1:
            if untouched and not worst.points and not worst.flags:
                return self._untouched(checks, name, hidden)  # whatever the given code does
            return worst
        return replace(worst, flags=(TAMPERED,))

    def _rule_safely(self, checks, name, hidden, report):
        for seed in (SEED, self.seed):  # a reference that fails is no fault of the notebook's
            passing(lesson=checks.lesson, name=name, seed=seed)
        try:
            return self._rule(checks, name, hidden, report)
        except Exception:  # numbers too large to compare, facts that no diagnosis has foreseen
            return Ruling(0, NO_FACTS, NO_FACTS, flags=(TAMPERED,))

    def _rule(self, checks, name, hidden, report):
        exercise = checks[name]
        cases = exercise.chosen(hidden)
        facts = report if isinstance(report, dict) else {}
        ours = facts.get("exercise") == name
        judged = {
            part: self._judged(checks, name, cases, facts.get(part), seed)
            for part, seed in (("secret", self.seed), ("known", SEED), ("control", self.seed))
        }
        passes = passing(lesson=checks.lesson, name=name, seed=self.seed, of_control=True)
        verdicts, observed, suspicious = [], {}, not ours
        for case, secret, known, refused in zip(
            cases, *(result.verdicts for result in judged.values()), strict=True
        ):
            part, verdict = ("secret", secret)
            if secret.points > known.points:  # the secret numbers were too kind
                part, verdict = ("known", known)
            observed[case.name] = outcome_in(facts.get(part), case)
            believed = not refused.points or case.name in passes
            if not (believed and ours):
                code = verdict.code or "UNFORESEEN"
                verdict = Verdict(case, WRONG, code, NOT_BELIEVED, LEAVE_ALONE)
            formless = any(outcome_in(facts.get(one), case) is NO_OUTCOME for one in judged)
            suspicious |= formless or not believed or known.points > secret.points
            verdicts.append(verdict)
        ruled = Result(name, tuple(verdicts), judged["secret"].remaining)
        return self._ruling(ruled, observed, (TAMPERED,) if suspicious else ())

    def _ruling(self, ruled: Result, observed, flags=()) -> Ruling:
        codes = tuple(verdict.code for verdict in ruled.verdicts if verdict.code)
        told = tuple(told_of(v, outcome_in(observed, v.case)) for v in ruled.verdicts)
        words = "" if ruled.passed else headline(ruled)[1]
        worth = sum(verdict.case.points for verdict in ruled.verdicts)
        return Ruling(ruled.points, as_text(ruled), words, codes, flags, told, worth)

    def _untouched(self, checks, name, hidden) -> Ruling:
        cases = checks[name].chosen(hidden)
        nothing = {case.name: {"not_attempted": "NOT_ATTEMPTED"} for case in cases}
        return self._ruling(self._judged(checks, name, cases, nothing, self.seed), nothing)

    def _judged(self, checks, name, cases, observed, seed) -> Result:
        expected = outcomes(lesson=checks.lesson, name=name, seed=seed)
        exercise = checks[name]
        verdicts = tuple(
            judge_case(
                exercise,
                case,
                diagnosable(outcome_in(observed, case), expected[case.name]),
                expected[case.name],
                checks.reasons,
            )
            for case in cases
        )
        return Result(name, verdicts, remaining=len(exercise.cases) - len(cases))


def told_of(verdict: Verdict, observed: dict) -> dict:
    """A case for the learner; of a hidden one neither its name nor the words of an error.

    Those could quote what the case gave to the answer.
    """
    told = {
        key: getattr(verdict, key)
        for key in ("outcome", "code", "sentence", "hint", "line", "source", "guide")
    }
    if verdict.outcome == RAISED:
        told["error"] = observed["raised"]["type"][:60]
    if not verdict.case.hidden:
        return {"case": verdict.case.name, **told}
    if verdict.outcome == RAISED:
        told["sentence"] = (
            f"Your code raised `{told['error']}`."
            if verdict.line
            else f"The check stopped with `{told['error']}` when it used what your code made."
        )
    return told


def called(source: str) -> tuple[str, bool] | None:
    """The exercise that a test cell checks, and whether its hidden cases.

    >>> called('### BEGIN HIDDEN TESTS\\ncheck("count_leaves", hidden=True)')
    ('count_leaves', True)
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "check" and node.args
    ]
    if len(calls) != 1:
        return None
    name = getattr(calls[0].args[0], "value", None)
    hidden = any(
        word.arg == "hidden" and getattr(word.value, "value", None) is True
        for word in calls[0].keywords
    )
    return (name, hidden) if isinstance(name, str) else None


def outcome_in(observed, case) -> dict:
    """The reported outcome of a case, if it has the form of one."""
    outcome = observed.get(case.name) if isinstance(observed, dict) else None
    if not isinstance(outcome, dict) or len(outcome) != 1:
        return NO_OUTCOME
    ((kind, content),) = outcome.items()
    form = {"facts": dict, "not_attempted": str, "raised": dict, "unreadable": str}.get(kind)
    if form is None or not isinstance(content, form):
        return NO_OUTCOME
    if kind == "not_attempted" and content not in ("NAME_MISSING", "NOT_ATTEMPTED"):
        return NO_OUTCOME
    if kind == "raised" and not (
        all(
            isinstance(content.get(key), str) and len(content[key]) <= LONGEST
            for key in ("type", "message", "code")
        )
        and isinstance(content.get("line"), (int, type(None)))
    ):
        return NO_OUTCOME
    return outcome


def diagnosable(outcome: dict, expected: dict) -> dict:
    """The outcome, without its facts if they are wrong and so many that asking why takes long."""
    if "facts" not in outcome or same(outcome["facts"], expected["facts"]):
        return outcome
    if len(json.dumps(outcome)) > MUCH + 20 * len(json.dumps(expected)):
        return {"unreadable": "too much was reported"}
    return outcome


@lru_cache(maxsize=1024)
def outcomes(*, lesson: str, name: str, seed, of_control: bool = False) -> dict:
    """What is observed of the reference solution, or of the control, in all cases."""
    checks: LessonChecks = lesson_checks(lesson)
    answer = control if of_control else checks.reference(name)
    return observe_all(checks[name], answer, seed=seed)


@lru_cache(maxsize=1024)
def passing(*, lesson: str, name: str, seed, of_control: bool = False) -> frozenset[str]:
    """The cases that the reference solution, or the control, passes. Raises what a check raises."""
    checks: LessonChecks = lesson_checks(lesson)
    observed = outcomes(lesson=lesson, name=name, seed=seed, of_control=of_control)
    expected = outcomes(lesson=lesson, name=name, seed=seed)
    result = judge(checks[name], observed, expected, checks.reasons)
    return frozenset(verdict.case.name for verdict in result.verdicts if verdict.points)
