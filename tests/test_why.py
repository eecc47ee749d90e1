"""why_none and why_not_called, each reason with the code that has it."""

import gc

import pytest
import torch

from course import trace, why_none, why_not_called
from course.tracing import last as last_trace


@pytest.fixture(autouse=True)
def no_trace_so_far():
    last_trace._kept.clear()


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def look(*args):
    pass


# why_none


def test_data_has_no_gradient():
    x = torch.ones(2)
    assert why_none(x).startswith("x.grad is None because x.requires_grad is False")
    assert "It is data" in why_none(x)


def test_integers_cannot_have_one():
    assert "It holds torch.int64" in why_none(torch.tensor([1]))


def test_a_frozen_parameter():
    w = torch.nn.Parameter(torch.ones(1), requires_grad=False)
    assert "w.requires_grad_() takes it up again" in why_none(w)


def test_an_inference_tensor():
    with torch.inference_mode():
        x = torch.ones(1)
    assert "made under inference_mode" in why_none(x)


def test_a_result_does_not_keep_its_gradient_and_the_trace_tells_what_it_was():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    assert why_none(c) == (
        "c.grad is None because c is not a leaf: MulBackward0 made it. Only leaves keep their "
        "gradient, and retains_grad is False. Call c.retain_grad() after the forward and before "
        "backward to keep it."
    )
    trace(c * 4)
    assert "In the last trace its gradient was 4.0; backward used it and let it go." in why_none(c)


def test_retain_grad_that_was_overwritten():
    c = leaf(2.0) * 3
    c.retain_grad = True
    assert "c.retain_grad = True was written" in why_none(c)


def test_asking_warns_of_nothing():
    c = leaf(2.0) * 3
    why_none(c)  # reading .grad of a result would warn, and warnings are errors here


def test_a_gradient_that_is_there():
    x = leaf([1.0, 2.0])
    x.sum().backward()
    assert why_none(x) == "x.grad is not None: a gradient of shape (2,) is in it."


def test_before_any_trace_all_reasons_are_named():
    x = leaf(1.0)
    text = why_none(x)
    assert "x is a leaf, and requires a gradient" in text
    assert "There was no trace so far" in text and "backward has not run yet" in text


def test_a_leaf_that_is_another_object_than_the_one_used():
    w = leaf(1.0)
    used = w.detach().requires_grad_()
    trace(used * 2)
    text = why_none(w)
    assert "did not depend on this tensor object" in text
    assert "The leaves of that graph were: used" in text


def test_a_gradient_that_was_set_to_none_since():
    w = torch.nn.Parameter(torch.ones(1))
    trace(w * 2)
    torch.optim.SGD([w], lr=0.1).zero_grad()
    assert "After the last trace .grad was there. It has been set to None since" in why_none(w)


def test_a_hook_that_takes_grad_away():
    w = leaf(1.0)
    w.register_post_accumulate_grad_hook(lambda w: setattr(w, "grad", None))
    trace(w * 2)
    assert "a post-accumulate hook set it to None" in why_none(w)


def test_autograd_grad_fills_no_grad():
    w = leaf(1.0)
    trace(lambda: torch.autograd.grad(w * 2, w))
    assert "torch.autograd.grad returns gradients" in why_none(w)


def test_retain_grad_that_came_too_late():
    y = leaf(1.0) * 2
    trace(y * 3, y=y)
    y.retain_grad()
    text = why_none(y)
    assert "y is not a leaf, but retains its gradient" in text
    assert "its gradient came, 3.0, but retain_grad() had not been called yet" in text


def test_a_backward_that_ended_with_an_error():
    w = leaf(1.0)
    y = w * 2
    y.register_hook(lambda grad: 1 / 0)
    trace(y, catch=True)
    assert "The last trace ended with ZeroDivisionError before" in why_none(w)


def test_a_backward_limited_by_inputs():
    v, w = leaf(1.0), leaf(2.0)
    trace(v * w, inputs=[v])
    assert "limited by inputs=" in why_none(w)


def test_an_output_that_was_not_used():
    p, q = leaf([1.0, 2.0]).unbind()
    p.retain_grad()
    q.retain_grad()
    trace(p * 3)
    assert "uses only another one of them, so None arrived" in why_none(q)


def test_only_a_tensor_can_be_asked_about():
    with pytest.raises(TypeError, match="it got NoneType. Give it the tensor itself"):
        why_none(None)


# why_not_called


def test_a_hook_that_was_called():
    x = leaf(1.0)
    handle = x.register_hook(look)
    trace(x * 2)
    assert why_not_called(handle) == "look was called once in the last trace, on x."
    assert why_not_called(look) == "look was called once in the last trace, on x."


def test_a_removed_handle():
    x = leaf(1.0)
    handle = x.register_hook(look)
    handle.remove()
    assert "The hook is not registered any more" in why_not_called(handle)


def test_a_tensor_that_is_gone():
    y = leaf(1.0) * 2
    handle = y.register_hook(look)
    del y
    gc.collect()
    assert "What the hook was registered on is gone" in why_not_called(handle)


def test_no_trace_so_far():
    x = leaf(1.0)
    handle = x.register_hook(look)
    assert why_not_called(handle).startswith(
        "look is registered on a Tensor (register_hook), and there was no trace so far."
    )


def test_a_hook_registered_after_the_backward():
    x = leaf(1.0)
    y = x * 2
    trace(y)
    on_leaf, on_result = x.register_hook(look), y.register_hook(look)
    assert "on a leaf and stays: the next backward calls it" in why_not_called(on_leaf)
    assert "register it after each forward" in why_not_called(on_result)


def test_a_hook_on_another_tensor_object():
    x = leaf(1.0)
    y = x * 2
    handle = y.register_hook(look)
    kept = y
    y = x * 3
    trace(y, x=x, y=y)
    text = why_not_called(handle)
    assert "does not hold this tensor object" in text and "It holds: x, y." in text
    assert kept is not y


def test_a_tensor_frozen_since():
    x = leaf(1.0)
    handle = x.register_hook(look)
    x.requires_grad_(False)
    trace(leaf(1.0) * 1)
    assert "Its requires_grad is False now" in why_not_called(handle)


def test_a_tensor_that_the_backward_did_not_reach():
    v, w = leaf(1.0), leaf(2.0)
    handle = w.register_hook(look)
    trace(v * w, inputs=[v])
    assert "w is in the graph of the last trace, but the backward did not come to it" in (
        why_not_called(handle)
    )


def test_a_post_accumulate_hook_and_autograd_grad():
    w = leaf(2.0)
    handle = w.register_post_accumulate_grad_hook(look)
    trace(lambda: torch.autograd.grad(w * 2, w))
    assert ".grad was not written: torch.autograd.grad" in why_not_called(handle)


def test_an_error_came_first():
    w = leaf(2.0)
    y = w * 2
    handle = w.register_hook(look)
    y.register_hook(lambda grad: 1 / 0)
    trace(y, catch=True)
    assert "ended with ZeroDivisionError before the backward came" in why_not_called(handle)


def test_a_module_whose_forward_was_called_directly():
    layer = torch.nn.Linear(1, 1)
    handle = layer.register_forward_hook(look)
    trace(lambda: layer.forward(torch.ones(1, 1)))
    text = why_not_called(handle)
    assert text.startswith("look is registered on a Linear (register_forward_hook). The module was")
    assert "Its parameters got gradients all the same" in text


def test_a_module_that_only_holds_others():
    layers = torch.nn.ModuleList([torch.nn.Linear(1, 1)])
    handle = layers.register_forward_hook(look)
    trace(lambda: layers[0](torch.ones(1, 1)))
    assert "ModuleList" in why_not_called(handle)


def test_a_trace_that_began_after_the_forward():
    layer = torch.nn.Linear(1, 1)
    handle = layer.register_forward_hook(look)
    trace(layer(torch.ones(1, 1)))
    assert "The last trace began after the forward" in why_not_called(handle)


def test_a_full_backward_hook_registered_after_the_forward():
    layer = torch.nn.Linear(1, 1)
    handles = []

    def forward():
        y = layer(torch.ones(1, 1, requires_grad=True))
        handles.append(layer.register_full_backward_hook(look))
        return y

    trace(forward)
    assert "A hook that is registered after the forward is not in that graph" in (
        why_not_called(handles[0])
    )


def test_a_module_that_the_backward_did_not_come_through():
    used, unused = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    handle = unused.register_full_backward_hook(look)
    x = torch.ones(1, 1, requires_grad=True)
    trace(lambda: [used(x), unused(x).detach()][0])
    assert "are not in the graph" in why_not_called(handle)
    trace(lambda: torch.autograd.grad(used(x) + unused(x) * 0, used.weight))
    assert "did not come through this module" in why_not_called(handle)


def test_a_hook_on_a_node_of_another_graph():
    x = leaf(1.0)
    y = x * 2
    handle = y.grad_fn.register_hook(look)
    trace(x * 3)
    assert "registered on a graph node" in why_not_called(handle)


def test_a_hook_for_every_module():
    handle = torch.nn.modules.module.register_module_forward_hook(look)
    trace(leaf(1.0) * 1)
    assert "for every module" in why_not_called(handle)
    handle.remove()


def test_a_function_that_was_never_registered():
    def forgotten(grad):
        pass

    assert why_not_called(forgotten).startswith("forgotten is registered nowhere")


def test_a_function_registered_twice():
    x, y = leaf(1.0), leaf(2.0)

    def twice(grad):
        pass

    x.register_hook(twice)
    y.register_hook(twice)
    assert why_not_called(twice).startswith("It is registered 2 times.")


def test_a_method_is_found_too():
    class Recorder:
        def save(self, grad):
            pass

    x, recorder = leaf(1.0), Recorder()
    x.register_hook(recorder.save)
    trace(x * 1)
    assert "Recorder.save was called once" in why_not_called(recorder.save)


def test_only_a_handle_or_a_function_can_be_asked_about():
    with pytest.raises(TypeError, match="it got NoneType"):
        why_not_called(None)
