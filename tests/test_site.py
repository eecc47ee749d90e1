"""The site: built once; then its pages are read, its links followed, and some are looked at."""

import contextlib
import hashlib
import html
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browser.front_ends import axe_violations

import course
import course.website as website
from course.author_text import BuildError
from course.drawing.theme import DARK, LIGHT
from course.guide import anchor, traps
from course.lessons import LESSONS
from course.progress.places import exercises
from course.published import Published
from course.reasons import COMMON
from course.website import reference
from course.website.addresses import Links, html_links, slug
from course.website.docstrings import rst
from course.website.inspect_links import Page, broken_links
from course.website.notebooks import page_output
from course.website.pages import write_pages
from course.website.played import played

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent
WRITTEN_BY_PEOPLE = ("release", "source", "docs", "course")
PLACE = Published("someone", "hooks", "v1.2")
LOOKED_AT = ("index", "01_leaf_tensors/lesson", "field_guide", "reference", "instructors/index")


def build(folder):
    return subprocess.run(
        [sys.executable, "-m", "course", "site", "--to", folder],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )


def written():
    """What git knows or would take of the folders that the site is made from, as hashes."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *WRITTEN_BY_PEOPLE],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert listed
    return {
        name: hashlib.sha256((REPOSITORY / name).read_bytes()).hexdigest()
        for name in listed
        if name.startswith(("release/", "source/", "docs/pictures"))
    }


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the HTML pages."""
    folder = tmp_path_factory.mktemp("site")
    before = written()
    done = build(folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING: " not in done.stderr  # Sphinx's own; a kernel says "WARNING | "
    assert done.stdout.splitlines()[-1].startswith("The site is built: open ")
    assert written() == before
    return folder / "html"


def text_of(path):
    """The words of a page."""
    return html.unescape(re.sub(r"<[^>]*>", "", path.read_text("utf-8")))


# ---- the pages --------------------------------------------------------------------------------


def test_every_link_and_anchor_of_the_site_leads_somewhere(site):
    assert broken_links(site) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_shows_what_it_printed_and_its_pictures(lesson, site):
    path = site / lesson.assignment / "lesson.html"
    page, words = path.read_text("utf-8"), text_of(path)
    shown = re.findall(r'<div class="hl-static".*?<p class="live">[^<]*', page, re.DOTALL)
    labs = [lab for lab in shown if lab.endswith("move the controls.")]
    assert labs and all('role="img"' in lab or "<table" in lab for lab in labs)
    for drawing in re.findall(r'<svg[^>]* class="hob".*?</svg>', page, re.DOTALL):
        assert "<text" in drawing
    assert "Traceback (most recent call last)" not in words
    assert "Run this cell to" not in words
    assert "You made no prediction" not in words
    facts = REPOSITORY / "tests" / "lesson_facts" / f"{lesson.name}.py"
    for fact in runpy.run_path(str(facts))["FACTS"]:
        assert fact in words, fact


@pytest.mark.parametrize("lesson", LESSONS[1:], ids=lambda lesson: lesson.name)
def test_exercises_are_shown_with_stubs_and_without_what_only_marking_needs(lesson, site):
    path = site / lesson.assignment / "exercises.html"
    words, anchors = text_of(path), Page(path.read_text("utf-8")).anchors
    for place in exercises(lesson):
        assert place.title.replace("`", "") in words
        assert place.address.partition("#")[2] in anchors  # the map of the course leads there
    assert "raise NotImplementedError()" in words
    assert "SOLUTION" not in words
    assert "run here when the notebook is marked" not in words
    assert "grade_me()" not in words


def test_the_field_guide_has_every_trap_with_its_anchors_and_what_it_prints(site):
    path = site / "field_guide.html"
    anchors, words = Page(path.read_text("utf-8")).anchors, text_of(path)
    assert {trap.slug for trap in traps()} <= anchors
    assert {anchor(trap.title) for trap in traps()} <= anchors
    for trap in traps():
        assert trap.wrong.prints in words and trap.right.prints in words
    assert "# prints:" not in words
    assert all(code in words for code in COMMON)


def test_the_reference_has_every_public_name_with_its_docstring(site):
    path = site / "reference.html"
    anchors, words = Page(path.read_text("utf-8")).anchors, text_of(path)
    for name in course.__all__:
        assert f"course.{name}" in anchors
        first = (getattr(course, name).__doc__ or "").strip().splitlines()[0]
        assert first.replace("`", "") in words, name


def test_a_public_name_without_a_group_is_noticed(monkeypatch):
    monkeypatch.setattr(course, "__all__", sorted([*course.__all__, "new_name"]))
    with pytest.raises(BuildError, match="differ in new_name"):
        reference.reference_page()


def test_the_pages_of_instructors_and_contributors_are_there(site):
    names = [path.stem for path in (REPOSITORY / "docs" / "instructor").glob("*.md")]
    names = ["index" if name == "README" else name for name in names]
    assert names
    for name in (*(f"instructors/{name}" for name in names), "contributing", "security"):
        assert "<h1>" in (site / f"{name}.html").read_text("utf-8")


def test_nothing_is_run_or_made_again_when_nothing_changed(site):
    # A copy, so that a change in docs/ meanwhile does not touch the site of the other tests.
    folder = site.parent.with_name("again")
    shutil.copytree(site.parent, folder)
    kept = [path for path in folder.rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in kept}
    write_pages(folder / "pages", played(folder / "played"))
    assert {path: path.stat().st_mtime_ns for path in kept} == before


# ---- the parts --------------------------------------------------------------------------------


def test_a_broken_link_a_missing_anchor_and_a_doubled_id_are_named(tmp_path):
    (tmp_path / "a.html").write_text(
        '<p id="x"><p id="x"><a href="b.html#y"><a href="b.html"><a href="https://example.org/c">'
        '<img src="no.png"><a href="#z"><a href="b.html#here">'
    )
    (tmp_path / "b.html").write_text('<h1 id="here">')
    assert broken_links(tmp_path) == [
        "a.html: two elements have the id 'x'",
        "a.html: no anchor b.html#y",
        "a.html: no file no.png",
        "a.html: no anchor #z",
    ]


MARKDOWN = (
    "[a](exercises.ipynb) [b](../field_guide.ipynb#torch.tensor-of-it) [c](#Some-words) "
    "[`nbgrader_config.py`](../../nbgrader_config.py) [the licence](../../LICENSE) "
    "[e](https://example.org/x.ipynb)\n```\n[f](exercises.ipynb)\n```\n"
)
PAGES = {
    "release/01_leaf_tensors/exercises.ipynb": "01_leaf_tensors/exercises.ipynb",
    "release/field_guide.ipynb": "field_guide.ipynb",
}


@pytest.mark.parametrize(
    ("place", "config", "licence"),
    [
        (None, "`nbgrader_config.py`", "the licence"),
        (
            PLACE,
            "[`nbgrader_config.py`](https://github.com/someone/hooks/blob/v1.2/nbgrader_config.py)",
            "[the licence](https://github.com/someone/hooks/blob/v1.2/LICENSE)",
        ),
    ],
)
def test_links_lead_to_pages_else_to_github_else_nowhere(place, config, licence):
    path = "release/01_leaf_tensors/lesson.ipynb"
    assert Links(PAGES, place).rewrite(MARKDOWN, path, "01_leaf_tensors/lesson.ipynb") == (
        "[a](exercises.ipynb) [b](../field_guide.ipynb#torchtensor-of-it) [c](#some-words) "
        f"{config} {licence} [e](https://example.org/x.ipynb)\n"
        "```\n[f](exercises.ipynb)\n```\n"
    )


def test_pictures_are_collected_and_shown_from_their_place_on_the_site():
    links = Links({}, None)
    made = links.rewrite(
        "![A lab](../pictures/lab.png)", "docs/instructor/a.md", "instructors/a.md"
    )
    assert made == "![A lab](../pictures/lab.png)"
    assert links.pictures == {"docs/pictures/lab.png": "pictures/lab.png"}


def test_links_in_what_a_cell_showed_lead_to_pages():
    said = '<a href="../01_x/lesson.ipynb#A">a</a> <a href="https://example.org/a.ipynb">b</a>'
    assert html_links(said) == said.replace("lesson.ipynb#A", "lesson.html#A")


def test_an_anchor_of_jupyterlab_and_its_heading_have_the_same_slug():
    for trap in traps():
        assert slug(anchor(trap.title)) == slug(trap.title)


def test_a_widget_becomes_a_sentence():
    data = {
        "application/vnd.jupyter.widget-view+json": {},
        "text/plain": "Run this cell to make a prediction.",
    }
    made = page_output({"output_type": "display_data", "data": data, "metadata": {}})
    assert made.data == {
        "text/html": '<p class="live">In the notebook you can make a prediction.</p>'
    }


def test_a_docstring_becomes_restructured_text():
    lines = [
        "Give `x` and **options_.",
        "",
        ">>> give(x)",
        "1",
        "",
        "x          a number,",
        "           or two",
        "retain     names",
        "",
        "loss: a tensor,",
        "    or several",
    ]
    assert rst(lines) == [
        "Give ``x`` and \\*\\*options\\_.",
        "",
        "..  code-block:: pycon",
        "",
        "    >>> give(x)",
        "    1",
        "",
        "``x``",
        "    a number, or two",
        "",
        "``retain``",
        "    names",
        "",
        "",
        "``loss``",
        "    a tensor, or several",
        "",
        "",
    ]


def test_without_sphinx_one_sentence_says_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(website, "NEEDED", ("no_such_module",))
    assert website.main([]) == 1
    said = capsys.readouterr().err
    assert (
        said.startswith("The site needs no_such_module: run `make site`") and said.count("\n") == 1
    )


# ---- in a browser -----------------------------------------------------------------------------


@contextlib.contextmanager
def opened(browser, path, **options):
    """A page of the site; what it asks for elsewhere and complains of is in `page.complaints`."""
    context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
    page = context.new_page()
    page.complaints = []
    note = page.complaints.append
    page.on("console", lambda m: note(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: note(str(error)))
    page.on("request", lambda r: r.url.startswith(("file:", "data:")) or note(r.url))
    page.goto(path.as_uri())
    yield page
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_page_asks_no_other_host_and_fits_into_narrow_and_wide_windows(name, site, browser):
    with opened(browser, site / f"{name}.html") as page:
        for width in (1400, 1280, 1024, 700, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "00_start_here/lesson"])
def test_a_page_has_no_serious_violation_of_access(name, scheme, site, browser):
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with opened(browser, site / f"{name}.html", **options) as page:
        assert axe_violations(page, "body") == []


@pytest.mark.browser
@pytest.mark.parametrize(("chosen", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_pictures_follow_the_theme_that_a_reader_chose(chosen, colours, site, browser):
    other = "dark" if chosen == "light" else "light"
    with opened(browser, site / "00_start_here" / "lesson.html", color_scheme=other) as page:
        page.evaluate(f"document.body.dataset.theme = '{chosen}'")
        ink = "getComputedStyle(document.querySelector('svg.hob')).getPropertyValue('--hob-ink')"
        assert page.evaluate(ink) == colours["ink"]


SEEN = """() => [...document.querySelectorAll(".film p:is(.frame, .turned)")]
  .filter((p) => p.checkVisibility({ visibilityProperty: true })).map((p) => p.textContent)"""


@pytest.mark.browser
def test_the_film_shows_one_step_after_the_other_and_stops(site, browser):
    with opened(browser, site / "index.html", reduced_motion="no-preference") as page:
        assert page.evaluate(SEEN) == ["Forward has run. Backward begins at e."]
        page.wait_for_function(f"({SEEN})()[0]?.startsWith('Step 1 of 6')", timeout=10_000)
        page.get_by_label("Stop").check()
        states = "document.getAnimations().map((animation) => animation.playState)"
        assert set(page.evaluate(states)) == {"paused"}


@pytest.mark.browser
def test_a_reader_who_wants_less_motion_sees_the_last_step(site, browser):
    with opened(browser, site / "index.html", reduced_motion="reduce") as page:
        assert page.evaluate("document.getAnimations().length") == 0
        assert page.evaluate(SEEN) == ["Step 6 of 6: AccumulateGrad added +24; b.grad is now +24"]


@pytest.mark.browser
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_slider_of_the_start_page_shows_the_run_for_its_factor(motion, site, browser):
    with opened(browser, site / "index.html", reduced_motion=motion) as page:
        slider = page.get_by_role("slider", name="The hook on c multiplies by")
        slider.press("ArrowRight")
        words = "The hook multiplies by 4: 4 becomes 16, and a.grad is 48."
        assert page.evaluate(SEEN) == [words]
        assert slider.get_attribute("aria-valuetext") == words
        slider.press("Home")
        assert page.evaluate(SEEN) == [
            "The hook multiplies by -2: 4 becomes -8, and a.grad is -24."
        ]
