"""Where the time of one who marks goes, by what the functions belong to."""

import cProfile
import pstats
from collections import Counter
from pathlib import Path

from course.grading.batch.cli import course
from course.grading.batch.mark import mark
from course.grading.batch.run import Run

PARTS = {  # part of a path -> what it belongs to; the first that fits
    "grading/forked.py": "the cells, in the fork",
    "grading/warm_process.py": "the cells, in the fork",
    "grading/received.py": "the cells, in the fork",
    "/sqlalchemy/": "the gradebook",
    "own_gradebook.py": "the gradebook",
    "/nbgrader/": "nbgrader and nbconvert",
    "/nbconvert/": "nbgrader and nbconvert",
    "/traitlets/": "nbgrader and nbconvert",
    "/nbformat/": "reading, checking and writing notebooks",
    "/json/": "reading, checking and writing notebooks",
    "<string>": "reading, checking and writing notebooks",  # the compiled schema
    "/copy.py": "reading, checking and writing notebooks",
    "/course/": "the second judgement and what is around it",
}


def shares(folder: Path, assignment: str, most: int = 12) -> list[tuple[str, float]]:
    """(what, share of the time) of marking submissions in this process, under a profiler."""
    run = Run(*course(str(folder), assignment), None)
    submissions = [(student, run._submission(student)) for student in run.students()[:most]]
    for submission in submissions[:2]:  # the first imports and starts the warm process
        mark(run.bundle, *submission)
    profile = cProfile.Profile()
    profile.enable()
    for submission in submissions:
        mark(run.bundle, *submission)
    profile.disable()
    times = Counter()
    for (path, _, _), (_, _, own, _, callers) in pstats.Stats(profile).stats.items():
        if path != "~":
            times[belongs_to(path)] += own
            continue
        for (caller, _, _), (_, _, part, _) in callers.items():  # a builtin: who called it?
            times[belongs_to(caller)] += part
    return [(what, time / times.total()) for what, time in times.most_common()]


def belongs_to(path: str) -> str:
    return next((what for part, what in PARTS.items() if part in path), "everything else")
