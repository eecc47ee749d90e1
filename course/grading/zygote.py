"""A process that has imported what notebooks need and forks one that runs cells when asked to.

    python course/grading/zygote.py CONTROL '{"preload": ["torch"], "binds": [["/usr", "/usr"]], …}'

CONTROL is the number of an inherited socket. It says ``{"ready": true}`` there, or ``{"failed":
why}``. Then ``{"fork": true}`` with one end of a socket is answered with ``{"pid": 12}``; that
process reads ``{"env": …, "files": …}`` and cells from its socket (see shell.py).
``{"signal": 2, "pid": 12}`` sends it a signal; when it has ended ``{"pid": 12, "status": 0}``
follows. When the control socket is closed, all of them end, and this one too. forked.py is the
other side.
"""

import base64
import contextlib
import fnmatch
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import sys
import time
from pathlib import Path


def main(control: socket.socket, orders: dict) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    say = Speaker(control)
    try:
        modules = prepared(orders)
    except Exception as error:
        say(failed=f"{type(error).__name__}: {error}")
        return
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    running = set()
    say(ready=True)
    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            os.read(woken, 1000)
            for pid, status in ended(running):
                say(pid=pid, status=status)
        if control in ready:
            request, sockets, _, _ = socket.recv_fds(control, 4096, 1)
            if not request:
                break
            asked = json.loads(request)
            if "signal" in asked:
                if asked["pid"] in running:
                    os.kill(asked["pid"], asked["signal"])
                continue
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                guard(modules, orders, socket.socket(fileno=sockets[0]))
            os.close(sockets[0])
            running.add(pid)
            say(pid=pid)
    for pid in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


class Speaker:
    def __init__(self, control):
        self.control = control

    def __call__(self, **words):
        self.control.send(json.dumps(words).encode())


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
        connection.close()
        signal.signal(signal.SIGINT, lambda *_: os.kill(pid, signal.SIGINT))
        signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGKILL))
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if not orders["contained"]:  # else its children have ended with it
            modules.contained.kill_orphans()
    except OSError as error:
        complain(connection, error)
    os._exit(status if status >= 0 else 128 - status)


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
    control = socket.socket(fileno=int(sys.argv[1]))
    main(control, json.loads(sys.argv[2]))
