"""Release an exercise with its own starting code.

Stock nbgrader puts the same two lines in place of every solution. An exercise such as "repair
this hook" starts from code that is there, so its author writes that code inside the solution
region (``course.stubs`` has the rule) and this preprocessor releases it.
"""

from nbgrader.preprocessors import ClearSolutions

from course.stubs import release_text


class ClearSolutionsWithStub(ClearSolutions):
    """``ClearSolutions`` that knows ``### BEGIN STUB``; without one it does what stock does.

    ``c.GenerateAssignment.preprocessors`` takes it in the place of ``ClearSolutions``. The options
    of ``ClearSolutions`` (delimiters, ``code_stub``, ``text_stub``) keep their meaning.
    """

    def _replace_solution_region(self, cell, language):
        if self.begin_solution_delimeter not in cell.source:
            return super()._replace_solution_region(cell, language)
        cell.source = release_text(
            cell.source,
            self.code_stub[language] if cell.cell_type == "code" else self.text_stub,
            begin=self.begin_solution_delimeter,
            end=self.end_solution_delimeter,
        )
        return True
