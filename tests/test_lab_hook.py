"""A hook as a setting: its short form, its code, and what that code does to a gradient."""

import pytest
import torch

from course.laboratory.hook import KINDS, Hook


def gradient_with(hook):
    """x.grad of y = 3 * x at x = 2, with one hook on y."""
    x = torch.tensor(2.0, requires_grad=True)
    y = 3 * x
    y.register_hook(hook.function("hook_1"))
    y.backward()
    return x.grad.item()


@pytest.mark.parametrize(
    ("words", "gradient"),
    [
        ("observe", 3.0),
        ("scale 2", 6.0),
        ("shift 2", 9.0),
        ("shift -1.5", -1.5),
        ("clip 0.5", 1.5),
        ("clip -0.5", 1.5),
        ("zero", 0.0),
        ("edit in place 4", 12.0),
        ("scale", 6.0),
    ],
)
def test_a_short_form_becomes_a_real_hook(words, gradient):
    assert gradient_with(Hook.read("y", words)) == gradient


@pytest.mark.parametrize("words", ["wrong shape", "wrong dtype"])
def test_a_wrong_return_raises_pytorchs_own_error(words):
    with pytest.raises(RuntimeError, match="hook_1|invalid|expected|size|type"):
        gradient_with(Hook.read("y", words))


def test_the_code_that_is_shown_is_the_code_that_runs():
    hook = Hook("c", "shift", 2)
    assert hook.code("hook_1") == "def hook_1(grad):\n    return grad + 2"
    assert hook.registration("hook_1") == "c.register_hook(hook_1)"
    names = {"torch": torch}
    exec(hook.code("hook_1"), names)
    assert names["hook_1"].__code__.co_code == hook.function("hook_1").__code__.co_code


def test_an_observer_prints_and_leaves_the_gradient(capsys):
    assert gradient_with(Hook("y")) == 3.0
    assert capsys.readouterr().out == "hook_1 on y sees tensor(1.)\n"


class Sum(torch.nn.Module):
    def forward(self, a, b, c):
        return a + b + c


@pytest.mark.parametrize(
    ("hook", "value"),
    [
        (Hook("net", "shift", 10, at="forward_pre", only=(0, 2)), 26.0),
        (Hook("net", "shift", 10, at="forward_pre"), 36.0),
        (Hook("net", "scale", 2, at="forward_pre", only=(1,)), 8.0),
        (Hook("net", "shift", 100, at="forward"), 106.0),
        (Hook("net", "zero", at="forward"), 0.0),
    ],
)
def test_a_forward_hook_changes_inputs_or_output(hook, value):
    net = Sum()
    names = {"net": net, "hook_1": hook.function("hook_1")}
    exec(hook.registration("hook_1"), names)
    assert net(*torch.tensor([1.0, 2.0, 3.0])).item() == value


@pytest.mark.parametrize(
    ("hook", "gradients"),
    [
        (Hook("net", "scale", 3, at="backward_pre"), [3.0, None, 3.0]),
        (Hook("net", "scale", 3, at="backward"), [3.0, None, 3.0]),
        (Hook("net", "zero", at="backward", only=(2,)), [1.0, None, 0.0]),
        (Hook("net", "observe", at="backward"), [1.0, None, 1.0]),
        (Hook("net", "edit in place", 3, at="backward_pre"), [3.0, None, 3.0]),
    ],
)
def test_a_backward_hook_of_a_module_changes_its_gradients_and_leaves_none(hook, gradients):
    a, c = (torch.tensor(x, requires_grad=True) for x in (1.0, 3.0))
    net = Sum()
    exec(hook.registration("hook_1"), {"net": net, "hook_1": hook.function("hook_1")})
    net(a, torch.tensor(2.0), c).backward()
    assert [a.grad.item(), None, c.grad.item()] == gradients


def test_a_post_accumulate_hook_works_on_what_was_written():
    w = torch.tensor(2.0, requires_grad=True)
    hook = Hook("w", "scale", 10, at="accumulated")
    exec(hook.registration("hook_1"), {"w": w, "hook_1": hook.function("hook_1")})
    (3 * w).backward()
    assert w.grad.item() == 30.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at", ["tensor", "accumulated", "forward_pre", "forward", "backward"])
def test_every_kind_at_every_place_is_python(kind, at):
    for only in (None, (0,), (0, 2)):
        assert callable(Hook("net", kind, at=at, only=only).function("hook_1"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Hook("c", "double"), "A hook cannot 'double'. It can: observe, scale, shift"),
        (lambda: Hook.read("c", "times 3"), "A hook cannot 'times'"),
        (lambda: Hook("c", at="node"), "No hook can be placed at 'node'"),
    ],
)
def test_a_hook_that_does_not_exist_is_refused_in_one_sentence(make, words):
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        make()
