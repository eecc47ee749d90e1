# %% [markdown] trap="non-leaf-grad-none" title="The grad of an intermediate tensor is None" lesson="leaf_tensors" covers="L04"
# **Symptom.** After backward, `h.grad` is None, and PyTorch warns:
# `The .grad attribute of a Tensor that is not a leaf Tensor is being accessed`. The tensors that
# `h` was computed from have their gradients.
#
# **Cause.** `h` is the result of an operation, so it is a non-leaf. Backward computes its gradient,
# passes it on, and does not keep it. The warning is not an error: the gradients of the leaves are
# right. It comes when `.grad` is read (not in torch 1.4, and in every version measured since 1.8).
# To call `retain_grad()` after backward is too late for that backward.
#
# **Spot it early.** Before backward, `print(h.is_leaf, h.retains_grad)`. When it prints
# `False False`, `h.grad` will stay None. `why_none(h)` says the same in a sentence.

# %% wrong
import warnings

import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * 5
(h * h).backward()
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print("h.grad", h.grad)
print(seen[0].category.__name__ + ":", str(seen[0].message)[:53])
print("x.grad", x.grad)
# prints:
# h.grad None
# UserWarning: The .grad attribute of a Tensor that is not a leaf Te
# x.grad tensor(100.)

# %% right
import torch

x = torch.tensor(2.0, requires_grad=True)
h = x * 5
h.retain_grad()
(h * h).backward()
print("h.grad", h.grad)
print("x.grad", x.grad)
# prints:
# h.grad tensor(20.)
# x.grad tensor(100.)

# %% [markdown] trap="weight-is-no-leaf" title="The weight is not a leaf" lesson="leaf_tensors" covers="L03"
# **Symptom.** You made a weight with `requires_grad=True`, and its `.grad` stays None. An optimizer
# refuses it: `ValueError: can't optimize a non-leaf Tensor`.
#
# **Cause.** `requires_grad=True` belongs to the tensor inside the expression. `* 0.1` makes a second
# tensor from it, a result, and the name gets the second one. The gradient goes to the first, which
# has no name any more. `.to(...)`, `.cuda()`, `.reshape(...)` and an index do the same. `.to(...)`
# gives back the leaf itself where there is nothing to convert, so the fault may show on one machine
# only.
#
# **Spot it early.** `assert weight.is_leaf` after the line that makes it.

# %% wrong
import torch

weight = torch.ones(2, requires_grad=True) * 0.1
print("is_leaf", weight.is_leaf)
try:
    torch.optim.SGD([weight], lr=0.1)
except ValueError as error:
    print("ValueError:", error)
# prints:
# is_leaf False
# ValueError: can't optimize a non-leaf Tensor

# %% right
import torch

weight = (torch.ones(2) * 0.1).requires_grad_()
print("is_leaf", weight.is_leaf)
torch.optim.SGD([weight], lr=0.1)
(weight * 3).sum().backward()
print("grad", weight.grad)
# prints:
# is_leaf True
# grad tensor([3., 3.])

# %% [markdown] trap="backward-a-second-time" title="Backward through the graph a second time" lesson="retain_grad" covers="BG01"
# **Symptom.** `RuntimeError: Trying to backward through the graph a second time`. The first step of
# a training loop works and the second one raises. (The rest of the message is not the same in all
# versions.)
#
# **Cause.** Backward frees the tensors that the nodes have saved. Something from the last step is
# still part of this step's loss: a hidden state, a running mean, a stored output. So this backward
# goes into the old graph too. `retain_graph=True` makes the error go away, but then every step goes
# back through all steps before it, and the memory grows.
#
# **Spot it early.** `assert not state.requires_grad` at the top of the loop, for everything that you
# carry over from the last step.

# %% wrong
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)
for step in range(2):
    state = state * w + 1
    try:
        (state * state).backward()
        print("step", step, "w.grad", w.grad.item())
    except RuntimeError as error:
        print("step", step, "RuntimeError:", str(error)[:49])
# prints:
# step 0 w.grad 3.0
# step 1 RuntimeError: Trying to backward through the graph a second tim

# %% right
import torch

w = torch.tensor(0.5, requires_grad=True)
state = torch.tensor(1.0)
for step in range(2):
    state = state.detach() * w + 1
    w.grad = None
    (state * state).backward()
    print("step", step, "w.grad", w.grad.item())
# prints:
# step 0 w.grad 3.0
# step 1 w.grad 5.25

# %% [markdown] trap="untracked-loss" title="element 0 of tensors does not require grad" lesson="leaf_tensors" covers="L10"
# **Symptom.** `loss.backward()` raises
# `RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn`. To read
# `.grad` is no error: it is None, and there is no warning.
#
# **Cause.** "element 0" is the loss. Nothing that it was computed from requires a gradient, so
# PyTorch recorded nothing and there is no graph. Mostly one of these: a tensor was made without
# `requires_grad=True`, all weights are frozen, the forward ran under `no_grad`, or `detach()`,
# `.item()` or `torch.tensor(...)` has cut the way.
#
# **Spot it early.** `print(loss.requires_grad)` before backward. If it is False, ask the same of the
# tensors before it, back to the first one that is False. `why_none(w)` lists what can be the case.

# %% wrong
import torch

w = torch.tensor([1.0, 2.0])
loss = (w * w).sum()
try:
    loss.backward()
except RuntimeError as error:
    print("RuntimeError:", str(error)[:42])
print("w.grad", w.grad)
# prints:
# RuntimeError: element 0 of tensors does not require grad
# w.grad None

# %% right
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
print("w.grad", w.grad)
# prints:
# w.grad tensor([2., 4.])

# %% [markdown] trap="leaf-changed-in-place" title="a leaf Variable used in an in-place operation" lesson="leaf_tensors" covers="L07"
# **Symptom.** A line that changes a weight raises
# `RuntimeError: a leaf Variable that requires grad is being used in an in-place operation`. For a
# part of the weight, as in `w[0] = 1.0`, the message begins with `a view of a leaf Variable`.
#
# **Cause.** PyTorch would have to record the change, and then the weight would be a result and not
# a leaf any more. It refuses. A change that is not meant to be part of the loss belongs under
# `no_grad`, where nothing is recorded.
#
# **Spot it early.** Put every line that sets or updates a weight into a `with torch.no_grad():`
# block, and `assert w.is_leaf` after it.

# %% wrong
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
try:
    w -= 0.5 * w.grad
except RuntimeError as error:
    print("RuntimeError:", error)
try:
    w[0] = 7.0
except RuntimeError as error:
    print("RuntimeError:", str(error)[:25])
# prints:
# RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
# RuntimeError: a view of a leaf Variable

# %% right
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
with torch.no_grad():
    w -= 0.5 * w.grad
    w[0] = 7.0
print(w.tolist(), "is_leaf", w.is_leaf)
# prints:
# [7.0, 0.0] is_leaf True

# %% [markdown] trap="update-makes-new-tensor" title="After the update the weight is a new tensor" lesson="leaf_tensors" covers="L03"
# **Symptom.** An update written by hand works once. Then `w.grad` is None, or the model and the
# optimizer still hold the old numbers.
#
# **Cause.** `w = w - rate * w.grad` computes a new tensor and gives it the name `w`. The new tensor
# is a non-leaf. The leaf has its old value, and everything that held the leaf (a list, a module, an
# optimizer) still holds it. Under `no_grad` the same line makes a leaf that does not require a
# gradient: it does not train either. Only an in-place change keeps the tensor.
#
# **Spot it early.** `print(id(w), w.is_leaf)` before and after the update: both must stay the same.

# %% wrong
import torch

w = torch.tensor(4.0, requires_grad=True)
weights = [w]
(w * w).backward()
w = w - 0.25 * w.grad
print("w", w.item(), "is_leaf", w.is_leaf)
print("in the list:", weights[0].item())
# prints:
# w 2.0 is_leaf False
# in the list: 4.0

# %% right
import torch

w = torch.tensor(4.0, requires_grad=True)
weights = [w]
(w * w).backward()
with torch.no_grad():
    w -= 0.25 * w.grad
w.grad = None
print("w", w.item(), "is_leaf", w.is_leaf)
print("in the list:", weights[0].item())
# prints:
# w 2.0 is_leaf True
# in the list: 2.0

# %% [markdown] trap="backward-of-a-vector" title="grad can be implicitly created only for scalars" lesson="leaf_tensors" covers="L11"
# **Symptom.** `backward()` raises
# `RuntimeError: grad can be implicitly created only for scalar outputs`.
#
# **Cause.** You call it on a tensor with more than one element, for example one loss for each row of
# the batch. A gradient belongs to one number. PyTorch cannot know how to make one number of many:
# the mean, the sum, or a weighted sum. Say it: `losses.mean().backward()`. Or hand over one weight
# for each element: `losses.backward(torch.ones_like(losses))` is the gradient of the sum.
#
# **Spot it early.** `assert loss.numel() == 1` before backward. A loss function made with
# `reduction="none"` gives a vector.

# %% wrong
import torch

w = torch.tensor(2.0, requires_grad=True)
losses = (w * torch.tensor([1.0, 3.0])) ** 2
try:
    losses.backward()
except RuntimeError as error:
    print("RuntimeError:", error)
# prints:
# RuntimeError: grad can be implicitly created only for scalar outputs

# %% right
import torch

w = torch.tensor(2.0, requires_grad=True)
losses = (w * torch.tensor([1.0, 3.0])) ** 2
losses.mean().backward()
print("mean:", w.grad.item())

w.grad = None
losses = (w * torch.tensor([1.0, 3.0])) ** 2
losses.backward(torch.tensor([1.0, 0.0]))
print("the first one only:", w.grad.item())
# prints:
# mean: 20.0
# the first one only: 4.0

# %% [markdown] trap="whole-numbers" title="Whole numbers cannot require gradients" lesson="leaf_tensors" covers="L11"
# **Symptom.** `RuntimeError: Only Tensors of floating point and complex dtype can require gradients`.
#
# **Cause.** `torch.tensor([1, 2])` holds int64, because the numbers were written without a point.
# A derivative asks what a very small change does, and whole numbers have no small change. A frame or
# a file with whole numbers gives int64 as well.
#
# **Spot it early.** `print(t.dtype)`, or `assert t.is_floating_point()`, for what comes from a file.

# %% wrong
import torch

try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as error:
    print("RuntimeError:", str(error)[:47])
print(torch.tensor([1, 2]).dtype)
# prints:
# RuntimeError: Only Tensors of floating point and complex dtyp
# torch.int64

# %% right
import torch

t = torch.tensor([1.0, 2.0], requires_grad=True)
print(t.dtype)
data = torch.tensor([1, 2])
t = data.float().requires_grad_()
(t * t).sum().backward()
print("grad", t.grad)
# prints:
# torch.float32
# grad tensor([2., 4.])

# %% [markdown] trap="is-leaf-is-not-trainable" title="is_leaf is True for plain data too" lesson="leaf_tensors" covers="L01"
# **Symptom.** You select the tensors that train with `is_leaf`, and the list holds data, detached
# copies, and results computed under `no_grad`.
#
# **Cause.** PyTorch calls every tensor with `requires_grad=False` a leaf, whatever made it. Only a
# result that was recorded (it has a `grad_fn`) is a non-leaf. So `is_leaf` alone does not say that
# backward fills `.grad`. And `nn.Parameter(result)` is a new leaf, also when `result` is a non-leaf.
#
# **Spot it early.** Ask two questions: `print(t.is_leaf, t.requires_grad)`. Backward fills `.grad`
# of a leaf where it is `True True`.

# %% wrong
import torch

weight = torch.ones(2, requires_grad=True)
data = torch.ones(2)
tensors = {
    "weight": weight,
    "data": data,
    "data * 2": data * 2,
    "weight.detach()": weight.detach(),
    "weight * 2": weight * 2,
}
print([name for name, t in tensors.items() if t.is_leaf])
# prints:
# ['weight', 'data', 'data * 2', 'weight.detach()']

# %% right
import torch

weight = torch.ones(2, requires_grad=True)
data = torch.ones(2)
tensors = {
    "weight": weight,
    "data": data,
    "data * 2": data * 2,
    "weight.detach()": weight.detach(),
    "weight * 2": weight * 2,
}
print([name for name, t in tensors.items() if t.is_leaf and t.requires_grad])
# prints:
# ['weight']

# %% [markdown] trap="step-between-backwards" title="A step between two backwards on one graph" lesson="retain_grad" covers="BG06"
# **Symptom.** With `retain_graph=True` the second backward still raises: `RuntimeError: one of the
# variables needed for gradient computation has been modified by an inplace operation`.
#
# **Cause.** Between the two backwards, `optimizer.step()` changed the weights in place. The graph
# needs the values that forward used, and they are gone. PyTorch counts the changes of each tensor
# and sees it. (torch 1.4 did not raise here. 1.8 and later versions do.)
#
# **Spot it early.** `print(w._version)` after forward and before backward. Where the two numbers
# differ, this graph is out of date: run forward again. Or call both backwards before the step.

# %% wrong
import torch

w = torch.tensor([2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
loss = (w * w).sum()
loss.backward(retain_graph=True)
optimizer.step()
try:
    loss.backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split(":")[0][-32:])
# prints:
# RuntimeError: modified by an inplace operation

# %% right
import torch

w = torch.tensor([2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
for _ in range(2):
    optimizer.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    print("w", w.item(), "grad", w.grad.item())
    optimizer.step()
# prints:
# w 2.0 grad 4.0
# w 1.0 grad 2.0

# %% [markdown] trap="second-backward-sometimes" title="A second backward works only sometimes" lesson="retain_grad" covers="BG01"
# **Symptom.** In a small test you call backward twice without `retain_graph=True`, and it works. In
# the real model it raises.
#
# **Cause.** Only a node that saved a tensor raises. `x + 3`, `-x` and `x.sum()` need no value from
# forward, so they save none and work again. `x * x`, `x ** 2` and `x.exp()` save one. `x * 3` and
# `x / 2` do too: the Python number is saved. One such node on the way is enough. What an operation
# saves is PyTorch's own business and may change.
#
# **Spot it early.** Do not rely on a test. Write `retain_graph=True` on every backward but the last
# of a graph. `[n for n in dir(y.grad_fn) if n.startswith("_raw_saved")]` names what the last node
# can save; the nodes before it count as well.

# %% wrong
import torch

for name, function in {"x + 3": lambda x: x + 3, "x * 3": lambda x: x * 3}.items():
    x = torch.tensor(1.0, requires_grad=True)
    y = function(x)
    y.backward()
    try:
        y.backward()
        print(name, "| x.grad", x.grad.item())
    except RuntimeError as error:
        print(name, "| RuntimeError:", str(error)[:19])
# prints:
# x + 3 | x.grad 2.0
# x * 3 | RuntimeError: Trying to backward

# %% right
import torch

for name, function in {"x + 3": lambda x: x + 3, "x * 3": lambda x: x * 3}.items():
    x = torch.tensor(1.0, requires_grad=True)
    y = function(x)
    y.backward(retain_graph=True)
    y.backward()
    print(name, "| x.grad", x.grad.item())
# prints:
# x + 3 | x.grad 2.0
# x * 3 | x.grad 6.0

# %% [markdown] trap="plain-tensor-becomes-non-leaf" title="A plain tensor becomes a non-leaf by a write" lesson="leaf_tensors" covers="L07"
# **Symptom.** You made `log = torch.zeros(2)` to note numbers. Later it requires a gradient, its
# `grad_fn` is `CopySlices`, and the memory grows.
#
# **Cause.** `log[0] = loss` is an operation like others. The loss is tracked, so the write is
# recorded: `log` becomes a result and keeps the whole graph behind the loss alive. There is no
# error.
#
# **Spot it early.** `assert not log.requires_grad` after the loop. To note a number, write
# `loss.detach()` or `loss.item()`. To compute on with tracked values, use `torch.stack`.

# %% wrong
import torch

w = torch.tensor(2.0, requires_grad=True)
log = torch.zeros(2)
log[0] = w * 3
print(log.tolist(), "is_leaf", log.is_leaf, "requires_grad", log.requires_grad)
# prints:
# [6.0, 0.0] is_leaf False requires_grad True

# %% right
import torch

w = torch.tensor(2.0, requires_grad=True)
log = torch.zeros(2)
log[0] = (w * 3).detach()
print(log.tolist(), "is_leaf", log.is_leaf, "requires_grad", log.requires_grad)
# prints:
# [6.0, 0.0] is_leaf True requires_grad False

# %% [markdown] trap="torch-tensor-of-a-tensor" title="torch.tensor of a tensor cuts the graph" lesson="leaf_tensors" covers="L13"
# **Symptom.** `w.grad` stays None after backward. Somewhere before, PyTorch warned:
# `To copy construct from a tensor, it is recommended to use ...`.
#
# **Cause.** `torch.tensor(w)` copies the numbers into a new tensor without history. With
# `requires_grad=True` the copy is a leaf of its own: the gradient arrives there and goes no further.
#
# **Spot it early.** `print(t.grad_fn)`: it is None where nothing connects `t` with what it was made
# from. Use `w` itself, or `w.clone()` for a connected copy. Use `w.detach().clone()` where you want
# the cut, so that a reader sees it.

# %% wrong
import warnings

import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    copied = torch.tensor(w, requires_grad=True)
print(seen[0].category.__name__ + ":", str(seen[0].message)[:31])
(copied * 3).sum().backward()
print("copied.grad", copied.grad, "| w.grad", w.grad)
# prints:
# UserWarning: To copy construct from a tensor
# copied.grad tensor([3., 3.]) | w.grad None

# %% right
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
copied = w.clone()
(copied * 3).sum().backward()
print("w.grad", w.grad)
# prints:
# w.grad tensor([3., 3.])

# %% [markdown] trap="deepcopy-of-a-non-leaf" title="deepcopy works for graph leaves only" lesson="leaf_tensors" covers="L12"
# **Symptom.** `copy.deepcopy(model)` works before the first forward and raises after it:
# `RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy
# protocol at the moment`.
#
# **Cause.** A hook or a module has kept a tracked output as an attribute of a module. It is a
# non-leaf, and deepcopy refuses non-leaves. Newer versions add a sentence about `weight_norm`; your
# model need not use it.
#
# **Spot it early.** After a forward, `print(vars(module).keys())` for the modules with a hook: a name
# that you added may hold a tensor. Keep `output.detach()` there.

# %% wrong
import copy

import torch

layer = torch.nn.Linear(2, 1)
layer.register_forward_hook(lambda module, args, output: setattr(module, "last", output))
layer(torch.ones(1, 2))
try:
    copy.deepcopy(layer)
except RuntimeError as error:
    print("RuntimeError:", str(error)[:41])
# prints:
# RuntimeError: Only Tensors created explicitly by the us

# %% right
import copy

import torch

layer = torch.nn.Linear(2, 1)
layer.register_forward_hook(lambda module, args, output: setattr(module, "last", output.detach()))
layer(torch.ones(1, 2))
twin = copy.deepcopy(layer)
print(twin.last.shape, "the same numbers:", torch.equal(twin.last, layer.last))
# prints:
# torch.Size([1, 1]) the same numbers: True

# %% [markdown] trap="deepcopy-loses-tensor-hooks" title="A deep copy of a weight has no hooks" lesson="tensor_hooks" covers="L12"
# **Symptom.** A hook on a weight, for example a mask, works in the model. In a deep copy of the model
# it does nothing.
#
# **Cause.** `copy.deepcopy` of a leaf copies the numbers and `requires_grad`, not the tensor hooks.
# The weights of a copied model are such copies. (Hooks on the modules of a model are copied.)
#
# **Spot it early.** `leftover_hooks(twin)` lists the hooks of a model and its weights. Put the
# registering into a function and call it for every copy.

# %% wrong
import copy

import torch

w = torch.ones(2, requires_grad=True)
w.register_hook(lambda grad: grad * 0)
twin = copy.deepcopy(w)
for t in (w, twin):
    (t * 3).sum().backward()
print("w", w.grad.tolist(), "| the copy", twin.grad.tolist())
# prints:
# w [0.0, 0.0] | the copy [3.0, 3.0]

# %% right
import copy

import torch


def freeze(t):
    t.register_hook(lambda grad: grad * 0)


w = torch.ones(2, requires_grad=True)
twin = copy.deepcopy(w)
for t in (w, twin):
    freeze(t)
    (t * 3).sum().backward()
print("w", w.grad.tolist(), "| the copy", twin.grad.tolist())
# prints:
# w [0.0, 0.0] | the copy [0.0, 0.0]

# %% [markdown] trap="create-graph-leaks" title="backward with create_graph keeps memory" lesson="retain_grad" covers="BG04"
# **Symptom.** PyTorch warns: `Using backward() with create_graph=True will create a reference cycle
# between the parameter and its gradient which can cause a memory leak`. Tensors that you deleted
# stay in memory.
#
# **Cause.** With `create_graph=True` the gradient has a graph of its own, and that graph leads back
# to the leaf. The leaf holds `.grad`, `.grad` holds the graph, the graph holds the leaf: a circle,
# and Python cannot see all of it. `torch.autograd.grad` gives the gradient back and does not write
# it to `.grad`, so there is no circle.
#
# **Spot it early.** `print(x.grad.requires_grad)`: True means that `.grad` has a graph. If you must
# use backward, write `x.grad = None` when you have used it.

# %% wrong
import gc
import warnings
import weakref

import torch

x = torch.tensor(2.0, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the warning of the symptom
    (x**3).backward(create_graph=True)
(second,) = torch.autograd.grad(x.grad, x)
print("second derivative", second.item())
still = weakref.ref(x)
del x
gc.collect()
print("x is gone:", still() is None)
# prints:
# second derivative 12.0
# x is gone: False

# %% right
import gc
import weakref

import torch

x = torch.tensor(2.0, requires_grad=True)
(first,) = torch.autograd.grad(x**3, x, create_graph=True)
(second,) = torch.autograd.grad(first, x)
print("second derivative", second.item())
still = weakref.ref(x)
del x, first
gc.collect()
print("x is gone:", still() is None)
# prints:
# second derivative 12.0
# x is gone: True
