"""Showing a widget where there is somebody to see it, and what stays when its kernel is gone.

A widget needs its kernel: in a notebook opened next day JupyterLab says "model not found" in its
place. So a picture made of plain HTML comes first, as an output of its own. While the widget lives,
the picture is hidden; without a kernel, the picture stays and the complaint is hidden.
"""

import os
import sys
from pathlib import Path

from course.laboratory.former import keep

HERE = Path(__file__).parent
SWAP = """<style>
.jp-OutputArea-child:has(.hl-static):has(+ .jp-OutputArea-child .hl-widget),
.jp-OutputArea-child:has(.hl-static) + .jp-OutputArea-child:not(:has(.hl-widget)) { display: none; }
</style>"""


def somebody_looks() -> bool:
    """Whether a notebook's front end may show what is displayed now.

    False in plain Python, and while nbgrader marks or validates.
    """
    if os.environ.get("NBGRADER_EXECUTION") or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return hasattr(shell, "kernel")


def this_run() -> int:
    """Which run of a cell this is."""
    return sys.modules["IPython"].get_ipython().execution_count


def show(html: str, text: str) -> None:
    """Display HTML, with a text for terminals and readers that show no HTML."""
    from IPython.display import display

    display({"text/html": html, "text/plain": text}, raw=True)


def show_widget(widget, html: str, text: str, words: str) -> None:
    """Display a widget after its static form; `words` stand for it where no widget can live.

    What an earlier run of the same cell displayed is closed.
    """
    from IPython.display import display

    keep(widget)
    static = f'<div class="hl-static" data-for="{widget.static_id}">{html}</div>{SWAP}'
    show(static, text)
    view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    display(
        {"application/vnd.jupyter.widget-view+json": view, "text/plain": words},
        raw=True,
    )


def source(*names: str | Path) -> str:
    """Files joined to one script or style sheet: anywidget takes a single one.

    A name is a file of this package; a widget elsewhere gives the path of its own.
    """
    return "\n".join((HERE / name).read_text("utf-8") for name in names)
