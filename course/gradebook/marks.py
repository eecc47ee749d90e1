"""The marks of one assignment as a table: a row for each learner, a column for each graded cell.

with reading(url) as session:
    marks = marks_of(session, "ps1")
marks.scores[0, 1]     # what the first learner got for the second cell
"""

import re
from dataclasses import dataclass

import numpy as np
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from course.gradebook.database import GradebookError

NO_RESPONSE = "No response."  # what nbgrader's autograde notes at an answer nobody has touched


@dataclass(frozen=True)
class Cell:
    """A cell that gives points, the exercise it belongs to, and whether one sees its answer."""

    notebook: str
    name: str
    points: float
    exercise: str
    answered: bool  # its exercise has an answer cell, so that "untouched" is known


@dataclass(frozen=True)
class Marks:
    """What the gradebook holds about one assignment; nan where a mark is not there (yet)."""

    assignment: str
    students: int  # in the gradebook, whether they handed in or not
    learners: tuple[str, ...]  # who handed in
    cells: tuple[Cell, ...]
    notebooks: tuple[tuple[str, str], ...]  # (learner, notebook), each that was handed in
    scores: np.ndarray  # learners × cells, without extra credit
    there: np.ndarray  # learners × cells: the notebook with this cell was handed in
    untouched: np.ndarray  # learners × cells: the answer that it judges is as it was handed out


def marks_of(session: Session, assignment: str) -> Marks:
    """Read the marks of an assignment: ``marks_of(session, "ps1")``.

    Raises GradebookError with the names of the assignments when it is none of them.
    """
    number = session.scalar(select(Assignment.id).where(Assignment.name == assignment))
    if number is None:
        raise GradebookError(_unknown(session, assignment))
    ids, cells = _cells(session, number)
    handed_in = select(SubmittedAssignment.student_id).where(
        SubmittedAssignment.assignment_id == number
    )
    learners = tuple(session.scalars(handed_in.order_by(SubmittedAssignment.student_id)))
    scores, there = _scores(session, number, learners, ids)
    return Marks(
        assignment,
        session.scalar(select(func.count()).select_from(Student)) or 0,
        learners,
        cells,
        _notebooks(session, number),
        scores,
        there,
        _untouched(session, number, learners, cells),
    )


def exercise_of(cell: str, answers: list[str]) -> str:
    """The answer that a cell judges, by their names: ``exercise_of("test_sum", ["sum"])`` → "sum".

    It is the longest name of an answer cell that is in the cell's name as whole words. A cell that
    has none is an exercise of its own.
    """
    words = f"_{_words(cell)}_"
    known = [answer for answer in answers if f"_{_words(answer)}_" in words]
    return cell if cell in answers else max(known, key=len, default=cell)


def _words(name):
    return re.sub(r"[\W_]+", "_", name).strip("_")


def _cells(session, number):
    answers = {}
    for notebook, name in session.execute(_in_notebooks(number, SolutionCell)):
        answers.setdefault(notebook, []).append(name)
    ids, cells = [], []
    for kind in (GradeCell, TaskCell):
        for notebook, name, cell_id, points in session.execute(
            _in_notebooks(number, kind, kind.id, kind.max_score)
        ):
            known = answers.get(notebook, [])
            exercise = exercise_of(name, known)
            ids.append(cell_id)
            cells.append(Cell(notebook, name, points, exercise, exercise in known))
    return ids, tuple(cells)


def _in_notebooks(number, kind, *more):
    return (
        select(Notebook.name, kind.name, *more)
        .join(Notebook, Notebook.id == kind.notebook_id)
        .where(Notebook.assignment_id == number)
        .order_by(Notebook.name, kind.name)
    )


def _scores(session, number, learners, cell_ids):
    """Two tables, learners × cells: the marks, and where there is a place for one."""
    # autograde may be adding learners while this reads: those of the first query count
    row, column = _places(learners), _places(cell_ids)
    scores = np.full((len(row), len(column)), np.nan)
    there = np.zeros(scores.shape, dtype=bool)
    grades = _of_learners(number, Grade.cell_id, Grade.auto_score, Grade.manual_score)
    grades = grades.join(Grade, Grade.notebook_id == SubmittedNotebook.id)
    for learner, cell_id, auto, manual in session.execute(grades):
        if learner in row and cell_id in column:
            score = auto if manual is None else manual
            scores[row[learner], column[cell_id]] = np.nan if score is None else score
            there[row[learner], column[cell_id]] = True
    return scores, there


def _untouched(session, number, learners, cells):
    """Learners × cells: where the answer that a cell judges is as it was handed out."""
    row, columns_of = _places(learners), {}
    for place, cell in enumerate(cells):
        columns_of.setdefault((cell.notebook, cell.exercise), []).append(place)
    untouched = np.zeros((len(row), len(cells)), dtype=bool)
    answers = (
        _of_learners(number, Notebook.name, BaseCell.name)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(Comment, Comment.notebook_id == SubmittedNotebook.id)
        .join(BaseCell, BaseCell.id == Comment.cell_id)
        .where(Comment.auto_comment == NO_RESPONSE)
    )
    for learner, notebook, answer in session.execute(answers):
        if learner in row:
            untouched[row[learner], columns_of.get((notebook, answer), [])] = True
    return untouched


def _notebooks(session, number):
    handed_in = (
        _of_learners(number, Notebook.name)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .order_by(SubmittedAssignment.student_id, Notebook.name)
    )
    return tuple(map(tuple, session.execute(handed_in)))


def _places(things):
    return {thing: place for place, thing in enumerate(things)}


def _of_learners(number, *columns):
    return (
        select(SubmittedAssignment.student_id, *columns)
        .select_from(SubmittedAssignment)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .where(SubmittedAssignment.assignment_id == number)
    )


def _unknown(session, assignment):
    names = session.scalars(select(Assignment.name).order_by(Assignment.name)).all()
    if not names:
        return (
            f"There is no assignment {assignment!r}, the gradebook holds none yet: "
            "`nbgrader generate_assignment` adds one."
        )
    return f"There is no assignment {assignment!r}. The gradebook holds: {', '.join(names)}."
