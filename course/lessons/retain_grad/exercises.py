# %% [markdown]
# # Exercises: retain_grad and retain_graph
#
# These exercises belong to [lesson 2](lesson.ipynb). Work from top to bottom.
#
# 1. Write your code in the answer cell. Run it with **Shift + Enter**.
# 2. Run the cell below it. It checks your answer and says what it saw.
# 3. Stuck? Run `hint("name_of_the_exercise")` in a new cell. Each call gives a stronger hint.
#
# After three tries, `solution("name_of_the_exercise")` shows a solution. To start an exercise
# again, write `reset("name_of_the_exercise")` as the only line of its answer cell and run it.
#
# Some cases stay hidden until your notebook is marked. They ask for the same thing with other
# numbers, so an answer that works in general passes them too.

# %%
import torch

from course.lessons.retain_grad import check, hint, reset, solution

# %% [markdown] exercise="a_second_time" points=4 difficulty="warm-up" minutes=4
# ## 1. A second time?
#
# `x` is a vector that requires a gradient. For each result `r` below, `r.backward(torch.ones_like(r))`
# is called two times. Nobody writes `retain_graph=True`.
#
# ```python
# a = x + 3
# b = x * 3
# c = -x
# d = x.exp()
# e = x - x
# f = x * x + 1
# ```
#
# Give back a dict with the names `"a"` to `"f"`. The value is `"works"` or `"raises"`: what does the
# **second** backward do? Decide before you run anything.
#
# The first three names are checked here, the last three when the notebook is marked.


# %% exercise="a_second_time"
def a_second_time():
    ### BEGIN SOLUTION
    return {
        "a": "works",
        "b": "raises",
        "c": "works",
        "d": "raises",
        "e": "works",
        "f": "raises",
    }
    ### BEGIN STUB
    # # For example: return {"a": "raises", "b": ..., "c": ..., "d": ..., "e": ..., "f": ...}
    # raise NotImplementedError()
    ### END SOLUTION


# %% [markdown] exercise="hidden_gradient" points=4 difficulty="easy" minutes=4
# ## 2. Repair: the gradient that is not stored
#
# `hidden_gradient(x, w, loss_of)` computes `h = x * w` and a loss from `h`, runs backward, and
# should give back the gradient of `h`. It gives back None. Repair it.
#
# `x` and `w` must get their `.grad` from this backward, as they do now. When they have a `.grad`
# already, it must add up, as usual. Each gradient that you give back or leave in a `.grad` must
# have `requires_grad == False`.


# %% exercise="hidden_gradient"
def hidden_gradient(x, w, loss_of):
    h = x * w
    ### BEGIN SOLUTION
    h.retain_grad()
    ### BEGIN STUB
    # h.retain_grad = True
    ### END SOLUTION
    loss_of(h).backward()
    return h.grad


# %% [markdown] exercise="gradient_at" points=5 difficulty="easy" minutes=6
# ## 3. Look and leave no trace
#
# Give back the gradient of `loss` with respect to the intermediate tensor `h`. Afterwards
# everything must be as before:
#
# - no `.grad` of any leaf has changed, and `h.grad` is still None;
# - no hook of yours hangs on `h`;
# - the caller can still run `loss.backward()`, and `h.grad` is None after it too: `h` does not
#   retain its gradient.
#
# The gradient that you give back must have `requires_grad == False`.


# %% exercise="gradient_at"
def gradient_at(loss, h):
    ### BEGIN SOLUTION
    (gradient,) = torch.autograd.grad(loss, h, retain_graph=True)
    return gradient
    ### END SOLUTION


# %% [markdown] exercise="layer_gradients" points=5 difficulty="medium" minutes=8
# ## 4. The gradient at every layer
#
# `layers` is a list of modules. Hand `x` to the first one, its output to the second one, and so on.
# Run backward on the **sum** of the last output. Give back a list with the gradient of the output
# of each layer, in the order of `layers`. The same module can be in the list more than once.
#
# The parameters of the layers must get their `.grad` as usual: it adds up. `x` does not require a
# gradient and has no `.grad`, and that must stay so. Leave no hook on a layer, and leave the list as
# it is. Each gradient that you give back or leave in a `.grad` must have `requires_grad == False`.
# The first layer has parameters.


# %% exercise="layer_gradients"
def layer_gradients(layers, x):
    ### BEGIN SOLUTION
    outputs = []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    return [output.grad for output in outputs]
    ### END SOLUTION


# %% [markdown] exercise="repeat_backward" points=4 difficulty="easy" minutes=5
# ## 5. Repair: retain_graph on the wrong call
#
# `repeat_backward(loss, times)` should run `loss.backward()` as often as `times` says (two or
# more), on the same graph. This version stops with an error. Repair it.
#
# After the last backward the saved tensors must be free: one more `loss.backward()` must raise
# PyTorch's error about a second time. The `.grad` that you leave must have `requires_grad == False`.


# %% exercise="repeat_backward"
def repeat_backward(loss, times):
    for i in range(times):
        ### BEGIN SOLUTION
        loss.backward(retain_graph=i < times - 1)
        ### BEGIN STUB
        # loss.backward(retain_graph=i > 0)
        ### END SOLUTION


# %% [markdown] exercise="grad_history" points=4 difficulty="medium" minutes=6
# ## 6. Repair: a history with the same entry everywhere
#
# `make_losses` is a list of functions. Each one computes a new loss from the leaf `w`. The
# function below runs backward on each loss, and notes what `w.grad` is after it. `w.grad` adds up;
# that is wanted. But in the end all entries of the list are equal. Repair it.
#
# `w` may already have a `.grad` at the start; it counts. At the end `w.grad` must be the whole sum,
# and no hook of yours may hang on `w`. The numbers of `w` stay as they are. No gradient may require
# a gradient itself.


# %% exercise="grad_history"
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        ### BEGIN SOLUTION
        history.append(w.grad.clone())
        ### BEGIN STUB
        # history.append(w.grad)
        ### END SOLUTION
    return history


# %% [markdown] exercise="norms_only" points=6 difficulty="medium" minutes=9
# ## 7. Measure without keeping
#
# `tensors` is a list of intermediate tensors that `loss` was computed from. Run `loss.backward()`
# once and give back the list of the norms of their gradients, as Python numbers, in the order of
# `tensors`. A norm is what `grad.norm().item()` gives. The tensors can have any number of
# dimensions.
#
# Afterwards:
#
# - no gradient is on the tensors: each `.grad` is None. You may call `retain_grad()`, if you clear
#   `.grad` at the end;
# - no hook of yours is left, on a tensor or on a node. Hooks of others stay;
# - the tensors are as they were: they have the same numbers and the same `grad_fn`;
# - the leaf tensors have their `.grad` as usual.


# %% exercise="norms_only"
def norms_only(loss, tensors):
    ### BEGIN SOLUTION
    norms = [None] * len(tensors)
    handles = []
    for i, tensor in enumerate(tensors):

        def measure(grad, i=i):
            norms[i] = grad.norm().item()

        handles.append(tensor.register_hook(measure))
    loss.backward()
    for handle in handles:
        handle.remove()
    return norms
    ### END SOLUTION


# %% [markdown] exercise="kept_bytes" points=6 difficulty="medium" minutes=8
# ## 8. What does it cost?
#
# How many bytes do the kept gradients of **intermediate** tensors take? Give back one whole number:
# the sum over the non-leaf tensors of the list `tensors` that hold a gradient. Each adds the number
# of its elements times the bytes of one element.
#
# - Leaf tensors do not count. A tensor that is in the list twice counts once. Two tensors with
#   equal values are two tensors, also when one is a view of the other.
# - Only count: all gradients stay where they are, and the tensors and the list stay as they are.
# - A tensor that retains its gradient has None before backward, and when no backward reaches it.
# - PyTorch must not print its warning: ask `retains_grad` before you read `.grad`.
#
# `t.numel()` is the number of elements, `t.element_size()` the bytes of one.


# %% exercise="kept_bytes"
def kept_bytes(tensors):
    ### BEGIN SOLUTION
    kept = {id(t): t for t in tensors if not t.is_leaf and t.retains_grad}
    grads = [t.grad for t in kept.values() if t.grad is not None]
    return sum(grad.numel() * grad.element_size() for grad in grads)
    ### END SOLUTION


# %% [markdown] exercise="needs_retain_graph" points=8 difficulty="hard" minutes=15
# ## 9. Find out by experiment
#
# `f` is a function that takes a vector and gives back a tensor of any shape. Would a second backward
# on `y = f(x)`, without `retain_graph`, raise an error? Give back True or False.
#
# - Do not guess from the name of an operation. Try it.
# - `x` must stay as it was: its values, its `.grad`, its `requires_grad`. It may be a plain tensor,
#   or a leaf that already has a `.grad`.
# - When `f` itself raises an error, that error must come out of your function. When it does not,
#   its result requires a gradient.


# %% exercise="needs_retain_graph"
def needs_retain_graph(f, x):
    ### BEGIN SOLUTION
    y = f(x.detach().clone().requires_grad_())
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return True
    return False
    ### END SOLUTION
