"""Small networks for the exercises of lesson 4, with whole numbers as weights: sums are exact."""

from contextlib import contextmanager

import torch
from torch import nn

from course.draw import floats


def linear(rng, inputs: int, outputs: int) -> nn.Linear:
    """A linear layer with whole numbers, among them negative ones in every row."""
    layer = nn.Linear(inputs, outputs)
    with torch.no_grad():
        layer.weight.copy_(floats(rng, outputs, inputs))
        layer.bias.copy_(floats(rng, outputs))
    return layer


def line(rng, *sizes: int) -> nn.Sequential:
    """Linear layers "a", "b", "c" … with in-place ReLUs between them."""
    net = nn.Sequential()
    for name, i, o in zip("abcdef", sizes, sizes[1:], strict=False):
        if len(net):
            net.add_module(f"relu_{name}", nn.ReLU(inplace=True))
        net.add_module(name, linear(rng, i, o))
    return net


def named(**modules) -> nn.Sequential:
    """A Sequential whose modules have names."""
    net = nn.Sequential()
    for name, module in modules.items():
        net.add_module(name, module)
    return net


class Skip(nn.Module):
    """Defines a layer that forward does not call, and uses the weight of another one directly."""

    def __init__(self, rng):
        super().__init__()
        self.unused = linear(rng, 3, 3)
        self.used = linear(rng, 3, 3)
        self.direct = linear(rng, 3, 3)

    def forward(self, x):
        return nn.functional.linear(self.used(x), self.direct.weight)


class Repeat(nn.Module):
    """Calls one layer several times."""

    def __init__(self, rng, times):
        super().__init__()
        self.times, self.layer, self.head = times, linear(rng, 3, 3), linear(rng, 3, 3)

    def forward(self, x):
        for _ in range(self.times):
            x = self.layer(x)
        return self.head(x)


class Aside(nn.Module):
    """Calls one of its layers without a graph."""

    def __init__(self, rng):
        super().__init__()
        self.gate, self.layer = linear(rng, 3, 3), linear(rng, 3, 3)

    def forward(self, x):
        with torch.no_grad():
            gate = self.gate(x)
        return self.layer(x) * gate


def with_a_shared_layer(rng) -> nn.Sequential:
    """Blocks in blocks; one layer is in two places, and its second path is in no list of paths."""
    shared = linear(rng, 3, 3)
    return named(
        body=Repeat(rng, times=2),
        first=shared,
        side=Aside(rng),
        tail=named(block=Skip(rng), again=shared),
    )


class Residual(nn.Module):
    """Adds its input to the layer's output, in place."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y = self.layer(x)
        y += x
        return y


class Add(nn.Module):
    """weight · (a + b + 2c); each may be a number, b and c may be missing.

    The gradients of a and b are one tensor, that of c is another one.
    """

    def __init__(self, rng):
        super().__init__()
        self.weight = nn.Parameter(floats(rng, 3))

    def forward(self, a, b=0.0, c=0.0):
        return (a + b + c * 2) * self.weight


class Numbered(nn.Module):
    """x · weight - the number of this call: a second run of forward does not give the same."""

    def __init__(self, rng):
        super().__init__()
        self.calls, self.weight = 0, nn.Parameter(floats(rng, 3))

    def forward(self, x):
        self.calls += 1
        return x * self.weight - self.calls


class Stop(Exception):
    """What a block of the last exercise raises."""


class Caller(nn.Module):
    """Calls its children, one after the other; the first of several as often as it is told."""

    def __init__(self, first):
        super().__init__()
        self.first = first

    def forward(self, x):
        children = list(self.children())
        for child in children[:1] * (self.first if len(children) > 1 else 1) + children[1:]:
            child(x)


def grow(rng) -> dict:
    """A tree of modules, by chance, as nested dicts of names.

    Whatever chance makes of it, one module three levels down is called after another one was left.
    """
    names = ["gate", "mix", "pool", "tail", "wing", "core", "edge"]
    rng.shuffle(names)
    one, two, three, four, *others = names
    below = {three: {}, four: {}}
    tree = {one: {two: below}}
    places = [tree, tree[one], below, *below.values()]
    for name in others:
        rng.choice(places)[name] = inner = {}
        places.append(inner)
    return {"root": tree}


def follow(tree: dict, calls: int, first: int) -> list[str]:
    """Build the modules of a tree, hang a pre-hook and a forward hook on each, and call it.

    In each module that has several, the first child is called ``first`` times.
    """
    log = []

    def build(inner, name):
        module = Caller(first)
        for number, (child, rest) in enumerate(inner.items()):
            module.add_module(str(number), build(rest, child))
        module.register_forward_pre_hook(lambda *_: log.append(f"in {name}"))
        module.register_forward_hook(lambda *_: log.append(f"out {name}"))
        return module

    for name, inner in tree.items():
        module = build(inner, name)
        for _ in range(calls):
            module(None)
    return log


def count_forward(net, entered):
    """Let each run of a net's forward add a word to a list, also one that goes around the hooks."""
    kind = type(net)

    def forward(self, *args):
        entered.append("forward")
        return kind.forward(self, *args)

    # not net.forward = …: a copy of the net must run its own layers
    net.__class__ = type(kind.__name__, (kind,), {"forward": forward})


KINDS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def global_hooks() -> list[dict]:
    """The dicts of those hooks that PyTorch calls for every module."""
    return [getattr(torch.nn.modules.module, f"_global{kind}") for kind in KINDS]


def hooks_on(net) -> int:
    """How many module hooks there are: on a net, on all modules in it, and global ones."""
    own = sum(len(getattr(module, kind)) for module in net.modules() for kind in KINDS)
    return own + sum(map(len, global_hooks()))


@contextmanager
def global_hooks_end_here():
    """A global hook that an answer leaves must not be called by what comes next."""
    before = [set(hooks) for hooks in global_hooks()]
    try:
        yield
    finally:
        for hooks, old in zip(global_hooks(), before, strict=True):
            for number in set(hooks) - old:
                del hooks[number]


def numbers_of(tensor) -> list:
    """The numbers of a tensor as nested lists."""
    return tensor.detach().tolist()


def weight_gradients(net) -> list:
    return [None if p.grad is None else numbers_of(p.grad) for p in net.parameters()]
