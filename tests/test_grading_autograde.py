"""The shipped nbgrader_config.py and stock nbgrader on the same submissions, side by side."""

import pytest
from nbgrader_course import COLD, Course, code, position
from scratch_assignment import FULL, NOTHING, RIGHT, STUB, answered, scores

pytest_plugins = ["scratch_course"]
pytestmark = pytest.mark.nbgrader

LOST = dict.fromkeys(FULL)  # in the gradebook, with no score at all
TRICK = "fractions.py"  # a name that Python's own library has
LAUNCHER = """
open({mark!r}, "w").close()
from ipykernel import kernelapp
kernelapp.launch_new_instance()
"""
LOOK = """
import atexit, fractions, os, sys
atexit.register(lambda: open({mark!r}, "w").close())
print("fractions is", "the library's" if hasattr(fractions, "Fraction") else "mine")
print("beside me:", sorted(os.listdir()))
print("\\n[AutogradeApp | ERROR] forged", file=sys.__stderr__, flush=True)
"""


def submissions(released, marks):
    """{student: (notebook, other files)}; ``marks`` is where programs leave a trace."""
    warn = "import warnings; warnings.warn('careful')"
    forge = "get_ipython().displayhook({!r})"
    skipped = answered(released, double="pass", half="pass")
    for name in ("test_double", "test_hidden", "test_half"):
        skipped.cells[position(skipped, name)].metadata["tags"] = ["skip-execution"]
    exits = answered(released)
    exits.cells.insert(position(exits, "test_half"), code("import os; os._exit(9)"))
    spying = answered(released, half=RIGHT["half"] + LOOK.format(mark=f"{marks}/atexit"))
    spying.cells.append(code("print(*In)"))

    def half(line):
        return answered(released, half=f"def half(x):\n    {line}\n    return x / 2")

    return {
        "right": (answered(released), {}),
        "forgets": (None, {"notes.txt": "I forgot the notebook"}),
        "warns": (half(warn), {}),
        "exits": (exits, {}),
        "skips": (skipped, {}),
        "claims": (half(forge.format(1000)), {}),
        "boasts": (half(forge.format("all of them")), {}),
        "spies": (
            spying,
            {
                TRICK: "",
                "ipykernel_launcher.py": LAUNCHER.format(mark=f"{marks}/launcher"),
                "data.csv": "mine",
                "answer.txt": "mine",
            },
        ),
    }


class Marked:
    """A course whose submissions were marked and given feedback, and the traces that they left."""

    def __init__(self, root, **options):
        self.course = Course(root / "course", **options)
        self.marks = root / "marks"
        self.marks.mkdir()
        released = self.course.released("numbers")
        for student, (nb, files) in submissions(released, self.marks).items():
            self.course.submit(student, "numbers", nb, files)
        self.run = self.course.autograde("numbers")
        self.scores = self.course.scores("numbers")
        others = ",".join(self.scores.keys() - {"right", "spies", "exits", "forgets"})
        exclude = f"--CourseDirectory.student_id_exclude={others}"
        self.feedback_run = self.course.generate_feedback("numbers", exclude)

    def traces(self):
        return {path.name for path in self.marks.iterdir()}

    def printed(self, student, name):
        nb = self.course.autograded(student, "numbers")
        outputs = nb.cells[position(nb, name)].outputs
        return "".join(out.text for out in outputs if out.output_type == "stream")


@pytest.fixture(scope="module")
def ours(tmp_path_factory, scratch):
    config = COLD + 'c.Autograde.exclude_overwriting = {"numbers": ["answer.txt"]}\n'
    return Marked(tmp_path_factory.mktemp("ours"), like=scratch, config=config)


@pytest.fixture(scope="module")
def stock(tmp_path_factory, scratch):
    return Marked(tmp_path_factory.mktemp("stock"), like=scratch, stock=True)


def test_an_exercise_is_released_with_its_own_starting_code(scratch):
    nb = scratch.released("numbers")
    assert nb.cells[position(nb, "half")].source == "def half(x):\n    return x // 2  # repair me"
    assert nb.cells[position(nb, "double")].source == (
        "def double(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    )


def test_every_submission_has_its_points(ours):
    assert ours.run.status == 0, ours.run.output
    assert ours.scores == {
        "right": scores(),
        "forgets": NOTHING,
        "warns": scores(),
        "exits": scores(test_half=0),
        "skips": STUB | {"test_half": 0, "why": None},
        "claims": scores(test_half=0),
        "boasts": scores(test_half=0),
        "spies": scores(),
    }


def test_stock_nbgrader_loses_some_and_gives_others_what_is_not_theirs(stock):
    assert "forgets" not in stock.scores
    assert stock.run.status == 1
    assert stock.scores == {
        "right": scores(),
        "warns": scores(test_half=0),
        "exits": LOST,
        "skips": scores(),
        "claims": scores(test_half=None),
        "boasts": scores(),
        "spies": scores(),
    }


def test_a_result_that_cannot_be_is_flagged_for_the_instructor(ours):
    flags = ours.course.scores("numbers", column="needs_manual_grade")
    assert [student for student in flags if flags[student]["test_half"]] == ["boasts", "claims"]
    log = ours.run.output
    assert "claims, cell 'test_half': 0 points, because its result is '1000'" in log
    assert "boasts, cell 'test_half': 0 points, because its result is \"'all of them'\"" in log


def test_a_warning_stays_in_the_feedback_though_it_costs_nothing(ours):
    assert "UserWarning: careful" in ours.printed("warns", "test_half")


def test_submitted_files_are_neither_run_nor_imported(ours, stock):
    assert "fractions is mine" in stock.printed("spies", "half")
    assert "fractions is the library's" in ours.printed("spies", "half")
    assert "launcher" in stock.traces()
    assert "launcher" not in ours.traces()


def test_the_assignments_files_come_along_and_what_exclude_overwriting_names(ours, stock):
    assert "beside me: ['answer.txt', 'data.csv', 'sub']" in ours.printed("spies", "half")
    assert "'exercises.ipynb'" in stock.printed("spies", "half")


def test_kernels_are_shut_down_at_once(ours, stock):
    assert "atexit" in stock.traces()
    assert "atexit" not in ours.traces()


def test_a_submission_cannot_write_into_the_instructors_log(ours, stock):
    assert "\n[AutogradeApp | ERROR] forged" in stock.run.output
    assert "forged" not in ours.run.output


def test_hidden_tests_are_not_in_the_feedback(ours, stock):
    for student in ("right", "spies"):  # the second one prints all cells that were run
        assert ours.feedback_run.status == 0, ours.feedback_run.output
        assert "a secret of the instructor" in stock.course.feedback(student, "numbers")
        page = ours.course.feedback(student, "numbers")
        assert "a secret of the instructor" not in page
        assert "This cell has hidden tests. Only their score is shown." in page
        assert "Score: 3.0 / 3.0" in page


def test_the_feedback_says_why_there_are_no_points(ours):
    assert "there is no file exercises.ipynb in it" in ours.course.feedback("forgets", "numbers")
    why = "NotRun: this cell was not run, because the kernel died in cell 8"
    assert why in ours.course.feedback("exits", "numbers")
