"""``python -m course grade ASSIGNMENT``: mark what is in submitted/ into nbgrader's gradebook."""

import argparse
import json
import os
import re
import sys
from dataclasses import asdict
from pathlib import Path

from nbgrader.apps import NbGrader
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import setenv
from tqdm import tqdm

from course.grading import contained
from course.grading.batch.bundle import CannotMark
from course.grading.batch.pools import DaskPool, LocalPool
from course.grading.batch.run import Run
from course.grading.judgement import JudgedExecute


def main(arguments: list[str]) -> int:
    """0: every submission has its marks. 1: some failed. 2: nothing could be begun."""
    asked = parser().parse_args(arguments)
    try:
        return grade(asked)
    except CannotMark as why:
        print(why, file=sys.stderr)
        return 2


def parser():
    parser = argparse.ArgumentParser(prog="python -m course grade", description=__doc__)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument(
        "--jobs", type=jobs, default=os.cpu_count() or 1, metavar="N", help="processes that mark"
    )
    parser.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="ID",
        help="only this one; may be given again",
    )
    parser.add_argument("--force", action="store_true", help="mark unchanged submissions again")
    parser.add_argument("--dry-run", action="store_true", help="say what would be marked")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--feedback", action="store_true", help="write the feedback pages too")
    parser.add_argument("--cluster", metavar="ADDRESS", help="mark on a dask.distributed cluster")
    parser.add_argument(
        "--course-dir", default=".", metavar="DIR", help="where nbgrader_config.py is"
    )
    parser.add_argument(
        "--allow-uncontained",
        action="store_true",
        help="run submissions with your own rights where they cannot be contained",
    )
    return parser


def jobs(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it must be 1 or more")
    return number


def grade(asked) -> int:
    coursedir, config = course(asked.course_dir, asked.assignment)
    if asked.allow_uncontained:
        config.SafeExecute.allow_uncontained = True
    must = not asked.cluster and config.SafeExecute.get("allow_uncontained") is not True
    if must and (lacks := contained.missing()):
        raise CannotMark(
            f"Submissions cannot be contained here: {lacks}. Mark on a Linux machine, or say "
            "--allow-uncontained to run them with your own rights."
        )
    pool: DaskPool | LocalPool
    if asked.cluster:
        pool = DaskPool(asked.cluster, asked.feedback)
    else:
        pool = local_pool(asked.jobs, asked.feedback, config)
    run = Run(coursedir, config, pool, force=asked.force, only=tuple(asked.student))
    if asked.dry_run:
        todo, unchanged = run.todo()
        say(asked, {"to mark": todo, "unchanged": unchanged}, dry_text(todo, unchanged))
        return 0
    with tqdm(unit=" submissions", disable=asked.json, file=sys.stderr) as bar:

        def progress(done, total):
            bar.total = total
            bar.update(done - bar.n)

        run.progress = progress
        summary = run()
    say(asked, asdict(summary), text(summary))
    return 1 if summary.failed else 0


def local_pool(jobs: int, feedback: bool, config) -> LocalPool:
    """Processes of this machine, which share one warm process where processes can be forked."""
    orders, execute = None, JudgedExecute(config=config)
    if sys.platform == "linux":
        with setenv(NBGRADER_EXECUTION="autograde"):  # as it is when a notebook runs
            orders = execute.orders(contained=contained.missing() is None)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the workers are what runs side by side
    preload = (execute.judge.partition(":")[0],) if execute.judge else ()
    return LocalPool(jobs, feedback, orders, preload)


def course(folder: str, assignment: str):
    """The course of a folder and nbgrader's options for it. Raises CannotMark."""
    if not Path(folder, "nbgrader_config.py").is_file():
        raise CannotMark(
            f"There is no nbgrader_config.py in {Path(folder).resolve()}: "
            "go to the folder of the course, or name it with --course-dir."
        )
    app = NbGrader()
    app.config_file_paths.append(str(Path(folder).resolve()))
    before = os.getcwd()
    os.chdir(folder)
    try:
        app.load_config_file()
        coursedir = CourseDirectory(parent=app)
        coursedir.assignment_id = assignment
        return coursedir, app.config
    finally:
        os.chdir(before)


def say(asked, facts, words):
    print(json.dumps(facts) if asked.json else words)


def dry_text(todo, unchanged):
    lines = [f"{len(todo)} to mark, {len(unchanged)} unchanged since they were marked."]
    return "\n".join([*lines, *(f"  {student}" for student in todo)])


def text(summary) -> str:
    """The summary, for a person."""
    rate = f" ({summary.marked / summary.seconds:.1f} a second)" if summary.marked else ""
    lines = [
        f"{summary.assignment}: {summary.marked} marked in {summary.seconds:.1f} s{rate}, "
        f"{summary.unchanged} unchanged, {len(summary.not_attempted)} not attempted, "
        f"{len(summary.flagged)} flagged, {len(summary.failed)} failed."
    ]
    for student, flags in sorted(summary.flagged.items()):
        lines.append(f"  flagged {', '.join(flags)}: {student} - look at the autograded notebook")
    for student, why in sorted(summary.stopped.items()):
        lines.append(f"  not run to its end: {student} - {why[:200]}")
    for student, log in sorted(summary.failed.items()):
        lines.append(f"  failed: {student} - {cause(log)[:300]}")
    return "\n".join(lines)


def cause(log: str) -> str:
    """The line of a log that says most: the last error that is not nbgrader's pointer to it.

    >>> cause("Traceback:\\nValueError: no\\nnbgrader.NbGraderException: see above")
    'ValueError: no'
    """
    said = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in said if re.match(r"[\w.]+(Error|Exception): ", line)]
    first = [line for line in errors if "NbGraderException" not in line]
    return (first or errors or said or ["no reason given"])[-1]
