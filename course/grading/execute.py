"""Run a stranger's notebook: in a fork of a warm process, contained, and always to an outcome.

In ``nbgrader_config.py``:

    c.Autograde.autograde_preprocessors = ["course.grading.SafeExecute", …]
    c.SafeExecute.preload = ["torch"]

One process imports the modules of ``preload`` once; every notebook runs in a fork of it that has
no network, sees no file of the course and ends with all that it started (contained.py). What a
cell costs is then what it does. A cell that ends its process, or cannot be stopped, costs the marks
of the cells after it and no others: each of those says why it was not run. Nothing is started
again, for later cells need what earlier ones made.

Where processes cannot be forked (Windows, macOS, a kernel that is not this Python) or not be
contained, marking stops and says so, unless ``allow_uncontained`` is set.
"""

import os
import sys
from pathlib import Path
from time import monotonic

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbgrader import utils
from nbgrader.converters import Autograde
from traitlets import Bool, Dict, Integer, List, Unicode

from course.grading import contained
from course.grading.cold import TIMEOUT, ColdExecute, cell_name
from course.grading.contained import Limits
from course.grading.forked import Dead, Fork, TimeIsUp
from course.grading.received import Received
from course.grading.refused import REFUSED, error_output, not_run
from course.grading.view import is_seen
from course.grading.warm_process import Orders, zygote_for
from course.grading.workplace import files_beside, workplace

PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "PATH", "NBGRADER_EXECUTION")


class NotContained(RuntimeError):
    """This machine cannot keep a submission from the instructor's files; the text says why."""


class SafeExecute(ColdExecute):
    """``Execute`` for strangers' notebooks: the same place in nbgrader's lists."""

    preload = List(Unicode(), help="modules that are imported once, before all notebooks").tag(
        config=True
    )
    packages = List(
        Unicode(), help="packages of which notebooks see a copy, without the files of `withheld`"
    ).tag(config=True)
    withheld = List(Unicode(), help="patterns of files in `packages` that nobody sees").tag(
        config=True
    )
    visible = List(Unicode(), help="further files and folders that notebooks may read").tag(
        config=True
    )
    hidden = List(
        Unicode(), help="files and folders that nobody sees, should they lie in what is visible"
    ).tag(config=True)
    environment = Dict(help="environment variables that notebooks have").tag(config=True)
    allow_uncontained = Bool(
        False, help="run submissions with your own rights where they cannot be contained"
    ).tag(config=True)
    max_memory = Integer(4 << 30, help="bytes that a notebook and its processes may use").tag(
        config=True
    )
    max_disk = Integer(128 << 20, help="bytes that a notebook may write").tag(config=True)
    max_processes = Integer(256, help="processes and threads of a notebook").tag(config=True)

    def preprocess(self, nb, resources=None, km=None):
        converter = getattr(self.parent, "parent", None)
        if REFUSED in nb.metadata or not isinstance(converter, Autograde):
            return super().preprocess(nb, resources, km)
        where = resources["nbgrader"]
        self._assignment = where["assignment"]
        orders = self._orders(nb)
        if orders is None:
            return super().preprocess(nb, resources, km)
        files = files_beside(converter, where["assignment"], where["student"])
        if orders.contained:
            content = {name: path.read_bytes() for name, path in files.items()}
            stopped = self._run(nb, orders, content, folder="")
        else:
            with workplace(converter, where["assignment"], where["student"]) as folder:
                stopped = self._run(nb, orders, {}, folder)
        self.finish(nb, where["student"], stopped)
        return nb, resources

    def _orders(self, nb) -> Orders | None:
        """What the warm process must be; None if the notebook needs a kernel of its own."""
        why_cold = self._why_cold(nb)
        why_open = why_cold or contained.missing()
        if why_open and not self.allow_uncontained:
            raise NotContained(
                f"Submissions cannot be contained here: {why_open}. Mark on a Linux machine, or "
                "set c.SafeExecute.allow_uncontained = True to run them with your own rights."
            )
        if why_cold:
            return None
        orders = self.orders(contained=why_open is None)
        if seen := [path for path in self._instructors() if is_seen(path, orders.binds())]:
            raise NotContained(
                f"Submissions would see {seen[0]}, which is in a folder that is visible to them: "
                f"set c.SafeExecute.hidden = {seen}, or move the course."
            )
        return orders

    def _instructors(self) -> list[str]:
        """Those files and folders of the course that exist and are no learner's business."""
        course = self.parent.parent.coursedir
        steps = ("source", "submitted", "autograded", "feedback")
        names = [*(getattr(course, f"{step}_directory") for step in steps), ".marking"]
        names.append(course.db_url.removeprefix("sqlite:///"))
        paths = [Path(course.root, name).absolute() for name in names]
        return [str(path) for path in paths if path.exists()]

    def orders(self, *, contained: bool) -> Orders:
        """What the warm process must be on a machine that can fork."""
        return Orders(
            preload=tuple(self.preload),
            contained=contained,
            packages=tuple(self.packages),
            withheld=tuple(self.withheld),
            visible=tuple(self.visible),
            hidden=tuple(self.hidden),
            limits=Limits(
                memory=self.max_memory,
                disk=self.max_disk,
                file_size=self.max_disk,
                # without namespaces those of the instructor count as well
                processes=self.max_processes if contained else 1 << 16,
                cpu=int(4 * (self.notebook_timeout or 3600)),
            ),
            output=self.max_received_bytes,
            environment=tuple(sorted(self._environment().items())),
        )

    def _why_cold(self, nb):
        if sys.platform != "linux":
            return f"processes are not forked on {sys.platform}"
        name = self.kernel_name or nb.metadata.get("kernelspec", {}).get("name", "python3")
        try:
            command = KernelSpecManager(parent=self).get_kernel_spec(name).argv
        except NoSuchKernel:
            return f"there is no kernel {name!r}"
        if command[1:3] != ["-m", "ipykernel_launcher"] or not _is_this_python(command[0]):
            return f"the kernel {name!r} is not this Python"
        return None

    def _environment(self):
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return {
            "HOME": contained.WORK,
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            **passed,
            **self.environment,
        }

    def kernel_environment(self) -> dict[str, str]:
        """Further variables of one notebook's process: for classes that derive from this one."""
        return {}

    def prelude(self, cell) -> str:
        """Code to be run before a cell of the assignment: for classes that derive from this one."""
        return ""

    def ruled(self, cell) -> None:
        """Called with every cell that was run: for classes that derive from this one."""

    def _run(self, nb, orders, files, folder) -> str | None:
        """Run all cells; say why they were not all run, or None."""
        env = self._environment() | self.kernel_environment()
        with zygote_for(orders).fork(env, files, folder) as fork:
            deadline, stopped = monotonic() + (self.notebook_timeout or float("inf")), None
            for index, cell in enumerate(nb.cells):
                if cell.cell_type != "code" or not cell.source.strip():
                    continue
                if stopped is None and monotonic() >= deadline:
                    stopped = f"the notebook had used up its {self.notebook_timeout:g} s"
                if stopped:
                    if utils.is_grade(cell):
                        cell.outputs = [not_run(stopped)]
                    continue
                stopped = self._run_cell(fork, cell, index, deadline)
                self.ruled(cell)
        return stopped

    def _run_cell(self, fork: Fork, cell, index, deadline) -> str | None:
        received = Received(self.max_received_bytes)
        limit = self._get_timeout_of_a_cell()
        left = max(deadline - monotonic(), 0.1)
        name, error, stopped = cell_name(cell, index), None, None
        try:
            if utils.is_grade(cell) and (prelude := self.prelude(cell)):
                fork.run(-1, prelude, seconds=min(limit, left), memory=self.max_memory, take=_pass)
            done = fork.run(
                index,
                cell.source,
                seconds=min(limit, left),
                memory=self.max_memory,
                take=received.take,
            )
            cell.execution_count = _count(done.get("count"))
            error = _unsaid_error(done, received.outputs)
            if done.get("exit") is True:
                stopped = f"{name} ended the kernel with quit() or exit()"
        except TimeIsUp:
            spent = limit <= left
            error = error_output(
                TIMEOUT,
                f"the cell was stopped after {limit:g} s"
                if spent
                else f"the notebook had used up its {self.notebook_timeout:g} s",
            )
        except Dead as death:
            stopped = death.in_cell(name)
        cell.outputs = received.outputs
        if stopped:
            error = error_output("Stopped", stopped)
        if error:  # first, as every error of a test that did not end: what it said has no weight
            cell.outputs.insert(0, error)
        return stopped

    def _get_timeout_of_a_cell(self):
        return float("inf") if self.timeout in (None, -1) else float(self.timeout)


def _pass(words):
    """What a prelude says is nobody's business."""


def _is_this_python(program):
    return program in {"python", "python3"} or os.path.realpath(program) == os.path.realpath(
        sys.executable
    )


def _count(value):
    return value if type(value) is int and 0 <= value < 1 << 31 else None


def _unsaid_error(done, outputs):
    """The error of a cell that broke IPython's way of showing it."""
    failed = done.get("failed")
    if not isinstance(failed, dict) or any(o.output_type == "error" for o in outputs):
        return None
    return error_output(str(failed.get("ename"))[:200], str(failed.get("evalue"))[:1000])
