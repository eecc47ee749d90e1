"""Forks of the warm process: outcomes as a kernel's, nothing shared, nothing left, nothing seen."""

import os
import sys
import time
from pathlib import Path

import psutil
import pytest
from nbgrader_course import REPOSITORY

from course.grading import contained
from course.grading.contained import WORK, Bind, Limits
from course.grading.forked import Dead, TimeIsUp
from course.grading.received import Received
from course.grading.view import home, view
from course.grading.warm_process import Orders, Zygote, zygote_for

pytestmark = [
    pytest.mark.nbgrader,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only"),
    pytest.mark.xdist_group("forks"),
]
LESSON = f"{REPOSITORY}/course/lessons/leaf_tensors"
ENV = {"PATH": os.environ["PATH"], "HOME": WORK, "WARM": "yes"}
MEMORY = 1 << 30


@pytest.fixture(scope="module")
def zygote():
    secrets = ("lessons/*/exercises.py", "lessons/*/answers.py")
    orders = Orders(
        preload=("sympy",),
        packages=("course",),
        withheld=secrets,
        limits=Limits(disk=8 << 20, file_size=4 << 20, processes=40),
        environment=tuple(ENV.items()),
    )
    zygote = Zygote(orders)
    yield zygote
    zygote.close()


def run(zygote, *cells, seconds=20, files=None, memory=MEMORY):
    """What each cell gives: its outputs, or the exception that says why there are none."""
    given = []
    with zygote.fork(ENV, files or {}) as fork:
        for number, source in enumerate(cells):
            received = Received(100_000)
            try:
                fork.run(number, source, seconds=seconds, memory=memory, take=received.take)
                given.append(received.outputs)
            except (Dead, TimeIsUp) as why:
                given.append(why)
    return given


def said(outputs):
    return "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs)


def test_outputs_are_those_of_a_notebook(zygote):
    cells = [
        "print('out'); import sys; print('err', file=sys.stderr); 6 * 7",
        "1 / 0",
        "display('shown')\nhandle = display('first', display_id='d')",
        "raise ValueError('own')",
        "await __import__('asyncio').sleep(0.01)\n'awaited'",
        "get_ipython().displayhook(2.5)\nassert False, 'no'",
        "def broken(*a, **k): raise KeyError\nget_ipython().showtraceback = broken\n1 / 0",
    ]
    outputs = run(zygote, *cells)
    kinds = [[o.output_type for o in output] for output in outputs]
    assert kinds[0] == ["stream", "stream", "execute_result"]
    assert said(outputs[0]) == "out\nerr\n42"
    assert [outputs[1][0].ename, outputs[3][0].evalue] == ["ZeroDivisionError", "own"]
    assert kinds[2] == ["display_data", "display_data"]
    assert said(outputs[4]) == "'awaited'"
    assert kinds[5] == ["execute_result", "error"]


def test_it_is_warm_and_each_fork_has_its_own_names_and_random_numbers(zygote):
    draw = (
        "import random\nprint('sympy' in __import__('sys').modules, 'mine' in globals())\nmine = 1"
    )
    both = [run(zygote, draw, "import random; random.random()") for _ in range(2)]
    assert [said(one[0]) for one in both] == ["True False\n"] * 2
    assert said(both[0][1]) != said(both[1][1])


def test_files_are_written_into_its_own_folder(zygote):
    look = "open('data/a.txt').read(), __import__('os').getcwd()"
    [outputs] = run(zygote, look, files={"data/a.txt": b"hello"})
    assert said(outputs) == f"('hello', '{WORK}')"


def test_a_cell_that_never_ends_is_interrupted_and_the_next_one_runs(zygote):
    stopped, after = run(zygote, "while True: pass", "'after'", seconds=1)
    assert isinstance(stopped, TimeIsUp)
    assert said(after) == "'after'"


def test_one_that_cannot_be_interrupted_is_killed(zygote):
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    for outcome in run(zygote, deaf, "1", seconds=1):
        assert isinstance(outcome, Dead)


@pytest.mark.parametrize(
    "cell",
    ["import os; os._exit(3)", "import ctypes; ctypes.string_at(0)", "import os; os.abort()"],
)
def test_a_cell_that_ends_its_process_says_so(zygote, cell):
    outcome, after = run(zygote, cell, "1")
    assert outcome.in_cell("cell 1").startswith("the kernel died in cell 1")
    assert isinstance(after, Dead)


def test_a_second_fork_runs_while_the_first_does(zygote):
    with zygote.fork(ENV, {}) as first, zygote.fork(ENV, {}) as second:
        for number, fork in enumerate([first, second, first]):
            received = Received(1000)
            fork.run(number, "x = 1\nx + 1", seconds=9, memory=MEMORY, take=received.take)
            assert said(received.outputs) == "2"


REACH = """
import os, socket
def tried(action):
    try:
        return action()
    except BaseException as error:
        return type(error).__name__
"""


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (f"os.path.exists({str(Path(__file__))!r})", "False"),
        ("os.path.exists('/home') or os.path.exists('/etc/passwd')", "False"),
        (f"[n for n in os.listdir({str(REPOSITORY)!r}) if n != '.venv']", "['course']"),
        ("__import__('tempfile').TemporaryFile().write(b'x')", "1"),
        ("open('/usr/bin/x', 'w')", "'OSError'"),
        (f"open({sys.executable!r}, 'ab')", "'OSError'"),
        ("open('/new', 'w')", "'OSError'"),
        ("socket.create_connection(('127.0.0.1', 1), 1)", "'OSError'"),
        ("[i[1] for i in socket.if_nameindex()]", "['lo']"),
        ("(os.listdir(), os.getcwd(), os.getpid())", f"([], '{WORK}', 1)"),
        ("[p for p in os.listdir('/proc') if p.isdigit()]", "['1']"),
        ("os.environ.keys() - {'PATH', 'HOME', 'WARM', 'TMPDIR'}", "set()"),
        ("open('/proc/1/environ').read().count('SSH') + os.getuid()", "1000"),
        ("os.kill(2, 9)", "'ProcessLookupError'"),
        ("os.setuid(0)", "'OSError'"),
        ("os.chroot('/tmp')", "'PermissionError'"),
        ("open('big', 'wb').write(b'x' * (5 << 20))", "'OSError'"),
        ("[open(f'f{i}', 'wb').write(b'x' * (3 << 20)) for i in range(4)]", "'OSError'"),
        ("bytearray(8 << 30)", "'MemoryError'"),
        (f"os.path.exists('{LESSON}/checks.py')", "True"),
        (f"os.path.exists('{LESSON}/exercises.py')", "False"),
        ("__import__('course.lessons.leaf_tensors.exercises')", "'ModuleNotFoundError'"),
        ("sum(tried(lambda: os.fstat(d)) != 'OSError' for d in range(3, 99))", "1"),
    ],
)
def test_what_a_contained_cell_can_reach(zygote, action, expected):
    [outputs] = run(zygote, f"{REACH}\ntried(lambda: {action})")
    got = said(outputs)
    if expected == "'OSError'":
        assert got in {
            "'OSError'",
            "'PermissionError'",
            "'FileNotFoundError'",
            "'ConnectionRefusedError'",
        }
    else:
        assert got == expected


def test_new_namespaces_are_refused_inside(zygote):
    unshare = "import ctypes; ctypes.CDLL(None).unshare(0x10000000)"
    assert said(run(zygote, unshare)[0]) == "-1"


def test_what_a_fork_started_ends_with_it(zygote):
    name = f"left-{os.getpid()}"
    orphan = (
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)', {name!r}],"
        " start_new_session=True).pid"
    )
    before = processes(name)
    assert int(said(run(zygote, orphan)[0])) > 1
    deadline = time.monotonic() + 5
    while processes(name) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes(name) == before


def processes(name):
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if name in (process.info["cmdline"] or []):
            found.append(process.pid)
    return found


def test_memory_of_all_its_processes_together_is_limited(zygote):
    greedy = (
        "import os, time\n"
        "for _ in range(6):\n"
        "    if os.fork() == 0:\n"
        "        x = bytearray(300 << 20); x[::4096] = b'1' * len(x[::4096]); time.sleep(30)\n"
        "time.sleep(30)"
    )
    [outcome] = run(zygote, greedy, seconds=25)
    assert "more than 1.1 GB of memory" in str(outcome)


def test_a_fork_bomb_stops_at_the_limit_and_the_next_fork_works(zygote):
    bomb = "import os\nwhile True:\n    os.fork()"
    run(zygote, bomb, seconds=2, memory=8 << 30)
    assert said(run(zygote, "1 + 1")[0]) == "2"


def test_words_that_are_not_ours_on_the_line_are_passed_over(zygote):
    noise = (
        "import os, socket\n"
        "for d in range(3, 99):\n"
        "    try: os.write(d, b'nonsense\\n[1]\\n' + b'[' * 100000 + b'\\n')\n"
        "    except OSError: pass\n"
        "'done'"
    )
    assert said(run(zygote, noise)[0]) == "'done'"


def test_a_zygote_that_was_killed_is_replaced():
    orders = Orders(contained=False, environment=tuple(ENV.items()))
    first = zygote_for(orders)
    assert zygote_for(orders) is first
    first._process.kill()
    first._process.wait()
    second = zygote_for(orders)
    assert second is not first
    assert said(run(second, "1 + 1")[0]) == "2"
    second.close()


def test_two_lines_to_one_zygote_have_forks_of_their_own(zygote):
    other = Zygote(zygote.orders, zygote.door.dup())
    with other.fork(ENV, {}) as fork:
        assert said(run(zygote, "1 + 1")[0]) == "2"
        other.close()
        with pytest.raises(Dead):
            fork.run(0, "1", seconds=9, memory=MEMORY, take=lambda words: None)
    assert said(run(zygote, "1 + 1")[0]) == "2"


def test_without_namespaces_children_end_too(tmp_path):
    zygote = Zygote(Orders(contained=False, environment=tuple(ENV.items())))
    name = f"open-{os.getpid()}"
    orphan = (
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(99)', {name!r}],"
        " start_new_session=True).pid"
    )
    with zygote.fork(ENV, {}, str(tmp_path)) as fork:
        fork.run(0, orphan, seconds=9, memory=MEMORY, take=lambda words: None)
        assert len(processes(name)) == 1
    zygote.close()
    assert processes(name) == []


def test_preload_must_not_bring_in_what_is_withheld():
    orders = Orders(
        preload=("course.lessons.leaf_tensors.exercises",),
        packages=("course",),
        withheld=("lessons/*/exercises.py",),
        environment=tuple(ENV.items()),
    )
    with pytest.raises(OSError, match="brings in what is withheld: course.lessons.leaf_tensors"):
        Zygote(orders).wait_until_ready()


def test_a_module_that_is_not_installed_is_named():
    with pytest.raises(OSError, match="No module named 'not_there'"):
        Zygote(Orders(preload=("not_there",), environment=tuple(ENV.items()))).wait_until_ready()


def test_this_machine_can_contain():
    assert contained.missing() is None


def test_the_view_holds_no_folder_twice_and_a_copy_in_the_package_s_place():
    binds = view(("course",), ("lessons/*/exercises.py",))
    targets = [bind.target for bind in binds]
    assert len(set(targets)) == len(targets)
    [ours] = [bind for bind in binds if bind.target == home("course")]
    assert ours.source != ours.target
    assert Bind("/usr", "/usr") in binds
    with pytest.raises(ModuleNotFoundError, match="no package 'nowhere'"):
        view(("nowhere",))
