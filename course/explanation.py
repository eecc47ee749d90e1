"""explain: what an error or a warning of PyTorch means for the learner.

>>> try:
...     torch.ones(2, requires_grad=True).backward()
... except RuntimeError as error:
...     print(explain(error))
"""

import re
import sys

from course.meanings import MEANINGS
from course.paragraph import Paragraph


def explain(error=None) -> Paragraph:
    """What happened, why, and what to do, in plain words.

    error: an exception, a warning, its message as text, or a `Record` whose run ended in an
        error. Nothing: the last error that Python showed, or that of the last trace.

    Raises TypeError for anything else, ValueError if there was no error.
    """
    message = _message_of(_last_error() if error is None else error)
    meaning = meaning_of(message)
    if meaning is None:
        return Paragraph(
            f"The message is: {message}\nThis is not one of the messages about hooks and autograd "
            "that this course explains. Read its last line, then the line of your own code that "
            "the traceback names."
        )
    return meaning


def meaning_of(message: str) -> Paragraph | None:
    """The explanation of a message of PyTorch; None for a message that is not known."""
    for meaning in MEANINGS:
        if found := re.search(meaning.pattern, message):
            words = found.groupdict()
            happened = meaning.happened.format(**words)
            return Paragraph(f"{happened}\nWhat to do: {meaning.do}")
    return None


def _message_of(error):
    if isinstance(error, (str, BaseException)):
        return str(error)
    if isinstance(message := getattr(error, "message", None), (str, Warning)):
        return str(message)  # a shown warning, or the error of a record
    if hasattr(error, "error") and hasattr(error, "events"):
        if error.error is None:
            raise ValueError("the run of this record ended without an error.")
        return error.error.message
    raise TypeError(
        "explain takes an error, a warning, the text of a message or a record; "
        f"it got {type(error).__name__}."
    )


def _last_error():
    error = getattr(sys, "last_value", None)  # what Python and IPython have shown last
    if error is None and "course.tracing.last" in sys.modules:
        last = sys.modules["course.tracing.last"].last()
        error = last and last.record.error
    if error is None:
        raise ValueError("there was no error so far: give explain the error or its message.")
    return error
