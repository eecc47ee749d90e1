"""Spies: they stand in a hook's place in torch's own dictionary of hooks, call it, and log it.

Nothing is registered and nothing moves, so the order of hooks stays as it is. A spy answers to the
same ``__name__`` (torch's error messages use it), lets every error through, and hands a copy or a
pickle of itself out as the hook it stands for, so that no copy of a model keeps a spy.
"""

import copy
from collections.abc import Callable
from typing import NamedTuple

import torch

from course.record import SMALL
from course.tracing.summary import modes_are_active, same_numbers, summarize


class Spy:
    """One hook under observation. `report(spy, call)` is called after each call of the hook."""

    __slots__ = ("hook", "kind", "target", "handle", "report", "__name__")

    def __init__(self, hook, kind, target, handle, report):
        self.hook = hook
        self.kind = kind  # a key of KINDS
        self.target = target  # what it hangs on: any object that `report` understands
        self.handle = handle  # the .id of its RemovableHandle
        self.report = report  # None once the trace is over
        if hasattr(hook, "__name__"):
            self.__name__ = hook.__name__

    def __call__(self, *args, **kwargs):
        __tracebackhide__ = True
        if self.report is None:
            return self.hook(*args, **kwargs)
        call = Call(KINDS[self.kind], args)
        try:
            answer = self.hook(*args, **kwargs)
        except BaseException as error:
            call.raised(error)
            self.report(self, call)
            raise
        call.answered(answer)
        self.report(self, call)
        return answer

    def __deepcopy__(self, memo):
        return copy.deepcopy(self.hook, memo)

    def __reduce__(self):
        return _the_hook, (self.hook,)


def _the_hook(hook):
    return hook


class Call:
    """What one call of a hook was given and what came of it, in numbers."""

    def __init__(self, kind, args):
        self._kind = kind
        self.module = kind.module(args)
        self._args = args
        self.given = kind.given(args)
        self._versions = [_version(value) for value in self.given]
        self.before = summarize_each(self.given)
        self.beside = summarize_each(kind.beside(args))
        self.after = self.before
        self.changed = self.in_place = False
        self.returned = self.error = None

    def answered(self, answer):
        self.returned = "None" if answer is None else type(answer).__name__
        now = self._kind.given(self._args)
        self.after = summarize_each(now)
        self.in_place = self.changed = (
            not same_numbers(self.after, self.before)
            or [_version(value) for value in now] != self._versions
        )
        if answer is not None and self._kind.replaces:
            instead = self._kind.unpack(answer)
            self.after = summarize_each(instead)
            self.changed |= not same_numbers(self.after, self.before) or (
                any(map(_differ, self.given, instead))
            )
        self._args = self.given = None  # let go of the gradients

    def raised(self, error):
        self.error = f"{type(error).__name__}: {error}"
        self.after = ()
        self._args = self.given = None


def _version(value):
    if isinstance(value, torch.Tensor) and not value.is_inference():
        return value._version
    return None


def _differ(a, b):
    """Whether two tensors of the same summary differ after all, as a permutation would."""
    if a is b or not isinstance(a, torch.Tensor) or a.numel() <= SMALL or modes_are_active():
        return False
    return not torch.equal(a.detach(), b.detach())


class Kind(NamedTuple):
    """How to read the arguments and the answer of one kind of hook."""

    given: Callable  # args -> the values that the hook may replace
    beside: Callable = lambda args: ()  # args -> what else it was shown
    unpack: Callable = lambda answer: each(answer)  # its answer -> the values that replace them
    replaces: bool = True
    module: Callable = lambda args: None


def each(value) -> tuple:
    """The value itself, or what a tuple, list or dict of values holds, flattened."""
    if isinstance(value, torch.Tensor) or value is None:
        return (value,)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return (value,)
    return tuple(item for part in value for item in each(part))


def summarize_each(values):
    return tuple([summarize(value) for value in values])


KINDS = {
    "tensor_hook": Kind(lambda args: args, unpack=lambda answer: (answer,)),
    "node_pre_hook": Kind(lambda args: args[0]),
    "node_hook": Kind(lambda args: args[0], lambda args: args[1]),
    "legacy_backward_hook": Kind(lambda args: args[0], lambda args: args[1]),
    "full_backward_pre_hook": Kind(lambda args: args[1]),
    "full_backward_hook": Kind(lambda args: args[1], lambda args: args[2]),
    "post_accumulate_hook": Kind(lambda args: (args[0].grad,), replaces=False),
    "forward_pre_hook": Kind(lambda args: each(args[1:]), module=lambda args: args[0]),
    "forward_hook": Kind(
        lambda args: each(args[-1]), lambda args: each(args[1:-1]), module=lambda args: args[0]
    ),
}
