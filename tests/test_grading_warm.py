"""Kernels forked from a warm process: the same outcomes as cold ones, and nothing shared."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from nbgrader.preprocessors import Execute
from nbgrader_course import REPOSITORY, code, notebook
from traitlets.config.loader import PyFileConfigLoader

from course.grading import SafeExecute, SlicedKernelManager, WarmKernelManager, warm
from course.grading.warm import WarmProvisioner, zygote_for

pytestmark = [
    pytest.mark.nbgrader,
    pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only"),
]
CELLS = [
    "import sys, os\n'sympy' in sys.modules",
    "print(os.getcwd(), os.environ['WARM'], sys.argv[0] != '', os.getpid() == os.getpgrp())",
    "print('out')\nprint('err', file=sys.stderr)\n1 / 0",
    "sys.path, __name__, os.environ.get('JPY_PARENT_PID') == str(os.getppid())",
    "import os; os._exit(3)",
]


def outputs(manager, folder, *cells, **config):
    """What cells give, run as a marked notebook's are, with this kernel manager."""
    execute = SafeExecute(kernel_manager_class=manager, **config)
    nb, _ = execute.preprocess(notebook(map(code, cells)), {"metadata": {"path": str(folder)}})
    return [[strip(output) for output in cell.outputs] for cell in nb.cells]


def wait_for(coroutine):
    with ThreadPoolExecutor(1) as thread:  # a browser test may have left a loop in this one
        return thread.submit(asyncio.run, coroutine).result()


def strip(output):
    return {k: v for k, v in output.items() if k not in ("traceback", "metadata")}


@pytest.fixture
def warm_manager(monkeypatch):
    class Preloaded(WarmKernelManager):
        preload = ["sympy"]

    monkeypatch.setenv("WARM", "yes")
    return Preloaded


def test_a_warm_kernel_does_what_a_cold_one_does(warm_manager, tmp_path):
    cold = outputs(SlicedKernelManager, tmp_path, *CELLS)
    warm = outputs(warm_manager, tmp_path, *CELLS)
    assert warm[1:] == cold[1:]
    assert [cold[0][0]["data"], warm[0][0]["data"]] == [
        {"text/plain": "False"},
        {"text/plain": "True"},
    ]
    assert "the kernel died in cell 5" in warm[4][0]["evalue"]


@pytest.mark.parametrize(
    ("execute", "manager"), [(SafeExecute, WarmKernelManager), (Execute, SlicedKernelManager)]
)
def test_autograde_starts_warm_and_validate_does_not(execute, manager):
    config = PyFileConfigLoader("nbgrader_config.py", path=str(REPOSITORY)).load_config()
    config.WarmKernelManager.preload = ["sympy"]
    running, used = execute(config=config), []
    running.on_cell_complete = lambda **_: used.append(type(running.km))
    running.preprocess(notebook([code("1 + 1")]), {"metadata": {"path": ""}})
    assert used == [manager]


def test_kernels_share_no_names_and_no_random_numbers(warm_manager, tmp_path):
    draw = (
        "import random, numpy\n"
        "print(random.random(), numpy.random.rand(), 'mine' in globals())\n"
        "mine = 1"
    )
    first, second = (outputs(warm_manager, tmp_path, draw)[0][0]["text"] for _ in range(2))
    assert first.split()[2] == second.split()[2] == "False"
    assert first.split()[0] != second.split()[0]
    assert first.split()[1] != second.split()[1]


def test_a_cell_that_never_ends_is_interrupted(warm_manager, tmp_path):
    got = outputs(warm_manager, tmp_path, "while True: pass", "print('after')", timeout=1)
    assert got[0][0]["ename"] == "CellTimeoutError"
    assert got[1][0]["text"] == "after\n"


def test_two_kernels_of_one_zygote_run_side_by_side(warm_manager):
    async def run():
        managers = [warm_manager(), warm_manager()]
        for manager in managers:
            await manager.start_kernel()
        pids = [manager.provisioner.pid for manager in managers]
        parents = {parent_of(pid) for pid in pids}
        await managers[0].shutdown_kernel(now=True)
        alive = [await manager.is_alive() for manager in managers]
        await managers[1].shutdown_kernel(now=True)
        return pids, parents, alive

    pids, parents, alive = wait_for(run())
    assert len(set(pids)) == 2
    assert len(parents) == 1
    assert alive == [False, True]


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def test_a_kernel_whose_zygote_is_killed_is_known_to_be_dead(warm_manager):
    async def run():
        manager = warm_manager()
        await manager.start_kernel()
        kernel = manager.provisioner.process
        kernel.zygote._process.kill()
        kernel.zygote._process.wait()
        status = await manager.is_alive(), kernel.returncode
        await manager.shutdown_kernel(now=True)
        return status

    assert wait_for(run()) == (False, -signal.SIGKILL)


def test_after_its_zygote_ended_the_next_kernel_gets_a_new_one(warm_manager, tmp_path):
    assert outputs(warm_manager, tmp_path, "1")[0]
    old = warm._zygotes[0]
    old._process.kill()
    old._process.wait()
    assert outputs(warm_manager, tmp_path, "print(2)")[0][0]["text"] == "2\n"
    assert warm._zygotes[0] is not old


def test_a_module_that_is_not_there_means_a_cold_start_and_a_warning(tmp_path, caplog):
    class Missing(WarmKernelManager):
        preload = ["no_such_module"]

    assert outputs(Missing, tmp_path, "print(3)")[0][0]["text"] == "3\n"
    assert "The kernel starts cold" in caplog.text


def test_another_environment_gets_a_zygote_of_its_own():
    here = dict(os.environ)
    first = zygote_for((), here)
    assert zygote_for((), here | {"JPY_SESSION_NAME": "x"}) is first
    assert zygote_for((), here | {"OMP_NUM_THREADS": "7"}) is not first
    assert not first.is_alive()


def test_when_the_one_who_marks_is_killed_its_kernels_end():
    script = (
        "import asyncio, time\nfrom course.grading import WarmKernelManager\n"
        "async def run():\n    m = WarmKernelManager()\n    await m.start_kernel()\n"
        "    print(m.provisioner.pid, flush=True)\n    time.sleep(99)\nasyncio.run(run())"
    )
    marker = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pid = int(marker.stdout.readline())
    assert parent_of(pid) != marker.pid
    marker.kill()
    marker.wait()
    marker.stdout.close()
    for _ in range(100):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.1)
    pytest.fail("the kernel is still there")


def test_another_python_than_this_one_starts_cold(monkeypatch):
    started = []

    async def as_usual(self, cmd, **kwargs):
        started.append(cmd)

    monkeypatch.setattr("jupyter_client.provisioning.LocalProvisioner.launch_kernel", as_usual)
    provisioner = WarmProvisioner(parent=WarmKernelManager())
    command = ["/another/python", "-m", "ipykernel_launcher", "-f", "x.json"]
    wait_for(provisioner.launch_kernel(command, env={}))
    assert started == [command]
