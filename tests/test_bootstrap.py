"""Setting up on a person's machine: what is made, what heals itself, the sentence when it fails.

See machine_project.py: the set-up is the real one, what it installs is small.
"""

import ast
import importlib.util
import os
import platform
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from machine_project import REPOSITORY, Project, Run, pretend

from course.bootstrap import NEWEST, OLDEST
from course.machine import environment, venv
from course.machine.pip import Pip, Progress, SetupError, explain

pytestmark = pytest.mark.machine


def wait_for(condition, seconds=200):
    for _ in range(seconds * 20):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("waited in vain")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project that was set up, after a first attempt was interrupted. Each test leaves it so."""
    project = Project(tmp_path_factory.mktemp("machine"))
    process = project.start("lab")
    wait_for((project.venv / "course.json").exists)
    os.killpg(process.pid, signal.SIGINT)
    project.interrupted = Run(None, *process.communicate(timeout=200))
    project.interrupted.status = process.returncode
    (project.venv / "half").touch()
    project.first = project.run("lab", "--port", "1", PYTHONPATH="/elsewhere")
    return project


@pytest.fixture
def bare(tmp_path):
    return Project(tmp_path)


# ---- which Python --------------------------------------------------------------------------


def old_pythons():
    """The Pythons before 3.11 that this machine has."""
    homes = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    homes += Path.home().glob(".pyenv/versions/*/bin")
    homes += Path("/root/.pyenv/versions").glob("*/bin") if os.access("/root", os.R_OK) else []
    names = ["python2.7", *(f"python3.{minor}" for minor in range(6, OLDEST[1]))]
    found = {}
    for path in (home / name for name in names for home in homes):
        runs = os.access(path, os.X_OK) and subprocess.run([path, "-V"], capture_output=True)
        if runs and runs.returncode == 0:  # a name may stand for a Python that is not there
            found.setdefault(path.name, str(path))
    return sorted(found.values())


def test_bootstrap_uses_only_syntax_that_python_2_7_has():
    new = {ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.Starred, ast.YieldFrom}
    new |= {ast.Await, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Match, ast.TryStar}
    text = (REPOSITORY / "course" / "bootstrap.py").read_text("ascii")
    for node in ast.walk(ast.parse(text)):
        assert type(node) not in new, ast.unparse(node)
        if isinstance(node, ast.FunctionDef):
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            assert not node.args.kwonlyargs and not node.returns
            assert not any(argument.annotation for argument in arguments)


def test_an_old_python_says_in_one_sentence_what_to_do(bare, tmp_path):
    for python in [pretend((3, 6, 15)), *((path,) for path in old_pythons())]:
        run = bare.run("lab", python=python, PATH=str(tmp_path))
        assert run.status == 1, python
        assert run.errors.count("\n") == 1
        assert "is too old: the course needs Python 3.11 to 3.14. Install one" in run.errors
        assert not bare.venv.exists()


def test_a_python_that_has_no_torch_yet_says_so(bare, tmp_path):
    run = bare.run("lab", python=pretend((NEWEST[0], NEWEST[1] + 1, 0)), PATH=str(tmp_path))
    assert run.status == 1
    assert "is too new: the course needs Python 3.11 to 3.14." in run.errors


def test_an_old_python_uses_a_newer_one_that_is_on_path(bare, tmp_path):
    script = tmp_path / "python3.12"
    script.write_text('#!/bin/sh\n[ "$1" = -c ] && echo 3.12 || echo "3.12 got $2 $3"\n')
    script.chmod(0o755)
    broken = tmp_path / "python3.13"  # as pyenv's stand-ins are
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    run = bare.run("lab", "--x", python=pretend((3, 9, 1)), PATH=f"{tmp_path}:/bin:/usr/bin")
    assert run.status == 0
    assert run.output == "Python 3.9 cannot run the course, using python3.12.\n3.12 got lab --x\n"


def test_modules_of_the_course_do_not_hide_those_of_python(bare):
    for name in ("subprocess", "argparse", "json"):
        (bare.folder / "course" / f"{name}.py").write_text("raise SystemExit('the wrong module')")
    run = bare.run("--help")
    assert (run.status, run.errors) == (0, "")


# ---- what is set up ------------------------------------------------------------------------


def test_an_interrupted_set_up_says_what_to_do(project):
    run = project.interrupted
    assert (run.status, run.started) == (130, None)
    assert run.errors == "\nStopped. Run the same command again: it takes care of the rest.\n"


def test_the_next_call_starts_from_nothing_and_then_starts_the_command(project):
    run = project.first
    assert run.status == 0, run.errors
    assert run.set_up and run.errors == ""
    assert not (project.venv / "half").exists()
    assert run.started == {
        "arguments": ["lab", "--port", "1"],
        "prefix": str(project.venv),
        "has": ["torch"],
        "path": str(project.venv / "bin"),
        "pythonpath": None,
    }


def test_the_second_call_has_nothing_to_set_up(project):
    run = project.run("lab")
    assert run.started["arguments"] == ["lab"]
    assert run.output.count("\n") == 1


def test_one_made_by_hand_is_kept_and_completed(project):
    (project.venv / "mine").touch()
    (project.venv / "course.json").unlink()
    run = project.run("test", "-k", "word")
    assert run.output.startswith("Bringing .venv up to date") and run.set_up
    assert run.started["arguments"][-2:] == ["-k", "word"]
    assert run.started["has"] == ["torch", "devtool"]
    assert (project.venv / "mine").exists()


def test_what_the_tests_brought_is_still_there_for_the_next_command(project):
    run = project.run("lab")
    assert not run.set_up and run.started["has"] == ["torch", "devtool"]
    assert not project.run("site").set_up  # the tests bring all that it needs


def test_new_constraints_need_the_network_and_then_bring_it_up_to_date(project):
    (project.venv / "mine").touch()
    (project.folder / "constraints.txt").write_text("torch==0.2\n")
    dead = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_RETRIES": "1"}
    run = project.run("lab", PIP_INDEX_URL="http://127.0.0.1:9/simple", **dead)
    assert run.status == 1 and run.started is None
    sentence, log = run.errors.splitlines()
    assert sentence.startswith("The network cannot be reached")
    assert "Connection refused" in Path(log.removeprefix("All that pip said: ")).read_text()
    run = project.run("lab")
    assert run.set_up and run.started["has"] == ["torch", "devtool"]
    assert list(project.venv.rglob("torch-0.2.dist-info"))
    assert (project.venv / "mine").exists()


def test_a_second_set_up_waits_for_the_first_and_uses_what_it_made(project):
    import fcntl

    constraints = project.folder / "constraints.txt"
    now = constraints.read_text()
    constraints.write_text("torch==0.1\n")
    folder = os.open(project.folder, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)  # as another set-up does
    process = project.start("lab")
    assert process.stdout.readline().startswith("Another set-up works in this folder")
    constraints.write_text(now)  # for what is wanted now, .venv is whole
    os.close(folder)
    output, _ = process.communicate(timeout=200)
    assert process.returncode == 0
    assert output.startswith("started")


@pytest.fixture
def old(tmp_path, monkeypatch):
    """A `.venv` with a Python, and the state of one that is whole."""
    folder = tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    monkeypatch.setattr(environment, "VENV", folder)
    monkeypatch.setattr(venv, "VENV", folder)
    monkeypatch.setattr(venv, "STATE", folder / "course.json")
    venv.write_state((), made=True, whole=True)
    return folder


def test_one_that_is_whole_is_left_alone(old):
    assert environment.is_ready(())
    environment.remove_what_cannot_be_mended(venv.read_state())
    assert old.exists()


def rewrite(file, words, others):
    assert words in file.read_text()
    file.write_text(file.read_text().replace(words, others))


@pytest.mark.parametrize(
    "damage",
    [
        lambda old: [(old / "bin/python").unlink(), (old / "bin/python").symlink_to("/gone")],
        lambda old: (old / "course.json").write_text('{"made": tr'),
        lambda old: venv.write_state((), made=False, whole=False),
        lambda old: (old / "bin/python").unlink(),
        lambda old: rewrite(old / "course.json", str(old), "/where/it/was"),
        lambda old: rewrite(old / "course.json", platform.python_version(), "3.11.0"),
    ],
    ids=["its Python is gone", "half a file", "never whole", "no Python", "moved", "other Python"],
)
def test_one_that_cannot_be_mended_is_removed(old, damage):
    damage(old)
    assert not environment.is_ready(())
    environment.remove_what_cannot_be_mended(venv.read_state())
    assert not old.exists()


def test_one_made_by_hand_with_an_old_python_is_kept_and_named(old):
    (old / "course.json").unlink()
    (old / "bin/python").unlink()
    (old / "bin/python").write_text("#!/bin/sh\necho 3.9.1\n")
    (old / "bin/python").chmod(0o755)
    with pytest.raises(SetupError, match="made by hand with Python 3.9.1, which cannot run"):
        environment.remove_what_cannot_be_mended(venv.read_state())
    assert old.exists()


# ---- when it cannot be set up ----------------------------------------------------------------


def test_a_nearly_full_disk_is_told_before_anything_is_made(monkeypatch):
    usage = shutil.disk_usage(REPOSITORY)._replace(free=300_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SetupError, match=r"The disk is full: 0.3 GB are free in .* 2.5 GB"):
        environment.check_disk()


@pytest.fixture
def failing_pip(tmp_path):
    """A pip that says what it is told and fails."""

    def make(said):
        python = tmp_path / "python"
        python.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit 1\n")
        python.chmod(python.stat().st_mode | stat.S_IXUSR)
        return python

    return make


def test_a_disk_that_is_full_in_the_middle_is_told(failing_pip):
    full = failing_pip(
        "ERROR: Could not install packages due to an OSError: [Errno 28] No space left"
    )
    with (
        pytest.raises(SetupError, match="^The disk is full: free some space"),
        Pip(full, Path("/dev/full")) as pip,
    ):
        pip.install("torch", "torch")


def test_a_full_disk_is_not_taken_for_a_missing_index(failing_pip, tmp_path):
    full = failing_pip("OSError: [Errno 28] No space left on device")
    with Pip(full, tmp_path / "log") as pip, pytest.raises(SetupError, match="The disk is full"):
        pip.try_install("the small torch", "torch")


def test_an_interrupted_pip_may_put_back_what_it_was_changing(failing_pip, tmp_path, monkeypatch):
    done = tmp_path / "put back"
    slow = failing_pip(f"Uninstalling torch\nEND\nsleep 0.5; touch '{done}'; cat <<END\nback")

    def interrupted(self, line):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "saw", interrupted)
    with Pip(slow, tmp_path / "log") as pip, pytest.raises(KeyboardInterrupt):
        pip.install("torch", "torch")
    assert done.exists()


def test_an_unknown_failure_gives_the_last_words_of_pip(failing_pip, tmp_path):
    odd = failing_pip("Collecting torch\nERROR: Something odd.")
    with Pip(odd, tmp_path / "log") as pip, pytest.raises(SetupError) as problem:
        pip.install("torch", "torch")
    assert str(problem.value).splitlines() == [
        "pip could not install torch; it said last: ERROR: Something odd.",
        f"All that pip said: {tmp_path / 'log'}",
    ]
    assert "Collecting torch" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    "said, told",
    [
        ("OSError: [WinError 112] There is not enough space on the disk", "The disk is full"),
        ("OSError: [Errno 122] Disk quota exceeded: '/home/x'", "The disk is full"),
        ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]", "certificate"),
        ("ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403", "proxy"),
        ("NewConnectionError('Failed to establish a new connection: [Errno -3]", "The network"),
        (
            "ReadTimeoutError(\"HTTPSConnectionPool(host='x', port=443): Read timed out",
            "The network",
        ),
        ("ERROR: No matching distribution found for torch==2.13.0", "There is no torch"),
    ],
)
def test_each_cause_has_its_sentence(said, told):
    words = explain(f"Looking in indexes\n{said}\nERROR: failed", Path("/project/.venv"))
    assert told in words and "\n" not in words


def test_a_python_without_its_venv_module_says_which_package_brings_it(monkeypatch):
    # Debian's python3 has venv, and no ensurepip unless python3-venv is installed
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name != "ensurepip" or None)
    here = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    with pytest.raises(SetupError, match=f"lacks its module ensurepip.*sudo apt install {here}"):
        environment.check_venv_module()


# ---- make ------------------------------------------------------------------------------------


def test_make_alone_lists_the_targets(project):
    run = project.make()
    assert run.status == 0
    for target in ("lab", "test", "build", "check", "doctor", "bench", "clean"):
        assert f"make {target} " in run.output


def test_make_gives_a_lesson_and_options_to_the_command(project):
    run = project.make("lab", "LESSON=leaf_tensors", "ARGS=--no-browser --port 8899")
    assert run.started["arguments"] == ["lab", "leaf_tensors", "--no-browser", "--port", "8899"]


def test_make_without_any_python_says_what_to_install(project):
    run = project.make("lab", "PYTHON=")
    assert run.status == 2
    assert run.errors.startswith("There is no Python here: install Python 3.11 to 3.14")


def test_another_torch_lies_beside_the_environment_and_comes_first_on_the_path(project):
    run = project.make("test-torch", "TORCH=0.2", "ARGS=-x")
    assert run.started["pythonpath"] == str(project.folder / ".torch" / "0.2")
    assert run.started["arguments"][-1] == "-x"
    assert (project.folder / ".torch" / "0.2" / "torch.py").exists()


@pytest.mark.parametrize("said", [(), ("TORCH=new",)])
def test_without_a_version_of_torch_it_says_how_to_name_one(project, said):
    run = project.make("test-torch", *said)
    assert (run.status, run.started) == (2, None)
    assert run.errors.startswith("Say which torch, for example: make test-torch TORCH=2.4.0")


def test_a_torch_that_cannot_be_had_leaves_nothing(project):
    run = project.make("test-torch", "TORCH=9.9")
    assert (run.status, run.started) == (2, None)
    assert not (project.folder / ".torch" / "9.9").exists()


def test_make_test_can_hand_on_the_status_of_pytest(project, tmp_path):
    script = project.folder / "pytest.py"
    before = script.read_text()
    script.write_text("raise SystemExit(5)")
    run, plain = project.make("test", f"STATUS={tmp_path / 'status'}"), project.make("test")
    script.write_text(before)
    assert (run.status, (tmp_path / "status").read_text()) == (0, "5\n")
    assert plain.status == 2


def test_clean_removes_what_can_be_made_again_and_nothing_else(bare):
    made = [".venv/x", ".pytest_cache/x", ".build-cache/x", "course/__pycache__/x", "x.egg-info/x"]
    kept = ["submitted/ann/x", "release/01/.ipynb_checkpoints/x", "gradebook.db", "feedback/x"]
    for name in made + kept:
        path = bare.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert bare.run("clean").status == 0
    assert [name for name in made if (bare.folder / name).parent.exists()] == []
    assert [name for name in kept if not (bare.folder / name).exists()] == []
