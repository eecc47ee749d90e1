"""Every lesson runs as a learner runs it, twice in a row, and shows the numbers that it teaches."""

import nbformat
import pytest
from nbclient import NotebookClient

from course.build import ROOT
from course.lessons import LESSONS


def run_twice(lesson):
    """Run a lesson's notebook twice in one kernel; give the cells of both runs."""
    path = ROOT / "release" / lesson.assignment / "lesson.ipynb"
    runs = []
    client = NotebookClient(nbformat.read(path, 4), timeout=60, kernel_name="python3")
    with client.setup_kernel(cwd=str(path.parent)):
        for _ in range(2):
            client.nb = nbformat.read(path, 4)
            for index, cell in enumerate(client.nb.cells):
                client.execute_cell(cell, index)
            runs.append(client.nb.cells)
    return runs


@pytest.fixture(scope="module", params=LESSONS, ids=lambda lesson: lesson.name)
def ran(request):
    return request.param, run_twice(request.param)


def printed(cells):
    streams = [o for cell in cells if cell.cell_type == "code" for o in cell.outputs]
    return "".join(o.text for o in streams if o.output_type == "stream" and o.name == "stdout")


def test_a_lesson_runs_twice_and_says_the_same(ran):
    _, (first, second) = ran
    assert printed(first) == printed(second)


def test_a_lesson_writes_nothing_to_stderr(ran):
    _, (cells, _) = ran
    outputs = [o for cell in cells if cell.cell_type == "code" for o in cell.outputs]
    assert [o.text for o in outputs if o.output_type == "stream" and o.name == "stderr"] == []


TAUGHT = {
    "start_here": [],
    "leaf_tensors": [
        "a.grad tensor(12.)\nb.grad tensor(8.)\nc.grad None",
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",
        "a.is_leaf True\nb.is_leaf True\nc.is_leaf False",
        "v.requires_grad False | v.grad_fn None | v.is_leaf True",
        "nn.Parameter(a * b)     requires_grad True   grad_fn False  is_leaf True",
        "y ← MulBackward0\nz ← DivBackward0\nw ← AddBackward0",
        "the same node: True\nits leaf is x: True",
        "RuntimeError: grad can be implicitly created only for scalar outputs",
        "x.grad tensor([300.0000,   0.3000])",
        "y.backward(...) raised RuntimeError: element 0 of tensors does not require grad",
        "x.grad is None and to read it is no error",
        "a leaf Variable that requires grad is being used in an in-place operation",
        "Only Tensors of floating point and complex dtype can require gradients",
        "p after the update: tensor([0.8000, 1.6000]) | is_leaf True",
        "a.grad tensor(103.)",
    ],
}


def test_a_lesson_shows_the_numbers_that_it_teaches(ran):
    lesson, (cells, _) = ran
    said = printed(cells)
    assert [fact for fact in TAUGHT[lesson.name] if fact not in said] == []


def test_links_between_notebooks_lead_to_files_that_exist():
    import re

    for path in (ROOT / "release").glob("*/*.ipynb"):
        text = "\n".join(
            c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown"
        )
        for target in re.findall(r"\]\(([^)#]+\.ipynb)\)", text):
            assert (path.parent / target).exists(), f"{path.parent.name}/{path.name} → {target}"
