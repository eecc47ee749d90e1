"""The small labs of lessons 4 and 6 in JupyterLab: real keys, a real kernel, axe in both themes."""

import pytest
from front_ends import axe_violations, run_all, write_notebook
from notebook_page import change_theme, leave

SET_UP = """\
import torch
torch.set_num_threads(1)
from course.lessons.hooks_at_work.cam_lab import cam_lab
from course.lessons.hooks_at_work.clip_lab import clip_lab
from course.lessons.hooks_at_work.pictures import draw, train
from course.lessons.module_hooks.depth_lab import depth_lab
net = train(*draw(64, seed=1, mark=True)[:2])
"""
LABS = ["cam_lab(net)", "clip_lab()", "depth_lab(depth=3)", "clip_lab(threshold=5.5)"]
# lab, role and name of a control, the keys that move it, what is then said or drawn
MOVES = [
    (0, "checkbox", "crosses have the mark", "Space", "On the picture: a cross."),
    (0, "slider", "picture", "ArrowRight", "On the picture: a ring."),
    (0, "slider", "layer (1 to 6)", "ArrowLeft", " at conv3:"),
    (0, "combobox", "what speaks for", "ArrowDown", "Heat for ring"),
    (1, "combobox", "clip", "ArrowUp", "Each tensor, in a hook, threshold"),
    (1, "slider", "threshold", "ArrowLeft", "threshold 4:"),
    (2, "slider", "layers", "ArrowRight", "layer 4"),
    (2, "combobox", "activation", "ArrowUp", "In layer 1 its norm is"),
    (2, "slider", "size of the weights", "ArrowRight", "In layer 1 its norm is"),
    (2, "slider", "hook · 100 on layer", "ArrowRight", "this hook multiplies grad_input"),
]


@pytest.fixture(scope="module")
def opened(visit, jupyter):
    write_notebook(jupyter.folder / "small_labs.ipynb", [SET_UP, *LABS])
    page = visit("lab", "small_labs.ipynb")
    run_all(page)
    page.locator(".hl-lab").nth(len(LABS) - 1).wait_for()
    yield page
    leave(page)


def shown(lab):
    return lab.locator(".hl-shown").inner_html()


@pytest.mark.parametrize(("which", "role", "name", "key", "words"), MOVES, ids=lambda v: str(v))
def test_a_key_moves_a_control_and_another_page_is_shown(opened, which, role, name, key, words):
    lab = opened.locator(".hl-lab").nth(which)
    control = lab.get_by_role(role, name=name, exact=True)
    before = shown(lab)
    control.press(key)
    opened.wait_for_function(
        "([lab, before, words]) => {"
        "  const now = lab.querySelector('.hl-shown');"
        "  return now.innerHTML !== before && new RegExp(words).test(now.textContent); }",
        arg=[lab.element_handle(), before, words],
        timeout=20_000,
    )


def test_the_number_beside_a_slider_of_powers_is_the_one_in_use(opened):
    lab = opened.locator(".hl-lab").nth(3)
    slider = lab.get_by_role("slider", name="threshold", exact=True)
    said = []
    for key in ("", "ArrowRight", "End", "ArrowLeft", "Home"):
        if key:
            slider.press(key)
        number = lab.locator(".hl-count").first.inner_text()
        assert slider.get_attribute("aria-valuetext") == number
        lab.get_by_text(f"threshold {number}:").wait_for()
        said.append(number)
    assert said == ["5.5", "6.3", "100", "79", "0.01"]


def test_every_control_has_a_name(opened):
    """Counted by role alone and with a name: both give each control once."""
    for which, count in enumerate((4, 2, 4)):
        lab = opened.locator(".hl-lab").nth(which)
        names = {(role, name) for at, role, name, *_ in MOVES if at == which}
        assert len(names) == count
        found = [lab.get_by_role(role) for role in ("slider", "combobox", "checkbox")]
        assert sum(control.count() for control in found) == count


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_axe_finds_nothing_serious_in_either_theme(opened, theme):
    change_theme(opened, theme)
    opened.wait_for_timeout(500)  # colours fade
    assert axe_violations(opened, ".jp-Notebook .hl-lab") == []


def test_a_picture_has_a_frame(opened):
    pictures = opened.locator(".hl-lab").nth(0).locator("svg[role=img]")
    widths = pictures.evaluate_all("all => all.map(e => getComputedStyle(e).borderTopWidth)")
    assert widths == ["1px", "1px"]


@pytest.mark.parametrize("width", [700, 1400])
def test_a_lab_fits_its_cell(opened, width):
    opened.set_viewport_size({"width": width, "height": 1000})
    too_wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert opened.locator(".hl-lab").evaluate_all(too_wide) == 0
