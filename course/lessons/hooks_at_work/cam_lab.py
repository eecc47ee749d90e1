"""The Grad-CAM lab of lesson 6: a picture, a layer, a class, with or without the mark.

    cam_lab(net)

Each move runs a real forward and backward with hooks on the chosen layer.
"""

from dataclasses import dataclass, replace

from torch import nn

from course.laboratory.panel import Check, Choice, Slider, panel
from course.lessons.hooks_at_work.cam import heat, hottest
from course.lessons.hooks_at_work.pictures import CLASSES, SHAPE, SIZE, draw

LAYERS = ("conv1", "relu1", "conv2", "relu2", "conv3", "relu3")
MOST = 30  # pictures to choose from
PIXEL = 9  # of the screen, for one of the picture
FRAME = "border:1px solid currentColor"  # white squares end at the edge of a white page, too
CONTROLS = [
    Slider("number", "picture", 0, MOST - 1, 1),
    Slider("layer", f"layer (1 to {len(LAYERS)})", 1, len(LAYERS), 1),
    Choice("of", "what speaks for", tuple((name, name) for name in CLASSES)),
    Check("mark", "crosses have the mark"),
]


@dataclass(frozen=True)
class CamLab:
    """Where the controls stand. Nothing runs until it is displayed."""

    net: nn.Module
    number: int = 0
    layer: int = 6
    of: str = CLASSES[0]
    mark: bool = True

    def moved(self, **changes) -> "CamLab":
        return replace(self, **changes)

    def page(self) -> tuple[str, str, str]:
        """HTML, and twice the same in words."""
        x, y, places = draw(MOST, seed=7, mark=self.mark)
        picture, layer = x[self.number], LAYERS[self.layer - 1]
        with_heat = heat(self.net, layer, picture, CLASSES.index(self.of))
        scores = self.net(picture.unsqueeze(0))[0].softmax(0).tolist()
        where = place_in_words(
            with_heat, places[self.number].tolist(), self.mark and y[self.number] == 0
        )
        said = ", ".join(f"{name} {s:.0%}" for name, s in zip(CLASSES, scores, strict=True))
        words = (
            f"On the picture: a {CLASSES[y[self.number]]}. The network says: {said}. "
            f"Heat for {self.of} at {layer}: {where}."
        )
        drawn = svg(picture[0], None, "the picture") + svg(picture[0], with_heat, "with its heat")
        return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{drawn}</div>', words, words

    def _ipython_display_(self):
        panel(self, CONTROLS)


def cam_lab(net, **settings) -> CamLab:
    """Open the lab on a network of `pictures.train`, e.g. ``cam_lab(net, number=4, layer=2)``."""
    return CamLab(net, **settings)


def place_in_words(heat, corner, marked) -> str:
    """Where the heat is largest: "on the shape", "on the mark", "elsewhere" or "nowhere"."""
    if not heat.any():
        return "nowhere"
    row, column = hottest(heat)
    inside = all(c - 1 <= p <= c + SHAPE for p, c in zip((row, column), corner, strict=True))
    if inside:
        return "hottest on the shape"
    if marked and max(row, column) < 4:
        return "hottest on the mark"
    return f"hottest at row {row}, column {column}, not on the shape"


def svg(picture, heat, label) -> str:
    """A picture as grey squares; with heat, red squares over it."""
    top = float(heat.max()) if heat is not None and heat.any() else 1.0
    squares = []
    for row in range(SIZE):
        for column in range(SIZE):
            grey = round(255 * min(float(picture[row, column]), 1.0))
            place = f'x="{column}" y="{row}" width="1.02" height="1.02"'
            squares.append(f'<rect {place} fill="rgb({grey},{grey},{grey})"/>')
            if heat is not None:
                share = float(heat[row, column]) / top
                squares.append(f'<rect {place} fill="#e8552d" opacity="{0.85 * share:.2f}"/>')
    size = SIZE * PIXEL
    return (
        f'<svg role="img" aria-label="{label}" width="{size}" height="{size}" '
        f'viewBox="0 0 {SIZE} {SIZE}" style="{FRAME}">{"".join(squares)}</svg>'
    )
