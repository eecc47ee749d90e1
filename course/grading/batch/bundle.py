"""What marking needs of a course, as bytes that can be sent to any process of any machine.

A bundle is a zip archive: ``bundle.json`` (the assignment's name, nbgrader's options, the secret of
the judge), ``gradebook.db`` (the assignment as nbgrader made it, without a single student) and the
files of ``source/<assignment>/`` but its notebooks. A submission is a zip archive of the files that
were handed in. Equal folders give equal bytes.
"""

import io
import json
import os
import tempfile
import zipfile
from pathlib import Path

from nbgrader.api import (
    Assignment,
    BaseCell,
    Course,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    SourceCell,
    TaskCell,
)
from nbgrader.utils import find_all_files
from sqlalchemy import create_engine, insert, inspect, select
from traitlets.config import Config, LazyConfigValue

EPOCH = (1980, 1, 1, 0, 0, 0)  # of every file in an archive
MAX_FILES = 200
MAX_BYTES = 200_000_000  # of one submission, all files together


class CannotMark(Exception):
    """What stops the marking before it begins, and what to do, in a sentence."""


class TooMuch(Exception):
    """Why the files of a submission are not taken, as half a sentence."""


def make_bundle(coursedir, config: Config, secret: str) -> bytes:
    """The bundle of ``coursedir.assignment_id``. Raises CannotMark."""
    assignment = coursedir.assignment_id
    source = Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
    facts = {"assignment": assignment, "config": plain(config), "secret": secret}
    files = {
        f"source/{Path(path).relative_to(source)}": Path(path).read_bytes()
        for path in find_all_files(str(source), [*coursedir.ignore, "*.ipynb"])
    }
    return archive(
        {
            "bundle.json": json.dumps(facts, sort_keys=True).encode(),
            "definition.json": json.dumps(
                definition(coursedir.db_url, assignment, in_source=source.is_dir())
            ).encode(),
            **files,
        }
    )


def plain(config) -> dict:
    """nbgrader's options as JSON. Raises CannotMark for an option that only Python can hold."""

    def value(thing, path):
        if isinstance(thing, LazyConfigValue):
            raise CannotMark(
                f"The option {path} is changed in place (append, update, …) in nbgrader_config.py; "
                "give it as a whole value, so that it can be sent to other processes."
            )
        if isinstance(thing, dict):
            return {str(key): value(item, f"{path}.{key}") for key, item in sorted(thing.items())}
        if isinstance(thing, (list, tuple, set)):
            return [value(item, path) for item in thing]
        if thing is None or isinstance(thing, (str, int, float, bool)):
            return thing
        if isinstance(thing, type):
            return f"{thing.__module__}.{thing.__qualname__}"
        raise CannotMark(
            f"The option {path} of nbgrader_config.py is {thing!r}, which cannot be sent to other "
            "processes; give it as text, a number, a list or a dict."
        )

    return value(dict(config), "c")


TABLES = (Course, Assignment, Notebook, BaseCell, GradeCell, SolutionCell, TaskCell, SourceCell)


def definition(db_url: str, assignment: str, in_source=False) -> dict[str, list[dict]]:
    """The rows of a gradebook that define an assignment, by table.

    Raises CannotMark, with the command that makes the assignment if it lies ``in_source``.
    """
    engine = create_engine(db_url)
    tables = {table.__table__.name: table.__table__ for table in TABLES}
    with engine.connect() as gradebook:

        def rows(name, column, values):
            table = tables[name]
            found = gradebook.execute(select(table).where(table.c[column].in_(values)))
            ordered = sorted((dict(row) for row in found.mappings()), key=lambda r: str(r["id"]))
            return [{key: as_json(value) for key, value in row.items()} for row in ordered]

        if not inspect(gradebook).has_table("assignment"):  # nothing was ever generated
            raise CannotMark(unknown(assignment, [], in_source))
        chosen = rows("assignment", "name", [assignment])
        if not chosen:
            names = gradebook.execute(select(tables["assignment"].c.name)).scalars()
            raise CannotMark(unknown(assignment, sorted(names), in_source))
        notebooks = rows("notebook", "assignment_id", [chosen[0]["id"]])
        ids = [row["id"] for row in notebooks]
        cells = rows("base_cell", "notebook_id", ids)
        kinds = {
            name: rows(name, "id", [cell["id"] for cell in cells])
            for name in ("grade_cells", "solution_cells", "task_cells")
        }
        found = {
            "course": rows("course", "id", [chosen[0]["course_id"]]),
            "assignment": chosen,
            "notebook": notebooks,
            "base_cell": cells,
            **kinds,
            # in the order in which nbgrader reads them, which is that of the notebook
            "source_cell": [
                {key: as_json(value) for key, value in dict(row).items()}
                for row in gradebook.execute(
                    select(tables["source_cell"]).where(
                        tables["source_cell"].c.notebook_id.in_(ids)
                    )
                ).mappings()
            ],
        }
    engine.dispose()
    return found


def unknown(assignment: str, names: list[str], in_source: bool) -> str:
    held = f"It holds: {', '.join(names)}." if names else "It holds none yet."
    way = f" Run: nbgrader generate_assignment {assignment}" if in_source else ""
    return f"The gradebook has no assignment {assignment!r}. {held}{way}"


def as_json(value):
    return {"time": value.isoformat()} if hasattr(value, "isoformat") else value


def new_gradebook(path: Path, rows: dict[str, list[dict]]) -> None:
    """Make the SQLite gradebook ``path`` with these rows and nothing else."""
    from datetime import datetime

    def value(thing):
        return datetime.fromisoformat(thing["time"]) if isinstance(thing, dict) else thing

    Gradebook(f"sqlite:///{path}").close()
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as gradebook:
        for table in (model.__table__ for model in TABLES):
            existing = set(gradebook.execute(select(table.c.id)).scalars())
            new = [
                {key: value(thing) for key, thing in row.items()}
                for row in rows[table.name]
                if row["id"] not in existing
            ]
            if new:
                gradebook.execute(insert(table), new)
    engine.dispose()


def read_submission(folder: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The archive of what is in a folder of ``submitted/``. Links are left out.

    Raises TooMuch.
    """
    files, size = {}, 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or ".ipynb_checkpoints" in path.parts:
            continue
        if not path.resolve().is_relative_to(folder.resolve()):
            continue  # in a folder that is a link
        size += path.stat().st_size
        if len(files) >= MAX_FILES:
            raise TooMuch(f"it has more than {MAX_FILES} files")
        if size > max_bytes:
            raise TooMuch(f"its files have more than {max_bytes / 1e6:.0f} MB")
        files[str(path.relative_to(folder))] = path.read_bytes()
    return archive(files)


def archive(files: dict[str, bytes]) -> bytes:
    """A zip archive whose bytes depend on the files alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as made:
        for name in sorted(files):
            made.writestr(zipfile.ZipInfo(name, EPOCH), files[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def unpack(data: bytes, folder: Path) -> None:
    """Write the files of an archive of ours under ``folder``."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        packed.extractall(folder)  # which never leaves it


def fast_folder(prefix: str) -> Path:
    """A new folder, in memory where the machine has such a place."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix=prefix, dir=memory))
