# %% [markdown] trap="post-accumulate-gets-parameter" title="A post-accumulate hook gets the parameter" lesson="tensor_hooks" covers="PA01"
# **Symptom.** The "gradients" that the hook writes down are the weights. They are the same for each
# batch as long as no step is taken.
#
# **Cause.** A tensor hook gets the gradient. The hook of `register_post_accumulate_grad_hook` gets the
# **parameter**. At that moment the gradient is stored already: it is in `.grad`, together with what
# earlier backward calls left there. (torch 1.12.1 does not have this method.)
#
# **Spot it early.** Name the parameter of the function `p`, not `grad`. Print `p is weight` in it once.

# %% wrong
import torch

weight = torch.tensor([3.0, 4.0], requires_grad=True)
weight.register_post_accumulate_grad_hook(lambda grad: print("norm", grad.norm().item()))
(weight * 2).sum().backward()
print(weight.grad)
# prints:
# norm 5.0
# tensor([2., 2.])

# %% right
import torch

weight = torch.tensor([3.0, 4.0], requires_grad=True)
weight.register_post_accumulate_grad_hook(lambda p: print("norm", round(p.grad.norm().item(), 3)))
(weight * 2).sum().backward()
print(weight.grad)
# prints:
# norm 2.828
# tensor([2., 2.])

# %% [markdown] trap="post-accumulate-return" title="A post-accumulate hook returns a gradient" lesson="tensor_hooks" covers="PA01"
# **Symptom.** `RuntimeError: Tensor post accumulate grad hooks should return None.`
#
# **Cause.** The hook runs after the gradient was stored. There is nothing that a return value could
# replace, so PyTorch accepts only None. A `lambda` returns its value, so it raises this error
# easily.
#
# **Spot it early.** Write a `def` without `return`. To change the gradient, write to `p.grad`, or use a
# tensor hook (`register_hook`), which may return one.

# %% wrong
import torch

weight = torch.ones(2, requires_grad=True)
weight.register_post_accumulate_grad_hook(lambda p: p.grad * 0.5)
try:
    (weight * 6).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", error)
# prints:
# RuntimeError: Tensor post accumulate grad hooks should return None.

# %% right
import torch


def halve(p):
    p.grad = p.grad * 0.5


weight = torch.ones(2, requires_grad=True)
weight.register_post_accumulate_grad_hook(halve)
(weight * 6).sum().backward()
print(weight.grad)
# prints:
# tensor([3., 3.])

# %% [markdown] trap="post-accumulate-non-leaf" title="A post-accumulate hook on a non-leaf" lesson="tensor_hooks" covers="PA02"
# **Symptom.** `RuntimeError: post accumulate grad hooks cannot be registered on non-leaf tensors`.
#
# **Cause.** Backward accumulates gradients in the `.grad` of leaves, at their AccumulateGrad node. The
# result of an operation has no such node. (On a leaf that does not require a gradient, the error is
# `cannot register a hook on a tensor that doesn't require gradient`.)
#
# **Spot it early.** Print `t.is_leaf` and `t.requires_grad`. Both must be True.

# %% wrong
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
try:
    y.register_post_accumulate_grad_hook(lambda p: print(p.grad))
except RuntimeError as error:
    print("RuntimeError:", error)
# prints:
# RuntimeError: post accumulate grad hooks cannot be registered on non-leaf tensors

# %% right
import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3
y.register_hook(lambda grad: print(grad))
(y * 5).backward()
# prints:
# tensor(5.)

# %% [markdown] trap="autograd-grad-no-accumulate" title="autograd.grad calls no post-accumulate hook" lesson="tensor_hooks" covers="PA02"
# **Symptom.** The gradient comes back and is right, but the post-accumulate hook is not called.
#
# **Cause.** `torch.autograd.grad` gives the gradients back and stores nothing in `.grad`. So there is
# no moment "after the gradient was accumulated". A tensor hook on the same leaf is called.
#
# **Spot it early.** Print `x.grad` afterwards. If it is None, nothing was accumulated. Or run
# `trace(lambda: torch.autograd.grad(y, x))`, then `why_not_called(handle)`, both from `course`.

# %% wrong
import torch

x = torch.tensor(2.0, requires_grad=True)
calls = []
x.register_post_accumulate_grad_hook(lambda p: calls.append(p.grad.item()))
print(torch.autograd.grad(x * 7, x), calls)
# prints:
# (tensor(7.),) []

# %% right
import torch

x = torch.tensor(2.0, requires_grad=True)
calls = []


def look(grad):
    calls.append(grad.item())


x.register_hook(look)
print(torch.autograd.grad(x * 7, x), calls)
# prints:
# (tensor(7.),) [7.0]

# %% [markdown] trap="prehook-after-tensor-hook" title="A node prehook runs after the tensor hooks" lesson="tensor_hooks" covers="NH02"
# **Symptom.** A prehook on `y.grad_fn` was registered first and should see the gradient as it arrives.
# It sees one that a tensor hook has changed already.
#
# **Cause.** Tensor hooks on `y` always run before the prehooks of the node `y.grad_fn`. The order of
# your lines does not matter between these two kinds. Then the node runs, then its hooks. All of
# them see the changed gradient. (torch 1.12.1 does not have `register_prehook`.)
#
# **Spot it early.** Let each hook append its kind and its number to one list, and print it.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 3
arrived = []
y.grad_fn.register_prehook(lambda grad_outputs: arrived.append(grad_outputs[0].item()))
y.register_hook(lambda grad: grad * 10)
y.backward()
print("arrived at y:", arrived)
# prints:
# arrived at y: [10.0]

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 3
arrived = []


def look(grad):
    arrived.append(grad.item())


y.register_hook(look)  # tensor hooks keep the order of registration
y.register_hook(lambda grad: grad * 10)
y.backward()
print("arrived at y:", arrived)
# prints:
# arrived at y: [1.0]

# %% [markdown] trap="saved-hooks-around-backward" title="saved_tensors_hooks around backward does nothing" lesson="retain_grad" covers="SV01"
# **Symptom.** `with saved_tensors_hooks(pack, unpack):` stands around backward. Neither function is
# called.
#
# **Cause.** Tensors are saved in **forward**, at each operation. `pack` is called there, if the `with`
# block is open. What was saved without hooks comes back without `unpack`.
#
# **Spot it early.** Let `pack` print the shape. If nothing is printed during forward, the block is in
# the wrong place.

# %% wrong
import torch
from torch.autograd.graph import saved_tensors_hooks


def note(what):
    return lambda t: calls.append(what) or t


calls = []
a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
loss = (a * b).sum()
with saved_tensors_hooks(note("pack"), note("unpack")):
    loss.backward()
print(calls)
# prints:
# []

# %% right
import torch
from torch.autograd.graph import saved_tensors_hooks


def note(what):
    return lambda t: calls.append(what) or t


calls = []
a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
with saved_tensors_hooks(note("pack"), note("unpack")):
    loss = (a * b).sum()
loss.backward()
print(calls)
# prints:
# ['pack', 'pack', 'unpack', 'unpack']

# %% [markdown] trap="unpack-after-the-block" title="unpack runs after the with block has ended" lesson="retain_grad" covers="SV01"
# **Symptom.** `pack` puts tensors into a dict or a temporary folder. Backward then fails: the entry
# or the file is not there any more.
#
# **Cause.** `unpack` is called in backward, and backward often comes after the `with` block. The graph
# has kept the function `unpack` and what `pack` gave back. What that stands for must stay until
# backward is done.
#
# **Spot it early.** Print a line at the end of the block and one in `unpack`, and read the order.

# %% wrong
import torch
from torch.autograd.graph import saved_tensors_hooks

store = {}


def pack(t):
    store[len(store)] = t.detach().clone()
    return len(store) - 1


x = torch.tensor([3.0], requires_grad=True)
with saved_tensors_hooks(pack, lambda key: store[key]):
    loss = (x * x).sum()
store.clear()
try:
    loss.backward()
except KeyError as error:
    print("KeyError:", error)
# prints:
# KeyError: 0

# %% right
import torch
from torch.autograd.graph import saved_tensors_hooks

store = {}


def pack(t):
    store[len(store)] = t.detach().clone()
    return len(store) - 1


x = torch.tensor([3.0], requires_grad=True)
with saved_tensors_hooks(pack, lambda key: store[key]):
    loss = (x * x).sum()
loss.backward()
store.clear()  # after backward
print(x.grad)
# prints:
# tensor([6.])

# %% [markdown] trap="saved-hooks-see-some" title="saved_tensors_hooks do not see every result" lesson="retain_grad" covers="SV01"
# **Symptom.** You want a list of all intermediate results. `pack` is called for some operations and
# not for others.
#
# **Cause.** `pack` is called only for tensors that a node saves for its backward. An addition needs
# no values in backward and saves none. A multiplication saves its factors, so `pack` gets inputs, not
# results. Without a gradient to compute, nothing is saved at all.
#
# **Spot it early.** Call one operation in the block and print the number of calls. To see results of
# layers, use forward hooks.

# %% wrong
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


class Sum(nn.Module):
    def forward(self, a, b):
        return a + b


seen = []
a = torch.tensor(2.0, requires_grad=True)
with saved_tensors_hooks(lambda t: seen.append(t.item()) or t, lambda t: t):
    Sum()(a, a)
print(seen)
# prints:
# []

# %% right
import torch
from torch import nn


class Sum(nn.Module):
    def forward(self, a, b):
        return a + b


seen = []
a = torch.tensor(2.0, requires_grad=True)
layer = Sum()
layer.register_forward_hook(lambda module, args, output: seen.append(output.item()))
layer(a, a)
print(seen)
# prints:
# [4.0]

# %% [markdown] trap="lossy-pack" title="A pack hook that rounds gives wrong gradients" lesson="retain_grad" covers="SV02"
# **Symptom.** The loss is right and the gradient is wrong. There is no error and no warning.
#
# **Cause.** Backward computes with what `unpack` gives back. PyTorch does not compare it with what
# `pack` was given. Numbers that were rounded to save memory go into the gradient.
#
# **Spot it early.** Compute one gradient with the hooks and one without them, and compare with
# `torch.allclose`.

# %% wrong
import torch
from torch.autograd.graph import saved_tensors_hooks

x = torch.tensor(2.5, requires_grad=True)
with saved_tensors_hooks(lambda t: t.to(torch.int8), lambda t: t.to(torch.float32)):
    loss = x**2
loss.backward()
print("loss", loss.item(), "gradient", x.grad.item())
# prints:
# loss 6.25 gradient 4.0

# %% right
import torch
from torch.autograd.graph import save_on_cpu

x = torch.tensor(2.5, requires_grad=True)
with save_on_cpu():  # less memory on the GPU, the same numbers
    loss = x**2
loss.backward()
print("loss", loss.item(), "gradient", x.grad.item())
# prints:
# loss 6.25 gradient 5.0

# %% [markdown] trap="pack-in-place" title="A pack hook edits its tensor in place" lesson="retain_grad" covers="SV02"
# **Symptom.** `RuntimeError: A saved tensor pack hook is modifying its input in place.` The error comes
# in forward.
#
# **Cause.** `pack` gets the saved tensor itself, not a copy. Others may use the same tensor, so PyTorch
# forbids to write into it.
#
# **Spot it early.** In `pack`, search for methods that end with `_` and for `+=`.

# %% wrong
import torch
from torch.autograd.graph import saved_tensors_hooks

x = torch.tensor(1.0, requires_grad=True)
try:
    with saved_tensors_hooks(lambda t: t.mul_(4), lambda t: t / 4):
        (x * 0).exp()
except RuntimeError as error:
    print("RuntimeError:", str(error).partition(".")[0])
# prints:
# RuntimeError: A saved tensor pack hook is modifying its input in place

# %% right
import torch
from torch.autograd.graph import saved_tensors_hooks

x = torch.tensor(1.0, requires_grad=True)
with saved_tensors_hooks(lambda t: t * 4, lambda t: t / 4):
    y = (x * 5).square()
y.backward()
print(x.grad)
# prints:
# tensor(50.)

# %% [markdown] trap="unpack-gives-no-tensor" title="An unpack hook that gives back no tensor" lesson="retain_grad" covers="SV02"
# **Symptom.** `TypeError: Output of saved tensor unpack_hook expected to be a Tensor`. Forward was fine,
# the error comes in backward.
#
# **Cause.** `pack` may give back anything: a NumPy array, a file name, a number. `unpack` must make a
# tensor out of it, with the values that were saved.
#
# **Spot it early.** Call `unpack(pack(t))` yourself on a small tensor, and check the type, the shape
# and the dtype.

# %% wrong
import torch
from torch.autograd.graph import saved_tensors_hooks

x = torch.tensor([2.0, 3.0], requires_grad=True)
with saved_tensors_hooks(lambda t: t.detach().numpy().copy(), lambda kept: kept):
    loss = (x**2).sum()
try:
    loss.backward()
except TypeError as error:
    print("TypeError:", str(error).partition(" but got")[0])
# prints:
# TypeError: Output of saved tensor unpack_hook expected to be a Tensor

# %% right
import torch
from torch.autograd.graph import saved_tensors_hooks

x = torch.tensor([2.0, 3.0], requires_grad=True)
with saved_tensors_hooks(lambda t: t.detach().numpy().copy(), torch.from_numpy):
    loss = (x**2).sum()
loss.backward()
print(x.grad)
# prints:
# tensor([4., 6.])

# %% [markdown] trap="backward-hook-in-torch-func" title="A full backward hook under torch.func" lesson="module_hooks" covers="XX04"
# **Symptom.** A module with a full backward hook fails under `torch.func.grad`:
# `RuntimeError: In order to use an autograd.Function with functorch transforms ... it must override
# the setup_context staticmethod`. You have written no autograd.Function.
#
# **Cause.** A full backward hook puts a node of PyTorch's own into the graph, and that node is made by
# an autograd.Function that `torch.func.grad` does not accept.
#
# **Spot it early.** Before you use `torch.func`, call `leftover_hooks(model)` from `course`. Where you
# need the hook, take the gradient with `torch.autograd.grad`.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(2, 1)
layer.register_full_backward_hook(lambda module, gis, gos: print("backward hook", gos[0]))
try:
    torch.func.grad(lambda x: (layer(x) * 3).sum())(torch.ones(1, 2))
except RuntimeError as error:
    print("RuntimeError:", str(error).partition(" (vmap")[0])
# prints:
# RuntimeError: In order to use an autograd.Function with functorch transforms

# %% right
import torch
from torch import nn

layer = nn.Linear(2, 1)
layer.register_full_backward_hook(lambda module, gis, gos: print("backward hook", gos[0]))
x = torch.ones(1, 2, requires_grad=True)
(grad,) = torch.autograd.grad((layer(x) * 3).sum(), x)
print(torch.equal(grad, 3 * layer.weight))
# prints:
# backward hook tensor([[3.]])
# True

# %% [markdown] trap="data-parallel-replicas" title="DataParallel: what a hook stores on self is lost" lesson="module_hooks" covers="XX03"
# **Symptom.** The hook stores something on the module, `module.calls += 1`. With `nn.DataParallel` on
# several GPUs it stays 0.
#
# **Cause.** In each forward, DataParallel makes one replica of the module for each GPU. The hook is
# called with the replica, and the replica is thrown away. The dict of hooks is not copied: all
# replicas use the same one. (Without a GPU, DataParallel calls the module itself. So the code here
# makes the replicas with the private method that DataParallel uses.)
#
# **Spot it early.** Print `module is layer` in the hook.

# %% wrong
import torch
from torch import nn


def count(module, args, output):
    module.calls += 1


layer = nn.Identity()
layer.calls = 0
layer.register_forward_hook(count)
for _ in range(2):  # two GPUs
    layer._replicate_for_data_parallel()(torch.ones(1))
print(layer.calls)
# prints:
# 0

# %% right
import torch
from torch import nn

calls = []


def count(module, args, output):
    calls.append(1)  # a list outside: all replicas share it


layer = nn.Identity()
layer.register_forward_hook(count)
for _ in range(2):
    layer._replicate_for_data_parallel()(torch.ones(1))
print(len(calls))
# prints:
# 2

# %% [markdown] trap="checkpoint-calls-twice" title="Checkpointing calls forward hooks twice" lesson="module_hooks" covers="MF13"
# **Symptom.** With `torch.utils.checkpoint` the record of a forward hook holds more entries than there
# were calls. They come during backward.
#
# **Cause.** `checkpoint` does not keep the intermediate results. Backward calls the modules again to
# compute them, and each call of a module calls its hooks. With `use_reentrant=False` this second run
# stops as soon as backward has all that it needs, so the hook of the last layer may be called only
# once. With `use_reentrant=True` the second run is complete.
#
# **Spot it early.** Print `len(record)` before and after backward.

# %% wrong
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

block = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
record = []
for name, layer in block.named_children():
    layer.register_forward_hook(lambda m, args, output, name=name: record.append(name))
y = checkpoint(block, torch.ones(1, 2, requires_grad=True), use_reentrant=False)
print(record)
y.sum().backward()
print(record)
# prints:
# ['0', '1']
# ['0', '1', '0']

# %% right
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

block = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
record, handles = [], []
for name, layer in block.named_children():
    handles.append(
        layer.register_forward_hook(lambda m, args, output, name=name: record.append(name))
    )
y = checkpoint(block, torch.ones(1, 2, requires_grad=True), use_reentrant=False)
for handle in handles:
    handle.remove()  # before backward
y.sum().backward()
print(record)
# prints:
# ['0', '1']

# %% [markdown] trap="hook-after-compile" title="A hook registered after torch.compile ran" lesson="module_hooks" covers="XX01"
# **Symptom.** The hook is called with the plain model and not with the compiled one. There is no error.
#
# **Cause.** The first call of a compiled model looks at the hooks that are there and compiles them in.
# Later calls do not look again, because `torch._dynamo.config.skip_nnmodule_hook_guards` is True.
# Torch 2.4 with `backend="eager"` calls the hook all the same. From torch 2.5 on no backend does.
#
# **Spot it early.** Print the number of calls after the first call that follows the registration. If
# it is 0, call `torch._dynamo.reset()`: the next call compiles again, with the hook.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(2, 1)
torch._dynamo.reset()  # forget what other cells have compiled
fast = torch.compile(layer, backend="aot_eager")
fast(torch.ones(3, 2))
calls = []
layer.register_forward_hook(lambda module, args, output: calls.append("hook"))
fast(torch.ones(3, 2))
print(calls)
# prints:
# []

# %% right
import torch
from torch import nn

layer = nn.Linear(2, 1)
calls = []
layer.register_forward_hook(lambda module, args, output: calls.append("hook"))
torch._dynamo.reset()  # forget what other cells have compiled
fast = torch.compile(layer, backend="aot_eager")
fast(torch.ones(3, 2))
fast(torch.ones(3, 2))
print(calls)
# prints:
# ['hook', 'hook']
