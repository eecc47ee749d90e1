# %% [markdown]
# # Exercises: module hooks
#
# These exercises belong to [lesson 4](lesson.ipynb). Work from top to bottom.
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
from contextlib import ExitStack, contextmanager

import torch
from torch import nn

from course.lessons.module_hooks import check, hint, reset, solution

# %% [markdown] exercise="hook_order" points=4 difficulty="warm-up" minutes=5
# ## 1. Say the order before you run it
#
# Read this code. Do not run it yet. `say("h")` makes a hook that prints `h`.
#
# ```python
# def say(word):
#     return lambda *_: print(word)
#
# inner = nn.Linear(2, 2)
# net = nn.Sequential(inner, nn.Tanh())
#
# inner.register_forward_hook(say("inner out"))
# net.register_forward_hook(say("net out"))
# net.register_forward_pre_hook(say("net in"))
# inner.register_forward_pre_hook(say("inner in"))
# inner.register_full_backward_hook(say("inner back"))
# net.register_full_backward_hook(say("net back"))
# net.register_full_backward_pre_hook(say("net back pre"))
#
# x = torch.ones(1, 2, requires_grad=True)
# net(x).sum().backward()
# net.forward(x).sum().backward()
# ```
#
# Give back the list of all words that are printed, in the order in which they are printed. A word
# that is printed twice is in the list twice.
#
# The first four words are checked here. All words after them are checked when the notebook is
# marked.


# %% exercise="hook_order"
def hook_order():
    ### BEGIN SOLUTION
    return [
        "net in",
        "inner in",
        "inner out",
        "net out",
        "net back pre",
        "inner back",
        "net back",
        "inner in",
        "inner out",
        "inner back",
    ]
    ### BEGIN STUB
    # # For example: return ["inner out", "net out", ...]
    # raise NotImplementedError()
    ### END SOLUTION


# %% [markdown] exercise="call_counts" points=4 difficulty="easy" minutes=6
# ## 2. Which layers does a network really use?
#
# A layer can be defined and never called. Another one can be called several times. Run `net(x)`
# once and give back a dict: the path of each module of `net.named_modules()` → how often this
# module was called. A module that was not called has 0. The network itself is in the dict too,
# under its path `""`.
#
# Leave no hook of yours behind. Hooks of other people stay.


# %% exercise="call_counts"
def call_counts(net, x):
    ### BEGIN SOLUTION
    counts, handles = {}, []
    for path, module in net.named_modules():
        counts[path] = 0

        def count(module, args, output, path=path):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts
    ### END SOLUTION


# %% [markdown] exercise="parents" points=5 difficulty="medium" minutes=8
# ## 3. Read a log
#
# Somebody put a forward pre-hook and a forward hook on every module and kept what they said. It is
# a list of strings, `"in NAME"` from the pre-hook and `"out NAME"` from the forward hook:
#
# ```python
# ["in net", "in block", "in fc", "out fc", "out block", "in head", "out head", "out net"]
# ```
#
# The network itself is gone. Give back a dict: the name of each module → the name of the module
# that called it. What was called from outside has the value None. For the log above:
#
# ```python
# {"net": None, "block": "net", "fc": "block", "head": "net"}
# ```
#
# Each name is used by one module, and each module is always called by the same one. A name can hold
# spaces.


# %% exercise="parents"
def parents(log):
    ### BEGIN SOLUTION
    callers, open_modules = {}, [None]
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            callers[name] = open_modules[-1]
            open_modules.append(name)
        else:
            open_modules.pop()
    return callers
    ### END SOLUTION


# %% [markdown] exercise="logged_prediction" points=4 difficulty="easy" minutes=5
# ## 4. Repair: the hooks that nobody calls
#
# A network has hooks: some write a log, some change the inputs or outputs of layers.
# `logged_prediction(net, x)` should give back what the network gives for `x` in eval mode, with all
# its hooks. PyTorch must not record a graph while the network runs. Afterwards all is as before:
# the mode of the network (`training` or not), its parameters, its hooks, `x`, and whether PyTorch
# records graphs.
#
# With this version the hooks of the network itself are never called. Those of its layers are.
# Repair it.


# %% exercise="logged_prediction"
def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        ### BEGIN SOLUTION
        y = net(x)
        ### BEGIN STUB
        # y = net.forward(x)
        ### END SOLUTION
    net.train(was_training)
    return y


# %% [markdown] exercise="keep_output" points=4 difficulty="medium" minutes=7
# ## 5. Repair: features that change afterwards
#
# `keep_output(layer)` gives back a list. Each call of the layer, under `no_grad` too, should add one
# tensor to the list: the numbers that the **layer** computed, without history. Hooks of other
# people stay.
#
# In a network where `ReLU(inplace=True)` follows the layer, no kept number is ever negative,
# although the layer computes negative numbers. Repair it. What the network computes, and its
# gradients, must stay as they are.


# %% exercise="keep_output"
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        ### BEGIN SOLUTION
        kept.append(output.detach().clone())
        ### BEGIN STUB
        # kept.append(output.detach())
        ### END SOLUTION

    layer.register_forward_hook(keep)
    return kept


# %% [markdown] exercise="scaled_back" points=5 difficulty="medium" minutes=8
# ## 6. Repair: a bare tensor from a backward hook
#
# `scaled_back(module, factor)` hangs a hook on a module. In each backward, the gradients of the
# module's inputs should be `factor` times what they are without the hook. The gradients of the
# module's own parameters stay as they are, and so do the hooks of other people. It gives back the
# handle.
#
# This version stops with an error in backward. Repair it, for modules with **one or more** inputs.
# An input that gets no gradient has None in `grad_input`, and must keep it.


# %% exercise="scaled_back"
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        ### BEGIN SOLUTION
        return tuple(grad if grad is None else grad * factor for grad in grad_input)
        ### BEGIN STUB
        # return grad_input[0] * factor
        ### END SOLUTION

    return module.register_full_backward_hook(hook)


# %% [markdown] exercise="watch_gradient" points=5 difficulty="medium" minutes=9
# ## 7. Repair: the hook that stops forward
#
# `watch_gradient(layer)` should give back a list, and each backward should add one number to it:
# the norm of the gradient at the **output** of the layer, `grad.norm().item()`. The layer is called
# once in each forward. It can be any layer with one tensor as output, also one without parameters.
#
# Where the output requires no gradient (under `no_grad`, or because nothing requires one), nothing
# is added, and forward works as usual. Where it requires one, each backward counts, also when the
# layer gets plain data, or when its weight is frozen.
#
# This version works for most networks. Where the next layer works in place, like
# `ReLU(inplace=True)`, forward stops with an error. Repair it so that it works there too. The
# network itself must not be changed.


# %% exercise="watch_gradient"
def watch_gradient(layer):
    norms = []

    ### BEGIN SOLUTION
    def watch(module, args, output):
        if output.requires_grad:
            output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    ### BEGIN STUB
    #
    # def watch(module, grad_input, grad_output):
    #     norms.append(grad_output[0].norm().item())
    #
    # layer.register_full_backward_hook(watch)
    ### END SOLUTION
    return norms


# %% [markdown] exercise="scale_inputs" points=5 difficulty="medium" minutes=8
# ## 8. Change all inputs, however they are given
#
# Hang a hook on `module` that, in each call, multiplies every **tensor** among its inputs, of
# floats or of integers, by `factor` before `forward` gets it. Some inputs are given by position,
# some by keyword. What is not a tensor (a number, a string, None) is handed on as it is. Give back
# the handle.
#
# The caller's own tensors must not change, and backward must still reach them.


# %% exercise="scale_inputs"
def scale_inputs(module, factor):
    ### BEGIN SOLUTION
    def scaled(value):
        return value * factor if isinstance(value, torch.Tensor) else value

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {name: scaled(value) for name, value in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)
    ### END SOLUTION


# %% [markdown] exercise="be_the_call" points=6 difficulty="medium" minutes=10
# ## 9. Be the call
#
# Do what `module(*args)` does with forward hooks, in plain Python. You get a function `forward`,
# a list of pre-hooks, a list of forward hooks and a tuple `args` of inputs. `module` is handed on
# to the hooks.
#
# - Each pre-hook is called as `hook(module, args)`. It gives back None, which changes nothing, or
#   a tuple of new inputs, or one new input that is not a tuple.
# - Then `forward(*args)` is called with what the pre-hooks made.
# - Each forward hook is called as `hook(module, args, output)`. It gives back None, which changes
#   nothing, or a new output. Anything but None is a new output.
#
# Each hook gets what the one before it made. Give back the output. The two lists stay as they are:
# the next call needs them.


# %% exercise="be_the_call"
def be_the_call(module, forward, pre_hooks, hooks, args):
    ### BEGIN SOLUTION
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made
    return output
    ### END SOLUTION


# %% [markdown] exercise="features" points=8 difficulty="hard" minutes=15
# ## 10. Design: features that clean up
#
# Write something that can be used like this:
#
# ```python
# with features(net, ["conv1", "block.fc"]) as kept:
#     net(x)
#     net(y)
# kept["block.fc"]     # a list: one tensor for each call of that module
# ```
#
# - `kept` is a dict: each path of the list → a list of the outputs of that module, one for each
#   call inside the block, in order. A module that is not called has an empty list. Two paths can
#   lead to one module; then each has all its outputs. `kept` can be read during the block and
#   after it.
# - Each output is a tensor without history, and it does not change afterwards.
# - `net` computes the same as without the block, gradients included.
# - After the block, no hook of yours is left, also when the block raised an error. The error must
#   come out of the block. Hooks of other people stay.
# - A path that does not exist raises an AttributeError when the block is entered, and leaves no
#   hook behind either. (`net.get_submodule(path)` raises it.)
#
# A class or a function with `contextlib.contextmanager`: both are right.


# %% exercise="features"
### BEGIN SOLUTION
@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in kept:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


### BEGIN STUB
# def features(net, paths):
#     raise NotImplementedError()
### END SOLUTION
