"""Where the controls of a lab stand, as frozen data, and its JSON form for the browser."""

from dataclasses import dataclass, replace
from typing import Any

from course.laboratory.hook import Hook


@dataclass(frozen=True)
class Settings:
    """One position of all controls of a lab."""

    values: dict[str, Any]  # leaf -> a number, or nested lists of numbers
    requires_grad: dict[str, bool]  # leaf or parameter -> its switch
    retain: tuple[str, ...] = ()  # tensors that retain_grad() is called on
    hooks: tuple[Hook, ...] = ()  # in the order of their registration
    backwards: int = 1  # how often backward is called on the one graph
    retain_graph: bool = False  # given to every call but the last
    gradient: Any = None  # what a root that is no single number needs: root.backward(gradient)

    def moved(self, **changes) -> "Settings":
        return replace(self, **changes)

    def to_json(self) -> dict:
        """As the browser keeps it: a leaf's numbers in one flat list."""
        return {
            "values": {name: flat(value) for name, value in self.values.items()},
            "requires_grad": dict(self.requires_grad),
            "retain": list(self.retain),
            "hooks": [dict(vars(hook)) for hook in self.hooks],
            "backwards": self.backwards,
            "retain_graph": self.retain_graph,
        }

    def from_json(self, data: dict) -> "Settings":
        """The settings that the browser asks for; shapes are those of `self`."""
        return self.moved(
            values={name: shaped(data["values"][name], v) for name, v in self.values.items()},
            requires_grad={name: bool(data["requires_grad"][name]) for name in self.requires_grad},
            retain=tuple(data["retain"]),
            hooks=tuple(Hook(**hook) for hook in data["hooks"]),
            backwards=max(1, int(data["backwards"])),
            retain_graph=bool(data["retain_graph"]),
        )


def flat(value) -> list[float]:
    """The numbers of nested lists in one list: [[1, 2], [3, 4]] gives [1, 2, 3, 4]."""
    if isinstance(value, (list, tuple)):
        return [number for item in value for number in flat(item)]
    return [float(value)]


def shaped(numbers: list, like):
    """A flat list of numbers nested as `like` is."""
    left = iter(numbers)

    def build(part):
        if isinstance(part, (list, tuple)):
            return [build(item) for item in part]
        return float(next(left))

    return build(like)
