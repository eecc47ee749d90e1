"""Watching torch's engine run a backward.

torch has a seam for this: when its logger is set to DEBUG, `torch.autograd.graph` calls
`_register_logging_hooks_on_whole_graph(roots)` before the engine starts, and what that returned
after the engine has stopped, also when it raised. `watch_engine` puts itself there, so it sees
every backward, whoever starts it (a training step, a checkpoint inside another backward,
autograd.grad), and adds no frame to the stack.
"""

import contextlib
import logging
import sys

import torch

from course.tracing.run import Run

_graph = torch.autograd.graph


@contextlib.contextmanager
def watch_engine(log, known_tensors):
    """Log each backward of this thread; `known_tensors()` are notes on tensors with names."""
    plain_start, plain_logger = _graph._register_logging_hooks_on_whole_graph, _graph.log

    def start(roots):
        stop_torch = _nothing
        if plain_logger.getEffectiveLevel() <= logging.DEBUG:
            stop_torch = plain_start(roots)
        stop = _nothing
        if log.listens:
            run = Run(log, roots, sys._getframe(1))
            stop = run.stop
            try:
                run.start(known_tensors)
            except BaseException:
                stop()
                raise

        def stop_both():
            stop()
            stop_torch()

        return stop_both

    _graph._register_logging_hooks_on_whole_graph, _graph.log = start, _Loud(plain_logger)
    try:
        yield
    finally:
        _graph._register_logging_hooks_on_whole_graph = plain_start
        _graph.log = plain_logger


class _Loud:
    """torch.autograd.graph's own logger, but for the level."""

    def __init__(self, logger):
        self._logger = logger

    def getEffectiveLevel(self):
        return logging.DEBUG

    def __getattr__(self, name):
        return getattr(self._logger, name)


def _nothing():
    pass
