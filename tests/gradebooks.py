"""Gradebooks made by nbgrader's own API, without running a notebook.

with new_gradebook(tmp_path / "gradebook.db") as book:
    add_assignment(book, "ps1", exercises={"double": (1, 2)})
    hand_in(book, "ps1", "ann", {"double_1": 1, "double_2": 0}, untouched=["double"])
"""

from datetime import datetime

from nbgrader.api import Gradebook
from nbgrader_course import empty_gradebook


def new_gradebook(path):
    path.write_bytes(empty_gradebook())
    return Gradebook(f"sqlite:///{path}")


def add_assignment(book, name, *, exercises, notebook="exercises", tasks=None, **options):
    """``exercises`` names each answer cell, with the points of the test cells that judge it."""
    book.update_or_create_assignment(name, **options)
    book.add_notebook(notebook, name)
    for answer, points in exercises.items():
        book.add_solution_cell(answer, notebook, name)
        for number, most in enumerate(points, 1):
            book.add_grade_cell(
                f"{answer}_{number}", notebook, name, max_score=most, cell_type="code"
            )
    for task, most in (tasks or {}).items():
        book.add_task_cell(task, notebook, name, max_score=most, cell_type="markdown")


def hand_in(
    book, assignment, student, scores, *, notebook="exercises", manual=None, extra=None,
    untouched=(), late=None, timestamp="2026-03-01 12:00:00",
):  # fmt: skip
    """A marked submission; ``scores`` are the autograder's."""
    book.update_or_create_student(student)
    timestamp = timestamp and datetime.fromisoformat(timestamp)
    book.update_or_create_submission(assignment, student, timestamp=timestamp)
    submitted = book.find_submission_notebook(notebook, assignment, student)
    submitted.late_submission_penalty = late
    for grade in submitted.grades:
        grade.auto_score = scores.get(grade.name)
        grade.manual_score = (manual or {}).get(grade.name)
        grade.extra_credit = (extra or {}).get(grade.name)
        grade.needs_manual_grade = grade.auto_score is None and grade.manual_score is None
    for comment in submitted.comments:
        if comment.name in untouched:
            comment.auto_comment = "No response."  # as nbgrader's autograder does
    book.db.commit()
