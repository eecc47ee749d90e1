"""The marking of a notebook beside the kernel that asked for it, in a process with a time limit.

    marking = Marking("leaf_tensors", path, step=print)
    marking.result()                   # {"marks": …} or {"error": "one sentence"}

The kernel stays free, and its memory stays small. A marking that takes too long, or is not wanted
any more, is ended with all that it started; one whose kernel has gone ends itself.
"""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from threading import Thread, Timer

import psutil

from course.machine.venv import ROOT

SECONDS = 420.0  # nbgrader_config.py gives the notebook itself 300
PATIENCE = 5.0  # for a process that was asked to end


class Marking:
    """One marking; ``step`` is called with words on what it does, in a thread."""

    def __init__(
        self, lesson: str, notebook: Path, step: Callable[[str], None], seconds: float = SECONDS
    ):
        self.step, self.seconds, self.why_ended = step, seconds, ""
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        # -P: files beside the notebook are no modules
        command = [sys.executable, "-P", "-m", "course", "grade-me", lesson]
        command += ["--json", "--while-stdin", "--notebook", str(notebook)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self.said = deque(maxlen=20)
        Thread(target=self._listen, daemon=True).start()

    def result(self) -> dict:
        """Wait for the end, and say how it was."""
        limit = Timer(self.seconds, self.end, [f"it took longer than {self.seconds:g} seconds"])
        limit.daemon = True
        limit.start()
        found = {}
        assert self.process.stdout is not None  # it is a pipe
        try:
            for line in self.process.stdout:
                found = json.loads(line)
                if "step" in found:
                    self.step(found["step"])
            self.process.wait()
        finally:
            limit.cancel()
        # one that is being ended may call that an error of nbgrader's
        if "marks" in found or ("error" in found and not self.why_ended):
            return found
        why = self.why_ended or (self.said or ["it gave no reason"])[-1]
        return {"error": f"The marking was ended: {why}."}

    def end(self, why: str) -> None:
        """End it with all its processes; ``why`` is for the learner."""
        self.why_ended = why
        everyone = self._everyone()
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        for process in everyone:
            try:
                process.kill()
            except psutil.Error:  # it has ended
                continue

    def _everyone(self):
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.Error:
            return []

    def _listen(self):
        assert self.process.stderr is not None  # it is a pipe
        for line in self.process.stderr:
            if words := line.decode(errors="replace").strip():
                self.said.append(words)
