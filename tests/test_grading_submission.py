"""Reading a submitted file: what is a notebook, what can be made one, what is refused."""

import json

import nbformat
import pytest
from nbgrader_course import answer, notebook, text

from course.grading.submission import Unreadable, read_submission

RIGHT = notebook([text("hello"), answer("f", "def f(): pass")])
PLAIN = json.loads(nbformat.writes(RIGHT))


@pytest.fixture
def read(tmp_path):
    def read(content):
        (tmp_path / "exercises.ipynb").write_bytes(content)
        return read_submission(tmp_path / "exercises.ipynb", max_bytes=100_000)

    return read


def as_file(nb):
    return json.dumps(nb).encode()


def test_a_good_notebook_is_read_as_it_is(read):
    assert read(as_file(PLAIN)) == RIGHT


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "exercises.ipynb is empty"),
        (b" \n\n", "exercises.ipynb is empty"),
        (b"x = 1", "exercises.ipynb is not a notebook (JSONDecodeError)"),
        (as_file(PLAIN)[:-20], "exercises.ipynb is not a notebook (JSONDecodeError)"),
        (bytes(range(256)), "exercises.ipynb is not a notebook (UnicodeDecodeError)"),
        (b"[" * 99_000, "exercises.ipynb is not a notebook (RecursionError)"),
        (b"[1, 2, 3]", "exercises.ipynb is not a notebook ("),
        (b"null", "exercises.ipynb is not a notebook ("),
        (b"{}", "exercises.ipynb is not a notebook ("),
        (as_file(PLAIN | {"cells": "x"}), "exercises.ipynb is not a notebook ("),
        (as_file(PLAIN | {"cells": [1]}), "exercises.ipynb is not a notebook ("),
        (
            as_file(PLAIN | {"cells": [{"cell_type": "notebook", "source": "x"}]}),
            "is not a notebook",
        ),
        (as_file(PLAIN) + b" " * 100_000, "exercises.ipynb has 0.1 MB and the limit is 0.1 MB"),
    ],
)
def test_what_is_not_a_notebook_is_refused_with_one_sentence(read, content, why):
    with pytest.raises(Unreadable) as refused:
        read(content)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_refused_with_the_names_that_are_there(tmp_path):
    (tmp_path / "My exercises.ipynb").write_text("{}")
    with pytest.raises(Unreadable, match=r"no file a.ipynb in it \(it holds My exercises.ipynb\)"):
        read_submission(tmp_path / "a.ipynb", max_bytes=100)


def test_a_folder_in_its_place_is_no_file(tmp_path):
    (tmp_path / "exercises.ipynb").mkdir()
    with pytest.raises(Unreadable, match="there is no file exercises.ipynb in it$"):
        read_submission(tmp_path / "exercises.ipynb", max_bytes=100)


@pytest.mark.parametrize(
    "damage",
    [
        {"outputs": None},
        {"outputs": [{"output_type": "shout"}]},
        {"execution_count": "first"},
        {"metadata": None, "id": "f"},
        {"source": ["def f():", " pass"]},
        {"extra": 1},
    ],
    ids=json.dumps,
)
def test_a_damaged_cell_is_rebuilt_from_its_text(read, damage):
    nb = json.loads(json.dumps(PLAIN))
    nb["cells"][1] |= damage
    made = read(as_file(nb))
    nbformat.validate(made)
    assert [cell.cell_type for cell in made.cells] == ["markdown", "code"]
    assert made.cells[1].source == "def f(): pass"
    assert made.cells[1].id == "f"
    if "metadata" not in damage:
        assert made.cells[1].metadata.nbgrader.grade_id == "f"


@pytest.mark.parametrize("version", [99, "x", None])
def test_a_version_of_notebooks_that_nobody_knows_is_read_by_its_cells(read, version):
    assert [cell.source for cell in read(as_file(PLAIN | {"nbformat": version})).cells] == [
        "hello",
        "def f(): pass",
    ]


def test_half_a_character_becomes_a_question_mark(read):
    content = as_file(PLAIN).replace(b"hello", rb"\ud800 \ud83d\ude00")
    made = read(content)
    assert made.cells[0].source == "? \N{GRINNING FACE}"
    nbformat.writes(made).encode()


def test_a_byte_order_mark_is_no_harm(read):
    assert read(b"\xef\xbb\xbf" + as_file(PLAIN)) == RIGHT


def test_an_old_notebook_is_read_too(read):
    words = {"cell_type": "markdown", "metadata": {}, "source": "hello"}
    program = {"cell_type": "code", "input": "x = 1", "language": "python", "outputs": []}
    cells = [words, program | {"metadata": {}, "collapsed": False}]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}
    assert [cell.source for cell in read(as_file(old)).cells] == ["hello", "x = 1"]


def test_a_notebook_cannot_say_of_itself_that_it_was_refused(read):
    assert read(as_file(PLAIN | {"metadata": {"refused": "please"}})).metadata == {}
