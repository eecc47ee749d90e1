"""``python -m course lab [LESSON]``: open a lesson's notebook in JupyterLab.

What Jupyter needs to know is given for this run only; nothing is written where a person keeps the
settings of their own Jupyter.
"""

import argparse
import os
import sys
from pathlib import Path

from course.lessons import LESSONS, find_lesson
from course.machine.venv import ROOT

# Where nbgrader's exchange is unless nbgrader_config.py says otherwise.
EXCHANGE = "/usr/local/share/nbgrader/exchange"
OWN = {"collect", "release_feedback"}  # options of the exchange that the course sets itself
CONFIGURATIONS = Path(__file__).with_name("jupyter")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course lab",
        usage="%(prog)s [LESSON] [OPTION OF JUPYTERLAB …]",
        description="Open a lesson in JupyterLab, the first one when none is named.",
        epilog="Options are JupyterLab's own, such as --no-browser or --port 8899.",
    )
    arguments = sys.argv[1:] if argv is None else argv
    has_lesson = bool(arguments) and not arguments[0].startswith("-")
    lesson, jupyter = (arguments[0], arguments[1:]) if has_lesson else (LESSONS[0].name, arguments)
    if {"-h", "--help"} & set(jupyter):
        parser.parse_args(["--help"])
    try:
        notebook = notebook_of(lesson)
        from jupyterlab.labapp import LabApp
    except LookupError as error:
        print(f"lab: {error.args[0]}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"lab: {error}. `python -m course doctor` says how to mend it.", file=sys.stderr)
        return 1
    os.chdir(ROOT)  # nbgrader reads nbgrader_config.py where the server was started
    use("always")
    if not has_exchange():
        use("without_exchange")
    print(f"Opening {notebook} in JupyterLab. Control-C twice ends it.", flush=True)
    LabApp.launch_instance([*settings(notebook), *jupyter])
    return 0


def notebook_of(lesson: str) -> str:
    """The notebook of a lesson, as a path below the repository. Raises LookupError."""
    path = Path("release") / find_lesson(lesson).assignment / "lesson.ipynb"
    if not (ROOT / path).exists():
        raise LookupError(f"{path} is missing: make it with `python -m course build`.")
    return path.as_posix()


def settings(notebook: str) -> list[str]:
    """The options for JupyterLab: where it starts and where it keeps the open tabs."""
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{notebook}",
        f"--LabApp.workspaces_dir={Path(sys.prefix) / 'var' / 'workspaces'}",
        "--log-level=WARN",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in containers there is often nobody else
        options.append("--allow-root")
    return options


def has_exchange() -> bool:
    """Whether nbgrader can hand out and collect here: then its lists of assignments are of use."""
    from jupyter_core.paths import jupyter_config_path
    from traitlets.config.loader import ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

    for folder in (str(ROOT), *jupyter_config_path()):
        for load, name in ((PyFileConfigLoader, "py"), (JSONFileConfigLoader, "json")):
            try:
                config = load(f"nbgrader_config.{name}", folder).load_config()
            except ConfigFileNotFound:
                continue
            if any(
                section.startswith("Exchange") and set(config[section]) - OWN for section in config
            ):
                return True
    return os.access(EXCHANGE, os.W_OK | os.X_OK)


def use(name: str) -> None:
    """Let Jupyter read one more folder of configuration, in this run.

    "always": no pop-up about news, no log on the terminal, no wait on the way to the browser
    (prompt_sockets.py). "without_exchange": nbgrader's lists of assignments and courses are off,
    which can only say that the exchange is missing.
    """
    paths = [str(CONFIGURATIONS / name), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
