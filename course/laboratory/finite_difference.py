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
        with watch:
            made = _run(forward, leaves)
        loss = _loss(made)
        if loss.numel() != 1:
            return {}
        found = {}
        for name, tensor in leaves.items():
            if _measurable(tensor):
                found[name] = _shaped(_leaf_slopes(loss_of, leaves, name), tensor)
        for name in inner:
            if made.get(name) is loss:
                found[name] = _shaped([1.0], loss)
                continue
            numbers = [i for i, one in enumerate(watch.made) if one is made.get(name)]
            if numbers and _measurable(made[name]):
                slopes = _inner_slopes(loss_of, leaves, made[name], numbers[-1])
                found[name] = _shaped(slopes, made[name])
    return found


def _leaf_slopes(loss_of, leaves, name):
    start = leaves[name]
    numbers = start.reshape(-1).tolist()
    for i, x in enumerate(numbers):
        h = STEP * max(1.0, abs(x))
        ends = []
        for value in (x + h, x - h):
            moved = torch.tensor([*numbers[:i], value, *numbers[i + 1 :]], dtype=start.dtype)
            ends.append(_run(loss_of, {**leaves, name: moved.view(start.shape)}).item())
        yield (ends[0] - ends[1]) / (2 * h)


def _inner_slopes(loss_of, leaves, tensor, number):
    for i, x in enumerate(tensor.reshape(-1).tolist()):
        h = STEP * max(1.0, abs(x))
        ends = []
        for change in (h, -h):
            with _Nudge(number, i, change):
                ends.append(_run(loss_of, leaves).item())
        yield (ends[0] - ends[1]) / (2 * h)


def _run(forward, leaves):
    return forward({name: t.clone() for name, t in leaves.items()})  # it may edit them in place


def _loss(made):
    return next(reversed(made.values()))


def _measurable(tensor):
    return tensor.is_floating_point() and 0 < tensor.numel() <= MOST


def _shaped(slopes, like):
    if not like.dim():
        return next(iter(slopes))
    return torch.tensor(list(slopes), dtype=torch.float64).reshape(like.shape).tolist()


class _Nudge(TorchFunctionMode):
    """Sees every tensor that forward makes; adds `change` to one element of the `number`-th."""

    def __init__(self, number=None, element=0, change=0.0):
        super().__init__()
        self.number, self.element, self.change = number, element, change
        self.made = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor):
            if len(self.made) == self.number:
                # What an in-place operation returns is its input: a copy of it would be lost.
                out = out if args and out is args[0] else out.clone()
                flat = torch.zeros(out.numel(), dtype=out.dtype)
                flat[self.element] = self.change
                out.add_(flat.view(out.shape))
            self.made.append(out)
        return out
