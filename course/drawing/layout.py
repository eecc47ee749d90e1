"""Where each card stands and how each link runs, from sizes alone.

`layers.py` says in which layer and order, `settle.py` how far across. A graph of few layers runs
from left to right, a longer one from the top down: "along" is the direction of forward, "across"
the other one, and only `_turned` knows which is which. A gradient's label stands beside the card
the gradient arrives at and counts as part of it, so labels meet neither each other nor a card.
"""

from dataclasses import dataclass
from functools import lru_cache

from course.drawing.layers import layered
from course.drawing.settle import settle

ROUTE, STRAIGHT = 38, 20  # between two layers, where links change lanes and where none does
LABEL = 20  # the height of a label
SPACE = 6  # around a label
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    width: float
    height: float
    sideways: bool  # forward runs from left to right
    widths: tuple[int, ...]  # of each card: those in one column share theirs
    cards: Points  # left top corner of each card
    labels: Points  # left top corner of each link's label
    paths: tuple[str, ...]  # each link as an SVG path that ends at the card it leads to


@lru_cache(maxsize=512)
def arrange(
    cards: tuple[tuple[int, int, int], ...], links: tuple[tuple[int, int, int], ...], room: int
) -> Arrangement:
    """`arrange(((160, 90, 25), (160, 70, 25)), ((0, 1, 40),), 700)`: two cards and a link.

    cards: (width, height, how far below its top a link from the side touches it), in pixels;
    links: (from card, to card, width of its label); room: the width to keep within if that can be.
    Kept, because a slider draws the same structure again and again with other numbers.
    """
    if not cards:
        return Arrangement(0, 0, True, (), (), (), ())
    sideways = _placed(cards, links, True)
    if sideways.width <= room:
        return sideways
    return min(_placed(cards, links, False), sideways, key=lambda a: max(a.width, room))


def _placed(cards, links, sideways):
    layers = layered(len(cards), tuple((a, b) for a, b, _ in links))
    if sideways:
        cards = _columns(cards, layers.rows)
    leaving, coming = [[] for _ in cards], [[] for _ in cards]
    for i, (a, b, _) in enumerate(links):
        leaving[a].append(i)
        coming[b].append(i)
    # Across, a label takes its height from left to right and its width from the top down.
    spans = [LABEL + 4 if sideways else width + SPACE for _, _, width in links]
    along, across, anchors = [], [], []
    for (width, height, port), own in zip(cards, leaving, strict=True):
        labels = sum(spans[i] for i in own)
        if sideways:
            along.append(width + max((links[i][2] + SPACE for i in own), default=0))
            across.append(max(height, port + labels - LABEL / 2))
            anchors.append(port)
        else:
            along.append(height + (LABEL + 4 if own else 0))
            across.append(max(width, labels))
            anchors.append(across[-1] / 2)
    lanes = [0] * (sum(map(len, layers.rows)) - len(cards))  # a line has no width
    along, across, anchors = along + lanes, across + lanes, anchors + lanes

    centre = settle(layers, across, anchors)
    layer = {item: k for k, row in enumerate(layers.rows) for item in row}
    starts, ends = _bands(layers, along, centre, layer)
    first, last = _ports(links, layers, centre, leaving, coming, spans, sideways)
    corners = [
        (centre[i] - (port if sideways else width / 2), starts[layer[i]])
        for i, (width, _, port) in enumerate(cards)
    ]
    labels, paths = [], []
    for i, (a, b, width) in enumerate(links):
        leave = starts[layer[a]] + cards[a][0 if sideways else 1]
        inset = LABEL / 2 if sideways else width / 2
        labels.append((first[i] - inset, leave + (SPACE if sideways else 4)))
        path = [(first[i], leave), (first[i], ends[layer[a]])]
        for lane in layers.routes[i][1:-1]:
            path += [(centre[lane], starts[layer[lane]]), (centre[lane], ends[layer[lane]])]
        paths.append([*path, (last[i], starts[layer[b]] - 1)])
    height = max(c - a + s for c, a, s in zip(centre, anchors, across, strict=True))
    return Arrangement(
        *_turned([(height, ends[-1])], sideways)[0],
        sideways,
        tuple(width for width, _, _ in cards),
        _turned(corners, sideways),
        _turned(labels, sideways),
        tuple(_path(_turned(path, sideways), sideways) for path in paths),
    )


def _turned(points, sideways) -> Points:
    """Points (across, along) as (x, y)."""
    return tuple((along, across) if sideways else (across, along) for across, along in points)


def _columns(cards, rows):
    """The cards with one width in each column; a lone pill keeps its own."""
    cards = list(cards)
    for row in rows:
        boxes = [i for i in row if i < len(cards) and cards[i][1] > 2 * LABEL]
        widest = max((cards[i][0] for i in boxes), default=0)
        for i in boxes:
            cards[i] = (widest, *cards[i][1:])
    return cards


def _bands(layers, along, centre, layer):
    """Where along the drawing each layer starts and ends."""
    bent = {
        layer[a]
        for route in layers.routes
        for a, b in zip(route, route[1:], strict=False)
        if abs(centre[a] - centre[b]) > 12 or len(layers.rows[layer[a]]) > 1
    }
    starts, ends = [0.0], []
    for k, row in enumerate(layers.rows):
        ends.append(starts[-1] + max(along[item] for item in row))
        starts.append(ends[-1] + (ROUTE if k in bent else STRAIGHT))
    return starts, ends


def _ports(links, layers, centre, leaving, coming, spans, sideways):
    """Where across each link leaves its first card, and where it reaches its second."""
    first, last = [0.0] * len(links), [0.0] * len(links)
    for card, (own, incoming) in enumerate(zip(leaving, coming, strict=True)):
        own.sort(key=lambda i: (centre[layers.routes[i][1]], i))
        incoming.sort(key=lambda i: (centre[layers.routes[i][-2]], i))
        if own:  # from the top down the labels are centred, sideways they start at the port
            place = centre[card] - (spans[own[0]] if sideways else sum(spans[i] for i in own)) / 2
        for i in own:
            first[i] = place + spans[i] / 2
            place += spans[i]
        closest, room = (8, 20) if sideways else (16, 80)
        step = min(closest, room / max(1, len(incoming)))
        for k, i in enumerate(incoming):
            last[i] = centre[card] + (k - (len(incoming) - 1) / 2) * step
    return first, last


def _path(points, sideways):
    """Straight through a layer, a curve between two."""
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (u, v) in zip(points[1::2], points[2::2], strict=True):
        a, b = ((x + u) / 2, y), ((x + u) / 2, v)
        if not sideways:
            a, b = (x, (y + v) / 2), (u, (y + v) / 2)
        text += f"L{x:.1f} {y:.1f}C{a[0]:.1f} {a[1]:.1f} {b[0]:.1f} {b[1]:.1f} {u:.1f} {v:.1f}"
    return text
