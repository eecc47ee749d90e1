"""The parts of a gradient that are added up and clipped, and what mistaken ways make of them."""

import math

import torch

from course.draw import floats


def telling_parts(rng, given, threshold):
    """The parts of a gradient, for which no mistaken way gives what the right one gives."""
    while True:
        parts = [floats(rng, *given["shape"]) * 16 for _ in range(given["parts"] - 1)]
        whole = floats(rng, *given["shape"]) * given["size"]
        parts.append(whole - sum(parts))
        norm, right = whole.norm(), clip(whole, threshold)
        if given["size"] < 1:  # changed by who takes the square of the norm, not by who cuts
            fits = math.sqrt(threshold) * 1.05 < norm < 0.9 * threshold
            fits &= whole.abs().max() <= threshold / 2
        else:  # clipped by who takes the mean, too; no other norm of a matrix is the same
            fits = norm > 1.1 * threshold * len(parts) and len(whole.abs().unique()) > 1
            if whole.dim() == 2:
                fits &= torch.linalg.matrix_norm(whole, 2) < 0.95 * norm
        mistaken = [g for g in ways_to_clip(parts, threshold).values() if not torch.equal(g, whole)]
        apart = all((g - right).norm() > 0.1 * right.norm() for g in mistaken)
        if fits and apart and all(part.norm() > 2 * threshold for part in parts):
            return parts


def ways_to_clip(parts, threshold):
    """What mistaken ways give, under their reason codes."""
    running = torch.zeros_like(parts[0])
    for part in parts:
        running = clip(running + part, threshold)
    return {
        "PARTS_CLIPPED": sum(clip(part, threshold) for part in parts),
        "CLIPPED_IN_BETWEEN": running,
        "PARTS_MISSING": clip(parts[-1], threshold),
        "MEAN_OF_PARTS": sum(parts) / len(parts),
        "SUM_NOT_CLIPPED": sum(parts),
    }


def clip(gradient, threshold):
    return gradient * (threshold / gradient.norm().clamp(min=threshold))


class Passage:
    """A hook on a part: it lives as long as the part's graph, and knows whether backward came."""

    def __init__(self, came, number):
        self.came, self.number, self.waits = came, number, True

    def __call__(self, grad):
        self.waits = False
        self.came.add(self.number)
