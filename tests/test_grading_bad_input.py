"""What learners hand in, at its worst, through nbgrader's real autograde in one class run.

Every submission gets an outcome, what is gone is worth 0 and says why in one sentence, and the
marks of all others are what they would be alone.
"""

import copy

import nbformat
import pytest
from nbgrader_course import COLD, Course, edited, position, without
from scratch_assignment import NOTHING, RIGHT, STUB, answered, scores

pytest_plugins = ["scratch_course"]
pytestmark = pytest.mark.nbgrader

CONFIG = """
c.Execute.timeout = 100
c.SubmissionExporter.max_notebook_bytes = 1_000_000
"""


DOUBLES_LOST = scores(test_double=0, test_hidden=0)
ALL_LOST = DOUBLES_LOST | {"test_half": 0}


def _doubled(nb, *names):
    """A copy of ``nb`` with the named cells pasted a second time, above themselves."""
    nb = copy.deepcopy(nb)
    for name in names:
        at = position(nb, name)
        nb.cells.insert(at, copy.deepcopy(nb.cells[at]))
        nb.cells[at].id = f"{name}-copy"
    return nb


def _edited_by_hand(nb):
    """Points, flags, version, name and type of cells changed, in the file itself."""
    nb = copy.deepcopy(nb)
    for name, mark in {
        "test_double": {"points": 1000},
        "test_half": {"grade": False, "solution": True},
        "setup": {"schema_version": 99},
        "test_hidden": {"grade_id": "mine"},
    }.items():
        nb.cells[position(nb, name)].metadata.nbgrader.update(mark)
    at = position(nb, "test_setup")
    new = nbformat.v4.new_markdown_cell(nb.cells[at].source, metadata=nb.cells[at].metadata)
    nb.cells[at] = new
    return nb


def first(released, *lines):
    """A right submission, but for what one of its functions does first."""
    return answered(released, double="\n    ".join(["def double(x):", *lines, "return 2 * x"]))


def endless(released):
    """{student: (a notebook that does not return, the scores that it must get)}"""
    claim = "get_ipython().displayhook(2)"
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    return {
        "endless": (first(released, claim, "while True: pass"), DOUBLES_LOST),
        "endless_deaf": (first(released, deaf, "while True: time.sleep(9)"), ALL_LOST),
    }


def notebooks(released):
    """{student: (submitted notebook, the scores that it must get)}"""
    right = answered(released)
    return {
        # the first and the last of the class: nothing between them may touch their marks
        "a_right": (right, scores()),
        "z_right": (right, scores()),
        "untouched": (released, STUB),
        # deleted, doubled or edited cells
        "deleted_answer": (without(right, "double"), DOUBLES_LOST),
        "deleted_rest": (without(right, *scores(), "setup"), scores(why=0)),
        "deleted_all": (nbformat.v4.new_notebook(), ALL_LOST | {"why": 0}),
        "doubled": (_doubled(right, "setup", "double", "test_double", "test_half"), scores()),
        "edited_test": (
            edited(released, test_double="pass", test_half="get_ipython().displayhook(4)"),
            STUB,
        ),
        "edited_by_hand": (_edited_by_hand(right), scores()),
        # an answer that exits the interpreter, in the answer's cell or when it is called
        "exits": (first(released, "import os; os._exit(0)"), ALL_LOST),
        "quits": (answered(released, half=f"{RIGHT['half']}\nquit()"), scores(test_half=0)),
        "sys_exit": (first(released, "import sys; sys.exit(0)"), DOUBLES_LOST),
        # that prints a megabyte, or more
        "prints_1_mb": (first(released, "print('x' * 1_000_000)"), scores()),
        "raises_10_mb": (first(released, "raise ValueError('x' * 10_000_000)"), DOUBLES_LOST),
        "noisy": (  # 60 MB in one line, and what no notebook may hold
            answered(
                released,
                double=f"{RIGHT['double']}\nprint('x' * 60_000_000)",
                half=f"{RIGHT['half']}\ndisplay({{'text/plain': 5}}, raw=True)",
            ),
            scores(),
        ),
    }


def files(released):
    """{student: (what lies in the place of the notebook, the reason it is not marked)}"""
    right = nbformat.writes(answered(released)).encode()
    return {
        "no_file": (None, "there is no file exercises.ipynb in it"),
        "other_name": (None, "there is no file exercises.ipynb in it (it holds Exercises-1.ipynb)"),
        "empty_file": (b"", "exercises.ipynb is empty"),
        "truncated": (right[: len(right) // 2], "exercises.ipynb is not a notebook"),
        "not_json": (b"def double(x):\n    return 2 * x\n", "exercises.ipynb is not a notebook"),
        "huge": (right + b" " * 1_000_000, "exercises.ipynb has 1.0 MB and the limit is 1.0 MB"),
    }


@pytest.fixture(scope="module")
def course(tmp_path_factory, scratch):
    return Course(
        tmp_path_factory.mktemp("bad_input") / "course", config=CONFIG + COLD, like=scratch
    )


@pytest.fixture(scope="module")
def released(course):
    return course.released("numbers")


@pytest.fixture(scope="module")
def run(course, released):
    """One class run over everything that ends by itself."""
    for student, (nb, _) in notebooks(released).items():
        course.submit(student, "numbers", nb)
    for student, (content, _) in files(released).items():
        course.submit(student, "numbers", content)
    course.submit("other_name", "numbers", None, {"Exercises-1.ipynb": "{}"})
    return course.autograde("numbers")


@pytest.fixture(scope="module")
def table(run, course):
    return course.scores("numbers")


def test_the_class_run_ends_with_status_0_and_marks_everybody(run, table, released):
    assert run.status == 0, run.output
    assert table.keys() == notebooks(released).keys() | files(released).keys()


def test_every_notebook_gets_its_points_and_no_more(table, released):
    expected = {student: points for student, (_, points) in notebooks(released).items()}
    assert {student: table[student] for student in expected} == expected


def test_what_cannot_be_read_is_marked_0_with_one_sentence(run, table, course, released):
    for student, (_, why) in files(released).items():
        assert table[student] == NOTHING, student
        logged = [
            line
            for line in run.output.splitlines()
            if "marked 0" in line and f"/{student}/" in line
        ]
        assert len(logged) == 1 and why in logged[0], (student, logged)
        note = course.autograded(student, "numbers").cells[0].source
        assert why in note, (student, note)


def said(course, student, name):
    """The errors under the cell ``name`` of a marked submission."""
    nb = course.autograded(student, "numbers")
    outputs = nb.cells[position(nb, name)].outputs
    return [f"{out.ename}: {out.evalue}" for out in outputs if out.output_type == "error"]


def test_cells_that_were_not_run_say_why(run, course):
    not_run = "NotRun: this cell was not run, because "
    died = "the kernel died in cell 5 ('test_double')"
    assert said(course, "exits", "test_double") == [f"Stopped: {died}"]
    assert said(course, "exits", "test_hidden") == [not_run + died]
    assert said(course, "exits", "test_half") == [not_run + died]
    assert said(course, "quits", "test_hidden") == []
    assert said(course, "quits", "test_half") == [
        f"{not_run}cell 7 ('half') ended the kernel with quit() or exit()"
    ]


def test_no_marked_notebook_is_large(run, course, table):
    sizes = {
        student: (course.root / "autograded" / student / "numbers" / "exercises.ipynb")
        .stat()
        .st_size
        for student in table
    }
    assert {student: size for student, size in sizes.items() if size > 1_000_000} == {}


def test_answers_that_never_return_are_stopped_and_nobody_else_is_touched(
    run, course, table, released
):
    for student, (nb, _) in endless(released).items():
        course.submit(student, "numbers", nb)
    done = course.autograde(
        "numbers",
        "--Execute.timeout=3",
        "--Execute.iopub_timeout=3",
        "--Execute.shell_timeout_interval=1",
    )
    assert done.status == 0, done.output
    expected = {student: points for student, (_, points) in endless(released).items()}
    assert course.scores("numbers") == table | expected
    assert said(course, "endless", "test_double") == [
        "CellTimeoutError: the cell was stopped after 3 s",
        "KeyboardInterrupt: ",
    ]
    assert said(course, "endless_deaf", "test_half") == [
        "NotRun: this cell was not run, because cell 5 ('test_double') did not end and could not "
        "be stopped"
    ]


def test_a_notebook_that_uses_up_its_time_keeps_what_it_had(course, released):
    slow = answered(released, half=f"import time; time.sleep(60)\n{RIGHT['half']}")
    course.submit("slow", "numbers", slow)
    done = course.autograde("numbers", "--student=slow", "--SafeExecute.notebook_timeout=4")
    assert done.status == 0, done.output
    assert course.scores("numbers")["slow"] == scores(test_half=0)
    assert said(course, "slow", "test_half") == [
        "NotRun: this cell was not run, because the notebook had used up its 4 s"
    ]
