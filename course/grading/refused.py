"""Outcomes that are not the learner's own output: what a grade cell says when it was not run.

nbgrader gives a test cell with an error among its outputs 0 points, and shows the error in the
learner's feedback. So one clear error output is both the mark and the message.
"""

from nbformat.v4 import new_markdown_cell, new_notebook, new_output

REFUSED = "refused"  # notebook metadata: why nothing in this notebook was run


def error_output(name: str, sentence: str):
    """An error output of a code cell, as a kernel would have sent it."""
    return new_output("error", ename=name, evalue=sentence, traceback=[f"{name}: {sentence}"])


def not_run(why: str):
    """The output of a test cell that was not run."""
    return error_output("NotRun", f"this cell was not run, because {why}")


def refused_notebook(why: str):
    """What is marked in the place of a submission that cannot be read: a notebook of one note."""
    note = new_markdown_cell(f"**This submission could not be marked: {why}.** It has 0 points.")
    return new_notebook(cells=[note], metadata={REFUSED: why})
