"""Take the pictures of the README in a real JupyterLab, so that they show what is there.

    .venv/bin/python docs/take_pictures.py

Needs Chromium. Each picture is one element of the page, in the light theme.
"""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))

import front_ends  # noqa: E402 - it lies beside the browser tests

PICTURES = ROOT / "docs" / "pictures"
WRONG = "def freeze(part):\n    part.requires_grad = False"
RIGHT = (
    "def freeze(part):\n    part.requires_grad_(False)\n"
    "    return sum(p.numel() for p in part.parameters())"
)


def main() -> None:
    """Take all pictures; those of an earlier call are replaced."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        notebooks = Path(shutil.copytree(ROOT / "release", Path(place) / "release"))
        with (
            front_ends.jupyter_server(notebooks, Path(place) / "home") as server,
            front_ends.chromium() as browser,
        ):
            take_lab(browser, server)
            take_outcomes(browser, server)


def open_quietly(browser, server, path):
    page = front_ends.open_notebook(
        browser, server, "lab", path, run=False, viewport={"width": 1120, "height": 1100}
    )
    page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
    return page


def take_lab(browser, server):
    page = open_quietly(browser, server, "01_leaf_tensors/lesson.ipynb")
    front_ends.run_all(page)
    cell = page.locator(".jp-CodeCell").filter(has_text="lab(products")
    cell.scroll_into_view_if_needed()
    cell.get_by_role("slider").first.press("ArrowRight")
    page.wait_for_timeout(800)
    cell.locator(".jp-OutputArea").screenshot(path=PICTURES / "lab.png")
    page.close()


def take_outcomes(browser, server):
    page = open_quietly(browser, server, "01_leaf_tensors/exercises.ipynb")
    answer = page.locator(".jp-CodeCell").filter(has_text="def freeze(part)")
    check = page.locator(".jp-CodeCell").filter(has_text='check("freeze")')
    for name, source in {"not_attempted": None, "wrong": WRONG, "passed": RIGHT}.items():
        editor = answer.locator(".cm-content")
        editor.scroll_into_view_if_needed()
        editor.click()
        if source:
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(source)
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        block = check.locator("[role=status]").filter(has_text=name.replace("_", " ").capitalize())
        block.wait_for(state="attached", timeout=60_000)
        block.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
        block.screenshot(path=PICTURES / f"{name}.png")
    page.close()


if __name__ == "__main__":
    main()
