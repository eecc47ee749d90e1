# %% [markdown]
# # Exercises: leaf and non-leaf tensors
#
# These exercises belong to [lesson 1](lesson.ipynb). Work from top to bottom.
#
# 1. Write your code in the answer cell. Run it with **Shift + Enter**.
# 2. Run the cell below it. It checks your answer and says what it saw.
# 3. Stuck? Run `hint("name_of_the_exercise")` in a new cell. Each call gives a stronger hint.
#
# After three tries, `solution("name_of_the_exercise")` shows a solution. To start an exercise
# again, write `reset("name_of_the_exercise")` as the only line of its answer cell and run it.
#
# Some cases stay hidden until your notebook is marked. They ask for the same thing with other
# tensors and numbers, so an answer that works in general passes them too.

# %%
import torch

from course.lessons.leaf_tensors import check, hint, reset, solution

# %% [markdown] exercise="which_are_leaves" points=4 difficulty="warm-up" minutes=4
# ## 1. Say it before you run it
#
# Read this code. Do not run it yet.
#
# ```python
# a = torch.tensor(2.0, requires_grad=True)
# b = torch.tensor(3.0)
# c = b * 4
# d = a * b
# e = d.detach()
# f = torch.nn.Parameter(a * 2)
# ```
#
# Which of the six tensors are leaves, and why? Give back a dict with the names as keys. Each
# value is one of these words:
#
# - `"made"`: a leaf, made directly, and it requires a gradient;
# - `"untracked"`: a leaf because it does not require a gradient;
# - `"result"`: not a leaf, because it is the result of a recorded operation.
#
# The first three names are checked here. The last three are checked when the notebook is marked.


# %% exercise="which_are_leaves"
def which_are_leaves():
    ### BEGIN SOLUTION
    return {
        "a": "made",
        "b": "untracked",
        "c": "untracked",
        "d": "result",
        "e": "untracked",
        "f": "made",
    }
    ### BEGIN STUB
    # # For example: return {"a": "made", "b": ..., "c": ..., "d": ..., "e": ..., "f": ...}
    # raise NotImplementedError()
    ### END SOLUTION


# %% [markdown] exercise="history" points=4 difficulty="easy" minutes=6
# ## 2. Read a tensor's history
#
# `t` was computed by a chain of operations, for example `t = (x * 3) / 2`. In each operation, only
# one input has a history. The other one, if there is one, is a constant: a number or a plain
# tensor, on the left or on the right. Give back the names of the nodes as a list of strings, from
# `t` back to the leaf:
#
# ```python
# ["DivBackward0", "MulBackward0", "AccumulateGrad"]
# ```
#
# A node has a method `.name()`. Its `.next_functions` is a tuple of pairs `(node, index)`; in
# these chains the first pair that holds a node leads on. The pair of a constant holds None, and it
# can be the first pair.
# A tensor without a `grad_fn` has an empty history.
#
# The last node calls itself `torch::autograd::AccumulateGrad`. Both are right: with this prefix and without it.


# %% exercise="history"
def history(t):
    ### BEGIN SOLUTION
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name())
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names
    ### END SOLUTION


# %% [markdown] exercise="leaf_copy" points=4 difficulty="easy" minutes=5
# ## 3. Make a fresh leaf
#
# Give back a copy of the tensor `t` that
#
# - has the same values and the same dtype,
# - is a leaf and requires a gradient,
# - has no connection to `t`: no gradient flows from the copy into `t`, and when the copy is
#   changed in place, `t` stays as it is.
#
# `t` itself may be a leaf, the result of an operation, or a tensor that does not require a
# gradient. It may have a `.grad`. Leave `t` as it is.


# %% exercise="leaf_copy"
def leaf_copy(t):
    ### BEGIN SOLUTION
    return t.detach().clone().requires_grad_()
    ### END SOLUTION


# %% [markdown] exercise="weighted_gradient" points=4 difficulty="medium" minutes=6
# ## 4. Backward from a vector
#
# `f` is a function, and `y = f(x)` is a vector. `y.backward()` would raise an error, because `y`
# is not one number. `y.backward(v)` works: it gives the gradient of `(v * y).sum()`.
#
# Give back that gradient with respect to `x`. `x` is a tensor of any shape. It **may already have
# a `.grad`** from earlier work, or may not require a gradient at all. When your function is done, `x` must be
# as it was: the same `requires_grad` and the same `.grad`.


# %% exercise="weighted_gradient"
def weighted_gradient(f, x, v):
    ### BEGIN SOLUTION
    fresh = x.detach().clone().requires_grad_()
    f(fresh).backward(v)
    return fresh.grad
    ### END SOLUTION


# %% [markdown] exercise="freeze" points=4 difficulty="easy" minutes=5
# ## 5. Freeze a part of a network
#
# `part` is a module, for example one layer of a network, or a block that holds other modules. Its
# parameters can have any name and any shape. Freeze it: after your function has run,
# a backward through the whole network must leave the `.grad` of every parameter of `part` at
# `None`, and must still fill the `.grad` of all other parameters. Give back how many **numbers**
# (not tensors) you froze. At the start all parameters require a gradient and have no `.grad`.


# %% exercise="freeze"
def freeze(part):
    ### BEGIN SOLUTION
    count = 0
    for p in part.parameters():
        p.requires_grad_(False)
        count += p.numel()
    return count
    ### END SOLUTION


# %% [markdown] exercise="why_no_grad" points=6 difficulty="medium" minutes=8
# ## 6. Why is `.grad` None?
#
# Look at the tensor `t`, do not change it, and give back one of these words:
#
# - `"has grad"`: `t.grad` holds a gradient. A gradient of zeros is one too;
# - `"not tracked"`: `t` does not require a gradient (here, its `.grad` is None as well);
# - `"non-leaf"`: `t` is the result of a recorded operation and does not keep its gradient;
# - `"not yet"`: `t` would keep a gradient, but no backward has reached it so far.
#
# Do not read `.grad` of a non-leaf that does not keep its gradient: PyTorch prints a warning when
# you do. `t.is_leaf`, `t.requires_grad` and `t.retains_grad` tell you what you need to know first.


# %% exercise="why_no_grad"
def why_no_grad(t):
    ### BEGIN SOLUTION
    if not t.requires_grad:
        return "not tracked"
    if not t.is_leaf and not t.retains_grad:
        return "non-leaf"
    return "not yet" if t.grad is None else "has grad"
    ### END SOLUTION


# %% [markdown] exercise="make_weights" points=6 difficulty="medium" minutes=7
# ## 7. Repair: the weights that never train
#
# This function makes the weight and the bias of a small layer. The model runs, the loss is a
# number, and nothing is learned: the optimizer refuses the tensors, or their `.grad` stays `None`.
#
# Repair it. The weight keeps its shape, and its numbers are still random with a standard
# deviation near 0.1, other numbers at each call. The bias still starts at 0.5.


# %% exercise="make_weights"
def make_weights(n_in, n_out):
    ### BEGIN SOLUTION
    weight = (torch.randn(n_out, n_in) * 0.1).requires_grad_()
    bias = torch.full((n_out,), 0.5, requires_grad=True)
    ### BEGIN STUB
    # weight = torch.randn(n_out, n_in, requires_grad=True) * 0.1
    # bias = torch.zeros(n_out, requires_grad=True) + 0.5
    ### END SOLUTION
    return weight, bias


# %% [markdown] exercise="sgd_step" points=6 difficulty="medium" minutes=8
# ## 8. Update by hand
#
# Write one step of gradient descent without an optimizer. `weights` is a list of leaf tensors of
# any shape; some can hold a single number. For each one, subtract `lr` times its gradient
# **in place**, and set its `.grad` to `None`. In place means: the numbers are written into the
# memory that the weight has, so `w.detach()`, taken before your step, shows the new numbers too.
#
# The tensors in the list must stay the same objects and must stay leaves that require a gradient,
# so that the next backward works. A weight whose `.grad` is `None` stays as it is.


# %% exercise="sgd_step"
def sgd_step(weights, lr):
    ### BEGIN SOLUTION
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= lr * w.grad
                w.grad = None
    ### END SOLUTION


# %% [markdown] exercise="find_leaves" points=8 difficulty="hard" minutes=15
# ## 9. Find every leaf of a loss
#
# `loss` was computed from several tensors. Walk its graph and give back a list of **all the leaf
# tensors that a backward would reach**, each one once, in any order.
#
# Begin at `loss.grad_fn`. `node.next_functions` is a tuple of pairs `(node, index)`; the node is
# `None` where no gradient flows. A node of the kind `AccumulateGrad` stands for a leaf. It is the
# only kind that has the attribute `.variable`, and this is the leaf. Several paths can lead to the
# same node, and there can be many more paths than nodes. A graph can have thousands of nodes in a
# row: a function that calls itself for each node can raise a RecursionError.
#
# If `loss` is itself a leaf that requires a gradient, give back `[loss]`.


# %% exercise="find_leaves"
def find_leaves(loss):
    ### BEGIN SOLUTION
    if loss.grad_fn is None:
        return [loss] if loss.requires_grad else []
    found, seen, todo = [], set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [n for n, _ in node.next_functions if n is not None]
    return found
    ### END SOLUTION
