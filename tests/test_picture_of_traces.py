"""Pictures of what torch really did: the lessons' numbers, and any program at all."""

from xml.etree import ElementTree

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_programs import programs, run
from torch import nn

from course import picture, timeline, trace
from course.drawing.cards import board
from course.drawing.narrate import steps


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def rows(record):
    return {
        card.rows[0].label: [f"{r.label} {r.text}" for r in card.rows[1:] if r.kind != "value"]
        for card in board(record).cards
        if card.rows
    }


def test_a_hook_on_w_takes_5_to_15_and_the_others_keep_what_arrived():
    w, x = leaf(1.0), leaf(2.0)
    a, b = w + x, w + 1
    y = a * b

    def triple(grad):
        return grad * 3

    w.register_hook(triple)
    assert rows(trace(y, w=w, x=x, a=a, b=b, y=y)) == {
        "w": ["gradient, sum +5", "hook triple +5 → +15", ".grad +15"],
        "x": ["gradient +2", ".grad +2"],
        "a": ["gradient +2", ".grad None"],
        "b": ["gradient +3", ".grad None"],
        "y": ["gradient +1", ".grad None"],
    }


def test_hooks_on_c_d_and_e_give_30_20_10_112_and_2():
    a, b, d = leaf(2.0), leaf(3.0), leaf(4.0)
    c = a * b
    e = c * d
    c.register_hook(lambda grad: grad + 2)
    c.register_hook(lambda grad: print(end=""))
    d.register_hook(lambda grad: grad + 100)
    e.register_hook(lambda grad: grad * 2)
    c.retain_grad()
    e.retain_grad()
    shown = rows(trace(e, a=a, b=b, c=c, d=d, e=e))
    assert shown["c"] == ["gradient +8", "hook +8 → +10", "hook saw +10", ".grad +10"]
    assert [shown[name][-1] for name in "abcde"] == [
        ".grad +30",
        ".grad +20",
        ".grad +10",
        ".grad +112",
        ".grad +2",
    ]


def test_the_error_of_a_hook_of_the_wrong_size_stands_under_that_hook():
    a = leaf(2.0)
    c = a * 3
    c.register_hook(lambda grad: torch.zeros(2))
    record = trace(c.exp(), a=a, c=c, catch=True)
    shown = rows(record)["c"]
    assert shown[-2:] == ["then raised RuntimeError", ".grad None"]
    assert "has changed the size of value" in picture(record).svg


def test_a_module_hook_of_a_conv_net_is_on_the_node_where_it_fired():
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2 * 6 * 6, 3))

    def look(module, grad_input, grad_output):
        pass

    net[3].register_full_backward_hook(look)
    record = trace(lambda: net(torch.ones(1, 1, 8, 8)).sum(), model=net)
    cards = [c for c in board(record).cards if any("look" in row.label for row in c.rows)]
    assert [card.operation for card in cards] == ["BackwardHookFunctionBackward"]


def test_a_net_of_fifty_layers_is_drawn_collapsed():
    layers = [layer for _ in range(50) for layer in (nn.Linear(4, 4), nn.Tanh())]
    net = nn.Sequential(*layers)
    record = trace(lambda: net(torch.ones(2, 4)).sum(), model=net)
    assert len(record.nodes) > 200
    svg = picture(record).svg
    assert 8 <= svg.count(" nodes<") <= 40


@settings(max_examples=60, deadline=None)
@given(programs, st.randoms(use_true_random=False))
def test_whatever_was_traced_is_drawn_and_told_at_every_step(program, random):
    records = []

    def keep(*args, **options):
        records.append(trace(*args, **options, catch=True))

    run(program, keep)
    for record in records:
        step = random.randint(0, steps(record))
        for shown in (picture(record), picture(record, step), timeline(record, step)):
            assert shown.svg is not None, shown.text
            ElementTree.fromstring(shown.svg)
            assert "cannot be told" not in shown.text
