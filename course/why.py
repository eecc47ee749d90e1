"""why_none and why_not_called: one paragraph, read off the object and the last trace.

Each sentence states a fact that was looked up. Where the facts do not decide, the paragraph says
what could be the case and how to find out.
"""

import sys

import torch

from course.paragraph import Paragraph
from course.tracing.last import LastTrace, last
from course.tracing.names import variables_of
from course.why_hook import reason_not_called


def why_none(tensor) -> Paragraph:
    """Why `tensor.grad` is None.

    >>> c = a * b
    >>> c.backward()
    >>> why_none(c)
    c.grad is None because c is not a leaf: MulBackward0 made it. ...

    Raises TypeError for what is not a tensor.
    """
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(
            f"why_none looks at a tensor; it got {type(tensor).__name__}. "
            "Give it the tensor itself, not its .grad."
        )
    names = [n for n, v in variables_of(sys._getframe(1)).items() if v is tensor]
    return Paragraph(_why_none(tensor, names[0] if names else "this tensor", last()))


def why_not_called(hook) -> Paragraph:
    """Why a hook was not called in the last trace, or that it was.

    >>> handle = layer.register_forward_hook(save)
    >>> record = trace(lambda: layer.forward(x).sum())
    >>> why_not_called(handle)

    hook: the handle that registering it returned, or the function itself.

    Raises TypeError for anything else.
    """
    return Paragraph(reason_not_called(hook, last()))


def _why_none(tensor, name, trace: LastTrace | None) -> str:
    if not tensor.requires_grad:
        return _no_gradient_is_computed(tensor, name)
    if not tensor.is_leaf and not tensor.retains_grad:
        return _is_not_a_leaf(tensor, name, trace)
    if tensor.grad is not None:
        return f"{name}.grad is not None: a gradient of shape {tuple(tensor.grad.shape)} is in it."
    keeps = "a leaf" if tensor.is_leaf else "not a leaf, but retains its gradient"
    start = (
        f"{name} is {keeps}, and requires a gradient, so a backward that reaches it fills .grad."
    )
    return f"{start} {_why_not_filled(tensor, name, trace)}"


def _no_gradient_is_computed(tensor, name):
    text = f"{name}.grad is None because {name}.requires_grad is False: nothing is computed for it."
    if tensor.is_inference():
        return f"{text} It was made under inference_mode. Take {name}.clone() outside of it."
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return f"{text} It holds {tensor.dtype}, and only real and complex numbers can have one."
    if isinstance(tensor, torch.nn.Parameter):
        return f"{text} It is a frozen parameter: {name}.requires_grad_() takes it up again."
    return (
        f"{text} It is data, or it was computed from tensors that all have requires_grad=False, or "
        "under no_grad, or cut off with detach(). If it is a leaf of yours, call "
        f"{name}.requires_grad_() before the forward."
    )


def _is_not_a_leaf(tensor, name, trace):
    made_by = tensor.grad_fn.name().rsplit("::")[-1]
    text = f"{name}.grad is None because {name} is not a leaf: {made_by} made it. "
    if "retain_grad" in vars(tensor):
        return (
            f"{text}{name}.retain_grad = {vars(tensor)['retain_grad']} was written: that replaced "
            f"the method on this tensor, and asked for nothing. Write {name}.retain_grad(), on a "
            "new tensor."
        )
    known = trace and trace.id_of(tensor)
    passed = trace.record.tensor(known).passed if known else None
    if passed is not None and passed.values is not None:
        text += (
            f"In the last trace its gradient was {passed.values}; backward used it and let it go. "
        )
    return (
        f"{text}Only leaves keep their gradient, and retains_grad is False. Call "
        f"{name}.retain_grad() after the forward and before backward to keep it."
    )


def _why_not_filled(tensor, name, trace):
    if trace is None:
        return (
            "There was no trace so far, so this is what it can be: backward has not run yet; the "
            "loss does not depend on this tensor object; or .grad was set to None afterwards, as "
            "optimizer.zero_grad() does. Run the backward as trace(loss) and ask again."
        )
    record, known = trace.record, trace.id_of(tensor)
    info = record.tensor(known) if known else None
    if info is None or info.node is None:
        leaves = [t.name for t in record.tensors if t.is_leaf and t.node]
        return (
            "In the last trace the loss did not depend on this tensor object. The leaves of that "
            f"graph were: {', '.join(leaves) or 'none'}. Perhaps the forward used another object: "
            ".to(), detach(), torch.tensor(...) and a new assignment to a name make new ones. Or "
            "its backward has not run yet."
        )
    if info.grad_after is not None:
        return (
            "After the last trace .grad was there. It has been set to None since, as "
            "optimizer.zero_grad() does."
        )
    return _why_the_backward_left_it_empty(info, name, trace)


def _why_the_backward_left_it_empty(info, name, trace):
    record = trace.record
    events = record.events_of(info.id)
    if "post_accumulate_hook" in [e.kind for e in events]:
        return "In the last trace .grad was written, and a post-accumulate hook set it to None."
    if not info.is_leaf and info.arrived is not None:
        return (
            f"In the last trace its gradient came, {_short(info.passed)}, but retain_grad() had "
            "not been called yet. Call it before backward."
        )
    if info.arrived is not None:
        return (
            "In the last trace its gradient came, but nothing was written: torch.autograd.grad "
            "returns gradients and leaves .grad alone."
        )
    if record.error is not None:
        return (
            f"The last trace ended with {record.error.type} before its gradient was computed. "
            "explain() tells about the error."
        )
    if any(t.node == info.node and t.output != info.output and t.arrived for t in record.tensors):
        return (
            f"{name} is one of several outputs of {info.grad_fn}, and the loss of the last trace "
            "uses only another one of them, so None arrived."
        )
    return (
        "The backward of the last trace did not come to it: it was limited by inputs=..., or only "
        "other tensors were asked for, or no gradient flowed on its way."
    )


def _short(summary):
    return f"{summary.values}" if summary.values is not None else f"of norm {summary.norm:.4g}"
