"""One submission, as a pure function: bytes in, bytes out, nothing of the course is touched.

``mark(bundle, student, submission)`` runs nbgrader's own autograde in a course of its own that
holds this submission alone, and gives what came of it as JSON: no object of a stranger's process is
ever unpickled.
"""

import atexit
import hashlib
import json
import shutil
import traceback
import warnings
from functools import lru_cache
from pathlib import Path
from time import perf_counter

import nbformat
from nbgrader.api import Comment, Grade
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.utils import capture_log, temp_attrs
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from course.grading.batch.bundle import fast_folder, new_gradebook, unpack
from course.grading.batch.own_gradebook import OwnGradebook, use_alone
from course.grading.judgement import MARKING
from course.grading.refused import REFUSED

warnings.filterwarnings("ignore", category=SAWarning, module="nbgrader")  # three a submission
MARKED, FAILED = "marked", "failed"
LONGEST_LOG = 20_000


def mark(bundle: bytes, student: str, submission: bytes, feedback: bool = False) -> bytes:
    """Mark one submission. The result is JSON with these keys, whatever the submission is:

    ``student``, ``outcome`` ("marked" or "failed"), ``seconds``, ``log``, and if it is marked
    ``notebooks``: for each, by name, ``cells`` ({cell: [auto_score, needs_manual_grade]}),
    ``comments``, ``late_penalty``, ``reasons`` ({cell: [code, …]}), ``flags``, ``stopped`` (why
    not all cells were run, or ""), ``text`` (the executed notebook), ``attempted``, and with
    ``feedback=True`` ``page`` (HTML).
    """
    start = perf_counter()
    try:
        result = _mark(bundle, student, submission, feedback)
    except Exception:  # of ours: it must not stop the others
        result = {"outcome": FAILED, "log": traceback.format_exc()[-LONGEST_LOG:]}
    return json.dumps(
        {"student": student, **result, "seconds": perf_counter() - start}, ensure_ascii=True
    ).encode()


def _mark(bundle, student, submission, feedback):
    course = _course(hashlib.sha256(bundle).digest(), bundle)
    assignment = course.facts["assignment"]
    folder = course.root / "submitted" / "one" / assignment
    shutil.copy(course.root / "definition.db", course.root / "gradebook.db")
    folder.mkdir(parents=True)
    try:
        unpack(submission, folder)
        done = course.autograde()
        if not done["success"]:
            said = f"{done.get('log', '')}\n{done.get('error', '')}"
            return {"outcome": FAILED, "log": said[-LONGEST_LOG:]}
        pages = {}
        if feedback:
            course.api.generate_feedback(assignment, "one", force=True)
            pages = _texts(course.root / "feedback" / "one" / assignment, ".html")
        texts = _texts(course.root / "autograded" / "one" / assignment, ".ipynb")
        return {
            "outcome": MARKED,
            "log": done["log"][-LONGEST_LOG:],
            "notebooks": _marks(course, texts, pages),
        }
    finally:
        for made in ("submitted", "autograded", "feedback"):
            shutil.rmtree(course.root / made / "one", ignore_errors=True)


def _marks(course, texts, pages):
    marks = {}
    with OwnGradebook(course.api.coursedir.db_url) as gradebook:
        assignment = course.facts["assignment"]
        for notebook in gradebook.find_submission(assignment, "one").notebooks:
            grades, comments = (
                gradebook.rows(kind, notebook.name, assignment, "one") for kind in (Grade, Comment)
            )
            text = texts.get(notebook.name, "")
            metadata = nbformat.reads(text, 4).metadata if text else {}
            said = metadata.get(MARKING, {})  # what JudgedExecute wrote about its own rulings
            marks[notebook.name] = {
                "cells": {
                    cell: [grade.auto_score, grade.needs_manual_grade]
                    for cell, grade in grades.items()
                },
                "comments": {cell: comment.auto_comment for cell, comment in comments.items()},
                "late_penalty": notebook.late_submission_penalty,
                "reasons": said.get("reasons", {}),
                "flags": said.get("flags", []),
                "stopped": said.get("stopped", ""),
                "attempted": bool(text)
                and REFUSED not in metadata
                and any(comment.auto_comment is None for comment in comments.values()),
                "text": text,
                "page": pages.get(notebook.name),
            }
    return marks


def _texts(folder, ending):
    return {path.stem: path.read_text("utf-8") for path in folder.glob(f"*{ending}")}


class AutogradeOne(Autograde):
    """``nbgrader autograde`` for one submission, also where it holds no notebook."""

    def init_notebooks(self):
        folder = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        pattern = f"{self.coursedir.notebook_id}.ipynb"
        # the exporter adds those that should be there
        self.assignments = {folder: sorted(map(str, Path(folder).glob(pattern)))}
        self.notebooks = []


class Course:
    """A course of this process that holds one assignment and, at a time, one submission."""

    def __init__(self, bundle: bytes):
        self.root = fast_folder("marking-")
        atexit.register(shutil.rmtree, self.root, ignore_errors=True)
        unpack(bundle, self.root)
        self.facts = json.loads((self.root / "bundle.json").read_text())
        assignment = self.facts["assignment"]
        source = self.root / "source"
        source.mkdir(exist_ok=True)
        source.rename(self.root / "files")
        source.mkdir()
        (self.root / "files").rename(source / assignment)
        new_gradebook(
            self.root / "definition.db", json.loads((self.root / "definition.json").read_text())
        )
        secret = self.root / ".marking" / "secret"
        secret.parent.mkdir()
        secret.write_text(self.facts["secret"])
        self.api = NbGraderAPI(config=self._config())
        use_alone(self.api.coursedir.db_url)

    def autograde(self) -> dict:
        """Run it; ``success``, ``log`` and ``error`` as NbGraderAPI gives them."""
        names = {"assignment_id": self.facts["assignment"], "student_id": "one"}
        with temp_attrs(self.api.coursedir, **names):
            app = AutogradeOne(coursedir=self.api.coursedir, parent=self.api)
            app.force = app.create_student = True
            return capture_log(app)

    def _config(self):
        config = Config(self.facts["config"])
        course = config.CourseDirectory
        for name in list(course):
            if name.endswith("_directory") or name == "db_url":
                del course[name]
        course.root = str(self.root)
        config.JudgedExecute.secret_file = ".marking/secret"
        config.Exchange.root = str(self.root / "exchange")
        return config


@lru_cache(maxsize=1)
def _course(_digest, bundle) -> Course:
    return Course(bundle)
