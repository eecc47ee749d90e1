"""Turn a test cell's outputs into its score, with nothing that a warning or a trick can change.

Stock nbgrader gives 0 to a test cell that wrote anything to stderr, full marks to a result that
is no number, and loses the whole submission when a result is above the cell's points. The rule
here: the first error or result decides; stderr does not; a result counts as partial credit only
if it is a number from 0 to the cell's points, and is worth 0 otherwise, with a word in the log
and a flag "needs manual grading" in the gradebook.
"""

from copy import deepcopy

from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import SaveAutoGrades

from course.grading.judgement import MARKING
from course.grading.refused import REFUSED

ROUNDING = 1e-6  # points added up one by one may be above their sum by this much


class SaveScores(SaveAutoGrades):
    """``SaveAutoGrades`` with the rule above: the same place in ``autograde_preprocessors``."""

    def preprocess(self, nb, resources):
        nb, resources = super().preprocess(nb, resources)
        if REFUSED in nb.metadata:
            self._give_nothing()
        if nb.metadata.get(MARKING, {}).get("flags"):
            self._flag()
        return nb, resources

    def _flag(self):
        """Put formgrader's flag on the notebook; whoever has looked at it takes it off there."""
        with Gradebook(self.db_url) as gradebook:
            submission = gradebook.find_submission_notebook(
                self.notebook_id, self.assignment_id, self.student_id
            )
            submission.flagged = True
            gradebook.db.commit()

    def _give_nothing(self):
        """Points that an instructor would have to give by hand are 0 too: there is no work."""
        with Gradebook(self.db_url) as gradebook:
            submission = gradebook.find_submission_notebook(
                self.notebook_id, self.assignment_id, self.student_id
            )
            for grade in submission.grades:
                grade.auto_score, grade.needs_manual_grade = 0, False
            gradebook.db.commit()

    def _add_score(self, cell, resources):
        judged, doubt = without_doubt(cell)
        super()._add_score(judged, resources)
        if doubt:
            name = cell.metadata.nbgrader["grade_id"]
            self.log.warning("%s, cell '%s': 0 points, because %s", self.student_id, name, doubt)
            grade = self.gradebook.find_grade(
                name, self.notebook_id, self.assignment_id, self.student_id
            )
            grade.needs_manual_grade = True
            self.gradebook.db.commit()


def without_doubt(cell):
    """Return (cell, doubt): a copy that nbgrader scores right, and what was wrong or None.

    The copy has no stderr, and no result but a number from 0 to the cell's points.
    """
    if cell.cell_type != "code" or utils.is_solution(cell):
        return cell, None
    copy = deepcopy(cell)
    copy.outputs = [output for output in copy.outputs if output.get("name") != "stderr"]
    doubt = None
    for output in copy.outputs:
        if output.output_type == "error":
            break
        if output.output_type == "execute_result":
            points, doubt = _partial_credit(output, float(cell.metadata.nbgrader["points"]))
            output.data = {"text/plain": repr(points)}
            break
    return copy, doubt


def _partial_credit(output, max_points):
    text = output.data.get("text/plain", "")
    text = "".join(text) if isinstance(text, list) else text
    try:
        points = float(text)
    except ValueError:
        return 0.0, f"its result is {text[:60]!r}, not a number of points"
    if 0 <= points <= max_points + ROUNDING:
        return min(points, max_points), None
    return 0.0, f"its result is {text[:60]!r} and the cell has {max_points:g} points"
