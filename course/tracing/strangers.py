"""Hooks on tensors that nobody holds any more, in a graph made before the trace.

Their dictionary of hooks is held by C++ alone, so no spy can be put there. But such a hook is still
a Python function that the engine calls: Python's profiler interface sees the call, its argument and
what it returns. A builtin function as a hook, such as ``list.append``, makes no such call: it is
seen only if it calls a method of the tensor, as ``print`` does.
"""

import inspect
import sys
from typing import NamedTuple

import torch

from course.tracing.origin import defined_in
from course.tracing.spies import KINDS, Call

_TOGGLES_ARE_CHEAP = sys.version_info < (3, 12)  # later each one makes Python revise its bytecode
_current_node = torch._C._current_autograd_node


class Stranger(NamedTuple):
    """Stands for a hook of which only its code is known."""

    name: str
    where: str | None
    handle: None = None


class Strangers:
    """Listens to the functions that the engine calls; idle while another profiler is on."""

    def __init__(self, steps, engine_frame, own_code):
        self.steps = steps
        self.engine_frame = engine_frame
        self.own_code = own_code  # of the functions that the trace itself hangs on nodes
        self.running = {}  # frame of such a hook -> Call
        self.seen = []  # of the node that is about to run: (place among the events, its gradient)
        self.before = sys.getprofile()
        self.active = self.before is None or isinstance(
            getattr(self.before, "__self__", None), Strangers
        )
        if self.active:
            sys.setprofile(self.listen)

    def stop(self):
        if self.active and sys.getprofile() in (self.listen, None):
            sys.setprofile(self.before)
        self.steps = self.engine_frame = self.running = self.seen = None

    def pause(self):
        if self.active and _TOGGLES_ARE_CHEAP:
            sys.setprofile(None)

    def resume(self):
        if self.active and _TOGGLES_ARE_CHEAP:
            sys.setprofile(self.listen)

    def listen(self, frame, event, value):
        if event == "call" and frame.f_back is self.engine_frame:
            self._called(frame)
        elif event == "return" and frame in self.running:
            self._returned(frame, value)

    def _called(self, frame):
        ours = frame.f_code in self.own_code or _home(frame) == "torch.utils.hooks"
        if ours or self.steps.notes_now() in (None, self.steps.current):
            return  # a spy, a module's hooks, the node's own code, or hooks that spies watch
        given = [grad for grad in _first_arguments(frame) if _may_be_gradient(grad)]
        if given:  # else print, for one, has called the output stream
            self.running[frame] = Call(KINDS["tensor_hook"], tuple(given[:1]))

    def _returned(self, frame, value):
        call = self.running.pop(frame)
        log, notes = self.steps.log, self.steps.notes_now()
        log.epoch += 1
        code = frame.f_code
        stranger = Stranger(code.co_qualname.rsplit("<locals>.", 1)[-1], defined_in(code))
        if _home(frame) == "torch._tensor":  # called by a builtin function, as print does
            stranger, value = Stranger("a builtin function", None), None
        grad = call.given[0] if value is None else value
        call.answered(value)
        self.seen.append((len(log.events), call, grad))
        log.add("tensor_hook", notes, call.before, call.after, hook=stranger, call=call)

    def settle(self, notes, grads):
        """The node has its gradients: they tell which of its outputs each hook was on."""
        log = self.steps.log
        for place, call, grad in self.seen:
            output = next((i for i, other in enumerate(grads) if other is grad), 0)
            tensor = notes.outputs[output] = log.lost_tensor(notes.node, output)
            tensor.hook_ran(call)
            log.events[place] = log.events[place]._replace(target=tensor)
        self.seen.clear()


def _first_arguments(frame):
    """The first two arguments of the call, as the first may be a method's self."""
    names, star, _, values = inspect.getargvalues(frame)
    return [*(values[name] for name in names), *(values[star] if star else ())][:2]


def _may_be_gradient(value):
    return value is None or isinstance(value, torch.Tensor)


def _home(frame):
    return frame.f_globals.get("__name__")
