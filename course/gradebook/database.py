"""Open a gradebook of nbgrader to read it, whatever database it lies in.

    with reading("sqlite:///gradebook.db") as session:
        names = session.scalars(select(Assignment.name)).all()

nbgrader's own ``Gradebook`` makes the tables that are missing; this makes and changes nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.api import Base
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import create_engine, exc, inspect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.orm import Session


class GradebookError(Exception):
    """Why a command on the gradebook cannot go on, and what to do, in one sentence."""


def course_directory() -> CourseDirectory:
    """The course that ``nbgrader`` itself would work on here: ``course_directory().db_url``.

    It is what nbgrader_config.py says, or this folder. Raises GradebookError when that file fails.
    """
    from nbgrader.apps import ExportApp

    app = ExportApp(log_level="ERROR", raise_config_file_errors=True)
    try:
        app.initialize([])
    except Exception as error:  # the file is a program: it can fail in any way
        raise GradebookError(
            f"nbgrader_config.py does not run ({type(error).__name__}: {error}): mend it first."
        ) from error
    return app.coursedir


@contextmanager
def reading(address: str) -> Iterator[Session]:
    """A session on the gradebook at a SQLAlchemy URL: ``reading("sqlite:///gradebook.db")``.

    Raises GradebookError when there is none, or when it cannot be read.
    """
    url = _url(address)
    shown = url.render_as_string(hide_password=True)
    try:
        engine = create_engine(url)
    except exc.NoSuchModuleError:
        raise GradebookError(
            f"SQLAlchemy knows no database {url.drivername!r}: give a URL that starts with "
            "sqlite:/// or postgresql:// with --db."
        ) from None
    except ModuleNotFoundError as error:
        raise GradebookError(
            f"The database {shown} needs the Python package {error.name}: install it with pip."
        ) from None
    try:
        _look_for_tables(engine, shown)
        with Session(engine) as session:
            yield session
    except exc.DBAPIError as error:
        raise GradebookError(
            f"The gradebook {shown} cannot be read ({_said(error)}): bring an old gradebook up to "
            "date with `nbgrader db upgrade`."
        ) from error
    finally:
        engine.dispose()


def _look_for_tables(engine, shown):
    missing = {table.name for table in Base.metadata.sorted_tables}
    try:
        missing -= set(inspect(engine).get_table_names())
    except exc.DBAPIError as error:
        raise GradebookError(
            f"The database {shown} cannot be opened ({_said(error)}): check the URL of --db."
        ) from error
    if missing:
        raise GradebookError(
            f"{shown} is not a gradebook of nbgrader, it has no table {min(missing)!r}: give "
            "another with --db, or bring an old one up to date with `nbgrader db upgrade`."
        )


def _said(error):
    return str(error.orig).strip().partition("\n")[0]


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except exc.ArgumentError:
        raise GradebookError(
            f"{address!r} is not the URL of a database: write sqlite:///FILE.db or "
            "postgresql://USER:PASSWORD@HOST/NAME after --db."
        ) from None
    is_file = url.get_backend_name() == "sqlite" and not (url.database or "").startswith("file:")
    if is_file and not Path(url.database or "").is_file():
        raise GradebookError(
            f"There is no gradebook at {url}: go to the folder of the course, or give "
            "another gradebook with --db."
        )
    return url
