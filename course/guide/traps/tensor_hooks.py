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

# %% [markdown] trap="wrong-return-value" title="The hook has changed the size of value" lesson="tensor_hooks" covers="TH03 TH33"
# **Symptom.** Backward stops with `hook 'my_hook' has changed the size of value`,
# `has changed the type of value` or `expected Variable, but hook returned 'float'`.
#
# **Cause.** A tensor hook may give back None, or a tensor of the same size and the same dtype.
# PyTorch does not broadcast, and it does not convert. A number, a tuple or a NumPy array is not a
# tensor. If the hook is an object with `__call__`, the error says `'<unknown>'` in place of its name.
#
# **Spot it early.** Call the hook once yourself: `out = my_hook(torch.ones_like(x))`. Then
# `assert out is None or (out.shape, out.dtype) == (x.shape, x.dtype)`.

# %% wrong
import torch


def mean_only(grad):
    return grad.mean()


x = torch.ones(3, requires_grad=True)
x.register_hook(mean_only)
try:
    (x * torch.tensor([1.0, 2.0, 6.0])).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", error)
# prints:
# RuntimeError: hook 'mean_only' has changed the size of value

# %% right
import torch


def mean_everywhere(grad):
    return torch.full_like(grad, grad.mean().item())


x = torch.ones(3, requires_grad=True)
x.register_hook(mean_everywhere)
(x * torch.tensor([1.0, 2.0, 6.0])).sum().backward()
print(x.grad)
# prints:
# tensor([3., 3., 3.])

# %% [markdown] trap="gradient-edited-in-place" title="A hook edits the gradient in place" lesson="tensor_hooks" covers="TH02"
# **Symptom.** The gradient of a tensor without any hook is wrong. Or backward stops with
# `more than one element of the written-to tensor refers to a single memory location`.
#
# **Cause.** `grad.mul_(10)` writes into memory that other tensors may use as well. The backward of
# `a + b` hands the same tensor to `a` and to `b`. The backward of `sum()` hands on a view in which
# all elements are one number in memory: this one cannot be written to. Which tensor suffers depends
# on the order of the nodes. The documentation of `register_hook` forbids it. PyTorch does not warn.
#
# **Spot it early.** In hooks, search for methods that end in `_`, for `grad[...] =` and for
# `grad *=`. Run backward without the hook: only tensors that
# backward reaches after the hooked tensor may get another gradient.

# %% wrong
import torch

left = torch.ones(2, requires_grad=True)
right = torch.ones(2, requires_grad=True)
a, b = left * 1, right * 1
b.register_hook(lambda grad: grad.mul_(10))
((a + b) * torch.tensor([1.0, 2.0])).sum().backward()
print("left", left.grad)  # no hook is on this way
print("right", right.grad)
# prints:
# left tensor([10., 20.])
# right tensor([10., 20.])

# %% right
import torch

left = torch.ones(2, requires_grad=True)
right = torch.ones(2, requires_grad=True)
a, b = left * 1, right * 1
b.register_hook(lambda grad: grad * 10)
((a + b) * torch.tensor([1.0, 2.0])).sum().backward()
print("left", left.grad)
print("right", right.grad)
# prints:
# left tensor([1., 2.])
# right tensor([10., 20.])

# %% [markdown] trap="hook-without-requires-grad" title="A hook on a tensor that requires no gradient" lesson="tensor_hooks" covers="TH06"
# **Symptom.** `register_hook` raises
# `cannot register a hook on a tensor that doesn't require gradient`.
#
# **Cause.** No gradient will come to this tensor. It is plain data, or it was computed under
# `torch.no_grad()`, or it is a frozen parameter. A parameter that is frozen *after* the
# registration gives no error: its hook waits, and is called again when the parameter is unfrozen.
#
# **Spot it early.** Print `x.requires_grad` before you register. In a loop over parameters, ask
# `if p.requires_grad:`.

# %% wrong
import torch

net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
net[0].requires_grad_(False)
try:
    for parameter in net.parameters():
        parameter.register_hook(lambda grad: grad * 0.5)
except RuntimeError as error:
    print("RuntimeError:", error)
# prints:
# RuntimeError: cannot register a hook on a tensor that doesn't require gradient

# %% right
import torch

net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
net[0].requires_grad_(False)
for name, parameter in net.named_parameters():
    if parameter.requires_grad:
        parameter.register_hook(lambda grad: grad * 0.5)
        print("hook on", name)
# prints:
# hook on 1.weight
# hook on 1.bias

# %% [markdown] trap="del-handle" title="del handle does not remove the hook" lesson="tensor_hooks" covers="TH12"
# **Symptom.** The handle is deleted, or its name was used again, and the hook is still called.
#
# **Cause.** The tensor holds the hook. The handle only knows how to remove it. When the handle
# goes, the hook stays, and the means to remove it is lost. To call `remove()` twice does no harm.
#
# **Spot it early.** `course.leftover_hooks(x=x)` shows the hooks that are still on `x`;
# `.remove()` of its result takes them away.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
handle = x.register_hook(lambda grad: grad * 10)
del handle
(x * 2).backward()
print(x.grad)
# prints:
# tensor(20.)

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
with x.register_hook(lambda grad: grad * 10):  # removed at the end of the block
    (x * 2).backward()
print(x.grad)

x.grad = None
handle = x.register_hook(lambda grad: grad * 10)
handle.remove()
(x * 2).backward()
print(x.grad)
# prints:
# tensor(20.)
# tensor(2.)

# %% [markdown] trap="loop-variable" title="All hooks report the last name of the loop" lesson="tensor_hooks" covers="TH11"
# **Symptom.** Hooks are registered in a loop. In the record, every entry has the name of the last
# parameter.
#
# **Cause.** A lambda or an inner function looks up `name` when it is called, not when it is made.
# Backward calls it after the loop, when `name` is the last one. This is a rule of Python.
#
# **Spot it early.** Print the names after one backward: each name must be there once. The linter
# ruff finds the trap with its rule B023.

# %% wrong
import torch

layer = torch.nn.Linear(2, 1)
called = []
for name, parameter in layer.named_parameters():
    parameter.register_hook(lambda grad: called.append(name))
layer(torch.ones(1, 2)).sum().backward()
print(called)
# prints:
# ['bias', 'bias']

# %% right
import torch

layer = torch.nn.Linear(2, 1)
called = []
for name, parameter in layer.named_parameters():
    parameter.register_hook(lambda grad, name=name: called.append(name))
layer(torch.ones(1, 2)).sum().backward()
print(sorted(called))
# prints:
# ['bias', 'weight']

# %% [markdown] trap="hook-after-backward" title="The hook is registered after backward" lesson="tensor_hooks" covers="TH09"
# **Symptom.** The hook is never called, or only from the second backward on. There is no error.
#
# **Cause.** Backward calls the hooks that are there when it runs. It does not keep gradients for
# later. A hook on a leaf stays, so the next backward calls it. A hook on a non-leaf belongs to the
# graph of one forward: the next forward makes a new tensor, without the hook.
#
# **Spot it early.** Keep the order: forward, `register_hook`, backward. `course.why_not_called(handle)`
# after `course.trace(loss)` says when a hook came too late.

# %% wrong
import torch

w = torch.tensor(1.0, requires_grad=True)
seen = []
middle = w * 2
middle.backward()
middle.register_hook(seen.append)
middle = w * 2  # the next forward: another tensor
middle.backward()
print(seen)
# prints:
# []

# %% right
import torch

w = torch.tensor(1.0, requires_grad=True)
seen = []
for step in range(2):
    middle = w * 2
    middle.register_hook(seen.append)  # after each forward, before its backward
    middle.backward()
print(seen)
# prints:
# [tensor(1.), tensor(1.)]

# %% [markdown] trap="name-moves-on" title="The hook stays with the old tensor" lesson="tensor_hooks" covers="TH10"
# **Symptom.** A hook on `h` sees a gradient that does not belong to `h`.
#
# **Cause.** A hook belongs to a tensor object, not to a name. After `h = h * 10` the name `h` stands
# for a new tensor. The hook still hangs on the old one.
#
# **Spot it early.** Register right before backward, when no name will move any more. Or give each
# result its own name.

# %% wrong
import torch

h = torch.tensor(1.0, requires_grad=True) * 2
h.register_hook(lambda grad: print("gradient of h:", grad.item()))
h = h * 10
(h * 3).backward()  # the derivative with respect to h is 3
# prints:
# gradient of h: 30.0

# %% right
import torch

h = torch.tensor(1.0, requires_grad=True) * 2
scaled = h * 10
scaled.register_hook(lambda grad: print("gradient of scaled:", grad.item()))
(scaled * 3).backward()
# prints:
# gradient of scaled: 3.0

# %% [markdown] trap="hook-off-the-way" title="detach or a slice: the hook is not called" lesson="tensor_hooks" covers="TH28"
# **Symptom.** A hook on `x` is not called, although the loss was computed from the values of `x`.
#
# **Cause.** Backward goes from the loss only through the tensors that it was computed with.
# `x.detach()` and `x.data` give a new leaf. It has the values of `x`, but not its history and not its
# hooks: backward ends there. `x.clone()` is different: it stays connected. And each `x[0]` makes a
# new tensor. If the loss does not use this one, no gradient comes to it.
#
# **Spot it early.** Print `copy.grad_fn`. If it is None, backward does not go from `copy` to `x`.
# `course.why_not_called(handle)` after `course.trace(loss)` says if the graph holds the tensor.

# %% wrong
import torch

x = torch.ones(2, requires_grad=True)
called = []
x.register_hook(lambda grad: called.append("x"))
copy = x.detach().requires_grad_()
copy[0].register_hook(lambda grad: called.append("copy[0]"))
(copy * 2).sum().backward()
print(called)
# prints:
# []

# %% right
import torch

x = torch.ones(2, requires_grad=True)
called = []
x.register_hook(lambda grad: called.append("x"))
copy = x.clone()
copy.register_hook(lambda grad: called.append(f"copy, with {grad[0].item()} at 0"))
(copy * 2).sum().backward()
print(called)
# prints:
# ['copy, with 2.0 at 0', 'x']

# %% [markdown] trap="hook-sees-its-own-tensor" title="The hook hangs on another tensor than you think" lesson="tensor_hooks" covers="TH23"
# **Symptom.** The number in the record is a gradient, but not that of the tensor you mean.
#
# **Cause.** A hook sees the gradient of the tensor that it hangs on. The name of the list or of the
# function does not matter. A hook on the leaf `w` sees the sum of all ways to `w`. It does not see
# the gradient of a result `a` on one of these ways.
#
# **Spot it early.** Ask a second way: `torch.autograd.grad(y, a, retain_graph=True)` before backward
# gives the gradient of `a`.

# %% wrong
import torch

w = torch.tensor(2.0, requires_grad=True)
a = w + 3
a_grad = []
w.register_hook(a_grad.append)
(a * w).backward()
print("called a_grad:", a_grad)
# prints:
# called a_grad: [tensor(7.)]

# %% right
import torch

w = torch.tensor(2.0, requires_grad=True)
a = w + 3
a_grad = []
a.register_hook(a_grad.append)
(a * w).backward()
print("called a_grad:", a_grad)
# prints:
# called a_grad: [tensor(2.)]

# %% [markdown] trap="grad-is-still-old-in-hook" title="In the hook, x.grad is still the old one" lesson="tensor_hooks" covers="TH07"
# **Symptom.** A hook on the leaf `x` reads `x.grad`. It finds None, or the value of the backward
# before.
#
# **Cause.** The hook of a leaf runs before `AccumulateGrad` writes `.grad`. The new gradient is the
# argument of the hook. What is to see the finished `.grad` is registered with
# `register_post_accumulate_grad_hook`; it gets the tensor.
#
# **Spot it early.** In a tensor hook, use the argument. If `.grad` stands in its code, ask which
# backward you mean.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
x.register_hook(lambda grad: print("x.grad in the hook:", x.grad))
(x * 2).backward()
(x * 5).backward()
print("x.grad after both:", x.grad)
# prints:
# x.grad in the hook: None
# x.grad in the hook: tensor(2.)
# x.grad after both: tensor(7.)

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
x.register_hook(lambda grad: print("this backward:", grad))
x.register_post_accumulate_grad_hook(lambda leaf: print("x.grad now:", leaf.grad))
(x * 2).backward()
(x * 5).backward()
# prints:
# this backward: tensor(2.)
# x.grad now: tensor(2.)
# this backward: tensor(5.)
# x.grad now: tensor(7.)

# %% [markdown] trap="hooks-form-a-chain" title="The second hook sees the changed gradient" lesson="tensor_hooks" covers="TH05"
# **Symptom.** A hook that only looks shows another gradient than expected.
#
# **Cause.** The hooks of one tensor form a chain, in the order of their registration. Each gets what
# the one before gave back. If that was None, it gets the gradient as it was. To swap two hooks can
# change the result: "plus 2, then times 10" is not "times 10, then plus 2".
#
# **Spot it early.** `course.leftover_hooks(x=x)` lists the hooks of `x` in the order of their calls.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 1
y.register_hook(lambda grad: grad * 10)
y.register_hook(lambda grad: print("before the change?", grad.item()))
y.backward()
# prints:
# before the change? 10.0

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 1
y.register_hook(lambda grad: print("before the change:", grad.item()))
y.register_hook(lambda grad: grad * 10)
y.register_hook(lambda grad: print("after the change:", grad.item()))
y.backward()
# prints:
# before the change: 1.0
# after the change: 10.0

# %% [markdown] trap="order-across-tensors" title="Hooks do not run in the order of registration" lesson="tensor_hooks" covers="TH27 TH30"
# **Symptom.** Hooks on several tensors are called in another order than they were registered in.
# The record and the list of names do not fit together.
#
# **Cause.** Between tensors, backward decides. It starts at the tensor on which `backward()` is
# called and goes to the leaves. A hook on that first tensor is called as well: it gets the gradient
# with which backward starts, 1. Registration decides only between hooks of one tensor.
#
# **Spot it early.** Never match by position. Let each hook write its own name into a dict.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * 3
values = []
for tensor in (x, y, z):
    tensor.register_hook(lambda grad: values.append(grad.item()))
z.backward()
print(dict(zip("xyz", values)))
# prints:
# {'x': 1.0, 'y': 3.0, 'z': 6.0}

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * 3
values = {}
for name, tensor in {"x": x, "y": y, "z": z}.items():
    tensor.register_hook(lambda grad, name=name: values.update({name: grad.item()}))
z.backward()
print(values)
# prints:
# {'z': 1.0, 'y': 3.0, 'x': 6.0}

# %% [markdown] trap="record-gives-something-back" title="A hook that only records changes the gradient" lesson="tensor_hooks" covers="TH04"
# **Symptom.** With a recording hook, the second backward gives the gradient of the first one.
#
# **Cause.** A lambda gives back the value of its expression. `store.setdefault("g", grad)` gives back
# the *first* gradient that was stored, and PyTorch puts it in the place of the new one.
# `list.append` and `dict.update` give back None: they are safe.
#
# **Spot it early.** Call the hook twice by hand, with two tensors:
# `assert hook(first) is None and hook(second) is None`.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
store = {}
x.register_hook(lambda grad: store.setdefault("g", grad))
for factor in (2, 5):
    x.grad = None
    (x * factor).backward()
    print(f"factor {factor}: x.grad", x.grad.item())
# prints:
# factor 2: x.grad 2.0
# factor 5: x.grad 2.0

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
store = {}
x.register_hook(lambda grad: store.update(g=grad))
for factor in (2, 5):
    x.grad = None
    (x * factor).backward()
    print(f"factor {factor}: x.grad", x.grad.item())
# prints:
# factor 2: x.grad 2.0
# factor 5: x.grad 5.0

# %% [markdown] trap="hook-gets-none" title="The hook is called with None" lesson="tensor_hooks" covers="TH21"
# **Symptom.** In a hook: `TypeError: unsupported operand type(s) for *: 'NoneType' and 'int'`.
#
# **Cause.** `unbind`, `split` and `chunk` make several results with one node. If the loss uses only
# one of them, the node runs all the same. The hooks of the other results are called with None. Parts
# that were cut out by indexing, as `x[0]` and `x[1]`, have a node each: there the hook of an unused
# part is not called.
#
# **Spot it early.** Two tensors with the same node can get None: `first.grad_fn is second.grad_fn`.

# %% wrong
import torch

first, second = torch.ones(2, requires_grad=True).unbind()
first.register_hook(lambda grad: grad * 2)
try:
    (second * 3).backward()
except TypeError as error:
    print("TypeError:", str(error).split(":")[1].strip())
# prints:
# TypeError: 'NoneType' and 'int'

# %% right
import torch


def double(grad):
    return None if grad is None else grad * 2


x = torch.ones(2, requires_grad=True)
first, second = x.unbind()
first.register_hook(double)
(second * 3).backward()
print(x.grad)
# prints:
# tensor([0., 3.])

# %% [markdown] trap="tied-weight-two-hooks" title="A shared weight gets the same hook twice" lesson="tensor_hooks" covers="TH20"
# **Symptom.** Two layers share one weight. Its gradient is scaled by 100 where the hook scales by 10.
#
# **Cause.** A shared weight is one tensor with two names. A loop over the layers, or over
# `named_parameters(remove_duplicate=False)`, registers one hook for each name. Both are called. With
# one hook there is one call in each backward, with the sum over all uses, however many there are.
#
# **Spot it early.** Compare `len(list(net.parameters()))`, which counts each tensor once, with the
# number of hooks you registered. `course.leftover_hooks(net)` says `2 times`.

# %% wrong
import torch

one, two = torch.nn.Linear(1, 1, bias=False), torch.nn.Linear(1, 1, bias=False)
two.weight = one.weight
torch.nn.init.ones_(one.weight)
for layer in (one, two):
    layer.weight.register_hook(lambda grad: grad * 10)
two(one(torch.ones(1, 1))).backward()
print(one.weight.grad)  # without a hook: 2
# prints:
# tensor([[200.]])

# %% right
import torch

one, two = torch.nn.Linear(1, 1, bias=False), torch.nn.Linear(1, 1, bias=False)
two.weight = one.weight
torch.nn.init.ones_(one.weight)
for parameter in torch.nn.Sequential(one, two).parameters():  # each tensor once
    parameter.register_hook(lambda grad: grad * 10)
two(one(torch.ones(1, 1))).backward()
print(one.weight.grad)
# prints:
# tensor([[20.]])

# %% [markdown] trap="hook-keeps-its-tensor" title="Memory: a hook that uses its own tensor" lesson="tensor_hooks" covers="TH24"
# **Symptom.** Memory grows with each forward. `gc.collect()` does not help.
#
# **Cause.** The tensor holds the hook, and the hook holds the tensor. For a non-leaf this circle goes
# through its node, which the garbage collector of Python cannot see. So the tensor is never freed,
# also not after backward. A circle of a leaf can be seen: `gc.collect()` frees it.
#
# **Spot it early.** Look at what the hook uses from outside: `hook.__closure__`. If its own tensor is
# there, use the argument, a detached value, or remove the handle after backward.

# %% wrong
import gc
import weakref
import torch


def forward_backward():
    y = torch.ones(3, requires_grad=True) * 2
    y.register_hook(lambda grad: grad * (y > 0))
    y.sum().backward()
    return weakref.ref(y)


left = forward_backward()
gc.collect()
print("freed:", left() is None)
# prints:
# freed: False

# %% right
import gc
import weakref
import torch


def forward_backward():
    y = torch.ones(3, requires_grad=True) * 2
    mask = y.detach() > 0  # another tensor, without history
    y.register_hook(lambda grad: grad * mask)
    y.sum().backward()
    return weakref.ref(y)


left = forward_backward()
gc.collect()
print("freed:", left() is None)
# prints:
# freed: True

# %% [markdown] trap="autograd-grad-calls-hooks" title="autograd.grad returns what the hook made" lesson="tensor_hooks" covers="TH16"
# **Symptom.** `torch.autograd.grad` gives a number that is not the derivative.
#
# **Cause.** It calls the tensor hooks on its way, also those of the tensor it is asked for. It returns
# what the last hook gave back. This is so since torch 2.0. Before (seen on 1.4, 1.8 and 1.12), a hook
# on the input itself was not called.
#
# **Spot it early.** `course.leftover_hooks(x=x)` before the call: `No hooks.` is what you want.

# %% wrong
import torch

x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda grad: grad.clamp(max=1.0))
(derivative,) = torch.autograd.grad(x**2, x)
print("derivative of x**2 at 2:", derivative.item())
# prints:
# derivative of x**2 at 2: 1.0

# %% right
import torch

x = torch.tensor(2.0, requires_grad=True)
with x.register_hook(lambda grad: grad.clamp(max=1.0)):  # only for the training step
    (x**2).backward()
(derivative,) = torch.autograd.grad(x**2, x)
print("x.grad:", x.grad.item())
print("derivative of x**2 at 2:", derivative.item())
# prints:
# x.grad: 1.0
# derivative of x**2 at 2: 4.0

# %% [markdown] trap="autograd-grad-skips-hooks" title="autograd.grad does not call every hook" lesson="tensor_hooks" covers="TH15"
# **Symptom.** Hooks that work with `backward()` are not called with `torch.autograd.grad`, or with
# `backward(inputs=[...])`.
#
# **Cause.** Both run only the nodes that lead to the tensors you ask for. A hook is called where
# gradients come along. Asked for `x`, nothing comes to the weight. And `autograd.grad` writes no
# `.grad`, so hooks of `register_post_accumulate_grad_hook` are never called. A full backward hook of a
# module needs the gradient of the module's input: asked for the weight only, it is not called.
#
# **Spot it early.** Run the call in `course.trace`, then `course.why_not_called(handle)`.

# %% wrong
import torch

layer = torch.nn.Linear(2, 1, bias=False)
x = torch.ones(1, 2, requires_grad=True)
called = []
x.register_hook(lambda grad: called.append("x"))
layer.weight.register_hook(lambda grad: called.append("weight"))
layer.weight.register_post_accumulate_grad_hook(lambda leaf: called.append("weight.grad written"))
torch.autograd.grad(layer(x).sum(), x)
print(called)
# prints:
# ['x']

# %% right
import torch

layer = torch.nn.Linear(2, 1, bias=False)
x = torch.ones(1, 2, requires_grad=True)
called = []
x.register_hook(lambda grad: called.append("x"))
layer.weight.register_hook(lambda grad: called.append("weight"))
layer.weight.register_post_accumulate_grad_hook(lambda leaf: called.append("weight.grad written"))
layer(x).sum().backward()
print(sorted(called))
# prints:
# ['weight', 'weight.grad written', 'x']

# %% [markdown] trap="hook-raises" title="An error in a hook leaves half a backward" lesson="tensor_hooks" covers="TH22"
# **Symptom.** A hook raises, the error is caught, and a new try fails with
# `Trying to backward through the graph a second time`. Some `.grad` are filled, others are not.
#
# **Cause.** The error comes out of `backward()`. What was written before it stays. The nodes that ran
# have freed their saved tensors, so this graph cannot be used again.
#
# **Spot it early.** Test the hook alone, on a tensor of the right shape. After a caught error: set the
# gradients to None and run the forward again.

# %% wrong
import torch


def broken(grad):
    raise ValueError("in the hook")


a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
a.register_hook(broken)
try:
    ((a * 3 + 1) * b).backward()
except ValueError:
    print("a.grad", a.grad, "| b.grad", b.grad)
# prints:
# a.grad None | b.grad tensor(4.)

# %% right
import torch


def broken(grad):
    raise ValueError("in the hook")


a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
try:
    with a.register_hook(broken):
        ((a * 3 + 1) * b).backward()
except ValueError:
    a.grad = b.grad = None
((a * 3 + 1) * b).backward()  # a new forward
print("a.grad", a.grad, "| b.grad", b.grad)
# prints:
# a.grad tensor(6.) | b.grad tensor(4.)

# %% [markdown] trap="no-graph-inside-a-hook" title="Inside a hook there is no graph" lesson="tensor_hooks" covers="TH34"
# **Symptom.** In a hook, `backward()` raises `element 0 of tensors does not require grad`.
#
# **Cause.** Backward runs its nodes and hooks with grad mode off, so operations in the hook get no
# `grad_fn`. With `create_graph=True` grad mode is on.
#
# **Spot it early.** Print `torch.is_grad_enabled()` inside the hook.

# %% wrong
import torch

scale = torch.tensor(3.0, requires_grad=True)


def learn_scale(grad):
    try:
        (scale**2).backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error)[:43])


x = torch.tensor(1.0, requires_grad=True)
x.register_hook(learn_scale)
(x * 2).backward()
# prints:
# RuntimeError: element 0 of tensors does not require grad

# %% right
import torch

scale = torch.tensor(3.0, requires_grad=True)


def learn_scale(grad):
    with torch.enable_grad():
        (scale**2).backward()


x = torch.tensor(1.0, requires_grad=True)
x.register_hook(learn_scale)
(x * 2).backward()
print("scale.grad", scale.grad)
# prints:
# scale.grad tensor(6.)

# %% [markdown] trap="hook-acts-in-second-derivative" title="A hook acts again in a second derivative" lesson="tensor_hooks" covers="TH14"
# **Symptom.** With `create_graph=True` the first gradient is as planned, and the second derivative is
# not the derivative of it.
#
# **Cause.** With `create_graph=True` the operations of the hook become part of the graph. The second
# backward goes through them and also through the old forward graph: there the same hook is called
# once more and changes a gradient that you did not mean.
#
# **Spot it early.** Count the calls: print in the hook. Two lines for one hook mean that the second
# backward came by. Remove the handle between the two.

# %% wrong
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
y.register_hook(lambda grad: grad * 10)
(first,) = torch.autograd.grad(y**2, x, create_graph=True)
(second,) = torch.autograd.grad(first, x)
print("first = 40 x**3 =", first.item())
print("its derivative 120 x**2 is 480, not", second.item())
# prints:
# first = 40 x**3 = 320.0
# its derivative 120 x**2 is 480, not 3360.0

# %% right
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**2
with y.register_hook(lambda grad: grad * 10):
    (first,) = torch.autograd.grad(y**2, x, create_graph=True)
(second,) = torch.autograd.grad(first, x)
print("first = 40 x**3 =", first.item())
print("its derivative 120 x**2 =", second.item())
# prints:
# first = 40 x**3 = 320.0
# its derivative 120 x**2 = 480.0

# %% [markdown] trap="inference-mode" title="Inference tensors cannot be saved for backward" lesson="leaf_tensors" covers="TH26"
# **Symptom.** `Inference tensors cannot be saved for backward`, or
# `Setting requires_grad=True on inference tensor outside InferenceMode is not allowed`.
#
# **Cause.** `torch.inference_mode()` is more than `torch.no_grad()`. A tensor made under `no_grad`
# only has `requires_grad=False` and can be used later in a graph. A tensor made under
# `inference_mode` cannot: PyTorch keeps no count of its changes.
#
# **Spot it early.** `features.is_inference()` is True for such a tensor.

# %% wrong
import torch

with torch.inference_mode():
    features = torch.tensor([2.0, 3.0])
w = torch.ones(2, requires_grad=True)
try:
    (w * features).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split(".")[0])
# prints:
# RuntimeError: Inference tensors cannot be saved for backward

# %% right
import torch

with torch.inference_mode():
    features = torch.tensor([2.0, 3.0])
w = torch.ones(2, requires_grad=True)
(w * features.clone()).sum().backward()  # the clone is a normal tensor
print(w.grad)

with torch.no_grad():  # or no_grad from the start
    features = torch.tensor([2.0, 3.0])
(w * features).sum().backward()
print(w.grad)
# prints:
# tensor([2., 3.])
# tensor([4., 6.])

# %% [markdown] trap="multi-grad-hook" title="register_multi_grad_hook gives None or is early" lesson="tensor_hooks" covers="TH25"
# **Symptom.** A hook for several tensors finds None in its list. Or it is called with one gradient
# only.
#
# **Cause.** `register_multi_grad_hook` has two modes. With `mode="all"`, the default, it is called
# once in each backward, when all gradients that will come have come. For a tensor that the loss does
# not use, it gets None. With `mode="any"` it is called once with the first gradient, and not for the
# others.
#
# **Spot it early.** In the hook: `missing = [g is None for g in grads]`. If one is True, the loss does
# not depend on that tensor.

# %% wrong
import torch
from torch.autograd.graph import register_multi_grad_hook

a, b, unused = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 4.0))


def total(grads):
    try:
        print("total", sum(grad.item() for grad in grads))
    except AttributeError as error:
        print("AttributeError:", error)


register_multi_grad_hook((a, b, unused), total)
(a * b).backward()
# prints:
# AttributeError: 'NoneType' object has no attribute 'item'

# %% right
import torch
from torch.autograd.graph import register_multi_grad_hook

a, b, unused = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0, 4.0))


def total(grads):
    print("total", sum(grad.item() for grad in grads if grad is not None))


register_multi_grad_hook((a, b, unused), total)
(a * b).backward()
# prints:
# total 5.0

# %% [markdown] trap="saved-tensor-loses-hooks" title="torch.save does not keep tensor hooks" lesson="tensor_hooks" covers="TH31"
# **Symptom.** `torch.save` warns `backward hook ... on tensor will not be serialized`. After loading,
# the hook is not called.
#
# **Cause.** A hook is a Python function in the running process. `torch.save` writes the numbers of the
# tensor and leaves the hooks out. A loaded tensor has none.
#
# **Spot it early.** Read the warning. After loading, register again, in the same function that made
# the hooks the first time.

# %% wrong
import io
import warnings
import torch

w = torch.ones(1, requires_grad=True)
w.register_hook(lambda grad: grad * 10)
file = io.BytesIO()
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    torch.save(w, file)
print(seen[0].category.__name__, "will not be serialized" in str(seen[0].message))
file.seek(0)
loaded = torch.load(file)
(loaded * 2).sum().backward()
print("gradient", loaded.grad.item())
# prints:
# UserWarning True
# gradient 2.0

# %% right
import io
import torch


def with_hook(w):
    w.register_hook(lambda grad: grad * 10)
    return w


file = io.BytesIO()
torch.save(with_hook(torch.ones(1, requires_grad=True)).detach(), file)  # the numbers only
file.seek(0)
loaded = with_hook(torch.load(file).requires_grad_())
(loaded * 2).sum().backward()
print("gradient", loaded.grad.item())
# prints:
# gradient 20.0
