"""The files beside a submitted notebook while it runs: the assignment's, not the learner's.

Stock nbgrader runs a notebook in a folder with every file of the submission, and Python imports
from there first: a submitted ``torch.py`` is torch, a submitted ``ipykernel_launcher.py`` is the
kernel, and the notebook beside them holds the hidden tests.
"""

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.utils import find_all_files


def files_beside(converter, assignment: str, student: str) -> dict[str, Path]:
    """Name and place of each file that the notebook finds in its folder.

    A file that ``c.Autograde.exclude_overwriting`` names for the assignment is the learner's
    to hand in: it comes from the submission, if it is a file there and not a link to another.
    """
    course = converter.coursedir
    source = Path(course.format_path(course.source_directory, ".", assignment))
    submission = Path(course.format_path(course.submitted_directory, student, assignment))
    files = {
        str(Path(path).relative_to(source)): Path(path)
        for path in find_all_files(str(source), [*course.ignore, "*.ipynb"])
    }
    for name in converter.exclude_overwriting.get(assignment, []):
        path = submission / name
        if path.is_file() and path.resolve() == submission.resolve() / name:
            files[str(Path(name))] = path
    return files


@contextmanager
def workplace(converter, assignment: str, student: str):
    """Give the path of a new folder with a copy of these files. It is removed afterwards."""
    # processes that a submission left behind may still write here
    with TemporaryDirectory(prefix="marking-", ignore_cleanup_errors=True) as folder:
        for name, origin in files_beside(converter, assignment, student).items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin, place)
        yield folder
