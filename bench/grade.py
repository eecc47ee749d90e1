"""Marking a class: stock nbgrader beside this course's ways, the same submissions in the same run.

    python -m bench grade [submissions] [lesson]

The submissions are made of the lesson's answer bank. The stock row takes nbgrader's defaults on
the same notebooks; with many submissions it marks only the first ones and its time is scaled up
(so is that of the way by configuration). Marks must be the same in all rows. At the end it says
where the time goes that is left.
"""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice, zip_longest
from pathlib import Path

import nbformat
from _where import shares

from course.answers import read_bank
from course.build import ROOT
from course.exercise import lesson_checks
from course.lessons import LESSONS

SHIPPED = f"load_subconfig({str(ROOT / 'nbgrader_config.py')!r})\n"
SERIAL = 12  # submissions that are marked one after the other, if there are more


def rows_of(lesson):
    """The answer bank as notebooks: one answer for every exercise in each."""
    bank = read_bank((lesson.folder / "answers.py").read_text("utf-8"))
    names = list(lesson_checks(lesson.name).exercises)
    columns = [[entry for entry in bank if entry.exercise == name] for name in names]
    return [[entry for entry in row if entry] for row in zip_longest(*columns)]


def new_course(folder, lesson, count, stock=False):
    """A course with ``count`` submissions of a lesson's exercises."""
    folder.mkdir()
    (folder / "nbgrader_config.py").write_text(
        ("" if stock else SHIPPED) + "c = get_config()\n"
        f"c.CourseDirectory.root = {str(folder)!r}\nc.CourseDirectory.notebook_id = 'exercises'\n"
    )
    source = folder / "source" / lesson.assignment
    source.mkdir(parents=True)
    shutil.copy(ROOT / "source" / lesson.assignment / "exercises.ipynb", source)
    nbgrader(folder, "generate_assignment", lesson.assignment)
    released = folder / "release" / lesson.assignment / "exercises.ipynb"
    for number, row in enumerate(islice(cycle(rows_of(lesson)), count)):
        nb = nbformat.read(released, 4)
        answers = {entry.exercise: entry.source for entry in row}
        for cell in nb.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            cell.source = answers.get(name, cell.source)
        place = folder / "submitted" / f"student{number:05d}" / lesson.assignment
        place.mkdir(parents=True)
        nbformat.write(nb, place / "exercises.ipynb")
    return folder


def nbgrader(folder, *arguments):
    program = [sys.executable, "-c", "from nbgrader.apps.nbgraderapp import main; main()"]
    done = subprocess.run([*program, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def course_grade(folder, lesson, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "course", "grade", lesson.assignment, "--json", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def marks(folder):
    """{student: {cell: score}}"""
    query = (
        "SELECT s.student_id, c.name, g.auto_score FROM grade g"
        " JOIN base_cell c ON c.id = g.cell_id"
        " JOIN submitted_notebook n ON n.id = g.notebook_id"
        " JOIN submitted_assignment s ON s.id = n.assignment_id"
    )
    with contextlib.closing(sqlite3.connect(folder / "gradebook.db")) as book:
        table = {}
        for student, cell, score in book.execute(query):
            table.setdefault(student, {})[cell] = score
    return table


def journal(folder, lesson):
    """What ``course grade`` noted of each submission."""
    lines = (folder / ".marking" / f"{lesson.assignment}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextlib.contextmanager
def cluster(folder):
    """The address of a dask scheduler with two workers."""
    found = folder / "scheduler.json"
    module = [sys.executable, "-m"]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    worker = ["distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    where = ["--scheduler-file", str(found)]
    running = [subprocess.Popen([*module, *scheduler, "--no-dashboard", *where], **quiet)]
    running += [subprocess.Popen([*module, *worker, *where], **quiet) for _ in range(2)]
    try:
        while not found.exists():
            time.sleep(0.1)
        time.sleep(3)  # the workers import themselves
        yield json.loads(found.read_text())["address"]
    finally:
        for process in running:
            process.kill()
            process.wait()


def main(count="60", lesson="leaf_tensors"):
    count, lesson = int(count), next(one for one in LESSONS if one.name == lesson)
    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    few = min(count, SERIAL)
    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        times, tables, folders = {}, {}, {}

        def measure(name, size, work, stock=False):
            folders[name] = folder = new_course(temporary / str(len(times)), lesson, size, stock)
            times[name] = seconds(lambda: work(folder)) / size
            tables[name] = marks(folder)
            each = times[name]
            ratio = times["stock nbgrader autograde"] / each
            print(
                f"{name:34}{size:6d}{each:9.2f}{ratio:8.1f}{each * 10_000 / 3600:12.1f}", flush=True
            )

        print(f"{lesson.assignment}, {os.cpu_count()} cores, one-time start included")
        print(f"{'':34}{'n':>6}{'s each':>9}{'times':>8}{'10,000: h':>12}")
        serial = lambda folder: nbgrader(folder, "autograde", lesson.assignment)  # noqa: E731
        measure("stock nbgrader autograde", few, serial, stock=True)
        measure("nbgrader autograde, our config", few, serial)
        for jobs in ("1", "2", "4"):
            measure(
                f"course grade --jobs {jobs}",
                count,
                lambda folder, jobs=jobs: course_grade(folder, lesson, "--jobs", jobs),
            )
        with cluster(temporary) as address:
            measure(
                "course grade --cluster, 2 workers",
                count,
                lambda folder: course_grade(folder, lesson, "--cluster", address),
            )
        print("\nwhere the time of a submission goes, under a profiler:")
        for what, share in shares(folders["course grade --jobs 1"], lesson.assignment):
            print(f"    {share:6.0%}  {what}")
        marking = sum(row["seconds"] for row in journal(folders["course grade --jobs 1"], lesson))
        whole = times["course grade --jobs 1"] * count
        print(f"start, and writing the marks: {whole - marking:.1f} s of {whole:.1f} with one job")
        full = tables["course grade --jobs 1"]
        for name, table in tables.items():
            assert table == {student: full[student] for student in table}, name
        print(f"marks are the same in all rows ({len(full)} students)")


if __name__ == "__main__":
    main(*sys.argv[1:])
