"""The field guide: what goes wrong with hooks and autograd, as data with proofs.

    for trap in traps():
        print(trap.title, trap.address)

Each file in ``traps/`` is percent text. A trap is three cells: what one sees, why, and how to spot
it early; then code that shows it; then code that does better.

    # %% [markdown] trap="forgotten-return" title="…" lesson="tensor_hooks" covers="TH01"
    # **Symptom.** …
    #
    # **Cause.** …
    #
    # **Spot it early.** …

    # %% wrong
    print(x.grad)
    # prints:
    # tensor(2.)

    # %% right
    …

What stands below ``# prints:`` is the proof: tests run the code on the installed torch and compare.
``torch="2.6"`` says from which version on the proof holds, where that is not every version.
"""

import contextlib
import io
import re
import shlex
import sys
import types
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course.author_text import BuildError
from course.lessons import LESSONS
from course.percent import TextCell, text_cells

FOLDER = Path(__file__).parent / "traps"
GROUPS = {
    "leaves": "Leaves and backward",
    "retain_grad": "retain_grad and accumulated gradients",
    "tensor_hooks": "Hooks on tensors",
    "forward_hooks": "Forward hooks on modules",
    "backward_hooks": "Backward hooks on modules",
    "linear": "The old hook on Linear and others",
    "beyond": "Nodes, saved tensors, compile and others",
}
PARTS = ("**Symptom.**", "**Cause.**", "**Spot it early.**")
KEYS = {"trap", "title", "lesson", "covers", "torch"}


@dataclass(frozen=True)
class Code:
    """Code of a trap and what it prints."""

    source: str
    prints: str

    def run(self) -> str:
        """Run it in an empty module, as a learner's cell; give what it printed."""
        said, module = io.StringIO(), types.ModuleType("field_guide_cell")
        sys.modules[module.__name__] = module  # torch.compile looks its names up there
        try:
            with contextlib.redirect_stdout(said), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(self.source, "<field guide>", "exec"), vars(module))
        finally:
            del sys.modules[module.__name__]
        return said.getvalue().strip()


@dataclass(frozen=True)
class Trap:
    """One entry. ``text`` is Markdown, ``covers`` names the known misconceptions it is about."""

    slug: str
    title: str
    group: str
    lesson: str
    covers: tuple[str, ...]
    torch: str | None
    text: str
    wrong: Code
    right: Code
    line: int

    @property
    def address(self) -> str:
        """Where it stands, seen from the folder of the lessons: a path with a heading's anchor."""
        return f"field_guide.ipynb#{anchor(self.title)}"


def anchor(heading: str) -> str:
    """What JupyterLab makes of a heading, for links."""
    return heading.replace(" ", "-")


@cache
def traps() -> tuple[Trap, ...]:
    """Every trap, group by group. Raises BuildError, naming file and line."""
    found = [trap for group in GROUPS for trap in read_traps(FOLDER / f"{group}.py")]
    for key in ("slug", "title"):
        seen = {}
        for trap in found:
            other = seen.setdefault(getattr(trap, key), trap)
            if other is not trap:
                path, line = FOLDER / f"{trap.group}.py", trap.line
                raise BuildError(path, line, f"{other.group}.py:{other.line} has the same {key}.")
    return tuple(found)


def trap(slug: str) -> Trap:
    """The trap of that name. Raises LookupError."""
    for entry in traps():
        if entry.slug == slug:
            return entry
    raise LookupError(f"The field guide has no trap {slug!r}.")


def read_traps(path: Path) -> list[Trap]:
    """Read one file of traps."""
    cells = text_cells(path.read_text("utf-8"))
    return [_trap(path, cells[at : at + 3]) for at in range(0, len(cells), 3)]


def _trap(path: Path, cells: list[TextCell]) -> Trap:
    head = cells[0]
    if [cell.header for cell in cells[1:]] != ["wrong", "right"]:
        raise BuildError(path, head.line, "a trap is a text, then `# %% wrong`, then `# %% right`.")
    kind, *pairs = shlex.split(head.header)
    keys = dict(pair.split("=", 1) for pair in pairs)
    missing = {"trap", "title", "lesson", "covers"} - set(keys)
    if kind != "[markdown]" or missing or set(keys) - KEYS:
        raise BuildError(path, head.line, "the header needs trap, title, lesson and covers.")
    if keys["lesson"] not in {lesson.name for lesson in LESSONS}:
        raise BuildError(path, head.line, f"there is no lesson {keys['lesson']!r}.")
    if not re.fullmatch(r"[\w .,:_-]+", keys["title"]):  # it becomes part of an address
        raise BuildError(path, head.line, "a title has letters, digits, spaces and . , : _ - only.")
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in head.source.splitlines())
    if [part for part in re.findall(r"^\*\*.*?\*\*", text, re.M) if part in PARTS] != list(PARTS):
        raise BuildError(path, head.line, f"the text has {', '.join(PARTS)} in this order.")
    return Trap(
        slug=keys["trap"],
        title=keys["title"],
        group=path.stem,
        lesson=keys["lesson"],
        covers=tuple(keys["covers"].split()),
        torch=keys.get("torch"),
        text=text,
        wrong=_code(path, cells[1]),
        right=_code(path, cells[2]),
        line=head.line,
    )


def _code(path: Path, cell: TextCell) -> Code:
    source, mark, said = cell.source.partition("\n# prints:\n")
    if not mark:
        raise BuildError(path, cell.line, "ends with `# prints:` and what it prints.")
    lines = (line.removeprefix("#").removeprefix(" ") for line in said.splitlines())
    return Code(source.strip(), "\n".join(lines).strip())
