# %% [markdown]
# # Tensor hooks
#
# *Lesson 3 · about 40 minutes*
#
# Backward computes a gradient, hands it on and lets it go. A *tensor hook* is a function that
# PyTorch calls at that moment, with the gradient in its hand. Your function can look at it. It can
# also give back another one, and backward goes on with yours.
#
# That is a strong tool, and it raises questions. Who sees the changed gradient? What if two hooks
# hang on one tensor? And why did somebody find the number 5.4772 where another one belongs?
#
# You will be able to
#
# - look at any gradient during backward, and change it where you want;
# - say which hook runs first, and what each one sees;
# - write hooks that do no harm: not to other gradients, not to memory, not to the next run.

# %%
import warnings
from functools import partial

import torch

from course import lab, predict

# %% [markdown]
# ## One hook
#
# Two ways lead from `w` to `y`. Without a hook, `w.grad` is `a + b = 5`. Now a hook on `w` puts
# the gradient into a list and gives back three times that gradient. Choose before you run it.

# %%
tripled = predict(
    "A hook on w returns grad * 3. Without it, w.grad is 5. What is w.grad after backward?",
    ["5.0", "15.0", "125.0"],
    why="What a hook returns takes the place of the gradient. It does so before the gradient is "
    "stored in w.grad. The hook is called once, with the sum of both ways: 5.",
)

# %%
w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor(2.0, requires_grad=True)
a = w + x
b = w + 1
y = a * b

a_grad = []


def keep_and_triple(grad):
    a_grad.append(grad)
    return grad * 3


handle = w.register_hook(keep_and_triple)
y.backward()
handle.remove()

print("the hook saw", a_grad)
print("w.grad", w.grad)
print("x.grad", x.grad)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # reading .grad of a non-leaf warns: lesson 1
    print("a.grad", a.grad, "| b.grad", b.grad, "| y.grad", y.grad)
tripled.reveal(w.grad)

# %% [markdown]
# Read the four lines again.
#
# - The hook saw 5, the true gradient. It was called **once**, with the sum of both ways.
# - `w.grad` is 15: the hook ran before the gradient was stored.
# - `x.grad` is 2. The hook on `w` has no effect on it.
# - `a`, `b` and `y` are non-leaf tensors. Their `.grad` is None, as in lesson 1.
#
# The list has the name `a_grad`. You may find it written that with such code "the hook kept the
# gradient of `a`". A hook sees the gradient of the tensor **that it hangs on**. Here that is `w`.
# The two numbers are not the same:

# %%
for name in ("w", "a"):
    w = torch.tensor(1.0, requires_grad=True)
    x = torch.tensor(2.0, requires_grad=True)
    a = w + x
    y = a * (w + 1)
    seen = []
    {"w": w, "a": a}[name].register_hook(seen.append)
    y.backward()
    print(f"a hook on {name} sees dy/d{name} =", seen[0].item())
print("a.retains_grad", a.retains_grad)

# %% [markdown]
# The last line says one thing more. A hook on a non-leaf does not make PyTorch keep the gradient:
# `a.grad` stays None. The hook saw the gradient, and then it was let go.
#
# ## Turn the sliders
#
# This is the same graph with the same hook. Every move runs a real backward.
#
# 1. Change the factor of the hook. Which gradients follow it, and which do not?
# 2. Move the hook from `w` to `a`. Now both `w.grad` and `x.grad` change. Why?
# 3. Move the hook to `y`, the start of backward. What does it see?
# 4. Compare `.grad` with the derivative by finite differences. A hook that changes a gradient makes
#    `.grad` something else than the derivative. PyTorch does not warn you.


# %%
def two_ways(w, x):
    a = w + x
    b = w + 1
    y = a * b
    return y


lab(two_ways, w=1.0, x=2.0, hooks={"w": "scale 3"})

# %% [markdown]
# ## What hooks are used for
#
# **To look.** A hook without a `return` line gives back None. None means: leave the gradient as it
# is.

# %%
t = torch.tensor([2.0, 3.0], requires_grad=True)
t.register_hook(lambda grad: print("the hook sees", grad))
(t * 2).sum().backward()

# %% [markdown]
# **To change.** A tensor takes the place of the gradient.

# %%
t = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
t.register_hook(lambda grad: grad * 2)
(t**2).sum().backward()
print("t.grad", t.grad, "(without the hook: 2t =", (2 * t).tolist(), ")")

# %% [markdown]
# **To measure.** A hook can write down one number of each gradient, for example its norm.

# %%
norm = predict(
    "t = [1, 2, 3, 4] and loss = (t * t).sum(). A hook on t prints the norm of the gradient. "
    "Which number is it?",
    ["5.4772", "10.9545", "30.0"],
    why="The gradient of t * t is 2t = [2, 4, 6, 8]. Its norm is twice the norm of t.",
)

# %%
norms = []
t = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
t.register_hook(lambda grad: norms.append(grad.norm().item()))
(t * t).sum().backward()
print(f"norm of the gradient: {norms[0]:.4f}")
print(f"norm of t itself:     {t.norm().item():.4f}")
norm.reveal(norms[0])

# %% [markdown]
# You may find 5.4772 written as the output of this example. That is the norm of `t`. The hook does
# not get `t`. It gets the gradient.
#
# **To look inside a network.** Here is a hook on the input of a linear layer. What it sees is the
# row of the weight. (You may find it called "an intermediate tensor". This input is a leaf: nobody
# computed it.)

# %%
torch.manual_seed(0)
layer = torch.nn.Linear(2, 1)
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
seen = []
x.register_hook(seen.append)
layer(x).sum().backward()
print("x.is_leaf", x.is_leaf)
print("the hook saw the weight:", torch.equal(seen[0], layer.weight))

# %% [markdown]
# **And to stop.** `register_hook` gives back a *handle*. After `handle.remove()` the hook is not
# called any more.

# %%
t = torch.tensor([1.0, 2.0], requires_grad=True)
handle = t.register_hook(lambda grad: print("called"))
handle.remove()
(t * 3).sum().backward()
print("backward is done, and the hook was not called")

# %% [markdown]
# ## Two hooks on one tensor
#
# Now `c = a * b` gets two hooks: the first gives back `grad + 2`, the second only looks. Then
# `c.retain_grad()` asks PyTorch to keep the gradient of `c` (lesson 2). Backward starts at `c`
# itself, where the gradient is 1.

# %%
second = predict(
    "On c hang two hooks: the first returns grad + 2, the second prints. What does the second "
    "print after c.backward()?",
    ["1.0", "3.0", "2.0"],
    why="Hooks of one tensor run one after the other, in the order of their registration. Each "
    "one gets what the one before it gave back.",
)

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
seen = []


def add_two(grad):
    seen.append(grad.item())
    return grad + 2


def look(grad):
    seen.append(grad.item())


c.register_hook(add_two)
c.register_hook(look)
c.retain_grad()
c.backward()
print("first hook saw", seen[0], "| second hook saw", seen[1])
print("a.grad", a.grad, "| b.grad", b.grad, "| c.grad", c.grad)
second.reveal(seen[1])

# %% [markdown]
# Three things happened. The hooks made a chain. `c.grad` holds what came out at its end. And
# backward went on with that value: `a.grad` is `3 · b`, `b.grad` is `3 · a`.
#
# Now `c` is not the end. `e = c * d` with `d = 4`. A hook on `d` adds 100, a hook on `e` doubles.
# Work it out before you run it: start at `e` with 1 and go back.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
d = torch.tensor(4.0, requires_grad=True)
c = a * b
e = c * d
seen = []
c.register_hook(add_two)
c.register_hook(look)
c.retain_grad()
d.register_hook(lambda grad: grad + 100)
e.register_hook(lambda grad: grad * 2)
e.retain_grad()
e.backward()
print("on c: the first hook saw", seen[0], "| the second saw", seen[1])
print("a.grad", a.grad, "b.grad", b.grad, "c.grad", c.grad, "d.grad", d.grad, "e.grad", e.grad)

# %% [markdown]
# | tensor | arrives | its hooks make | goes on |
# |---|---|---|---|
# | `e` | 1 | · 2 | 2 |
# | `d` | 2 · c = 12 | + 100 | 112, stored in `d.grad` |
# | `c` | 2 · d = 8 | + 2, then nothing | 10 |
# | `a` | 10 · b = 30 | | 30, stored |
# | `b` | 10 · a = 20 | | 20, stored |
#
# So a hook on `e` changes everything that comes after it on the way back. A hook on the leaf `d`
# changes `d.grad` only. (You may find it written that the gradient of a leaf cannot be changed
# during backward. `d` is a leaf, and 112 is not its derivative.)
#
# ## Turn the sliders: a chain of hooks
#
# 1. Change the order of the two hooks on `c`. What does the hook that looks see now? Does `c.grad`
#    change?
# 2. Set the hook on `e` to zero. Why is `d.grad` not zero?
# 3. Let the hook on `c` edit in place instead of adding. Then try "return a wrong shape".
# 4. Let backward run twice (switch on retain_graph as well). How often is each hook called?


# %%
def products(a, b, d):
    c = a * b
    e = c * d
    return e


lab(
    products,
    a=2.0,
    b=3.0,
    d=4.0,
    hooks={"c": ["shift 2", "observe"], "d": "shift 100", "e": "scale 2"},
    retain=["c", "e"],
)

# %% [markdown]
# ## Which one runs first?
#
# **On one tensor:** in the order of registration. `retain_grad()` is the last one, whatever the
# order of the calls. (Before PyTorch 2.0 the order of the calls mattered.)

# %%
for order in ("hook, then retain_grad", "retain_grad, then hook"):
    c = torch.tensor(2.0, requires_grad=True) * 3
    if order.startswith("retain_grad"):
        c.retain_grad()
    c.register_hook(lambda grad: grad + 2)
    c.retain_grad()
    c.backward()
    print(f"{order}: c.grad", c.grad.item())

# %% [markdown]
# **On several tensors:** in the order in which backward reaches them, from the root to the leaves.
# The order of registration plays no part.

# %%
order = []
x = torch.tensor(1.0, requires_grad=True)
a = x * 2
b = a * 3
c = b * 4
for name, tensor in {"x": x, "a": a, "b": b, "c": c}.items():
    tensor.register_hook(lambda grad, name=name: order.append(name))
c.backward()
print("registered on x, a, b, c; called on", ", ".join(order))

# %% [markdown]
# **How often:** once in each backward, with the sum of all ways. Two backward calls mean two hook
# calls. It does not matter how often the tensor was used.

# %%
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 3
y.register_hook(lambda grad: calls.append(grad.tolist()))
first, other = y.sum(), (y**2).sum()
first.backward(retain_graph=True)
other.backward()
print("two backward calls:", calls)

calls.clear()
y = x * 3
y.register_hook(lambda grad: calls.append(grad.tolist()))
(y.sum() + (y**2).sum()).backward()
print("one backward of the sum:", calls)

# %% [markdown]
# ## Why: where a hook hangs
#
# Each result of an operation has a node, its `grad_fn` (lesson 1). Before the node runs, PyTorch
# has added up everything that flows to the tensor. At that place the hooks of the tensor run. Then
# the node gets the result of the last one. A leaf has a node as well: `AccumulateGrad`, which
# writes `.grad`. The hooks of a leaf run before it.
#
# That explains all of the above: one call with the sum, the root first, and a `.grad` that holds
# what the hooks made.
#
# You may find it written that there are two kinds of hooks: those of tensors and those of layers.
# There are more. The rest of this part shows three of them, and lesson 4 is about layers. A node,
# for example, can have hooks of its own. They show the order:

# %%
log = []
x = torch.tensor(1.0, requires_grad=True)
y = x * 3
y.grad_fn.register_prehook(lambda grads: log.append(f"node prehook {grads[0].item()}"))
y.register_hook(lambda grad: (log.append(f"tensor hook {grad.item()}"), grad * 10)[1])
y.grad_fn.register_hook(lambda inputs, outputs: log.append(f"node hook {inputs[0].item()}"))
y.backward()
print(log)

# %% [markdown]
# The tensor hook is first, although the prehook was registered before it. The node's own hook comes
# last and sees the gradient that the node made: 10 · 3.
#
# **After `.grad` is written** there is one more place, for leaves only:
# `register_post_accumulate_grad_hook`. It gets the tensor, not the gradient. Optimizer steps during
# backward are made with it (lesson 6).

# %%
w = torch.tensor(1.0, requires_grad=True)
w.register_hook(lambda grad: print("hook:            grad", grad.item(), "| w.grad", w.grad))
w.register_post_accumulate_grad_hook(
    lambda tensor: print("post-accumulate: w.grad", tensor.grad.item())
)
(w * 2).backward()
(w * 5).backward()

# %% [markdown]
# A tensor hook sees the gradient of **this** backward. `w.grad` at that time is still the old one.
#
# **When several gradients are needed together**, `register_multi_grad_hook` waits for all of them.
# For a tensor that no gradient reaches it gets None:

# %%
from torch.autograd.graph import register_multi_grad_hook

a, b, c = (torch.tensor(value, requires_grad=True) for value in (1.0, 2.0, 3.0))
handle = register_multi_grad_hook(
    (a, b, c), lambda grads: print("all together:", [g and g.item() for g in grads])
)
(a * b).backward()
handle.remove()

# %% [markdown]
# **`torch.autograd.grad`** calls tensor hooks as well, on the tensors that lie on its way. What the
# hook gives back is what you get. Post-accumulate hooks are not called, because `.grad` is not
# written.

# %%
calls = []
x = torch.tensor(2.0, requires_grad=True)
y = x * 5
y.register_hook(lambda grad: calls.append("y"))
x.register_hook(lambda grad: (calls.append("x"), grad * 2)[1])
x.register_post_accumulate_grad_hook(lambda tensor: calls.append("post-accumulate x"))
(gradient,) = torch.autograd.grad(y, x)
print("autograd.grad gives", gradient.item(), "| called:", calls, "| x.grad", x.grad)

# %% [markdown]
# ## What a hook may give back
#
# None, or a tensor of exactly the same size and the same dtype. All else is an error, at the time
# of backward:


# %%
def try_hook(words, made):
    def my_hook(grad):
        return made(grad)

    t = torch.ones(2, 3, requires_grad=True)
    t.register_hook(my_hook)
    try:
        (t * 3).sum().backward()
        print(f"{words}: fine")
    except (RuntimeError, TypeError) as error:
        print(f"{words}: {type(error).__name__}: {error}")


try_hook("None", lambda grad: None)
try_hook("a new tensor", lambda grad: grad * 2)
try_hook("its norm", lambda grad: grad.norm())
try_hook("its transpose", lambda grad: grad.t())
try_hook("another dtype", lambda grad: grad.double())
try_hook("a Python number", lambda grad: 0.5)
try_hook("a tuple", lambda grad: (grad,))

# %% [markdown]
# ## Traps
#
# **The new value stays inside the hook.** `grad = grad * 2` gives the *name* `grad` to a new
# tensor. Nothing is given back.


# %%
def forgets_return(grad):
    grad = grad * 2


t = torch.ones(2, requires_grad=True)
t.register_hook(forgets_return)
(t * 3).sum().backward()
print("t.grad", t.grad)

# %% [markdown]
# **A gradient that is edited in place.** `grad.mul_(100)` looks like a way to change the gradient
# without `return`. Here it is on `b`. Nothing hangs on `x` or `a`.

# %%
shared = predict(
    "a = x * 1 and b = z * 1, then loss = ((a + b) * k).sum() with k = [1, 2]. A hook on b does "
    "grad.mul_(100). What is x.grad?",
    ["[1.0, 2.0]", "[100.0, 200.0]"],
    why="The sum hands the same tensor to a and to b. One of them edits it, and both have it.",
)

# %%
k = torch.tensor([1.0, 2.0])


def run_with(hook):
    x = torch.ones(2, requires_grad=True)
    z = torch.ones(2, requires_grad=True)
    a, b = x * 1, z * 1
    b.register_hook(hook)
    ((a + b) * k).sum().backward()
    return x.grad, z.grad


def edit(grad):
    grad.mul_(100)


print("in place:       x.grad {} z.grad {}".format(*map(torch.Tensor.tolist, run_with(edit))))
right = run_with(lambda grad: grad * 100)
print("with a return:  x.grad {} z.grad {}".format(*map(torch.Tensor.tolist, right)))
shared.reveal(run_with(edit)[0])

# %% [markdown]
# A gradient can belong to several tensors. So never edit it. Give back a new one.
#
# **`del handle`.** You delete the name. Do you also remove the hook?

# %%
deleted = predict(
    "handle = t.register_hook(hook), then del handle, then backward. How often is the hook called?",
    ["0", "1"],
    why="The tensor holds the hook. The handle only knows how to remove it.",
)

# %%
calls = []
t = torch.tensor(1.0, requires_grad=True)
handle = t.register_hook(lambda grad: calls.append("first"))
del handle
(t * 2).backward()
after_del = len(calls)
print("after del handle:", calls)
with t.register_hook(lambda grad: calls.append("second")):
    (t * 2).backward()
(t * 2).backward()
print("with a `with` block around one backward:", calls)
deleted.reveal(after_del)

# %% [markdown]
# `del` does not remove the hook, `handle.remove()` does. A handle can also be used in a `with` block:
# the hook is gone at its end. To call `remove()` twice does no harm.
#
# **A cell that is run again.** Each run registers one more hook on the same tensor. They all act.

# %%
weight = torch.tensor(1.0, requires_grad=True)
handles = []
for run in (1, 2, 3):
    handles.append(weight.register_hook(lambda grad: grad * 10))
    weight.grad = None
    (weight * 2).backward()
    print(f"run {run}: weight.grad {weight.grad.item()}")
for handle in handles:
    handle.remove()

# %% [markdown]
# **The loop variable.** A lambda looks up `name` when it is called, not when it is made. By then
# the loop is over.

# %%
layer = torch.nn.Linear(2, 2)


def names_seen(make):
    seen = []
    handles = [p.register_hook(make(name, seen)) for name, p in layer.named_parameters()]
    layer(torch.ones(1, 2)).sum().backward()
    for handle in handles:
        handle.remove()
    return sorted(seen)


late = []
handles = []
for name, p in layer.named_parameters():
    handles.append(p.register_hook(lambda grad: late.append(name)))  # noqa: B023  # the trap
layer(torch.ones(1, 2)).sum().backward()
for handle in handles:
    handle.remove()
print("lambda grad: … name        ", sorted(late))
print(
    "lambda grad, name=name: …  ",
    names_seen(lambda name, seen: lambda grad, name=name: seen.append(name)),
)
print(
    "partial(function, name)    ",
    names_seen(lambda name, seen: partial(lambda name, grad: seen.append(name), name)),
)

# %% [markdown]
# **The name moves on.** A hook belongs to the tensor object, not to its name.

# %%
seen = []
h = torch.tensor(1.0, requires_grad=True) * 2
h.register_hook(lambda grad: seen.append(grad.item()))
h = h * 10
h.backward()
print("the hook saw", seen, "- the gradient of the old h. The gradient of the new h is 1.")

# %% [markdown]
# **A tensor that is not on the way.** A detached copy starts a new history. A slice made for the
# hook is a new tensor, and the loss does not use it.

# %%
calls = []
t = torch.ones(3, requires_grad=True)
t.detach().requires_grad_().register_hook(lambda grad: calls.append("a detached copy"))
t[0].register_hook(lambda grad: calls.append("a slice"))
t.register_hook(lambda grad: calls.append("t"))
(t * 2).sum().backward()
print("called:", calls)

# %% [markdown]
# **Too late, or on a tensor without a gradient.** A hook that is registered after backward was
# never called. A tensor that does not require a gradient refuses the hook.

# %%
calls = []
t = torch.tensor(1.0, requires_grad=True)
(t * 2).backward()
t.register_hook(lambda grad: calls.append("t"))
print("called after a late registration:", calls)
try:
    torch.ones(2).register_hook(print)
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown]
# **A record that gives something back.** `setdefault` stores the first gradient and *returns* it.
# So the second backward gets the gradient of the first. `list.append` returns None: it is safe.

# %%
store = {}
t = torch.tensor(1.0, requires_grad=True)
t.register_hook(lambda grad: store.setdefault("grad", grad))
for factor in (2, 5):
    t.grad = None
    (t * factor).backward()
    print(f"(t * {factor}).backward() gives t.grad {t.grad.item()}")

# %% [markdown]
# **None instead of a gradient.** `unbind`, `split` and `chunk` make several results with one node.
# When only one is used, a hook on another one is called with None.

# %%
seen = []
one, other = torch.ones(2, requires_grad=True).unbind()
one.register_hook(seen.append)
other.backward()
print("the hook on the unused part saw", seen)

# %% [markdown]
# **Memory that does not come back.** A hook that keeps gradients keeps their memory. A hook on a
# non-leaf that uses that same tensor keeps the tensor alive, also after backward, and the garbage
# collector cannot see the circle.

# %%
import gc
import weakref


class Marker:
    """Lives as long as the tensor that holds it."""


def is_freed(make_hook, remove=False):
    t = torch.ones(10, requires_grad=True) * 2
    t.marker = Marker()
    alive = weakref.ref(t.marker)
    handle = t.register_hook(make_hook(t))
    t.sum().backward()
    if remove:
        handle.remove()
    del t, handle
    gc.collect()
    return alive() is None


def uses_itself(t):
    return lambda grad: grad * (t > 0)


print("the hook uses another value:       freed", is_freed(lambda t: lambda grad: grad * 2))
print("the hook uses its own tensor:      freed", is_freed(uses_itself))
print("the same, with handle.remove():    freed", is_freed(uses_itself, remove=True))

# %% [markdown]
# **A hook that fails.** Its error comes out of backward. Gradients that were written before stay,
# and the graph is used up.

# %%
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)


def fails(grad):
    raise ValueError("my hook failed")


a.register_hook(fails)
try:
    ((a * 2 + 1) * b).backward()
except ValueError as error:
    print("backward raised ValueError:", error)
print("a.grad", a.grad, "| b.grad", b.grad)

# %% [markdown]
# More in the field guide:
# [The new gradient stays inside the hook](../field_guide.ipynb#The-new-gradient-stays-inside-the-hook),
# [A hook edits the gradient in place](../field_guide.ipynb#A-hook-edits-the-gradient-in-place),
# [del handle does not remove the hook](../field_guide.ipynb#del-handle-does-not-remove-the-hook),
# [The cell ran again and the hooks piled up](../field_guide.ipynb#The-cell-ran-again-and-the-hooks-piled-up),
# [All hooks report the last name of the loop](../field_guide.ipynb#All-hooks-report-the-last-name-of-the-loop),
# [The hook stays with the old tensor](../field_guide.ipynb#The-hook-stays-with-the-old-tensor),
# [detach or a slice: the hook is not called](../field_guide.ipynb#detach-or-a-slice:-the-hook-is-not-called),
# [The hook is registered after backward](../field_guide.ipynb#The-hook-is-registered-after-backward),
# [A hook on a tensor that requires no gradient](../field_guide.ipynb#A-hook-on-a-tensor-that-requires-no-gradient),
# [A hook that only records changes the gradient](../field_guide.ipynb#A-hook-that-only-records-changes-the-gradient),
# [The hook is called with None](../field_guide.ipynb#The-hook-is-called-with-None),
# [Memory: a hook that uses its own tensor](../field_guide.ipynb#Memory:-a-hook-that-uses-its-own-tensor),
# [An error in a hook leaves half a backward](../field_guide.ipynb#An-error-in-a-hook-leaves-half-a-backward).
#
# ## What to do instead
#
# | instead of | write |
# |---|---|
# | `grad.mul_(2)` | `return grad * 2` |
# | `lambda grad: store.setdefault("g", grad)` | `lambda grad: store.update(g=grad)`: it returns None |
# | `lambda grad: log(name, grad)` in a loop | `lambda grad, name=name: log(name, grad)` |
# | `del handle` | `handle.remove()`, or `with t.register_hook(hook): …` |
# | a hook on `t[0]` | a hook on `t` that looks at `grad[0]` |
# | a hook that keeps every gradient | a hook that keeps one number: `grad.norm().item()` |
# | a hook only to read one gradient | `retain_grad()` or `torch.autograd.grad` (lesson 2) |
# | `clamp` in a hook, with several backwards before a step | clip `.grad` once, before the step |
#
# A hook as a context manager is a good habit. Here is one that records the size of gradients and
# leaves nothing behind, also when backward fails:

# %%
from contextlib import ExitStack, contextmanager


@contextmanager
def gradient_norms(**tensors):
    norms = {}
    with ExitStack() as hooks:
        for name, tensor in tensors.items():

            def record(grad, name=name):
                norms[name] = grad.norm().item()

            hooks.enter_context(tensor.register_hook(record))
        yield norms


net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
first, last = net[0].weight, net[2].weight
with gradient_norms(first=first, last=last) as norms:
    net(torch.ones(2, 3)).sum().backward()
print("recorded:", sorted(norms))
norms.clear()
net(torch.ones(2, 3)).sum().backward()
print("recorded after the block:", sorted(norms))

# %% [markdown]
# The last row of the table in numbers. A hook clips each gradient before it is added. To clip after
# the last backward is something else:

# %%
factors = (3.0, -0.5, 4.0)
w = torch.zeros(1, requires_grad=True)
with w.register_hook(lambda grad: grad.clamp(-1, 1)):
    for factor in factors:
        (w * factor).sum().backward()
print("clipped in a hook, then added:", w.grad.item())

w = torch.zeros(1, requires_grad=True)
for factor in factors:
    (w * factor).sum().backward()
torch.nn.utils.clip_grad_value_([w], 1.0)
print("added, then clipped:          ", w.grad.item())

# %% [markdown]
# ## Go on
#
# - **[Exercises for this lesson](exercises.ipynb)**: ten, from one hook to a recorder of a whole
#   backward.
# - Next: [Module hooks](../04_module_hooks/lesson.ipynb), for hooks that know about layers.
# - Back: [retain_grad](../02_retain_grad/lesson.ipynb)
