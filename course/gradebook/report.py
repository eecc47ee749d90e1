"""``python -m course report ASSIGNMENT``: which exercises were hard, and why answers were wrong.

    python -m course report ps1
    python -m course report ps1 --csv ps1.csv --picture ps1.svg

The marks come from the gradebook, the reasons from the notebooks that autograde has run. The page
docs/instructor/report.md says what the columns mean.
"""

import argparse
import sys
from pathlib import Path

from course.gradebook.database import GradebookError, course_directory, reading
from course.gradebook.files import write_whole
from course.gradebook.items import analyse
from course.gradebook.marks import marks_of
from course.gradebook.reasons import executed_notebooks, gather
from course.gradebook.words import as_csv, as_json, as_text


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course report",
        description="Which exercises of an assignment were hard, and why answers were wrong.",
        epilog="docs/instructor/report.md says what the columns mean.",
    )
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument(
        "--db", metavar="URL", help="the gradebook; default: the one of this course"
    )
    parser.add_argument("--csv", metavar="FILE", help="write the table for a spreadsheet too")
    parser.add_argument(
        "--picture", metavar="FILE.svg|png", type=_picture, help="draw the bars of all exercises"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args(argv)
    try:
        report(options)
    except GradebookError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    return 0


def report(options: argparse.Namespace) -> None:
    """Read, print and write what the options ask for; ``main(["ps1"])`` calls it."""
    course = course_directory()
    with reading(options.db or course.db_url) as session:
        marks = marks_of(session, options.assignment)
    reasons = gather(marks.notebooks, executed_notebooks(course, marks.assignment))
    items = analyse(marks, reasons)
    files: dict[str, str | bytes] = {}
    if options.csv:
        files[options.csv] = as_csv(items)
    if options.picture:
        from course.gradebook.bars import drawn

        files[options.picture] = drawn(marks, items, Path(options.picture).suffix[1:].lower())
    for path, content in files.items():
        write_whole(path, content)
    print((as_json if options.json else as_text)(marks, items, reasons))
    for path in files:
        print(f"Wrote {path}.", file=sys.stderr)


def _picture(path: str) -> str:
    if Path(path).suffix.lower() not in (".svg", ".png"):
        raise argparse.ArgumentTypeError(f"{path!r} must end in .svg or .png")
    return path
