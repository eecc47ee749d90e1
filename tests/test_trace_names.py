"""Names: given, from the caller's variables, from modules, from the graph."""

import gc
import sys
import weakref

import pytest
import torch

import course
from course import trace


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def names(record):
    return [tensor.name for tensor in record.tensors]


def test_names_are_those_of_the_callers_variables():
    w, x = leaf(1.0), leaf(2.0)
    a = w + x
    y = a * w
    assert names(trace(y)) == ["w", "x", "a", "y"]


def test_a_given_name_is_stronger_than_a_variable():
    w = leaf(1.0)
    y = w * 2
    assert names(trace(y, weight=w)) == ["weight", "y"]


def test_names_may_come_in_a_dict_as_well():
    w = leaf(1.0)
    assert names(trace(w * 2, {"inputs": w})) == ["inputs", "loss"]


def test_a_dict_may_be_filled_while_the_function_runs():
    inner = {}

    def forward():
        w = leaf(2.0)
        c = w * 3
        inner.update(w=w, c=c)
        c.register_hook(lambda grad: 1 / 0)
        c.backward()

    record = trace(forward, inner, catch=True)
    assert names(record) == ["w", "c"]
    assert record.order() == ["tensor_hook <lambda> on c"]
    assert record.tensor("c").arrived.values == 1.0


def test_a_functions_dict_names_its_tensors_and_its_last_is_the_loss():
    def forward():
        w = leaf(1.0)
        a = w * 2
        y = a * a
        return {"w": w, "a": a, "y": y, "count": 3}

    record = trace(forward)
    assert names(record) == ["w", "a", "y"]
    assert record.roots == (record.tensor("y").id,)


def test_a_function_may_return_its_variables():
    def forward():
        w = leaf(1.0)
        y = w * 2
        return locals()

    assert names(trace(forward)) == ["w", "y"]


def test_a_function_names_the_tensors_it_closes_over():
    def make():
        inner = leaf(1.0)
        return lambda: inner * 2

    assert names(trace(make())) == ["inner", "loss"]


def test_parameters_have_the_names_of_their_module():
    net = torch.nn.Sequential(torch.nn.Linear(1, 1))
    x = torch.ones(1, 1)
    assert names(trace(net(x))) == ["net.0.weight", "net.0.bias", "loss"]
    assert names(trace(net(x), net)) == ["0.weight", "0.bias", "loss"]
    assert names(trace(net(x), model=net)) == ["model.0.weight", "model.0.bias", "loss"]


def test_a_left_over_loop_variable_does_not_name_a_parameter():
    net = torch.nn.Linear(1, 1)
    for p in net.parameters():
        p.data.fill_(1.0)
    assert names(trace(net(torch.ones(1, 1)))) == ["net.weight", "net.bias", "loss"]


def test_tensors_without_a_name_are_named_by_the_graph_and_no_name_comes_twice():
    def make():
        loss = leaf(2.0) * leaf(3.0)
        loss.register_hook(lambda grad: None)
        return loss.exp()

    assert names(trace(make)) == ["mul", "leaf", "leaf 2", "loss"]


def test_a_module_that_no_variable_reaches_is_named_by_its_type():
    record = trace(lambda: torch.nn.Sequential(torch.nn.Linear(1, 1))(torch.ones(1, 1)))
    assert [m.path for m in record.modules] == ["Sequential", "Sequential.0"]
    assert [t.name for t in record.tensors if t.is_leaf] == ["leaf", "leaf 2"]


def test_reading_the_callers_variables_does_not_keep_them_alive():
    def caller():
        w = leaf(1.0)
        y = w * 2
        trace(y)
        gone = weakref.ref(y)
        del y
        gc.collect()
        return gone()

    assert caller() is None


def test_reading_the_callers_variables_leaves_their_locals_dict_alone():
    def caller():
        w = leaf(1.0)
        mine = locals()
        trace(w * 2)
        return mine

    assert "w" in caller()


def test_an_object_that_only_pretends_to_be_a_tensor_is_not_woken_up():
    class Lazy:
        @property
        def __class__(self):
            raise AssertionError("woken up")

    lazy = Lazy()  # noqa: F841 - trace looks at it
    w = leaf(1.0)
    assert names(trace(w * 2)) == ["w", "loss"]


@pytest.mark.parametrize(
    "first",
    [
        "import course",
        "from course import trace",
        "import course.tracing",
        "from course.tracing import trace",
        "import course.tracing.tracer",
        "import course.record",
    ],
)
def test_trace_is_the_function_whatever_was_imported_first(first, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "course"]:
        monkeypatch.delitem(sys.modules, name)
    exec(first, {})
    import course  # the package as this order of imports has made it
    from course import trace

    x = leaf(2.0)
    assert course.trace is trace
    assert course.trace(x * 3).tensor("x").grad_after.values == 3.0


def test_no_public_name_is_hidden_by_a_module_of_the_same_name():
    mine = ("trace", "why_none", "why_not_called", "explain", "leftover_hooks", "attach")
    for name in mine:
        home = course._HOME[name]
        assert callable(getattr(course, name)) and not home.endswith("." + name)
