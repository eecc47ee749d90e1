"""Build the notebooks of source/ and release/ from the text in course/lessons/.

    python -m course build             what is stale
    python -m course build --check     nothing; say what is stale, exit status 1 if anything is

The field guide's notebook is built from its traps along with them, and README's badges from where
the course is published. What did not change since the
last build is known by a hash of all that goes into it and is not built again. nbgrader's own
``GenerateAssignment`` makes the released notebook, with the configuration that an instructor uses,
so both always agree.
"""

import argparse
import hashlib
import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from course.author_text import EXERCISE_KEYS, BuildError, read_cells
from course.lessons import LESSONS, Lesson, find_lesson
from course.stubs import release_text

ROOT = Path(__file__).parent.parent
GUIDE = "release/field_guide.ipynb"
CACHE = ROOT / ".build-cache" / "hashes.json"
FORBIDDEN = (
    "BEGIN SOLUTION",
    "END SOLUTION",
    "BEGIN HIDDEN",
    "END HIDDEN",
    "BEGIN STUB",
    "hidden=True",
)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course build", description=__doc__.split("\n")[0]
    )
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="all lessons when left out")
    parser.add_argument("--check", action="store_true", help="write nothing, report what is stale")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    try:
        lessons = [find_lesson(name) for name in options.lessons] or list(LESSONS)
        stale = build(lessons, root=options.root, write=not options.check)
    except LookupError as error:
        print(f"build: {error.args[0]}", file=sys.stderr)
        return 2
    except BuildError as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    for path in stale:
        print(f"{'stale' if options.check else 'built'}: {path}")
    if options.check and stale:
        print("build: run `python -m course build` and commit what it writes.", file=sys.stderr)
        return 1
    if not stale:
        print(f"Up to date: {len(lessons)} lessons.")
    return 0


def build(lessons: list[Lesson], root: Path = ROOT, write: bool = True) -> list[str]:
    """Build the given lessons below ``root``; give the paths that were (or are) stale.

    Nothing is written unless every lesson can be built. Raises BuildError.
    """
    known = read_cache(root)
    todo = [lesson for lesson in lessons if known.get(lesson.name) != state(lesson, root)]
    guide = known.get("field_guide") != guide_state(root)
    made = make(todo) if todo else {}
    if guide:
        made |= make_guide()
    made |= make_published(root, made)
    stale = [path for path, data in made.items() if read(root / path) != data]
    if not write:
        return stale
    for path in stale:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(made[path])
    for lesson in todo:
        known[lesson.name] = state(lesson, root)
    known["field_guide"] = guide_state(root)
    write_cache(root, known)
    return stale


def make(lessons: list[Lesson]) -> dict[str, bytes]:
    """Make every notebook of the lessons in memory: ``{path below the root: bytes}``."""
    from course.authoring import exercises_notebook, lesson_notebook

    made = {}
    with_exercises = [lesson for lesson in lessons if (lesson.folder / "exercises.py").exists()]
    for lesson in lessons:
        made[f"release/{lesson.assignment}/lesson.ipynb"] = as_bytes(lesson_notebook(lesson))
    for lesson in with_exercises:
        made[f"source/{lesson.assignment}/exercises.ipynb"] = as_bytes(exercises_notebook(lesson))
    sources = {
        lesson.assignment: made[f"source/{lesson.assignment}/exercises.ipynb"]
        for lesson in with_exercises
    }
    released = release(sources)
    for lesson in with_exercises:
        refuse_leaks(lesson, released[lesson.assignment])
        made[f"release/{lesson.assignment}/exercises.ipynb"] = released[lesson.assignment]
    return made


def make_guide() -> dict[str, bytes]:
    from course.guide.notebook import guide_notebook

    return {GUIDE: as_bytes(guide_notebook())}


def make_published(root: Path, made: dict[str, bytes]) -> dict[str, bytes]:
    """README with its badges, and the notebooks for Colab, where the course is published."""
    from course.published import colab_notebook, for_colab, published, readme

    place, found = published(), {}
    text = read(root / "README.md")
    if text is not None:
        found["README.md"] = readme(
            text.decode(), [lesson.assignment for lesson in LESSONS], place
        ).encode()
    if place:
        for lesson in LESSONS:
            for name in ("lesson", "exercises"):
                path = f"release/{lesson.assignment}/{name}.ipynb"
                released = made.get(path) or read(root / path)
                if released is not None:
                    found[for_colab(path)] = colab_notebook(path, released, place)
    return found


def as_bytes(notebook) -> bytes:
    import nbformat

    return nbformat.writes(notebook).encode() + b"\n"


def release(sources: dict[str, bytes]) -> dict[str, bytes]:
    """What nbgrader's generate_assignment makes of source notebooks, with the course's config.

    One temporary course for all: to make its gradebook takes longer than to release a notebook.
    """
    from nbgrader.apps import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import PyFileConfigLoader

    released = {}
    with tempfile.TemporaryDirectory() as folder:
        config = PyFileConfigLoader("nbgrader_config.py", path=str(ROOT)).load_config()
        config.CourseDirectory.root = folder
        config.CourseDirectory.db_url = f"sqlite:///{folder}/gradebook.db"
        api = NbGraderAPI(CourseDirectory(config=config), config=config)
        for assignment, source in sources.items():
            place = Path(folder) / "source" / assignment / "exercises.ipynb"
            place.parent.mkdir(parents=True)
            place.write_bytes(source)
            outcome = api.generate_assignment(assignment)
            if not outcome["success"]:
                raise RuntimeError(f"nbgrader could not release {assignment}:\n{outcome['log']}")
            made = Path(folder) / "release" / assignment / "exercises.ipynb"
            released[assignment] = made.read_bytes()
    return released


def refuse_leaks(lesson: Lesson, released: bytes) -> None:
    """Refuse a released notebook that still holds a solution or a hidden test."""
    path = lesson.folder / "exercises.py"
    notebook = json.loads(released)
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    for mark in FORBIDDEN:
        if mark in text:
            raise BuildError(path, None, f"{mark!r} would reach release/.")
    sources = {"".join(cell["source"]) for cell in notebook["cells"]}
    for cell in read_cells(path, EXERCISE_KEYS):
        if (
            cell.kind == "code"
            and "exercise" in cell.keys
            and release_text(cell.source) not in sources
        ):
            raise BuildError(path, cell.line, "the solution of this cell would reach release/.")


def state(lesson: Lesson, root: Path) -> str:
    """A hash of everything that goes into a lesson's notebooks, and of the notebooks themselves."""
    files = makers("answers", "author_rules", "exercise", "stubs", "to_fill")
    files += sorted((ROOT / "course" / "grading").glob("*.py")) + [ROOT / "nbgrader_config.py"]
    files += sorted(lesson.folder.glob("*.py"))
    if lesson.number == 0:  # it shows the map of all lessons
        files += [*makers("lessons/__init__", "report"), *sorted(ROOT.glob("course/progress/*.py"))]
        files += sorted(ROOT.glob("course/lessons/*/exercises.py"))
    files += sorted(root.glob(f"*/{lesson.assignment}/*.ipynb"))
    return digest(files, lesson.assignment)


def guide_state(root: Path) -> str:
    """The same for the field guide."""
    guide = ROOT / "course" / "guide"
    files = [*makers("lessons/__init__", "reasons"), *sorted(guide.rglob("*.py")), root / GUIDE]
    files += sorted((ROOT / "course" / "lessons").glob("*/reasons.py"))
    return digest([path for path in files if path.exists()])


def makers(*names: str) -> list[Path]:
    names = ("author_text", "authoring", "build", "percent", *names)
    return [ROOT / "course" / f"{name}.py" for name in names]


def digest(files: list[Path], word: str = "") -> str:
    found = hashlib.sha256()
    for name in ("jupytext", "nbformat", "nbgrader"):
        found.update(f"{name} {version(name)}\n".encode())
    found.update(word.encode())
    for path in files:
        found.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def read_cache(root: Path) -> dict[str, str]:
    path = root / CACHE.relative_to(ROOT)
    try:
        return json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def write_cache(root: Path, known: dict[str, str]) -> None:
    path = root / CACHE.relative_to(ROOT)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(known, indent=1, sort_keys=True))
