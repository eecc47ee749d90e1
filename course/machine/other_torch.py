"""Another torch beside the one in ``.venv``: for ``make test-torch TORCH=2.4.0``.

It goes to ``.torch/<version>``, which comes first on the path of what runs with it. All other
packages are those of ``.venv``. On Linux, where only the default index can be reached, it brings
gigabytes of CUDA along.
"""

import re
import shutil
import tomllib
from pathlib import Path

from course.machine.environment import install_torch
from course.machine.pip import Pip, SetupError
from course.machine.venv import ROOT, VENV, python_of

FOLDER = ROOT / ".torch"


def other_torch(version: str) -> Path:
    """The folder that holds this version of torch: ``other_torch("2.4.0")``, or ``"oldest"``.

    It is installed if need be. Raises SetupError.
    """
    if version == "oldest":
        version = oldest_torch()
    if not re.fullmatch(r"\d+\.\d+(\.\d+)?", version):
        raise SetupError("Say which torch, for example: make test-torch TORCH=2.4.0 (or oldest)")
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


def oldest_torch() -> str:
    """The oldest torch that pyproject.toml allows: "2.4" where it says ``torch>=2.4``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = (re.match(r"torch *>= *([\d.]+)", text) for text in project["dependencies"])
    found = [match[1] for match in named if match]
    if not found:
        raise SetupError("pyproject.toml names no oldest torch, as torch>=2.4 would.")
    return found[0]
