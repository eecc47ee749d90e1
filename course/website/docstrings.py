"""The course's docstrings for Sphinx: plain text with examples in, reStructuredText out.

    rst(["Run it.", "", ">>> run()", "", "hooks         in order", "retain        names"])

A docstring here is written to be read in a terminal. Its blocks are told apart by their looks:
an example (``>>>``), lines of names with what they mean, a drawing in columns, else a paragraph.
"""

import re
from itertools import groupby

COLUMNS = re.compile(r"^(?P<name>\S(?:.*?\S)?)\s{2,}(?P<words>\S.*)$")
NAMED = re.compile(r"^(?P<name>\w+(?:, \w+)*): (?P<words>.+)$")
CODE = re.compile(r"``(.+?)``|`([^`]+)`")


def rst(lines: list[str]) -> list[str]:
    """The lines of a docstring as reStructuredText."""
    made: list[str] = []
    for is_blank, block in groupby(lines, key=lambda line: not line.strip()):
        if not is_blank:
            made += [*one(list(block)), ""]
    return made


def one(block: list[str]) -> list[str]:
    """One block."""
    if block[0].startswith(">>> "):
        return ["..  code-block:: pycon", "", *("    " + line for line in block)]
    if any(re.search(r"-{6,}", line) for line in block) or block[0].startswith("    "):
        return ["::", "", *("    " + line for line in block)]
    for pattern in (COLUMNS, NAMED):
        items = named(block, pattern)
        if items:
            return [
                line
                for name, words in items
                for line in (f"``{name}``", f"    {inline(words)}", "")
            ]
    return [inline(line) for line in block]


def named(block: list[str], pattern: re.Pattern) -> list[tuple[str, str]]:
    """Names and what is said of each, where a block is a list of them; else nothing.

    What goes on in the next line is indented there.
    """
    items: list[tuple[str, str]] = []
    for line in block:
        if line.startswith(" ") and items:
            items[-1] = (items[-1][0], f"{items[-1][1]} {line.strip()}")
        elif found := pattern.match(line):
            items.append((found["name"], found["words"]))
        else:
            return []
    return items


def inline(text: str) -> str:
    """A line: code in backticks stays code, and nothing else has a meaning."""
    parts = CODE.split(text)
    made = []
    for n in range(0, len(parts), 3):
        made.append(re.sub(r"([*_|\\])", r"\\\1", parts[n]))
        if n + 2 < len(parts):
            made.append(f"``{parts[n + 1] or parts[n + 2]}``")
    return "".join(made)
