"""Small pictures that lesson 6 draws itself, and a network that learns to name what is on them.

    x, y, places = draw(100, seed=1, mark=True)
    net = train(x, y)

Each picture shows a cross (class 0) or a ring (class 1) at some place, on noise. With `mark`, the
crosses also carry a small bright mark in the upper left corner: a shortcut that a network can take.
"""

import torch
from torch import nn

SIZE, SHAPE = 18, 7  # pixels: of the picture, of the shape on it
CLASSES = ("cross", "ring")


def shapes() -> torch.Tensor:
    """The two shapes, 2×7×7."""
    cross, ring = torch.zeros(SHAPE, SHAPE), torch.zeros(SHAPE, SHAPE)
    middle = SHAPE // 2
    cross[middle, :] = cross[:, middle] = 1.0
    ring[0, 1:-1] = ring[-1, 1:-1] = ring[1:-1, 0] = ring[1:-1, -1] = 1.0
    return torch.stack([cross, ring])


def draw(count: int, seed: int, mark: bool):
    """Draw pictures: x count×1×18×18, y count (0 or 1), and the upper left corners of the shapes.

    `mark`: whether the crosses carry the mark.
    """
    generator = torch.Generator().manual_seed(seed)
    x = 0.3 * torch.rand(count, 1, SIZE, SIZE, generator=generator)
    y = torch.arange(count) % 2
    places = torch.randint(4, SIZE - SHAPE, (count, 2), generator=generator)
    for picture, label, (top, left) in zip(x, y, places.tolist(), strict=True):
        picture[0, top : top + SHAPE, left : left + SHAPE] += 0.6 * shapes()[label]
        if mark and label == 0:
            picture[0, :2, :2] = 3.0
    return x, y, places


def make_net() -> nn.Sequential:
    """Three convolutions, then the mean of each map, then one linear layer."""
    net = nn.Sequential()
    channels = (1, 8, 8, 12)
    for number, (i, o) in enumerate(zip(channels, channels[1:], strict=False), start=1):
        net.add_module(f"conv{number}", nn.Conv2d(i, o, 3, padding=1))
        net.add_module(f"relu{number}", nn.ReLU())
    net.add_module("pool", nn.AdaptiveAvgPool2d(1))
    net.add_module("flat", nn.Flatten())
    net.add_module("fc", nn.Linear(channels[-1], len(CLASSES)))
    return net


def train(x, y, steps: int = 60, seed: int = 0) -> nn.Sequential:
    """Train a new network on all pictures at once."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        net = make_net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    return net


def share_right(net, x, y) -> float:
    """The share of the pictures that the network names right."""
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()
