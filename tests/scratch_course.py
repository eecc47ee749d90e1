"""A course with the scratch assignment, generated once for all tests that copy it."""

import pytest
from nbgrader_course import Course
from scratch_assignment import SOURCE


@pytest.fixture(scope="session")
def scratch(tmp_path_factory):
    """To be copied (``Course(…, like=scratch)``) and not to be changed."""
    course = Course(tmp_path_factory.mktemp("scratch") / "course")
    course.add_source("numbers", SOURCE, {"data.csv": "1,2\n", "sub/more.csv": "3\n"})
    course.generate("numbers")
    return course
