"""The folder ``.venv`` as it is: its Python, what commands in it need, what its set-up wrote down.

A file in it, ``.venv/course.json``, says what was installed for which pyproject.toml and
constraints.txt, and whether the set-up came to its end.
"""

import hashlib
import json
import os
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
STATE = VENV / "course.json"
MISLEADING = ("PYTHONPATH", "PYTHONHOME")  # they would bring in packages of another Python


@dataclass(frozen=True)
class State:
    """What a set-up wrote down.

    ``made``: it came to its end at least once. ``whole``: the last one did. ``inputs``: a hash of
    the files that decide what is installed. ``place``: the path it was made for, which programs in
    it hold. ``python``: the version.
    """

    made: bool = False
    whole: bool = False
    extras: tuple[str, ...] = ()
    inputs: str = ""
    place: str = ""
    python: str = ""


def read_state() -> State | None:
    """What the set-up wrote down; None when no set-up of the course worked in ``.venv``.

    A file that cannot be understood was not written to its end: nothing is known to be whole.
    """
    try:
        known = json.loads(STATE.read_text("utf-8"))
        return State(**known | {"extras": tuple(known["extras"])})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, TypeError, KeyError):
        return State()


def write_state(extras: tuple[str, ...], made: bool, whole: bool) -> None:
    state = State(made, whole, extras, inputs(), str(VENV), version_of(python_of(VENV)) or "")
    STATE.write_text(json.dumps(asdict(state), indent=1), "utf-8")


def inputs() -> str:
    """A hash of what decides which packages belong in the environment."""
    files = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()


def python_of(venv: Path) -> Path:
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def version_of(python: Path) -> str | None:
    """The version of a Python, or None when it does not run (its home may have been removed)."""
    ask = "import sys, encodings; print('%d.%d.%d' % sys.version_info[:3])"
    try:
        asked = subprocess.run([str(python), "-I", "-S", "-c", ask], capture_output=True, text=True)
    except OSError:
        return None
    return asked.stdout.strip() or None


def surroundings(**more: str) -> dict[str, str]:
    """The environment variables of a command that runs in ``.venv``, and ``more``.

    Its programs come first on PATH: nbgrader starts ``alembic`` by name.
    """
    own = {key: value for key, value in os.environ.items() if key not in MISLEADING}
    return own | {
        "PATH": os.pathsep.join([str(python_of(VENV).parent), own.get("PATH", os.defpath)]),
        "VIRTUAL_ENV": str(VENV),
        **more,
    }
