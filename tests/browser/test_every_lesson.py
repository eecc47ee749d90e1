"""Every lesson and the field guide as a learner works through them in JupyterLab.

A lesson is run from the top, each prediction is made by keyboard before its answer comes, and each
lab is moved. Nothing ends in an error, nothing asks another host. Lesson 3 in Notebook 7 as well.
"""

import re

import pytest
from front_ends import run_all
from notebook_page import cell_node, cells, errors, leave, node, not_run, run_cells, tab_into

from course.build import ROOT
from course.lessons import LESSONS, find_lesson

PLACES = [("lab", lesson) for lesson in LESSONS] + [("notebook", find_lesson("tensor_hooks"))]
IDS = [f"{lesson.name} {front_end}" for front_end, lesson in PLACES]
VIEW = "application/vnd.jupyter.widget-view+json"
NEXT = " Now run the next cell."
SHOWN = "lab.querySelector('.hl-shown, .hl-xray').textContent"
OTHER_NUMBERS = f"""([lab, before]) => {{
  const numbers = (text) => text.match(/\\d+/g).join();
  return numbers({SHOWN}) !== numbers(before);
}}"""
CUT_OFF = """(notebook) => {
  const pen = document.createElement("canvas").getContext("2d");
  const cut = (e) => {
    if (!e.clientWidth || getComputedStyle(e).display === "inline") return false;
    if (e.tagName !== "SELECT") return e.scrollWidth > e.clientWidth + 1;
    pen.font = getComputedStyle(e).font;
    return pen.measureText(e.selectedOptions[0].text).width + 20 > e.clientWidth; // its arrow
  };
  const all = notebook.querySelectorAll(".hl-lab, .hl-lab *:not(.hl-live, option)");
  return [...all].filter(cut).map((e) => e.outerHTML.slice(0, 80));
}"""
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
KEYS = {  # of a control: there and back
    "input[type=range]": ("ArrowRight", "ArrowLeft"),
    "select[aria-label='input shape']": ("ArrowDown", "ArrowUp"),  # of the X-ray
}


def test_these_and_the_exercises_are_all_released_notebooks():
    lessons = {f"{lesson.assignment}/lesson.ipynb" for lesson in LESSONS}
    exercises = {f"{lesson.assignment}/exercises.ipynb" for lesson in LESSONS[1:]}
    release = ROOT / "release"
    released = {path.relative_to(release).as_posix() for path in release.rglob("*.ipynb")}
    assert released == lessons | exercises | {"field_guide.ipynb"}


def test_the_field_guide_runs_from_the_top_without_an_error(visit, released):
    page = visit("lab", f"{released}/field_guide.ipynb")
    run_all(page)
    assert (errors(page), not_run(page)) == ([], [])
    leave(page)


@pytest.fixture(scope="module", params=PLACES, ids=IDS)
def lesson(request, visit, released):
    """A lesson that was run from the top.

    `page.predictions` has what each prediction said when it was made and after the next cells.
    """
    front_end, lesson = request.param
    page = visit(front_end, f"{released}/{lesson.assignment}/lesson.ipynb")
    every = cells(page)
    asked = [i for i, cell in enumerate(every) if re.search(r"= predict\(", cell["source"])]
    first, made = 0, []
    for index in asked:
        run_cells(page, first, index)
        made.append(predict(page, index))
        first = index + 1
    run_cells(page, first, len(every) - 1)
    page.predictions = list(zip(made, [said(page, index) for index in asked], strict=True))
    yield page
    leave(page)


def predict(page, index):
    """Answer a prediction with Tab, arrows, Space and Enter; gives what it says then."""
    cell = cell_node(page, index)
    cell.wait_for_selector(".hl-predict")
    tab_into(page, cell, "input")
    if cell.evaluate("() => document.activeElement.type") == "radio":
        page.keyboard.press("Space")
        page.keyboard.press("ArrowDown")
        tab_into(page, cell, "button")
    else:
        page.keyboard.type("2.5")
    page.keyboard.press("Enter")
    cell.wait_for_selector("[role=status]:has-text('You said')")
    return said(page, index)


def said(page, index):
    return cell_node(page, index).wait_for_selector(".hl-predict [role=status]").inner_text()


def test_a_lesson_runs_from_the_top_without_an_error(lesson):
    assert (errors(lesson), not_run(lesson)) == ([], [])


def test_every_widget_is_there(lesson):
    views = sum(VIEW in o.get("data", {}) for cell in cells(lesson) for o in cell["outputs"])
    assert len(node(lesson).query_selector_all(".hl-widget")) == views > 0
    words = node(lesson).inner_text()
    assert "Error displaying widget" not in words
    assert "model not found" not in words


def test_every_prediction_is_made_by_keyboard_and_then_judged(lesson):
    assert lesson.predictions
    for made, judged in lesson.predictions:
        assert made.startswith("You said ")
        assert made.endswith(NEXT)
        mine = f"{made.removesuffix(NEXT)} PyTorch gave "
        assert judged.startswith((f"✓ Right. {mine}", f"✗ Not this time. {mine}"))


def test_a_key_moves_every_lab_to_other_numbers_and_another_one_back(lesson):
    labs = node(lesson).query_selector_all(".hl-lab")
    assert labs
    for lab in labs:
        cell = lab.evaluate_handle("lab => lab.closest('.jp-Cell')").as_element()
        cell.scroll_into_view_if_needed()
        control = next(selector for selector in KEYS if lab.query_selector(selector))
        tab_into(lesson, cell, control)
        there, back = KEYS[control]
        before = lab.evaluate(f"(lab) => {SHOWN}")
        lesson.keyboard.press(there)
        lesson.wait_for_function(OTHER_NUMBERS, arg=[lab, before])
        lesson.keyboard.press(back)
        lesson.wait_for_function(f"([lab, before]) => {SHOWN} === before", arg=[lab, before])


def test_nothing_of_a_lab_is_cut_off_or_scrolls_sideways(lesson):
    cut = {}
    for width in (700, 1400):
        lesson.set_viewport_size({"width": width, "height": 1000})
        lesson.evaluate(FRAMES)  # what a change of the window brings about
        cut[width] = node(lesson).evaluate(CUT_OFF)
    assert cut == {700: [], 1400: []}
