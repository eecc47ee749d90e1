"""What ``make TARGET`` does, for people without make too: ``python course/bootstrap.py TARGET``.

A target makes sure that the environment is there, then becomes one command in it. The program
``make`` itself adds nothing but the short name.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from course.machine.environment import ensure
from course.machine.other_torch import other_torch
from course.machine.pip import SetupError, explain
from course.machine.venv import ROOT, VENV, python_of, surroundings, version_of


class Target(NamedTuple):
    words: str
    command: tuple[str, ...]
    extras: tuple[str, ...] | None = ()  # None: nothing is set up for it


# tests/conftest.py puts the tests in groups and the groups in order
PYTEST = ("-m", "pytest", "-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder")

TARGETS = {
    "lab": Target("open the course in JupyterLab", ("-m", "course", "lab")),
    "setup": Target("set up .venv with all that contributors need", (), ("dev",)),
    "test": Target("run every test", PYTEST, ("dev",)),
    "test-torch": Target(
        "run the tests of torch's behaviour on another torch: test-torch 2.4.0",
        (*PYTEST, "-m", "not browser and not nbgrader and not machine"),
        ("dev",),
    ),
    "build": Target("build source/ and release/", ("-m", "course", "build"), ("dev",)),
    "check": Target("judge every answer of the lessons", ("-m", "course", "check")),
    "site": Target("build the course as pages", ("-m", "course", "site"), ("site",)),
    "bench": Target("measure how fast things are", ("-m", "bench"), ("dev",)),
    "pin": Target("renew constraints.txt", ("-m", "course.machine.pins"), None),
    "doctor": Target("say what is wrong and how to mend it", ("-m", "course", "doctor"), None),
    "clean": Target("remove .venv and caches, nothing else", (), None),
}
CACHES = (
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".mypy_cache",
    ".build-cache",
    ".torch",
    "build",
)


def main(arguments: list[str]) -> int:
    """Run a target; give its exit status. A failed set-up is one sentence and status 1."""
    parser = argparse.ArgumentParser(
        prog="course/bootstrap.py",
        description="Sets up what a command of the course needs, then runs it.",
        epilog="\n".join(f"  {name:12}{target.words}" for name, target in TARGETS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s TARGET [what the command itself takes]",
    )
    parser.add_argument("target", choices=TARGETS, metavar="TARGET")
    name, rest = parser.parse_args(arguments[:1]).target, arguments[1:]
    more = {}
    try:
        if name == "clean":
            return clean()
        python = python_for(name)
        if name == "setup":
            print(f"The Python of the course is {python}: activate .venv, or call it by this name.")
            return 0
        if name == "test-torch":
            more["PYTHONPATH"] = str(other_torch(next(iter(rest), "")))
            rest = rest[1:]
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as problem:  # from our own writing; what pip meets is told by pip.py
        print(explain(str(problem), VENV) or f"The set-up failed: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again: it takes care of the rest.", file=sys.stderr)
        return 130
    return become([str(python), *TARGETS[name].command, *rest], **more)


def python_for(name: str) -> Path:
    """The Python that runs a target, after setting up what it needs."""
    extras = TARGETS[name].extras
    if extras is None:
        return python_of(VENV) if version_of(python_of(VENV)) else Path(sys.executable)
    return ensure(extras)


def become(command: list[str], **more: str) -> int:
    """Replace this process by the command, so that Ctrl-C and the status are the command's own."""
    os.chdir(ROOT)
    sys.stdout.flush()
    if os.name == "nt":  # there, exec would give the prompt back while the command still runs
        return subprocess.call(command, env=surroundings(**more))
    os.execve(command[0], command, surroundings(**more))


def clean() -> int:
    """Remove what a command can make again. Notebooks, marks and submissions stay."""
    found = [VENV, *(ROOT / name for name in CACHES), *ROOT.glob("*.egg-info")]
    for folder in ("course", "tests", "bench"):
        found += (ROOT / folder).rglob("__pycache__")
    for path in found:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
            print(f"removed {path.relative_to(ROOT)}")
    return 0
