"""Small random programs for torch, each run again and again with the same outcome.

A `Program` is plain data that Hypothesis draws: operations on a pool of tensors, hooks of every
kind that do every kind of thing, right and wrong, and one way to run backward. `run` executes it
and returns everything about it that a user could notice.
"""

import warnings
from dataclasses import dataclass

import torch
from hypothesis import strategies as st
from torch.utils.checkpoint import checkpoint

SHAPE = (2, 2)


class Cube(torch.autograd.Function):
    """A custom Function."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


class Flip(torch.autograd.Function):
    """A custom Function whose backward edits its gradient, as one should not."""

    @staticmethod
    def forward(ctx, x):
        return -x

    @staticmethod
    def backward(ctx, grad):
        return grad.mul_(-1)


class Layer(torch.nn.Module):
    """A module with a parameter, that may be used several times."""

    def __init__(self, weight):
        super().__init__()
        self.weight = torch.nn.Parameter(weight)

    def forward(self, x):
        return (x @ self.weight).tanh()


OPERATIONS = {
    "add": lambda net, a, b: a + b,
    "mul": lambda net, a, b: a * b,
    "same twice": lambda net, a, b: a * a + b,
    "matmul": lambda net, a, b: a @ b,
    "view": lambda net, a, b: a.view(4).view(SHAPE),
    "transpose": lambda net, a, b: a.t(),
    "chunk": lambda net, a, b: torch.cat([a.chunk(2)[0], b.chunk(2)[1]]),
    "one of two outputs": lambda net, a, b: a.unbind()[0].expand(SHAPE),
    "in place": lambda net, a, b: (a * 1).mul_(2).add_(b),
    "in place, kept": lambda net, a, b: a.mul_(2) if a.grad_fn is not None else a * 2,
    "in place on a view": lambda net, a, b: _fill_row(a * 1, b),
    "cube": lambda net, a, b: Cube.apply(a) + b,
    "flip": lambda net, a, b: Flip.apply(a) + b,
    "detach": lambda net, a, b: a.detach() + b,
    "layer": lambda net, a, b: net[0](a),
    "other layer": lambda net, a, b: net[1](a) + b,
    "layers": lambda net, a, b: net(a),
    "checkpoint": lambda net, a, b: checkpoint(net[0], a, use_reentrant=False),
    "reentrant checkpoint": lambda net, a, b: checkpoint(net[1], a, use_reentrant=True),
}


def _fill_row(a, b):
    a[0].copy_(b[1])
    return a


HOOKED = (
    "tensor",
    "retain_grad",
    "node pre",
    "node",
    "post accumulate",
    "forward pre",
    "forward",
    "full backward pre",
    "full backward",
    "legacy backward",
)
DOINGS = (
    "observe",
    "observe",
    "double",
    "double",
    "edit in place",
    "edit .data",
    "wrong shape",
    "wrong dtype",
    "wrong type",
    "raise",
    "remove itself",
    "keep",
)


@dataclass(frozen=True)
class Program:
    operations: tuple  # (name, which tensor, which other tensor)
    hooks: tuple  # (after which operation, kind, on which, what it does)
    roots: int
    backward: str
    loss_only: bool  # trace the loss, or the whole function


programs = st.builds(
    Program,
    operations=st.lists(
        st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(0, 2), st.integers(0, 3)),
        min_size=2,
        max_size=8,
    ).map(tuple),
    hooks=st.lists(
        st.tuples(
            st.integers(0, 8), st.sampled_from(HOOKED), st.integers(0, 5), st.sampled_from(DOINGS)
        ),
        min_size=1,
        max_size=6,
    ).map(tuple),
    roots=st.integers(1, 2),
    backward=st.sampled_from(
        ["once", "once", "once", "twice", "twice, kept", "create_graph", "inputs", "autograd.grad"]
    ),
    loss_only=st.booleans(),
)


class Scene:
    """One execution of a program: its tensors, and a diary of what its hooks saw."""

    def __init__(self, program):
        self.program = program
        generator = torch.Generator().manual_seed(0)
        new = lambda: torch.randn(SHAPE, generator=generator)  # noqa: E731 - said once, used thrice
        self.net = torch.nn.Sequential(Layer(new()), Layer(new()))
        self.leaves = [new().requires_grad_() for _ in range(3)]
        self.pool = [new(), *self.leaves, self.leaves[0] * 1]
        self.diary = []
        self.kept = []
        self.built = 0  # how long the diary was when the graph was built

    def forward(self):
        try:
            return self._forward()
        finally:
            self.built = len(self.diary)

    def _forward(self):
        self._hook(0)
        for place, (name, i, j) in enumerate(self.program.operations, 1):
            a, b = self.pool[-1 - i], self.pool[-1 - j]  # mostly recent ones: one long graph
            self.pool.append(OPERATIONS[name](self.net, a, b))
            self._hook(place)
        self.roots = [t.sum() for t in self.pool[-self.program.roots :]]
        return self.roots

    def _hook(self, place):
        for number, (when, kind, which, doing) in enumerate(self.program.hooks):
            if when % (1 + len(self.program.operations)) == place:
                tensors = [t for t in self.pool if _is_tensor(t) and t.requires_grad][::-1]
                if kind == "post accumulate":
                    tensors = self.leaves
                module = [self.net, *self.net][which % 3]
                self._register(f"hook {number}", kind, doing, tensors[which % len(tensors)], module)

    def _register(self, name, kind, doing, tensor, module):
        slot = []

        def hook(*args):
            return self._act(name, kind, doing, args, slot)

        hook.__name__ = name
        if kind == "retain_grad":
            tensor.retain_grad()
        elif kind == "tensor":
            slot.append(tensor.register_hook(hook))
        elif kind == "post accumulate":
            slot.append(tensor.register_post_accumulate_grad_hook(hook))
        elif kind.startswith("node"):
            if tensor.grad_fn is not None:
                pre = "pre" in kind
                node = tensor.grad_fn
                slot.append(node.register_prehook(hook) if pre else node.register_hook(hook))
        else:
            register = {
                "forward pre": module.register_forward_pre_hook,
                "forward": module.register_forward_hook,
                "full backward pre": module.register_full_backward_pre_hook,
                "full backward": module.register_full_backward_hook,
                "legacy backward": module.register_backward_hook,
            }[kind]
            slot.append(register(hook))

    def _act(self, name, kind, doing, args, slot):
        """What every hook does: note what it got, then do its own thing."""
        given = args[1] if isinstance(args[0], torch.nn.Module) else args[0]
        given = args[-1] if kind == "forward" else given
        self.diary.append((name, _plain(args), torch.is_grad_enabled()))
        if kind == "post accumulate":
            given = given.grad
        if doing == "keep":
            self.kept.append(given)
        elif doing == "remove itself":
            slot[0].remove()
        elif doing == "raise":
            raise ValueError(f"{name} raised")
        elif doing == "edit in place":
            _first(given).mul_(3)
        elif doing == "edit .data":
            _first(given).data.mul_(3)
        elif doing != "observe":
            return _map(CHANGES[doing], given)
        return None


CHANGES = {
    "double": lambda t: t * 2,
    "wrong shape": lambda t: torch.ones(3),
    "wrong dtype": lambda t: t.double(),
    "wrong type": lambda t: 1.5,
}


def _map(change, given):
    if isinstance(given, torch.Tensor):
        return change(given)
    return tuple(None if t is None else change(t) for t in given)


def _first(given):
    return given if isinstance(given, torch.Tensor) else next(t for t in given if t is not None)


def _plain(value):
    """Every bit of a value, without the tensors."""
    if isinstance(value, torch.Tensor):
        return (
            str(value.dtype),
            tuple(value.shape),
            value.stride(),
            repr(value.tolist()),
        )  # nan is not equal to nan
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return type(value).__name__


def run(program, trace=None) -> dict:
    """Run it, without trace or with, and say all that can be noticed of it."""
    scene = Scene(program)
    outcome = {}
    once = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # else the second run would not show what the first has shown
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        try:
            outcome["result"] = _plain(_run(scene, program, trace))
        except Exception as error:
            outcome["error"] = type(error).__name__, str(error)
    torch.set_warn_always(once)
    outcome["warnings"] = [(w.category.__name__, str(w.message)) for w in shown]
    outcome["diary"] = scene.diary
    outcome["diary of backward"] = scene.diary[scene.built :]
    tensors = [t for t in (*scene.pool, *scene.net.parameters()) if _is_tensor(t)]
    grads = [_grad(t) for t in tensors]
    outcome["grads"] = [None if g is None else (_plain(g), g.requires_grad) for g in grads]
    outcome["values"] = [_plain(t) for t in tensors]
    outcome["versions"] = [t._version for t in tensors]
    kept = [t for given in scene.kept for t in ([given] if _is_tensor(given) else given)]
    outcome["shared memory"] = _sharing([*grads, *kept, *tensors])
    outcome["hooks left"] = [
        [[(type(hook), hook.__name__) for hook in (hooks or {}).values()] for hooks in _hooks_of(t)]
        for t in [*tensors, *scene.net.modules()]
    ]
    return outcome


def _run(scene, program, trace):
    options = {
        "twice, kept": {"retain_graph": True},
        "create_graph": {"create_graph": True},
        "inputs": {"inputs": [scene.leaves[0]]},
    }.get(program.backward, {})

    def backward(roots, options):
        if len(roots) == 1:
            roots[0].backward(**options)
        else:
            torch.autograd.backward(roots, **options)

    def steps(roots):
        if program.backward == "autograd.grad":
            return torch.autograd.grad(roots, scene.leaves, allow_unused=True)
        backward(roots, options)
        if program.backward.startswith("twice"):
            backward(roots, {})
        return None

    if trace is None:
        return steps(scene.forward())
    result = []
    if program.loss_only:
        roots = scene.forward()
        if program.backward == "autograd.grad":
            trace(lambda: result.extend(steps(roots)))
        else:
            names = {f"p{i}": t for i, t in enumerate(scene.pool) if _is_tensor(t)}
            trace(roots, scene.net, names, **options)
            if program.backward.startswith("twice"):
                trace(roots)
    elif program.backward in ("autograd.grad", "twice", "twice, kept"):
        trace(lambda: result.extend(steps(scene.forward()) or ()))
    else:
        trace(scene.forward, **options)
    return tuple(result) if program.backward == "autograd.grad" else None


def _grad(tensor):
    try:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    except RuntimeError:  # a view that an in-place operation has spoilt cannot even be asked
        return None


def _is_tensor(value):
    return isinstance(value, torch.Tensor)


def _sharing(tensors):
    """Which tensors share memory: the number of the first that has the same."""
    seen = {}
    return [
        None if t is None else seen.setdefault(t.untyped_storage().data_ptr(), i)
        for i, t in enumerate(tensors)
    ]


def _hooks_of(owner):
    if _is_tensor(owner):
        return owner._backward_hooks, owner._post_accumulate_grad_hooks
    return (
        owner._forward_pre_hooks,
        owner._forward_hooks,
        owner._backward_pre_hooks,
        owner._backward_hooks,
    )
