"""Mark one notebook of a learner as nbgrader does, in a temporary course, and touch nothing else.

    marks = mark_notebook(find_lesson("leaf_tensors"), Path("exercises.ipynb").read_bytes())
    marks["points"], marks["of"]

The temporary course is generated from source/ with the shipped nbgrader_config.py; what runs there
is ``course.grading.batch.mark``, as for a class. Where this machine cannot contain a notebook it
runs with the learner's own rights: it is the learner's own code.
"""

import json
import secrets
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
from nbconvert.filters import strip_ansi
from traitlets.config import PyFileConfigLoader

from course.exercise import lesson_checks
from course.grading import contained
from course.grading.batch.bundle import CannotMark, archive, make_bundle
from course.grading.batch.mark import MARKED, mark
from course.grading.judgement import MARKING
from course.lessons import Lesson
from course.progress.places import exercises

ROOT = Path(__file__).parent.parent.parent
NOTEBOOK = "exercises"  # nbgrader_config.py's name of the one notebook that is marked


def mark_notebook(
    lesson: Lesson,
    notebook: bytes,
    step: Callable[[str], None] = lambda words: None,
    root: Path = ROOT,
) -> dict:
    """The marks of a notebook as plain data. Raises CannotMark with one sentence.

    ``points``, ``of`` and ``exercises``: for each ``name``, ``title``, ``points``, ``of`` and
    ``parts``: "visible" and "hidden", each with ``points``, ``of``, ``cases`` (what the
    judge told of each) and ``words`` (what else the cell said, where it came to no ruling).
    """
    source = root / "source" / lesson.assignment / f"{NOTEBOOK}.ipynb"
    if not exercises(lesson):
        raise CannotMark(f"Lesson {lesson.number} has no exercises.")
    if not source.is_file():
        raise CannotMark(
            f"There is no source/{lesson.assignment} here, so hidden cases cannot be run: marking "
            "needs the whole course, not only release/."
        )
    expect_exercises(lesson, notebook)
    step("Preparing a course of its own for your notebook …")
    with tempfile.TemporaryDirectory(prefix="own-marks-") as folder:
        bundle = bundle_of(lesson, source, Path(folder), root)
        step("Running your notebook from the top, hidden cases included …")
        submission = archive({f"{NOTEBOOK}.ipynb": notebook})
        result = json.loads(mark(bundle, "you", submission))
    if result["outcome"] != MARKED:
        last = [line for line in result["log"].splitlines() if line.strip()][-1:]
        raise CannotMark(f"nbgrader could not mark this notebook: {' '.join(last) or 'no reason'}")
    return marks_of(lesson, result["notebooks"][NOTEBOOK])


def expect_exercises(lesson, notebook: bytes) -> None:
    """Refuse what is not this lesson's exercises before anything is run. Raises CannotMark."""
    try:
        cells = nbformat.reads(notebook.decode(), 4).cells
        names = {cell.metadata.get("nbgrader", {}).get("grade_id") for cell in cells}
    except Exception as error:
        raise CannotMark("This is not a notebook that can be read; is it saved?") from error
    if not names & {place.name for place in exercises(lesson)}:
        raise CannotMark(
            f"This notebook holds no exercise of lesson {lesson.number}; "
            f"give the exercises.ipynb of {lesson.assignment}."
        )


def bundle_of(lesson, source, folder, root) -> bytes:
    """What marking needs, from a course in ``folder`` that has this one assignment."""
    from nbgrader.apps import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    config = PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.db_url = f"sqlite:///{folder}/gradebook.db"
    if contained.missing():
        config.SafeExecute.allow_uncontained = True
    course = CourseDirectory(config=config)
    place = folder / "source" / lesson.assignment / source.name
    place.parent.mkdir(parents=True)
    place.write_bytes(source.read_bytes())
    made = NbGraderAPI(course, config=config).generate_assignment(lesson.assignment)
    if not made["success"]:
        raise CannotMark(f"nbgrader could not prepare {lesson.assignment}: {made.get('error')}")
    course.assignment_id = lesson.assignment
    return make_bundle(course, config, secrets.token_hex(16))


def marks_of(lesson, marked: dict) -> dict:
    """``mark``'s result for the one notebook, by exercise."""
    notebook = nbformat.reads(marked["text"], 4)
    scores = {name: score for name, (score, _) in marked["cells"].items()}
    return marks_in(lesson, notebook, scores)


def marks_in(lesson: Lesson, notebook, scores: Mapping[str, float | None]) -> dict:
    """What a marked notebook and the scores of its cells say, by exercise.

    Of the lesson's exercises it names those that the notebook has, with the notebook's own points:
    an instructor may have handed out a part.
    """
    cells = {
        cell.metadata["nbgrader"]["grade_id"]: cell
        for cell in notebook.cells
        if cell.cell_type == "code" and "nbgrader" in cell.metadata
    }
    marking = notebook.metadata.get(MARKING, {})
    told = marking.get("told", {})
    checks, found = lesson_checks(lesson.name), []
    for place in exercises(lesson):
        parts = {}
        for part in ("visible", "hidden"):
            name = f"{place.name}_{part}"
            if name not in cells:
                continue
            of = checks[place.name].points(hidden=part == "hidden")
            parts[part] = {
                "points": scores.get(name) or 0,
                "of": cells[name].metadata["nbgrader"].get("points", of),
                **words_of(told.get(name), cells[name].outputs, hidden=part == "hidden"),
            }
        if not parts:
            continue
        points, of = (sum(part[key] for part in parts.values()) for key in ("points", "of"))
        one = {"name": place.name, "title": place.title, "points": points, "of": of}
        found.append({**one, "parts": parts})
    return {
        "lesson": lesson.name,
        "points": sum(one["points"] for one in found),
        "of": sum(one["of"] for one in found),
        "flags": marking.get("flags", []),
        "exercises": found,
    }


def words_of(told, outputs, hidden: bool) -> dict:
    """Why a test cell gave what it gave; of a hidden one only what names no test."""
    if told:
        return {"cases": told, "words": ""}
    errors = [output for output in outputs if output.output_type == "error"]
    if not errors:
        return {"cases": [], "words": ""}
    error = errors[0]
    if error.ename != "CheckFailed":  # stopped, out of time: words of the marking's own
        return {"cases": [], "words": f"{error.ename}: {error.evalue}"}
    text = error.evalue if hidden else strip_ansi("\n".join(error.traceback))
    return {"cases": [], "words": text}
