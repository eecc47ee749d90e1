"""The stub that a learner is given: which text is released, which is refused."""

import doctest

import pytest

import course.stubs
from course.stubs import release_text


def test_a_region_without_a_stub_part_becomes_the_usual_stub():
    source = "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\nf(1)"
    assert release_text(source) == (
        "def f(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()\nf(1)"
    )


def test_the_lines_after_begin_stub_are_released_without_their_comment_sign():
    source = (
        "import torch\n"
        "### BEGIN SOLUTION\n"
        "secret = 1\n"
        "### BEGIN STUB\n"
        "# def hook(grad):\n"
        "#     # a comment that stays\n"
        "#\n"
        "#     return None\n"
        "### END SOLUTION\n"
        "x = 2"
    )
    assert release_text(source) == (
        "import torch\ndef hook(grad):\n    # a comment that stays\n\n    return None\nx = 2"
    )


def test_a_stub_keeps_its_indentation_and_regions_are_independent():
    source = (
        "class A:\n"
        "    def f(self):\n"
        "        ### BEGIN SOLUTION\n"
        "        return 1\n"
        "        ### BEGIN STUB\n"
        "        # for _ in range(3):\n"
        "        #     pass\n"
        "        ### END SOLUTION\n"
        "    def g(self):\n"
        "        ### BEGIN SOLUTION\n"
        "        return 2\n"
        "        ### END SOLUTION"
    )
    assert release_text(source, stub="...") == (
        "class A:\n    def f(self):\n        for _ in range(3):\n            pass\n"
        "    def g(self):\n        ..."
    )


def test_text_without_a_region_is_returned_as_it_is():
    assert release_text("x = 1\n\n# BEGIN nothing\n") == "x = 1\n\n# BEGIN nothing\n"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
            "line 2: BEGIN SOLUTION inside",
        ),
        ("### BEGIN SOLUTION\nx = 1", "a BEGIN SOLUTION region has no END SOLUTION"),
        ("x = 1\n### END SOLUTION", "line 2: END SOLUTION without a BEGIN SOLUTION"),
        ("### BEGIN STUB\n# x = 1", "line 1: BEGIN STUB belongs once"),
        (
            "### BEGIN SOLUTION\n### BEGIN STUB\n# x\n### BEGIN STUB\n# y\n### END SOLUTION",
            "line 4: BEGIN STUB belongs once",
        ),
        (
            "### BEGIN SOLUTION\nx = 1\n### BEGIN STUB\nx = 2\n### END SOLUTION",
            "line 4: a stub line must start with '# ', this one is 'x = 2'",
        ),
        (
            "### BEGIN SOLUTION\n### BEGIN STUB\n#x = 2\n### END SOLUTION",
            "line 3: a stub line must start with '# ', this one is '#x = 2'",
        ),
    ],
)
def test_a_broken_region_is_refused_with_one_sentence(source, sentence):
    with pytest.raises(ValueError) as refused:
        release_text(source)
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_the_example_in_the_docstring_is_true():
    assert doctest.testmod(course.stubs).failed == 0
