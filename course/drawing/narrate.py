"""A record in words, in the order in which things fired: for terminals and for screen readers."""

from course.drawing import numerals
from course.drawing.clock import Clock
from course.drawing.wording import hook_name, outcome
from course.record import Event, Record


def steps(record: Record) -> int:
    """How many steps `picture(record, step)` has after step 0: one for each event."""
    return len(record.events)


def caption(record: Record, step: int) -> str:
    """One line: "Step 2 of 7: hook triple on w: +5 → +15". Step 0 is before anything fired."""
    Clock(record, step)  # refuses a step that does not exist
    if step == 0:
        return f"Before step 1 of {steps(record)}: nothing has fired yet"
    words = sentence(record.events[step - 1], record)
    return f"Step {step} of {steps(record)}: {words}"


def narrate(record: Record, step: int | None = None) -> str:
    """The whole story as text, or what is known of it after `step` events."""
    clock = Clock(record, step)
    wide = max((len(t.name) for t in record.tensors), default=0)
    kinds = {t.id: _kind(t) for t in record.tensors}
    column = max(map(len, kinds.values()), default=0)

    lines = [title(record), "", "Forward"]
    for tensor in record.tensors:
        shape = f" of shape {numerals.shape(tensor.value)}" if numerals.shape(tensor.value) else ""
        value = "value not kept" if tensor.value is None else numerals.amount(tensor.value)
        lines.append(f"  {tensor.name:{wide}}  {kinds[tensor.id]:{column}}  {value}{shape}")
    lines += ["", "What fired, in order"]
    past = record.events[: clock.step]
    digits = len(str(len(past)))
    lines += [f"  {i:{digits}}. {sentence(e, record)}" for i, e in enumerate(past, 1)]
    if not past:
        lines.append("  nothing yet")
    lines += ["", ".grad afterwards" if clock.over else ".grad at this step"]
    for tensor in record.tensors:
        text, _ = clock.grad(tensor, [e for e in record.events if e.target.id in _ids(tensor)])
        lines.append(f"  {tensor.name:{wide}}  {text}{_why(tensor, text, clock.over)}")
    if clock.problem:
        lines += ["", f"Then it raised {clock.problem}"]
    lines += [line for text in record.warnings for line in ("", f"Warned: {text}")]
    return "\n".join(lines)


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


def sentence(event: Event, record: Record) -> str:
    """What one event did: "MulBackward0 received +1; sent +2 to a, +3 to b"."""
    again = "forward, run again: " if event.phase == "recompute" else ""
    name = event.target.name
    if event.kind == "node":
        came = numerals.amounts(event.before, True)
        return f"{again}{name}{_maker_of(event, record)} received {came}{_sent(event, record)}"
    if event.kind == "accumulate":
        name = next((t.name for t in record.tensors if event.target.id in _ids(t)), name)
        added, now = numerals.amounts(event.before, True), numerals.amounts(event.after, True)
        return f"AccumulateGrad added {added}; {name}.grad is now {now}"
    if event.kind == "retain_grad":
        return f"retain_grad kept {name}.grad = {numerals.amounts(event.after, True)}"
    return f"{again}{hook_name(event)} on {name}: {outcome(event)}"


def _maker_of(event, record):
    made = [t.name for t in record.tensors if t.node == event.target.id]
    return f" of {', '.join(made)}" if made else ""


def _sent(event, record):
    by_node = {t.node: t.name for t in reversed(record.tensors)}
    nodes = {n.id: n.name for n in record.nodes}
    sent = [
        f"{numerals.amount(event.after[edge.slot], True)} to "
        f"{by_node.get(edge.target, nodes[edge.target])}"
        for edge in sorted(record.edges_from(event.target.id), key=lambda e: e.slot)
        if edge.slot < len(event.after)
    ]
    return f"; sent {', '.join(sent)}" if sent else ""


def _ids(tensor):
    return (tensor.id, tensor.node)


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


def description(record: Record, step: int | None = None) -> str:
    """A paragraph to read out in place of the drawing: where we are, every .grad, the error."""
    clock = Clock(record, step)
    parts = [title(record) if step is None else caption(record, step)]
    grads = [
        f"{t.name}.grad {clock.grad(t, [e for e in record.events if e.target.id in _ids(t)])[0]}"
        for t in record.tensors
    ]
    parts += [", ".join(grads)] if grads else []
    parts += [f"It raised {clock.problem}"] if clock.problem else []
    return ". ".join(parts)
