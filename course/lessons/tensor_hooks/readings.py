"""Short questions to a tensor, and to what `describe` says of one."""

import torch


def hooks_on(t):
    """How many hooks hang on a tensor, of both kinds."""
    stored = getattr(t, "_post_accumulate_grad_hooks", None)
    return len(t._backward_hooks or {}) + len(stored or {})


def stored(leaf):
    """A copy of `.grad`, zeros where there is none."""
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad.clone()


def all_zero(facts):
    return not any(facts["values"])


def plain(facts):
    """The numbers of a described tensor: one number, or a flat list."""
    values = facts.get("values") if isinstance(facts, dict) else None
    if values is None:
        return facts
    return values[0] if len(values) == 1 else values


def close(a, b):
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b))
