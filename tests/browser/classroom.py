"""A class on one machine: an instructor's course, an exchange, a learner, both JupyterLabs.

    with classroom(folder) as room:
        teacher, learner = room.open(browser, room.teacher), room.open(browser, room.learner)
        menu(learner, "Assignment List")

The course is what the guide tells to copy (docs/instructor/set_up.md), and what both are told of
the exchange are the guide's own lines. The learner's folder is empty.
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from front_ends import jupyter_server, watch

from course.build import ROOT

GUIDE = ROOT / "docs" / "instructor" / "set_up.md"
EXCHANGE = "/srv/nbgrader/exchange"  # where the guide has it
# nbgrader's pages load MathJax from another host, which tests do not ask; formgrader waits for it
MATHJAX = re.compile(r"https://cdnjs\.cloudflare\.com/ajax/libs/mathjax/.*")
NO_FORMULAS = """window.MathJax = {
  Hub: {Config() {}, Queue() {}, Startup: {signal: {Interest: (told) => told("End")}}},
};"""


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a Markdown text in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Room:
    """The folders of a class, and the two servers once they run."""

    def __init__(self, folder: Path, lesson):
        self.lesson = lesson
        self.course, self.work = folder / "course", folder / "work"
        self.exchange = folder / "exchange"
        self.homes = folder / "home of the instructor", folder / "home of the learner"
        self.course.mkdir()
        self.work.mkdir()
        self.exchange.mkdir()
        self.exchange.chmod(0o777)  # mkdir's own mode is cut by the umask
        (block,) = blocks(GUIDE.read_text("utf-8"), "python")
        for home in self.homes:  # as in /etc/jupyter: for everybody on the machine
            config = home / "jupyter_config_dir" / "nbgrader_config.py"
            config.parent.mkdir(parents=True)
            config.write_text(block.replace(EXCHANGE, str(self.exchange)), "utf-8")
        for name in ("source", "release"):
            shutil.copytree(ROOT / name / lesson.assignment, self.course / name / lesson.assignment)
        shutil.copy(ROOT / "nbgrader_config.py", self.course)

    def grade(self) -> str:
        """``course grade`` as an instructor calls it; gives what it says."""
        command = [sys.executable, "-m", "course", "grade", self.lesson.assignment]
        done = subprocess.run(command, cwd=self.course, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def open(self, browser, server, color_scheme="light"):
        """JupyterLab of one of the two."""
        context = browser.new_context(
            viewport={"width": 1400, "height": 1000}, color_scheme=color_scheme
        )
        context.route(MATHJAX, lambda route: route.fulfill(body=NO_FORMULAS))
        page = context.new_page()
        page.set_default_timeout(60_000)
        watch(page, server.url)
        page.goto(f"{server.url}/lab")
        page.locator(".jp-Launcher").wait_for()
        return page


@contextlib.contextmanager
def classroom(folder: Path, lesson):
    """The class with both servers running."""
    room = Room(folder, lesson)
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    instructor, learner = room.homes
    with (
        jupyter_server(room.course, instructor, room.course, PATH=programs) as room.teacher,
        jupyter_server(room.work, learner, room.work, HOME=str(learner)) as room.learner,
    ):
        yield room


def menu(page, item: str) -> None:
    """Choose an item of JupyterLab's menu Nbgrader."""
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.locator(".lm-Menu-item").filter(has_text=item).first.click()


def formgrader(page):
    """What is in formgrader's tab."""
    return page.frame_locator("iframe[src*=formgrader]")


def press_icon(page, column: str, words: str) -> None:
    """Click an icon in formgrader's table of assignments and close the window that answers."""
    frame = formgrader(page)
    frame.locator(f"td.{column} a").click()
    window = frame.locator(".modal.in")
    window.get_by_role("heading", name="Success").wait_for()
    assert words in window.inner_text()
    window.locator(".modal-footer button").click()
    window.wait_for(state="detached")


def complaints(page) -> list[str]:
    """What must not have happened, but for MathJax and for JupyterLab's word that it ran no script
    of a page that it showed."""
    return [
        text
        for text in page.complaints
        if not MATHJAX.fullmatch(text.removeprefix("request: "))
        and not text.startswith("console: Blocked script execution in 'blob:")
    ]


def cells(row) -> list[str]:
    """The words in the cells of a table's row."""
    return [text.strip() for text in row.locator("td").all_inner_texts()]
