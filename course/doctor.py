"""``python -m course doctor``: what is installed here, what is wrong, the command that mends it.

It reads what pip wrote down and imports none of the packages, so that it is quick and works where
they are broken. Status 1 when there is a problem.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from course.bootstrap import NEWEST, OLDEST
from course.lessons import LESSONS
from course.machine.venv import ROOT, VENV, read_state


class Finding(NamedTuple):
    """One line of the report; ``mend`` is the command to run, and makes it a problem."""

    words: str
    mend: str = ""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course doctor",
        description="Say what is installed, what is wrong, and the command that mends it.",
    )
    parser.parse_args(argv)
    findings = list(examine())
    for finding in findings:
        print(f"{'WRONG' if finding.mend else 'ok':6}{finding.words}")
        if finding.mend:
            print(f"      mend: {finding.mend}")
    wrong = sum(1 for finding in findings if finding.mend)
    print(f"{wrong} problem{'s' * (wrong != 1)}." if wrong else "All is well.")
    return 1 if wrong else 0


def examine() -> Iterator[Finding]:
    """Look at one thing after the other; what the later ones need is looked at first."""
    yield python()
    missing = [name for name in map(name_of, requirements()) if not is_installed(name)]
    if len(missing) > 2:  # one command, instead of the same one for each package
        yield Finding(f"not installed: {', '.join(missing)}", install())
    else:
        yield from map(package, requirements())
    yield from set_up()
    if "jupyterlab" not in missing and "nbgrader" not in missing:
        yield from jupyter()
    yield lessons()


def python() -> Finding:
    version = sys.version_info[:2]
    words = f"Python {'.'.join(map(str, sys.version_info[:3]))} at {sys.executable}"
    if OLDEST <= version <= NEWEST:
        return Finding(words)
    allowed = f"3.{OLDEST[1]} to 3.{NEWEST[1]}"
    return Finding(
        f"{words}: the course needs {allowed}", f"install Python {allowed}, then: make lab"
    )


def set_up() -> Iterator[Finding]:
    state = read_state()
    if state and not state.whole and Path(sys.prefix) == VENV:
        yield Finding("the set-up of .venv did not come to its end", "make lab")


# --- packages ----------------------------------------------------------------------------------


def requirements() -> list[str]:
    """What pyproject.toml says that the course needs, e.g. ``nbgrader>=0.9.5``."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


def tested() -> dict[str, str]:
    """Package → version in constraints.txt, the set that the tests ran with."""
    text = (ROOT / "constraints.txt").read_text("utf-8")
    return dict(re.findall(r"^([\w.\-]+)==(\S+)", text, re.MULTILINE))


def name_of(requirement: str) -> str:
    return re.findall(r"[\w.\-]+", requirement)[0]


def is_installed(name: str) -> bool:
    """Whether pip knows the package and its files are there: a full disk may leave one of both."""
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return importlib.util.find_spec(name) is not None


def package(requirement: str) -> Finding:
    """One package: there, in the range that is allowed, in the set that is tested."""
    name = name_of(requirement)
    if not is_installed(name):
        return Finding(f"{name} is not installed", install(requirement))
    found = distribution(name)
    words = f"{name} {found.version}" + (f", {torch_build(found)}" if name == "torch" else "")
    if not satisfies(found.version, requirement):
        return Finding(f"{words}: the course needs {requirement}", install(requirement))
    known = tested().get(name)
    if found.version.split("+")[0] != known:
        words += f" (should work; tested with {known})"
    return Finding(words)


def satisfies(version: str, requirement: str) -> bool:
    try:
        from packaging.requirements import Requirement
    except ImportError:  # then JupyterLab, which needs it, is reported
        return True
    return Requirement(requirement).specifier.contains(version, prereleases=True)


def torch_build(found) -> str:
    """CPU or GPU, as torch/version.py says."""
    text = Path(found.locate_file("torch/version.py")).read_text("utf-8")
    gpu = re.search(r"^(cuda|hip)\b[^=]*=\s*['\"]([\d.]+)", text, re.MULTILINE)
    return f"GPU build ({gpu.group(1)} {gpu.group(2)})" if gpu else "CPU build"


def install(requirement: str = "") -> str:
    """The command that installs a package, or everything: in .venv, what make does."""
    if not requirement and sys.prefix == sys.base_prefix:
        return "make lab   (without make: python course/bootstrap.py lab)"
    what = f'"{requirement}"' if requirement else f'-e "{ROOT}"'
    return f'"{sys.executable}" -m pip install -c "{ROOT / "constraints.txt"}" {what}'


# --- Jupyter and the lessons -------------------------------------------------------------------


def jupyter() -> Iterator[Finding]:
    from course.machine import extensions

    problems = [Finding(*problem) for problem in extensions.problems()]
    yield from problems or [Finding("the extensions of nbgrader and of the widgets are on")]
    yield kernel()
    yield alembic()


def kernel() -> Finding:
    """Notebooks name the kernel python3: an older one of that name may start another Python."""
    from jupyter_core.paths import jupyter_path

    files = [Path(folder) / "python3" / "kernel.json" for folder in jupyter_path("kernels")]
    file = next((file for file in files if file.exists()), None)
    mend = f'"{sys.executable}" -m ipykernel install --sys-prefix'
    if file is None:
        return Finding("there is no kernel python3 for the notebooks", mend)
    program = json.loads(file.read_text("utf-8"))["argv"][0]
    here = program in ("python", "python3") or os.path.abspath(program) == sys.executable
    if here:
        return Finding("the notebooks' kernel python3 is this Python")
    if Path(sys.prefix) not in file.parents:
        mend = f"remove the folder {file.parent}"
    return Finding(f"the notebooks' kernel python3 is another Python, {program}", mend)


def alembic() -> Finding:
    """nbgrader starts the program ``alembic`` when it makes a gradebook.

    It is found for all that ``python -m course`` starts, which puts these programs on PATH.
    """
    programs = sysconfig.get_path("scripts")
    if shutil.which("alembic", path=programs) is None:
        command = f'"{sys.executable}" -m pip install --force-reinstall --no-deps alembic'
        return Finding("the program alembic, which nbgrader starts, is missing", command)
    return Finding("the program alembic, which nbgrader starts, is on PATH")


def lessons() -> Finding:
    names = [f"{lesson.assignment}/lesson.ipynb" for lesson in LESSONS]
    missing = [name for name in names if not (ROOT / "release" / name).exists()]
    if missing:
        return Finding(f"release/ lacks {', '.join(missing)}", "make build")
    return Finding(f"release/ holds {len(names)} lessons")
