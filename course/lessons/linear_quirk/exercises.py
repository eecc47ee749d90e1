# %% [markdown]
# # Exercises: the Linear backward-hook quirk
#
# These exercises belong to [lesson 5](lesson.ipynb). Work from top to bottom.
#
# 1. Write your code in the answer cell. Run it with **Shift + Enter**.
# 2. Run the cell below it. It checks your answer and says what it saw.
# 3. Stuck? Run `hint("name_of_the_exercise")` in a new cell. Each call gives a stronger hint.
#
# After three tries, `solution("name_of_the_exercise")` shows a solution. To start an exercise
# again, write `reset("name_of_the_exercise")` as the only line of its answer cell and run it.
#
# Some cases stay hidden until your notebook is marked. They ask for the same thing with other
# layers, shapes or numbers, so an answer that works in general passes them too.
#
# In all texts, the *legacy hook* is `register_backward_hook` and the *full hook* is
# `register_full_backward_hook`. The legacy hook prints a FutureWarning; the checks hide it.

# %%
import torch

from course.lessons.linear_quirk import check, hint, reset, solution

# %% [markdown] exercise="read_the_log" points=4 difficulty="warm-up" minutes=5
# ## 1. Read the log
#
# Six layers were hooked with the **legacy** hook. The log holds the shapes in `grad_input`, on
# torch 2.13:
#
# ```
# A  [(3,), (8, 10), (10, 3)]
# B  [(8, 10), (10, 3)]
# C  [(16, 3)]
# D  [(1, 2, 9, 9), (4, 2, 3, 3), (4,)]
# E  [(3,), None, (10, 3)]
# F  [None, (4, 2, 3, 3), (4,)]
# ```
#
# Which layer wrote which line? Give back a dict from the letter to one of these strings:
#
# - `"linear 2-D"`: `Linear(10, 3)` with bias, a 2-D input that requires a gradient;
# - `"linear 2-D no bias"`: the same without a bias;
# - `"linear 2-D data"`: with bias, a 2-D input that does **not** require a gradient;
# - `"linear 3-D"`: with bias, a 3-D input that requires a gradient;
# - `"conv"`: `Conv2d(2, 4, 3)`, an input that requires a gradient;
# - `"conv data"`: `Conv2d(2, 4, 3)`, an input that does **not** require one.
#
# A, C and D are checked here. B, E and F are checked when the notebook is marked.


# %% exercise="read_the_log"
def read_the_log():
    ### BEGIN SOLUTION
    return {
        "A": "linear 2-D",
        "B": "linear 2-D no bias",
        "C": "linear 3-D",
        "D": "conv",
        "E": "linear 2-D data",
        "F": "conv data",
    }
    ### BEGIN STUB
    # # For example: return {"A": "conv", "B": ..., "C": ..., "D": ..., "E": ..., "F": ...}
    # raise NotImplementedError()
    ### END SOLUTION


# %% [markdown] exercise="last_node" points=4 difficulty="easy" minutes=4
# ## 2. Where would the legacy hook hang?
#
# Give back the **name of the node** on which a legacy hook of `module` runs when the module is
# called with the tensor `x`, for example `"AddmmBackward0"`. If the output has no node, because it
# is a leaf, the hook never runs: give back `None`.
#
# The output of `module` is one tensor. `x` may or may not require a gradient, and it may be a leaf
# or the result of an operation.


# %% exercise="last_node"
def last_node(module, x):
    ### BEGIN SOLUTION
    node = module(x).grad_fn
    return None if node is None else node.name()
    ### END SOLUTION


# %% [markdown] exercise="full_shapes" points=4 difficulty="easy" minutes=5
# ## 3. What the full hook will receive
#
# `module` takes one tensor `x` and gives one tensor. Give back a pair of two things:
#
# - the shape of `grad_input[0]` that a full hook of `module` would receive, or `None` if
#   `grad_input[0]` would be None;
# - the shape of `grad_output[0]`.
#
# `x` may be a leaf or the result of an operation. The parameters of `module` require gradients.
# You may find the shapes by a rule or by running a hook. When your function is done, no hook may be
# left on the module or its parameters, and `requires_grad` of `x` and of the parameters is what it
# was.


# %% exercise="full_shapes"
def full_shapes(module, x):
    ### BEGIN SOLUTION
    return (tuple(x.shape) if x.requires_grad else None), tuple(module(x).shape)
    ### END SOLUTION


# %% [markdown] exercise="order" points=4 difficulty="medium" minutes=6
# ## 4. Predict the order
#
# ```python
# layer = torch.nn.Linear(3, 2)
# x = torch.randn(4, 3, requires_grad=tracked)
# layer.register_full_backward_hook(...)      # writes "layer"
# layer.weight.register_hook(...)             # writes "weight"
# if tracked:
#     x.register_hook(...)                    # writes "x"
# layer(x).sum().backward()
# words.append("after")
# ```
#
# Each hook writes one word into the list `words` and returns None. `order(tracked)` gives back one
# list: the words for this value of `tracked`, in the order in which they are written. `order(True)`
# is checked here, `order(False)` when the notebook is marked.


# %% exercise="order"
def order(tracked):
    ### BEGIN SOLUTION
    if tracked:
        return ["weight", "layer", "x", "after"]
    return ["layer", "weight", "after"]
    ### END SOLUTION


# %% [markdown] exercise="watch_input" points=6 difficulty="medium" minutes=8
# ## 5. Repair: the index that was right once
#
# This function was written for an old version and one layer. It should work for **every** module
# that takes one tensor and does not change it in place: after each backward through the module, the
# list `seen` must have one more element, the gradient of the module's **input**, or None if the
# input does not require a gradient. A forward alone adds nothing, and the gradients stay as they
# are. If `x` is used outside of the module too, what comes to it from there does not count.
#
# Give back a handle: after `handle.remove()`, a new forward and backward adds nothing.
# Repair the function.


# %% exercise="watch_input"
def watch_input(module, seen):
    ### BEGIN SOLUTION
    def hook(module, grad_input, grad_output):
        seen.append(grad_input[0])

    return module.register_full_backward_hook(hook)
    ### BEGIN STUB
    # def hook(module, grad_input, grad_output):
    #     seen.append(grad_input[1])
    #
    # return module.register_backward_hook(hook)
    ### END SOLUTION


# %% [markdown] exercise="watch_parameters" points=6 difficulty="medium" minutes=9
# ## 6. The gradients of the weights, without the tuple
#
# Old code read the gradients of weight and bias out of `grad_input`. Do not read it. `seen` is a
# dict. During each backward, write the gradient of every parameter of `module` into it, under the
# parameter's name: `seen["weight"]`, `seen["0.bias"]`. It must be the gradient of **this** backward
# alone. An older gradient can still be in `.grad`, or it was cleared in between. A gradient of zeros
# is written too.
#
# Leave out parameters that do not require a gradient, and leave `requires_grad` as it is. Your
# hooks only look: `.grad` holds what it would hold without them. Give back a list of handles: when
# all are removed, a backward writes nothing.


# %% exercise="watch_parameters"
def watch_parameters(module, seen):
    ### BEGIN SOLUTION
    handles = []
    for name, p in module.named_parameters():
        if p.requires_grad:
            handles.append(p.register_hook(lambda grad, name=name: seen.update({name: grad})))
    return handles
    ### END SOLUTION


# %% [markdown] exercise="double_weight_gradient" points=6 difficulty="medium" minutes=8
# ## 7. Repair: the deprecated hook that edits
#
# This function doubles the gradient of a layer's weight. It works for a `Linear` with a bias and a
# 2-D input, and for nothing else.
#
# Repair it, so that it works for every layer that has a `weight`, for every input, and when
# backward runs more than once, with or without clearing `.grad` in between: each backward adds twice
# its own gradient to `layer.weight.grad`. The gradients of the input and of the bias stay as they
# are. Give back a handle: after `handle.remove()`, a new forward and backward adds the plain
# gradient.


# %% exercise="double_weight_gradient"
def double_weight_gradient(layer):
    ### BEGIN SOLUTION
    return layer.weight.register_hook(lambda grad: 2 * grad)
    ### BEGIN STUB
    # def hook(module, grad_input, grad_output):
    #     bias, x, weight = grad_input
    #     return bias, x, 2 * weight
    #
    # return layer.register_backward_hook(hook)
    ### END SOLUTION


# %% [markdown] exercise="linear_gradients" points=6 difficulty="medium" minutes=10
# ## 8. From the full hook to the weights
#
# A full hook of `nn.Linear` gives you `grad_output[0]`. With the layer's input `x`, that is enough
# to compute what `weight.grad` and `bias.grad` will be. Give back both: first the gradient of the
# weight, then the gradient of the bias, with the shapes of the weight and of the bias.
#
# `x` has the shape (…, n_in) and `grad_output` the shape (…, n_out). The dots stand for any number
# of dimensions, also none. The tensors need not be contiguous. Neither requires a gradient. Leave
# both as they are.


# %% exercise="linear_gradients"
def linear_gradients(x, grad_output):
    ### BEGIN SOLUTION
    rows = x.reshape(-1, x.shape[-1])
    gradients = grad_output.reshape(-1, grad_output.shape[-1])
    return gradients.t() @ rows, gradients.sum(dim=0)
    ### END SOLUTION


# %% [markdown] exercise="OldLinear" points=6 difficulty="medium" minutes=8
# ## 9. Bring the old output back
#
# Write a layer that computes the same as `torch.nn.Linear`, and whose **legacy** hook receives
# exactly two elements, for an input of any rank: the gradient of the product (it has the shape of
# the layer's output), then the gradient of the bias.
#
# The class keeps the constructor of `torch.nn.Linear`, with arguments like `dtype=`, and its
# parameters; write its `forward`. It is only used with a bias.


# %% exercise="OldLinear"
class OldLinear(torch.nn.Linear):
    def forward(self, x):
        ### BEGIN SOLUTION
        return x @ self.weight.t() + self.bias
        ### END SOLUTION


# %% [markdown] exercise="name_elements" points=8 difficulty="hard" minutes=15
# ## 10. An X-ray of your own
#
# Run a backward through `layer(x)` with a **legacy** hook on `layer`, and say what the hook
# received. Give back a list with one entry for each element of `grad_input`:
#
# - `None` where the element is None;
# - `"input"`, `"weight"` or `"bias"` where it is the gradient of `x`, `layer.weight` or `layer.bias`;
# - `"weight.T"` where it is the gradient of the weight, transposed;
# - `"other"` where it is none of these.
#
# Find it out by comparing shapes and values with the true gradients, not by a table: the hidden
# cases use other layers. `x` may or may not require a gradient, and `layer.bias` may be None. Two
# tensors are "the same" if their shapes are equal and `torch.allclose` says so.
#
# At the start, `.grad` of `x` and of the parameters is None. When your function is done, no hook
# may be left on the layer or its parameters. It does not matter what is in `.grad` then.
#
# Choose what you call backward on with care: with `layer(x).sum()` every gradient that comes into
# the layer is a 1, and different things can look the same. `layer(x).pow(2).sum()` is better: with
# it, no element fits two words in the cases of this exercise.


# %% exercise="name_elements"
def name_elements(layer, x):
    ### BEGIN SOLUTION
    received = []
    handle = layer.register_backward_hook(lambda module, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {name: p.grad for name, p in layer.named_parameters()} | {"input": x.grad}
    if layer.weight.ndim == 2:
        true["weight.T"] = layer.weight.grad.t()

    def name(element):
        if element is None:
            return None
        same_shape = {w: g for w, g in true.items() if g is not None and g.shape == element.shape}
        return next((w for w, g in same_shape.items() if torch.allclose(g, element)), "other")

    return [name(element) for element in received]
    ### END SOLUTION
