"""Pictures for which each mistaken way of Grad-CAM gives another heat than the right one."""

from itertools import combinations

import torch

from course.draw import floats
from course.lessons.hooks_at_work.nets import maps_and_scores, picture_net


def telling_pictures(rng, given):
    """A net, pictures and a class for which no mistaken way gives the right heat or none.

    Each picture has heat, and places that must not be hot. The class is neither the first one nor
    the last.
    """
    layer, many = given["layer"], given.get("pictures", 2)
    while True:
        net, of = picture_net(rng, given.get("inplace", False)), rng.choice([1, 2])
        drawn = floats(rng, 8 * many, 1, 4, 4)  # a pass takes its time: eight tries in each
        picks: list = [lambda scores, i=i: scores[:, i] for i in range(4)]
        picks += [lambda scores: scores.amax(1), lambda scores, of=of: scores.softmax(1)[:, of]]
        seen = [gradients_by_hand(net, layer, drawn, picks)]
        if given.get("inplace"):
            seen.append(gradients_by_hand(net, "stem.relu", drawn, picks[of : of + 1]))
        for start in range(0, len(drawn), many):
            part = slice(start, start + many)
            signed, ways = ways_to_heat(*[[t[part] for t in tensors] for tensors in seen], of=of)
            heats = [("right", signed.clamp(min=0)), ("none", torch.zeros_like(signed))]
            heats += [(code, heat) for code, found in ways.items() for heat in found]
            pairs = combinations(heats, 2)
            hot = signed.amax((1, 2)).min() > 0.1 and signed.amin((1, 2)).max() < -0.1
            if hot and all(apart(heat, other) for (a, heat), (b, other) in pairs if a != b):
                return net, drawn[part].clone(), of, ways


def ways_to_heat(before, after=(), *, of):
    """The heat with its negative numbers, and what mistaken ways give, by their reason codes.

    ``before`` are the maps and their gradients for each of the ``picks``, ``after`` the same for
    the one pick of the class, after an in-place ReLU.
    """
    maps, *gradients = before
    gradient = gradients[of]
    weights = gradient.mean((2, 3), keepdim=True)
    others = [*gradients[:of], *gradients[of + 1 : 5], sum(gradients[:4])]
    ways = {
        "ABSOLUTE_HEAT": [heat_of(maps, gradient).abs()],
        "GRADIENT_PER_PLACE": [(gradient * maps).sum(1)],
        "CLAMPED_TOO_EARLY": [(weights.relu() * maps).sum(1), (weights * maps).relu().sum(1)],
        "OTHER_CLASS": [heat_of(maps, other) for other in others],
        "WRONG_VALUE": [heat_of(maps, gradients[5])],
    }
    if len(maps) > 1:  # the score of the first picture alone, and one weight for all pictures
        first, together = gradient * 1, gradient.mean(0, keepdim=True)
        first[1:] = 0
        ways["WRONG_VALUE"] += [heat_of(maps, first), heat_of(maps, together)]
    if after:
        ways["FEATURES_OVERWRITTEN"] = [heat_of(after[0], gradient), heat_of(*after)]
    signed = heat_of(maps, gradient)
    return signed, {code: [h.clamp(min=0) for h in heats] for code, heats in ways.items()}


def gradients_by_hand(net, layer, x, picks):
    """The maps of a layer and, for each way to pick a score, their gradient: in one backward."""
    maps, scores = maps_and_scores(net, layer, x.repeat(len(picks), 1, 1, 1))
    parts = zip(picks, scores.chunk(len(picks)), strict=True)
    (gradient,) = torch.autograd.grad(sum(pick(part).sum() for pick, part in parts), maps)
    return maps.detach()[: len(x)], *gradient.chunk(len(picks))


def heat_of(maps, gradient):
    """The weighted sum of the maps, with its negative numbers."""
    return (gradient.mean((2, 3), keepdim=True) * maps).sum(1)


def apart(heat, other):
    return (heat - other).abs().max() > 0.02 * torch.maximum(heat.abs().max(), other.abs().max())
