"""A small project with this repository's set-up in it, whose packages come from a folder.

    project = Project(tmp_path)
    run = project.run("lab")
    assert run.status == 0, run.output

The set-up is the real one: real venv, real pip, real processes. Only what it installs is small: a
torch and a test tool of a few bytes, and a course whose commands print how they were started. So
each set-up takes seconds, and needs no network.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "hooked-on-backward"
[project.optional-dependencies]
dev = ["devtool", "sitetool"]
site = ["sitetool"]
"""
BACKEND = """\
import pathlib
from machine_project import wheel

def build_editable(folder, config_settings=None, metadata_directory=None):
    needs = "Provides-Extra: dev\\nProvides-Extra: site\\n"
    needs += "Requires-Dist: devtool; extra == 'dev'\\n"
    needs += "Requires-Dist: sitetool; extra == 'dev' or extra == 'site'\\n"
    return wheel(pathlib.Path(folder), "hooked_on_backward", "1", needs).name
"""
COMMANDS = """\
import importlib.util, json, os, sys
has = [name for name in ("torch", "devtool") if importlib.util.find_spec(name)]
print("started", json.dumps({
    "arguments": sys.argv[1:], "prefix": sys.prefix, "has": has,
    "path": os.environ["PATH"].split(os.pathsep)[0], "pythonpath": os.environ.get("PYTHONPATH"),
}))
"""


def wheel(folder: Path, name: str, version: str, more: str = "") -> Path:
    """Write a wheel with one empty module."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{name}.py", "")
        file.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{more}"
        )
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")
    return path


@dataclass
class Run:
    status: int
    output: str
    errors: str

    @property
    def started(self) -> dict | None:
        """How the command was started, if it was."""
        lines = [line for line in self.output.splitlines() if line.startswith("started ")]
        return json.loads(lines[0].removeprefix("started ")) if lines else None

    @property
    def set_up(self) -> bool:
        return "Ready." in self.output


class Project:
    def __init__(self, folder: Path):
        self.folder, wheels = folder / "project", folder / "wheels"
        (self.folder / "course").mkdir(parents=True)
        wheels.mkdir()
        for name in ("__init__.py", "bootstrap.py", "machine"):
            source, target = REPOSITORY / "course" / name, self.folder / "course" / name
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        shutil.copy(REPOSITORY / "Makefile", self.folder)
        shutil.copy(__file__, self.folder)
        (self.folder / "course" / "__main__.py").write_text(COMMANDS)
        (self.folder / "pytest.py").write_text(COMMANDS)
        (self.folder / "pyproject.toml").write_text(PYPROJECT)
        (self.folder / "backend.py").write_text(BACKEND)
        (self.folder / "constraints.txt").write_text("# the exact set\ntorch==0.1\n")
        wheel(wheels, "torch", "0.1")
        wheel(wheels, "torch", "0.2")
        wheel(wheels, "devtool", "1")
        wheel(wheels, "sitetool", "1")
        foreign = ("PIP_", "MAKE", "MFLAGS")  # make test hands its own variables on to these makes
        own = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        self.variables = own | {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(wheels),
        }

    @property
    def venv(self) -> Path:
        return self.folder / ".venv"

    def start(self, *arguments: str, python: tuple[str, ...] = (sys.executable,), **variables):
        """Start bootstrap.py; it gets a process group of its own, as a terminal gives it."""
        return subprocess.Popen(
            [*python, str(self.folder / "course" / "bootstrap.py"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.variables | variables,
            start_new_session=True,
        )

    def run(self, *arguments: str, **more) -> Run:
        process = self.start(*arguments, **more)
        output, errors = process.communicate(timeout=300)
        return Run(process.returncode, output, errors)

    def make(self, *arguments: str) -> Run:
        done = subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Run(done.returncode, done.stdout, done.stderr)


def pretend(version: tuple[int, ...]) -> tuple[str, ...]:
    """The start of a command that runs a script in a Python which says it is of that version."""
    code = (
        f"import sys; sys.version_info = {version}; sys.argv.pop(0); "
        "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return (sys.executable, "-c", code)
