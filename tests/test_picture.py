"""Pictures say what a record says: in words (goldens), in the SVG, at every step."""

import subprocess
import sys
from xml.etree import ElementTree

import made_record
import pytest
from made_record import LESSONS, Made, large, summary, times
from refresh_golden import FOLDER, texts

from course.drawing import picture as picture_module
from course.drawing.cards import board
from course.drawing.collapse import collapse
from course.drawing.narrate import caption, narrate, steps
from course.drawing.numerals import amount, amounts, number, sign
from course.drawing.picture import picture
from course.record import Record

SVG = "{http://www.w3.org/2000/svg}"
TOLD = texts()


def words(svg: str) -> list[str]:
    """Every text of a drawing, in the order in which it is drawn."""
    return ["".join(t.itertext()) for t in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def rows(record, step=None) -> list[str]:
    """The cards in words: "c | hook add_two: +8 → +10"."""
    return [
        f"{card.rows[0].label} | {row.label}: {row.text}"
        for card in board(record, step).cards
        for row in card.rows[1:]
    ]


@pytest.mark.parametrize("name", TOLD)
def test_the_text_is_exactly_the_golden_one(name):
    golden = (FOLDER / name).read_text(encoding="utf-8")
    assert TOLD[name] == golden, "if that is right: python tests/refresh_golden.py"


def test_there_is_no_golden_text_without_a_story():
    assert {path.name for path in FOLDER.iterdir()} == set(TOLD)


def test_every_hook_value_grad_and_node_is_written_in_the_drawing():
    drawn = words(picture(made_record.chain()).svg)
    for text in ("MulBackward0", "AccumulateGrad", "non-leaf", "leaf", "retained", "value", "24"):
        assert text in drawn
    for text in ("hook add_two", "+8 → +10", "hook show", "saw +10", "+12 → +112", "+1 → +2"):
        assert text in drawn
    assert drawn[drawn.index("requires_grad") + 1] == "False"


def test_a_card_tells_in_order_value_gradient_hooks_and_grad():
    told = [row for row in rows(made_record.chain()) if row.startswith("c |")]
    assert told == [
        "c | value: 6",
        "c | gradient: +8",
        "c | hook add_two: +8 → +10",
        "c | hook show: saw +10",
        "c | .grad: +10",
    ]


def test_a_gradient_that_came_by_two_ways_is_called_a_sum():
    assert "w | gradient, sum: +5" in rows(made_record.triple())
    assert "x | gradient: +2" in rows(made_record.triple())


def test_an_output_of_a_node_has_its_own_gradient_and_its_own_ways():
    record = made_record.triple()
    a, b = record.tensor("a"), record.tensor("b")
    split = b._replace(node=a.node, output=1)
    edges = tuple(
        e._replace(target=a.node, input=1) if e.target == b.node else e for e in record.edges
    )
    nodes = tuple(n for n in record.nodes if n.id != b.node)
    edges = tuple(e for e in edges if e.source != b.node)
    tensors = tuple(split if t is b else t for t in record.tensors)
    told = rows(record._replace(tensors=tensors, edges=edges, nodes=nodes))
    assert [r for r in told if r.startswith("a | grad")] == ["a | gradient: +2", "a | gradient: +3"]


def test_a_hook_that_changed_and_one_that_looked_have_different_marks():
    svg = picture(made_record.chain()).svg
    assert svg.count('class="hb-tint"') == 3  # add_two, add_hundred, double
    assert svg.count('class="hb-ring"') == 2  # show, and the mark in the legend


def test_an_error_is_shown_where_it_was_raised_and_in_its_own_words():
    svg = picture(made_record.raised()).svg
    assert "raised RuntimeError" in words(svg)
    assert "RuntimeError: hook 'wrong' has changed the size of value" in words(svg)
    assert svg.count("hb-cross") == 3  # the rule, the row, the line below


def test_an_error_after_a_hook_returned_is_shown_below_that_hook():
    record = made_record.raised()
    event = record.events[-1]._replace(error=None, after=(summary((0.0, 0.0)),), changed=True)
    record_of_wrong = record._replace(events=(*record.events[:-1], event))
    told = rows(record_of_wrong)
    hook = told.index("c | hook wrong: +0.0025 → [0, 0]")
    assert told[hook + 1] == "c | then raised: RuntimeError"
    assert len(rows(record_of_wrong, 1)) == len(told)  # its place is kept from the start


def test_a_gradient_is_blank_until_the_event_that_computed_it():
    record = made_record.triple()
    shown = [[link.text for link in board(record, k).links] for k in range(steps(record) + 1)]
    assert shown == [
        ["", "", "", "", ""],
        ["", "", "", "+2", "+3"],
        ["", "", "+3", "+2", "+3"],
        ["+2", "+2", "+3", "+2", "+3"],
        ["+2", "+2", "+3", "+2", "+3"],
        ["+2", "+2", "+3", "+2", "+3"],
        ["+2", "+2", "+3", "+2", "+3"],
    ]


def test_a_sum_is_blank_until_the_last_of_its_ways_has_brought_its_part():
    record = made_record.triple()
    shown = [rows(record, k)[1] for k in range(5)]
    assert shown == ["w | gradient, sum: "] * 3 + ["w | gradient, sum: +5"] * 2


def test_grad_appears_with_the_event_that_writes_it():
    def grads(record, name):
        every = range(steps(record) + 1)
        return [next(r for r in rows(record, k) if r.startswith(f"{name} | .grad")) for k in every]

    chain = made_record.chain()
    assert grads(chain, "d") == ["d | .grad: None"] * 4 + ["d | .grad: +112"] * 7
    assert grads(chain, "c") == ["c | .grad: None"] * 7 + ["c | .grad: +10"] * 4
    again = made_record.accumulated()
    before, after = "x | .grad: [+300, −0.5]", "x | .grad: [+300, −0.5] → [+600, −0.2]"
    assert grads(again, "x") == [before, before, after, after]


def test_each_step_has_one_current_spot_and_the_last_shows_everything():
    for make in LESSONS.values():
        record = make()
        for k in range(1, steps(record) + 1):
            now = board(record, k)
            spots = [c for c in now.cards if c.now or any(r.now for r in c.rows)]
            assert len(spots) == 1
        texts_at_end = [[(r.label, r.text) for r in c.rows] for c in now.cards]
        assert texts_at_end == [[(r.label, r.text) for r in c.rows] for c in board(record).cards]


@pytest.mark.parametrize("name", [*LESSONS, "deep", "modules"])
def test_nothing_moves_while_the_steps_go_by(name):
    def still(svg):
        root = ElementTree.fromstring(svg)
        cards = [g.get("transform") for g in root.iter(f"{SVG}g")]
        links = [p.get("d") for p in root.iter(f"{SVG}path") if "hb-link" in p.get("class", "")]
        return root.get("width"), root.get("height"), cards, links

    record = getattr(made_record, name)()
    if record.error:  # the line with the error's words is there at the end only
        record = record._replace(error=None)
    first = still(picture(record, 0).svg)
    every = max(1, steps(record) // 12)
    assert all(still(picture(record, k).svg) == first for k in range(0, steps(record) + 1, every))


def test_captions_count_the_steps_and_say_what_fired():
    record = made_record.chain()
    assert [caption(record, k) for k in (0, 1, 7)] == [
        "Before step 1 of 10: nothing has fired yet",
        "Step 1 of 10: hook double on e: +1 → +2",
        "Step 7 of 10: retain_grad kept c.grad = +10",
    ]
    nothing = record._replace(events=())  # forward raised, say
    assert caption(nothing, 0) == "Nothing has fired"
    assert "What fired, in order\n  nothing\n" in narrate(nothing)
    assert "  nothing yet\n" in narrate(record, 0)


def test_the_drawing_has_a_role_a_title_and_a_description_with_the_numbers():
    root = ElementTree.fromstring(picture(made_record.triple()).svg)
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title" and root[0].text.startswith("Backward from y: 5 tensors")
    assert root[1].tag == f"{SVG}desc" and "w.grad +15, x.grad +2, a.grad None" in root[1].text


def test_the_notebook_gets_html_and_the_terminal_the_same_story_as_text():
    bundle = picture(made_record.triple())._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert "<svg" in bundle["text/html"] and "5. hook triple on w: +5 → +15" in bundle["text/html"]
    assert f"{bundle['text/plain']}\n" == TOLD["triple.txt"]
    assert f"{picture(made_record.triple())!r}\n" == TOLD["triple.txt"]


def test_a_drawing_that_fails_shows_the_text_and_one_line_on_why(monkeypatch, capsys):
    def broken(*args):
        raise IndexError("no such card")

    monkeypatch.setattr(picture_module, "render", broken)
    shown = picture(made_record.triple())
    assert shown.svg is None
    assert shown.text.startswith(TOLD["triple.txt"].rstrip())
    assert shown.text.count("The drawing failed") == 1 and "IndexError: no such card" in shown.text
    assert "IndexError: no such card" in shown.html
    assert capsys.readouterr() == ("", "")


def test_a_record_that_cannot_even_be_told_breaks_no_cell():
    record = made_record.triple()._replace(nodes=(), tensors=(None,))
    shown = picture(record)
    assert shown.svg is None and "cannot be told in words" in shown.text


def test_a_step_or_theme_that_does_not_exist_is_refused_in_words():
    record = made_record.triple()
    for step in (-1, 7):
        with pytest.raises(ValueError, match="has the steps 0 to 6"):
            picture(record, step)
    with pytest.raises(ValueError, match='"auto", "light" or "dark"'):
        picture(record, theme="blue")
    assert 'class="hob hob-dark"' in picture(record, theme="dark").svg


def test_names_from_the_learner_cannot_break_out_of_the_drawing():
    g = Made()
    x = g.leaf("<b>&\"'", 1.0)
    y = g.op("Bad</text>Backward0", "y" * 200, 2.0, (x, 2.0))
    g.hook(y, "a&b")
    shown = picture(g.backward(y))
    assert "hook a&b" in words(shown.svg)
    assert "<b>&\"'" in words(shown.svg) and "<script>" not in shown.html
    assert ElementTree.fromstring(shown.svg).get("width")


def test_an_empty_record_and_one_without_edges_are_drawn():
    empty = Record((), (), (), (), (), (), None, "2.13.0")
    assert words(picture(empty).svg) == ["No graph was recorded."]
    g = Made()
    assert "AccumulateGrad" in words(picture(g.backward(g.leaf("x", 1.0))).svg)


def test_a_large_net_is_drawn_by_stretches_of_its_modules():
    shown = board(made_record.deep(50))
    assert len(shown.cards) == 251
    drawn = words(picture(made_record.deep(50)).svg)
    assert "net.0 … net.6" in drawn and "hook clip on net.98.weight" in drawn
    assert "8 leaves' .grad" in drawn and "norms 0.0001762 to 0.0003172" in drawn
    assert sum(text.endswith(" nodes") for text in drawn) == 15


def test_a_card_of_many_nodes_keeps_its_rows_in_one_order_at_every_step():
    g, before = Made(), None
    for k in range(60):
        weight = g.leaf(f"w{k}", 1.0, f"net.{k}")
        inputs = [(weight, 1.0)] + ([(before, 1.0)] if before is not None else [])
        before = g.op("MulBackward0", f"m{k}", 1.0, *inputs, module=f"net.{k}")
        g.hook(before, f"h{k}", times(2.0) if k % 4 == 1 else None)
    record = g.backward(before)
    whole = board(record)

    def told(step):
        shown = collapse(record, board(record, step), whole, 40)
        return [[row.label for row in card.rows] for card in shown.cards]

    assert all(told(step) == told(None) for step in range(0, steps(record), 15))
    assert any(len(rows) > 5 for rows in told(None))


def test_a_net_of_few_modules_has_one_card_for_each():
    g, before = Made(), None
    for k in range(9):
        for _ in range(6):
            inputs = [(before, 1.0)] if before is not None else [(g.leaf("x", 1.0), 1.0)]
            before = g.op("TanhBackward0", None, None, *inputs, module=f"block{k}.act")
    drawn = words(picture(g.backward(before)).svg)
    assert [t for t in drawn if t.startswith("block")] == [
        f"block{k}.act" for k in range(8, -1, -1)
    ][::-1]


def test_a_module_used_again_and_again_becomes_one_card_with_what_lies_between():
    g = Made()
    weight, state = g.leaf("cell.weight", 1.0, "cell"), g.leaf("h", 1.0)
    for _ in range(30):
        inner = g.op("MulBackward0", None, None, (state, 1.0), (weight, 1.0), module="cell")
        state = g.op("AddBackward0", None, None, (inner, 1.0))
    shown = picture(g.backward(state))
    assert shown.svg is not None
    assert any(text.startswith("cell") for text in words(shown.svg))


def test_hooks_on_modules_are_shown_where_backward_enters_and_leaves_them():
    record = made_record.modules()
    told = {
        card.operation + str(i): [f"{r.label}: {r.text}" for r in card.rows if "hook" in r.label]
        for i, card in enumerate(board(record).cards)
    }
    assert told["BackwardHookFunctionBackward3"] == [
        "forward hook spy: 10 → 11",
        "full backward pre-hook spy: saw −1",
    ]
    assert told["BackwardHookFunctionBackward1"] == [
        "forward pre-hook spy: saw 2",
        "full backward hook look: saw −5",
        "node hook: saw −5",
    ]
    outside = board(record).outside
    assert [card.rows[0].label for card in outside] == ["net.norm"]
    assert outside[0].rows[1].text == "saw (norm 3, None)"


def test_more_hooks_than_a_card_holds_are_counted():
    g = Made()
    x = g.leaf("x", 1.0)
    for k in range(12):
        g.hook(x, f"h{k}")
    told = rows(g.backward(g.op("MulBackward0", "y", 2.0, (x, 2.0))))
    assert "x | : and 4 more hook calls" in told and "x | hook h8: saw +2" not in told


def test_a_node_that_backward_did_not_reach_is_dashed_and_its_grad_is_none():
    cards = {card.rows[0].label: card for card in board(made_record.raised()).cards}
    assert [name for name, card in cards.items() if card.asleep] == ["a", "b"]
    assert [link.asleep for link in board(made_record.raised()).links] == [True, True, False]


def test_numbers_are_short_signed_and_never_hide_what_is_not_finite():
    assert [number(v, signed=True) for v in (3.0, -0.30000001, 0.0, 1e-5, 123456.0)] == [
        "+3",
        "−0.3",
        "0",
        "+1e−05",
        "+1.235e+05",
    ]
    assert number(float("nan"), True) == "nan" and number(float("-inf"), True) == "−inf"
    assert number(True) == "True" and number(1 + 2j) == "1+2j"
    assert amount(None) == "None" and amount(large(5, 5, norm=2.5)) == "norm 2.5"
    assert amount(summary(tuple(float(i) for i in range(100, 108)))) == "norm 292.8"
    assert amounts((summary(1.0), None), True) == "(+1, None)"


def test_the_colour_of_a_number_is_that_of_the_sign_in_its_text():
    texts_and_signs = {
        "+3": "+",
        "−3": "-",
        "+1e−05": "+",
        "[+1, −2]": "",
        "[−1, −2]": "-",
        "0": "",
        "norm 1e−05": "",
        "None": "",
        "norm nan": "nan",
        "−inf": "nan",
    }
    assert {text: sign(text) for text in texts_and_signs} == texts_and_signs


def test_a_nan_is_shown_as_the_word_and_as_an_error():
    g = Made()
    x = g.leaf("x", 0.0)
    y = g.op("SqrtBackward0", "y", 0.0, (x, times(float("nan"))))
    svg = picture(g.backward(y)).svg
    assert words(svg).count("nan") == 3 and svg.count('hb-x"') >= 3


@pytest.mark.parametrize(
    "imports",
    [
        "import course.drawing.picture, course",
        "import course, course.drawing.picture",
        "import course",
    ],
)
def test_picture_and_timeline_are_functions_in_every_import_order(imports):
    code = f"{imports}\nfrom course import picture, timeline\nprint(callable(course.picture))"
    code += "\nprint(picture.__name__, timeline.__name__)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "picture", "timeline"]


def test_drawing_imports_neither_torch_nor_ipython_nor_widgets():
    code = (
        "import sys, made_record\n"
        "from course import picture, timeline\n"
        "assert picture(made_record.chain()).svg and timeline(made_record.chain()).svg\n"
        "print([m for m in ('torch', 'IPython', 'ipywidgets', 'anywidget') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=FOLDER.parent,
    )
    assert (run.stdout.strip(), run.stderr) == ("[]", "")
