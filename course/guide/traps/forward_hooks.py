# %% [markdown] trap="hooks-pile-up" title="The cell ran again and the hooks piled up" lesson="module_hooks" covers="MF10"
# **Symptom.** You run a notebook cell again. Each line that the hook prints now comes two times,
# then three times.
#
# **Cause.** Each call of `register_forward_hook` adds one more hook. It never replaces an old one,
# also when the function has the same name. The layer keeps all of them until their handles remove
# them.
#
# **Spot it early.** Call `leftover_hooks(model)` from `course`: it lists each hook that is still
# there. To run a cell often, register with `attach(layer.register_forward_hook, note)` from
# `course`. It removes the hook of the last run.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(2, 2)
seen = []
for _ in range(3):  # the same cell, run three times

    def note(module, args, output):
        seen.append(tuple(output.shape))

    layer.register_forward_hook(note)
layer(torch.ones(4, 2))
print(seen)
# prints:
# [(4, 2), (4, 2), (4, 2)]

# %% right
import torch
from torch import nn

layer = nn.Linear(2, 2)
seen = []
for _ in range(3):

    def note(module, args, output):
        seen.append(tuple(output.shape))

    with layer.register_forward_hook(note):  # the hook leaves with the block
        seen.clear()
        layer(torch.ones(4, 2))
print(seen, "hooks left:", len(layer._forward_hooks))
# prints:
# [(4, 2)] hooks left: 0

# %% [markdown] trap="forward-called-directly" title="model.forward is called and no hook runs" lesson="module_hooks" covers="MF01"
# **Symptom.** The hook is registered and the result is right, but the hook is never called. There is
# no error.
#
# **Cause.** Hooks belong to the call `model(x)`. That call runs the pre-hooks, then `forward`, then
# the forward hooks. `model.forward(x)` is only the part in the middle. Full backward hooks are
# missing too, because the call puts them into the graph.
#
# **Spot it early.** Search your code for `.forward(`. Or run `trace(lambda: your_loss())` from
# `course`, then `why_not_called(handle)`.

# %% wrong
import torch
from torch import nn

model = nn.Linear(3, 1)
calls = []
model.register_forward_hook(lambda module, args, output: calls.append("forward hook"))
model.register_full_backward_hook(lambda module, gis, gos: calls.append("backward hook"))
x = torch.ones(1, 3, requires_grad=True)
model.forward(x).sum().backward()
print(calls)
# prints:
# []

# %% right
import torch
from torch import nn

model = nn.Linear(3, 1)
calls = []
model.register_forward_hook(lambda module, args, output: calls.append("forward hook"))
model.register_full_backward_hook(lambda module, gis, gos: calls.append("backward hook"))
x = torch.ones(1, 3, requires_grad=True)
model(x).sum().backward()
print(calls)
# prints:
# ['forward hook', 'backward hook']

# %% [markdown] trap="output-replaced" title="A forward hook replaces the output by accident" lesson="module_hooks" covers="MF03"
# **Symptom.** The hook only measures something. With the hook, the layer gives back a number, a
# string or another tensor. Often the error comes later, in the next layer.
#
# **Cause.** Everything that a forward hook returns, except None, becomes the new output. The type is
# not checked: 0 and a string are accepted. A `lambda` always returns its value.
#
# **Spot it early.** A hook that only looks is a `def` without `return`. Call the layer with the hook
# and without it, and compare with `torch.equal`.

# %% wrong
import torch
from torch import nn

largest = {}
layer = nn.ReLU()
layer.register_forward_hook(
    lambda module, args, output: largest.setdefault("relu", output.max().item())
)
print(layer(torch.tensor([-1.0, 5.0])))
# prints:
# 5.0

# %% right
import torch
from torch import nn

largest = {}


def measure(module, args, output):
    largest["relu"] = output.max().item()


layer = nn.ReLU()
layer.register_forward_hook(measure)
print(layer(torch.tensor([-1.0, 5.0])), largest)
# prints:
# tensor([0., 5.]) {'relu': 5.0}

# %% [markdown] trap="kept-outputs-attached" title="Kept outputs keep the graph in memory" lesson="module_hooks" covers="MF08"
# **Symptom.** The hook appends the output to a list. The memory grows with each forward.
#
# **Cause.** The output has a grad_fn, and the grad_fn holds the graph with the tensors that it saved
# for backward. As long as the list holds the output, nothing of that can be freed.
#
# **Spot it early.** Print `kept[0].grad_fn`. It must be None.

# %% wrong
import weakref

import torch
from torch import nn

layer = nn.Linear(2, 2)
kept = []
layer.register_forward_hook(lambda module, args, output: kept.append(output))
x = torch.ones(1, 2) * 3
watch = weakref.ref(x)
layer(x)
del x
print("grad_fn:", kept[0].grad_fn is not None, "| input still in memory:", watch() is not None)
# prints:
# grad_fn: True | input still in memory: True

# %% right
import weakref

import torch
from torch import nn

layer = nn.Linear(2, 2)
kept = []
layer.register_forward_hook(lambda module, args, output: kept.append(output.detach().clone()))
x = torch.ones(1, 2) * 3
watch = weakref.ref(x)
layer(x)
del x
print("grad_fn:", kept[0].grad_fn is not None, "| input still in memory:", watch() is not None)
# prints:
# grad_fn: False | input still in memory: False

# %% [markdown] trap="kept-output-changes" title="The kept output changes after the hook" lesson="module_hooks" covers="MF08"
# **Symptom.** The kept output of a layer has no negative numbers, and it should have some. It is
# equal to the output of the next layer.
#
# **Cause.** `output.detach()` makes a second tensor object, but it does not copy the numbers. A layer
# behind it with `inplace=True` writes into the same memory. So does `+=` in `forward`.
#
# **Spot it early.** Keep `output.sum().item()` next to the tensor and compare the two after forward.

# %% wrong
import torch
from torch import nn

model = nn.Sequential(nn.Identity(), nn.ReLU(inplace=True))
kept = []
model[0].register_forward_hook(lambda module, args, output: kept.append(output.detach()))
model(torch.tensor([-2.0, 3.0]))
print(kept[0])
# prints:
# tensor([0., 3.])

# %% right
import torch
from torch import nn

model = nn.Sequential(nn.Identity(), nn.ReLU(inplace=True))
kept = []
model[0].register_forward_hook(lambda module, args, output: kept.append(output.detach().clone()))
model(torch.tensor([-2.0, 3.0]))
print(kept[0])
# prints:
# tensor([-2.,  3.])

# %% [markdown] trap="last-call-wins" title="One layer is called twice but kept once" lesson="module_hooks" covers="MF09"
# **Symptom.** `forward` uses the same layer two times. Your dict has one output for it: the last one.
#
# **Cause.** A hook is called at each call of its module. The key is the name of the module, and it
# is the same for both calls, so the second output replaces the first. Backward hooks are called for
# each call too, and the last call comes first.
#
# **Spot it early.** Count the calls of the hook and compare with `len(kept)`.

# %% wrong
import torch
from torch import nn

act = nn.ReLU()
kept = {}


def keep(module, args, output):
    kept["act"] = output.item()


act.register_forward_hook(keep)
act(act(torch.tensor(2.0)) * 10)
print(kept)
# prints:
# {'act': 20.0}

# %% right
import torch
from torch import nn

act = nn.ReLU()
kept = {}


def keep(module, args, output):
    kept.setdefault("act", []).append(output.item())


act.register_forward_hook(keep)
act(act(torch.tensor(2.0)) * 10)
print(kept)
# prints:
# {'act': [2.0, 20.0]}

# %% [markdown] trap="module-never-called" title="The hooked module is never called" lesson="module_hooks" covers="MF02"
# **Symptom.** The hook on one module is not called, and those on other modules are.
#
# **Cause.** A hook is called when its module is called. In the code below, `relu` exists, but
# `forward` uses the function `F.relu`. `blocks` is a ModuleList: `forward` calls its items, never the
# list. And `F.linear(x, self.fc.weight)` uses a weight, but does not call `fc`.
#
# **Spot it early.** Put a hook on each module of `named_modules()` that counts, and print the names
# with the count 0.

# %% wrong
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.blocks = nn.ReLU(), nn.ModuleList([nn.Linear(2, 2)])

    def forward(self, x):
        return F.relu(self.blocks[0](x))


model, called = Net(), []
for name, module in model.named_children():
    module.register_forward_hook(lambda m, args, output, name=name: called.append(name))
model(torch.ones(1, 2))
print(called)
# prints:
# []

# %% right
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu, self.blocks = nn.ReLU(), nn.ModuleList([nn.Linear(2, 2)])

    def forward(self, x):
        return self.relu(self.blocks[0](x))


model, called = Net(), []
for name in ("blocks.0", "relu"):
    module = model.get_submodule(name)
    module.register_forward_hook(lambda m, args, output, name=name: called.append(name))
model(torch.ones(1, 2))
print(called)
# prints:
# ['blocks.0', 'relu']

# %% [markdown] trap="keyword-inputs-missing" title="args is empty: inputs given by keyword" lesson="module_hooks" covers="MF04"
# **Symptom.** `IndexError: tuple index out of range` at `args[0]` in a hook. Or the hook sees fewer
# inputs than `forward` gets.
#
# **Cause.** `args` holds only what was given by position. An input given by keyword is not in it.
# Register with `with_kwargs=True`: then the hook gets one parameter more, the dict `kwargs`.
# (torch 1.12.1 does not have `with_kwargs`.)
#
# **Spot it early.** Print `len(args)` in the hook, and read how the caller calls the layer.

# %% wrong
import torch
from torch import nn

layer = nn.Linear(3, 1)
layer.register_forward_pre_hook(lambda module, args: print(args[0].shape))
try:
    layer(input=torch.ones(2, 3))
except IndexError as error:
    print("IndexError:", error)
# prints:
# IndexError: tuple index out of range

# %% right
import torch
from torch import nn


def look(module, args, kwargs):
    x = args[0] if args else kwargs["input"]
    print(tuple(x.shape))


layer = nn.Linear(3, 1)
layer.register_forward_pre_hook(look, with_kwargs=True)
layer(input=torch.ones(2, 3))
layer(torch.ones(4, 3))
# prints:
# (2, 3)
# (4, 3)

# %% [markdown] trap="wrong-number-of-parameters" title="Wrong parameters of a hook show up late" lesson="module_hooks" covers="MF11"
# **Symptom.** `TypeError: ... takes 2 positional arguments but 3 were given`. The line of the error
# is a forward or a backward, far from the line that registered the hook.
#
# **Cause.** Registering does not look at the function. A forward hook fails at the first call of the
# module. A backward hook fails in backward. A forward hook has the parameters
# `module, args, output`, a forward pre-hook `module, args`, a full backward hook
# `module, grad_input, grad_output`, a tensor hook `grad`.
#
# **Spot it early.** After registering, run one forward and one backward with a small input.

# %% wrong
import torch
from torch import nn


def look(grad_input, grad_output):
    print(grad_output[0].shape)


layer = nn.Linear(2, 1)
layer.register_full_backward_hook(look)
y = layer(torch.ones(3, 2, requires_grad=True))
print("registered, and forward is done")
try:
    y.sum().backward()
except TypeError as error:
    print("TypeError:", error)
# prints:
# registered, and forward is done
# TypeError: look() takes 2 positional arguments but 3 were given

# %% right
import torch
from torch import nn


def look(module, grad_input, grad_output):
    print(tuple(grad_output[0].shape))


layer = nn.Linear(2, 1)
layer.register_full_backward_hook(look)
layer(torch.ones(3, 2, requires_grad=True)).sum().backward()
# prints:
# (3, 1)

# %% [markdown] trap="hooks-run-in-eval" title="Hooks run in eval and in no_grad too" lesson="module_hooks" covers="MF16"
# **Symptom.** The record of the training holds more entries than there were training steps. Batches
# of the validation are in it.
#
# **Cause.** `model.eval()` and `torch.no_grad()` do not switch forward hooks off. A forward hook is
# called whenever its module is called, in `torch.inference_mode()` too. Only backward hooks are
# silent there, because there is no backward.
#
# **Spot it early.** After an epoch, compare the number of entries with the number of training steps.

# %% wrong
import torch
from torch import nn

model = nn.Linear(2, 1)
record = []
model.register_forward_hook(lambda module, args, output: record.append(len(output)))
for _ in range(2):
    model(torch.ones(8, 2))  # two training steps
model.eval()
with torch.no_grad():
    model(torch.ones(100, 2))  # validation
print(record)
# prints:
# [8, 8, 100]

# %% right
import torch
from torch import nn


def count(module, args, output):
    if module.training:
        record.append(len(output))


model, record = nn.Linear(2, 1), []
model.register_forward_hook(count)
for _ in range(2):
    model(torch.ones(8, 2))
model.eval()
with torch.no_grad():
    model(torch.ones(100, 2))
print(record)
# prints:
# [8, 8]

# %% [markdown] trap="tensor-hook-under-no-grad" title="output.register_hook fails under no_grad" lesson="module_hooks" covers="MF16"
# **Symptom.** A forward hook puts a tensor hook on the output. In training it works. In validation:
# `RuntimeError: cannot register a hook on a tensor that doesn't require gradient`.
#
# **Cause.** Under `torch.no_grad()` no graph is recorded, so the output does not require a gradient.
# A tensor hook on it could never be called, and PyTorch refuses it.
#
# **Spot it early.** Call the model once under `torch.no_grad()` right after you register the hook.

# %% wrong
import torch
from torch import nn


def watch(module, args, output):
    output.register_hook(lambda grad: print("gradient", grad))


layer = nn.Linear(2, 1)
layer.register_forward_hook(watch)
with torch.no_grad():
    try:
        layer(torch.ones(1, 2))
    except RuntimeError as error:
        print("RuntimeError:", error)
# prints:
# RuntimeError: cannot register a hook on a tensor that doesn't require gradient

# %% right
import torch
from torch import nn


def watch(module, args, output):
    if output.requires_grad:
        output.register_hook(lambda grad: print("gradient", grad))


layer = nn.Linear(2, 1)
layer.register_forward_hook(watch)
with torch.no_grad():
    layer(torch.ones(1, 2))
layer(torch.ones(1, 2)).sum().backward()
# prints:
# gradient tensor([[1.]])

# %% [markdown] trap="pre-hook-returns-list" title="A pre-hook returns a list" lesson="module_hooks" covers="MF03"
# **Symptom.** `forward` gets a list where it needs a tensor. Many layers then raise a TypeError:
# `argument 'input' (position 1) must be Tensor, not list`.
#
# **Cause.** What a forward pre-hook returns becomes the new positional inputs. A tuple is unpacked.
# Everything else becomes **one** input, also a list.
#
# **Spot it early.** A pre-hook that changes inputs ends with `return (new,)` or
# `return (new_a, new_b)`. Read its `return` line.

# %% wrong
import torch
from torch import nn


def double(module, args):
    return [value * 2 for value in args]


layer = nn.Identity()
layer.register_forward_pre_hook(double)
print(layer(torch.tensor(3.0)))
# prints:
# [tensor(6.)]

# %% right
import torch
from torch import nn


def double(module, args):
    return tuple(value * 2 for value in args)


layer = nn.Identity()
layer.register_forward_pre_hook(double)
print(layer(torch.tensor(3.0)))
# prints:
# tensor(6.)

# %% [markdown] trap="kwargs-pre-hook-return" title="A with_kwargs pre-hook returns only args" lesson="module_hooks" covers="MF04"
# **Symptom.** `RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs)`.
#
# **Cause.** A pre-hook that was registered with `with_kwargs=True` gets `args` and `kwargs`. If it
# changes something, it must give back both, as a tuple of two, also when one of them stays as it is.
#
# **Spot it early.** Call the layer once after you register the hook: the error comes at the first
# call.

# %% wrong
import torch
from torch import nn


def double(module, args, kwargs):
    return tuple(value * 2 for value in args)


layer = nn.Identity()
layer.register_forward_pre_hook(double, with_kwargs=True)
try:
    layer(torch.tensor(3.0))
except RuntimeError as error:
    print("RuntimeError:", str(error).partition(", but got")[0])
# prints:
# RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs)

# %% right
import torch
from torch import nn


def double(module, args, kwargs):
    return tuple(value * 2 for value in args), kwargs


layer = nn.Identity()
layer.register_forward_pre_hook(double, with_kwargs=True)
print(layer(torch.tensor(3.0)))
# prints:
# tensor(6.)

# %% [markdown] trap="order-of-forward-hooks" title="Forward hooks run in an unexpected order" lesson="module_hooks" covers="MF06"
# **Symptom.** Two hooks change the output of one layer. The result is not what the order of your
# lines says.
#
# **Cause.** Hooks of one layer run in the order of registration, with two exceptions. A hook
# registered with `prepend=True` goes to the front. And global hooks, those of
# `register_module_forward_hook`, run before all hooks of the layer. Each hook gets the output that
# the hook before it made.
#
# **Spot it early.** Let each hook append its name to a list, and print the list after one forward.

# %% wrong
import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

layer = nn.Identity()
layer.register_forward_hook(lambda module, args, output: output + 1)
layer.register_forward_hook(lambda module, args, output: output * 10)  # meant: (2 + 1) * 10
with register_module_forward_hook(lambda module, args, output: output * 100):  # meant: the last
    print(layer(torch.tensor(2.0)))
# prints:
# tensor(2010.)

# %% right
import torch
from torch import nn

layer = nn.Identity()
layer.register_forward_hook(lambda module, args, output: output * 10)
layer.register_forward_hook(lambda module, args, output: output * 100)
layer.register_forward_hook(lambda module, args, output: output + 1, prepend=True)  # the first
print(layer(torch.tensor(2.0)))
# prints:
# tensor(3000.)

# %% [markdown] trap="copy-has-hooks" title="deepcopy copies the hooks too" lesson="module_hooks" covers="MF14"
# **Symptom.** You make a copy of the model, for example for averaged weights. The record then holds
# entries of both. `handle.remove()` does not help with the copy.
#
# **Cause.** `copy.deepcopy(model)` copies the hooks. A plain function is not copied itself, so both
# models fill the same list. (A bound method is different: its object is copied, and the record of
# the original stays empty when the copy runs.) The handle knows only the original.
#
# **Spot it early.** Call `leftover_hooks(twin)` from `course` on the copy. It must say `No hooks.`

# %% wrong
import copy

import torch
from torch import nn

model = nn.Linear(2, 1)
record = []
handle = model.register_forward_hook(lambda module, args, output: record.append(len(output)))
twin = copy.deepcopy(model)
handle.remove()
twin(torch.ones(7, 2))
print(record)
# prints:
# [7]

# %% right
import copy

import torch
from torch import nn

model = nn.Linear(2, 1)
twin = copy.deepcopy(model)  # first copy, then register
record = []
with model.register_forward_hook(lambda module, args, output: record.append(len(output))):
    model(torch.ones(3, 2))
    twin(torch.ones(7, 2))
print(record)
# prints:
# [3]

# %% [markdown] trap="save-with-hooks" title="torch.save fails on a model with a hook" lesson="module_hooks" covers="MF15"
# **Symptom.** `torch.save(model, path)` raises `PicklingError: Can't pickle <function <lambda> ...`.
#
# **Cause.** `torch.save(model, ...)` saves the whole object with pickle, and the hooks are in it.
# Pickle cannot save a lambda or a function that was defined inside a function. `state_dict()` holds
# only numbers and no hooks.
#
# **Spot it early.** Save the `state_dict()`, not the model. If you must save the model, remove your
# hooks first and check with `leftover_hooks(model)` from `course`.

# %% wrong
import io
import pickle

import torch
from torch import nn

model = nn.Linear(2, 1)
model.register_forward_hook(lambda module, args, output: None)
try:
    torch.save(model, io.BytesIO())
except pickle.PicklingError as error:
    print("PicklingError:", str(error).partition(" at 0x")[0])
# prints:
# PicklingError: Can't pickle <function <lambda>

# %% right
import io

import torch
from torch import nn

model = nn.Linear(2, 1)
model.register_forward_hook(lambda module, args, output: None)
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
print(list(torch.load(file, weights_only=True)))
# prints:
# ['weight', 'bias']

# %% [markdown] trap="registered-in-a-hook" title="A hook registered inside a hook starts late" lesson="module_hooks" covers="MF17"
# **Symptom.** A hook registers another hook on the same module. The new hook misses the first call,
# and later there are more and more of them.
#
# **Cause.** While the forward hooks of a call run, PyTorch goes through a copy of the list. A hook that
# is added counts from the next call on. Each call adds one more. (Removing a hook from inside a
# hook is safe for the same reason.)
#
# **Spot it early.** Print `len(module._forward_hooks)` after each of three calls. It must not grow.

# %% wrong
import torch
from torch import nn

calls = []


def first(module, args, output):
    module.register_forward_hook(lambda m, args, output: calls.append(number))


layer = nn.Identity()
layer.register_forward_hook(first)
for number in (1, 2, 3):
    layer(torch.ones(1))
print(calls)
# prints:
# [2, 3, 3]

# %% right
import torch
from torch import nn

calls = []


def greet(module, args, output):
    calls.append("first call")
    handle.remove()  # from inside a hook: safe


layer = nn.Identity()
handle = layer.register_forward_hook(greet)
layer.register_forward_hook(lambda m, args, output: calls.append(number))
for number in (1, 2, 3):
    layer(torch.ones(1))
print(calls)
# prints:
# ['first call', 1, 2, 3]
