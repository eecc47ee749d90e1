"""The limit in bytes: what is kept, what is cut, and what must never be lost."""

import pytest
from nbformat import validate
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.preprocessors import LimitOutput

from course.grading import LimitBytes
from course.grading.outputs import TRUNCATED, limited, size

LONG = "x" * 3_000_000
MAX = 100_000


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def error(evalue, traceback=("one",), ename="ValueError"):
    return new_output("error", ename=ename, evalue=evalue, traceback=list(traceback))


def result(text, **data):
    return new_output("execute_result", data={"text/plain": text, **data}, execution_count=3)


def display(**data):
    return new_output("display_data", data={key.replace("_", "/"): data[key] for key in data})


def total(outputs):
    return sum(map(size, outputs))


@pytest.mark.parametrize(
    "outputs",
    [
        [stream(LONG)],
        [stream(LONG, "stderr")],
        [stream("€" * 1_000_000)],
        [stream("a line\n" * 50_000)],
        [stream("short")] * 5_000,
        [display(image_png=LONG)],
        [display(text_plain=LONG, text_html=LONG)],
        [display(text_plain="small")] * 5_000,
        [error(LONG)],
        [error("short", [LONG])],
        [error("short", ["a line"] * 50_000)],
        [error("short", ename=LONG)],
        [error("again")] * 5_000,
        [result(LONG)],
        [result("2", **{"image/png": LONG})],
        [result("2")] * 5_000,
    ],
    ids=lambda outputs: f"{len(outputs)} {outputs[0].output_type}",
)
def test_any_kind_of_long_output_is_cut_and_is_still_a_notebook(outputs):
    cell = new_code_cell("")
    cell.outputs = list(outputs)
    LimitBytes(max_bytes=MAX).preprocess_cell(cell, {}, 0)
    assert 0 < total(cell.outputs) <= 1.1 * MAX
    assert cell.outputs[0].output_type == outputs[0].output_type
    validate(new_notebook(cells=[cell]))


def test_stock_nbgrader_lets_one_long_line_through():
    cell = new_code_cell("", outputs=[stream(LONG)])
    LimitOutput().preprocess_cell(cell, {}, 0)
    assert total(cell.outputs) > len(LONG)


def test_the_limit_of_lines_is_still_there():
    cell = new_code_cell("", outputs=[stream("a\n" * 2000)])
    LimitBytes(max_lines=10).preprocess_cell(cell, {}, 0)
    assert len(cell.outputs[0].text.split("\n")) == 10


def test_outputs_within_the_limit_are_not_touched():
    outputs = [stream("a"), stream("careful", "stderr"), display(image_png="b"), result("2")]
    assert limited(outputs, MAX) == outputs


def test_what_decides_the_score_survives_any_flood_before_it_in_its_order():
    flood = [stream(LONG)] + [display(text_plain="small")] * 5_000
    kept = limited([*flood, result("2.5"), *flood, error("wrong"), *flood], MAX)
    decisive = [out for out in kept if out.output_type in {"error", "execute_result"}]
    assert decisive == [result("2.5"), error("wrong")]
    assert kept[0].text.count(TRUNCATED) == 1


def test_a_number_of_points_is_not_cut_with_the_picture_beside_it():
    (kept,) = limited([result("2.5", **{"image/png": LONG})], MAX)
    assert kept.data == {"text/plain": "2.5"}
    assert kept.execution_count == 3


def test_a_number_too_long_to_keep_is_no_number_any_more():
    (kept,) = limited([result("0" * 3_000_000 + "4")], MAX)
    with pytest.raises(ValueError):
        float(kept.data["text/plain"])


def test_of_an_error_the_start_and_the_end_are_kept():
    (kept,) = limited([error(f"first {LONG} last", [f"top {LONG} ValueError: last"])], MAX)
    assert kept.ename == "ValueError"
    for text in (kept.evalue, kept.traceback[0]):
        assert text.startswith(("first", "top")) and text.endswith("last")


def test_a_picture_that_is_left_out_says_so():
    (kept,) = limited([display(image_png=LONG)], MAX)
    assert kept.data["text/plain"].startswith(f"{TRUNCATED} (3,000,")
