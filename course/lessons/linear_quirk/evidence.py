"""How the checks of lesson 5 put what they saw into facts, and what it is most likely to be."""

import math

import torch

from course.facts import describe, is_tensor, kind_of


def stored_gradients(module):
    return {name: describe(p.grad) for name, p in module.named_parameters()}


def brief(said):
    """What was given back, short enough for a message: a shape as it is, a tensor by its shape."""
    if isinstance(said, list) and len(said) <= 8:
        return f"[{', '.join(map(brief, said))}]"
    return str(said) if type(said) is int else kind_of(said)


def describe_any_precision(thing):
    """The facts of a tensor, where a double is as good as a float."""
    return describe(thing.float() if is_tensor(thing) else thing)


def whose(element, module, x, gradient):
    """What a kept element is: evidence for a message. `module` is one without hooks."""
    if element is None:
        return "None"
    if isinstance(element, (tuple, list)):
        return "tuple"
    if not is_tensor(element):
        return "something else"
    x_alone = x.detach().requires_grad_()
    wanted = [x_alone, *module.parameters()]
    of_input, *weights = torch.autograd.grad(module(x_alone), wanted, gradient)
    candidates = [("input", of_input), ("whole", x.grad), ("output", gradient)]
    candidates += [("value", x.detach())]
    candidates += [("output, flattened", gradient.reshape(-1, gradient.shape[-1]))]
    candidates += [("weight", g) for g in weights]
    candidates += [("weight.T", g.t()) for g in weights if g.ndim == 2]
    for name, g in candidates:
        if g is not None and g.shape == element.shape and torch.allclose(g, element.detach()):
            return name
    return "something else"


def flat(shape):
    """The shape after flattening to 2-D."""
    if not shape:
        return shape
    return [math.prod(shape[:-1]), shape[-1]]


def plus(one, other):
    """The sum of two described tensors of one shape."""
    return {**one, "values": [a + b for a, b in zip(one["values"], other["values"], strict=True)]}


def scaled(facts, factor):
    return {**facts, "values": [factor * v for v in facts["values"]]}
