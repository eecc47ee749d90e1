"""Exporting the grades of 10,000 submissions, beside nbgrader's own export of a few of them.

    python bench/export.py [students [assignments [rows of nbgrader's]]]

Both read the same gradebook; what is compared is the time of a row. nbgrader's time of a row grows
with the gradebook, so its rows are taken from the large one.
"""

import sys
import tempfile
import time
from pathlib import Path

from _large_class import make
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin

from course.gradebook.database import reading
from course.gradebook.export import as_csv, grades


def main(students=1000, assignments=10, theirs=50):
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        url = make(Path(folder, "gradebook.db"), students, assignments)
        print(f"made {students * assignments} submissions in {time.perf_counter() - start:.1f} s")

        start = time.perf_counter()
        with reading(url) as session:
            table = as_csv(list(grades(session)))
        ours = time.perf_counter() - start
        count = table.count("\n") - 1

        some = CsvExportPlugin(to=f"{folder}/theirs.csv", assignment=["ps00"])
        some.student = [f"s{number:05d}" for number in range(theirs)]
        start = time.perf_counter()
        with Gradebook(url) as book:
            some.export(book)
        nbgraders = time.perf_counter() - start
        same = set(Path(some.to).read_text().splitlines()) <= set(table.splitlines())

    print(f"{'':10}{'rows':>8}{'seconds':>10}{'ms a row':>11}")
    print(f"{'course':10}{count:8}{ours:10.2f}{1000 * ours / count:11.3f}")
    print(f"{'nbgrader':10}{theirs:8}{nbgraders:10.2f}{1000 * nbgraders / theirs:11.3f}")
    ratio = (nbgraders / theirs) / (ours / count)
    print(f"nbgrader takes {ratio:.0f} times as long for a row")
    print("its rows are among the course's" if same else "ITS ROWS DIFFER FROM THE COURSE'S")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
