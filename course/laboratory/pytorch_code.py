"""The PyTorch code of one run of a lab: what a person would type to get the same numbers.

`forward_code` copies the body of the function in line where that changes nothing, so that its
tensors have their names in the reader's notebook too.
"""

import torch

from course.laboratory.experiment import SEED, parameters_of
from course.laboratory.forward_code import as_code, forward_code
from course.laboratory.hook import MODULE_PLACES, as_python


def pytorch_code(experiment, outcome) -> str:
    """Code for the settings of an outcome, ready to copy and run.

    >>> print(pytorch_code(experiment, experiment.run(settings)))
    """
    settings, tensors = outcome.settings, outcome.tensors or experiment.known
    arguments = [*experiment.modules, *experiment.fixed, *settings.values]
    forward = forward_code(experiment.function, arguments, tensors)
    hooks = [(f"hook_{i}", hook) for i, hook in enumerate(settings.hooks, 1) if hook.active]
    seed = [f"torch.manual_seed({SEED})"] if outcome.random else []
    read = dict.fromkeys([*settings.requires_grad, *settings.retain])
    paragraphs = [
        ["import copy"] * bool(experiment.modules) + ["import torch"] + forward.imports,
        *([text] for text in forward.definitions),
        _inputs(experiment, settings, forward),
        *(_registered(n, hook, forward) for n, hook in hooks if hook.at in MODULE_PLACES),
        [*seed, forward.body],
        *(_registered(n, hook, forward) for n, hook in hooks if hook.at not in MODULE_PLACES),
        [_reachable(f"{n}.retain_grad()", n, forward) for n in settings.retain],
        [f"{tensors.root}.backward({given})" for given in backward_arguments(settings)],
        [_printed(forward.leaf(name)) for name in read if name not in forward.hidden],
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs if lines) + "\n"


def backward_arguments(settings) -> list[str]:
    """What each call of backward is given, as code: "" for a plain call."""
    gradient = [] if settings.gradient is None else [f"torch.tensor({as_code(settings.gradient)})"]
    keep = [*gradient, "retain_graph=True"] if settings.retain_graph else gradient
    return [", ".join(keep)] * (settings.backwards - 1) + [", ".join(gradient)]


def _inputs(experiment, settings, forward):
    """The leaves, and fresh copies of what comes from the notebook."""
    wanted = settings.requires_grad
    lines = [f"{m} = copy.deepcopy({m})  # no old hook, no old .grad" for m in experiment.modules]
    for name, value in experiment.fixed.items():
        if isinstance(value, torch.Tensor):
            grad = ".requires_grad_()" if wanted.get(name) else ""
            lines.append(f"{forward.leaf(name)} = {name}.detach().clone(){grad}")
        elif isinstance(value, (bool, int, float, str, type(None))):
            lines.append(f"{forward.leaf(name)} = {value!r}")
    for name, value in settings.values.items():
        grad = ", requires_grad=True" if wanted[name] else ""
        lines.append(f"{forward.leaf(name)} = torch.tensor({as_code(value)}{grad})")
    for name, parameter in parameters_of(experiment.modules).items():
        if wanted[name] != parameter.requires_grad:
            lines.append(f"{as_python(name)}.requires_grad_({wanted[name]})")
    return lines


def _printed(name):
    return f'print("{name}.grad =", {as_python(name)}.grad)'


def _registered(name, hook, forward):
    line = hook.moved(on=forward.leaf(hook.on)).registration(name)
    return [f"{hook.code(name)}\n\n{_reachable(line, hook.on, forward)}"]


def _reachable(line, name, forward):
    """A line of code, as a comment where its tensor lives inside the function only."""
    return f"# inside the function: {line}" if name in forward.hidden else line
