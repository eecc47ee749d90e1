"""Binder's image, as repo2docker would build it: the environment first, so that it is kept."""

import os
import re
import subprocess
import sys

import pytest
import yaml
from nbgrader_course import REPOSITORY

pytestmark = pytest.mark.machine


@pytest.fixture(scope="module")
def dockerfile():
    """The steps of the Dockerfile, each on one line, that repo2docker makes of this repository."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--no-run", "--debug"]
    done = subprocess.run(
        [*command, str(REPOSITORY)],
        capture_output=True,
        text=True,
        env=os.environ | {"DOCKER_HOST": "unix:///nowhere"},  # no Docker is needed to print it
    )
    assert done.returncode == 0, done.stderr[-2000:]
    text = re.sub(r"\\ *\n", " ", done.stdout + done.stderr)
    return [line.strip() for line in text.splitlines() if line and not line.startswith("#")]


def place(steps, wanted):
    [found] = [number for number, step in enumerate(steps) if re.search(wanted, step)]
    return found


def test_the_environment_is_built_before_the_repository_is_copied(dockerfile):
    """Else each change of a lesson would build it again: ten minutes instead of one."""
    environment = place(dockerfile, r"^COPY\b.* src/environment\.yml ")
    installed = place(dockerfile, r"^RUN\b.*env update .*--file .environment\.yml")
    repository = place(dockerfile, r"^COPY\b.* src/ \$\{REPO_DIR\}/")
    assert environment < installed < repository


def test_the_course_itself_is_installed_last(dockerfile):
    assert place(dockerfile, r"^COPY\b.* src/ ") < place(dockerfile, r"^RUN \./postBuild")


def test_the_image_has_the_python_that_environment_yml_asks_for(dockerfile):
    packages = yaml.safe_load((REPOSITORY / "environment.yml").read_text())["dependencies"]
    [version] = [re.sub(r"[^\d.]", "", one) for one in packages if str(one).startswith("python =")]
    lock = place(dockerfile, r"^COPY\b.*environment\.lock")
    assert f"py-{version}".replace(".", "-2e").replace("-", "-2d", 1) in dockerfile[lock]
