"""How the tests share the workers: the file of a test is its group, the longest groups go first.

A group stays on one worker, so that what a module sets up is set up once. A test that needs
another group says so with ``pytest.mark.xdist_group``.
"""

import os
from pathlib import Path

# Before torch is imported. With several workers on few cores and more threads each, torch
# waits for itself. Kernels inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from summary import summary

BROWSER = Path(__file__).parent / "browser"
# Two groups of about the same length, each with one server and one browser: these work through
# the released notebooks, all others of the folder try single parts.
NOTEBOOKS = ("test_every_lesson", "test_exercises", "test_validate", "test_grade_me", "test_home")
LONGEST_FIRST = (
    "browser notebooks",
    "marking leaf_tensors",
    "browser",
    "test_grading_bad_input",
    "test_site",
)


@pytest.fixture(scope="session")
def browser():
    """Chromium, one for all tests of a process: Playwright cannot be started a second time."""
    from browser import front_ends

    if front_ends.CHROMIUM is None:
        words = "no Chromium here: install it, or say where it is in the variable CHROMIUM"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    with front_ends.chromium() as browser:
        yield browser


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker(pytest.mark.browser)
            group = "browser notebooks" if item.path.stem in NOTEBOOKS else "browser"
            item.add_marker(pytest.mark.xdist_group(group))
        elif not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=place)  # stable: the rest stays in its order


def place(item):
    group = item.get_closest_marker("xdist_group").args[0]
    rank = LONGEST_FIRST.index(group) if group in LONGEST_FIRST else len(LONGEST_FIRST)
    return rank, "nbgrader" not in item.keywords


def pytest_terminal_summary(terminalreporter, config):
    """Print the coverage and the answer bank. pyproject.toml has -q, so with -v verbose is 0."""
    found = [r for reports in terminalreporter.stats.values() for r in reports]
    reports = [report for report in found if isinstance(report, pytest.TestReport)]
    lines = summary(reports, "CI" in os.environ or config.option.verbose >= 0)
    if lines:
        terminalreporter.section("coverage")
        terminalreporter.write("\n".join([*lines, ""]))
