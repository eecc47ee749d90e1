"""What a trace sees of tensors, their hooks and the graph, and in which order."""

import pytest
import torch

from course import trace


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def double(grad):
    return grad * 2


def triple(grad):
    return grad * 3


def add_two(grad):
    return grad + 2


def add_hundred(grad):
    return grad + 100


def look(grad):
    pass


def test_a_hook_on_a_leaf_is_seen_between_the_gradient_and_grad():
    w, x = leaf(1.0), leaf(2.0)
    a, b = w + x, w + 1
    y = a * b
    w.register_hook(triple)
    record = trace(y)
    assert record.order() == [
        "node on MulBackward0",
        "node on AddBackward0",
        "node on AddBackward0",
        "tensor_hook triple on w",
        "accumulate on w",
        "accumulate on x",
    ]
    w_ = record.tensor("w")
    assert (w_.arrived.values, w_.passed.values, w_.grad_after.values) == (5.0, 15.0, 15.0)
    assert record.tensor("x").grad_after.values == 2.0
    assert record.tensor("a").grad_after is None
    assert (w.grad.item(), x.grad.item()) == (15.0, 2.0)


def test_hooks_of_one_tensor_run_in_order_and_retain_grad_after_them():
    a, b, d = leaf(2.0), leaf(3.0), leaf(4.0)
    c = a * b
    c.retain_grad()
    c.register_hook(add_two)
    c.register_hook(look)
    e = c * d
    e.retain_grad()
    e.register_hook(double)
    d.register_hook(add_hundred)
    record = trace(e)
    assert record.order() == [
        "tensor_hook double on e",
        "retain_grad on e",
        "node on MulBackward0",
        "tensor_hook add_hundred on d",
        "accumulate on d",
        "tensor_hook add_two on c",
        "tensor_hook look on c",
        "retain_grad on c",
        "node on MulBackward0",
        "accumulate on a",
        "accumulate on b",
    ]
    assert [event.before[0].values for event in record.events_of("c")] == [8.0, 10.0, 10.0]
    assert {t.name: t.grad_after.values for t in record.tensors} == {
        "a": 30.0,
        "b": 20.0,
        "d": 112.0,
        "c": 10.0,
        "e": 2.0,
    }


def test_node_hooks_and_post_accumulate_hooks_have_their_place_in_the_order():
    w = leaf(3.0)
    y = w * w
    y.grad_fn.register_prehook(lambda grads: None)
    y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (grad_inputs[0] * 2, None))
    y.register_hook(look)
    w.register_hook(look)
    w.register_post_accumulate_grad_hook(lambda w: w.grad.mul_(10) and None)
    y.retain_grad()
    record = trace(y)
    assert record.order() == [
        "tensor_hook look on y",
        "retain_grad on y",
        "node_pre_hook <lambda> on MulBackward0",
        "node on MulBackward0",
        "node_hook <lambda> on MulBackward0",
        "tensor_hook look on w",
        "accumulate on w",
        "post_accumulate_hook <lambda> on w",
    ]
    node, node_hook = record.events[3:5]
    assert [s.values for s in node.before] == [1.0]
    assert [s.values for s in node.after] == [3.0, 3.0]
    assert node_hook.after[0].values == 6.0 and node_hook.after[1] is None and node_hook.changed
    accumulate, post = record.events[-2:]
    assert (accumulate.before[0].values, accumulate.after[0].values) == (6.0, 6.0)
    assert (post.before[0].values, post.after[0].values) == (6.0, 60.0)
    assert post.in_place and record.tensor("w").grad_after.values == 60.0


@pytest.mark.parametrize(
    ("hook", "after", "changed", "in_place", "returned"),
    [
        (lambda grad: None, 1.0, False, False, "None"),
        (lambda grad: grad, 1.0, False, False, "Tensor"),
        (lambda grad: grad * 2, 2.0, True, False, "Tensor"),
        (lambda grad: grad.clone(), 1.0, False, False, "Tensor"),
        (lambda grad: grad.mul_(2) and None, 2.0, True, True, "None"),
        (lambda grad: grad.mul_(2), 2.0, True, True, "Tensor"),
        (lambda grad: grad.data.mul_(2) and None, 2.0, True, True, "None"),
        (lambda grad: grad.mul_(2) * 3, 6.0, True, True, "Tensor"),
    ],
)
def test_what_a_hook_did_is_told_apart(hook, after, changed, in_place, returned):
    x = leaf(1.0)
    x.register_hook(hook)
    (event,) = trace(x * 1, x=x).events_of("x", "tensor_hook")
    assert event.after[0].values == after
    assert (event.changed, event.in_place, event.returned) == (changed, in_place, returned)


def test_a_permuted_large_gradient_counts_as_changed():
    x = torch.arange(100.0).requires_grad_()
    x.register_hook(lambda grad: grad.flip(0))
    record = trace((x * torch.arange(100.0)).sum())
    assert record.events_of("x", "tensor_hook")[0].changed


def test_a_hook_is_told_with_the_place_where_it_was_written():
    x = leaf(1.0)
    x.register_hook(look)
    (event,) = trace(x * 1).events_of("look")
    assert event.where == f"test_trace.py:{look.__code__.co_firstlineno}"


def test_a_hook_knows_the_handle_that_removes_it():
    x = leaf(1.0)
    handle = x.register_hook(look)
    (event,) = trace(x * 1).events_of("look")
    assert event.handle == handle.id


def test_edges_hold_what_flowed_on_each_and_the_tensor_what_came_in_all():
    a = leaf(2.0)
    b = a * 3
    c = b * b + b
    b.register_hook(double)
    record = trace(c)
    b_ = record.tensor("b")
    flowed = [(e.gradient.values, e.after_hooks.values) for e in record.edges_to(b_.node)]
    assert sorted(flowed) == [(1.0, 26.0), (6.0, 26.0), (6.0, 26.0)]
    assert (b_.arrived.values, b_.passed.values) == (13.0, 26.0)
    (edge,) = record.edges_to(record.tensor("a").node)
    assert edge.gradient.values == 78.0 and edge.after_hooks is None


def test_tensors_say_what_they_are():
    x = leaf([1.0, 2.0])
    data = torch.ones(2)
    y = x * data
    y.retain_grad()
    record = trace(y.sum(), x=x, data=data, y=y)
    facts = {t.name: (t.is_leaf, t.requires_grad, t.retains_grad) for t in record.tensors}
    assert facts == {
        "x": (True, True, False),
        "data": (True, False, False),
        "y": (False, True, True),
        "loss": (False, True, False),
    }
    assert record.tensor("y").grad_fn == "MulBackward0"
    assert record.tensor("data").node is None
    assert record.node(record.tensor("x").node).kind == "accumulate"
    assert record.tensor("y").value.values == (1.0, 2.0)


def test_grad_before_and_after_show_that_grad_accumulates():
    x = leaf([100.0, 0.1])
    for before, after in ((None, (100.0, 0.5)), ((100.0, 0.5), (200.0, 1.0))):
        x_ = trace(x * 1, gradient=torch.tensor([100.0, 0.5])).tensor("x")
        assert (x_.grad_before and x_.grad_before.values) == before
        assert x_.grad_after.values == after


def test_several_roots_run_in_one_backward():
    x = leaf(2.0)
    y, z = x * 3, x * x
    record = trace([y, z], gradient=[torch.tensor(1.0), torch.tensor(10.0)])
    assert record.roots == (record.tensor("y").id, record.tensor("z").id)
    assert record.tensor("x").arrived.values == 43.0
    assert x.grad.item() == 43.0


def test_a_root_may_be_a_leaf():
    x = leaf(2.0)
    x.register_hook(double)
    record = trace(x)
    assert record.order() == ["tensor_hook double on x", "accumulate on x"]
    assert record.tensor("x").grad_after.values == 2.0


def test_inputs_limits_the_backward_and_the_rest_has_not_run():
    x, y = leaf(2.0), leaf(3.0)
    record = trace(x * y, inputs=[x])
    assert [n.ran for n in record.nodes if n.kind == "accumulate"] == [True, False]
    assert record.tensor("y").grad_after is None and y.grad is None
    assert record.tensor("x").grad_after.values == 3.0


def test_autograd_grad_in_a_function_is_seen_and_fills_no_grad():
    x = leaf(3.0)
    x.register_hook(double)
    grads = []
    record = trace(lambda: grads.extend(torch.autograd.grad(x * x, x)))
    assert record.order() == ["node on MulBackward0", "tensor_hook double on x"]
    assert grads[0].item() == 12.0 and record.tensor("x").grad_after is None


def test_each_backward_of_a_function_has_its_number():
    x = leaf(3.0)

    def twice():
        y = x * x
        y.backward(retain_graph=True)
        y.backward()

    record = trace(twice)
    assert [(e.backward, e.kind) for e in record.events] == [
        (1, "node"),
        (1, "accumulate"),
        (2, "node"),
        (2, "accumulate"),
    ]
    assert record.tensor("x").grad_after.values == 12.0


def test_a_double_backward_is_seen_with_the_nodes_that_the_first_one_made():
    x = leaf(2.0)

    def penalty():
        (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
        return slope**2

    record = trace(lambda: penalty().backward())
    assert record.tensor("x").grad_after.values == 288.0  # d/dx (3 x^2)^2 = 36 x^3
    assert {e.backward for e in record.events} == {1, 2}


def test_create_graph_is_handed_on_with_its_warning():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="create_graph=True"):
        torch.set_warn_always(True)
        record = trace(x**3, create_graph=True)
        torch.set_warn_always(False)
    assert x.grad.requires_grad
    assert record.warnings[0].startswith("UserWarning: Using backward() with create_graph=True")
    x.grad = None  # break the cycle


def test_an_output_that_was_not_used_brings_a_none():
    x = leaf([1.0, 2.0])
    p, q = x.unbind()
    q.register_hook(look)
    record = trace(p * 3)
    (event,) = record.events_of("q", "tensor_hook")
    assert event.before == (None,) and record.tensor("q").arrived is None
    assert record.tensor("q").output == 1
    assert record.tensor("x").arrived.values == (3.0, 0.0)


def test_hooks_stay_with_the_version_of_a_tensor_on_which_they_were_set():
    def forward():
        x = leaf(1.0)
        c = x * 1
        c.register_hook(look)
        c.mul_(2)
        c.register_hook(triple)
        return {"x": x, "c": c, "loss": c * 1}

    record = trace(forward)
    assert [o for o in record.order() if "hook" in o] == [
        "tensor_hook triple on c",
        "tensor_hook look on c before in-place",
    ]
    (event,) = record.events_of("look")
    assert event.before[0].values == 6.0


def test_views_and_in_place_operations_on_them_are_part_of_the_graph():
    x = leaf([1.0, 2.0])
    base = x * 1
    view = base[0]
    view.mul_(10)
    record = trace(base.sum(), x=x, base=base, view=view)
    assert record.tensor("base").grad_fn == "CopySlices"
    assert record.tensor("x").arrived.values == (10.0, 1.0)


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(max=1)


def test_a_custom_function_is_a_custom_node():
    x = leaf(3.0)
    y = Clip.apply(x)
    record = trace(y * 5)
    node = record.node(record.tensor("y").node)
    assert (node.name, node.kind) == ("ClipBackward", "custom")
    (event,) = [e for e in record.events if e.target.id == node.id]
    assert (event.before[0].values, event.after[0].values) == (5.0, 1.0)


def test_large_tensors_are_kept_as_norm_min_and_max():
    x = torch.linspace(-1, 1, 65).requires_grad_()
    small = torch.ones(64, requires_grad=True)
    record = trace((x * x).sum() + small.sum())
    value = record.tensor("x").value
    assert value.values is None and (value.min, value.max) == (-1.0, 1.0)
    assert value.norm == pytest.approx(x.norm().item())
    assert record.tensor("x").arrived.max == 2.0
    assert record.tensor("small").value.values == (1.0,) * 64


def test_sparse_and_half_gradients_are_read_too():
    table = torch.nn.Embedding(3, 2, sparse=True)
    half = torch.ones(100, dtype=torch.float16, requires_grad=True)
    record = trace(table(torch.tensor([1, 1])).sum() + (half * 2).sum(), table=table, half=half)
    assert record.tensor("table.weight").grad_after.values == ((0.0, 0.0), (2.0, 2.0), (0.0, 0.0))
    assert record.tensor("half").arrived.norm == 20.0


def test_a_multi_grad_hook_is_shown_by_the_name_of_its_function():
    x, y = leaf(1.0), leaf(2.0)

    def both(grads):
        pass

    handle = torch.autograd.graph.register_multi_grad_hook((x, y), both)
    record = trace(x * y)
    assert [e.target.name for e in record.events_of("both")] == ["x", "y"]
    handle.remove()


def test_a_hook_set_by_another_hook_is_seen():
    x = leaf(2.0)
    y = x * 3
    z = y * 4
    z.register_hook(lambda grad: y.register_hook(double) and None)
    record = trace(z)
    assert "tensor_hook double on y" in record.order()
    assert x.grad.item() == 24.0


def test_a_hook_that_removes_itself_is_gone_after_the_trace():
    x = leaf(2.0)
    handle = x.register_hook(lambda grad: handle.remove())
    trace(x * 1)
    assert not x._backward_hooks
