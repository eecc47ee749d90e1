"""Fixtures for every test that needs a browser. See front_ends.py for what they give."""

import shutil

import front_ends
import notebook_page
import pytest

from course.build import ROOT


@pytest.fixture(scope="session")
def jupyter(browser, tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("notebooks"), tmp_path_factory.mktemp("jupyter")
    with front_ends.jupyter_server(folder, home) as server:
        yield server


@pytest.fixture(scope="module", params=["lab", "notebook"])
def front_end(request):
    """JupyterLab, then Notebook 7."""
    return request.param


@pytest.fixture(scope="session")
def released(jupyter):
    """The notebooks as they are handed out: the name of their folder below the server's."""
    shutil.copytree(ROOT / "release", jupyter.folder / "released")
    return "released"


@pytest.fixture(scope="session")
def visit(browser, jupyter):
    """Opens a notebook with a kernel of its own: `page = visit("lab", path)`.

    JupyterLab is loaded once and opens one after the other; Notebook 7 has a page for each.
    `notebook_page.leave(page)` ends a visit.
    """
    pages = {}

    def opened(front_end, path):
        if front_end not in pages:
            page = front_ends.open_notebook(browser, jupyter, front_end, path, run=False)
            if front_end == "lab":
                page.evaluate(notebook_page.HIDE_FILES)  # room for a narrow window
                pages[front_end] = page
            return page
        page = pages[front_end]
        notebook_page.open_path(page, path)
        return page

    yield opened
    for page in pages.values():
        page.context.close()
