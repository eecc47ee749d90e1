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
Every refusal names the file and the line of the cell.
"""

from dataclasses import dataclass, field
from pathlib import Path

import jupytext
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course.answers import BankError, read_bank
from course.exercise import LessonChecks, lesson_checks
from course.lessons import Lesson
from course.percent import text_cells
from course.stubs import release_text

DIFFICULTIES = ("warm-up", "easy", "medium", "hard")
EXERCISE_KEYS = {"exercise", "points", "difficulty", "minutes"}
KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class BuildError(Exception):
    """What an author has to mend, as one sentence that begins with file and line."""

    def __init__(self, path: Path, line: int | None, sentence: str):
        where = f"{path.parent.name}/{path.name}"
        super().__init__(f"{where}:{line}: {sentence}" if line else f"{where}: {sentence}")


@dataclass
class AuthorCell:
    """One cell as the author wrote it, with the line of its ``# %%``."""

    kind: str
    source: str
    line: int
    keys: dict = field(default_factory=dict)


def read_cells(path: Path, allowed: set[str]) -> list[AuthorCell]:
    """Read a percent file, refusing what is not valid or not known."""
    text = path.read_text("utf-8")
    places = text_cells(text)
    if not places:
        raise BuildError(path, 1, "has no cell; a cell begins with a line `# %%`.")
    before = "\n".join(text.splitlines()[: places[0].line - 1]).strip()
    if before:
        raise BuildError(path, 1, "has text before its first cell `# %%`.")
    cells = jupytext.reads(text, fmt="py:percent").cells
    if len(cells) != len(places):
        raise BuildError(path, 1, "is not valid percent format: jupytext sees other cells.")
    return [
        author_cell(path, cell, place, allowed) for cell, place in zip(cells, places, strict=True)
    ]


def author_cell(path, cell, place, allowed):
    keys = {k: v for k, v in cell.metadata.items() if k != "lines_to_next_cell"}
    if "incorrectly_encoded_metadata" in keys or "title" in keys:
        raise BuildError(path, place.line, f"cannot read the cell's header `# %% {place.header}`.")
    if cell.cell_type not in ("code", "markdown"):
        raise BuildError(path, place.line, f"has a {cell.cell_type} cell; use code or [markdown].")
    unknown = sorted(set(keys) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise BuildError(path, place.line, f"has the unknown key {unknown[0]!r} (known: {known}).")
    if cell.cell_type == "code":
        try:
            compile(cell.source, path.name, "exec")
        except SyntaxError as error:
            line = place.line + (error.lineno or 1)
            raise BuildError(path, line, f"is not valid Python: {error.msg}.") from None
    return AuthorCell(cell.cell_type, cell.source, place.line, keys)


def lesson_notebook(lesson: Lesson):
    """The notebook of a lesson's text: cells with ids by position, no outputs."""
    cells = read_cells(lesson.folder / "lesson.py", allowed={"tags"})
    made = [plain_cell(cell, f"cell-{n:02d}") for n, cell in enumerate(cells, start=1)]
    return notebook(made)


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
    return notebook(made)


def notebook(cells):
    made = new_notebook(cells=cells, metadata=KERNEL)
    made.nbformat_minor = 5
    nbformat.validate(made)
    return made


def plain_cell(cell: AuthorCell, cell_id: str):
    metadata = {"tags": list(cell.keys["tags"])} if "tags" in cell.keys else {}
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


def check_exercises(lesson: Lesson, cells: list[AuthorCell], checks: LessonChecks) -> None:
    """Refuse exercises that are incomplete, doubled or whose points do not add up."""
    path = lesson.folder / "exercises.py"
    texts = named(path, cells, "markdown")
    answers = named(path, cells, "code")
    for name, cell in (texts | answers).items():
        if not name.isidentifier():
            raise BuildError(path, cell.line, f"exercise {name!r} is not a Python name.")
        if name not in answers:
            raise BuildError(path, cell.line, f"exercise {name!r} has no answer cell with a stub.")
        if name not in texts:
            raise BuildError(path, cell.line, f"exercise {name!r} has no [markdown] cell.")
        if name not in checks.exercises:
            raise BuildError(
                path, cell.line, f"exercise {name!r} has no tests: no class in checks.py."
            )
        check_stub(path, name, answers[name])
        check_text(path, name, texts[name])
        check_cases(path, name, texts[name], checks[name])
    for name in checks.exercises:
        if name not in answers:
            raise BuildError(lesson.folder / "checks.py", None, f"{name!r} is not in exercises.py.")
    check_bank(lesson, answers)


def named(path, cells, kind):
    found = {}
    for cell in cells:
        name = cell.keys.get("exercise")
        if cell.kind != kind or name is None:
            continue
        if name in found:
            raise BuildError(path, cell.line, f"the grade_id {name!r} is used twice.")
        found[name] = cell
    return found


def check_stub(path, name, cell):
    try:
        released = release_text(cell.source)
    except ValueError as error:
        raise BuildError(path, cell.line, f"exercise {name!r}: {error}") from None
    if released == cell.source:
        raise BuildError(path, cell.line, f"exercise {name!r} has no stub: no ### BEGIN SOLUTION.")


def check_text(path, name, cell):
    missing = sorted(EXERCISE_KEYS - set(cell.keys))
    if missing:
        raise BuildError(path, cell.line, f"exercise {name!r} does not say its {missing[0]}.")
    if cell.keys["difficulty"] not in DIFFICULTIES:
        raise BuildError(path, cell.line, f"difficulty is one of: {', '.join(DIFFICULTIES)}.")
    if not cell.source.startswith("## "):
        raise BuildError(path, cell.line, f"exercise {name!r} does not begin with a `## ` heading.")


def check_cases(path, name, cell, exercise):
    names = [case.name for case in exercise.cases]
    if len(set(names)) < len(names):
        raise BuildError(path, cell.line, f"exercise {name!r} has two cases of the same name.")
    if not exercise.points(hidden=False) or not exercise.points(hidden=True):
        raise BuildError(path, cell.line, f"exercise {name!r} needs visible and hidden tests.")
    if exercise.points() != cell.keys["points"]:
        raise BuildError(
            path,
            cell.line,
            f"exercise {name!r} says {cell.keys['points']} points; its cases in checks.py add up "
            f"to {exercise.points()}.",
        )
    if not exercise.hints:
        raise BuildError(path, cell.line, f"exercise {name!r} has no hints in checks.py.")


def check_bank(lesson, answers):
    path = lesson.folder / "answers.py"
    if not path.exists():
        raise BuildError(path, None, "is missing: every exercise needs right and wrong answers.")
    try:
        bank = read_bank(path.read_text("utf-8"))
    except BankError as error:
        raise BuildError(path, error.line, str(error)) from None
    for entry in bank:
        if entry.exercise not in answers:
            raise BuildError(path, entry.line, f"there is no exercise {entry.exercise!r}.")
    for name in answers:
        for right in (True, False):
            if not any(entry.exercise == name and entry.right == right for entry in bank):
                kind = "right" if right else "wrong"
                raise BuildError(path, None, f"exercise {name!r} has no {kind} answer.")
