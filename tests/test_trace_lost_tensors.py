"""Hooks on tensors that nobody holds when the trace begins."""

import torch

from course import trace


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def double(grad):
    return grad * 2


class Recorder:
    def __init__(self):
        self.norms = []

    def save(self, grad):
        self.norms.append(grad.norm().item())


def make(*hooks):
    x = leaf([1.0, 2.0])
    h = x * 3
    for hook in hooks:
        h.register_hook(hook)
    return x, (h + 1).sum()


def test_python_functions_are_seen_in_order_with_what_they_did():
    recorder = Recorder()
    x, loss = make(recorder.save, double, lambda grad, factor=5: grad * factor)
    record = trace(loss, x=x)
    hooks = [e for e in record.events if e.kind == "tensor_hook"]
    assert [(e.hook, e.target.name) for e in hooks] == [
        ("Recorder.save", "mul"),
        ("double", "mul"),
        ("<lambda>", "mul"),
    ]
    assert [e.changed for e in hooks] == [False, True, True]
    assert [e.after[0].values[0] for e in hooks] == [1.0, 2.0, 10.0]
    assert hooks[1].where == f"test_trace_lost_tensors.py:{double.__code__.co_firstlineno}"
    lost = record.tensor("mul")
    assert (lost.arrived.values, lost.passed.values) == ((1.0, 1.0), (10.0, 10.0))
    assert record.tensor("x").arrived.values == (30.0, 30.0)


def test_the_right_one_of_several_outputs_is_named():
    def make():
        x = leaf([1.0, 2.0])
        p, q = x.unbind()
        q.register_hook(double)
        return x, p + q * 3

    x, loss = make()
    record = trace(loss, x=x)
    (event,) = record.events_of("double")
    lost = record.tensor(event.target.name)
    assert lost.output == 1 and lost.passed.values == 6.0


def test_print_as_a_hook_is_seen_as_a_builtin_function(capsys):
    x, loss = make(print)
    record = trace(loss, x=x)
    (event,) = [e for e in record.events if e.kind == "tensor_hook"]
    assert event.hook == "a builtin function" and not event.changed
    assert capsys.readouterr().out == "tensor([1., 1.])\n"


def test_a_function_sees_builtin_hooks_as_well():
    kept = []
    record = trace(lambda: make(kept.append)[1])
    assert record.events_of("list.append")[0].before[0].values == (1.0, 1.0)


def test_nothing_is_taken_for_a_hook_that_is_none():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    net[1].register_full_backward_hook(lambda module, grad_input, grad_output: None)
    x = torch.ones(1, 2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 1):
        loss = net(x).sum()
    record = trace(loss)
    assert [e.hook for e in record.events if e.hook] == ["<lambda>"]
    assert not [e for e in record.events if e.kind == "tensor_hook"]
