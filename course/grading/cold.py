"""Run a stranger's notebook in a kernel of its own, to an outcome, whatever its cells do.

In stock nbgrader a cell that ends the kernel, or that cannot be interrupted, costs the learner the
marks of the whole notebook, those of earlier cells too. Here the cells before it keep what they
have and each test cell after it gets one clear error, which is 0 points. The kernel is not started
again: later cells need what earlier ones made, and to run those a second time would mean to trust
that they do the same thing twice.
"""

import json
from subprocess import DEVNULL
from time import monotonic

import nbformat
from nbclient.exceptions import CellExecutionComplete, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_notebook
from nbgrader import utils
from nbgrader.converters import Autograde
from nbgrader.preprocessors import Execute
from traitlets import Float, Integer

from course.grading.outputs import ENOUGH, shortened, size
from course.grading.refused import REFUSED, error_output, not_run
from course.grading.workplace import workplace

TIMEOUT = "CellTimeoutError"
LOST = "the cell ran too long or wrote too much, and what it wrote last is lost"


class ColdExecute(Execute):
    """``Execute`` with an outcome for every notebook; it starts a Jupyter kernel for each.

    ``SafeExecute`` comes here where it cannot do better, and for what is not strangers' work.
    """

    notebook_timeout = Float(
        300, allow_none=True, help="seconds that all cells of a notebook may take together"
    ).tag(config=True)

    max_received_bytes = Integer(
        2_000_000, help="output of a cell that is taken in at all, before it is limited"
    ).tag(config=True)

    stopped: str | None = None  # why the last notebook was not run to its end

    def preprocess(self, nb, resources=None, km=None):
        if REFUSED in nb.metadata:
            return nb, resources
        self._stopped = None  # why no more cells are run
        self._deadline = None  # the clock starts with the first cell, not with the kernel
        converter = getattr(self.parent, "parent", None)
        if not isinstance(converter, Autograde):  # it is not strangers' work that is run
            return super().preprocess(nb, resources, km)
        where = resources["nbgrader"]
        self._assignment = where["assignment"]
        with workplace(converter, where["assignment"], where["student"]) as folder:
            inside = {**resources, "metadata": {**resources["metadata"], "path": folder}}
            nb, _ = super().preprocess(nb, inside, km)
        self.finish(nb, where["student"], self._stopped)
        return nb, resources

    def finish(self, nb, student, stopped):
        """What every notebook that was run needs: a word in the log, and outputs that fit in."""
        self.stopped = stopped
        if stopped:
            self.log.warning("%s: not all cells were run, because %s", student, stopped)
        try:
            nbformat.validate(nb, relax_add_props=True)
            json.dumps(nb.cells, ensure_ascii=False).encode()
        except (nbformat.ValidationError, TypeError, ValueError):
            for cell in nb.cells:  # which one is it?
                make_storable(cell)

    def start_new_kernel(self, **kwargs):
        # what the process writes past Jupyter must not look like nbgrader's own words in the log
        super().start_new_kernel(stdout=DEVNULL, stderr=DEVNULL, **kwargs)

    def preprocess_cell(self, cell, resources, index):
        if self._deadline is None:
            self._deadline = monotonic() + (self.notebook_timeout or float("inf"))
        if self._stopped is None and monotonic() >= self._deadline:
            self._stopped = f"the notebook had used up its {self.notebook_timeout:g} s"
        if self._stopped:
            if cell.cell_type == "code" and utils.is_grade(cell):
                cell.outputs = [not_run(self._stopped)]
            return cell, resources
        self._received = 0
        self.error_on_timeout = error_output(TIMEOUT, self._time_is_up(cell))
        try:
            return super().preprocess_cell(cell, resources, index)
        except DeadKernelError:
            self._stop(cell, f"the kernel died in {cell_name(cell, index)}")
        except CellTimeoutError:
            if self._answers():
                cell.outputs.insert(0, error_output("LostOutput", LOST))
            else:
                self._stop(cell, f"{cell_name(cell, index)} did not end and could not be stopped")
        return cell, resources

    def on_cell_executed(self, **kwargs):
        reply = kwargs["execute_reply"]["content"]
        if reply.get("ename") == TIMEOUT:
            kwargs["cell"].outputs.insert(0, error_output(TIMEOUT, reply["evalue"]))
        else:
            super().on_cell_executed(**kwargs)
        if any(payload.get("source") == "ask_exit" for payload in reply.get("payload", [])):
            # the kernel ends a tenth of a second after quit(): do not make marks a race with it
            name = cell_name(kwargs["cell"], kwargs["cell_index"])
            self._stop(kwargs["cell"], f"{name} ended the kernel with quit() or exit()")

    def _stop(self, cell, why):
        self._stopped = why
        # first, as every error of a test that did not end: what it said before has no weight
        cell.outputs.insert(0, error_output("Stopped", why))

    def _time_is_up(self, cell):
        limit = super()._get_timeout(cell)
        if limit is not None and limit <= self._get_timeout(cell):
            return f"the cell was stopped after {limit:g} s"
        return f"the notebook had used up its {self.notebook_timeout or 0:g} s"

    def _get_timeout(self, cell):
        limit = super()._get_timeout(cell)
        if cell is None:  # not a cell is waited for, but the kernel itself
            return limit
        left = max(self._deadline - monotonic(), 0.1)
        return min(limit or float("inf"), left) if left < float("inf") else limit

    def _answers(self):
        """Whether the kernel has done with its cell: only then does it reply to anything else."""
        limit, self.timeout = self.timeout, self.iopub_timeout
        try:
            return self.wait_for_reply(self.kc.kernel_info()) is not None
        except DeadKernelError:
            return False
        finally:
            self.timeout = limit

    def process_message(self, msg, cell, cell_index):
        try:
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            raise
        except Exception as error:  # a notebook can send anything, in any form
            self.log.warning("A message of cell %d was not understood: %r", cell_index, error)

    def output(self, outs, msg, display_id, cell_index):
        room, kind = self.max_received_bytes - self._received, msg["msg_type"]
        if room <= 0:
            decisive = kind in {"error", "execute_result"}
            if not decisive or any(output.output_type == kind for output in outs):
                return None
        output = super().output(outs, msg, display_id, cell_index)
        if output is None:  # an Output widget has it
            self._received += size(msg["content"])
        else:
            outs[-1] = shortened(output, max(room, ENOUGH))
            self._received += size(outs[-1])
        return output


def cell_name(cell, index):
    name = cell.metadata.get("nbgrader", {}).get("grade_id")
    return f"cell {index + 1}" + (f" ('{name}')" if name else "")


def make_storable(cell):
    """Replace outputs that a notebook file cannot hold: with them the submission would be lost."""
    if cell.cell_type != "code":
        return
    try:
        nbformat.validate(new_notebook(cells=[cell]), relax_add_props=True)
        json.dumps(cell.outputs, ensure_ascii=False).encode()
    except (nbformat.ValidationError, TypeError, ValueError, RecursionError):
        cell.outputs = [error_output("InvalidOutput", "the cell sent what no notebook can hold")]
        cell.execution_count = None
