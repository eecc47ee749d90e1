"""A small assignment that has nothing to do with this course, and a course that has marked it.

Its cells, in order: ``setup`` (read only), ``test_setup`` (1 point), ``double`` (answer),
``test_double`` (2), ``test_hidden`` (3, with a hidden test), ``half`` (answer), ``test_half`` (4,
partial credit as this course gives it: the points first, then an error), ``why`` (5) and ``draw``
(6), which are marked by hand.
"""

from nbgrader_course import answer, edited, essay, notebook, setup, task, test, text

SOURCE = notebook(
    [
        text("# Numbers"),
        setup("setup", "import math\nLIMIT = 10"),
        test("test_setup", "assert math.pi < LIMIT", 1),
        answer(
            "double",
            "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        ),
        test("test_double", "assert double(2) == 4 < LIMIT", 2),
        test(
            "test_hidden",
            "assert double(1) == 2\n"
            "### BEGIN HIDDEN TESTS\n"
            "assert double(-7) == -14, 'a secret of the instructor'\n"
            "### END HIDDEN TESTS",
            3,
        ),
        answer(
            "half",
            "def half(x):\n"
            "    ### BEGIN SOLUTION\n"
            "    return x / 2\n"
            "    ### BEGIN STUB\n"
            "    # return x // 2  # repair me\n"
            "    ### END SOLUTION",
        ),
        test(
            "test_half",
            "passed = [half(4) == 2, half(3) == 1.5]\n"
            "get_ipython().displayhook(2.0 * sum(passed))\n"
            "assert all(passed), 'half of an odd number'",
            4,
        ),
        essay("why", "because", 5),
        task("draw", "Draw a graph below.", 6),
    ]
)

RIGHT = {
    "double": "def double(x):\n    return x + x",
    "half": "def half(x):\n    return x * 0.5",
    "why": "It is a matter of definition.",
}
FULL = {
    "test_setup": 1,
    "test_double": 2,
    "test_hidden": 3,
    "test_half": 4,
    "why": None,  # the instructor's to give
    "draw": None,
}
NOTHING = dict.fromkeys(FULL, 0)


def scores(**different):
    """The full scores but for those that are given."""
    assert different.keys() <= FULL.keys()
    return FULL | different


STUB = scores(test_double=0, test_hidden=0, test_half=2, why=0)  # half's stub is half right


def answered(released, **answers):
    """The released notebook with right answers, or with the given ones in their place."""
    return edited(released, **(RIGHT | answers))
