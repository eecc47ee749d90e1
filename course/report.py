"""Show the result of a check: a block of HTML for the notebook, plain text everywhere else.

Colour, sign and word say the same thing three times, so that each alone is enough. Styles are
inline and use JupyterLab's theme variables: notebooks that are opened again lose style sheets.
"""

from html import escape

from course.guide import trap
from course.judge import NOT_ATTEMPTED, PASSED, RAISED, WRONG, Result, Verdict, Words

SIGNS = {PASSED: "✓", NOT_ATTEMPTED: "○", WRONG: "✗", RAISED: "⚠"}
COLOURS = {  # white words on these, and these beside a white or a dark page, keep their contrast
    PASSED: "#1a7f37",
    NOT_ATTEMPTED: "#66707b",
    WRONG: "#c4321f",
    RAISED: "#9a5b00",
}


def headline(result: Result) -> tuple[str, str]:
    """The outcome of the whole check and its one line of words."""
    count, done = len(result.verdicts), sum(v.outcome == PASSED for v in result.verdicts)
    kind = "visible " if result.remaining else ""
    if result.passed:
        words = f"{done} of {count} {kind}cases passed"
        if result.remaining:
            remaining = Words({"n": result.remaining}, name="")
            cases = remaining.fill("{n:hidden case runs|hidden cases run}")
            words += f" ({cases} when the notebook is marked)"
        return PASSED, words
    if not result.attempted:
        return NOT_ATTEMPTED, result.verdicts[0].sentence
    first = next(v for v in result.verdicts if v.outcome not in (PASSED, NOT_ATTEMPTED))
    return first.outcome, f"{done} of {count} {kind}cases passed"


def as_text(result: Result) -> str:
    """Plain text, for terminals, nbgrader's Validate and its feedback."""
    outcome, words = headline(result)
    lines = [f"{SIGNS[outcome]} {result.exercise}: {outcome.upper()}. {words}"]
    if outcome == NOT_ATTEMPTED:
        lines.append(f"    Try: {result.verdicts[0].hint}")
        return "\n".join(lines)
    said = set()
    for verdict in result.verdicts:
        lines.append(f"  {SIGNS[verdict.outcome]} {verdict.case.name}: {verdict.outcome}")
        if verdict.outcome == PASSED or (verdict.code, verdict.sentence) in said:
            continue
        said.add((verdict.code, verdict.sentence))
        lines.append(f"      [{verdict.code}] {verdict.sentence}")
        if verdict.line:
            lines.append(f"      Your line {verdict.line}: {verdict.source}")
        lines.append(f"      Try: {verdict.hint}")
        if verdict.guide:
            lines.append(f"      More: field guide, {trap(verdict.guide).title!r}")
    return "\n".join(lines)


def as_html(result: Result) -> str:
    """The block that a notebook shows."""
    outcome, words = headline(result)
    rows, said = [], set()
    if outcome == NOT_ATTEMPTED:
        rows.append(muted(result.verdicts[0].hint))
    else:
        for verdict in result.verdicts:
            rows.append(row(verdict, repeat=(verdict.code, verdict.sentence) in said))
            said.add((verdict.code, verdict.sentence))
    return (
        f'<div role="status" style="border-left: 4px solid {COLOURS[outcome]};'
        " padding: 4px 0 4px 14px; margin: 4px 0; line-height: 1.55; max-width: 46em;"
        ' font-family: var(--jp-ui-font-family, system-ui, sans-serif)">'
        f"<div>{pill(outcome)} &nbsp;{marked(words)}</div>{''.join(rows)}</div>"
    )


def pill(outcome: str) -> str:
    return (
        f'<span style="background: {COLOURS[outcome]}; color: #fff; font-weight: 600;'
        f' padding: 1px 9px; border-radius: 9px">{SIGNS[outcome]} {outcome.capitalize()}</span>'
    )


def row(verdict: Verdict, repeat: bool) -> str:
    line = (
        f'<div style="margin-top: 6px"><strong>{SIGNS[verdict.outcome]} {verdict.outcome}</strong>'
        f" &nbsp;{escape(verdict.case.name)}</div>"
    )
    if verdict.outcome == PASSED or repeat:
        return line
    body = f"<div>{marked(verdict.sentence)}</div>"
    if verdict.line:
        body += f"<div>Your line {verdict.line}: <code>{escape(verdict.source)}</code></div>"
    body += muted(f"Try: {verdict.hint}")
    small = f"<span>{verdict.code}</span>"
    if verdict.guide:
        entry = trap(verdict.guide)
        small += f' · Field guide: <a href="../{entry.address}">{escape(entry.title)}</a>'
    body += f'<div style="font-size: 85%; opacity: 0.8">{small}</div>'
    return f'{line}<div style="margin-left: 1.4em">{body}</div>'


def muted(text: str) -> str:
    return f'<div style="opacity: 0.85">{marked(text)}</div>'


def marked(text: str) -> str:
    """Escape text; what stands between backticks becomes code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
