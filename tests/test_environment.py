"""What the files that describe the environment say, and that they agree."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from course import __main__ as command_line
from course import build
from course.bootstrap import NEWEST, OLDEST
from course.machine import open_lab, pins
from course.machine.environment import pinned_torch

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
CONDA = {"torch": "pytorch-cpu", "igraph": "python-igraph", "matplotlib": "matplotlib-base"}


def all_requirements():
    named = [*PROJECT["dependencies"], *sum(PROJECT["optional-dependencies"].values(), [])]
    return [Requirement(text) for text in named]


def pinned():
    text = (REPOSITORY / "constraints.txt").read_text()
    return [line for line in text.splitlines() if not line.startswith("#")]


# ---- constraints.txt -----------------------------------------------------------------------


def test_constraints_hold_nothing_but_exact_public_versions():
    for line in pinned():
        assert re.fullmatch(r"[\w.\-]+==[\w.]+", line), line
    assert "torch==2.13.0" in pinned()
    assert pinned_torch() == "torch==2.13.0"
    assert not any(line.startswith("hooked") for line in pinned())


def test_constraints_pin_all_that_pyproject_names_within_its_ranges():
    exact = {Requirement(line).name: Requirement(line) for line in pinned()}
    for requirement in all_requirements():
        (version,) = exact[requirement.name].specifier
        assert requirement.specifier.contains(version.version), requirement


def test_constraints_pin_what_those_need_in_turn():
    known = {normal(Requirement(line).name) for line in pinned()}
    todo, seen = [(requirement.name, "") for requirement in all_requirements()], set()
    while todo:
        name, extra = todo.pop()
        if (
            name,
            extra,
        ) in seen or name == "distributed":  # not needed for the tests: not installed
            continue
        seen.add((name, extra))
        assert normal(name) in known, name
        for text in distribution(name).requires or []:
            needed = Requirement(text)
            if not needed.marker or needed.marker.evaluate({"extra": extra}):
                todo += [(needed.name, more) for more in ("", *needed.extras)]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_text_of_constraints_is_what_pip_would_install_without_local_tags():
    text = pins.constraints(["b==1.0", "torch==2.13.0+cpu", "A==2"])
    assert text.splitlines()[-3:] == ["A==2", "b==1.0", "torch==2.13.0"]


@pytest.mark.parametrize("python", [f"3.{minor}.0" for minor in range(OLDEST[1], NEWEST[1] + 1)])
def test_each_pinned_package_says_that_it_runs_on_the_first_release_of_each_python(python):
    refused = [
        line
        for line in pinned()
        if (needed := _requires_python(line)) and not SpecifierSet(needed).contains(python)
    ]
    assert not refused


def _requires_python(line):
    try:
        return metadata(Requirement(line).name).get("Requires-Python")
    except PackageNotFoundError:  # an extra that the tests do not need
        return None


# ---- pyproject.toml, environment.yml, postBuild --------------------------------------------


def conda():
    listed = yaml.safe_load((REPOSITORY / "environment.yml").read_text())
    return listed["channels"], dict(
        line.split(" ", 1) if " " in line else (line, "") for line in listed["dependencies"]
    )


def test_conda_has_each_package_of_pyproject_with_the_same_range():
    channels, packages = conda()
    assert channels == ["conda-forge"]
    for requirement in map(Requirement, PROJECT["dependencies"]):
        name = CONDA.get(requirement.name, requirement.name)
        assert packages[name] == str(requirement.specifier), requirement


def test_conda_takes_one_python_that_the_course_can_use():
    _, packages = conda()
    minor = int(re.fullmatch(r"=3\.(\d+)", packages["python"]).group(1))  # as Binder reads it
    assert OLDEST[1] <= minor <= NEWEST[1]
    assert PROJECT["requires-python"] == f">=3.{OLDEST[1]}"


def test_binder_installs_the_course_itself_and_nothing_else():
    script = (REPOSITORY / "postBuild").read_text()
    commands = [line for line in script.splitlines() if line and not line.startswith(("#", "set "))]
    assert commands == ["python -m pip install --no-deps --no-build-isolation -e ."]
    assert "setuptools" in conda()[1]  # which takes the place of the isolated build
    assert (REPOSITORY / "postBuild").stat().st_mode & 0o111


def test_what_the_course_imports_is_what_pyproject_names():
    named = {normal(Requirement(text).name) for text in PROJECT["dependencies"]}
    named |= {normal(Requirement(text).name) for text in PROJECT["optional-dependencies"]["dev"]}
    comes_along = {  # imported too, and by which named package it is brought, as its public base
        "filelock": "torch",
        "ipython": "ipywidgets",
        "jupyter-client": "nbclient",
        "jupyter-core": "jupyterlab",
        "nbconvert": "nbgrader",
        "nbformat": "nbgrader",
        "packaging": "jupyterlab",
        "sqlalchemy": "nbgrader",
        "tornado": "jupyterlab",
        "traitlets": "jupyterlab",
    }
    assert set(comes_along.values()) <= named
    for path in (REPOSITORY / "course").rglob("*.py"):
        for module in imported(path):
            known = module in sys.stdlib_module_names or module == "course"
            assert known or normal(module) in named | set(comes_along), f"{path}: {module}"


def imported(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0]


def test_the_package_holds_every_file_that_it_reads():
    """What is not Python must be named in pyproject.toml to be part of the package."""
    data = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["setuptools"][
        "package-data"
    ]
    held = {
        path
        for path in (REPOSITORY / "course").rglob("*")
        for pattern in data["*"]
        if path.match(pattern)
    }
    for pattern in data["course.machine"]:
        held |= set((REPOSITORY / "course" / "machine").glob(pattern))
    listed = subprocess.run(
        ["git", "ls-files", "course"], cwd=REPOSITORY, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        assert name.endswith(".py") or REPOSITORY / name in held, name


# ---- the command line and CI ---------------------------------------------------------------


def course(*arguments):
    command = [sys.executable, "-m", "course", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)


def test_without_a_command_all_are_listed():
    said = course().stdout
    for name, (_, words) in command_line.COMMANDS.items():
        assert f"  {name:10}{words}" in said


def test_an_unknown_command_is_refused_with_the_known_ones():
    done = course("labb")
    assert done.returncode == 2
    assert "invalid choice: 'labb' (choose from" in done.stderr


def test_each_command_has_its_own_help():
    for name in command_line.COMMANDS:
        done = course(name, "--help")
        assert done.returncode == 0, done.stderr
        assert f"python -m course {name}" in done.stdout


def test_an_unknown_lesson_is_refused_with_the_known_ones():
    done = course("lab", "no_such_lesson")
    assert done.returncode == 2
    assert "There is no lesson 'no_such_lesson'. The lessons are: start_here" in done.stderr


def test_the_programs_of_the_environment_come_first_on_path(monkeypatch):
    monkeypatch.setenv("PATH", "/bin")
    command_line.put_programs_on_path()
    command_line.put_programs_on_path()
    assert os.environ["PATH"].split(os.pathsep)[1:] == ["/bin"]
    assert shutil.which("alembic") == str(Path(sys.executable).parent / "alembic")


def test_jupyterlab_opens_at_the_lesson_and_learns_the_rest_from_the_course():
    options = open_lab.settings(open_lab.notebook_of("leaf_tensors"))
    assert "--LabApp.default_url=/lab/tree/release/01_leaf_tensors/lesson.ipynb" in options
    assert f"--ServerApp.root_dir={REPOSITORY}" in options


def test_ci_is_a_script_that_calls_make_test():
    script = REPOSITORY / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    assert "\nmake --no-print-directory test" in script.read_text()


def hooks():
    """The commands of the hooks that run before a commit."""
    (local,) = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text())["repos"]
    assert local["repo"] == "local"
    assert all(hook["language"] == "system" for hook in local["hooks"])
    assert not any(hook["pass_filenames"] for hook in local["hooks"])
    return {hook["id"]: hook["entry"].split() for hook in local["hooks"]}


@pytest.mark.parametrize("name", ["ruff-check", "ruff-format", "mypy"])
def test_the_code_passes_the_hooks_for_style_lint_and_types(name):
    python, *command = hooks()[name]
    assert python == "python"
    if command[1] == "ruff":
        command.append("--no-cache")
    done = subprocess.run(
        [sys.executable, *command], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hook_for_notebooks_fails_when_one_is_stale(monkeypatch, capsys):
    assert hooks().keys() == {"ruff-check", "ruff-format", "mypy", "notebooks"}
    python, *command = hooks()["notebooks"]
    assert [python, *command[:3]] == ["python", "-m", "course", "build"]
    asked = []
    for stale in (["release/a.ipynb"], []):  # test_build.py has the build itself
        monkeypatch.setattr(
            build, "build", lambda *_, write, stale=stale, **__: asked.append(write) or stale
        )
        assert command_line.main(command[2:]) == bool(stale)
    assert asked == [False, False]


@pytest.mark.parametrize(
    ("command", "package"),
    [
        (["build"], "jupytext"),
        (["check", "leaf_tensors"], "torch"),
        (["grade-me", "leaf_tensors"], "nbgrader"),
    ],
)
def test_a_python_without_a_package_says_in_one_sentence_what_to_do(command, package):
    done = subprocess.run(
        [sys.executable, "-S", "-m", "course", *command],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"{package} is not installed in this Python ({sys.executable}): ")
    assert done.stderr.count("\n") == 1


def test_a_missing_module_of_the_course_is_not_hidden(monkeypatch):
    monkeypatch.setitem(command_line.COMMANDS, "lab", ("course.no_such_module", ""))
    with pytest.raises(ModuleNotFoundError, match="course.no_such_module"):
        command_line.main(["lab"])
