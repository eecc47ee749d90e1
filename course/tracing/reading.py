"""Reading gradients on their way, each one once.

Summing up a large gradient costs about as much as a small operation, and the same memory is seen
again and again: leaving one node, waiting, reaching the next, passing a transpose, becoming .grad.
A summary is used again only where the memory cannot have changed: it has been alive all the time,
its version is the same, and no code of the user's has run in between.
"""

import torch

from course.record import SMALL, Summary
from course.tracing.summary import modes_are_active, summarize

_TINY = 4  # reading so few numbers costs less than finding out whether one has read them


class Reader:
    """Summaries for one run of the engine."""

    def __init__(self, log):
        self.log = log

    def incoming(self, notes, grads):
        """What a node receives. Alone on its edge, it is what the node before sent."""
        known = {}
        for key, summary, epoch in filter(None, notes.waiting.values()):
            if epoch == self.log.epoch:
                known[key] = summary
        notes.waiting.clear()
        return _read(grads, known)

    def outgoing(self, notes, left, came):
        """What a node's operation returned, which may be the memory that it was given."""
        return _read(left, {} if notes.is_python else _known(came, notes.came))

    def accumulated(self, notes, came):
        """.grad of a leaf, which may be the very gradient that came. Kept until the trace ends."""
        grad = notes.node.variable.grad
        (summary,) = _read((grad,), _known(came, notes.came))
        notes.outputs[0].grad_seen = _memory(grad), summary, self.log.epoch
        return summary

    def grad_at_the_end(self, notes):
        """.grad of a tensor when all has run."""
        grad = notes.tensor.grad
        key, summary, epoch = notes.grad_seen or (None, None, None)
        known = {key: summary} if key and epoch == self.log.epoch else {}
        return _read((grad,), known)[0]

    def send(self, notes, grads, summaries):
        """Note what leaves for the next nodes."""
        for slot, summary in enumerate(summaries):
            target, input_index = notes.next[slot]
            notes.left[slot] = summary
            if summary is None or target is None:
                continue
            waiting = self.log.nodes[id(target)].waiting
            second = input_index in waiting  # a sum of two is new to everybody
            key = None if second else _memory(grads[slot])
            waiting[input_index] = (key, summary, self.log.epoch) if key else None


def _read(grads, known):
    summaries = []
    for grad in grads:
        key = _memory(grad)
        summary = known.get(key) if key else None
        if summary is None:
            summary = summarize(grad)
            if key:
                known[key] = summary
        elif summary.shape != grad.shape:  # a view of all of it: the same numbers
            summary = Summary(tuple(grad.shape), summary.dtype, None, *_extent(summary))
        summaries.append(summary)
    return tuple(summaries)


def _known(grads, summaries):
    return {
        key: summary
        for grad, summary in zip(grads, summaries, strict=False)
        if (key := _memory(grad))
    }


def _extent(summary):
    return summary.norm, summary.min, summary.max


def _memory(grad):
    """Which numbers a gradient holds: equal keys, equal numbers; None: unknown.

    Large ones may hold them in another order: their summaries do not tell.
    """
    if type(grad) is not torch.Tensor:
        return None
    size = grad.numel()
    if size <= _TINY or modes_are_active() or grad.layout is not torch.strided:
        return None
    if grad.is_inference():
        return None
    if size <= SMALL:
        return grad.data_ptr(), grad._version, grad.shape, grad.stride(), grad.dtype
    if grad.is_contiguous() or (grad.dim() == 2 and grad.t().is_contiguous()):
        return grad.data_ptr(), grad._version, size, grad.dtype
    return None
