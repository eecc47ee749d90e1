"""What is known after so many events: a gradient is blank until the event that computed it."""

from course.drawing import numerals
from course.record import Event, Record, TensorInfo

ENDS = ("node", "accumulate")  # the events with which a node has run


class Clock:
    """Reads a record as it was after `step` events; None means after all, with no step current."""

    def __init__(self, record: Record, step: int | None, brief: bool = False):
        last = len(record.events)
        if step is not None and not 0 <= step <= last:
            raise ValueError(f"step is {step}, but this record has the steps 0 to {last}")
        self.record = record
        self.brief = brief  # say less of each tensor
        self.step = last if step is None else step
        self.over = self.step == last
        self.current = record.events[step - 1] if step else None
        past = record.events[: self.step]
        self._past = {e.seq for e in past}
        self._ran = {e.target.id for e in past if e.kind in ENDS}
        self.turns = {e.seq: i for i, e in enumerate(record.events, 1)}  # of events and of nodes
        for i, event in enumerate(record.events, 1):
            if event.kind in ENDS:
                self.turns.setdefault(event.target.id, i)
        self._begun = any(e.phase == "backward" for e in past)
        self._sources = {}
        for edge in record.edges:
            self._sources.setdefault(edge.target, []).append(edge.source)

    @property
    def problem(self) -> str:
        """The error that ended the run, once we are there; else ""."""
        error = self.record.error if self.over else None
        return f"{error.type}: {error.message}" if error else ""

    def passed(self, event: Event) -> bool:
        return event.seq in self._past

    def knows(self, node: str) -> bool:
        """Whether this node has run."""
        return self.over or node in self._ran

    def at(self, node: str) -> bool:
        """Whether the current step is the run of this node."""
        return (
            self.current is not None
            and self.current.kind in ENDS
            and self.current.target.id == node
        )

    def gradient(self, tensor: TensorInfo) -> tuple[str, str, int]:
        """The gradient that arrived at a tensor, as text and sign, and by how many ways it came.

        Blank until the last of them has brought its part.
        """
        sources = self._sources.get(tensor.node, ())
        whole = self.over or (
            self._begun if not sources else all(source in self._ran for source in sources)
        )
        text = numerals.amount(tensor.arrived, signed=True) if whole else ""
        return text, numerals.mood(tensor.arrived) if whole else "", len(sources)

    def grad(self, tensor: TensorInfo, events: list[Event]) -> tuple[str, str]:
        """.grad at this step, as text and sign: "None", "+3", or "+3 → +6" where it accumulated."""
        now = tensor.grad_before
        if self.over:
            now = tensor.grad_after
        else:
            for event in events:
                if event.kind in ("accumulate", "retain_grad") and self.passed(event):
                    now = event.after[0] if event.after else tensor.grad_after
        text = numerals.amount(now, signed=True)
        if tensor.grad_before is not None and now is not None and now != tensor.grad_before:
            text = f"{numerals.amount(tensor.grad_before, signed=True)} → {text}"
        return text, numerals.mood(now)
