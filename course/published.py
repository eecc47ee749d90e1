"""Where the course is published, and what follows from it: badges, and notebooks for Colab.

    published().binder("release/01_leaf_tensors/lesson.ipynb")

``[tool.course.published]`` in pyproject.toml is the one place that says it. As long as it names no
owner, the course is nowhere, and there are neither badges nor notebooks for Colab.
"""

import json
import posixpath
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from course.author_text import BuildError

ROOT = Path(__file__).parent.parent
ROW = re.compile(r"^\| (\d+) \|")
HEAD, RULE = "| | lesson | minutes | you learn |", "|---|---|---|---|"
CELLS = 4  # of a row that an author writes; the badges come after them
LINK = re.compile(r"\]\((?P<path>(?!\w+:)[^)#\s]+\.ipynb)(?P<anchor>#[^)\s]*)?\)")
EXTRA = ("anywidget", "igraph")  # what a lesson imports and Colab has not
INSTALL = """\
# On Colab the course must be installed first. Run this cell before the others.
try:
    import course
except ImportError:
    %pip install --quiet {extra}
    %pip install --quiet --no-deps "{course}\""""


@dataclass(frozen=True)
class Published:
    """A repository on GitHub, and the tag under which the course is there."""

    owner: str
    repository: str
    tag: str

    def binder(self, path: str) -> str:
        """The address that opens a notebook on Binder."""
        place = quote(f"{self.owner}/{self.repository}/{self.tag}")
        return f"https://mybinder.org/v2/gh/{place}?urlpath=lab/tree/{quote(path)}"

    def colab(self, path: str) -> str:
        """The address that opens the notebook for Colab that belongs to one of ``release/``."""
        return f"https://colab.research.google.com/{self._github(for_colab(path))}"

    def page(self, path: str) -> str:
        """The address where GitHub shows a file."""
        return f"https://github.com/{self._github(path).removeprefix('github/')}"

    def _github(self, path):
        return quote(f"github/{self.owner}/{self.repository}/blob/{self.tag}/{path}")

    @property
    def package(self) -> str:
        """What pip is told to install the course of this tag."""
        return f"git+https://github.com/{self.owner}/{self.repository}@{self.tag}"

    def badges(self, path: str) -> str:
        """Two pictures that open a notebook of ``release/``."""
        return (
            f"[![Binder](https://mybinder.org/badge_logo.svg)]({self.binder(path)}) "
            "[![Colab](https://colab.research.google.com/assets/colab-badge.svg)]"
            f"({self.colab(path)})"
        )


def published(pyproject: Path = ROOT / "pyproject.toml") -> Published | None:
    """What pyproject.toml says; None while it names no owner. Raises BuildError."""
    said = tomllib.loads(pyproject.read_text("utf-8"))["tool"]["course"]["published"]
    if not said["owner"]:
        return None
    for key, value in said.items():
        if not re.fullmatch(r"[A-Za-z0-9][\w.\-]*", value):
            raise BuildError(pyproject, None, f"{value!r} cannot be the {key} of a repository.")
    return Published(**said)


def readme(text: str, assignments: list[str], place: Published | None) -> str:
    """README with a badge for each lesson in its table of lessons, or, with no place, with none."""
    more = (" run it |", "---|") if place else ("", "")
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith(HEAD)]
    if len(starts) != 1:
        raise BuildError(ROOT / "README.md", None, f"needs one table that begins with {HEAD!r}.")
    head = starts[0]
    lines[head], lines[head + 1] = HEAD + more[0], RULE + more[1]
    for number, assignment in enumerate(assignments):
        line = head + 2 + number
        row = ROW.match(lines[line])
        if not row or int(row[1]) != number:
            raise BuildError(ROOT / "README.md", line + 1, f"is not the row of lesson {number}.")
        cells = lines[line].split(" | ")[:CELLS]
        cells[-1] = cells[-1].removesuffix(" |")
        if place:
            cells.append(place.badges(f"release/{assignment}/lesson.ipynb"))
        lines[line] = " | ".join(cells) + " |"
    return "\n".join(lines)


def colab_notebook(path: str, released: bytes, place: Published) -> bytes:
    """A notebook of ``release/`` as Colab needs it: it installs the course, and its links work."""
    notebook = json.loads(released)
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = LINK.sub(lambda link: _address(link, path, place), "".join(cell["source"]))
            cell["source"] = text.splitlines(keepends=True)
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "install",
        "metadata": {},
        "outputs": [],
        "source": INSTALL.format(
            extra=" ".join(f'"{text}"' for text in requirements()), course=place.package
        ).splitlines(keepends=True),
    }
    notebook["cells"].insert(1, cell)  # below the title
    return json.dumps(notebook, indent=1, ensure_ascii=False).encode() + b"\n"


def _address(link: re.Match, path: str, place: Published) -> str:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link["path"]))
    if target.count("/") == 2:  # of a lesson
        return f"]({place.colab(target)})"
    return f"]({place.page(target)}{link['anchor'] or ''})"


def for_colab(path: str) -> str:
    return "colab/" + path.removeprefix("release/")


def requirements() -> list[str]:
    """What pyproject.toml says of the packages that Colab has not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [text for text in project["dependencies"] if re.split(r"\W", text)[0] in EXTRA]
