"""Grad-CAM: which places of a picture speak for a class.

    heat(net, "relu3", picture, of=0)     # h×w, 0 where nothing speaks for class 0

Two hooks do the work: a forward hook keeps the maps of a layer, and a tensor hook on them keeps
their gradient. The mean gradient of a map is its weight; the weighted sum of the maps, without its
negative part, is the heat. Source of the idea: Selvaraju et al., "Grad-CAM", ICCV 2017.
"""

import torch


def heat(net, layer: str, picture, of: int) -> torch.Tensor:
    """The heat of one picture (1×h×w) for class `of`, at the module with this path.

    Leaves no hook and no `.grad` behind. Raises AttributeError for a path that is not there.
    """
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        score = net(picture.unsqueeze(0))[0, of]
    torch.autograd.grad(score, list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)[0]


def hottest(heat) -> tuple[int, int]:
    """Row and column of the largest number."""
    return divmod(heat.argmax().item(), heat.shape[1])
