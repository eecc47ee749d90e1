"""Have the cells of one notebook run in a fork of the warm process, each to an outcome.

    with zygote.fork(env={}, files={}) as fork:  # see warm_process.py
        done = fork.run(0, "1 + 1", seconds=30, memory=1 << 30, take=outputs.append)

Whatever comes from a fork was written by a stranger: it is read within limits of size and time,
parsed as JSON, and believed in nothing but that these are its outputs.
"""

import contextlib
import json
import os
import select
import signal
import socket
from collections.abc import Callable
from time import monotonic
from typing import Protocol

import psutil

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


class Parent(Protocol):
    """The warm process, as a fork of it needs it: its parent, which learns how it has ended."""

    def signal(self, pid: int, number: int) -> None: ...

    def status(self, pid: int, seconds: float) -> int | None: ...


class Fork:
    """A process that runs the cells of one notebook."""

    def __init__(self, parent: Parent, pid: int, connection: socket.socket):
        self._parent, self._pid, self._connection = parent, pid, connection
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
                self._parent.signal(self._pid, signal.SIGINT)
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
        status = self._parent.status(self._pid, seconds=1)
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
        self._parent.signal(self._pid, signal.SIGTERM)
        if self._parent.status(self._pid, seconds=5) is None:
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGKILL)
