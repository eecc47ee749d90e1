"""An instructor's own hidden cases: they decide where they are installed, or are refused whole."""

import os
import subprocess
import sys
from contextlib import contextmanager

import nbformat
import pytest
from nbgrader_course import REPOSITORY, Course, edited

from course.exercise import Case, lesson_checks
from course.private_cases import CasesError, private_cases

HISTORY = """
def history(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name())
        following = [n for n, _ in node.next_functions if n is not None]
        node = following[0] if following else None
    return {}
"""
RIGHT = HISTORY.format("names")
KNOWS_PUBLIC_CASES = HISTORY.format(
    '[] if "DivBackward0" in names[:1] and len(names) > 4 else names'
)
PRIVATE = "HIDDEN = {'history': [Case('three steps', 2, steps=('neg', 'mul', 'exp', 'div'))]}"


def package(folder, source, lesson="leaf_tensors"):
    """An installed package ``my_cases`` with hidden cases of one lesson."""
    (folder / "my_cases").mkdir(parents=True)
    (folder / "my_cases" / f"{lesson}.py").write_text(
        f"from course.exercise import Case\n\n{source}\n"
    )
    metadata = folder / "my_cases-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my_cases\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        f"[hooked_on_backward.hidden_cases]\n{lesson} = my_cases.{lesson}\n"
    )
    return folder


@contextmanager
def forgotten():
    """What was imported of my_cases and read of its cases is as if it had never been."""
    private_cases.cache_clear()
    yield
    private_cases.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_cases"]:
        del sys.modules[name]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install cases for this process alone."""

    def install(source, lesson="leaf_tensors"):
        monkeypatch.syspath_prepend(str(package(tmp_path / "site", source, lesson)))
        return lesson_checks("leaf_tensors")

    with forgotten():
        yield install


def test_private_cases_take_the_place_of_the_hidden_ones(installed):
    public = lesson_checks("leaf_tensors")["history"]
    private_cases.cache_clear()
    exercise = installed(PRIVATE)["history"]
    assert exercise.cases == (
        *(case for case in public.cases if not case.hidden),
        Case("three steps", 2, hidden=True, steps=("neg", "mul", "exp", "div")),
    )
    assert (exercise.__name__, exercise.diagnose) == ("history", public.diagnose)


def test_other_exercises_keep_their_cases(installed):
    public = lesson_checks("leaf_tensors")["freeze"]
    private_cases.cache_clear()
    assert installed(PRIVATE)["freeze"] is public


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            PRIVATE.replace("2, steps", "3, steps"),
            "The hidden cases of history are worth 2 points, and those of my_cases.leaf_tensors 3: "
            "make the sums equal.",
        ),
        (PRIVATE.replace("history", "histori"), "my_cases.leaf_tensors has cases of histori, and"),
        (PRIVATE.replace("three steps", "x * 3, then / 2"), "with a name that is taken: 'x * 3,"),
        ("HIDDEN = {'history': ['three steps']}", "that is no course.exercise.Case."),
        ("HIDEN = {}", "cannot be read from my_cases.leaf_tensors: AttributeError: "),
        ("import not_there", "cannot be read from my_cases.leaf_tensors: ModuleNotFoundError: "),
    ],
)
def test_cases_that_do_not_fit_are_refused_in_a_sentence(source, words, installed):
    with pytest.raises(CasesError) as refusal:
        installed(source)
    assert words in str(refusal.value)


def test_two_packages_for_one_lesson_are_refused(installed, tmp_path, monkeypatch):
    other = package(tmp_path / "other", PRIVATE)
    (other / "my_cases-1.0.dist-info").rename(other / "others-1.0.dist-info")
    (other / "others-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: others\nVersion: 1.0\n"
    )
    monkeypatch.syspath_prepend(str(other))
    with pytest.raises(CasesError, match="uninstall one of the packages"):
        installed(PRIVATE)


@pytest.mark.nbgrader
@pytest.mark.skipif(sys.platform != "linux", reason="submissions are contained on Linux only")
@pytest.mark.xdist_group("forks")
def test_they_decide_when_a_class_is_marked(tmp_path):
    private = package(tmp_path / "site", PRIVATE)
    course = Course(
        tmp_path / "course",
        config=f"c.SafeExecute.environment = {{'PYTHONPATH': {str(private)!r}}}\n",
    )
    assignment = "01_leaf_tensors"
    source = REPOSITORY / "source" / assignment / "exercises.ipynb"
    course.add_source(assignment, nbformat.read(source, 4))
    course.generate(assignment)
    released = course.released(assignment)
    course.submit("ann", assignment, edited(released, history=RIGHT))
    course.submit("bob", assignment, edited(released, history=KNOWS_PUBLIC_CASES))

    def points(*command):
        done = subprocess.run(
            [sys.executable, "-m", "course", "grade", assignment, "--force", *command],
            cwd=course.root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(private)])},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        scores = course.scores(assignment)
        return [[scores[one][f"history_{part}"] for part in ("visible", "hidden")] for one in who]

    who = ("ann", "bob")
    assert points() == [[2, 2], [2, 0]]
    (private / "my_cases-1.0.dist-info" / "entry_points.txt").unlink()
    assert points() == [[2, 2], [2, 2]]
