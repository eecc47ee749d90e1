"""The controls of lesson 2's memory lab: a blank page and a small stand-in for the kernel."""

import pytest
from front_ends import axe_violations, watch
from test_component import FAKE

from course.laboratory.front_end import source
from course.lessons.retain_grad.memory_lab import MemoryLab, _widget, memory_lab


@pytest.fixture
def lab(browser):
    """A page with the lab in it; the real Python side answers through `move`."""
    page = browser.new_page()
    watch(page, "about:")
    page.add_script_tag(content=FAKE)
    page.evaluate("document.documentElement.lang = 'en'; document.title = 'memory lab'")
    page.add_style_tag(content=source("style.css"))
    widget = _widget(memory_lab(keep="all", width=1000))
    state = {"spec": widget.spec, "shown": widget.shown, "static_id": "1"}
    page.evaluate(
        "([script, state]) => open_widget(script, state)",
        [widget._esm, state],
    )
    yield page
    assert page.complaints == []
    page.close()


def settings(page):
    return page.evaluate("model.sent").pop()["settings"]


def answer(page):
    """What the kernel would answer to the newest request."""
    request = page.evaluate("model.sent").pop()
    shown = MemoryLab().moved(**request["settings"]).page() | {"seq": request["seq"]}
    page.evaluate("(shown) => model.update(shown)", shown)


def test_the_chart_and_its_sentence_are_shown_at_once(lab):
    assert lab.locator("svg[role=img]").get_attribute("viewBox")
    assert "192.0 kB stay after backward" in lab.get_by_role("status").text_content()


def test_another_choice_asks_python_and_shows_its_answer(lab):
    lab.get_by_label("To look at the gradients of the layers:").select_option("hook")
    assert settings(lab)["keep"] == "hook"
    answer(lab)
    assert "0 B stay after backward" in lab.get_by_role("status").text_content()


def test_arrow_keys_move_the_sliders(lab):
    slider = lab.get_by_role("slider", name="how many backwards", exact=True)
    slider.press("ArrowRight")
    assert settings(lab) == {
        "keep": "all",
        "width": 1000,
        "backwards": 2,
        "retain_graph": "but the last",
    }


def test_the_error_of_pytorch_is_part_of_what_is_shown(lab):
    lab.get_by_label("retain_graph=True on:").select_option("never")
    answer(lab)
    lab.get_by_role("slider", name="how many backwards", exact=True).press("ArrowRight")
    answer(lab)
    assert lab.get_by_text("It raised RuntimeError").is_visible()


def test_axe_finds_nothing_serious(lab):
    assert axe_violations(lab, "main") == []


def test_a_closed_lab_listens_no_more(lab):
    lab.evaluate("close_widget()")
    assert lab.evaluate("model.listeners.length") == 0
