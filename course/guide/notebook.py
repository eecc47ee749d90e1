"""The field guide as a notebook: every trap with code to run, grouped, to be read or searched."""

from nbformat.v4 import new_code_cell, new_markdown_cell

from course.guide import GROUPS, Code, Trap, traps
from course.lessons import find_lesson

WELCOME = """# Field guide: what goes wrong with hooks

{count} traps. Each one has the same parts: what you see (**symptom**), why (**cause**), how to
**spot it early**, code that shows it, and code that does better.

- **Find one:** press Ctrl+F (on a Mac: Cmd+F) and type a word of the error message or of the
  symptom. Or open the table of contents at the left edge of JupyterLab.
- **Try one:** run its two code cells. They need no other cell. Below `# prints:` stands what torch
  printed when this guide was tested.
"""


def guide_notebook():
    """The notebook, built from the traps alone."""
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
    return notebook(cells)


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


def anchor(title: str) -> str:
    return title.replace(" ", "-")
