"""How this course is made, run and marked by nbgrader: for `nbgrader …` and for formgrader.

Lines of interest to an instructor: the time limits and the size limits. The lists of classes put
this course's own classes (course/grading/, each says what for) in the places of nbgrader's.
"""

import os

c = get_config()  # noqa: F821 - nbgrader defines it

# The course is the folder of this file, wherever nbgrader is started from.
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__))
c.CourseDirectory.course_id = "hooked-on-backward"
# Only exercises.ipynb is handed out, handed in and marked. lesson.ipynb stays where it is.
c.CourseDirectory.notebook_id = "exercises"

# --- limits -------------------------------------------------------------------------------
c.Execute.timeout = 30  # seconds that one cell may run, here and under the Validate button
c.SafeExecute.notebook_timeout = 300  # seconds that all cells of one submission may run
c.Execute.iopub_timeout = 10  # seconds in which the rest of a cell's output must have come
c.LimitBytes.max_bytes = 250_000  # output of one cell that is kept
c.LimitOutput.max_lines = 1000
c.SubmissionExporter.optimistic_validation = True  # the form is checked once, not after each step
c.SubmissionExporter.max_notebook_bytes = 20_000_000  # a larger notebook is marked 0, unread

# --- strangers' code: what autograde's notebooks can reach ---------------------------------
c.SafeExecute.packages = ["course"]  # they see this package …
c.SafeExecute.withheld = ["lessons/*/exercises.py", "lessons/*/answers.py"]  # … without these
c.SafeExecute.max_memory = 4_000_000_000
c.SafeExecute.environment = {"OMP_NUM_THREADS": "1"}  # many small tensors: threads only wait
c.JudgedExecute.judge = "course.second_judgement:Judge"  # decides outside of the notebook
c.SafeExecute.allow_uncontained = False  # True: on a machine without Linux's namespaces

# --- running notebooks: autograde and the Validate button ---------------------------------
c.Execute.shutdown_kernel = "immediate"  # a polite end takes half the time of a small notebook
c.Execute.store_widget_state = False  # nobody plays with a marked notebook
c.Execute.kernel_manager_class = "course.grading.SlicedKernelManager"  # no waits at widgets
# autograde forks from a process that has imported this: torch, and what else each notebook would
# import for itself. Validate does not: that process would stay in the learner's server
c.SafeExecute.preload = ["course.warm"]

# --- nbgrader generate_assignment ---------------------------------------------------------
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "course.grading.ClearSolutionsWithStub",  # an exercise may start from given code
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# --- nbgrader autograde -------------------------------------------------------------------
# Its exit status is 0 when every submission has its marks, also when some of them are 0 because
# there was nothing to mark: the log names those. It is 1 when something went wrong on our side.
c.Autograde.exporter_class = "course.grading.SubmissionExporter"
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "course.grading.SafeDeduplicate",  # a doubled cell does not stop the class
    "nbgrader.preprocessors.OverwriteKernelspec",
    "course.grading.RestoreCells",  # deleted cells and damaged metadata come back, so that
    "nbgrader.preprocessors.OverwriteCells",  # CheckCellMetadata has nothing to find
]
c.Autograde.autograde_preprocessors = [
    "course.grading.JudgedExecute",  # every notebook comes to an end; submitted files are not run
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "course.grading.LimitBytes",  # no notebook of 60 MB
    "course.grading.SaveScores",  # a warning is not an error; a forged result is no result
    "nbgrader.preprocessors.AssignLatePenalties",
]

# --- nbgrader generate_feedback -----------------------------------------------------------
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "course.own_marks.feedback.Summary",  # each exercise: points, outcome, reason, hint
    "course.grading.HideTests",  # hidden tests stay hidden
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]

# --- nbgrader zip_collect -----------------------------------------------------------------
# ann_exercises.ipynb, or exercises.ipynb in ann.zip or in a folder ann, was handed in by ann
c.FileNameCollectorPlugin.named_regexp = (
    r".*[/\\](?P<student_id>[^/\\]+)[_/\\](?P<file_id>exercises)\.ipynb$"
)

# --- nbgrader collect ---------------------------------------------------------------------
# what was handed in under another learner's name is named and not taken
c.ExchangeFactory.collect = "course.exchange.Collect"

# --- nbgrader release_feedback ------------------------------------------------------------
# a learner sees the feedback although lesson.ipynb, which is not marked, was handed in as well
c.ExchangeFactory.release_feedback = "course.exchange.ReleaseFeedback"
