"""What is known after so many events: a gradient is blank until the event that computed it."""

from course.drawing import numerals
from course.record import Event, Record, TensorInfo

ENDS = ("node", "accumulate")  # the events with which a node has run


def check_step(record: Record, step: int | None) -> None:
    """Raises ValueError for a step that the record does not have."""
    if step is not None and not 0 <= step <= len(record.events):
        last = len(record.events)
        raise ValueError(f"step is {step}, but this record has the steps 0 to {last}")


class Clock:
    """Reads a record as it was after `step` events; None means after all, with no step current."""

    def __init__(self, record: Record, step: int | None, brief: bool = False):
        check_step(record, step)
        last = len(record.events)
        self.record = record
        self.brief = brief  # say less of each tensor
        self.step = last if step is None else step
        self.over = self.step == last
        self.current = record.events[step - 1] if step else None
        past = record.events[: self.step]
        self._past = {e.seq for e in past}
        self._node: dict[str | None, str | None] = {t.id: t.node for t in record.tensors}
        self._ran = {self._runs(e) for e in past if e.kind in ENDS}
        # of events and of nodes
        self.turns: dict[int | str | None, int] = {}
        for i, event in enumerate(record.events, 1):
            self.turns[event.seq] = i
        for i, event in enumerate(record.events, 1):
            if event.kind in ENDS:
                self.turns.setdefault(self._runs(event), i)
        self._begun = any(e.phase == "backward" for e in past)
        self._sources = {}
        for edge in record.edges:
            self._sources.setdefault((edge.target, edge.input), []).append(edge.source)

    @property
    def problem(self) -> str:
        """The error that ended the run, once we are there; else ""."""
        error = self.record.error if self.over else None
        return f"{error.type}: {error.message}" if error else ""

    def failed_after(self, event: Event) -> bool:
        """Whether the error came right after this event: PyTorch refused what a hook returned."""
        error = self.record.error
        return error is not None and error.event == event.seq and not event.error

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
            and self._runs(self.current) == node
        )

    def _runs(self, event: Event) -> str | None:
        """The node that ran; AccumulateGrad's event is on the leaf it writes to."""
        return self._node.get(event.target.id, event.target.id)

    def gradient(self, tensor: TensorInfo) -> tuple[str, str, int]:
        """The gradient that arrived at a tensor, as text and sign, and by how many ways it came.

        Blank until the last of them has brought its part.
        """
        sources = self._sources.get((tensor.node, tensor.output), ())
        whole = self.over or (
            self._begun if not sources else all(source in self._ran for source in sources)
        )
        text = numerals.amount(tensor.arrived, signed=True) if whole else ""
        return text, numerals.sign(text), len(sources)

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
        sign = numerals.sign(text)
        if tensor.grad_before is not None and now is not None and now != tensor.grad_before:
            text = f"{numerals.amount(tensor.grad_before, signed=True)} → {text}"
        return text, sign
