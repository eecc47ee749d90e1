"""Keep what a notebook printed to a size that one can store, mark and read.

Stock nbgrader limits the lines of printed text: 60 MB on one line, in a picture or in an error's
message go through. Here a cell's outputs together have a limit in bytes. What decides a score, the
first error and the first result, is shortened but never left out.
"""

import json
from copy import copy

from nbformat.v4 import new_output
from nbgrader.preprocessors import LimitOutput
from traitlets import Integer

ENOUGH = 2_000  # bytes that an error or a result may always have
TOO_LITTLE = 200  # bytes of which nothing useful can be made
TRUNCATED = "... Output truncated ..."  # as nbgrader says it


class LimitBytes(LimitOutput):
    """``LimitOutput``, by bytes as well as by lines."""

    max_bytes = Integer(250_000, help="maximum size of a code cell's outputs together").tag(
        config=True
    )

    def preprocess_cell(self, cell, resources, cell_index):
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if cell.cell_type == "code":
            cell.outputs = limited(cell.outputs, self.max_bytes)
        return cell, resources


def size(output) -> int:
    """The bytes of an output in a notebook file."""
    return len(json.dumps(output, ensure_ascii=False).encode())


def limited(outputs, max_bytes: int):
    """Return ``outputs`` in about ``max_bytes``, always with the first error and result."""
    kept, left, decisive, cut = [], max_bytes, {"error", "execute_result"}, False
    for output in outputs:
        room = left
        if output.output_type in decisive:
            decisive.remove(output.output_type)
            room = max(left, ENOUGH)
        if room < TOO_LITTLE and size(output) > room:
            if not cut:
                kept.append(new_output("stream", name="stdout", text=TRUNCATED))
            cut = True
            continue
        kept.append(shortened(output, room))
        left -= size(kept[-1])
    return kept


def shortened(output, room: int):
    """Return ``output``, or one of the same kind in about ``room`` bytes if it is larger."""
    if size(output) <= room:
        return output
    if output.output_type == "stream":
        return new_output("stream", name=output.name, text=_cut(output.text, room))
    if output.output_type == "error":
        return new_output(
            "error",
            ename=_cut(output.ename, room // 8),
            evalue=_cut(output.evalue, room // 8),
            traceback=[_cut("\n".join(output.traceback), room // 2)],
        )
    text = output.data.get("text/plain", "")
    text = "".join(text) if isinstance(text, list) else text
    left_out = f"{TRUNCATED} ({size(output):,} bytes)"
    shorter = copy(output)
    shorter.data, shorter.metadata = {"text/plain": _cut(text, room // 2) or left_out}, {}
    return shorter


def _cut(text, room):
    """The start and the end of ``text``, in about ``room`` bytes."""
    raw = text.encode()
    if len(raw) <= room:
        return text
    half = max(room - len(TRUNCATED), 2) // 2
    start, end = (part.decode(errors="ignore") for part in (raw[:half], raw[-half:]))
    return f"{start}\n{TRUNCATED}\n{end}"
