"""Make a submitted notebook the assignment again: which cell is which, and all of them there.

What nbgrader wrote into a cell when the assignment was made comes back in the learner's hands:
doubled by copy and paste, lost, or edited. Stock nbgrader believes it, and stops the whole class
at a doubled cell or at a version number it does not know. Here the learner's copy only says which
cell is which; everything else is taken from the gradebook.
"""

from dataclasses import dataclass

import nbformat.v4
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import DeduplicateIds, NbGraderPreprocessor

from course.grading.refused import REFUSED, not_run


class SafeDeduplicate(DeduplicateIds):
    """Keeps nbgrader's mark on the last of several equal cells and takes it off the others.

    The last one, as in stock nbgrader: it runs last, so it is the one that counts in Python. A
    mark that names no cell is taken off too. Such a cell is still run, as any other cell.
    """

    def preprocess_cell(self, cell, resources, cell_index):
        if "nbgrader" not in cell.metadata:
            return cell, resources
        name = grade_id(cell)
        if name is not None and name not in self.grade_ids:
            self.grade_ids.add(name)
            return cell, resources
        if name is None:
            self.log.warning("A cell has nbgrader metadata that names no cell")
        else:
            self.log.warning("Cell '%s' is there more than once: the last one counts", name)
        del cell.metadata["nbgrader"]
        return cell, resources


class RestoreCells(NbGraderPreprocessor):
    """Puts missing cells back and rewrites nbgrader's marks from the gradebook.

    Comes after ``SafeDeduplicate`` and before ``OverwriteCells``, which then repairs the text of
    the cells that learners must not edit. Unlike ``OverwriteCells.add_missing_cells`` it also puts
    back read-only cells that carry no points (imports, say), and it does not lose the submission
    when the cell before a missing one is such a cell.
    """

    def preprocess(self, nb, resources):
        where = resources["nbgrader"]
        with Gradebook(where["db_url"]) as gradebook:
            expected = expected_cells(
                gradebook.find_notebook(where["notebook"], where["assignment"])
            )
        known = self._recognise(nb.cells, expected)
        nb.cells = self._with_missing(nb.cells, known, expected, REFUSED in nb.metadata)
        if REFUSED in nb.metadata:
            for cell in nb.cells:
                if cell.cell_type == "code":
                    cell.outputs = [not_run(nb.metadata[REFUSED])]
        return nb, resources

    def _recognise(self, cells, expected):
        """Rewrite the marks in ``cells``; return the names that were found."""
        named = {grade_id(cell) for cell in cells}
        known = set()
        for number, cell in enumerate(cells):
            name = grade_id(cell)
            if name not in expected and cell.get("id") in expected.keys() - named:
                name = cell.id  # the cell's own id tells what it was
                self.log.warning("Cell '%s' had lost its name", name)
            cell.metadata.pop("nbgrader", None)
            if name not in expected or name in known:
                continue
            known.add(name)
            if cell.cell_type != expected[name].cell_type:
                self.log.warning("Cell '%s' had become a %s cell", name, cell.cell_type)
                cells[number] = cell = expected[name].cell(cell.source)
            # a cell tagged skip-execution is not run, and a test that says nothing has full marks
            cell.metadata.pop("tags", None)
            cell.metadata["nbgrader"] = expected[name].mark()
        return known

    def _with_missing(self, cells, known, expected, refused):
        """Put each cell that is missing after the one that comes before it in the assignment."""
        restored = list(cells)
        place = 1 if refused else 0  # at the top, or after the note that says why
        for name, cell in expected.items():
            if name in known:
                place = 1 + [grade_id(other) for other in restored].index(name)
                continue
            if cell.solution and not cell.grade:
                continue  # an answer is the learner's own, and may now be in another cell
            new = [cell.cell(cell.source)]
            if not refused:
                self.log.warning("Cell '%s' was missing and is put back", name)
                new.insert(0, new_markdown_cell(f"*The cell `{name}` was missing: put back.*"))
            restored[place:place] = new
            place += len(new)
        return restored


@dataclass(frozen=True)
class ExpectedCell:
    """A cell of the assignment, as the gradebook has it."""

    name: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None

    def mark(self):
        """nbgrader's metadata of this cell."""
        mark = NotebookNode(
            schema_version=MetadataValidator().schema_version,
            grade_id=self.name,
            cell_type=self.cell_type,
            checksum=self.checksum,
            locked=self.locked,
            grade=self.grade,
            solution=self.solution,
            task=self.task,
            points=self.points,
        )
        return NotebookNode({key: value for key, value in mark.items() if value is not None})

    def cell(self, source):
        """A new cell of this kind."""
        cell = getattr(nbformat.v4, f"new_{self.cell_type}_cell")(source)
        cell.metadata["nbgrader"] = self.mark()
        return cell


def expected_cells(notebook) -> dict[str, ExpectedCell]:
    """The cells of a notebook in the gradebook, by name and in their order."""
    points = {cell.name: cell.max_score for cell in [*notebook.grade_cells, *notebook.task_cells]}
    grades = {cell.name for cell in notebook.grade_cells}
    solutions = {cell.name for cell in notebook.solution_cells}
    tasks = {cell.name for cell in notebook.task_cells}
    return {
        cell.name: ExpectedCell(
            name=cell.name,
            cell_type=cell.cell_type,
            source=cell.source,
            checksum=cell.checksum,
            locked=cell.locked,
            grade=cell.name in grades,
            solution=cell.name in solutions,
            task=cell.name in tasks,
            points=points.get(cell.name),
        )
        for cell in notebook.source_cells
    }


def grade_id(cell) -> str | None:
    """The name that nbgrader gave a cell, or None."""
    mark = cell.metadata.get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) and name else None
