"""Plots of gradients: what they show, in words and in a drawing that follows the page's theme."""

import subprocess
import sys
from xml.etree import ElementTree

import made_record
import numpy as np
import pytest

from course.drawing.plots import STAND_INS, grad_norms, histogram


def test_norms_go_from_the_input_to_the_loss_before_and_after_hooks():
    assert grad_norms(made_record.chain()).text.splitlines() == [
        "Norm of the gradient at each tensor, from the input to the loss",
        "  a  30",
        "  b  20",
        "  c  8 → 10 after its hooks",
        "  d  12 → 112 after its hooks",
        "  e  1 → 2 after its hooks",
    ]


def test_norms_of_leaves_leave_the_others_out():
    told = grad_norms(made_record.conv_net(), leaves=True).text
    assert "conv1.weight" in told and "features" not in told


def test_a_plot_has_both_markers_only_where_a_hook_changed_something():
    def legend(record):
        root = ElementTree.fromstring(grad_norms(record).svg)
        found = ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
        return [t for t in found if "gradient that" in t or "hooks" in t]

    assert legend(made_record.chain()) == ["gradient that arrived", "after its hooks"]
    assert legend(made_record.conv_net(1)) == ["gradient that arrived", "after its hooks"]
    assert legend(made_record.linear()) == ["gradient that arrived"]


def test_a_plot_takes_its_colours_from_the_page():
    for shown in (grad_norms(made_record.chain()), histogram([1.0, -2.0], [0.5, -1.0])):
        assert shown.svg and ElementTree.fromstring(shown.svg).get("role") == "img"
        assert "var(--hob-ink)" in shown.svg and "var(--hob-hook)" in shown.svg
        assert not any(colour in shown.svg for colour in STAND_INS.values())
    assert 'class="hob-plot hob hob-dark"' in grad_norms(made_record.chain(), theme="dark").svg


def test_a_plot_is_the_same_every_time():
    assert grad_norms(made_record.chain()).svg == grad_norms(made_record.chain()).svg


def test_a_histogram_tells_range_mean_zeros_and_what_it_left_out():
    values = np.array([[-1.0, 0.0], [3.0, np.nan]])
    assert histogram(values).text == (
        "gradient: 3 elements from −1 to 3, mean 0.6667, 1 are 0, 1 are nan or infinite"
    )
    assert histogram([1.0, 2.0], [1.0, 1.0]).text.splitlines() == [
        "before: 2 elements from 1 to 2, mean 1.5, 0 are 0",
        "after: 2 elements from 1 to 1, mean 1, 0 are 0",
    ]


def test_a_histogram_takes_a_tensor_that_requires_grad():
    torch = pytest.importorskip("torch")
    values = torch.tensor([1.0, -1.0], requires_grad=True)
    assert histogram(values).text.startswith("gradient: 2 elements from −1 to 1")


def test_what_cannot_be_plotted_is_refused_in_words():
    with pytest.raises(TypeError, match="this gradient is None: run backward first"):
        histogram(None)
    with pytest.raises(ValueError, match="no finite element"):
        histogram([float("nan")])
    unreached = made_record.Made()
    empty = unreached.backward(unreached.op("AddBackward0", None, None))
    with pytest.raises(ValueError, match="no gradient reached a named tensor"):
        grad_norms(empty)


def test_matplotlib_is_imported_when_a_plot_is_drawn_and_pyplot_never():
    code = (
        "import sys\nimport course.drawing.plots as plots\n"
        "assert 'matplotlib' not in sys.modules\nassert plots.histogram([1.0]).svg\n"
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "False"]
