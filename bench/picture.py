"""Drawing one backward: ours beside matplotlib with networkx, and torchviz with graphviz.

    python bench/picture.py [rounds]

Two graphs of the lessons: the five nodes of y = (w + x)(w + 1), and a small conv net of about
twenty. Every contestant makes an SVG of the same graph with the names and gradients it can show.
They take turns in one run, so that a busy machine slows all of them alike. What is not installed
is left out, with a sentence that says so.
"""

import importlib.util
import io
import shutil
import statistics
import sys
import time

import torch
from torch import nn

from course import picture, timeline, trace
from course.drawing.cards import board
from course.drawing.numerals import amount
from course.drawing.svg import render


def five_nodes():
    w, x = (torch.tensor(v, requires_grad=True) for v in (1.0, 2.0))
    a, b = w + x, w + 1
    names = {"w": w, "x": x, "a": a, "b": b}
    w.register_hook(lambda gradient: gradient * 3)
    return a * b, names


def conv_net():
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
        nn.Flatten(), nn.Linear(16 * 8 * 8, 10),
    )  # fmt: skip
    loss = nn.functional.cross_entropy(net(torch.randn(1, 1, 28, 28)), torch.tensor([3]))
    return loss, dict(net.named_parameters())


def with_networkx(record):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    import networkx

    labels = {node.id: node.name for node in record.nodes}
    labels |= {t.node: f"{t.name}\n{t.grad_fn}" for t in record.tensors if t.node}
    graph = networkx.DiGraph([(e.target, e.source) for e in record.edges])
    for layer, nodes in enumerate(networkx.topological_generations(graph)):
        for node in nodes:
            graph.nodes[node]["layer"] = layer
    places = networkx.multipartite_layout(graph, subset_key="layer")  # once, as ours is kept
    flowed = {(e.target, e.source): amount(e.gradient, True) for e in record.edges}

    def draw():
        figure = plt.figure(figsize=(9, 6))
        networkx.draw(graph, places, labels=labels, node_size=1500, font_size=7)
        networkx.draw_networkx_edge_labels(graph, places, flowed, font_size=7)
        figure.savefig(io.BytesIO(), format="svg")
        plt.close(figure)

    return draw


def contestants(loss, names):
    """Name and function of each; the graph of `loss` is kept for torchviz."""
    record = trace(loss, retain_graph=True, **{n.replace(".", "_"): t for n, t in names.items()})
    whole = board(record)
    yield "SVG, layout kept", lambda: render(board(record), whole, "", "")
    yield "picture: SVG, HTML and text", lambda: picture(record)
    yield "picture at a step", lambda: picture(record, len(record.events) // 2)
    yield "timeline at a step", lambda: timeline(record, len(record.events) // 2)
    if installed("networkx"):
        yield "matplotlib and networkx", with_networkx(record)
    if installed("torchviz") and shutil.which("dot"):
        from torchviz import make_dot

        yield "torchviz and graphviz", lambda: make_dot(loss, params=names).pipe(format="svg")


def installed(module):
    return importlib.util.find_spec(module) is not None


def main(rounds=40):
    for build in (five_nodes, conv_net):
        draws = dict(contestants(*build()))
        times = {name: [] for name in draws}
        for i in range(rounds + 2):
            for name, draw in draws.items():
                start = time.perf_counter()
                draw()
                if i >= 2:  # the first ones import and fill caches
                    times[name].append(1000 * (time.perf_counter() - start))
        ours = statistics.median(times["picture: SVG, HTML and text"])
        print(f"{build.__name__:32}{'median ms':>10}{'95th %':>9}{'times picture':>15}")
        for name, taken in times.items():
            median, late = statistics.median(taken), sorted(taken)[int(0.95 * len(taken))]
            print(f"  {name:30}{median:10.2f}{late:9.2f}{median / ours:15.1f}")
    if not installed("networkx"):
        print("networkx is not installed here: not measured")
    if not (installed("torchviz") and shutil.which("dot")):
        print("torchviz and graphviz are not both installed here: not measured")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
