"""The record is plain data."""

import json
import math
import subprocess
import sys

import pytest
import torch

from course import trace
from course.record import Record


def a_record():
    x = torch.tensor([1.0, math.nan, math.inf], requires_grad=True)
    net = torch.nn.Linear(3, 3)
    net.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    y = net(x)
    y.register_hook(lambda grad: grad * 2)
    return trace(y.sum(), net=net, x=x, y=y)


def test_a_record_goes_through_json_and_comes_back_the_same():
    record = a_record()
    text = json.dumps(record.to_dict(), allow_nan=False)
    back = Record.from_dict(json.loads(text))
    assert repr(back) == repr(record)  # by repr, since nan is not equal to nan
    assert math.isnan(back.tensor("x").value.values[1])
    assert back.tensor("x").value.values[2] == math.inf


def test_a_record_holds_no_tensor_and_cannot_be_changed():
    record = a_record()
    seen = []

    def look(value):
        seen.append(type(value))
        for item in value.values() if isinstance(value, dict) else value:
            if isinstance(item, (dict, list)):
                look(item)
            else:
                assert item is None or type(item) in (str, int, float, bool)

    look(record.to_dict())
    assert set(seen) == {dict, list}
    with pytest.raises(AttributeError):
        record.events = ()


def test_a_tensor_is_found_by_its_name_and_by_its_id():
    record = a_record()
    assert record.tensor("y") is record.tensor(record.tensor("y").id)


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(KeyError, match=r"no tensor 'z'; it has: x, y, net.weight, net.bias, loss"):
        a_record().tensor("z")


def test_events_are_found_by_target_by_hook_and_by_kind():
    record = a_record()
    assert [e.kind for e in record.events_of("y")] == ["tensor_hook"]
    assert record.events_of("y") == record.events_of("y", "tensor_hook")
    assert record.events_of("y", "accumulate") == ()
    assert record.events_of("net")[0].kind == "full_backward_hook"


def test_the_record_module_does_without_torch():
    code = "import sys, course.record; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
