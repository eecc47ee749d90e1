"""The start page in JupyterLab: the map without a kernel, with one, its links, both themes."""

import json
import shutil

import pytest
from front_ends import READY, axe_violations
from notebook_page import change_theme, leave, open_path, run_cells

from course.build import ROOT
from course.lessons import LESSONS, find_lesson
from course.progress.places import exercises

LEAVES = find_lesson("leaf_tensors")
START = "home/00_start_here/lesson.ipynb"


@pytest.fixture(scope="module")
def folder(jupyter):
    """The notebooks as a learner has them, below the server's folder."""
    home = jupyter.folder / "home"
    for lesson in LESSONS:
        shutil.copytree(ROOT / "release" / lesson.assignment, home / lesson.assignment)
    return home


@pytest.fixture(scope="module")
def page(visit, folder):
    page = visit("lab", START)
    yield page
    leave(page)


@pytest.fixture
def course_map(page):
    """The map, with a kernel that shows it."""
    if page.get_by_text("▶ Next:").count() == 0:
        run_cells(page, 1, 1)
    output = page.locator(".jp-OutputArea-output").filter(has=page.locator("details")).first
    page.get_by_text("▶ Next:").wait_for()
    return output


def passed(folder, *names):
    now = {name: f"2026-11-01T10:00:{number:02d}+00:00" for number, name in enumerate(names)}
    (folder / ".progress.json").write_text(json.dumps({"passed": {LEAVES.name: now}}))


def opened(page):
    """The path of the notebook in front, once it is there."""
    page.wait_for_function(READY)
    return page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")


def test_without_a_kernel_the_map_is_a_table_with_every_lesson(page):
    table = page.locator(".jp-OutputArea-output table")
    table.wait_for()
    said = table.inner_text()
    for lesson in LESSONS:
        assert lesson.title in said
    assert table.get_by_role("link").count() == len(LESSONS) - 1  # the lists are closed
    assert "passed" not in said
    assert axe_violations(page, ".jp-OutputArea-output table") == []


def test_with_a_kernel_the_map_says_what_is_next(course_map):
    said = course_map.inner_text()
    assert "▶ Next: lesson 1, Leaf and non-leaf tensors" in said
    assert said.count("○ not yet") == len(LESSONS) - 1 + len(exercises(LEAVES))


def test_what_another_notebook_passes_is_shown_by_itself(course_map, folder):
    first, second, third = (place for place in exercises(LEAVES)[:3])
    passed(folder, first.name, second.name)
    course_map.get_by_text(f"lesson 1, exercise {third.title}").wait_for(timeout=20_000)
    assert course_map.get_by_text("◐ begun").count() == 1
    rows = course_map.get_by_role("listitem")
    assert "✓ passed" in rows.filter(has_text=first.title).inner_text()
    assert "○ not yet" in rows.filter(has_text=third.title).inner_text()


def test_the_link_to_what_is_next_opens_the_exercise_in_jupyterlab(page, course_map, folder):
    place = exercises(LEAVES)[5]  # its heading has code and a question mark
    passed(folder, *(one.name for one in exercises(LEAVES)[:5]))
    link = course_map.get_by_role("link", name=place.title.replace("`", "")).first
    course_map.get_by_text("5 of 9", exact=False).first.wait_for(timeout=20_000)
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.path.endsWith('exercises.ipynb')"
    )
    assert opened(page) == "home/01_leaf_tensors/exercises.ipynb"
    page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-Notebook h2')].some(h => {"
        "  const top = h.getBoundingClientRect().top;"
        "  return h.textContent.startsWith('6. Why is') && top > -50 && top < innerHeight / 2; })"
    )
    open_path(page, START)


def test_a_lessons_title_opens_its_notebook(page, course_map):
    course_map.get_by_role("link", name="Tensor hooks", exact=True).click()
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.path.includes('03_tensor_hooks')"
    )
    assert opened(page) == "home/03_tensor_hooks/lesson.ipynb"
    open_path(page, START)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_axe_finds_nothing_serious_in_either_theme(page, course_map, folder, theme):
    passed(folder, *(place.name for place in exercises(LEAVES)[:2]))
    change_theme(page, theme)
    page.get_by_text("◐ begun").wait_for()
    page.wait_for_timeout(500)  # colours fade
    assert axe_violations(page, ".jp-OutputArea-output:has(details)") == []


@pytest.mark.parametrize("width", [700, 1400])
def test_the_map_fits_its_cell(page, course_map, width):
    page.set_viewport_size({"width": width, "height": 1000})
    page.wait_for_timeout(300)
    assert course_map.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
