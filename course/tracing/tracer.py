"""One trace from beginning to end: watch, run, write the record, let go of everything."""

import contextlib
import functools
import gc
import threading
import warnings

import torch
from torch.utils.hooks import RemovableHandle

from course.record import Failure, Record
from course.tracing.assemble import assemble
from course.tracing.engine import watch_engine
from course.tracing.forward import Modules, watch_modules, watch_registering
from course.tracing.last import LastTrace, keep
from course.tracing.log import Log
from course.tracing.names import Names, tensors_of, variables_of, variables_of_function

_one_at_a_time = threading.Lock()  # what is watched is torch itself, for all threads
_owner = []  # the thread that holds the lock
_registries = {}  # (file, line) of a call of trace -> which warnings were shown for it


class Tracer:
    def __init__(self, loss, named, names, caller):
        self.loss = loss
        self.names = _names(loss, named, names, caller)
        self.place = caller.f_code.co_filename, caller.f_lineno
        self.log = Log()
        self.modules = Modules(self.names.path_of)
        self.named = {}  # key of a tensor -> its name

    def run(self, options, catch) -> Record:
        """Run it; the record, or the user's error when it is not to be caught."""
        __tracebackhide__ = True
        failure = record = None
        with self._alone():
            first_handle = RemovableHandle.next_id
            try:
                with self._watching():
                    self._run(options)
            except Exception as error:
                events = len(self.log.events)
                failure = Failure(type(error).__name__, str(error), events - 1 if events else None)
                if not catch:
                    raise
            finally:
                gc.disable()  # the small notes go by themselves: it would look at each for nothing
                if not self.log.backwards or any(k not in self.named for k in self.log.tensors):
                    self._adopt_named()  # names that appeared while the function ran
                record, tensors = assemble(self.log, self.modules, self.named, failure)
                handles = first_handle, RemovableHandle.next_id
                known = self.modules.references()
                keep(LastTrace(record, tensors, known, callable(self.loss), handles))
        return record

    def _run(self, options):
        __tracebackhide__ = True
        if isinstance(self.loss, torch.nn.Module):
            raise TypeError(
                "trace got a module. Give it a function that calls the module and returns a loss: "
                "trace(lambda: net(x).sum())."
            )
        if not callable(self.loss):
            self._backward(self.loss, options)
            return
        result = self.loss()
        if isinstance(result, dict):
            self.names.given |= {k: v for k, v in result.items() if isinstance(v, torch.Tensor)}
            result = [v for v in result.values() if isinstance(v, torch.Tensor)][-1:]
        if not self.log.backwards:
            self._backward(result, options)

    def _backward(self, roots, options):
        __tracebackhide__ = True
        roots = [roots] if isinstance(roots, torch.Tensor) else roots
        if not isinstance(roots, (tuple, list)) or not all(
            isinstance(root, torch.Tensor) for root in roots
        ):
            raise TypeError(
                "trace needs a loss: a tensor, several tensors, or a function that returns them "
                f"or runs backward itself; it got {type(roots).__name__}."
            )
        gc.disable()  # none of the user's code runs after this backward
        globals()["__warningregistry__"] = _registries.setdefault(self.place, {})
        gradient = options.pop("gradient")
        if len(roots) == 1:
            roots[0].backward(gradient, **options)
        else:
            torch.autograd.backward(roots, gradient, **options)

    @contextlib.contextmanager
    def _alone(self):
        """No other trace until the end of this one; the collector as it was, and nothing held."""
        __tracebackhide__ = True
        if self.log.thread in _owner:
            raise RuntimeError("trace is running already: a trace inside a trace is not possible.")
        with _one_at_a_time:
            _owner.append(self.log.thread)
            collects = gc.isenabled()
            try:
                yield
            finally:
                _owner.clear()
                self.log.close()
                self.loss = self.names = self.modules = None
                if collects:
                    gc.enable()

    @contextlib.contextmanager
    def _watching(self):
        __tracebackhide__ = True
        with (
            watch_modules(self.log, self.modules),
            watch_registering(self.log),
            watch_engine(self.log, self._adopt_named),
            self._watch_warnings(),
        ):
            yield

    @contextlib.contextmanager
    def _watch_warnings(self):
        plain = warnings.showwarning

        def showwarning(message, category, filename, lineno, file=None, line=None):
            if filename == __file__:  # torch wanted to point at who called backward
                filename, lineno = self.place
            self.log.warnings.append(f"{category.__name__}: {message}")
            plain(message, category, filename, lineno, file, line)

        warnings.showwarning = showwarning
        try:
            yield
        finally:
            if warnings.showwarning is showwarning:
                warnings.showwarning = plain

    def _adopt_named(self):
        """Notes for the tensors with names that are in the graph, or that were given to trace."""
        self._adopt_all(self.names.tensors_given())
        tensors, parameters, modules = self.names.variables()
        self._adopt_all(tensors, only_in_graph=True)
        self._adopt_from(self.names.modules)
        if any(key not in self.named for key in self.log.tensors):
            self._adopt_from(modules)
            self._adopt_all(parameters, only_in_graph=True)

    def _adopt_from(self, modules):
        for prefix, module in modules:
            for name, tensor, owner in tensors_of(module, prefix):
                if self._is_in_graph(tensor):
                    notes = self.log.tensors.get(id(tensor)) or self.log.tensor(tensor)
                    if self.named.setdefault(notes.key, name) == name:
                        notes.module = owner

    def _adopt_all(self, names, only_in_graph=False):
        for name, tensor in names.items():
            if only_in_graph and not self._is_in_graph(tensor):
                continue
            try:
                key = self.log.tensor(tensor).key
            except RuntimeError:  # a view that an in-place operation has spoilt has no grad_fn
                continue
            self.named.setdefault(key, name)

    def _is_in_graph(self, tensor):
        if not tensor.requires_grad or tensor.is_inference():
            return False
        if tensor._is_view() and tensor._version:
            return False  # asking a view that was changed for its grad_fn would make a new one
        node = tensor.grad_fn
        return id(tensor) in self.log.tensors if node is None else id(node) in self.log.nodes


def _names(loss, named, names, caller):
    """Where names come from, the most explicit first."""
    dicts, modules = [], []
    for item in named:
        if isinstance(item, torch.nn.Module):
            modules.append(("", item))
        elif isinstance(item, dict):
            dicts.append(item)
        else:
            raise TypeError(
                "after the loss, trace takes modules and dicts of named tensors; "
                f"it got {type(item).__name__}. Give a tensor by its name: trace(loss, w=w)."
            )
    for name, value in [pair for some in (*dicts, names) for pair in some.items()]:
        if isinstance(value, torch.nn.Module):
            modules.append((name, value))
        elif not isinstance(value, torch.Tensor):
            raise TypeError(
                f"{name} is {type(value).__name__}: only tensors and modules have names."
            )
    places = [functools.partial(variables_of, caller)]
    if callable(loss):
        places.insert(0, functools.partial(variables_of_function, loss))
    given = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    return Names(given, dicts, modules, places)
