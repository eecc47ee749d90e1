"""Running pip for a person: a few lines of progress, all of its words in a file, and one sentence
when it fails.

    with Pip(python, log) as pip:
        pip.install("JupyterLab and nbgrader", "-c", "constraints.txt", "-e", ".")
"""

import contextlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from course.machine.venv import MISLEADING


class SetupError(Exception):
    """The environment cannot be set up. The text is one sentence for a person, with what to do."""


CAUSES = (  # what pip says -> what it means, in the order in which they are looked for
    (
        r"No space left on device|Errno 28\b|Disk quota exceeded|Errno 122\b|WinError 112\b",
        "The disk is full: free some space (about 2 GB in {folder}, 1 GB in the temporary folder "
        "{temporary}) and run the same command again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|certificate verify failed|SSLError",
        "The packages cannot be downloaded, because the certificate of the server is not trusted "
        "here: ask for the certificate file of your network and set PIP_CERT to its path.",
    ),
    (
        r"ProxyError|Proxy Authentication Required|Tunnel connection failed",
        "The packages cannot be downloaded, because the proxy cannot be reached or refuses: "
        "check HTTPS_PROXY.",
    ),
    (
        r"Failed to establish a new connection|NewConnectionError|NameResolutionError"
        r"|ConnectTimeoutError|ReadTimeoutError|Read timed out|Connection (reset|aborted|refused)"
        r"|Network is unreachable|RemoteDisconnected|ProtocolError|IncompleteRead",
        "The network cannot be reached, and the packages must be downloaded once: connect to the "
        "internet and run the same command again.",
    ),
    (
        r"No matching distribution found for torch\b",
        "There is no torch of the version in constraints.txt for Python {python} on {system}: "
        "install a 64-bit Python 3.11 to 3.13 and run the same command again.",
    ),
)


def explain(output: str, folder: Path) -> str | None:
    """The one sentence for a failed pip, or None when the cause is not a known one."""
    for pattern, words in CAUSES:
        if re.search(pattern, output):
            return words.format(
                folder=folder,
                temporary=tempfile.gettempdir(),
                python=platform.python_version(),
                system=f"{platform.system()} {platform.machine()}",
            )
    return None


class Pip:
    """pip of one environment. Its words go to the file ``log``; entering opens it anew."""

    def __init__(self, python: Path, log: Path):
        self.python, self.log = python, log

    def __enter__(self):
        self.file = open(self.log, "w", encoding="utf-8")
        return self

    def __exit__(self, *problem):
        with contextlib.suppress(OSError):  # the disk is full: the person reads that from pip
            self.file.close()

    def install(self, what: str, *arguments: str) -> None:
        """Install, telling the person what. Raises SetupError with one sentence."""
        with Progress(what) as progress:
            status, output = self._run(["install", "--no-compile", *arguments], progress)
            progress.done = not status
        if status:
            last = next((line for line in reversed(output.splitlines()) if line.strip()), "nothing")
            words = explain(output, self.log.parent)
            words = words or f"pip could not install {what}; it said last: {last.strip()}"
            raise SetupError(f"{words}\nAll that pip said: {self.log}")

    def try_install(self, what: str, *arguments: str) -> bool:
        """Install if that can be done; tell whether. A full disk is an error all the same."""
        with Progress(what) as progress:
            status, output = self._run(["install", "--no-compile", *arguments], progress)
            progress.done = not status
        if status and re.search(CAUSES[0][0], output):
            raise SetupError(f"{explain(output, self.log.parent)}\nAll that pip said: {self.log}")
        return not status

    def has_own_index(self) -> bool:
        """Whether the person told pip where packages come from: then nothing else is asked."""
        _, output = self._run(["config", "list"], Progress(""))
        return bool(re.search(r"\.(index-url|no-index)=", output))

    def _run(self, arguments: list[str], progress: "Progress") -> tuple[int, str]:
        command = [str(self.python), "-m", "pip", *arguments]
        self._note(f"$ {' '.join(command)}\n")
        lines = deque(maxlen=2000)
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env=pip_variables(),
        )
        assert process.stdout is not None  # it is a pipe
        try:
            for line in process.stdout:
                lines.append(line)
                self._note(line)
                progress.saw(line)
            process.wait()
        except BaseException:
            stop(process)
            raise
        return process.returncode, "".join(lines)

    def _note(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the disk is full: what pip said is also in memory
            self.file.write(text)
            self.file.flush()


def stop(process: subprocess.Popen) -> None:
    """Wait until an interrupted pip has put back what it was changing; end it if it goes on."""
    if process.stdout is not None:
        process.stdout.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


def pip_variables() -> dict[str, str]:
    """The environment variables for pip: the person's own, less what would lead it elsewhere."""
    own = {key: value for key, value in os.environ.items() if key not in MISLEADING}
    return own | {
        "PIP_USER": "0",
        "PIP_REQUIRE_VIRTUALENV": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_PROGRESS_BAR": "off",
        "PIP_NO_INPUT": "1",
        "PYTHONUTF8": "1",
    }


class Progress:
    """One line for a person: what is done and, at the end, how long it took.

    On a terminal the line also shows the package that is being fetched.
    """

    def __init__(self, what: str):
        self.what, self.done, self.tty = what, True, sys.stdout.isatty()

    def __enter__(self):
        self.started = time.monotonic()
        print(f"  {self.what} …", end="", flush=True)
        return self

    def saw(self, line: str) -> None:
        if (
            self.tty
            and self.what
            and line.lstrip().startswith(("Collecting", "Downloading", "Install"))
        ):
            print(f"\r\x1b[K  {self.what} … {line.strip()[:60]}", end="", flush=True)

    def __exit__(self, kind, *problem):
        start = f"\r\x1b[K  {self.what} … " if self.tty else " "
        seconds = time.monotonic() - self.started
        print(f"{start}{'done' if self.done and not kind else 'no'}, {seconds:.0f} s", flush=True)
