# %% [markdown]
# # Exercises: tensor hooks
#
# These exercises belong to [lesson 3](lesson.ipynb). Work from top to bottom.
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
#
# One rule holds for all of these exercises: a hook of yours changes **only** what the text asks
# for. Another tensor's gradient must stay as it is.

# %%
import torch

from course.lessons.tensor_hooks import check, hint, reset, solution

# %% [markdown] exercise="firing_order" points=4 difficulty="warm-up" minutes=5
# ## 1. Say the order before you run it
#
# Read this code. Do not run it yet. `say("h")` makes a hook that prints `h`.
#
# ```python
# def say(word):
#     return lambda _: print(word)
#
# x = torch.tensor(3.0, requires_grad=True)
# h = x * 2
# y = h * x
#
# x.register_post_accumulate_grad_hook(say("x stored"))
# x.register_hook(say("x"))
# h.register_hook(say("h one"))
# y.register_hook(say("y"))
# h.register_hook(say("h two"))
#
# y.backward()
# (x * 5).backward()
# ```
#
# Give back the list of all words that are printed, in the order in which they are printed. A word
# that is printed twice is in the list twice.
#
# The first three words are checked here. All words after them are checked when the notebook is
# marked.


# %% exercise="firing_order"
def firing_order():
    ### BEGIN SOLUTION
    return ["y", "h one", "h two", "x", "x stored", "x", "x stored"]
    ### BEGIN STUB
    # # For example: return ["x", "y", ...]
    # raise NotImplementedError()
    ### END SOLUTION


# %% [markdown] exercise="scale_gradient" points=4 difficulty="easy" minutes=4
# ## 2. Make a gradient larger or smaller
#
# Put a hook on the tensor `t`. In every backward, the hook multiplies the gradient of `t` by
# `factor`. It does not change what an older backward left in `.grad`. Give back the handle, so that
# the caller can remove the hook.
#
# `t` can be a leaf or the result of an operation, of any shape and dtype. `factor` is any number,
# also zero or a negative one.


# %% exercise="scale_gradient"
def scale_gradient(t, factor):
    ### BEGIN SOLUTION
    return t.register_hook(lambda grad: grad * factor)
    ### END SOLUTION


# %% [markdown] exercise="be_the_engine" points=5 difficulty="medium" minutes=8
# ## 3. Be the engine
#
# A gradient `grad` arrives at a tensor on which several hooks hang. Do what PyTorch does with them:
# call each function of the list `hooks` once, in order. A function that is in the list twice is
# called twice.
#
# Give back two things as a tuple:
#
# - the list of what each hook was called with: tensors;
# - the gradient that goes on, when the last hook is done: a tensor.
#
# `grad` can have any shape. A hook gives back None, which changes nothing, or a tensor. The list
# can be empty. The numbers in `grad` itself must stay as they are.


# %% exercise="be_the_engine"
def be_the_engine(grad, hooks):
    ### BEGIN SOLUTION
    seen = []
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            grad = made
    return seen, grad
    ### END SOLUTION


# %% [markdown] exercise="norm_log" points=4 difficulty="easy" minutes=5
# ## 4. Keep a record
#
# Give back a list that is empty at first. From now on, each backward that reaches the tensor `t`
# must add one Python number to it: the norm of the gradient of `t` in that backward,
# `grad.norm().item()`. The gradient itself stays as it is. `t` can be a leaf or the result of an
# operation, and it can have any number of dimensions.


# %% exercise="norm_log"
def norm_log(t):
    ### BEGIN SOLUTION
    norms = []

    def record(grad):
        norms.append(grad.norm().item())

    t.register_hook(record)
    return norms
    ### END SOLUTION


# %% [markdown] exercise="gradient_sizes" points=4 difficulty="easy" minutes=6
# ## 5. Repair: everything under one name
#
# `gradient_sizes(layer)` gives back a dict. After a backward it should hold, for each parameter of
# the layer, the norm of its gradient under its name: for a linear layer the names `weight` and
# `bias`. `layer` can also be a network of several layers. After a further backward the dict holds
# the norms of that one, also when `.grad` was not cleared in between. A norm can be 0.
#
# This version runs without an error, and the dict has only one name in it. Repair it.


# %% exercise="gradient_sizes"
def gradient_sizes(layer):
    sizes = {}
    for name, parameter in layer.named_parameters():
        ### BEGIN SOLUTION
        def record(grad, name=name):
            sizes[name] = grad.norm().item()

        ### BEGIN STUB
        # def record(grad):
        #     sizes[name] = grad.norm().item()
        #
        ### END SOLUTION
        parameter.register_hook(record)
    return sizes


# %% [markdown] exercise="only_positive" points=5 difficulty="medium" minutes=6
# ## 6. Repair: the neighbour's gradient
#
# `only_positive(t)` puts a hook on `t` that sets every negative number in its gradient to zero.
# For `t` alone it seems to work. But in a model that computes `s + t`, the gradient of `s` changes
# too, and `s` has no hook. Sometimes there is even an error.
#
# Repair it. `t` can have any shape.


# %% exercise="only_positive"
def only_positive(t):
    def hook(grad):
        ### BEGIN SOLUTION
        return grad.clamp(min=0)
        ### BEGIN STUB
        # grad[grad < 0] = 0
        # return grad
        ### END SOLUTION

    t.register_hook(hook)


# %% [markdown] exercise="row_gradients" points=4 difficulty="medium" minutes=6
# ## 7. Repair: the hook that is never called
#
# `row_gradients(weight, row)` should give back a list, and each backward should add one tensor to
# it: the gradient of `weight[row]`, also one of zeros. With this version the list stays empty.
#
# Repair it. `weight` is a leaf with two or more dimensions. The gradient of `weight` itself must
# not change.


# %% exercise="row_gradients"
def row_gradients(weight, row):
    seen = []
    ### BEGIN SOLUTION
    weight.register_hook(lambda grad: seen.append(grad[row].clone()))
    ### BEGIN STUB
    # watched = weight[row]
    # watched.register_hook(lambda grad: seen.append(grad))
    ### END SOLUTION
    return seen


# %% [markdown] exercise="train_and_log" points=5 difficulty="medium" minutes=8
# ## 8. Repair: hooks that stay behind
#
# `train_and_log(weight, steps)` trains a weight and gives back the norm of its gradient in each
# step: one number for each step. This version gives back too many numbers. And when it is done,
# its hooks still hang on `weight`, so that later work on the same weight goes on filling the list.
#
# Repair it. After the function, `weight` has the hooks that it had before, no more and no fewer.
# The training itself (the loss, the learning rate 0.25) must stay the same. `weight` can have any number
# of dimensions and `steps` can be 0. When your function is called, `weight.grad` is None; when it is
# done, no gradient may be left there.


# %% exercise="train_and_log"
def train_and_log(weight, steps):
    norms = []
    ### BEGIN SOLUTION
    with weight.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
            weight.grad = None
    ### BEGIN STUB
    # for _ in range(steps):
    #     weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    #     (weight * weight).sum().backward()
    #     with torch.no_grad():
    #         weight -= 0.25 * weight.grad
    #     weight.grad = None
    ### END SOLUTION
    return norms


# %% [markdown] exercise="freeze_rows" points=6 difficulty="medium" minutes=9
# ## 9. Freeze some rows of a weight
#
# `requires_grad` is a switch for a whole tensor. To train only some rows of it, use a hook.
#
# Put a hook on the leaf `weight`. In each backward the gradient must be 0 in the rows of the list
# `rows`. All other rows get their usual gradient. A row is everything in `weight[i]`; `weight` can
# have two or more dimensions and any floating point dtype. Give back the handle.
#
# `rows` has one number or more. A negative number counts from the end, as in `weight[-1]`, and a
# row can be named twice. What an older backward has left in `.grad` stays there.
#
# Write your hook so that it does not change a gradient that belongs to another tensor.


# %% exercise="freeze_rows"
def freeze_rows(weight, rows):
    ### BEGIN SOLUTION
    def hook(grad):
        grad = grad.clone()
        grad[rows] = 0
        return grad

    return weight.register_hook(hook)
    ### END SOLUTION


# %% [markdown] exercise="record_backward" points=8 difficulty="hard" minutes=15
# ## 10. Record a whole backward
#
# `tensors` is a dict from names to tensors. Run `root.backward()` and give back a list of pairs
# `(name, gradient)` for these tensors, in the order in which backward reached them.
#
# - Leave out a tensor that no gradient reached, and a tensor that does not require a gradient.
#   Such a tensor must stay as it is. A gradient that is zero everywhere is a gradient.
# - When a hook is called with None, no gradient reached its tensor (the lesson shows when).
# - Your function leaves no hook behind, and it does not call `retain_grad()`, which would stay. It
#   changes no gradient. In the pairs is the gradient of this backward, not a sum with an older one.
# - When backward raises an error, the error must come out of your function, and no hook of yours
#   may stay.


# %% exercise="record_backward"
def record_backward(root, tensors):
    ### BEGIN SOLUTION
    seen, handles = [], []
    try:
        for name, tensor in tensors.items():
            if tensor.requires_grad:

                def record(grad, name=name):
                    if grad is not None:
                        seen.append((name, grad.clone()))

                handles.append(tensor.register_hook(record))
        root.backward()
    finally:
        for handle in handles:
            handle.remove()
    return seen
    ### END SOLUTION
