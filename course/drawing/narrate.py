"""A record in words, in the order in which things fired: for terminals and for screen readers."""

from course.drawing import numerals
from course.drawing.clock import Clock, check_step
from course.drawing.wording import hook_name, outcome
from course.record import Event, Record


def steps(record: Record) -> int:
    """How many steps `picture(record, step)` has after step 0: one for each event."""
    return len(record.events)


def caption(record: Record, step: int) -> str:
    """One line: "Step 2 of 7: hook triple on w: +5 → +15". Step 0 is before anything fired."""
    check_step(record, step)
    if not record.events:
        return "Nothing has fired"
    if step == 0:
        return f"Before step 1 of {steps(record)}: nothing has fired yet"
    words = Teller(record).sentence(record.events[step - 1])
    return f"Step {step} of {steps(record)}: {words}"


def narrate(record: Record, step: int | None = None) -> str:
    """The whole story as text, or what is known of it after `step` events."""
    clock = Clock(record, step)
    wide = max((len(t.name) for t in record.tensors), default=0)
    kinds = [_kind(t) for t in record.tensors]
    column = max(map(len, kinds), default=0)

    lines = [title(record), "", "Forward"]
    for tensor, kind in zip(record.tensors, kinds, strict=True):
        value = "value not kept" if tensor.value is None else numerals.amount(tensor.value)
        shape = numerals.shape(tensor.value)
        of_shape = f" of shape {shape}" if shape else ""
        lines.append(f"  {tensor.name:{wide}}  {kind:{column}}  {value}{of_shape}")
    lines += ["", "What fired, in order", *(f"  {line}" for line in listed(record, step))]
    lines += ["", ".grad afterwards" if clock.over else ".grad at this step"]
    for tensor, text in _grads(record, clock):
        lines.append(f"  {tensor.name:{wide}}  {text}{_why(tensor, text, clock.over)}")
    if clock.problem:
        lines += ["", f"Then it raised {clock.problem}"]
    lines += [line for text in record.warnings for line in ("", f"Warned: {text}")]
    return "\n".join(lines)


def listed(record: Record, step: int | None = None) -> list[str]:
    """What fired until then, one numbered line an event."""
    events = record.events[:step]
    digits, teller = len(str(len(events))), Teller(record)
    several = any(event.backward > 1 for event in events)
    lines, backward = [], 0
    for i, event in enumerate(events, 1):
        if several and event.backward != backward:
            backward = event.backward
            lines.append(f"backward {backward}:")
        lines.append(f"{i:{digits}}. {teller.sentence(event)}")
    return lines or ["nothing yet" if record.events else "nothing"]


def title(record: Record) -> str:
    """ "Backward from y: 5 tensors, 5 nodes, 8 events"."""
    names = {t.id: t.name for t in record.tensors}
    start = ", ".join(names.get(root, root) for root in record.roots) or "nothing"
    counts = (
        _count(len(record.tensors), "tensor"),
        _count(len(record.nodes), "node"),
        _count(len(record.events), "event"),
    )
    return f"Backward from {start}: {', '.join(counts)}"


def description(record: Record, step: int | None = None) -> str:
    """A paragraph to read out in place of the drawing: where we are, every .grad, the error."""
    clock = Clock(record, step)
    parts = [title(record) if step is None else caption(record, step)]
    if record.tensors:
        parts.append(", ".join(f"{t.name}.grad {text}" for t, text in _grads(record, clock)))
    if clock.problem:
        parts.append(f"It raised {clock.problem}")
    return ". ".join(parts)


class Teller:
    """Says in a sentence what an event did; knows a record's names and edges."""

    def __init__(self, record: Record):
        self._tensors, self._outputs, self._edges = {}, {}, {}
        for tensor in record.tensors:
            self._tensors.setdefault(tensor.node, []).append(tensor.name)
            self._tensors.setdefault(tensor.id, []).append(tensor.name)
            self._outputs.setdefault((tensor.node, tensor.output), tensor.name)
        self._nodes = {node.id: node.name for node in record.nodes}
        for edge in record.edges:
            self._edges.setdefault(edge.source, []).append(edge)

    def sentence(self, event: Event) -> str:
        """ "MulBackward0 of y received +1; sent +2 to a, +3 to b"."""
        again = "forward, run again: " if event.phase == "recompute" else ""
        name = event.target.name
        if event.kind == "node":
            made = self._tensors.get(event.target.id)
            maker = f"{name} of {', '.join(made)}" if made else name
            return f"{maker} received {numerals.amounts(event.before, True)}{self._sent(event)}"
        after = numerals.amounts(event.after, True)
        if event.kind == "accumulate":
            leaf = self._tensors.get(event.target.id, [name])[0]
            added = numerals.amounts(event.before, True)
            return f"AccumulateGrad added {added}; {leaf}.grad is now {after}"
        if event.kind == "retain_grad":
            return f"retain_grad kept {name}.grad = {after}"
        return f"{again}{hook_name(event)} on {name}: {outcome(event)}"

    def _sent(self, event):
        sent = []
        for edge in sorted(self._edges.get(event.target.id, ()), key=lambda e: e.slot):
            if edge.slot < len(event.after):
                to = self._outputs.get((edge.target, edge.input), self._nodes[edge.target])
                sent.append(f"{numerals.amount(event.after[edge.slot], True)} to {to}")
        return f"; sent {', '.join(sent)}" if sent else ""


def _grads(record, clock):
    """Each tensor with its .grad as text."""
    writes = {}
    for event in record.events:
        if event.kind in ("accumulate", "retain_grad"):
            writes.setdefault(event.target.id, []).append(event)
    for tensor in record.tensors:
        own = writes.get(tensor.id) or writes.get(tensor.node, [])
        yield tensor, clock.grad(tensor, own)[0]


def _kind(tensor):
    if tensor.is_leaf:
        return "leaf" if tensor.requires_grad else "leaf, requires_grad=False"
    return f"non-leaf by {tensor.grad_fn}"


def _why(tensor, text, over):
    if tensor.retains_grad:
        return " (retained)"
    if text != "None" or not over:
        return ""
    if not tensor.requires_grad:
        return " (requires_grad is False)"
    return " (backward did not reach it)" if tensor.is_leaf else " (non-leaf, not retained)"


def _count(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"
