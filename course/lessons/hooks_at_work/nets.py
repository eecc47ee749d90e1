"""Networks for the exercises of lesson 6: some make a bad number, one looks at pictures.

All of their numbers are whole, or have few binary digits: sums are exact in any order.
"""

import torch
from torch import nn

from course.draw import floats
from course.lessons.module_hooks.nets import linear, named


def one_bad_row(rng):
    """Inputs of which one row, neither the first nor the last, leads to a bad number below."""
    x = -floats(rng, 4, 3).abs()
    x[rng.choice([1, 2])] *= -1
    return x


def slope(rng, sign):
    """A linear layer that keeps the sign of the rows of ``one_bad_row``, or turns it around."""
    layer = linear(rng, 3, 3)
    with torch.no_grad():
        layer.weight.copy_(sign * layer.weight.abs())
        layer.bias.fill_(-1.0)
    return layer


def always(layer, first):
    """The same layer; the first number of its output is a constant."""
    with torch.no_grad():
        layer.weight[0], layer.bias[0] = 0.0, first
    return layer


class Log(nn.Module):
    def forward(self, x):
        return x.log()


class LogOfLinear(nn.Linear):
    def forward(self, x):
        return super().forward(x).log()


class Power(nn.Module):
    """Leaves the range of float32 where a number is above zero."""

    def forward(self, x):
        return (x.clamp(min=0) * 1e15) ** 3


class Large(nn.Module):
    """Finite numbers whose sum is not."""

    def forward(self, x):
        return x * 0 + 3e38


class Clean(nn.Module):
    """Puts finite numbers in the place of others."""

    def forward(self, x):
        return x.nan_to_num(1.0, 1.0, 1.0)


class Halves(nn.Module):
    """Divides one result by another, later takes a bad logarithm. The child that is called last
    stands first, and the division is called again, with good numbers."""

    def __init__(self, rng):
        super().__init__()
        self.late, self.ratio, self.below = Log(), Ratio(), Above()
        self.above = linear(rng, 3, 3)

    def forward(self, x):
        result = self.ratio(self.above(x), self.below(x)).nan_to_num()
        return self.late(self.ratio(result, torch.ones_like(x)) - 1)


class Ratio(nn.Module):
    def forward(self, above, below):
        return above * 0 / below


class Above(nn.Module):
    """Zeros where a number is not above zero, and one column of 1: some of a row, not all."""

    def forward(self, x):
        return x.clamp(min=0).index_fill(1, torch.tensor([0]), 1.0)


class Foreign(nn.Module):
    """The NaN is made in this forward, not in a child; the last child gets it as second input."""

    def __init__(self, rng):
        super().__init__()
        self.first, self.add = slope(rng, 1), Plus()

    def forward(self, x):
        return self.add(self.first(x), x * 0 / (x < 0))


class Plus(nn.Module):
    def forward(self, a, b):
        return a + b


def bad_blocks(rng):
    fc = always(slope(rng, -1), 0.0)
    inner = named(fc=fc, power=Power(), clean=Clean(), again=Power())
    return named(stem=slope(rng, -1), block=named(inner=inner, tail=nn.Identity()))


def bad_alone(rng):
    net, layer = LogOfLinear(3, 3), always(slope(rng, -1), 2.0)
    net.load_state_dict(layer.state_dict())
    return net


BAD = {
    "log": lambda rng: named(first=always(slope(rng, -1), 2.0), log=Log(), head=linear(rng, 3, 2)),
    "well": lambda rng: named(
        first=linear(rng, 3, 3), large=Large(), act=nn.Tanh(), head=linear(rng, 3, 2)
    ),
    "blocks": bad_blocks,
    "ratio": lambda rng: named(
        first=slope(rng, -1), body=Halves(rng), act=nn.ReLU(inplace=True), head=linear(rng, 3, 2)
    ),
    "foreign": lambda rng: named(
        body=Foreign(rng), clean=Clean(), power=Power(), head=linear(rng, 3, 2)
    ),
    "alone": bad_alone,
}


def leaves_of(net):
    """The paths and modules without children."""
    return [(path, m) for path, m in net.named_modules() if not list(m.children())]


def picture_net(rng, inplace):
    """Two convolutions and a head with four classes. A BatchNorm is in another mode than all else,
    and each module has hooks of somebody."""
    norm = nn.BatchNorm2d(3, eps=0.0).eval()
    net = named(
        stem=named(conv1=nn.Conv2d(1, 2, 3, padding=1), relu=nn.ReLU(inplace=inplace)),
        conv2=nn.Conv2d(2, 3, 3, padding=1),
        norm=norm,
        act=nn.ReLU(),
        flat=nn.Flatten(),
        head=nn.Linear(48, 4),
    )
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(floats(rng, *p.shape) / 8)
        norm.weight.fill_(1.0)
    norm.running_mean = floats(rng, 3) / 4
    norm.running_var = torch.tensor([rng.choice([1.0, 4.0]) for _ in range(3)])
    for module in net.modules():
        module.register_forward_pre_hook(lambda *_: None)
        module.register_forward_hook(lambda *_: None)
    return net


def maps_and_scores(net, layer, x):
    """The maps of a layer as a leaf, and the scores computed of them, without any hook."""
    value, maps = x, None
    for path, module in leaves_of(net):
        value = value.relu() if isinstance(module, nn.ReLU) else module(value)
        if path == layer:
            maps = value = value.detach().requires_grad_()
    return maps, value
