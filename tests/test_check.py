"""What a learner sees and what nbgrader reads when a check runs."""

import pytest

from course.check import CheckFailed, Desk, Memory
from course.facts import assert_plain, describe, same
from course.guide.notebook import plain
from course.judge import Words

RIGHT = """
def freeze(part):
    part.requires_grad_(False)
    return sum(p.numel() for p in part.parameters())
"""
PARTLY = "def freeze(part):\n    part.requires_grad_(False)\n    return 16"
STUB = "def freeze(part):\n    # YOUR CODE HERE\n    raise NotImplementedError()"


@pytest.fixture
def desk():
    return Desk("leaf_tensors")


def names(source):
    import linecache

    found = {}
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(True), "<cell>")
    exec(compile(source, "<cell>", "exec"), found)
    return found


def test_a_right_answer_passes_and_says_how_many_cases_stay_hidden(desk, capsys):
    desk.check("freeze", namespace=names(RIGHT))
    said = capsys.readouterr().out
    assert said.startswith("✓ freeze: PASSED. 1 of 1 visible cases passed (1 hidden case runs")


def test_a_wrong_answer_raises_with_the_reason_code_and_its_words(desk):
    with pytest.raises(CheckFailed) as failure:
        desk.check("freeze", namespace=names("def freeze(part):\n    part.requires_grad = False"))
    assert "[NOT_FROZEN]" in failure.value.shown
    assert "no switch of its own" in failure.value.shown


def test_an_untouched_stub_is_not_attempted(desk):
    with pytest.raises(CheckFailed) as failure:
        desk.check("freeze", namespace=names(STUB))
    assert failure.value.shown.startswith("○ freeze: NOT ATTEMPTED.")


def test_a_name_that_does_not_exist_is_not_attempted(desk):
    with pytest.raises(CheckFailed) as failure:
        desk.check("freeze", namespace={})
    assert "The name `freeze` does not exist" in failure.value.shown


def test_an_answer_that_is_no_function_is_told_so(desk):
    with pytest.raises(CheckFailed) as failure:
        desk.check("freeze", namespace={"freeze": {"part": 16}})
    assert "[NOT_CALLABLE] `freeze` is a dict with 1 key, not a function." in failure.value.shown


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"got": 1}, "1 hook is left"),
        ({"got": 3}, "3 hooks are left"),
        ({"got": 0}, "0 hooks are left"),
    ],
)
def test_a_sentence_about_one_thing_is_not_in_the_plural(evidence, words):
    assert Words(evidence, name="").fill("{got:hook is|hooks are} left") == words


def test_the_table_of_reasons_has_the_plural_of_a_sentence_about_any_number():
    assert plain("You found {got:leaf|leaves} of {name}.") == "You found … leaves of …."


def test_not_implemented_error_of_torch_itself_is_an_error_and_not_a_stub(desk):
    code = "import torch\ndef freeze(part):\n    return torch.nn.Module()(part)"
    with pytest.raises(CheckFailed) as failure:
        desk.check("freeze", namespace=names(code))
    assert "RAISED" in failure.value.shown


def test_an_error_is_shown_with_the_line_of_the_learners_own_code(desk):
    code = "import torch\n\ndef freeze(part):\n    n = 1\n    return torch.ones(2) @ torch.ones(3)"
    with pytest.raises(CheckFailed) as failure:
        desk.check("freeze", namespace=names(code))
    assert "Your line 5: return torch.ones(2) @ torch.ones(3)" in failure.value.shown
    assert "course" not in failure.value.shown.replace("course.", "")


def test_an_error_in_no_line_of_the_learners_is_not_said_to_be_one_of_their_code(desk):
    code = (
        "import torch\n\ndef make_weights(n_in, n_out):\n"
        "    weight = (0.1 * torch.randn(n_out, n_in)).requires_grad_()\n"
        "    return weight, torch.tensor(0.5).expand(n_out).requires_grad_()"
    )
    shown = []
    for given in (code, code.replace("return", "raise ValueError(1)\n    return")):
        with pytest.raises(CheckFailed) as failure:
            desk.check("make_weights", namespace=names(given))
        shown.append(failure.value.shown)
    assert "None of your lines was running" in shown[0] and "Your code stopped" not in shown[0]
    assert "Your code stopped with ValueError" in shown[1]


def test_a_known_error_of_pytorch_is_explained(desk):
    code = "def sgd_step(weights, lr):\n    for w in weights:\n        w -= lr * w.grad"
    with pytest.raises(CheckFailed) as failure:
        desk.check("sgd_step", namespace=names(code))
    assert "a leaf Variable that requires grad is being used in an in-place" in failure.value.shown
    assert "A leaf that requires a gradient, or a part of it, was changed" in failure.value.shown
    assert "Try: To update a parameter by hand do it inside torch.no_grad()" in failure.value.shown


def test_what_an_answer_prints_and_warns_does_not_reach_the_output(desk, capsys, recwarn):
    noisy = (
        "import sys, warnings\ndef freeze(part):\n    print('noise')\n"
        "    print('noise', file=sys.stderr)\n    warnings.warn('noise')\n"
        "    part.requires_grad_(False)\n    return sum(p.numel() for p in part.parameters())"
    )
    desk.check("freeze", namespace=names(noisy))
    captured = capsys.readouterr()
    assert "noise" not in captured.out + captured.err
    assert not recwarn.list


def test_an_answer_cannot_leave_torch_changed(desk):
    import torch

    code = (
        "import torch\ndef freeze(part):\n    torch.set_grad_enabled(False)\n"
        "    torch.set_default_dtype(torch.float64)\n    torch.manual_seed(3)\n    return 0"
    )
    torch.manual_seed(11)
    expected = torch.rand(1)
    torch.manual_seed(11)
    with pytest.raises(CheckFailed):
        desk.check("freeze", namespace=names(code))
    assert torch.is_grad_enabled()
    assert torch.get_default_dtype() == torch.float32
    assert torch.equal(torch.rand(1), expected)


def test_the_stop_button_goes_through_a_check(desk):
    with pytest.raises(KeyboardInterrupt):
        desk.check("freeze", namespace=names("def freeze(part):\n    raise KeyboardInterrupt"))


def test_marking_gives_partial_points_before_it_raises(desk, monkeypatch):
    given = []
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr("sys.displayhook", given.append)
    answer = "def why_no_grad(t):\n    return 'not yet' if t.requires_grad else 'not tracked'"
    with pytest.raises(CheckFailed):
        desk.check("why_no_grad", namespace=names(answer))
    assert given == [1]


def test_marking_shows_no_number_for_an_answer_with_no_points(desk, monkeypatch):
    given = []
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setattr("sys.displayhook", given.append)
    with pytest.raises(CheckFailed):
        desk.check("freeze", namespace=names(STUB))
    assert given == []


def test_hidden_cases_are_other_cases_than_the_visible_ones(desk):
    desk.check("freeze", namespace=names(PARTLY))
    with pytest.raises(CheckFailed):
        desk.check("freeze", namespace=names(PARTLY), hidden=True)


def test_the_solution_opens_after_three_tries(desk, capsys):
    wrong = names("def freeze(part):\n    return 0")
    desk.solution("freeze")
    assert "after 3 more tries" in capsys.readouterr().out
    for _ in range(3):
        with pytest.raises(CheckFailed):
            desk.check("freeze", namespace=wrong)
    desk.solution("freeze")
    shown = capsys.readouterr().out
    assert "p.requires_grad_(False)" in shown
    assert "###" not in shown


def test_a_stub_that_was_not_touched_does_not_count_as_a_try(desk, capsys):
    for _ in range(4):
        with pytest.raises(CheckFailed):
            desk.check("freeze", namespace=names(STUB))
    desk.solution("freeze")
    assert "after 3 more tries" in capsys.readouterr().out


def test_the_solution_opens_at_once_after_success_and_shows_no_stub(desk, capsys):
    desk.memory["make_weights"] = Memory(passed=True)
    desk.solution("make_weights")
    shown = capsys.readouterr().out
    assert "requires_grad_()" in shown
    assert "* 0.1\n" not in shown


def test_each_hint_is_stronger_and_the_last_one_stays(desk, capsys):
    hints = desk.checks["freeze"].hints
    for number in (0, 1, 2, 2):
        desk.hint("freeze")
        assert hints[number] in capsys.readouterr().out


def test_reset_gives_the_answer_cell_as_it_is_released(desk, capsys):
    desk.reset("make_weights")
    shown = capsys.readouterr().out
    assert "requires_grad=True) * 0.1" in shown
    assert "SOLUTION" not in shown


def test_an_unknown_exercise_is_named_with_the_known_ones(desk):
    with pytest.raises(KeyError, match="no exercise 'frieze'; it has: which_are_leaves") as unknown:
        desk.hint("frieze")
    [shown] = unknown.value._render_traceback_()  # what a notebook shows, without a traceback
    assert shown.startswith("Lesson leaf_tensors has no exercise 'frieze'; it has: which_are_")


class EqualToAll:
    def __eq__(self, other):
        return True

    __hash__ = None


class Five(float):
    def __eq__(self, other):
        return True

    __hash__ = None


@pytest.mark.parametrize("thing", [EqualToAll(), Five(3), [EqualToAll()]])
def test_an_object_that_is_equal_to_everything_is_not_the_same_fact(thing):
    facts = describe(thing)
    assert_plain(facts)
    assert not same(facts, 5.0)
    assert not same(facts, [5.0])


@pytest.mark.parametrize(
    ("got", "expected", "equal"),
    [
        (1.0, 1.0000001, True),
        (1, 1.0, True),
        (True, 1, False),
        (1, True, False),
        (None, 0, False),
        ("nan", "nan", True),
        ([1.0], [1.0, 1.0], False),
        ({"a": 1, "_seen": 3}, {"a": 1, "_seen": 4}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
    ],
)
def test_facts_are_compared_as_a_check_should(got, expected, equal):
    assert same(got, expected) is equal
