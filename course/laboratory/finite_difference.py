"""The derivative without backward: move one number a little and see how far the loss moves.

A lab puts these numbers beside `.grad`. They know nothing of hooks, so where a hook changes a
gradient the two differ.
"""

import torch
from torch.overrides import TorchFunctionMode

STEP = (
    1e-6  # relative; forward runs in float64, where central differences are then good to 8 digits
)
MOST = 12  # numbers of one tensor that are moved; a larger tensor gets no derivative


def derivatives(forward, leaves: dict, inner=(), loss_of=None) -> dict:
    """Derivatives of the loss by central differences, as nested lists like tolist().

    >>> derivatives(lambda t: {"y": t["x"] ** 2, "loss": t["x"] ** 2 * 3}, {"x": torch.tensor(2.0)})
    {"x": 12.0}

    `forward(leaves)` returns a dict of tensors by name whose last one is the loss; `leaves` are its
    inputs; `inner` are names of tensors made in between, to be moved as well; `loss_of(leaves)`
    runs forward and returns the loss alone, where that is quicker. A name is missing from the
    answer when it has no derivative that can be measured: not floating point, more than `MOST`
    numbers, not reached again, or the loss is not one number. Raises what `forward` raises.
    """
    loss_of = loss_of or (lambda leaves: _loss(forward(leaves)))
    leaves = {
        name: t.detach().double() if t.is_floating_point() else t for name, t in leaves.items()
    }
    with torch.no_grad():
        watch = _Nudge()
        copies = _copies(leaves)
        with watch:
            made = forward(copies)
        loss = _loss(made)
        if loss.numel() != 1:
            return {}
        found = {}
        for name, tensor in leaves.items():
            if _measurable(tensor):
                found[name] = _shaped(_leaf_slopes(loss_of, leaves, name), tensor)
        for name in inner:
            tensor = made.get(name)
            if tensor is loss:
                found[name] = _shaped([1.0], loss)
            elif numbers := [i for i, one in enumerate(watch.made) if one is tensor]:
                if _measurable(tensor):
                    found[name] = _shaped(_inner_slopes(loss_of, leaves, tensor, numbers), tensor)
            elif same := [
                leaf for leaf, copy in copies.items() if copy is tensor and leaf in found
            ]:
                found[name] = found[same[0]]  # another name for a leaf
    return found


def _leaf_slopes(loss_of, leaves, name):
    start = leaves[name]
    for h, change in _changes(start):
        up = loss_of(_copies(leaves, name, start + change)).item()
        down = loss_of(_copies(leaves, name, start - change)).item()
        yield (up - down) / (2 * h)


def _inner_slopes(loss_of, leaves, tensor, numbers):
    for h, change in _changes(tensor):
        ends = []
        for signed in (change, -change):
            copies = _copies(leaves)
            with _Nudge(numbers[-1], signed):
                ends.append(loss_of(copies).item())
        yield (ends[0] - ends[1]) / (2 * h)


def _changes(tensor):
    """For each number of a tensor: how far it is moved, and what to add for that."""
    if tensor.numel() == 1:  # most leaves of a lab are single numbers
        h = STEP * max(1.0, abs(tensor.item()))
        yield h, h
        return
    for i, x in enumerate(tensor.reshape(-1).tolist()):
        h = STEP * max(1.0, abs(x))
        change = torch.zeros(tensor.numel(), dtype=tensor.dtype)
        change[i] = h
        yield h, change.view(tensor.shape)


def _copies(leaves, moved=None, to=None):
    """The leaves, one of them moved; copies, since forward may edit them in place."""
    return {name: to if name == moved else t.clone() for name, t in leaves.items()}


def _loss(made):
    return next(reversed(made.values()))


def _measurable(tensor):
    return tensor.is_floating_point() and 0 < tensor.numel() <= MOST


def _shaped(slopes, like):
    if not like.dim():
        return next(iter(slopes))
    return torch.tensor(list(slopes), dtype=torch.float64).reshape(like.shape).tolist()


class _Nudge(TorchFunctionMode):
    """Sees every tensor that forward makes; adds `change` to the `number`-th."""

    def __init__(self, number=None, change=None):
        super().__init__()
        self.number, self.change = number, change
        self.made = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor):
            if len(self.made) == self.number:
                # What an in-place operation returns is its input: a copy of it would be lost.
                out = out.add_(self.change) if args and out is args[0] else out + self.change
            self.made.append(out)
        return out
