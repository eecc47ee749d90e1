"""What is passed is kept: across restarts, by two kernels at once, and never at a check's cost."""

import json
import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from course.build import ROOT
from course.lessons import LESSONS, find_lesson
from course.progress import live, record
from course.progress.overview import BEGUN, DONE, NOT_YET, overview
from course.progress.page import as_html, as_text
from course.progress.places import exercises
from course.progress.record import Progress, forget, note_passed, read
from course.testimony import SECRET_SEED

LEAVES, RETAIN = find_lesson("leaf_tensors"), find_lesson("retain_grad")
RIGHT = """\
def freeze(part):
    part.requires_grad_(False)
    return sum(p.numel() for p in part.parameters())
"""
CHECK = 'from course.lessons.leaf_tensors import check\ncheck("freeze")'


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder of the lessons; a notebook of lesson 1 runs in it."""
    lesson = tmp_path / LEAVES.assignment
    lesson.mkdir()
    monkeypatch.chdir(lesson)
    return tmp_path


def run(home, *sources, **env):
    """Run cells in a new kernel of lesson 1; give what they showed."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    client = NotebookClient(
        nbformat.v4.new_notebook(cells=cells),
        timeout=60,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(home / LEAVES.assignment)}},
    )
    client.execute(env={**os.environ, **env})
    outputs = [output for cell in cells for output in cell.outputs]
    return [o.get("data", {}).get("text/plain", "") + o.get("evalue", "") for o in outputs]


# ---- what check writes --------------------------------------------------------------------


def test_a_check_that_passes_in_a_kernel_is_kept_for_the_next_one(home):
    wrong = "def freeze(part):\n    return 0"
    said = run(home, wrong, CHECK)
    assert "wrong" in said[0]
    assert read() == Progress()
    said = run(home, RIGHT, CHECK)
    assert said[0].startswith("✓ freeze: PASSED")
    assert list(read().passed) == ["leaf_tensors"]
    assert list(read().passed["leaf_tensors"]) == ["freeze"]
    before = (home / ".progress.json").read_bytes()
    run(home, wrong, CHECK, RIGHT, CHECK)  # passed once is passed, since the first time
    assert (home / ".progress.json").read_bytes() == before


@pytest.mark.parametrize(
    "env",
    [{"NBGRADER_EXECUTION": "autograde"}, {"NBGRADER_EXECUTION": "validate"}, {SECRET_SEED: "1"}],
)
def test_nothing_is_kept_when_nbgrader_marks_or_validates(home, env):
    run(home, RIGHT, CHECK, **env)
    assert sorted(path.name for path in home.iterdir()) == [LEAVES.assignment]


def test_nothing_is_kept_outside_a_kernel_and_of_hidden_cases(home):
    names = {}
    exec(RIGHT, names)
    find = "from course.lessons.leaf_tensors import check"
    exec(find, names)
    names["check"]("freeze", namespace=names)
    run(home, RIGHT, f'{find}\ncheck("freeze", hidden=True)')
    assert read() == Progress()


def test_a_folder_in_which_nobody_may_write_costs_no_check(home):
    (home / ".progress.json").mkdir()  # root may write everywhere, but no file over a folder
    said = run(home, RIGHT, CHECK)
    assert said[0].startswith("✓ freeze: PASSED")
    assert len(said) == 1
    assert (home / ".progress.json").is_dir()
    assert read().words.startswith("Your progress cannot be read")
    assert "cannot be read" in as_text(overview(read()))


def test_a_lock_that_another_holds_costs_no_check(home, monkeypatch):
    monkeypatch.setattr(record, "PATIENCE", 0.1)
    note_passed("leaf_tensors", "freeze")
    with record.locked(record.place()):
        assert note_passed("leaf_tensors", "history") == ""
        assert list(read().passed["leaf_tensors"]) == ["freeze"]
    assert list(read().passed["leaf_tensors"]) == ["freeze"]


# ---- the file -----------------------------------------------------------------------------

WRITE = """
import sys
from course.progress.record import note_passed
for number in range(40):
    note_passed("leaf_tensors", f"{sys.argv[1]}_{number}")
"""


def test_two_kernels_that_write_at_once_lose_nothing(home):
    writers = [subprocess.Popen([sys.executable, "-c", WRITE, name]) for name in "ab"]
    while any(writer.poll() is None for writer in writers):
        assert read().words == ""  # never half a file
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(read().passed["leaf_tensors"]) == 80
    assert sorted(p.name for p in home.iterdir() if p.is_file()) == [
        ".progress.json",
        ".progress.lock",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"passed": 3}',
        '{"passed": {"a": []}}',
        '{"passed": {"a": {"b": 1}}}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_damaged_file_is_put_aside_and_said_once(home, text):
    damaged = text if isinstance(text, bytes) else text.encode()
    for number in (1, 2):
        (home / ".progress.json").write_bytes(damaged)
        assert f".progress.damaged-{number}.json" in note_passed("leaf_tensors", "freeze")
        assert (home / f".progress.damaged-{number}.json").read_bytes() == damaged
        assert read().words == ""
        assert list(read().passed["leaf_tensors"]) == ["freeze"]


def test_a_check_says_that_a_damaged_file_was_put_aside(home):
    (home / ".progress.json").write_text("{")
    said = run(home, RIGHT, CHECK)
    assert said[0].startswith("✓ freeze: PASSED")
    assert ".progress.damaged-1.json" in said[1]


def test_a_write_that_fails_leaves_the_old_file_whole(home, monkeypatch):
    note_passed("leaf_tensors", "freeze")
    before = (home / ".progress.json").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(record.os, "fsync", full)
    assert note_passed("leaf_tensors", "history") == ""
    assert (home / ".progress.json").read_bytes() == before
    assert len([p for p in home.iterdir() if p.is_file()]) == 2  # the file and its lock


def test_a_notebook_elsewhere_has_its_progress_in_its_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    note_passed("leaf_tensors", "freeze")
    assert json.loads((tmp_path / ".progress.json").read_text())["passed"]["leaf_tensors"]


def test_progress_is_never_committed():
    names = [".progress.json", ".progress.lock", ".progress.damaged-1.json"]
    paths = [f"release/{name}" for name in names]
    done = subprocess.run(["git", "check-ignore", *paths], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == paths


# ---- reset --------------------------------------------------------------------------------


def test_one_lesson_or_all_of_it_can_be_forgotten(home, capsys):
    for lesson in (LEAVES, RETAIN):
        for place in exercises(lesson)[:2]:
            note_passed(lesson.name, place.name)
    live.reset_progress("01_leaf_tensors")
    assert capsys.readouterr().out.startswith("2 passed exercises of lesson 1 are forgotten.")
    assert list(read().passed) == ["retain_grad"]
    live.reset_progress()
    assert capsys.readouterr().out.startswith("2 passed exercises are forgotten.")
    assert read() == Progress()
    assert forget() == 0
    live.reset_progress("no_such")
    assert "There is no lesson 'no_such'" in capsys.readouterr().out


# ---- the map ------------------------------------------------------------------------------


def passed(lesson, count, day):
    return {place.name: f"2026-11-{day:02d}T10:00:00+00:00" for place in exercises(lesson)[:count]}


def test_the_map_knows_every_exercise_of_the_course():
    for lesson in LESSONS:
        path = ROOT / "source" / lesson.assignment / "exercises.ipynb"
        if not path.exists():
            assert exercises(lesson) == ()
            continue
        cells = nbformat.read(path, 4).cells
        names = [c.metadata.nbgrader.grade_id for c in cells if is_answer(c)]
        assert [place.name for place in exercises(lesson)] == names
        texts = {cell.id: cell.source.split("\n")[0] for cell in cells}
        for place in exercises(lesson):
            assert texts[place.cell] == f"## {place.title}"


def is_answer(cell):
    return cell.metadata.get("nbgrader", {}).get("solution")


def test_a_beginner_is_sent_to_the_first_lesson_and_then_to_its_first_exercise_left():
    start = overview(Progress())
    assert start.next.address == "01_leaf_tensors/lesson.ipynb"
    assert {part.state for part in start.parts} == {NOT_YET}
    begun = overview(Progress({"leaf_tensors": passed(LEAVES, 2, day=1)}))
    assert begun.next.address.endswith("01_leaf_tensors/exercises.ipynb#cell-id=text-04")
    assert begun.parts[1].state == BEGUN


def test_the_next_one_is_in_the_lesson_of_the_last_success_then_after_it_then_before():
    on_two = {"leaf_tensors": passed(LEAVES, 2, day=1), "retain_grad": passed(RETAIN, 3, day=2)}
    assert overview(Progress(on_two)).next.lesson == RETAIN
    done = {**on_two, "retain_grad": passed(RETAIN, 99, day=2)}
    course = overview(Progress(done))
    assert course.parts[2].state == DONE
    assert course.next.address == "03_tensor_hooks/lesson.ipynb"
    all_but_one = {lesson.name: passed(lesson, 99, day=3) for lesson in LESSONS[1:]}
    all_but_one["leaf_tensors"] = passed(LEAVES, 2, day=1)
    assert overview(Progress(all_but_one)).next.lesson == LEAVES
    finished = {lesson.name: passed(lesson, 99, day=3) for lesson in LESSONS[1:]}
    course = overview(Progress(finished))
    assert course.next is None
    assert course.passed == course.total == sum(len(exercises(lesson)) for lesson in LESSONS)
    assert "every exercise" in as_html(course)


def test_an_exercise_that_is_no_longer_there_is_not_counted():
    course = overview(Progress({"leaf_tensors": {"gone": "2026"}, "no_lesson": {"x": "2026"}}))
    assert course.passed == 0
    assert course.next.address == "01_leaf_tensors/lesson.ipynb"


def test_the_saved_map_claims_nothing_about_what_is_passed():
    path = ROOT / "release" / "00_start_here" / "lesson.ipynb"
    (cell,) = [
        c for c in nbformat.read(path, 4).cells if "course-map" in c.metadata.get("tags", ())
    ]
    (output,) = cell.outputs
    assert output.data["text/html"] == as_html(overview(None))
    total = sum(len(exercises(lesson)) for lesson in LESSONS)
    assert output.data["text/html"].count("exercises.ipynb#") == total
    for claim in ("✓", "○", "Next:"):
        assert claim not in output.data["text/html"]


def test_the_map_in_a_kernel_follows_what_another_one_passes(home):
    say = "from course import course_map\ncourse_map()"
    later = (
        "import time\nfrom course.progress.record import note_passed\n"
        'note_passed("leaf_tensors", "freeze")\ntime.sleep(3)'
    )
    said = run(home, say, later)
    assert "✓ 5. Freeze a part of a network: passed" in said[0]  # the cell above was updated
    assert "▶ Next: lesson 1, exercise 1. Say it before you run it" in said[0]


def test_a_terminal_gets_the_map_as_text_and_a_marked_notebook_nothing(home, capsys):
    live.course_map()
    assert "▶ Next: lesson 1" in capsys.readouterr().out
    assert (
        run(home, "from course import course_map\ncourse_map()", NBGRADER_EXECUTION="validate")
        == []
    )
