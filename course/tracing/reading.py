"""Reading gradients on their way, each large one once.

Summing up a large gradient costs about as much as a small operation, and the same memory is seen
again and again: leaving one node, waiting, reaching the next, passing a transpose. A summary is
used again only where the memory cannot have changed: it has been alive all the time, its version
is the same, and no code of the user's has run in between.
"""

import torch

from course.record import SMALL, Summary
from course.tracing.summary import modes_are_active, summarize


class Reader:
    """Summaries for one run of the engine."""

    def __init__(self, log):
        self.log = log

    def incoming(self, notes, grads):
        """What a node receives. Alone on its edge, it is what the node before sent."""
        known = {}
        for input_index, sent in notes.waiting.items():
            if sent is not None and sent[2] == self.log.epoch and input_index < len(grads):
                known[sent[0]] = sent[1]
        notes.waiting.clear()
        return _read(grads, known)

    def outgoing(self, notes, left, came):
        """What a node's operation returned, which may be the memory that it was given."""
        known = {}
        if not notes.is_python:
            for grad, summary in zip(came, notes.came, strict=False):
                if summary is not None and summary.values is None and (key := _memory(grad)):
                    known[key] = summary
        return _read(left, known)

    def send(self, notes, grads, summaries):
        """Note what leaves for the next nodes."""
        for slot, summary in enumerate(summaries):
            target, input_index = notes.next[slot]
            notes.left[slot] = summary
            if summary is None or target is None or summary.values is not None:
                continue
            waiting = self.log.nodes[id(target)].waiting
            key = _memory(grads[slot])
            second = input_index in waiting or key is None  # a sum is new to everybody
            waiting[input_index] = None if second else (key, summary, self.log.epoch)


def _read(grads, known):
    summaries = []
    for grad in grads:
        key = _memory(grad) if grad is not None and grad.numel() > SMALL else None
        summary = known.get(key) if key else None
        if summary is None:
            summary = summarize(grad)
            if key:
                known[key] = summary
        elif summary.shape != grad.shape:  # a view of all of it: the same numbers
            summary = Summary(tuple(grad.shape), summary.dtype, None, *_extent(summary))
        summaries.append(summary)
    return tuple(summaries)


def _extent(summary):
    return summary.norm, summary.min, summary.max


def _memory(grad):
    """Which numbers a gradient holds: equal keys, equal numbers (in some order); None: unknown."""
    if type(grad) is not torch.Tensor or grad.layout is not torch.strided or modes_are_active():
        return None
    if grad.is_inference() or not (
        grad.is_contiguous() or (grad.dim() == 2 and grad.t().is_contiguous())
    ):
        return None
    return grad.data_ptr(), grad._version, grad.numel(), grad.dtype
