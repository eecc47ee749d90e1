"""``course grade --cluster``: a scheduler and two workers as processes of their own."""

import json
import subprocess
import sys
import time

import pytest
from nbgrader_course import Course
from scratch_assignment import STUB, answered, scores
from test_grading_batch import SMALL, start_grade

pytest_plugins = ["scratch_course"]
pytestmark = [
    pytest.mark.nbgrader,
    pytest.mark.skipif(sys.platform != "linux", reason="submissions are contained on Linux only"),
    pytest.mark.xdist_group("batch"),
]


@pytest.fixture
def cluster(tmp_path):
    """(address, workers): a dask scheduler and two workers, ended afterwards."""
    log = (tmp_path / "dask.log").open("w")

    def dask(*arguments):
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        return subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log)

    found = tmp_path / "scheduler.json"
    running = [
        dask("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
             "--scheduler-file", str(found))
    ]  # fmt: skip
    try:
        for number in range(2):
            running.append(
                dask("dask_worker", "--scheduler-file", str(found), "--nthreads", "1",
                     "--no-nanny", "--no-dashboard", "--name", f"worker{number}",
                     "--local-directory", str(tmp_path))
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while not found.exists():
            assert time.monotonic() < deadline, (tmp_path / "dask.log").read_text()
            time.sleep(0.1)
        yield json.loads(found.read_text())["address"], running[1:]
    finally:
        for process in running:
            process.kill()
            process.wait()
        log.close()


def test_a_worker_that_is_killed_in_the_middle_costs_no_mark(scratch, cluster, tmp_path):
    address, workers = cluster
    course = Course(tmp_path / "course", config=SMALL, like=scratch)
    released = course.released("numbers")
    right = answered(
        released, double="import time; time.sleep(0.5)\ndef double(x):\n    return 2 * x"
    )
    expected = {}
    for number in range(30):
        student = f"student{number:02d}"
        course.submit(student, "numbers", right if number % 2 else released)
        expected[student] = scores() if number % 2 else STUB
    running = start_grade(course, "--cluster", address, "--json")
    journal = course.root / ".marking" / "numbers.jsonl"
    deadline = time.monotonic() + 120
    while not journal.exists() and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running.poll() is None
    assert journal.read_text().count("\n") < 30
    workers[0].kill()
    out, err = running.communicate(timeout=200)
    assert running.returncode == 0, err
    assert json.loads(out)["marked"] == 30
    assert course.scores("numbers") == expected
