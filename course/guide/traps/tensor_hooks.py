# %% [markdown] trap="forgotten-return" title="The new gradient stays inside the hook" lesson="tensor_hooks" covers="TH01"
# **Symptom.** The hook runs, you can print in it, and the gradient does not change.
#
# **Cause.** `grad = grad * 2` gives the name `grad` to a new tensor. The function then ends without
# `return`, so it gives back None. For a tensor hook None means: leave the gradient as it is.
#
# **Spot it early.** A hook that changes a gradient has a `return` line. Print `x.grad` once with
# the hook and once without it.

# %% wrong
import torch


def double(grad):
    grad = grad * 2


x = torch.tensor(1.0, requires_grad=True)
x.register_hook(double)
(x * 3).backward()
print(x.grad)
# prints:
# tensor(3.)

# %% right
import torch


def double(grad):
    return grad * 2


x = torch.tensor(1.0, requires_grad=True)
x.register_hook(double)
(x * 3).backward()
print(x.grad)
# prints:
# tensor(6.)
