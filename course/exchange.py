"""Feedback that reaches the learner, whatever else lay in the folder that was handed in.

JupyterLab's Assignment List shows a learner "view feedback" only when there is a page for every
notebook of the submission. Here one of them is marked, and lesson.ipynb lies beside it, and often a
notebook in which the learner has tried something out.
"""

from html import escape
from pathlib import Path

from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

SECRET = "submission_secret.txt"  # `nbgrader submit` makes it: whose page is whose
NOT_MARKED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{name}: not marked</title></head>
<body><p>{name}.ipynb is not marked. Your feedback is beside this page: {pages}.</p></body></html>
"""


class ReleaseFeedback(ExchangeReleaseFeedback):
    """``nbgrader release_feedback``: ``c.ExchangeFactory.release_feedback`` takes it.

    For each other notebook of a submission it adds a page that says where the feedback is. A
    submission that did not come by the exchange is named and passed over; nbgrader would stop there
    and release nothing to those who come after.
    """

    def copy_files(self):
        folders = self._folders()
        by_exchange = {student for student in folders if _text(folders[student] / SECRET)}
        others = sorted(set(folders) - by_exchange)
        for student in others:
            self.log.warning(
                "%s: not handed in by the exchange, so it is for you to pass on what is in %s",
                student,
                folders[student],
            )
        before = self.coursedir.student_id_exclude
        self.coursedir.student_id_exclude = ",".join(filter(None, [before, *others]))
        try:
            super().copy_files()
        finally:
            self.coursedir.student_id_exclude = before
        for student in sorted(by_exchange - set(before.split(","))):
            self._add_pages(student, folders[student])

    def _folders(self) -> dict[str, Path]:
        """The folders of feedback/ that hold pages, by student."""
        start, _, end = self.coursedir.format_path(
            self.coursedir.feedback_directory, "*", self.coursedir.assignment_id
        ).partition("*")
        chosen = self.coursedir.student_id or "*"
        found = {path.name: Path(f"{path}{end}") for path in Path(start).glob(chosen)}
        return {student: folder for student, folder in found.items() if any(folder.glob("*.html"))}

    def _add_pages(self, student, folder):
        pages = {path.stem for path in folder.glob("*.html")}
        submitted = self.coursedir.format_path(
            self.coursedir.submitted_directory, student, self.coursedir.assignment_id
        )
        named = ", ".join(f"{escape(page)}.html" for page in sorted(pages))
        for name in sorted({path.stem for path in Path(submitted).glob("*.ipynb")} - pages):
            key = notebook_hash(secret=_text(folder / SECRET), notebook_id=name)
            new = Path(self.dest_path, f"{key}-tmp.html")
            new.write_text(NOT_MARKED.format(name=escape(name), pages=named), "utf-8")
            new.replace(Path(self.dest_path, f"{key}.html"))


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
