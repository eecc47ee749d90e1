"""Where torch keeps hooks: which are registered on a module or a tensor, and on what a hook is.

torch keeps the hooks of one kind in one dictionary per object, {handle.id: hook}. That is all that
a `RemovableHandle` knows: a weak reference to this dictionary, and its own id.
"""

import gc
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch.nn.modules import module as torch_module

MODULE_KINDS = {
    "_forward_pre_hooks": "register_forward_pre_hook",
    "_forward_hooks": "register_forward_hook",
    "_backward_pre_hooks": "register_full_backward_pre_hook",
    "_backward_hooks": "register_full_backward_hook",
}
TENSOR_KINDS = {
    "_backward_hooks": "register_hook",
    "_post_accumulate_grad_hooks": "register_post_accumulate_grad_hook",
}
GLOBAL_KINDS = {
    "_global_forward_pre_hooks": "register_module_forward_pre_hook",
    "_global_forward_hooks": "register_module_forward_hook",
    "_global_backward_pre_hooks": "register_module_full_backward_pre_hook",
    "_global_backward_hooks": "register_module_full_backward_hook",
}


class Registered(NamedTuple):
    """One dictionary of hooks."""

    owner: object  # the tensor, module or node; None for the hooks of every module
    kind: str  # the name of the method that registers such a hook
    hooks: dict


def hooks_on(owner) -> Iterator[Registered]:
    """The dictionaries of a tensor or module that hold hooks; its parameters are not asked."""
    kinds = TENSOR_KINDS if isinstance(owner, torch.Tensor) else MODULE_KINDS
    for attribute, kind in kinds.items():
        hooks = getattr(owner, attribute)
        if hooks:
            yield Registered(owner, _exact(kind, owner), hooks)
    if isinstance(owner, torch.Tensor) and owner.grad_fn is not None:
        yield from _hooks_on_node(owner.grad_fn)


def hooks_on_every_module() -> Iterator[Registered]:
    """The dictionaries of hooks that run for all modules of the process."""
    for attribute, kind in GLOBAL_KINDS.items():
        if hooks := getattr(torch_module, attribute):
            yield Registered(None, kind, hooks)


def place_of(hooks: dict) -> Registered:
    """On what a dictionary of hooks is. The owner of a graph node's hooks cannot be found."""
    for attribute, kind in GLOBAL_KINDS.items():
        if getattr(torch_module, attribute) is hooks:
            return Registered(None, kind, hooks)
    for holder in gc.get_referrers(hooks):
        for module in _modules_with(holder):
            for attribute, kind in MODULE_KINDS.items():
                if getattr(module, attribute) is hooks:
                    return Registered(module, _exact(kind, module), hooks)
    # not from the referrers: up to torch 2.8 a tensor that a graph holds too is not among them
    for tensor in gc.get_objects():
        if issubclass(type(tensor), torch.Tensor):
            for attribute, kind in TENSOR_KINDS.items():
                if getattr(tensor, attribute) is hooks:
                    return Registered(tensor, kind, hooks)
    return Registered(None, "", hooks)


def dictionaries_with(hook) -> list[tuple[dict, int]]:
    """Every (dictionary, id) under which this function is registered, wherever that is."""
    return [
        (found, key)
        for found in gc.get_objects()
        if type(found) is OrderedDict
        for key, value in list(found.items())
        if type(key) is int and callable(value) and _is_same(value, hook)
    ]


def _is_same(value, hook):
    # Each access of a method makes a new object, which is equal and not identical.
    return value is hook or (
        type(value) is type(hook) and hasattr(hook, "__self__") and value == hook
    )


def _modules_with(holder):
    """The module itself, or the module of which this is the __dict__."""
    if isinstance(holder, torch.nn.Module):
        return [holder]
    if isinstance(holder, dict) and "_forward_hooks" in holder:
        return [m for m in gc.get_referrers(holder) if isinstance(m, torch.nn.Module)]
    return []


def _exact(kind, owner):
    legacy = kind == "register_full_backward_hook" and owner._is_full_backward_hook is False
    return "register_backward_hook" if legacy else kind


def _hooks_on_node(node):
    for name in ("register_prehook", "register_hook"):
        handle = getattr(node, name)(_no_hook)  # the only way to its dictionary
        hooks = handle.hooks_dict_ref()
        handle.remove()
        if hooks:
            yield Registered(node, f"grad_fn.{name}", hooks)


def _no_hook(*gradients):
    pass
