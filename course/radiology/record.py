"""What the backward hooks of a module received: frozen data, made by `course.radiology.measure`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a tuple that a hook received: its shape, and whose gradient it is.

    `shape` is None for an element that is None. `names` are all true gradients with this shape and
    these values: "input", "weight.T", "output 2-D". It is () for a gradient that none of them is.
    """

    shape: tuple[int, ...] | None
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A grad_fn node behind the output, its place in the tree, the leaf it accumulates into."""

    name: str
    depth: int
    leaf: str | None = None
    hooked: bool = False  # the module's hook runs on this node
    again: bool = False  # drawn before: two ways lead here


@dataclass(frozen=True, slots=True)
class Received:
    """What one kind of backward hook received in one backward."""

    kind: str  # "legacy" or "full"
    calls: int
    grad_input: tuple[Element, ...]
    grad_output: tuple[Element, ...]
    grad_fn: str | None  # of the output
    next_nodes: tuple[str | None, ...]
    chain: tuple[Node, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class XRay:
    """Both hooks side by side, and what they were measured on."""

    module: str
    input_shape: tuple[int, ...]
    requires_grad: bool
    contiguous: bool
    torch: str
    legacy: Received
    full: Received
