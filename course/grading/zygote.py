"""A process that has imported what notebooks need and forks one that runs cells when asked to.

    python course/grading/zygote.py DOOR '{"preload": ["torch"], "binds": [["/usr", "/usr"]], …}'

DOOR is the number of an inherited socket. Whoever sends one end of a socket there has a line, on
which ``{"ready": true}`` comes first, or ``{"failed": why}``. Then ``{"fork": true}`` with one end
of a socket is answered with ``{"pid": 12}``; that process reads ``{"env": …, "files": …}`` and
cells from its socket (see shell.py). ``{"signal": 2, "pid": 12}`` sends it a signal; when it has
ended ``{"pid": 12, "status": 0}`` follows. When a line is closed, its forks end; when nobody has
the door any more, so does this process. warm_process.py is the other side.
"""

import base64
import contextlib
import fnmatch
import functools
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path


def main(door: socket.socket, orders: dict) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    modules = None
    first: dict[str, bool | str] = {"ready": True}
    try:
        modules = prepared(orders)
    except Exception as error:
        first = {"failed": f"{type(error).__name__}: {error}"}
    woken = wake_on_children()
    lines: dict[socket.socket, set[int]] = {}  # with the forks of each
    while True:
        ready, _, _ = select.select([door, woken, *lines], [], [])
        if woken in ready:
            os.read(woken, 1000)
            for line, running in lines.items():
                for pid, status in ended(running):
                    say(line, pid=pid, status=status)
        if door in ready:
            knock, sockets, _, _ = socket.recv_fds(door, 64, 1)
            if not knock:
                break
            line = socket.socket(fileno=sockets[0])
            lines[line] = set()
            say(line, **first)
        for line in [line for line in lines if line in ready]:
            if not answered(line, lines[line], modules, orders):
                end(lines.pop(line))
                line.close()
    for running in lines.values():
        end(running)


def wake_on_children():
    """The reading end of a pipe into which every child's end is written."""
    woken, wake = os.pipe()
    for side in (woken, wake):
        os.set_blocking(side, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    return woken


def answered(line, running, modules, orders):
    """Do what is asked on a line; False if it has been closed."""
    try:
        request, sockets, _, _ = socket.recv_fds(line, 4096, 1)
    except OSError:
        return False
    if not request:
        return False
    asked = json.loads(request)
    if "signal" in asked:
        if asked["pid"] in running:
            os.kill(asked["pid"], asked["signal"])
        return True
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        guard(modules, orders, socket.socket(fileno=sockets[0]))
    os.close(sockets[0])
    running.add(pid)
    say(line, pid=pid)
    return True


def say(line, **words):
    with contextlib.suppress(OSError):  # whoever had this line has ended
        line.send(json.dumps(words).encode())


def end(running):
    for pid in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


class Modules:
    """What was imported by another name than this script's folder would give."""

    def __init__(self):
        self.contained = importlib.import_module("course.grading.contained")
        self.shell_module = importlib.import_module("course.grading.shell")
        self.shell = self.shell_module.new_shell()


def prepared(orders):
    """Import everything, then leave the world that has the instructor's files in it."""
    modules = Modules()
    for name in orders["preload"]:
        importlib.import_module(name)
    withheld = sorted(
        name
        for name, module in sys.modules.items()
        if is_withheld(getattr(module, "__file__", None) or "", orders["withheld"])
    )
    if withheld:
        raise ImportError(f"preload brings in what is withheld: {', '.join(withheld)}")
    gc.collect()
    gc.freeze()  # forks share the memory of what is imported as long as nobody touches it
    if orders["contained"]:
        binds = [modules.contained.Bind(*bind) for bind in orders["binds"]]
        modules.contained.see_only(binds)
    return modules


def is_withheld(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def ended(running):
    for pid in list(running):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            running.remove(pid)
            yield pid, os.waitstatus_to_exitcode(status)


def guard(modules, orders, connection):
    """Be the one between: start the process that runs cells, pass signals on, end with it."""
    os.setsid()
    close_all_but(connection.fileno())
    limits = modules.contained.Limits(**orders["limits"])
    status = 1
    try:
        if orders["contained"]:
            pid = modules.contained.become_alone(limits)
        else:
            modules.contained.adopt_orphans()
            pid = os.fork()
            if pid == 0:
                modules.contained.set_limits(limits)
        if pid == 0:
            be_a_shell(modules, connection, orders)  # does not return
        modules.contained.end_with_parent()  # also if that one is killed
        connection.close()
        for asked, given in ((signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGKILL)):
            signal.signal(asked, functools.partial(pass_on, pid, given))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if not orders["contained"]:  # else its children have ended with it
            modules.contained.kill_orphans()
    except OSError as error:
        complain(connection, error)
    os._exit(status if status >= 0 else 128 - status)


def pass_on(pid, number, *_):
    with contextlib.suppress(ProcessLookupError):  # it has ended, and its children are being ended
        os.kill(pid, number)


def complain(connection, error):
    with contextlib.suppress(OSError):
        words = {"failed": f"{type(error).__name__}: {error}"}
        connection.sendall(json.dumps(words).encode() + b"\n")


def close_all_but(keep):
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.closerange(3, keep)
    os.closerange(keep + 1, 1 << 16)


def be_a_shell(modules, connection, orders):
    os.setsid()  # a signal to its process group, os.kill(0, 9), must not reach the one between
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = 1
    try:
        asked = json.loads(read_line(connection))
        os.environ.clear()
        os.environ.update(asked["env"])
        time.tzset()
        if asked["folder"]:
            os.chdir(asked["folder"])
        if not os.access("/tmp", os.W_OK):  # the Python that runs is installed there
            os.environ["TMPDIR"] = "/dev/shm"
        tempfile.tempdir = None  # what was found before the fork may be out of reach
        for name, content in asked["files"].items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(base64.b64decode(content))
        random.seed()  # else every fork would draw the same
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed()
        sys.argv, sys.path[:0] = ["ipykernel_launcher.py"], [""]
        modules.shell_module.serve(modules.shell, connection, orders["output"])
        status = 0
    except Exception as error:
        complain(connection, error)
    finally:
        os._exit(status)


def read_line(connection):
    """One line, byte for byte no more: what follows is for another reader."""
    line = bytearray()
    while not line.endswith(b"\n"):
        piece = connection.recv(1 << 16, socket.MSG_PEEK)
        if not piece:
            raise EOFError("nobody asks for anything")
        end = piece.find(b"\n") + 1 or len(piece)
        line += connection.recv(end)
    return bytes(line)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), json.loads(sys.argv[2]))
