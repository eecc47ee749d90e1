"""explain, against the errors and warnings that PyTorch really gives."""

import re
import sys
import warnings

import pytest
import real_errors
import torch

from course import explain, trace
from course.explanation import meaning_of
from course.meanings import MEANINGS


@pytest.mark.parametrize("scene", real_errors.HERE, ids=lambda scene: scene.__name__)
def test_a_real_error_is_explained(scene):
    messages = real_errors.messages_of(scene)
    assert messages, "this code raised nothing and warned of nothing"
    explanations = [str(meaning_of(message)) for message in messages]
    assert any(scene.__doc__ in text for text in explanations), (messages, explanations)


def test_every_entry_is_needed_by_a_real_error():
    met = set()
    for scene in real_errors.HERE:
        for message in real_errors.messages_of(scene):
            met.add(next((m for m in MEANINGS if re.search(m.pattern, message)), None))
    newer = [scene for scene in real_errors.ALL if scene not in real_errors.HERE]
    unmet = [m for m in MEANINGS if m not in met]
    assert [m.pattern for m in unmet if not any(s.__doc__ in m.happened for s in newer)] == []
    assert [s.__name__ for s in newer if real_errors.messages_of(s)] == []


def test_an_explanation_says_what_to_do():
    for meaning in MEANINGS:
        assert meaning.happened.endswith((".", ")")) and meaning.do[0].isupper()
        assert len(meaning.happened) < 450 and len(meaning.do) < 450


def test_errors_warnings_texts_and_records_are_taken():
    x = torch.tensor(1.0, requires_grad=True)
    x.register_hook(lambda grad: 0.5)
    with pytest.raises(TypeError) as caught:
        x.backward()
    texts = {
        str(explain(caught.value)),
        str(explain(str(caught.value))),
        str(explain(trace(x, catch=True))),
        str(explain(trace(x, catch=True).error)),
    }
    assert len(texts) == 1 and "returned an object of type float" in texts.pop()
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        _ = (x * 2).grad
    assert "only leaves keep theirs" in explain(shown[0])
    assert "only leaves keep theirs" in explain(shown[0].message)


def test_without_an_argument_it_explains_the_last_error_shown(monkeypatch):
    monkeypatch.setattr(
        sys,
        "last_value",
        RuntimeError("can't retain_grad on Tensor that has requires_grad=False"),
        raising=False,
    )
    assert "no gradient is computed" in explain()


def test_without_an_argument_it_explains_the_error_of_the_last_trace(monkeypatch):
    monkeypatch.delattr(sys, "last_value", raising=False)
    trace(torch.ones(2), catch=True)
    assert "no tracked operation" in explain()
    trace(torch.ones(1, requires_grad=True) * 1)
    with pytest.raises(ValueError, match="there was no error so far"):
        explain()


def test_an_unknown_message_is_said_to_be_unknown():
    text = explain(ZeroDivisionError("division by zero"))
    assert text.startswith("The message is: division by zero")
    assert meaning_of("division by zero") is None


def test_a_record_without_an_error_has_nothing_to_explain():
    record = trace(torch.ones(1, requires_grad=True) * 1)
    with pytest.raises(ValueError, match="without an error"):
        explain(record)


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match="it got int"):
        explain(3)


def test_the_text_is_shown_in_lines_without_quotes():
    shown = repr(explain("'bool' object is not callable"))
    assert "\n" in shown and max(map(len, shown.splitlines())) <= 88 and shown[0] == "A"
