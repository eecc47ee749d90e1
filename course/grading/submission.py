"""Read what was handed in, whatever it is.

Stock nbgrader passes over a submission without a notebook, so that the learner is nowhere in the
gradebook, and loses one whose notebook cannot be read. Here both are marked 0, with one sentence in
the log for the instructor and a note in the marked notebook and the feedback. What looks like a
notebook but breaks the notebook format is rebuilt from its cells' text.
"""

import json
import os
import re
import stat
from fnmatch import fnmatch
from glob import escape, glob
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import find_all_files
from traitlets import Integer

from course.grading.received import is_deep
from course.grading.refused import REFUSED, refused_notebook


class Unreadable(Exception):
    """Why a submission cannot be marked, as the second half of a sentence."""


class SubmissionExporter(NotebookExporter):
    """Reads submissions for ``nbgrader autograde``: ``c.Autograde.exporter_class`` takes it.

    One limit: stock nbgrader stops before this class is asked when not one of the submissions
    that it was told to mark holds a notebook.
    """

    max_notebook_bytes = Integer(
        20_000_000, help="a submitted notebook larger than this is marked 0 without being read"
    ).tag(config=True)
    max_cells = Integer(
        2_000, help="a submitted notebook of more cells is marked 0 without being run"
    ).tag(config=True)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # nbgrader has listed the notebooks that exist, and will now go through that list
        if hasattr(self.parent, "assignments"):
            _list_missing_notebooks(self.parent)
            _pass_over_links(self.parent)

    def from_filename(self, filename, resources=None, **kwargs):
        if not self._is_submitted(filename, resources):
            return super().from_filename(filename, resources=resources, **kwargs)
        path = Path(filename)
        try:
            notebook = read_submission(
                path, max_bytes=self.max_notebook_bytes, max_cells=self.max_cells
            )
        except Unreadable as why:
            self.log.warning("%s: marked 0, because %s", path.parent, why)
            notebook = refused_notebook(str(why))
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return self.from_notebook_node(notebook, resources=resources, **kwargs)

    def _is_submitted(self, filename, resources):
        """nbgrader reads twice: the learner's notebook, then the one it made of that."""
        course, where = self.parent.coursedir, resources["nbgrader"]
        folder = course.format_path(
            course.submitted_directory, where["student"], where["assignment"]
        )
        return Path(filename).parent == Path(folder)


def read_submission(path: Path, *, max_bytes: int, max_cells: int = 2_000):
    """Return the notebook at ``path``, valid. Raises Unreadable, and OSError as ``open`` does."""
    if not path.is_file():
        others = sorted(other.name for other in path.parent.glob("*.ipynb") if other.is_file())
        raise Unreadable(
            f"there is no file {path.name} in it"
            + (f" (it holds {', '.join(others)})" if others else "")
        )
    if path.resolve().parent != path.parent.resolve():
        raise Unreadable(f"{path.name} is a link to a file that was not handed in")
    size = path.stat().st_size
    if size > max_bytes:
        raise Unreadable(
            f"{path.name} has {size / 1e6:.1f} MB and the limit is {max_bytes / 1e6:.1f} MB"
        )
    content = path.read_bytes()
    if not content.strip():
        raise Unreadable(f"{path.name} is empty")
    try:
        data = json.loads(content.decode("utf-8-sig"))
        if isinstance(cells := data.get("cells"), list) and len(cells) > max_cells:
            raise Unreadable(f"{path.name} has {len(cells)} cells and the limit is {max_cells}")
        return _parse(data)
    except Unreadable:
        raise
    except Exception as error:  # a stranger's bytes can fail in any way
        raise Unreadable(f"{path.name} is not a notebook ({type(error).__name__})") from error


def _parse(data):
    # half of a character written as two (a lone surrogate) can be read but never written again
    text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    try:
        if is_deep(data):
            raise ValueError("too deep to be copied and written for sure")
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except Exception:
        notebook = new_notebook(cells=[_rebuilt(cell) for cell in json.loads(text)["cells"]])
        nbformat.validate(notebook)
    notebook["metadata"].pop(REFUSED, None)  # only we say that
    return notebook


def _rebuilt(cell):
    """The same cell, with no more than marking needs: its text, its id and nbgrader's metadata."""
    source = cell["source"]
    new_cell = getattr(nbformat.v4, f"new_{cell['cell_type']}_cell")
    rebuilt = new_cell("".join(source) if isinstance(source, list) else source)
    if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", str(cell.get("id"))):
        rebuilt["id"] = str(cell["id"])
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    if isinstance(nbgrader, dict) and isinstance(nbgrader.get("grade_id"), str):
        rebuilt.metadata["nbgrader"] = {"grade_id": nbgrader["grade_id"]}  # RestoreCells adds all
    return rebuilt


def _pass_over_links(converter):
    """Have nbgrader copy a submission's own files only, and bear a broken ``timestamp.txt``.

    It would follow a link out of the submission, into the gradebook or into /dev/zero, and put what
    is there beside the marked notebook and into the learner's feedback.
    """
    course = converter.coursedir
    copy_files, read_time = converter.init_assignment, course.get_existing_timestamp

    def init_assignment(assignment, student):
        folder = course.format_path(course.submitted_directory, student, assignment)
        others = [path for path in find_all_files(folder) if not _is_own_file(path)]
        for path in others:
            converter.log.warning("%s is a link or no file at all: passed over", path)
        before = course.ignore
        course.ignore = [*before, *map(escape, others)]
        try:
            copy_files(assignment, student)
        finally:
            course.ignore = before

    def get_existing_timestamp(folder):
        path = Path(folder, "timestamp.txt")
        try:
            if path.exists() and not _is_own_file(path):
                raise ValueError("it is a link or no file at all")
            return read_time(folder)
        except Exception as error:  # nbgrader's own word for it is an AttributeError
            converter.log.warning("%s says no time: %s", path, str(error)[:200])
            return None

    converter.init_assignment = init_assignment
    course.get_existing_timestamp = get_existing_timestamp


def _is_own_file(path):
    return stat.S_ISREG(os.lstat(path).st_mode)


def _list_missing_notebooks(converter):
    """Add to nbgrader's list the notebooks that a submission should hold and does not."""
    course = converter.coursedir
    with Gradebook(course.db_url, course.course_id) as gradebook:
        try:
            notebooks = gradebook.find_assignment(course.assignment_id).notebooks
        except MissingEntry:
            return
        names = [nb.name for nb in notebooks if fnmatch(nb.name, course.notebook_id)]
    pattern = course.format_path(
        course.submitted_directory, course.student_id, course.assignment_id
    )
    for folder in filter(os.path.isdir, glob(pattern)):
        listed = converter.assignments.setdefault(folder, [])
        expected = [os.path.join(folder, f"{name}.ipynb") for name in names]
        listed.extend(path for path in expected if path not in listed)
