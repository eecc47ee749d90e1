"""Run a function's forward and name the tensors inside it.

A lab takes ordinary PyTorch code: a function, or a module, that returns the tensor backward starts
from. Its tensors are known by the names of its own local variables, read when it returns.
"""

import inspect
import sys

import torch

MOST = 16  # elements of a local list that get a name of their own


class Tensors(dict):
    """Name -> tensor, in the order in which they were made; the root comes last."""

    root: str = "result"  # the name of the one that backward starts from
    returned_dict: bool = False  # else they are local variables of the function


def run_forward(function, arguments: dict) -> Tensors:
    """Call `function(**arguments)` and return its named tensors.

    >>> def product(a, b):
    ...     c = a * b
    ...     return c.sum()
    >>> run_forward(product, {"a": x, "b": y})      # {"c": ..., "result": ...}, root "result"

    A function may also return a dict of tensors: their names, the last one is the root.
    Raises TypeError for anything else, and whatever the function itself raises.
    """
    returned, local = call_and_look(function, arguments)
    root = _root(function, returned)
    if root is returned:
        found = Tensors(_tensors_of({k: v for k, v in local.items() if k not in arguments}))
    else:
        found = Tensors(_tensors_of(returned))
        found.returned_dict = True
    known = {id(t): name for name, t in {**arguments, **found}.items()}
    found.root = known.get(id(root), "result")
    found.pop(found.root, None)
    found[found.root] = root
    return found


def run_to_root(function, arguments: dict) -> torch.Tensor:
    """Call it the same way and return the root alone: quicker, where nobody asks for names."""
    return _root(function, call(function, arguments))


def _root(function, returned):
    root = (
        next(reversed(returned.values())) if isinstance(returned, dict) and returned else returned
    )
    if not isinstance(root, torch.Tensor):
        raise TypeError(
            f"{function_name(function)}() returned {type(root).__name__!r}. Return the tensor that "
            "backward starts from, or a dict of tensors whose last one it is."
        )
    return root


def call(function, arguments):
    """Call it with its arguments by name; a module by position, as one does: PyTorch hands what a
    module is given by name to no backward hook, and to a forward hook only when it asks."""
    if isinstance(function, torch.nn.Module) and by_position(plain_function(function), arguments):
        return function(*arguments.values())
    return function(**arguments)


def by_position(function, names) -> bool:
    """Whether arguments of these names, in this order, are the first that a function takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # built in
        return False
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    order = tuple(p.name for p in parameters if p.name != "self" and p.kind in places)
    return order[: len(names)] == tuple(names)


def call_and_look(function, arguments):
    """Call it; return what it returned and its local variables as they were at the end."""
    if sys.getprofile() is not None:  # there can be one only, and cProfile's cannot be put back
        return call(function, arguments), {}
    code, local = code_of(function), {}

    def look(frame, event, _):
        if event == "return" and frame.f_code is code:
            local.update(frame.f_locals)

    sys.setprofile(look)
    try:
        returned = call(function, arguments)
    finally:
        sys.setprofile(None)
    return returned, local


def code_of(function):
    """The code object that runs when `function` is called; None where it is not Python."""
    plain = plain_function(function)
    return getattr(plain, "__code__", None)


def plain_function(function):
    """The Python function itself: a module's forward, or what a decorator wrapped."""
    return inspect.unwrap(
        type(function).forward if isinstance(function, torch.nn.Module) else function
    )


def function_name(function) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def _tensors_of(named):
    for name, value in named.items():
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value[:MOST]):
                if isinstance(item, torch.Tensor):
                    yield f"{name}[{i}]", item
