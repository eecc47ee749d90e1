"""The rules that a lesson's exercises keep: complete, named once, points that add up, a bank.

``check_exercises`` refuses the first thing that breaks one, with its file and line.
"""

from course.answers import BankError, read_bank, unknown
from course.author_text import EXERCISE_KEYS, AuthorCell, BuildError
from course.exercise import LessonChecks
from course.lessons import Lesson
from course.stubs import release_text
from course.to_fill import refuse_unfilled

DIFFICULTIES = ("warm-up", "easy", "medium", "hard")


def check_exercises(lesson: Lesson, cells: list[AuthorCell], checks: LessonChecks) -> None:
    """Refuse exercises that are incomplete, doubled or whose points do not add up."""
    refuse_unfilled(lesson.folder)
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
    check_bank(lesson, answers, checks.reasons)


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


def check_bank(lesson, answers, reasons):
    path = lesson.folder / "answers.py"
    if not path.exists():
        raise BuildError(path, None, "is missing: every exercise needs right and wrong answers.")
    try:
        bank = read_bank(path.read_text("utf-8"))
    except BankError as error:
        raise BuildError(path, error.line, str(error)) from None
    for line, sentence in unknown(bank, answers, reasons):
        raise BuildError(path, line, sentence)
    for name in answers:
        for right in (True, False):
            if not any(entry.exercise == name and entry.right == right for entry in bank):
                kind = "right" if right else "wrong"
                raise BuildError(path, None, f"exercise {name!r} has no {kind} answer.")
