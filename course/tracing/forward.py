"""Watching a forward: which module was called when, its forward hooks, hooks set on tensors.

torch numbers the autograd nodes of a thread as they are made. So a module made the nodes whose
numbers lie between the number at its call and the number at its return: no hook is needed for
that, only a look at each call of `torch.nn.Module`.
"""

import bisect
import contextlib
import weakref

import torch
from torch.nn.modules import module as torch_module

from course.tracing.spies import Spy
from course.tracing.summary import summarize

_next_number = torch._C._autograd._get_sequence_nr


class Modules:
    """The modules that were called: paths, calls, and the nodes that each made."""

    def __init__(self, path_of):
        self.path_of = path_of  # (module, the path of the module that called it) -> path
        self.paths = {}  # id(module) -> path
        self.kept = []  # the modules, so that their ids stay theirs
        self.calls = {}  # path -> how often
        self.types = {}  # path -> name of its type
        self.stack = []  # paths of the calls that are running
        self.marks = [-1]  # numbers of nodes where another module takes over, growing
        self.makers = [None]  # and its path, None outside of all modules
        self.outputs = {}  # (number of node, output) -> (path, Summary)

    def path(self, module) -> str:
        path = self.paths.get(id(module))
        if path is None:
            path = self.path_of(module, self.stack[-1] if self.stack else None)
            self.paths[id(module)] = path
            self.kept.append(module)
            self.types[path] = type(module).__name__
        return path

    def references(self):
        """Weak references to the modules that are known: [(reference, path)]."""
        return [(weakref.ref(module), self.paths[id(module)]) for module in self.kept]

    def enter(self, path):
        self.calls[path] = self.calls.get(path, 0) + 1
        self.stack.append(path)
        self._mark()

    def leave(self):
        self.stack.pop()
        self._mark()

    def _mark(self):
        self.marks.append(_next_number())
        self.makers.append(self.stack[-1] if self.stack else None)

    def maker_of(self, number: int) -> str | None:
        """The path of the innermost module that was running when this node was made."""
        return self.makers[bisect.bisect_right(self.marks, number) - 1]


@contextlib.contextmanager
def watch_modules(log, modules):
    """Log the forward hooks of every module that is called, and the calls."""
    spies = []
    plain_call = torch.nn.Module._call_impl  # setting __call__ itself would cost a millisecond

    def report(spy, call):
        log.epoch += 1
        log.add(spy.kind, call.module, call.before, call.after, hook=spy, call=call)

    def spy_on(hooks, kind):
        for key, hook in hooks.items():
            if type(hook) is not Spy:
                hooks[key] = spy = Spy(hook, kind, None, key, report)
                spies.append((hooks, key, spy))

    def call(module, *args, **kwargs):
        __tracebackhide__ = True  # IPython and pytest then leave this frame out
        if not log.listens:
            return plain_call(module, *args, **kwargs)
        path = modules.path(module)
        for hooks in (torch_module._global_forward_pre_hooks, module._forward_pre_hooks):
            spy_on(hooks, "forward_pre_hook")
        for hooks in (torch_module._global_forward_hooks, module._forward_hooks):
            spy_on(hooks, "forward_hook")
        modules.enter(path)
        try:
            output = plain_call(module, *args, **kwargs)
        finally:
            modules.leave()
        if isinstance(output, torch.Tensor) and output.grad_fn is not None:
            made = output.grad_fn._sequence_nr(), output.output_nr
            modules.outputs.setdefault(made, (path, summarize(output)))
        return output

    torch.nn.Module._call_impl = call
    try:
        yield
    finally:
        torch.nn.Module._call_impl = plain_call
        for hooks, key, spy in spies:
            spy.report = None
            if hooks.get(key) is spy:
                hooks[key] = spy.hook


@contextlib.contextmanager
def watch_registering(log):
    """Note hooks that are set on tensors meanwhile: the tensor may be gone before backward."""
    plain_register = torch.Tensor.register_hook

    def register_hook(self, hook):
        handle = plain_register(self, hook)
        if log.listens and self.grad_fn is not None:
            log.hooked(self)
        return handle

    torch.Tensor.register_hook = register_hook
    try:
        yield
    finally:
        torch.Tensor.register_hook = plain_register
