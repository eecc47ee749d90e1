"""``python -m course export``: the table of ``nbgrader export``, from one query.

    python -m course export
    python -m course export --to grades.csv --db postgresql://me@host/gradebook

nbgrader's own command asks the database several times for each submission, which takes minutes
where there are thousands. The columns, rows, values and their order are the same. Names that hold
a comma, a quote or a line break are quoted here; there they break the table.
"""

import argparse
import csv
import io
import sys
from collections.abc import Iterator

from nbgrader.api import Assignment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import and_, func, select, true
from sqlalchemy.orm import Session
from sqlalchemy.sql import Select

from course.gradebook.database import GradebookError, course_directory, reading
from course.gradebook.files import write_whole

COLUMNS = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course export",
        description="Write the grades of all students as a table, as `nbgrader export` does, fast.",
    )
    parser.add_argument(
        "--to", default="grades.csv", metavar="FILE.csv", help="default: %(default)s"
    )
    parser.add_argument(
        "--db", metavar="URL", help="the gradebook; default: the one of this course"
    )
    options = parser.parse_args(argv)
    try:
        with reading(options.db or course_directory().db_url) as session:
            rows = list(grades(session))
        write_whole(options.to, as_csv(rows))
    except GradebookError as error:
        print(f"export: {error}", file=sys.stderr)
        return 2
    print(f"Wrote {len(rows)} row{'s' * (len(rows) != 1)} to {options.to}.", file=sys.stderr)
    return 0


def as_csv(rows: list[tuple]) -> str:
    """The table as text: ``as_csv(list(grades(session)))``."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(rows)
    return text.getvalue()


def grades(session: Session) -> Iterator[tuple]:
    """The rows: each student in each assignment, handed in or not: ``list(grades(session))``."""
    for row in session.execute(_query()):
        raw, penalty = (
            (0.0, 0.0) if row.submission is None else (row.raw or 0.0, row.penalty or 0.0)
        )
        score = max(0.0, raw - penalty)
        who = row.student_id, row.last_name, row.first_name, row.email
        yield row.assignment, row.duedate, row.timestamp, *who, raw, penalty, score, row.max_score


def _query() -> Select:
    """Each sum is made once for all submissions: nbgrader's properties make it for each row.

    Students without names are all equal in nbgrader's order. They are numbered by that same order
    before anything is joined, so that the database leaves them as it does for nbgrader.
    """
    by_name = func.row_number().over(order_by=(Student.last_name, Student.first_name))
    students = select(
        Student.id, Student.last_name, Student.first_name, Student.email, by_name.label("place")
    ).subquery()
    by_date = func.row_number().over(order_by=(Assignment.duedate, Assignment.name))
    assignments = select(
        Assignment.id,
        Assignment.name,
        Assignment.duedate,
        Assignment.max_score.label("max_score"),
        by_date.label("place"),
    ).subquery()
    scores = (
        select(SubmittedNotebook.assignment_id, func.sum(Grade.score).label("raw"))
        .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
        .group_by(SubmittedNotebook.assignment_id)
        .subquery()
    )
    penalties = (
        select(
            SubmittedNotebook.assignment_id,
            func.sum(SubmittedNotebook.late_submission_penalty).label("penalty"),
        )
        .group_by(SubmittedNotebook.assignment_id)
        .subquery()
    )
    submitted = SubmittedAssignment
    of_both = and_(
        submitted.assignment_id == assignments.c.id, submitted.student_id == students.c.id
    )
    return (
        select(
            assignments.c.name.label("assignment"),
            assignments.c.duedate,
            assignments.c.max_score,
            students.c.id.label("student_id"),
            students.c.last_name,
            students.c.first_name,
            students.c.email,
            submitted.id.label("submission"),
            submitted.timestamp,
            scores.c.raw,
            penalties.c.penalty,
        )
        .select_from(assignments)
        .join(students, true())
        .outerjoin(submitted, of_both)
        .outerjoin(scores, scores.c.assignment_id == submitted.id)
        .outerjoin(penalties, penalties.c.assignment_id == submitted.id)
        .order_by(assignments.c.place, students.c.place)
    )
