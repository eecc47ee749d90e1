"""What the engine calls at each node, and what is noted there.

In order: the tensor's hooks (spies report them), `arrives`, the user's node pre-hooks, `starts`,
the operation itself, `ends`, the user's node hooks, `leaves`. `arrives` and `leaves` are there only
where the user has hooks on the node.
"""

import sys

import torch

from course.tracing.reading import Reader
from course.tracing.spies import Spy
from course.tracing.strangers import Strangers
from course.tracing.summary import summarize

_current_node = torch._C._current_autograd_node


def _calls_nobody(method):
    """A hook of ours on a node: deaf to the profiler while it runs, and it returns nothing."""

    def hook(self, *gradients):
        notes = self.nodes.get(id(_current_node()))
        if notes is None:
            return
        if self.strangers is None:
            method(self, notes, *gradients)
            return
        self.strangers.pause()
        try:
            method(self, notes, *gradients)
        finally:
            if method.__name__ != "starts":  # no hook on a tensor is called until the node `ends`
                self.strangers.resume()

    return hook


class Steps:
    """The hooks of one run of the engine."""

    def __init__(self, log):
        self.log = log
        self.nodes = log.nodes
        self.reader = Reader(log)
        self.current = None  # notes on the node that received its gradients last
        self.strangers = None
        self.busy = len(log.busy)
        self.error_before = sys.exc_info()[1]

    def listen_for_strangers(self, engine_frame):
        """The graph is older than the trace: hooks may be on tensors that are gone."""
        own_code = {Steps.starts.__code__, Spy.__call__.__code__}
        self.strangers = Strangers(self, engine_frame, own_code)

    def finish(self):
        """The engine has stopped; if by an error, the operation that was running raised it."""
        if self.strangers:
            self.strangers.stop()
        error = sys.exc_info()[1]
        if error is not self.error_before:
            for notes in reversed(self.log.busy[self.busy :]):
                text = f"{type(error).__name__}: {error}"
                came = notes.came.summaries if notes.came else ()
                self.log.add("node", notes, came, (), error=text)
        del self.log.busy[self.busy :]
        self.current = self.strangers = self.error_before = None

    def notes_now(self):
        """Notes on the node that the engine is at; None for one outside of the graph walked."""
        return self.nodes.get(id(_current_node()))

    def report(self, spy, call):
        """A hook of the user's was called."""
        log = self.log
        log.epoch += 1
        if spy.kind == "tensor_hook":
            spy.target.hook_ran(call)
        elif spy.kind == "post_accumulate_hook":
            self._accumulated(log.nodes[id(spy.target.node)], call.before)
        log.add(spy.kind, spy.target, call.before, call.after, hook=spy, call=call)

    @_calls_nobody
    def arrives(self, notes, grads):
        """Gradients reach a node: tensor hooks have run, pre-hooks have not."""
        self._received(notes, grads, self.reader.incoming(notes, grads))

    @_calls_nobody
    def starts(self, notes, grads):
        """The node's operation is about to run."""
        self.log.busy.append(notes)
        if notes.has_pre_hooks:
            notes.came = self.reader.incoming(notes, grads)
        elif notes.is_python or self.strangers or notes.outputs:
            notes.came = self.reader.incoming(notes, grads)
            self._received(notes, grads, notes.came)
        else:
            notes.came = None  # no hurry: `ends` is given the same gradients

    @_calls_nobody
    def ends(self, notes, left, came):
        """The node's operation has run."""
        log = self.log
        notes.ran = True
        if log.busy and log.busy[-1] is notes:
            log.busy.pop()
        if notes.is_leaf:
            if notes.is_quiet:
                notes.came = self.reader.incoming(notes, came)
                self._received(notes, came, notes.came)
            self._accumulated(notes)
            notes.accumulated = False
            return
        if notes.came is None:
            notes.came = self.reader.incoming(notes, came)
        log.epoch += notes.is_python
        reading = self.reader.outgoing(notes, left)
        log.add("node", notes, notes.came.summaries, reading.summaries)
        if not notes.has_hooks:
            self.reader.send(notes, reading)

    @_calls_nobody
    def leaves(self, notes, left, came):
        """Gradients leave a node whose hooks have run."""
        if not notes.is_leaf:
            self.reader.send(notes, self.reader.outgoing(notes, left))

    def _received(self, notes, grads, reading):
        self.current = notes
        if self.strangers:
            self.strangers.settle(notes, grads)
        for output, tensor_notes in notes.outputs.items():
            arrived = reading.summaries[output]
            if not tensor_notes.hooked:
                tensor_notes.arrived = tensor_notes.passed = arrived
            tensor_notes.hooked = False
            tensor = tensor_notes.tensor
            if tensor is not None and tensor.retains_grad:
                kept = (summarize(tensor.grad),)
                self.log.add("retain_grad", tensor_notes, (arrived,), kept)

    def _accumulated(self, notes, grad=None):
        """Log, once, that a leaf's .grad is written; before its post-accumulate hooks."""
        if not notes.accumulated:
            notes.accumulated = True
            grad = grad or (self.reader.accumulated(notes),)
            self.log.add("accumulate", notes.outputs[0], notes.came.summaries, grad)
