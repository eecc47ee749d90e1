"""What SafeExecute takes in from a kernel while a cell runs."""

import json

import pytest
from nbgrader_course import code, notebook

from course.grading.cold import ColdExecute as SafeExecute

pytestmark = pytest.mark.nbgrader
FLOOD = "for _ in range(300):\n    display({'text/html': 'x' * 10_000}, raw=True)"


@pytest.fixture(scope="module")
def outputs():
    """The outputs of a few cells, run without nbgrader around them."""
    cells = [
        code(f"{FLOOD}\nget_ipython().displayhook(1.5)\n{FLOOD}\nraise ValueError('at last')"),
        code("print('x' * 5_000_000)\n1 + 1"),
        code("display({'text/plain': 5}, raw=True)\nprint('still here')"),
        code("quit()"),
        code("print('not reached')"),
    ]
    execute = SafeExecute(max_received_bytes=100_000, shutdown_kernel="immediate")
    nb, _ = execute.preprocess(notebook(cells), {"metadata": {"path": ""}})
    return [cell.outputs for cell in nb.cells]


def kinds(outputs):
    return [output.output_type for output in outputs if output.output_type != "display_data"]


def test_a_flood_is_dropped_and_what_decides_is_not(outputs):
    assert kinds(outputs[0]) == ["execute_result", "error"]
    assert outputs[0][-1].evalue == "at last"
    assert 90_000 < len(json.dumps(outputs[0])) < 150_000


def test_every_cell_has_its_own_room_and_a_long_output_is_cut_not_dropped(outputs):
    assert kinds(outputs[1]) == ["stream", "execute_result"]
    assert 50_000 < len(outputs[1][0].text) < 110_000
    assert outputs[1][1].data == {"text/plain": "2"}


def test_output_that_no_notebook_can_hold_does_not_take_the_rest_with_it(outputs):
    assert "".join(output.text for output in outputs[2]) == "still here\n"  # in one piece or two


def test_quit_ends_the_notebook_at_once_and_says_so(outputs):
    assert [output.evalue for output in outputs[3]] == [
        "cell 4 ended the kernel with quit() or exit()"
    ]
    assert outputs[4] == []
