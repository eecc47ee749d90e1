"""A limit on the steps of a learner's code that would go on for hours.

    with at_most(20_000):
        answer(x)                  # raises TooManySteps, on any machine at the same step

A step is a line that runs, in any function that is called inside. Code that runs at the same time,
such as a debugger's, is not counted; what traced before traces again afterwards.
"""

import sys
from contextlib import contextmanager


class TooManySteps(BaseException):
    """Not an Exception: an answer that catches every Exception must not catch it."""


@contextmanager
def at_most(steps: int):
    left = steps

    def step(frame, event, argument):
        nonlocal left
        left -= 1
        if left < 0:
            raise TooManySteps
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        yield
    finally:
        sys.settrace(before)
