"""What other machines read: the workflow of CI, and that what they call is there."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from course.bootstrap import NEWEST, OLDEST
from course.machine import other_torch
from course.machine.pip import SetupError

pytestmark = pytest.mark.machine

REPOSITORY = Path(__file__).resolve().parent.parent


def exists(command):
    """Whether the first word of a command of the repository can be run, and make's target too."""
    program, *arguments = command.split()
    if program == "make":
        done = subprocess.run(
            ["make", "--dry-run", *arguments], cwd=REPOSITORY, capture_output=True, text=True
        )
        return not done.returncode and "course/bootstrap.py" in done.stdout
    return os.access(REPOSITORY / program, os.X_OK)


@pytest.mark.parametrize(
    ("command", "there"),
    [
        (".ci/run", True),
        (".ci/walk", False),
        ("make test", True),
        ("make tset", False),
        ("README.md", False),
    ],
)
def test_a_command_that_is_not_there_is_noticed(command, there):
    assert exists(command) is there


# ---- the workflow of CI -----------------------------------------------------------------------


def workflow():
    text = (REPOSITORY / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    return yaml.load(text, yaml.BaseLoader)  # with which "on" stays a word


def steps(key):
    return [
        step[key] for job in workflow()["jobs"].values() for step in job["steps"] if key in step
    ]


def test_the_workflow_runs_the_script_of_ci_and_the_oldest_torch():
    own = [run for run in steps("run") if not run.startswith(("git ", "rm "))]
    assert own == [".ci/run", "make test-torch TORCH=oldest"]
    assert all(exists(run) for run in own)
    assert set(workflow()["on"]) == {"push", "pull_request"}
    assert workflow()["permissions"] == {"contents": "read"}


def test_every_step_of_the_workflow_uses_or_runs_one_thing():
    for job in workflow()["jobs"].values():
        assert job["runs-on"] and int(job["timeout-minutes"]) <= 60
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step), step
            assert step.keys() <= {"name", "uses", "run", "with"}
    for action in steps("uses"):
        assert re.fullmatch(r"actions/(checkout|cache)@v\d+", action)


def test_the_workflow_tests_the_oldest_and_the_newest_python():
    jobs = workflow()["jobs"]
    ends = [f"{major}.{minor}" for major, minor in (OLDEST, NEWEST)]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == ends
    assert jobs["oldest-torch"]["container"] == f"python:{ends[0]}-bookworm"


def test_the_cache_of_pip_is_where_pip_looks_and_depends_on_the_pinned_packages():
    for job in workflow()["jobs"].values():
        cached = {step["with"]["path"]: step["with"] for step in job["steps"] if "with" in step}
        for name in re.findall(r"'([^']+)'", cached[job["env"]["PIP_CACHE_DIR"]]["key"]):
            assert (REPOSITORY / name).is_file()
        assert "constraints.txt" in cached[job["env"]["PIP_CACHE_DIR"]]["key"]


def test_the_oldest_torch_is_that_of_pyproject(tmp_path, monkeypatch):
    said = re.search(r'"torch>=([\d.]+)"', (REPOSITORY / "pyproject.toml").read_text("utf-8"))[1]
    assert other_torch.oldest_torch() == said
    monkeypatch.setattr(other_torch, "FOLDER", tmp_path)
    (tmp_path / said).mkdir()
    assert other_torch.other_torch("oldest") == tmp_path / said
    monkeypatch.setattr(other_torch, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch"]\n')
    with pytest.raises(SetupError, match="names no oldest torch"):
        other_torch.other_torch("oldest")
