"""The only one who writes into the course: marks into the gradebook, notebooks into autograded/.

One transaction for each chunk. What an instructor has entered by hand stays: manual scores, extra
credit, comments; a cell with a manual score whose marks are renewed needs another look, as
nbgrader has it.
"""

import os
import shutil
from datetime import datetime
from pathlib import Path

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.utils import parse_utc
from sqlalchemy.orm import selectinload

# what `nbgrader submit` put beside the notebook, and `nbgrader release_feedback` asks for
RECEIPT = ("timestamp.txt", "submission_secret.txt")


class Writer:
    """Writes results of ``mark`` into the course of ``coursedir``."""

    def __init__(self, coursedir):
        self.coursedir = coursedir
        self.assignment = coursedir.assignment_id
        self.gradebook = Gradebook(coursedir.db_url, coursedir.course_id)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.gradebook.close()

    def students(self) -> set[str]:
        """Those who have marks for this assignment."""
        found = self.gradebook.db.query(SubmittedAssignment.student_id).join(Assignment)
        return {student for (student,) in found.filter(Assignment.name == self.assignment)}

    def write(self, results: list[dict]) -> None:
        """Write the marks and notebooks of these students, all of them or none."""
        db = self.gradebook.db
        for result in results:
            self._write_files(result)
        try:
            existing = self._existing([result["student"] for result in results])
            assignment = self.gradebook.find_assignment(self.assignment)
            with db.no_autoflush:
                for result in results:
                    self._write_marks(db, assignment, existing.get(result["student"]), result)
            db.commit()
        except BaseException:
            db.rollback()
            raise

    def _existing(self, students):
        found = (
            self.gradebook.db.query(SubmittedAssignment)
            .join(Assignment)
            .filter(Assignment.name == self.assignment)
            .filter(SubmittedAssignment.student_id.in_(students))
            .options(
                selectinload(SubmittedAssignment.notebooks).selectinload(SubmittedNotebook.grades),
                selectinload(SubmittedAssignment.notebooks).selectinload(
                    SubmittedNotebook.comments
                ),
            )
        )
        return {submission.student_id: submission for submission in found}

    def _write_marks(self, db, assignment, submission, result):
        if submission is None:
            student = db.get(Student, result["student"])
            if student is None:
                student = Student(id=result["student"])
                db.add(student)
            submission = SubmittedAssignment(assignment=assignment, student=student)
            for notebook in assignment.notebooks:
                submitted = SubmittedNotebook(notebook=notebook, assignment=submission)
                for cell in (*notebook.grade_cells, *notebook.task_cells):
                    Grade(cell=cell, notebook=submitted)
                for cell in (*notebook.solution_cells, *notebook.task_cells):
                    Comment(cell=cell, notebook=submitted)
            db.add(submission)
        submission.timestamp = self._timestamp(result["student"])
        for notebook in submission.notebooks:
            marks = result["notebooks"].get(notebook.notebook.name)
            if marks is None:
                continue
            notebook.late_submission_penalty = marks["late_penalty"]
            notebook.flagged = bool(marks["flags"])
            for grade in notebook.grades:
                score, by_hand = marks["cells"][grade.cell.name]
                grade.auto_score = score
                grade.needs_manual_grade = by_hand or grade.manual_score is not None
            for comment in notebook.comments:
                comment.auto_comment = marks["comments"][comment.cell.name]

    def _timestamp(self, student):
        folder = self._folder(self.coursedir.submitted_directory, student)
        stamp = self.coursedir.get_existing_timestamp(str(folder))
        if stamp is None or isinstance(stamp, datetime):
            return stamp
        return parse_utc(stamp)

    def _folder(self, directory, student):
        return Path(self.coursedir.format_path(directory, student, self.assignment))

    def _write_files(self, result):
        """Put the marked notebooks where nbgrader has them, complete or not at all."""
        student = result["student"]
        submitted = self._folder(self.coursedir.submitted_directory, student)
        files = {f"{name}.ipynb": n["text"] for name, n in result["notebooks"].items() if n["text"]}
        receipt = {
            path.name: path.read_text("utf-8", "replace")
            for path in map(submitted.joinpath, RECEIPT)
            if path.is_file() and not path.is_symlink()
        }
        replace_folder(self._folder(self.coursedir.autograded_directory, student), files | receipt)
        pages = {f"{name}.html": n["page"] for name, n in result["notebooks"].items() if n["page"]}
        if pages:
            pages |= receipt
            replace_folder(self._folder(self.coursedir.feedback_directory, student), pages)


def replace_folder(folder: Path, files: dict[str, str]) -> None:
    """Make ``folder`` hold these files and no others, in one step."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = folder.with_name(f".{folder.name}.new")
    old = folder.with_name(f".{folder.name}.old")
    for left_behind in (new, old):
        shutil.rmtree(left_behind, ignore_errors=True)
    new.mkdir()
    for name, text in files.items():
        path = new / name
        path.write_text(text, "utf-8")
        path.chmod(0o444)
    if folder.exists():
        os.rename(folder, old)
    os.rename(new, folder)
    shutil.rmtree(old, ignore_errors=True)
