"""The field guide as a notebook: every trap with code to run, then every reason code of the checks.

nbformat.write(guide_notebook(), "field_guide.ipynb")
"""

import re

from nbformat.v4 import new_code_cell, new_markdown_cell

from course.exercise import Reason, lesson_checks
from course.guide import GROUPS, Code, Trap, anchor, traps
from course.guide import trap as find_trap
from course.lessons import LESSONS, find_lesson
from course.reasons import COMMON

WELCOME = """# Field guide: what goes wrong with hooks

{count} traps. Each one has the same parts: what you see (**symptom**), why (**cause**), how to
**spot it early**, code that shows it, and code that does better.

- **Find one:** press Ctrl+F (on a Mac: Cmd+F) and type a word of the error message or of the
  symptom. Or open the table of contents at the left edge of JupyterLab.
- **Try one:** run its two code cells. They need no other cell. Below `# prints:` is what torch
  printed when this guide was tested.
- **You have a reason code** such as `WRONG_SHAPE` from a check? They are all listed under
  [Reason codes](#Reason-codes).
"""
CODES = """## Reason codes

A check names what it saw with a code in capital letters. Here is what each one says and what to
try. `…` stands for what your own code did.
"""
# where to read on when a reason names no trap of its own
NEAREST = {
    "leaf_tensors": "leaves",
    "retain_grad": "retain_grad",
    "tensor_hooks": "tensor_hooks",
    "module_hooks": "forward_hooks",
    "linear_quirk": "linear",
    "hooks_at_work": "backward_hooks",
}


def guide_notebook():
    """The notebook, built from the traps and from the reasons of the lessons."""
    from course.authoring import notebook

    entries = traps()
    lines = [WELCOME.format(count=len(entries))]
    for group, title in GROUPS.items():
        titles = [trap.title for trap in entries if trap.group == group]
        links = " · ".join(f"[{title}](#{anchor(title)})" for title in titles)
        lines.append(f"**[{title}](#{anchor(title)})**: {links}")
    cells = [new_markdown_cell("\n\n".join(lines), id="welcome")]
    for group, title in GROUPS.items():
        cells.append(new_markdown_cell(f"## {title}", id=group))
        for trap in entries:
            if trap.group == group:
                cells += trap_cells(trap)
    return notebook(cells + code_cells())


def trap_cells(trap: Trap):
    lesson = find_lesson(trap.lesson)
    link = f"Lesson: [{lesson.title}]({lesson.assignment}/lesson.ipynb)"
    since = f" · Shown with torch {trap.torch} or newer" if trap.torch else ""
    return [
        new_markdown_cell(f"### {trap.title}\n\n{trap.text}\n\n{link}{since}", id=trap.slug),
        new_code_cell(whole(trap.wrong), id=f"{trap.slug}-wrong"),
        new_markdown_cell("**Better:**", id=f"{trap.slug}-better"),
        new_code_cell(whole(trap.right), id=f"{trap.slug}-right"),
    ]


def whole(code: Code) -> str:
    """The code as its author wrote it, with what it prints."""
    said = "\n".join(f"# {line}".rstrip() for line in code.prints.splitlines())
    return f"{code.source}\n# prints:\n{said}"


def code_cells():
    """The reason codes: those of any exercise, then those of each lesson."""
    text = f"### In every lesson\n\n{table(COMMON)}"
    cells = [new_markdown_cell(CODES, id="codes"), new_markdown_cell(text, id="codes-common")]
    for lesson in LESSONS:
        if lesson.name in NEAREST:
            reasons = lesson_checks(lesson.name).reasons
            own = {code: reason for code, reason in reasons.items() if code not in COMMON}
            text = f"### Codes of lesson {lesson.number}\n\n{table(own, NEAREST[lesson.name])}"
            cells.append(new_markdown_cell(text, id=f"codes-{lesson.name.replace('_', '-')}"))
    return cells


def table(reasons: dict[str, Reason], group: str = "") -> str:
    lines = ["| code | what was seen | try | read on |", "|---|---|---|---|"]
    for code in sorted(reasons):
        reason = reasons[code]
        title = find_trap(reason.guide).title if reason.guide else GROUPS.get(group)
        link = f"[{title}](#{anchor(title)})" if title else ""
        words = [plain(reason.sentence), plain(reason.hint)]
        lines.append(f"| `{code}` | {' | '.join(words)} | {link} |")
    return "\n".join(lines)


def plain(words: str) -> str:
    """A sentence of a reason for a table: what a check fills in becomes three dots.

    >>> plain("You found {got:leaf|leaves} of {name}.")
    'You found … leaves of ….'
    """
    words = re.sub(r"\{\w+:[^|}]*\|([^}]*)\}", r"… \1", words)
    return re.sub(r"\{[^}]*\}", "…", words).replace("|", "&#124;")
