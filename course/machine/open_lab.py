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
WITHOUT_EXCHANGE = Path(__file__).with_name("without_exchange")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course lab",
        description="Open a lesson in JupyterLab.",
        epilog="Other options, such as --no-browser or --port 8899, are JupyterLab's own.",
        allow_abbrev=False,
    )
    parser.add_argument("lesson", nargs="?", metavar="LESSON", default=LESSONS[0].name)
    options, jupyter = parser.parse_known_args(argv)
    try:
        notebook = notebook_of(options.lesson)
        from jupyterlab.labapp import LabApp
    except LookupError as error:
        print(f"lab: {error.args[0]}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"lab: {error}. `python -m course doctor` says how to mend it.", file=sys.stderr)
        return 1
    os.chdir(ROOT)  # nbgrader reads nbgrader_config.py where the server was started
    if not has_exchange():
        hide_exchange()
    # JupyterLab keeps the open tabs here, and not among those of a person's other work
    os.environ.setdefault("JUPYTERLAB_WORKSPACES_DIR", str(Path(sys.prefix) / "var" / "workspaces"))
    LabApp.launch_instance([*settings(notebook), *jupyter])
    return 0


def notebook_of(lesson: str) -> str:
    """The notebook of a lesson, as a path below the repository. Raises LookupError."""
    path = Path("release") / find_lesson(lesson).assignment / "lesson.ipynb"
    if not (ROOT / path).exists():
        raise LookupError(f"{path} is missing: make it with `python -m course build`.")
    return path.as_posix()


def settings(notebook: str) -> list[str]:
    """The options for JupyterLab: where to start, and no pop-up about news."""
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{notebook}",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
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
            if any(section.startswith("Exchange") for section in config):
                return True
    return os.access(EXCHANGE, os.W_OK | os.X_OK)


def hide_exchange() -> None:
    """Turn off, for this run, the lists that can only say that the exchange is missing."""
    paths = [str(WITHOUT_EXCHANGE), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
