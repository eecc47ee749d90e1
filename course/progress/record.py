"""Which exercises are passed: a small JSON file beside the learner's notebooks.

    note_passed("leaf_tensors", "freeze")
    read().passed                       # {"leaf_tensors": {"freeze": "2026-11-30T09:15:00+00:00"}}

``.progress.json`` lies in the folder that holds the lessons' folders, so all lessons share it; a
notebook that lies elsewhere has one in its own folder. Two kernels may write at once. A file that
cannot be read as progress is put aside, never deleted.
"""

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from course.lessons import LESSONS, Lesson

FILE, LOCK, ASIDE = ".progress.json", ".progress.lock", ".progress.damaged-{}.json"
PATIENCE = 2.0  # seconds that one kernel waits for another
TROUBLE = (OSError, NotImplementedError)  # the second: a file system without locks


@dataclass(frozen=True)
class Progress:
    """When each exercise was first passed, by lesson; ``words``: what went wrong, if anything."""

    passed: dict[str, dict[str, str]] = field(default_factory=dict)
    words: str = ""


def place() -> Path:
    """The file for notebooks that run in this folder."""
    here = Path.cwd()
    return (here.parent if in_lesson(here) else here) / FILE


def in_lesson(folder: Path) -> bool:
    """Whether a folder is that of a lesson, such as ``01_leaf_tensors``."""
    return folder.name in {lesson.assignment for lesson in LESSONS}


def read() -> Progress:
    """The progress that is kept; never raises."""
    try:
        path = place()
        if not path.exists():
            return Progress()
        with locked(path):
            return _read(path)
    except TROUBLE:
        pass
    try:  # a folder in which nobody may write, not even a lock
        return Progress(passed_in(path.read_text("utf-8")))
    except FileNotFoundError:
        return Progress()
    except (*TROUBLE, ValueError) as error:
        return Progress(words=f"Your progress cannot be read: {error}.")


def note_passed(lesson: str, exercise: str) -> str:
    """Keep that an exercise was passed, the first time; never raises.

    Gives a sentence for the learner when a damaged file was put aside, else "".
    """
    try:
        path = place()
        with locked(path):
            progress = _read(path)
            if exercise not in progress.passed.get(lesson, {}):
                now = datetime.now(UTC).isoformat(timespec="seconds")
                progress.passed.setdefault(lesson, {})[exercise] = now
                _write(path, progress.passed)
            return progress.words
    except TROUBLE:
        return ""  # a check is worth its words without this


def forget(lesson: Lesson | None = None) -> int:
    """Forget what was passed, of one lesson or of all; how many exercises that were.

    Raises OSError.
    """
    path = place()
    if not path.exists():
        return 0
    with locked(path):
        passed = _read(path).passed
        gone = {lesson.name: passed.pop(lesson.name, {})} if lesson else dict(passed)
        if lesson:
            _write(path, passed)
        else:
            path.unlink(missing_ok=True)
    return sum(map(len, gone.values()))


def state() -> tuple:
    """What changes when the file does: cheap enough to ask every second."""
    try:
        found = place().stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
    except OSError:
        return ()


@contextmanager
def locked(path: Path):
    with FileLock(path.with_name(LOCK), timeout=PATIENCE):
        yield


def passed_in(text: str) -> dict[str, dict[str, str]]:
    """What a file says; ValueError when it does not have the form of progress.

    >>> passed_in('{"passed": {"leaf_tensors": {"freeze": "2026-11-30T09:15:00+00:00"}}}')
    {'leaf_tensors': {'freeze': '2026-11-30T09:15:00+00:00'}}
    """
    found = json.loads(text)
    passed = found.get("passed") if isinstance(found, dict) else None
    if not isinstance(passed, dict) or not all(isinstance(one, dict) for one in passed.values()):
        raise ValueError("it is no record of progress")
    if not all(isinstance(when, str) for one in passed.values() for when in one.values()):
        raise ValueError("it is no record of progress")
    return passed


def _read(path):
    try:
        return Progress(passed_in(path.read_text("utf-8")))
    except FileNotFoundError:
        return Progress()
    except (ValueError, RecursionError):
        aside = next(
            other
            for number in range(1, 10_000)
            if not (other := path.with_name(ASIDE.format(number))).exists()
        )
        os.replace(path, aside)
        return Progress(
            words=f"The file with your progress was damaged. It is kept as {aside.name}, "
            "and your progress begins anew; your notebooks are as they were."
        )


def _write(path, passed):
    """All of it or nothing: another file first, then the name."""
    new = path.with_name(f"{FILE}.{os.getpid()}")
    try:
        with open(new, "w", encoding="utf-8") as file:
            json.dump({"passed": passed}, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
