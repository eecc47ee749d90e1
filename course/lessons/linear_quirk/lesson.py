# %% [markdown]
# # The Linear backward-hook quirk
#
# *Lesson 5 · about 35 minutes*
#
# Somebody hung a backward hook on a `Linear` layer, printed the shapes in `grad_input`, and wondered
# about them. There is an answer that many voted for. Does it hold for the PyTorch of today? Say what
# you expect, then run the same code. At the end you know what it is that `grad_input` holds.
#
# You will be able to
#
# - say on which node of the graph a backward hook runs, and read from it what the hook receives;
# - name each element of `grad_input`, for any layer;
# - replace the legacy hook in old code, also where it read or changed the gradients of weights.

# %%
import warnings

import torch
from torch import nn

from course import predict, xray


def shapes(gradients):
    return [None if g is None else tuple(g.shape) for g in gradients]


def without_warning(module, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return module(x)


# %% [markdown]
# ## The question
#
# The model has two layers, `fc1` from 10 to 5 numbers and `fc2` from 5 to 1. Its input has the
# shape (1, 1, 10). On `fc1` hangs `register_backward_hook`. We call it the **legacy hook**,
# because PyTorch has a newer one, the full hook. What does `grad_input` hold?

# %%
asked = predict(
    "fc1 is a Linear(10, 5) and its input has the shape (1, 1, 10). Which shapes are in the grad_input of the legacy hook?",
    ["[(1, 1, 10)]", "[(1, 1, 5), (5,)]", "[(1, 5)]", "[(1, 1, 10), (5, 10), (5,)]"],
    why="The hook hangs on the last node of the layer's graph. On this version that node is a view: "
    "it turns the 2-D result of a matrix product back into 3-D.",
)


# %%
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 5)
        self.fc2 = nn.Linear(5, 1)

    def forward(self, x):
        return self.fc2(self.fc1(x))


model = Model()
received = {}


def legacy_hook(module, grad_input, grad_output):
    received["grad_input"] = grad_input
    received["grad_output"] = grad_output


x = torch.arange(10.0).reshape(1, 1, 10)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    handle = model.fc1.register_backward_hook(legacy_hook)
    at_registration = len(caught)
    out = model(x)
out.backward()
handle.remove()

print("grad_input ", len(received["grad_input"]), shapes(received["grad_input"]))
print("grad_output", len(received["grad_output"]), shapes(received["grad_output"]))
asked.reveal(str(shapes(received["grad_input"])))

# %% [markdown]
# You may find this example with another output: `grad_input` has 2 elements, of shapes (1, 1, 5)
# and (5,). Old versions of PyTorch printed that. Code that was written for it now does this:

# %%
try:
    bias_gradient = received["grad_input"][1]
    print("grad_input[1] has the shape", tuple(bias_gradient.shape))
except IndexError as error:
    print("grad_input[1] raised IndexError:", error)

# %% [markdown]
# PyTorch itself says that something is wrong. It warns in *forward*, not when you register the
# hook:

# %%
print("warnings at registration:", at_registration, "| in forward:", len(caught) - at_registration)
for warning in caught:
    print(f"{warning.category.__name__}:")
    for sentence in str(warning.message).split(". "):
        print("  -", sentence)

# %% [markdown]
# "Will be missing some grad_input": remember these words. They say that the tuple holds something
# else than its name promises.
#
# ## Look inside
#
# The X-ray below runs a real forward and backward for each of the two hooks: first the legacy hook,
# beside it the full hook, `register_full_backward_hook`. It draws the nodes behind the output and
# marks the one on which the hook runs. Then it compares every element of the tuples with the true
# gradients and says what it is. Try this:
#
# 1. Change the input shape. How many elements does the legacy hook receive, and how many the full one?
# 2. Choose the shape (4, 10). Switch off `bias`. Which element is gone?
# 3. Choose the shape (2, 3, 10) and switch off "input is contiguous". Do you know these shapes?
# 4. Switch off `input.requires_grad`. What do the two hooks receive in place of that gradient?

# %%
panel = xray(layer="Linear", shape=(1, 1, 10))
panel

# %% [markdown]
# The same in words, for the shape of our question:

# %%
print(panel.text)

# %% [markdown]
# ## Why: the hook hangs on a node
#
# Autograd does not know layers. It knows nodes, one for each recorded operation. When the layer
# has computed its output, PyTorch takes `output.grad_fn`, the **last** node, and hangs the legacy
# hook there. A node receives the gradients of its outputs and hands on one gradient for each entry
# of its `next_functions`. Those are what the hook is given:
#
# - `grad_output`: what came into the last node, the gradient of the layer's output;
# - `grad_input`: what the last node hands on, to wherever it leads.
#
# Only if the layer is one single node are these the gradients of the layer's inputs. A hook on the
# node itself shows it: it gets the same tensors.

# %%
layer = nn.Linear(10, 5)
x = torch.randn(1, 1, 10, requires_grad=True)
seen = {}
handle = layer.register_backward_hook(lambda module, gi, go: seen.update(module=gi))
out = without_warning(layer, x)
out.grad_fn.register_hook(lambda gi, go: seen.update(node=gi))
out.sum().backward()
handle.remove()
print("the last node:", out.grad_fn.name())
print("it leads to:  ", [node.name() for node, _ in out.grad_fn.next_functions])
print(
    "the module's hook and the node's hook got the same numbers:",
    torch.equal(seen["module"][0], seen["node"][0]),
)

# %% [markdown]
# So the question is: what is the last node of a `Linear`? It depends on how PyTorch decomposes
# the product. That depends on the rank of the input (how many dimensions it has) and on the bias.


# %%
def legacy(module, x):
    """Run a backward; give the last node's name and what the legacy hook received."""
    found = {}
    handle = module.register_backward_hook(lambda module, gi, go: found.update(gi=gi))
    out = without_warning(module, x)
    out.sum().backward()
    handle.remove()
    return out.grad_fn.name(), found["gi"]


for bias in (True, False):
    for shape in [(10,), (4, 10), (2, 3, 10)]:
        node, grad_input = legacy(
            nn.Linear(10, 3, bias=bias), torch.randn(shape, requires_grad=True)
        )
        print(f"bias={bias!s:5}  input {shape!s:10}  {node:20} {shapes(grad_input)}")

# %% [markdown]
# Six lines, and only the 2-D ones hold a gradient of the input: the other inputs are first
# flattened, and the last node only gives the result its shape back. Its *operand*, the tensor on
# which it works, is that result. So the hook receives the gradient of the *output*, flattened to
# 2-D.
#
# You may find it written that the layer computes `(W^T X) + b`, that the addition is the last
# operation, and that its two operands form the tuple. The idea is right: the tuple belongs to the
# last operation. What that operation is has changed. And the formula of the layer is
# `x @ W.t() + b`.
#
# ## The old result, today
#
# If the last operation is an addition, the old shapes must come back. Write the layer by hand:


# %%
class ByHand(nn.Linear):
    def forward(self, x):
        return x @ self.weight.t() + self.bias


node, grad_input = legacy(ByHand(10, 5), torch.randn(1, 1, 10, requires_grad=True))
print("by hand:        ", node, shapes(grad_input))

# %% [markdown]
# Here are the two elements, (1, 1, 5) and (5,). They are the gradients of the addition's operands:
# of the product, and of the bias. The second one is a plain gradient of the bias, not "a gradient
# of a gradient". The gradients of the input and of the weight come later, at another node.
#
# `nn.Linear` still adds at the end when it cannot flatten the input without a copy:

# %%
across = torch.randn(3, 2, 10).transpose(0, 1).requires_grad_()
print("contiguous:", across.is_contiguous(), "| shape:", tuple(across.shape))
node, grad_input = legacy(nn.Linear(10, 5), across)
print("not contiguous: ", node, shapes(grad_input))

# %% [markdown]
# The layer, the shape and the version are the same; the memory layout alone changed what the hook
# received. This is why the legacy hook cannot be repaired by a better index.
#
# ## Three elements, and their order
#
# A 2-D input is where the legacy hook receives most. In which order?

# %%
order = predict(
    "Linear(4, 3) with bias, input (2, 4). What are the three elements of the legacy hook's grad_input?",
    [
        "input, weight, bias",
        "bias, input, weight",
        "bias, input, weight transposed",
        "weight, bias, input",
    ],
    why="The node stands for addmm(bias, x, weight.t()). Its operands are the bias, the input and "
    "the transposed weight, in this order.",
)

# %%
torch.manual_seed(0)
linear = nn.Linear(4, 3)
x = torch.randn(2, 4, requires_grad=True)
node, grad_input = legacy(linear, x)
candidates = {
    "bias": linear.bias.grad,
    "input": x.grad,
    "weight": linear.weight.grad,
    "weight transposed": linear.weight.grad.t(),
}


def name_of(gradient):
    return next(
        n
        for n, g in candidates.items()
        if g.shape == gradient.shape and torch.allclose(g, gradient)
    )


names = [name_of(g) for g in grad_input]
for name, gradient in zip(names, grad_input, strict=True):
    print(f"{name:18} {tuple(gradient.shape)}")
order.reveal(", ".join(names))

# %% [markdown]
# A convolution is one node, and that node has its own order:

# %%
conv = nn.Conv2d(2, 3, 3)
x = torch.randn(1, 2, 5, 5, requires_grad=True)
node, grad_input = legacy(conv, x)
candidates = {"input": x.grad, "weight": conv.weight.grad, "bias": conv.bias.grad}
print(node, [name_of(g) for g in grad_input])
node, grad_input = legacy(conv, torch.randn(2, 5, 5, requires_grad=True))
print(node, shapes(grad_input), "for an input without a batch axis")

# %% [markdown]
# So people who tried a convolution first learned "input, weight, bias", and then met `Linear`.
#
# ## One number in, and the last output that changed
#
# Another example that you may find: a layer with weight 2 and bias 0, an input of five ones, and an
# L1 loss. It is shown with `grad_input` equal to `(tensor([1.]), tensor([1.]))`. Here is what each
# hook receives on the version that runs here:


# %%
def small(kind=nn.Linear):
    fc = kind(5, 1)
    nn.init.constant_(fc.weight, 2.0)
    nn.init.zeros_(fc.bias)
    return fc


def run(fc, x):
    output = without_warning(fc, x)
    nn.L1Loss()(output, torch.zeros(1)).backward()


fc = small()
fc.register_forward_hook(lambda m, args, output: print("forward hook:", args, output.detach()))
fc.register_backward_hook(lambda m, gi, go: print("legacy hook: ", gi, go))
run(fc, torch.ones(5, requires_grad=True))

fc = small()
fc.register_full_backward_hook(lambda m, gi, go: print("full hook:   ", gi, go))
run(fc, torch.ones(5, requires_grad=True))

fc = small(ByHand)
fc.register_backward_hook(lambda m, gi, go: print("by hand, legacy hook:", gi))
run(fc, torch.ones(5, requires_grad=True))

# %% [markdown]
# The gradient of the input is five numbers, each of them 2, because every weight is 2. Only the full
# hook has it. The last line is the old output again: there the two ones are the gradients of the
# product and of the bias.
#
# ## Not only Linear
#
# The rule "last node" has stranger results where a module ends with something that is not its own.

# %%
net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
x = torch.randn(5, 4, requires_grad=True)
print("Sequential:      ", *legacy(net, x)[:1], shapes(legacy(net, x)[1]), "input", tuple(x.shape))

net = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5)).eval()
found = {}
handle = net[1].register_backward_hook(lambda module, gi, go: found.update(gi=gi))
without_warning(net, torch.randn(2, 4)).sum().backward()
handle.remove()
print("Dropout in eval: ", shapes(found["gi"]))

# %% [markdown]
# The hook on the `Sequential` got the operands of its last layer: the bias (2,), the *last layer's*
# input (5, 3) and the transposed weight (3, 2). In eval mode `Dropout` gives back the tensor that it
# got. So its "last node" is the one of the `Linear` before it, and the hook reports the gradients
# of a layer on which it does not hang.
#
# Every kind of layer shows the operands of its own last node. The full hook shows the input:

# %%
for module, x in [
    (nn.BatchNorm1d(4), torch.randn(5, 4)),
    (nn.LayerNorm(4), torch.randn(5, 4)),
    (nn.Dropout(0.5), torch.randn(5, 4)),
    (nn.GELU(), torch.randn(5, 4)),
]:
    measured = xray(module, x.requires_grad_()).measured
    legacy_shapes = [element.shape for element in measured.legacy.grad_input]
    full_shapes = [element.shape for element in measured.full.grad_input]
    print(f"{type(module).__name__:12} legacy {legacy_shapes}  full {full_shapes}")

# %% [markdown]
# You can X-ray a module of your own:

# %%
xray(nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3)), torch.randn(5, 4, requires_grad=True))

# %% [markdown]
# ## The full hook: one rule
#
# You may find it written that `grad_input` has the shape of the layer's input. For the full hook
# that is true, and it is the whole rule:
#
# - `grad_input` has one element for each positional input of the layer, with that input's shape;
# - `grad_output` has one element for each output, with that output's shape;
# - the gradients of weights and biases are never among them.
#
# (You may find it written that ideally all three, input, weight and bias, should be in the tuple. The
# full hook was made differently: a weight has hooks of its own.)
#
# The rule is kept because PyTorch puts a node of its own on each side of the layer, called
# `BackwardHookFunctionBackward`. Whatever is between them does not matter.


# %%
def full(module, x):
    found = {}
    handle = module.register_full_backward_hook(lambda m, gi, go: found.update(gi=gi, go=go))
    out = module(x)
    out.sum().backward()
    handle.remove()
    return tuple(out.shape), shapes(found["gi"]), shapes(found["go"])


for module, size in [
    (nn.Linear(10, 3), (10,)),
    (nn.Linear(10, 3), (4, 10)),
    (nn.Linear(10, 3, bias=False), (2, 3, 10)),
    (nn.Conv2d(2, 3, 3), (1, 2, 5, 5)),
    (nn.Conv2d(2, 3, 3), (2, 5, 5)),
    (nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)), (5, 4)),
]:
    output, grad_input, grad_output = full(module, torch.randn(size, requires_grad=True))
    same = grad_input == [size] and grad_output == [output]
    print(
        f"{type(module).__name__:10} grad_input {grad_input}  grad_output {grad_output}  the rule holds: {same}"
    )

# %% [markdown]
# ## When the input needs no gradient
#
# The first layer of a network usually gets data, and data does not require a gradient.

# %%
missing = predict(
    "A full hook on a Linear. The input does not require a gradient, the weights do. What is grad_input?",
    ["The hook is not called", "(None,)", "a tuple with a tensor of zeros", "()"],
    why="There is one input, so there is one element. Nothing was computed for it, so it is None.",
)

# %%
linear = nn.Linear(4, 2)
calls = []
handle = linear.register_full_backward_hook(lambda module, gi, go: calls.append(gi))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    out = linear(torch.randn(3, 4))
    in_forward = len(caught)
    out.sum().backward()
handle.remove()
print("grad_input:", calls[0] if calls else "no call")
print("warnings in forward:", in_forward, "| in backward:", len(caught) - in_forward)
for warning in caught:
    print(f"{warning.category.__name__}: {str(warning.message).split(' See ')[0]}")
missing.reveal(str(calls[0]) if calls else "The hook is not called")

# %% [markdown]
# From torch 2.8 on there is a warning. It comes in backward, and only when *no* input of the layer
# requires a gradient. Older versions call the hook in the same way and say nothing. If another
# input requires a gradient, the element is a tensor of zeros instead of None:


# %%
class Product(nn.Module):
    def forward(self, a, b):
        return a * b


module = Product()
handle = module.register_full_backward_hook(lambda m, gi, go: print("grad_input:", gi))
a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(5.0)
module(a, b).backward()
handle.remove()

# %% [markdown]
# The zero is not the derivative: that would be `a = 3`. It says that nothing was asked for.
#
# ## When exactly does each hook run?
#
# You may find it written that a backward hook runs after the error is computed and after backward
# has run. The first half is right. But every hook of this lesson runs *inside* `backward()`.

# %%
when = predict(
    "A full hook on a Linear, a tensor hook on its weight, an input that requires a gradient. Which comes first in backward?",
    ["the full hook", "the weight's hook"],
    why="The full hook waits until the gradient of the layer's input is known. With the node that "
    "computes it, the gradient of the weight is computed too.",
)


# %%
def order_of_calls(kind, tracked):
    events = []
    linear = nn.Linear(4, 2)
    getattr(linear, kind)(lambda *_: events.append("layer hook"))
    linear.weight.register_hook(lambda g: events.append("weight hook"))
    linear.weight.register_post_accumulate_grad_hook(lambda p: events.append("weight.grad written"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = linear(torch.randn(3, 4, requires_grad=tracked))
        out.sum().backward()
    events.append("backward returns")
    return events


tracked = order_of_calls("register_full_backward_hook", True)
print("full,   input tracked:    ", tracked)
print("full,   input not tracked:", order_of_calls("register_full_backward_hook", False))
print("legacy, input tracked:    ", order_of_calls("register_backward_hook", True))
first = min(tracked.index("layer hook"), tracked.index("weight hook"))
when.reveal("the full hook" if tracked[first] == "layer hook" else "the weight's hook")

# %% [markdown]
# - The **full hook** runs when the gradients of the layer's inputs are known. If no input requires
#   a gradient, it runs as soon as the gradient of the output is known.
# - The **legacy hook** runs when the last node of the layer has run.
# - So inside a layer's hook you cannot count on `weight.grad`: it may be there or not yet.
#
# ## Traps
#
# **The right index, the wrong tensor.** `grad_input[1]` is the bias after an addition, the input
# for a 2-D `Linear`, the weight for a `Conv2d`. No error says so. Square layers hide the
# transposed weight too: its shape is the same.

# %%
square = nn.Linear(3, 3)
_, grad_input = legacy(square, torch.randn(2, 3, requires_grad=True))
print("same shape:", grad_input[2].shape == square.weight.grad.shape)
print("same numbers:", torch.allclose(grad_input[2], square.weight.grad))
print("same numbers, transposed:", torch.allclose(grad_input[2].t(), square.weight.grad))

# %% [markdown]
# **Returning from a legacy hook.** What you return replaces what the last node hands on, so it
# must have as many elements as that node. You may also find hooks that return one tensor:


# %%
def attempt(kind, answer):
    linear = nn.Linear(3, 2)

    def my_hook(module, grad_input, grad_output):
        return answer(grad_input)

    getattr(linear, kind)(my_hook)
    try:
        without_warning(linear, torch.randn(4, 3, requires_grad=True)).sum().backward()
        return "no error"
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


legacy_kind, full_kind = "register_backward_hook", "register_full_backward_hook"
print("legacy, one tensor:        ", attempt(legacy_kind, lambda gi: gi[1] * 2))
print("legacy, only the input:    ", attempt(legacy_kind, lambda gi: (gi[1] * 2,)))
print("legacy, weight's own shape:", attempt(legacy_kind, lambda gi: (gi[0], gi[1], gi[2].t())))
print("full,   one tensor:        ", attempt(full_kind, lambda gi: gi[0] * 2))
print("full,   a tuple:           ", attempt(full_kind, lambda gi: (gi[0] * 2,)))

# %% [markdown]
# The fourth error speaks of 4 values: PyTorch took the rows of the one tensor for the elements of
# a tuple. Return a tuple from a full hook, also for one input.
#
# **Both kinds on one module.** PyTorch refuses it:

# %%
linear = nn.Linear(3, 2)
handle = linear.register_backward_hook(lambda *_: None)
try:
    linear.register_full_backward_hook(lambda *_: None)
except RuntimeError as error:
    print("RuntimeError:", error)
handle.remove()

# %% [markdown]
# **To change the weight's gradient through `grad_input`.** With a full hook that is not possible:
# what it returns goes only to the layers *before*.

# %%
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
handle = net[1].register_full_backward_hook(lambda module, gi, go: (torch.zeros_like(gi[0]),))
net(torch.ones(1, 2, requires_grad=True)).sum().backward()
handle.remove()
for name, p in net.named_parameters():
    print(f"{name}: every gradient is 0: {bool((p.grad == 0).all())}")

# %% [markdown]
# **An in-place operation after a full hook.** `nn.ReLU(inplace=True)` behind a layer with a full
# hook raises an error. [Lesson 4](../04_module_hooks/lesson.ipynb) shows it and what helps.
#
# More in the field guide: [Linear puts the bias first in grad_input](../field_guide.ipynb#Linear-puts-the-bias-first-in-grad_input), [A legacy hook must return every element](../field_guide.ipynb#A-legacy-hook-must-return-every-element), [register_backward_hook warns only in forward](../field_guide.ipynb#register_backward_hook-warns-only-in-forward), [grad_input does not change the own weights](../field_guide.ipynb#grad_input-does-not-change-the-own-weights), [In-place ReLU after a full backward hook](../field_guide.ipynb#In-place-ReLU-after-a-full-backward-hook).
#
# ## What to do instead
#
# Old code is ported by asking what it *wanted*, not by looking at its index.
#
# | the old hook wanted | write today |
# |---|---|
# | the gradient of the layer's input | full hook, `grad_input[0]` |
# | the gradient of the layer's output | full hook, `grad_output[0]` |
# | the gradient of the weight or bias | `layer.weight.register_hook(f)`, or read `layer.weight.grad` after backward |
# | to change the gradient of the input | full hook, return a tuple such as `(new,)` |
# | to change the gradient of the weight | `layer.weight.register_hook(f)`, return the new gradient; it is not transposed |
# | to change what goes into the whole layer | `register_full_backward_pre_hook`, return a tuple for the outputs |
# | the operands of one node | `tensor.grad_fn.register_hook(f)`: you then say which node you mean |
#
# The first four rows, together, on a layer whose legacy hook would show none of it:

# %%
linear = nn.Linear(10, 5)
gradients = {}
handles = [
    linear.register_full_backward_hook(
        lambda module, gi, go: gradients.update({"input": gi[0], "output": go[0]})
    ),
    linear.weight.register_hook(lambda g: gradients.update(weight=g)),
    linear.bias.register_hook(lambda g: gradients.update(bias=g)),
]
x = torch.randn(1, 1, 10, requires_grad=True)
linear(x).sum().backward()
for handle in handles:
    handle.remove()
for name in ("input", "output", "weight", "bias"):
    print(f"{name:7} {tuple(gradients[name].shape)}")
print("input is x.grad:", torch.equal(gradients["input"], x.grad))
print("weight is weight.grad:", torch.equal(gradients["weight"], linear.weight.grad))

# %% [markdown]
# That answers the first question: the gradient of the input, (1, 1, 10), is where the full hook
# looks. The legacy hook looked one node too early.
#
# ## Go on
#
# - **[Exercises for this lesson](exercises.ipynb)**: ten, from a log to read to an X-ray of your own.
# - Next: [Hooks at work](../06_hooks_at_work/lesson.ipynb)
# - Back: [Module hooks](../04_module_hooks/lesson.ipynb)
