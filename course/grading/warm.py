"""Kernels that start warm: forked from a process that has imported their modules already.

In ``nbgrader_config.py``:

    c.SafeExecute.kernel_manager_class = "course.grading.WarmKernelManager"
    c.WarmKernelManager.preload = ["torch"]

To import torch takes most of the time of a small notebook. Here one process, the zygote, imports it
once for each nbgrader command, and every kernel is a fork of it. Where that cannot be done (not on
Linux, another Python than this one, a module that is not installed) the kernel starts cold, as
with stock nbgrader. The idea is that of Python's own multiprocessing "forkserver".
"""

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import uuid
from pathlib import Path

from jupyter_client.provisioning import LocalProvisioner
from traitlets import List, Unicode

from course.grading.kernel import SlicedKernelManager


class WarmKernelManager(SlicedKernelManager):
    """The kernel manager for ``c.SafeExecute.kernel_manager_class``."""

    preload = List(
        Unicode(), help="modules that every kernel has imported already when it starts"
    ).tag(config=True)

    async def _async_pre_start_kernel(self, **kw):
        if self.provisioner is None and sys.platform == "linux":
            self.kernel_id = self.kernel_id or str(uuid.uuid4())
            self.provisioner = WarmProvisioner(
                kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
            )
        return await super()._async_pre_start_kernel(**kw)

    pre_start_kernel = _async_pre_start_kernel


class WarmProvisioner(LocalProvisioner):
    """Starts a kernel as a fork of the zygote, and as usual where that cannot be done."""

    async def launch_kernel(self, cmd, **kwargs):
        this_python = [sys.executable, "-m", "ipykernel_launcher"]
        zygote = None
        if cmd[:3] == this_python:
            zygote = zygote_for(tuple(self.parent.preload), kwargs["env"])
        if zygote is None:
            self.log.warning("The kernel starts cold: %s", " ".join(cmd[:3]))
            return await super().launch_kernel(cmd, **kwargs)
        self.process = zygote.fork(cmd[2:], kwargs["env"], kwargs.get("cwd"))
        self.pid = self.pgid = self.process.pid  # it leads a group of its own
        return self.connection_info


class ForkedKernel:
    """What a provisioner needs of ``subprocess.Popen``, for a child of the zygote."""

    stdin = stdout = stderr = None

    def __init__(self, zygote: "Zygote", pid: int):
        self.zygote, self.pid = zygote, pid

    @property
    def returncode(self) -> int | None:
        return self.zygote.statuses.get(self.pid)

    def poll(self) -> int | None:
        self.zygote.listen(seconds=0)
        return self.returncode

    def wait(self) -> int:
        while self.poll() is None:
            self.zygote.listen(seconds=1)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class Zygote:
    """The other end of zygote.py. Raises OSError if it cannot be started or has ended."""

    def __init__(self, modules: tuple[str, ...], environment: dict[str, str]):
        self.modules, self.environment = modules, environment
        self.statuses: dict[int, int] = {}
        self._said, self._new = b"", []
        script = Path(__file__).with_name("zygote.py")
        self._process = subprocess.Popen(
            [sys.executable, str(script), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl-C is for nbgrader, which ends the kernels itself
        )
        if self._next_answer() != {"ready": True}:
            raise OSError("the zygote could not import its modules")

    def fork(self, argv: list[str], env: dict[str, str], cwd: str | None) -> ForkedKernel:
        request = {"argv": argv, "env": env, "cwd": cwd and str(cwd)}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return ForkedKernel(self, self._next_answer()["pid"])

    def listen(self, seconds: float) -> None:
        """Take in what it says within this time: the kernels that have ended."""
        out = self._process.stdout
        while self.is_alive() and select.select([out], [], [], seconds)[0]:
            said = os.read(out.fileno(), 1 << 16)
            if not said:
                self._process.wait()
                break
            *lines, self._said = (self._said + said).split(b"\n")
            for answer in map(json.loads, lines):
                if "status" in answer:
                    self.statuses[answer["pid"]] = answer["status"]
                else:
                    self._new.append(answer)
            seconds = 0
        if not self.is_alive():  # its kernels go with it
            self.statuses = Ended(self.statuses)

    def _next_answer(self) -> dict:
        while not self._new:
            self.listen(seconds=60)
            if not self.is_alive():
                raise OSError("the zygote has ended")
        return self._new.pop(0)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """End it, and with it every kernel of it that still runs."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Ended(dict):
    """The statuses of kernels whose zygote is gone: those that are not known were killed."""

    def get(self, pid, default=None):
        return super().get(pid, -signal.SIGKILL)


_zygotes: list[Zygote] = []


def zygote_for(modules: tuple[str, ...], env: dict[str, str]) -> Zygote | None:
    """The zygote of this process that has these modules and this environment; None if none can."""
    environment = {key: value for key, value in env.items() if not key.startswith("JPY_")}
    for zygote in _zygotes:
        if zygote.is_alive() and (zygote.modules, zygote.environment) == (modules, environment):
            return zygote
    while _zygotes:
        _zygotes.pop().close()
    try:
        _zygotes.append(Zygote(modules, environment))
    except OSError:
        return None
    return _zygotes[0]


@atexit.register
def _close_all() -> None:
    for zygote in _zygotes:
        zygote.close()
