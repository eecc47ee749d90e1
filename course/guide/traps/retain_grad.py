# %% [markdown] trap="gradients-add-up" title="Gradients add up from step to step" lesson="retain_grad" covers="BG03"
# **Symptom.** The same backward, run again, gives twice the gradient. In a training loop the
# gradients grow with every step.
#
# **Cause.** Backward **adds** to `.grad` of a leaf. It does so whatever graph the gradient comes
# from. `retain_graph=True` is not the reason: it allows a second backward on one graph, and nothing
# else. Two new graphs add up in the same way.
#
# **Spot it early.** `assert w.grad is None` before backward. In a loop, call `optimizer.zero_grad()`
# or set `w.grad = None` in each step.

# %% wrong
import torch

w = torch.tensor(1.0, requires_grad=True)
for step in range(3):
    (w * 5).backward()
    print("step", step, "w.grad", w.grad.item())
# prints:
# step 0 w.grad 5.0
# step 1 w.grad 10.0
# step 2 w.grad 15.0

# %% right
import torch

w = torch.tensor(1.0, requires_grad=True)
for step in range(3):
    w.grad = None
    (w * 5).backward()
    print("step", step, "w.grad", w.grad.item())
# prints:
# step 0 w.grad 5.0
# step 1 w.grad 5.0
# step 2 w.grad 5.0

# %% [markdown] trap="retain-grad-assigned" title="retain_grad is set, not called" lesson="retain_grad" covers="RG01"
# **Symptom.** You wrote `h.retain_grad = True` before backward. There is no error, and `h.grad` is
# None. A later `h.retain_grad()` raises `TypeError: 'bool' object is not callable`.
#
# **Cause.** `retain_grad` is a method. The line puts True in its place on this one tensor object, and
# nothing is called. What tells whether a tensor keeps its gradient is `retains_grad`, with an s. It
# can only be read. (torch 1.8 does not have it yet; 1.12 does.)
#
# **Spot it early.** `assert h.retains_grad` before backward. `why_none(h)` names this fault.

# %% wrong
import warnings

import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 4
h.retain_grad = True
(h * h).backward()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # .grad of a non-leaf is read
    print("h.grad", h.grad, "| h.retains_grad", h.retains_grad)
try:
    h.retain_grad()
except TypeError as error:
    print("TypeError:", error)
# prints:
# h.grad None | h.retains_grad False
# TypeError: 'bool' object is not callable

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 4
h.retain_grad()
(h * h).backward()
print("h.grad", h.grad, "| h.retains_grad", h.retains_grad)
# prints:
# h.grad tensor(8.) | h.retains_grad True

# %% [markdown] trap="retain-graph-for-retain-grad" title="retain_graph keeps no gradient" lesson="retain_grad" covers="RG09"
# **Symptom.** You call `loss.backward(retain_graph=True)` to see the gradient of an intermediate
# tensor. Its `.grad` is None.
#
# **Cause.** Two words that look alike keep two different things. `retain_graph=True` keeps the saved
# tensors of the nodes, so that one more backward can run. `h.retain_grad()` keeps the gradient of
# `h`. Neither does the work of the other: after `retain_grad()` alone, a second backward can raise.
#
# **Spot it early.** `assert h.retains_grad` before backward, for each `h` whose gradient you want.

# %% wrong
import warnings

import torch

x = torch.tensor(3.0, requires_grad=True)
h = x**2
loss = h * h
loss.backward(retain_graph=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # .grad of a non-leaf is read
    print("h.grad", h.grad)
# prints:
# h.grad None

# %% right
import torch

x = torch.tensor(3.0, requires_grad=True)
h = x**2
h.retain_grad()
loss = h * h
loss.backward()
print("h.grad", h.grad)
# prints:
# h.grad tensor(18.)

# %% [markdown] trap="grad-is-not-a-snapshot" title="A stored w.grad changes later" lesson="retain_grad" covers="BG05"
# **Symptom.** You put `w.grad` into a list in each step. At the end all entries are the same number.
#
# **Cause.** Backward adds to `.grad` in place. `w.grad` gives you the tensor itself, not a copy: the
# list holds the same tensor many times. Only after `w.grad = None` does the next backward use another
# tensor. `optimizer.zero_grad(set_to_none=False)` fills the same one with zeros.
#
# **Spot it early.** `print(stored is w.grad)`: True means that the next backward changes it. Store
# `w.grad.clone()`, or a number with `.item()`.

# %% wrong
import torch

w = torch.tensor(1.0, requires_grad=True)
noted = []
for factor in (2.0, 5.0):
    (w * factor).backward()
    noted.append(w.grad)
print([g.item() for g in noted], "| one tensor:", noted[0] is noted[1])
# prints:
# [7.0, 7.0] | one tensor: True

# %% right
import torch

w = torch.tensor(1.0, requires_grad=True)
noted = []
for factor in (2.0, 5.0):
    (w * factor).backward()
    noted.append(w.grad.clone())
print([g.item() for g in noted], "| one tensor:", noted[0] is noted[1])
# prints:
# [2.0, 7.0] | one tensor: False

# %% [markdown] trap="retain-grad-gives-none" title="retain_grad gives back None" lesson="retain_grad" covers="RG07"
# **Symptom.** After `h = (x * 3).retain_grad()` the next line raises
# `AttributeError: 'NoneType' object has no attribute ...`.
#
# **Cause.** `retain_grad()` gives back None. `requires_grad_()` gives back the tensor, so people
# expect the same here. The tensor `x * 3` has no name now and is lost.
#
# **Spot it early.** `retain_grad()` stands on a line of its own, with no `=` in it.

# %% wrong
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = (x * 3).retain_grad()
print("h", h)
try:
    h.sum().backward()
except AttributeError as error:
    print("AttributeError:", error)
# prints:
# h None
# AttributeError: 'NoneType' object has no attribute 'sum'

# %% right
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
h.sum().backward()
print("h.grad", h.grad)
# prints:
# h.grad tensor([1., 1.])

# %% [markdown] trap="retain-grad-without-graph" title="retain_grad raises under no_grad" lesson="retain_grad" covers="RG03"
# **Symptom.** `RuntimeError: can't retain_grad on Tensor that has requires_grad=False`. The code works
# in training and raises in evaluation.
#
# **Cause.** Such a tensor will never get a gradient, so there is nothing to keep. Under `no_grad`
# every result is of this kind, and so is every result of plain data. On a leaf that requires a
# gradient the call does nothing and does not raise: a leaf keeps its gradient in any case, and
# `retains_grad` stays False.
#
# **Spot it early.** `print(h.requires_grad)` before the call. Where code runs in both modes, ask
# `if h.requires_grad:`.

# %% wrong
import torch

w = torch.tensor(2.0, requires_grad=True)


def hidden(x):
    h = w * x
    h.retain_grad()
    return h


with torch.no_grad():
    try:
        print("value", hidden(3.0).item())
    except RuntimeError as error:
        print("RuntimeError:", error)
# prints:
# RuntimeError: can't retain_grad on Tensor that has requires_grad=False

# %% right
import torch

w = torch.tensor(2.0, requires_grad=True)


def hidden(x):
    h = w * x
    if h.requires_grad:
        h.retain_grad()
    return h


with torch.no_grad():
    print("value", hidden(3.0).item())
print("with a graph: retains_grad", hidden(3.0).retains_grad)
# prints:
# value 6.0
# with a graph: retains_grad True

# %% [markdown] trap="retained-grad-not-cleared" title="zero_grad does not clear a retained gradient" lesson="retain_grad" covers="RG06"
# **Symptom.** The gradient of an intermediate tensor grows with each backward, although
# `optimizer.zero_grad()` is called every time.
#
# **Cause.** A retained gradient adds up over backward calls, as that of a leaf does. The optimizer
# knows only the parameters it was given. It does not know `h`. (With a new forward in each step there
# is a new `h` with no gradient yet, and nothing adds up.)
#
# **Spot it early.** `assert h.grad is None` before each backward on the same graph. Set
# `h.grad = None` where you call `zero_grad()`.

# %% wrong
import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
h = w * 3
h.retain_grad()
loss = h * 2
for keep in (True, False):
    optimizer.zero_grad()
    loss.backward(retain_graph=keep)
    print("w.grad", w.grad.item(), "| h.grad", h.grad.item())
# prints:
# w.grad 6.0 | h.grad 2.0
# w.grad 6.0 | h.grad 4.0

# %% right
import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
h = w * 3
h.retain_grad()
loss = h * 2
for keep in (True, False):
    optimizer.zero_grad()
    h.grad = None
    loss.backward(retain_graph=keep)
    print("w.grad", w.grad.item(), "| h.grad", h.grad.item())
# prints:
# w.grad 6.0 | h.grad 2.0
# w.grad 6.0 | h.grad 2.0

# %% [markdown] trap="clip-hook-and-micro-batches" title="A clip hook clips each micro-batch alone" lesson="hooks_at_work" covers="TH18"
# **Symptom.** With gradient accumulation (several small batches before one step) the gradient is
# larger than the limit of your clip hook, or not what `clip_grad_value_` gives.
#
# **Cause.** A hook on a weight gets the gradient of **one** backward. It runs before that gradient is
# added to `.grad`. So it clips every part, and nobody clips the sum. The sum of clipped parts is not
# the clipped sum.
#
# **Spot it early.** `print(w.grad.abs().max())` before `optimizer.step()`. To clip what the step
# uses, clip once after the last backward.

# %% wrong
import torch

w = torch.tensor(0.0, requires_grad=True)
w.register_hook(lambda grad: grad.clamp(-1.0, 1.0))
for batch in (4.0, 2.0, -8.0, 3.0):
    (w * batch).backward()
print("limit 1.0, w.grad", w.grad.item())
# prints:
# limit 1.0, w.grad 2.0

# %% right
import torch

w = torch.tensor(0.0, requires_grad=True)
for batch in (4.0, 2.0, -8.0, 3.0):
    (w * batch).backward()
print("the sum", w.grad.item())
torch.nn.utils.clip_grad_value_([w], 1.0)
print("limit 1.0, w.grad", w.grad.item())
# prints:
# the sum 1.0
# limit 1.0, w.grad 1.0

# %% [markdown] trap="hook-runs-per-backward" title="Two losses, and the hook runs twice" lesson="tensor_hooks" covers="TH35"
# **Symptom.** A hook that notes one number for each step notes two. No number is that of the whole
# gradient. `.grad` is right.
#
# **Cause.** Each `backward()` runs the hooks again, with the gradient of that backward. Two losses
# with a backward each are two calls. The sum of the losses with one backward is one call, and it gets
# the whole gradient. `.grad` is the same in both cases.
#
# **Spot it early.** `assert len(noted) == steps` for the list that the hook fills. Add the losses
# first, or read `w.grad` after the last backward.

# %% wrong
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
largest = []
w.register_hook(lambda grad: largest.append(grad.max().item()))
fit, penalty = (w * 3).sum(), (w * w).sum()
fit.backward()
penalty.backward()
print("noted", largest, "| w.grad", w.grad.tolist())
# prints:
# noted [3.0, 4.0] | w.grad [5.0, 7.0]

# %% right
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
largest = []
w.register_hook(lambda grad: largest.append(grad.max().item()))
fit, penalty = (w * 3).sum(), (w * w).sum()
(fit + penalty).backward()
print("noted", largest, "| w.grad", w.grad.tolist())
# prints:
# noted [7.0] | w.grad [5.0, 7.0]

# %% [markdown] trap="retain-grad-after-hooks" title="retain_grad keeps what the hooks made" lesson="retain_grad" covers="RG04"
# **Symptom.** `h.grad` is not the derivative of the loss. A hook on `h` has changed it, although
# `retain_grad()` was called before the hook was registered.
#
# **Cause.** `retain_grad()` stores the gradient after all hooks of the tensor, whatever came first.
# (In torch 1.12 and before, the order of the calls decided.)
#
# **Spot it early.** `print(leftover_hooks(h))` lists the hooks on `h`. To see the gradient as it
# arrives, register a hook that stores it before any hook that changes it: hooks of a tensor run in
# the order in which they were registered.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 3
h.retain_grad()
h.register_hook(lambda grad: grad * 10)
(h * 2).backward()
print("h.grad", h.grad)
# prints:
# h.grad tensor(20.)

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 3
arrived = []
h.register_hook(lambda grad: arrived.append(grad.clone()))
h.retain_grad()
h.register_hook(lambda grad: grad * 10)
(h * 2).backward()
print("arrived", arrived[0], "| h.grad", h.grad)
# prints:
# arrived tensor(2.) | h.grad tensor(20.)

# %% [markdown] trap="retain-grad-and-in-place" title="In-place: the hook and h.grad do not agree" lesson="retain_grad" covers="RG05"
# **Symptom.** A hook on `h` and `h.grad` show two different numbers, and nobody changed the gradient.
#
# **Cause.** Between them stands an in-place operation, such as `h.mul_(2)` or `h += 1`. It gives the
# same tensor object a new value and a new `grad_fn`. `retain_grad()` follows to the newest value. A
# hook stays with the value it was registered on. (In torch 1.12 and before, both gave the gradient of
# the old value.)
#
# **Spot it early.** `print(h.grad_fn)` where you register and again before backward: another name
# or address means that `h` was changed in place. Give the new value a name of its own.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 3
seen = []
h.register_hook(lambda grad: seen.append(grad.item()))
h.retain_grad()
h.mul_(5)
(h * 2).backward()
print("the hook saw", seen, "| h.grad", h.grad.item())
# prints:
# the hook saw [10.0] | h.grad 2.0

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 3
seen = []
h.register_hook(lambda grad: seen.append(grad.item()))
h.retain_grad()
k = h * 5
(k * 2).backward()
print("the hook saw", seen, "| h.grad", h.grad.item())
# prints:
# the hook saw [10.0] | h.grad 10.0

# %% [markdown] trap="autograd-grad-fills-retained" title="autograd.grad fills a retained gradient" lesson="retain_grad" covers="RG08"
# **Symptom.** `h.grad` is twice what it should be. There was one backward and, before it, one call of
# `torch.autograd.grad`. The gradients of the leaves are right.
#
# **Cause.** `torch.autograd.grad` writes nothing to `.grad` of a leaf. But it passes through the
# graph, and a tensor that retains its gradient stores it then, too. The backward adds to it. This is
# so even where `h` itself is the tensor that you ask for (not in torch 1.12 and before).
#
# **Spot it early.** `assert h.grad is None` before backward. Call `retain_grad()` after the last
# `torch.autograd.grad`, or set `h.grad = None`.

# %% wrong
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 3
h.retain_grad()
loss = h * 2
(gradient,) = torch.autograd.grad(loss, x, retain_graph=True)
loss.backward()
print("x.grad", x.grad.item(), "| h.grad", h.grad.item())
# prints:
# x.grad 6.0 | h.grad 4.0

# %% right
import torch

x = torch.tensor(1.0, requires_grad=True)
h = x * 3
loss = h * 2
(gradient,) = torch.autograd.grad(loss, x, retain_graph=True)
h.retain_grad()
loss.backward()
print("x.grad", x.grad.item(), "| h.grad", h.grad.item())
# prints:
# x.grad 6.0 | h.grad 2.0
