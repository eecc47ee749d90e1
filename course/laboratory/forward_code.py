"""A function's forward as lines that can be run in a notebook.

`def f(a, b): c = a * b; return c.sum()` becomes `c = a * b` and `result = c.sum()`, so that `c` has
its name there too. Where that would change something (a return inside an `if`, say), the function
is copied and called, and the tensors inside it are out of reach.
"""

import ast
import functools
import inspect
import math
import textwrap
import types
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeGuard

import torch

from course.laboratory.forward import by_position, function_name, plain_function

SMALL = 16  # a tensor from outside with at most this many elements is written out


@dataclass
class ForwardCode:
    """Code of a forward. `hidden`: tensors out of reach. `renamed`: leaves that lose their name."""

    body: str
    imports: list[str] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    hidden: tuple[str, ...] = ()
    renamed: frozenset[str] = frozenset()

    def leaf(self, name: str) -> str:
        """What the code calls a leaf: its own name, unless the function gives that name away."""
        return f"{name}_leaf" if name in self.renamed else name


def forward_code(function, arguments, tensors) -> ForwardCode:
    """Code that runs `function` on the named `arguments` and leaves its `tensors` in reach."""
    inner = tuple(name for name in tensors if name not in (tensors.root, *arguments))
    plain = plain_function(function)
    if isinstance(function, torch.nn.Module):
        module, *inputs = arguments
        return ForwardCode(f"{tensors.root} = {module}({_call(plain, inputs)})", hidden=inner)
    source, tree = _source(plain)
    imports, definitions = _from_outside(plain) if tree else ([], [])
    if isinstance(tree, ast.Lambda):
        return ForwardCode(f"{tensors.root} = {ast.unparse(tree.body)}", imports, definitions)
    body, renamed = _in_line(
        plain, tuple(arguments), tuple(tensors), tensors.root, tensors.returned_dict
    )
    if body is not None:
        return ForwardCode(body, imports, definitions, renamed=renamed)
    name = function_name(function)
    name = "function" if name == "<lambda>" else name
    call = f"{name}({_call(plain, arguments)})"
    if tree is None:
        body = f"{tensors.root} = {call}  # {name} is your own function"
        return ForwardCode(body, hidden=inner)
    definitions.append(source.rstrip())
    if tensors.returned_dict:
        return ForwardCode("\n".join(_taken_out(call, tensors)), imports, definitions)
    return ForwardCode(f"{tensors.root} = {call}", imports, definitions, hidden=inner)


def _call(function, arguments):
    """Arguments of a call: by position where the function's own order allows it, else by name."""
    if by_position(function, arguments):
        return ", ".join(arguments)
    return ", ".join(f"{a}={a}" for a in arguments)


@functools.lru_cache(maxsize=32)
def _source(function):
    try:
        source = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError):  # built in, or a lambda in the middle of a line
        return "", None
    if isinstance(tree, ast.FunctionDef):
        return source, tree
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return ("", found[0]) if len(found) == 1 else ("", None)


@functools.lru_cache(maxsize=32)  # it follows from the source, and a slider asks at every move
def _in_line(function, arguments, names, root, returned_dict):
    """The body as lines, and the leaves whose names it gives away; None where it must be called."""
    source, tree = _source(function)
    if tree is None or not _is_straight(tree, arguments):
        return None, frozenset()
    stored = {n.id for n in ast.walk(tree) if _stores(n)}
    renamed = frozenset(stored & set(arguments))
    again = [
        f"{name} = {name}_leaf  # the function gives {name} to a new tensor" for name in renamed
    ]
    lines = _lines(source, tree, names, root, returned_dict)
    return "\n".join([*sorted(again), *lines]), renamed


def _is_straight(tree, arguments):
    """Whether the body can be copied in line: one return, at the end, and nothing special."""
    special = (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.Lambda)
    inside = [node for statement in tree.body for node in ast.walk(statement)]
    returns = [node for node in inside if isinstance(node, ast.Return)]
    return (
        not tree.decorator_list
        and {a.arg for a in [*tree.args.args, *tree.args.kwonlyargs]} == set(arguments)
        and returns == tree.body[-1:]
        and not any(isinstance(node, special) for node in inside)
        and tree.body[0].lineno > tree.lineno
        and all(a.end_lineno < b.lineno for a, b in pairwise(tree.body))  # each on lines of its own
        and tree.body[-1].value is not None
    )


def _stores(node) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _lines(source, tree, names, root, returned_dict):
    """The statements before the return as they were written, then what the return names."""
    first, last = tree.body[0], tree.body[-1]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):  # a docstring
        first = tree.body[1]
    text = source.splitlines()[first.lineno - 1 : last.lineno - 1]
    margin = " " * first.col_offset  # a comment, or a string's line, may stand further left
    lines = [line.removeprefix(margin) for line in text]
    value = ast.unparse(last.value)
    if not returned_dict:
        return lines if value == root else [*lines, f"{root} = {value}"]
    keys = [getattr(key, "value", None) for key in getattr(last.value, "keys", [])]
    if keys != list(names):
        return [*lines, *_taken_out(value, names)]
    pairs = zip(keys, map(ast.unparse, last.value.values), strict=True)
    return [*lines, *(f"{name} = {value}" for name, value in pairs if name != value)]


def _taken_out(value, names):
    """Lines that give the tensors of a dict their own names."""
    return [f"made = {value}", *(f'{n} = made["{n}"]' for n in names if n.isidentifier())]


def _from_outside(function):
    """Lines that give the function what it takes from its notebook: (imports, definitions)."""
    outside = inspect.getclosurevars(function)
    imports, definitions = [], []
    for name, value in {**outside.globals, **outside.nonlocals}.items():
        if isinstance(value, types.ModuleType):
            whole = value.__name__
            if whole != "torch":
                imports.append(f"import {whole}" + (f" as {name}" if whole != name else ""))
        elif isinstance(value, torch.Tensor) and value.numel() <= SMALL and not value.requires_grad:
            definitions.append(f"{name} = torch.tensor({as_code(value.tolist())})")
        elif isinstance(value, (int, float, str)):
            definitions.append(f"{name} = {value!r}")
        elif getattr(value, "__module__", "__main__") != "__main__" and hasattr(value, "__name__"):
            imports.append(f"from {value.__module__} import {value.__name__}")
        else:
            definitions.append(f"# {name} comes from your notebook")
    return imports, definitions


def as_code(value) -> str:
    """A number or nested lists of numbers as Python floats, without the noise of float32."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(as_code(item) for item in value)}]"
    number = float(f"{value:.7g}")
    return repr(number) if math.isfinite(number) else f'float("{number}")'
