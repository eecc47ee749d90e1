"""Layers of a graph: which card is how far from the loss, and in which order cards stand.

igraph orders each layer so that few links cross (Sugiyama's method). A link that passes a layer
takes a place in it as a card does: we put these places ("lanes") in ourselves, because igraph
releases differ in how they report theirs. A card stands as near to the loss as it can, so that a
parameter is beside the operation that uses it.
"""

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Layers:
    rows: tuple[tuple[int, ...], ...]  # cards and lanes of each layer, in order, forward first
    routes: tuple[tuple[int, ...], ...]  # each link as: card, the lanes it takes, card


@lru_cache(maxsize=256)
def layered(cards: int, links: tuple[tuple[int, int], ...]) -> Layers:
    """`layered(3, ((0, 1), (1, 2), (0, 2)))` has three rows, and a lane (number 3) in the middle.

    Links lead from the first to the second card; a cycle raises ValueError.
    """
    import igraph  # here: it takes a second to import, and not every record is drawn

    try:
        order = igraph.Graph(cards, links, directed=True).topological_sorting(mode="in")
    except igraph.InternalError as error:
        raise ValueError("these links lead in a circle, so there is no layout in layers") from error
    above = [0] * cards  # longest way to a card that nothing uses
    users = [[] for _ in range(cards)]
    for a, b in links:
        users[a].append(b)
    for card in order:
        above[card] = max((above[user] + 1 for user in users[card]), default=0)
    deepest = max(above, default=0)
    layer = [deepest - distance for distance in above]

    routes, steps = [], []
    for a, b in links:
        lanes = list(range(len(layer), len(layer) + layer[b] - layer[a] - 1))
        layer += range(layer[a] + 1, layer[b])
        route = (a, *lanes, b)
        routes.append(route)
        steps += zip(route, route[1:], strict=False)
    graph = igraph.Graph(len(layer), steps, directed=True)
    across = (
        [x for x, _ in graph.layout_sugiyama(layers=layer, maxiter=500).coords] if layer else []
    )
    rows = [[] for _ in range(deepest + 1)]
    for item in sorted(range(len(layer)), key=lambda i: (across[i], i)):
        rows[layer[item]].append(item)
    return Layers(tuple(map(tuple, rows)), tuple(routes))
