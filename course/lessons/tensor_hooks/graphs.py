"""The graphs whose backward is recorded in the last exercise of lesson 3.

Each function gives the leaf tensors and a function that builds the graph: the root, and the tensors
by name.
"""

from course.draw import floats


class Stop(Exception):
    """What the backward of the last case raises."""


def chain(rng):
    x = floats(rng, 2).requires_grad_()
    factors = floats(rng, 2, 2)

    def build():
        a = x * factors[0]
        b = a * factors[1]
        return b.sum(), {"x": x, "b": b, "a": a}

    return [x], build


def zero_in_between(rng):
    """The gradient of `a` is zero everywhere. `x` has another way to the root."""
    x = floats(rng, 2).requires_grad_()
    factors = floats(rng, 5, 2)

    def build():
        a = x * factors[0]
        b = a * (factors[1] * 0)
        c = b * factors[2]
        d = c * factors[3]
        root = d.sum() + (x * factors[4]).sum()
        return root, {"c": c, "x": x, "d": d, "a": a, "b": b}

    return [x], build


def ways(rng):
    w, x = (floats(rng, 2).abs().requires_grad_() for _ in range(2))  # so that no sum is 0

    def build():
        a = w + x
        b = w * 3
        y = (a * b).sum()
        return y, {"w": w, "y": y, "a": a, "b": b, "x": x}

    return [w, x], build


def unreached(rng):
    w, x, other = (floats(rng, 2).requires_grad_() for _ in range(3))
    data = floats(rng, 2)

    def build():
        h = w * data
        return (h * x).sum(), {"other": other, "w": w, "data": data, "h": h, "o": other * 2, "x": x}

    return [w, x, other], build


def unbind(rng):
    m = floats(rng, 2, 3).requires_grad_()

    def build():
        one, two = m.unbind()
        return (two * two).sum(), {"m": m, "one": one, "two": two}

    return [m], build


def fails(rng):
    [x], build = chain(rng)

    def stop(grad):
        raise Stop("this backward fails")

    x.register_hook(stop)
    return [x], build


GRAPHS = {
    "chain": chain,
    "ways": ways,
    "unreached": unreached,
    "twice": zero_in_between,
    "unbind": unbind,
    "fails": fails,
}
