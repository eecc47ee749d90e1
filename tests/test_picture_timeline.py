"""The timeline: what fired, in order, one lane for each tensor with its node."""

from xml.etree import ElementTree

import made_record
from made_record import LESSONS

from course.drawing.lanes import lanes
from course.drawing.timeline import timeline

SVG = "{http://www.w3.org/2000/svg}"


def marks(svg):
    """The steps that have a mark, and those that wait for theirs."""
    root = ElementTree.fromstring(svg)
    own = [g for g in root.iter(f"{SVG}g") if g.get("data-step")]
    waiting = [g for g in own if "hb-later" in ElementTree.tostring(g, encoding="unicode")]
    return [int(g.get("data-step")) for g in own], [int(g.get("data-step")) for g in waiting]


def texts(svg):
    return ["".join(t.itertext()) for t in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_lanes_are_in_the_order_in_which_backward_came_by():
    names, lane = lanes(made_record.chain())
    assert names == ["e", "d", "c", "b", "a"]
    assert [names[i] for i in lane] == ["e", "e", "d", "d", "c", "c", "c", "c", "b", "a"]


def test_nodes_of_one_name_without_tensors_have_lanes_of_their_own():
    names, _ = lanes(made_record.conv_net())
    assert "ReluBackward0" in names and "ReluBackward0 (2)" in names


def test_a_module_hook_is_in_the_lane_of_the_node_it_is_shown_on():
    record = made_record.modules()
    names, lane = lanes(record)
    assert names[lane[1]] == "out"  # forward hook on net.fc
    assert names[lane[2]] == "net.norm"  # a module that is not in the graph


def test_a_large_net_has_lanes_for_stretches_of_its_modules():
    names, lane = lanes(made_record.deep(50))
    assert names[0] == "net.98 … loss" and names[-1] == "net.0 … net.6" and len(names) == 15
    assert lane == sorted(lane)


def test_every_event_has_one_mark_that_knows_its_step():
    for make in LESSONS.values():
        record = make()
        every = list(range(1, len(record.events) + 1))
        assert marks(timeline(record).svg) == (every, [])


def test_what_has_not_fired_yet_is_a_dot_and_the_current_step_has_a_cursor():
    record = made_record.triple()
    assert marks(timeline(record, 4).svg) == ([1, 2, 3, 4, 5, 6], [5, 6])
    assert "hb-cursor" in timeline(record, 4).svg.partition("</style>")[2]
    assert "hb-cursor" not in timeline(record, 0).svg.partition("</style>")[2]


def test_the_legend_names_the_marks_that_are_there():
    shown = texts(timeline(made_record.chain()).svg)
    assert [t for t in shown if " " in t] == [
        "hook that changed it",
        "node ran",
        ".grad written",
        "hook that only looked",
        ".grad kept",
    ]
    assert "raised an error" in texts(timeline(made_record.raised()).svg)


def test_forward_and_backward_are_told_apart():
    shown = texts(timeline(made_record.modules()).svg)
    assert "forward" in shown and "backward" in shown


def test_its_text_lists_what_fired_so_far():
    record = made_record.triple()
    assert timeline(record, 0).text == "nothing yet"
    assert timeline(record, 2).text.splitlines() == [
        "1. MulBackward0 of y received +1; sent +2 to a, +3 to b",
        "2. AddBackward0 of b received +3; sent +3 to w",
    ]
