"""Why a hook was not called: what its handle, its owner and the last trace say."""

import torch
from torch.utils.hooks import RemovableHandle

from course.registered import Registered, dictionaries_with, place_of
from course.tracing.last import LastTrace
from course.tracing.origin import defined_at, hook_name

_RUN = "Run the backward as trace(loss), or forward and backward as trace(function), and ask again."


def reason_not_called(hook, trace: LastTrace | None) -> str:
    """The paragraph for a handle or a function."""
    if isinstance(hook, RemovableHandle):
        return _of_handle(hook.hooks_dict_ref(), hook.id, trace)
    if not callable(hook):
        raise TypeError(
            "why_not_called looks at the handle that registering a hook returned, or at the hook "
            f"itself; it got {type(hook).__name__}."
        )
    places = dictionaries_with(hook)
    if not places:
        return _is_registered_nowhere(hook, trace)
    texts = [_of_handle(hooks, key, trace) for hooks, key in places]
    if len(texts) > 1:
        return f"It is registered {len(texts)} times. " + "\n".join(dict.fromkeys(texts))
    return texts[0]


def _is_registered_nowhere(hook, trace):
    name, where = hook_name(hook), defined_at(hook)
    calls = [e for e in trace.record.events if (e.hook, e.where) == (name, where)] if trace else []
    if calls:
        return f"{_was_called(name, calls)} It is registered nowhere now."
    return (
        f"{name} is registered nowhere: it was given to no register method, or its handle was "
        "removed, or what it was registered on is gone. (A function with the same text, from "
        "another run of the cell, is another function.)"
    )


def _of_handle(hooks, key, trace):
    calls = [e for e in trace.record.events if e.handle == key] if trace else []
    if calls:
        return _was_called(calls[0].hook, calls)
    if hooks is None:
        return (
            "What the hook was registered on is gone, and the hook with it: no variable and no "
            "graph holds that tensor or module any more. A result of an operation is a new tensor "
            "in each forward, so a hook on it must be registered again after each forward."
        )
    if key not in hooks:
        return (
            "The hook is not registered any more: handle.remove() was called, or the with block "
            "of the handle has ended, or the hook removed itself."
        )
    name = hook_name(hooks[key])
    place = place_of(hooks)
    if trace is None:
        return f"{name} is registered{_on(place)}, and there was no trace so far. {_RUN}"
    if key >= trace.handles[1]:
        return _too_late(name, place)
    if isinstance(place.owner, torch.Tensor):
        return f"{name} is registered{_on(place)}. {_why_not_on_tensor(place, trace)}"
    if isinstance(place.owner, torch.nn.Module):
        return f"{name} is registered{_on(place)}. {_why_not_on_module(place, trace)}"
    if place.kind:
        return f"{name} is registered{_on(place)}, and no module of its kind was called."
    return (
        f"{name} is registered on a graph node, or on a tensor that only the graph holds. The "
        "backward of the last trace did not come through that node: the loss does not depend on "
        "it, or it belongs to the graph of another forward."
    )


def _was_called(name, calls):
    times = "once" if len(calls) == 1 else f"{len(calls)} times"
    on = ", ".join(dict.fromkeys(e.target.name for e in calls))
    return f"{name} was called {times} in the last trace, on {on}."


def _on(place: Registered):
    if place.owner is None:
        return f" for every module ({place.kind})" if place.kind else ""
    kind = type(place.owner).__name__
    return f" on a {kind} ({place.kind})"


def _too_late(name, place):
    text = f"{name} was registered after the last trace had ended, so it could not be called there."
    if isinstance(place.owner, torch.Tensor) and place.owner.is_leaf:
        return f"{text} It is on a leaf and stays: the next backward calls it."
    if isinstance(place.owner, torch.Tensor):
        return (
            f"{text} It is on the result of an operation, which belongs to one graph: register it "
            "after each forward and before backward."
        )
    return f"{text} The next forward and backward call it."


def _why_not_on_tensor(place, trace):
    tensor, record = place.owner, trace.record
    known = trace.id_of(tensor)
    info = record.tensor(known) if known else None
    if not tensor.requires_grad:
        return "Its requires_grad is False now, so no gradient is computed for it."
    if info is None or info.node is None:
        names = ", ".join(t.name for t in record.tensors if t.node) or "none"
        return (
            "The graph of the last trace does not hold this tensor object, so no gradient came "
            f"to it. It holds: {names}. A hook belongs to the object, not to the name: after "
            "y = y * 2, .to() or an in-place change the name stands for another tensor."
        )
    if place.kind == "register_post_accumulate_grad_hook" and info.arrived is not None:
        return (
            "Its gradient came, but .grad was not written: torch.autograd.grad returns gradients "
            "and accumulates none."
        )
    if record.error is not None:
        return f"The last trace ended with {record.error.type} before the backward came to it."
    return (
        f"{info.name} is in the graph of the last trace, but the backward did not come to it: it "
        "was limited by inputs=..., or no gradient flowed on its way."
    )


def _why_not_on_module(place, trace):
    module, record = place.owner, trace.record
    path = trace.path_of(module)
    calls = next((m.calls for m in record.modules if m.path == path), 0) if path else 0
    boundaries = [n for n in record.nodes if n.kind == "module boundary" and n.module == path]
    if not calls and not boundaries:
        return _was_not_called(module, trace)
    if place.kind in ("register_forward_pre_hook", "register_forward_hook"):
        if not calls:
            return f"The last trace saw only the backward. {_RUN}"
        return "The module was called, but this hook was registered after its last call."
    if not boundaries:
        return (
            "The module was called, but its full backward hooks are not in the graph. A hook "
            "that is registered after the forward is not in that graph; nor is one whose module "
            "ran under no_grad, or returned neither a tensor nor a tuple of tensors."
        )
    if record.error is not None:
        return f"The last trace ended with {record.error.type} before the backward came to it."
    if not any(n.ran for n in boundaries):
        return (
            "The backward of the last trace did not come through this module: the loss does not "
            "depend on what it returned."
        )
    return (
        "The backward came through this module. A full backward hook is called when the "
        "gradients of its inputs are computed; those were not asked for, or this hook was "
        "registered after the forward."
    )


def _was_not_called(module, trace):
    record = trace.record
    if not trace.saw_forward:
        return (
            "The last trace began after the forward, and the graph it was given holds no hook of "
            f"this module. {_RUN}"
        )
    used = {id(p) for p in module.parameters(recurse=False)}
    reached = [
        name
        for ref, name in trace.tensors
        if id(ref()) in used and record.tensor(name).arrived is not None
    ]
    text = "The module was not called in the last trace."
    if reached:
        return (
            f"{text} Its parameters got gradients all the same: its forward() was called "
            "directly, or its weight was used by a function. Only module(x) calls hooks."
        )
    return (
        f"{text} Only module(x) calls hooks: not module.forward(x), and not a ModuleList or "
        "ModuleDict, of which only the items are called."
    )
