"""What a backward leaves in memory: the bytes that are still held when it is done.

A chain of layers, one real forward and backward, then a count of what is alive: the gradients of
the layers, the layers' own values, and what the graph saved for a further backward. Nothing is
estimated: a storage counts when something still holds it.
"""

import weakref
from dataclasses import dataclass

import torch

KEEP = {  # what is done to look at the layers' gradients -> how it reads
    "nothing": "nothing",
    "hook": "a hook on every layer that measures the norm",
    "last": "retain_grad() on the last layer",
    "half": "retain_grad() on every second layer",
    "all": "retain_grad() on every layer",
    "list": "a hook on every layer that puts the gradient in a list",
}
RETAIN_GRAPH = {  # which backward calls get retain_graph=True
    "never": "no call",
    "but the last": "every call but the last",
    "always": "every call",
}


@dataclass(frozen=True)
class Held:
    """Bytes that are held after the last backward, and the error where one was raised."""

    gradients: int
    values: int  # of the layers that the program still names, to read their .grad
    graph: int  # saved for another backward, and held by nothing else
    error: str = ""

    @property
    def total(self) -> int:
        return self.gradients + self.values + self.graph


def held_after_backward(
    depth: int, width: int, keep="nothing", backwards=1, retain_graph="but the last"
) -> Held:
    """Run a chain of `depth` layers of `width` float32 numbers, and count what stays.

    >>> held_after_backward(10, 100, "all").gradients      # ten layers, 100 numbers of 4 bytes
    4000

    `keep` is one of `KEEP`, `retain_graph` one of `RETAIN_GRAPH`. Raises ValueError for others.
    """
    if keep not in KEEP or retain_graph not in RETAIN_GRAPH:
        known = ", ".join(map(repr, (*KEEP, *RETAIN_GRAPH)))
        raise ValueError(f"{keep!r} or {retain_graph!r} is not known here. Known: {known}.")
    generator = torch.Generator().manual_seed(0)
    weights = [torch.randn(width, generator=generator).requires_grad_() for _ in range(depth)]
    x = torch.ones(width)
    packed = []  # weak: what the graph alone holds dies with it
    with torch.autograd.graph.saved_tensors_hooks(lambda t: _pack(t, packed), lambda box: box.t):
        loss, named, gradients, norms = _forward(x, weights, keep)
    error = ""
    try:
        for call in range(backwards):
            last = call == backwards - 1
            retain = retain_graph == "always" or (retain_graph == "but the last" and not last)
            loss.backward(retain_graph=retain)
    except RuntimeError as raised:
        error = str(raised).partition(". ")[0]
    gradients += [h.grad for h in named if h.grad is not None]
    saved = [box.t for box in (ref() for ref in packed) if box is not None]
    seen = {_storage(t) for t in (x, loss, *weights)}  # the program holds them in any case
    return Held(_bytes(gradients, seen), _bytes(named, seen), _bytes(saved, seen), error)


class _Box:
    """What the graph holds in place of a saved tensor; unlike a tensor it is ours alone."""

    def __init__(self, t):
        self.t = t


def _pack(t, packed):
    box = _Box(t)
    packed.append(weakref.ref(box))
    return box


def _forward(h, weights, keep):
    """The loss, the layers that keep a name, and the lists that hooks fill."""
    named, gradients, norms = [], [], []
    for number, w in enumerate(weights, 1):
        h = torch.tanh(h * w)
        wanted = {"all": True, "half": number % 2 == 0, "last": number == len(weights)}
        if wanted.get(keep):
            h.retain_grad()
            named.append(h)
        elif keep == "hook":
            h.register_hook(lambda grad: norms.append(grad.norm().item()))
        elif keep == "list":
            h.register_hook(gradients.append)
    return (h * h).sum(), named, gradients, norms


def _storage(t):
    return t.untyped_storage().data_ptr()


def _bytes(tensors, seen):
    """Bytes of the storages of these tensors that were not counted before."""
    total = 0
    for t in tensors:
        if _storage(t) not in seen:
            seen.add(_storage(t))
            total += t.untyped_storage().nbytes()
    return total
