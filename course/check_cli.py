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
    from course.answers import read_bank
    from course.author_text import BuildError
    from course.check import Desk
    from course.observation import MISSING
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
    desk, counts, surprises = Desk(lesson.name), Counter(), 0
    for entry in read_bank(path.read_text("utf-8")):
        answer = entry.run().get(entry.exercise, MISSING)
        result = desk.result(entry.exercise, answer, hidden=None)
        counts["right" if entry.right else "wrong"] += 1
        got = (result.code, result.points)
        want = (
            (None, desk.checks[entry.exercise].points())
            if entry.right
            else (entry.code, entry.points)
        )
        if got != want:
            surprises += 1
            print(
                f"{path.name}:{entry.line} {entry.exercise} ({entry.about}): "
                f"table {want}, marked {got}"
            )
    total = sum(counts.values())
    print(
        f"{lesson.name}: {total - surprises} of {total} answers marked as the table says "
        f"({counts['right']} right, {counts['wrong']} wrong)"
    )
    return 1 if surprises else 0
