"""What a contained process sees of this machine: the system's programs, this Python, its packages.

Some packages hold what a learner must not find, such as reference solutions. Of those a copy
without these files is put in their place.
"""

import atexit
import os
import shutil
import sys
import sysconfig
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from course.grading.contained import Bind

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/opt/conda",
)
COURSE = (  # of a course
    *("source", "release", "submitted", "autograded", "feedback", "solution"),
    *(".marking", "gradebook.db", ".git"),
)
ALWAYS_HIDDEN = (  # in /usr, and not programs
    "/usr/local/share/nbgrader",  # nbgrader's exchange: what others have handed in
    "/usr/local/etc/jupyter",
    "/usr/local/share/jupyter/runtime",
)


@cache
def view(
    packages: tuple[str, ...] = (),
    withheld: tuple[str, ...] = (),
    visible: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
) -> tuple[Bind, ...]:
    """The binds for ``see_only``: this Python, ``packages`` without ``withheld``, and ``visible``.

    >>> any(bind.target == "/usr" for bind in view())
    True

    ``packages`` are names of importable packages, ``withheld`` patterns of paths inside them,
    ``visible`` paths of further files and folders. In the place of each path of ``hidden`` that
    would be seen is an empty one, and of what a course keeps beside a package: it can lie in a
    folder that must be visible. Raises ModuleNotFoundError.
    """
    python = (sys.prefix, sys.base_prefix, *map(sysconfig.get_path, ("stdlib", "purelib")))
    paths = [path for path in (*SYSTEM, *python, *visible) if Path(path).exists()]
    binds = [Bind(path, path) for path in outermost(paths)]
    beside = [str(Path(home(name)).parent / kept) for name in packages for kept in COURSE]
    covers = [
        Bind(nothing_like(path), path)
        for path in outermost([*hidden, *beside, *ALWAYS_HIDDEN])
        if Path(path).exists() and is_seen(path, binds)
    ]
    copies = [Bind(copy_without(path, withheld), path) for path in map(home, packages)]
    return (*binds, *covers, *copies)


def is_seen(path: str, binds) -> bool:
    """Whether the file or folder at ``path`` itself is visible through ``binds``."""
    through = [bind for bind in binds if Path(path).is_relative_to(bind.target)]
    return bool(through) and through[-1].source == through[-1].target


def nothing_like(path: str) -> str:
    """An empty folder for a folder and an empty file for a file."""
    if not Path(path).is_dir():
        return os.devnull
    folder = tempfile.mkdtemp(prefix="nothing-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    return folder


def outermost(paths):
    """The paths without those that are inside another, links followed by nobody."""
    kept = []
    for path in sorted({str(Path(path).absolute()) for path in paths}):
        if not any(Path(path).is_relative_to(other) for other in kept):
            kept.append(path)
    return kept


def home(package: str) -> str:
    """The folder of a package."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"There is no package {package!r} to show to contained kernels.")
    return str(Path(spec.submodule_search_locations[0]).absolute())


def copy_without(folder: str, withheld: tuple[str, ...]) -> str:
    """A copy of ``folder`` for this process's life, without the files and without compiled ones."""
    copy = Path(tempfile.mkdtemp(prefix="visible-"))
    atexit.register(shutil.rmtree, copy, ignore_errors=True)

    def left_out(path, names):
        inside = Path(path).relative_to(folder)
        return [
            name
            for name in names
            if name == "__pycache__" or any((inside / name).match(one) for one in withheld)
        ]

    shutil.copytree(folder, copy, ignore=left_out, dirs_exist_ok=True)
    copy.chmod(0o755)
    return str(copy)
