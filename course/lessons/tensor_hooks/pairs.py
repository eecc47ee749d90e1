"""Two tensors that share one gradient: where most hooks of lesson 3 are tried."""

import torch

from course.draw import floats
from course.lessons.tensor_hooks.readings import stored


class Pair:
    """Tensors `s` and `t` whose sum gives both the same gradient; `s` is reached after `t`."""

    def __init__(self, rng, leaf, loss="weighted", shape=(3,), dtype=torch.float32):
        self.bases = [floats(rng, *shape).to(dtype).requires_grad_() for _ in range(3)]
        self.s, self.u = self.bases[0] * 1, self.bases[1] * 1
        self.t = self.bases[2] if leaf else self.bases[2] * 1
        self.rng, self.kind = rng, loss

    def backward(self, times):
        """Run backward; give the gradients of `s` and `t` in each one, and an in-place error."""
        grads, plain_grads, error = {"s": [], "t": []}, [], None
        for _ in range(times):
            before = [stored(self.bases[0]), stored(self.bases[2])]
            factor = self.factor()
            try:
                self.loss(factor).backward(retain_graph=True)
            except RuntimeError as raised:
                if "single memory location" not in str(raised):
                    raise
                error = str(raised).partition(".")[0]
                break
            for name, i, old in zip("st", (0, 2), before, strict=True):
                grads[name].append((stored(self.bases[i]) - old).tolist())
            alone = -torch.ones_like(factor) if self.kind == "sum" else factor
            plain_grads.append(alone.tolist())
        return grads | {"error": error, "_plain": plain_grads}

    def factor(self):
        """Negative and positive numbers. The two norms that a matrix can have are not the same."""
        while True:
            factor = floats(self.rng, *self.t.shape).to(self.t.dtype)
            factor[0], factor[1] = -abs(factor[0]), abs(factor[1])
            if factor.dim() == 1 or largest_stretch(factor) < 0.99 * factor.norm():
                return factor

    def loss(self, factor):
        if self.kind == "sum":
            return -(self.s + self.t).sum()
        total = self.s + self.t if self.kind == "weighted" else self.s + (self.u + self.t)
        return (total * factor).sum()


def largest_stretch(grad):
    """What torch.linalg.norm(grad, 2) is: of a matrix the largest singular value."""
    return float(torch.linalg.norm(grad, 2)) if grad.dim() < 3 else None


def matrix_of_two_norms(rng):
    """A matrix whose largest singular value is not its norm."""
    while True:
        matrix = floats(rng, 2, 2)
        if largest_stretch(matrix) < 0.99 * matrix.norm():
            return matrix
