"""Fixtures for every test that needs a browser. See front_ends.py for what they give."""

import os

import front_ends
import pytest


@pytest.fixture(scope="session")
def browser():
    if front_ends.CHROMIUM is None:
        words = "no Chromium here: install it, or say where it is in the variable CHROMIUM"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    with front_ends.chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def jupyter(browser, tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    with front_ends.jupyter_server(folder, home) as server:
        yield server


@pytest.fixture(scope="module", params=["lab", "notebook"])
def front_end(request):
    """JupyterLab, then Notebook 7."""
    return request.param
