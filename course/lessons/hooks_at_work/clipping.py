"""A training with damaged batches, and two ways to clip its gradients.

    curve("none"), curve("tensor", 1.0), curve("total", 1.0)

A small network learns a smooth function with plain gradient descent. In every 15th batch one row
is damaged: its numbers are a hundred times too large. The curve is the loss on clean data.
"""

import torch
from torch import nn

KINDS = {
    "none": "no clipping",
    "tensor": "each tensor, in a hook",
    "total": "all together, clip_grad_norm_",
}
STEPS, EVERY, RATE = 90, 15, 0.05


def clip_in_hooks(parameters, threshold: float) -> list:
    """Put a hook on each parameter that scales its gradient down to the norm `threshold`.

    Gives back the handles.
    """

    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    return [parameter.register_hook(clip) for parameter in parameters]


def curve(kind: str, threshold: float = 1.0) -> list[float]:
    """Train; give the loss on clean data before the first step and after each step.

    `kind` is one of `KINDS`. Raises ValueError for another.
    """
    if kind not in KINDS:
        raise ValueError(f"There is no clipping {kind!r}. There is: {', '.join(KINDS)}.")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        clean, batches = data(64), [data(16) for _ in range(STEPS)]
    handles = clip_in_hooks(net.parameters(), threshold) if kind == "tensor" else []
    losses = [loss_of(net, *clean).item()]
    for step, (x, y) in enumerate(batches, start=1):
        if step % EVERY == 0:
            x = torch.cat([100 * x[:1], x[1:]])
        net.zero_grad()
        loss_of(net, x, y).backward()
        if kind == "total":
            nn.utils.clip_grad_norm_(net.parameters(), threshold)
        with torch.no_grad():
            for parameter in net.parameters():
                assert parameter.grad is not None  # after a backward
                parameter.sub_(RATE * parameter.grad)
        losses.append(loss_of(net, *clean).item())
    for handle in handles:
        handle.remove()
    return losses


def data(rows):
    x = torch.randn(rows, 4)
    return x, (x[:, :1] * 2 - x[:, 1:2] + x[:, 2:3].abs())


def loss_of(net, x, y):
    return (net(x) - y).square().mean()
