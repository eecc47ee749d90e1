"""Which of Jupyter's extensions are on, and the command that turns one on.

Read from Jupyter's files, because importing its server takes a second. The folders come in the
order in which Jupyter asks them, so the first file that mentions an extension decides.
"""

import json
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

LAB = {  # extension of JupyterLab -> the package that brings it
    "@jupyter/nbgrader": "nbgrader",
    "@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets",
    "anywidget": "anywidget",
}
SERVER = ("formgrader", "validate_assignment")  # without an exchange, the other two do nothing


def problems() -> Iterator[tuple[str, str]]:
    """Each extension that should be on and is not: what is wrong, and the command that mends it."""
    from jupyter_core.paths import jupyter_config_path, jupyter_path

    folders = [Path(folder) for folder in jupyter_config_path()]
    for name, package in LAB.items():
        places = [Path(place) for place in jupyter_path("labextensions")]
        if not any((place / name / "package.json").exists() for place in places):
            command = f'"{sys.executable}" -m pip install --force-reinstall --no-deps {package}'
            yield f"JupyterLab's extension {name} is missing", command
        for off, file in switched_off(name, folders):
            command = enable("labextension", off, file, {"user": "--level=user", "env": ""})
            yield f"JupyterLab's extension {off} is switched off in {file}", command
    for name in SERVER:
        module = f"nbgrader.server_extensions.{name}"
        on, said_in = server_extension(module, folders)
        if not on:
            levels = {"user": "--user", "env": "--sys-prefix"}
            where = f"switched off in {said_in}" if said_in else "not switched on"
            yield (
                f"the server's extension {module} is {where}",
                enable("server extension", module, said_in, levels),
            )


def switched_off(name: str, folders: list[Path]) -> Iterator[tuple[str, Path]]:
    """The extension or parts of it (``name:part``) that JupyterLab is told to leave out.

    The part of nbgrader that needs an exchange may be off: the course does that itself.
    """
    seen = set()
    for folder in folders:
        file = folder / "labconfig" / "page_config.json"
        told = load(file).get("disabledExtensions", {})
        for key, off in (
            dict.fromkeys(told, True).items() if isinstance(told, list) else told.items()
        ):
            if key.split(":")[0] != name or key in seen:
                continue
            seen.add(key)
            if off and not key.endswith((":assignment-list", ":course-list")):
                yield key, file


def server_extension(module: str, folders: list[Path]) -> tuple[bool, Path | None]:
    """Whether the server loads an extension, and the file that says so; (False, None) if none."""
    for folder in folders:
        parts = sorted((folder / "jupyter_server_config.d").glob("*.json"), reverse=True)
        for file in (folder / "jupyter_server_config.json", *parts):
            told = load(file).get("ServerApp", {}).get("jpserver_extensions", {})
            if module in told:
                return bool(told[module]), file
    return False, None


def enable(kind: str, name: str, file: Path | None, levels: dict[str, str]) -> str:
    """The command that turns an extension on, for the place where it was turned off."""
    from jupyter_core.paths import ENV_CONFIG_PATH, jupyter_config_dir

    jupyter = f'"{Path(sysconfig.get_path("scripts")) / "jupyter"}"'
    if file and file.name == "jupyter_server_config.json":  # it outweighs all that Jupyter writes
        return f"take the line with {name} out of {file}"
    if file is None or any(Path(folder) in file.parents for folder in ENV_CONFIG_PATH):
        return " ".join(filter(None, [jupyter, kind, "enable", levels["env"], name]))
    if Path(jupyter_config_dir()) in file.parents:
        return f"{jupyter} {kind} enable {levels['user']} {name}"
    return f"take the line with {name} out of {file}"


def load(file: Path) -> dict:
    """A JSON file of Jupyter; empty when there is none that can be read."""
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
