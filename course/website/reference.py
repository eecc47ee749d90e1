"""The page of the public names: in groups, by what a person wants to do, from their docstrings."""

import inspect
import textwrap
from pathlib import Path

import course
from course import record
from course.author_text import BuildError

GROUPS = {
    "Turn sliders": ("lab", "Hook", "xray", "predict"),
    "See what a backward did": ("trace", "picture", "timeline", "grad_norms", "histogram"),
    "Ask why": ("why_none", "why_not_called", "explain"),
    "Keep hooks in order": ("attach", "leftover_hooks"),
    "Know how far you are": ("course_map", "reset_progress"),
}
DESK = ("check", "hint", "solution", "reset", "grade_me")
GIVEN = {  # what those give back, and what of it is public
    "course.laboratory.Lab": "outcome, settings, code, move",
    "course.laboratory.prediction.Prediction": "commit, right, reveal, text",
    "course.drawing.picture.Picture": "",
    "course.paragraph.Paragraph": "",
    "course.hygiene.Leftovers": "",
}
PARTS = ("TensorInfo", "Summary", "GraphNode", "Edge", "Event", "Target", "ModuleInfo", "Failure")
METHODS = "tensor, node, events_of, order, edges_from, edges_to, to_dict, from_dict"
TOP = """\
# Reference

Everything that a notebook of yours needs is in `course`:

```python
from course import lab, trace, picture
```
"""
EXERCISES = """\
## In the exercises

Each lesson brings its own, so that names of exercises are enough:

```python
from course.lessons.leaf_tensors import check, hint

check("count_leaves")
```
"""
RECORD = """\
## What a trace holds

`trace` gives a `Record`: plain data that stays when the graph is gone.
"""


def reference_page() -> str:
    """The page, in MyST. Raises BuildError when a public name is in no group."""
    named = [name for names in GROUPS.values() for name in names]
    if sorted(named) != course.__all__:
        odd = ", ".join(sorted(set(named) ^ set(course.__all__)))
        raise BuildError(Path(__file__), None, f"GROUPS and the public names differ in {odd}.")
    parts = [TOP]
    for title, names in GROUPS.items():
        parts += [f"## {title}", *(entry(f"course.{name}") for name in names)]
    desk = [directive("automethod", f"course.check.Desk.{name}") for name in DESK]
    parts += [EXERCISES, *desk, RECORD]
    parts.append(
        directive("autoclass", "course.record.Record", f":members: {METHODS}\n   :undoc-members:")
    )
    parts += [as_written(name) for name in PARTS]
    parts.append("## What the others give")
    for name, members in GIVEN.items():
        option = f":members: {members}" if members else ""
        parts.append(directive("autoclass", name, option))
    return "\n\n".join(parts) + "\n"


def as_written(name: str) -> str:
    """A part of a record: its fields and what they mean are best read in the source."""
    source = inspect.getsource(getattr(record, name))
    code = ".. code-block:: python\n\n" + textwrap.indent(source, "   ")
    head = f".. py:class:: course.record.{name}\n\n"
    return f"```{{eval-rst}}\n{head}{textwrap.indent(code, '   ')}```"


def entry(name: str) -> str:
    kind = "autoclass" if inspect.isclass(getattr(course, name.split(".")[1])) else "autofunction"
    return directive(kind, name)


def directive(kind: str, name: str, option: str = "") -> str:
    """An autodoc directive: MyST hands it to reStructuredText, which docstrings become."""
    more = f"\n   {option}" if option else ""
    return f"```{{eval-rst}}\n.. {kind}:: {name}{more}\n```"
