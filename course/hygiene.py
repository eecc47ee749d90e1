"""Hooks and notebooks: register so that a cell may run again, and find what is still there.

>>> handle = attach(layer.register_forward_hook, save)   # running this cell again replaces the hook
>>> with attach(x.register_hook, double):                # on only inside the block
...     y.backward()
>>> leftover_hooks(model)                                 # what is there, and where it was written
>>> leftover_hooks(model).remove()                        # take all of it away

The context manager follows baukit's `Trace`: a handle that a block owns cannot leak.
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch.utils.hooks import RemovableHandle

from course.registered import hooks_on, hooks_on_every_module
from course.tracing.names import tensors_of, variables_of
from course.tracing.origin import defined_at, defined_in, hook_name

_attached = {}  # (id of the dictionary of hooks, key) -> (handle, where it was registered)


def attach(register, hook, key: str | None = None, **options) -> RemovableHandle:
    """Register a hook; the one that was attached before under the same key is removed.

    >>> attach(w.register_hook, double)
    >>> attach(net.fc.register_forward_hook, save, with_kwargs=True)

    register: the register method of a tensor, module or graph node.
    key: by default the hook's name, so that a cell may define and attach it again. A lambda has no
        name: give it a key.
    options: handed on to `register`.

    Returns torch's own handle: call .remove(), or use it in a with statement.
    """
    if key is None:
        key = hook_name(hook)
        if key == "<lambda>":
            raise ValueError(
                "a lambda has no name by which to find it again: write a def, or give it a name "
                "here, as in attach(x.register_hook, lambda grad: grad * 2, key='double')."
            )
    handle = register(hook, **options)
    hooks = handle.hooks_dict_ref()
    old, _ = _attached.pop((id(hooks), key), (None, None))
    if old is not None and old.hooks_dict_ref() is hooks:
        old.remove()
    for place in [p for p, (other, _) in _attached.items() if other.hooks_dict_ref() is None]:
        del _attached[place]
    caller = sys._getframe(1)
    _attached[id(hooks), key] = handle, defined_in(caller.f_code, caller.f_lineno)
    return handle


class Leftover(NamedTuple):
    """One hook that is still registered."""

    on: str  # "net.fc1", "net.fc1.weight"
    kind: str  # the method that registers such a hook
    hook: str
    defined: str | None  # where its function was written, "In[3]:2"
    registered: str | None  # where it was registered; known for attach only
    handle: int  # the .id of its handle
    hooks: dict  # torch's dictionary that it is in

    def __str__(self):
        where = f", written at {self.defined}" if self.defined else ""
        where += f", attached at {self.registered}" if self.registered else ""
        return f"{self.on}.{self.kind}: {self.hook}{where}"


class Leftovers(tuple):
    """The hooks found, one a line; `remove()` takes them all away."""

    def remove(self) -> None:
        for found in self:
            found.hooks.pop(found.handle, None)

    def __repr__(self):
        if not self:
            return "No hooks."
        lines = [str(found) for found in self]
        return "\n".join(
            f"{line}  ({lines.count(line)} times: a cell that registers it ran again?)"
            if lines.count(line) > 1
            else line
            for line in dict.fromkeys(lines)
        )


def leftover_hooks(*things, **names) -> Leftovers:
    """The hooks that are still there.

    >>> leftover_hooks(model)        # on a model, its modules and parameters
    >>> leftover_hooks(net=net, x=x)  # with names to show
    >>> leftover_hooks()             # on all tensors and modules that your variables hold

    Hooks for every module of the process are always listed. The functions of full backward hooks
    that a graph has taken along at its forward are in that graph, and not shown here.

    Raises TypeError for what is neither a tensor nor a module.
    """
    if not things and not names:
        names = variables_of(sys._getframe(1))
    for thing in (*things, *names.values()):
        if not isinstance(thing, (torch.Tensor, torch.nn.Module)):
            raise TypeError(
                f"leftover_hooks looks at modules and tensors; it got {type(thing).__name__}."
            )
    named = [*((_own_name(thing), thing) for thing in things), *names.items()]
    found, seen = [], set()
    for name, owner in _parts(named):
        if id(owner) in seen:
            continue
        seen.add(id(owner))
        for registered in hooks_on(owner):
            found += _leftovers(name, registered)
    for registered in hooks_on_every_module():
        found += _leftovers("every module", registered)
    return Leftovers(found)


def _leftovers(name, registered):
    by_handle = {handle.id: where for handle, where in _attached.values()}
    for key, hook in registered.hooks.items():
        yield Leftover(
            on=name,
            kind=registered.kind,
            hook=hook_name(hook),
            defined=defined_at(hook),
            registered=by_handle.get(key),
            handle=key,
            hooks=registered.hooks,
        )


def _own_name(thing):
    return "" if isinstance(thing, torch.nn.Module) else "tensor"


def _parts(named) -> Iterator[tuple[str, object]]:
    """Each tensor, each module with its submodules and their tensors, with names."""
    for name, thing in named:
        if isinstance(thing, torch.Tensor):
            yield name, thing
            continue
        for path, module in thing.named_modules():
            yield ".".join(filter(None, (name, path))) or type(thing).__name__, module
        for path, tensor, _ in tensors_of(thing, name):
            yield path, tensor
