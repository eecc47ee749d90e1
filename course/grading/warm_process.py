"""Start the process that has imported what notebooks need, and ask it for forks.

    zygote = zygote_for(Orders(preload=("torch",), packages=("course",)))
    with zygote.fork(env={}, files={"data.csv": b"1,2"}) as fork:
        ...  # see forked.py

zygote.py is what runs in it, and says how the two sides talk. ``zygote_for`` starts it once for
equal orders; with ``adopt`` a worker uses that of the process which started the worker.
"""

import atexit
import base64
import contextlib
import json
import select
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic

from course.grading.contained import Bind, Limits
from course.grading.forked import Fork
from course.grading.view import view


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

    def fork(self, env: Mapping[str, str], files: Mapping[str, bytes], folder: str = "") -> Fork:
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
