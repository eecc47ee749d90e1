"""Notebooks as pages: what only a kernel could move is said in words, and headings get anchors.

Each takes a notebook and gives the text of one for Sphinx: the lesson that was run, the exercises
with their stubs (no solutions are in them), the field guide with what its code prints.
"""

import re

import nbformat
from nbformat.v4 import new_markdown_cell, new_output

from course.guide import anchor, traps
from course.laboratory.front_end import SWAP
from course.lessons import Lesson
from course.website.addresses import Links, html_links, slug

HEADING = re.compile(r"^(?P<marks>#{2,3}) (?P<title>.+)$", re.MULTILINE)
WIDGET = "application/vnd.jupyter.widget-view+json"
NO_PREDICTION = re.compile(r'<strong><span aria-hidden="true">○</span>[^<]*</strong> ')
LIVE = '<p class="live">In the notebook you can {words}.</p>'
SEEN = (
    "The numbers and pictures on this page come from a real run of the lesson. In the notebook you "
    "turn the sliders yourself:"
)
STUBS = (
    "These are the texts of the exercises. You solve them in the notebook, which checks each "
    "answer at once:"
)
OWN_MARKING = ("text-grade-me", "grade-me")  # the cells of course/authoring.py
IN_JUPYTERLAB = {  # what the guide says of itself, and what holds of the page
    "Or open the table of contents at the left edge of JupyterLab.": "Or look through the list of "
    "contents beside this text.",
    "run its two code cells. They need no other cell. Below `# prints:` is what torch\n"
    "  printed when this guide was tested.": "copy its code into a cell, or open "
    "`field_guide.ipynb` in JupyterLab. It needs no other\n  code. Below it is what torch "
    "printed when this guide was tested.",
}
TOCTREE = "```{toctree}\n:hidden:\n\nExercises <exercises>\n```"


def lesson_page(lesson: Lesson, notebook, links: Links) -> str:
    """A lesson that was run; its exercises are the page below it."""
    path = f"release/{lesson.assignment}/lesson.ipynb"
    cells = [page_cell(cell, path, links) for cell in notebook.cells]
    cells[0].source = below_title(cells[0].source, run_it(SEEN, lesson, "lesson", links))
    if f"release/{lesson.assignment}/exercises.ipynb" in links.pages:
        cells.append(new_markdown_cell(TOCTREE, id="toctree"))
    return as_text(cells)


def exercises_page(lesson: Lesson, notebook, links: Links) -> str:
    """The exercises without what only marking needs: hidden cases and one's own marks."""
    path = f"release/{lesson.assignment}/exercises.ipynb"
    cells = [
        page_cell(cell, path, links, f"cell-id={cell.id}")
        for cell in notebook.cells
        if cell.id not in OWN_MARKING and not is_hidden_test(cell)
    ]
    cells[0].source = below_title(cells[0].source, run_it(STUBS, lesson, "exercises", links))
    return as_text(cells)


def is_hidden_test(cell) -> bool:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "").endswith("_hidden")


def guide_page(notebook, links: Links) -> str:
    """The field guide. A trap can be linked to by its short name: field_guide.html#bare-zero."""
    names = {trap.slug for trap in traps()}
    cells = []
    for here, there in IN_JUPYTERLAB.items():
        assert here in notebook.cells[0].source, here
        notebook.cells[0].source = notebook.cells[0].source.replace(here, there)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source, _, said = cell.source.partition("\n# prints:\n")
            said = "".join(f"{line[2:]}\n" for line in said.splitlines())
            cell.outputs = [new_output("stream", name="stdout", text=said)]
        name = (cell.id,) if cell.id in names else ()
        cells.append(page_cell(cell, "release/field_guide.ipynb", links, *name))
    return as_text(cells)


def page_cell(cell, path: str, links: Links, *names: str):
    """A cell with links for the site; of a widget's outputs, the static one and a sentence.

    The first heading of a text gets more `names`, to which links lead.
    """
    if cell.cell_type == "markdown":
        text = links.rewrite(cell.source, path, links.pages[path])
        more = list(names)
        cell.source = HEADING.sub(lambda heading: with_anchors(heading, more), text)
        return cell
    cell.outputs = [page_output(output) for output in cell.get("outputs", ())]
    return cell


def with_anchors(heading: re.Match, more: list[str]) -> str:
    """A heading and, before it, the anchor that JupyterLab gives it, to which notebooks link.

    Sphinx gives it the anchor that GitHub does. `more` are taken by the first heading.
    """
    names = {anchor(heading["title"]), *more} - {slug(heading["title"])}
    more.clear()
    spans = "".join(f'<span id="{name}"></span>' for name in sorted(names))
    return f"{spans}\n\n{heading[0]}"


def page_output(output):
    """What a cell showed, without what needs a kernel."""
    data = output.get("data", {})
    if WIDGET in data:
        words = data["text/plain"].removeprefix("Run this cell to ").removesuffix(".")
        return new_output("display_data", data={"text/html": LIVE.format(words=words)})
    if "text/html" in data:
        html = NO_PREDICTION.sub("", data["text/html"].replace(SWAP, ""))
        return new_output("display_data", data={"text/html": html_links(html)})
    return output


def below_title(text: str, more: str) -> str:
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{more}\n\n{rest.strip()}"


def run_it(words: str, lesson: Lesson, name: str, links: Links) -> str:
    """How to open the notebook of a page."""
    path = f"release/{lesson.assignment}/{name}.ipynb"
    ways = f"`make lab LESSON={lesson.name}`"
    if links.place:
        binder, colab = links.place.binder(path), links.place.colab(path)
        ways += f" or [Binder]({binder}) or [Colab]({colab})"
    return f":::{{container}} run-it\n{words} {ways}\n:::"


def as_text(cells) -> str:
    """A notebook of these cells, as text."""
    made = nbformat.v4.new_notebook(cells=cells)
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    made.metadata["language_info"] = {"name": "python", "pygments_lexer": "python"}
    made.nbformat_minor = 5
    return nbformat.writes(made) + "\n"
