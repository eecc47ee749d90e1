"""Which lane of the timeline an event is in: one for each tensor with its node, or each module.

Lanes stand in the order in which backward first came by, so that a backward runs like stairs from
the loss down to the leaves.
"""

from course.drawing.collapse import groups
from course.drawing.places import spots
from course.record import Record

MOST = 40  # lanes; beyond that, one for each module


def lanes(record: Record) -> tuple[list[str], list[int]]:
    """The names of the lanes, and for each event the number of its lane."""
    of_node = _names(record)
    if len(set(of_node.values())) > MOST:
        member, names = groups(record, MOST)
        of_node = {node.id: names[g] for node, g in zip(record.nodes, member, strict=True)}
    lane = of_node | {t.id: of_node.get(t.node, t.name) for t in record.tensors}
    wanted = [
        lane.get(spot, event.target.name)
        for event, spot in zip(record.events, spots(record), strict=True)
    ]
    names = list(dict.fromkeys(wanted))
    number = {name: i for i, name in enumerate(names)}
    return names, [number[name] for name in wanted]


def _names(record):
    """A node's lane has its tensors' names; without any, the node's own, numbered if not alone."""
    made = {}
    for tensor in record.tensors:
        made.setdefault(tensor.node, []).append(tensor.name)
    turn = {e.target.id: e.seq for e in reversed(record.events) if e.target.kind == "node"}
    seen, result = {}, {}
    for node in sorted(record.nodes, key=lambda n: turn.get(n.id, len(record.events))):
        name = ", ".join(made.get(node.id, ())) or node.name
        seen[name] = seen.get(name, 0) + 1
        result[node.id] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return result
