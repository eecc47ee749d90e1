"""The Grad-CAM lab of lesson 6: a picture, a layer, a class, with or without the mark.

    cam_lab(net)

Each move runs a real forward and backward with hooks on the chosen layer.
"""

from dataclasses import dataclass, replace
from html import escape

from course.laboratory.front_end import somebody_looks
from course.lessons.hooks_at_work.cam import heat, hottest
from course.lessons.hooks_at_work.panel import LOOK, panel
from course.lessons.hooks_at_work.pictures import CLASSES, SHAPE, SIZE, draw

LAYERS = ("conv1", "relu1", "conv2", "relu2", "conv3", "relu3")
MOST = 30  # pictures to choose from
PIXEL = 9  # of the screen, for one of the picture


@dataclass(frozen=True)
class CamLab:
    """Where the controls stand. Nothing runs until it is displayed."""

    net: object
    number: int = 0
    layer: int = 6
    of: str = CLASSES[0]
    mark: bool = True

    def moved(self, **changes) -> "CamLab":
        return replace(self, **changes)

    def page(self) -> tuple[str, str]:
        """HTML and the same in words."""
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
        return f'<div style="display:flex;gap:1em">{drawn}</div><p>{escape(words)}</p>', words

    def _ipython_display_(self):
        if somebody_looks():
            import ipywidgets

            panel(
                self,
                {
                    "number": ipywidgets.IntSlider(
                        self.number, 0, MOST - 1, description="picture", **LOOK
                    ),
                    "layer": ipywidgets.IntSlider(
                        self.layer, 1, len(LAYERS), description="layer (1 to 6)", **LOOK
                    ),
                    "of": ipywidgets.Dropdown(
                        options=CLASSES, value=self.of, description="what speaks for", **LOOK
                    ),
                    "mark": ipywidgets.Checkbox(
                        self.mark, description="crosses have the mark", **LOOK
                    ),
                },
            )


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
        f'viewBox="0 0 {SIZE} {SIZE}">{"".join(squares)}</svg>'
    )
