"""A real Jupyter server and a real browser for tests: JupyterLab and Notebook 7 side by side.

    with jupyter_server(folder) as server, chromium() as browser:
        page = open_notebook(browser, server, "lab", ["1 + 1"])

One server serves both front ends. Every page keeps what must not happen in `page.complaints`:
console errors, uncaught errors, and requests to another host.
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat

from course.machine.open_lab import CONFIGURATIONS

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CONFIG = """
c.ServerApp.token = ""
c.ServerApp.password = ""
c.ServerApp.open_browser = False
c.ServerApp.allow_root = True
c.ServerApp.disable_check_xsrf = True  # tests end a kernel through the server's own interface
c.LabApp.news_url = None
c.LabApp.expose_app_in_browser = True
c.JupyterNotebookApp.expose_app_in_browser = True
"""
NO_NEWS = '{"fetchNews": "false"}'  # else JupyterLab asks whether it may fetch them
NOTEBOOK_OWN = (  # what Notebook 7.6 complains of with an empty notebook
    "Cannot read properties of undefined (reading 'schema')",
    "Command 'filebrowser:open-path' not registered.",
)
READY = """() => {
  const widget = window.jupyterapp?.shell?.currentWidget;
  const session = widget?.sessionContext;
  return widget?.context?.isReady && session?.isReady && session.session?.kernel?.status === "idle";
}"""


class Server:
    """A running Jupyter server: its address and the folder it shows."""

    def __init__(self, url: str, folder: Path):
        self.url, self.folder = url, folder

    def address(self, front_end: str, path: str) -> str:
        """Where a notebook opens: `front_end` is "lab" or "notebook"."""
        at = {"lab": f"lab/workspaces/{Path(path).stem}/tree", "notebook": "notebooks"}[front_end]
        return f"{self.url}/{at}/{path}"


@contextlib.contextmanager
def jupyter_server(folder: Path, home: Path, cwd: Path | None = None, **variables: str):
    """Start a server on `folder`; what it remembers goes to `home`. It is stopped at the end.

    It is started in `cwd`, where nbgrader looks for its options, with these environment variables.
    """
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.py").write_text(CONFIG)
    news = home / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
    news.mkdir(parents=True, exist_ok=True)
    (news / "notification.jupyterlab-settings").write_text(NO_NEWS)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {
        name: str(home / name.lower())
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "JUPYTERLAB_WORKSPACES_DIR",
            "IPYTHONDIR",
        )
    }
    command = [sys.executable, "-m", "jupyterlab", f"--config={home / 'config.py'}"]
    command += [f"--ServerApp.root_dir={folder}", f"--ServerApp.port={port}", "--ip=127.0.0.1"]
    own["JUPYTER_CONFIG_PATH"] = str(CONFIGURATIONS / "always")  # as in `make lab`
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NBGRADER")}
    environment |= own | variables
    with open(home / "server.log", "w") as log:
        process = subprocess.Popen(command, env=environment, cwd=cwd, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_up(url, process, home / "server.log")
            yield Server(url, folder)
        finally:
            process.terminate()  # it ends its kernels itself
            process.wait(timeout=60)  # seconds; under load it takes its time


def _wait_until_up(url, process, log):
    for _ in range(300):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{url}/api/status", timeout=1)
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the Jupyter server did not start:\n{log.read_text()[-2000:]}")


@contextlib.contextmanager
def chromium():
    """The system's Chromium, headless."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


def write_notebook(path: Path, cells: list[str]) -> None:
    """A notebook with these code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    path.write_text(nbformat.writes(notebook))


def watch(page, url: str) -> None:
    """Keep a list of what must not happen on a page in `page.complaints`."""
    page.complaints = []
    local = ("data:", "blob:", url, url.replace("http", "ws", 1))

    def console(message):
        # A server without a favicon or a saved workspace is no fault of a widget, nor is a page
        # that hears of widgets which another page of the same kernel had shown.
        passed_over = ("404", "Comm not found for comm id")
        if message.type == "error" and not any(text in message.text for text in passed_over):
            page.complaints.append(f"console: {message.text}")

    def uncaught(error):
        if str(error.message) not in NOTEBOOK_OWN:
            page.complaints.append(f"error: {error}")

    page.on("console", console)
    page.on("pageerror", uncaught)
    page.on(
        "request",
        lambda r: None if r.url.startswith(local) else page.complaints.append(f"request: {r.url}"),
    )


def open_notebook(browser, server, front_end, notebook, *, run=True, name="notebook", **context):
    """Open a notebook (a list of cells, or a file below the server's folder) and run all of it.

    `context` goes to the browser context: viewport, color_scheme, reduced_motion.
    """
    path = notebook
    if isinstance(notebook, list):
        path = f"{name}_{front_end}.ipynb"
        write_notebook(server.folder / path, notebook)
    page = browser.new_context(
        **{"viewport": {"width": 1400, "height": 1000}, **context}
    ).new_page()
    page.set_default_timeout(60_000)
    watch(page, server.url)
    page.goto(server.address(front_end, path))
    page.wait_for_function(READY)
    if run:
        run_all(page)
    return page


def run_all(page) -> None:
    """Run every cell; returns when all have run."""
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(READY)


def axe_violations(page, within: str) -> list[str]:
    """Serious and critical violations that axe finds inside a CSS selector."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, context=within).response["violations"]
    return [
        f"{v['id']} ({v['impact']}): {json.dumps([n['html'][:160] for n in v['nodes']])}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
