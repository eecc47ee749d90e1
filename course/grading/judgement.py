"""A second judgement, outside the learner's process, where nothing that he wrote can reach it.

In a notebook a test and the answer share one process, so an answer can change the test. With a
*judge* the test cell only reports facts; what they are worth is decided here. In
``nbgrader_config.py``:

    c.JudgedExecute.judge = "my_course.judge:Judge"

A judge is a class, made once with a secret that no released notebook knows:

    class Judge:
        def __init__(self, secret: str): ...
        def environment(self) -> dict[str, str]: ...          # for the notebook's process
        def prelude(self, assignment, source) -> str: ...     # run before this test cell
        def rule(self, assignment, source, reports, untouched) -> Ruling | None: ...

``source`` is the test cell's own text, from the gradebook. ``reports`` are the data of its outputs
of MIME type REPORT; ``untouched`` says that the answer cell before it is as it was handed out. None
means that the judge does not know this cell: nbgrader's rule holds.
"""

import os
import secrets
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from nbformat.v4 import new_output
from nbgrader import utils
from traitlets import Unicode

from course.grading import REPORT
from course.grading.execute import SafeExecute

TAMPERED = "TAMPERED"  # the facts disagree with themselves, or a control was not refused
MARKING = (
    "marking"  # metadata of a marked notebook: its flags, the reasons of each cell, what was told
)


@dataclass(frozen=True)
class Ruling:
    """What a judge says of one test cell: ``points``, out of ``of`` if that is said.

    ``text`` is for the learner; ``headline`` its short form, empty where everything passed.
    ``reasons`` are the codes of what was not right, in order. ``told`` says it as data, for pages
    that are made of it: nothing there may quote a hidden test.
    """

    points: float
    text: str
    headline: str = ""
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    told: tuple[dict, ...] = ()
    of: float = 0

    def for_cell(self, points: float) -> "Ruling":
        """The same share of the points that the cell has: an instructor may have changed them.

        >>> Ruling(1, "half", "half", of=2).for_cell(4).points
        2.0
        """
        if self.of in (0, points):
            return self
        return replace(self, points=self.points / self.of * points, of=points)

    def outputs(self) -> list:
        """What the cell's outputs would be had the test decided for itself."""
        if not self.headline:
            return [new_output("stream", name="stdout", text=self.text + "\n")]
        error = new_output(
            "error",
            ename="CheckFailed",
            evalue=self.headline,
            traceback=self.text.splitlines(),
        )
        if not self.points:
            return [error]
        points = new_output("execute_result", data={"text/plain": repr(self.points)})
        return [points, error]


class JudgedExecute(SafeExecute):
    """``SafeExecute`` with a judge: the same place in nbgrader's lists."""

    judge = Unicode(help="module:class of the judge; empty for none").tag(config=True)
    secret_file = Unicode(
        ".marking/secret", help="where the secret is kept, in the course's folder"
    ).tag(config=True)

    def preprocess(self, nb, resources=None, km=None):
        self._rulings, self.stopped = {}, None
        self._untouched = tests_of_untouched(nb)
        nb, resources = super().preprocess(nb, resources, km)
        flags = sorted({flag for ruling in self._rulings.values() for flag in ruling.flags})
        nb.metadata.pop(MARKING, None)
        if self._rulings or self.stopped:
            nb.metadata[MARKING] = {
                "flags": flags,
                "stopped": self.stopped or "",
                "reasons": {name: list(r.reasons) for name, r in self._rulings.items()},
                "told": {name: list(r.told) for name, r in self._rulings.items()},
            }
        if flags:
            student = resources["nbgrader"]["student"]
            self.log.warning("%s: flagged %s, look at the notebook", student, ", ".join(flags))
        return nb, resources

    def kernel_environment(self):
        judge = self._judge()
        return judge.environment() if judge else {}

    def prelude(self, cell):
        judge = self._judge()
        return judge.prelude(self._assignment, cell.source) if judge else ""

    def ruled(self, cell):
        """Put the judge's ruling in the place of what a test cell said."""
        reports = [
            output.data[REPORT] for output in cell.outputs if REPORT in output.get("data", {})
        ]
        if reports:
            cell.outputs = [o for o in cell.outputs if REPORT not in o.get("data", {})]
        judge = self._judge()
        if judge is None or not utils.is_grade(cell) or utils.is_solution(cell):
            return
        untouched = cell.metadata.nbgrader["grade_id"] in self._untouched
        ruling = judge.rule(self._assignment, cell.source, reports, untouched)
        if ruling is None:
            return
        ruling = ruling.for_cell(float(cell.metadata.nbgrader["points"]))
        kinds = {output.output_type for output in cell.outputs}
        if not reports and "error" in kinds and "execute_result" not in kinds:
            return  # it did not come as far as reporting, which is 0 points
        self._rulings[cell.metadata.nbgrader["grade_id"]] = ruling
        cell.outputs = ruling.outputs()

    def _judge(self):
        return judge_for(self.judge, self._secret_path()) if self.judge else None

    def _secret_path(self):
        return str(Path(self.parent.parent.coursedir.root, self.secret_file))


def tests_of_untouched(nb) -> set[str]:
    """The names of the test cells whose answer cell, the last one before, is as handed out."""
    names, untouched = set(), False
    for cell in nb.cells:
        marks = cell.metadata.get("nbgrader", {})
        if utils.is_solution(cell):
            untouched = marks.get("checksum") == utils.compute_checksum(cell)
        elif utils.is_grade(cell) and untouched:
            names.add(marks["grade_id"])
    return names


_judges = {}


def judge_for(name: str, secret_file: str):
    """The judge of this process with that secret, which is made when there is none yet."""
    if (name, secret_file) not in _judges:
        module, _, attribute = name.partition(":")
        _judges[name, secret_file] = getattr(import_module(module), attribute)(
            secret_in(Path(secret_file))
        )
    return _judges[name, secret_file]


def secret_in(path: Path) -> str:
    """The secret in a file; if there is none, a new one that only the owner may read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = f"{path}.{os.getpid()}"
    if not path.exists():
        with open(os.open(new, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(secrets.token_hex(16))
        try:
            os.link(new, path)  # whoever comes second takes what is there
        except FileExistsError:
            pass
        finally:
            os.unlink(new)
    return path.read_text().strip()
