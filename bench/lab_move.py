"""One move of a lab in the kernel: build, backward, trace, finite differences, picture and table.

    python bench/lab_move.py [moves]

The lab is the largest one of the lessons on tensor hooks. Beside it, in the same run, the same move
(forward, hooks that note what they see, backward, finite differences) is drawn with matplotlib and
networkx, and, where they are installed, with torchviz and graphviz. They take turns in runs of ten
moves, as a slider that is dragged makes them: a busy machine slows all of them alike, and none
finds the processor's caches full of another's work at each move.
"""

import contextlib
import io
import shutil
import statistics
import sys
import time

import matplotlib
import networkx
import torch

from course import lab
from course.laboratory.page import page

matplotlib.use("agg")
import matplotlib.pyplot as plt

RUN = 10  # moves in a row


def products(a, b, d):
    c = a * b
    e = c * d
    return e


def with_the_lab():
    shown = lab(
        products,
        a=2.0,
        b=3.0,
        d=4.0,
        hooks={"c": ["shift 2", "observe"], "d": "shift 100", "e": "scale 2"},
        retain=["c", "e"],
    )

    def move(a):
        shown.move(shown.settings.moved(values={**shown.settings.values, "a": a}))
        page(shown, opened=())  # as long as nobody opens its code and its words

    return move


def by_hand(a):
    """The same move: each tensor, what its hooks were given and returned, and its derivative."""
    a, b, d = leaves = [torch.tensor(x, requires_grad=True) for x in (a, 3.0, 4.0)]
    c = a * b
    e = c * d
    seen = {}

    def register(tensor, name, hook):
        def noting(grad):
            returned = hook(grad)
            after = grad if returned is None else returned
            seen.setdefault(name, []).append(f"{grad.item():+g} → {after.item():+g}")
            return returned

        tensor.register_hook(noting)

    register(c, "c", lambda grad: grad + 2)
    register(c, "c", lambda grad: print("hook on c sees", grad))
    register(d, "d", lambda grad: grad + 100)
    register(e, "e", lambda grad: grad * 2)
    c.retain_grad()
    e.retain_grad()
    with contextlib.redirect_stdout(io.StringIO()):
        e.backward()
    with torch.no_grad():
        doubles = [t.double() for t in leaves]
        slopes = [slope(products, doubles, i) for i in range(3)]
        slopes += [slope(torch.mul, [c.double(), doubles[2]], 0), 1.0]
    tensors = {"a": a, "b": b, "d": d, "c": c, "e": e}
    return tensors, seen, dict(zip(tensors, slopes, strict=True))


def slope(function, inputs, i, step=1e-6):
    """The derivative by its i-th input, from two forwards."""
    up, down = list(inputs), list(inputs)
    up[i], down[i] = inputs[i] + step, inputs[i] - step
    return (function(*up) - function(*down)).item() / (2 * step)


def with_networkx(a):
    tensors, seen, slopes = by_hand(a)
    graph = networkx.DiGraph([("a", "c"), ("b", "c"), ("c", "e"), ("d", "e")])
    labels = {
        n: "\n".join([n, f"{t.item():g}", *seen.get(n, ()), f"{t.grad.item():g} ({slopes[n]:g})"])
        for n, t in tensors.items()
    }
    figure = plt.figure(figsize=(6, 4))
    networkx.draw(graph, networkx.planar_layout(graph), labels=labels, node_size=2000)
    figure.savefig(io.BytesIO(), format="svg")
    plt.close(figure)


def with_torchviz(a):
    """Its picture has no place for numbers of gradients: names and shapes alone."""
    from torchviz import make_dot

    tensors, _, _ = by_hand(a)
    make_dot(tensors["e"], params=tensors).pipe(format="svg")


def contestants():
    yield "course.lab", with_the_lab()
    yield "matplotlib and networkx", with_networkx
    if shutil.which("dot"):
        try:
            import torchviz  # noqa: F401  only asked whether it is there
        except ImportError:
            return
        yield "torchviz and graphviz", with_torchviz


def main(moves=100):
    runs = dict(contestants())
    times = {name: [] for name in runs}
    for move in runs.values():
        move(1.0)  # loads and caches
    for first in range(0, moves, RUN):
        for name, move in runs.items():
            for i in range(first, first + RUN):
                start = time.perf_counter()
                move(2.0 + i % 7)
                times[name].append(1000 * (time.perf_counter() - start))
    ours = statistics.median(times["course.lab"])
    print(f"{'one move in the kernel':30}{'median ms':>10}{'95th %':>9}{'times the lab':>15}")
    for name, taken in times.items():
        median, late = statistics.median(taken), sorted(taken)[int(0.95 * len(taken))]
        print(f"{name:30}{median:10.2f}{late:9.2f}{median / ours:15.1f}")
    if len(times) == 2:
        print("torchviz and graphviz are not installed here: not measured")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
