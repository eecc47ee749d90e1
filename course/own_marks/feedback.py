"""A learner's marks in words, at the top of the feedback page that nbgrader makes."""

from nbformat.v4 import new_markdown_cell
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import List

from course.grading.judgement import MARKING
from course.lessons import lesson_of
from course.own_marks.marking import marks_in
from course.own_marks.page import as_html


class Summary(NbGraderPreprocessor):
    """Goes into ``c.GenerateFeedback.preprocessors``, after ``GetGrades``.

    For each exercise: points, outcome, reason, hint and the entry of the field guide. Of hidden
    cases it says what the judge told, which quotes no test. Other assignments are left as they are.
    """

    # the HTML exporter sets it for everybody; as nbgrader's base class has it, that is a warning
    display_data_priority = List().tag(config=True)

    def preprocess(self, nb, resources):
        lesson = lesson_of(resources["nbgrader"]["assignment"])
        if lesson is None or MARKING not in nb.metadata:
            return nb, resources
        scores = {
            cell.metadata.nbgrader["grade_id"]: cell.metadata.nbgrader.get("score")
            for cell in nb.cells
            if "nbgrader" in cell.metadata
        }
        nb.cells.insert(0, new_markdown_cell(as_html(marks_in(lesson, nb, scores), links=False)))
        return nb, resources
