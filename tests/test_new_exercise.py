"""``python -m course new exercise``: the walk-through of CONTRIBUTING.md, and what is refused."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from course import new_exercise
from course.author_text import BuildError
from course.lessons import LESSONS, find_lesson
from course.new_exercise import Refused, add_exercise, main
from course.to_fill import FILES, MARK, refuse_unfilled

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent
HOOKS = find_lesson("tensor_hooks")
WITH_EXERCISES = [lesson for lesson in LESSONS if (lesson.folder / "exercises.py").exists()]


@pytest.fixture
def copy(tmp_path):
    """A copy of the course that its own code can be run in."""
    skip = shutil.ignore_patterns("__pycache__")
    for name in ("course", "source", "release"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=skip)
    for name in ("nbgrader_config.py", "pyproject.toml", "README.md"):
        shutil.copy(REPOSITORY / name, tmp_path)
    return tmp_path


@pytest.fixture
def lesson(tmp_path):
    """Lesson 3 with its files in another place."""
    shutil.copytree(HOOKS.folder, tmp_path / HOOKS.name)
    return replace(HOOKS, home=tmp_path)


def run(folder, *command):
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True
    )


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


# ---- the walk-through -------------------------------------------------------------------------


def walk_through():
    """The command and the blocks of CONTRIBUTING.md: ``(command, {file name: code})``."""
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    text = text.split("## An exercise in ten minutes")[1].split("\n## ")[0]
    steps = re.split(r"^\d\. ", text, flags=re.MULTILINE)[1:]
    (command,) = re.findall(r"python -m (course new .*)", steps[0])
    blocks = {}
    for step in steps[1:]:
        for block in re.findall(r"```python\n(.*?)   ```", step, re.DOTALL):
            blocks[re.search(r"`(\w+\.py)`", step)[1]] = textwrap.dedent(block)
    return command.split(), blocks


def fill_in(folder, blocks):
    for name in FILES:
        path = folder / name
        text = path.read_text("utf-8")
        start = text.index(blocks[name].splitlines()[0].split(" points=")[0].split(": a ")[0])
        path.write_text(text[:start] + blocks[name], "utf-8")
    reasons = (folder / "reasons.py").read_text("utf-8").rstrip()
    new = textwrap.indent(blocks["reasons.py"], "    ")
    (folder / "reasons.py").write_text(f"{reasons.removesuffix('}')}{new}}}\n", "utf-8")


def test_the_walk_through_of_contributing_gives_a_working_exercise(copy):
    command, blocks = walk_through()
    folder = copy / "course" / "lessons" / "tensor_hooks"
    done = run(copy, *command)
    assert done.returncode == 0, done.stderr
    added = re.findall(r"^  (\S+):(\d+)  ", done.stdout, re.MULTILINE)
    assert len(added) == 3
    to_fill = []
    for path, line in added:
        lines = (copy / path).read_text("utf-8").splitlines()
        assert "flip" in lines[int(line) - 1]
        marked = [str(n) for n, words in enumerate(lines, start=1) if MARK in words]
        assert int(marked[0]) >= int(line)
        to_fill.append(f"{Path(path).name} {', '.join(marked)}")

    for asked in (["build", "tensor_hooks"], ["check", "tensor_hooks"]):
        refused = run(copy, "course", *asked)
        assert refused.returncode == 1
        assert refused.stderr.count("\n") == 1
        assert f"Lines with {MARK}: {'; '.join(to_fill)}." in refused.stderr

    fill_in(folder, blocks)
    built = run(copy, "course", "build", "tensor_hooks")
    assert built.returncode == 0, built.stderr
    assert "built: release/03_tensor_hooks/exercises.ipynb" in built.stdout
    released = nbformat.read(copy / "release/03_tensor_hooks/exercises.ipynb", as_version=4)
    cells = {cell.id: cell.source for cell in released.cells if cell.id.startswith("flip")}
    assert list(cells) == ["flip", "flip_visible", "flip_hidden"]
    assert cells["flip"].endswith("raise NotImplementedError()")
    checked = run(copy, "course", "check", "tensor_hooks")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    before = len(re.findall("^# %% ", (HOOKS.folder / "answers.py").read_text("utf-8"), re.M))
    assert f"{before + 9} of {before + 9} answers marked as the table says" in checked.stdout
    linted = run(copy, "ruff", "check", "--no-cache", str(folder))
    assert linted.returncode == 0, linted.stdout


def test_a_course_with_exercises_to_fill_in_can_be_imported_and_has_no_lint(copy):
    for lesson in WITH_EXERCISES:
        done = run(copy, "course", "new", "exercise", str(lesson.number), "brand_new")
        assert done.returncode == 0, done.stderr
    names = [lesson.name for lesson in WITH_EXERCISES]
    code = (
        "from course.exercise import lesson_checks\n"
        f"for lesson in {names}:\n"
        "    checks = lesson_checks(lesson)\n"
        "    assert callable(checks.reference('brand_new')), lesson\n"
        "    exercise = checks['brand_new']\n"
        "    facts = exercise.observe(lambda value: value, exercise.cases[0].given, None)\n"
        "    assert exercise.diagnose({'result': None}, facts)[0] == 'RETURNS_NONE'\n"
        "    assert exercise.diagnose(facts, facts) is None\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for command in (["format", "--check"], ["check"]):
        done = run(copy, "ruff", *command, "--no-cache", "course/lessons")
        assert done.returncode == 0, done.stdout


# ---- what is added, and what is refused -------------------------------------------------------


def test_the_parts_are_added_at_the_end_with_the_next_number_and_places_for_nine_answers(lesson):
    before = {name: (lesson.folder / name).read_text("utf-8") for name in FILES}
    numbers = [int(n) for n in re.findall(r"^# ## (\d+)\.", before["exercises.py"], re.MULTILINE)]
    add_exercise(lesson, "brand_new")
    new = {name: (lesson.folder / name).read_text("utf-8") for name in FILES}
    assert all(new[name].startswith(before[name]) for name in FILES)
    assert f"# ## {max(numbers) + 1}. FILL_IN" in new["exercises.py"]
    assert new["answers.py"].count("# %% right brand_new:") == 3
    assert new["answers.py"].count("# %% wrong brand_new ") == 6
    with pytest.raises(BuildError, match=r"^tensor_hooks/exercises.py:\d+: is still to be filled"):
        refuse_unfilled(lesson.folder)


def test_a_lesson_without_the_mark_is_not_refused():
    for lesson in LESSONS:
        refuse_unfilled(lesson.folder)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("scale_gradient", "The name 'scale_gradient' is taken in lesson tensor_hooks"),
        ("describe", "The name 'describe' is taken in lesson tensor_hooks"),  # checks.py imports it
        ("hint", "The name 'hint' is taken in lesson tensor_hooks"),
        ("print", "The name 'print' is taken by Python itself"),
        ("2fast", "'2fast' cannot be the name of an exercise: take a Python name"),
        ("lambda", "'lambda' cannot be the name of an exercise: take a Python name"),
        ("Flip", "'Flip' cannot be the name of an exercise: take a Python name"),
        ("flip_hidden", "'flip_hidden' cannot be the name of an exercise: cells are named"),
        ("given_1", "'given_1' cannot be the name of an exercise: cells are named"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused_in_a_sentence(
    name, words, lesson, monkeypatch, capsys
):
    monkeypatch.setattr(new_exercise, "find_lesson", lambda _: lesson)
    before = files_of(lesson.folder)
    assert main(["exercise", "tensor_hooks", name]) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"new: {words}")
    assert said.err.count("\n") == 1 and not said.out
    assert files_of(lesson.folder) == before


def test_an_unknown_lesson_and_one_without_exercises_are_refused(capsys):
    assert main(["exercise", "no_such", "flip"]) == 2
    assert "There is no lesson 'no_such'. The lessons are: start_here" in capsys.readouterr().err
    assert main(["exercise", "start_here", "flip"]) == 2
    assert "Lesson 'start_here' has no exercises" in capsys.readouterr().err


def test_a_lesson_that_is_not_valid_python_is_refused(lesson):
    (lesson.folder / "checks.py").write_text("def broken(:\n")
    before = files_of(lesson.folder)
    with pytest.raises(Refused, match="Lesson tensor_hooks is not valid Python"):
        add_exercise(lesson, "brand_new")
    assert files_of(lesson.folder) == before


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_where_one_file_cannot_be_written_none_is(failing, lesson, monkeypatch, capsys):
    real, calls = os.replace, []

    def replaced(source, target):
        calls.append(target)
        if len(calls) == failing:
            raise PermissionError(13, "Permission denied", str(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", replaced)
    monkeypatch.setattr(new_exercise, "find_lesson", lambda _: lesson)
    before = files_of(lesson.folder)
    assert main(["exercise", "tensor_hooks", "brand_new"]) == 1
    assert "new: nothing is added, because of this:" in capsys.readouterr().err
    assert len(calls) == failing
    assert files_of(lesson.folder) == before
