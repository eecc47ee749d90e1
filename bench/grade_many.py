"""Marking more and more: does a submission cost the same in a class of 100 and in one of 2,000?

    python -m bench grade_many [submissions …]

The submissions are generated, small and without torch, so that what is measured is the marking.
The memory is that of the process that hands out the work and writes the marks.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat.v4
import psutil
from grade import SHIPPED, marks, nbgrader

from course.build import ROOT

CONFIG = """
c.SafeExecute.preload = []
c.SafeExecute.packages = []
c.JudgedExecute.judge = ''
"""


def cell(kind, name, source, **mark):
    """A cell of the assignment."""
    flags = {"grade": False, "solution": False, "locked": False, "task": False}
    made = getattr(nbformat.v4, f"new_{kind}_cell")(source, id=name)
    made.metadata["nbgrader"] = {"schema_version": 3, "grade_id": name, **flags, **mark}
    return made


def assignment():
    solution = "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION"
    test = {"grade": True, "locked": True}
    return nbformat.v4.new_notebook(
        cells=[
            cell("code", "double", solution, solution=True),
            cell("code", "test", "assert double(2) == 4", points=2, **test),
            cell("code", "hidden", "assert double('a') == 'aa'", points=1, **test),
        ]
    )


def new_class(folder, count):
    """A course whose every third answer is wrong; the points that each must get."""
    (folder / "source" / "ps1").mkdir(parents=True)
    (folder / "nbgrader_config.py").write_text(
        f"{SHIPPED}c = get_config()\nc.CourseDirectory.root = {str(folder)!r}\n{CONFIG}"
    )
    nbformat.write(assignment(), folder / "source" / "ps1" / "exercises.ipynb")
    nbgrader(folder, "generate_assignment", "ps1")
    released = nbformat.read(folder / "release" / "ps1" / "exercises.ipynb", 4)
    expected = {}
    for number in range(count):
        right, student = number % 3 != 0, f"student{number:05d}"
        body = "return x + x" if right else "return 4"
        released.cells[0].source = f"def double(x):\n    {body}  # {student}"
        place = folder / "submitted" / student / "ps1"
        place.mkdir(parents=True)
        nbformat.write(released, place / "exercises.ipynb")
        expected[student] = {"test": 2.0, "hidden": 1.0 if right else 0.0}
    return expected


def measured(folder):
    """(seconds, the largest memory of the parent)."""
    command = [sys.executable, "-m", "course", "grade", "ps1", "--json"]
    start, most = time.perf_counter(), 0
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    process = psutil.Process(running.pid)
    while running.poll() is None:
        most = max(most, process.memory_info().rss)
        time.sleep(0.2)
    assert running.returncode == 0
    return time.perf_counter() - start, most


def main(*sizes):
    os.environ["PYTHONPATH"] = str(ROOT)
    print(f"{os.cpu_count()} cores, one-time start included")
    print(f"{'submissions':>12}{'seconds':>9}{'ms each':>9}{'parent, MB':>12}")
    for size in map(int, sizes or ("100", "2000")):
        folder = Path(tempfile.mkdtemp())
        try:
            expected = new_class(folder, size)
            seconds, memory = measured(folder)
            assert marks(folder) == expected
            each = 1000 * seconds / size
            print(f"{size:12d}{seconds:9.1f}{each:9.0f}{memory / 1e6:12.0f}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
