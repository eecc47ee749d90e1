"""Another torch beside the one in ``.venv``: for ``make test-torch TORCH=2.4.0``.

It goes to ``.torch/<version>``, which comes first on the path of what runs with it. All other
packages are those of ``.venv``. On Linux, where only the default index can be reached, it brings
gigabytes of CUDA along.
"""

import re
import shutil
from pathlib import Path

from course.machine.environment import install_torch
from course.machine.pip import Pip, SetupError
from course.machine.venv import ROOT, VENV, python_of

FOLDER = ROOT / ".torch"


def other_torch(version: str) -> Path:
    """The folder that holds this version of torch, installed if need be. Raises SetupError."""
    if not re.fullmatch(r"\d+\.\d+(\.\d+)?", version):
        raise SetupError("Say which torch, for example: make test-torch TORCH=2.4.0")
    folder = FOLDER / version
    if folder.exists():
        return folder
    part = FOLDER / f"{version}.part"  # renamed when it is whole
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    with Pip(python_of(VENV), FOLDER / "setup.log") as pip:
        install_torch(pip, f"torch=={version}", "--target", str(part))
    part.rename(folder)
    return folder
