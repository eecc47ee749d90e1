"""Tensors as numbers: `summarize` turns one into a `Summary` and keeps no reference to it."""

import math
from itertools import chain

import torch

from course.record import SMALL, Summary

_PLAIN = {torch.Tensor, torch.nn.Parameter}
_function_modes = torch._C._len_torch_function_stack
_dispatch_modes = torch._C._len_torch_dispatch_stack
_DTYPES = {d: str(d)[6:] for d in vars(torch).values() if isinstance(d, torch.dtype)}


def summarize(value) -> Summary | None:
    """The tensor as a `Summary`; None for anything that is not a tensor.

    >>> summarize(torch.tensor([3.0, 4.0])).norm
    5.0
    """
    if value is None:
        return None
    if type(value) in _PLAIN and not modes_are_active():
        return _summarize(value)
    if not isinstance(value, torch.Tensor):
        return None
    # A tensor subclass, or a mode such as a FLOP counter, must not see the arithmetic done here.
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        return _summarize(value)


def modes_are_active() -> bool:
    return _function_modes() > 0 or _dispatch_modes() > 0


def same_numbers(a, b) -> bool:
    """Whether two summaries, or two tuples of them, say the same; nan equals nan."""
    return a is b or a == b or (_has_nan(a) and repr(a) == repr(b))


def _has_nan(numbers) -> bool:
    if isinstance(numbers, Summary):
        return numbers.norm is not None and numbers.norm != numbers.norm
    return isinstance(numbers, tuple) and any(map(_has_nan, numbers))


def _summarize(tensor):
    dtype = _DTYPES[tensor.dtype]
    try:
        size = tensor.numel()
        shape = tuple(tensor.shape)
    except RuntimeError:  # a nested tensor has no single shape
        return None
    try:
        if size > SMALL:
            tensor = tensor.detach() if tensor.requires_grad else tensor
            return Summary(shape, dtype, None, *_measure(tensor))
        if tensor.layout is not torch.strided:
            tensor = tensor.detach().to_dense()
        return _whole(shape, dtype, tensor.tolist())
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        # No numbers to read: a meta, fake or quantized tensor. Its shape and dtype are still true.
        return Summary(shape, dtype)


def _whole(shape, dtype, values):
    if type(values) is float:
        return Summary(shape, dtype, values, abs(values), values, values)
    values, flat = _freeze(values, len(shape))
    if not flat or type(flat[0]) is bool:
        return Summary(shape, dtype, values)
    if type(flat[0]) is complex:  # JSON has no complex numbers
        return Summary(shape, dtype, None, math.hypot(*map(abs, flat)))
    norm = math.hypot(*flat)
    if not math.isfinite(norm) and any(x != x for x in flat):
        return Summary(shape, dtype, values, math.nan, math.nan, math.nan)
    return Summary(shape, dtype, values, norm, float(min(flat)), float(max(flat)))


def _freeze(values, depth):
    """Nested lists as nested tuples, and all their items in one row."""
    if depth == 0:
        return values, (values,)
    flat = values
    for _ in range(depth - 1):
        flat = list(chain.from_iterable(flat))
    return _tuples(values, depth), flat


def _tuples(values, depth):
    if depth == 1:
        return tuple(values)
    return tuple([_tuples(part, depth - 1) for part in values])


def _measure(tensor):
    if tensor.layout is not torch.strided:
        tensor = tensor.coalesce().values()
    if tensor.dtype is torch.bool or not tensor.numel():
        return None, None, None
    if tensor.is_complex():
        return torch.linalg.vector_norm(tensor).item(), None, None
    if not tensor.is_contiguous():  # the gradient of a Linear's weight: aminmax is ten times slower
        by_stride = sorted(range(tensor.dim()), key=tensor.stride, reverse=True)
        tensor = tensor.permute(by_stride)
    low, high = torch.aminmax(tensor)
    wide = tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()
    return torch.linalg.vector_norm(wide).item(), low.item(), high.item()
