"""Predictions: committed before, compared with what torch gives, silent when nobody looks."""

import pytest
import torch

from course import predict
from course.laboratory import prediction
from course.laboratory.prediction import agrees, plain, words

QUESTION = "What is c.grad after e.backward()?"


@pytest.fixture(autouse=True)
def a_new_session(monkeypatch):
    monkeypatch.setattr(prediction, "_ASKED", {})


def ask(**more):
    return predict(QUESTION, ["12.0", "8.0", "None"], why="c is not a leaf.", **more)


@pytest.mark.parametrize(
    ("said", "answer", "right"),
    [
        ("12.0", torch.tensor(12.0), True),
        ("12", torch.tensor(12.0), True),
        ("8.0", torch.tensor(12.0), False),
        ("None", None, True),
        ("None", torch.tensor(0.0), False),
        ("0.0", None, False),
        ("[2.0, 2.0]", torch.tensor([2.0, 2.0]), True),
        ("[2, 2]", torch.tensor([2.0, 3.0]), False),
        ("[2, 2]", torch.tensor([2.0]), False),
        ("10.9545", torch.tensor([2.0, 4.0, 6.0, 8.0]).norm(), True),
        ("5.4772", torch.tensor([2.0, 4.0, 6.0, 8.0]).norm(), False),
        ("True", True, True),
        ("1", True, False),
        ("AddBackward0", "AddBackward0", True),
        ("RuntimeError", RuntimeError("Trying to backward through the graph"), True),
        ("nothing happens", RuntimeError("Trying to backward through the graph"), False),
        ("3", 3, True),
        ("torch.float32", torch.float32, True),
        ("4.0, which is d", torch.tensor(4.0), True),
        ("4.0, which is d", None, False),
        ("None, and a warning", None, True),
        ("[(1, 1, 5), (5,)]", [torch.Size([1, 1, 5]), torch.Size([5])], True),
        ("[(1, 5)]", [torch.zeros(1, 1, 5).shape], False),
        ("first hook, then loss", "first hook, then loss", True),
        ("[1, 6, 28, 28]", torch.zeros(1, 6, 28, 28).shape, True),
        ("nan", torch.tensor(float("nan")), True),
    ],
)
def test_a_choice_is_compared_with_what_torch_gives(said, answer, right):
    assert agrees(said, plain(answer)) is right


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.0, "12.0"),
        (None, "None"),
        ([2.0, 0.25], "[2.0, 0.25]"),
        (1e-9, "1e-09"),
        (3, "3"),
        ((1, 5), "(1, 5)"),
    ],
)
def test_what_torch_gave_is_written_as_torch_writes_it(value, text):
    assert words(value) == text


def test_a_wrong_prediction_hears_what_torch_gave_and_why():
    p = ask()
    p.commit("12.0")
    p.reveal(None)
    assert p.right() is False
    assert p.text().splitlines() == [
        "✗ Not this time.",
        "You said 12.0. PyTorch gave None.",
        "c is not a leaf.",
    ]


def test_a_right_prediction_is_told_so():
    p = ask()
    p.commit("None")
    p.reveal(None)
    assert p.right() is True
    assert p.text().startswith("✓ Right.\nYou said None. PyTorch gave None.")


def test_without_a_commitment_the_answer_is_still_shown():
    p = ask()
    p.reveal(None)
    assert p.right() is None
    assert p.text().startswith("○ You made no prediction this time.\nPyTorch gave None.")


def test_the_first_commitment_stays_and_is_remembered_for_the_session():
    ask().commit("8.0")
    again = ask()
    again.commit("None")
    assert again.committed == "8.0"


def test_a_commitment_after_the_answer_says_that_it_is_late():
    p = ask()
    p.reveal(None)
    p.commit("None")
    assert "You said None, after the answer was shown." in p.text()


def test_a_number_can_be_asked_for():
    p = predict("What is a.grad?", number=True)
    p.commit("12")
    p.reveal(torch.tensor(12.0))
    assert p.right() is True


@pytest.mark.parametrize(
    "wrong", [{}, {"choices": ["one"]}, {"choices": ["a", "b"], "number": True}]
)
def test_a_question_without_a_choice_is_refused(wrong):
    with pytest.raises(ValueError, match="two or more choices, or number=True"):
        predict("What?", **wrong)


def test_html_is_escaped():
    p = predict("Is a < b?", ["<b>", "no"], why="<i>")
    assert "<b>" not in p.html()
    p.reveal("<b>")
    assert "<b>" not in p.html() and "<i>" not in p.html()


def test_outside_a_notebook_nothing_is_shown(capsys):
    ask().reveal(None)
    assert capsys.readouterr() == ("", "")
