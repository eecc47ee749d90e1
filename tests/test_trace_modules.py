"""What a trace sees of modules: their hooks of every kind, their calls, the nodes they made."""

import warnings

import pytest
import torch
from torch.nn.modules import module as torch_module
from torch.utils.checkpoint import checkpoint

from course import trace


def look(*args):
    pass


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)
        self.act = torch.nn.Tanh()

    def forward(self, x):
        return self.act(self.fc(x))


def hooks_only(record):
    return [line for line, e in zip(record.order(), record.events, strict=True) if e.hook]


def test_the_hooks_of_a_parent_enclose_those_of_its_child():
    net = Block()
    for module in (net, net.fc):
        module.register_forward_pre_hook(look)
        module.register_forward_hook(look)
        module.register_full_backward_pre_hook(look)
        module.register_full_backward_hook(look)
    x = torch.ones(1, 2, requires_grad=True)
    record = trace(lambda: net(x).sum())
    assert [(e.phase, line) for e, line in zip(record.events, record.order(), strict=True)] == [
        ("forward", "forward_pre_hook look on net"),
        ("forward", "forward_pre_hook look on net.fc"),
        ("forward", "forward_hook look on net.fc"),
        ("forward", "forward_hook look on net"),
        ("backward", "node on SumBackward0"),
        ("backward", "node on BackwardHookFunctionBackward"),
        ("backward", "full_backward_pre_hook look on net"),
        ("backward", "node on TanhBackward0"),
        ("backward", "node on BackwardHookFunctionBackward"),
        ("backward", "full_backward_pre_hook look on net.fc"),
        ("backward", "node on AddmmBackward0"),
        ("backward", "accumulate on net.fc.bias"),
        ("backward", "node on TBackward0"),
        ("backward", "accumulate on net.fc.weight"),
        ("backward", "node on BackwardHookFunctionBackward"),
        ("backward", "full_backward_hook look on net.fc"),
        ("backward", "node on BackwardHookFunctionBackward"),
        ("backward", "full_backward_hook look on net"),
        ("backward", "accumulate on x"),
    ]


def test_what_module_hooks_replace_is_before_and_after():
    fc = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.constant_(fc.weight, 2.0)
    fc.register_forward_pre_hook(lambda module, args: (args[0] + 10,))
    fc.register_forward_hook(lambda module, args, output: output + 100)
    fc.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 3,))
    fc.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] + 1,))
    x = torch.ones(1, 1, requires_grad=True)
    record = trace(lambda: fc(x))

    def told(event):
        numbers = [[s.values[0][0] for s in group] for group in (event.before, event.after)]
        return event.kind, *numbers, event.changed

    assert [told(e) for e in record.events if e.hook] == [
        ("forward_pre_hook", [1.0], [11.0], True),
        ("forward_hook", [22.0], [122.0], True),
        ("full_backward_pre_hook", [1.0], [3.0], True),
        ("full_backward_hook", [6.0], [7.0], True),
    ]
    assert record.events_of("fc", "full_backward_hook")[0].beside[0].values == ((3.0,),)
    assert record.events_of("fc", "forward_hook")[0].beside[0].values == ((11.0,),)
    assert x.grad.item() == 7.0
    assert record.edges_to(record.tensor("x").node)[0].gradient.values == ((7.0,),)


def test_module_hooks_know_their_handles():
    fc = torch.nn.Linear(1, 1)
    handles = [
        fc.register_forward_pre_hook(look),
        fc.register_forward_hook(lambda module, args, output: None),
        fc.register_full_backward_pre_hook(look),
        fc.register_full_backward_hook(look),
    ]
    x = torch.ones(1, 1, requires_grad=True)
    record = trace(lambda: fc(x))
    assert [e.handle for e in record.events if e.hook] == [handle.id for handle in handles]


def test_a_legacy_hook_reports_the_module_and_the_last_node():
    fc = torch.nn.Linear(2, 1)
    fc.register_backward_hook(look)
    x = torch.ones(1, 2, requires_grad=True)
    with pytest.warns(FutureWarning):
        record = trace(lambda: fc(x))
    (event,) = record.events_of("fc", "legacy_backward_hook")
    assert [s.shape for s in event.before] == [(1,), (1, 2), (2, 1)]  # bias, input, weight.t()
    assert record.events[event.seq - 1].target.name == "AddmmBackward0"
    assert record.warnings[0].startswith("FutureWarning: Using a non-full backward hook")


def test_keyword_hooks_and_hooks_for_every_module_are_seen():
    fc = torch.nn.Linear(1, 1)
    fc.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"input": kwargs["input"] * 2}), with_kwargs=True
    )
    fc.register_forward_hook(
        lambda module, args, kwargs, output: None, with_kwargs=True, always_call=True
    )
    x = torch.ones(1, 1, requires_grad=True)
    with (
        torch_module.register_module_forward_pre_hook(look),
        torch_module.register_module_forward_hook(look),
        torch_module.register_module_full_backward_hook(look),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # no input is given by position
        record = trace(lambda: torch.sigmoid(fc(input=x)))
    assert hooks_only(record)[:4] == [
        "forward_pre_hook look on fc",
        "forward_pre_hook <lambda> on fc",
        "forward_hook look on fc",
        "forward_hook <lambda> on fc",
    ]
    (pre,) = record.events_of("<lambda>", "forward_pre_hook")
    assert (pre.before[0].values, pre.after[0].values) == (((1.0,),), ((2.0,),))


def test_calling_forward_itself_passes_every_module_hook():
    fc = torch.nn.Linear(1, 1)
    fc.register_forward_hook(look)
    x = torch.ones(1, 1, requires_grad=True)
    record = trace(lambda: fc.forward(x))
    assert hooks_only(record) == [] and record.modules == ()


def test_calls_are_counted_and_nodes_belong_to_the_innermost_module():
    net = Block()
    x = torch.ones(1, 2, requires_grad=True)
    record = trace(lambda: (net(net(x)) * 2).sum())
    assert [(m.path, m.type, m.calls) for m in record.modules] == [
        ("net", "Block", 2),
        ("net.fc", "Linear", 2),
        ("net.act", "Tanh", 2),
    ]
    made = {n.name: n.module for n in record.nodes}
    assert made["TanhBackward0"] == "net.act"
    assert made["AddmmBackward0"] == made["TBackward0"] == "net.fc"
    assert made["MulBackward0"] is None


def test_what_a_module_returned_has_a_value_and_a_gradient():
    net = Block()
    x = torch.ones(1, 2, requires_grad=True)
    record = trace(lambda: (net(x) * 3).sum())
    output = record.tensor("net.act.output")
    assert output.value.shape == (1, 2) and output.arrived.values == ((3.0, 3.0),)


def test_a_graph_made_before_the_trace_goes_to_modules_by_its_parameters():
    net = Block()
    x = torch.ones(1, 2, requires_grad=True)
    record = trace(net(x).sum(), net)
    made = {n.name: n.module for n in record.nodes if n.kind == "operation"}
    assert made == {
        "SumBackward0": None,
        "TanhBackward0": None,
        "AddmmBackward0": "fc",
        "TBackward0": "fc",
    }


def test_a_shared_weight_gets_one_gradient_from_all_its_uses():
    fc = torch.nn.Linear(2, 2, bias=False)
    fc.weight.register_hook(look)
    x = torch.ones(1, 2, requires_grad=True)
    record = trace(lambda: fc(fc(x)).sum())
    assert len(record.events_of("fc.weight", "tensor_hook")) == 1
    assert len(record.edges_to(record.tensor("fc.weight").node)) == 2


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_runs_forward_again_inside_backward(use_reentrant):
    net = Block()
    net.fc.register_forward_hook(look)
    net.fc.weight.register_hook(look)
    x = torch.ones(1, 2, requires_grad=True)
    record = trace(lambda: checkpoint(net, x, use_reentrant=use_reentrant).sum())
    assert [(e.phase, line) for e, line in zip(record.events, record.order(), strict=True)][:3] == [
        ("forward", "forward_hook look on net.fc"),
        ("backward", "node on SumBackward0"),
        ("recompute", "forward_hook look on net.fc"),
    ]
    order = record.order()
    assert order.index("tensor_hook look on net.fc.weight") < order.index(
        "accumulate on net.fc.weight"
    )
    assert {e.backward for e in record.events[1:]} == {1}
    custom = [n.name for n in record.nodes if n.kind == "custom"]
    assert custom == (["CheckpointFunctionBackward"] if use_reentrant else [])
    assert all(n.ran for n in record.nodes)


def test_an_error_in_a_forward_hook_ends_the_trace_with_its_event():
    fc = torch.nn.Linear(1, 1)
    fc.register_forward_hook(lambda module, args, output: 1 / 0)
    record = trace(lambda: fc(torch.ones(1, 1)), catch=True)
    (event,) = record.events
    assert event.error == "ZeroDivisionError: division by zero"
    assert (record.error.type, record.error.event) == ("ZeroDivisionError", 0)
