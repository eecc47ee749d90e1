"""Mark an assignment: what is submitted and not marked yet goes through a pool to the writer."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from course.grading.batch.bundle import CannotMark, TooMuch, make_bundle, read_submission
from course.grading.batch.journal import Journal, fingerprint
from course.grading.batch.mark import MARKED
from course.grading.batch.pools import DaskPool, LocalPool, failed
from course.grading.batch.writer import Writer
from course.grading.judgement import JudgedExecute, secret_in

CHUNK, PATIENCE = 50, 2.0  # submissions, or seconds, after which the marks are written


@dataclass
class Summary:
    """What came of a run. ``failed``, ``flagged`` and ``stopped`` say why, by student."""

    assignment: str
    submitted: int = 0
    marked: int = 0
    unchanged: int = 0
    not_attempted: list[str] = field(default_factory=list)
    flagged: dict[str, list[str]] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)  # why not all of its cells were run
    failed: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)  # how often each came first in a cell
    seconds: float = 0.0


@dataclass
class Run:
    """One call of ``course grade``; ``pool`` is where the work is done."""

    coursedir: CourseDirectory
    config: Config
    pool: DaskPool | LocalPool
    force: bool = False
    only: tuple[str, ...] = ()
    progress: Callable[[int, int], None] = lambda done, total: None

    def __post_init__(self):
        root = Path(self.coursedir.root)
        secret = secret_in(root / JudgedExecute(config=self.config).secret_file)
        self.bundle = make_bundle(self.coursedir, self.config, secret)
        name = self.coursedir.assignment_id
        self.journal = Journal(root / ".marking" / f"{name}.jsonl")

    def students(self) -> list[str]:
        """Those who handed something in, in order. Raises CannotMark."""
        pattern = self.coursedir.format_path(
            self.coursedir.submitted_directory, "*", self.coursedir.assignment_id
        )
        before, _, after = pattern.partition("*")
        found = sorted(
            path.name for path in Path(before).glob("*") if Path(f"{path}{after}").is_dir()
        )
        unknown = sorted(set(self.only) - set(found))
        if unknown:
            raise CannotMark(
                f"There is no submission of {', '.join(unknown)} for "
                f"{self.coursedir.assignment_id!r}: look into {before}"
            )
        if not found:
            raise CannotMark(
                f"There is nothing to mark: no folder matches {pattern}. Collect first, with "
                f"nbgrader collect {self.coursedir.assignment_id} or nbgrader zip_collect."
            )
        return [student for student in found if not self.only or student in self.only]

    def todo(self) -> tuple[list[str], list[str]]:
        """(to be marked, unchanged since they were marked)."""
        with Writer(self.coursedir) as writer:
            marked = writer.students()
        todo, unchanged = [], []
        for student in self.students():
            try:
                key = self._key(self._submission(student))
            except TooMuch:
                key = ""
            known = student in marked and self.journal.knows(student, key)
            (unchanged if known and not self.force else todo).append(student)
        return todo, unchanged

    def __call__(self) -> Summary:
        start = monotonic()
        todo, unchanged = self.todo()
        summary = Summary(
            self.coursedir.assignment_id, len(todo) + len(unchanged), unchanged=len(unchanged)
        )
        self.progress(0, len(todo))
        with Writer(self.coursedir) as writer:
            chunk, since = [], monotonic()
            for done, result in enumerate(self._results(todo), 1):
                if result["outcome"] == MARKED:
                    chunk.append(result)
                    self._count(summary, result)
                else:
                    summary.failed[result["student"]] = result["log"]
                if len(chunk) >= CHUNK or (chunk and monotonic() - since > PATIENCE):
                    self._save(writer, chunk)
                    chunk, since = [], monotonic()
                self.progress(done, len(todo))
            self._save(writer, chunk)
        summary.seconds = monotonic() - start
        return summary

    def _results(self, todo) -> Iterator[dict]:
        keys, refused = {}, []

        def submissions():
            for student in todo:
                try:
                    submission = self._submission(student)
                except (TooMuch, OSError) as why:
                    refused.append(json.loads(failed(student, f"It was not marked: {why}.")))
                    continue
                keys[student] = self._key(submission)
                yield student, submission

        for student, said in self.pool.map(self.bundle, submissions()):
            yield json.loads(said) | {"key": keys.pop(student)}
        yield from refused

    def _save(self, writer, chunk):
        if not chunk:
            return
        writer.write(chunk)
        self.journal.add(
            [
                {
                    "student": result["student"],
                    "key": result["key"],
                    "outcome": result["outcome"],
                    "seconds": round(result["seconds"], 3),
                    "flags": {n: m["flags"] for n, m in result["notebooks"].items() if m["flags"]},
                    "reasons": {n: m["reasons"] for n, m in result["notebooks"].items()},
                }
                for result in chunk
            ]
        )

    def _count(self, summary, result):
        summary.marked += 1
        notebooks = result["notebooks"].values()
        flags = sorted({flag for notebook in notebooks for flag in notebook["flags"]})
        if flags:
            summary.flagged[result["student"]] = flags
        if words := [notebook["stopped"] for notebook in notebooks if notebook["stopped"]]:
            summary.stopped[result["student"]] = "; ".join(words)
        if not any(notebook["attempted"] for notebook in notebooks):
            summary.not_attempted.append(result["student"])
        for notebook in notebooks:
            for codes in notebook["reasons"].values():
                for code in codes[:1]:
                    summary.reasons[code] = summary.reasons.get(code, 0) + 1

    def _submission(self, student):
        return read_submission(
            Path(
                self.coursedir.format_path(
                    self.coursedir.submitted_directory, student, self.coursedir.assignment_id
                )
            )
        )

    def _key(self, submission):
        return fingerprint(self.bundle, submission)
