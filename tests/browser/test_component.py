"""The lab's JavaScript alone: a blank page and a small stand-in for the kernel, no Jupyter."""

import pytest
from front_ends import axe_violations, watch

from course.laboratory.front_end import source
from course.laboratory.widget import SCRIPTS

FAKE = """
window.open_widget = async (script, state) => {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const listeners = [];
  const model = {
    sent: [],
    get: (name) => state[name],
    send: (message) => model.sent.push(structuredClone(message)),
    on: (_, listener) => listeners.push(listener),
    off: (_, listener) => listeners.splice(listeners.indexOf(listener), 1),
    update(shown) {
      state.shown = { ...state.shown, ...shown };
      listeners.forEach((listener) => listener());
    },
    listeners,
  };
  const el = document.body.appendChild(document.createElement("main"));
  window.close_widget = widget.render({ model, el });
  window.model = model;
};
"""
HOOK = {"on": "c", "at": "tensor", "kind": "shift", "by": 2, "only": None, "active": True}
START = {
    "values": {"a": [2.0], "x": [1.0, 2.0]},
    "requires_grad": {"a": True, "x": True},
    "retain": ["c"],
    "hooks": [HOOK, {**HOOK, "kind": "observe", "by": None}],
    "backwards": 1,
    "retain_graph": False,
}
FADING = "getComputedStyle(document.querySelector('.hl-changed'), '::before').animationName"
SPEC = {
    "title": "products",
    "controls": ["values", "requires_grad", "retain_grad", "hooks", "backward"],
    "leaves": [
        {"name": "a", "labels": ["a"], "low": -10, "high": 10, "step": 0.5},
        {"name": "x", "labels": ["x[0]", "x[1]"], "low": -10, "high": 10, "step": 0.5},
    ],
    "switches": ["a", "x"],
    "keep": ["c", "e"],
    "root": "e",
    "targets": [
        {
            "label": "Tensors",
            "options": [{"value": f"tensor|{n}", "text": n} for n in ("a", "x", "c")],
        }
    ],
    "kinds": [
        {"kind": "observe", "label": "only look", "usual": None},
        {"kind": "shift", "label": "add", "usual": 2},
        {"kind": "zero", "label": "set to zero", "usual": None},
    ],
    "start": START,
}
SHOWN = {
    "seq": "",
    "settings": START,
    "picture": '<svg role="img" aria-label="a graph" viewBox="0 0 10 10"></svg>',
    "step": 4,
    "steps": 4,
    "caption": "Step 4 of 4",
    "notes": "",
    "printed": "",
    "table": '<table><tr><th scope="row">a</th><td data-cell="a 1">12</td></tr></table>',
    "warning": "",
    "grads": {"a": "12", "c": "None"},
    "error": "",
}


@pytest.fixture
def page(browser):
    page = browser.new_page()
    watch(page, "about:")
    page.add_script_tag(content=FAKE)
    page.evaluate("document.documentElement.lang = 'en'; document.title = 'component'")
    page.add_style_tag(content=source("style.css"))
    yield page
    assert page.complaints == []
    page.close()


def open_widget(page, state, *names):
    page.evaluate("([script, state]) => open_widget(script, state)", [source(*names), state])


@pytest.fixture
def lab(page):
    state = {"spec": SPEC, "shown": SHOWN, "static_id": "1"}
    open_widget(page, state, *SCRIPTS)
    return page


def sent(page):
    return page.evaluate("model.sent")


def answer(page, **shown):
    """The kernel's answer to the newest request."""
    request = sent(page)[-1]
    shown = {"seq": request["seq"], "settings": request.get("settings", START), **shown}
    page.evaluate("(shown) => model.update(shown)", shown)


def test_while_a_request_is_under_way_only_the_last_position_waits(lab):
    slider = lab.get_by_role("slider", name="a", exact=True)
    slider.focus()
    for _ in range(6):
        slider.press("ArrowRight")
    assert [m["settings"]["values"]["a"] for m in sent(lab)] == [[2.5]]
    answer(lab)
    assert [m["settings"]["values"]["a"] for m in sent(lab)] == [[2.5], [5.0]]
    answer(lab)
    assert len(sent(lab)) == 2
    assert slider.input_value() == "5"


def test_the_code_is_asked_for_by_those_who_open_it_and_then_follows_the_controls(lab):
    copy = lab.get_by_role("button", name="Copy the PyTorch code", include_hidden=True)
    summary = lab.get_by_text("PyTorch code for these settings")
    summary.press("Enter")
    lab.wait_for_function("model.sent.length === 1")
    assert {**sent(lab)[0], "seq": ""} == {"opened": ["code"], "seq": ""}
    assert copy.is_disabled()
    answer(lab, code="import torch\n")
    assert copy.is_enabled()
    code = lab.get_by_label("PyTorch code for these settings")
    assert code.text_content() == "import torch\n"
    summary.press("Enter")  # closed
    summary.press("Enter")  # and opened again: it is there already
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    assert [message.get("opened") for message in sent(lab)] == [["code"], None]
    answer(lab, code="import torch  # 2.5\n")
    assert code.text_content() == "import torch  # 2.5\n"


def test_what_waits_is_one_request_with_the_newest_of_each_part(lab):
    slider = lab.get_by_role("slider", name="a", exact=True)
    slider.press("ArrowRight")
    slider.press("ArrowRight")  # waits
    lab.get_by_text("PyTorch code for these settings").press("Enter")
    lab.get_by_role("slider", name="Step of backward").press("ArrowLeft")
    lab.wait_for_timeout(50)
    assert len(sent(lab)) == 1
    answer(lab)
    last = sent(lab)[-1]
    assert (last["settings"]["values"]["a"], last["opened"], last["step"]) == ([3.0], ["code"], 3)


def test_an_answer_to_another_view_leaves_controls_that_stand_right_alone(lab):
    slider = lab.get_by_role("slider", name="hook_1, how much")
    slider.focus()
    lab.evaluate(
        "(shown) => model.update(shown)", {"seq": "another:1", "settings": START, "step": 1}
    )
    assert lab.evaluate("document.activeElement.ariaLabel") == "hook_1, how much"


def test_a_kernel_that_is_gone_is_said_at_once(lab):
    lab.evaluate("() => { model.send = () => { throw new Error('Cannot send'); }; }")
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    assert lab.get_by_text("The kernel has not answered yet.").is_visible()


def test_a_moving_slider_is_no_selection_that_the_page_hears_of(lab):
    lab.evaluate("""() => {
      window.heard = 0;
      document.addEventListener("selectionchange", () => { window.heard += 1; });
    }""")
    slider = lab.get_by_role("slider", name="a", exact=True)
    slider.focus()
    lab.wait_for_timeout(50)
    before = lab.evaluate("window.heard")
    slider.press("ArrowRight")
    lab.wait_for_timeout(50)
    assert lab.evaluate("window.heard") == before
    lab.get_by_role("spinbutton", name="a, as a number").press("ControlOrMeta+a")
    lab.wait_for_function("(before) => window.heard > before", arg=before)


def test_new_numbers_are_put_in_the_cells_that_are_there(lab):
    lab.evaluate("window.cell = document.querySelector('[data-cell]')")
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    answer(lab, table=SHOWN["table"].replace("12", "15"))
    assert lab.evaluate("[cell.isConnected, cell.textContent]") == [True, "15"]


def test_an_answer_to_another_view_does_not_end_the_waiting(lab):
    slider = lab.get_by_role("slider", name="a", exact=True)
    slider.press("ArrowRight")
    slider.press("ArrowRight")
    lab.evaluate("(shown) => model.update(shown)", {"seq": "another:1", "settings": START})
    assert len(sent(lab)) == 1
    assert slider.input_value() == "3"


def test_a_view_follows_what_another_view_changed(lab):
    moved = {**START, "values": {"a": [7.0], "x": [1.0, 2.0]}, "hooks": []}
    lab.evaluate("(shown) => model.update(shown)", {"seq": "another:1", "settings": moved})
    assert lab.get_by_role("slider", name="a", exact=True).input_value() == "7"
    assert lab.get_by_text("No hook yet.").is_visible()


def test_every_control_has_a_name_and_axe_finds_nothing(lab):
    unnamed = lab.eval_on_selector_all(
        "input, select, button",
        "all => all.filter(e => !e.ariaLabel && !e.closest('label')).map(e => e.outerHTML)",
    )
    assert unnamed == []
    assert axe_violations(lab, ".hl-lab") == []


def test_every_control_keeps_its_keys_from_the_notebook(lab):
    shared = lab.eval_on_selector_all(
        "input, select, button, summary",
        "all => all.filter(e => e.dataset.lmSuppressShortcuts !== 'true').map(e => e.outerHTML)",
    )
    assert shared == []


def test_slider_and_number_field_show_one_number(lab):
    lab.get_by_role("spinbutton", name="x[1], as a number").fill("-3.5")
    assert lab.get_by_role("slider", name="x[1]").input_value() == "-3.5"
    assert sent(lab)[-1]["settings"]["values"] == {"a": [2.0], "x": [1.0, -3.5]}


def test_a_long_tensor_has_one_slider_and_a_choice_of_its_element(page):
    labels = [f"x[{i}]" for i in range(6)]
    leaf = {"name": "x", "labels": labels, "low": -10, "high": 10, "step": 0.5}
    start = {**START, "values": {"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}}
    state = {"spec": {**SPEC, "leaves": [leaf]}, "shown": {**SHOWN, "settings": start}}
    open_widget(page, {**state, "static_id": "1"}, *SCRIPTS)
    slider = page.get_by_role("slider", name="the chosen element of x")
    page.get_by_role("combobox", name="which element of x").select_option("x[4]")
    assert slider.input_value() == "4"
    slider.press("ArrowRight")
    assert sent(page)[-1]["settings"]["values"] == {"x": [0, 1, 2, 3, 4.5, 5]}


def test_the_picture_that_stands_for_the_lab_is_hidden(page):
    page.evaluate("document.body.innerHTML = '<p class=hl-static data-for=7>one</p>'")
    open_widget(page, {"spec": SPEC, "shown": SHOWN, "static_id": "7"}, *SCRIPTS)
    assert not page.get_by_text("one").is_visible()


def test_an_author_chooses_which_controls_there_are(page):
    state = {"spec": {**SPEC, "controls": ["values"]}, "shown": SHOWN, "static_id": "1"}
    open_widget(page, state, *SCRIPTS)
    assert page.locator("legend").all_text_contents() == ["Leaves"]


def test_a_half_typed_number_asks_for_nothing(lab):
    lab.get_by_role("spinbutton", name="a, as a number").fill("")
    assert sent(lab) == []


def test_hooks_can_be_moved_switched_off_changed_added_and_removed(lab):
    def asked():
        return [
            (h["on"], h["kind"], h["by"], h["active"]) for h in sent(lab)[-1]["settings"]["hooks"]
        ]

    lab.get_by_role("button", name="Register hook_1 later").click()
    assert asked() == [("c", "observe", None, True), ("c", "shift", 2, True)]
    answer(lab)
    lab.get_by_role("checkbox", name="hook_1 is registered").click()
    assert asked() == [("c", "observe", None, False), ("c", "shift", 2, True)]
    answer(lab)
    lab.get_by_role("combobox", name="hook_2 hangs on").select_option("a")
    answer(lab)
    lab.get_by_role("slider", name="hook_2, how much").press("ArrowLeft")
    assert asked() == [("c", "observe", None, False), ("a", "shift", 1.5, True)]
    answer(lab)
    lab.get_by_role("combobox", name="hook_2 does").select_option("set to zero")
    assert asked()[1] == ("a", "zero", None, True)
    answer(lab)
    lab.get_by_role("button", name="Add a hook").click()
    assert asked()[2] == ("a", "observe", None, True)
    answer(lab)
    lab.get_by_role("button", name="Remove hook_1").click()
    assert asked() == [("a", "zero", None, True), ("a", "observe", None, True)]


def test_the_focus_stays_in_the_row_that_moved(lab):
    lab.get_by_role("button", name="Register hook_1 later").focus()
    lab.keyboard.press("Enter")
    assert lab.evaluate("document.activeElement.ariaLabel") == "hook_2 hangs on"
    lab.get_by_role("button", name="Remove hook_2").press("Enter")
    assert lab.evaluate("document.activeElement.ariaLabel") == "hook_1 hangs on"


def test_switches_and_backward_are_asked_for(lab):
    lab.get_by_role("checkbox", name="a requires_grad").uncheck()
    answer(lab)
    lab.get_by_role("checkbox", name="e.retain_grad()").check()
    answer(lab)
    lab.get_by_role("spinbutton", name="calls of e.backward()").fill("2")
    answer(lab)
    lab.get_by_role("checkbox", name="retain_graph=True on every call but the last").check()
    asked = sent(lab)[-1]["settings"]
    assert asked["requires_grad"] == {"a": False, "x": True}
    assert asked["retain"] == ["c", "e"]
    assert (asked["backwards"], asked["retain_graph"]) == (2, True)
    answer(lab)
    lab.get_by_role("button", name="Reset all controls").click()
    assert sent(lab)[-1]["settings"] == START


def test_the_step_slider_asks_for_a_step_and_its_end_for_the_last(lab):
    steps = lab.get_by_role("slider", name="Step of backward")
    steps.press("Home")
    assert sent(lab)[-1]["step"] == 0
    answer(lab, step=0, caption="Before step 1 of 4")
    assert steps.get_attribute("aria-valuetext") == "0 of 4: Before step 1 of 4"
    steps.press("End")
    assert sent(lab)[-1]["step"] is None


def test_changed_gradients_are_said_once_the_controls_rest(lab):
    status = lab.get_by_role("status")
    lab.clock.install()  # the page's time stands still: a slow machine is no rest
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    answer(lab, grads={"a": "9", "c": "None"})
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    answer(lab, grads={"a": "6", "c": "None"})
    assert status.text_content() == ""
    lab.clock.run_for(2000)
    assert status.text_content() == "a.grad 6"
    assert status.get_attribute("aria-live") == "polite"


def test_an_error_is_shown_and_said(lab):
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    answer(lab, error="RuntimeError", notes='<div class="hl-note hl-error">It raised</div>')
    lab.wait_for_function("document.querySelector('[role=status]').textContent === 'RuntimeError'")
    assert lab.get_by_text("It raised").is_visible()


def test_a_changed_number_is_marked_once_the_controls_rest(lab):
    lab.clock.install(time=0)
    lab.clock.pause_at(1000)  # a slow machine is no rest
    for number in ("8", "9"):
        lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
        row = f'<tr><th scope="row">a</th><td data-cell="a 1">{number}</td></tr>'
        answer(lab, table=f"<table>{row}</table>")
        lab.clock.run_for(100)
        assert "hl-changed" not in (
            lab.get_by_role("cell", name=number).get_attribute("class") or ""
        )
    lab.clock.run_for(100)
    assert "hl-changed" in lab.get_by_role("cell", name="9").get_attribute("class")
    assert lab.evaluate(FADING) == "hl-changed"


def test_what_stays_as_it_was_keeps_its_elements(lab):
    """New HTML is patched in: every answer would else have the whole picture laid out again."""
    texts = [
        '<svg><style>a{}</style><g class="x"><text>1</text><rect/></g></svg>',
        '<svg width="9"><style>a{}</style><g><text class="t">2</text><rect/><path/></g></svg>',
        "<pre>no picture</pre><p>and more</p>",
        "",
        "<svg><style>a{}</style><g><text>3</text></g></svg>",
    ]
    slider = lab.get_by_role("slider", name="a", exact=True)
    kept = "picture.querySelector('svg') === svg && picture.querySelector('rect') === rect"
    for i, text in enumerate(texts):
        slider.press("ArrowRight")
        answer(lab, picture=text)
        assert lab.evaluate("document.querySelector('.hl-picture').innerHTML") == lab.evaluate(
            "(html) => Object.assign(document.createElement('div'), { innerHTML: html }).innerHTML",
            text,
        )
        if i == 0:
            lab.evaluate(
                "window.picture = document.querySelector('.hl-picture');"
                "window.svg = picture.querySelector('svg');"
                "window.rect = picture.querySelector('rect')"
            )
        if i == 1:
            assert lab.evaluate(kept)


def test_with_reduced_motion_nothing_plays_and_nothing_fades(lab):
    play = lab.get_by_role("button", name="Play the steps of backward")
    assert play.is_visible()
    play.click()
    assert lab.get_by_role("button", name="Pause").is_visible()
    lab.emulate_media(reduced_motion="reduce")
    asked = len(sent(lab))
    lab.wait_for_timeout(900)
    assert len(sent(lab)) == asked
    assert lab.get_by_role("button", name="Play the steps of backward").count() == 0
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    answer(lab, table='<table><tr><th scope="row">a</th><td data-cell="a 1">9</td></tr></table>')
    lab.locator(".hl-changed").wait_for(state="attached")
    assert lab.evaluate(FADING) == "none"


def test_a_kernel_that_does_not_answer_is_told(lab):
    lab.get_by_role("slider", name="a", exact=True).press("ArrowRight")
    lab.get_by_text("The kernel has not answered yet.").wait_for(timeout=5000)
    answer(lab)
    assert lab.get_by_text("The kernel has not answered yet.").is_hidden()


def test_a_closed_lab_listens_no_more(lab):
    lab.evaluate("close_widget()")
    assert lab.evaluate("model.listeners.length") == 0


QUESTION = {
    "question": "What is c.grad?",
    "choices": ["12.0", "8.0", "None"],
    "committed": None,
    "right": None,
    "outcome": "",
}


def test_a_prediction_is_committed_with_the_keyboard_alone(page):
    open_widget(page, {"shown": QUESTION, "static_id": "1"}, "controls.js", "predict.js")
    assert page.get_by_role("button", name="Commit to this prediction").is_disabled()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert sent(page) == [{"commit": "None"}]
    page.evaluate("(shown) => model.update(shown)", {"committed": "None"})
    assert page.get_by_role("status").text_content() == "You said None. Now run the next cell."
    assert page.get_by_role("radio", name="None").is_disabled()
    assert page.get_by_role("button").count() == 0
    page.evaluate(
        "(shown) => model.update(shown)", {"outcome": "✓ Right. You said None.", "right": True}
    )
    assert page.get_by_role("status").text_content() == "✓ Right. You said None."
    assert axe_violations(page, ".hl-predict") == []


def test_a_number_is_committed_with_enter(page):
    state = {"shown": {**QUESTION, "choices": None}, "static_id": "1"}
    open_widget(page, state, "controls.js", "predict.js")
    page.get_by_role("spinbutton", name="Your number").fill("10.95")
    page.keyboard.press("Enter")
    assert sent(page) == [{"commit": "10.95"}]
