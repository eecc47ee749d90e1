# %% [markdown] trap="grad-input-none" title="grad_input is None in the first layer" lesson="module_hooks" covers="MB02"
# **Symptom.** The full hook of the first layer gets `grad_input == (None,)`. Other layers get a
# tensor. From torch 2.8 on it warns: `Full backward hook is firing when gradients are computed with
# respect to module outputs since no inputs require gradients`. A backward pre-hook alone gets this
# warning too. Older versions give the None without a warning. Torch 1.8.1 does not call the hook.
#
# **Cause.** The first layer gets data. Data does not require a gradient, so autograd computes none
# for it. The hook does not wait for anything then: it runs as soon as the gradient of the output is
# known. This is before the layer's own backward, so `weight.grad` is not written yet.
#
# **Spot it early.** Print `x.requires_grad` before the forward. In the hook, test
# `grad_input[0] is None` before you use it.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(2, 1)


def look(module, grad_input, grad_output):
    print("grad_input:", grad_input, "weight.grad:", module.weight.grad)


layer.register_full_backward_hook(look)
data = torch.ones(1, 2)
layer(data).sum().backward()
# prints:
# grad_input: (None,) weight.grad: None

# %% right
import torch
from torch import nn

layer = nn.Linear(2, 1)
nn.init.constant_(layer.weight, 3.0)


def look(module, grad_input, grad_output):
    print("grad_input:", grad_input)


layer.register_full_backward_hook(look)
data = torch.ones(1, 2, requires_grad=True)
layer(data).sum().backward()
# prints:
# grad_input: (tensor([[3., 3.]]),)

# %% [markdown] trap="grad-input-or-output" title="grad_input taken for the gradient of the output" lesson="module_hooks" covers="MB01"
# **Symptom.** A full hook keeps `grad_input[0]` as the gradient of the output, because backward
# runs in reverse. The shape is the one of the input. Or one looks for the gradient of the weight
# in `grad_input` and does not find it.
#
# **Cause.** The names follow the forward. `grad_input` has one element for each positional input
# and `grad_output` one for each output, with their shapes. The gradients of parameters are in
# neither of them: a parameter is a tensor and has hooks of its own.
#
# **Spot it early.** Take a layer with different sizes for input and output. In the hook, print the
# shapes. When the sizes are equal, a mix-up is silent.

# %% wrong
import torch
from torch import nn

layer, kept = nn.Linear(4, 2), {}
layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: kept.update(output=grad_input[0])
)
x = torch.ones(3, 4, requires_grad=True)
y = layer(x)
y.sum().backward()
print("output:", tuple(y.shape), "kept:", tuple(kept["output"].shape))
# prints:
# output: (3, 2) kept: (3, 4)

# %% right
import torch
from torch import nn

layer, kept = nn.Linear(4, 2), {}
layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: kept.update(input=grad_input[0], output=grad_output[0])
)
layer.weight.register_hook(lambda grad: kept.update(weight=grad))
x = torch.ones(3, 4, requires_grad=True)
layer(x).sum().backward()
for name in ("input", "output", "weight"):
    print(name, tuple(kept[name].shape))
# prints:
# input (3, 4)
# output (3, 2)
# weight (2, 4)

# %% [markdown] trap="inplace-after-full-hook" title="In-place ReLU after a full backward hook" lesson="module_hooks" covers="MB07"
# **Symptom.** Forward stops: `RuntimeError: Output 0 of BackwardHookFunction is a view and is being
# modified inplace`. Without the hook the same network works.
#
# **Cause.** A full hook puts a node behind the layer, and the caller gets a view of the layer's
# output. Autograd does not allow such a view to be changed in place. `nn.ReLU(inplace=True)` and `y += x`
# both do this. A full hook on the in-place ReLU itself raises the same error: its input is such a
# view too. In torch 1.8.1 the forward only warned, and an error came in backward.
#
# **Spot it early.** Before you hook a network, print
# `[m for m in net.modules() if getattr(m, "inplace", False)]`. It does not find a `+=` in a
# forward. Set `inplace=False`, or hook the output as below.

# %% wrong
import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(inplace=True))
net[0].register_full_backward_hook(lambda module, grad_input, grad_output: print(grad_output))
try:
    net(torch.ones(1, 1)).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", str(error)[:32])
# prints:
# RuntimeError: Output 0 of BackwardHookFunction

# %% right
import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(inplace=True))
net.load_state_dict({"0.weight": torch.tensor([[1.0], [-1.0]]), "0.bias": torch.zeros(2)})


def hook_the_output(module, args, output):
    output.register_hook(lambda grad: print("gradient of the output:", grad))


net[0].register_forward_hook(hook_the_output)
net(torch.ones(1, 1)).sum().backward()
# prints:
# gradient of the output: tensor([[1., 0.]])

# %% [markdown] trap="backward-hook-returns-tuple" title="A backward hook must return a tuple" lesson="module_hooks" covers="MB04 MB21"
# **Symptom.** Backward stops with `Backward hook returned an invalid number of grad_input, got 4,
# but expected 1`, or with `hook 'hook' has changed the size of value`.
#
# **Cause.** A full hook gives back a tuple with one element for each positional input, also for one
# input. If it gives back a tensor, PyTorch reads its rows as the elements. With 4 rows the number
# is wrong. With one row the number is right and the shape is wrong. `grad_input[0].mul_(2)` in a
# lambda gives back a tensor as well. A backward pre-hook has the same rule, for the outputs.
#
# **Spot it early.** Call the hook once by hand, with a tuple of tensors, and check
# `[g.shape for g in made] == [g.shape for g in grad_input]` for what it gives back.

# %% wrong
import torch
from torch import nn

for rows in (4, 1):
    layer = nn.Linear(3, 2)
    layer.register_full_backward_hook(lambda module, gi, go: gi[0] * 2)
    try:
        layer(torch.ones(rows, 3, requires_grad=True)).sum().backward()
    except RuntimeError as error:
        print(rows, "rows:", error)
# prints:
# 4 rows: Backward hook returned an invalid number of grad_input, got 4, but expected 1
# 1 rows: hook 'hook' has changed the size of value

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

# %% [markdown] trap="grad-input-spares-own-weights" title="grad_input does not change the own weights" lesson="module_hooks" covers="MB06"
# **Symptom.** A full hook gives back another `grad_input`, to scale or to stop the gradient of the
# layer. The gradients of this layer's weight and bias are the same as before. Those of the layers
# before it have changed.
#
# **Cause.** `grad_input` is what leaves the layer on its way back. The gradients of the layer's own
# parameters are computed from what comes in, `grad_output`. Only the layers before see what the
# hook gives back. To change the weight alone, hook the weight. To change everything in the layer,
# use `register_full_backward_pre_hook`: it gives back a new `grad_output`.
#
# **Spot it early.** Run once with the hook and once without it, and compare `p.grad` for every name
# in `net.named_parameters()`.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(1, 1)
nn.init.constant_(layer.weight, 5.0)
layer.register_full_backward_hook(lambda module, gi, go: (gi[0] * 0,))
x = torch.tensor([[3.0]], requires_grad=True)
layer(x).sum().backward()
print("weight:", layer.weight.grad.item(), "x:", x.grad.item())
# prints:
# weight: 3.0 x: 0.0

# %% right
import torch
from torch import nn

layer = nn.Linear(1, 1)
nn.init.constant_(layer.weight, 5.0)
layer.weight.register_hook(lambda grad: grad * 0)
x = torch.tensor([[3.0]], requires_grad=True)
layer(x).sum().backward()
print("weight:", layer.weight.grad.item(), "x:", x.grad.item())
# prints:
# weight: 0.0 x: 5.0

# %% [markdown] trap="backward-hook-without-return" title="A changed grad_input without return" lesson="module_hooks" covers="MB21"
# **Symptom.** The hook computes new gradients, and nothing changes. Or it edits `grad_input[0]` in
# place, and this works in a test.
#
# **Cause.** `grad_input = (…)` gives the name to a new tuple. Without `return` the hook gives back
# None, and None means: leave the gradients as they are. An edit in place does have an effect, but
# the documentation says not to do it: other places may use the same tensor, and they change with it.
# Below, both inputs of an addition share one gradient, so the edit changes both.
#
# **Spot it early.** A hook that changes a gradient has a `return` line and no method that ends in
# `_`. Print `x.grad` once with the hook and once without it.

# %% wrong
import torch
from torch import nn


class Add(nn.Module):
    def forward(self, left, right):
        return left + right


def edit(module, grad_input, grad_output):
    grad_input[0].mul_(10)


add, left, right = Add(), torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
add.register_full_backward_hook(edit)
add(left, right).backward()
print("left:", left.grad.item(), "right:", right.grad.item())
# prints:
# left: 10.0 right: 10.0

# %% right
import torch
from torch import nn


class Add(nn.Module):
    def forward(self, left, right):
        return left + right


def scale(module, grad_input, grad_output):
    return (grad_input[0] * 10, grad_input[1])


add, left, right = Add(), torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
add.register_full_backward_hook(scale)
add(left, right).backward()
print("left:", left.grad.item(), "right:", right.grad.item())
# prints:
# left: 10.0 right: 1.0

# %% [markdown] trap="return-without-input-gradient" title="A returned grad_input that no input needs" lesson="module_hooks" covers="MB04"
# **Symptom.** A hook that scales `grad_input` works inside the network and fails on the first layer:
# `Backward hook for Modules where no input requires gradient should always return None or None for
# all gradients`.
#
# **Cause.** No input of this layer requires a gradient, so `grad_input` is `(None,)`. The hook gives
# back a tensor there. PyTorch has no place to send it to, and says so. A hook for all layers must
# keep each None.
#
# **Spot it early.** Test the hook on one layer with data that does not require a gradient, such as
# `nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()`.

# %% wrong
import torch
from torch import nn


def stop(module, grad_input, grad_output):
    return (torch.zeros(1, 2),)


layer = nn.Linear(2, 2)
layer.register_full_backward_hook(stop)
try:
    layer(torch.ones(1, 2)).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", str(error)[:60])
# prints:
# RuntimeError: Backward hook for Modules where no input requires gradient s

# %% right
import torch
from torch import nn


def stop(module, grad_input, grad_output):
    return tuple(None if grad is None else grad * 0 for grad in grad_input)


layer = nn.Linear(2, 2)
nn.init.ones_(layer.weight)
layer.register_full_backward_hook(stop)
layer(torch.ones(1, 2)).sum().backward()
x = torch.ones(1, 2, requires_grad=True)
layer(x).sum().backward()
print("data: no error; x.grad:", x.grad)
# prints:
# data: no error; x.grad: tensor([[0., 0.]])

# %% [markdown] trap="keyword-input-missing" title="A keyword input is missing in grad_input" lesson="module_hooks" covers="MB08"
# **Symptom.** `grad_input` has fewer elements than the layer has inputs. With keywords only it is
# `()`. A number among the inputs is there, as None.
#
# **Cause.** A full hook looks at the positional inputs only. A tensor that is given by keyword, as
# in `net(a, b=b)`, goes around it. Its own gradient is right: it is only not in the tuple.
#
# **Spot it early.** In the hook, print `len(grad_input)`. Before that, look how the module is called:
# each `name=tensor` is an input that the hook does not see.

# %% wrong
import torch
from torch import nn


class Multiply(nn.Module):
    def forward(self, a, b):
        return a * b


multiply = Multiply()
multiply.register_full_backward_hook(lambda module, gi, go: print("grad_input:", gi))
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(7.0, requires_grad=True)
multiply(a, b=b).backward()
print("b.grad:", b.grad)
# prints:
# grad_input: (tensor(7.),)
# b.grad: tensor(2.)

# %% right
import torch
from torch import nn


class Multiply(nn.Module):
    def forward(self, a, b):
        return a * b


multiply = Multiply()
multiply.register_full_backward_hook(lambda module, gi, go: print("grad_input:", gi))
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(7.0, requires_grad=True)
multiply(a, b).backward()
# prints:
# grad_input: (tensor(7.), tensor(2.))

# %% [markdown] trap="zeros-for-a-constant" title="grad_input of a constant is zeros, not None" lesson="module_hooks" covers="MB22"
# **Symptom.** An element of `grad_input` is zero. One reads: the loss does not depend on this input.
# This can be wrong.
#
# **Cause.** The input is a tensor that does not require a gradient, and another input requires one.
# Then PyTorch fills its place with zeros. Only if no input requires a gradient are all elements
# None. So a zero may be a derivative, or it may say that nothing was computed. (Torch 1.8.1
# stopped with an error when the first input was the constant.)
#
# **Spot it early.** Print `requires_grad` of each input in a forward hook, where `args` holds them:
# `[torch.is_tensor(a) and a.requires_grad for a in args]`.

# %% wrong
import torch
from torch import nn


class Multiply(nn.Module):
    def forward(self, a, b):
        return a * b


multiply = Multiply()
multiply.register_full_backward_hook(lambda module, gi, go: print("da, db =", gi))
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(7.0)
multiply(a, b).backward()
# prints:
# da, db = (tensor(7.), tensor(0.))

# %% right
import torch
from torch import nn


class Multiply(nn.Module):
    def forward(self, a, b):
        return a * b


multiply = Multiply()
multiply.register_full_backward_hook(lambda module, gi, go: print("da, db =", gi))
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(7.0, requires_grad=True)
multiply(a, b).backward()
# prints:
# da, db = (tensor(7.), tensor(2.))

# %% [markdown] trap="remove-after-forward" title="remove after forward comes too late" lesson="module_hooks" covers="TH13"
# **Symptom.** `handle.remove()` stands between forward and backward, and the backward hook is still
# called. Or the hook is registered there, and it is not called.
#
# **Cause.** Full backward hooks, backward pre-hooks and legacy hooks of a module are taken into the
# graph during forward. Backward follows the graph and does not look at the module again. Tensor
# hooks are different: removing one before backward prevents the call.
#
# **Spot it early.** Run `trace(loss)` from `course`, then `print(why_not_called(handle))`. It says
# whether the forward was before the registration.

# %% wrong
import torch
from torch import nn

layer, calls = nn.Linear(2, 2), []
first = layer.register_full_backward_hook(lambda *_: calls.append("first"))
loss = layer(torch.ones(1, 2, requires_grad=True)).sum()
first.remove()
second = layer.register_full_backward_hook(lambda *_: calls.append("second"))
loss.backward()
print(calls)
# prints:
# ['first']

# %% right
import torch
from torch import nn

layer, calls = nn.Linear(2, 2), []
first = layer.register_full_backward_hook(lambda *_: calls.append("first"))
first.remove()
second = layer.register_full_backward_hook(lambda *_: calls.append("second"))
loss = layer(torch.ones(1, 2, requires_grad=True)).sum()
loss.backward()
print(calls)
# prints:
# ['second']

# %% [markdown] trap="network-hook-runs-first" title="Backward hooks not in the reverse order" lesson="module_hooks" covers="MB23"
# **Symptom.** Calls are numbered and matched to the reversed list of modules. With words or other
# integers as input, the hook of the whole network runs first, before those of its layers.
#
# **Cause.** A full hook waits for the gradients of its module's inputs. If no input requires a
# gradient, there is nothing to wait for: it runs as soon as the gradient of the output is known.
# Integers never require a gradient. So the network and its `Embedding` get `(None,)`, and the hook
# of the network does not wait for its layers. With an input that requires a gradient it is last.
#
# **Spot it early.** Print the name inside the hook. Do not derive the name from the order of calls.

# %% wrong
import torch
from torch import nn

net, called = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)), []
modules = [net, net[0], net[1]]  # forward enters them in this order
for module in modules:
    module.register_full_backward_hook(lambda m, gi, go: called.append(m))
net(torch.tensor([1, 2])).sum().backward()
for guess, truth in zip(reversed(modules), called, strict=True):
    print("taken for", type(guess).__name__, "is", type(truth).__name__)
# prints:
# taken for Linear is Sequential
# taken for Embedding is Linear
# taken for Sequential is Embedding

# %% right
import torch
from torch import nn

net, shapes = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 2)), {}
for name, module in net.named_modules(prefix="net"):
    module.register_full_backward_hook(
        lambda m, gi, go, name=name: shapes.update({name: tuple(go[0].shape)})
    )
net(torch.tensor([1, 2])).sum().backward()
for name in ("net", "net.0", "net.1"):
    print(name, "grad_output", shapes[name])
# prints:
# net grad_output (2, 2)
# net.0 grad_output (2, 3)
# net.1 grad_output (2, 2)

# %% [markdown] trap="kept-activation-skips-hook" title="Gradient of a kept activation skips the hook" lesson="module_hooks" covers="MB12"
# **Symptom.** A forward hook keeps the output of a layer. `torch.autograd.grad` from this tensor works,
# and the full hook of the same layer is not called.
#
# **Cause.** After the forward hooks, PyTorch puts the node of the full hook behind the output. The
# next layer gets that new tensor, the forward hook got the one before it. A backward that starts
# at the kept tensor does not pass the node. (Torch 1.8.1 and 1.12.1 raised a RuntimeError here:
# `Module backward hook for grad_input is called before the grad_output one`.)
#
# **Spot it early.** Print `kept.grad_fn` and `output.grad_fn`. With a full hook the second one is
# a `BackwardHookFunction` node, and `kept is output` is False.

# %% wrong
import torch
from torch import nn

net, kept, calls = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), [], []
net[0].register_full_backward_hook(lambda *_: calls.append("full hook"))
net[0].register_forward_hook(lambda module, args, output: kept.append(output))
x = torch.ones(1, 2, requires_grad=True)
net(x)
torch.autograd.grad(kept[0].sum(), x)
print(calls)
# prints:
# []

# %% right
import torch
from torch import nn

net, kept, calls = nn.Sequential(nn.Linear(2, 2), nn.Tanh()), [], []
net[0].register_full_backward_hook(lambda *_: calls.append("full hook"))
net[1].register_forward_pre_hook(lambda module, args: kept.append(args[0]))
x = torch.ones(1, 2, requires_grad=True)
net(x)
torch.autograd.grad(kept[0].sum(), x)
print(calls)
# prints:
# ['full hook']

# %% [markdown] trap="global-hook-sees-all-modules" title="A global module hook is called for everything" lesson="module_hooks" covers="MB20"
# **Symptom.** The log of a global hook holds modules that are not in the network, such as the loss.
# In a notebook it goes on in later cells.
#
# **Cause.** `register_module_full_backward_hook` and its sisters register for every module of the
# process, until the handle is removed. They ask for no network.
#
# **Spot it early.** `print(leftover_hooks())` from `course` lists global hooks as `every module`.
# Use a global hook in a `with` block.

# %% wrong
import torch
from torch import nn
from torch.nn.modules.module import register_module_full_backward_hook

net, names = nn.Linear(2, 1), []
handle = register_module_full_backward_hook(lambda m, gi, go: names.append(type(m).__name__))
x, wanted = torch.ones(1, 2, requires_grad=True), torch.zeros(1, 1)
nn.MSELoss()(net(x), wanted).backward()
handle.remove()
print(names)
# prints:
# ['MSELoss', 'Linear']

# %% right
import torch
from torch import nn

net, names = nn.Linear(2, 1), []
for module in net.modules():
    module.register_full_backward_hook(lambda m, gi, go: names.append(type(m).__name__))
x, wanted = torch.ones(1, 2, requires_grad=True), torch.zeros(1, 1)
nn.MSELoss()(net(x), wanted).backward()
print(names)
# prints:
# ['Linear']

# %% [markdown] trap="hook-in-double-backward" title="A full hook is called once in double backward" lesson="module_hooks" covers="MB19"
# **Symptom.** A gradient penalty needs two backward passes: `create_graph=True`, then a backward
# through the gradient. The full hook is called in the first one only. There is no message.
#
# **Cause.** The full hook is skipped when the second pass goes through the layer again. Torch 1.8.1
# and 1.12.1 called it twice, and 1.13.0 raised a RuntimeError. A tensor hook on the output is
# called in each pass that brings a gradient to the output. In the second pass it is the gradient
# of the penalty.
#
# **Spot it early.** Count the calls, and print the count after each of the two passes.

# %% wrong
import torch
from torch import nn

tanh, calls = nn.Tanh(), []
tanh.register_full_backward_hook(lambda *_: calls.append(1))
x = torch.ones(1, requires_grad=True)
(grad,) = torch.autograd.grad(tanh(x), x, create_graph=True)
first = len(calls)
(grad**2).backward()
print("first pass:", first, "second pass:", len(calls) - first)
# prints:
# first pass: 1 second pass: 0

# %% right
import torch
from torch import nn

tanh, calls = nn.Tanh(), []
x = torch.ones(1, requires_grad=True)
y = tanh(x)
y.register_hook(lambda grad: calls.append(1))
(grad,) = torch.autograd.grad(y, x, create_graph=True)
first = len(calls)
(grad**2).backward()
print("first pass:", first, "second pass:", len(calls) - first)
# prints:
# first pass: 1 second pass: 1
