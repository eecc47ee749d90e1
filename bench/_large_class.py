"""A large gradebook of made-up marks, in seconds: rows are inserted, nothing is run."""

import random
from datetime import datetime, timedelta
from uuid import uuid4

from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import insert

from course.__main__ import put_programs_on_path

EXERCISES, CELLS = 8, 2  # of an assignment; test cells of an exercise


def make(path, students, assignments):
    """Write the gradebook and give its URL. Each student hands in each assignment."""
    put_programs_on_path()  # nbgrader starts alembic
    draw = random.Random(0)
    rows = {table: [] for table in (SubmittedAssignment, SubmittedNotebook, Grade, Comment)}
    names = [f"s{number:05d}" for number in range(students)]
    skill = {name: draw.random() for name in names}
    due = datetime(2026, 3, 1)
    with Gradebook(f"sqlite:///{path}") as book:
        for number in range(assignments):
            name = f"ps{number:02d}"
            book.add_assignment(name, duedate=f"{due + timedelta(weeks=number)}")
            notebook = book.add_notebook("exercises", name)
            for exercise in range(EXERCISES):
                book.add_solution_cell(f"e{exercise}", "exercises", name)
                for cell in range(CELLS):
                    book.add_grade_cell(
                        f"e{exercise}_{cell}", "exercises", name, max_score=2, cell_type="code"
                    )
            graded = [cell.id for cell in sorted(notebook.grade_cells, key=lambda c: c.name)]
            answers = [cell.id for cell in notebook.solution_cells]
            for student in names:
                _submission(draw, rows, student, skill[student], notebook, graded, answers, due)
        book.db.execute(
            insert(Student), [{"id": n, "last_name": n, "first_name": ""} for n in names]
        )
        for table, made in rows.items():
            book.db.execute(insert(table.__table__), made)  # past the ORM: faster
        book.db.commit()
    return f"sqlite:///{path}"


def _submission(draw, rows, student, skill, notebook, graded, answers, timestamp):
    whole, part = uuid4().hex, uuid4().hex
    rows[SubmittedAssignment].append(
        {
            "id": whole,
            "assignment_id": notebook.assignment_id,
            "student_id": student,
            "timestamp": timestamp,
        }
    )
    rows[SubmittedNotebook].append(
        {
            "id": part,
            "assignment_id": whole,
            "notebook_id": notebook.id,
            "late_submission_penalty": draw.choice([None, 0.5]),
        }
    )
    for place, cell in enumerate(graded):
        hard = (place // CELLS + 1) / (EXERCISES + 2)
        score = 2.0 if skill + draw.gauss(0, 0.3) > hard else draw.choice([0.0, 0.0, 1.0])
        rows[Grade].append(
            {
                "id": uuid4().hex,
                "cell_id": cell,
                "notebook_id": part,
                "auto_score": score,
                "needs_manual_grade": False,
            }
        )
    for cell in answers:
        comment = "No response." if draw.random() < 0.1 else None
        rows[Comment].append(
            {"id": uuid4().hex, "cell_id": cell, "notebook_id": part, "auto_comment": comment}
        )
