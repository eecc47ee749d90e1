"""What an author writes, `lab(f, a=2.0, net=net, hooks={"c": "shift 2"})`, as an experiment."""

import math
import sys

import torch

from course.laboratory.experiment import Experiment, parameters_of
from course.laboratory.hook import MODULE_PLACES, Hook
from course.laboratory.settings import Settings, flat

MOST_SLIDERS = 64  # a tensor with more numbers is an input without sliders


def experiment(function, inputs, *, hooks, retain, frozen, **backward) -> Experiment:
    """Sort the inputs into leaves, modules and the rest, and read the short forms.

    Raises ValueError, in one sentence, for a name that the inputs do not have.
    """
    values, fixed, modules, switches = {}, {}, {}, {}
    if isinstance(function, torch.nn.Module):
        modules[name_in_notebook(function)] = function
    for name, given in inputs.items():
        if isinstance(given, torch.nn.Module):
            modules[name] = given
        elif isinstance(given, torch.Tensor):
            if given.dtype is torch.float32 and given.numel() <= MOST_SLIDERS:
                values[name] = rounded(given.tolist())
            else:
                fixed[name] = given
            if given.is_floating_point():
                switches[name] = given.requires_grad
        elif isinstance(given, (int, float, list, tuple)) and not isinstance(given, bool):
            values[name] = rounded(given)
            switches[name] = True
        else:
            fixed[name] = given
    switches |= {name: p.requires_grad for name, p in parameters_of(modules).items()}
    for name in names(frozen):
        if name not in switches:
            raise ValueError(f"frozen={name!r}: the inputs are {', '.join(switches)}.")
        switches[name] = False
    start = Settings(
        values, switches, tuple(names(retain)), tuple(read_hooks(hooks, modules)), **backward
    )
    return Experiment(function, start, modules, fixed)


def name_in_notebook(module) -> str:
    """What the notebook calls a module, else "model"."""
    known = vars(sys.modules["__main__"]).items()
    return next((name for name, value in known if value is module and name[0] != "_"), "model")


def names(given) -> list[str]:
    return given.replace(",", " ").split() if isinstance(given, str) else list(given)


def read_hooks(given, modules=()) -> list[Hook]:
    """Hooks from {"c": "shift 2", "d": ["observe", "zero"]}, or from a list of `Hook`."""
    if isinstance(given, dict):
        pairs = [
            (on, one)
            for on, some in given.items()
            for one in ([some] if isinstance(some, str) else some)
        ]
        given = [Hook.read(on, one) if isinstance(one, str) else one for on, one in pairs]
    for hook in given:
        is_module = hook.on.partition(".")[0] in modules and hook.on not in parameters_of(modules)
        if is_module != (hook.at in MODULE_PLACES):
            places = ", ".join(MODULE_PLACES) if is_module else "tensor, accumulated"
            what = "module" if is_module else "tensor"
            raise ValueError(f"{hook.on} is a {what}: its hooks can be placed at {places}.")
    return list(given)


def rounded(value):
    """Nested lists of numbers without the noise of float32: 0.1, not 0.10000000149."""
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return float(f"{value:.7g}")


def slider_limits(value) -> tuple[float, float, float]:
    """Lowest, highest and step for a leaf's sliders, wide enough for the numbers it starts with."""
    numbers = [x for x in flat(value) if math.isfinite(x)]
    largest = max(map(abs, numbers), default=0.0)
    if largest > 10:
        return -2 * largest, 2 * largest, largest / 50
    fine = (
        step for step in (0.5, 0.1) if all(abs(x / step - round(x / step)) < 1e-6 for x in numbers)
    )
    return -10.0, 10.0, next(fine, 0.01)
