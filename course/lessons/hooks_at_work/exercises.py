# %% [markdown]
# # Exercises: hooks at work
#
# These exercises belong to [lesson 6](lesson.ipynb). Work from top to bottom.
#
# 1. Write your code in the answer cell. Run it with **Shift + Enter**.
# 2. Run the cell below it. It checks your answer and says what it saw.
# 3. Stuck? Run `hint("name_of_the_exercise")` in a new cell. Each call gives a stronger hint.
#
# After three tries, `solution("name_of_the_exercise")` shows a solution. To start an exercise
# again, write `reset("name_of_the_exercise")` as the only line of its answer cell and run it.
#
# Some cases stay hidden until your notebook is marked. They ask for the same thing with other
# networks and numbers, so an answer that works in general passes them too.

# %%
import torch
from torch import nn

from course.lessons.hooks_at_work import check, hint, reset, solution

# %% [markdown] exercise="choose_the_hook" points=4 difficulty="warm-up" minutes=5
# ## 1. Which tool for which work?
#
# Each line describes a piece of work. Choose the tool that does it.
#
# - `"features"`: keep the output of a layer for every batch
# - `"new input"`: change what a layer gets, before it computes
# - `"one way"`: a tensor is used in two places. Multiply the gradient that comes from one of them
#   by −1, and leave the gradient from the other as it is
# - `"early step"`: change each parameter as soon as its own gradient is stored
# - `"layer gradient"`: look at the gradient that arrives at a layer's output, before the layer's
#   own backward runs; no in-place layer comes after it
# - `"total clip"`: scale all gradients down by one factor when the norm of all of them is too large
#
# Give back a dict with these six words as keys. Each value is one of
#
# - `"forward pre-hook"`, `"forward hook"`, `"backward pre-hook"` (of a module),
# - `"tensor hook"`, `"post-accumulate hook"`, `"no hook"`.
#
# Each tool is used once. The first three keys are checked here, the others when the notebook is
# marked.


# %% exercise="choose_the_hook"
def choose_the_hook():
    ### BEGIN SOLUTION
    return {
        "features": "forward hook",
        "new input": "forward pre-hook",
        "one way": "tensor hook",
        "early step": "post-accumulate hook",
        "layer gradient": "backward pre-hook",
        "total clip": "no hook",
    }
    ### BEGIN STUB
    # # For example: return {"features": "no hook", "new input": ..., ...}
    # raise NotImplementedError()
    ### END SOLUTION


# %% [markdown] exercise="turned" points=4 difficulty="easy" minutes=6
# ## 2. Turn a gradient, on one way only
#
# Give back a tensor with the same values as `t`. When it is used, the gradient that flows back to
# `t` **through your tensor** is multiplied by `factor`. Where `t` itself is used, its gradient must
# stay as it is. `t` can be a leaf or a result.


# %% exercise="turned"
def turned(t, factor):
    ### BEGIN SOLUTION
    way = t.view_as(t)
    way.register_hook(lambda grad: grad * factor)
    return way
    ### END SOLUTION


# %% [markdown] exercise="clip_each" points=5 difficulty="medium" minutes=8
# ## 3. Clip each gradient in a hook
#
# Put a hook on each tensor of the list `parameters`. When the norm of a gradient is larger than
# `threshold`, the gradient is scaled so that its norm is `threshold`. Else it stays exactly as it
# is. A gradient of only zeros stays zero. The gradients of other tensors stay as they are, too.
# Before each backward, the `.grad` of each tensor is None. Give back a list with the handles.


# %% exercise="clip_each"
def clip_each(parameters, threshold):
    ### BEGIN SOLUTION
    def clip(grad):
        norm = grad.norm()
        return grad * (threshold / norm) if norm > threshold else None

    return [parameter.register_hook(clip) for parameter in parameters]
    ### END SOLUTION


# %% [markdown] exercise="first_bad" points=5 difficulty="medium" minutes=9
# ## 4. Where does NaN begin?
#
# Run `net(x)` once. Give back the path of the module in which the first NaN or infinity was made:
# at least one number of its output is NaN or infinite, and all numbers of all its inputs are
# finite. Look only at modules that have no children, at each of their calls. The `forward` of a
# module with children can make a bad number too, between two calls of its children: such a number
# does not count. If there is no such module, give back None.
#
# The path is the one of `net.named_modules()`. So `""` is the path of `net` itself.
#
# Leave everything as it was: the modules with their settings, the mode of each module (`train` or
# `eval`: they can differ), the parameters, each `.grad`, `x`, and the hooks. Somebody's hooks may
# be there already. Only what `net(x)` itself changes may be new, such as the averages of a
# BatchNorm.
#
# Every module here has tensors as inputs and one tensor as output.


# %% exercise="first_bad"
def first_bad(net, x):
    ### BEGIN SOLUTION
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(arg.isfinite().all() for arg in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None
    ### END SOLUTION


# %% [markdown] exercise="weight_norms" points=5 difficulty="medium" minutes=8
# ## 5. Repair: the gradient that is not there yet
#
# `weight_norms(net)` gives back a dict. After each backward it should hold, for each layer of `net`
# (a Sequential of linear layers), the norm of the weight's gradient **of this backward**, under the
# layer's name. Each norm is a plain number, as `item()` gives it.
#
# This version looks at `weight.grad` in a backward hook of the layer. When the input of `net` is
# plain data, each backward stops with an error at the first layer: `.grad` is still None there. And
# when `.grad` was not cleared, the other layers show the norm of the sum of all backwards. Repair
# it. `.grad` must hold what it would hold without the hooks. Between two backward calls it may be
# cleared or not.


# %% exercise="weight_norms"
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():
        ### BEGIN SOLUTION
        def record(grad, name=name):
            norms[name] = grad.norm().item()

        layer.weight.register_hook(record)
        ### BEGIN STUB
        # def record(module, grad_input, grad_output, name=name):
        #     norms[name] = module.weight.grad.norm().item()
        #
        # layer.register_full_backward_hook(record)
        ### END SOLUTION
    return norms


# %% [markdown] exercise="clipped_sum" points=5 difficulty="medium" minutes=8
# ## 6. Repair: clipped too early
#
# A large batch does not fit into memory. So `clipped_sum` takes it in parts: `losses` is a list of
# functions without arguments, and each gives the loss of one part. Finish the backward of one part
# before you ask for the next part: then memory holds only one of them.
#
# The gradient of the whole batch is the sum over the parts. **That sum** should be clipped, once.
# If its norm is larger than `threshold`, multiply the sum by one factor, so that its norm is
# `threshold`. Else the sum stays as it is. The norm is the root of the sum of the squares of all
# numbers, also where `weight` is a matrix. At the end, `weight.grad` holds the clipped sum.
#
# This version clips in a hook, so each part is clipped for itself. Repair it. At the start,
# `weight.grad` is None. Leave no hook behind, and do not change the weight itself.


# %% exercise="clipped_sum"
def clipped_sum(weight, losses, threshold):
    ### BEGIN SOLUTION
    for loss in losses:
        loss().backward()
    nn.utils.clip_grad_norm_([weight], threshold)
    ### BEGIN STUB
    # def clip(grad):
    #     return grad * (threshold / grad.norm().clamp(min=threshold))
    #
    # with weight.register_hook(clip):
    #     for loss in losses:
    #         loss().backward()
    ### END SOLUTION


# %% [markdown] exercise="step_in_backward" points=6 difficulty="medium" minutes=10
# ## 7. The step inside backward
#
# Put hooks on `parameters` so that each `backward()` takes a step of gradient descent by itself: as
# soon as the gradient of a parameter is stored, the parameter becomes `p - lr * p.grad`, and its
# `.grad` becomes None. The parameter must stay the same tensor object. There is never more than one
# gradient in memory. Hooks of somebody else can change a gradient before it is stored.
#
# A parameter that does not require a gradient is left as it is. Give back a list with the handles.


# %% exercise="step_in_backward"
def step_in_backward(parameters, lr):
    ### BEGIN SOLUTION
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]
    ### END SOLUTION


# %% [markdown] exercise="heat_map" points=8 difficulty="hard" minutes=15
# ## 8. Grad-CAM
#
# `net` gives scores of shape `batch × classes`. The module at the path `layer` gives maps of shape
# `batch × channels × height × width`. Give back the heat for class `of`, a tensor of shape
# `batch × height × width` without history:
#
# 1. For each picture and channel, the weight is the **mean** over height and width of the gradient
#    of the picture's score for class `of` with respect to the map.
# 2. Add the maps of a picture, each multiplied by its weight.
# 3. Replace what is negative by 0.
#
# The module that comes after `layer` may work in place. The heat belongs to the output of `layer`
# before the next module changes it. `layer` is a path as in `net.named_modules()`, also of a module
# inside another one.
#
# Leave everything as it was: the modules with their settings (such as `inplace`), the mode of each
# module (`train` or `eval`: they can differ), the parameters and buffers, each `.grad`, and the
# hooks. Somebody's hooks may be there already. Leave `x` as it was, too. `x` does not require a
# gradient; the parameters do. The pictures of a batch do not influence each other, and no module
# here changes its buffers in forward.


# %% exercise="heat_map"
def heat_map(net, layer, x, of):
    ### BEGIN SOLUTION
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)
    ### END SOLUTION
