"""What a trace has seen so far: events in order, notes on nodes and on tensors.

A log holds graph nodes, and tensors only weakly, while the trace runs, and lets go of all of them
in `close`.
"""

import threading
import weakref
from typing import NamedTuple

import torch
from torch.autograd.function import BackwardCFunction

from course.tracing.summary import summarize


class Happening(NamedTuple):
    """An event before its target has an id and a name."""

    phase: str
    kind: str
    target: object  # TensorNotes, NodeNotes or a module
    before: tuple
    after: tuple
    hook: object  # a Spy or a Stranger; None for a node or an accumulation
    call: object
    error: str | None
    backward: int


class NodeNotes:
    """What is known of one autograd node."""

    __slots__ = (
        "node", "name", "number", "is_leaf", "is_python", "next", "outputs", "ran", "module",
        "came", "left", "waiting", "accumulated", "attached", "has_pre_hooks", "has_hooks",
        "is_quiet",
    )  # fmt: skip

    def __init__(self, node):
        self.node = node
        self.number = node._sequence_nr()  # nodes are numbered as they are made
        self.next = node.next_functions
        self.name = name_of(node)
        self.is_leaf = not self.next and hasattr(node, "variable")  # an AccumulateGrad
        self.is_python = isinstance(node, BackwardCFunction)  # a torch.autograd.Function's
        self.outputs = {}  # which output of the forward operation -> TensorNotes
        self.ran = False
        self.module = None  # the module of a BackwardHookFunction node
        self.came = None  # Reading of what came in, after tensor hooks and node pre-hooks
        self.left = {}  # slot -> the gradient that went out
        self.waiting = {}  # input -> what is known of a gradient on its way to this node
        self.accumulated = False  # the accumulate event of this backward is logged
        self.attached = self.has_pre_hooks = self.has_hooks = False
        self.is_quiet = False  # a leaf that calls none of the user's hooks before .grad is there


class TensorNotes:
    """What is known of one tensor. A tensor that nobody holds any more has notes as well."""

    __slots__ = (
        "ref", "key", "node", "output", "later", "hooks", "name", "module", "value", "grad_before",
        "grad_seen", "arrived", "passed", "hooked",
    )  # fmt: skip

    def __init__(self, key, node, output):
        self.key = key
        self.ref = _gone  # or a weak reference to the tensor
        self.node = node  # its grad_fn, or its AccumulateGrad; None when there is none to see
        self.output = output
        self.later = None  # key of the tensor that an in-place operation made of it
        self.hooks = None  # its dictionary of hooks, where the tensor itself may be gone
        self.name = None
        self.module = None
        self.value = self.grad_before = None
        self.grad_seen = None  # (memory, Summary, epoch) when it was accumulated
        self.arrived = self.passed = None
        self.hooked = False  # one of its hooks was called, and its node has not yet run

    @property
    def tensor(self):
        tensor = self.ref()
        if tensor is not None:
            tensor._fix_weakref()  # torch 2.4 may free it while we hold it, otherwise
        return tensor

    def read_grad_before(self, tensor):
        if tensor.is_leaf or tensor.retains_grad:  # reading .grad of others would warn
            self.grad_before = summarize(tensor.grad)

    def hook_ran(self, call):
        """A hook on this tensor was called."""
        if not self.hooked:
            self.arrived, self.hooked = call.before[0], True
        self.passed = call.after[0] if call.after else None


class Log:
    """Events and notes. It listens to the thread that made it, until it is closed."""

    def __init__(self):
        self.first_number = torch._C._autograd._get_sequence_nr()  # of nodes made from now on
        self.thread = threading.get_ident()
        self.events = []  # Happenings
        self.nodes = {}  # id(node) -> NodeNotes
        self.tensors = {}  # key -> TensorNotes, see `key_of`
        self.roots = []  # keys
        self.warnings = []
        self.backwards = 0  # how many have begun, those inside another one not counted
        self.depth = 0  # how many are running now
        self.busy = []  # nodes whose operation is running, the innermost last
        self.runs = []  # of the engine, the innermost last
        self.epoch = 0  # grows whenever a user's code has run, which may edit any gradient

    @property
    def listens(self) -> bool:
        return self.thread == threading.get_ident()

    def add(self, kind, target, before, after, *, hook=None, call=None, error=None):
        forward = kind.startswith("forward")
        phase = ("recompute" if self.depth else "forward") if forward else "backward"
        self.events.append(
            Happening(phase, kind, target, before, after, hook, call, error, self.backwards)
        )

    def node(self, node) -> NodeNotes:
        """The notes on a graph node, made when it is met for the first time."""
        notes = self.nodes.get(id(node))
        if notes is None:
            notes = self.nodes[id(node)] = NodeNotes(node)
        return notes

    def tensor(self, tensor) -> TensorNotes:
        """The notes on a tensor, made when it is met for the first time."""
        key = key_of(tensor)
        notes = self.tensors.get(key)
        if notes is None:
            notes = TensorNotes(key, tensor.grad_fn, tensor.output_nr)
            self.tensors[key] = notes
        if notes.ref() is not tensor:
            notes.ref = weakref.ref(tensor)
            if self.depth or not self.backwards:  # else it is met after backward
                notes.read_grad_before(tensor)
        if notes.value is None:
            notes.value = summarize(tensor)
        return notes

    def lost_tensor(self, node, output) -> TensorNotes:
        """The notes on an output of a node, of which nobody may hold the tensor any more."""
        key = id(node), output
        if key not in self.tensors:
            self.tensors[key] = TensorNotes(key, node, output)
        return self.tensors[key]

    def hooked(self, tensor):
        """A hook was set on a tensor that may be gone before the backward; its hooks stay."""
        notes = self.tensor(tensor)
        notes.hooks = tensor._backward_hooks
        for run in self.runs[-1:]:
            run.spy_on_tensor(notes)

    def part_with_changed(self):
        """After an in-place operation a tensor is at another place in the graph than its hooks."""
        for key, notes in list(self.tensors.items()):
            tensor = notes.tensor
            if tensor is None:
                continue
            try:
                notes.later = key_of(tensor)
            except RuntimeError:  # a view that this has spoilt: it has no grad_fn any more
                notes.later = None
            if notes.later != key:
                notes.ref = _gone

    def close(self):
        """Let go of tensors and nodes, also when a traceback still holds this log."""
        self.thread = None
        for kept in (self.events, self.nodes, self.tensors, self.roots, self.busy, self.runs):
            kept.clear()


def name_of(node) -> str:
    """What printing the node shows: "CopySlices" of "torch::autograd::CopySlices"."""
    try:
        return node.name().rsplit("::")[-1]
    except RuntimeError:  # before torch 2.5, the node of a function written in Python
        return type(node).__name__


def _gone():
    return None


def key_of(tensor):
    """What identifies a tensor while the log lives: a leaf by itself, others by their grad_fn."""
    node = tensor.grad_fn
    return id(tensor) if node is None else (id(node), tensor.output_nr)
