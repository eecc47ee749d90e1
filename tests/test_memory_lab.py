"""Lesson 2's lab counts the bytes that a backward leaves behind, and draws them over depth."""

import xml.etree.ElementTree as ElementTree

import pytest

from course.lessons.retain_grad.memory import KEEP, RETAIN_GRAPH, held_after_backward
from course.lessons.retain_grad.memory_chart import chart, legend, size
from course.lessons.retain_grad.memory_lab import DEPTHS, LIMITS, MemoryLab, _widget, memory_lab

LAYER = 100 * 4  # bytes of one layer of 100 float32 numbers


def test_nothing_stays_when_nothing_is_asked_for():
    assert held_after_backward(10, 100).total == 0


def test_a_hook_that_measures_keeps_nothing():
    assert held_after_backward(10, 100, "hook", backwards=3).total == 0


@pytest.mark.parametrize(("keep", "layers"), [("last", 1), ("half", 5), ("all", 10)])
def test_retain_grad_keeps_a_gradient_and_the_value_of_each_such_layer(keep, layers):
    held = held_after_backward(10, 100, keep)
    assert (held.gradients, held.values, held.graph) == (layers * LAYER, layers * LAYER, 0)


def test_a_retained_gradient_takes_no_more_room_after_several_backwards():
    assert held_after_backward(10, 100, "all", backwards=3).gradients == 10 * LAYER


def test_a_list_keeps_a_gradient_of_every_layer_in_every_backward():
    assert held_after_backward(10, 100, "list", backwards=3).gradients == 30 * LAYER


def test_the_graph_holds_its_saved_tensors_only_when_the_last_call_retains_it():
    held = {when: held_after_backward(10, 100, "nothing", 2, when) for when in RETAIN_GRAPH}
    assert [held[when].graph for when in ("but the last", "always")] == [0, 10 * LAYER]


def test_saved_tensors_that_have_a_name_are_counted_once():
    held = held_after_backward(10, 100, "half", 1, "always")
    assert (held.values, held.graph) == (5 * LAYER, 5 * LAYER)


def test_a_second_backward_without_retain_graph_gives_the_error_of_pytorch():
    assert (
        "backward through the graph a second time"
        in held_after_backward(3, 100, backwards=2, retain_graph="never").error
    )
    assert held_after_backward(3, 100, backwards=2).error == ""


def test_bytes_grow_in_proportion_to_depth_and_width():
    one = held_after_backward(4, 100, "all").total
    assert held_after_backward(12, 100, "all").total == 3 * one
    assert held_after_backward(4, 500, "all").total == 5 * one


@pytest.mark.parametrize("wrong", [{"keep": "some"}, {"retain_graph": "maybe"}])
def test_an_unknown_choice_is_refused_in_one_sentence(wrong):
    with pytest.raises(ValueError, match="keep|known"):
        memory_lab(**wrong)
    with pytest.raises(ValueError, match="Known: 'nothing'"):
        held_after_backward(2, 100, **wrong)


@pytest.mark.parametrize("keep", KEEP)
def test_the_chart_is_well_formed_and_no_bar_leaves_it(keep):
    lab = memory_lab(keep=keep, backwards=3, retain_graph="always")
    html = ElementTree.fromstring(f"<div>{lab.page()['html']}</div>")
    svg = html.find("svg")
    bars = [r for r in svg.iter("rect") if "y" in r.attrib]
    assert all(float(bar.get("y")) >= 12 for bar in bars)
    assert [t.text for t in svg.iter("text")][3:-1] == [str(depth) for depth in DEPTHS]


def test_two_charts_on_one_page_have_patterns_of_their_own():
    first, second = (memory_lab(width=100).page()["html"] for _ in range(2))
    names = [ElementTree.fromstring(f"<div>{html}</div>").find(".//pattern").get("id")
             for html in (first, second)]  # fmt: skip
    assert len(set(names)) == 2


def test_the_text_holds_the_numbers_of_every_bar():
    page = memory_lab(keep="all", width=100).page()
    assert "With 24 layers, 19.2 kB stay after backward: gradients 9.6 kB" in page["words"]
    assert f"{DEPTHS[0]:6}  {2 * LAYER:9}  {2 * LAYER:6}  {0:6}" in page["text"]


def test_the_legend_names_all_three_kinds():
    words = "".join(ElementTree.fromstring(legend("p")).itertext())
    assert words.split() == [
        "gradients",
        "values",
        "of",
        "the",
        "layers",
        "saved",
        "by",
        "the",
        "graph",
    ]


def test_sizes_are_written_in_the_unit_that_fits():
    assert [size(800), size(4000), size(1_600_000)] == ["800 B", "4.0 kB", "1.6 MB"]


def test_an_empty_chart_of_one_depth_is_still_a_picture():
    held = held_after_backward(2, 100)
    ElementTree.fromstring(chart([(2, held)], top=100, pattern="p"))


def test_numbers_outside_of_the_sliders_are_cut_off():
    moved = MemoryLab().moved(width=10**9, backwards=0)
    assert (moved.width, moved.backwards) == (LIMITS["width"][1], LIMITS["backwards"][0])


def test_the_widget_answers_a_move_and_says_what_went_wrong():
    widget = _widget(memory_lab(width=100))
    settings = {"keep": "list", "width": 200, "backwards": 2, "retain_graph": "but the last"}
    widget.answer(None, {"settings": settings, "seq": "1"}, None)
    assert widget.shown["seq"] == "1"
    assert "gradients 38.4 kB" in widget.shown["words"]
    widget.answer(None, {"settings": settings | {"keep": "?"}, "seq": "2"}, None)
    assert widget.shown["seq"] == "2"
    assert widget.shown["error"].startswith("ValueError: '?'")


def test_outside_of_a_notebook_nothing_runs_and_nothing_is_shown(capsys, monkeypatch):
    monkeypatch.setattr(MemoryLab, "rows", lambda self: pytest.fail("it ran"))
    memory_lab()._ipython_display_()
    assert capsys.readouterr().out == ""
