"""Marking notebooks that strangers wrote: what nbgrader needs to be trusted with them.

Small classes that nbgrader's own options take (lists of preprocessors, mostly), each for one
thing that stock nbgrader gets wrong. They know nothing of this course's lessons and serve any
nbgrader course; ``nbgrader_config.py`` at the top of the repository switches them on.
"""

from importlib import import_module

_HOME = {
    "ClearSolutionsWithStub": "course.grading.solutions",
    "HideTests": "course.grading.feedback",
    "JudgedExecute": "course.grading.judgement",
    "LimitBytes": "course.grading.outputs",
    "RestoreCells": "course.grading.cells",
    "SafeDeduplicate": "course.grading.cells",
    "SafeExecute": "course.grading.execute",
    "SaveScores": "course.grading.scores",
    "SlicedKernelManager": "course.grading.kernel",
    "SubmissionExporter": "course.grading.submission",
}  # public name -> the module that defines it: importing nbgrader takes a second

# the MIME type of what a test cell reports to a judge; here, where it costs no import
REPORT = "application/vnd.hooked-on-backward.report+json"

__all__ = ["REPORT", *sorted(_HOME)]


def __getattr__(name):
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'course.grading' has no attribute {name!r}")
