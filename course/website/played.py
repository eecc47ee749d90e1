"""The lessons as they look when they have been run: the same notebooks, with outputs.

    played(Path("build/site/played"))["01_leaf_tensors"].cells[2].outputs

One kernel runs all lessons that changed, one after the other, in a folder that is empty: importing
torch takes longer than a lesson, and nobody's progress gets onto the site. A lesson is run again
when its notebook, a module of the course that was loaded, Python or torch is another.
"""

import hashlib
import json
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from course.author_text import BuildError
from course.lessons import LESSONS, Lesson

ROOT = Path(__file__).parent.parent.parent
LOADED = """\
import json, sys
print(json.dumps(sorted(
    module.__file__ for name, module in sys.modules.items()
    if name.partition(".")[0] == "course" and getattr(module, "__file__", None)
)))"""
PATIENCE = 300  # seconds for one cell


def played(cache: Path, lessons: tuple[Lesson, ...] = LESSONS) -> dict[str, nbformat.NotebookNode]:
    """Each lesson's notebook with its outputs, by assignment. BuildError for a failed cell."""
    cache.mkdir(parents=True, exist_ok=True)
    todo = [lesson for lesson in lessons if not is_fresh(lesson, cache)]
    if todo:
        play(todo, cache)
    return {lesson.assignment: nbformat.read(kept(lesson, cache), 4) for lesson in lessons}


def play(lessons: list[Lesson], cache: Path) -> None:
    """Run the notebooks and keep them, with what they depended on."""
    client = NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=PATIENCE,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
    )
    with tempfile.TemporaryDirectory() as empty, client.setup_kernel(cwd=empty):
        for lesson in lessons:
            notebook = nbformat.read(released(lesson), 4)
            run_cells(client, ["%reset -f"])
            try:
                run(client, notebook)
            except CellExecutionError as error:
                words = f"a cell raised {error.ename}: {error.evalue}"
                raise BuildError(released(lesson), None, words) from error
            files = json.loads(run_cells(client, [LOADED])[0].outputs[0].text)
            nbformat.write(notebook, kept(lesson, cache))
            paths = [str(released(lesson)), *files]
            known = {"packages": packages(), "files": {path: digest(path) for path in paths}}
            facts(lesson, cache).write_text(json.dumps(known, indent=1), "utf-8")


def run(client: NotebookClient, notebook) -> None:
    """Run every cell but those that bring their outputs along, as the map of the course does."""
    client.nb = notebook
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and not cell.outputs:
            client.execute_cell(cell, index)


def run_cells(client: NotebookClient, sources: list[str]) -> list:
    """Run code that is no part of a lesson; give its cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    run(client, notebook)
    return notebook.cells


def is_fresh(lesson: Lesson, cache: Path) -> bool:
    """Whether the lesson was run with all that it depends on as it is now."""
    try:
        known = json.loads(facts(lesson, cache).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return (
        kept(lesson, cache).exists()
        and known["packages"] == packages()
        and all(digest(path) == was for path, was in known["files"].items())
    )


def packages() -> list[str]:
    return [platform.python_version(), version("torch"), version("ipykernel")]


def digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def released(lesson: Lesson) -> Path:
    return ROOT / "release" / lesson.assignment / "lesson.ipynb"


def kept(lesson: Lesson, cache: Path) -> Path:
    return cache / f"{lesson.assignment}.ipynb"


def facts(lesson: Lesson, cache: Path) -> Path:
    return cache / f"{lesson.assignment}.json"
