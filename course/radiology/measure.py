"""Measure what the backward hooks of a module receive.

The module runs three times on copies: once without hooks for the true gradients, once with the
legacy hook, once with the full hook. What each element of a tuple *is* is found by comparing it
with the true gradients. On which node a hook hangs is found by a hook of our own on every node:
the one that runs right after the module's hook names the node. Nothing is looked up in a table.
"""

import copy
import warnings
from functools import partial

import torch

from course.radiology.record import Element, Node, Received, XRay

REGISTER = {"legacy": "register_backward_hook", "full": "register_full_backward_hook"}


def measure(module, x) -> XRay:
    """Run a real forward and backward with each kind of hook on a copy of the module.

    >>> measured = measure(torch.nn.Linear(10, 3), torch.randn(4, 10))
    >>> [element.names for element in measured.legacy.grad_input]
    [('bias',), (), ('weight.T',)]

    `module` takes one tensor; of several outputs the first is used. Neither the module nor `x`
    is changed, and no hook stays. Raises ValueError where nothing requires a gradient.
    """
    with torch.random.fork_rng(devices=[]):
        seed = torch.default_generator.initial_seed()
        true = true_gradients(module, x, seed)
        received = {kind: receive(kind, module, x, seed, true) for kind in REGISTER}
    return XRay(
        repr(module),
        tuple(x.shape),
        x.requires_grad,
        x.is_contiguous(),
        torch.__version__.partition("+")[0],
        **received,
    )


def run(module, x, seed, prepare=lambda module: None):
    """Forward on copies: the copied module, the fresh input, the output, a gradient for it."""
    module, fresh = copy.deepcopy(module), same_layout(x)
    for part in module.modules():  # hooks that the learner left there would answer as well
        part._backward_hooks.clear()
        part._backward_pre_hooks.clear()
        part._is_full_backward_hook = None
    prepare(module)
    torch.default_generator.manual_seed(seed)  # dropout must drop the same elements in each run
    out = module(fresh)
    out = out[0] if isinstance(out, (tuple, list)) else out
    if not out.requires_grad:
        raise ValueError(
            "Nothing here requires a gradient, so there is no backward and no hook is called. "
            "Let the input or a parameter require one."
        )
    return module, fresh, out, torch.randn(out.shape, dtype=out.dtype)


def same_layout(x):
    """A leaf with the numbers and the strides of x, in memory of its own."""
    memory = x.detach().untyped_storage().clone()
    fresh = torch.empty(0, dtype=x.dtype).set_(memory, x.storage_offset(), x.shape, x.stride())
    return fresh.requires_grad_(x.requires_grad)


def true_gradients(module, x, seed) -> dict:
    """Gradients by name, without any backward hook, in each form in which a node may hold them."""
    inner = {}

    def keep(name, _, args):
        if name and args and isinstance(args[0], torch.Tensor):
            inner.setdefault(f"input of {name}", args[0])

    def prepare(module):
        for name, part in module.named_modules():
            part.register_forward_pre_hook(partial(keep, name))

    module, fresh, out, gradient = run(module, x, seed, prepare)
    inner = {name: t for name, t in inner.items() if t is not fresh and t is not out}
    wanted = dict(module.named_parameters()) | {"input": fresh} | inner
    wanted = {name: t for name, t in wanted.items() if t.requires_grad}
    found = torch.autograd.grad(out, list(wanted.values()), gradient, allow_unused=True)
    true = {n: g for n, g in zip(wanted, found, strict=True) if g is not None}
    forms = {f"{n}.T": g.t() for n, g in true.items() if n.endswith("weight") and g.ndim == 2}
    true["output"] = gradient
    forms |= {f"{n} 2-D": as_rows(true[n]) for n in ("input", "output") if n in true}
    if gradient.ndim > 1:  # in one dimension this is "output 2-D"
        forms["output[None]"] = gradient[None]
    return true | forms


def as_rows(gradient):
    return gradient.reshape(-1, gradient.shape[-1]) if gradient.ndim else gradient


def receive(kind, module, x, seed, true) -> Received:
    """One backward with one hook of this kind on the outermost module."""
    calls: list = []
    events: list = []  # the places of the nodes that ran, and between them the call of the hook

    def hook(_, grad_input, grad_output):
        calls.append([tuple(name(g, true) for g in each) for each in (grad_input, grad_output)])
        events.append("called")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module, fresh, out, gradient = run(
            module, x, seed, lambda module: getattr(module, REGISTER[kind])(hook)
        )
        leaves = {id(fresh): "input"} | {id(p): n for n, p in module.named_parameters()}
        nodes = walk(out.grad_fn)
        # a hook that knows its node keeps it alive for ever: so a node goes by its place in nodes
        places = {node: place for place, (node, _) in enumerate(nodes)}
        for node, place in places.items():
            node.register_hook(lambda *_, place=place: events.append(place))
        out.backward(gradient)
    on = nodes[events[events.index("called") + 1]][0] if calls else None
    grad_input, grad_output = calls[0] if calls else ((), ())
    following = out.grad_fn.next_functions if out.grad_fn else ()
    return Received(
        kind,
        len(calls),
        grad_input,
        grad_output,
        out.grad_fn and short(out.grad_fn),
        tuple(node and short(node) for node, _ in following),
        written(nodes, leaves, on),
        tuple(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in caught)),
    )


def name(gradient, true) -> Element:
    """Compare one element with every true gradient."""
    if gradient is None:
        return Element(None)
    close = (
        name
        for name, g in true.items()
        if g.shape == gradient.shape and torch.allclose(g, gradient, rtol=1e-4, atol=1e-5)
    )
    return Element(tuple(gradient.shape), tuple(close))


def walk(node) -> list:
    """The nodes behind an output with their depth, in the order of next_functions."""
    found, seen, todo = [], set(), [(node, 0)] if node is not None else []
    while todo:
        node, depth = todo.pop()
        found.append((node, depth))
        if node not in seen:
            seen.add(node)
            todo += [(n, depth + 1) for n, _ in reversed(node.next_functions) if n is not None]
    return found


def written(nodes, leaves, on) -> tuple[Node, ...]:
    seen, lines = set(), []
    for node, depth in nodes:
        leaf = leaves.get(id(getattr(node, "variable", None)))
        lines.append(Node(short(node), depth, leaf, node is on, node in seen))
        seen.add(node)
    return tuple(lines)


def short(node) -> str:
    """AccumulateGrad for torch::autograd::AccumulateGrad."""
    return node.name().split("::")[-1]
