"""A learner's own marks in words: HTML for the notebook, plain text for the terminal.

print(as_text(mark_notebook(lesson, notebook)))
"""

from html import escape

from course.guide import trap
from course.judge import NOT_ATTEMPTED, PASSED, RAISED, WRONG
from course.report import COLOURS, SIGNS, marked, muted, pill

HIDDEN = "hidden cases"


def outcome(exercise: dict) -> str:
    """One word for an exercise: that of its first case that did not pass."""
    if exercise["points"] >= exercise["of"]:
        return PASSED
    parts = exercise["parts"].values()
    cases = [case["outcome"] for part in parts for case in part["cases"]]
    if cases and set(cases) == {NOT_ATTEMPTED}:
        return NOT_ATTEMPTED
    first = next((case for case in cases if case not in (PASSED, NOT_ATTEMPTED)), None)
    return first or (RAISED if any(part["words"] for part in parts) else WRONG)


def reasons(exercise: dict) -> list[dict]:
    """What was not right, each reason once, with the cases where it was seen."""
    found: dict[tuple, dict] = {}
    for name, part in exercise["parts"].items():
        told = [case for case in part["cases"] if case["outcome"] != PASSED]
        if part["words"]:
            told.append({"outcome": RAISED, "sentence": part["words"], "hint": ""})
        for case in told:
            key = (case.get("code"), case.get("error", case["sentence"]), case.get("line"))
            where = HIDDEN if name == "hidden" else case.get("case", "visible cases")
            places = found.setdefault(key, {**case, "where": []})["where"]
            if where not in places:
                places.append(where)
    return list(found.values())


def number(points: float) -> str:
    return f"{points:g}"


def share(exercise: dict) -> str:
    """How the points divide.

    >>> part = {"points": 1, "of": 2}
    >>> share({"parts": {"visible": part, "hidden": part}})
    'visible cases: 1 of 2 points, hidden cases: 1 of 2 points'
    """
    return ", ".join(
        f"{name} cases: {number(part['points'])} of {number(part['of'])} points"
        for name, part in exercise["parts"].items()
    )


def as_html(marks: dict, saved: str = "", links: bool = True) -> str:
    """The block that a notebook shows; ``saved`` says of when the notebook was.

    Without ``links`` the field guide's entries are named only, for a page that is not beside it.
    """
    colour = COLOURS[PASSED if marks["points"] >= marks["of"] else NOT_ATTEMPTED]
    rows = "".join(row(exercise, links) for exercise in marks["exercises"])
    return (
        f'<div role="status" style="border-left: 4px solid {colour};'
        " padding: 4px 0 4px 14px; margin: 4px 0; line-height: 1.55; max-width: 46em;"
        ' font-family: var(--jp-ui-font-family, system-ui, sans-serif)">'
        f'<div style="font-size: 120%"><strong>{escape(total(marks))}</strong></div>'
        f"{muted(saved) if saved else ''}{tampered(marks)}{rows}</div>"
    )


def total(marks):
    return f"{number(marks['points'])} of {number(marks['of'])} points"


def tampered(marks):
    words = (
        "Something in this notebook seems to replace a part of the check. In a class, the "
        "instructor looks at it."
    )
    return f"<div><strong>⚠ {words}</strong></div>" if marks["flags"] else ""


def row(exercise: dict, links: bool) -> str:
    points = f"{number(exercise['points'])} of {number(exercise['of'])} points"
    body = "".join(reason(case, links) for case in reasons(exercise))
    return (
        f'<div style="margin-top: 10px">{pill(outcome(exercise))} &nbsp;'
        f"<strong>{marked(exercise['title'])}</strong></div>"
        f'<div style="margin-left: 1.4em"><div>{points} '
        f'<span style="opacity: 0.85">({share(exercise)})</span></div>{body}</div>'
    )


def reason(case: dict, links: bool) -> str:
    lines = [f"<div>{marked(case['sentence'])}</div>"]
    if case.get("line"):
        lines.append(f"<div>Your line {case['line']}: <code>{escape(case['source'])}</code></div>")
    if case["hint"]:
        lines.append(muted(f"Try: {case['hint']}"))
    small = [f"seen in: {escape('; '.join(case['where']))}"]
    if case.get("code"):
        small.insert(0, escape(case["code"]))
    if case.get("guide"):
        entry = trap(case["guide"])
        title = escape(entry.title)
        link = f'<a href="../{entry.address}">{title}</a>' if links else f"“{title}”"
        small.append(f"Field guide: {link}")
    lines.append(f'<div style="font-size: 85%; opacity: 0.8">{" · ".join(small)}</div>')
    return f'<div style="margin-top: 4px">{"".join(lines)}</div>'


def as_text(marks: dict, saved: str = "") -> str:
    """The same for a terminal."""
    lines = [total(marks), *([saved] if saved else [])]
    for exercise in marks["exercises"]:
        word = outcome(exercise)
        points = f"{number(exercise['points'])} of {number(exercise['of'])} points"
        lines.append(f"{SIGNS[word]} {exercise['title']}: {word}, {points} ({share(exercise)})")
        for case in reasons(exercise):
            code = f"[{case['code']}] " if case.get("code") else ""
            lines.append(f"    {code}{case['sentence']}")
            if case.get("line"):
                lines.append(f"    Your line {case['line']}: {case['source']}")
            if case["hint"]:
                lines.append(f"    Try: {case['hint']}")
            lines.append(f"    Seen in: {'; '.join(case['where'])}")
    return "\n".join(lines)
