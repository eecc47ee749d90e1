"""Reading gradients on their way, each one once.

Summing up a large gradient costs about as much as a small operation, and the same memory is seen
again and again: leaving one node, waiting, reaching the next, passing a transpose, becoming .grad.
A summary is used again only where the memory cannot have changed: it has been alive all the time,
its version is the same, and no code of the user's has run in between.
"""

from typing import NamedTuple

import torch

from course.record import SMALL, Summary
from course.tracing.summary import modes_are_active, summarize

_TINY = 4  # reading so few numbers costs less than finding out whether one has read them


class Reading(NamedTuple):
    """Gradients as read at one moment."""

    summaries: tuple = ()  # Summary, or None where there is no gradient
    memories: tuple = ()  # where the numbers were: see _memory

    def by_memory(self) -> dict | None:
        if not any(self.memories):
            return None
        return dict(zip(self.memories, self.summaries, strict=True))


def read(grads, known=None) -> Reading:
    """Read them; `known` holds summaries by memory that are certainly still true."""
    known = known or {}
    look = not modes_are_active()
    summaries, memories = [], []
    for grad in grads:
        memory = _memory(grad) if look and grad is not None else None
        summary = known.get(memory) if memory else None
        if summary is None:
            summary = summarize(grad)
        elif summary.shape != grad.shape:  # a view of all of it: the same numbers
            extent = summary.norm, summary.min, summary.max
            summary = Summary(tuple(grad.shape), summary.dtype, None, *extent)
        summaries.append(summary)
        memories.append(memory)
    return Reading(tuple(summaries), tuple(memories))


def _memory(grad):
    """Which numbers a gradient holds: equal keys, equal numbers; None: unknown.

    Large ones may hold them in another order: their summaries do not tell.
    """
    if type(grad) is not torch.Tensor or (size := grad.numel()) <= _TINY:
        return None
    if grad.layout is not torch.strided or grad.is_inference():
        return None
    if size <= SMALL:
        return grad.data_ptr(), grad._version, grad.shape, grad.stride(), grad.dtype
    if grad.is_contiguous() or (grad.dim() == 2 and grad.t().is_contiguous()):
        return grad.data_ptr(), grad._version, size, grad.dtype
    return None


class Reader:
    """Readings that know what was read before."""

    def __init__(self, log):
        self.log = log

    def incoming(self, notes, grads) -> Reading:
        """What a node receives. Alone on its edge, it is what the node before sent."""
        waiting = notes.waiting
        if not waiting:
            return read(grads)
        epoch = self.log.epoch
        known = {memory: summary for memory, summary, when in waiting.values() if when == epoch}
        waiting.clear()
        return read(grads, known)

    def outgoing(self, notes, left) -> Reading:
        """What a node's operation returned, which may be the memory that it was given."""
        return read(left, None if notes.is_python else notes.came.by_memory())

    def accumulated(self, notes) -> Summary | None:
        """.grad of a leaf, which may be the very gradient that came. Kept until the trace ends."""
        reading = read((notes.node.variable.grad,), notes.came.by_memory())
        notes.outputs[0].grad_seen = self.log.epoch, reading
        return reading.summaries[0]

    def grad_at_the_end(self, notes) -> Summary | None:
        """.grad of a tensor when all has run."""
        epoch, reading = notes.grad_seen or (None, None)
        known = reading.by_memory() if reading and epoch == self.log.epoch else None
        return read((notes.tensor.grad,), known).summaries[0]

    def send(self, notes, reading):
        """Note what leaves for the next nodes."""
        nodes, epoch = self.log.nodes, self.log.epoch
        summaries, memories = reading
        for slot, (target, input_index) in enumerate(notes.next):
            summary = notes.left[slot] = summaries[slot]
            if summary is not None and target is not None:
                waiting = nodes[id(target)].waiting
                alone = input_index not in waiting  # a sum of two is new to everybody
                waiting[input_index] = memories[slot] if alone else None, summary, epoch
