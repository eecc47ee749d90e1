"""What PyTorch's errors and warnings about hooks and autograd mean, and what to do.

`MEANINGS` is the table, the more special entries before the more general ones. The sentences stand
only here, so that they can be translated in one place.
"""

from course.meanings import autograd, hooks
from course.meanings.meaning import Meaning

MEANINGS: tuple[Meaning, ...] = (
    *hooks.RETURNED,
    *hooks.REGISTERED,
    *hooks.CALLED,
    *autograd.BACKWARD,
    *autograd.LEAVES,
    *autograd.SPECIAL,
)
