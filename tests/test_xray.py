"""The X-ray says what torch's backward hooks receive, and changes nothing by looking."""

import json
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
import torch
from torch import nn

from course import radiology, xray
from course.radiology.measure import measure
from course.radiology.settings import LAYERS, Settings
from course.radiology.widget import XRayWidget

LINES = Path(__file__).with_name("received_on_torch_2_13.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]
EVERY = [
    Settings(layer, shape, *switches)
    for layer, (_, shapes) in LAYERS.items()
    for shape in shapes
    for switches in product((True, False), repeat=3)
]


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def tensor(shape, requires_grad, contiguous=True):
    *front, last = shape
    x = torch.randn(shape) if contiguous else torch.randn(*front, 2 * last)[..., ::2]
    return x.requires_grad_(requires_grad)


def plain(elements):
    return [e.shape and [list(e.shape), sorted(e.names)] for e in elements]


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13."), reason="these rows were measured on torch 2.13"
)
@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['module']}-{r['shape']}-{r['hook']}")
def test_a_hook_receives_what_was_measured_on_torch_2_13(row):
    x = tensor(row["shape"], row["requires_grad"], row["contiguous"])
    received = getattr(measure(eval(row["module"]), x), row["hook"])
    assert {
        "grad_fn": received.grad_fn,
        "next_nodes": list(received.next_nodes),
        "grad_input": plain(received.grad_input),
        "grad_output": plain(received.grad_output),
    } == {key: row[key] for key in ("grad_fn", "next_nodes", "grad_input", "grad_output")}


def test_the_rows_hold_both_hooks_of_33_combinations():
    assert [len(ROWS), [row["hook"] for row in ROWS]] == [66, ["legacy", "full"] * 33]


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_the_full_hook_always_receives_the_gradients_of_the_input_and_the_output(settings):
    full = measure(*settings.build()).full
    [given], [gradient] = full.grad_input, full.grad_output
    assert full.calls == 1
    assert "output" in gradient.names
    if settings.requires_grad:
        assert given.shape == settings.shape
        assert "input" in given.names
    else:
        assert given.shape is None


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_the_legacy_hook_receives_what_the_last_node_hands_on(settings):
    legacy = measure(*settings.build()).legacy
    assert legacy.calls == 1
    assert [node.hooked for node in legacy.chain] == [True] + [False] * (len(legacy.chain) - 1)
    assert legacy.chain[0].name == legacy.grad_fn
    reached = [node is not None for node in legacy.next_nodes]
    assert [e.shape is not None for e in legacy.grad_input] == reached
    assert all(e.names for e in legacy.grad_input if e.shape is not None)
    assert legacy.warnings[0].startswith("FutureWarning: Using a non-full backward hook")


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_the_code_of_the_controls_prints_what_the_x_ray_says(settings, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(settings.code, {})
    measured, expected = measure(*settings.build()), []
    for received, kind in (
        (measured.legacy, "register_backward_hook"),
        (measured.full, "register_full_backward_hook"),
    ):
        expected += [received.grad_fn, f"{kind} {[e.shape for e in received.grad_input]}"]
    assert capsys.readouterr().out.splitlines() == expected


def names(module, x, kind="legacy"):
    return [e.names[:1] for e in getattr(measure(module, x), kind).grad_input]


def test_the_order_of_linear_is_not_the_order_of_conv2d():
    linear = names(nn.Linear(4, 3), tensor((2, 4), True))
    conv = names(nn.Conv2d(2, 3, 3), tensor((1, 2, 5, 5), True))
    assert linear == [("bias",), ("input",), ("weight.T",)]
    assert conv == [("input",), ("weight",), ("bias",)]


def test_a_sequential_shows_the_last_node_of_its_last_layer():
    net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
    x = tensor((5, 4), True)
    assert names(net, x) == [("1.bias",), ("input of 1",), ("1.weight.T",)]
    assert names(net, x, "full") == [("input",)]


def test_a_gradient_that_belongs_to_nothing_known_gets_no_name():
    class Scaled(nn.Module):
        def forward(self, x):
            return 2 * (3 * x)

    assert names(Scaled(), tensor((4,), True))[0] == ()


def test_a_square_weight_is_told_from_its_transpose():
    assert names(nn.Linear(3, 3), tensor((2, 3), True))[2] == ("weight.T",)


@pytest.mark.parametrize(
    ("module", "x"),
    [
        (nn.LSTM(2, 3), tensor((4, 1, 2), True)),
        (nn.Embedding(5, 2), torch.tensor([1, 2])),
        (nn.Dropout(0.5), tensor((4,), True)),
        (nn.BatchNorm1d(4), tensor((5, 4), True)),
        (nn.Sequential(nn.Linear(4, 3), nn.ReLU(inplace=False)), tensor((2, 4), False)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_modules_of_all_kinds_can_be_looked_through(module, x):
    measured = measure(module, x)
    assert (measured.legacy.calls, measured.full.calls) == (1, 1)
    assert all(e.names for e in measured.full.grad_input if e.shape is not None)


def test_a_module_that_gives_back_a_leaf_has_no_node_for_a_legacy_hook():
    measured = measure(nn.Identity(), tensor((3,), True))
    assert (measured.legacy.calls, measured.legacy.chain) == (0, ())
    assert measured.full.calls == 1


def test_looking_changes_neither_the_module_nor_the_input_nor_the_random_numbers():
    net, x = (
        nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Dropout(0.5)),
        tensor((5, 4), True),
    )
    called = []
    net[0].register_full_backward_hook(lambda *_: called.append("the learner's own hook"))
    before = [x.detach().clone(), *(t.clone() for t in net.state_dict().values())]
    state = torch.get_rng_state()
    measure(net, x)
    assert torch.equal(torch.get_rng_state(), state)
    after = [x.detach(), *net.state_dict().values()]
    assert all(torch.equal(*pair) for pair in zip(before, after, strict=True))
    assert [x.grad, *(p.grad for p in net.parameters())] == [None] * 5
    assert [len(part._backward_hooks) for part in net.modules()] == [0, 1, 0, 0]
    assert called == []


def test_the_layout_of_the_input_is_kept():
    measured = measure(nn.Linear(10, 3), torch.randn(3, 2, 10).transpose(0, 1).requires_grad_())
    assert not measured.contiguous
    assert len(measured.legacy.grad_input) == 2


def test_where_nothing_requires_a_gradient_one_sentence_says_so():
    with pytest.raises(ValueError, match="Nothing here requires a gradient"):
        measure(nn.Linear(2, 2).requires_grad_(False), tensor((1, 2), False))


def test_the_text_names_node_shapes_and_gradients():
    text = re.sub(r"torch \S+|Backward\d", "", xray(shape=(4, 10)).text)
    assert text.splitlines()[2:13] == [
        "Legacy hook: register_backward_hook",
        "  It ran on Addmm. grad_input has 3 elements.",
        "    Addmm  ◀ the hook runs here",
        "      AccumulateGrad  (bias)",
        "      AccumulateGrad  (input)",
        "      T",
        "        AccumulateGrad  (weight)",
        "  grad_input",
        "    [0] (3,)  gradient of bias",
        "    [1] (4, 10)  gradient of input",
        "    [2] (10, 3)  gradient of weight, transposed",
    ]


class Balance(HTMLParser):
    """Notes each tag that is closed in another order than it was opened."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.text = [], [], ""

    def handle_starttag(self, tag, _):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("layer", LAYERS)
def test_the_html_is_well_formed_and_names_every_node(layer):
    shown = xray(layer=layer, shape=LAYERS[layer][1][-1])
    page = Balance()
    page.feed(shown.html)
    assert (page.open, page.wrong) == ([], [])
    chain = shown.measured.legacy.chain + shown.measured.full.chain
    assert all(page.text.count(node.name) for node in chain)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"layer": "Conv9d"}, "no layer 'Conv9d' here: Linear, "),
        ({"shape": (4, 11)}, "Linear takes no input"),
        ({"rank": 3}, "knows these settings: layer, shape, bias"),
        ({"module": nn.Linear(2, 2)}, "a module and its input"),
        ({"module": nn.Linear(2, 2), "x": tensor((1, 2), True), "bias": False}, "settings are for"),
    ],
)
def test_a_wrong_call_is_refused_in_one_sentence(wrong, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        xray(**wrong)


def test_a_moved_control_is_measured_again():
    widget = XRayWidget(xray())
    settings = Settings("Conv2d", (2, 5, 5), bias=False).to_json()
    widget.answer(None, {"settings": settings, "seq": "me:1"}, None)
    assert widget.shown["seq"] == "me:1"
    assert widget.shown["settings"] == settings
    assert "Conv2d" in widget.shown["words"]
    assert json.loads(json.dumps(widget.shown)) == widget.shown


def test_every_class_that_the_script_uses_is_in_the_style_sheet():
    script = Path(radiology.__file__).with_name("xray.js").read_text("utf-8")
    named = re.findall(r'className: "([^"]+)"', script)
    classes = {name for names in named for name in names.split()} - {"hl-xray"}
    assert [name for name in sorted(classes) if f".{name}" not in XRayWidget._css] == []


def test_a_shape_that_the_new_layer_does_not_take_becomes_its_first_shape():
    said = {**Settings().to_json(), "layer": "Conv1d"}
    assert Settings.from_json(said).shape == (1, 2, 7)


def test_a_request_that_fails_is_still_answered():
    widget = XRayWidget(xray())
    widget.answer(None, {"settings": {"layer": "none"}, "seq": "me:2"}, None)
    assert widget.shown["seq"] == "me:2"
    assert "KeyError" in widget.shown["picture"]


def test_outside_a_notebook_nothing_is_shown_or_measured(capsys):
    shown = xray()
    shown._ipython_display_()
    assert "measured" not in vars(shown)
    assert capsys.readouterr() == ("", "")


def test_the_name_costs_neither_torch_nor_widgets():
    code = "import sys, course; course.xray(); print({'torch', 'anywidget'} & {*sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"
