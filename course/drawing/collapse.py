"""A large graph with fewer cards: one for each module, or for a stretch of modules.

Cards of one module become one card; where that is still too much, so do modules that follow each
other. Cards that would form a circle (a module used twice has nodes on both sides of what lies
between) become one as well, so that the drawing still runs from the leaves to the loss.
"""

from course.drawing import numerals
from course.drawing.cards import HOOK_ROWS, Board, Card, Row
from course.record import GraphNode, Record

FEW = 8  # cards, which say too little of a large graph
FEWER = 16  # cards, where a run of modules is cut into stretches
MOST_ROWS = 4  # of a kind, on a card that stands for many nodes


def collapse(record: Record, board: Board, final: Board, most: int) -> Board:
    """A board of at most `most` cards; a smaller one is unchanged.

    `final` is the board after the last step: it decides which rows are shown, at every step.
    """
    if len(board.cards) <= most:
        return board
    member, names = groups(record, most)
    inside = [[] for _ in names]
    for card, group in enumerate(member):
        inside[group].append(card)
    norms = {t.node: t.grad_after.norm for t in record.tensors if t.is_leaf and t.grad_after}
    cards = [
        board.cards[own[0]] if len(own) == 1 else _group(name, own, board.cards, final.cards, norms)
        for name, own in zip(names, inside, strict=True)
    ]
    links = {}
    for link in board.links:
        ends = member[link.source], member[link.target]
        if ends[0] != ends[1]:
            links.setdefault(ends, []).append(link._replace(source=ends[0], target=ends[1]))
    merged = [_merged(same) for same in links.values()]
    return Board(tuple(cards), tuple(merged), board.outside, board.problem)


def groups(record: Record, most: int) -> tuple[list[int], list[str]]:
    """The group of each node, and the groups' names."""
    member, names = _grouped(record, most)
    called = {n.id: n.name for n in record.nodes} | {t.node: t.name for t in record.tensors}
    ends = [(called.get(first, first), called.get(last, last)) for first, last in names]
    return member, [first if first == last else f"{first} … {last}" for first, last in ends]


def _grouped(record, most):
    """As groups(); a group is called by the keys of its first and its last part."""
    deepest = max((n.module.count(".") + 1 for n in record.nodes if n.module), default=0)
    finer = None
    for depth in range(deepest, 0, -1):
        member, names = _without_circles(record, [_key(node, depth) for node in record.nodes])
        if len(names) <= most and (len(names) >= FEW or finer is None):
            return member, names
        if len(names) <= most:
            break  # too few: stretches of the finer modules say more
        finer = member, names
    return _stretches(record, *(finer or _without_circles(record, [n.id for n in record.nodes])))


def _key(node: GraphNode, depth: int) -> str:
    return ".".join(node.module.split(".")[:depth]) if node.module else node.id


def _graph(record, member, size):
    import igraph  # here: it takes a second to import

    place = {node.id: i for i, node in enumerate(record.nodes)}
    ends = [(member[place[e.target]], member[place[e.source]]) for e in record.edges]
    return igraph.Graph(size, [(a, b) for a, b in ends if a != b], directed=True)


def _without_circles(record, keys):
    names = list(dict.fromkeys(keys))
    number = {name: i for i, name in enumerate(names)}
    member = [number[key] for key in keys]
    parts = _graph(record, member, len(names)).connected_components(mode="strong")
    merged = [(names[part[0]], names[part[-1]]) for part in parts]
    return [parts.membership[group] for group in member], merged


def _stretches(record, member, names):
    """Groups that follow each other in forward's order, so many at a time that FEWER remain."""
    order = _graph(record, member, len(names)).topological_sorting()
    size = -(-len(names) // FEWER)
    stretch = {group: i // size for i, group in enumerate(order)}
    parts = [order[i : i + size] for i in range(0, len(order), size)]
    merged = [(names[part[0]][0], names[part[-1]][1]) for part in parts]
    return [stretch[group] for group in member], merged


def _group(name: str, own: list[int], now: tuple, final: tuple, norms: dict) -> Card:
    cards = [now[i] for i in own]
    rows = [Row("name", name, mark=f"{len(cards)} nodes")]
    calls = [
        (end.kind != "changed", row._replace(label=f"{row.label} on {_called(now[i])}"))
        for i in own
        for row, end in zip(now[i].rows, final[i].rows, strict=True)
        if end.kind in HOOK_ROWS
    ]
    calls.sort(key=lambda call: call[0])  # what changed something comes first
    rows += [row for _, row in calls[:MOST_ROWS]]
    if calls[MOST_ROWS:]:
        rows.append(Row("note", "", f"and {len(calls) - MOST_ROWS} more hook calls"))
    leaves = [card for card in cards if card.shape == "leaf"]
    if len(leaves) <= MOST_ROWS:
        for card in leaves:
            leaf = card.rows[0].label.removeprefix(f"{name}.")
            rows += [r._replace(label=f"{leaf}.grad") for r in card.rows if r.kind == "grad"]
    else:
        rows.append(Row("grad", f"{len(leaves)} leaves' .grad", _range(leaves, norms)))
    running, asleep = any(c.now for c in cards), all(c.asleep for c in cards)
    return Card(f"group {name}", "group", "", tuple(rows), running, asleep)


def _called(card):
    return card.rows[0].label if card.rows[0].kind == "name" else card.operation


def _range(leaves, norms):
    """The norms of what is written so far: "norms 0.002 to 0.31"."""
    written = [
        norms[card.id]
        for card in leaves
        if card.id in norms and any(r.kind == "grad" and r.text != "None" for r in card.rows)
    ]
    if not written:
        return "None"
    low, high = numerals.number(min(written)), numerals.number(max(written))
    return f"norm {low}" if low == high else f"norms {low} to {high}"


def _merged(links):
    """One link for all between the same two cards; several gradients are counted, not listed."""
    awake = [link for link in links if not link.asleep]
    text, sign = (awake[0].text, awake[0].sign) if len(awake) == 1 else ("", "")
    if len(awake) > 1 and all(link.text for link in awake):
        text = f"{len(awake)} gradients"
    first = links[0]
    now = any(link.now for link in links)
    return first._replace(text=text, sign=sign, now=now, asleep=not awake)
