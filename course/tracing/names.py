"""Names for tensors and modules: the caller's, the caller's variables, a module's own.

Earlier sources win: names given to `trace`, names in a dict that a closure returned, variables of
the caller, parameters of the modules among them.
"""

import inspect
import sys
from collections.abc import Iterator

import torch


def variables_of(frame) -> dict:
    """The tensors and modules that the frame's code can name, without names such as _ and __."""
    found = {}
    local = frame.f_locals
    if local is not frame.f_globals:
        found |= _ours(frame.f_globals)
    found |= _ours(local)
    if _is_snapshot(local, frame) and sys.getrefcount(local) <= 3:
        local.clear()  # else Python < 3.13 keeps these tensors alive until the function returns
    return found


def variables_of_function(function) -> dict:
    """The tensors and modules that a function's body can name: its globals and its closure."""
    function = getattr(inspect.unwrap(function), "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    known = {name: function.__globals__.get(name) for name in code.co_names}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            known[name] = cell.cell_contents
        except ValueError:  # an empty cell: not assigned yet
            continue
    return _ours(known)


def _ours(variables):
    # By type, not isinstance: that would ask lazy objects for their __class__ and wake them up.
    return {
        name: value
        for name, value in variables.copy().items()
        if issubclass(type(value), (torch.Tensor, torch.nn.Module))
        and name[0] != "_"
        and name.isidentifier()  # tools such as pytest have variables of other names
    }


def tensors_of(module, prefix: str) -> Iterator[tuple[str, torch.Tensor, str]]:
    """A module's parameters, buffers and tensors kept as attributes, each with its owner's path:
    ("net.fc.weight", tensor, "net.fc")."""
    for path, part in module.named_modules():
        owner = ".".join(filter(None, (prefix, path)))
        attributes = {n: v for n, v in vars(part).items() if n not in _OF_EVERY_MODULE}
        for group in (part._parameters, part._buffers, attributes):
            for name, value in group.items():
                if issubclass(type(value), torch.Tensor):
                    yield f"{owner}.{name}" if owner else name, value, owner


_OF_EVERY_MODULE = frozenset(vars(torch.nn.Module()))  # its bookkeeping: no tensors


class Names:
    """Where to look for names: what `trace` was given, then the caller's variables."""

    def __init__(self, given, dicts, modules, places):
        self.given = dict(given)  # name -> tensor
        self.dicts = list(dicts)  # the caller's own, which a function may fill while it runs
        self.modules = list(modules)  # (prefix, module)
        self.places = places  # functions that return variables: name -> tensor or module
        self._paths = {}  # id(module) -> path
        self._looked = False

    def tensors_given(self) -> dict:
        """The tensors that have a name from the caller by now."""
        found = dict(self.given)
        for names in self.dicts:
            found = {n: v for n, v in names.items() if isinstance(v, torch.Tensor)} | found
        return found

    def variables(self) -> tuple[dict, dict, list]:
        """The caller's variables now: tensors and parameters by name, and (name, module)."""
        found = {}
        for place in self.places:
            found = place() | found
        tensors, parameters, modules = {}, {}, []
        for name, value in found.items():
            if isinstance(value, torch.nn.Module):
                modules.append((name, value))
            else:  # a parameter is better named by its module than by a loop's left-over `p`
                is_parameter = isinstance(value, torch.nn.Parameter)
                (parameters if is_parameter else tensors)[name] = value
        # The largest first: `net.fc` is a better name for a part of `net` than a variable's.
        modules.sort(key=lambda item: -sum(1 for _ in item[1].modules()))
        return tensors, parameters, modules

    def path_of(self, module, caller: str | None) -> str:
        """A module's path; one that no variable reaches is named by its caller and its type."""
        if not self._looked:
            self._looked = True
            for prefix, known in self.modules + self.variables()[2]:
                self._learn(known, prefix)
        if id(module) not in self._paths:
            self._learn(module, ".".join(filter(None, (caller, type(module).__name__))))
        return self._paths[id(module)]

    def _learn(self, module, prefix):
        for path, part in module.named_modules():
            full = ".".join(filter(None, (prefix, path))) or type(part).__name__
            self._paths.setdefault(id(part), full)


def _is_snapshot(local, frame):
    return type(local) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED
