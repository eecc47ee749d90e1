"""Where across the drawing the cards of a layer stand, so that links run as straight as they can.

Each layer in turn wishes to stand where its neighbours are, and gets the places nearest to that in
which nothing overlaps: isotonic regression, which is exact. Source: pool adjacent violators (Ayer
et al., 1955); the sweeps are those of Sugiyama, Tagawa and Toda (1981).
"""

from course.drawing.layers import Layers

GAP = 22  # between the cards of a layer, in pixels
SWEEPS = 10
LEAF, CARD, LANE = 0.05, 1.0, 8.0  # whose wish counts how much


def settle(layers: Layers, sizes: list[float], anchors: list[float]) -> list[float]:
    """The place of each card's and lane's anchor: `anchors[i]` from its side, `sizes[i]` across."""
    used, users = [[] for _ in sizes], [[] for _ in sizes]
    for route in layers.routes:
        for a, b in zip(route, route[1:], strict=False):
            users[a].append(b)
            used[b].append(a)
    lanes = {lane for route in layers.routes for lane in route[1:-1]}
    weights = [
        LANE if i in lanes else LEAF if not used[i] and len(users[i]) == 1 else CARD
        for i in range(len(sizes))
    ]
    offsets = [_offsets(row, sizes, anchors) for row in layers.rows]
    places = [0.0] * len(sizes)
    for row, shift in zip(layers.rows, offsets, strict=True):
        for item, x in zip(row, shift, strict=True):
            places[item] = x
    for sweep in range(SWEEPS):  # the last one goes up, so that a card stands above what uses it
        up = sweep % 2
        for k in range(len(layers.rows))[:: -1 if up else 1]:
            row = layers.rows[k]
            wishes = [_wish(i, users if up else used, places, weights) for i in row]
            _spread(row, wishes, [weights[i] for i in row], offsets[k], places)
    edge = min((x - a for x, a in zip(places, anchors, strict=True)), default=0)
    return [x - edge for x in places]


def _offsets(row, sizes, anchors):
    """How far each is from the first of its layer when they stand as close as they may."""
    result = [0.0] if row else []
    for a, b in zip(row, row[1:], strict=False):
        result.append(result[-1] + sizes[a] - anchors[a] + GAP + anchors[b])
    return result


def _wish(item, neighbours, places, weights):
    near = neighbours[item]
    if not near:
        return places[item]
    return sum(places[i] * weights[i] for i in near) / sum(weights[i] for i in near)


def _spread(row, wishes, weights, offsets, places):
    """The places nearest to the wishes in which each is at least its offset from the one before."""
    blocks = []  # (mean, weight, how many): neighbours that would overlap move as one
    for wish, weight, offset in zip(wishes, weights, offsets, strict=True):
        mean, total, count = wish - offset, weight, 1
        while blocks and blocks[-1][0] > mean:
            m, t, c = blocks.pop()
            mean, total, count = (mean * total + m * t) / (total + t), total + t, count + c
        blocks.append((mean, total, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    for item, mean, offset in zip(row, means, offsets, strict=True):
        places[item] = mean + offset
