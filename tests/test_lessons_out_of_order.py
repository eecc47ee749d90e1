"""A learner goes back and runs a cell again: every cell of a lesson bears that, in any order.

After a run from top to bottom, each code cell runs a second time, the last one first; then each
section, the last one first. No cell may raise, and no hook may be left behind.
"""

import nbformat
import pytest
from nbclient import NotebookClient

from course.build import ROOT
from course.lessons import LESSONS

# How many hooks there are: for every module; on modules and leaves that names or lists of the
# notebook hold. (A lab keeps the tensors of its own last run, with the hooks on them.)
COUNT = """\
def _count():
    import torch
    from course.registered import hooks_on, hooks_on_every_module
    found = [v for name, v in globals().items() if name[0] != "_" and name not in ("In", "Out")]
    for value in found:
        if isinstance(value, (list, tuple, dict)):
            found += value.values() if isinstance(value, dict) else value
        elif isinstance(value, torch.nn.Module):
            found += [*value.children(), *value.parameters(recurse=False)]
    leaves = [v for v in found if isinstance(v, torch.Tensor) and v.is_leaf]
    owners = [v for v in found if isinstance(v, torch.nn.Module)] + leaves
    owners = {id(owner): owner for owner in owners}.values()
    everywhere = sum(len(place.hooks) for place in hooks_on_every_module())
    print(everywhere, sum(len(place.hooks) for owner in owners for place in hooks_on(owner)))
_count()
"""


def sections(cells):
    """The code cells of a notebook, below each heading."""
    found = [[]]
    for cell in cells:
        if cell.cell_type == "code":
            found[-1].append(cell)
        elif cell.source.startswith("#") or "\n## " in cell.source:
            found.append([])
    return found


class Kernel:
    """One kernel. What cells raised in it is in `raised`."""

    def __init__(self, client):
        self.client, self.raised = client, []

    def run(self, cells, order):
        for cell in cells:
            self.client.nb = nbformat.v4.new_notebook(cells=[cell])
            self.client.execute_cell(cell, 0)
            self.raised += [
                f"{order}: {out.ename}: {out.evalue} in\n{cell.source}"
                for out in cell.outputs
                if out.output_type == "error"
            ]

    def hooks(self):
        """For every module, and on what names hold."""
        cell = nbformat.v4.new_code_cell(COUNT)
        self.run([cell], "the count of hooks")
        return tuple(map(int, "".join(out.text for out in cell.outputs).split()))


def run_in_any_order(path):
    """What was raised, and how many hooks there were after each order."""
    client = NotebookClient(
        nbformat.read(path, 4), timeout=60, kernel_name="python3", allow_errors=True
    )
    parts = sections(client.nb.cells)
    cells = [cell for part in parts for cell in part]
    orders = {
        "from top to bottom": cells,
        "single cells backwards": cells[::-1],
        "sections backwards": [cell for part in parts[::-1] for cell in part],
    }
    with client.setup_kernel(cwd=str(path.parent)):
        kernel, hooks = Kernel(client), {}
        for order, again in orders.items():
            kernel.run(again, order)
            hooks[order] = kernel.hooks()
    return kernel.raised, hooks


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_cells_run_again_in_any_order(lesson):
    raised, hooks = run_in_any_order(ROOT / "release" / lesson.assignment / "lesson.ipynb")
    assert raised == []
    assert [everywhere for everywhere, _ in hooks.values()] == [0, 0, 0]
    on_names = [count for _, count in hooks.values()]
    assert max(on_names) == on_names[0], "hooks pile up"


LEAVES_A_HOOK = """
net = globals().get("net") or torch.nn.Linear(1, 1)
net.register_forward_hook(print)
"""


def test_a_cell_that_cannot_run_again_and_a_hook_left_behind_are_found(tmp_path):
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_markdown_cell("# One"),
        nbformat.v4.new_code_cell("import torch\ny = torch.ones(1, requires_grad=True).exp()"),
        nbformat.v4.new_markdown_cell("## Two"),
        nbformat.v4.new_code_cell("y.backward()"),
        nbformat.v4.new_code_cell(LEAVES_A_HOOK),
        nbformat.v4.new_code_cell("torch.nn.modules.module.register_module_forward_hook(print)"),
    ]
    nbformat.write(book, tmp_path / "lesson.ipynb")
    raised, hooks = run_in_any_order(tmp_path / "lesson.ipynb")
    assert [words.partition(" in\n")[2] for words in raised] == ["y.backward()"]
    assert list(hooks.values()) == [(1, 1), (2, 2), (3, 3)]
