"""How work comes in and feedback goes out: the exchange, and files that came in another way."""

import pwd
import zipfile

import pytest
from nbgrader.utils import notebook_hash
from nbgrader_course import Course, notebook

from course import exchange

pytest_plugins = ["scratch_course"]
pytestmark = pytest.mark.nbgrader

NAME = "numbers"
PAGE = "<p>the feedback of {}</p>"


@pytest.fixture
def course(tmp_path, scratch):
    course = Course(tmp_path / "course", like=scratch)
    (course.root / "exchange").mkdir(mode=0o777)
    return course


def hand_in(course, student, secret):
    """A submission with another notebook beside the one that is marked, and its feedback."""
    files = {} if secret is None else {"timestamp.txt": "2026-01-02 03:04:05 UTC"}
    if secret:
        files["submission_secret.txt"] = secret
    course.submit(student, NAME, notebook([]), {"lesson.ipynb": "{}", **files})
    folder = course.root / "feedback" / student / NAME
    folder.mkdir(parents=True)
    (folder / "exercises.html").write_text(PAGE.format(student))
    for name, text in files.items():
        (folder / name).write_text(text)


def release(course, *arguments):
    """Release the feedback; gives the pages that learners can fetch, by hash."""
    root = course.root / "exchange"
    done = course.run("release_feedback", NAME, f"--Exchange.root={root}", *arguments)
    assert done.status == 0, done.output
    pages = (root / "hooked-on-backward" / "feedback").glob("*")
    return done.output, {page.name: page.read_text() for page in pages}


def page_of(secret, name):
    return notebook_hash(secret=secret, notebook_id=name) + ".html"


def test_every_notebook_that_was_handed_in_gets_a_page_for_then_the_list_shows_them(course):
    hand_in(course, "ann", "of ann")
    _, pages = release(course)
    assert set(pages) == {page_of("of ann", "exercises"), page_of("of ann", "lesson")}
    assert pages[page_of("of ann", "exercises")] == PAGE.format("ann")
    assert "lesson.ipynb is not marked" in pages[page_of("of ann", "lesson")]
    assert "exercises.html" in pages[page_of("of ann", "lesson")]


@pytest.mark.parametrize("secret", [None, ""])
def test_a_submission_that_came_in_another_way_is_named_and_stops_nobody(course, secret):
    hand_in(course, "ann", secret)
    hand_in(course, "bob", "of bob")
    said, pages = release(course)
    assert "ann: not handed in by the exchange" in said
    assert set(pages) == {page_of("of bob", "exercises"), page_of("of bob", "lesson")}


def test_one_student_is_released_alone(course):
    hand_in(course, "ann", "of ann")
    hand_in(course, "bob", "of bob")
    _, pages = release(course, "--student=bob")
    assert set(pages) == {page_of("of bob", "exercises"), page_of("of bob", "lesson")}
    _, pages = release(course, "--CourseDirectory.student_id_exclude=ann")
    assert page_of("of ann", "exercises") not in pages


def put_into_exchange(course, student):
    """What `nbgrader submit --student STUDENT` leaves, from the account that runs this test."""
    stamp = "2026-01-02 03:04:05.000000 UTC"
    inbound = course.root / "exchange" / "hooked-on-backward" / "inbound"
    folder = inbound / f"{student}+{NAME}+{stamp}+random"
    folder.mkdir(parents=True)
    (folder / "exercises.ipynb").write_text(f"of {student}")
    (folder / "timestamp.txt").write_text(stamp)
    return folder


def test_what_was_handed_in_under_another_name_is_named_and_not_collected(course):
    mine = pwd.getpwuid(course.root.stat().st_uid).pw_name
    put_into_exchange(course, mine)
    other = put_into_exchange(course, "ann")
    collect = ("collect", NAME, f"--Exchange.root={course.root / 'exchange'}")
    done = course.run(*collect)
    assert done.status == 0, done.output
    assert f"Not collected: {other} was handed in by {mine}" in done.output
    assert [path.name for path in (course.root / "submitted").iterdir()] == [mine]
    done = course.run(*collect, "--ExchangeCollect.check_owner=False")
    assert (course.root / "submitted" / "ann" / NAME / "exercises.ipynb").exists(), done.output


def test_a_later_submission_of_another_account_does_not_hide_the_own_one(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "_owner", lambda path: path.name.rpartition(" ")[2])
    collect = exchange.Collect()
    collect.inbound_path = str(tmp_path)
    records = [
        {"username": "ann", "timestamp": hour, "filename": f"{hour} {owner}"}
        for hour, owner in ((1, "ann"), (2, "ann"), (3, "eve"))
    ]
    found = collect._sort_by_timestamp(records)
    assert [record["timestamp"] for record in found] == [2, 1]


def test_files_from_a_learning_platform_are_collected_by_their_names(course):
    archive = course.root / "downloaded" / NAME / "archive"
    archive.mkdir(parents=True)
    (archive / "ann_exercises.ipynb").write_text("of ann")
    (archive / "ann_lee_exercises.ipynb").write_text("of ann_lee")
    (archive / "notes.txt").write_text("no notebook")
    (archive / "ben_other.ipynb").write_text("another notebook")
    for name, inside in (("bob.zip", "exercises.ipynb"), ("all.zip", "cleo/exercises.ipynb")):
        with zipfile.ZipFile(archive / name, "w") as made:
            made.writestr(inside, f"of {inside}")
    done = course.run("zip_collect", NAME)
    assert done.status == 0, done.output
    assert "ben_other.ipynb" in done.output and "4 files collected, 2 files skipped" in done.output
    found = (course.root / "submitted").rglob("*.*")
    assert {
        f"{path.relative_to(course.root / 'submitted')}": path.read_text() for path in found
    } == {
        f"ann/{NAME}/exercises.ipynb": "of ann",
        f"ann_lee/{NAME}/exercises.ipynb": "of ann_lee",
        f"bob/{NAME}/exercises.ipynb": "of exercises.ipynb",
        f"cleo/{NAME}/exercises.ipynb": "of cleo/exercises.ipynb",
    }
