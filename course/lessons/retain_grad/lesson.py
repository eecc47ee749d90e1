# %% [markdown]
# # retain_grad: keep what backward throws away
#
# *Lesson 2 · about 35 minutes*
#
# A loss is strange, and you suspect one layer. You want the gradient of that layer's output, one
# time, to look at it. Backward computes this number in any case. Then it throws it away.
#
# PyTorch can keep it for you. This lesson is about how to ask, what it costs, and what it does
# **not** do. There is a second word that looks almost the same, `retain_graph`. It keeps something
# else.
#
# You will be able to
#
# - get the gradient of any intermediate tensor, in three ways, and choose between them;
# - say which second backward raises an error, and where `retain_graph=True` belongs;
# - say how many bytes stay in memory after backward, and why.

# %%
import warnings

import torch

from course import lab, predict


def grad_of(t):
    """t.grad without the warning about non-leaf tensors (lesson 1)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return t.grad


# %% [markdown]
# ## A piece of advice
#
# You may find this advice: write `h.retain_grad = True` before backward, and the gradient of the
# intermediate tensor `h` is stored. Commit to an answer, then run it.

# %%
flag = predict(
    "h = x * 3. You write h.retain_grad = True, then (h * h).sum().backward(). What is h.grad?",
    ["[6.0, 12.0]", "None", "AttributeError"],
    why="retain_grad is a method. The line puts True in its place, on this one object. Nothing is "
    "called, and Python does not complain.",
)

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad = True
(h * h).sum().backward()
print("h.grad", grad_of(h), "| h.retains_grad", h.retains_grad)
try:
    h.retain_grad()
except TypeError as error:
    print("h.retain_grad() now raises TypeError:", error)
flag.reveal(grad_of(h))

# %% [markdown]
# No error, no gradient, and the method of this tensor is gone. `retain_grad` is a **method**: call
# it. What tells you whether it worked is `retains_grad`, with an *s*. It can only be read.

# %%
h = x * 3
h.retain_grad()
(h * h).sum().backward()
print("h.grad", h.grad, "| h.retains_grad", h.retains_grad)
try:
    h.retains_grad = True
except AttributeError as error:
    print("AttributeError:", error)

# %% [markdown]
# ## When to call it, and on what
#
# | the call | what happens |
# |---|---|
# | after the tensor exists, before backward | its gradient is kept |
# | after backward | too late for that backward |
# | on a leaf that requires a gradient | nothing: a leaf keeps its gradient in any case |
# | on a tensor that does not require a gradient | an error |
#
# It gives back None. So it cannot be chained.

# %%
late = x * 3
loss = (late * late).sum()
loss.backward()
late.retain_grad()
print("called too late:    grad", late.grad)

leaf = torch.tensor([1.0, 2.0], requires_grad=True)
leaf.retain_grad()
print("called on a leaf:   retains_grad", leaf.retains_grad, "and no error")

try:
    torch.ones(2).retain_grad()
except RuntimeError as error:
    print("without a gradient: RuntimeError:", error)

chained = (x * 3).retain_grad()
print("h = (x * 3).retain_grad() makes h", chained)

# %% [markdown]
# You may find it written that the *values* of intermediate tensors are not kept, and that this is
# why `retain_grad` exists. Look at both:

# %%
h = x * 3
loss = (h * h).sum()
loss.backward()
print("after backward: the value of h", h.tolist(), "| its gradient", grad_of(h))

# %% [markdown]
# The value lives as long as a name holds the tensor. The **gradient** is what backward lets go.
#
# ## Turn the sliders
#
# Four numbers in a chain. Every move runs a real backward.
#
# 1. Switch on `retain_grad()` for `h`, then for `k`. What changes besides their own `.grad`?
# 2. Let backward run twice. PyTorch raises an error. Read it. Then switch on retain_graph.
# 3. Compare `h.grad` after one, two and three backwards.


# %%
def chain(x, w):
    h = x * w
    k = h * h
    loss = k * 2
    return loss


lab(chain, x=2.0, w=3.0, retain=["h"], controls=["values", "retain_grad", "backward"])

# %% [markdown]
# ## Two backwards
#
# `retain_grad()` is called once, and backward runs twice. What is in `.grad` then?

# %%
twice = predict(
    "y = x * 3 with y.retain_grad(), z = y * 2. Backward runs twice (retain_graph=True in the "
    "first). The first gives y.grad 2. What is it after the second?",
    number=True,
    why="The .grad of a tensor that retains it adds up over backward calls, like that of a leaf.",
)

# %%
weight = torch.nn.Parameter(torch.tensor(1.0))
optimizer = torch.optim.SGD([weight], lr=0.1)
y = weight * 3
y.retain_grad()
z = y * 2
z.backward(retain_graph=True)
print("first backward:  y.grad", y.grad.item(), "| weight.grad", weight.grad.item())
z.backward()
print("second backward: y.grad", y.grad.item(), "| weight.grad", weight.grad.item())
second = y.grad.clone()
optimizer.zero_grad()
print("after zero_grad(): y.grad", y.grad.item(), "| weight.grad", weight.grad)
twice.reveal(second)

# %% [markdown]
# It adds up. A kept gradient behaves like the `.grad` of a leaf: the next backward does not replace
# it.
#
# `zero_grad()` clears what the optimizer knows: its parameters, and it sets their `.grad` to None.
# It does not know `y`. In a training loop this rarely hurts, because each forward makes a new `y`.
# Where you keep the same graph, write `y.grad = None` yourself.
#
# ## retain_grad is not retain_graph
#
# To compute gradients, backward needs values from forward. A node keeps them as *saved tensors*.
# When backward has passed a node, it frees them. That is why a second backward can fail.
# Does it always fail?

# %%
again = predict(
    "y = x + 3. backward runs twice on y, without retain_graph. What does the second one do?",
    ["it works", "RuntimeError"],
    why="The gradient of a sum needs no value from forward. The node saved nothing, so nothing is "
    "missing the second time.",
)


# %%
def second_backward(function):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = function(x)
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return "RuntimeError"
    return "it works"


def saved_tensors(t):
    """Names of the tensors that the last node keeps for backward."""
    names = [name for name in dir(t.grad_fn) if name.startswith("_saved_")]
    kept = [n for n in names if isinstance(getattr(t.grad_fn, n), torch.Tensor)]
    return ", ".join(kept) or "none"


functions = {
    "x + 3": lambda x: x + 3,
    "-x": lambda x: -x,
    "x.sum()": lambda x: x.sum(),
    "x * 3": lambda x: x * 3,
    "x / 2": lambda x: x / 2,
    "x * x": lambda x: x * x,
    "x ** 2": lambda x: x**2,
    "x.exp()": lambda x: x.exp(),
}
for code, function in functions.items():
    y = function(torch.tensor([1.0, 2.0], requires_grad=True))
    print(f"{code:8} saves {saved_tensors(y):26} second backward: {second_backward(function)}")
again.reveal(second_backward(functions["x + 3"]))

# %% [markdown]
# You may find it written that a second backward without `retain_graph=True` is always an error. It
# is an error where a node **saved a tensor**. (Even the 3 in `x * 3` is saved.) Do not build on
# this: which operation saves what is PyTorch's own business. Here is the message:

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as error:
    for sentence in str(error).split(". "):
        print("-", sentence)

# %% [markdown]
# **Where does `retain_graph=True` belong?** On every call but the last. It says: do not free the
# saved tensors *after this call*, because another call follows.


# %%
def run(*retain_graph):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    for number, retain in enumerate(retain_graph, 1):
        try:
            loss.backward(retain_graph=retain)
        except RuntimeError:
            return f"RuntimeError in call {number}"
    return f"works, x.grad {x.grad.tolist()}"


print("True, True, False:", run(True, True, False))
print("False, True:      ", run(False, True))
print("True, False, True:", run(True, False, True))

# %% [markdown]
# With `True` on the last call as well, there is no error. The saved tensors stay in memory for
# nothing, as long as a name holds the loss.
#
# **Neither one does the other's work.** `retain_graph=True` keeps no gradient of an intermediate
# tensor. `retain_grad()` does not allow a second backward.

# %%
x = torch.tensor(1.0, requires_grad=True)
y = x**2
z = y * 3
z.backward(retain_graph=True)
print("only retain_graph=True: y.grad", grad_of(y))

y = x**2
y.retain_grad()
z = y * 3
z.backward()
print("only retain_grad():     y.grad", y.grad)
try:
    z.backward()
except RuntimeError as error:
    print("                        second backward:", str(error).split(" (")[0])

# %% [markdown]
# **And neither one makes gradients add up.** You may find an example like the next one in a
# section on `retain_graph`, as if it were the cause.

# %%
x = torch.tensor([-0.5, 2.0], requires_grad=True)
y = x * 3
v = torch.tensor([100.0, 0.1])
y.backward(v, retain_graph=True)
print("first: ", x.grad)
y.backward(v)
print("second:", x.grad)

x.grad = None
for _ in range(2):
    (x * 3).backward(v)  # a new graph each time, and no retain_graph
print("two new graphs:", x.grad)

# %% [markdown]
# The numbers are right, and the reason is `.grad`: it adds up whatever graph the gradient comes
# from. `retain_graph` only allows the second pass.
#
# ## What does it cost?

# %%
cost = predict(
    "A chain of 20 layers, 1000 float32 numbers each. retain_grad() on all of them. How many bytes "
    "of gradients stay after backward?",
    number=True,
    why="20 layers times 1000 numbers times 4 bytes.",
)

# %%
h = torch.ones(1000, requires_grad=True)
layers = []
for _ in range(20):
    h = torch.tanh(h * 0.9)
    h.retain_grad()
    layers.append(h)
(h * h).sum().backward()


def gradient_bytes(tensors):
    grads = [t.grad for t in tensors if t.retains_grad]
    return sum(grad.untyped_storage().nbytes() for grad in grads)


kept = gradient_bytes(layers)
print("retain_grad() on all layers:", kept, "bytes of gradients")

norms, layers = [], []
h = torch.ones(1000, requires_grad=True)
for _ in range(20):
    h = torch.tanh(h * 0.9)
    h.register_hook(lambda grad: norms.append(grad.norm().item()))
    layers.append(h)
(h * h).sum().backward()
print("a hook on all layers:       ", gradient_bytes(layers), "bytes, and", len(norms), "norms")
cost.reveal(kept)

# %% [markdown]
# To read `layer.grad` later, you also keep the layer, and with it its value: as many bytes again.
# A hook (lesson 3) gets the same gradient, uses it once, and keeps nothing.
#
# ## Turn the sliders: bytes that stay
#
# Each bar is a real chain: forward, backward, then a count of all storages that are still held.
#
# 1. Go through the choices of what to do with the gradients. Which one grows with depth?
# 2. Choose the hook with a list, and two backwards. Why does it keep more gradients than
#    `retain_grad()` does?
# 3. Set `retain_graph=True` on "every call". What stays now, and what is it good for?
# 4. Two backwards, and retain_graph on "no call". What does PyTorch say?

# %%
from course.lessons.retain_grad.memory_lab import memory_lab

memory_lab(keep="all", width=1000)

# %% [markdown]
# ## Other ways to the same gradient
#
# `torch.autograd.grad(loss, h)` gives the gradient back and stores it nowhere. `.grad` of the leaf
# tensors is not touched. `loss.backward(inputs=[h])` stores it in `h.grad`, and only there. This
# has the effect of `retain_grad()` too: later backwards add to `h.grad`.

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
(gradient,) = torch.autograd.grad((h * h).sum(), h)
print("autograd.grad:      gives", gradient.tolist(), "| h.grad", grad_of(h), "| x.grad", x.grad)

h = x * 3
(h * h).sum().backward(inputs=[h])
print("backward(inputs=…): h.grad", h.grad.tolist(), "| x.grad", x.grad)
print("                    h.retains_grad", h.retains_grad)

# %% [markdown]
# ## Why: who stores a gradient?
#
# In lesson 1 only `AccumulateGrad` stored anything, and only leaf tensors have it. `retain_grad()`
# hangs one more small function on the tensor. It runs when the gradient of the tensor is ready,
# after all other hooks, and adds the gradient to `.grad`. That is all. So it costs one gradient of
# memory, it adds up like a leaf, and it cannot bring back what an earlier backward let go.
#
# The proof: with `retain_grad()` and a hook on the same tensor, `.grad` holds what the hook made.

# %%
h = x * 3
h.retain_grad()
h.register_hook(lambda grad: grad * 10)
(h * h).sum().backward()
print("h.grad", h.grad.tolist(), "| without the hook", gradient.tolist())

# %% [markdown]
# ## Traps
#
# **The same tensor, not a snapshot.** `.grad` is added to in place. A name for it sees all that
# comes later.

# %%
w = torch.tensor([1.0], requires_grad=True)
(w * 2).backward()
first, copy = w.grad, w.grad.clone()
(w * 5).backward()
print("first:", first.item(), "| the clone:", copy.item(), "| w.grad:", w.grad.item())

# %% [markdown]
# **The name moves on.** `retain_grad()` belongs to the tensor object. After `h = h * 10` the name
# `h` is another tensor.

# %%
h = x * 3
h.retain_grad()
old = h
h = h * 10
h.sum().backward()
print("the new h retains:", h.retains_grad, "| the old one has", old.grad.tolist())

# %% [markdown]
# **An in-place operation in between.** The tensor object is the same and has a new value.
# `retain_grad()` follows it to the newest value. A hook stays with the value it was registered on.

# %%
seen = []
a = torch.tensor([1.0], requires_grad=True).clone()
a.register_hook(lambda grad: seen.append(grad.item()))
a.retain_grad()
a.mul_(2)
a.sum().backward()
print("a.grad", a.grad.item(), "| the hook saw", seen)

# %% [markdown]
# **`autograd.grad` fills a retained `.grad`.** It leaves the leaf tensors alone, but not a tensor
# that retains its gradient.

# %%
x = torch.tensor(1.0, requires_grad=True)
y = x * 3
y.retain_grad()
(gradient,) = torch.autograd.grad(y * 2, x)
print("x.grad", x.grad, "| y.grad", y.grad.item(), "| given back", gradient.item())

# %% [markdown]
# **`retain_graph=True` does not help after a step.** The optimizer changes the weights in place.
# The saved tensors are no longer the ones that forward used.

# %%
w = torch.tensor([1.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w * w).sum()
loss.backward(retain_graph=True)
optimizer.step()
try:
    loss.backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split(": ")[0])

# %% [markdown]
# Run forward again: `loss = (w * w).sum()` gives a new graph with the new weights. In a training
# loop, an error about a second backward mostly means that something from the last step is still
# part of this step's loss. To detach it is the remedy, not `retain_graph=True`.
#
# **`create_graph=True` with `backward()`.** It keeps the graph as well, and ties `.grad` to it.
# PyTorch warns:

# %%
x = torch.tensor(2.0, requires_grad=True)
torch.set_warn_always(True)  # PyTorch says this only once in a session
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    (x**3).backward(create_graph=True)
torch.set_warn_always(False)
print(caught[0].category.__name__ + ":", str(caught[0].message).split(". ")[0])
x.grad = None  # breaks the circle between x and its gradient

# %% [markdown]
# More in the field guide: [A stored w.grad changes later](../field_guide.ipynb#A-stored-w.grad-changes-later), [In-place: the hook and h.grad do not agree](../field_guide.ipynb#In-place:-the-hook-and-h.grad-do-not-agree), [autograd.grad fills a retained gradient](../field_guide.ipynb#autograd.grad-fills-a-retained-gradient), [A step between two backwards on one graph](../field_guide.ipynb#A-step-between-two-backwards-on-one-graph), [Backward through the graph a second time](../field_guide.ipynb#Backward-through-the-graph-a-second-time), [backward with create_graph keeps memory](../field_guide.ipynb#backward-with-create_graph-keeps-memory).
#
# ## What to do instead
#
# | you want | write |
# |---|---|
# | the gradient of one tensor, once | `(g,) = torch.autograd.grad(loss, h)` |
# | the gradients of a few tensors, beside the usual ones | `h.retain_grad()` on each, before backward |
# | a number from each gradient | a hook that measures it (lesson 3) |
# | several backwards on one graph | `retain_graph=True` on every call but the last |
# | the sum of several losses' gradients | `(loss1 + loss2).backward()`: one call, no `retain_graph` |
# | a value of `.grad` for later | `w.grad.clone()` |
# | a new start between two backwards | `h.grad = None` |

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
loss1, loss2 = h.sum(), (h * h).sum()
loss1.backward(retain_graph=True)
loss2.backward()
separate = x.grad
x.grad = None
h = x * 3
(h.sum() + (h * h).sum()).backward()
print("two calls:", separate.tolist(), "| one call of the sum:", x.grad.tolist())

# %% [markdown]
# ## Go on
#
# - **[Exercises for this lesson](exercises.ipynb)**: nine, from a warm-up to a function that finds
#   out by itself whether a graph can be used twice.
# - Next: [Tensor hooks](../03_tensor_hooks/lesson.ipynb), which see a gradient and can change it.
# - Back: [Leaf and non-leaf tensors](../01_leaf_tensors/lesson.ipynb)
