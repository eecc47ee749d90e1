"""Every lesson runs as a learner runs it, twice in a row, and shows the numbers that it teaches."""

import re
import runpy
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course.build import ROOT
from course.guide import traps
from course.lessons import LESSONS

# What a lesson must not leave for the notebooks after it, and the most memory that it had, in kB.
# On Linux not from getrusage: there the most that pytest had, which started the kernel, counts too.
AFTERWARDS = """\
import pathlib, re, resource
from torch.nn.modules import module
everywhere = [hooks for name, hooks in vars(module).items() if name.startswith("_global")]
print(sum(map(len, filter(lambda hooks: isinstance(hooks, dict), everywhere))))
status = pathlib.Path("/proc/self/status")
said = re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text()) if status.exists() else None
print(said[1] if said else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run_twice(lesson):
    """Run a lesson's notebook twice in one kernel; give the cells of both runs, and the rest."""
    path = ROOT / "release" / lesson.assignment / "lesson.ipynb"
    runs = []
    client = NotebookClient(nbformat.read(path, 4), timeout=60, kernel_name="python3")
    with client.setup_kernel(cwd=str(path.parent)):
        for _ in range(2):
            client.nb = nbformat.read(path, 4)
            for index, cell in enumerate(client.nb.cells):
                client.execute_cell(cell, index)
            runs.append(client.nb.cells)
        client.nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(AFTERWARDS)])
        client.execute_cell(client.nb.cells[0], 0)
        hooks, peak = printed(client.nb.cells).split()
    return runs, int(hooks), int(peak) / 1024


@pytest.fixture(scope="module", params=LESSONS, ids=lambda lesson: lesson.name)
def ran(request):
    return request.param, run_twice(request.param)


def printed(cells):
    streams = [o for cell in cells if cell.cell_type == "code" for o in cell.outputs]
    return "".join(o.text for o in streams if o.output_type == "stream" and o.name == "stdout")


def test_a_lesson_runs_twice_and_says_the_same(ran):
    _, ((first, second), _, _) = ran
    assert printed(first) == printed(second)


def test_a_lesson_leaves_no_global_hook(ran):
    _, (_, hooks, _) = ran
    assert hooks == 0


def test_a_lesson_fits_into_the_memory_of_binder(ran):
    lesson, (_, _, peak) = ran
    print(f"{lesson.name}: at most {peak:.0f} MB")
    assert peak < 700


def test_a_lesson_writes_nothing_to_stderr(ran):
    _, ((cells, _), _, _) = ran
    outputs = [o for cell in cells if cell.cell_type == "code" for o in cell.outputs]
    assert [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"] == []


def test_a_lesson_shows_the_numbers_that_it_teaches(ran):
    lesson, ((cells, _), _, _) = ran
    facts = runpy.run_path(str(Path(__file__).parent / "lesson_facts" / f"{lesson.name}.py"))[
        "FACTS"
    ]
    said, place = printed(cells), 0
    for fact in facts:
        assert fact in said[place:], fact
        place = said.index(fact, place)


def test_links_between_notebooks_lead_to_files_that_exist():
    for path in (ROOT / "release").glob("*/*.ipynb"):
        text = "\n".join(
            c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown"
        )
        for target in re.findall(r"\]\(([^)#]+\.ipynb)\)", text):
            assert (path.parent / target).exists(), f"{path.parent.name}/{path.name} → {target}"


def test_links_into_the_field_guide_lead_to_its_traps():
    known = {trap.address for trap in traps()}
    for lesson in LESSONS:
        linked = re.findall(
            r"\]\(\.\./(field_guide\.ipynb#[^)]+)\)", (lesson.folder / "lesson.py").read_text()
        )
        assert set(linked) <= known, lesson.name
        assert lesson.number == 0 or linked, f"{lesson.name} does not link into the field guide"
