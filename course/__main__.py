"""The command line, ``python -m course COMMAND``. A command is a module, imported when called."""

import argparse
import os
import sys
import sysconfig
from importlib import import_module

COMMANDS = {  # name -> (the module whose main(arguments) runs it, what it does)
    "lab": ("course.machine.open_lab", "open a lesson in JupyterLab"),
    "check": ("course.check_cli", "run the checks of a notebook, or of a lesson's bank of answers"),
    "build": ("course.build", "build source/ and release/ from course/lessons/"),
    "new": ("course.new_exercise", "add an exercise to a lesson, for its author to fill in"),
    "doctor": ("course.doctor", "say what is installed, what is wrong, and how to mend it"),
    "grade-me": ("course.own_marks.cli", "mark your own notebook, hidden cases included"),
    "grade": ("course.grading.batch.cli", "mark what was submitted, contained and many at once"),
    "site": ("course.website", "build the pages of the course in build/site/html"),
    "export": ("course.gradebook.export", "write the grades of a gradebook as nbgrader does, fast"),
    "report": ("course.gradebook.report", "which exercises were hard, and why answers were wrong"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run a command; give its exit status. Without one, list them all."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m course",
        usage="%(prog)s COMMAND [--help] …",
        description="Hooked on Backward: a course on PyTorch hooks.",
        epilog="commands:\n" + "\n".join(f"  {name:10}{COMMANDS[name][1]}" for name in COMMANDS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", nargs="?")
    command = parser.parse_args(arguments[:1]).command
    if command is None:
        parser.print_help()
        return 0
    put_programs_on_path()
    try:
        return import_module(COMMANDS[command][0]).main(arguments[1:])
    except ModuleNotFoundError as error:  # PackageNotFoundError is one too
        package = (error.name or "").partition(".")[0]
        if package in ("", "course") or package in sys.stdlib_module_names:
            raise
        print(without(package, arguments), file=sys.stderr)
        return 2


def without(package: str, arguments: list[str]) -> str:
    """What to do where a package that a command needs is not installed in this Python."""
    from course.machine.venv import VENV, python_of

    said = f"{package} is not installed in this Python ({sys.executable}): "
    if python_of(VENV).exists() and os.path.realpath(sys.prefix) != os.path.realpath(VENV):
        command = " ".join([os.path.relpath(python_of(VENV)), "-m", "course", *arguments])
        return f"{said}use `{command}`."
    return f"{said}run `python course/bootstrap.py setup`, which installs what is missing in .venv."


def put_programs_on_path() -> None:
    """Let what a command starts find this environment's programs: nbgrader runs ``alembic``."""
    programs, path = sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)
    if programs not in path.split(os.pathsep):
        os.environ["PATH"] = programs + os.pathsep + path


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
