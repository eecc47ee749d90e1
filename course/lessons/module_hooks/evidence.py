"""What the checks of lesson 4 look at beside an answer's result: evidence for their messages."""

from contextlib import ExitStack

import torch

from course.facts import describe, kind_of
from course.lessons.module_hooks.nets import numbers_of


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def scaled(grad, factor):
    """A gradient as nested lists, times a factor."""
    return [[number * factor for number in row] for row in grad]


def tracked(value):
    return isinstance(value, torch.Tensor) and value.requires_grad


def not_a_tensor(kept):
    """Name the first thing in a list that is not a tensor; None if all are tensors."""
    others = [item for item in kept if not isinstance(item, torch.Tensor)]
    return kind_of(describe(others[0])) if others else None


def numbers_or_same(value):
    return numbers_of(value) if isinstance(value, torch.Tensor) else describe(value)


def after_relu(net, xs, paths):
    """What somebody keeps who does not copy: a ReLU has worked on it in place."""
    kept = {f"path {path}": [] for path in paths}
    with torch.no_grad(), ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[f"path {path}"].append(output)

            if path in dict(net.named_modules(remove_duplicate=False)):
                hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        for x in xs:
            net(x)
    return {path: [numbers_of(t) for t in tensors] for path, tensors in kept.items()}


def inputs_and_outputs(net, layer, xs):
    """What goes into a layer of a net and what comes out, for each x: copies, without history."""
    inputs, outputs = [], []

    def keep(module, args, output):
        inputs.append(args[0].detach().clone())
        outputs.append(output.detach().clone())

    with layer.register_forward_hook(keep), torch.no_grad():
        for x in xs:
            net(x)
    return inputs, outputs


def gradients_of_the_sum(values, leaves):
    """The gradients of some leaves, for the sum of all tracked tensors among some values."""
    total = sum(value.sum() for value in values if tracked(value))
    if not tracked(total):
        return [None for _ in leaves]
    grads = torch.autograd.grad(total, leaves, allow_unused=True, retain_graph=True)
    return [None if grad is None else numbers_of(grad) for grad in grads]


def names_a_closed_module(callers, log):
    """Does one of these callers stand for a module that the log left before the call?"""
    opened, closed = [], []
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "out":
            closed.append(opened.pop())
            continue
        caller = callers[f"of {name}"]
        if caller in closed and caller not in [*opened, name]:
            return True
        opened.append(name)
    return False


def copied(tensor):
    return None if tensor is None else tensor.detach().clone()


def length_of(value):
    return len(value) if isinstance(value, list) else None
