# %% [markdown]
# # Leaf and non-leaf tensors
#
# *Lesson 1 · about 35 minutes*
#
# After `backward()`, some tensors have a gradient in `.grad` and others have `None`. PyTorch has a
# rule for it, and the rule has one surprise. When you know it, many "my weights do not train" bugs
# take a minute.
#
# You will be able to
#
# - say which tensors are leaves, and why;
# - read a tensor's history from `grad_fn` back to the leaves;
# - find and repair a tensor that should be a leaf and is not one.

# %%
import warnings

import torch

from course import lab, predict

# %% [markdown]
# ## Which gradient is missing?
#
# Three numbers are multiplied. Backward starts at `e`. Choose your answer before you run the code.

# %%
missing = predict(
    "e = (a * b) * d. After e.backward(), what is c.grad, where c = a * b?",
    ["4.0, which is d", "1.0", "None"],
    why="c is the result of an operation, a non-leaf. Its gradient was computed, used to reach a "
    "and b, and then let go.",
)

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
d = torch.tensor(4.0, requires_grad=True)
c = a * b
e = c * d
e.backward()

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    c_grad = c.grad

print("a.grad", a.grad)
print("b.grad", b.grad)
print("c.grad", c_grad)
missing.reveal(c_grad)

# %% [markdown]
# `a.grad` is `b * d = 12` and `b.grad` is `a * d = 8`. To compute them, PyTorch needed the gradient
# at `c`, which is `d = 4`. It had that number. It did not keep it.
#
# When you read `.grad` of a tensor like `c`, PyTorch prints a warning. It is long, and each of its
# sentences is useful:

# %%
for sentence in str(caught[0].message).split(". "):
    print("-", sentence)

# %% [markdown]
# ## What is a leaf?
#
# `is_leaf` says which. A tensor that you make is a leaf. A result of a recorded operation is not.

# %%
c = a + b
print("a.is_leaf", a.is_leaf)
print("b.is_leaf", b.is_leaf)
print("c.is_leaf", c.is_leaf)

# %% [markdown]
# Here is the surprise. Choose first:

# %%
surprise = predict(
    "u = torch.tensor(5.0), which does not require a gradient, and v = u * 2. Is v a leaf?",
    ["True", "False"],
    why="PyTorch calls every tensor with requires_grad=False a leaf, whatever made it. There is "
    "nothing behind it that backward could reach.",
)

# %%
u = torch.tensor(5.0)
v = u * 2
print("v.requires_grad", v.requires_grad, "| v.grad_fn", v.grad_fn, "| v.is_leaf", v.is_leaf)
surprise.reveal(v.is_leaf)

# %% [markdown]
# So there are three kinds of tensors, and two questions tell them apart:
#
# | requires_grad? | has a grad_fn? | it is | backward fills `.grad`? |
# |---|---|---|---|
# | no | no | a leaf, by convention | no: no gradient flows to it |
# | yes | no | a leaf | **yes** |
# | yes | yes | a non-leaf | no, unless you ask for it (lesson 2) |
#
# The cell below asks PyTorch about one tensor of each kind, and about some that you may not expect.


# %%
def kind(t):
    return f"requires_grad {t.requires_grad!s:5}  grad_fn {t.grad_fn is not None!s:5}  is_leaf {t.is_leaf}"


with torch.no_grad():
    unrecorded = a * 2

print("torch.ones(2)          ", kind(torch.ones(2)))
print("a (requires_grad=True) ", kind(a))
print("a * b                  ", kind(a * b))
print("(a * b).detach()       ", kind((a * b).detach()))
print("a * 2 under no_grad    ", kind(unrecorded))
print("nn.Parameter(a * b)    ", kind(torch.nn.Parameter(a * b)))

# %% [markdown]
# You may find it written that a leaf is a tensor that has a gradient, or that `c.grad` is None
# "because c is a leaf". The table says it more exactly: some leaves never have a gradient, and
# `c.grad` is None because `c` is **not** a leaf.
#
# ## Turn the sliders
#
# The picture shows `c = a * b` and `e = c * d` after a real backward. Try this:
#
# 1. Move `a`. Which gradients change, and which one does not?
# 2. Switch off `requires_grad` of `a`. What happens to `a.grad`, and does `c` stay a non-leaf?
# 3. Switch off `requires_grad` of all three. What does backward say, and what is `c` now?


# %%
def products(a, b, d):
    c = a * b
    e = c * d
    return e


lab(products, a=2.0, b=3.0, d=4.0, controls="values, requires_grad")

# %% [markdown]
# ## Why: the graph behind a tensor
#
# Each recorded operation leaves a *node*. The result keeps it in `grad_fn`, and the node is named
# after the operation.

# %%
x = torch.tensor([-0.5, 2.0], requires_grad=True)
y = x * 3
z = x / 2
w = x + y
for name, t in {"x": x, "y": y, "z": z, "w": w}.items():
    print(name, "←", t.grad_fn.name() if t.grad_fn else "no grad_fn: a leaf")

# %% [markdown]
# A node knows the nodes that come next on the way back: `next_functions`. You can walk the whole
# history, down to the leaves. The node that stands for a leaf is called `AccumulateGrad`, and its
# attribute `variable` is the leaf itself. It is the node that adds to `.grad`.


# %%
def show_history(node, depth=0):
    leaf = f"  ← the leaf {node.variable.tolist()}" if hasattr(node, "variable") else ""
    print("    " * depth + node.name() + leaf)
    for following, _ in node.next_functions:
        if following is not None:
            show_history(following, depth + 1)


show_history(w.grad_fn)

# %% [markdown]
# `x` was used twice, so the walk comes to it twice. It is the same node both times: each leaf has
# one `AccumulateGrad`, and both gradients are added there.

# %%
direct = w.grad_fn.next_functions[0][0]
through_y = w.grad_fn.next_functions[1][0].next_functions[0][0]
print("the same node:", direct is through_y)
print("its leaf is x:", direct.variable is x)

# %% [markdown]
# Now the rule explains itself. Backward walks from node to node and hands the gradients on. Only
# `AccumulateGrad` stores anything, and only a leaf that requires a gradient has such a node.
#
# ## Backward from a vector
#
# `e` was one number. From a vector, `backward()` alone does not know what to do:

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
try:
    y.backward()
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown]
# Hand it one weight for each element of `y`. The result is the gradient of the weighted sum.

# %%
weighted = predict(
    "y = x * 3 has two elements. After y.backward(torch.tensor([100.0, 0.1])), what is x.grad?",
    ["[3.0, 3.0]", "[300.0, 0.3]", "[100.0, 0.1]"],
    why="Each element of y passes its weight times 3 back to x.",
)

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
v = torch.tensor([100.0, 0.1])
y.backward(v)
print("x.grad", x.grad)
weighted.reveal([round(g, 4) for g in x.grad.tolist()])

# %% [markdown]
# ## Backward without anything to reach
#
# With `requires_grad=False` nothing is recorded. You may find it written that reading `x.grad` is
# then an error. Look where the error comes from:

# %%
x = torch.tensor([1.0, 2.0])
y = x * 3
try:
    y.backward(torch.tensor([100.0, 0.1]))
except RuntimeError as error:
    print("y.backward(...) raised RuntimeError:", error)
print("x.grad is", x.grad, "and to read it is no error")

# %% [markdown]
# ## Traps
#
# **The leaf that is not one.** Each of these lines begins with a leaf and ends with another
# tensor. The optimizer gets the other tensor.

# %%
t = torch.ones(3, requires_grad=True)
changed = {
    "torch.ones(3, requires_grad=True) * 0.1": t * 0.1,
    "t.to(torch.float64)": t.to(torch.float64),
    "t[0]": t[0],
    "t.reshape(3, 1)": t.reshape(3, 1),
    "t.to(torch.float32), which changes nothing": t.to(torch.float32),
}
for code, result in changed.items():
    print(f"{code:45} is_leaf {result.is_leaf}")

# %% [markdown]
# The last line is a leaf, because `.to` gives back the same tensor where there is nothing to
# convert. Such code works on one machine and fails on another.
#
# **The update that makes a new tensor.** `p = p - lr * p.grad` gives the *name* `p` to a result.
# The old leaf is unchanged, and the new `p` is a non-leaf.

# %%
p = torch.tensor([1.0, 2.0], requires_grad=True)
leaf = p
(p * p).sum().backward()
p = p - 0.1 * p.grad
print("the new p: is_leaf", p.is_leaf, "| the old leaf still holds", leaf.tolist())

# %% [markdown]
# **The in-place edit of a leaf.** PyTorch refuses it while it records:

# %%
p = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    p -= 0.1
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown]
# **A tracked value written into a plain tensor.** The plain tensor becomes a non-leaf:

# %%
buffer = torch.zeros(3)
print("before: is_leaf", buffer.is_leaf)
buffer[0] = torch.tensor(2.0, requires_grad=True)
print("after:  is_leaf", buffer.is_leaf, "| grad_fn", buffer.grad_fn.name())

# %% [markdown]
# **Whole numbers.** Only floating point and complex tensors can require a gradient:

# %%
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as error:
    print("RuntimeError:", error)

# %% [markdown]
# **A copy of a non-leaf.** `copy.deepcopy` refuses it, and `torch.tensor(t)` cuts the connection
# and warns. What they have in common: neither gives you a connected copy.

# %%
import copy

product = torch.ones(2, requires_grad=True) * 2
try:
    copy.deepcopy(product)
except RuntimeError as error:
    print("deepcopy:", str(error).split(".")[0])

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    cut = torch.tensor(product, requires_grad=True)
print("torch.tensor(product): is_leaf", cut.is_leaf, "| grad_fn", cut.grad_fn)

# %% [markdown]
# More in the field guide: [The weight is not a leaf](../field_guide.ipynb#The-weight-is-not-a-leaf), [After the update the weight is a new tensor](../field_guide.ipynb#After-the-update-the-weight-is-a-new-tensor), [a leaf Variable used in an in-place operation](../field_guide.ipynb#a-leaf-Variable-used-in-an-in-place-operation), [A plain tensor becomes a non-leaf by a write](../field_guide.ipynb#A-plain-tensor-becomes-a-non-leaf-by-a-write), [Whole numbers cannot require gradients](../field_guide.ipynb#Whole-numbers-cannot-require-gradients), [deepcopy works for graph leaves only](../field_guide.ipynb#deepcopy-works-for-graph-leaves-only), [torch.tensor of a tensor cuts the graph](../field_guide.ipynb#torch.tensor-of-a-tensor-cuts-the-graph).
#
# ## What to do instead
#
# | you want | write |
# |---|---|
# | random weights with a factor | `(torch.randn(3) * 0.1).requires_grad_()` |
# | a weight on another device or in another dtype | convert first, then `requires_grad_()` |
# | a weight that a module knows | `nn.Parameter(values)`: it is always a leaf |
# | an update by hand | `with torch.no_grad(): p -= lr * p.grad` |
# | the numbers without the history | `t.detach()`; add `.clone()` for memory of its own |
# | the gradient of a non-leaf | `retain_grad()` (lesson 2) or a hook (lesson 3) |

# %%
good = (torch.randn(3) * 0.1).requires_grad_()
parameter = torch.nn.Parameter(torch.ones(3, requires_grad=True) * 0.1)
p = torch.tensor([1.0, 2.0], requires_grad=True)
(p * p).sum().backward()
with torch.no_grad():
    p -= 0.1 * p.grad
print("good.is_leaf", good.is_leaf, "| parameter.is_leaf", parameter.is_leaf)
print("p after the update:", p.detach(), "| is_leaf", p.is_leaf)

# %% [markdown]
# ## Can a leaf's gradient be changed?
#
# You may find it written that the gradient of a leaf can only be printed, not changed, while
# backward runs. It can be changed: that is what a hook on it does.

# %%
a = torch.tensor(2.0, requires_grad=True)
a.register_hook(lambda grad: grad + 100)
(a * 3).backward()
print("a.grad", a.grad)

# %% [markdown]
# The derivative is 3. The hook made 103 of it before it was stored. [Lesson 3](../03_tensor_hooks/lesson.ipynb) is
# about such hooks.
#
# ## Go on
#
# - **[Exercises for this lesson](exercises.ipynb)**: nine, from a warm-up to a walk through a graph.
# - Next: [retain_grad](../02_retain_grad/lesson.ipynb), for the gradient of a non-leaf.
# - Back: [Start here](../00_start_here/lesson.ipynb)
