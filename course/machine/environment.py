"""Setting up ``.venv``: made when missing, mended when damaged, brought up to date when stale.

    python = ensure(extras=("dev",))

An interrupted set-up is known by what it wrote down (see venv.py), and starts again from nothing.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from course.bootstrap import NEWEST, OLDEST
from course.machine.pip import Pip, Progress, SetupError, explain, pip_variables
from course.machine.venv import (
    ROOT,
    VENV,
    State,
    inputs,
    python_of,
    read_state,
    version_of,
    write_state,
)

# PyTorch's own index of builds without CUDA. On Linux the torch of the default index brings
# gigabytes of CUDA along; elsewhere it has none.
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
NEEDED = 2.5e9  # bytes: .venv with everything is 1.7 GB, and pip unpacks beside it


def ensure(extras: tuple[str, ...] = ()) -> Path:
    """Give the Python of an environment with the course and these extras in it.

    Sets up what is missing. Raises SetupError with one sentence when that cannot be done.
    """
    if not is_ready(extras):
        with one_at_a_time():
            if not is_ready(extras):  # another set-up may have done it while this one waited
                set_up(extras)
    return python_of(VENV)


def is_ready(extras: tuple[str, ...]) -> bool:
    state = read_state() or State()
    return (
        state.whole
        and state.inputs == inputs()
        and state.place == str(VENV)
        and packages_of(extras) <= packages_of(state.extras)
        and version_of(python_of(VENV)) == state.python
    )


def packages_of(extras: tuple[str, ...]) -> set[str]:
    """What pyproject.toml asks for in these extras: "dev" holds all of "site"."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        text for extra in extras for text in project["optional-dependencies"].get(extra, [extra])
    }


def set_up(extras: tuple[str, ...]) -> None:
    """Make ``.venv`` or bring it up to date; extras that are in it stay."""
    state = read_state()
    extras = tuple(sorted({*extras, *(state.extras if state else ())}))
    remove_what_cannot_be_mended(state)
    if not VENV.exists():
        check_venv_module()
        check_disk()
        print("Setting up the course in .venv: once, about 3 minutes, 1.7 GB of disk.", flush=True)
        make_venv()
    else:
        print("Bringing .venv up to date: about a minute.", flush=True)
        write_state(extras, made=True, whole=False)
    install(extras)
    write_state(extras, made=True, whole=True)
    print("Ready.", flush=True)


def install(extras: tuple[str, ...]) -> None:
    torch = pinned_torch()
    constraints = str(ROOT / "constraints.txt")
    with Pip(python_of(VENV), VENV / "setup.log") as pip:
        # torch first and alone: what comes later finds it there and asks for no other build
        install_torch(pip, torch, otherwise=("--no-deps",))
        names = f"[{','.join(extras)}]" if extras else ""
        more = "what the tests need, " if "dev" in extras else ""
        what = f"JupyterLab, nbgrader, {more}the course"
        pip.install(what, "--constraint", constraints, "--editable", f"{ROOT}{names}")
    compile_all()


def install_torch(pip: Pip, torch: str, *options: str, otherwise: tuple[str, ...] = ()) -> None:
    """Install this torch: its small build, or what the default index has (``otherwise``: how)."""
    small = ("--no-deps", "--index-url", CPU_INDEX, "--retries", "0", "--timeout", "10")
    ask = sys.platform == "linux" and not pip.has_own_index()
    if not (ask and pip.try_install(f"{torch}, the small build", *options, *small, torch)):
        pip.install(torch, *options, *otherwise, torch)


def compile_all() -> None:
    """Compile what was installed, on all cores: pip (told not to) does one file after the other.

    What is not compiled, a file for another Python for example, is compiled when it is imported.
    """
    library = VENV / ("Lib" if os.name == "nt" else "lib")
    command = [str(python_of(VENV)), "-m", "compileall", "-q", "-j", "0", str(library)]
    with Progress("compiling"):
        subprocess.run(command, capture_output=True, env=pip_variables())


def remove_what_cannot_be_mended(state: State | None) -> None:
    """Remove a ``.venv`` that is half made, was moved, or whose Python is gone.

    One that a person made by hand and that works is kept, with whatever is in it.
    """
    if not VENV.exists():
        return
    version = version_of(python_of(VENV))
    if state:
        keep = state.made and state.place == str(VENV) and state.python == version
    else:
        keep = version is not None
    if not keep:
        try:
            shutil.rmtree(VENV)
        except OSError as error:
            raise SetupError(
                f"{VENV} must be made again and cannot be removed ({error.strerror}): close what "
                "uses it, remove it by hand, and run the same command again."
            ) from error
    elif version and not OLDEST <= tuple(map(int, version.split(".")[:2])) <= NEWEST:
        raise SetupError(
            f"{VENV} was made by hand with Python {version}, which cannot run the course: rename "
            "or remove that folder and run the same command again."
        )


def make_venv() -> None:
    VENV.mkdir()
    write_state((), made=False, whole=False)
    made = subprocess.run(
        [sys.executable, "-m", "venv", str(VENV)],
        capture_output=True,
        text=True,
        env=pip_variables(),
    )
    if made.returncode:
        said = " ".join((made.stderr + made.stdout).split())
        if shutil.disk_usage(VENV).free < 50e6:  # venv does not pass on what its pip said of it
            said += " No space left on device"
        raise SetupError(
            explain(said, VENV)
            or f"Python's venv module could not make {VENV}; it said: {said[-300:] or 'nothing'}"
        )


def check_venv_module() -> None:
    missing = [name for name in ("venv", "ensurepip") if not importlib.util.find_spec(name)]
    if missing:
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        raise SetupError(
            f"This Python ({sys.executable}) lacks its module {missing[0]}, which makes "
            f"environments: install it (on Debian and Ubuntu: sudo apt install {package}) and run "
            "the same command again."
        )


def check_disk() -> None:
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED:
        raise SetupError(
            f"The disk is full: {free / 1e9:.1f} GB are free in {ROOT} and {NEEDED / 1e9:.1f} GB "
            "are needed. Free some space and run the same command again."
        )


@contextlib.contextmanager
def one_at_a_time():
    """Let one set-up at a time work here. The lock ends with the process that holds it."""
    if os.name == "nt":  # a folder cannot be locked there
        yield
        return
    import fcntl

    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another set-up works in this folder: waiting for its end …", flush=True)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def pinned_torch() -> str:
    """The torch of constraints.txt, e.g. ``torch==2.13.0``."""
    text = (ROOT / "constraints.txt").read_text("utf-8")
    return re.findall(r"^torch==[\w.]+", text, re.MULTILINE)[0]
