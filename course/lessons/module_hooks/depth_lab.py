"""The lab of lesson 4: how large the gradient is in each layer of a deep network.

    depth_lab(depth=12, activation="sigmoid", gain=1.0)

Each move of a control builds the network afresh, hangs a full backward hook on every layer and runs
a real forward and backward. What the bars show is what the hooks were called with.
"""

import math
from contextlib import ExitStack
from dataclasses import dataclass, replace

from course.laboratory.panel import Choice, Slider, panel

LIMITS = {"depth": (2, 30, 1), "gain": (0.25, 2.5, 0.25), "at": (0, 30, 1)}
ACTIVATIONS = {"none": "Identity", "ReLU": "ReLU", "tanh": "Tanh", "sigmoid": "Sigmoid"}
WIDTH, BATCH, FACTOR = 16, 8, 100.0  # FACTOR: by how much the hook on one layer multiplies
FLOOR = 1e-12  # norms are drawn on a logarithmic scale from here to its inverse; 1 is the middle
CONTROLS = [
    Slider("depth", "layers", *LIMITS["depth"]),
    Choice("activation", "activation", tuple((name, name) for name in ACTIVATIONS)),
    Slider("gain", "size of the weights", *LIMITS["gain"]),
    Slider("at", f"hook · {FACTOR:.0f} on layer", *LIMITS["at"]),
]


@dataclass(frozen=True)
class DepthLab:
    """Where the controls stand. Nothing runs until it is displayed or asked for its norms."""

    depth: int = 12
    activation: str = "sigmoid"
    gain: float = 1.0  # a factor on weights whose standard deviation is 1 / sqrt(WIDTH)
    at: int = 0  # the layer whose grad_input a hook multiplies; 0: none

    def moved(self, **changes) -> "DepthLab":
        """The lab with other settings; numbers outside of the sliders' limits are cut off."""
        for name, (low, high, _) in LIMITS.items():
            if name in changes:
                changes[name] = min(max(changes[name], low), high)
        return replace(self, **changes)

    def norms(self) -> list[float]:
        """The norm of the gradient at the output of each layer, the first layer first.

        Backward starts with a gradient of norm 1 at the output of the last layer.
        """
        import torch

        norms = {}
        with torch.random.fork_rng(devices=[]), ExitStack() as hooks:
            torch.default_generator.manual_seed(0)
            layers = self.layers()
            for number, layer in enumerate(layers, start=1):

                def record(layer, grad_input, grad_output, number=number):
                    norms[number] = grad_output[0].double().norm().item()
                    if number == self.at:
                        return tuple(grad * FACTOR for grad in grad_input)

                hooks.enter_context(layer.register_full_backward_hook(record))
            x = torch.randn(BATCH, WIDTH, requires_grad=True)
            y = layers(x)
            y.backward(torch.full_like(y, y.numel() ** -0.5))  # a gradient of norm 1
        return [norms[number] for number in range(1, self.depth + 1)]

    def layers(self):
        """The network: `depth` blocks of a linear layer and an activation."""
        from torch import nn

        blocks = nn.Sequential()
        for _ in range(self.depth):
            linear = nn.Linear(WIDTH, WIDTH)
            nn.init.normal_(linear.weight, std=self.gain / math.sqrt(WIDTH))
            nn.init.zeros_(linear.bias)
            blocks.append(nn.Sequential(linear, getattr(nn, ACTIVATIONS[self.activation])()))
        return blocks

    def page(self) -> tuple[str, str, str]:
        """HTML, the same as text, and one sentence, for these settings."""
        norms = self.norms()
        words = f"A gradient of norm 1 comes in at the end. In layer 1 its norm is {norms[0]:.3g}."
        rows = [(n, norm, share(norm)) for n, norm in enumerate(norms, start=1)]
        text = [
            f"layer {n:2}  {norm:9.3g}  {'#' * round(40 * part)}{' ← hook' * (n == self.at)}"
            for n, norm, part in rows
        ]
        return table(rows, self.at), "\n".join([*text, words]), words

    def _ipython_display_(self):
        panel(self, CONTROLS)


def depth_lab(**settings) -> DepthLab:
    """Open the lab, e.g. ``depth_lab(depth=20, activation="tanh", gain=1.5, at=10)``.

    `depth` is 2 to 30 layers, `activation` a key of `ACTIVATIONS`, `gain` the size of the weights,
    `at` the layer with a hook that changes gradients. Raises ValueError for another activation.
    """
    lab = DepthLab().moved(**settings)
    if lab.activation not in ACTIVATIONS:
        raise ValueError(f"activation is one of {', '.join(ACTIVATIONS)}, not {lab.activation!r}.")
    return lab


def share(norm: float) -> float:
    """How long the bar of a norm is: 0 for FLOOR and below, 1 for its inverse and above."""
    if not norm > 0:
        return 0.0
    if math.isinf(norm):
        return 1.0
    return min(max(0.5 - math.log10(norm) / (2 * math.log10(FLOOR)), 0.0), 1.0)


def table(rows, at) -> str:
    """The norms as an HTML table with bars; the number stands beside each bar."""
    lines = []
    for number, norm, part in rows:
        mark = " ← this hook multiplies grad_input" if number == at else ""
        bar = (
            f'<div style="width:{100 * part:.1f}%;height:.8em;background:currentColor;'
            'opacity:.65"></div>'
        )
        lines.append(
            f'<tr><th scope="row" style="text-align:left">layer {number}</th>'
            f'<td style="text-align:right">{norm:.3g}</td>'
            f'<td style="width:20em;text-align:left">{bar}</td>'
            f'<td style="text-align:left">{mark}</td></tr>'
        )
    head = "".join(
        f'<th scope="col">{words}</th>' for words in ("layer", "norm", "logarithmic scale", "hook")
    )
    caption = "Norm of the gradient at the output of each layer"
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{''.join(lines)}</table>"
