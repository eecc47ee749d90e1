"""After a trace everything is as before: after success, after an error, after collection."""

import copy
import gc
import pickle
import sys
import threading
import warnings
import weakref

import pytest
import torch

from course import trace
from course.tracing.log import Log
from course.tracing.spies import Spy


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def look(*args):
    pass


def state_of_torch():
    return (
        torch.nn.Module.__call__,
        torch.nn.Module._call_impl,
        torch.Tensor.register_hook,
        torch.autograd.graph._register_logging_hooks_on_whole_graph,
        torch.autograd.graph.log,
        warnings.showwarning,
        sys.getprofile(),
        gc.isenabled(),
    )


def test_a_collector_that_the_user_has_switched_off_stays_off():
    gc.disable()
    try:
        trace(leaf(1.0) * 1)
        assert not gc.isenabled()
    finally:
        gc.enable()


def hooked_net():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    net[0].register_forward_pre_hook(look)
    net[0].register_forward_hook(look)
    net[0].register_full_backward_pre_hook(look)
    net[0].register_full_backward_hook(look)
    net[1].register_backward_hook(look)
    net[0].weight.register_hook(look)
    net[0].weight.register_post_accumulate_grad_hook(look)
    return net


def spies():
    gc.collect()
    return [o for o in gc.get_objects() if type(o) is Spy]


def test_torch_is_as_before_after_a_trace_and_after_an_error():
    before = state_of_torch()
    x = leaf(1.0)
    trace(lambda: x * 1)
    assert state_of_torch() == before
    x.register_hook(lambda grad: 1 / 0)
    for run in (lambda: trace(x * 1), lambda: trace(lambda: x * 1), lambda: trace(lambda: 1 / 0)):
        with pytest.raises(ZeroDivisionError):
            run()
        assert state_of_torch() == before


@pytest.mark.parametrize("fails", [False, True])
def test_hooks_are_the_users_own_again_and_no_spy_lives_on(fails):
    before = len(spies())  # an error that another test keeps may hold one
    net = hooked_net()
    x = torch.ones(1, 2, requires_grad=True)
    loss = net(x).sum()
    loss.grad_fn.register_hook(look)
    if fails:
        x.register_hook(lambda grad: 1 / 0)
    trace(loss, retain_graph=True, catch=True)
    trace(lambda: net(x).sum(), catch=True)
    hooks = [
        hook
        for owner in (net[0], net[1], net[0].weight)
        for name, found in vars(owner).items()
        if "hooks" in name and isinstance(found, dict)
        for hook in found.values()
        if callable(hook)
    ]
    assert hooks.count(look) == len(hooks) >= 5
    assert list(net[0].weight._backward_hooks.values()) == [look]
    assert list(net[0].weight._post_accumulate_grad_hooks.values()) == [look]
    assert len(spies()) == before


def test_our_hooks_on_nodes_are_gone():
    x = leaf(2.0)
    y = x * x
    trace(y, retain_graph=True)
    for node in (y.grad_fn, y.grad_fn.next_functions[0][0]):
        for register in (node.register_hook, node.register_prehook):
            handle = register(look)
            assert list(handle.hooks_dict_ref().values()) == [look]


def test_a_retained_graph_runs_later_as_if_never_traced():
    net = hooked_net()
    x = torch.ones(1, 2, requires_grad=True)
    loss = net(x).sum()
    trace(loss, retain_graph=True)
    first = x.grad.clone()
    seen = []
    x.register_hook(seen.append)
    loss.backward()
    assert torch.equal(x.grad, 2 * first) and len(seen) == 1


def test_tensors_and_graph_are_freed_as_without_trace():
    def make():
        x = torch.ones(100, requires_grad=True)
        h = x * 2
        h.register_hook(look)
        return {"x": x, "h": h, "loss": h.sum()}

    kept = []

    def forward():
        tensors = make()
        kept.extend(map(weakref.ref, tensors.values()))
        return tensors

    record = trace(forward)
    assert record.tensor("h").arrived.norm == 10.0
    assert [ref() for ref in kept] == [None, None, None]  # at once, without collecting


def test_an_error_that_is_kept_keeps_nothing_of_the_trace():
    h = leaf(1.0) * 2
    h.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        trace(h)
    logs = [o for o in gc.get_objects() if type(o) is Log]
    assert caught.value.__traceback__
    assert logs and not any(log.nodes or log.tensors or log.events for log in logs)


def test_after_an_error_tensors_are_freed_as_without_trace():
    def run():
        h = leaf(1.0) * 2
        h.register_hook(lambda grad: 1 / 0)
        try:
            trace(h)
        except ZeroDivisionError:
            return weakref.ref(h)

    assert run()() is None  # at once, without collecting


def test_a_model_copied_or_pickled_during_the_trace_has_no_spies():
    net = torch.nn.Linear(1, 1)
    net.register_forward_hook(look)
    copies = []

    def forward():
        loss = net(torch.ones(1, 1))
        copies.extend((copy.deepcopy(net), pickle.loads(pickle.dumps(net))))
        return loss

    trace(forward)
    for copied in copies:
        assert list(copied._forward_hooks.values()) == [look]


def test_a_users_profiler_goes_on_and_is_there_afterwards():
    calls = []

    def profiler(frame, event, value):
        calls.append(frame.f_code.co_name)

    def my_hook(grad):
        return grad * 2

    x = leaf(1.0)
    x.register_hook(my_hook)
    sys.setprofile(profiler)
    try:
        trace(x * 1)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert "my_hook" in calls


def test_a_showwarning_set_by_the_user_during_the_trace_stays():
    def mine(*args):
        pass

    before = warnings.showwarning

    def forward():
        warnings.showwarning = mine
        return leaf(1.0) * 1

    try:
        trace(forward)
        assert warnings.showwarning is mine
    finally:
        warnings.showwarning = before


class Warns(torch.autograd.Function):
    """Warns in backward, and points at who called it, as torch's own Python code does."""

    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        warnings.warn("this backward is odd", stacklevel=6)
        return grad


def warn_in_backward():
    return Warns.apply(leaf(1.0))


def test_a_warning_points_at_the_line_that_called_trace():
    loss = warn_in_backward()
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        trace(loss)
        line = sys._getframe().f_lineno - 1
    assert [(w.filename, w.lineno) for w in shown] == [(__file__, line)]


def test_a_warning_is_shown_once_for_each_line_that_calls_trace():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(3):
            trace(warn_in_backward())
        trace(warn_in_backward())
    assert len(shown) == 2


def test_two_threads_trace_one_after_the_other():
    before = state_of_torch()
    results = {}

    def work(number):
        def forward():
            x = leaf(float(number))
            x.register_hook(lambda grad: grad * number)
            return {"x": x, "loss": x * 1}

        results[number] = [trace(forward) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(number,)) for number in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, records in results.items():
        assert {r.tensor("x").grad_after.values for r in records} == {float(number)}
        assert {len(r.events) for r in records} == {3}
    assert state_of_torch() == before


def test_a_backward_of_another_thread_is_not_in_the_record():
    def forward():
        other = threading.Thread(target=lambda: (leaf(1.0) * 5).backward())
        other.start()
        other.join()
        return leaf(1.0) * 2

    assert len(trace(forward).nodes) == 2
