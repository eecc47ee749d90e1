"""A hook as a setting: what it hangs on, what it does, by how much.

A lab's controls change a few `Hook` objects. Each one writes its own PyTorch code, and the lab runs
that same code: what a learner copies is what ran.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

KINDS = {  # kind -> its label, its usual amount (None: it has none), and what it makes of a tensor
    "observe": ("only look", None, None),
    "scale": ("multiply by", 2.0, "{it} * {by}"),
    "shift": ("add", 2.0, "{it} + {by}"),
    "clip": ("clip to ±", 1.0, "{it}.clamp(-{by}, {by})"),
    "zero": ("set to zero", None, "torch.zeros_like({it})"),
    "edit in place": ("multiply in place by", 2.0, "{it}.mul_({by})"),
    "wrong shape": ("return a wrong shape", None, "torch.stack([{it}, {it}])"),
    "wrong dtype": ("return a wrong dtype", None, "{it}.double()"),
}

PLACES = {  # place -> (how it is registered, the hook's parameters, the one it works on)
    "tensor": ("register_hook", "grad", "grad"),
    "accumulated": ("register_post_accumulate_grad_hook", "tensor", "tensor.grad"),
    "forward_pre": ("register_forward_pre_hook", "module, args", "args"),
    "forward": ("register_forward_hook", "module, args, output", "output"),
    "backward_pre": ("register_full_backward_pre_hook", "module, grad_output", "grad_output"),
    "backward": ("register_full_backward_hook", "module, grad_input, grad_output", "grad_input"),
}
MODULE_PLACES = ("forward_pre", "forward", "backward_pre", "backward")


@dataclass(frozen=True)
class Hook:
    """One hook of a lab.

    >>> Hook("c", "shift", 2)                       # c.register_hook: the gradient plus 2
    >>> Hook("net.fc1", "observe", at="backward")   # a full backward hook that only looks
    >>> Hook("net", "shift", 10, at="forward_pre", only=(0, 2))   # on inputs 0 and 2

    `on` is the name of a tensor or of a module, `kind` one of `KINDS`, `at` one of `PLACES`.
    Raises ValueError, in one sentence, for a kind or place that does not exist.
    """

    on: str
    kind: str = "observe"
    by: float | None = None
    at: str = "tensor"
    only: tuple[int, ...] | None = None  # positions, where a module hook gets a tuple
    active: bool = True

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"A hook cannot {self.kind!r}. It can: {', '.join(KINDS)}.")
        if self.at not in PLACES:
            raise ValueError(f"No hook can be placed at {self.at!r}. Use: {', '.join(PLACES)}.")
        usual = KINDS[self.kind][1]
        by = usual if self.by is None else float(self.by)
        object.__setattr__(self, "by", None if usual is None else by)
        if self.only is not None:
            object.__setattr__(self, "only", tuple(self.only))

    @classmethod
    def read(cls, on: str, words: str) -> "Hook":
        """Read the short form: `Hook.read("c", "shift 2")`, `Hook.read("net", "forward: zero")`."""
        at, colon, rest = words.partition(":")
        if not colon:
            at, rest = "tensor", words
        kind, _, last = rest.strip().rpartition(" ")
        try:
            by = float(last)
        except ValueError:
            kind, by = rest.strip(), None
        return cls(on, kind, by, at.strip())

    def moved(self, **changes) -> "Hook":
        return replace(self, **changes)

    def code(self, name: str) -> str:
        """Python source of the hook as a function called `name`."""
        _, parameters, it = PLACES[self.at]
        return f"def {name}({parameters}):\n    {self._body(name, it)}"

    def registration(self, name: str) -> str:
        """The line that registers it: "c.register_hook(hook_1)"."""
        return f"{as_python(self.on)}.{PLACES[self.at][0]}({name})"

    def function(self, name: str):
        """The hook itself, made from its code."""
        return _compiled(self.code(name), name)

    def register(self, on, name: str):
        """Hang it on a real tensor or module; returns PyTorch's handle."""
        return getattr(on, PLACES[self.at][0])(self.function(name))

    def _body(self, name, it):
        expression = KINDS[self.kind][2]
        if expression is None:
            return f'print("{name} on {self.on} sees", {it})'
        by = None if self.by is None else f"{abs(self.by) if self.kind == 'clip' else self.by:.12g}"
        if self.at in ("tensor", "forward", "accumulated"):
            made = expression.format(it=it, by=by)
            if self.kind == "edit in place":
                return made
            return f"tensor.grad = {made}" if self.at == "accumulated" else f"return {made}"
        made = expression.format(it="item", by=by)
        chosen = "item is not None" if self.at in ("backward", "backward_pre") else ""
        if self.only is not None:
            numbers = f"{self.only}" if len(self.only) > 1 else f"({self.only[0]},)"
            chosen = " and ".join(filter(None, [f"i in {numbers}", chosen]))
        loop = f"for i, item in enumerate({it})" if self.only is not None else f"for item in {it}"
        if self.kind == "edit in place":
            condition = f"if {chosen}:\n            " if chosen else ""
            return f"{loop}:\n        {condition}{made}"
        otherwise = f" if {chosen} else item" if chosen else ""
        return f"return tuple({made}{otherwise} {loop})"


def as_python(path: str) -> str:
    """A path as Python: "net.0.weight" is net[0].weight."""
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path)


@lru_cache(maxsize=512)
def _compiled(source, name):
    import torch

    names = {"torch": torch}
    exec(compile(source, f"<{name}>", "exec"), names)
    return names[name]
