"""The X-ray's JavaScript on a blank page, answered by the real Python side."""

import pytest
from front_ends import axe_violations
from test_component import page, sent  # noqa: F401  `page` is a fixture

from course import xray
from course.radiology.widget import XRayWidget


@pytest.fixture
def widget():
    return XRayWidget(xray())


@pytest.fixture
def view(page, widget):  # noqa: F811  the fixture, not the import
    state = {"spec": widget.spec, "shown": widget.shown, "static_id": widget.static_id}
    page.evaluate(
        "([script, state]) => open_widget(script, state)",
        [widget._esm, state],
    )
    return page


def answer(view, widget):
    widget.answer(None, sent(view)[-1], None)
    view.evaluate("(shown) => model.update(shown)", widget.shown)


def test_every_control_has_a_name_and_shows_its_state(view):
    group = view.get_by_role("group", name="X-ray of backward hooks")
    assert group.get_by_role("combobox", name="layer").input_value() == "Linear"
    assert group.get_by_role("combobox", name="input shape").input_value() == "[4,10]"
    for name in ("bias", "input.requires_grad", "input is contiguous"):
        assert group.get_by_role("checkbox", name=name, exact=True).is_checked()


def test_another_layer_offers_its_own_shapes_and_is_measured(view, widget):
    view.get_by_role("combobox", name="layer").select_option("Conv2d")
    shape = view.get_by_role("combobox", name="input shape")
    assert shape.locator("option").all_text_contents() == ["(1, 2, 5, 5)", "(2, 5, 5)"]
    answer(view, widget)
    assert sent(view)[-1]["settings"]["shape"] == [1, 2, 5, 5]
    assert view.get_by_text("ConvolutionBackward0").first.is_visible()
    assert "Legacy hook: It ran on ConvolutionBackward0." in view.get_by_role("status").inner_text()


def test_a_switch_works_from_the_keyboard(view, widget):
    view.get_by_role("checkbox", name="bias", exact=True).press("Space")
    answer(view, widget)
    assert sent(view)[-1]["settings"]["bias"] is False
    cells = view.locator('[data-cell^="legacy grad_input"]').all_text_contents()
    assert cells == ["(4, 10)", "gradient of input", "(10, 3)", "gradient of weight, transposed"]


def test_fast_moves_ask_only_for_the_last_position(view, widget):
    box = view.get_by_role("checkbox", name="bias", exact=True)
    for _ in range(5):
        box.press("Space")
    assert len(sent(view)) == 1
    answer(view, widget)
    assert [m["settings"]["bias"] for m in sent(view)] == [False, False]
    answer(view, widget)
    assert len(sent(view)) == 2
    assert not box.is_checked()


def test_both_hooks_stand_beside_each_other_and_fold_when_it_is_narrow(view):
    view.set_viewport_size({"width": 1000, "height": 900})
    legacy, full = (view.locator("section").nth(i).bounding_box() for i in (0, 1))
    assert legacy["y"] == full["y"]
    view.set_viewport_size({"width": 420, "height": 900})
    legacy, full = (view.locator("section").nth(i).bounding_box() for i in (0, 1))
    assert full["y"] >= legacy["y"] + legacy["height"]
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_x_ray_has_no_accessibility_fault(view):
    assert axe_violations(view, "main") == []


def test_a_closed_view_hears_nothing_more(view):
    view.evaluate("close_widget()")
    assert view.evaluate("model.listeners.length") == 0
