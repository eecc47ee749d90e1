"""The builder makes the same notebooks every time and refuses what an author got wrong."""

import json
import shutil
import subprocess
import sys
import types

import nbformat
import pytest

import course.authoring as authoring
import course.build as builder
from course.author_text import BuildError, read_cells
from course.authoring import exercises_notebook, lesson_notebook
from course.build import ROOT, build, main, refuse_leaks
from course.exercise import LessonChecks, exercises_of
from course.lessons import LESSONS, Lesson, find_lesson
from course.reasons import COMMON

pytestmark = pytest.mark.machine
LEAVES = find_lesson("leaf_tensors")


@pytest.fixture
def built(tmp_path):
    """A folder with the committed source/ and release/, to build into."""
    for name in ("source", "release"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A folder with everything, built from nothing."""
    folder = tmp_path_factory.mktemp("fresh")
    build(list(LESSONS), root=folder)
    return folder


def notebooks(folder):
    paths = sorted(p for name in ("source", "release") for p in (folder / name).rglob("*.ipynb"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_what_is_committed_is_what_the_text_says_to_the_byte(fresh):
    committed, made = notebooks(ROOT), notebooks(fresh)
    assert list(made) == list(committed)
    for path, data in made.items():
        assert data == committed[path], f"{path} is stale: run `python -m course build`"


def test_a_changed_notebook_is_stale_and_check_mends_nothing(built, capsys):
    path = built / "release/01_leaf_tensors/exercises.ipynb"
    path.write_bytes(path.read_bytes() + b" ")
    before = path.read_bytes()
    assert main(["--check", "--root", str(built), "leaf_tensors"]) == 1
    assert "stale: release/01_leaf_tensors/exercises.ipynb" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert main(["--root", str(built), "leaf_tensors"]) == 0
    assert path.read_bytes() == (ROOT / "release/01_leaf_tensors/exercises.ipynb").read_bytes()


def test_a_build_without_changes_makes_nothing(fresh, monkeypatch):
    monkeypatch.setattr(builder, "make", lambda lessons: pytest.fail("made something"))
    monkeypatch.setattr(builder, "make_guide", lambda: pytest.fail("made the guide"))
    assert build(list(LESSONS), root=fresh) == []
    assert main(["--check", "--root", str(fresh)]) == 0


def test_nbgrader_itself_releases_the_same_notebook_and_leaves_the_lesson(tmp_path):
    for name in ("source", "release"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    command = [
        sys.executable,
        "-m",
        "nbgrader",
        "generate_assignment",
        LEAVES.assignment,
        "--force",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for name in ("exercises.ipynb", "lesson.ipynb"):
        path = f"release/{LEAVES.assignment}/{name}"
        assert (tmp_path / path).read_bytes() == (ROOT / path).read_bytes(), name


def released():
    return sorted((ROOT / "release").glob("*/*.ipynb"))


def test_the_code_of_a_prediction_which_says_what_comes_out_is_folded():
    for lesson in LESSONS:
        notebook = nbformat.read(ROOT / "release" / lesson.assignment / "lesson.ipynb", 4)
        for cell in notebook.cells:
            folded = cell.metadata.get("jupyter", {}).get("source_hidden", False)
            assert folded == ("= predict(" in cell.source)


@pytest.mark.parametrize("path", released(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_released_notebook_is_valid_minimal_and_has_no_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"nbgrader", "deletable", "editable", "tags", "jupyter"}
        if cell.cell_type == "code":
            assert cell.execution_count is None
            if "course-map" not in cell.metadata.get("tags", ()):
                assert cell.outputs == []


@pytest.mark.parametrize("path", released(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_nothing_of_a_solution_or_a_hidden_test_is_released(path):
    text = path.read_text("utf-8")
    for mark in ("SOLUTION", "HIDDEN TESTS", "BEGIN STUB", "hidden=True"):
        assert mark not in text


# --- what the builder refuses ---------------------------------------------------------------

EXERCISES = """# %% [markdown]
# # Exercises

# %%
import torch

# %% [markdown] exercise="double" points=2 difficulty="easy" minutes=2
# ## Double it
# Give back twice x.

# %% exercise="double"
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
"""
CHECKS = """from course.exercise import Case, Exercise
from course.facts import describe


class double(Exercise):
    cases = (Case("one", 1, x=1), Case("two", 1, hidden=True, x=2))
    hints = ("Multiply.",)

    @staticmethod
    def observe(answer, given, rng):
        return {"value": describe(answer(given["x"]))}
"""
ANSWERS = """# %% right double: times two
def double(x):
    return x * 2

# %% wrong double WRONG_VALUE 0: once
def double(x):
    return x
"""


@pytest.fixture
def author(tmp_path):
    """A lesson of one exercise; the test changes its text and builds it."""
    lesson = Lesson("small", "Small", 1, home=tmp_path)
    lesson.folder.mkdir()

    def make(
        exercises=EXERCISES, checks=CHECKS, answers=ANSWERS, text="# %% [markdown]\n# # Small\n"
    ):
        files = {"exercises.py": exercises, "lesson.py": text, "answers.py": answers}
        for name, content in files.items():
            if content is not None:
                (lesson.folder / name).write_text(content)
        module = types.ModuleType("small.checks")
        exec(checks, vars(module))
        lesson_notebook(lesson)
        return exercises_notebook(
            lesson, LessonChecks("small", exercises_of(module), COMMON, module)
        )

    return make


def test_a_small_lesson_becomes_the_cells_that_nbgrader_needs(author):
    cells = author().cells
    assert [cell.id for cell in cells] == [
        "text-01",
        "given_1",
        "text-02",
        "double",
        "double_visible",
        "double_hidden",
        "text-grade-me",
        "grade-me",
    ]
    grading = [
        (c.id, c.metadata.nbgrader.points)
        for c in cells
        if "points" in c.metadata.get("nbgrader", {})
    ]
    assert grading == [("double_visible", 1), ("double_hidden", 1)]
    assert "*easy · about 2 minutes · 2 points*" in cells[2].source


def without(text, start, end):
    a = text.index(start)
    return text[:a] + text[text.index(end, a) :]


REFUSED = {
    "no answer cell": (
        {"exercises": without(EXERCISES, '# %% exercise="double"', "    ### END")[:-21]},
        "small/exercises.py:7: exercise 'double' has no answer cell with a stub",
    ),
    "no stub": (
        {
            "exercises": EXERCISES.replace("    ### BEGIN SOLUTION\n", "").replace(
                "    ### END SOLUTION\n", ""
            )
        },
        "small/exercises.py:11: exercise 'double' has no stub",
    ),
    "an open solution": (
        {"exercises": EXERCISES.replace("    ### END SOLUTION\n", "")},
        "small/exercises.py:11: exercise 'double'",
    ),
    "no tests": (
        {"checks": CHECKS.replace("class double", "class triple")},
        "small/exercises.py:11: exercise 'double' has no tests",
    ),
    "no hidden tests": (
        {"checks": CHECKS.replace("hidden=True, ", "")},
        "exercise 'double' needs visible and hidden tests",
    ),
    "a grade_id used twice": (
        {"exercises": EXERCISES + EXERCISES[EXERCISES.index('\n# %% exercise="double"') :]},
        "the grade_id 'double' is used twice",
    ),
    "points that do not add up": (
        {"exercises": EXERCISES.replace("points=2", "points=3")},
        "exercise 'double' says 3 points; its cases in checks.py add up to 2",
    ),
    "no difficulty": (
        {"exercises": EXERCISES.replace(' difficulty="easy"', "")},
        "exercise 'double' does not say its difficulty",
    ),
    "an unknown difficulty": (
        {"exercises": EXERCISES.replace('"easy"', '"trivial"')},
        "difficulty is one of: warm-up, easy, medium, hard",
    ),
    "no bank": ({"answers": None}, "small/answers.py: is missing"),
    "no right answer": (
        {"answers": ANSWERS[ANSWERS.index("# %% wrong") :]},
        "exercise 'double' has no right answer",
    ),
    "no wrong answer": (
        {"answers": ANSWERS[: ANSWERS.index("# %% wrong")]},
        "exercise 'double' has no wrong answer",
    ),
    "an answer to no exercise": (
        {"answers": ANSWERS.replace("right double", "right dubble")},
        "small/answers.py:1: there is no exercise 'dubble'; there are: double.",
    ),
    "a reason code without a sentence": (
        {"answers": ANSWERS.replace("WRONG_VALUE", "TOO_SMALL")},
        "small/answers.py:5: the reason code 'TOO_SMALL' of exercise 'double' has no sentence: "
        "write it in reasons.py",
    ),
    "a bank header that cannot be read": (
        {"answers": ANSWERS.replace("WRONG_VALUE 0", "0")},
        "small/answers.py:5: `# %% wrong double 0: once` is neither",
    ),
    "an unknown key": (
        {"exercises": EXERCISES.replace("minutes=2", "minutes=2 colour=3")},
        "small/exercises.py:7: has the unknown key 'colour'",
    ),
    "a header that cannot be read": (
        {"exercises": EXERCISES.replace('# %% exercise="double"', "# %% exercise=double")},
        "small/exercises.py:11: cannot read the cell's header",
    ),
    "text before the first cell": (
        {"exercises": '"""Exercises."""\n' + EXERCISES},
        "small/exercises.py:1: has text before its first cell",
    ),
    "no cell at all": ({"text": "print('hello')\n"}, "small/lesson.py:1: has no cell"),
    "a cell that is not Python": (
        {"text": "# %%\nx = 1\ny = = 2\n"},
        "small/lesson.py:3: is not valid Python",
    ),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_the_builder_refuses_and_names_file_and_line(author, fault):
    changes, sentence = REFUSED[fault]
    with pytest.raises(BuildError) as refusal:
        author(**changes)
    assert sentence in str(refusal.value)


def test_a_solution_that_would_be_released_is_refused():
    path = ROOT / "release/01_leaf_tensors/exercises.ipynb"
    notebook = json.loads(path.read_bytes())
    cell = next(c for c in notebook["cells"] if c["id"] == "freeze")
    cell["source"] = ["def freeze(part):\n", "    return part.requires_grad_(False)\n"]
    with pytest.raises(BuildError, match="the solution of this cell would reach release/"):
        refuse_leaks(LEAVES, json.dumps(notebook).encode())


def test_a_hidden_test_that_would_be_released_is_refused():
    released = json.dumps({"cells": [{"source": ["### BEGIN HIDDEN TESTS"]}]}).encode()
    with pytest.raises(BuildError, match="'BEGIN HIDDEN' would reach release/"):
        refuse_leaks(LEAVES, released)


def test_an_unknown_lesson_is_named_with_the_known_ones(capsys):
    assert main(["--check", "leaf_tensor"]) == 2
    assert (
        "There is no lesson 'leaf_tensor'. The lessons are: start_here" in capsys.readouterr().err
    )


def test_a_refusal_writes_nothing(built, monkeypatch, capsys):
    def refuse(lesson):
        raise BuildError(lesson.folder / "exercises.py", 3, "is refused.")

    monkeypatch.setattr(authoring, "exercises_notebook", refuse)
    path = built / "release/01_leaf_tensors/lesson.ipynb"
    path.write_text("stale")
    assert main(["--root", str(built)]) == 1
    assert capsys.readouterr().err == "build: leaf_tensors/exercises.py:3: is refused.\n"
    assert path.read_text() == "stale"


def test_the_cells_of_every_lesson_are_valid_percent_text():
    for lesson in LESSONS:
        assert read_cells(lesson.folder / "lesson.py", {"tags"})
