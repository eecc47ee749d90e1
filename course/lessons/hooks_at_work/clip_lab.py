"""The clipping lab of lesson 6: a threshold, and the training curve that it gives.

    clip_lab(kind="total", threshold=5.0)

Each move trains the small network of `clipping` twice for real: without clipping and as chosen.
"""

import math
from dataclasses import dataclass, replace

from course.laboratory.panel import Choice, Slider, panel
from course.lessons.hooks_at_work.clipping import EVERY, KINDS, STEPS, curve

WIDTH, HEIGHT = 560, 200  # of the drawing, in pixels
LOWEST, HIGHEST = 1e-2, 1e4  # losses that the drawing has room for, on a logarithmic scale
CONTROLS = [
    Choice("kind", "clip", tuple(KINDS.items())),
    Slider("threshold", "threshold", 0.01, 100.0, 0.1, log=True),
]


@dataclass(frozen=True)
class ClipLab:
    """Where the controls stand. Nothing runs until it is displayed."""

    kind: str = "total"
    threshold: float = 5.0

    def moved(self, **changes) -> "ClipLab":
        return replace(self, **changes)

    def page(self) -> tuple[str, str, str]:
        """HTML, and twice the same in words."""
        plain, chosen = curve("none"), curve(self.kind, self.threshold)
        words = (
            f"Without clipping: {ends(plain)}. {KINDS[self.kind].capitalize()}, threshold "
            f"{self.threshold:.3g}: {ends(chosen)}."
        )
        return svg(plain, chosen), words, words

    def _ipython_display_(self):
        panel(self, CONTROLS)


def clip_lab(kind="total", threshold=5.0) -> ClipLab:
    """Open the lab. `kind` is one of `clipping.KINDS`; `threshold` is a norm, 0.01 to 100."""
    return ClipLab(kind, threshold)


def ends(losses) -> str:
    """How a training ended, in words."""
    lost = next((step for step, loss in enumerate(losses) if not math.isfinite(loss)), None)
    if lost is not None:
        return f"the loss is no number from step {lost} on"
    return f"the loss goes from {losses[0]:.3g} to {losses[-1]:.3g}"


def svg(plain, chosen) -> str:
    """Both curves, told apart by dashes as well as by colour; thin lines mark damaged batches."""
    marks = "".join(
        f'<line x1="{x_of(step):.0f}" x2="{x_of(step):.0f}" y1="0" y2="{HEIGHT}" '
        'stroke="currentColor" opacity="0.25"/>'
        for step in range(EVERY, STEPS + 1, EVERY)
    )
    lines = [
        f'<polyline points="{points(losses)}" fill="none" stroke="{color}" stroke-width="2" '
        f'stroke-dasharray="{dashes}"/>'
        for losses, color, dashes in ((plain, "#888", "5 4"), (chosen, "#e8552d", "none"))
    ]
    return (
        f'<svg role="img" aria-label="Two training curves" width="{WIDTH}" height="{HEIGHT}" '
        f'style="max-width:100%">{marks}{"".join(lines)}</svg>'
        "<p>Loss on clean data over 90 steps, on a logarithmic scale. Dashed grey: no clipping. "
        "Solid: as chosen. Thin lines: the batches with a damaged row.</p>"
    )


def points(losses) -> str:
    return " ".join(
        f"{x_of(step):.1f},{y_of(loss):.1f}"
        for step, loss in enumerate(losses)
        if math.isfinite(loss)
    )


def x_of(step) -> float:
    return step * WIDTH / STEPS


def y_of(loss) -> float:
    low, high = math.log(LOWEST), math.log(HIGHEST)
    return HEIGHT * (high - min(max(math.log(max(loss, LOWEST)), low), high)) / (high - low)
