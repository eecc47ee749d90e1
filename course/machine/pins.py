"""Renewing constraints.txt, the exact set of packages that the tests ran with: ``make pin``.

    python course/bootstrap.py pin              the newest packages, with the torch pinned now
    python course/bootstrap.py pin torch==2.14.0

pip is asked what it would install into an empty environment: torch, and the newest of everything
else that pyproject.toml allows, with all extras, for the first release of the oldest Python. What
that one takes the newer ones take too; without being told, pip would choose for the Python that it
runs in, 3.11.9 perhaps, and then nobody with 3.11.2 could set up the course. Run the tests before
committing the result.
"""

import json
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from course.bootstrap import OLDEST
from course.machine.environment import pinned_torch
from course.machine.pip import Pip, SetupError
from course.machine.venv import ROOT, python_of

HEADER = """\
# The exact set of packages that this course is tested with (Python {python} on {system}),
# for `pip install -c constraints.txt`; the ranges that are allowed are in pyproject.toml.
# It is what pip installs into a new Python {oldest}.0 with every extra. To renew it: make pin
# torch has no local tag (+cpu) here, so that each system takes its own build.
"""


def main(arguments: list[str] | None = None) -> int:
    torch = ((arguments or sys.argv[1:]) + [pinned_torch()])[0]
    try:
        chosen = resolve(torch)
    except SetupError as problem:
        print(problem, file=sys.stderr)
        return 1
    (ROOT / "constraints.txt").write_text(constraints(chosen), "utf-8")
    print("constraints.txt is renewed: run `make test`, then commit it.")
    return 0


def resolve(torch: str) -> list[str]:
    """The packages (``name==version``) that pip would install into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        environment, report = Path(folder) / "environment", Path(folder) / "report.json"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        for_oldest = ("--python-version", f"{OLDEST[0]}.{OLDEST[1]}.0", "--only-binary=:all:")
        where = ("--target", str(Path(folder) / "nowhere"), "--dry-run", "--report", str(report))
        log = Path(tempfile.gettempdir()) / "course-pin.log"
        with Pip(python_of(environment), log) as pip:
            pip.install("choosing versions", *for_oldest, *where, torch, *requirements())
        chosen = json.loads(report.read_text("utf-8"))["install"]
    return [f"{one['metadata']['name']}=={one['metadata']['version']}" for one in chosen]


def requirements() -> list[str]:
    """All that pyproject.toml names: what the course needs, and every extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]


def constraints(chosen: list[str]) -> str:
    """The text of constraints.txt for these ``name==version``."""
    pinned = [re.sub(r"\+.*", "", line) for line in chosen]
    python, oldest = (f"{version[0]}.{version[1]}" for version in (sys.version_info, OLDEST))
    header = HEADER.format(python=python, system=platform.system(), oldest=oldest)
    return header + "\n".join(sorted(pinned, key=str.lower)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
