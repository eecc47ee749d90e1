"""Nothing overlaps: cards, gradients' labels, links and the words on cards."""

import itertools
import re

import made_record
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_record import LESSONS

from course.drawing.cards import board
from course.drawing.collapse import collapse, groups
from course.drawing.face import measure
from course.drawing.layers import layered
from course.drawing.layout import LABEL, arrange
from course.drawing.picture import MOST, picture
from course.drawing.settle import GAP, settle
from course.drawing.svg import ROOM, chip_width
from course.drawing.theme import DARK, LIGHT

GRAPHS = [*LESSONS, "forty", "deep", "modules"]


def points_of(path: str):
    """Points along an SVG path of straight lines and curves, close enough to catch a crossing."""
    numbers = [
        (letter, [float(n) for n in re.findall(r"-?[\d.]+", rest)])
        for letter, rest in re.findall(r"([MLC])([^MLC]*)", path)
    ]
    x, y = 0.0, 0.0
    for letter, n in numbers:
        if letter == "M":
            x, y = n
            continue
        start, ends = (x, y), list(zip(n[::2], n[1::2], strict=True))
        for k in range(41):
            t = k / 40
            way = [start, *ends]
            while len(way) > 1:  # de Casteljau
                way = [
                    (a + (c - a) * t, b + (d - b) * t) for (a, b), (c, d) in itertools.pairwise(way)
                ]
            yield way[0]
        x, y = ends[-1]


def apart(a, b, space=0.0):
    """Whether two boxes (x, y, width, height) have at least so much space between them."""
    return (
        a[0] + a[2] + space <= b[0] + 0.11
        or b[0] + b[2] + space <= a[0] + 0.11
        or a[1] + a[3] + space <= b[1] + 0.11
        or b[1] + b[3] + space <= a[1] + 0.11
    )


def within(point, box):
    x, y, width, height = box
    return x + 1 < point[0] < x + width - 1 and y + 1 < point[1] < y + height - 1


def check(sizes, links, room=ROOM):
    places = arrange(sizes, links, room)
    cards = [
        (x, y, width, height)
        for (x, y), width, (_, height, _) in zip(places.cards, places.widths, sizes, strict=True)
    ]
    labels = [(x, y, w, LABEL) for (x, y), (_, _, w) in zip(places.labels, links, strict=True)]
    for a, b in itertools.combinations(cards, 2):
        assert apart(a, b, 8), f"two cards: {a}, {b}"
    for a, b in itertools.combinations(labels, 2):
        assert apart(a, b), f"two labels: {a}, {b}"
    for a, b in itertools.product(cards, labels):
        assert apart(a, b), f"a card and a label: {a}, {b}"
    for i, path in enumerate(places.paths):
        for point in points_of(path):
            assert not any(within(point, card) for card in cards), f"link {links[i]} at {point}"
            others = labels[:i] + labels[i + 1 :]
            assert not any(within(point, label) for label in others), f"link {links[i]} at {point}"
    for x, y, width, height in cards + labels:
        assert x >= -0.11 and x + width <= places.width + 0.11, "drawn outside of the picture"
        assert y >= -0.11 and y + height <= places.height + 0.11, "drawn outside of the picture"
    return places


def sizes_and_links(record):
    whole = board(record)
    drawn = collapse(record, whole, whole, MOST)
    faces = [measure(card) for card in drawn.cards]
    sizes = tuple((f.width, f.height, f.port) for f in faces)
    return sizes, tuple((k.source, k.target, chip_width(k.text)) for k in drawn.links)


@pytest.mark.parametrize("name", GRAPHS)
def test_no_card_label_or_link_meets_another(name):
    check(*sizes_and_links(getattr(made_record, name)()))


@pytest.mark.parametrize("name", GRAPHS)
def test_a_lesson_graph_fits_a_notebook_cell_without_scrolling(name):
    width = int(re.search(r'width="(\d+)"', picture(getattr(made_record, name)()).svg)[1])
    assert width * 0.75 <= 700


sizes = st.lists(
    st.tuples(st.integers(60, 240), st.integers(22, 160)), min_size=1, max_size=14
).map(lambda boxes: tuple((w, h, 11 if h < 40 else 32) for w, h in boxes))


@st.composite
def graphs(draw):
    boxes = draw(sizes)
    count = len(boxes)
    if count == 1:
        return boxes, ()
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    ends = draw(st.lists(pairs.filter(lambda p: p[0] != p[1]).map(sorted), max_size=2 * count))
    return boxes, tuple((a, b, draw(st.integers(5, 18)) * 8) for a, b in ends)


@settings(max_examples=150, deadline=None)
@given(graphs(), st.sampled_from([0, 700, 10_000]))
def test_nothing_meets_in_any_graph_and_direction(graph, room):
    check(*graph, room)


def test_few_layers_run_sideways_and_many_from_the_top_down():
    assert arrange(*sizes_and_links(made_record.triple()), ROOM).sideways
    assert not arrange(*sizes_and_links(made_record.conv_net()), ROOM).sideways


def test_forward_runs_in_one_direction_only():
    for name in GRAPHS:
        boxes, links = sizes_and_links(getattr(made_record, name)())
        places = arrange(boxes, links, ROOM)
        along = 0 if places.sideways else 1
        for a, b, _ in links:
            assert places.cards[a][along] < places.cards[b][along]


def test_a_link_that_passes_a_layer_has_a_lane_in_it():
    layers = layered(3, ((0, 1), (1, 2), (0, 2)))
    assert layers.routes == ((0, 1), (1, 2), (0, 3, 2))
    assert [sorted(row) for row in layers.rows] == [[0], [1, 3], [2]]


def test_a_leaf_stands_in_the_layer_before_the_operation_that_uses_it():
    layers = layered(5, ((0, 1), (1, 2), (2, 3), (4, 3)))
    assert 4 in layers.rows[2] and 2 in layers.rows[2]


def test_links_in_a_circle_are_refused_in_words():
    with pytest.raises(ValueError, match="lead in a circle"):
        layered(2, ((0, 1), (1, 0)))


def test_cards_settle_at_their_neighbours_and_keep_their_distance():
    layers = layered(3, ((0, 2), (1, 2)))
    a, b, c = settle(layers, [100, 60, 80], [50, 30, 40])
    assert abs(a - b) == 50 + GAP + 30  # as close as they may
    assert min(a, b) < c < max(a, b)


def test_the_groups_of_a_large_graph_lead_in_no_circle_and_are_few():
    for record in (made_record.deep(50), made_record.deep(9)):
        member, names = groups(record, 40)
        place = {node.id: i for i, node in enumerate(record.nodes)}
        ends = {(member[place[e.target]], member[place[e.source]]) for e in record.edges}
        layered(len(names), tuple((a, b) for a, b in ends if a != b))  # raises for a circle
        assert len(names) <= 40 and len(member) == len(record.nodes)


def contrast(a: str, b: str) -> float:
    """As WCAG 2 defines it, of two colours "#rrggbb"."""

    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    high, low = sorted((light(a), light(b)), reverse=True)
    return high / low


@pytest.mark.parametrize(
    "theme, pages",
    [
        (LIGHT, ["#ffffff", "#f7f7f7", "#f3f3f3"]),
        (DARK, ["#111111", "#212121", "#1e1e1e", "#1f1f1f", "#383838"]),
    ],
)
def test_every_text_has_enough_contrast_on_every_ground(theme, pages):
    """pages: JupyterLab's, VS Code's and Colab's grounds, which a card may take over."""
    on_cards = ["ink", "muted", "pos", "neg", "bad", "hook", "leaf"]
    for ground in [theme["card"], *pages]:
        for name in on_cards:
            assert contrast(theme[name], ground) >= 4.5, (name, ground)
    for name in ("ink", "muted", "pos", "neg", "bad"):
        assert contrast(theme[name], theme["tint"]) >= 4.5, name
    for name in ("ink", "muted"):
        assert contrast(theme[name], theme["soft"]) >= 4.5, name
    for name in ("line", "leaf", "bad"):  # lines that carry a shape
        assert contrast(theme[name], theme["card"]) >= 3, name
