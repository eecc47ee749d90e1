"""Seconds and memory of each lesson, on one core, beside those of ``import torch``.

    python bench/lessons.py [LESSON …]

A lesson runs as the tests run it: its notebook, top to bottom, in a kernel of its own. The memory
is the most that the kernel had. Both are also given as a ratio to a kernel that only imports torch.
"""

import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"  # kernels inherit it
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import nbformat
from nbclient import NotebookClient

from course.build import ROOT
from course.lessons import LESSONS

PEAK = """\
try:
    import resource, sys
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak / (2**20 if sys.platform == "darwin" else 1024))
except ImportError:  # Windows
    print("nan")
"""


def measure(cells, folder):
    """Seconds to run these cells in a new kernel, its start left out, and its peak in MB."""
    cells = [cell for cell in cells if cell.cell_type == "code"]
    last = nbformat.v4.new_code_cell(PEAK)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("pass"), *cells, last])
    client = NotebookClient(notebook, timeout=600, kernel_name="python3")
    with client.setup_kernel(cwd=str(folder)):
        client.execute_cell(notebook.cells[0], 0)  # the kernel is up when this has run
        start = time.perf_counter()
        for index, cell in enumerate(cells, start=1):
            client.execute_cell(cell, index)
        seconds = time.perf_counter() - start
        client.execute_cell(last, len(notebook.cells) - 1)
    return seconds, float("".join(output.text for output in last.outputs))


def main(names):
    known = {lesson.name: lesson for lesson in LESSONS}
    for name in names:
        if name not in known:
            sys.exit(f"There is no lesson {name!r}. There are: {', '.join(known)}.")
    alone = [nbformat.v4.new_code_cell("import torch")]
    measure(alone, ROOT)  # warm up: files come from the disk once
    base_seconds, base_peak = measure(alone, ROOT)
    print(f"{'':20}{'seconds':>9}{'ratio':>8}{'peak MB':>10}{'ratio':>8}")
    print(f"{'import torch':20}{base_seconds:9.2f}{1:8.1f}{base_peak:10.0f}{1:8.1f}")
    for name in names or known:
        folder = ROOT / "release" / known[name].assignment
        seconds, peak = measure(nbformat.read(folder / "lesson.ipynb", 4).cells, folder)
        print(
            f"{name:20}{seconds:9.2f}{seconds / base_seconds:8.1f}"
            f"{peak:10.0f}{peak / base_peak:8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
