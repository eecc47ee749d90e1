"""Talk to a zygote and to the forks of it that run notebooks.

    zygote = Zygote(Orders(preload=("torch",), packages=("course",)))
    with zygote.fork(env={}, files={}) as fork:
        done = fork.run(0, "1 + 1", seconds=30, memory=1 << 30, take=outputs.append)

Whatever comes from a fork was written by a stranger: it is read within limits of size and time,
parsed as JSON, and believed in nothing but that these are its outputs.
"""

import atexit
import base64
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic

import psutil

from course.grading.contained import Bind, Limits
from course.grading.view import view

LONGEST_LINE = 8_000_000  # bytes of one message
GRACE = 5.0  # seconds in which an interrupted cell must have ended
LOOK = 0.25  # seconds between two looks at the memory that is used


class Dead(Exception):
    """The process has ended, or was ended; the text says why, as half a sentence."""

    def in_cell(self, name: str) -> str:
        """The text with the name of the cell in its place."""
        return str(self).replace("CELL", name, 1)


class TimeIsUp(Exception):
    """The cell was interrupted at the end of its time, and has ended."""


@dataclass(frozen=True)
class Orders:
    """What a zygote is to be: two with equal orders are the same.

    ``packages``, ``withheld``, ``visible`` and ``hidden`` say what its forks see, as ``view`` takes
    them.
    """

    preload: tuple[str, ...] = ()
    contained: bool = True
    packages: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    output: int = 2_000_000  # bytes of output of one cell
    environment: tuple[tuple[str, str], ...] = ()

    def binds(self) -> tuple[Bind, ...]:
        """What its forks see; nothing is bound where they are not contained."""
        if not self.contained:
            return ()
        return view(self.packages, self.withheld, self.visible, self.hidden)

    def as_json(self) -> str:
        """The orders as zygote.py reads them."""
        patterns = [f"*/{package}/{one}" for package in self.packages for one in self.withheld]
        facts = {
            "preload": self.preload,
            "contained": self.contained,
            "binds": [[bind.source, bind.target] for bind in self.binds()],
            "withheld": patterns if self.contained else [],
            "limits": asdict(self.limits),
            "output": self.output,
        }
        return json.dumps(facts)


class Zygote:
    """The warm process, or one's own line to it.

    Raises OSError, with a sentence, when it is first used if it cannot be started or has ended.
    ``door`` is where another process of ours has the door of a zygote that follows these orders.
    """

    def __init__(self, orders: Orders, door: socket.socket | None = None):
        self.orders, self._process = orders, None
        self.statuses: dict[int, int] = {}
        self.door = door or self._start()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self.door, [b"a line"], [theirs.fileno()])
        self._is_ready = False

    def _start(self):
        """Start the process; it gets ready while this one does something else."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    str(Path(__file__).with_name("zygote.py")),
                    str(theirs.fileno()),
                    self.orders.as_json(),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=dict(self.orders.environment),
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the one who marks, who ends the forks
            )
        return ours

    def wait_until_ready(self) -> None:
        """Raises OSError if it does not get ready."""
        if not self._is_ready:
            said = self._hear(lambda words: "pid" not in words)
            if "failed" in said:
                self.close()
                raise OSError(f"the warm process did not start: {said['failed']}")
            self._is_ready = True

    def fork(self, env: Mapping[str, str], files: Mapping[str, bytes], folder: str = "") -> "Fork":
        """A fork with this environment, which writes ``files`` into its folder first."""
        self.wait_until_ready()
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [b'{"fork": true}'], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise OSError("the warm process has ended") from error
        pid = self._hear(lambda words: "status" not in words)["pid"]
        fork = Fork(self, pid, ours)
        content = {name: base64.b64encode(data).decode() for name, data in files.items()}
        with contextlib.suppress(OSError):  # it has ended, which the first cell will say
            fork.send({"env": dict(env), "files": content, "folder": folder})
        return fork

    def signal(self, pid: int, number: int) -> None:
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"pid": pid, "signal": int(number)}).encode())

    def status(self, pid: int, seconds: float) -> int | None:
        """How a fork has ended: None if it has not, within this time."""
        end = monotonic() + seconds
        while pid not in self.statuses:
            left = end - monotonic()
            if left < 0 or self._read(left) is None:
                break
        return self.statuses.get(pid)

    def _hear(self, wanted):
        while True:
            words = self._read(None)
            if words is None:
                raise OSError("the warm process has ended")
            if wanted(words):
                return words

    def _read(self, seconds):
        """The next message, after noting what it says of a fork's end; None if there is none."""
        if self._control.fileno() == -1 or not select.select([self._control], [], [], seconds)[0]:
            return None
        try:
            packet = self._control.recv(1 << 16)
        except OSError:
            packet = b""
        if not packet:
            return None
        words = json.loads(packet)
        if "status" in words:
            self.statuses[words["pid"]] = words["status"]
        return words

    def is_alive(self) -> bool:
        if self._process is not None:
            return self._process.poll() is None
        try:
            return select.select([self._control], [], [], 0)[0] == [] or bool(
                self._control.recv(1, socket.MSG_PEEK)
            )
        except OSError:
            return False

    def close(self) -> None:
        """End every fork of this line, and the zygote itself if it was started here."""
        self._control.close()
        self.door.close()
        if self._process is not None:
            self._process.wait()


class Fork:
    """A process that runs the cells of one notebook."""

    def __init__(self, zygote: Zygote, pid: int, connection: socket.socket):
        self._zygote, self._pid, self._connection = zygote, pid, connection
        self._kept = bytearray()
        self._look = monotonic() + LOOK  # when the memory is looked at again
        self.most_memory = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, words: dict) -> None:
        self._connection.sendall(json.dumps(words).encode() + b"\n")

    def run(
        self, number: int, source: str, *, seconds: float, memory: int, take: Callable[[dict], None]
    ) -> dict:
        """Run a cell; every message of it but the last goes to ``take``. Returns the last.

        Raises TimeIsUp if it had to be interrupted, and Dead if there is nobody any more.
        """
        deadline, interrupted = monotonic() + seconds, False
        try:
            self._connection.settimeout(seconds if seconds < float("inf") else None)
            self.send({"cell": number, "source": source})  # which nobody may be reading
        except OSError:
            raise self._dead() from None
        while True:
            try:
                words = self._next(deadline, memory)
            except TimeoutError:
                if interrupted:
                    self.close()
                    raise Dead("CELL did not end and could not be stopped") from None
                interrupted, deadline = True, monotonic() + GRACE
                self._zygote.signal(self._pid, signal.SIGINT)
                continue
            if "failed" in words and "done" not in words:
                self.close()
                raise Dead(f"the process of CELL failed: {str(words['failed'])[:200]}")
            if words.get("done") == number:
                if interrupted:
                    raise TimeIsUp
                return words
            take(words)

    def _next(self, deadline, memory):
        while True:
            if monotonic() >= self._look:  # also while a cell says more and more
                if self._memory() > memory:
                    self.close()
                    raise Dead(
                        f"CELL and its processes used more than {memory / 1e9:.1f} GB of memory"
                    )
                self._look = monotonic() + LOOK
            end = self._kept.find(b"\n")
            if end >= 0:
                line = bytes(self._kept[:end])
                del self._kept[: end + 1]  # without copying the rest: there may be many lines
                try:
                    words = json.loads(line)
                except (ValueError, RecursionError):
                    words = None
                if isinstance(words, dict):
                    return words
                continue  # not ours: the stranger's own words on our line
            if len(self._kept) > LONGEST_LINE:
                self.close()
                raise Dead("CELL sent more than a notebook can hold")
            left = deadline - monotonic()
            if left <= 0:
                raise TimeoutError
            if select.select([self._connection], [], [], min(left, LOOK))[0]:
                try:
                    piece = self._connection.recv(1 << 18)
                except OSError:
                    piece = b""
                if not piece:
                    raise self._dead()
                self._kept += piece

    def _memory(self):
        used = 0
        with contextlib.suppress(psutil.Error):
            for process in psutil.Process(self._pid).children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    used += process.memory_info().rss
        self.most_memory = max(self.most_memory, used)
        return used

    def _dead(self):
        status = self._zygote.status(self._pid, seconds=1)
        self.close()
        if status is not None and status > 128:
            with contextlib.suppress(ValueError):
                return Dead(f"the kernel died in CELL ({signal.Signals(status - 128).name})")
        return Dead("the kernel died in CELL")

    def close(self) -> None:
        """End the process and all that it has started."""
        if self._connection.fileno() == -1:
            return
        self._connection.close()
        self._zygote.signal(self._pid, signal.SIGTERM)
        if self._zygote.status(self._pid, seconds=5) is None:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGKILL)


_zygotes: dict[Orders, Zygote] = {}


def adopt(orders: Orders, door: socket.socket) -> None:
    """Let this process use the zygote of another one, by its door."""
    _zygotes[orders] = Zygote(orders, door)


def zygote_for(orders: Orders) -> Zygote:
    """The zygote of this process that follows these orders, started when it is first needed."""
    zygote = _zygotes.get(orders)
    if zygote is None or not zygote.is_alive():
        _close_all()  # one at a time: each holds what it has imported in memory
        zygote = _zygotes[orders] = Zygote(orders)
    return zygote


@atexit.register
def _close_all() -> None:
    while _zygotes:
        _zygotes.popitem()[1].close()
