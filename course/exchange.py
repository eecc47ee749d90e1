"""The way in and the way out: who handed a notebook in, and feedback that its learner can see.

``nbgrader submit --student ann`` hands in for ann from any account, and a submission of that name
takes the place of ann's own. Only the owner of the folder tells who it was.

JupyterLab's Assignment List shows a learner "view feedback" only when there is a page for every
notebook of the submission. Here one of them is marked, and lesson.ipynb lies beside it, and often a
notebook in which the learner has tried something out.
"""

import os
from html import escape
from pathlib import Path

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

SECRET = "submission_secret.txt"  # `nbgrader submit` makes it: whose page is whose
NOT_MARKED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{name}: not marked</title></head>
<body><p>{name}.ipynb is not marked. Your feedback is beside this page: {pages}.</p></body></html>
"""


class Collect(ExchangeCollect):
    """``nbgrader collect``: ``c.ExchangeFactory.collect`` takes it.

    What was handed in from another account than the name says is named and left where it is;
    nbgrader would warn and take it. ``c.ExchangeCollect.check_owner = False`` takes it, for servers
    on which all have one account.
    """

    src_records: list[dict]  # the one of each student that is to be collected: init_src fills it

    def _sort_by_timestamp(self, records):
        """The records of one student, the last one first, without those of other accounts."""
        own = [record for record in records if self._is_own(record)]
        for record in records:
            if record not in own:
                path = self._path(record)
                self.log.warning("Not collected: %s was handed in by %s", path, _owner(path))
        return super()._sort_by_timestamp(own or records)

    def copy_files(self):
        self.src_records = [record for record in self.src_records if self._is_own(record)]
        super().copy_files()

    def _is_own(self, record) -> bool:
        return not self.check_owner or _owner(self._path(record)) == record["username"]

    def _path(self, record) -> Path:
        return Path(self.inbound_path, record["filename"])


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


def _owner(path: Path) -> str:
    import pwd  # which Windows lacks, as it lacks the exchange

    uid = os.stat(path).st_uid
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"account {uid}"


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
