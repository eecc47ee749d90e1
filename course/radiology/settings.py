"""Where the controls of an X-ray stand, the module and input they mean, and the code for them."""

from dataclasses import asdict, dataclass

ROWS = ((4, 10), (1, 10), (10,), (1, 1, 10), (2, 3, 10))
LAYERS = {  # choice -> how the layer is made, the shapes that it takes
    "Linear": ("nn.Linear(10, 3, bias={bias})", ROWS),
    "x @ W.t() + b": ("ByHand(10, 3, bias={bias})", ROWS),
    "Conv1d": ("nn.Conv1d(2, 3, 3, bias={bias})", ((1, 2, 7), (2, 7))),
    "Conv2d": ("nn.Conv2d(2, 3, 3, bias={bias})", ((1, 2, 5, 5), (2, 5, 5))),
}
BY_HAND = """\
class ByHand(nn.Linear):
    def forward(self, x):
        product = x @ self.weight.t()
        return product if self.bias is None else product + self.bias


"""
WATCH = """
for kind in ("register_backward_hook", "register_full_backward_hook"):
    layer = {layer}

    def hook(module, grad_input, grad_output):
        print(kind, [None if g is None else tuple(g.shape) for g in grad_input])

    getattr(layer, kind)(hook)
    out = layer(x)
    print(out.grad_fn.name())
    out.sum().backward()
"""


@dataclass(frozen=True)
class Settings:
    """One position of all controls. Raises ValueError for a layer or shape that is none."""

    layer: str = "Linear"
    shape: tuple[int, ...] = (4, 10)
    bias: bool = True
    requires_grad: bool = True
    contiguous: bool = True

    def __post_init__(self):
        if self.layer not in LAYERS:
            raise ValueError(f"There is no layer {self.layer!r} here: {', '.join(LAYERS)}.")
        shapes = LAYERS[self.layer][1]
        if self.shape not in shapes:
            known = ", ".join(map(str, shapes))
            raise ValueError(f"{self.layer} takes no input {self.shape} here. It takes: {known}.")

    @classmethod
    def from_json(cls, said: dict) -> "Settings":
        """From the browser; a shape that the layer does not take becomes its first one."""
        shape, shapes = tuple(said["shape"]), LAYERS[said["layer"]][1]
        return cls(**{**said, "shape": shape if shape in shapes else shapes[0]})

    def to_json(self) -> dict:
        return {**asdict(self), "shape": list(self.shape)}

    def build(self):
        """The layer and its input, the same numbers each time."""
        import torch
        from torch import nn

        names = {"torch": torch, "nn": nn}
        exec(BY_HAND, names)
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(0)
            return eval(self.layer_code, names), eval(self.input_code, names)

    @property
    def layer_code(self) -> str:
        return LAYERS[self.layer][0].format(bias=self.bias)

    @property
    def input_code(self) -> str:
        if self.contiguous:
            return f"torch.randn{self.shape}.requires_grad_({self.requires_grad})".replace(
                ",)", ")"
            )
        *front, last = self.shape
        every_second = f"torch.randn{(*front, 2 * last)}[..., ::2]".replace(",)", ")")
        return f"{every_second}.requires_grad_({self.requires_grad})"

    @property
    def code(self) -> str:
        """PyTorch code that prints what both hooks receive."""
        by_hand = BY_HAND if self.layer == "x @ W.t() + b" else ""
        start = f"import torch\nfrom torch import nn\n\n\n{by_hand}".rstrip("\n") + "\n\n"
        return f"{start}x = {self.input_code}\n{WATCH.format(layer=self.layer_code)}"
