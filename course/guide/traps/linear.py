# %% [markdown] trap="legacy-second-element" title="grad_input of a Linear has one element, not two" lesson="linear_quirk" covers="LQ01 LQ02"
# **Symptom.** Old code reads `grad_input[1]` in a `register_backward_hook` and stops with
# `IndexError: tuple index out of range`. Or a text shows `(tensor([1.]), tensor([1.]))` for an
# input of one dimension, and the same code prints `(tensor([[1.]]),)`.
#
# **Cause.** The legacy hook hangs on the last node of the layer. It gets the gradients that this node
# hands on. In torch 1.4.0 and 1.8.1 the last node of a 3-D input was an addition, with two operands:
# the product and the bias. Since 1.12.1 at the latest it is a view, with one operand. For a 1-D
# input 1.12.1 still added; 2.13 has a view there too. None of these was the gradient of the input.
#
# **Spot it early.** Print `layer(x).grad_fn` and its `next_functions`: one element for each entry.
# `xray(layer, x)` from `course` names each element.

# %% wrong
import torch
from torch import nn

layer, kept = nn.Linear(10, 5), []
layer.register_backward_hook(lambda module, grad_input, grad_output: kept.append(grad_input))
layer(torch.ones(2, 3, 10, requires_grad=True)).sum().backward()
print("shapes:", [tuple(grad.shape) for grad in kept[0]])
try:
    print("gradient of the bias:", kept[0][1])
except IndexError as error:
    print("IndexError:", error)
# prints:
# shapes: [(6, 5)]
# IndexError: tuple index out of range

# %% right
import torch
from torch import nn

layer, kept = nn.Linear(10, 5), {}
layer.register_full_backward_hook(lambda module, gi, go: kept.update(input=gi[0]))
layer.bias.register_hook(lambda grad: kept.update(bias=grad))
layer(torch.ones(2, 3, 10, requires_grad=True)).sum().backward()
print("input:", tuple(kept["input"].shape), "bias:", tuple(kept["bias"].shape))
# prints:
# input: (2, 3, 10) bias: (5,)

# %% [markdown] trap="legacy-hook-warning" title="register_backward_hook warns only in forward" lesson="linear_quirk" covers="MB13"
# **Symptom.** Registering says nothing. The forward says: `Using a non-full backward hook when the
# forward contains multiple autograd Nodes is deprecated`, and `This hook will be missing some
# grad_input`. It is a FutureWarning; older versions gave a UserWarning, and 1.4.0 none.
#
# **Cause.** PyTorch can judge the legacy hook only when it sees the nodes of a forward. It has other
# texts for outputs of different nodes, for outputs in a list and for inputs that are not tensors.
# The warning is no proof of an error: a `ReLU` on a leaf gets it too, and there the hook is right.
# And no warning is no proof either: a module that computes `x * x` from a non-leaf gets none, and
# `grad_input` holds two parts whose sum is the gradient.
#
# **Spot it early.** Search your code for `register_backward_hook`. Replace it everywhere and make the
# module anew: one that had the legacy hook refuses the full hook, also after `remove()`
# (`Cannot use both regular backward hooks and full backward hooks`).

# %% wrong
import warnings

import torch
from torch import nn

layer = nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    layer.register_backward_hook(lambda *_: None)
    print("at registration:", len(seen))
    layer(x)
    print("in forward:", len(seen), str(seen[0].message)[:31])
# prints:
# at registration: 0
# in forward: 1 Using a non-full backward hook

# %% right
import warnings

import torch
from torch import nn

layer = nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    layer.register_full_backward_hook(lambda *_: None)
    layer(x).sum().backward()
print("warnings:", len(seen))
# prints:
# warnings: 0

# %% [markdown] trap="legacy-order-of-gradients" title="Linear puts the bias first in grad_input" lesson="linear_quirk" covers="LQ04"
# **Symptom.** Code that unpacks `input, weight, bias` from a legacy hook worked for `Conv2d`. For a
# `Linear` it unpacks as well, but the gradients are wrong. No error says so.
#
# **Cause.** The elements stand in the order of the operands of the last node. A `Conv2d` has input,
# weight, bias. A `Linear` with a 2-D input is `addmm(bias, x, weight.t())`: the gradients are those
# of the bias, of the input and of the *transposed* weight. For a square layer the transposed weight
# has the same shape. The order is the same from torch 1.4.0 to 2.13.
#
# **Spot it early.** After backward, compare each element with `x.grad`, `weight.grad` and
# `bias.grad` by `torch.equal`. Shapes alone do not decide.

# %% wrong
import torch
from torch import nn

layer, kept = nn.Linear(2, 2), []
layer.register_backward_hook(lambda module, grad_input, grad_output: kept.extend(grad_input))
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
layer(x).sum().backward()
taken_for_input, taken_for_weight, taken_for_bias = kept
print("taken for the bias:", taken_for_bias.tolist())
print("bias.grad:         ", layer.bias.grad.tolist())
print("weight.grad:       ", layer.weight.grad.tolist())
# prints:
# taken for the bias: [[1.0, 1.0], [2.0, 2.0]]
# bias.grad:          [1.0, 1.0]
# weight.grad:        [[1.0, 2.0], [1.0, 2.0]]

# %% right
import torch
from torch import nn

layer, kept = nn.Linear(2, 2), {}
for name, parameter in layer.named_parameters():
    parameter.register_hook(lambda grad, name=name: kept.update({name: grad}))
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
layer(x).sum().backward()
print("bias:  ", kept["bias"].tolist())
print("weight:", kept["weight"].tolist())
# prints:
# bias:   [1.0, 1.0]
# weight: [[1.0, 2.0], [1.0, 2.0]]

# %% [markdown] trap="legacy-hook-return" title="A legacy hook must return every element" lesson="linear_quirk" covers="MB16"
# **Symptom.** A legacy hook gives back a new gradient for the input. Backward stops: `has returned an
# incorrect number of values (got 1, but expected 3)`. With three elements it may say `has changed
# the size of value`. For a square layer it can say nothing, and the weight's gradient is transposed.
#
# **Cause.** What the hook gives back replaces all that the last node hands on. A `Linear` with bias
# and a 2-D input hands on three gradients: bias, input, transposed weight. Without a bias there are
# two, and the indexes move. So a recipe for one layer does not fit another.
#
# **Spot it early.** In the hook, print `[None if g is None else g.shape for g in grad_input]`. What
# you give back must have the same length and the same shapes.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(3, 2)
layer.register_backward_hook(lambda module, gi, go: (gi[1] * 2,))
try:
    layer(torch.ones(1, 3, requires_grad=True)).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split("incorrect ")[1])
# prints:
# RuntimeError: number of values (got 1, but expected 3)

# %% right
import torch
from torch import nn

layer = nn.Linear(3, 2)
nn.init.ones_(layer.weight)
layer.register_full_backward_hook(lambda module, gi, go: (gi[0] * 2,))
x = torch.ones(1, 3, requires_grad=True)
layer(x).sum().backward()
print(x.grad)
# prints:
# tensor([[4., 4., 4.]])

# %% [markdown] trap="legacy-hook-and-memory-layout" title="Memory layout changes a legacy grad_input" lesson="linear_quirk" covers="LQ03"
# **Symptom.** The same `Linear` and the same shape of input, but `grad_input` of the legacy hook has
# one element in one place of the code and two in another.
#
# **Cause.** The last node decides, not the class of the layer. A 2-D input gives an `addmm`. A
# contiguous 3-D input is flattened, multiplied and viewed again: the last node is a view. If the
# input cannot be flattened without a copy, PyTorch multiplies and adds: the last node is an
# addition, as for every 3-D input in torch 1.4.0 and 1.8.1. A layer that computes
# `x @ weight.t() + bias` by hand ends in an addition too.
#
# **Spot it early.** Print `x.is_contiguous()` and `layer(x).grad_fn.name()`.

# %% wrong
import torch
from torch import nn

layer, kept = nn.Linear(10, 5), []
layer.register_backward_hook(lambda module, gi, go: kept.append([tuple(g.shape) for g in gi]))
plain = torch.ones(2, 3, 10, requires_grad=True)
turned = torch.ones(3, 2, 10).transpose(0, 1).requires_grad_()
for x in (plain, turned):
    layer(x).sum().backward()
    print(tuple(x.shape), "contiguous:", x.is_contiguous(), "grad_input:", kept.pop())
# prints:
# (2, 3, 10) contiguous: True grad_input: [(6, 5)]
# (2, 3, 10) contiguous: False grad_input: [(2, 3, 5), (5,)]

# %% right
import torch
from torch import nn

layer, kept = nn.Linear(10, 5), []
layer.register_full_backward_hook(lambda module, gi, go: kept.append([tuple(g.shape) for g in gi]))
plain = torch.ones(2, 3, 10, requires_grad=True)
turned = torch.ones(3, 2, 10).transpose(0, 1).requires_grad_()
for x in (plain, turned):
    layer(x).sum().backward()
    print(tuple(x.shape), "contiguous:", x.is_contiguous(), "grad_input:", kept.pop())
# prints:
# (2, 3, 10) contiguous: True grad_input: [(2, 3, 10)]
# (2, 3, 10) contiguous: False grad_input: [(2, 3, 10)]

# %% [markdown] trap="legacy-hook-on-a-network" title="A legacy hook on a Sequential" lesson="linear_quirk" covers="MB14"
# **Symptom.** The hook hangs on the whole network, but the shapes in `grad_input` are those of its
# last layer. A module with three inputs gives two elements.
#
# **Cause.** The legacy hook knows one node, the last one that the module made. For a `Sequential`
# this is a node of its last layer. For `a + b + c` it is the second addition, with the operands
# `a + b` and `c`. What the module did before is behind that node and not seen.
#
# **Spot it early.** Compare `[g.shape for g in grad_input]` with the shapes of the inputs in a
# forward hook. `xray(net, x)` from `course` shows on which node each hook runs.

# %% wrong
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
net.register_backward_hook(lambda module, gi, go: print([tuple(g.shape) for g in gi]))
x = torch.ones(5, 4, requires_grad=True)
net(x).sum().backward()
print("input:", tuple(x.shape))
# prints:
# [(2,), (5, 3), (3, 2)]
# input: (5, 4)

# %% right
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
net.register_full_backward_hook(lambda module, gi, go: print([tuple(g.shape) for g in gi]))
x = torch.ones(5, 4, requires_grad=True)
net(x).sum().backward()
print("input:", tuple(x.shape))
# prints:
# [(5, 4)]
# input: (5, 4)

# %% [markdown] trap="legacy-hook-on-identity" title="A legacy hook reports another layer" lesson="linear_quirk" covers="MB15"
# **Symptom.** The hook hangs on a `Dropout` or an `Identity`. Its `grad_input` has three elements,
# with the shapes of a `Linear`. For an input that is a leaf the hook is never called.
#
# **Cause.** In eval mode `Dropout` gives back the tensor that it got. So the last node is the one of
# the layer before it, and the hook hangs there. A leaf has no node, so there is nothing to hang on.
# The full hook puts its own nodes around the module and is right here too.
#
# **Spot it early.** Print `module(x) is x`. If it is True, the module made no node.

# %% wrong
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 3), nn.Dropout()).eval()
net[1].register_backward_hook(lambda module, gi, go: print([tuple(g.shape) for g in gi]))
x = torch.ones(2, 4, requires_grad=True)
net(x).sum().backward()
# prints:
# [(3,), (2, 4), (4, 3)]

# %% right
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 3), nn.Dropout()).eval()
net[1].register_full_backward_hook(lambda module, gi, go: print([tuple(g.shape) for g in gi]))
x = torch.ones(2, 4, requires_grad=True)
net(x).sum().backward()
# prints:
# [(2, 3)]

# %% [markdown] trap="legacy-hook-on-other-layers" title="Each layer fills a legacy grad_input differently" lesson="linear_quirk" covers="LQ06"
# **Symptom.** One legacy hook is registered on all layers. `grad_input` has 1, 2 or 3 elements, some
# are None, and `grad_input[0]` is not always the gradient of the input.
#
# **Cause.** Each layer shows the operands of its own last node. For a `BatchNorm1d` they are input,
# weight and bias. `Dropout` multiplies by a mask, which needs no gradient: None. A `Conv2d` without
# a batch axis ends in a squeeze: one element, the gradient of the output with that axis. Versions
# differ: in 1.4.0 and 1.8.1 a `Conv1d` gave one element, since 1.12.1 at the latest three.
#
# **Spot it early.** `xray(layer, x)` from `course` shows what both hooks get, and what it is.

# %% wrong
import torch
from torch import nn


def look(module, gi, go):
    print(type(module).__name__, [None if g is None else tuple(g.shape) for g in gi])


sizes = {nn.BatchNorm1d(4): (5, 4), nn.Dropout(): (5, 4), nn.Conv2d(2, 3, 3): (2, 5, 5)}
for layer, size in sizes.items():
    layer.register_backward_hook(look)
    layer(torch.ones(size, requires_grad=True)).sum().backward()
# prints:
# BatchNorm1d [(5, 4), (4,), (4,)]
# Dropout [(5, 4), None]
# Conv2d [(1, 3, 3, 3)]

# %% right
import torch
from torch import nn


def look(module, gi, go):
    print(type(module).__name__, [None if g is None else tuple(g.shape) for g in gi])


sizes = {nn.BatchNorm1d(4): (5, 4), nn.Dropout(): (5, 4), nn.Conv2d(2, 3, 3): (2, 5, 5)}
for layer, size in sizes.items():
    layer.register_full_backward_hook(look)
    layer(torch.ones(size, requires_grad=True)).sum().backward()
# prints:
# BatchNorm1d [(5, 4)]
# Dropout [(5, 4)]
# Conv2d [(2, 5, 5)]
