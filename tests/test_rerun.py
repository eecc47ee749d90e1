"""A cell that runs again and again: what its former runs made does not pile up in the kernel."""

import gc

import pytest
import torch
from jupyter_client.manager import start_new_kernel

from course.radiology.measure import measure

CELLS = {
    "lab": """
from course import lab
def products(a, b, d):
    c = a * b
    e = c * d
    return e
lab(products, a=2.0, b=3.0, d=4.0, retain="c", hooks={"c": ["shift 2", "observe"], "e": "scale 2"})
""",
    "lab with a name": "L = lab(products, a=2.0, b=3.0, d=4.0, hooks={'c': 'shift 2'})\nL",
    "X-ray": "from course import xray\nxray(layer='Linear', shape=(2, 3, 10), bias=False)",
    "two in one cell": "from IPython.display import display\ndisplay(xray())\ndisplay(xray())",
    "prediction": "from course import predict\npredict('What?', ['1', '2'], why='So.')",
    "small lab": """
from course.lessons.module_hooks.depth_lab import depth_lab
depth_lab(depth=3)
""",
    "memory lab": """
from course.lessons.retain_grad.memory_lab import memory_lab
memory_lab()
""",
}
COUNT = """
import gc, torch
from ipywidgets.widgets.widget import _instances

def living():
    gc.collect()
    tensors = [o for o in gc.get_objects() if type(o) in (torch.Tensor, torch.nn.Parameter)]
    return len(_instances), len(tensors), sum(bool(t._backward_hooks) for t in tensors)

print(*living())
"""


@pytest.fixture(scope="module")
def run():
    """Run code as a cell of a notebook does, in a real kernel; gives what it printed."""
    manager, client = start_new_kernel(kernel_name="python3")

    def run(code, cell):
        request = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        sent = client.session.msg("execute_request", request, metadata={"cellId": cell})
        client.shell_channel.send(sent)
        printed = ""
        while True:
            said = client.get_iopub_msg(timeout=60)
            if said["parent_header"].get("msg_id") != sent["header"]["msg_id"]:
                continue
            content = said["content"]
            assert said["msg_type"] != "error", "\n".join(content["traceback"])
            printed += content["text"] if said["msg_type"] == "stream" else ""
            if content.get("execution_state") == "idle":
                return printed

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def counted(run):
    return tuple(map(int, run(COUNT, "count").split()))


@pytest.mark.parametrize("name", CELLS)
def test_ten_runs_leave_as_much_as_one(run, name):
    run(CELLS[name], name)
    widgets, tensors, hooked = counted(run)
    for _ in range(10):
        run(CELLS[name], name)
    assert counted(run) == (widgets, tensors, hooked)
    assert widgets >= 2  # it was there: a widget and its layout


def test_two_cells_with_the_same_code_keep_one_lab_each(run):
    before, *_ = counted(run)
    for cell in ("one", "another", "one", "another"):
        run(CELLS["lab"], cell)
    after, *_ = counted(run)
    assert after == before + 4


def test_a_lab_that_was_closed_still_answers_for_itself(run):
    run("def half(x):\n    return x / 2\n\nfirst = lab(half, x=3.0)\nfirst", "half")
    run("old = first\nlab(half, x=5.0)", "half")
    said = run("print(old.outcome.tensors['result'].item(), 'x / 2' in old.code)", "asked")
    assert said == "1.5 True\n"


def test_a_prediction_whose_widget_was_closed_is_revealed_in_the_living_one(run):
    for _ in range(2):
        run("asked = predict('How many?', ['1', '2'])\nasked", "asked first")
    assert run("print(len(asked.widgets))\nasked.reveal('1')", "revealed").startswith("1\n")


def test_an_xray_leaves_nothing_behind():
    def tensors():
        gc.collect()
        return sum(type(o) in (torch.Tensor, torch.nn.Parameter) for o in gc.get_objects())

    measure(torch.nn.Linear(10, 3), torch.randn(2, 10))
    before = tensors()
    for _ in range(10):
        measure(torch.nn.Linear(10, 3), torch.randn(2, 10))
    assert tensors() == before
