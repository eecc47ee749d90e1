"""What the documentation of trace shows is what one gets."""

import doctest

import course.tracing


def test_the_examples_of_trace_are_true():
    (examples,) = doctest.DocTestFinder(recurse=False).find(course.tracing)
    results = doctest.DocTestRunner().run(examples)
    assert results.attempted > 10 and results.failed == 0
