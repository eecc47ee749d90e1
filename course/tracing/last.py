"""The last trace, for questions about it: its record, and which objects its ids stand for.

Objects are held weakly: asking later about a tensor must not have kept it alive.
"""

from dataclasses import dataclass

from course.record import Record


@dataclass(slots=True)
class LastTrace:
    """What `why_none` and `why_not_called` look up."""

    record: Record
    tensors: list  # (weak reference, id in the record)
    modules: list  # (weak reference, path)
    saw_forward: bool  # False: it was given a loss, whose graph was there already
    handles: tuple[int, int]  # the next handle's .id when the trace began, and when it had ended

    def id_of(self, tensor) -> str | None:
        """The tensor's id in the record."""
        return next((name for ref, name in self.tensors if ref() is tensor), None)

    def path_of(self, module) -> str | None:
        """The path of a module that the trace knows."""
        return next((path for ref, path in self.modules if ref() is module), None)


_kept: list[LastTrace] = []


def keep(trace: LastTrace):
    _kept[:] = [trace]


def last() -> LastTrace | None:
    """The last trace of this process, also when it ended in an error."""
    return _kept[0] if _kept else None
