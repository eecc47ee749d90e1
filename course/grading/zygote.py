"""A process that has imported what kernels need and forks one whenever it is asked to.

    python course/grading/zygote.py torch

It writes ``{"ready": true}`` when the modules are imported. Then a line ``{"argv": …, "env": …,
"cwd": …}`` on its stdin is answered with ``{"pid": 12}``, and when that kernel has ended a line
``{"pid": 12, "status": 0}`` follows (a negative status is the signal that ended it). When its stdin
ends, so do all its kernels and it itself. See warm.py for who talks to it.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import sys


def main(modules: list[str]) -> None:
    if sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]  # the modules beside this one are nobody's business
    answers = os.dup(1)
    os.dup2(2, 1)  # what a module prints while it is imported is no answer
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # ipykernel ends with this process
    kernelapp = importlib.import_module("ipykernel.kernelapp")
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # kernels share the memory of what is imported as long as nobody touches it
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    kernels = set()

    def say(**words):
        os.write(answers, json.dumps(words).encode() + b"\n")

    say(ready=True)
    asked = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 1000)
            for pid, status in ended(kernels):
                say(pid=pid, status=status)
        if 0 in ready:
            more = os.read(0, 1 << 20)
            if not more:
                break
            *lines, asked = (asked + more).split(b"\n")
            for line in lines:
                pid = os.fork()
                if pid == 0:
                    for descriptor in (answers, woken, wake):
                        os.close(descriptor)
                    be_a_kernel(kernelapp, **json.loads(line))
                kernels.add(pid)
                say(pid=pid)
    for pid in kernels:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def ended(kernels: set[int]):
    """The kernels that have ended since the last look, with their status."""
    for pid in list(kernels):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            kernels.remove(pid)
            yield pid, os.waitstatus_to_exitcode(status)


def be_a_kernel(kernelapp, argv: list[str], env: dict[str, str], cwd: str | None) -> None:
    """Go on as a kernel that was started with this command line. Does not return."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.environ.clear()
    os.environ.update(env | {"JPY_PARENT_PID": str(os.getppid())})
    if cwd:
        os.chdir(cwd)
    random.seed()  # else every kernel would draw the same
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    sys.argv = argv
    status = 1
    try:
        kernelapp.launch_new_instance()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        atexit._run_exitfuncs()
        os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
