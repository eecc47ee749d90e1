"""The lab without a browser: what it reads, runs and shows, and when it keeps still."""

import copy
import math
import os
import subprocess
import sys
import textwrap

import pytest
import torch

from course import Hook, lab
from course.laboratory.page import lost_gradient_warning, page, static, table
from course.laboratory.spec import spec


def products(a, b, d):
    c = a * b
    e = c * d
    return e


def sums(w, x):
    a = w + x
    b = w + 1
    y = a * b
    return y


class SumNet(torch.nn.Module):
    def forward(self, a, b, c):
        return a + b + c


def total(net, a, b, c):
    d = net(a, b, c)
    return d


THREE = {"a": 2.0, "b": 3.0, "d": 4.0}


def grads(shown):
    return page(shown)["grads"]


# What the documents say


def test_w_times_three_sees_five_and_keeps_fifteen():
    shown = lab(sums, w=1.0, x=2.0, hooks={"w": "scale 3"})
    hook = shown.outcome.record.events_of("hook_1")[0]
    assert (hook.before[0].values, hook.after[0].values) == (5.0, 15.0)
    assert grads(shown) == {"w": "15", "x": "2", "a": "None", "b": "None", "y": "None"}
    assert shown.outcome.derivatives == pytest.approx({"w": 5, "x": 2, "a": 2, "b": 3, "y": 1})


def test_hooks_and_retain_grad_of_one_tensor_run_in_their_order():
    def product(a, b):
        c = a * b
        return c

    shown = lab(product, a=2.0, b=3.0, hooks={"c": ["shift 2", "observe"]}, retain="c")
    assert shown.outcome.record.order() == [
        "tensor_hook hook_1 on c",
        "tensor_hook hook_2 on c",
        "retain_grad on c",
        "node on MulBackward0",
        "accumulate on a",
        "accumulate on b",
    ]
    assert [e.before[0].values for e in shown.outcome.record.events_of("c", "tensor_hook")] == [
        1,
        3,
    ]
    assert grads(shown) == {"a": "9", "b": "6", "c": "3"}


def test_four_hooks_make_112_30_20_10_and_2():
    hooks = {"c": ["shift 2", "observe"], "d": "shift 100", "e": "scale 2"}
    shown = lab(products, **THREE, hooks=hooks, retain=["c", "e"])
    assert grads(shown) == {"a": "30", "b": "20", "d": "112", "c": "10", "e": "2"}
    assert shown.outcome.printed == "hook_2 on c sees tensor(10.)\n"


def test_module_hooks_change_inputs_and_output():
    hooks = [
        Hook("net", "shift", 10, at="forward_pre", only=(0, 2)),
        Hook("net", "shift", 100, at="forward"),
    ]
    shown = lab(total, net=SumNet(), a=1.0, b=2.0, c=3.0, hooks=hooks)
    assert shown.outcome.record.tensor("d").value.values == 126.0
    before, after = shown.outcome.record.events[0].before, shown.outcome.record.events[0].after
    assert [s.values for s in before] == [1, 2, 3] and [s.values for s in after] == [11, 2, 13]


# The table


def test_a_hook_makes_grad_something_else_than_the_derivative():
    shown = lab(products, **THREE, hooks={"d": "shift 100"})
    rows = table(shown.outcome)
    assert '<td class="hl-number hl-differs" data-cell="d .grad">106</td>' in rows
    assert '<td class="hl-sign hl-differs" data-cell="d ">≠</td>' in rows
    assert '<td class="hl-number" data-cell="d derivative">6</td>' in rows
    assert '<td class="hl-sign" data-cell="a ">=</td>' in rows
    assert "a hook changed a gradient on its way" in rows
    assert "a hook changed" not in table(lab(products, **THREE).outcome)


def test_two_backwards_add_up_to_twice_the_derivative():
    shown = lab(products, **THREE, backwards=2, retain_graph=True)
    assert grads(shown)["a"] == "24"
    assert '<td class="hl-sign" data-cell="a ">= 2 ×</td>' in table(shown.outcome)


def test_a_derivative_of_many_numbers_is_shown_by_its_norm_as_its_grad_is():
    w = [[0.123, 0.456], [-0.789, 1.234], [2.345, -3.456]]
    rows = table(lab(lambda w: (w * w).sum(), w=w).outcome)
    assert 'data-cell="w .grad">norm 8.902</td>' in rows
    assert 'data-cell="w derivative">norm 8.902</td>' in rows


def test_reading_a_lost_gradient_gives_pytorchs_own_warning():
    warning = lost_gradient_warning(lab(products, **THREE).outcome)
    assert warning.startswith(
        "Reading c.grad prints:\nUserWarning: The .grad attribute of a Tensor"
    )
    assert lost_gradient_warning(lab(products, **THREE, retain="c e").outcome) == ""


# Errors are part of the show


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (lab(products, **THREE, hooks={"c": "wrong shape"}), "has changed the size of value"),
        (lab(products, **THREE, hooks={"c": "wrong dtype"}), "has changed the type of value"),
        (lab(products, **THREE, frozen="a b d"), "does not require grad"),
        (lab(products, **THREE, backwards=2), "Trying to backward through the graph a second time"),
        (lab(products, a=[1.0, 2.0], b=1.0, d=1.0), "implicitly created only for scalar outputs"),
        (lab(products, **THREE, frozen="b", hooks={"b": "observe"}), "cannot register a hook"),
        (lab(products, **THREE, hooks={"z": "observe"}), "nothing called 'z'. It has: a, b, d, c"),
        (lab(lambda a: 1.0, a=1.0), "Return the tensor that backward starts from"),
        (lab(lambda a: a @ a, a=1.0), "both arguments to matmul"),
        (lab(lambda a: a / 0 * missing, a=1.0), "name 'missing' is not defined"),  # noqa: F821
    ],
)
def test_an_error_is_shown_with_its_text_and_everything_else_stays(shown, words):
    view = page(shown)
    assert words in view["notes"].replace("&#x27;", "'")
    assert view["error"]
    assert view["picture"] and view["code"] and view["words"]


def test_what_happened_before_an_error_keeps_its_names():
    shown = lab(products, **THREE, hooks={"c": "wrong shape"})
    assert shown.outcome.record.order() == [
        "node on MulBackward0",
        "accumulate on d",
        "tensor_hook hook_1 on c",
    ]
    assert grads(shown) == {"a": "None", "b": "None", "d": "6", "c": "None", "e": "None"}


def test_after_an_error_the_next_move_works():
    shown = lab(products, **THREE, hooks={"c": "wrong shape"})
    assert shown.outcome.error
    shown.move(shown.settings.moved(hooks=()))
    assert shown.outcome.error is None and grads(shown)["a"] == "12"


# Nothing is left behind


def test_the_authors_module_and_tensors_stay_as_they_were():
    net, x = torch.nn.Linear(2, 1), torch.ones(100, 2, requires_grad=True)
    before = copy.deepcopy(net.state_dict())

    def run(net, x):
        return net(x).sum()

    hooks = [Hook("net", "scale", 2, at="backward"), Hook("net.weight", "zero")]
    shown = lab(run, net=net, x=x, hooks=hooks)
    assert shown.outcome.error is None
    assert net.weight.grad is None and x.grad is None
    assert not net._backward_hooks and not net.weight._backward_hooks
    assert all(torch.equal(before[k], v) for k, v in net.state_dict().items())


def test_random_numbers_stay_the_same_from_move_to_move_and_outside():
    def noisy(x):
        return torch.nn.functional.dropout(x, 0.5).sum()

    torch.manual_seed(7)
    state = torch.get_rng_state()
    shown = lab(noisy, x=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    first = grads(shown)
    shown.move(shown.settings)
    assert grads(shown) == first
    assert torch.equal(state, torch.get_rng_state())
    assert "≠" not in table(shown.outcome)


def test_what_the_function_prints_is_kept_once_and_not_printed(capsys):
    def loud(a):
        print("forward")
        return a * 2

    assert lab(loud, a=1.0).outcome.printed == "forward\n"
    assert capsys.readouterr().out == ""


# Controls and settings


def test_settings_survive_the_way_to_the_browser_and_back():
    start = lab(
        products, a=[[1.0, 2.0], [3.0, 4.0]], b=3.0, d=1.0, hooks={"c": "clip 1"}, retain="c"
    ).settings
    data = start.to_json()
    assert data["values"]["a"] == [1.0, 2.0, 3.0, 4.0]
    assert start.from_json(data) == start
    data["values"]["a"][3] = 9.0
    assert start.from_json(data).values["a"] == [[1.0, 2.0], [3.0, 9.0]]


def test_the_browser_is_told_every_name():
    shown = lab(total, net=torch.nn.Sequential(SumNet()), a=1.0, b=[1.0, 2.0], c=3.0)
    shown.inputs["net"].forward = None  # it cannot run; the names of inputs are known all the same
    told = spec(lab(total, net=SumNet(), a=1.0, b=[1.0, 2.0], c=300.0, limits={"a": (0, 1, 0.1)}))
    assert [(leaf["labels"], leaf["low"], leaf["high"]) for leaf in told["leaves"]] == [
        (["a"], 0, 1),
        (["b[0]", "b[1]"], -10, 10),
        (["c"], -600, 600),
    ]
    assert told["keep"] == ["d"] and told["root"] == "d"
    places = {option["value"] for target in told["targets"] for option in target["options"]}
    assert {"tensor|d", "accumulated|a", "forward_pre|net", "backward|net"} <= places


def test_an_early_step_shows_what_is_known_so_far():
    shown = lab(products, **THREE)
    assert page(shown, 0)["caption"].startswith("Before step 1")
    assert page(shown)["step"] == page(shown)["steps"] == 5
    assert page(shown, 99)["step"] == 5


def test_the_static_form_has_the_picture_the_table_and_the_text():
    html, text = static(lab(products, **THREE))
    assert "<svg" in html and "<table>" in html and "<script" not in html
    assert "a.grad is now +12" in text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lab(products, controls="values colours", **THREE), "no control 'colours'"),
        (lambda: lab(products, hooks={"c": "double"}, **THREE).settings, "cannot 'double'"),
        (lambda: lab(products, frozen="z", **THREE).settings, "the inputs are a, b, d"),
        (
            lambda: lab(total, net=SumNet(), a=1.0, hooks={"net": "scale 2"}).settings,
            "net is a module: its hooks can be placed at forward_pre, forward",
        ),
        (
            lambda: lab(products, hooks={"c": "forward: zero"}, **THREE).settings,
            "c is a tensor: its hooks can be placed at tensor, accumulated",
        ),
    ],
)
def test_a_mistake_of_the_author_is_one_clear_sentence(make, words):
    with pytest.raises(ValueError, match=words):
        make()


# Names of the package, and when nobody looks


@pytest.mark.parametrize(
    "first", ["from course import lab", "import course.laboratory", "from course import Hook"]
)
def test_lab_is_the_function_in_every_import_order(first):
    script = f"{first}; import course; from course import lab; assert course.lab is lab; lab(abs)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_making_and_showing_a_lab_while_nbgrader_marks_imports_and_runs_nothing():
    script = """
    import sys
    from course import lab, predict

    def never(a):
        raise SystemExit("forward ran")

    shown = lab(never, a=1.0)
    shown._ipython_display_()
    p = predict("a or b?", ["a", "b"])
    p.reveal("a")
    print(shown)
    assert not {"torch", "anywidget", "ipywidgets", "matplotlib"} & set(sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)],
        env={**os.environ, "NBGRADER_EXECUTION": "autograde"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "Lab(never): show it in a notebook to move its controls\n"
    assert done.stderr == ""


# The browser's requests


def answers(widget, **message):
    """What a view of the lab is shown after this message."""
    widget.answer(None, {"seq": "me:1", **message}, [])
    return widget.shown


def test_every_request_is_answered_even_one_that_makes_no_sense():
    from course.laboratory.widget import LabWidget

    widget = LabWidget(lab(products, **THREE))
    moved = {**widget.shown["settings"], "values": {"a": [5.0], "b": [3.0], "d": [4.0]}}
    shown = answers(widget, seq="me:1", settings=moved)
    assert (shown["seq"], shown["grads"]["b"]) == ("me:1", "20")
    assert answers(widget, seq="me:2", step=2)["step"] == 2
    shown = answers(widget, seq="me:3", settings={"values": {}})
    assert shown["seq"] == "me:3" and "The lab could not run" in shown["notes"]
    shown = answers(widget, seq="me:4", settings=moved)
    assert (shown["seq"], shown["error"]) == ("me:4", "")


def test_a_step_stays_in_all_views_until_somebody_moves_it():
    from course.laboratory.widget import LabWidget

    widget = LabWidget(lab(products, **THREE))
    assert answers(widget, step=2)["step"] == 2
    moved = {**widget.shown["settings"], "values": {"a": [5.0], "b": [3.0], "d": [4.0]}}
    assert answers(widget, settings=moved)["step"] == 2
    shown = answers(widget, opened=["words"])  # another view asks for nothing else
    assert (shown["step"], shown["settings"]) == (2, moved)
    assert answers(widget, settings=moved, step=None)["step"] == shown["steps"]


def test_code_and_words_are_made_from_when_somebody_opens_them():
    from course.laboratory.widget import LabWidget

    widget = LabWidget(lab(products, **THREE))
    assert not {"code", "words"} & set(answers(widget, step=None))
    shown = answers(widget, opened=["code"])
    assert "e.backward()" in shown["code"] and "words" not in shown
    shown = answers(widget, opened=["words"])  # from another view of the same lab
    assert "What fired, in order" in shown["words"] and "code" in shown


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_a_run_that_was_ended_is_run_again_when_somebody_asks(end):
    from course.laboratory.widget import LabWidget

    ends = [end]

    def square(s):
        if ends and s.item() > 2:
            raise ends.pop()
        return s * s

    widget = LabWidget(lab(square, s=1.0))
    moved = {**widget.shown["settings"], "values": {"s": [3.0]}}
    shown = answers(widget, settings=moved)
    assert end.__name__ in shown["notes"] and shown["settings"] == moved
    shown = answers(widget, step=1)  # asks for no other position
    assert (shown["settings"], shown["grads"]["s"]) == (moved, "6")


def test_only_a_move_runs_backward_again_and_a_step_does_not():
    from course.laboratory.widget import LabWidget

    runs = []

    def counted(a):
        if a.requires_grad:
            runs.append(a.item())
        return a * 2

    widget = LabWidget(lab(counted, a=1.0))
    for step in (0, 1, None):
        answers(widget, step=step)
        answers(widget, settings=widget.shown["settings"])
    assert runs == [1.0]


def test_hooks_of_a_module_that_is_the_function_see_its_inputs():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(3, 1)

        def forward(self, x):
            return self.fc(x).sum()

    shown = lab(Net(), x=[1.0, 2.0, 3.0], hooks={"model": "backward: zero"})
    assert page(shown)["grads"]["x"] == "[0, 0, 0]"
    assert shown.outcome.record.warnings == ()


def test_numbers_that_are_not_finite_open_a_lab_and_are_not_said_to_differ():
    shown = lab(lambda a, b: (a / b).log(), a=0.0, b=0.0)
    assert "≠" not in page(shown)["table"].split("<p>")[0]
    for start in (math.nan, math.inf, [math.nan, 1.0]):
        assert page(lab(lambda a: (a * 2).sum(), a=start))["error"] == ""
