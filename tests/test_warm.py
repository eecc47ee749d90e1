"""The warm process holds what notebooks import, and nothing that they must not see."""

import sys

import nbformat
import pytest
from nbgrader_course import REPOSITORY

from course.grading.warm_process import Orders, zygote_for
from course.lessons import LESSONS
from course.testimony import SECRET_SEED

pytestmark = [
    pytest.mark.nbgrader,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only"),
    pytest.mark.xdist_group("forks"),
]
ORDERS = Orders(
    preload=("course.warm",),
    packages=("course",),
    withheld=("lessons/*/exercises.py", "lessons/*/answers.py"),
)
IMPORTED = "import sys\nprint(*sorted(sys.modules))"
USED = """
import torch
w = torch.ones(2, requires_grad=True)
torch.optim.SGD([w], lr=0.1).zero_grad()
torch.func.vjp(torch.sin, w)
torch.autograd.grad((w * w).sum(), w)
str(w)
"""


def imported(fork):
    """The names of the modules in a fork."""
    said = []
    run(fork, -1, IMPORTED, said.append)
    return set("".join(words["output"]["text"] for words in said if "output" in words).split())


def run(fork, number, source, take=lambda words: None):
    return fork.run(number, source, seconds=60, memory=4 << 30, take=take)


@pytest.mark.parametrize("lesson", LESSONS[1:], ids=lambda lesson: lesson.name)
def test_the_exercises_of_a_lesson_import_nothing_that_is_not_there(lesson):
    notebook = nbformat.read(REPOSITORY / "source" / lesson.assignment / "exercises.ipynb", 4)
    environment = {SECRET_SEED: "a seed", "NBGRADER_EXECUTION": "autograde"}
    with zygote_for(ORDERS).fork(environment, {}) as fork:
        before = imported(fork)
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                assert not run(fork, number, cell.source).get("failed"), cell.source
        run(fork, -1, USED)
        new = imported(fork) - before
    assert not {name for name in new if name.startswith("course.")}
    assert len({name for name in new if name.startswith("torch.")}) < 6  # not the hundreds of some
    assert not any(name.endswith((".exercises", ".answers")) for name in before)
