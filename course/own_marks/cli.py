"""``python -m course grade-me LESSON``: mark your own notebook, hidden cases included.

Exit status 0 with all points, 1 with fewer, 2 when the notebook could not be marked. No file of
yours is changed.
"""

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from threading import Thread, main_thread

from course.lessons import find_lesson
from course.machine.venv import ROOT


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course grade-me",
        description="Mark your own saved notebook as an instructor would, hidden cases included.",
    )
    parser.add_argument("lesson", metavar="LESSON")
    parser.add_argument(
        "--notebook", type=Path, help="default: that of release/, or exercises.ipynb of this folder"
    )
    parser.add_argument("--json", action="store_true", help="print steps and marks as JSON lines")
    # a kernel holds our stdin open: when it is gone, so are we
    parser.add_argument("--while-stdin", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(argv)
    if asked.while_stdin:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # and clean up on the way
        Thread(target=end_with_stdin, daemon=True).start()

    def say(**words):
        if asked.json:
            print(json.dumps(words), flush=True)
        else:
            print(*words.values(), file=sys.stderr, flush=True)

    try:
        lesson = find_lesson(asked.lesson)
        path = asked.notebook or default_notebook(lesson)
        notebook = path.read_bytes()
    except LookupError as error:
        say(error=f"grade-me: {error.args[0]}")
        return 2
    except OSError as error:
        say(error=f"grade-me: {error.strerror}: {error.filename}")
        return 2
    from course.grading.batch.bundle import CannotMark
    from course.own_marks.marking import mark_notebook
    from course.own_marks.page import as_text

    try:
        marks = mark_notebook(lesson, notebook, step=lambda words: say(step=words))
    except CannotMark as why:
        say(error=f"grade-me: {why}")
        return 2
    if asked.json:
        say(marks=marks)
    else:
        print(as_text(marks))
    return 0 if marks["points"] >= marks["of"] else 1


def default_notebook(lesson) -> Path:
    here = Path("exercises.ipynb")
    if Path.cwd().name == lesson.assignment and here.is_file():
        return here
    return ROOT / "release" / lesson.assignment / "exercises.ipynb"


def end_with_stdin():
    os.read(0, 1)  # nobody writes: it returns when the other end is closed
    main = main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, signal.SIGTERM)
    else:  # Windows
        os._exit(2)
