"""A cell that runs again leaves its former widget behind. It is closed, and what it held let go.

Nobody sees it any more, but ipywidgets keeps every widget that is open, and with a lab its tensors
and hooks. A widget that holds such things has a method `let_go`.
"""

import sys

_open: dict[str, tuple[str, list]] = {}  # cell -> its last run, and the widgets of that run


def keep(widget) -> None:
    """Remember the widget as one of this run of this cell; close those of the run before."""
    cell, run = this_cell()
    if cell is None:
        return
    last, widgets = _open.get(cell, (run, []))
    if last != run:
        for old in widgets:
            close(old)
        widgets = []
    _open[cell] = (run, [*widgets, widget])


def this_cell() -> tuple[str | None, str]:
    """The cell that runs now, None where the front end does not say, and which run of it this is.

    JupyterLab, Notebook 7 and VS Code send the cell's id with its code.
    """
    request = sys.modules["IPython"].get_ipython().kernel.get_parent()
    return request.get("metadata", {}).get("cellId"), request.get("header", {}).get("msg_id", "")


def close(widget) -> None:
    layout = widget.layout  # a widget too: it came with this one
    widget.close()
    layout.close()
    if hasattr(widget, "let_go"):
        widget.let_go()
