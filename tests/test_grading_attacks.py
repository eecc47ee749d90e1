"""Attacks and accidents in submitted notebooks, through nbgrader's real autograde.

Two class runs, each over a table of submissions with one line or a few for each: what is in it and
the marks that it must get. ``TAMPERED`` stands where the judge must see it. Between them, first and
last in the alphabet, are honest submissions that must keep their marks. SECURITY.md says what these
tests are about, and what nothing here stops.
"""

import copy
import hashlib
import json
import os
import socket
import sqlite3
import sys
from dataclasses import dataclass, field

import nbformat
import psutil
import pytest
from nbgrader_course import COLD, REPOSITORY, Course, code, edited, position, without
from scratch_assignment import NOTHING, RIGHT, answered, scores

from course.grading.judgement import MARKING, TAMPERED

pytest_plugins = ["scratch_course"]
pytestmark = [
    pytest.mark.nbgrader,
    pytest.mark.skipif(sys.platform != "linux", reason="submissions are contained on Linux only"),
]
LESSON, PACKAGE = "03_tensor_hooks", "course.lessons.tensor_hooks"
CONFIG = """
c.Execute.timeout = 2
c.SafeExecute.notebook_timeout = 25
c.SafeExecute.max_memory = 1_500_000_000
c.SafeExecute.max_disk = 16_000_000
c.SubmissionExporter.max_notebook_bytes = 3_000_000
"""


@dataclass
class Attack:
    """A submission and what must come of it."""

    nb: object
    marks: dict
    flags: list = field(default_factory=list)
    files: dict = field(default_factory=dict)


# ---- cheats: an assignment of the course, of three exercises --------------------------------

FIRST, SCALE, ENGINE = "firing_order", "scale_gradient", "be_the_engine"
ALL_RIGHT = {
    FIRST: "firing_order = lambda: ['y', 'h one', 'h two', *['x', 'x stored'] * 2]",
    SCALE: "def scale_gradient(t, factor):\n    return t.register_hook(lambda grad: factor * grad)",
    ENGINE: """\
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen += [grad]
        new = hook(grad)
        grad = grad if new is None else new
    return seen, grad
""",
}
ALL_WRONG = {
    FIRST: "def firing_order():\n    return ['x']",
    SCALE: "def scale_gradient(t, factor):\n    return t.register_hook(lambda grad: None)",
    ENGINE: "def be_the_engine(grad, hooks):\n    return [grad], grad * 0",
}
PARTS = [f"{name}_{part}" for name in (FIRST, SCALE, ENGINE) for part in ("visible", "hidden")]
MOST = dict(zip(PARTS, (2, 2, 2, 2, 2, 3), strict=True))
NONE = dict.fromkeys(MOST, 0)
HALF = NONE | {f"{SCALE}_visible": 2, f"{SCALE}_hidden": 2}  # what its author can do himself

WRAP = """
import course.observation, course.testimony, course.check, course.facts, course.exercise
from course.testimony import REPORT
def everywhere(name, new):
    for module in list(__import__("sys").modules.values()):
        if getattr(module, "__name__", "").startswith("course") and hasattr(module, name):
            setattr(module, name, new)
real_report = course.testimony.report
def send(*reports):
    for report in reports:
        display({REPORT: report}, raw=True)
"""
FORGE = WRAP + "course.testimony.report = lambda exercise, answer, *, hidden: "
RECORD = """
kept = {}
def recording(exercise, answer, *, hidden):
    report = real_report(exercise, answer, hidden=hidden)
    if exercise.__name__ == "scale_gradient":
        kept[hidden] = report
    return CHANGED
course.testimony.report = recording
"""
LINE = """
import os, socket, stat, json
def raw(words):
    for fd in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, json.dumps(words).encode() + b"\\n")
        except OSError:
            pass
"""
NESTED = "\ndef nested(depth):\n    x = []\n    for _ in range(depth): x = [x]\n    return x\n"
FORGED = NESTED + FORGE
OUTCOMES = (  # a report of the right form, with FACTS for every case
    '{"exercise": exercise.__name__, **{part: {case.name: {"facts": FACTS} for case in '
    "exercise.cases if case.hidden == hidden} for part in ('known', 'secret', 'control')}}"
)


def facts(text):
    return FORGED + OUTCOMES.replace("FACTS", text)


EQUAL = """
class Equal(dict):
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 1
    __getattr__ = lambda self, name: self
    __call__ = lambda self, *a, **k: self
    __getitem__ = lambda self, key: self
    __bool__ = __contains__ = lambda self, *a: True
    __iter__ = lambda self: iter([self, self])
    __len__ = lambda self: 2
    __add__ = __radd__ = __mul__ = __rmul__ = lambda self, other: self
    __float__ = lambda self: 1.0
firing_order = scale_gradient = be_the_engine = Equal()
"""
SEARCH = """
import gc, sys
def search(*args):
    frame, found = sys._getframe(), []
    while frame:
        found += [v for v in frame.f_locals.values() if getattr(v, "__name__", "") in NAMES]
        frame = frame.f_back
    found += [o for o in gc.get_objects() if getattr(o, "__name__", "") in NAMES]
    found = [f for f in found if callable(f) and "exercises" in getattr(f, "__module__", "")]
    try:
        from course.lessons.tensor_hooks import exercises
        found.append(getattr(exercises, NAMES[0]))
    except ImportError:
        pass
    return found[0](*args)
NAMES = ["be_the_engine"]
"""

# name: (code before the first answer, marks, flags) or with answers of its own
CHEATS = {
    # what checks is replaced
    "check": ("check = lambda *a, **k: print('passed')", NONE, 0),
    "check_of_lesson": (
        f"import {PACKAGE} as lesson\nlesson.check = lambda *a, **k: print('passed')",
        NONE,
        1,
    ),
    "check_method": (WRAP + "course.check.Desk.check = lambda *a, **k: None", NONE, 0),
    "check_gives_points": (
        f"import sys, {PACKAGE} as lesson\nlesson.check = lambda *a, **k: sys.displayhook(2.0)",
        NONE,
        1,
    ),
    "points_then_error": (
        "import sys\n" + FORGE + "(sys.displayhook(2.0), 1 / 0)",
        NONE,
        1,
    ),
    "error_only": (FORGE + "1 / 0", NONE, 0),
    "judges_itself": ("import os; del os.environ['COURSE_SECRET_SEED']", NONE, 0),
    "observe_all": (WRAP + "everywhere('observe_all', lambda *a, **k: {})", NONE, 1),
    "observe": (WRAP + "course.exercise.Exercise.observe = lambda *a: {}", NONE, 0),
    "same": (WRAP + "everywhere('same', lambda *a: True)", NONE, 0),
    "judge": (WRAP + "import course.judge\neverywhere('judge_case', lambda *a: 1 / 0)", NONE, 0),
    "report_empty": (FORGE + "{}", NONE, 1),
    "report_none": (FORGE + "None", NONE, 1),
    "describe": (WRAP + "everywhere('describe', lambda thing: [])", NONE, 0),
    # right reports of another cell, or of the control too
    "replay_other_exercise": (
        WRAP + RECORD.replace("CHANGED", "kept.get(hidden, report)"),
        HALF,
        1,
    ),
    "replay_other_cell": (
        WRAP + RECORD.replace("CHANGED", "next(iter(kept.values()), report)"),
        HALF | {f"{SCALE}_hidden": 0},
        1,
    ),
    "replay_renamed": (
        WRAP
        + RECORD.replace("CHANGED", "kept.get(hidden, report) | {'exercise': exercise.__name__}"),
        HALF,
        1,
    ),
    "control_is_right_too": (
        WRAP + RECORD.replace("CHANGED", "report | {'control': report['secret']}"),
        NONE,  # what was done to it nobody can say
        1,
    ),
    "known_for_secret": (
        WRAP + RECORD.replace("CHANGED", "report | {'secret': report['known']}"),
        NONE,
        1,
    ),
    "secret_for_known": (  # as if the secret inputs were kind by chance: nothing, and no flag
        WRAP + RECORD.replace("CHANGED", "report | {'known': report['secret']}"),
        NONE,
        0,
    ),
    "constants": (  # right for the inputs that everybody knows, found with the visible check
        "",
        NONE,
        1,
    ),
    # torch and Python replaced
    "allclose": (
        "import torch\ntorch.allclose = torch.equal = torch.Tensor.equal = lambda *a, **k: True",
        NONE,
        0,
    ),
    "backward": ("import torch\ntorch.Tensor.backward = lambda *a, **k: None", NONE, 0),
    "autograd_grad": (
        "import torch\ntorch.autograd.grad = lambda o, i, *a, **k: [torch.ones(())]",
        NONE,
        0,
    ),
    "register_hook": (
        "import torch\ntorch.Tensor.register_hook = lambda self, f: torch.nn.Linear(1, 1)",
        NONE,
        0,
    ),
    "random": ("import random\nrandom.Random.choice = lambda self, x: 1", NONE, 0),
    "isclose": ("import math\nmath.isclose = lambda *a, **k: True", NONE, 0),
    "ast_transformer": (
        "import ast\nclass Drop(ast.NodeTransformer):\n"
        "    def visit_Expr(self, node):\n        return ast.Pass()\n"
        "get_ipython().ast_transformers.append(Drop())",
        NONE,
        1,
    ),
    "input_transformer": (
        "get_ipython().input_transformers_post.append(lambda lines: ['pass\\n'])",
        NONE,
        1,
    ),
    "run_cell": ("get_ipython().run_cell = lambda *a, **k: None", NONE, 0),
    "builtins": (
        "import builtins\nbuiltins.float = lambda *a: 1.0\nbuiltins.isinstance = lambda *a: True\n"
        "builtins.AssertionError = Warning\nbuiltins.print = lambda *a, **k: None",
        NONE,
        None,
    ),
    "import_": (
        "import builtins\nreal = builtins.__import__\ndef fake(name, *a, **k):\n"
        "    if 'course' in name: return type('m', (), {'check': print})\n"
        "    return real(name, *a, **k)\nbuiltins.__import__ = fake",
        NONE,
        1,
    ),
    "displayhook": ("import sys\nsys.displayhook = lambda *a: None", NONE, 0),
    "display_pub": ("get_ipython().display_pub.publish = lambda *a, **k: None", NONE, 1),
    "equal_to_all": (EQUAL, NONE, None),
    # facts of a wrong form
    "facts_list": (FORGE + "[1, 2, 3]", NONE, 1),
    "facts_text": (FORGE + "'passed'", NONE, 1),
    "facts_wrong_form": (
        FORGE + OUTCOMES.replace("{case.name:", "{7:").replace("FACTS", "{}"),
        NONE,
        1,
    ),
    "facts_two_kinds": (
        FORGE + OUTCOMES.replace('{"facts": FACTS}', '{"facts": {}, "raised": {}}'),
        NONE,
        1,
    ),
    "facts_odd_error": (
        FORGE
        + OUTCOMES.replace(
            '{"facts": FACTS}',
            '{"raised": {"type": "{x.y}" * 99, "message": "{0[1]!r:>99}", "code": "", "line": []}}',
        ),
        NONE,
        None,
    ),
    "facts_slow": (  # a message and a list over which a pattern and a diagnosis would sit for hours
        FORGED
        + "(send(report := "
        + OUTCOMES.replace(
            '{"facts": FACTS}',
            '{"raised": {"type": "x", "line": 1, "code": "", '
            '"message": "element 0 of tensors " * 50_000}}',
        )
        + "), report)[1]",
        NONE,
        1,
    ),
    "facts_odd_words": (facts('{"words": [[{}]], "_all": [[]], "kind": {}}'), NONE, 0),
    "facts_nan": (facts('{"words": [float("nan")] * 3, "_all": [float("inf")]}'), NONE, 0),
    "facts_huge_number": (
        facts('{"words": 10**4000, "seen": [10**4000], "t": 10**4000, "result": 10**400}'),
        NONE,
        0,
    ),
    "facts_too_large_to_compare": (
        WRAP + "def huge(*args, **words):\n    report = real_report(*args, **words)\n"
        "    for part in ('known', 'secret', 'control'):\n"
        "        for outcome in report[part].values():\n"
        "            result = outcome.get('facts', {}).get('result')\n"
        "            if isinstance(result, dict): result.update(values=[10**400])\n"
        "    return report\n"
        "course.testimony.report = huge",
        NONE,
        1,
    ),
    "facts_large": (facts('{"words": ["x" * 9] * 200_000, "_all": ["y"]}'), NONE, None),
    "several_reports": (
        WRAP + "course.testimony.testify = lambda e, a, hidden: "
        "send(*[real_report(e, a, hidden=hidden)] * 2)",
        HALF,
        1,
    ),
    "printed_by_the_answer": (
        WRAP + "from IPython.display import display as show\ndef answer(*a):\n"
        "    show({REPORT: {}}, raw=True)\n    return ['y', 'h one', 'h two']",
        NONE,
        1,
    ),
    "from_a_thread": (
        WRAP + "import threading, time\ndef later():\n"
        "    while True:\n        time.sleep(0.002); send({'exercise': 'firing_order'})\n"
        "threading.Thread(target=later, daemon=True).start()",
        NONE,
        1,
    ),
    "from_atexit": (WRAP + "import atexit; atexit.register(send, {})", NONE, 0),
    "raw_done_early": (
        LINE + "import threading\ndef early():\n    while True:\n"
        "        for n in range(20): raw({'done': n})\nthreading.Thread(target=early).start()",
        NONE,
        None,
    ),
    "raw_points": (
        LINE + "def at_the_check(*a, **k):\n"
        "    raw({'output': {'output_type': 'execute_result', 'data': {'text/plain': '2.0'},"
        " 'metadata': {}}})\n    raise ValueError\n"
        "import course.testimony; course.testimony.testify = at_the_check",
        NONE,
        1,
    ),
    # what is right is searched for
    "search": (SEARCH + "firing_order = scale_gradient = be_the_engine = search", NONE, 0),
    "loop_in_a_hook": ("", NONE, 0),
    "recursion": ("", NONE, 0),
    # honest, but odd
    "returns_much": ("", NONE, 0),
    "returns_deep": (NESTED, NONE, 0),
    "returns_itself": ("", NONE, 0),
    "fork_in_the_answer": ("import os; os.fork()", NONE, 0),
}
for depth in (200, 330, 450, 700, 950):
    CHEATS[f"facts_deep_{depth}"] = (
        facts(f'{{"words": nested({depth}), "seen": nested({depth}), "t": nested({depth})}}'),
        NONE,
        None,
    )
OWN_ANSWERS = {
    **dict.fromkeys(
        ["replay_other_exercise", "replay_other_cell", "replay_renamed", "several_reports"]
        + ["control_is_right_too", "known_for_secret", "secret_for_known"],
        {SCALE: ALL_RIGHT[SCALE]},
    ),
    "constants": {
        SCALE: "def scale_gradient(t, factor):\n"
        "    return t.register_hook(lambda grad: grad * factor if CALLS.append(1) or "
        "len(CALLS) in (4, 5, 6) else None)\nCALLS = []"
    },
    "returns_much": {
        ENGINE: "import torch\nbe_the_engine = lambda grad, hooks: ([torch.ones(9999)] * 99, grad)"
    },
    "returns_deep": {
        FIRST: "firing_order = lambda: nested(120)",
        ENGINE: "be_the_engine = lambda grad, hooks: (nested(120), grad)",
    },
    "returns_itself": {
        FIRST: "def firing_order():\n    words = []\n    words.append(words)\n    return words"
    },
    "facts_too_large_to_compare": {ENGINE: ALL_RIGHT[ENGINE]},
    "loop_in_a_hook": {
        SCALE: "def scale_gradient(t, factor):\n    def hook(grad):\n        while True: pass\n"
        "    return t.register_hook(hook)"
    },
    "recursion": {FIRST: "def firing_order():\n    return firing_order()"},
}
HONEST = {
    name: attack
    for place in ("0", "m", "zz")
    for name, attack in {
        f"{place}_right": (ALL_RIGHT, MOST),
        f"{place}_half": (ALL_WRONG | {SCALE: ALL_RIGHT[SCALE]}, HALF),
        f"{place}_wrong": (ALL_WRONG, NONE),
    }.items()
}


def lesson_source():
    """The notebook of lesson 3 with its first three exercises."""
    nb = nbformat.read(REPOSITORY / "source" / LESSON / "exercises.ipynb", 4)
    nb.cells = nb.cells[: position(nb, f"{ENGINE}_hidden") + 1]
    return nb


def cheats(released):
    table = {
        name: Attack(edited(released, **answers), marks)
        for name, (answers, marks) in HONEST.items()
    }
    for name, (first, marks, flagged) in CHEATS.items():
        answers = ALL_WRONG | OWN_ANSWERS.get(name, {})
        last = "\nfiring_order = answer" if "def answer(" in first else ""
        if "firing_order = " in first:
            answers = {FIRST: first, SCALE: "", ENGINE: ""}
        else:
            answers[FIRST] = f"{first}\n{answers[FIRST]}{last}"
        flags = {0: [], 1: [TAMPERED], None: None}[flagged]
        table[f"c_{name}"] = Attack(edited(released, **answers), marks, flags)
    return table


@pytest.fixture(scope="module")
def cheated(tmp_path_factory):
    """The course after marking, the table, and what nbgrader said."""
    course = Course(tmp_path_factory.mktemp("cheats") / "course", config=CONFIG)
    course.add_source(LESSON, lesson_source())
    course.generate(LESSON)
    table = cheats(course.released(LESSON))
    for student, attack in table.items():
        course.submit(student, LESSON, attack.nb)
    return course, table, course.autograde(LESSON)


def test_no_cheat_gets_more_than_the_honest_part_of_its_work(cheated):
    course, table, run = cheated
    given = course.scores(LESSON)
    wrong = {s: given.get(s) for s in table if given.get(s) != table[s].marks}
    assert wrong == {}, run.output[-6000:]
    assert run.status == 0, run.output[-6000:]


def test_what_the_judge_sees_is_flagged_in_the_notebook_and_the_gradebook(cheated):
    course, table, _ = cheated
    in_gradebook = flagged(course, LESSON)
    seen, expected = {}, {}
    for student, attack in table.items():
        flags = course.autograded(student, LESSON).metadata.get(MARKING, {}).get("flags", [])
        assert in_gradebook[student] == bool(flags), student
        if attack.flags is not None:
            seen[student], expected[student] = flags, attack.flags
    assert seen == expected


def flagged(course, assignment):
    with sqlite3.connect(course.root / "gradebook.db") as gradebook:
        rows = gradebook.execute(
            "SELECT student_id, flagged FROM submitted_notebook JOIN submitted_assignment "
            "ON submitted_assignment.id = submitted_notebook.assignment_id "
            "JOIN assignment ON assignment.id = submitted_assignment.assignment_id "
            "WHERE assignment.name = ?",
            [assignment],
        ).fetchall()
    gradebook.close()
    return {student: bool(flag) for student, flag in rows}


# ---- accidents and break-ins: an assignment without torch and without a judge ----------------

DOUBLES_LOST = scores(test_double=0, test_hidden=0)
LOST = DOUBLES_LOST | {"test_half": 0}  # all that comes after the first answer
REACHED = "REACHED"  # an attack prints it where it has got through
TRY = """
import ctypes, glob, os, signal, socket, sqlite3, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def reached(action):
    try:
        got = action()
    except BaseException as error:
        return print(type(error).__name__)
    print("REA" + "CHED" if got else "no", repr(got)[:200])
"""


def before(*lines):
    """An answer cell that does something, then gives the right answer."""
    return {"double": "\n".join([TRY, *lines, RIGHT["double"]])}


def after(*lines):
    """An answer cell that gives the right answer, then does something."""
    return {"double": "\n".join([TRY, RIGHT["double"], *lines])}


def tries(*actions):
    """Each of these expressions must fail or be false."""
    return before(*(f"reached(lambda: {action})" for action in actions))


def break_ins(course, listener, abstract):
    """{student: answers}: right ones, behind tries of what a contained cell must not reach."""
    root, package = str(course.root), str(REPOSITORY / "course")
    host, port = listener
    write = "open({!r}, 'w').write('x')"
    return {
        "read_source": tries(f"os.path.exists({root!r})", f"os.path.exists({root + '/source'!r})"),
        "read_gradebook": tries(f"os.path.exists({root + '/gradebook.db'!r})"),
        "read_secret": tries(f"open({root + '/.marking/secret'!r}).read()"),
        "read_others": tries(f"os.listdir({root + '/submitted'!r})"),
        "read_solutions": tries(
            f"glob.glob({package!r} + '/lessons/*/exercises.py')",
            f"glob.glob({package!r} + '/lessons/*/answers.py')",
            f"glob.glob({package!r} + '/**/*.pyc', recursive=True)",
            "__import__('course.lessons.leaf_tensors.exercises')",
            f"os.path.exists({str(REPOSITORY / 'source')!r})",
        ),
        "read_machine": tries(
            "open('/etc/shadow').read()",
            "open('/etc/passwd').read()",
            "os.listdir('/var/log')",
            f"os.path.exists({__file__!r})",
        ),
        "read_environment": tries(
            "{'USER', 'PWD', 'LOGNAME', 'VIRTUAL_ENV', 'PYTEST_CURRENT_TEST'} & set(os.environ)",
            "b'PWD' in open('/proc/1/environ', 'rb').read()",
        ),
        "read_proc": tries(
            "[p for p in os.listdir('/proc') if p.isdigit() and p != '1']",
            "os.getppid()",
            "open('/proc/kcore', 'rb').read(1)",
            "open('/proc/sysrq-trigger', 'w').write('h')",
        ),
        "read_parent": tries(
            "open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
            "libc.ptrace(16, os.getppid(), 0, 0) == 0",
            "any(libc.ptrace(16, pid, 0, 0) == 0 for pid in range(2, 4000))",
        ),
        "write_gradebook": tries(
            f"sqlite3.connect({root + '/gradebook.db'!r})"
            ".execute('UPDATE grade SET extra_credit=7')"
        ),
        "write_files": tries(
            write.format(f"{root}/source/x"),
            write.format(f"{package}/check.py"),
            write.format(f"{sys.prefix}/x"),
            write.format("/usr/x"),
            write.format("/x"),
            write.format("/proc/sys/kernel/core_pattern"),
        ),
        "remount": tries(
            "libc.mount(b'none', b'/', None, 32, b'') == 0",
            "libc.mount(b'tmpfs', b'/tmp', b'tmpfs', 0, b'') == 0",
            "libc.umount2(b'/notebook', 2) == 0",
            "libc.unshare(0x10000000) == 0 or libc.unshare(0x20000) == 0",
            "libc.setuid(0) == 0 or libc.setgid(0) == 0",
            "os.chroot('/tmp') is None",
            "os.mknod('disk', 0o660 | 0o060000, os.makedev(8, 0)) is None",
        ),
        "network": tries(
            f"socket.create_connection(({host!r}, {port}), 1)",
            "socket.create_connection(('1.1.1.1', 53), 1)",
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53))",
            "socket.getaddrinfo('pypi.org', 443)",
            "socket.socket(socket.AF_INET6).connect(('::1', 1)) is None",
            "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
        ),
        "unix_sockets": tries(
            f"socket.socket(socket.AF_UNIX).connect({abstract!r}) is None",
            "glob.glob('/run/**/*.sock', recursive=True)",
            "glob.glob('/tmp/**/*.sock', recursive=True)",
            "socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock') is None",
        ),
        "kernel": tries(
            "socket.socket(40, socket.SOCK_STREAM)",  # to the host of a virtual machine
            "socket.socket(38, socket.SOCK_SEQPACKET)",  # the kernel's cryptography
            "libc.syscall(321, 0, 0, 0) >= 0",  # bpf
            "libc.syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0) >= 0",  # perf events
            "libc.syscall(425, 8, ctypes.create_string_buffer(120)) >= 0",  # io_uring
            "libc.syscall(250, 0, -3, 1, 0, 0) >= 0",  # keyctl
            "libc.syscall(323, 0) >= 0",  # userfaultfd
            "libc.syscall(319, b'x', 0) >= 0",  # memfd, memory that no process seems to have
            "libc.shmget(0, 1 << 20, 0o600) >= 0",  # shared memory, the same
        ),
        "setuid_programs": tries(
            "subprocess.run(['su', '-c', 'id'], capture_output=True, timeout=1).returncode == 0",
            "subprocess.run(['sudo', '-n', 'id'], capture_output=True).returncode == 0",
        ),
    }


def accidents():
    """{student: (answers, marks)}: too much of something, or the end of the process."""
    full, fork = scores(), "if os.fork() == 0: {}; os._exit(0)"
    return {
        "exits": (before("os._exit(0)"), LOST),
        "kills_its_group": (before("os.kill(0, 9)"), full),
        "kills_all": (before("try: os.kill(-1, 9)", "except OSError: pass"), full),
        "stops_itself": (before("os.kill(os.getpid(), signal.SIGSTOP)"), full),
        "segfault": (before("ctypes.string_at(0)"), LOST),
        "endless": (after("while True: pass"), full),
        "deaf": (before("signal.signal(2, signal.SIG_IGN)", "while True: pass"), LOST),
        "catches_all": (
            before("while True:", "    try: time.sleep(9)", "    except BaseException: pass"),
            LOST,
        ),
        "recursion": (
            before("def deep(): deep()", "try: deep()", "except RecursionError: pass"),
            full,
        ),
        "recursion_in_c": (
            before(
                "sys.setrecursionlimit(10**9)",
                "x = []",
                "for _ in range(10**6): x = [x]",
                "import pickle; pickle.dumps(x)",
            ),
            LOST,
        ),
        "memory": (before("try: x = bytearray(8 << 30)", "except MemoryError: pass"), full),
        "memory_slowly": (before("x = []", "while True: x.append(bytearray(50 << 20))"), None),
        "memory_of_many": (
            before(
                "for _ in range(8):",
                "    " + fork.format("x = b'1' * (300 << 20); time.sleep(9)"),
                "while True: print('noise'); sys.stdout.flush(); time.sleep(0.01)",
            ),
            LOST,
        ),
        "fork_bomb": (before("while True:", "    if os.fork() == 0: time.sleep(60)"), None),
        "forks_and_goes_on": (before("os.fork()"), full),
        "threads": (
            before(
                "try:",
                "    while True: threading.Thread(target=time.sleep, args=[60]).start()",
                "except RuntimeError: pass",
            ),
            full,
        ),
        "full_disk": (
            before(
                "try:",
                "    for i in range(99): open(f'f{i}', 'wb').write(bytes(5 << 20))",
                "except OSError: print('full')",
            ),
            full,
        ),
        "many_files": (
            before(
                "try:",
                "    for i in range(10**5): open(f'f{i}', 'w').close()",
                "except OSError: print('full')",
            ),
            full,
        ),
        "many_open_files": (
            before(
                "kept = []",
                "try:",
                "    while True: kept.append(open('/dev/null'))",
                "except OSError: print('full')",
            ),
            full,
        ),
        "one_line": (after("print('x' * 60_000_000)"), full),
        "many_displays": (after("for i in range(10**6): display(i)"), full),
        "stderr": (after("for i in range(10**5): print('warning', file=sys.stderr)"), full),
        "endless_output": (after("while True: print('more')"), full),
        "endless_output_below": (
            after(
                "for fd in range(3): os.write(fd, b'x' * 10**6)",
                "os.system('yes | head -c 9999999')",
            ),
            full,
        ),
        "flood": (  # with lines between and inside of which those of the cells come
            after(
                LINE,
                "line = next(f for f in range(3, 64) if stat.S_ISSOCK(os.fstat(f).st_mode))",
                "def flood():",
                "    while True: os.write(line, b'1\\n' * 100_000)",
                "threading.Thread(target=flood).start()",
            ),
            None,
        ),
        "thread": (
            after(
                "def loop():",
                "    while True: time.sleep(0.01); print('noise')",
                "threading.Thread(target=loop).start()",
            ),
            full,
        ),
        "orphan": (
            after(
                "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(77)', "
                f"'orphan-{os.getpid()}'], start_new_session=True)"
            ),
            full,
        ),
        "no_json": (after("display({'xjson': {'a': 1}, 'text/plain': 'x'}, raw=True)"), full),
        "deep_json": (
            after(
                "x = []",
                "for _ in range(900): x = [x]",
                "display({'application/json': x}, raw=True)",
            ),
            full,
        ),
        "half_a_character": (
            after(r"print('\ud800'); display('\udc00'); raise ValueError('\ud801')"),
            full,
        ),
        "odd_outputs": (
            after(
                LINE,
                "for words in ([], 7, {'output': 7}, {'output': {'output_type': []}}, "
                "{'output': {'output_type': 'stream', 'name': [], 'text': {}}}, {'done': 'x'}, "
                "{'output': {'output_type': 'error', 'ename': 'a', 'evalue': 'b', "
                "'traceback': [{}]}}, {'clear': {}}): raw(words)",
            ),
            full,
        ),
        "answers_input": (after("input('mark? ')"), full),
        "quits": (after("exit()"), LOST),
        "nobody_reads": (  # and the cell after it, of a megabyte, is to be sent to it
            after(
                LINE,
                "for n in range(20): raw({'done': n})",
                "signal.signal(2, signal.SIG_IGN)",
                "while True: pass",
            ),
            None,
        ),
    }


def changed(nb, **cells):
    """A copy in which a function has changed the named cells."""
    nb = copy.deepcopy(nb)
    found = {name: nb.cells[position(nb, name)] for name in cells}
    for name, change in cells.items():
        change(found[name])
    return nb


def of_type(kind):
    def change(cell):
        cell.cell_type = kind
        for name in ("outputs", "execution_count"):
            cell.pop(name, None)

    return change


def marked_as(**mark):
    return lambda cell: cell.metadata.nbgrader.update(mark)


def tagged(cell):
    cell.metadata["tags"] = ["skip-execution", "raises-exception"]


def with_metadata(nb, **metadata):
    nb = copy.deepcopy(nb)
    nb.metadata.update(metadata)
    return nb


def in_order(nb, *first):
    nb = copy.deepcopy(nb)
    nb.cells.sort(key=lambda cell: cell.metadata.get("nbgrader", {}).get("grade_id") not in first)
    return nb


def twice(nb, name, source):
    """Paste a cell once more, above the one that is there, with another text."""
    nb = copy.deepcopy(nb)
    at = position(nb, name)
    nb.cells.insert(at, copy.deepcopy(nb.cells[at]))
    nb.cells[at].source = source
    return nb


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


def as_bytes(nb, change=lambda data: None):
    """The file of a notebook, after a change that no notebook library would make."""
    data = json.loads(nbformat.writes(nb))
    change(data)
    return json.dumps(data).encode()


CLAIMS = {"marking": {"flags": ["FINE"], "reasons": {}}, "refused": "", "marks": 100}
EVERY = ("test_setup", "test_double", "test_hidden", "test_half")


def tampered(released):
    """{student: (notebook or bytes, marks)}: cells and metadata that were worked on."""
    right, full = answered(released), scores()
    wrong = answered(released, double="def double(x): return 0", half="def half(x): return None")
    zero = scores(test_double=0, test_hidden=0, test_half=0)
    for_free = {"test_half": "get_ipython().displayhook(4.0)", "test_double": "pass"}
    every = lambda nb, change: changed(nb, **dict.fromkeys(EVERY, change))  # noqa: E731
    return {
        "tests_deleted": (without(wrong, *EVERY), zero),
        "tests_edited": (edited(wrong, **for_free), zero),
        "tests_doubled": (twice(wrong, "test_double", "pass"), zero),
        "tests_markdown": (every(wrong, of_type("markdown")), zero),
        "tests_raw": (every(wrong, of_type("raw")), zero),
        "tests_skipped": (every(wrong, tagged), zero),
        "tests_first": (in_order(right, *EVERY), zero | {"test_setup": 0}),
        "answers_markdown": (changed(right, double=of_type("markdown")), full),
        "answer_doubled": (twice(right, "double", "def double(x): return 0"), full),
        "points_raised": (every(wrong, marked_as(points=1000)), zero),
        "points_odd": (every(wrong, marked_as(points="NaN")), zero),
        "unlocked": (every(edited(wrong, **for_free), marked_as(locked=False)), zero),
        "tests_are_answers": (every(wrong, marked_as(solution=True, grade=False)), zero),
        "answer_is_test": (
            changed(
                edited(wrong, double="get_ipython().displayhook(9)"),
                double=marked_as(grade=True, points=9),
            ),
            zero,
        ),
        "names_swapped": (
            changed(
                wrong,
                test_double=marked_as(grade_id="test_setup"),
                test_setup=marked_as(grade_id="test_double"),
            ),
            zero,
        ),
        "checksums": (every(edited(wrong, **for_free), marked_as(checksum="0")), zero),
        "no_mark": (every(wrong, lambda cell: cell.metadata.pop("nbgrader")), zero),
        "attachments": (
            with_metadata(
                changed(
                    right,
                    why=lambda c: c.update(attachments={"../../x.png": {"image/png": "AAAA"}}),
                ),
                widgets={"application/vnd.jupyter.widget-state+json": {"state": {"a": 7}}},
            ),
            full,
        ),
        "claims": (with_metadata(wrong, **CLAIMS), zero),
        "foreign_kernel": (
            with_metadata(
                right,
                kernelspec={"name": "ir", "display_name": "R", "language": "R"},
                language_info={"name": "R", "nbconvert_exporter": "script"},
            ),
            full,
        ),
        "odd_kernel": (
            as_bytes(right, lambda d: d["metadata"].update(kernelspec="rm -rf /")),
            full,
        ),
        "same_ids": (as_bytes(right, lambda d: [c.update(id="same") for c in d["cells"]]), full),
        "odd_ids": (as_bytes(right, lambda d: [c.update(id=["x"]) for c in d["cells"]]), full),
        "odd_sources": (
            as_bytes(right, lambda d: d["cells"].insert(0, {"cell_type": "code", "source": 7})),
            NOTHING,
        ),
        "odd_metadata": (as_bytes(right, lambda d: d.update(metadata=[1])), full),
        "odd_cells": (as_bytes(right, lambda d: d.update(cells={"a": 1})), NOTHING),
        "odd_mark": (
            as_bytes(right, lambda d: d["cells"][3]["metadata"].update(nbgrader=[[]])),
            None,
        ),
        "odd_version": (as_bytes(right, lambda d: d.update(nbformat="4", nbformat_minor=[])), full),
        "old_version": (as_bytes(right, lambda d: d.update(nbformat=2, nbformat_minor=0)), full),
        "new_version": (as_bytes(right, lambda d: d.update(nbformat=9)), full),
        "no_number": (as_bytes(right, lambda d: d["metadata"].update(x=float("nan"))), full),
        "long_number": (b'{"cells": [], "nbformat": ' + b"9" * 5000 + b"}", NOTHING),
        "deep": (b"[" * 10**6, NOTHING),
        "empty": (b"", NOTHING),
        "not_json": (b"\x00\xff\xfe PK\x03\x04", NOTHING),
        "truncated": (as_bytes(right)[:-99], NOTHING),
        "huge": (b" " * 4_000_000, NOTHING),
        "many_cells": (
            as_bytes(right, lambda d: d["cells"].extend([d["cells"][0] | {"id": "x"}] * 9_000)),
            NOTHING,
        ),
        **{
            f"deep_{depth}": (
                as_bytes(right, lambda d, depth=depth: d["metadata"].update(x=nested(depth))),
                full,
            )
            for depth in (90, 240, 330, 450, 900)
        },
        **{  # names of learners
            name: (right, full)
            for name in (
                "-rf",
                "a [x] {b} (c)",
                "Ё ñ 名",
                "a..b",
                "o'brien; $(touch x)",
                "%s%d {0}",
            )
        },
    }


def files_beside(course):
    """{student: {name: text, or a function that makes the file}}: all with right answers."""
    shadow = "print('REACHED')\nraise SystemExit"
    gradebook, source = course.root / "gradebook.db", course.root / "source"
    return {
        "shadows": {
            name: shadow
            for name in (
                "math.py",
                "torch.py",
                "ipykernel_launcher.py",
                "IPython/__init__.py",
                "course/__init__.py",
                "sitecustomize.py",
                "usercustomize.py",
                "json.py",
                ".ipython/profile_default/startup/a.py",
                ".jupyter/jupyter_config.py",
            )
        }
        | {"a.pth": "import os; print('REACHED')", "nbgrader_config.py": shadow},
        "links": {
            "link.db": lambda path: path.symlink_to(gradebook),
            "data.csv": lambda path: path.symlink_to(gradebook),
            "folder": lambda path: path.symlink_to(source),
            "broken": lambda path: path.symlink_to("nowhere"),
            "loop": lambda path: path.symlink_to("loop"),
        },
        "devices": {
            "zeros": lambda path: path.symlink_to("/dev/zero"),
            "pipe": os.mkfifo,
            "timestamp.txt": lambda path: path.symlink_to("/dev/zero"),
        },
        "odd_time": {"timestamp.txt": "99999-99-99 DROP TABLE"},
        "odd_names": {
            "-rf": "x",
            "a [b] *.csv": "x",
            "名 \n.txt": "x",
            "..": None,
            "%s.py": "x",
            "sub/$(x)": "x",
        },
        "other_data": {"data.csv": "REACHED"},
    }


HONEST_NUMBERS = {
    "right": ({}, scores()),
    "half": ({"double": "def double(x): return x * 2 if x > 0 else x"}, scores(test_hidden=0)),
    "wrong": ({"double": "def double(x): return x", "half": "half = 1"}, LOST),
}


@pytest.fixture(scope="module")
def attacked(tmp_path_factory, scratch):
    """The course after one class run, the table of marks, the run, and its files before."""
    course = Course(
        tmp_path_factory.mktemp("attacks") / "course", config=CONFIG + COLD, like=scratch
    )
    released = course.released("numbers")
    (course.root / ".marking").mkdir()
    (course.root / ".marking" / "secret").write_text("5ecret")
    abstract = f"\0attacked-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        unix.bind(abstract)
        unix.listen()
        table = {}
        probes = break_ins(course, listener.getsockname(), abstract)
        answers = {name: (sources, scores()) for name, sources in probes.items()} | accidents()
        for place in ("0", "m", "zz"):
            answers |= {f"{place}_{name}": these for name, these in HONEST_NUMBERS.items()}
        for student, (sources, marks) in answers.items():
            nb = answered(released, **sources)
            if student == "nobody_reads":
                nb.cells.insert(position(nb, "double") + 1, code("# " + "x" * 1_500_000))
            table[student] = marks
            course.submit(student, "numbers", nb)
        for student, (nb, marks) in tampered(released).items():
            table[student] = marks
            course.submit(student, "numbers", nb)
        look = "print(open('data.csv').read(), os.listdir())"
        for student, files in files_beside(course).items():
            table[student] = scores()
            course.submit(student, "numbers", answered(released, **before(look)))
            place_files(course.root / "submitted" / student / "numbers", files)
        for student, target in {
            "link_to_source": course.root / "source/numbers/exercises.ipynb",
            "link_to_neighbour": course.root / "submitted/0_right/numbers/exercises.ipynb",
            "link_to_nothing": course.root / "nothing",
        }.items():
            table[student] = NOTHING
            course.submit(student, "numbers", None)
            (course.root / "submitted" / student / "numbers/exercises.ipynb").symlink_to(target)
        kept = contents(course)
        run = course.autograde("numbers")
    return course, table, run, kept


def place_files(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(content):
            content(path)
        elif content is not None:
            path.write_text(content)


def contents(course):
    """A digest of each file that no marking may change."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("source", "release", "submitted", ".marking")
        for path in (course.root / folder).rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def test_everybody_has_the_marks_of_honest_work_whatever_the_neighbours_do(attacked):
    course, table, run, _ = attacked
    given = course.scores("numbers")
    wrong = {
        student: given.get(student)
        for student, marks in table.items()
        if given.get(student) != marks and not (marks is None and is_outcome(given.get(student)))
    }
    assert wrong == {}, run.output[-3000:]
    assert run.status == 0, run.output[-3000:]
    assert given.keys() == table.keys()


def is_outcome(marks):
    """Where it is chance what happens first: marks, and none that is above the cell's points."""
    return marks is not None and all(
        marks[name] in (most, 0, 2) for name, most in scores().items() if name in EVERY
    )


def test_nothing_was_reached_and_nothing_changed(attacked):
    course, table, run, kept = attacked
    through = {
        student: [line for line in printed(course, student) if REACHED in line] for student in table
    }
    assert {student: lines for student, lines in through.items() if lines} == {}
    assert contents(course) == kept
    assert set(numbers_of(course.scores("numbers", "extra_credit"))) <= {None, 0}
    assert set(numbers_of(course.scores("numbers", "manual_score"))) <= {None, 0}


def numbers_of(table):
    return [number for row in table.values() for number in row.values()]


def printed(course, student):
    nb = course.autograded(student, "numbers")
    outputs = [output for cell in nb.cells for output in cell.get("outputs", [])]
    return [line for o in outputs for line in str(o.get("text") or o.get("data")).splitlines()]


def test_the_probes_have_run(attacked):
    course, *_ = attacked
    lines = {"read_source": 2, "remount": 7, "network": 6, "kernel": 9}
    assert {name: len(printed(course, name)) for name in lines} == {
        name: number + 1
        for name, number in lines.items()  # and the points of test_half
    }


def test_what_links_lead_to_is_not_copied_and_no_marked_submission_is_large(attacked):
    course, table, _, _ = attacked
    marked = {
        student: {
            str(path.relative_to(course.root / "autograded" / student / "numbers")): path
            for path in (course.root / "autograded" / student).rglob("*")
            if path.is_file()
        }
        for student in table
    }
    assert set(marked["links"]) == {"exercises.ipynb", "data.csv", "sub/more.csv"}
    assert set(marked["devices"]) == {"exercises.ipynb", "data.csv", "sub/more.csv"}
    assert marked["links"]["data.csv"].read_text() == "1,2\n"
    sizes = {s: sum(p.stat().st_size for p in files.values()) for s, files in marked.items()}
    assert {student: size for student, size in sizes.items() if size > 2_500_000} == {}


def test_claims_of_a_notebook_are_not_believed(attacked):
    course, *_ = attacked
    metadata = course.autograded("claims", "numbers").metadata
    assert MARKING not in metadata and "refused" not in metadata
    assert not any(flagged(course, "numbers").values())


def test_nothing_that_a_submission_started_is_left(attacked):
    named = f"orphan-{os.getpid()}"
    left = [p.pid for p in psutil.process_iter(["cmdline"]) if named in (p.info["cmdline"] or [])]
    assert left == []


def test_a_course_in_a_folder_that_is_visible_is_covered_or_not_marked(tmp_path, scratch):
    visible = f"c.SafeExecute.visible = [{str(tmp_path)!r}]\n"
    course = Course(tmp_path / "course", config=CONFIG + COLD + visible, like=scratch)
    look = tries(f"glob.glob({str(tmp_path)!r} + '/course/*')", f"not os.path.exists('{tmp_path}')")
    course.submit("ann", "numbers", answered(course.released("numbers"), **look))
    refused = course.autograde("numbers")
    assert refused.status == 1
    assert "Submissions would see" in refused.output
    done = course.autograde("numbers", f"--SafeExecute.hidden={course.root}")
    assert done.status == 0, done.output
    assert course.scores("numbers")["ann"] == scores()
    assert printed(course, "ann")[:2] == ["no []", "no False"]
