# %% [markdown]
# # Module hooks
#
# *Lesson 4 · about 40 minutes*
#
# A tensor hook knows one tensor. It does not know which layer made it. A *module hook* hangs on a
# layer, or on a whole network, and PyTorch calls it each time that the module is used: before
# forward, after forward, before backward, after backward.
#
# This lesson is about a question of order. A network holds layers. Hooks hang on the network and on
# its layers. Backward goes from the end to the beginning. So is the backward hook of the network
# called **before** those of its layers, or **after** them? You will say what you expect twice, the
# second time with one switch turned, and at the end you know why.
#
# You will be able to
#
# - look at what goes into a layer and what comes out, and change it;
# - say which of the four hooks sees what, and in which order, parents and children;
# - keep the features of any layer without global variables and without leftovers;
# - watch the gradient on its way through a deep network.

# %%
import copy
import warnings
from contextlib import ExitStack, contextmanager

import torch
import torch.nn.functional as F
from torch import nn

from course import Hook, lab, predict
from course.lessons.module_hooks.depth_lab import depth_lab

# %% [markdown]
# ## Before and after forward
#
# This module adds three numbers. Two hooks hang on it. The *pre-hook* runs before `forward` and
# gives back new inputs. The *forward hook* runs after `forward` and gives back a new output.

# %%
total = predict(
    "SumNet computes d = a + b + c. A pre-hook adds 10 to a and to c. A forward hook adds 100 to "
    "the output. What is d for a=1, b=2, c=3?",
    ["106.0", "126.0", "136.0"],
    why="The pre-hook makes 11, 2, 13 of 1, 2, 3. Forward adds them: 26. The forward hook makes "
    "126 of 26.",
)


# %%
class SumNet(nn.Module):
    def forward(self, a, b, c):
        print("forward gets     ", a.item(), b.item(), c.item())
        return a + b + c


def add_ten(module, args):
    a, b, c = args
    print("pre-hook gets    ", *(arg.item() for arg in args))
    return a + 10, b, c + 10


def add_hundred(module, args, output):
    print("forward hook gets", *(arg.item() for arg in args), "and the output", output.item())
    return output + 100


sum_net = SumNet()
before = sum_net.register_forward_pre_hook(add_ten)
after = sum_net.register_forward_hook(add_hundred)
a, b, c = (torch.tensor(value, requires_grad=True) for value in (1.0, 2.0, 3.0))
d = sum_net(a, b, c)
before.remove()
after.remove()
print("d =", d.item())
total.reveal(d)

# %% [markdown]
# Read the four lines. The pre-hook sees the inputs of the caller. `forward` sees what the pre-hook
# made. The forward hook sees the same new inputs, and the output.
#
# You may find it written that `register_forward_hook` runs *before* forward and
# `register_forward_pre_hook` after it. It is the other way round, as the names say: *pre* is
# before. You may also find it written that this pre-hook adds 10 "to 2 and 3". It adds 10 to `a`
# and to `c`, so to 1 and 3.
#
# The name `a` of the caller still holds 1. A pre-hook changes what `forward` gets, not the
# variables of the caller. And backward follows what was really computed:

# %%
d.backward()
print("a is still", a.item(), "| a.grad", a.grad, "| b.grad", b.grad, "| c.grad", c.grad)

# %% [markdown]
# ## Turn the sliders
#
# The same module with the same two hooks. Every move runs a real forward and a real backward.
#
# 1. Switch the hooks off and on again. Which numbers change, and which gradients do not?
# 2. Let the forward hook *multiply* by 100. Now the gradients change too. Why?
# 3. Set the pre-hook to zero. Which `.grad` is still 1?
# 4. Move the first hook to `net grad_input`. It gets gradients now. Which numbers does it change?


# %%
class QuietSumNet(nn.Module):
    def forward(self, a, b, c):
        return a + b + c


def add_up(net, a, b, c):
    d = net(a, b, c)
    return d


lab(
    add_up,
    net=QuietSumNet(),
    a=1.0,
    b=2.0,
    c=3.0,
    hooks=[
        Hook("net", "shift", 10, at="forward_pre", only=(0, 2)),
        Hook("net", "shift", 100, at="forward"),
    ],
    controls="values, hooks",
)


# %% [markdown]
# ## What a forward hook gets
#
# Here is a small network for pictures. A forward hook hangs on each of its two convolutions.


# %%
class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, 5)
        self.conv2 = nn.Conv2d(10, 20, 5)
        self.fc = nn.Linear(320, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def look(module, args, output):
    kinds = [type(value).__name__ for value in (args, args[0], output)]
    print(type(module).__name__, "inputs: {}, first input: {}, output: {}".format(*kinds))


torch.manual_seed(0)
small_net = SmallNet()
with ExitStack() as hooks:
    for layer in (small_net.conv1, small_net.conv2):
        hooks.enter_context(layer.register_forward_hook(look))
    small_net(torch.randn(1, 1, 28, 28))

# %% [markdown]
# The inputs always come as a **tuple**, also when there is only one. The output comes as `forward`
# gave it: here a tensor.
#
# A handle can be used with `with`: at the end of the block the hook is gone. `ExitStack` holds
# several of them.
#
# **Hooks by name.** `named_modules()` gives every module inside, with its path.
# `get_submodule(path)` gives one of them. (You may find `model.get_module_shortcuts()` written. There
# is no such method in PyTorch.) The network itself is in the list too, with an empty name. So a
# hook can hang on the whole:


# %%
class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc3(F.relu(self.fc2(x)))


model = LeNet()
print("modules:", [path for path, _ in model.named_modules()])
with ExitStack() as hooks:
    for path in ("conv1", ""):

        def shapes(module, args, output, name=path or "the whole model"):
            print(f"{name}: {tuple(args[0].shape)} → {tuple(output.shape)}")

        hooks.enter_context(model.get_submodule(path).register_forward_hook(shapes))
    model(torch.randn(1, 3, 32, 32))
print("model has get_module_shortcuts:", hasattr(model, "get_module_shortcuts"))

# %% [markdown]
# The second line is the output of the **whole model**. You may find it called "the last layer",
# where the hook was registered with `model.register_forward_hook`. The last layer is `model.fc3`.
# Here both have the same output. In a model that ends with a softmax they would not.
#
# ## Four hooks, and an old fifth one
#
# | registered with | is called | with | may give back |
# |---|---|---|---|
# | `register_forward_pre_hook` | before forward | `module, args` | new args |
# | `register_forward_hook` | after forward | `module, args, output` | a new output |
# | `register_full_backward_pre_hook` | before the backward of the module | `module, grad_output` | a new grad_output |
# | `register_full_backward_hook` | after it | `module, grad_input, grad_output` | a new grad_input |
#
# `grad_output` is the gradient of the loss with respect to the **outputs** of the module. Backward
# comes in there. `grad_input` is the gradient with respect to its **inputs**. The names follow
# forward. Gradients of weights are in neither of them.
#
# You may find it written that module hooks are two: `register_forward_hook` and
# `register_backward_hook`. The second one is the *legacy* hook. It is deprecated, and what it
# gets is often not what its names promise. Here is a well-known example: a linear
# layer with the weight 2 and the bias 0, and five ones as its input.


# %%
def receive(register):
    fc = nn.Linear(5, 1)
    with torch.no_grad():
        fc.weight.fill_(2)
        fc.bias.zero_()
    received = []
    getattr(fc, register)(lambda module, *got: received.extend(got))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the legacy hook warns, and so does an untracked input
        loss = F.l1_loss(fc(torch.ones(5)), torch.zeros(1))
        loss.backward()
    return received


args, output = receive("register_forward_hook")
print("forward hook: args       ", args, "| output", output.detach())
for kind in ("register_backward_hook", "register_full_backward_hook"):
    grad_input, grad_output = receive(kind)
    print(f"{kind}: grad_input {grad_input}, grad_output {grad_output}")

# %% [markdown]
# The input does not require a gradient, so its gradient is not computed. The full hook says that:
# `(None,)`. The legacy hook gives a 1 of shape 1×1. It is not the gradient of the input, which has
# five numbers. (You may find `(tensor([1.]), tensor([1.]))` written for it. Old versions of PyTorch
# printed that.) Lesson 5 finds out what this number is. Here we use the full hooks.
#
# ## Parents and children
#
# A network `net` holds `fc1`, `act` and `fc2`. Each of the four modules gets all four hooks. First
# forward.


# %%
def make_net():
    torch.manual_seed(0)
    net = nn.Sequential()
    net.add_module("fc1", nn.Linear(2, 3))
    net.add_module("act", nn.Tanh())
    net.add_module("fc2", nn.Linear(3, 1))
    return net


@contextmanager
def all_hooks(net, log):
    with ExitStack() as hooks:
        for path, module in net.named_modules():
            name = path or "net"
            for register, word in (
                (module.register_forward_pre_hook, "pre"),
                (module.register_forward_hook, "forward"),
                (module.register_full_backward_pre_hook, "backward pre"),
                (module.register_full_backward_hook, "backward"),
            ):
                says = f"{word} {name}"
                hooks.enter_context(register(lambda *_, says=says: log.append(says)))
        yield


def run(net, tracked):
    forward, backward = [], []
    x = torch.ones(4, 2, requires_grad=tracked)
    log = []
    with all_hooks(net, log), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an untracked input warns: see the traps
        y = net(x)
        forward, log[:] = list(log), []
        y.sum().backward()
        backward = list(log)
    return forward, backward


forward, backward = run(make_net(), tracked=True)
print(*forward, sep="\n")

# %% [markdown]
# The parent comes first and last: its pre-hook before all others, its forward hook after them. That is the
# order of nested function calls. Now the way back. Where is the parent?

# %%
parent = predict(
    "Full backward hooks hang on net and on its layers fc1, act, fc2. The input requires a "
    "gradient. When is the backward hook of net called?",
    ["before those of its layers", "between them", "after those of its layers"],
    why="A full backward hook is called when the gradient of the module's input is there. The "
    "input of net is the input of fc1, which backward reaches last.",
)


# %%
def place_of_parent(order):
    hooks = [event for event in order if event.startswith("backward ") and " pre " not in event]
    place = hooks.index("backward net")
    return {0: "before those of its layers", len(hooks) - 1: "after those of its layers"}.get(
        place, "between them"
    )


print(*backward, sep="\n")
parent.reveal(place_of_parent(backward))

# %% [markdown]
# Again the parent comes first and last. Its backward pre-hook comes first, because its output is
# the output of `fc2`. Its backward hook comes last.
#
# Now the switch. The input is data: it does not require a gradient. The network and its hooks stay
# as they are. In training this is the usual case.

# %%
switched = predict(
    "The same hooks, but the input does not require a gradient. When is the backward hook of net "
    "called?",
    ["never", "before those of its layers", "after those of its layers"],
    why="There is no gradient of the input to wait for. So the hook of net is called at once, when "
    "the gradient of its output is there, and it gets None for its input.",
)

# %%
forward, backward = run(make_net(), tracked=False)
print(*backward, sep="\n")
switched.reveal(place_of_parent(backward))

# %% [markdown]
# `backward net` has moved to the second place, before any layer has done its work. And `backward
# fc1` is called before the gradient of the weight of `fc1` is computed, for the same reason.
#
# ## Turn the switch
#
# The same network with hooks that only look. Every move runs a real backward.
#
# 1. Read the order of the events. Then switch off `requires_grad` of `x`. What moves?
# 2. `hook_7` gets the grad_output of `net.act`. Let it multiply by 0. Which weights have a zero
#    gradient now?
# 3. Move `hook_7` to the grad_input of `net.fc2`. Are the same weights changed? Why?
# 4. Let `hook_4` set the output of `net.act` to zero. What happens to `net.fc2.weight.grad`?


# %%
def network(net, x):
    y = net(x).sum()
    return y


lab(
    network,
    net=make_net(),
    x=[[1.0, -2.0]],
    hooks=[
        *(Hook("net", at=place) for place in ("forward_pre", "forward")),
        *(Hook("net.act", at=place) for place in ("forward_pre", "forward")),
        *(Hook("net", at=place) for place in ("backward_pre", "backward")),
        Hook("net.act", "scale", 1, at="backward_pre"),
        Hook("net.fc1", at="backward"),
    ],
)

# %% [markdown]
# ## Why: a full hook is part of the graph
#
# A forward hook is an ordinary function call. A full backward hook cannot be: when backward runs,
# no module is called, only nodes run (lesson 1). So when you *call* a module that has a backward
# hook, PyTorch puts a node that changes nothing behind its outputs, and one before those inputs
# that require a gradient. The hook is called from these nodes.


# %%
def nodes(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name().split("::")[-1])
        node = next((following for following, _ in node.next_functions if following), None)
    return names


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return x * self.weight


weighted = Weighted()
x = torch.ones(2, requires_grad=True)
print("no hook:                ", nodes(weighted(x)))
with weighted.register_full_backward_hook(lambda *_: None):
    print("a hook:                 ", nodes(weighted(x)))
    print("a hook, untracked input:", nodes(weighted(x.detach())))

# %% [markdown]
# That explains the order: a backward hook waits for the node before the inputs. Where no input
# requires a gradient, there is no such node, and the hook is called from the node behind the
# outputs. What does it say about a hook that is removed too early?

# %%
removed = predict(
    "A full backward hook is registered, forward runs, the handle removes the hook, backward "
    "runs. How often is the hook called?",
    ["0", "1"],
    why="The hook went into the graph during forward. To remove it from the module later does not "
    "change a graph that exists.",
)

# %%
for kind in ("a full backward hook", "a full backward pre-hook", "a tensor hook on x"):
    calls = []
    layer = nn.Linear(2, 2)
    x = torch.ones(1, 2, requires_grad=True)
    handle = {
        "a full backward hook": layer.register_full_backward_hook,
        "a full backward pre-hook": layer.register_full_backward_pre_hook,
        "a tensor hook on x": x.register_hook,
    }[kind](lambda *_, calls=calls: calls.append(1))
    y = layer(x).sum()
    handle.remove()
    y.backward()
    print(f"{kind}, removed between forward and backward: called {len(calls)} times")
    if kind == "a full backward hook":
        removed.reveal(len(calls))

y = layer(x).sum()
late = []
with layer.register_full_backward_hook(lambda *_: late.append(1)):
    y.backward()
print(f"a full backward hook, registered after forward: called {len(late)} times")

# %% [markdown]
# What counts is which hooks were there in **forward**, when the nodes are made. Register before
# forward, and remove after backward.
#
# The node behind the output gives back a *view*. PyTorch does not allow anyone to change that view in place: the
# change would put another node in the place of the one that calls the hook. A layer with
# `inplace=True` after a layer with a full hook tries to do that:


# %%
def try_in_place(words, net, hooked):
    with net[hooked].register_full_backward_hook(lambda *_: None):
        try:
            net(torch.ones(1, 3, requires_grad=True)).sum().backward()
            print(f"{words}: fine")
        except RuntimeError as error:
            print(f"{words}: RuntimeError: {str(error).split('. ')[0]}")


in_place = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
try_in_place("hook on Linear, then ReLU(inplace=True)", in_place, 0)
try_in_place("hook on the ReLU(inplace=True) itself", in_place, 1)
try_in_place("hook on Linear, then ReLU()", nn.Sequential(nn.Linear(3, 3), nn.ReLU()), 0)

# %% [markdown]
# Without a change to the network there is another way. A forward hook gets the output before any
# such node exists. Put a *tensor* hook on it (lesson 3):

# %%
seen = []


def watch_output(module, args, output):
    output.register_hook(lambda grad: seen.append(tuple(grad.shape)))


with in_place[0].register_forward_hook(watch_output):
    in_place(torch.ones(1, 3, requires_grad=True)).sum().backward()
print("the gradient of the output was seen, shape", seen)

# %% [markdown]
# ## What a hook may give back
#
# None, from any hook, changes nothing. All else replaces something, and each place has its rules.


# %%
def try_hook(place, words, hook, module=None):
    module = module or nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(1.0)
    x = torch.ones(1, 2, requires_grad=True)
    with getattr(module, f"register_{place}")(hook):
        try:
            y = module(x)
            if isinstance(y, torch.Tensor):
                y.sum().backward()
                print(f"{place}, {words}: output {y.tolist()}, x.grad {x.grad.tolist()}")
            else:
                print(f"{place}, {words}: output {y!r}")
        except (RuntimeError, TypeError) as error:
            print(f"{place}, {words}: {type(error).__name__}: {str(error).splitlines()[0]}")


try_hook("forward_hook", "None", lambda m, args, output: None)
try_hook("forward_hook", "a new tensor", lambda m, args, output: output * 10)
try_hook("forward_hook", "the number 0", lambda m, args, output: 0)
try_hook("forward_pre_hook", "a tensor", lambda m, args: args[0] * 10)
try_hook("forward_pre_hook", "a tuple", lambda m, args: (args[0] * 10,))
try_hook("forward_pre_hook", "a list", lambda m, args: [args[0] * 10])
try_hook("full_backward_pre_hook", "a tuple", lambda m, gos: (gos[0] * 10,))
try_hook("full_backward_hook", "a tuple", lambda m, gis, gos: (gis[0] * 10,))
try_hook("full_backward_hook", "a bare tensor", lambda m, gis, gos: gis[0] * 10)
try_hook("full_backward_hook", "a tuple of two", lambda m, gis, gos: (gis[0], None))

# %% [markdown]
# - A forward hook that gives back **anything** but None replaces the output, even with 0. You may
#   find `return output` at the end of a hook that only keeps something. It changes nothing, so it is
#   not needed, and it makes a reader look for a change. Leave it out.
# - A pre-hook may give back one tensor or a tuple. A *list* counts as one argument.
# - A backward hook gives back a **tuple**, one element for each input. You may find
#   `return torch.Tensor(output * 2)` in a backward hook. A backward hook has no `output`, and what
#   it gives back are gradients.
#
# **Which gradients does a backward hook change?** `fc2` is in the middle. One hook gives back zeros
# for `grad_input`, the other for `grad_output`.


# %%
def zero_gradients(place):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 1))
    if place == "grad_input":
        net[1].register_full_backward_hook(lambda m, gis, gos: (torch.zeros_like(gis[0]),))
    if place == "grad_output":
        net[1].register_full_backward_pre_hook(lambda m, gos: (torch.zeros_like(gos[0]),))
    net(torch.ones(1, 2, requires_grad=True)).sum().backward()
    return [bool(layer.weight.grad.any()) for layer in net]


for place in ("no hook", "grad_input", "grad_output"):
    print(f"zeros for {place:11} → weights with a gradient: {zero_gradients(place)}")

# %% [markdown]
# `grad_input` is what leaves the module. The module's own weights do not notice: only the layers
# before it do. `grad_output` is what comes in, so a change there reaches the module's own weights
# too.
#
# ## The gradient over depth
#
# This is what backward hooks are used for most: to see where a gradient gets lost. The lab builds a
# deep network and hangs a full backward hook on each layer. A gradient of norm 1 comes in at the
# end. Each bar is the norm of the gradient at the output of a layer, in one real backward. One step
# to the left or right on the scale is a factor, not a difference.
#
# 1. Choose *sigmoid* and make the network deeper. How small is the gradient in layer 1?
# 2. Choose *none* or *ReLU*, and move the size of the weights. Below some size the gradient
#    vanishes, above it explodes. Is that size the same for both?
# 3. Compare *tanh* with *none* for large weights. Which one explodes more slowly, and why?
# 4. Let a hook multiply `grad_input` of one layer by 100. Which bars move? Is the bar of that layer
#    among them?

# %%
depth_lab(depth=12, activation="sigmoid")

# %% [markdown]
# The same without sliders, and with the hook on layer 6.

# %%
for activation in ("sigmoid", "tanh", "none"):
    norms = depth_lab(depth=12, activation=activation).norms()
    print(f"{activation:7} norm in layer 12: {norms[-1]:.0f}, in layer 1: {norms[0]:.0e}")

without = depth_lab(depth=12, activation="tanh").norms()
changed = depth_lab(depth=12, activation="tanh", at=6).norms()
factors = [round(c / w) for c, w in zip(changed, without, strict=True)]
print("a hook on layer 6 multiplies the gradient of each layer by", factors)


# %% [markdown]
# ## Keep the features of a layer
#
# Often you want what a layer *computes*: features for another model, or to look at. You may find
# this done with a global list and a hook that appends to it. It works once. In a notebook the cell
# is run again, one more hook is registered, and the list grows twice as fast. Here is a way that
# owns its hooks and its dict. It needs no global variable:


# %%
@contextmanager
def features(net, *paths):
    """Keep the outputs of the modules at these paths while the block runs."""
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


with features(model, "conv1", "fc2") as kept:
    model(torch.randn(2, 3, 32, 32))
model(torch.randn(2, 3, 32, 32))
print({path: [tuple(t.shape) for t in tensors] for path, tensors in kept.items()})
print("hooks left on conv1:", len(model.conv1._forward_hooks))

# %% [markdown]
# Three details are there for a reason.
#
# **`detach()`**: an output that is kept with its history keeps the whole graph behind it, with all
# inputs and intermediate results. **`clone()`**: the next layer may work in place, and then the kept
# tensor changes afterwards. **A list for each path**: a layer can be used several times in one
# forward.


# %%
class Reused(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.act = nn.ReLU(inplace=True)
        self.unused = nn.Linear(2, 2)

    def forward(self, x):
        x = self.act(self.fc(x))
        x = self.act(self.fc(x))
        return F.linear(F.relu(x), self.unused.weight)


torch.manual_seed(1)
reused = Reused()
as_it_is, copied = [], []
with (
    features(reused, "fc", "unused") as kept,
    reused.fc.register_forward_hook(lambda m, args, output: as_it_is.append(output.detach())),
):
    reused(torch.tensor([[1.0, -1.0]]))
print("calls seen:", {path: len(tensors) for path, tensors in kept.items()})
print("with clone, some number is negative:   ", any(bool((t < 0).any()) for t in kept["fc"]))
print("without clone, some number is negative:", any(bool((t < 0).any()) for t in as_it_is))

# %% [markdown]
# - `fc` was used twice: two entries. A dict with one place for each name would have lost the first.
# - The in-place ReLU wrote over the output of `fc`. Without `clone` you keep what comes **after**
#   the ReLU under the name of the layer before it.
# - `unused` was never called. `F.linear` used its weight, and no hook knows of that. The same goes
#   for `F.relu`. A hook sees calls of *modules*, nothing else.
#
# ## Options
#
# `with_kwargs=True` lets a forward hook see keyword arguments. Without it they are not there:


# %%
class Scale(nn.Module):
    def forward(self, x, factor=1.0):
        return x * factor


scale = Scale()
with (
    scale.register_forward_hook(lambda m, args, out: print("plain:       args", args)),
    scale.register_forward_hook(
        lambda m, args, kwargs, out: print("with_kwargs: args", args, "kwargs", kwargs),
        with_kwargs=True,
    ),
):
    scale(torch.tensor(2.0), factor=3.0)
    scale(x=torch.tensor(2.0))

# A pre-hook with keyword arguments gives back both, or None.
with scale.register_forward_pre_hook(
    lambda m, args, kwargs: (args, {**kwargs, "factor": 10.0}), with_kwargs=True
):
    print("a new keyword argument:", scale(torch.tensor(2.0)))
with scale.register_forward_pre_hook(lambda m, args, kwargs: (args[0] * 2,), with_kwargs=True):
    try:
        scale(torch.tensor(2.0))
    except RuntimeError as error:
        print("RuntimeError:", str(error).split(", but")[0])

# %% [markdown]
# `prepend=True` puts a hook before those that are there. `always_call=True` calls a forward hook
# also when forward raised an error:

# %%
order = []
identity = nn.Identity()
with (
    identity.register_forward_hook(lambda *_: order.append("first")),
    identity.register_forward_hook(lambda *_: order.append("second")),
    identity.register_forward_hook(lambda *_: order.append("prepended"), prepend=True),
):
    identity(torch.ones(1))
print(order)

order.clear()
layer = nn.Linear(2, 2)
with (
    layer.register_forward_hook(lambda *_: order.append("usual")),
    layer.register_forward_hook(lambda *_: order.append("always"), always_call=True),
):
    try:
        layer(torch.ones(1, 5))
    except RuntimeError:
        print("forward failed; called:", order)

# %% [markdown]
# ## Traps
#
# **`model.forward(x)` is not `model(x)`.** The hooks are called by `model(x)`, around `forward`.

# %%
calls = []
layer = nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
with (
    layer.register_forward_hook(lambda *_: calls.append("forward hook")),
    layer.register_full_backward_hook(lambda *_: calls.append("backward hook")),
):
    layer.forward(x).sum().backward()
    print("layer.forward(x):", calls)
    layer(x).sum().backward()
    print("layer(x):        ", calls)

# %% [markdown]
# **A cell that is run again** registers one more hook. The old ones stay.

# %%
calls = []
handles = []
for run_number in (1, 2, 3):
    handles.append(layer.register_forward_hook(lambda *_: calls.append(1)))
    calls.clear()
    layer(x)
    print(f"run {run_number} of the cell: {len(calls)} calls for one forward")
for handle in handles:
    handle.remove()

# %% [markdown]
# **The wrong number of parameters** is found late: at the first call, not at the registration. For
# a backward hook that is in backward.

# %%
with layer.register_full_backward_hook(lambda grad_input, grad_output: None):
    y = layer(x)
    print("registered, and forward is done")
    try:
        y.sum().backward()
    except TypeError as error:
        print("backward: TypeError:", error)

# %% [markdown]
# **`grad_input` without a gradient.** If no input requires a gradient, the full hook gets None for
# each, and it is called before the layer has done its backward. (Newer versions of PyTorch warn
# about it.) It may only give back None then. If one input requires a gradient and another does not,
# the other gets **zeros**. They are not its derivative. Inputs given by keyword are not in
# `grad_input` at all.


# %%
class Multiply(nn.Module):
    def forward(self, a, b):
        return a * b


def grads_of_inputs(a, b, call):
    multiply, seen = Multiply(), []
    multiply.weight = nn.Parameter(torch.tensor(1.0))  # so that backward has somewhere to go
    a = torch.tensor(3.0, requires_grad=a)
    b = torch.tensor(5.0, requires_grad=b)
    with (
        multiply.register_full_backward_hook(lambda m, gis, gos: seen.extend(gis)),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        (call(multiply, a, b) * multiply.weight).backward()
    return [None if grad is None else grad.item() for grad in seen]


print("both require one:      ", grads_of_inputs(True, True, lambda m, a, b: m(a, b)))
print("only a requires one:   ", grads_of_inputs(True, False, lambda m, a, b: m(a, b)))
print("b given by keyword:    ", grads_of_inputs(True, True, lambda m, a, b: m(a, b=b)))

layer = nn.Linear(2, 2)
seen = []
with (
    layer.register_full_backward_hook(lambda m, gis, gos: seen.append((gis, m.weight.grad))),
    warnings.catch_warnings(),
):
    warnings.simplefilter("ignore")
    layer(torch.ones(1, 2)).sum().backward()
print("data into a layer: grad_input {}, weight.grad at that time {}".format(*seen[0]))

# %% [markdown]
# **`eval()` and `no_grad()` do not switch hooks off.** Forward hooks are called. Backward hooks are
# not, because there is no backward.

# %%
calls = []
layer = nn.Linear(2, 2).eval()
with (
    layer.register_forward_hook(lambda *_: calls.append("forward")),
    layer.register_full_backward_hook(lambda *_: calls.append("backward")),
    torch.no_grad(),
):
    layer(torch.ones(1, 2))
print("eval and no_grad:", calls)

# %% [markdown]
# **A copy has copies of the hooks.** Removing a hook from the original leaves that of the copy. And
# a hook that appends to a list fills the same list from both.

# %%
calls = []
layer = nn.Linear(2, 2)
handle = layer.register_forward_hook(lambda *_: calls.append(1))
twin = copy.deepcopy(layer)
handle.remove()
layer(torch.ones(1, 2))
twin(torch.ones(1, 2))
print("removed from the original, then both were called:", len(calls), "call")

# %% [markdown]
# **The tensor that a forward hook keeps is not the one that the caller gets**, if a full backward
# hook is there as well. The caller gets what the extra node made. A gradient taken from the kept
# tensor does not call the backward hook.

# %%
kept, calls = [], []
tanh = nn.Tanh()
x = torch.ones(2, requires_grad=True)
with (
    tanh.register_forward_hook(lambda m, args, output: kept.append(output)),
    tanh.register_full_backward_hook(lambda *_: calls.append(1)),
):
    y = tanh(x)
    print("the same tensor:", kept[0] is y)
    torch.autograd.grad(kept[0].sum(), x, retain_graph=True)
    print("gradient of the kept tensor: backward hook called", len(calls), "times")
    y.sum().backward()
    print("backward of the result:      backward hook called", len(calls), "times")

# %% [markdown]
# **Global hooks catch everything.** `torch.nn.modules.module.register_module_forward_hook` hangs on
# every module of the program, loss modules too, until it is removed.

# %%
from torch.nn.modules.module import register_module_forward_hook

calls = []
with register_module_forward_hook(lambda m, args, output: calls.append(type(m).__name__)):
    nn.MSELoss()(nn.Linear(2, 2)(torch.ones(1, 2)), torch.zeros(1, 2))
print("a global hook saw:", calls)

# %% [markdown]
# More in the field guide:
# [model.forward is called and no hook runs](../field_guide.ipynb#model.forward-is-called-and-no-hook-runs),
# [The cell ran again and the hooks piled up](../field_guide.ipynb#The-cell-ran-again-and-the-hooks-piled-up),
# [Wrong parameters of a hook show up late](../field_guide.ipynb#Wrong-parameters-of-a-hook-show-up-late),
# [grad_input is None in the first layer](../field_guide.ipynb#grad_input-is-None-in-the-first-layer),
# [grad_input of a constant is zeros, not None](../field_guide.ipynb#grad_input-of-a-constant-is-zeros,-not-None),
# [A keyword input is missing in grad_input](../field_guide.ipynb#A-keyword-input-is-missing-in-grad_input),
# [Hooks run in eval and in no_grad too](../field_guide.ipynb#Hooks-run-in-eval-and-in-no_grad-too),
# [output.register_hook fails under no_grad](../field_guide.ipynb#output.register_hook-fails-under-no_grad),
# [deepcopy copies the hooks too](../field_guide.ipynb#deepcopy-copies-the-hooks-too),
# [Gradient of a kept activation skips the hook](../field_guide.ipynb#Gradient-of-a-kept-activation-skips-the-hook),
# [A global module hook is called for everything](../field_guide.ipynb#A-global-module-hook-is-called-for-everything).
#
# ## What to do instead
#
# | instead of | write |
# |---|---|
# | `model.forward(x)` | `model(x)` |
# | `register_backward_hook` | `register_full_backward_hook` |
# | a global list and a hook that appends | a context manager that owns handles and dict, like `features` |
# | `kept.append(output)` | `kept.append(output.detach().clone())` |
# | `return output` in a hook that only looks | no `return` |
# | `return grad * 2` in a backward hook | `return (grad_input[0] * 2,)`, one element for each input |
# | a full hook before `ReLU(inplace=True)` | `ReLU()`, or a forward hook with `output.register_hook` |
# | `grad_input` to change a layer's own weight gradient | a backward pre-hook, or a hook on the parameter |
# | `handle.remove()` between forward and backward | `remove()` after backward, or a `with` block around both |
# | a forward hook that misses keyword arguments | `with_kwargs=True` |
# | `model._forward_hooks.clear()` | each handle's `remove()` |
#
# All hooks of this lesson were removed, or belonged to modules that are gone:

# %%
print(
    "hooks left:",
    sum(
        len(module._forward_hooks) + len(module._forward_pre_hooks) + len(module._backward_hooks)
        for net in (sum_net, small_net, model, in_place, reused, scale, identity, layer, tanh)
        for module in net.modules()
    ),
)

# %% [markdown]
# ## Go on
#
# - **[Exercises for this lesson](exercises.ipynb)**: ten, from the order of hooks to a recorder of
#   features.
# - Next: [The Linear backward-hook quirk](../05_linear_quirk/lesson.ipynb): what the legacy hook
#   really gets.
# - Back: [Tensor hooks](../03_tensor_hooks/lesson.ipynb)
