"""attach and leftover_hooks."""

import gc

import pytest
import torch
from torch.nn.modules import module as torch_module

from course import attach, leftover_hooks
from course.hygiene import _attached


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def double(grad):
    return grad * 2


def look(*args):
    pass


def test_attaching_again_replaces_the_hook():
    x = leaf(1.0)
    for _ in range(3):  # as a notebook cell that runs three times
        attach(x.register_hook, double)
    (x * 1).backward()
    assert x.grad.item() == 2.0


def test_a_function_of_the_same_name_from_another_run_of_the_cell_replaces_the_old():
    x = leaf(1.0)
    for factor in (2, 10):

        def hook(grad, factor=factor):
            return grad * factor

        attach(x.register_hook, hook)
    (x * 1).backward()
    assert x.grad.item() == 10.0


def test_hooks_with_other_keys_objects_and_kinds_stay():
    x, y = leaf(1.0), leaf(1.0)
    attach(x.register_hook, double)
    attach(x.register_hook, double, key="again")
    attach(y.register_hook, double)
    attach(x.register_post_accumulate_grad_hook, look)
    (x * y).backward()
    assert (x.grad.item(), y.grad.item()) == (4.0, 2.0)
    assert len(leftover_hooks(x)) == 3


def test_the_handle_removes_it_and_ends_with_its_block():
    x = leaf(1.0)
    with attach(x.register_hook, double):
        (x * 1).backward()
    (x * 1).backward()
    assert x.grad.item() == 3.0
    attach(x.register_hook, double).remove()
    assert leftover_hooks(x) == ()


def test_options_go_to_the_register_method():
    layer = torch.nn.Linear(1, 1)
    order = []
    attach(layer.register_forward_pre_hook, lambda m, args: order.append(1), key="one")
    attach(layer.register_forward_pre_hook, lambda m, args: order.append(2), key="2", prepend=True)
    layer(torch.ones(1, 1))
    assert order == [2, 1]


def test_a_lambda_needs_a_key():
    x = leaf(1.0)
    with pytest.raises(ValueError, match="a lambda has no name"):
        attach(x.register_hook, lambda grad: grad)
    assert leftover_hooks(x) == ()


def test_a_hook_that_torch_refuses_leaves_the_old_one():
    x = leaf(1.0)
    attach(x.register_hook, double)
    x.requires_grad_(False)
    with pytest.raises(RuntimeError, match="cannot register a hook"):
        attach(x.register_hook, double)
    assert len(leftover_hooks(x)) == 1


def test_attach_works_on_graph_nodes():
    y = leaf(1.0) * 2
    for _ in range(2):
        attach(y.grad_fn.register_hook, look)
    assert [found.kind for found in leftover_hooks(y=y)] == ["grad_fn.register_hook"]


def test_attach_keeps_nothing_alive():
    x = leaf(1.0)
    attach(x.register_hook, double)
    del x
    gc.collect()
    attach(leaf(1.0).register_hook, double)
    assert all(h.hooks_dict_ref() is not None or k for (_, k), (h, _) in _attached.items())
    assert len([h for h, _ in _attached.values() if h.hooks_dict_ref() is None]) <= 1


def test_all_kinds_on_a_model_are_listed_with_their_places():
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU())
    net.register_forward_pre_hook(look)
    net[0].register_forward_hook(look)
    net[0].register_full_backward_pre_hook(look)
    net[0].register_full_backward_hook(look)
    net[1].register_backward_hook(look)
    net[0].weight.register_hook(double)
    net[0].weight.register_post_accumulate_grad_hook(look)
    at = f"written at test_hygiene.py:{look.__code__.co_firstlineno}"
    at_double = f"written at test_hygiene.py:{double.__code__.co_firstlineno}"
    assert repr(leftover_hooks(net=net)).splitlines() == [
        f"net.register_forward_pre_hook: look, {at}",
        f"net.0.register_forward_hook: look, {at}",
        f"net.0.register_full_backward_pre_hook: look, {at}",
        f"net.0.register_full_backward_hook: look, {at}",
        f"net.1.register_backward_hook: look, {at}",
        f"net.0.weight.register_hook: double, {at_double}",
        f"net.0.weight.register_post_accumulate_grad_hook: look, {at}",
    ]
    assert repr(leftover_hooks(net)).startswith("Sequential.register_forward_pre_hook: look")


def test_a_hook_that_piled_up_is_shown_with_its_number():
    layer = torch.nn.Linear(1, 1)
    for _ in range(3):
        layer.register_forward_hook(look)
    assert repr(leftover_hooks(layer)).endswith("(3 times: a cell that registers it ran again?)")
    assert len(leftover_hooks(layer)) == 3


def test_an_attached_hook_tells_where_it_was_attached():
    x = leaf(1.0)
    attach(x.register_hook, double)
    line = test_an_attached_hook_tells_where_it_was_attached.__code__.co_firstlineno + 2
    assert leftover_hooks(x)[0].registered == f"test_hygiene.py:{line}"


def test_without_arguments_the_callers_variables_are_looked_at():
    x = leaf(1.0)
    net = torch.nn.Linear(1, 1)
    x.register_hook(double)
    net.register_forward_hook(look)
    assert [(found.on, found.hook) for found in leftover_hooks()] == [
        ("x", "double"),
        ("net", "look"),
    ]


def test_all_of_it_can_be_removed():
    net = torch.nn.Linear(1, 1)
    handle = net.register_forward_hook(look)
    net.weight.register_hook(double)
    leftover_hooks(net).remove()
    assert leftover_hooks(net) == () and repr(leftover_hooks(net)) == "No hooks."
    handle.remove()  # does no harm


def test_hooks_for_every_module_are_always_listed():
    handle = torch_module.register_module_forward_hook(look)
    assert leftover_hooks(leaf(1.0))[0].on == "every module"
    handle.remove()


def test_a_shared_parameter_is_listed_once():
    a, b = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    b.weight = a.weight
    a.weight.register_hook(double)
    assert [found.on for found in leftover_hooks(a=a, b=b)] == ["a.weight"]


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match="it got list"):
        leftover_hooks([])
