"""Errors: the user's own, as without trace, or in the record if they are to be caught."""

import pytest
import torch

from course import trace
from course.tracing.last import last


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def test_the_error_of_a_hook_is_raised_as_it_is():
    x = leaf(1.0)
    error = ValueError("mine")

    def fail(grad):
        raise error

    x.register_hook(fail)
    with pytest.raises(ValueError) as caught:
        trace(x * 1)
    assert caught.value is error


def test_a_caught_error_is_in_the_record_and_says_after_which_event():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    c.register_hook(lambda grad: torch.ones(3))
    record = trace(c, catch=True)
    assert record.error.type == "RuntimeError"
    assert record.error.message == "hook '<lambda>' has changed the size of value"
    assert record.events[record.error.event].target.name == "c"
    assert record.order() == ["tensor_hook <lambda> on c"]
    assert [n.ran for n in record.nodes] == [False, False, False]


def test_a_raising_hook_has_its_error_in_its_event():
    x = leaf(1.0)
    x.register_hook(lambda grad: grad.no_such_method())
    (event,) = trace(x, catch=True).events
    assert event.error.startswith("AttributeError: 'Tensor' object has no attribute")
    assert event.returned is None


def test_an_operation_that_fails_has_an_event_with_the_error():
    x = leaf(2.0)
    y = (x * x) + 1
    y.backward()
    record = trace(y, catch=True)
    assert record.order() == ["node on AddBackward0", "node on MulBackward0"]
    assert record.events[1].error.startswith("RuntimeError: Trying to backward through the graph")
    assert record.error.event == 1


def test_an_error_before_backward_comes_after_no_event():
    record = trace(torch.ones(2), catch=True)
    assert record.error.event is None
    assert "does not require grad" in record.error.message
    record = trace(torch.ones(2, requires_grad=True) * 2, catch=True)
    assert record.error.message == "grad can be implicitly created only for scalar outputs"


def test_gradients_from_before_the_error_stay_and_are_in_the_record():
    a, b = leaf(2.0), leaf(3.0)
    a.register_hook(lambda grad: 1 / 0)
    record = trace(a + b * 1, catch=True, a=a, b=b)
    assert record.tensor("a").grad_after is None


def test_the_record_of_a_run_that_raised_is_the_last_trace():
    x = leaf(1.0)
    x.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        trace(x * 1)
    assert last().record.error.type == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("arguments", "names", "message"),
    [
        ((3.0,), {}, "trace needs a loss"),
        (([1, 2],), {}, "trace needs a loss"),
        ((lambda: None,), {}, "trace needs a loss"),
        ((torch.nn.Linear(1, 1),), {}, "trace got a module"),
        ((torch.ones(1), torch.ones(1)), {}, "after the loss, trace takes modules and dicts"),
        ((torch.ones(1),), {"x": 3}, "x is int"),
    ],
)
def test_a_wrong_argument_is_answered_with_what_to_do(arguments, names, message):
    with pytest.raises(TypeError, match=message):
        trace(*arguments, **names)


def test_a_trace_inside_a_trace_is_refused_and_the_outer_one_goes_on():
    x = leaf(1.0)

    def forward():
        with pytest.raises(RuntimeError, match="trace is running already"):
            trace(x * 1)
        return x * 2

    assert trace(forward).tensor("x").grad_after.values == 2.0
