"""The one who runs a notebook's cells in the forked process: IPython, with its outputs sent out.

``serve(connection)`` reads a line ``{"cell": 3, "source": "1 + 1"}`` and answers with one line for
each output, as a notebook holds it, then ``{"done": 3, …}``. It is what ipykernel does with a shell
of the same class, without the sockets, threads and signatures that a front end needs: a notebook of
forty cells takes a tenth of the time.

Everything here runs beside a stranger's code, so nothing that comes out of it can be relied on: see
forked.py for the one who reads it.
"""

import builtins
import io
import json
import os
import sys
from typing import cast

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any, Type
from traitlets.config import Config


class Line:
    """The connection, one JSON value a line, with at most ``limit`` bytes of output a cell."""

    def __init__(self, connection, limit: int):
        self._file = connection.makefile("rwb")
        self._limit, self._left = limit, limit

    def __iter__(self):
        for line in self._file:
            self._left = self._limit
            yield json.loads(line)

    def say(self, **words) -> None:
        self._file.write(json.dumps(words, default=repr).encode() + b"\n")
        self._file.flush()

    def output(self, kind: str, **content) -> None:
        """Send an output; one that is too large is cut, or goes without its data."""
        decides = kind in {"error", "execute_result"}  # never left out: marks depend on it
        room = max(self._left, 2000 if decides else 0)
        if room == 0:
            return
        if kind == "stream":
            content["text"] = content["text"][:room]
        elif kind == "error":
            content["evalue"] = content["evalue"][:room]
            content["traceback"] = ["\n".join(content["traceback"])[:room]]
        elif len(json.dumps(content, default=repr)) > room:
            text = str(content["data"].get("text/plain", ""))[: room // 2]
            content["data"], content["metadata"] = {"text/plain": text}, {}
        self._left -= len(json.dumps(content, default=repr))
        self.say(output={"output_type": kind, **content})


class Stream(io.TextIOBase):
    """``sys.stdout`` or ``sys.stderr``: what is written is kept until it is much or flushed."""

    encoding = "utf-8"

    def __init__(self, name: str, line: Line):
        self._name, self._line, self._kept, self._size = name, line, [], 0

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if not text:
            return 0
        self._kept.append(text)
        self._size += len(text)
        if self._size > 1 << 13:
            self.flush()
        return len(text)

    def flush(self):
        kept, self._kept, self._size = self._kept, [], 0
        if kept:
            self._line.output("stream", name=self._name, text="".join(kept))


class Publisher(DisplayPublisher):
    """``display(...)``."""

    line = Any()

    def publish(self, data, metadata=None, *, transient=None, update=False, **_):
        flush()
        self.line.output(
            "display_data",
            data=data,
            metadata=metadata or {},
            display_id=(transient or {}).get("display_id"),
            update=update,
        )

    def clear_output(self, wait=False):
        flush()
        self.line.say(clear=True)


class Result(DisplayHook):
    """The value of a cell's last line."""

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        flush()
        self.shell.line.output(
            "execute_result",
            data=format_dict,
            metadata=md_dict or {},
            execution_count=self.prompt_count,
        )


class Shell(InteractiveShell):
    """IPython's shell with the three ways out above, and errors as a notebook holds them."""

    displayhook_class = Type(Result)
    display_pub_class = Type(Publisher)
    line = Any()

    def _showtraceback(self, etype, evalue, stb):
        flush()
        try:
            text = str(evalue)
        except Exception:  # an error class of the learner's
            text = ""
        self.line.output("error", ename=etype.__name__, evalue=text, traceback=list(stb))

    def ask_exit(self):
        self.exiting = True

    exiting = False

    def enable_gui(self, gui=None):
        pass

    def init_history(self):
        super().init_history()
        self.history_manager.enabled = False


def new_shell() -> Shell:
    """The shell, ready but for its connection: made once, before the fork."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    shell = Shell.instance(config=config)
    shell.autoindent = False
    return shell


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Stream):
            stream.flush()


def no_input(prompt="", *_, **__):
    raise StdinNotImplementedError("nobody is there to answer input() while a notebook is marked")


def serve(shell: Shell, connection, limit: int) -> None:
    """Run cells until there are no more."""
    line = Line(connection, limit)
    publisher = cast(Publisher, shell.display_pub)
    shell.line = publisher.line = line
    builtins.input = no_input
    sys.stdout, sys.stderr = Stream("stdout", line), Stream("stderr", line)
    me = os.getpid()
    for asked in line:
        number, failed = asked["cell"], None
        try:
            result = shell.run_cell(asked["source"], store_history=number >= 0)
            failed = result.error_before_exec or result.error_in_exec
        except BaseException as error:  # an interrupt between two cells, a broken hook
            failed = error
        if os.getpid() != me:  # a copy that the cell made with os.fork() is not to go on as we do
            os._exit(0)
        try:
            flush()
        except BaseException as error:
            failed = failed or error
        line.say(
            done=number,
            count=shell.execution_count - 1,
            failed=failed and {"ename": type(failed).__name__, "evalue": _text(failed)},
            exit=shell.exiting,
        )


def _text(error):
    try:
        return str(error)[:1000]
    except Exception:
        return ""
