"""``course grade``: the marks of nbgrader autograde, whatever happens on the way."""

import contextlib
import io
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest
from nbgrader.api import Gradebook
from nbgrader_course import COLD, REPOSITORY, Course
from scratch_assignment import NOTHING, STUB, answered, scores
from test_grading_bad_input import CONFIG, files, notebooks
from traitlets.config import Config

from course.grading.batch import cli
from course.grading.batch.bundle import (
    CannotMark,
    TooMuch,
    definition,
    new_gradebook,
    plain,
    read_submission,
)
from course.grading.batch.journal import Journal
from course.grading.batch.pools import LocalPool
from course.grading.batch.run import Summary

pytest_plugins = ["scratch_course", "postgresql"]
pytestmark = [
    pytest.mark.nbgrader,
    pytest.mark.skipif(sys.platform != "linux", reason="submissions are contained on Linux only"),
    pytest.mark.xdist_group("batch"),
]
SMALL = CONFIG + COLD + "c.SafeExecute.packages = []\nc.JudgedExecute.judge = ''\n"


def grade(course, *arguments):
    """``python -m course grade numbers`` in this process: its status, output and errors."""
    out, err = io.StringIO(), io.StringIO()
    words = ["numbers", "--course-dir", str(course.root), *map(str, arguments)]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = cli.main(words)
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def start_grade(course, *arguments):
    """The same in a process of its own, which goes on."""
    return subprocess.Popen(
        [sys.executable, "-m", "course", "grade", "numbers", *map(str, arguments)],
        cwd=course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )


def summary(course, *arguments):
    status, out, err = grade(course, "--json", *arguments)
    assert out, err
    return status, json.loads(out)


def everything(course):
    """All that autograde writes into a gradebook about the submissions."""
    with sqlite3.connect(course.root / "gradebook.db") as book:
        rows = book.execute(
            """
            SELECT a.student_id, a.timestamp, n.late_submission_penalty, n.flagged, c.name,
                g.auto_score, g.manual_score, g.needs_manual_grade, m.auto_comment
            FROM submitted_assignment a
            JOIN submitted_notebook n ON n.assignment_id = a.id
            JOIN base_cell c ON c.notebook_id = n.notebook_id
            LEFT JOIN grade g ON g.notebook_id = n.id AND g.cell_id = c.id
            LEFT JOIN comment m ON m.notebook_id = n.id AND m.cell_id = c.id
            ORDER BY 1, 5
            """
        ).fetchall()
    book.close()
    return rows


@pytest.fixture(scope="module")
def table(scratch):
    """{student: what is handed in}"""
    released = scratch.released("numbers")
    readable = {student: nb for student, (nb, _) in notebooks(released).items()}
    return readable | {student: content for student, (content, _) in files(released).items()}


@pytest.fixture(scope="module")
def both(scratch, table, tmp_path_factory):
    """The same submissions, marked by nbgrader autograde and by course grade."""
    courses = []
    for name in ("autograde", "grade"):
        course = Course(tmp_path_factory.mktemp(name) / "course", config=SMALL, like=scratch)
        for student, content in table.items():
            course.submit(student, "numbers", content, {"timestamp.txt": "2026-01-02 03:04:05 UTC"})
        course.submit("nothing", "numbers", None, {"notes.txt": "I was ill"})
        courses.append(course)
    run = courses[0].autograde("numbers")
    assert run.status == 0, run.output
    status, said = summary(courses[1], "--jobs", 2)
    assert status == 0, said
    return (*courses, said)


def test_the_gradebook_is_that_of_nbgrader_autograde(both):
    autograde, ours, _ = both
    assert everything(ours) == everything(autograde)


def test_the_marked_notebooks_are_those_of_nbgrader_autograde(both, table):
    autograde, ours, _ = both
    for student in table:
        theirs, mine = (c.autograded(student, "numbers").cells for c in (autograde, ours))
        assert [(c.cell_type, c.source) for c in mine] == [(c.cell_type, c.source) for c in theirs]
        kinds = [
            [[o.output_type for o in c.get("outputs", [])] for c in nb] for nb in (mine, theirs)
        ]
        assert kinds[0] == kinds[1], student
    for course in (autograde, ours):
        stamp = course.root / "autograded" / next(iter(table)) / "numbers" / "timestamp.txt"
        assert stamp.read_text() == "2026-01-02 03:04:05 UTC"


def kinds(cell):
    return [output.output_type for output in cell.get("outputs", [])]


def test_the_summary_counts_everybody(both, table):
    *_, said = both
    assert said["submitted"] == said["marked"] == len(table) + 1
    assert said["failed"] == {}
    assert "nothing" in said["not_attempted"]


@pytest.fixture
def course(scratch, tmp_path):
    """A course with two submissions."""
    course = Course(tmp_path / "course", config=SMALL, like=scratch)
    released = course.released("numbers")
    course.submit("ann", "numbers", answered(released))
    course.submit("bob", "numbers", released)
    return course


def test_what_is_unchanged_is_not_marked_again_unless_asked(course):
    assert summary(course)[1]["marked"] == 2
    assert summary(course)[1] | {"seconds": 0} == {
        "assignment": "numbers", "submitted": 2, "marked": 0, "unchanged": 2,
        "not_attempted": [], "flagged": {}, "stopped": {}, "failed": {}, "reasons": {},
        "seconds": 0,
    }  # fmt: skip
    course.submit("bob", "numbers", answered(course.released("numbers")))
    status, out, _ = grade(course, "--dry-run")
    assert (status, out) == (0, "1 to mark, 1 unchanged since they were marked.\n  bob\n")
    assert course.scores("numbers")["bob"] == STUB
    assert summary(course)[1]["marked"] == 1
    assert course.scores("numbers")["bob"] == scores()
    assert summary(course, "--force", "--student", "ann")[1]["marked"] == 1


def test_what_an_instructor_entered_by_hand_stays(course):
    assert summary(course)[0] == 0
    with sqlite3.connect(course.root / "gradebook.db") as book:
        book.execute(
            "UPDATE grade SET manual_score = 1.5, extra_credit = 0.5, needs_manual_grade = 0"
            " WHERE cell_id IN (SELECT id FROM base_cell WHERE name = 'test_half')"
        )
        book.execute("UPDATE comment SET manual_comment = 'well done'")
    book.close()
    assert summary(course, "--force")[0] == 0
    with sqlite3.connect(course.root / "gradebook.db") as book:
        rows = book.execute(
            "SELECT manual_score, extra_credit, needs_manual_grade FROM grade"
            " JOIN base_cell ON base_cell.id = cell_id WHERE name = 'test_half'"
        ).fetchall()
        comments = {c for (c,) in book.execute("SELECT manual_comment FROM comment")}
    book.close()
    assert rows == [(1.5, 0.5, 1)] * 2
    assert comments == {"well done"}


def test_the_feedback_is_written_when_asked_for(course):
    assert summary(course, "--feedback", "--student", "ann")[0] == 0
    page = course.feedback("ann", "numbers")
    assert "test_hidden" in page
    assert "a secret of the instructor" not in page
    assert not (course.root / "feedback" / "bob").exists()


def test_generate_feedback_knows_every_option_it_gets(course):
    assert summary(course, "--student", "ann")[0] == 0
    run = course.generate_feedback("numbers")
    assert run.status == 0 and "Converting notebook" in run.output, run.output
    assert "not recognized" not in run.output


@pytest.mark.parametrize("with_pages", [True, False])
def test_feedback_of_what_was_handed_in_by_the_exchange_can_be_released(course, with_pages):
    """nbgrader finds whose page it is by two files that `nbgrader submit` had put there."""
    files = {"timestamp.txt": "2026-01-02 03:04:05 UTC", "submission_secret.txt": "of ann"}
    course.submit("ann", "numbers", None, files)
    exchange = course.root / "exchange"
    exchange.mkdir(mode=0o777)
    assert summary(course, "--student", "ann", *["--feedback"] * with_pages)[1]["marked"] == 1
    if not with_pages:
        assert course.generate_feedback("numbers").status == 0
    done = course.run(
        "release_feedback", "numbers", f"--Exchange.root={exchange}", "--course", "hooks"
    )
    assert done.status == 0, done.output
    (page,) = (exchange / "hooks" / "feedback").glob("*.html")
    assert page.read_text() == course.feedback("ann", "numbers")


def test_the_journal_and_the_secret_are_the_owner_s(course):
    assert summary(course)[0] == 0
    secret = course.root / ".marking" / "secret"
    assert len(secret.read_text()) == 32
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--student", "zoe"], "There is no submission of zoe for 'numbers'"),
        (["--course-dir", "/"], "There is no nbgrader_config.py in /: go to the folder"),
        (["--jobs", "0"], "it must be 1 or more"),
        (["--cluster", "tcp://127.0.0.1:1"], "No dask scheduler answers at tcp://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_begun_says_why_and_ends_with_2(course, arguments, sentence):
    status, out, err = grade(course, *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err
    assert course.scores("numbers") == {}


def refusal(course, assignment):
    """What ``course grade`` says about an assignment that it cannot mark."""
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        assert cli.main([assignment, "--course-dir", str(course.root)]) == 2
    return err.getvalue().strip()


def test_a_name_that_is_no_assignment_gets_the_names_of_those_there_are(course):
    known = "The gradebook has no assignment 'letters'. It holds: numbers."
    assert refusal(course, "letters") == known


def test_an_assignment_that_was_never_generated_gets_the_command_for_it(course):
    (course.root / "source" / "letters").mkdir()
    assert refusal(course, "letters").endswith("Run: nbgrader generate_assignment letters")


@pytest.mark.parametrize("exists", [True, False])
def test_a_gradebook_without_assignments_says_that_it_holds_none(tmp_path, exists):
    course = Course(tmp_path / "new", config=SMALL)
    if not exists:
        (course.root / "gradebook.db").unlink()
    assert refusal(course, "numbers") == (
        "The gradebook has no assignment 'numbers'. It holds none yet."
    )


@pytest.mark.parametrize("arguments", [[], ["--dry-run"], ["--json"]])
def test_no_submission_at_all_says_where_it_looked_and_to_collect(scratch, tmp_path, arguments):
    course = Course(tmp_path / "course", config=SMALL, like=scratch)
    status, out, err = grade(course, *arguments)
    assert (status, out) == (2, "")
    assert f"no folder matches {course.root}/submitted/*/numbers" in err
    assert "nbgrader collect numbers" in err


def test_a_kill_of_the_one_who_marks_loses_nothing(scratch, table, tmp_path):
    course = Course(tmp_path / "course", config=SMALL + "c.Execute.timeout = 20\n", like=scratch)
    released = course.released("numbers")
    expected = {}
    slow = answered(released, double="import time; time.sleep(3)\ndef double(x):\n    return 2 * x")
    for number in range(int(os.environ.get("SUBMISSIONS", "30"))):
        student = f"student{number:03d}"
        if number in (12, 15, 21, 24):  # time for the first marks to be written, and for the kill
            content, expected[student] = slow, scores()
        elif number % 3 == 0:
            content, expected[student] = answered(released), scores()
        elif number % 3 == 1:
            content, expected[student] = released, STUB
        else:
            content, expected[student] = [
                (answered(released, double="import os; os._exit(1)"),
                 scores(test_double=0, test_hidden=0, test_half=0)),
                (b"{", NOTHING),
                (answered(released, half="def half(x):\n    return x"), scores(test_half=0)),
            ][number // 3 % 3]  # fmt: skip
        course.submit(student, "numbers", content)
    running = start_grade(course, "--jobs", 2, "--json")
    journal = course.root / ".marking" / "numbers.jsonl"
    deadline = time.monotonic() + 200
    while not (journal.exists() and journal.read_text().count("\n") > 3):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    children = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    gone, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
    before = course.scores("numbers")
    assert 0 < len(before) < len(expected)
    assert before == {student: expected[student] for student in before}
    status, said = summary(course, "--jobs", 2)
    assert status == 0, said
    assert said["unchanged"] > 0
    assert course.scores("numbers") == expected
    assert leftovers(course.root) == []


def leftovers(root):
    return [str(path) for path in Path(root).rglob(".*.new")] + [
        str(path) for path in Path(root).rglob(".*.old")
    ]


def test_the_summary_names_who_ended_the_process_and_lost_what_comes_after(course):
    ends = answered(course.released("numbers"), double="import os; os._exit(3)")
    course.submit("fay", "numbers", ends)
    _, said = summary(course)
    assert list(said["stopped"]) == ["fay"]
    assert said["stopped"]["fay"].startswith("the kernel died in cell")
    status, out, _ = grade(course, "--force", "--student", "fay")
    assert (status, f"  not run to its end: fay - {said['stopped']['fay']}" in out) == (0, True)


def test_a_worker_that_is_killed_takes_no_submission_with_it(course):
    for number in range(12):
        slow = answered(course.released("numbers"), double="import time; time.sleep(0.5)")
        course.submit(f"slow{number:02d}", "numbers", slow)
    running = start_grade(course, "--jobs", 2, "--json")
    deadline = time.monotonic() + 100
    while not (workers := workers_of(running.pid)):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1)
    workers[0].kill()
    out, err = running.communicate(timeout=300)
    assert json.loads(out)["marked"] == 14, err
    assert len(course.scores("numbers")) == 14


def workers_of(pid):
    """The processes that mark: children of the fork server that run no cells."""
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        try:
            words, parent = child.cmdline(), child.parent()
        except psutil.Error:
            continue
        forked = "forkserver" in " ".join(words) and parent and parent.pid != pid
        if forked:
            found.append(child)
    return found


def test_a_fault_of_ours_is_a_result_too():
    results = dict(LocalPool(2).map(b"no archive", [("a", b"1"), ("b", b"2")]))
    assert {json.loads(result)["outcome"] for result in results.values()} == {"failed"}
    assert "BadZipFile" in json.loads(results["a"])["log"]


def test_a_gradebook_in_postgresql_gets_the_same_marks(scratch, course, postgresql, tmp_path):
    there = Course(
        tmp_path / "there", config=SMALL + f"c.CourseDirectory.db_url = {postgresql!r}\n"
    )
    shutil.copytree(scratch.root / "source", there.root / "source")
    there.generate("numbers")
    shutil.copytree(course.root / "submitted", there.root / "submitted")
    assert summary(course)[0] == summary(there)[0] == 0
    assert summary(there, "--force")[1]["marked"] == 2
    with Gradebook(postgresql, "hooked-on-backward") as book:
        marks = {
            submission.student.id: {grade.name: grade.auto_score for grade in notebook.grades}
            for submission in book.find_assignment("numbers").submissions
            for notebook in submission.notebooks
        }
    assert marks == course.scores("numbers")


def test_a_summary_with_reasons_is_json():
    summary = Summary("numbers", reasons={"RETURNS_NONE": 2})
    assert json.loads(json.dumps(asdict(summary)))["reasons"] == {"RETURNS_NONE": 2}


def test_options_that_cannot_be_sent_are_named():
    config = Config()
    config.Execute.timeout = 30
    with pytest.raises(CannotMark, match="option c.Execute.extra is changed in place"):
        config.Execute.extra.append("x")
        plain(config)
    with pytest.raises(CannotMark, match="c.Execute.timeout of nbgrader_config.py is <function"):
        plain(Config(Execute=Config(timeout=lambda: 3)))


def test_the_definition_of_an_assignment_survives_the_journey(scratch, tmp_path):
    url = f"sqlite:///{scratch.root / 'gradebook.db'}"
    rows = definition(url, "numbers")
    new_gradebook(tmp_path / "new.db", json.loads(json.dumps(rows)))
    assert definition(f"sqlite:///{tmp_path / 'new.db'}", "numbers") == rows


def test_links_and_too_much_are_not_taken(tmp_path):
    folder = tmp_path / "ann"
    folder.mkdir()
    (folder / "a.txt").write_text("mine")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "everything").symlink_to("/etc")
    first = read_submission(folder)
    assert first == read_submission(folder)
    assert b"passwd" not in first and b"a.txt" in first
    with pytest.raises(TooMuch, match="more than 0 MB"):
        read_submission(folder, max_bytes=3)
    for number in range(201):
        (folder / f"{number}.txt").touch()
    with pytest.raises(TooMuch, match="more than 200 files"):
        read_submission(folder)


def test_a_journal_that_was_cut_in_the_middle_of_a_line_is_read_and_goes_on(tmp_path):
    journal = Journal(tmp_path / "ps1.jsonl")
    journal.add([{"student": "ann", "key": "1"}, {"student": "bob", "key": "2"}])
    text = journal.path.read_text()
    journal.path.write_text(text[:-10])
    again = Journal(journal.path)
    assert again.knows("ann", "1") and not again.knows("bob", "2")
    again.add([{"student": "bob", "key": "3"}])
    assert Journal(journal.path).knows("bob", "3")
