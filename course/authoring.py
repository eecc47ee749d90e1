"""From what an author writes to a notebook in memory: percent text in, notebook out, or a refusal.

A lesson's ``lesson.py`` becomes the notebook a learner reads. Its ``exercises.py`` becomes
nbgrader's source notebook: the author writes, for each exercise, a text cell and an answer cell

    # %% [markdown] exercise="count_leaves" points=3 difficulty="easy" minutes=5
    # ## Count the leaves
    # …

    # %% exercise="count_leaves"
    def count_leaves(loss):
        ### BEGIN SOLUTION
        …
        ### END SOLUTION

and everything nbgrader needs (ids, the visible and the hidden test cell, points) is added here.
What the author got wrong is refused by ``author_text`` and ``author_rules``.
"""

import re

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course.author_rules import check_exercises
from course.author_text import EXERCISE_KEYS, AuthorCell, read_cells
from course.exercise import LessonChecks, lesson_checks
from course.lessons import Lesson
from course.progress.overview import overview
from course.progress.page import as_html, as_text

MAP = "course-map"  # the tag of the cell that shows the lessons
OWN_MARKING = """\
## How many points?

Save this notebook (**Ctrl + S**, on a Mac **Cmd + S**), run the cell below and press its button.
The saved notebook is then marked as an instructor marks it: from the top, in a course of its own,
with the hidden cases. That can take a minute. Your notebook stays as it is, and nobody else sees
the marks."""
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def lesson_notebook(lesson: Lesson):
    """The notebook of a lesson's text: cells with ids by position, no outputs.

    Only a cell with the tag "course-map" has one: the map as it is without a kernel.
    """
    cells = read_cells(lesson.folder / "lesson.py", allowed={"tags"})
    made = [plain_cell(cell, f"cell-{n:02d}") for n, cell in enumerate(cells, start=1)]
    for cell in made:
        if MAP in cell.metadata.get("tags", ()):
            cell.outputs = [map_output()]
    return notebook(made)


def map_output():
    course = overview(None)
    data = {"text/html": as_html(course), "text/plain": as_text(course)}
    return new_output("display_data", data=data)


def exercises_notebook(lesson: Lesson, checks: LessonChecks | None = None):
    """nbgrader's source notebook of a lesson's exercises."""
    path = lesson.folder / "exercises.py"
    cells = read_cells(path, EXERCISE_KEYS)
    checks = checks or lesson_checks(lesson.name)
    check_exercises(lesson, cells, checks)
    made, given, texts = [], 0, 0
    for cell in cells:
        name = cell.keys.get("exercise")
        if cell.kind == "markdown":
            texts += 1
            made.append(plain_cell(with_badge(cell), f"text-{texts:02d}"))
        elif name:
            made += [answer_cell(cell, name), *test_cells(lesson, checks[name])]
        else:
            given += 1
            made.append(grader_cell(cell.source, f"given_{given}", locked=True))
    return notebook([*made, *own_marking(lesson)])


def own_marking(lesson: Lesson):
    """The last cells: a learner's own marking. nbgrader does not know them."""
    call = f"from course.lessons.{lesson.name} import grade_me\n\ngrade_me()"
    return [
        new_markdown_cell(OWN_MARKING, id="text-grade-me"),
        new_code_cell(call, id="grade-me"),
    ]


def notebook(cells):
    made = new_notebook(cells=cells, metadata=KERNEL)
    made.nbformat_minor = 5
    nbformat.validate(made)
    return made


def plain_cell(cell: AuthorCell, cell_id: str):
    metadata: dict = {"tags": list(cell.keys["tags"])} if "tags" in cell.keys else {}
    if re.match(r"\w+ = predict\(", cell.source):  # its code says what comes out, and why
        metadata["jupyter"] = {"source_hidden": True}
    if cell.kind == "markdown":
        return new_markdown_cell(cell.source, id=cell_id, metadata=metadata)
    return new_code_cell(cell.source, id=cell_id, metadata=metadata)


def with_badge(cell: AuthorCell) -> AuthorCell:
    """Put difficulty, minutes and points below an exercise's heading."""
    if "exercise" not in cell.keys:
        return cell
    title, _, body = cell.source.partition("\n")
    keys = cell.keys
    unit = "point" if keys["points"] == 1 else "points"
    badge = f"*{keys['difficulty']} · about {keys['minutes']} minutes · {keys['points']} {unit}*"
    return AuthorCell("markdown", f"{title}\n\n{badge}\n\n{body.strip()}", cell.line, keys)


def answer_cell(cell: AuthorCell, name: str):
    return grader_cell(cell.source, name, solution=True)


def test_cells(lesson: Lesson, exercise):
    """The visible and the hidden test cell; both call the same check."""
    name = exercise.__name__
    call = f"from course.lessons.{lesson.name} import check\n\n"
    seen = f'{call}check("{name}")'
    hidden = (
        f"# Hidden cases of {name} run here when the notebook is marked.\n"
        f'### BEGIN HIDDEN TESTS\n{call}check("{name}", hidden=True)\n### END HIDDEN TESTS'
    )
    return [
        grader_cell(seen, f"{name}_visible", points=exercise.points(hidden=False)),
        grader_cell(hidden, f"{name}_hidden", points=exercise.points(hidden=True)),
    ]


def grader_cell(source, grade_id, *, solution=False, points=None, locked=False):
    meta = {
        "cell_type": "code",
        "grade": points is not None,
        "grade_id": grade_id,
        "locked": locked or points is not None,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        meta["points"] = points
    return new_code_cell(source, id=grade_id.replace(".", "-"), metadata={"nbgrader": meta})
