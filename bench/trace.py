"""What tracing costs: a backward with trace beside the same backward without, in turns.

    python bench/trace.py [repetitions]

Tracing costs about the same for each node of a graph, so its share is small where a node has much
to compute, and large where it has little: the layers get narrower from line to line. The graph of
the labs is the last line, with its forward, as a slider's move runs it.
"""

import statistics
import sys
import time

import torch

from course import trace


def net(depth, width):
    layers = [(torch.nn.Linear(width, width), torch.nn.ReLU()) for _ in range(depth)]
    return torch.nn.Sequential(*[part for pair in layers for part in pair])


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(plain, traced, repetitions):
    """Medians of both in milliseconds, and the median of the ratios of neighbours."""
    pairs = [(plain(), traced()) for _ in range(repetitions)]
    ratios = [b / a for a, b in pairs]
    a, b = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    return a, b, statistics.median(ratios)


def backward_of_a_net(depth, width, batch, repetitions):
    model, x = net(depth, width), torch.randn(batch, width)

    def backward(run):
        model.zero_grad()
        loss = model(x).sum()  # the forward is not part of the time
        return seconds(lambda: run(loss))

    return in_turns(
        lambda: backward(torch.Tensor.backward),
        lambda: backward(lambda loss: trace(loss, model)),
        repetitions,
    )


def training_step(depth, width, batch, repetitions):
    model, x = net(depth, width), torch.randn(batch, width)

    def step(run):
        model.zero_grad()
        return seconds(run)

    return in_turns(
        lambda: step(lambda: model(x).sum().backward()),
        lambda: step(lambda: trace(lambda: model(x).sum(), model)),
        repetitions,
    )


def scalars():
    """A graph of ten nodes, with hooks."""
    w = torch.tensor(1.0, requires_grad=True)
    x = torch.tensor(2.0, requires_grad=True)
    v = torch.tensor(3.0, requires_grad=True)
    a = w + x
    b = w + 1
    y = a * b
    z = y * y
    u = z * v
    t = u + a
    loss = t * w
    w.register_hook(lambda grad: grad * 3)
    y.register_hook(lambda grad: grad + 2)
    return {"w": w, "x": x, "v": v, "a": a, "b": b, "y": y, "z": z, "u": u, "t": t, "loss": loss}


def main(repetitions=21):
    torch.manual_seed(0)
    backward_of_a_net(5, 16, 4, 3)  # warm up
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads; medians in milliseconds")
    print(f"{'':44}{'plain':>9}{'traced':>9}{'ratio':>8}")
    rows = [
        ("50 layers, width 512, batch 64: backward", backward_of_a_net, (50, 512, 64)),
        ("the same, forward and backward", training_step, (50, 512, 64)),
        ("50 layers, width 256, batch 64: backward", backward_of_a_net, (50, 256, 64)),
        ("the same, forward and backward", training_step, (50, 256, 64)),
        ("50 layers, width 64, batch 16: backward", backward_of_a_net, (50, 64, 16)),
        ("50 layers, width 8, batch 4: backward", backward_of_a_net, (50, 8, 4)),
    ]
    for name, measure, size in rows:
        plain, traced, ratio = measure(*size, repetitions)
        print(f"{name:44}{plain:9.2f}{traced:9.2f}{ratio:8.1f}")
    plain, traced, ratio = in_turns(
        lambda: seconds(lambda: scalars()["loss"].backward()),
        lambda: seconds(lambda: trace(scalars)),
        20 * repetitions,
    )
    print(f"{'10 scalar nodes: forward and backward':44}{plain:9.2f}{traced:9.2f}{ratio:8.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
