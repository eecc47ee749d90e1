"""``python -m course report``: what it counts, where the reasons come from, what it refuses."""

import csv
import json
import os
import statistics
import warnings
from pathlib import Path

import numpy as np
import pytest
from gradebooks import add_assignment, hand_in, new_gradebook
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader_course import Course, answer, edited, notebook
from nbgrader_course import test as test_cell

from course.check import Desk
from course.gradebook import bars, report
from course.gradebook.database import reading
from course.gradebook.items import analyse, correlation
from course.gradebook.marks import exercise_of, marks_of
from course.gradebook.reasons import Reasons, Unreadable, codes_in, content_of, gather
from course.gradebook.words import COLUMNS, as_text, listed, percent
from course.report import as_text as words_of_check

SCORES = {  # double_1 (2), double_2 (2), half_1 (4): half is harder, and goes with double
    "ann": (2, 2, 4),
    "bob": (2, 0, 2),
    "cem": (2, 1, 0),
    "dee": (0, 0, 0),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A course without a configuration, in the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def book(folder):
    with new_gradebook(folder / "gradebook.db") as book:
        yield book


def fill(book):
    add_assignment(book, "ps1", exercises={"double": (2, 2), "half": (4,)})
    book.add_student("zoe")  # hands nothing in
    for name, points in SCORES.items():
        untouched = ["half"] if name == "dee" else []
        scores = dict(zip(("double_1", "double_2", "half_1"), points, strict=True))
        hand_in(book, "ps1", name, scores, untouched=untouched)


def read(folder, assignment="ps1"):
    with reading(f"sqlite:///{folder}/gradebook.db") as session:
        return marks_of(session, assignment)


def executed(*cells):
    """A marked notebook: cells of (name, what the check said)."""
    return {
        "cells": [
            {
                "metadata": {"nbgrader": {"grade": True, "grade_id": name}},
                "outputs": [{"output_type": "error", "traceback": said.splitlines()}],
            }
            for name, said in cells
        ]
    }


def put(folder, student, content, assignment="ps1"):
    path = folder / "autograded" / student / assignment / "exercises.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


# ---- statistics ----------------------------------------------------------------------------


def test_an_exercise_adds_up_its_cells_and_the_hardest_comes_first(folder, book):
    fill(book)
    half, double = analyse(read(folder))
    assert (half.name, half.points, half.submissions, half.unmarked) == ("half", 4, 4, 0)
    assert (half.mean, half.share, half.full, half.zero) == (1.5, 0.375, 0.25, 0.5)
    assert half.untouched == 0.25 and double.untouched == 0
    assert (double.points, double.mean, double.full, double.zero) == (4, 2.25, 0.25, 0.25)
    assert [(c.name, c.mean, c.full) for c in double.cells] == [
        ("double_2", 0.75, 0.25),
        ("double_1", 1.5, 0.75),
    ]


def test_discrimination_is_the_correlation_with_all_the_rest(folder, book):
    fill(book)
    half, double = analyse(read(folder))
    doubles, halves = [4, 2, 3, 0], [4, 2, 0, 0]
    expected = statistics.correlation(doubles, halves)
    assert half.discrimination == pytest.approx(expected)
    assert double.discrimination == pytest.approx(expected)
    (first,) = [c for c in double.cells if c.name == "double_1"]
    assert first.discrimination == pytest.approx(statistics.correlation([2, 2, 2, 0], [6, 2, 1, 0]))


def test_a_correlation_needs_three_learners_and_a_difference_on_both_sides():
    one = np.array([1.0, 2.0, 3.0, np.nan])
    assert correlation(one, np.array([2.0, 4.0, 6.0, 9.0])) == pytest.approx(1)
    assert correlation(one, np.array([6.0, 4.0, 2.0, 9.0])) == pytest.approx(-1)
    assert correlation(one, np.array([0.3, 0.1 + 0.2, 0.3, 9.0])) is None
    assert correlation(one[:2], np.array([1.0, 2.0])) is None
    assert correlation(one, np.array([np.nan, 1.0, 2.0, 3.0])) is None


def test_marks_by_hand_come_first_and_extra_credit_is_left_out(folder, book):
    add_assignment(book, "ps1", exercises={"double": (2,)})
    hand_in(book, "ps1", "ann", {"double_1": 0}, manual={"double_1": 1})
    hand_in(book, "ps1", "bob", {"double_1": 2}, extra={"double_1": 5})
    (double,) = analyse(read(folder))
    assert (double.mean, double.share, double.full, double.zero) == (1.5, 0.75, 0.5, 0)


def test_what_is_not_marked_yet_is_counted_and_left_out(folder, book):
    add_assignment(book, "ps1", exercises={"double": (2, 2)}, tasks={"draw": 6})
    hand_in(book, "ps1", "ann", {"double_1": 2, "double_2": 2}, manual={"draw": 3})
    hand_in(book, "ps1", "bob", {"double_1": 1})
    draw, double = analyse(read(folder))
    assert (draw.name, draw.submissions, draw.unmarked, draw.mean) == ("draw", 2, 1, 3)
    assert draw.untouched is None  # a task has no answer cell
    assert (double.unmarked, double.mean) == (1, 4)
    assert [(c.name, c.unmarked, c.mean) for c in double.cells] == [
        ("double_1", 0, 1.5),
        ("double_2", 1, 2),
    ]
    text = as_text(read(folder), [draw, double], Reasons())
    assert text.splitlines()[2].split()[:5] == ["exercise", "points", "handed", "in", "unmarked"]


def test_a_share_of_no_points_is_no_number(folder, book):
    add_assignment(book, "ps1", exercises={"survey": (0,)})
    hand_in(book, "ps1", "ann", {"survey_1": 0})
    (survey,) = analyse(read(folder))
    assert (survey.mean, survey.share, survey.full, survey.zero) == (0, None, None, None)


def test_equal_names_in_two_notebooks_are_two_exercises(folder, book):
    add_assignment(book, "ps1", exercises={"a": (1,)}, notebook="first")
    add_assignment(book, "ps1", exercises={"a": (1,)}, notebook="second")
    hand_in(book, "ps1", "ann", {"a_1": 1}, notebook="first", untouched=["a"])
    hand_in(book, "ps1", "ann", {"a_1": 0}, notebook="second")
    items = analyse(read(folder))
    assert [(i.notebook, i.mean, i.untouched) for i in items] == [("second", 0, 0), ("first", 1, 1)]
    assert "second/a " in as_text(read(folder), items, Reasons())


@pytest.mark.parametrize(
    ("cell", "exercise"),
    [
        ("leaf_visible", "leaf"),
        ("leaf_copy_hidden", "leaf_copy"),  # the longest
        ("test_leaf", "leaf"),
        ("test-leaf-2", "leaf"),
        ("leaf", "leaf"),
        ("leaflet_visible", "leaflet_visible"),  # whole words only
        ("сумма_1", "сумма"),
        ("cell-81ab", "cell-81ab"),
    ],
)
def test_a_cell_belongs_to_the_answer_that_its_name_holds(cell, exercise):
    assert exercise_of(cell, ["leaf", "leaf_copy", "сумма"]) == exercise


@pytest.mark.parametrize(
    ("share", "shown"),
    [(None, "–"), (0, "0%"), (0.001, "<1%"), (0.125, "12%"), (0.9999, ">99%"), (1, "100%")],
)
def test_a_percentage_is_only_all_or_nothing_when_it_is(share, shown):
    assert percent(share) == shown


def test_the_page_for_instructors_explains_every_column():
    page = (Path(__file__).parent.parent / "docs" / "instructor" / "report.md").read_text("utf-8")
    explained = [line.split("|")[1].strip() for line in page.splitlines() if line[:2] == "| "]
    assert explained == ["column", *(heading for heading, _ in COLUMNS)]


@pytest.mark.parametrize(
    ("most", "shown"), [(None, "C 3, A 1, B 1"), (3, "C 3, A 1, B 1"), (2, "C 3, A 1, +1 more")]
)
def test_of_many_reasons_the_rest_is_counted(most, shown):
    assert listed({"C": 3, "A": 1, "B": 1}, ", ", most) == shown


# ---- reasons -------------------------------------------------------------------------------


def test_the_codes_are_those_that_a_check_of_this_course_prints():
    desk = Desk("leaf_tensors")
    shares = desk.result("leaf_copy", lambda t: t.detach().requires_grad_(), hidden=None)
    fails = desk.result("history", lambda t: 1 / 0)
    given = executed(("a", words_of_check(shares)), ("b", words_of_check(fails)))
    codes = {v.code for v in shares.verdicts if v.code}
    assert codes and codes_in(json.dumps(given).encode()) == {"a": codes, "b": {"RAISED"}}


def test_codes_stand_at_the_start_of_a_line_of_a_test_cell():
    outputs = [
        {"output_type": "stream", "text": ["  [IN_A_LIST] of li", "nes\n[SECOND_LINE] too\n"]},
        {"output_type": "stream", "text": "see [IN_A_SENTENCE] here\n[lower] no\n[1, 2] no\n"},
        {"output_type": "execute_result", "data": {"text/plain": "[IN_A_RESULT] no"}},
    ]
    cells = [
        {"metadata": {"nbgrader": {"grade": True, "grade_id": "t"}}, "outputs": outputs},
        {"metadata": {"nbgrader": {"grade": False, "grade_id": "u"}}, "outputs": outputs},
        {"metadata": {}, "outputs": outputs},
    ]
    assert codes_in(json.dumps({"cells": cells}).encode()) == {"t": {"IN_A_LIST", "SECOND_LINE"}}


def test_a_forged_flood_of_codes_is_cut():
    flood = "\n".join(f"[FORGED_{n}] x" for n in range(10_000))
    assert len(codes_in(json.dumps(executed(("t", flood))).encode())["t"]) == 20


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"not JSON",
        b"[]",
        b"null",
        b'{"cells": {"a": 1}}',
        b'{"nbformat": 4}',
        b"[" * 100_000,
        b'{"cells": ' + b"9" * 100_000 + b"}",
    ],
    ids=range(9),
)
def test_what_is_not_a_notebook_is_unreadable(content):
    with pytest.raises(Unreadable, match="it is not a notebook"):
        codes_in(content)


KEYS = st.sampled_from(
    ["cells", "metadata", "nbgrader", "grade", "grade_id", "outputs", "text", "traceback"]
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just("[CODE] x"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
PLACES = st.lists(
    st.fixed_dictionaries(
        {
            "metadata": ANY | st.just({"nbgrader": {"grade": True, "grade_id": "t"}}),
            "outputs": ANY | st.lists(st.dictionaries(KEYS, ANY, max_size=3), max_size=3),
        }
    ),
    max_size=4,
)


@settings(max_examples=50, deadline=None)
@given(PLACES)
def test_whatever_stands_in_a_notebook_its_reading_comes_to_an_end(cells):
    found = codes_in(json.dumps({"cells": cells}).encode())
    assert set(found) <= {"t", "[CODE] x"}
    assert set().union(*found.values()) <= {"CODE"}


def test_a_file_that_is_too_large_or_none_is_unreadable(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 11)
    assert content_of(tmp_path / "large", 11) == b"x" * 11
    with pytest.raises(Unreadable, match="larger than 1e-05 MB"):
        content_of(tmp_path / "large", 10)
    os.mkfifo(tmp_path / "pipe")  # to open it would wait for ever
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(Unreadable, match="it is not a file"):
            content_of(path, 10)


def test_a_learner_counts_once_for_a_reason_of_an_exercise(folder, book):
    fill(book)
    found = {
        ("ann", "exercises"): {"double_1": {"RAISED"}, "double_2": {"RAISED", "WRONG_VALUE"}},
        ("bob", "exercises"): {"double_2": {"WRONG_VALUE"}, "no such cell": {"OTHER"}},
        ("cem", "exercises"): {"double_1": {"WRONG_VALUE"}},
    }

    def reader(learner, name):  # as one for JSON files would be
        if learner == "dee":
            raise Unreadable("it is torn")
        return found[learner, name]

    marks = read(folder)
    reasons = gather(marks.notebooks, reader)
    assert (reasons.read, reasons.skipped) == (3, ["dee, exercises: it is torn"])
    (double,) = [item for item in analyse(marks, reasons) if item.name == "double"]
    assert list(double.reasons.items()) == [("WRONG_VALUE", 3), ("RAISED", 1)]
    assert {c.name: c.reasons for c in double.cells} == {
        "double_1": {"RAISED": 1, "WRONG_VALUE": 1},
        "double_2": {"WRONG_VALUE": 2, "RAISED": 1},
    }


# ---- the command ---------------------------------------------------------------------------


def run(capsys, *arguments, status=0):
    try:
        assert report.main(list(arguments)) == status
    except SystemExit as stopped:
        assert stopped.code == status
    return capsys.readouterr()


def test_the_report_in_words(folder, book, capsys):
    fill(book)
    put(folder, "ann", executed(("double_1", "[RAISED] x")))
    put(folder, "bob", executed(("double_2", "[RAISED] x\n[WRONG_VALUE] y"), ("half_1", "")))
    put(folder, "cem", b"{")
    text = run(capsys, "ps1").out
    assert text == (
        "ps1: 4 of 5 students handed in.\n"
        "\n"
        "exercise    points  handed in  mean  share  full  zero  untouched  discrimination\n"
        "half             4          4  1.50    38%   25%   50%        25%            0.66\n"
        "double           4          4  2.25    56%   25%   25%         0%            0.66\n"
        "  double_2       2          4  0.75    38%   25%   50%         0%            0.67\n"
        "  double_1       2          4  1.50    75%   75%   25%         0%            0.57\n"
        "\n"
        "Reasons, and how many learners got them:\n"
        "double  RAISED 2, WRONG_VALUE 1\n"
        "\n"
        "Reasons come from the marked notebooks: 2 read, 1 not found, 1 unreadable.\n"
        "  cem, exercises: it is not a notebook (JSONDecodeError)\n"
    )


def test_csv_and_json_hold_every_exercise_and_cell(folder, book, capsys):
    fill(book)
    put(folder, "ann", executed(("double_1", "[RAISED] x")))
    said = run(capsys, "ps1", "--json", "--csv", "ps1.csv")
    assert said.err == "Wrote ps1.csv.\n"
    found = json.loads(said.out)
    assert (found["assignment"], found["students"], found["handed_in"]) == ("ps1", 5, 4)
    assert found["notebooks"] == {"read": 1, "missing": 3, "skipped": []}
    half, double = found["exercises"]
    assert double["reasons"] == {"RAISED": 1} and len(double["cells"]) == 2
    rows = list(csv.DictReader((folder / "ps1.csv").read_text("utf-8").splitlines()))
    assert [(r["exercise"], r["cell"]) for r in rows] == [
        ("half", ""), ("half", "half_1"), ("double", ""), ("double", "double_2"),
        ("double", "double_1"),
    ]  # fmt: skip
    assert float(rows[0]["discrimination"]) == pytest.approx(half["discrimination"], abs=1e-4)
    assert rows[2]["reasons"] == "RAISED 1"


def test_without_marked_notebooks_the_report_says_where_to_run_it(folder, book, capsys):
    fill(book)
    text = run(capsys, "ps1").out
    assert "No reasons: there is no marked notebook here. Run this in the folder" in text


def test_an_assignment_that_nobody_handed_in(folder, book, capsys):
    add_assignment(book, "ps1", exercises={"double": (2,)})
    text = run(capsys, "ps1", "--picture", "ps1.svg").out
    assert text.startswith("ps1: 0 of 0 students handed in.")
    assert text.split("\n")[3].split() == ["double", "2", "0", *"––––––"]
    assert "no submissions" in (folder / "ps1.svg").read_text()


def test_an_assignment_without_points(folder, book, capsys):
    book.add_assignment("ps1")
    said = run(capsys, "ps1", "--picture", "ps1.png", "--csv", "ps1.csv")
    assert said.out == "ps1: 0 of 0 students handed in.\nIt has no cell that gives points.\n"
    assert (folder / "ps1.csv").read_text().count("\n") == 1
    assert (folder / "ps1.png").read_bytes().startswith(b"\x89PNG")


def test_an_unknown_assignment_is_refused_with_the_known_ones(folder, book, capsys):
    fill(book)
    book.add_assignment("ps0")
    said = run(capsys, "ps7", "--csv", "ps7.csv", status=2)
    assert said.err == "report: There is no assignment 'ps7'. The gradebook holds: ps0, ps1.\n"
    assert said.out == "" and not (folder / "ps7.csv").exists()


def test_an_empty_gradebook_is_said_to_be_empty(folder, book, capsys):
    said = run(capsys, "ps1", status=2)
    assert "holds none yet: `nbgrader generate_assignment` adds one." in said.err


def test_a_picture_of_another_kind_is_refused_before_anything_is_done(folder, book, capsys):
    fill(book)
    said = run(capsys, "ps1", "--csv", "ps1.csv", "--picture", "ps1.jpg", status=2)
    assert "'ps1.jpg' must end in .svg or .png" in said.err
    assert not (folder / "ps1.csv").exists()


def test_where_one_file_cannot_be_written_it_is_said_in_one_sentence(folder, book, capsys):
    fill(book)
    said = run(capsys, "ps1", "--csv", "nowhere/ps1.csv", status=2)
    assert said.out == "" and said.err.startswith("report: nowhere/ps1.csv cannot be written")


# ---- the picture ---------------------------------------------------------------------------


def test_the_picture_names_each_exercise_its_shares_and_its_reasons(folder, book, capsys):
    fill(book)
    put(folder, "ann", executed(("double_1", "[RAISED] x")))
    run(capsys, "ps1", "--picture", "ps1.svg")
    first = (folder / "ps1.svg").read_text("utf-8")
    for words in (">half<", ">double<", "4 of 5 students", ">25%<", ">50%<", "RAISED 1"):
        assert words in first
    assert first.index(">half<") < first.index(">double<")
    run(capsys, "ps1", "--picture", "ps1.svg")
    assert (folder / "ps1.svg").read_text("utf-8") == first  # the same bytes for the same marks


def test_the_picture_shows_names_as_they_are_and_not_too_many(folder, book, monkeypatch):
    exercises = {f"x$_{{{n}}}$ & Ёж 山": (1,) for n in range(6)}
    add_assignment(book, "ps1", exercises=exercises)
    hand_in(book, "ps1", "ann", {})
    marks = read(folder)
    items = analyse(marks)
    monkeypatch.setattr(bars, "MOST", 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = bars.drawn(marks, items, "svg").decode()
        assert bars.drawn(marks, items, "png").startswith(b"\x89PNG")
    assert ">x$_{3}$ &amp; Ёж 山<" in svg and "x$_{4}$" not in svg
    assert "4 of 6 exercises" in svg


def test_long_names_that_differ_at_their_end_stay_different(folder, book):
    name = "a_name_that_is_quite_long_for_an_exercise_"
    add_assignment(book, "ps1", exercises={f"{name}{n}": (1,) for n in (1, 2)})
    hand_in(book, "ps1", "ann", {})
    marks = read(folder)
    svg = bars.drawn(marks, analyse(marks), "svg").decode()
    assert "long_for_an_exercise_1" not in svg
    assert "r_an_exercise_1<" in svg and "r_an_exercise_2<" in svg


# ---- with nbgrader's own autograde ---------------------------------------------------------


@pytest.mark.nbgrader
def test_a_class_that_nbgrader_has_marked(tmp_path, monkeypatch, capsys):
    course = Course(tmp_path / "course", stock=True)
    says = (
        "class Failed(AssertionError):\n"
        "    def _render_traceback_(self):\n"
        "        return ['✗ double: WRONG', '      [RETURNS_NONE] It gave back None.']\n"
        "if double(2) != 4:\n"
        "    raise Failed\n"
    )
    source = "### BEGIN SOLUTION\ndouble = lambda x: 2 * x\n### END SOLUTION"
    cells = [answer("double", source), test_cell("double_visible", says, 2)]
    course.add_source("ps1", notebook(cells))
    course.generate("ps1")
    released = course.released("ps1")
    course.submit("ann", "ps1", edited(released, double="double = lambda x: x + x"))
    course.submit("bob", "ps1", edited(released, double="def double(x): x + x"))
    course.submit("cem", "ps1", released)
    run_ = course.autograde("ps1")
    assert run_.status == 0, run_.output
    monkeypatch.chdir(course.root)
    found = json.loads(run(capsys, "ps1", "--json").out)
    (double,) = found["exercises"]
    assert found["notebooks"] == {"read": 3, "missing": 0, "skipped": []}
    assert double["reasons"] == {"RETURNS_NONE": 1}
    assert double["mean"] == pytest.approx(2 / 3) and double["untouched"] == pytest.approx(1 / 3)
