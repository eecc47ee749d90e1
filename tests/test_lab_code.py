"""The PyTorch code that a lab shows is run here, and must give the numbers that the lab gave."""

import contextlib
import io

import pytest
import torch
import torch.nn.functional as F

from course import Hook, lab
from course.tracing.summary import summarize

WEIGHT = torch.tensor([0.5, -1.0])
POWER = 2


def products(a, b, d):
    c = a * b
    e = c * d
    return {"c": c, "e": e}


def plus(w, x):
    """A docstring is no code."""
    a = w + x
    b = w + 1  # a comment stays
    y = a * b
    return y


def rebinding(x, y):
    x = x * 3
    return (x + y).sum()


def early(a, flag):
    c = a * 2
    if flag:
        return c * c
    return c


# fmt: off
def at_the_margin(a):
    c = a * 2
# a comment may stand here, too
    return c * c


def in_one_line(a):
    c = a * 2; return c * c  # noqa: E702
# fmt: on


def dict_from_outside(a, b):
    tensors = {"c": a * b}
    tensors["e"] = tensors["c"].exp()
    return tensors


def with_globals(x):
    h = F.relu(x * WEIGHT) ** POWER
    return h.sum()


def noisy(x):
    kept = F.dropout(x, 0.5)
    return kept.sum()


def in_a_list(x):
    hidden = [x]
    for _ in range(3):
        hidden.append(hidden[-1] * 2)
    y = hidden[-1].sum()
    return y


SQUARES = [lambda x: (x * x).sum()]
TRIPLE = [lambda x: x * 3]


class SumNet(torch.nn.Module):
    def forward(self, a, b, c):
        return a + b + c


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.fc = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())

    def forward(self, x):
        h = self.fc(x)
        return h.sum()


def add_three(net, a, b, c):
    d = net(a, b, c)
    return d


abc = {"a": 2.0, "b": 3.0, "d": 4.0}
LABS = {
    "no hooks": lambda: lab(products, **abc),
    "the document": lambda: lab(
        products,
        **abc,
        hooks={"c": ["shift 2", "observe"], "d": "shift 100", "e": "scale 2"},
        retain=["c", "e"],
    ),
    "two backwards": lambda: lab(products, **abc, backwards=2, retain_graph=True, retain="c"),
    "a second backward that raises": lambda: lab(products, **abc, backwards=2),
    "frozen": lambda: lab(products, **abc, frozen="b", hooks={"a": "zero"}),
    "comments and a docstring": lambda: lab(plus, w=1.0, x=2.0, hooks={"w": "scale 3"}),
    "a name used again": lambda: lab(rebinding, x=[1.0, 2.0], y=1.0, hooks={"x": "clip 1"}),
    "an early return": lambda: lab(early, a=3.0, flag=True, hooks={"a": "scale 2"}),
    "a comment at the margin": lambda: lab(at_the_margin, a=2.0, hooks={"c": "scale 2"}),
    "two statements in a line": lambda: lab(in_one_line, a=2.0, hooks={"a": "scale 2"}),
    "an amount of many digits": lambda: lab(products, **abc, hooks={"c": "shift 1234567"}),
    "not finite": lambda: lab(products, a=float("inf"), b=-3.0, d=4.0),
    "a module with its hooks": lambda: lab(
        Small(), x=[1.0, -2.0], hooks={"model": "backward: zero"}
    ),
    "a module, its inputs in another order": lambda: lab(
        SumNet(), c=3.0, a=1.0, b=2.0, hooks={"model": "backward: scale 2"}
    ),
    "a dict made elsewhere": lambda: lab(dict_from_outside, a=0.5, b=1.0, hooks={"c": "scale 2"}),
    "globals": lambda: lab(with_globals, x=[3.0, -1.0], hooks={"h": "shift 1"}),
    "random numbers": lambda: lab(noisy, x=[1.0, 2.0, 3.0, 4.0]),
    "a list": lambda: lab(in_a_list, x=[1.0, 2.0], hooks={"hidden[1]": "scale 10"}),
    "a lambda": lambda: lab(SQUARES[0], x=[1.0, 2.0], hooks={"x": "scale 2"}),
    "a gradient": lambda: lab(TRIPLE[0], x=[1.0, 2.0], gradient=[100.0, 0.1]),
    "a wrong shape": lambda: lab(products, **abc, hooks={"c": "wrong shape"}),
    "in place": lambda: lab(products, **abc, hooks={"e": "edit in place 2"}, retain="e"),
    "post-accumulate": lambda: lab(products, **abc, hooks={"a": "accumulated: scale 2"}),
    "module hooks": lambda: lab(
        add_three,
        net=SumNet(),
        a=1.0,
        b=2.0,
        c=3.0,
        hooks=[
            Hook("net", "shift", 10, at="forward_pre", only=(0, 2)),
            Hook("net", "shift", 100, at="forward"),
            Hook("net", "scale", 3, at="backward", only=(1,)),
        ],
    ),
    "a module": lambda: lab(Small(), x=[1.0, -2.0], hooks={"model.fc.0": "backward: scale 2"}),
    "a large input": lambda: lab(SQUARES[0], x=torch.ones(100, requires_grad=True)),
}


def run(code, names):
    """Execute code as a notebook would; its names, and the error that it raised."""
    error = None
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(code, names)
        except RuntimeError as raised:
            error = raised
    return names, error


@pytest.mark.parametrize("name", LABS)
def test_the_code_gives_the_same_gradients_and_the_same_error(name):
    shown = LABS[name]()
    outcome, experiment = shown.outcome, shown.experiment
    notebook = {n: x for n, x in experiment.fixed.items() if isinstance(x, torch.Tensor)}
    names, error = run(shown.code, {**experiment.modules, **notebook})
    assert repr(error) == repr(outcome.error)
    assert outcome.record.tensors
    listed = {t.name: t for t in outcome.record.tensors}
    compared = 0
    for name in [*outcome.settings.requires_grad, *outcome.settings.retain]:
        mine = _named(name, names)
        assert summarize(mine.grad) == listed[name].grad_after, name
        compared += mine.grad is not None
    assert compared or outcome.error


def _named(name, names):
    if f"{name}_leaf" in names:
        return names[f"{name}_leaf"]
    head, _, path = name.partition(".")
    return names[head].get_parameter(path) if path else names[head]


def test_the_body_is_copied_as_it_was_written():
    code = lab(plus, w=1.0, x=2.0, hooks={"w": "scale 3"}, retain="y").code
    assert code == (
        "import torch\n\n"
        "w = torch.tensor(1.0, requires_grad=True)\n"
        "x = torch.tensor(2.0, requires_grad=True)\n\n"
        "a = w + x\n"
        "b = w + 1  # a comment stays\n"
        "y = a * b\n\n"
        "def hook_1(grad):\n"
        "    return grad * 3\n\n"
        "w.register_hook(hook_1)\n\n"
        "y.retain_grad()\n\n"
        "y.backward()\n\n"
        'print("w.grad =", w.grad)\n'
        'print("x.grad =", x.grad)\n'
        'print("y.grad =", y.grad)\n'
    )


def test_a_switched_off_hook_is_not_in_the_code_and_the_numbers_stay():
    hooks = [Hook("a", "scale", 2, active=False), Hook("a", "zero")]
    code = lab(products, **abc, hooks=hooks).code
    assert "hook_1" not in code and "def hook_2(grad):" in code


def test_a_hook_on_a_tensor_that_stays_inside_the_function_is_a_comment():
    code = lab(early, a=3.0, flag=True, hooks={"c": "scale 2"}).code
    assert "# inside the function: c.register_hook(hook_1)" in code
    assert "def early(a, flag):" in code


def test_the_second_backward_keeps_the_graph_only_when_asked():
    code = lab(products, **abc, backwards=3, retain_graph=True).code
    assert code.count("e.backward(retain_graph=True)\n") == 2
    assert code.count("e.backward()\n") == 1


def test_what_is_kept_of_the_body_never_outlives_the_function_or_its_globals(monkeypatch):
    shown = lab(with_globals, x=[1.0, -2.0])
    assert "POWER = 2\n" in shown.code
    monkeypatch.setitem(with_globals.__globals__, "POWER", 3)
    assert "POWER = 3\n" in shown.code

    def product(a, b):
        c = a * b
        return c

    first = lab(product, a=2.0, b=3.0).code

    def product(a, b):
        c = a + b
        return c

    assert first.replace("c = a * b", "c = a + b") == lab(product, a=2.0, b=3.0).code != first


def test_the_body_follows_the_names_that_a_run_gives():
    def named(a, by):
        return {by: a * 2, "loss": a * 3}

    assert 'b = made["b"]' in lab(named, a=1.0, by="b").code
    assert 'c = made["c"]' in lab(named, a=1.0, by="c").code
