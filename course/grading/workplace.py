"""The folder in which a submission is run: it holds the assignment's files, not the learner's.

Stock nbgrader runs a notebook in a folder with every file of the submission, and Python imports
from there first: a submitted ``torch.py`` is torch, a submitted ``ipykernel_launcher.py`` is the
kernel, and the notebook beside them holds the hidden tests.
"""

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.utils import find_all_files


@contextmanager
def workplace(converter, assignment: str, student: str):
    """Give the path of a new folder with a copy of the files of ``source/<assignment>/``.

    A file that ``c.Autograde.exclude_overwriting`` names for the assignment is the learner's
    to hand in: it comes from the submission. The folder is removed afterwards.
    """
    course = converter.coursedir
    source = Path(course.format_path(course.source_directory, ".", assignment))
    submission = Path(course.format_path(course.submitted_directory, student, assignment))
    names = {
        Path(path).relative_to(source): source
        for path in find_all_files(str(source), [*course.ignore, "*.ipynb"])
    }
    for name in converter.exclude_overwriting.get(assignment, []):
        if (submission / name).is_file():
            names[Path(name)] = submission
    # processes that a submission left behind may still write here
    with TemporaryDirectory(prefix="marking-", ignore_cleanup_errors=True) as folder:
        for name, origin in names.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin / name, folder / name)
        yield folder
