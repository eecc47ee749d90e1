"""The report on an assignment of 1,000 students, from marks and marked notebooks to the picture.

    python bench/report.py [students]

The notebooks are of the size of this course's, about 40 kB.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from _large_class import CELLS, EXERCISES, make

from course.gradebook.bars import drawn
from course.gradebook.database import course_directory, reading
from course.gradebook.items import analyse
from course.gradebook.marks import marks_of
from course.gradebook.reasons import executed_notebooks, gather
from course.gradebook.words import as_text

CODES = ("RETURNS_NONE", "WRONG_VALUE", "RAISED", "GRADIENT_UNCHANGED")


def main(students=1000):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        url = make(Path(folder, "gradebook.db"), students, 1)
        for number in range(students):
            path = Path(folder, "autograded", f"s{number:05d}", "ps00", "exercises.ipynb")
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(notebook(number)))
        size = path.stat().st_size
        times = {"": time.perf_counter()}
        course = course_directory()
        times["configuration"] = time.perf_counter()
        with reading(url) as session:
            marks = marks_of(session, "ps00")
        times["marks"] = time.perf_counter()
        reasons = gather(marks.notebooks, executed_notebooks(course, "ps00"))
        times["reasons"] = time.perf_counter()
        items = analyse(marks, reasons)
        times["statistics"] = time.perf_counter()
        as_text(marks, items, reasons)
        drawn(marks, items, "svg")
        times["picture"] = time.perf_counter()
        os.chdir("/")
    print(
        f"{students} students, {len(marks.cells)} cells, {reasons.read} notebooks of {size} bytes"
    )
    steps = list(times.items())
    for (_, before), (name, after) in zip(steps, steps[1:], strict=False):
        print(f"  {name:14}{after - before:7.2f} s")
    print(f"  {'in all':14}{steps[-1][1] - steps[0][1]:7.2f} s")


def notebook(number):
    cells = []
    for exercise in range(EXERCISES):
        cells.append({"cell_type": "code", "metadata": {}, "source": "x = 1\n" * 400})
        for cell in range(CELLS):
            code = CODES[(number + exercise) % len(CODES)]
            said = [f"  ✗ a case of it: wrong\n      [{code}] A sentence that says why.\n" * 5]
            nbgrader = {"grade": True, "grade_id": f"e{exercise}_{cell}"}
            error = {"output_type": "error", "ename": "E", "evalue": "", "traceback": said}
            outputs = [error] if (number + exercise) % 3 else []
            cells.append({"metadata": {"nbgrader": nbgrader}, "outputs": outputs, "source": ""})
    return {"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
