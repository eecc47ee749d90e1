"""Derivatives by finite differences against what autograd says without hooks."""

import pytest
import torch

from course.laboratory.finite_difference import derivatives


def agree(forward, leaves, inner=()):
    """Every derivative is there, and is the one that autograd computes."""
    found = derivatives(forward, leaves, inner)
    real = {name: t.detach().double().requires_grad_() for name, t in leaves.items()}
    made = forward(real)
    named = {**real, **made}
    wanted = [*leaves, *inner]
    true = torch.autograd.grad(next(reversed(made.values())), [named[name] for name in wanted])
    assert list(found) == wanted
    for name, gradient in zip(wanted, true, strict=True):
        assert torch.tensor(found[name]) == pytest.approx(gradient.numpy(), rel=1e-5, abs=1e-6)


def products(t):
    c = t["a"] * t["b"]
    return {"c": c, "e": c * t["d"]}


def test_the_leaves_and_the_tensors_in_between_of_two_products():
    leaves = {name: torch.tensor(x) for name, x in {"a": 2.0, "b": 3.0, "d": 4.0}.items()}
    assert derivatives(products, leaves, ["c", "e"]) == pytest.approx(
        {"a": 12.0, "b": 8.0, "d": 6.0, "c": 4.0, "e": 1.0}
    )


def test_vectors_and_matrices():
    def forward(t):
        h = torch.tanh(t["w"] @ t["x"])
        return {"h": h, "loss": (h * h).sum()}

    leaves = {"w": torch.tensor([[1.0, -2.0], [0.5, 3.0]]), "x": torch.tensor([0.3, 0.1])}
    agree(forward, leaves, ["h"])


def test_a_tensor_that_is_used_twice_counts_both_ways():
    def forward(t):
        b = t["x"] * 3
        return {"b": b, "y": b * b + b}

    agree(forward, {"x": torch.tensor(2.0)}, ["b"])


def test_an_operation_in_place_is_moved_where_it_is_last_changed():
    def forward(t):
        b = t["x"] * 3
        b.add_(1)
        return {"b": b, "y": b * b}

    agree(forward, {"x": torch.tensor(2.0)}, ["b"])


def test_another_name_for_a_leaf_has_the_slope_of_the_leaf():
    def forward(t):
        other = t["x"]
        return {"other": other, "y": other * other}

    agree(forward, {"x": torch.tensor(2.0)}, ["other"])


def test_what_forward_edits_in_place_is_a_copy():
    leaves = {"x": torch.tensor([1.0, 2.0])}
    found = derivatives(lambda t: {"y": t["x"].mul_(2).sum()}, leaves)
    assert found["x"] == pytest.approx([2.0, 2.0])
    assert leaves["x"].tolist() == [1.0, 2.0]


def test_no_derivative_is_given_where_none_can_be_measured():
    big = torch.ones(13)
    assert derivatives(lambda t: {"y": t["big"].sum()}, {"big": big}) == {}
    number = {"n": torch.tensor(3), "x": torch.tensor(2.0)}
    assert list(derivatives(lambda t: {"y": t["x"] * t["n"]}, number)) == ["x"]
    assert derivatives(lambda t: {"y": t["x"] * 2}, {"x": torch.ones(2)}) == {}
