"""`lab`: sliders, switches and hooks for a function, and a real backward at every move.

from course import lab

def products(a, b, d):
    c = a * b
    e = c * d
    return e

lab(products, a=2.0, b=3.0, d=4.0, hooks={"c": ["shift 2", "observe"]}, retain=["c"])
"""

from dataclasses import dataclass
from functools import cached_property

from course.laboratory.front_end import show_widget, somebody_looks

CONTROLS = ("values", "requires_grad", "retain_grad", "hooks", "backward")


def lab(
    function,
    *,
    hooks=(),
    retain=(),
    controls=CONTROLS,
    frozen=(),
    backwards: int = 1,
    retain_graph: bool = False,
    gradient=None,
    limits=None,
    title: str = "",
    **inputs,
) -> "Lab":
    """Open a lab on a function or a module, with one input for each of its arguments.

    >>> lab(products, a=2.0, b=3.0, d=4.0, hooks={"c": "shift 2"}, retain=["c"])
    >>> lab(step, net=SumNet(), a=1.0, b=2.0, hooks=[Hook("net", "shift", 100, at="forward")])
    >>> lab(net, x=[1.0, 2.0, 3.0])

    `function` is ordinary PyTorch code: it takes tensors (and modules) by name and returns the
    tensor that backward starts from. Its local variables are the tensors that the lab shows.

    inputs        a number or nested lists: a float32 leaf with sliders, requires_grad on. A tensor:
                  the same with its own requires_grad; a large one has no sliders. A module: copied
                  afresh for every run. Anything else is passed on as it is.
    hooks         {"c": "shift 2", "net": ["forward: zero"]} or a list of `Hook`, in order
    retain        tensors that retain_grad() is called on
    controls      which controls there are, in one string or a list: values, requires_grad,
                  retain_grad, hooks, backward
    frozen        inputs that start with requires_grad=False
    backwards     how often backward is called; retain_graph is given to every call but the last
    gradient      what a root of several numbers needs: root.backward(gradient)
    limits        {"a": (0, 1, 0.1)}: lowest, highest and step of a leaf's sliders

    Nothing runs until the lab is displayed, and nothing is displayed while nbgrader marks.
    Raises ValueError or TypeError, in one sentence, for an input or a control that is not there.
    """
    wanted = tuple(controls.replace(",", " ").split() if isinstance(controls, str) else controls)
    for control in wanted:
        if control not in CONTROLS:
            raise ValueError(f"A lab has no control {control!r}. It has: {', '.join(CONTROLS)}.")
    options = {
        "hooks": hooks,
        "retain": retain,
        "frozen": frozen,
        "backwards": backwards,
        "retain_graph": retain_graph,
        "gradient": gradient,
    }
    return Lab(function, inputs, options, wanted, limits or {}, title)


@dataclass
class Lab:
    """What `lab` returns. It runs when it is displayed, or when its outcome is asked for."""

    function: object
    inputs: dict
    options: dict
    controls: tuple[str, ...]
    limits: dict
    title: str

    @cached_property
    def experiment(self):
        from course.laboratory.inputs import experiment

        return experiment(self.function, self.inputs, **self.options)

    @cached_property
    def settings(self):
        """Where the controls stand: a `course.laboratory.settings.Settings`."""
        return self.experiment.start

    @cached_property
    def outcome(self):
        """What the last run gave: a `course.laboratory.experiment.Outcome`."""
        return self.experiment.run(self.settings)

    @property
    def code(self) -> str:
        """The PyTorch code for where the controls stand."""
        from course.laboratory.pytorch_code import pytorch_code

        return pytorch_code(self.experiment, self.outcome)

    def move(self, settings):
        """Move the controls and run again."""
        outcome = self.experiment.run(settings)
        self.settings, self.outcome = settings, outcome  # both, or after an interrupt neither
        return outcome

    def forget(self):
        """Let go of what the last run made; it is run again when somebody asks."""
        if self.__dict__.pop("outcome", None):
            self.experiment.known = type(self.experiment.known)()

    def __repr__(self):
        return f"Lab({self.name}): show it in a notebook to move its controls"

    @property
    def name(self) -> str:
        return self.title or getattr(self.function, "__name__", type(self.function).__name__)

    def _ipython_display_(self):
        if somebody_looks():
            from course.laboratory.page import static
            from course.laboratory.widget import LabWidget

            show_widget(LabWidget(self), *static(self), "Run this cell to move the controls.")
