"""``python -m course export`` gives what ``nbgrader export`` gives."""

import csv
import os
import random

import pytest
from gradebooks import add_assignment, hand_in, new_gradebook
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin
from sqlalchemy import create_engine, event

from course.gradebook import export
from course.gradebook.database import GradebookError, reading
from course.gradebook.files import write_whole

pytest_plugins = ["postgresql"]


def fill(book):
    """Assignments, students and submissions with everything that an export has to get right."""
    add_assignment(book, "ps2", exercises={"a": (1.5, 2), "b": (0.1,)}, duedate="2026-03-08 12:00")
    add_assignment(book, "ps1", exercises={"a": (1,)}, tasks={"draw": 6}, duedate="2026-03-01")
    add_assignment(book, "ps1", exercises={"c": (0.1, 0.2, 0.3)}, notebook="second")
    add_assignment(book, "без даты", exercises={"a": (1,)})
    book.add_assignment("nothing in it")
    book.add_student("u1", last_name="Łukasz", first_name="Żaneta", email="z@x.org")
    book.add_student("u2", last_name="de la O", first_name=None, lms_user_id="lms-77")
    book.add_student("u3", first_name="only a first name")
    book.add_student("名前 7", last_name="山田", first_name="花子")
    book.add_student("never", last_name="Absent")
    for number in range(40):  # equal for nbgrader's order: no names
        book.add_student(f"n{(number * 17) % 40:02d}")
    hand_in(book, "ps1", "u1", {"a_1": 1}, manual={"draw": 4.5}, late=2.25)
    hand_in(book, "ps1", "u1", {"c_1": 0.1, "c_2": 0.2, "c_3": 0.3}, notebook="second", late=0.1)
    hand_in(book, "ps1", "u2", {"a_1": 0}, extra={"a_1": 3}, timestamp=None)
    hand_in(book, "ps1", "u3", {"a_1": 1}, manual={"a_1": 0}, late=9)  # more than it has
    hand_in(book, "ps2", "名前 7", {"a_1": 1.5, "a_2": 0.3}, manual={"b_1": 0.07})
    hand_in(book, "ps2", "u1", {})
    hand_in(book, "без даты", "u1", {"a_1": 1}, timestamp="2026-03-01 12:00:00.123456")
    book.add_submission("nothing in it", "u2")
    draw = random.Random(7)
    for number in range(40):
        scores = {f"c_{i}": draw.choice([0.1, 0.2, 0.7, 1 / 3]) for i in (1, 2, 3)}
        hand_in(book, "ps1", f"n{number:02d}", scores, notebook="second", late=draw.random() / 10)


def by_nbgrader(book, path):
    CsvExportPlugin(to=str(path)).export(book)
    return path.read_text("utf-8")


def by_course(url, path):
    assert export.main(["--db", url, "--to", str(path)]) == 0
    return path.read_text("utf-8")


def test_the_table_is_the_one_of_nbgrader(tmp_path):
    with new_gradebook(tmp_path / "gradebook.db") as book:
        fill(book)
        expected = by_nbgrader(book, tmp_path / "theirs.csv")
    got = by_course(f"sqlite:///{tmp_path}/gradebook.db", tmp_path / "ours.csv")
    assert got == expected
    rows = list(csv.DictReader(expected.splitlines()))
    assert len(rows) == 4 * 45
    (late,) = [r for r in rows if (r["assignment"], r["student_id"]) == ("ps1", "u1")]
    assert (late["raw_score"], late["late_submission_penalty"]) == ("6.1", "2.35")
    (extra,) = [r for r in rows if (r["assignment"], r["student_id"]) == ("ps1", "u2")]
    assert (extra["score"], extra["timestamp"], extra["last_name"]) == ("3.0", "", "de la O")


def test_the_table_is_the_one_of_nbgrader_on_postgresql(postgresql, tmp_path):
    with Gradebook(postgresql) as book:
        fill(book)
        expected = by_nbgrader(book, tmp_path / "theirs.csv")
    assert by_course(postgresql, tmp_path / "ours.csv") == expected


def test_a_name_with_a_comma_stays_one_name(tmp_path):
    with new_gradebook(tmp_path / "gradebook.db") as book:
        add_assignment(book, "ps1", exercises={"a": (1,)})
        book.add_student("u1", last_name='Smith, "Jr."', first_name="two\nlines")
    text = by_course(f"sqlite:///{tmp_path}/gradebook.db", tmp_path / "ours.csv")
    (row,) = csv.DictReader(text.splitlines(keepends=True))
    assert (row["last_name"], row["first_name"]) == ('Smith, "Jr."', "two\nlines")


def test_an_empty_gradebook_gives_the_header_alone(tmp_path):
    with new_gradebook(tmp_path / "gradebook.db") as book:
        expected = by_nbgrader(book, tmp_path / "theirs.csv")
    got = by_course(f"sqlite:///{tmp_path}/gradebook.db", tmp_path / "ours.csv")
    assert got == expected == ",".join(export.COLUMNS) + "\n"


def test_one_query_is_asked_however_many_submissions_there_are(tmp_path):
    with new_gradebook(tmp_path / "gradebook.db") as book:
        fill(book)
    asked = []
    with reading(f"sqlite:///{tmp_path}/gradebook.db") as session:
        event.listen(session.get_bind(), "before_cursor_execute", lambda *a: asked.append(a[2]))
        assert len(list(export.grades(session))) == 4 * 45
    assert len(asked) == 1


def test_the_gradebook_of_the_course_is_found_by_its_configuration(tmp_path, monkeypatch, capsys):
    (tmp_path / "elsewhere").mkdir()
    with new_gradebook(tmp_path / "elsewhere" / "grades.sqlite") as book:
        add_assignment(book, "ps1", exercises={"a": (1,)})
        hand_in(book, "ps1", "ann", {"a_1": 1})
    url = f"sqlite:///{tmp_path}/elsewhere/grades.sqlite"
    (tmp_path / "nbgrader_config.py").write_text(
        f"c = get_config()\nc.CourseDirectory.db_url = {url!r}\n"
    )
    monkeypatch.chdir(tmp_path)
    assert export.main([]) == 0
    assert "ann" in (tmp_path / "grades.csv").read_text()
    assert capsys.readouterr().err == "Wrote 1 row to grades.csv.\n"


# ---- what cannot be done -------------------------------------------------------------------


def refused(capsys, folder, *arguments):
    """What the command says; it must fail, and leave nothing new in ``folder``."""
    before = sorted(folder.iterdir())
    assert export.main(list(arguments)) == 2
    assert sorted(folder.iterdir()) == before
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_a_gradebook_that_is_not_there_is_not_made(tmp_path, capsys):
    said = refused(capsys, tmp_path, "--db", f"sqlite:///{tmp_path}/no.db")
    assert (
        f"There is no gradebook at sqlite:///{tmp_path}/no.db: go to the folder of the course"
        in said
    )


def test_a_file_that_is_no_database_is_refused(tmp_path, capsys):
    (tmp_path / "x.db").write_text("a letter to my mother, which is long enough " * 50)
    to = "--to", str(tmp_path / "grades.csv")
    said = refused(capsys, tmp_path, "--db", f"sqlite:///{tmp_path}/x.db", *to)
    assert "cannot be opened (file is not a database): check the URL of --db." in said


def test_another_database_is_refused(tmp_path, capsys):
    engine = create_engine(f"sqlite:///{tmp_path}/x.db")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE recipe (id INTEGER)")
    engine.dispose()
    said = refused(capsys, tmp_path, "--db", f"sqlite:///{tmp_path}/x.db")
    assert "is not a gradebook of nbgrader, it has no table 'assignment'" in said


def test_a_gradebook_of_an_older_nbgrader_is_refused_with_the_command_that_helps(tmp_path, capsys):
    with new_gradebook(tmp_path / "old.db") as book:
        book.db.connection().exec_driver_sql("ALTER TABLE grade DROP COLUMN extra_credit")
        book.db.commit()
    said = refused(capsys, tmp_path, "--db", f"sqlite:///{tmp_path}/old.db")
    assert "no such column: grade.extra_credit" in said and "`nbgrader db upgrade`" in said


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("gradebook.db", "'gradebook.db' is not the URL of a database: write sqlite:///FILE.db"),
        ("oops://x/y", "SQLAlchemy knows no database 'oops'"),
        ("sqlite://", "There is no gradebook at sqlite://:"),
    ],
)
def test_a_url_that_names_no_database_is_refused(tmp_path, capsys, url, words):
    assert words in refused(capsys, tmp_path, "--db", url)


def test_a_password_is_not_shown(tmp_path, capsys):
    said = refused(capsys, tmp_path, "--db", "postgresql://me:secret@127.0.0.1:1/grades")
    assert "secret" not in said and "postgresql://me:***@127.0.0.1:1/grades" in said


def test_a_configuration_that_fails_is_said_to_fail(tmp_path, monkeypatch, capsys):
    with new_gradebook(tmp_path / "gradebook.db"):  # perhaps not the one that it would name
        pass
    (tmp_path / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.root = 1 / 0\n"
    )
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, tmp_path)
    assert said == (
        "export: nbgrader_config.py does not run (ZeroDivisionError: division by zero): "
        "mend it first.\n"
    )


def test_a_file_that_cannot_be_written_is_named(tmp_path, capsys):
    with new_gradebook(tmp_path / "gradebook.db"):
        pass
    url, to = f"sqlite:///{tmp_path}/gradebook.db", str(tmp_path / "no folder" / "grades.csv")
    assert f"{to} cannot be written (No such file" in refused(
        capsys, tmp_path, "--db", url, "--to", to
    )


def test_a_file_is_replaced_whole_and_a_link_stays_a_link(tmp_path, monkeypatch):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    write_whole(tmp_path / "link.csv", "new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(GradebookError, match="No space left"):
        write_whole(tmp_path / "real.csv", "newer")
    assert (tmp_path / "real.csv").read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_no_file_is_written_to_as_it_is(tmp_path):
    reader, writer = os.pipe()
    write_whole(f"/dev/fd/{writer}", "to a pipe")
    os.close(writer)
    with os.fdopen(reader) as pipe:
        assert pipe.read() == "to a pipe"
