"""The modules and inputs with which the exercises of lesson 5 are tried."""

from collections.abc import Callable
from itertools import combinations

import torch
from torch import nn

from course.draw import floats


class Residual(nn.Module):
    """Leads its input around its only part: neither a part nor a legacy hook sees all of it."""

    def __init__(self):
        super().__init__()
        self.part = nn.Linear(3, 3)

    def forward(self, x):
        return x + 3 * self.part(x)


class Scale(nn.Module):
    """Has a parameter whose name is neither weight nor bias."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.scale


class AddsWeight(nn.Module):
    """Its backward gives one and the same tensor to its input and to its weight."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x + self.weight


class Exchange(nn.Linear):
    """Exchanges the numbers of its input, and adds a bias. For gradients of only ones, the
    gradient of the input equals that of the product: `layer(x).sum()` cannot tell them apart.
    With one row, the gradient of the product has the numbers of that of the bias."""

    def __init__(self):
        super().__init__(3, 3)

    def forward(self, x):
        return x @ self.weight.t() + self.bias


LAYERS: dict[str, Callable[[], nn.Module]] = {
    "linear": lambda: nn.Linear(3, 2),
    "no bias": lambda: nn.Linear(3, 2, bias=False),
    "square": lambda: nn.Linear(3, 3),
    "exchange": Exchange,
    "tanh": nn.Tanh,
    "conv": lambda: nn.Conv2d(2, 3, 3),
    "net": lambda: nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)),
    "residual": Residual,
    "scaled": lambda: nn.Sequential(nn.Linear(3, 2), Scale()),
    "adds weight": AddsWeight,
    "same": lambda: nn.Identity(),
}


def layer(kind, rng):
    """A module of that kind whose parameters are small whole numbers."""
    return fill(LAYERS[kind](), rng)


def fill(module, rng):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(floats(rng, *p.shape))
        if isinstance(module, Exchange):
            module.weight.copy_(torch.eye(3).roll(1, 0))
    return module


def hooks_on(module):
    """How many hooks of any kind are left on a module, its parts and its parameters."""
    of_modules = ("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks")
    of_tensors = ("_backward_hooks", "_post_accumulate_grad_hooks")
    return sum(len(getattr(m, kind)) for m in module.modules() for kind in of_modules) + sum(
        len(getattr(p, kind) or ()) for p in module.parameters() for kind in of_tensors
    )


def made_input(rng, shape, tracked):
    """An input: data, a leaf that requires a gradient, or the result of an operation on one."""
    x = floats(rng, *shape).requires_grad_(bool(tracked))
    return x * 2 if tracked == "a result" else x


def telling_input(rng, module, shape):
    """An input whose columns have different sums: else a square weight.grad may be its transpose.

    What the module makes of it is small enough for a loss with exp. With a loss like
    `out.pow(2).sum()` no gradient equals another one or its transpose.
    """
    while True:
        x = floats(rng, *shape).requires_grad_()
        sums, out = x.reshape(-1, shape[-1]).sum(0).tolist(), module(x)
        found = list(torch.autograd.grad(out.pow(2).sum(), [x, out, module.weight]))
        found += [found[-1].t()] if module.weight.ndim == 2 else []
        alike = any(a.shape == b.shape and torch.allclose(a, b) for a, b in combinations(found, 2))
        if len(set(sums)) > 1 and out.abs().max() < 60 and not alike:
            return x.detach()
