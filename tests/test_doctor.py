"""What doctor finds wrong, and that the command it names mends it."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course import doctor
from course.doctor import Finding
from course.machine import extensions, open_lab, venv
from course.machine.open_lab import has_exchange

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent
VALIDATE = "nbgrader.server_extensions.validate_assignment"


@pytest.fixture
def home(tmp_path):
    """A person's own Jupyter configuration, empty."""
    for name in ("labconfig", "jupyter_server_config.d"):
        (tmp_path / name).mkdir()
    return tmp_path


def run(home, *command):
    """Run a command for the person whose configuration this is."""
    own = {
        "JUPYTER_CONFIG_DIR": str(home),
        "JUPYTER_PREFER_ENV_PATH": "0",
        "JUPYTER_PLATFORM_DIRS": "",
    }
    return subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, env=os.environ | own
    )


def ask_doctor(home):
    return run(home, sys.executable, "-m", "course", "doctor")


def test_here_all_is_well(home):
    done = ask_doctor(home)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert lines[-1] == "All is well."
    assert all(line.startswith("ok ") for line in lines[:-1])
    for name in ("Python", "torch", "jupyterlab", "nbgrader", "ipywidgets", "anywidget", "alembic"):
        assert any(f" {name}" in line for line in lines), name


def test_the_commands_it_names_turn_extensions_on(home):
    part = "@jupyter/nbgrader:validate-assignment"
    server = home / "jupyter_server_config.d" / f"{VALIDATE}.json"
    server.write_text(json.dumps({"ServerApp": {"jpserver_extensions": {VALIDATE: False}}}))
    lab = home / "labconfig" / "page_config.json"
    lab.write_text(json.dumps({"disabledExtensions": {part: True}}))
    before = ask_doctor(home)
    assert before.returncode == 1
    assert f"WRONG JupyterLab's extension {part} is switched off in {lab}\n" in before.stdout
    assert f"WRONG the server's extension {VALIDATE} is switched off in {server}\n" in before.stdout
    assert before.stdout.endswith("2 problems.\n")
    for line in before.stdout.splitlines():
        if "mend: " in line:
            mended = run(home, *shlex.split(line.split("mend: ")[1]))
            assert mended.returncode == 0, mended.stderr
    assert ask_doctor(home).stdout.endswith("All is well.\n")


def test_what_a_person_wrote_by_hand_is_theirs_to_change(home):
    file = home / "jupyter_server_config.json"
    file.write_text(json.dumps({"ServerApp": {"jpserver_extensions": {VALIDATE: False}}}))
    assert f"mend: take the line with {VALIDATE} out of {file}\n" in ask_doctor(home).stdout


def test_a_whole_extension_that_is_off_is_found(tmp_path):
    (tmp_path / "labconfig").mkdir()
    file = tmp_path / "labconfig" / "page_config.json"
    for off in ({"@jupyter/nbgrader": True, "other": True}, ["@jupyter/nbgrader"]):
        file.write_text(json.dumps({"disabledExtensions": off}))
        found = list(extensions.switched_off("@jupyter/nbgrader", [tmp_path]))
        assert found == [("@jupyter/nbgrader", file)]


def test_the_parts_that_need_an_exchange_may_be_off(home):
    off = json.loads(
        (open_lab.CONFIGURATIONS / "without_exchange/labconfig/page_config.json").read_text()
    )
    (home / "labconfig" / "page_config.json").write_text(json.dumps(off))
    assert ask_doctor(home).returncode == 0


def test_an_extension_that_nobody_turned_on_is_wrong(tmp_path):
    assert extensions.server_extension(VALIDATE, [tmp_path]) == (False, None)


def test_the_folder_that_jupyter_asks_first_decides(tmp_path):
    for name, on in (("first", True), ("second", False)):
        (tmp_path / name).mkdir()
        told = {"ServerApp": {"jpserver_extensions": {VALIDATE: on}}}
        (tmp_path / name / "jupyter_server_config.json").write_text(json.dumps(told))
    folders = [tmp_path / "none", tmp_path / "first", tmp_path / "second"]
    assert extensions.server_extension(VALIDATE, folders)[0] is True
    assert extensions.server_extension(VALIDATE, folders[::-1])[0] is False


# ---- packages ------------------------------------------------------------------------------


def test_a_missing_package_comes_with_the_command_that_installs_it():
    finding = doctor.package("no-such-package>=1")
    assert finding.words == "no-such-package is not installed"
    assert finding.mend.endswith(
        f'-m pip install -c "{REPOSITORY}/constraints.txt" "no-such-package>=1"'
    )


def test_a_package_out_of_the_allowed_range_is_wrong():
    finding = doctor.package("nbgrader>=99")
    assert finding.words.endswith(": the course needs nbgrader>=99")
    assert finding.mend


def test_a_package_other_than_the_tested_one_is_said_and_is_no_problem(monkeypatch):
    monkeypatch.setattr(doctor, "tested", lambda: {"nbgrader": "0.9.5"})
    finding = doctor.package("nbgrader>=0.9")
    assert finding.words.endswith("(should work; tested with 0.9.5)") and not finding.mend


@pytest.mark.parametrize(
    "text, build",
    [
        ("cuda: Optional[str] = None\nhip: Optional[str] = None\n", "CPU build"),
        ("cuda: Optional[str] = '13.0'\nhip: Optional[str] = None\n", "GPU build (cuda 13.0)"),
        ("cuda: Optional[str] = None\nhip: Optional[str] = '6.4.1'\n", "GPU build (hip 6.4.1)"),
    ],
)
def test_it_tells_the_cpu_build_of_torch_from_a_gpu_one(tmp_path, text, build):
    class Torch:
        def locate_file(self, path):
            return tmp_path / path

    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text(text)
    assert doctor.torch_build(Torch()) == build


def test_what_it_says_of_torch_is_what_torch_says():
    import torch

    gpu = torch.version.cuda or torch.version.hip
    assert ("GPU build" if gpu else "CPU build") in doctor.package("torch").words


def test_a_python_with_nothing_installed_gets_one_command(tmp_path):
    bare = [sys.executable, "-I", "-S", "-c"]
    code = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); import course.doctor as it; "
    code += "it.main([])"
    said = subprocess.run([*bare, code], capture_output=True, text=True).stdout
    assert said.count("WRONG") == said.count("mend: ") == 1
    assert "WRONG not installed: torch, numpy, jupyterlab, nbgrader" in said


# ---- the rest ------------------------------------------------------------------------------


def test_an_old_python_is_wrong(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 2, "final", 0))
    assert "the course needs 3.11 to 3.14" in doctor.python().words
    assert doctor.python().mend == "install Python 3.11 to 3.14, then: make lab"


def test_a_set_up_that_did_not_end_is_wrong(monkeypatch):
    monkeypatch.setattr(doctor, "read_state", lambda: venv.State(made=True, whole=False))
    monkeypatch.setattr(doctor, "VENV", Path(sys.prefix))
    assert list(doctor.set_up()) == [
        Finding("the set-up of .venv did not come to its end", "make lab")
    ]


def test_a_kernel_of_another_python_is_wrong(tmp_path, monkeypatch):
    (tmp_path / "kernels" / "python3").mkdir(parents=True)
    spec = {"argv": ["/usr/bin/other", "-m", "ipykernel_launcher"]}
    (tmp_path / "kernels" / "python3" / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    finding = doctor.kernel()
    assert finding.words == "the notebooks' kernel python3 is another Python, /usr/bin/other"
    assert finding.mend == f"remove the folder {tmp_path / 'kernels' / 'python3'}"


def test_missing_programs_and_lessons_are_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.sysconfig, "get_path", lambda name: str(tmp_path))
    assert doctor.alembic().mend.endswith("--force-reinstall --no-deps alembic")
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    assert doctor.lessons().words.startswith("release/ lacks 00_start_here/lesson.ipynb")
    assert doctor.lessons().mend == "make build"


def test_it_imports_none_of_the_packages():
    code = (
        "import sys, course.doctor; course.doctor.main([]); "
        "print({'torch', 'numpy', 'jupyterlab', 'nbgrader', 'jupyter_server'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY
    )
    assert done.stdout.splitlines()[-1] == "set()", done.stderr


# ---- the exchange: doctor and lab leave it alone where there is none ------------------------


@pytest.fixture
def course_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(open_lab, "ROOT", tmp_path)
    monkeypatch.setattr(open_lab, "EXCHANGE", str(tmp_path / "exchange"))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "jupyter"))
    return tmp_path


def test_without_an_exchange_there_is_none(course_folder):
    (course_folder / "nbgrader_config.py").write_text("c = get_config()\nc.Execute.timeout = 3\n")
    assert not has_exchange()


def test_the_shipped_configuration_asks_for_no_exchange(course_folder):
    shutil.copy(REPOSITORY / "nbgrader_config.py", course_folder)
    assert not has_exchange()


def test_an_exchange_is_known_by_its_folder_or_by_the_configuration(course_folder):
    (course_folder / "exchange").mkdir()
    assert has_exchange()
    (course_folder / "exchange").rmdir()
    (course_folder / "nbgrader_config.py").write_text("c = get_config()\nc.Exchange.root = '/x'\n")
    assert has_exchange()


def test_the_default_place_of_the_exchange_is_that_of_nbgrader():
    from nbgrader.exchange.default import Exchange

    assert Exchange.root.default_value == open_lab.EXCHANGE
