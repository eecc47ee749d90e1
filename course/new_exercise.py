"""``python -m course new exercise LESSON NAME``: an exercise to fill in, at the end of a lesson.

    python -m course new exercise tensor_hooks halve

It adds the text and the stub to the lesson's ``exercises.py``, a check with a visible and a hidden
case to ``checks.py``, and places for three right and six wrong answers to ``answers.py``. What the
author still has to write says FILL_IN; ``python -m course build`` refuses the lesson until then.
"""

import argparse
import ast
import builtins
import contextlib
import keyword
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Template

from course.answers import RIGHT, WRONG
from course.lessons import Lesson, find_lesson
from course.to_fill import FILES

NUMBER = re.compile(r"^# ## (\d+)\. ", re.MULTILINE)

EXERCISE = Template("""

# %% [markdown] exercise="$name" points=2 difficulty="easy" minutes=5
# ## $number. FILL_IN the title
#
# FILL_IN the text: what goes in, what must come out, and all that a hidden case needs.


# %% exercise="$name"
def $name(value):
    ### BEGIN SOLUTION
    raise NotImplementedError  # FILL_IN the solution; a learner gets the line `def` as it is
    ### END SOLUTION
""")
CHECK = Template("""

class $name(Exercise):
    cases = (
        Case("FILL_IN what a learner reads of this case", 1, value=2.0),
        Case("FILL_IN the same question with another value", 1, hidden=True, value=-3.0),
    )
    hints = ("FILL_IN a first hint, then stronger ones",)

    @staticmethod
    def observe(answer, given, rng):
        # FILL_IN what the answer is given, and what to look at
        return {"result": describe(answer(given["value"]))}

    @staticmethod
    def diagnose(facts, expected):
        got = kind_of(facts["result"])
        if got != kind_of(expected["result"]):
            return wrong_kind(got)
        # FILL_IN which facts tell which misconception; new codes go to reasons.py
        return None
""")
ANSWER = Template("""

# %% $header: FILL_IN what is special in it
def $name(value):
    raise NotImplementedError
""")


class Refused(Exception):
    """Why there will be no such exercise, as one sentence."""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m course new", description="Add an exercise to fill in to a lesson."
    )
    parser.add_argument("what", choices=["exercise"], help="what to add")
    parser.add_argument("lesson", metavar="LESSON", help="a lesson's name or number")
    parser.add_argument("name", metavar="NAME", help="the name that learners define")
    options = parser.parse_args(argv)
    try:
        lesson = find_lesson(options.lesson)
        first_lines = add_exercise(lesson, options.name)
    except (LookupError, Refused) as error:
        print(f"new: {error.args[0]}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"new: nothing is added, because of this: {error}.", file=sys.stderr)
        return 1
    print(f"Added {options.name} to lesson {lesson.number}, {lesson.name}:")
    for (path, line), words in zip(
        first_lines.items(),
        ("its text and its solution", "its check", f"{RIGHT} right and {WRONG} wrong answers"),
        strict=True,
    ):
        print(f"  {os.path.relpath(path)}:{line}  {words}")
    print(
        "Next: write your own in place of every FILL_IN; `python -m course build` names the lines\n"
        f"that are left. Then `python -m course check {lesson.name}` judges the answers, and\n"
        "tests/taught.py must name the exercise at the fact that it practises."
    )
    return 0


def add_exercise(lesson: Lesson, name: str) -> dict[Path, int]:
    """Add an exercise to fill in: ``add_exercise(find_lesson("tensor_hooks"), "halve")``.

    Gives, for each file, the first line that is new. Everything or nothing is written. Raises
    Refused for a name that cannot be used and for a lesson without exercises, OSError where a file
    cannot be written.
    """
    paths = [lesson.folder / file for file in FILES]
    if not all(path.exists() for path in paths):
        raise Refused(f"Lesson {lesson.name!r} has no exercises, so none can be added to it.")
    texts = [path.read_text("utf-8").rstrip("\n") + "\n" for path in paths]
    try:
        refuse_name(name, lesson, texts)
    except SyntaxError as error:
        raise Refused(f"Lesson {lesson.name} is not valid Python: {error}.") from None
    number = max(map(int, NUMBER.findall(texts[0])), default=0) + 1
    added = [
        EXERCISE.substitute(name=name, number=number),
        CHECK.substitute(name=name),
        "".join(ANSWER.substitute(name=name, header=header) for header in headers(name)),
    ]
    write_all(dict(zip(paths, map(str.__add__, texts, added), strict=True)))
    return {path: text.count("\n") + 3 for path, text in zip(paths, texts, strict=True)}


def headers(name: str) -> list[str]:
    return [f"right {name}"] * RIGHT + [f"wrong {name} FILL_IN 0"] * WRONG


def refuse_name(name: str, lesson: Lesson, texts: list[str]) -> None:
    """Refuse a name that is no plain Python name, or that stands for something else already."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise Refused(
            f"{name!r} cannot be the name of an exercise: take a Python name in small letters, "
            "such as count_leaves."
        )
    if re.search(r"_(visible|hidden)$|^given_\d+$", name):
        raise Refused(f"{name!r} cannot be the name of an exercise: cells are named like that.")
    taken = {found for text in texts[:2] for found in names_of(text)}
    if name in taken:
        raise Refused(f"The name {name!r} is taken in lesson {lesson.name}: choose another one.")
    if hasattr(builtins, name):
        raise Refused(f"The name {name!r} is taken by Python itself: choose another one.")


def names_of(text: str) -> Iterator[str]:
    """The names that a module's own lines define or import."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
        else:
            yield from (
                inner.id
                for inner in ast.walk(node)
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
            )


def write_all(texts: dict[Path, str]) -> None:
    """Write all files, or, where one cannot be written, none: what was there comes back."""
    before = {path: path.read_bytes() for path in texts}
    replaced = []
    try:
        for path, text in texts.items():
            part(path).write_text(text, "utf-8", newline="\n")
        for path in texts:
            os.replace(part(path), path)
            replaced.append(path)
    except BaseException:
        for path in replaced:
            path.write_bytes(before[path])
        raise
    finally:
        for path in texts:
            with contextlib.suppress(OSError):
                part(path).unlink(missing_ok=True)


def part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
