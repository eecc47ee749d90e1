"""A lab and a prediction in JupyterLab and Notebook 7, with real keys and a real kernel."""

import json
import urllib.request

import nbformat
import pytest
from front_ends import READY, axe_violations, open_notebook, run_all
from playwright.sync_api import expect

PRODUCTS = """\
from course import lab

def products(a, b, d):
    c = a * b
    e = c * d
    return e

lab(products, a=2.0, b=3.0, d=4.0, retain=["c", "e"],
    hooks={"c": ["shift 2", "observe"], "d": "shift 100", "e": "scale 2"})
"""
SLOW = """\
import time
positions = []

def slow(s):
    if not positions or abs(positions[-1] - s.item()) > 0.1:
        positions.append(s.item())
        time.sleep(0.15)
    return s * s

lab(slow, s=0.0, controls="values")
"""
PREDICT = """\
from course import predict
p = predict("What is c.grad?", ["12.0", "8.0", "None"], why="c is not a leaf.")
"""
REVEAL = """\
import torch
a = torch.tensor(2.0, requires_grad=True)
a.mul(3).mul(4).backward()
p.reveal(a.grad)
"""


@pytest.fixture(scope="module")
def opened(browser, jupyter, front_end):
    page = open_notebook(browser, jupyter, front_end, [PRODUCTS, SLOW, PREDICT], name="lab")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("slider", name="s", exact=True).wait_for()
    yield page
    page.context.close()


@pytest.fixture
def page(opened):
    """The lab at its start settings; afterwards nothing has complained."""
    opened.complaints.clear()
    reset(opened)
    yield opened
    assert opened.complaints == []


def reset(page):
    lab(page).get_by_role("button", name="Reset all controls").click()
    shows(page, "a .grad", "30")


def lab(page, title="products"):
    return page.get_by_role("group", name=f"Lab: {title}", exact=True)


def shows(page, cell, text):
    """Wait until a cell of the table shows a text."""
    page.wait_for_function(
        "([where, text]) => document.querySelector(where)?.textContent === text",
        arg=[f".hl-lab [data-cell='{cell}']", text],
    )


def gradients(page):
    names = ("a", "b", "d", "c", "e")
    return [lab(page).locator(f"[data-cell='{name} .grad']").text_content() for name in names]


def focused(page):
    return page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent")


def test_the_first_picture_shows_the_documents_numbers(page):
    assert gradients(page) == ["30", "20", "112", "10", "2"]
    assert lab(page).locator("svg title").first.text_content()


def test_arrow_keys_on_a_slider_run_backward_again(page):
    slider = lab(page).get_by_role("slider", name="a", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    shows(page, "b .grad", "25")
    page.keyboard.press("ArrowRight")
    shows(page, "b .grad", "30")
    assert slider.input_value() == "3"
    assert focused(page) == "a"
    page.keyboard.press("Home")
    shows(page, "b .grad", "−100")


def test_the_lab_is_worked_by_the_keyboard_alone(page):
    lab(page).get_by_role("slider", name="a", exact=True).focus()
    seen = []
    for _ in range(9):
        page.keyboard.press("Tab")
        seen.append(focused(page))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", f"no visible focus on {seen[-1]}"
    assert seen == [
        "a, as a number",
        "b",
        "b, as a number",
        "d",
        "d, as a number",
        "a requires_grad",
        "b requires_grad",
        "d requires_grad",
        "hook_1 is registered",
    ]
    page.keyboard.press("Space")  # hook_1, shift 2, is off
    shows(page, "c .grad", "8")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "hook_1 does"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    shows(page, "c .grad", "10")


def test_how_much_a_hook_changes_is_a_slider_too(page):
    lab(page).get_by_role("slider", name="hook_1, how much").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    shows(page, "c .grad", "11")
    assert gradients(page)[:2] == ["33", "22"]


def test_a_hook_of_another_kind_raises_and_the_lab_lives_on(page):
    kind = lab(page).get_by_role("combobox", name="hook_1 does")
    kind.focus()
    kind.select_option("return a wrong shape")
    lab(page).locator(".hl-error", has_text="has changed the size of value").wait_for()
    kind.select_option("set to zero")
    shows(page, "a .grad", "0")
    assert lab(page).locator(".hl-error").count() == 0


def test_hooks_change_their_order_by_keyboard(page):
    kind = lab(page).get_by_role("combobox", name="hook_2 does")
    kind.select_option("multiply by")
    shows(page, "c .grad", "20")
    lab(page).get_by_role("button", name="Register hook_2 earlier").focus()
    page.keyboard.press("Enter")
    shows(page, "c .grad", "18")


def test_a_second_backward_needs_the_graph(page):
    calls = lab(page).get_by_role("spinbutton", name="calls of e.backward()")
    calls.focus()
    page.keyboard.press("ArrowUp")
    lab(page).locator(".hl-error", has_text="backward through the graph a second time").wait_for()
    lab(page).get_by_role("checkbox", name="retain_graph=True on every call but the last").check()
    shows(page, "a .grad", "60")


def test_the_steps_of_backward_are_scrubbed_by_arrow_keys(page):
    steps = lab(page).get_by_role("slider", name="Step of backward")
    steps.focus()
    page.keyboard.press("Home")
    lab(page).locator(".hl-caption", has_text="Before step 1 of 11").wait_for()
    page.keyboard.press("ArrowRight")
    lab(page).locator(".hl-caption", has_text="hook_4 on e: +1 → +2").wait_for()
    assert steps.get_attribute("aria-valuetext").startswith("1 of 11: Step 1 of 11")
    page.keyboard.press("End")
    lab(page).locator(".hl-caption", has_text="Step 11 of 11").wait_for()


def test_changed_gradients_are_announced_politely(page):
    lab(page).get_by_role("slider", name="a", exact=True).press("ArrowRight")
    status = lab(page).get_by_role("status")
    status.filter(has_text="b.grad 25, d.grad 115").wait_for(state="attached")
    assert status.get_attribute("aria-live") == "polite"


def test_the_code_is_copied(page):
    summary = lab(page).get_by_text("PyTorch code for these settings")
    summary.press("Enter")
    copy = lab(page).get_by_role("button", name="Copy the PyTorch code")
    expect(copy).to_be_enabled()  # the code is made when somebody opens it
    copy.press("Enter")
    lab(page).get_by_role("button", name="Copy").filter(has_text="Copied").wait_for()
    code = page.evaluate("navigator.clipboard.readText()")
    names = {}
    exec(code, names)
    assert [names[n].grad.item() for n in "abdce"] == [30, 20, 112, 10, 2]
    summary.press("Enter")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_axe_finds_nothing_serious_in_either_theme(page, theme):
    page.evaluate(
        "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
    )
    light = "true" if theme == "JupyterLab Light" else "false"
    page.wait_for_function(f"document.body.dataset.jpThemeLight === '{light}'")
    page.wait_for_timeout(300)  # its style sheet
    assert axe_violations(page, ".hl-lab") == []
    assert axe_violations(page, ".hl-predict") == []


@pytest.mark.parametrize("width", [700, 1400])
def test_nothing_is_cut_off_in_a_narrow_or_a_wide_window(page, width):
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_timeout(300)
    cut = page.eval_on_selector_all(
        ".hl-widget, .hl-widget *:not(.hl-live, option)",
        """all => all.filter(e => !e.closest(".hl-picture, .hl-table")  // these two can be scrolled
                      && e.scrollWidth > e.clientWidth + 1 && e.clientWidth
                      && getComputedStyle(e).display !== "inline")
                     .map(e => `${e.outerHTML.slice(0, 60)} ${e.scrollWidth}`)""",
    )
    assert cut == []


def test_fast_dragging_runs_few_positions_and_shows_the_last(page):
    slider = lab(page, "slow").get_by_role("slider", name="s", exact=True)
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowRight")
    shows(page, "s value", "10")
    assert slider.input_value() == "10"
    run_below(page, "print('positions', [round(x, 1) for x in positions])")
    text = page.locator(".jp-OutputArea-output", has_text="positions [").last.text_content()
    positions = json.loads(text.removeprefix("positions "))
    assert positions[-1] == 10.0
    assert len(positions) < 15


def run_below(page, source):
    """Add a cell at the end and run it."""
    page.evaluate(
        """async (source) => {
          const { commands, shell } = window.jupyterapp;
          const notebook = shell.currentWidget.content;
          notebook.activeCellIndex = notebook.widgets.length - 1;
          await commands.execute("notebook:insert-cell-below");
          notebook.activeCell.model.sharedModel.setSource(source);
          await commands.execute("notebook:run-cell");
        }""",
        source,
    )


def test_a_cell_that_runs_again_shows_one_lab_that_lives(page):
    run_all(page)
    shows(page, "a .grad", "30")
    page.wait_for_function("() => document.querySelectorAll('.hl-lab').length === 2")
    lab(page).get_by_role("slider", name="a", exact=True).press("ArrowRight")
    shows(page, "b .grad", "25")


def test_a_prediction_is_committed_before_and_judged_after(page):
    question = page.get_by_role("group", name="What is c.grad?")
    question.get_by_role("radio", name="12.0").focus()
    page.keyboard.press("Space")
    question.get_by_role("button", name="Commit to this prediction").press("Enter")
    question.get_by_text("You said 12.0. Now run the next cell.").wait_for()
    run_below(page, REVEAL)
    outcome = page.locator(".hl-outcome")
    outcome.wait_for()
    assert " ".join(outcome.text_content().split()) == (
        "✓ Right. You said 12.0. PyTorch gave 12.0.c is not a leaf."
    )
    question.get_by_text("✓ Right. You said 12.0.").wait_for()


def test_a_page_that_is_loaded_again_finds_the_controls_where_they_stood(page, front_end):
    lab(page).get_by_role("slider", name="b", exact=True).press("ArrowRight")
    shows(page, "a .grad", "35")
    save(page)
    page.reload()
    page.wait_for_function(READY)
    shows(page, "a .grad", "35")
    assert lab(page).get_by_role("slider", name="b", exact=True).input_value() == "3.5"
    assert not page.locator(".hl-static").first.is_visible()


def save(page):
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")


def test_without_its_kernel_the_picture_stays(page, opened, browser, jupyter, front_end):
    save(page)
    path = f"lab_{front_end}.ipynb"
    saved = nbformat.read(jupyter.folder / path, as_version=4)
    assert "widgets" not in saved.metadata
    sessions = json.load(urllib.request.urlopen(f"{jupyter.url}/api/sessions"))
    number = next(s["id"] for s in sessions if s["path"] == path)
    stop = urllib.request.Request(f"{jupyter.url}/api/sessions/{number}", method="DELETE")
    page.goto("about:blank")
    urllib.request.urlopen(stop).close()
    fresh = browser.new_context().new_page()
    fresh.goto(jupyter.address(front_end, path))
    fresh.wait_for_function(READY, timeout=60_000)
    still = fresh.locator(".hl-static").first
    still.wait_for()
    assert still.locator("svg").first.is_visible()
    assert still.get_by_role("cell", name="112").is_visible()
    fresh.wait_for_timeout(500)
    assert not any(
        e.is_visible() for e in fresh.get_by_text("Error displaying widget").element_handles()
    )
    fresh.context.close()
