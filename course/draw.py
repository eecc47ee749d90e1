"""The numbers that exercises are tried with: drawn from a seed, so that constants cannot pass."""

import random

import torch


def floats(rng: random.Random, *shape: int) -> torch.Tensor:
    """Small whole numbers, never 0, as a float tensor: sums and products of them are exact.

    It is no view of another tensor: PyTorch treats it as it treats one that is made by hand.

    >>> floats(random.Random(0), 2, 3).shape
    torch.Size([2, 3])
    """
    count = torch.Size(shape).numel()
    numbers = [float(rng.choice([-3, -2, -1, 1, 2, 3, 4])) for _ in range(count)]
    return torch.tensor(numbers).reshape(shape).clone()
