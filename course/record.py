"""What happened in one backward, as plain frozen data.

`course.trace` fills a `Record`; `course.picture` draws it; a test can compare two of them. Nothing
here knows torch: a record holds numbers, strings and tuples only, so it can be kept, sent to a
browser as JSON, or looked at long after the graph is gone.

Ids are short strings, unique in their record: tensors are "t0", "t1", ..., graph nodes "n0",
"n1", ... Gradients travel from the loss to the leaves: an `Edge` starts at the node that computed
a gradient and ends at the node that receives it.

Named tuples rather than frozen dataclasses: a trace makes thousands, and they are made five to ten
times faster.
"""

import math
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

SMALL = 64  # a tensor with at most this many elements is kept whole


class Summary(NamedTuple):
    """A tensor in numbers: all of them when it is small, else its norm, min and max."""

    shape: tuple[int, ...]
    dtype: str  # "float32"
    values: Any = None  # nested tuples as in tolist(), a bare number for a scalar; None: too large
    norm: float | None = None  # 2-norm over all elements; None: empty, or not numbers
    min: float | None = None
    max: float | None = None


class TensorInfo(NamedTuple):
    """A tensor worth a line: named, a root, a leaf, hooked, or what a module returned."""

    id: str
    name: str  # from the caller, from a module's parameters, else made from the graph
    is_leaf: bool
    requires_grad: bool
    retains_grad: bool
    grad_fn: str | None  # "MulBackward0"; None for a leaf
    node: str | None  # id of the node that produced it, or of a leaf's AccumulateGrad node
    output: int  # which output of that node it is
    module: str | None  # path of the module it is a parameter of, or was computed in
    value: Summary | None  # before backward; None when the trace no longer had the tensor
    arrived: Summary | None  # the whole (summed) gradient that came in, before the tensor's hooks
    passed: Summary | None  # the same after its hooks; equal to `arrived` when they changed nothing
    grad_before: Summary | None  # .grad before the trace
    grad_after: Summary | None  # .grad after it


class GraphNode(NamedTuple):
    """One autograd node (what `grad_fn` shows)."""

    id: str
    name: str  # "MulBackward0", "AccumulateGrad"
    kind: str  # "operation", "accumulate", "module boundary" (BackwardHookFunction) or "custom"
    module: str | None  # path of the module it was made in, for collapsing
    tensor: str | None  # id of the tensor it produced (output 0 first), or accumulates into
    ran: bool  # False: backward did not reach it


class Edge(NamedTuple):
    """A way for a gradient, from the node that computed it to the node that receives it."""

    source: str
    slot: int  # index in source's next_functions
    target: str
    input: int  # index among target's incoming gradients (= which output of its forward)
    gradient: Summary | None  # what flowed along this edge alone; None: nothing (or None) flowed
    after_hooks: Summary | None  # what target received after tensor hooks, when they changed it


class Target(NamedTuple):
    """What a hook hangs on."""

    kind: str  # "tensor", "node" or "module"
    id: str | None  # id of the tensor or node; a module's path
    name: str


class Event(NamedTuple):
    """One thing that fired. It is logged when it has finished.

    kind      before, after                           beside
    --------  --------------------------------------  ---------------
    forward_pre_hook        the module's inputs       -
    forward_hook            its outputs               its inputs
    full_backward_pre_hook  grad_output               -
    full_backward_hook      grad_input                grad_output
    legacy_backward_hook    grad_input                grad_output
    tensor_hook             the gradient              -
    retain_grad             the gradient kept         -
    node_pre_hook           the node's grad_outputs   -
    node                    before: gradients that came in; after: gradients that went out
    node_hook               the node's grad_inputs    grad_outputs
    accumulate              before: the gradient; after: .grad as it is now
    post_accumulate_hook    .grad                     -
    """

    seq: int
    phase: str  # "forward", "backward", or "recompute": forward run again inside backward
    kind: str
    target: Target
    hook: str | None  # the hook's own name; None for what is no hook (node, accumulate)
    where: str | None  # "file.py:12", where the hook was defined
    before: tuple[Summary | None, ...]  # None: a gradient that is None, or not a tensor
    after: tuple[Summary | None, ...]
    beside: tuple[Summary | None, ...] = ()
    changed: bool = False  # a hook: the next in line sees something else than this one did
    in_place: bool = False  # a hook: it edited what it was given
    returned: str | None = None  # a hook: type of what it returned ("None", "Tensor", "tuple")
    error: str | None = None  # "ValueError: ..." when it raised
    backward: int = 0  # 1 in the first backward of the run, 2 in the second; 0 before any
    handle: int | None = None  # a hook: the .id of the handle that registering it returned


class ModuleInfo(NamedTuple):
    """A module that was called, or whose parameters are in the graph."""

    path: str  # "net.fc1"
    type: str  # "Linear"
    calls: int  # how often it was called during the trace (a graph made before: 0)


class Failure(NamedTuple):
    """The error that ended the run."""

    type: str  # "RuntimeError"
    message: str
    event: int | None  # seq of the last event before it, None: before any


class Record(NamedTuple):
    """One traced run. Events are in the order in which they fired."""

    tensors: tuple[TensorInfo, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]
    events: tuple[Event, ...]
    roots: tuple[str, ...]  # ids of the tensors that backward started from
    warnings: tuple[str, ...]  # "UserWarning: ..."
    error: Failure | None
    torch: str  # "2.13.0+cpu"
    modules: tuple[ModuleInfo, ...] = ()

    def tensor(self, name: str) -> TensorInfo:
        """The tensor with this name or id."""
        return _find(self.tensors, name, "tensor")

    def node(self, name: str) -> GraphNode:
        """The node with this id, or the first with this name."""
        return _find(self.nodes, name, "node")

    def events_of(self, name: str, kind: str | None = None) -> tuple[Event, ...]:
        """Events whose target, or whose hook, has this name or id; of one kind if you say which."""
        return tuple(
            e
            for e in self.events
            if name in (e.target.name, e.target.id, e.hook) and kind in (None, e.kind)
        )

    def order(self) -> list[str]:
        """The events as short lines: "tensor_hook double on c"."""
        return [" ".join(filter(None, (e.kind, e.hook, "on", e.target.name))) for e in self.events]

    def edges_from(self, node: str) -> tuple[Edge, ...]:
        return tuple(e for e in self.edges if e.source == node)

    def edges_to(self, node: str) -> tuple[Edge, ...]:
        return tuple(e for e in self.edges if e.target == node)

    def to_dict(self) -> dict:
        """The record as JSON-ready dicts and lists; nan and inf become the strings "nan", "inf"."""
        return _encode(self)

    @classmethod
    def from_dict(cls, data: dict) -> "Record":
        """The record that to_dict() came from."""
        return _decode(cls, data)


def _find(items, name, what):
    for item in items:
        if item.id == name:
            return item
    for item in items:
        if item.name == name:
            return item
    known = ", ".join(dict.fromkeys(item.name for item in items)) or "none"
    raise KeyError(f"this record has no {what} {name!r}; it has: {known}")


def _encode(value):
    if hasattr(value, "_fields"):
        return {name: _encode(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _decode(kind, data):
    if data is None:
        return None
    if isinstance(kind, UnionType):  # every union here is "X | None"
        kind = next(k for k in get_args(kind) if k is not type(None))
    if hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        return kind(**{name: _decode(hints[name], item) for name, item in data.items()})
    if get_origin(kind) is tuple:
        return tuple(_decode(get_args(kind)[0], item) for item in data)
    if kind is Any:
        return _numbers(data)
    return float(data) if kind is float else data


def _numbers(data):
    if isinstance(data, list):
        return tuple(_numbers(item) for item in data)
    return float(data) if isinstance(data, str) else data
