"""The instructor's guide: its commands and their options are there, its links lead somewhere.

What comes of the commands is told by browser/test_classroom.py, test_exchange.py and the tests of
the marking.
"""

import contextlib
import importlib
import io
import re
import shlex
from pathlib import Path

import pytest
from nbgrader.apps.nbgraderapp import NbGraderApp

from course.__main__ import COMMANDS
from course.lessons import LESSONS

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent
GUIDE = REPOSITORY / "docs" / "instructor"
PAGES = {path.name: path.read_text("utf-8") for path in sorted(GUIDE.glob("*.md"))}
START = re.compile(r" *(nbgrader|python -m course) ")


def commands(text):
    """The commands in the fenced blocks of a page, without their comments."""
    blocks = re.findall(r"^ *```\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [
        shlex.split(line, comments=True)
        for block in blocks
        for line in block.split("\n")
        if START.match(line)
    ]


def missing(command):
    """What of a command is not there: the command itself, an option, an assignment."""
    assignments = {lesson.assignment for lesson in LESSONS}
    for word in command:
        if re.fullmatch(r"\d\d_\w+", word) and word not in assignments:
            return word
    ours = command[:3] == ["python", "-m", "course"]
    names = command[3:] if ours else command[1:]
    try:
        known = options_of_course(names[0]) if ours else options_of_nbgrader(names)
    except KeyError as unknown:
        return unknown.args[0]
    given = [word.split("=")[0] for word in names if word.startswith("-")]
    return next((option for option in given if option not in known), None)


def options_of_course(name):
    module = importlib.import_module(COMMANDS[name][0])
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        module.main(["--help"])
    return set(re.findall(r"--?[\w-]+", said.getvalue()))


def options_of_nbgrader(names):
    app, names = NbGraderApp(), list(names)
    while app.subcommands:
        app = app.subcommands[names.pop(0)][0]()
    keys = [*app.aliases, *app.flags]
    return {f"--{name}" for key in keys for name in ([key] if isinstance(key, str) else key)}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_its_options_are_there(page):
    found = {shlex.join(command): missing(command) for command in commands(PAGES[page])}
    assert {command: what for command, what in found.items() if what} == {}


def test_the_guide_has_commands():
    assert sum(len(commands(text)) for text in PAGES.values()) > 30


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("nbgrader collect 01_leaf_tensors --update", None),
        ("nbgrader colect 01_leaf_tensors", "colect"),
        ("nbgrader collect 01_leaf_tensor", "01_leaf_tensor"),
        ("nbgrader collect 01_leaf_tensors --updated", "--updated"),
        ("nbgrader db student add ann --first-name=Ann", None),
        ("nbgrader db student ad ann", "ad"),
        ("python -m course grade 01_leaf_tensors --student ann", None),
        ("python -m course grade 01_leaf_tensors --pupil ann", "--pupil"),
        ("python -m course grad 01_leaf_tensors", "grad"),
    ],
)
def test_a_command_that_is_not_there_is_noticed(command, what):
    assert missing(shlex.split(command)) == what


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGES[page])
    assert [link for link in links if not (GUIDE / link).exists()] == []


def test_every_page_is_linked_from_the_start():
    linked = set(re.findall(r"\]\(([\w.]+\.md)\)", PAGES["README.md"]))
    assert linked == set(PAGES) - {"README.md"}
    assert "(docs/instructor/README.md)" in (REPOSITORY / "README.md").read_text("utf-8")
