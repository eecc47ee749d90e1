"""Small networks for the exercises of lesson 4, with whole numbers as weights: sums are exact."""

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
    """weight · (a + b); b may be a number, or missing."""

    def __init__(self, rng):
        super().__init__()
        self.weight = nn.Parameter(floats(rng, 3))

    def forward(self, a, b=0.0):
        return (a + b) * self.weight


class Stop(Exception):
    """What a block of the last exercise raises."""


class Caller(nn.Module):
    """Calls its children, one after the other."""

    def forward(self, x):
        for child in self.children():
            child(x)


def grow(rng) -> dict:
    """A tree of modules, by chance, as nested dicts of names."""
    names = ["gate", "mix", "pool", "tail", "wing", "core", "edge"]
    rng.shuffle(names)
    places = [tree := {}]
    for name in names:
        rng.choice(places)[name] = inner = {}
        places.append(inner)
    return {"root": tree}


def follow(tree: dict, calls: int) -> list[str]:
    """Build the modules of a tree, hang a pre-hook and a forward hook on each, and call it."""
    log = []

    def build(inner, name):
        module = Caller()
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


def hooks_on(net) -> int:
    """How many module hooks there are on a net and on all modules in it."""
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(module, kind)) for module in net.modules() for kind in kinds)


def numbers_of(tensor) -> list:
    """The numbers of a tensor as nested lists."""
    return tensor.detach().tolist()


def weight_gradients(net) -> list:
    return [None if p.grad is None else numbers_of(p.grad) for p in net.parameters()]
