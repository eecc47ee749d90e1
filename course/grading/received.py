"""The outputs of one cell, made of what came from a process that nobody trusts."""

import json

from nbformat import ValidationError
from nbformat.v4 import new_output

from course.grading.outputs import ENOUGH, shortened, size

FIELDS = {  # of each kind of output, with the type that each field must have
    "stream": {"name": str, "text": str},
    "error": {"ename": str, "evalue": str, "traceback": list},
    "execute_result": {"data": dict, "metadata": dict},
    "display_data": {"data": dict, "metadata": dict},
}
DECISIVE = {"error", "execute_result"}  # the first of each is never left out
DEEPEST = 100  # lists in lists: what is deeper cannot be copied, compared and written for sure


class Received:
    """Takes messages one by one; ``outputs`` holds about ``max_bytes`` of them.

    >>> received = Received(1000)
    >>> received.take({"output": {"output_type": "stream", "name": "stdout", "text": "hello"}})
    >>> received.outputs[0].text
    'hello'
    """

    def __init__(self, max_bytes: int):
        self.outputs = []
        self._left = max_bytes
        self._shown = {}  # outputs that have a display id

    def take(self, words: dict) -> None:
        """Add an output; words that are none are passed over."""
        if words.get("clear") is True:
            self.outputs = [o for o in self.outputs if o.output_type in DECISIVE]
            return
        output = _output(words.get("output"))
        if output is None:
            return
        kind, asked = output.output_type, words["output"]
        name = asked.get("display_id")
        if kind == "display_data" and isinstance(name, str) and asked.get("update") is True:
            if name in self._shown and size(output) <= self._left:
                self._left -= size(output)
                self._shown[name].update(data=output.data, metadata=output.metadata)
            return
        first = kind in DECISIVE and all(o.output_type != kind for o in self.outputs)
        if self._left <= 0 and not first:
            return
        output = shortened(output, max(self._left, ENOUGH))
        self._left -= size(output)
        last = self.outputs[-1] if self.outputs else None
        if (
            kind == "stream"
            and last
            and (last.output_type, last.get("name")) == (kind, output.name)
        ):
            last.text += output.text
            return
        self.outputs.append(output)
        if kind == "display_data" and isinstance(name, str):
            self._shown[name] = output


def _output(asked):
    """The output that was sent, with no field but its own; None if it is not one."""
    fields = FIELDS.get(str(asked.get("output_type"))) if isinstance(asked, dict) else None
    if fields is None or not all(isinstance(asked.get(name), fields[name]) for name in fields):
        return None
    content = {name: asked[name] for name in fields}
    if is_deep(content):
        return None
    content = _encodable(content)
    if "traceback" in content:
        content["traceback"] = [line for line in content["traceback"] if isinstance(line, str)]
    if "data" in content:
        content["data"] = {k: v for k, v in content["data"].items() if _fits(k, v)}
    try:
        return new_output(asked["output_type"], **content)
    except ValidationError:  # JSON under a name that is not one of JSON, mostly
        data = {k: v for k, v in content["data"].items() if isinstance(v, str)}
        return new_output(asked["output_type"], data=data)


def is_deep(value) -> bool:
    """Whether lists and dicts are in each other more than DEEPEST times.

    >>> is_deep({"a": [1, 2]})
    False
    """
    level = [value]
    for _ in range(DEEPEST):
        inner = [v for v in level if isinstance(v, (dict, list))]
        level = [part for v in inner for part in (v.values() if isinstance(v, dict) else v)]
        if not level:
            return False
    return True


def _encodable(content):
    """The same without halves of characters, which can be read from JSON but never be written."""
    text = json.dumps(content, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return content


def _fits(mime, value):
    return isinstance(value, str) or mime.endswith("json")
