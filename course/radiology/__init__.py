"""`xray`: what the legacy and the full backward hook of a layer receive, side by side.

from course import xray

xray()                                          # controls for layer, shape, bias, …
xray(layer="Linear", shape=(2, 3, 10), bias=False)
xray(my_module, my_input)                       # your own module
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from course.laboratory.front_end import show, show_widget, somebody_looks
from course.radiology.settings import Settings
from course.radiology.words import html, text


def xray(module=None, x=None, **settings):
    """Open the X-ray of a layer, with controls, or look through a module of your own.

    >>> print(xray(layer="Linear", shape=(1, 1, 10)).text)
    >>> xray(net, torch.randn(4, 10)).measured.legacy.grad_input

    `settings`: layer ("Linear", "x @ W.t() + b", "Conv1d", "Conv2d"), shape, bias, requires_grad,
    contiguous. `module` takes one tensor and is measured as it is, without controls; see
    `course.radiology.measure.measure`. Raises ValueError when something is missing or unknown.
    """
    if (module is None) != (x is None):
        raise ValueError("xray() needs a module and its input, or neither: xray(net, x).")
    if module is not None:
        if settings:
            raise ValueError("The settings are for xray() without a module of your own.")
        return Plate(module, x)
    try:
        return Panel(Settings(**settings))
    except TypeError:
        known = ", ".join(Settings.__dataclass_fields__)
        raise ValueError(f"xray() knows these settings: {known}.") from None


class Shown:
    """What the two kinds of X-ray have in common."""

    measured: Any  # an XRay, or one for each module that was asked for

    @property
    def text(self) -> str:
        return text(self.measured)

    @property
    def html(self) -> str:
        return html(self.measured)


@dataclass(eq=False, repr=False)
class Plate(Shown):
    """The X-ray of a learner's own module: it does not move."""

    module: object
    x: object

    @cached_property
    def measured(self):
        from course.radiology.measure import measure

        return measure(self.module, self.x)

    def __repr__(self):
        return self.text

    def _ipython_display_(self):
        if somebody_looks():
            show(self.html, self.text)


@dataclass(eq=False, repr=False)
class Panel(Shown):
    """The X-ray with controls. `settings` says where they stand."""

    settings: Settings

    @cached_property
    def measured(self):
        from course.radiology.measure import measure

        return measure(*self.settings.build())

    @property
    def code(self) -> str:
        return self.settings.code

    def move(self, settings: Settings):
        """Move the controls; the next look measures again."""
        self.settings = settings
        self.__dict__.pop("measured", None)

    def __repr__(self):
        return f"xray({self.settings}): show it in a notebook to move its controls"

    def _ipython_display_(self):
        if somebody_looks():
            from course.radiology.widget import XRayWidget

            words = "Run this cell to move the controls."
            show_widget(XRayWidget(self), self.html, self.text, words)
