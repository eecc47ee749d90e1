"""A temporary nbgrader course, driven by nbgrader's real commands.

    course = Course(tmp_path / "course")
    course.add_source("ps1", notebook([answer("a", "def f(x): ..."), test("t", "assert f(1)", 2)]))
    course.generate("ps1")
    course.submit("ann", "ps1", course.released("ps1"))
    print(course.autograde("ps1").output, course.scores("ps1"))

The course takes its options from this repository's nbgrader_config.py, then from ``config``, so
that what is tested is what is shipped; ``stock=True`` takes nbgrader's defaults instead. Cells are
written with the few functions below; ``edited`` changes one cell of a notebook, and fails if there
is no such cell.
"""

import copy
import multiprocessing
import os
import shutil
import sqlite3
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

# Each command is a process of its own, forked from one that has imported nbgrader already, which
# alone takes longer than most commands.
NBGRADER = multiprocessing.get_context("forkserver")
NBGRADER.set_forkserver_preload(["nbgrader.apps", "nbgrader.apps.nbgraderapp"])
COLD = "c.SafeExecute.preload = []\n"  # for notebooks that do not need torch
REPOSITORY = Path(__file__).resolve().parent.parent
NAME = "exercises"  # the one notebook of an assignment, as nbgrader_config.py has it

# ---- notebooks -----------------------------------------------------------------------------


def _cell(kind, source, *, name=None, points=None, **flags):
    cell = getattr(nbformat.v4, f"new_{kind}_cell")(source)
    if name is not None:
        cell.id = name
        cell.metadata["nbgrader"] = {
            "schema_version": 3,
            "grade_id": name,
            **{flag: flags.get(flag, False) for flag in ("grade", "solution", "locked", "task")},
        } | ({} if points is None else {"points": points})
    return cell


def text(source):
    return _cell("markdown", source)


def code(source):
    """An ordinary cell, unknown to nbgrader."""
    return _cell("code", source)


def setup(name, source):
    """A cell that learners can read and not edit."""
    return _cell("code", source, name=name, locked=True)


def answer(name, source):
    """A cell for a learner's code; ``source`` holds the solution in its region."""
    return _cell("code", source, name=name, solution=True)


def test(name, source, points):
    """An autograder test cell."""
    return _cell("code", source, name=name, grade=True, locked=True, points=points)


def essay(name, source, points):
    """A written answer, marked by hand."""
    return _cell("markdown", source, name=name, grade=True, solution=True, points=points)


def task(name, source, points):
    """Something to do in other cells, marked by hand."""
    return _cell("markdown", source, name=name, task=True, locked=True, points=points)


test.__test__ = False  # not a test of this suite


def notebook(cells):
    """A notebook whose cells have the same ids in every run."""
    cells = copy.deepcopy(list(cells))
    for number, cell in enumerate(cells):
        if "nbgrader" not in cell.metadata:
            cell.id = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def position(nb, name):
    """Where the cell called ``name`` is in ``nb``."""
    (found,) = [
        number
        for number, cell in enumerate(nb.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == name
    ]
    return found


def edited(nb, **sources):
    """A copy of ``nb`` in which the named cells have a new source."""
    nb = copy.deepcopy(nb)
    for name, source in sources.items():
        nb.cells[position(nb, name)].source = source
    return nb


def without(nb, *names):
    """A copy of ``nb`` without the named cells."""
    nb = copy.deepcopy(nb)
    for name in names:
        del nb.cells[position(nb, name)]
    return nb


# ---- the course ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One command: its exit status and everything it wrote."""

    status: int
    output: str


class Course:
    """A course in its own folder. ``config`` is Python text added to its nbgrader_config.py.

    With ``like``, another course, it starts with that one's assignments, generated already.
    """

    def __init__(self, root, *, config="", stock=False, like=None):
        self.root = Path(root)
        self.root.mkdir(parents=True)
        shipped = f"load_subconfig({str(REPOSITORY / 'nbgrader_config.py')!r})\n"
        (self.root / "nbgrader_config.py").write_text(
            ("" if stock else shipped)
            + "c = get_config()\n"
            + f"c.CourseDirectory.root = {str(self.root)!r}\n"
            + f"c.CourseDirectory.notebook_id = {NAME!r}\n"
            + config
        )
        if like is not None:
            for folder in ("source", "release"):
                shutil.copytree(like.root / folder, self.root / folder)
            shutil.copy(like.root / "gradebook.db", self.root)
        else:
            (self.root / "gradebook.db").write_bytes(empty_gradebook())

    def run(self, *arguments):
        """Run ``nbgrader …`` in the course's folder."""
        output = self.root / "output.txt"
        command = NBGRADER.Process(target=_nbgrader, args=(self.root, output, arguments))
        command.start()
        command.join(timeout=300)
        if command.exitcode is None:
            command.kill()
            raise AssertionError(f"{arguments} did not end:\n{output.read_text(errors='replace')}")
        return Run(command.exitcode, output.read_text(errors="replace"))

    def add_source(self, assignment, nb, files=None):
        """The instructor's notebook of an assignment, and files that go with it."""
        _fill(self.root / "source" / assignment, nb, files)

    def generate(self, assignment):
        done = self.run("generate_assignment", assignment)
        assert done.status == 0, done.output
        return done

    def released(self, assignment):
        """The notebook that a learner is given."""
        return nbformat.read(self.root / "release" / assignment / f"{NAME}.ipynb", 4)

    def submit(self, student, assignment, nb, files=None):
        """Put a submission there: a notebook, or any bytes in its place, or None for none."""
        _fill(self.root / "submitted" / student / assignment, nb, files)

    def autograde(self, assignment, *arguments):
        return self.run("autograde", assignment, *arguments)

    def generate_feedback(self, assignment, *arguments):
        return self.run("generate_feedback", assignment, *arguments)

    def autograded(self, student, assignment):
        """The notebook that nbgrader ran and marked."""
        return nbformat.read(self.root / "autograded" / student / assignment / f"{NAME}.ipynb", 4)

    def feedback(self, student, assignment):
        """The page that the learner gets, as HTML text."""
        return (self.root / "feedback" / student / assignment / f"{NAME}.html").read_text()

    def scores(self, assignment, column="auto_score"):
        """{student: {grade_id: auto_score}} from the gradebook, every submission that is in it."""
        table = defaultdict(dict)
        with sqlite3.connect(self.root / "gradebook.db") as gradebook:
            for student, name, score in gradebook.execute(
                f"""
                SELECT submitted_assignment.student_id, base_cell.name, grade.{column}
                FROM grade
                JOIN base_cell ON base_cell.id = grade.cell_id
                JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
                JOIN submitted_assignment
                    ON submitted_assignment.id = submitted_notebook.assignment_id
                JOIN assignment ON assignment.id = submitted_assignment.assignment_id
                WHERE assignment.name = ?
                """,
                [assignment],
            ):
                table[student][name] = score
        gradebook.close()
        return dict(table)


@cache
def empty_gradebook():
    """The bytes of a gradebook that nbgrader has made and not used: that takes it seconds."""
    with tempfile.TemporaryDirectory() as folder:
        making = NBGRADER.Process(target=_make_gradebook, args=(f"{folder}/gradebook.db",))
        making.start()
        making.join()
        return Path(folder, "gradebook.db").read_bytes()


def _make_gradebook(path):
    from nbgrader.api import Gradebook

    _find_alembic()
    Gradebook(f"sqlite:///{path}").close()


def _find_alembic():
    # nbgrader starts `alembic` by name: it is beside the Python that runs this
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])


def _nbgrader(root, output, arguments):
    """Be the command ``nbgrader``, as its console script is."""
    with open(output, "wb") as file:
        for descriptor in (1, 2):
            os.dup2(file.fileno(), descriptor)
    os.chdir(root)
    _find_alembic()
    sys.argv = ["nbgrader", *arguments]
    from nbgrader.apps.nbgraderapp import main

    sys.exit(main())


def _fill(folder, nb, files):
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(nb, bytes):
        (folder / f"{NAME}.ipynb").write_bytes(nb)
    elif nb is not None:
        nbformat.write(nb, folder / f"{NAME}.ipynb")
    for name, content in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
