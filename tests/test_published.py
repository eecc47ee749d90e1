"""What other machines read: CI, the container, badges; and that what they call is there."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell

import course.build as builder
import course.published
from course.author_text import BuildError
from course.bootstrap import NEWEST, OLDEST
from course.lessons import LESSONS
from course.machine import other_torch
from course.machine.pip import SetupError
from course.machine.targets import TARGETS
from course.machine.venv import ROOT, VENV, python_of
from course.published import (
    CELLS,
    EXTRA,
    Published,
    colab_notebook,
    published,
    readme,
    requirements,
)

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent


def exists(command):
    """Whether the first word of a command of the repository can be run, and make's target too."""
    program, *arguments = command.split()
    if program == "make":
        done = subprocess.run(
            ["make", "--dry-run", *arguments], cwd=REPOSITORY, capture_output=True, text=True
        )
        return not done.returncode and "course/bootstrap.py" in done.stdout
    return os.access(REPOSITORY / program, os.X_OK)


@pytest.mark.parametrize(
    ("command", "there"),
    [
        (".ci/run", True),
        (".ci/walk", False),
        ("make test", True),
        ("make tset", False),
        ("README.md", False),
    ],
)
def test_a_command_that_is_not_there_is_noticed(command, there):
    assert exists(command) is there


# ---- the workflow of CI -----------------------------------------------------------------------


def workflow():
    text = (REPOSITORY / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    return yaml.load(text, yaml.BaseLoader)  # with which "on" stays a word


def steps(key):
    return [
        step[key] for job in workflow()["jobs"].values() for step in job["steps"] if key in step
    ]


def test_the_workflow_runs_the_script_of_ci_and_the_oldest_torch():
    own = [run for run in steps("run") if not run.startswith(("git ", "rm "))]
    assert own == [".ci/run", "make test-torch TORCH=oldest"]
    assert all(exists(run) for run in own)
    assert set(workflow()["on"]) == {"push", "pull_request"}
    assert workflow()["permissions"] == {"contents": "read"}


def test_every_step_of_the_workflow_uses_or_runs_one_thing():
    for job in workflow()["jobs"].values():
        assert job["runs-on"] and int(job["timeout-minutes"]) <= 60
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            assert step.keys() <= {"name", "uses", "run", "with"}
    for action in steps("uses"):
        assert re.fullmatch(r"actions/(checkout|cache)@v\d+", action)


def test_the_workflow_tests_the_oldest_and_the_newest_python():
    jobs = workflow()["jobs"]
    ends = [f"{major}.{minor}" for major, minor in (OLDEST, NEWEST)]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == ends
    assert jobs["oldest-torch"]["container"] == f"python:{ends[0]}-bookworm"


def test_the_cache_of_pip_is_where_pip_looks_and_depends_on_the_pinned_packages():
    for job in workflow()["jobs"].values():
        cached = {step["with"]["path"]: step["with"] for step in job["steps"] if "with" in step}
        for name in re.findall(r"'([^']+)'", cached[job["env"]["PIP_CACHE_DIR"]]["key"]):
            assert (REPOSITORY / name).is_file()
        assert "constraints.txt" in cached[job["env"]["PIP_CACHE_DIR"]]["key"]


def test_the_oldest_torch_is_that_of_pyproject(tmp_path, monkeypatch):
    said = re.search(r'"torch>=([\d.]+)"', (REPOSITORY / "pyproject.toml").read_text("utf-8"))[1]
    assert other_torch.oldest_torch() == said
    monkeypatch.setattr(other_torch, "FOLDER", tmp_path)
    (tmp_path / said).mkdir()
    assert other_torch.other_torch("oldest") == tmp_path / said
    monkeypatch.setattr(other_torch, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch"]\n')
    with pytest.raises(SetupError, match="names no oldest torch"):
        other_torch.other_torch("oldest")


# ---- the container for development ------------------------------------------------------------


def container():
    return json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text("utf-8"))


def test_the_container_sets_the_course_up_by_a_command_that_is_there():
    said = container()
    commands = [said[key] for key in said if key.endswith("Command")]
    assert commands == ["make build ARGS=--check"]  # with what contributors need
    assert all(exists(command) for command in commands)
    assert "dev" in TARGETS["build"].extras


def test_the_container_has_a_python_that_the_course_can_use_and_uses_the_environment():
    said = container()
    minor = int(re.fullmatch(r"python:3\.(\d+)-bookworm", said["image"])[1])
    assert OLDEST[1] <= minor <= NEWEST[1]
    chosen = said["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert chosen == f"${{containerWorkspaceFolder}}/{python_of(VENV).relative_to(ROOT)}"
    for name in said["customizations"]["codespaces"]["openFiles"]:
        assert (REPOSITORY / name).is_file()


# ---- badges, and the notebooks for Colab ------------------------------------------------------

PLACE = Published("someone", "hooks", "v1.2")
ASSIGNMENTS = [lesson.assignment for lesson in LESSONS]


@pytest.fixture
def published_course(tmp_path, monkeypatch):
    """What is built, in another folder, of a course that is published."""
    for name in ("source", "release"):
        shutil.copytree(REPOSITORY / name, tmp_path / name)
    shutil.copy(REPOSITORY / "README.md", tmp_path)
    monkeypatch.setattr(course.published, "published", lambda: PLACE)
    monkeypatch.setattr(builder, "make", lambda lessons: {})  # test_build.py has these
    monkeypatch.setattr(builder, "make_guide", dict)
    return tmp_path


def test_the_place_is_said_in_pyproject_with_the_tag_of_this_version():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    said = project["tool"]["course"]["published"]
    assert set(said) == {"owner", "repository", "tag"}
    assert said["tag"] == f"v{project['project']['version']}"
    assert published() == (Published(**said) if said["owner"] else None)


@pytest.mark.parametrize(
    ("owner", "words"),
    [
        ("someone", None),
        ("", None),
        ("some one", r"^.*/pyproject.toml: 'some one' cannot be the owner of a repository\.$"),
        ("a/b", r"'a/b' cannot be the owner"),
    ],
)
def test_an_owner_that_cannot_be_one_is_refused_in_a_sentence(owner, words, tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        f'[tool.course.published]\nowner = "{owner}"\nrepository = "hooks"\ntag = "v1.2"\n'
    )
    if words:
        with pytest.raises(BuildError, match=words):
            published(path)
    else:
        assert published(path) == (PLACE if owner else None)


def test_the_build_gives_each_lesson_its_badges_and_takes_them_away_again(published_course):
    committed = (REPOSITORY / "README.md").read_text("utf-8")
    assert builder.build([], published_course, write=False).count("README.md") == 1
    builder.build([], published_course)
    text = (published_course / "README.md").read_text("utf-8")
    for name in ASSIGNMENTS:
        (row,) = [line for line in text.split("\n") if f"(release/{name}/lesson.ipynb)" in line]
        path = f"lab/tree/release/{name}/lesson.ipynb"
        assert f"(https://mybinder.org/v2/gh/someone/hooks/v1.2?urlpath={path}) " in row
        path = f"someone/hooks/blob/v1.2/colab/{name}/lesson.ipynb"
        assert f"(https://colab.research.google.com/github/{path}) |" in row
        assert row.count(" | ") == CELLS
    assert text.count("badge_logo.svg") == text.count("colab-badge.svg") == len(ASSIGNMENTS)
    assert builder.build([], published_course, write=False) == []
    assert readme(text, ASSIGNMENTS, PLACE) == text
    assert readme(text, ASSIGNMENTS, None) == readme(committed, ASSIGNMENTS, None)


@pytest.mark.parametrize("place", [PLACE, None])
def test_a_badge_that_was_changed_by_hand_is_stale(place, published_course, monkeypatch, capsys):
    monkeypatch.setattr(course.published, "published", lambda: place)
    builder.build([], published_course)
    path = published_course / "README.md"
    right = path.read_text("utf-8")
    row = next(line for line in right.split("\n") if line.startswith("| 2 |"))
    path.write_text(right.replace(row, f"{row} [x](https://example.org) |"), "utf-8")
    assert builder.main(["--check", "--root", str(published_course)]) == 1
    assert "stale: README.md" in capsys.readouterr().out
    assert builder.main(["--root", str(published_course)]) == 0
    assert path.read_text("utf-8") == right


def test_a_table_that_is_not_that_of_the_lessons_is_refused():
    text = (REPOSITORY / "README.md").read_text("utf-8")
    with pytest.raises(BuildError, match="needs one table that begins with"):
        readme(text.replace("| you learn |", "| you do |"), ASSIGNMENTS, None)
    with pytest.raises(BuildError, match=r"README.md:\d+: is not the row of lesson 3\."):
        readme(text.replace("\n| 3 |", "\n| three |"), ASSIGNMENTS, None)


def test_the_notebooks_for_colab_are_the_released_ones_with_a_cell_that_installs(published_course):
    builder.build([], published_course)
    released = sorted((published_course / "release").glob("*/*.ipynb"))
    assert len(released) == 2 * len(ASSIGNMENTS) - 1
    for path in released:
        other = published_course / "colab" / path.parent.name / path.name
        notebook, before = (nbformat.read(p, as_version=4) for p in (other, path))
        nbformat.validate(notebook)
        install = notebook.cells.pop(1)
        assert install.source.startswith("# On Colab the course must be installed first.")
        assert '--no-deps "git+https://github.com/someone/hooks@v1.2"' in install.source
        assert len(notebook.cells) == len(before.cells)
        for cell, was in zip(notebook.cells, before.cells, strict=True):
            assert cell.cell_type == was.cell_type and cell.metadata == was.metadata
            if cell.cell_type == "code":
                assert cell.source == was.source
            else:
                assert not re.search(r"\]\((?!https://)[^)]*\.ipynb", cell.source)


def test_the_links_of_a_notebook_for_colab_lead_to_colab_or_to_github():
    cell = nbformat.v4.new_markdown_cell(
        "[a](exercises.ipynb) [b](../02_retain_grad/lesson.ipynb) "
        "[c](../field_guide.ipynb#The-weight) [d](https://example.org/x.ipynb)"
    )
    released = nbformat.writes(nbformat.v4.new_notebook(cells=[cell])).encode()
    made = colab_notebook("release/01_leaf_tensors/lesson.ipynb", released, PLACE)
    colab = "https://colab.research.google.com/github/someone/hooks/blob/v1.2/colab"
    assert nbformat.reads(made, as_version=4).cells[0].source == (
        f"[a]({colab}/01_leaf_tensors/exercises.ipynb) [b]({colab}/02_retain_grad/lesson.ipynb) "
        "[c](https://github.com/someone/hooks/blob/v1.2/release/field_guide.ipynb#The-weight) "
        "[d](https://example.org/x.ipynb)"
    )


@pytest.fixture
def install_cell():
    released = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_raw_cell("")]))
    made = colab_notebook("release/01_leaf_tensors/lesson.ipynb", released.encode(), PLACE)
    return nbformat.reads(made, as_version=4).cells[1].source


@pytest.mark.parametrize("there", [True, False])
def test_the_cell_installs_the_course_only_where_it_is_not_installed(
    there, install_cell, monkeypatch
):
    shell = InteractiveShell()
    asked = []
    shell.register_magic_function(asked.append, magic_name="pip")
    if not there:
        monkeypatch.setitem(sys.modules, "course", None)  # then its import fails
    shell.run_cell(install_cell).raise_error()
    packages = " ".join(f'"{text}"' for text in requirements())
    course = '--no-deps "git+https://github.com/someone/hooks@v1.2"'
    expected = [f"install --quiet {packages}", f"install --quiet {course}"]
    assert asked == ([] if there else expected)


def test_the_lessons_import_nothing_that_colab_would_have_to_install_more():
    """The course is installed without what it needs: Colab has torch, numpy, ipywidgets …"""
    assert [re.split(r"\W", text)[0] for text in requirements()] == sorted(EXTRA)
    absent = [
        "nbgrader",
        "jupyterlab",
        "nbclient",
        "jupytext",
        "sqlalchemy",
        "distributed",
        "notebook",
    ]
    names = [lesson.name for lesson in LESSONS]
    code = (
        "import sys, ast, pathlib\n"
        f"sys.modules.update(dict.fromkeys({absent}))\n"
        f"for name in {names}:\n"
        "    folder = pathlib.Path('course/lessons') / name\n"
        "    for path in folder.glob('*.py'):\n"
        "        if path.stem in ('lesson', 'exercises'):\n"
        "            tree = ast.parse(path.read_text('utf-8'))\n"
        "            kinds = ast.Import, ast.ImportFrom\n"
        "            wanted = [node for node in tree.body if isinstance(node, kinds)]\n"
        "            exec(compile(ast.Module(wanted, []), str(path), 'exec'))\n"
        "    if (folder / 'checks.py').exists():\n"
        "        from course.exercise import lesson_checks\n"
        "        assert lesson_checks(name).exercises\n"
        "from course import lab, predict\n"
        "print('all imported')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.stdout == "all imported\n", done.stderr
