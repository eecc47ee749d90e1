"""A notebook that is open on a page: its cells, the controls in them, answers typed by keyboard.

    page = visit("lab", "released/01_leaf_tensors/exercises.ipynb")
    write(page, "freeze", "def freeze(part): ...")
    assert "NOT_FROZEN" in outcome(page, "freeze", "Wrong")

Cells are counted as the notebook counts them, with the cells of text. A page may hold several
notebooks; all this is about the one in front.
"""

from front_ends import READY
from playwright.sync_api import Error

IN_FRONT = "window.jupyterapp.shell.currentWidget"
CELLS = f"""() => {IN_FRONT}.content.widgets.map(({{ model }}) => ({{
  source: model.sharedModel.source,
  grade_id: model.getMetadata("nbgrader")?.grade_id,
  runs: model.type === "code" && model.sharedModel.source.trim() !== "",
  has_run: model.executionCount !== null,
  outputs: model.outputs?.toJSON() ?? [],
}}))"""
RUN = f"""async ([first, last]) => {{
  const notebook = {IN_FRONT}.content;
  notebook.deselectAll();
  notebook.activeCellIndex = first;
  notebook.extendContiguousSelectionTo(last);
  await window.jupyterapp.commands.execute("notebook:run-cell");
}}"""
OPEN = "async (path) => { await window.jupyterapp.commands.execute('docmanager:open', { path }); }"
CLOSE = """async () => {
  for (const widget of [...window.jupyterapp.shell.widgets("main")]) {
    await widget.sessionContext?.shutdown();
    widget.dispose();
  }
}"""
HIDE_FILES = "() => window.jupyterapp.commands.execute('application:toggle-left-area')"
SIZE = {"width": 1400, "height": 1000}  # as open_notebook makes it
FOCUSED = """(cell, control) =>
  cell.contains(document.activeElement) && document.activeElement.matches(control)"""
THEME = "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })"


def open_path(page, path: str) -> None:
    """Open another notebook on the same page, or bring it to the front, and wait for it."""
    page.evaluate(OPEN, path)
    page.wait_for_function(READY)


def cells(page) -> list[dict]:
    """Source, grade_id, outputs of each cell, and whether it can run and has run."""
    return page.evaluate(CELLS)


def errors(page) -> list[str]:
    """The error that each cell shows, as `grade_id Name: words`."""
    return [
        f"{cell['grade_id']} {output['ename']}: {output['evalue']}"
        for cell in cells(page)
        for output in cell["outputs"]
        if output["output_type"] == "error"
    ]


def not_run(page) -> list[str]:
    return [cell["source"] for cell in cells(page) if cell["runs"] and not cell["has_run"]]


def run_cells(page, first: int, last: int) -> None:
    """Select cells and run them with the command of the Run menu; returns when they have run."""
    page.evaluate(RUN, [first, last])


def node(page):
    """The element of the notebook."""
    return page.evaluate_handle(f"{IN_FRONT}.content.node").as_element()


def cell_node(page, which):
    """The element of a cell, by its number or its grade_id, scrolled into view."""
    if isinstance(which, str):
        which = [cell["grade_id"] for cell in cells(page)].index(which)
    for tries_left in (2, 1, 0):  # JupyterLab takes cells out that are far from what is seen
        page.evaluate(f"(i) => {IN_FRONT}.content.scrollToItem(i)", which)
        found = page.evaluate_handle(f"(i) => {IN_FRONT}.content.widgets[i].node", which)
        cell = found.as_element()
        try:
            cell.scroll_into_view_if_needed()
            return cell
        except Error as gone:
            if not tries_left or "not attached" not in str(gone):
                raise


def tab_into(page, cell, control: str) -> None:
    """Press Tab until a control (a CSS selector) in this cell has the focus.

    Without focus in the cell it starts at the cell itself, where arrow keys lead.
    """
    if not cell.evaluate(FOCUSED, "*"):
        cell.focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if cell.evaluate(FOCUSED, control):
            return
    raise AssertionError(f"Tab did not reach {control}")


def write(page, exercise: str, source: str) -> None:
    """Replace the answer to an exercise by keyboard, run its cell and the check below."""
    cell_node(page, exercise).wait_for_selector(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")


def outcome(page, exercise: str, word: str) -> str:
    """What the check of an exercise says, once it says `word`."""
    cell = cell_node(page, f"{exercise}_visible")
    return cell.wait_for_selector(f"[role=status]:has-text('{word}')").inner_text()


def change_theme(page, theme: str) -> None:
    """Change to "JupyterLab Light" or "JupyterLab Dark"; returns when it is there."""
    page.evaluate(THEME, theme)
    light = str(theme.endswith("Light")).lower()
    page.locator(f"body[data-jp-theme-light={light}]").wait_for(state="attached")


def leave(page) -> None:
    """Close every notebook of the page, and the kernels; nothing may have complained until then."""
    complaints = list(page.complaints)
    page.evaluate(CLOSE)
    page.set_viewport_size(SIZE)
    page.complaints.clear()  # closing several, the debugger says that it was cut short
    assert not complaints, complaints
