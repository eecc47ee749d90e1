"""The norms that an answer has for another gradient than that of a weight in one backward."""

import torch


def mistaken_norms(net, x, arriving, last) -> dict[str, dict[str, list[float]]]:
    """For each reason code and layer, the norms which that mistake gives: call it after a backward.

    ``net`` is a Sequential of linear layers, ``x`` its input, ``arriving`` the gradient of its
    output. ``last`` holds, for each weight, the ``.grad`` right before this backward and the one
    right after the backward before it (None: there was none).
    """
    layers, inputs = dict(net.named_children()), {}
    for name, layer in layers.items():
        inputs[name] = x
        x = torch.nn.functional.linear(x, layer.weight, layer.bias).detach()
    ways: dict[str, dict[str, list[float]]] = {
        "OLD_GRADIENT_SEEN": {},
        "OUTPUT_GRADIENT_SEEN": {},
        "NORM_OF_ANOTHER_KIND": {},
    }
    for name, layer in reversed(layers.items()):
        new = arriving.T @ inputs[name]
        before, after = (new * 0 if grad is None else grad for grad in last[name])
        old = [before, before + new, before + new - after]
        ways["OLD_GRADIENT_SEEN"][name] = [grad.norm().item() for grad in old]
        ways["OUTPUT_GRADIENT_SEEN"][name] = [arriving.norm().item()]
        ways["NORM_OF_ANOTHER_KIND"][name] = [torch.linalg.matrix_norm(new, 2).item()]
        arriving = (arriving @ layer.weight).detach()
    return ways


def stored(net) -> dict[str, torch.Tensor | None]:
    """A copy of the ``.grad`` of each layer's weight."""
    grads = ((name, layer.weight.grad) for name, layer in net.named_children())
    return {name: None if grad is None else grad.clone() for name, grad in grads}
