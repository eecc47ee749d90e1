"""One move of a lab in the kernel: build, backward, trace, finite differences, picture and table.

    python bench/lab_move.py [moves]

The lab is the largest one of the lessons on tensor hooks. Beside it, in the same run, the same move
(forward, hooks, backward) is drawn with matplotlib and networkx, and, where they are installed,
with torchviz and graphviz; one of its hooks prints, as the lab's does. They take turns in runs of
ten moves, as a slider that is dragged makes them: a busy machine slows all of them alike, and none
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
    """Forward and backward with the same hooks."""
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (a, 3.0, 4.0))
    c = a * b
    e = c * d
    c.register_hook(lambda grad: grad + 2)
    c.register_hook(lambda grad: print("hook on c sees", grad))
    d.register_hook(lambda grad: grad + 100)
    e.register_hook(lambda grad: grad * 2)
    c.retain_grad()
    e.retain_grad()
    with contextlib.redirect_stdout(io.StringIO()):
        e.backward()
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


def with_networkx(a):
    tensors = by_hand(a)
    graph = networkx.DiGraph([("a", "c"), ("b", "c"), ("c", "e"), ("d", "e")])
    labels = {n: f"{n}\n{t.item():g}\n{t.grad.item():g}" for n, t in tensors.items()}
    figure = plt.figure(figsize=(6, 4))
    networkx.draw(graph, networkx.planar_layout(graph), labels=labels, node_size=2000)
    figure.savefig(io.BytesIO(), format="svg")
    plt.close(figure)


def with_torchviz(a):
    from torchviz import make_dot

    tensors = by_hand(a)
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
