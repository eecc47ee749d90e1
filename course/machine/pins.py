"""Renewing constraints.txt, the exact set of packages that the tests ran with: ``make pin``.

    python course/bootstrap.py pin              the newest packages, with the torch pinned now
    python course/bootstrap.py pin torch==2.14.0

A new environment gets torch, then the newest of everything else that pyproject.toml allows, with
all extras; what is in it then is written down. Run the tests before committing the result.
"""

import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from course.machine.environment import pinned_torch
from course.machine.pip import Pip, SetupError
from course.machine.venv import ROOT, python_of

HEADER = """\
# The exact set of packages that this course is tested with (Python {python} on {system}),
# for `pip install -c constraints.txt`; the ranges that are allowed are in pyproject.toml.
# It is what pip freeze says of a new environment with every extra. To renew it: make pin
# torch has no local tag (+cpu) here, so that each system takes its own build.
"""


def main(arguments: list[str] | None = None) -> int:
    torch = ((arguments or sys.argv[1:]) + [pinned_torch()])[0]
    try:
        frozen = freeze(torch)
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1
    (ROOT / "constraints.txt").write_text(constraints(frozen), "utf-8")
    print("constraints.txt is renewed: run `make test`, then commit it.")
    return 0


def freeze(torch: str) -> str:
    """What pip freeze says of a new environment with everything."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = python_of(Path(folder))
        log = Path(tempfile.gettempdir()) / "course-pin.log"
        with Pip(python, log) as pip:
            pip.install(torch, torch)
            pip.install("everything else", torch, *requirements())
        return subprocess.run(
            [str(python), "-m", "pip", "freeze", "--all", "--exclude", "pip"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout


def requirements() -> list[str]:
    """All that pyproject.toml names: what the course needs, and every extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]


def constraints(frozen: str) -> str:
    """The text of constraints.txt. Raises SetupError for a package that came from a local path."""
    lines = frozen.splitlines()
    odd = [line for line in lines if not re.fullmatch(r"[\w.\-]+==[\w.+!]+", line)]
    if odd:
        raise SetupError(f"pip freeze gave a line that is no pinned package: {odd[0]!r}")
    pinned = [re.sub(r"\+.*", "", line) for line in lines]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    header = HEADER.format(python=python, system=platform.system())
    return header + "\n".join(sorted(pinned, key=str.lower)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
