"""Keep hidden tests hidden after the marking too.

To mark a submission nbgrader puts the hidden tests back into it, and its feedback page shows that
notebook, tests and all: the next class has them. This preprocessor leaves the visible part of such
a cell and its score.
"""

import html
import re

from nbconvert.filters import strip_ansi
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.preprocessors import ClearHiddenTests
from traitlets import List

NOTE = "This cell has hidden tests. Only their score is shown."
WITHHELD = "This output is not shown: it quotes a hidden test."
TELLING = 8  # characters; a shorter line is no secret


class HideTests(ClearHiddenTests):
    """Goes into ``c.GenerateFeedback.preprocessors``, after ``GetGrades``.

    A hidden test is known by the region that ``ClearHiddenTests`` knows, with its options. All
    outputs of a cell with a hidden test become one line, for an error shows the line that raised
    it. An output of another cell that quotes a line of a hidden test is withheld: notebooks can
    print the cells that ran before. This stops copying, not a learner who encodes what he prints.
    """

    # the HTML exporter sets it for everybody; as nbgrader's base class has it, that is a warning
    display_data_priority = List().tag(config=True)

    def preprocess(self, nb, resources):
        tests = [cell for cell in nb.cells if self._has_hidden_test(cell)]
        secrets = {line for cell in tests for line in _lines(cell.source)}
        for cell in tests:
            cell.source = self._visible_part(cell.source)
            cell.outputs = [new_output("stream", name="stdout", text=NOTE)]
        secrets -= {line for cell in nb.cells for line in _lines(cell.source)}
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = [_discreet(output, secrets) for output in cell.outputs]
        return nb, resources

    def _has_hidden_test(self, cell):
        # in an answer of their own learners may write what they like
        test = cell.cell_type == "code" and utils.is_grade(cell) and not utils.is_solution(cell)
        return test and self.begin_test_delimeter in cell.source

    def _visible_part(self, source):
        visible, hidden = [], False
        for line in source.split("\n"):
            if self.begin_test_delimeter in line:
                hidden = True
            elif self.end_test_delimeter in line:
                hidden = False
            elif not hidden:
                visible.append(line)
        return "\n".join(visible)


def _lines(text):
    """The lines that would give something away, without the spaces in them."""
    lines = (re.sub(r"\s", "", line) for line in text.split("\n"))
    return {line for line in lines if len(line) >= TELLING}


def _discreet(output, secrets):
    parts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    parts += [text for text in output.get("data", {}).values() if isinstance(text, str)]
    said = re.sub(r"\s", "", html.unescape(strip_ansi("\n".join(parts))))
    if any(secret in said for secret in secrets):
        return new_output("stream", name="stdout", text=WITHHELD)
    return output
