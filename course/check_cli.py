"""``python -m course check``: a learner's notebook, or a lesson's bank of answers.

    python -m course check release/01_leaf_tensors/exercises.ipynb
    python -m course check leaf_tensors

A notebook is run from the top in a fresh kernel, as Validate does, and each check's words are
printed; the file is not changed. A lesson's name judges every answer of its bank, for authors.
Exit status 0 when all passed, 1 when not, 2 when there is nothing to check.
"""

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

from course.lessons import LESSONS, Lesson, find_lesson


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course check",
        description="Check a learner's notebook or a lesson's answers.",
    )
    parser.add_argument(
        "what", nargs="*", metavar="NOTEBOOK or LESSON", help="default: all lessons"
    )
    what = parser.parse_args(argv).what
    try:
        jobs = [job(name) for name in what] or [
            lambda lesson=lesson: check_bank(lesson)
            for lesson in LESSONS
            if (lesson.folder / "answers.py").exists()
        ]
    except LookupError as error:
        print(f"check: {error.args[0]}", file=sys.stderr)
        return 2
    return max(one() for one in jobs)


def job(name: str):
    """Decide what a word of the command line means."""
    if not name.endswith(".ipynb"):
        lesson = find_lesson(name)
        return lambda: check_bank(lesson)
    path = Path(name)
    if not path.is_file():
        raise LookupError(f"There is no notebook {name!r}. Give the path of an exercises.ipynb.")
    return lambda: check_notebook(path)


def check_notebook(path: Path) -> int:
    """Run a notebook in a fresh kernel and print what each of its checks says."""
    import nbformat
    from nbclient import NotebookClient

    try:
        notebook = nbformat.read(path, as_version=4)
    except Exception:
        print(f"check: {path} is not a Jupyter notebook that can be read.", file=sys.stderr)
        return 2
    os.environ["NBGRADER_EXECUTION"] = "validate"
    NotebookClient(
        notebook, timeout=60, allow_errors=True, resources={"metadata": {"path": path.parent}}
    ).execute()
    graded = [cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    failed = 0
    for cell in graded:
        failed += any(output.output_type == "error" for output in cell.outputs)
        print("".join(map(words, cell.outputs)), end="")
    if not graded:
        print(f"check: {path} holds no exercises.", file=sys.stderr)
        return 2
    return 1 if failed else 0


def words(output) -> str:
    if output.output_type == "stream":
        return output.text
    if output.output_type == "error":
        return "\n".join(output.traceback) + "\n"
    return ""


def check_bank(lesson: Lesson) -> int:
    """Judge every answer of a lesson's bank; print those that its table does not foresee."""
    from course.answers import BankError, read_bank, too_few, unknown
    from course.author_text import BuildError
    from course.check import Desk
    from course.judge import AuthorError
    from course.to_fill import refuse_unfilled

    path = lesson.folder / "answers.py"
    if not path.exists():
        print(f"check: lesson {lesson.name} has no exercises.", file=sys.stderr)
        return 2
    try:
        refuse_unfilled(lesson.folder)
    except BuildError as error:
        print(f"check: {error}", file=sys.stderr)
        return 1
    place, desk = os.path.relpath(path), Desk(lesson.name)
    try:
        bank = read_bank(path.read_text("utf-8"))
    except BankError as error:
        print(f"{place}:{error.line}: {error}", file=sys.stderr)
        return 1
    wrong_names = list(unknown(bank, desk.checks.exercises, desk.checks.reasons))
    for line, sentence in wrong_names:
        print(f"{place}:{line}: {sentence}", file=sys.stderr)
    if wrong_names:
        return 1
    surprises = 0
    for entry in bank:
        try:
            surprise = surprise_of(desk, entry)
        except AuthorError as error:
            print(
                f"{place}:{entry.line} {entry.exercise} ({entry.about}): {error}", file=sys.stderr
            )
            return 1
        if surprise:
            surprises += 1
            print(f"{place}:{entry.line} {entry.exercise} ({entry.about}): {surprise}")
    missing = list(too_few(bank, desk.checks.exercises))
    for sentence in missing:
        print(f"{place}: {sentence}")
    counts = Counter(entry.right for entry in bank)
    print(
        f"{lesson.name}: {len(bank) - surprises} of {len(bank)} answers marked as the table says "
        f"({counts[True]} right, {counts[False]} wrong)"
    )
    return 1 if surprises or missing else 0


def surprise_of(desk, entry) -> str:
    """How the judgement of an answer differs from what the bank says of it; empty where it agrees.

    Raises AuthorError where the exercise itself has to be mended first.
    """
    from course.observation import MISSING

    try:
        answer = entry.run().get(entry.exercise, MISSING)
    except Exception as error:
        return f"cannot be run: {type(error).__name__}: {error}"
    result = desk.result(entry.exercise, answer, hidden=None)
    points = desk.checks[entry.exercise].points() if entry.right else entry.points
    want, got = (entry.code, points), (result.code, result.points)
    return "" if got == want else f"table {want}, marked {got}"
