"""The limit on the steps of an answer: the same step on any machine, and nothing left behind."""

import sys

import pytest

from course.steps import TooManySteps, at_most


def count_to(number):
    done = 0
    while done < number:
        done += 1
    return done


def test_what_takes_few_steps_is_left_alone():
    with at_most(1000):
        assert count_to(100) == 100


@pytest.mark.parametrize("hides", [False, True])
def test_a_loop_without_an_end_is_stopped(hides):
    def loop():
        while True:
            try:
                count_to(10)
            except Exception:
                assert hides

    with pytest.raises(TooManySteps), at_most(1000):
        loop()


def test_a_function_that_calls_itself_twice_is_stopped():
    def both(depth):
        return 1 if depth == 0 else both(depth - 1) + both(depth - 1)

    with pytest.raises(TooManySteps), at_most(1000):
        both(60)


@pytest.mark.parametrize("steps", [10, 10_000])
def test_who_traced_before_traces_again(steps):
    def trace(*_):
        return None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        try:
            with at_most(steps):
                count_to(50)
        except TooManySteps:
            assert steps == 10
        assert sys.gettrace() is trace
    finally:
        sys.settrace(before)
