"""What a picture shows, as plain data: cards (a tensor with its node) and links between them.

`board(record, step)` decides what is on each card and what is still blank after `step` events. A
node and the tensor it made share one card; a node whose tensor nobody named has a card of its own.
Rows stand in the order in which things happened. Nothing here has a size or a colour.

Named tuples, as a record's parts are: a slider makes many of them at every step.
"""

from typing import NamedTuple

from course.drawing import numerals
from course.drawing.clock import Clock
from course.drawing.places import spots
from course.drawing.wording import hook_name, outcome
from course.record import Record

HOOK_ROWS = ("saw", "changed", "raised", "waiting")  # waiting: has not fired yet
MOST_HOOKS = 8  # hook rows on one card; the others are counted in words
FULL = 10  # cards; with more of them each tells less: no value and no gradient of its own


class Row(NamedTuple):
    kind: str  # "name", "value", "gradient", "grad", "note", and of hooks HOOK_ROWS
    label: str
    text: str = ""  # "": not known yet
    sign: str = ""  # of the last number in text: "+", "-", "nan" or ""
    now: bool = False  # the current step did this
    mark: str = ""  # "leaf" or "non-leaf" beside a name, "retained" beside .grad
    turn: int = 0  # when it fires: its number among the record's events


class Card(NamedTuple):
    id: str
    shape: str  # "leaf", "tensor", "operation", "group" or "outside" (of the graph)
    operation: str  # "MulBackward0"; "" outside the graph
    rows: tuple[Row, ...]
    now: bool = False  # the current step ran this node
    asleep: bool = False  # backward did not reach it
    turn: int = 0  # when it ran, or will: its number among the record's events
    ran: bool = True  # it has run by the current step


class Link(NamedTuple):
    """Drawn as forward went: from a tensor's card to that of the operation that used it."""

    source: int  # index of a card
    target: int
    text: str  # the gradient that came back; "": not known yet
    sign: str = ""
    now: bool = False
    asleep: bool = False  # no gradient ever came this way


class Board(NamedTuple):
    cards: tuple[Card, ...]
    links: tuple[Link, ...]
    outside: tuple[Card, ...]  # tensors and modules that are not in the graph
    problem: str  # the error that ended the run, or ""


def board(record: Record, step: int | None = None) -> Board:
    """`board(record)` is the whole story, `board(record, 3)` what the first 3 events told."""
    clock = Clock(record, step, brief=len(record.nodes) > FULL)
    events = {}
    for event, spot in zip(record.events, spots(record), strict=True):
        events.setdefault(spot or event.target, []).append(event)
    tensors = {}
    for tensor in record.tensors:
        tensors.setdefault(tensor.node, []).append(tensor)

    cards = tuple(_node_card(n, tensors.get(n.id, ()), events, clock) for n in record.nodes)
    outside = [
        Card(t.id, "outside", "", tuple(_tensor_rows(t, events.get(t.id, ()), clock)))
        for t in tensors.get(None, ())
    ]
    for target, calls in events.items():
        if not isinstance(target, str):  # a spot is an id; what has none is under its Target
            rows = [Row("name", target.name, mark=target.kind), *_hook_rows(calls, clock)]
            outside.append(Card(target.name, "outside", "", tuple(rows)))
    return Board(cards, tuple(_links(record, clock)), tuple(outside), clock.problem)


def _node_card(node, tensors, events, clock):
    own = events.get(node.id, ())
    rows = []
    if len(tensors) == 1:  # the usual case: the node's hooks and the tensor's, in one order
        both = sorted([*own, *events.get(tensors[0].id, ())], key=lambda e: e.seq)
        rows = _tensor_rows(tensors[0], both, clock)
    else:
        for tensor in tensors:
            rows += _tensor_rows(tensor, events.get(tensor.id, ()), clock)
        rows += _hook_rows(own, clock)
    shape = "operation"
    if tensors:
        shape = "leaf" if tensors[0].is_leaf else "tensor"
    asleep = not node.ran and not any(t.arrived for t in tensors)
    turn = clock.turns.get(node.id, 0)
    now, ran = clock.at(node.id), node.ran and clock.knows(node.id)
    return Card(node.id, shape, node.name, tuple(rows), now, asleep, turn, ran)


def _tensor_rows(tensor, events, clock):
    shape = numerals.shape(tensor.value or tensor.arrived or tensor.grad_after)
    if clock.brief and not shape and tensor.value is not None:
        shape = f"= {numerals.amount(tensor.value)}"
    elif clock.brief and tensor.is_leaf:
        shape = ""  # many parameters stand side by side
    rows = [Row("name", tensor.name, shape, mark="leaf" if tensor.is_leaf else "non-leaf")]
    rows += _hook_rows([e for e in events if e.phase == "forward"], clock)
    if tensor.value is not None and not clock.brief:
        rows.append(Row("value", "value", numerals.amount(tensor.value)))
    if not tensor.requires_grad:
        return [*rows, Row("note", "requires_grad", "False")]
    if tensor.node is not None and not clock.brief:
        text, sign, ways = clock.gradient(tensor)
        rows.append(Row("gradient", "gradient, sum" if ways > 1 else "gradient", text, sign))
    later = [e for e in events if e.phase != "forward"]
    writes = [i for i, e in enumerate(later) if e.kind in ("accumulate", "retain_grad")]
    cut = writes[-1] if writes else len(later)
    text, sign = clock.grad(tensor, later)
    now = bool(writes) and any(clock.current is later[i] for i in writes)
    grad = Row("grad", ".grad", text, sign, now, "retained" if tensor.retains_grad else "")
    return [*rows, *_hook_rows(later[:cut], clock), grad, *_hook_rows(later[cut:], clock)]


def _hook_rows(events, clock):
    calls = [e for e in events if e.kind not in ("node", "accumulate", "retain_grad")]
    rows = []
    for event in calls[:MOST_HOOKS]:
        kind = "raised" if event.error else "changed" if event.changed or event.in_place else "saw"
        turn, name = clock.turns[event.seq], hook_name(event)
        if clock.passed(event):
            text = outcome(event)
            sign = numerals.sign(text.rpartition(" → ")[2].removeprefix("saw "))
            rows.append(Row(kind, name, text, sign, clock.current is event, turn=turn))
        else:
            rows.append(Row("waiting", name, turn=turn))
        if clock.failed_after(event):
            error = ("then raised", clock.record.error.type) if clock.over else ("", "")
            rows.append(Row("raised" if clock.over else "note", *error))
    if calls[MOST_HOOKS:]:
        rows.append(Row("note", "", f"and {len(calls) - MOST_HOOKS} more hook calls"))
    return rows


def _links(record, clock):
    place = {node.id: i for i, node in enumerate(record.nodes)}
    ran = {node.id for node in record.nodes if node.ran}
    for edge in record.edges:
        source, target = place[edge.target], place[edge.source]
        if edge.source not in ran:
            yield Link(source, target, "", asleep=True)
        elif clock.knows(edge.source):
            text = numerals.amount(edge.gradient, signed=True)
            now = clock.at(edge.source)
            yield Link(source, target, text, numerals.sign(text), now)
        else:
            yield Link(source, target, "")
