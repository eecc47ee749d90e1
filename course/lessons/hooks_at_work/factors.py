"""By which one number a gradient was multiplied, and gradients that tell how they were clipped."""

import math

import torch

from course.draw import floats
from course.facts import same


def gradient_to_clip(rng, kind, shape):
    """If it is a large one, `clamp` changes its direction, and it has no other norm as a matrix."""
    by = {"large": 20 + rng.randint(1, 9), "small": 0.125, "zero": 0.0}[kind]
    while True:
        gradient = floats(rng, *shape) * by
        fits = torch.linalg.matrix_norm(gradient, 2) < 0.95 * gradient.norm()
        if kind != "large" or (fits and len(gradient.abs().unique()) > 1):
            return gradient


def factor_between(numbers, before):
    """The one number by which all numbers were multiplied, or None."""
    ratios = [new / old if old else math.nan for new, old in zip(numbers, before, strict=True)]
    return ratios[0] if same(ratios, [ratios[0]] * len(ratios)) else None


def flat(rows):
    return [number for row in rows for number in row]


def times(got, true):
    """Whether one list of numbers is the other one, times a number above zero."""
    factor = max(map(abs, got)) / max(map(abs, true))
    return factor > 0 and same([number / factor for number in got], true)
