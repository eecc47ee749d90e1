# %% right read_the_log: a dict
def read_the_log():
    return {
        "A": "linear 2-D",
        "B": "linear 2-D no bias",
        "C": "linear 3-D",
        "D": "conv",
        "E": "linear 2-D data",
        "F": "conv data",
    }


# %% right read_the_log: two lists
def read_the_log():
    words = [
        "linear 2-D",
        "linear 2-D no bias",
        "linear 3-D",
        "conv",
        "linear 2-D data",
        "conv data",
    ]
    return dict(zip("ABCDEF", words))


# %% right read_the_log: by a rule on the shapes, with an extra key
def read_the_log():
    log = {
        "A": [(3,), (8, 10), (10, 3)],
        "B": [(8, 10), (10, 3)],
        "C": [(16, 3)],
        "D": [(1, 2, 9, 9), (4, 2, 3, 3), (4,)],
        "E": [(3,), None, (10, 3)],
        "F": [None, (4, 2, 3, 3), (4,)],
    }

    def say(shapes):
        if len(shapes) == 1:
            return "linear 3-D"
        data = " data" if None in shapes else ""
        if any(s is not None and len(s) == 4 for s in shapes):
            return "conv" + data
        return "linear 2-D" + (" no bias" if len(shapes) == 2 else data)

    return {letter: say(shapes) for letter, shapes in log.items()} | {"G": "nothing"}


# %% wrong read_the_log LINEAR_OR_CONV 0: the order of Conv2d for all layers
def read_the_log():
    return {
        "A": "conv",
        "B": "conv",
        "C": "linear 2-D",
        "D": "linear 2-D",
        "E": "conv data",
        "F": "linear 2-D data",
    }


# %% wrong read_the_log RANK_NOT_READ 2: one element means one input
def read_the_log():
    return {
        "A": "linear 3-D",
        "B": "linear 2-D no bias",
        "C": "linear 2-D",
        "D": "conv",
        "E": "linear 2-D data",
        "F": "conv data",
    }


# %% wrong read_the_log BIAS_NOT_READ 2: B is a Linear like A
def read_the_log():
    return {
        "A": "linear 2-D",
        "B": "linear 2-D",
        "C": "linear 3-D",
        "D": "conv",
        "E": "linear 2-D data",
        "F": "conv data",
    }


# %% wrong read_the_log NONE_NOT_READ 2: None stands for a missing bias
def read_the_log():
    return {
        "A": "linear 2-D",
        "B": "linear 2-D data",
        "C": "linear 3-D",
        "D": "conv",
        "E": "linear 2-D no bias",
        "F": "conv data",
    }


# %% wrong read_the_log NONE_NOT_READ 2: None is not seen
def read_the_log():
    return {
        "A": "linear 2-D",
        "B": "linear 2-D no bias",
        "C": "linear 3-D",
        "D": "conv",
        "E": "linear 2-D",
        "F": "conv",
    }


# %% wrong read_the_log LINES_MISSING 2: only the visible half
def read_the_log():
    return {"A": "linear 2-D", "C": "linear 3-D", "D": "conv"}


# %% wrong read_the_log LINES_MISSING 0: other words
def read_the_log():
    return {letter: "Linear" for letter in "ABCDEF"}


# %% wrong read_the_log WRONG_TYPE 0: a list
def read_the_log():
    return [
        "linear 2-D",
        "linear 2-D no bias",
        "linear 3-D",
        "conv",
        "linear 2-D data",
        "conv data",
    ]


# %% wrong read_the_log RETURNS_NONE 0: printed
def read_the_log():
    print({"A": "linear 2-D"})


# %% right last_node: the name of the node
def last_node(module, x):
    out = module(x)
    if out.grad_fn is None:
        return None
    return out.grad_fn.name()


# %% right last_node: the name of the class
def last_node(module, x):
    fn = module(x).grad_fn
    return type(fn).__name__ if fn else None


# %% right last_node: found by a hook
def last_node(module, x):
    found = []
    handle = module.register_forward_hook(lambda m, args, out: found.append(out.grad_fn))
    module(x)
    handle.remove()
    return found[0].name() if found[0] is not None else None


# %% right last_node: cut out of the printed form
import re


def last_node(module, x):
    y = module(x)
    match = re.search(r"<(\w+)", repr(y.grad_fn))
    return match.group(1) if match else None


# %% wrong last_node ONE_NODE_TOO_FAR 1: the answer for a 2-D Linear
def last_node(module, x):
    return "AddmmBackward0"


# %% wrong last_node WRONG_VALUE 0: in old versions it was an addition
def last_node(module, x):
    return "AddBackward0"


# %% wrong last_node NODE_NOT_NAME 1: the node itself
def last_node(module, x):
    return module(x).grad_fn


# %% wrong last_node NODE_NOT_NAME 1: the printed form
def last_node(module, x):
    fn = module(x).grad_fn
    return str(fn) if fn is not None else None


# %% wrong last_node ONE_NODE_TOO_FAR 1: one step further
def last_node(module, x):
    fn = module(x).grad_fn
    if fn is None:
        return None
    return next(n for n, _ in fn.next_functions if n is not None).name()


# %% wrong last_node LAYER_NOT_NODE 0: the layer
def last_node(module, x):
    return type(module).__name__


# %% wrong last_node RAISED 3: forgets the leaf
def last_node(module, x):
    return module(x).grad_fn.name()


# %% wrong last_node RETURNS_NONE 1: the input has no node
def last_node(module, x):
    return x.grad_fn and x.grad_fn.name()


# %% wrong last_node RAISED 0: the node of the input
def last_node(module, x):
    return x.grad_fn.name()


# %% right full_shapes: the rule
def full_shapes(module, x):
    grad_input = x.shape if x.requires_grad else None
    return grad_input, module(x).shape


# %% right full_shapes: asked of a full hook
def full_shapes(module, x):
    seen = {}

    def hook(m, gi, go):
        seen["in"] = None if gi[0] is None else list(gi[0].shape)
        seen["out"] = list(go[0].shape)

    handle = module.register_full_backward_hook(hook)
    module(x).sum().backward()
    handle.remove()
    return [seen["in"], seen["out"]]


# %% right full_shapes: with autograd, without hooks
def full_shapes(module, x):
    y = module(x)
    if not x.requires_grad:
        return None, tuple(y.size())
    (g,) = torch.autograd.grad(y.sum(), x)
    return tuple(g.size()), tuple(y.size())


import torch


# %% wrong full_shapes SHAPES_SWAPPED 0: backward runs in reverse, so the names do
def full_shapes(module, x):
    return tuple(module(x).shape), tuple(x.shape) if x.requires_grad else None


# %% wrong full_shapes UNTRACKED_HAS_NO_GRADIENT 2: there is always a gradient
def full_shapes(module, x):
    return tuple(x.shape), tuple(module(x).shape)


# %% wrong full_shapes SHAPES_SWAPPED 0: both like the output
def full_shapes(module, x):
    y = tuple(module(x).shape)
    return y, y


# %% wrong full_shapes SHAPE_OF_A_WEIGHT 0: the weight's gradient is the input's
def full_shapes(module, x):
    return next(module.parameters()).shape, module(x).shape


# %% wrong full_shapes LAYER_HOOK_LEFT 0: never removed
def full_shapes(module, x):
    seen = []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0], go[0])))
    module(x).sum().backward()
    gi, go = seen[0]
    return None if gi is None else gi.shape, go.shape


# %% wrong full_shapes FLATTENED_SHAPE 3: flattened as inside of the layer
def full_shapes(module, x):
    y = module(x)
    if not x.requires_grad:
        return None, y.shape
    return x.reshape(-1, x.shape[-1]).shape, y.reshape(-1, y.shape[-1]).shape


# %% wrong full_shapes NOT_TWO_SHAPES 0: only one
def full_shapes(module, x):
    return tuple(x.shape)


# %% wrong full_shapes NOT_TWO_SHAPES 0: the hook's tuples of shapes
def full_shapes(module, x):
    return ((tuple(x.shape),), (tuple(module(x).shape),))[:1]


# %% wrong full_shapes RAISED 2: reads a shape of None
def full_shapes(module, x):
    seen = []
    handle = module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0], go[0])))
    module(x).sum().backward()
    handle.remove()
    return seen[0][0].shape, seen[0][1].shape


# %% right order: two lists
def order(tracked):
    return ["weight", "layer", "x", "after"] if tracked else ["layer", "weight", "after"]


# %% right order: really run
import torch


def order(tracked):
    words = []
    layer = torch.nn.Linear(3, 2)
    x = torch.randn(4, 3, requires_grad=tracked)
    layer.register_full_backward_hook(lambda *_: words.append("layer"))
    layer.weight.register_hook(lambda g: words.append("weight"))
    if tracked:
        x.register_hook(lambda g: words.append("x"))
    layer(x).sum().backward()
    words.append("after")
    return words


# %% right order: built step by step, as a tuple
def order(tracked):
    hooks = ("weight", "layer") if tracked else ("layer", "weight")
    if tracked:
        hooks += ("x",)
    return hooks + ("after",)


# %% wrong order LAYER_TOO_EARLY 2: from the outside to the inside
def order(tracked):
    return ["layer", "weight", "x", "after"] if tracked else ["layer", "weight", "after"]


# %% wrong order LAYER_TOO_LATE 2: the layer is always second
def order(tracked):
    return ["weight", "layer", "x", "after"] if tracked else ["weight", "layer", "after"]


# %% wrong order HOOK_ON_UNTRACKED 2: the same for both
def order(tracked):
    return ["weight", "layer", "x", "after"]


# %% wrong order HOOKS_AFTER_BACKWARD 0: a backward hook runs after backward
def order(tracked):
    return ["after", "weight", "layer", "x"] if tracked else ["after", "layer", "weight"]


# %% wrong order INPUT_BEFORE_LAYER 2: first the tensors, then the layer
def order(tracked):
    return ["weight", "x", "layer", "after"] if tracked else ["layer", "weight", "after"]


# %% wrong order NOT_THESE_EVENTS 2: without an input the layer's hook is not called
def order(tracked):
    return ["weight", "layer", "x", "after"] if tracked else ["weight", "after"]


# %% wrong order NOT_THESE_EVENTS 0: forgets the last line
def order(tracked):
    return ["weight", "layer", "x"] if tracked else ["layer", "weight"]


# %% wrong order WRONG_TYPE 0: one string
def order(tracked):
    return "weight, layer, x, after"


# %% right watch_input: the full hook
def watch_input(module, seen):
    return module.register_full_backward_hook(lambda m, gi, go: seen.append(gi[0]))


# %% right watch_input: a copy, with the tuple taken apart
def watch_input(module, seen):
    def keep(_, grad_input, __):
        (gradient,) = grad_input
        seen.append(gradient if gradient is None else gradient.detach().clone())

    handle = module.register_full_backward_hook(keep)
    return handle


# %% wrong watch_input OUTSIDE_COUNTED 4: a tensor hook on the input, and None already in forward
def watch_input(module, seen):
    def before(m, args):
        if args[0].requires_grad:
            args[0].register_hook(lambda g: seen.append(g))
        else:
            seen.append(None)

    return module.register_forward_pre_hook(before)


# %% right watch_input: an object with remove
class Watch:
    def __init__(self, module, seen):
        self.handle = module.register_full_backward_hook(self)
        self.seen = seen

    def __call__(self, module, grad_input, grad_output):
        print("called")
        self.seen += [grad_input[0]]

    def remove(self):
        self.handle.remove()


def watch_input(module, seen):
    return Watch(module, seen)


# %% wrong watch_input RAISED 0: the legacy hook, with another fixed index
def watch_input(module, seen):
    def hook(module, grad_input, grad_output):
        seen.append(grad_input[2])

    return module.register_backward_hook(hook)


# %% wrong watch_input OUTPUT_NOT_INPUT 3: the legacy hook, first element
def watch_input(module, seen):
    def hook(module, grad_input, grad_output):
        seen.append(grad_input[0])

    return module.register_backward_hook(hook)


# %% wrong watch_input OUTPUT_NOT_INPUT 0: in backward the output is what comes in
def watch_input(module, seen):
    return module.register_full_backward_hook(lambda m, gi, go: seen.append(go[0]))


# %% wrong watch_input TUPLE_IN_THE_LIST 0: the whole tuple
def watch_input(module, seen):
    return module.register_full_backward_hook(lambda m, gi, go: seen.append(gi))


# %% wrong watch_input VALUE_NOT_GRADIENT 0: a forward hook
def watch_input(module, seen):
    return module.register_forward_hook(lambda m, args, out: seen.append(args[0]))


# %% wrong watch_input HANDLE_NOT_RETURNED 0: no handle
def watch_input(module, seen):
    module.register_full_backward_hook(lambda m, gi, go: seen.append(gi[0]))


# %% wrong watch_input NOT_ONCE_EACH 0: keeps the last one only
def watch_input(module, seen):
    def hook(m, gi, go):
        seen[:] = [gi[0]]

    return module.register_full_backward_hook(hook)


# %% wrong watch_input NOTHING_SEEN 0: printed, not appended
def watch_input(module, seen):
    def hook(m, gi, go):
        print([*seen, gi[0]])

    return module.register_full_backward_hook(hook)


# %% wrong watch_input NOT_ONCE_EACH 0: registered twice, to be sure
def watch_input(module, seen):
    def hook(m, gi, go):
        seen.append(gi[0])

    module.register_full_backward_hook(hook)
    return module.register_full_backward_hook(hook)


# %% wrong watch_input NOTHING_SEEN 0: the hook is removed at once
def watch_input(module, seen):
    handle = module.register_full_backward_hook(lambda m, gi, go: seen.append(gi[0]))
    handle.remove()
    return handle


# %% right watch_parameters: a default argument
def watch_parameters(module, seen):
    return [
        p.register_hook(lambda grad, key=name: seen.__setitem__(key, grad))
        for name, p in module.named_parameters()
        if p.requires_grad
    ]


# %% right watch_parameters: functools.partial
from functools import partial


def watch_parameters(module, seen):
    def keep(name, grad):
        seen[name] = grad.clone()

    handles = []
    for name, p in module.named_parameters():
        if not p.requires_grad:
            continue
        handles.append(p.register_hook(partial(keep, name)))
    return handles


# %% right watch_parameters: a function that makes the hook, handles in a tuple
def watch_parameters(module, seen):
    def keeper(name):
        def hook(grad):
            print(name, grad.norm())
            seen[name] = grad

        return hook

    tracked = {n: p for n, p in module.named_parameters() if p.requires_grad}
    return tuple(p.register_hook(keeper(n)) for n, p in tracked.items())


# %% wrong watch_parameters CLEARED_SUBTRACTED 4: the difference of .grad, after it was written
def watch_parameters(module, seen):
    def keeper(name, before):
        def hook(p):
            seen[name] = p.grad.clone() - before.get(name, 0)
            before[name] = p.grad.clone()

        return hook

    before = {n: p.grad.clone() for n, p in module.named_parameters() if p.grad is not None}
    return [
        p.register_post_accumulate_grad_hook(keeper(n, before))
        for n, p in module.named_parameters()
        if p.requires_grad
    ]


# %% wrong watch_parameters NAMES_LOST 0: the lambda binds late
def watch_parameters(module, seen):
    handles = []
    for name, p in module.named_parameters():
        if p.requires_grad:
            handles.append(p.register_hook(lambda grad: seen.update({name: grad})))
    return handles


# %% wrong watch_parameters HOLDS_OLDER_GRADIENTS 2: .grad after it was written
def watch_parameters(module, seen):
    def keeper(name):
        return lambda p: seen.update({name: p.grad.clone()})

    return [
        p.register_post_accumulate_grad_hook(keeper(n))
        for n, p in module.named_parameters()
        if p.requires_grad
    ]


# %% wrong watch_parameters NO_GRADIENT_YET 0: .grad inside of the module's hook
def watch_parameters(module, seen):
    def hook(m, gi, go):
        for name, p in m.named_parameters():
            seen[name] = p.grad

    return [module.register_full_backward_hook(hook)]


# %% wrong watch_parameters GRADIENT_OF_ANOTHER_SHAPE 0: the legacy tuple, in the order of Conv2d
def watch_parameters(module, seen):
    def hook(m, gi, go):
        seen.update(weight=gi[2], bias=gi[0])

    return [module.register_backward_hook(hook)]


# %% wrong watch_parameters RAISED 4: does not leave out the frozen ones
def watch_parameters(module, seen):
    return [
        p.register_hook(lambda grad, name=name: seen.update({name: grad}))
        for name, p in module.named_parameters()
    ]


# %% wrong watch_parameters HANDLE_NOT_RETURNED 0: no handles
def watch_parameters(module, seen):
    for name, p in module.named_parameters():
        if p.requires_grad:
            p.register_hook(lambda grad, name=name: seen.update({name: grad}))


# %% wrong watch_parameters STILL_CALLED 0: only the last handle
def watch_parameters(module, seen):
    for name, p in module.named_parameters():
        if p.requires_grad:
            handle = p.register_hook(lambda grad, name=name: seen.update({name: grad}))
    return [handle]


# %% wrong watch_parameters NOTHING_SEEN 0: reads .grad before there is one
def watch_parameters(module, seen):
    for name, p in module.named_parameters():
        if p.grad is not None:
            seen[name] = p.grad
    return []


# %% wrong watch_parameters OTHER_NAMES 0: numbers as names
def watch_parameters(module, seen):
    tracked = [p for p in module.parameters() if p.requires_grad]
    return [
        p.register_hook(lambda grad, i=i: seen.update({i: grad})) for i, p in enumerate(tracked)
    ]


# %% right double_weight_gradient: a tensor hook
def double_weight_gradient(layer):
    return layer.weight.register_hook(lambda g: g * 2)


# %% right double_weight_gradient: a named function that adds
def double_weight_gradient(layer):
    def twice(grad):
        print("doubled")
        return grad + grad

    handle = layer.weight.register_hook(twice)
    return handle


# %% right double_weight_gradient: by name
def double_weight_gradient(layer):
    weight = dict(layer.named_parameters())["weight"]
    return weight.register_hook(lambda grad: grad.mul(2.0))


# %% wrong double_weight_gradient WEIGHT_GRADIENT_OTHER 5: after .grad was written, with the older sum
def double_weight_gradient(layer):
    def add_again(p):
        new = p.grad - state["before"]
        p.grad = p.grad + new
        state["before"] = p.grad.clone()

    old = layer.weight.grad
    state = {"before": 0 if old is None else old.clone()}
    return layer.weight.register_post_accumulate_grad_hook(add_again)


# %% wrong double_weight_gradient INPUT_GRADIENT_CHANGED 0: a full hook that doubles the input's
def double_weight_gradient(layer):
    return layer.register_full_backward_hook(lambda m, gi, go: (2 * gi[0],))


# %% wrong double_weight_gradient INPUT_GRADIENT_CHANGED 0: a pre-hook doubles all that comes in
def double_weight_gradient(layer):
    return layer.register_full_backward_pre_hook(lambda m, go: (2 * go[0],))


# %% wrong double_weight_gradient WEIGHT_GRADIENT_PLAIN 0: rebinds, returns nothing
def double_weight_gradient(layer):
    def hook(grad):
        grad = 2 * grad

    return layer.weight.register_hook(hook)


# %% wrong double_weight_gradient WEIGHT_GRADIENT_OTHER 3: doubles the sum each time
def double_weight_gradient(layer):
    def hook(p):
        p.grad.mul_(2)

    return layer.weight.register_post_accumulate_grad_hook(hook)


# %% wrong double_weight_gradient BIAS_GRADIENT_CHANGED 3: all parameters
def double_weight_gradient(layer):
    handles = [p.register_hook(lambda g: 2 * g) for p in layer.parameters()]

    class All:
        def remove(self):
            for handle in handles:
                handle.remove()

    return All()


# %% wrong double_weight_gradient PARAMETER_CHANGED 0: doubles the weight
def double_weight_gradient(layer):
    layer.weight.data *= 2
    return layer.weight.register_hook(lambda g: None)


# %% wrong double_weight_gradient HANDLE_NOT_RETURNED 0: no handle
def double_weight_gradient(layer):
    layer.weight.register_hook(lambda g: 2 * g)


# %% wrong double_weight_gradient RAISED 0: one tensor out of a full hook
def double_weight_gradient(layer):
    return layer.register_full_backward_hook(lambda m, gi, go: 2 * gi[0])


# %% wrong double_weight_gradient RAISED 0: the legacy hook with another number of elements
def double_weight_gradient(layer):
    def hook(module, grad_input, grad_output):
        x, weight = grad_input
        return x, 2 * weight, None

    return layer.register_backward_hook(hook)


# %% wrong double_weight_gradient STILL_CALLED 0: registers a second time
def double_weight_gradient(layer):
    root = 2**0.5
    layer.weight.register_hook(lambda g: root * g)
    return layer.weight.register_hook(lambda g: root * g)


# %% right linear_gradients: rows
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.T @ rows, g.sum(0)


# %% right linear_gradients: einsum
import torch


def linear_gradients(x, grad_output):
    weight = torch.einsum("...o,...i->oi", grad_output, x)
    return [weight, torch.einsum("...o->o", grad_output)]


# %% right linear_gradients: a layer of its own
import torch


def linear_gradients(x, grad_output):
    layer = torch.nn.Linear(x.shape[-1], grad_output.shape[-1])
    layer(x).backward(grad_output)
    return layer.weight.grad, layer.bias.grad


# %% right linear_gradients: a loop over the rows
import torch


def linear_gradients(x, grad_output):
    weight = torch.zeros(grad_output.size(-1), x.size(-1))
    bias = torch.zeros(grad_output.size(-1))
    for row, g in zip(
        x.flatten().split(x.size(-1)), grad_output.flatten().split(grad_output.size(-1))
    ):
        weight += torch.outer(g, row)
        bias += g
    return weight, bias


# %% wrong linear_gradients WEIGHT_TRANSPOSED 0: as it stands in the legacy tuple
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return rows.t() @ g, g.sum(0)


# %% wrong linear_gradients ROWS_NOT_SUMMED 0: the bias gets grad_output as it is
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.t() @ rows, g


# %% wrong linear_gradients ROWS_NOT_SUMMED 2: only good for two dimensions
def linear_gradients(x, grad_output):
    return grad_output.transpose(-1, -2) @ x, grad_output.sum(0)


# %% wrong linear_gradients RAISED 4: view needs contiguous memory
def linear_gradients(x, grad_output):
    rows, g = x.view(-1, x.shape[-1]), grad_output.view(-1, grad_output.shape[-1])
    return g.t() @ rows, g.sum(0)


# %% wrong linear_gradients SCALED_OR_PARTIAL 1: the mean over the batch
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.t() @ rows / len(rows), g.mean(0)


# %% wrong linear_gradients WEIGHT_AND_BIAS_SWAPPED 0: the order of addmm
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.sum(0), g.t() @ rows


# %% wrong linear_gradients SCALED_OR_PARTIAL 1: forgets to multiply by the incoming gradient
import torch


def linear_gradients(x, grad_output):
    layer = torch.nn.Linear(x.shape[-1], grad_output.shape[-1])
    layer(x).sum().backward()
    g = grad_output.reshape(-1, grad_output.shape[-1])
    return (layer.weight.grad, g.sum(0)) if len(g) > 1 else (torch.outer(g[0], x), g[0])


# %% wrong linear_gradients WRONG_TYPE 0: only the weight
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.t() @ rows


# %% wrong linear_gradients RETURNS_NONE 0: printed
def linear_gradients(x, grad_output):
    print(grad_output.sum(0))


# %% right OldLinear: operators
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return x @ self.weight.T + self.bias


# %% right OldLinear: matmul, then an in-place addition
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        product = torch.matmul(x, self.weight.t())
        product += self.bias
        return product


# %% right OldLinear: functional.linear without the bias
import torch
import torch.nn.functional as F


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return torch.add(F.linear(x, self.weight), self.bias)


# %% right OldLinear: einsum, and a function that makes the layer
import torch


class Layer(torch.nn.Linear):
    def forward(self, x):
        print("forward")
        return torch.einsum("...i,oi->...o", x, self.weight).add(self.bias)


def OldLinear(*sizes, **options):
    return Layer(*sizes, **options)


# %% wrong OldLinear RAISED 5: a function that knows the sizes only
import torch


class Layer(torch.nn.Linear):
    def forward(self, x):
        return torch.einsum("...i,oi->...o", x, self.weight).add(self.bias)


def OldLinear(n_in, n_out):
    return Layer(n_in, n_out)


# %% wrong OldLinear LAST_NODE_IS_ANOTHER 0: as it is today
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x)


# %% wrong OldLinear LAST_NODE_IS_ANOTHER 0: adds nothing
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x) + 0


# %% wrong OldLinear OUTPUT_DIFFERS 0: the bias is added twice
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x) + self.bias


# %% wrong OldLinear OPERANDS_SWAPPED 0: the bias first
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return self.bias + x @ self.weight.t()


# %% wrong OldLinear RAISED 0: the weight is not transposed
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return x @ self.weight + self.bias


# %% wrong OldLinear OUTPUT_DIFFERS 0: no bias
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return x @ self.weight.t()


# %% wrong OldLinear GRAPH_IS_CUT 0: the bias is detached
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return x @ self.weight.t() + self.bias.detach()


# %% wrong OldLinear GRAPH_IS_CUT 0: the product of a detached weight
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return x @ self.weight.data.t() + self.bias


# %% wrong OldLinear WRONG_TYPE 0: another module
import torch


class OldLinear(torch.nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(n_out, n_in))
        self.bias = torch.nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return torch.addmm(self.bias, x, self.weight.t())


# %% wrong OldLinear RETURNS_NONE 0: the output is not given back
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        x @ self.weight.t() + self.bias


# %% right name_elements: a list of candidates
import torch


def name_elements(layer, x):
    kept = {}
    handle = layer.register_backward_hook(lambda m, gi, go: kept.update(gi=gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    w = layer.weight.grad
    candidates = [("input", x.grad), ("weight", w), ("weight.T", w.mT if w.dim() == 2 else None)]
    if layer.bias is not None:
        candidates.append(("bias", layer.bias.grad))
    words = []
    for element in kept["gi"]:
        word = None if element is None else "other"
        for name, g in candidates:
            if element is not None and g is not None and g.shape == element.shape:
                if torch.allclose(g, element):
                    word = name
        words.append(word)
    return words


# %% right name_elements: with autograd.grad for the true gradients, as a tuple
import torch


def name_elements(layer, x):
    received = []
    with layer.register_backward_hook(lambda m, gi, go: received.append(gi)):
        y = layer(x)
        y.backward(y.detach())
    true = {n: p.grad for n, p in layer.named_parameters()}
    if x.requires_grad:
        true["input"] = x.grad
    true["weight.T"] = true["weight"].transpose(0, 1)

    def word(element):
        if element is None:
            return None
        fits = [
            n for n, g in true.items() if g.shape == element.shape and torch.allclose(g, element)
        ]
        return fits[0] if fits else "other"

    return tuple(map(word, received[0]))


# %% right name_elements: a node hook instead of the deprecated one
import torch


def name_elements(layer, x):
    received = []
    out = layer(x)
    out.grad_fn.register_hook(lambda gi, go: received.extend(gi))
    (out**2).sum().backward()

    def same(a, b):
        return a is not None and b is not None and a.shape == b.shape and bool(torch.allclose(a, b))

    words = []
    for g in received:
        if g is None:
            words.append(None)
        elif same(g, x.grad):
            words.append("input")
        elif same(g, layer.weight.grad):
            words.append("weight")
        elif layer.weight.dim() == 2 and same(g, layer.weight.grad.t()):
            words.append("weight.T")
        elif layer.bias is not None and same(g, layer.bias.grad):
            words.append("bias")
        else:
            words.append("other")
    return words


# %% right name_elements: the true gradients of another backward on the same graph
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.append(gi))
    out = layer(x)
    out.backward(out.detach(), retain_graph=True)
    handle.remove()
    names = [n for n, p in layer.named_parameters()] + ["input"] * x.requires_grad
    wanted = list(layer.parameters()) + [x] * x.requires_grad
    true = dict(zip(names, torch.autograd.grad(out, wanted, out.detach())))
    if layer.weight.dim() == 2:
        true["weight.T"] = true["weight"].T

    def word(g):
        fits = [n for n, t in true.items() if t.shape == g.shape and torch.allclose(t, g)]
        return fits[0] if fits else "other"

    return [None if g is None else word(g) for g in received[0]]


# %% wrong name_elements FOREIGN_NAMED 7: shapes are only compared where allclose must
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {"input": x.grad, "weight": layer.weight.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()
    if layer.bias is not None:
        true["bias"] = layer.bias.grad

    def same(a, b):
        try:
            return torch.allclose(a, b)
        except RuntimeError:
            return False

    def word(g):
        return next((n for n, t in true.items() if t is not None and same(t, g)), "other")

    return [None if g is None else word(g) for g in received]


# %% wrong name_elements TRANSPOSE_CALLED_OTHER 3: the transpose is forgotten
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {n: p.grad for n, p in layer.named_parameters()} | {"input": x.grad}

    def word(e):
        for n, g in true.items():
            if g is not None and g.shape == e.shape and torch.allclose(g, e):
                return n
        return "other"

    return [None if e is None else word(e) for e in received]


# %% wrong name_elements KNOWN_CALLED_OTHER 2: the bias is forgotten
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {"input": x.grad, "weight": layer.weight.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()

    def word(e):
        for n, g in true.items():
            if g is not None and g.shape == e.shape and torch.allclose(g, e):
                return n
        return "other"

    return [None if e is None else word(e) for e in received]


# %% wrong name_elements TENSOR_CALLED_NONE 6: no word where nothing fits
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {n: p.grad for n, p in layer.named_parameters()} | {"input": x.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()

    def word(e):
        for n, g in true.items():
            if e is not None and g is not None and g.shape == e.shape and torch.allclose(g, e):
                return n

    return [word(e) for e in received]


# %% wrong name_elements NONE_NAMED 7: x is made to require a gradient
import torch


def name_elements(layer, x):
    x = x.detach().requires_grad_()
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {n: p.grad for n, p in layer.named_parameters()} | {"input": x.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()

    def word(e):
        for n, g in true.items():
            if g is not None and g.shape == e.shape and torch.allclose(g, e):
                return n
        return "other"

    return [None if e is None else word(e) for e in received]


# %% wrong name_elements ORDER_ASSUMED 1: the order of Conv2d, always
def name_elements(layer, x):
    return ["input", "weight", "bias"]


# %% wrong name_elements NONE_NAMED 3: the order of a 2-D Linear, always
def name_elements(layer, x):
    return ["bias", "input", "weight.T"]


# %% wrong name_elements FULL_HOOK_USED 0: the full hook
def name_elements(layer, x):
    words = []
    handle = layer.register_full_backward_hook(
        lambda m, gi, go: words.extend("input" if g is not None else None for g in gi)
    )
    layer(x).pow(2).sum().backward()
    handle.remove()
    return words


# %% wrong name_elements TRANSPOSE_NOT_SEEN 2: by shape, both ways round, without values
def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    words = []
    for g in received:
        if g is None:
            words.append(None)
        elif g.shape == x.shape:
            words.append("input")
        elif sorted(g.shape) == sorted(layer.weight.shape):
            words.append("weight")
        elif layer.bias is not None and g.shape == layer.bias.shape:
            words.append("bias")
        else:
            words.append("other")
    return words


# %% wrong name_elements KNOWN_CALLED_OTHER 1: compares inside of the hook
import torch


def name_elements(layer, x):
    words = []

    def hook(m, gi, go):
        for g in gi:
            known = {n: p.grad for n, p in layer.named_parameters()} | {"input": x.grad}
            fits = [
                n
                for n, t in known.items()
                if g is not None and t is not None and t.shape == g.shape and torch.allclose(t, g)
            ]
            words.append(fits[0] if fits else None if g is None else "other")

    handle = layer.register_backward_hook(hook)
    layer(x).pow(2).sum().backward()
    handle.remove()
    return words


# %% wrong name_elements LAYER_HOOK_LEFT 0: the hook stays
import torch


def name_elements(layer, x):
    received = []
    layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    true = {n: p.grad for n, p in layer.named_parameters()} | {"input": x.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()

    def word(e):
        if e is None:
            return None
        for n, g in true.items():
            if g is not None and g.shape == e.shape and torch.allclose(g, e):
                return n
        return "other"

    return [word(e) for e in received]


# %% wrong name_elements RAISED 0: compares without the shapes
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {"input": x.grad, "weight": layer.weight.grad, "weight.T": layer.weight.grad.t()}
    true["bias"] = layer.bias.grad
    return [next((n for n, g in true.items() if torch.allclose(g, e)), "other") for e in received]


# %% wrong name_elements NOT_THESE_WORDS 7: None as a string
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {n: p.grad for n, p in layer.named_parameters()} | {"input": x.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()

    def word(e):
        if e is None:
            return "None"
        for n, g in true.items():
            if g is not None and g.shape == e.shape and torch.allclose(g, e):
                return n
        return "other"

    return [word(e) for e in received]


# %% wrong name_elements ORDER_ASSUMED 1: by position, as many words as there are elements
def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    words = ["input", "weight", "bias"]
    return [None if g is None else w for g, w in zip(received, words)]


# %% wrong double_weight_gradient RAISED 0: gives back what was changed, where None is asked for
def double_weight_gradient(layer):
    return layer.weight.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(2))


# %% wrong last_node ONE_NODE_TOO_FAR 3: a table for Linear and Conv2d
import torch


def last_node(module, x):
    if isinstance(module, torch.nn.Linear):
        return "AddmmBackward0" if x.dim() == 2 else "ViewBackward0"
    return "ConvolutionBackward0" if isinstance(module, torch.nn.Conv2d) else None


# %% wrong last_node WRONG_VALUE 3: makes the input require a gradient
def last_node(module, x):
    node = module(x.requires_grad_()).grad_fn
    return None if node is None else node.name()


# %% wrong last_node RETURNS_NONE 3: detaches the input
def last_node(module, x):
    node = module(x.detach()).grad_fn
    return None if node is None else node.name()


# %% wrong full_shapes LAYER_HOOK_LEFT 0: hooks on the parameters stay
def full_shapes(module, x):
    for p in module.parameters():
        p.register_hook(lambda grad: None)
    return (x.shape if x.requires_grad else None), module(x).shape


# %% right watch_input: tensor hooks on a view of the input, or on the output
class Handles:
    def __init__(self, *handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()


def watch_input(module, seen):
    def before(m, args):
        if args[0].requires_grad:
            way = args[0].view_as(args[0])
            way.register_hook(lambda grad: seen.append(grad))
            return (way,)

    def after(m, args, output):
        if not args[0].requires_grad:
            output.register_hook(lambda grad: seen.append(None))

    return Handles(module.register_forward_pre_hook(before), module.register_forward_hook(after))


# %% wrong watch_input WATCHER_CHANGES_GRADIENT 1: gives something back
def watch_input(module, seen):
    def hook(module, grad_input, grad_output):
        seen.append(grad_input[0])
        return tuple(None if g is None else 2 * g for g in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong watch_parameters STORED_GRADIENT_CHANGED 0: gives something back
def watch_parameters(module, seen):
    def watch(name):
        def hook(grad):
            seen[name] = grad
            return 2 * grad

        return hook

    named = module.named_parameters()
    return [p.register_hook(watch(name)) for name, p in named if p.requires_grad]


# %% wrong watch_parameters STORED_GRADIENT_CHANGED 0: clears .grad, so that the sum is of one
def watch_parameters(module, seen):
    def watch(name):
        def hook(p):
            seen[name] = p.grad.clone()
            p.grad = None

        return hook

    named = module.named_parameters()
    return [
        p.register_post_accumulate_grad_hook(watch(name)) for name, p in named if p.requires_grad
    ]


# %% right watch_parameters: a prehook of the node that accumulates
def watch_parameters(module, seen):
    handles = []
    for name, p in module.named_parameters():
        if p.requires_grad:
            node = p.view_as(p).grad_fn.next_functions[0][0]
            handle = node.register_prehook(lambda grads, name=name: seen.update({name: grads[0]}))
            handle.node = node  # without a reference, the node is gone, and its hook too
            handles.append(handle)
    return handles


# %% right linear_gradients: numpy, in double precision
import torch


def linear_gradients(x, grad_output):
    rows = x.double().numpy().reshape(-1, x.shape[-1])
    gradients = grad_output.double().numpy().reshape(-1, grad_output.shape[-1])
    return torch.from_numpy(gradients.T @ rows), torch.from_numpy(gradients.sum(0))


# %% right linear_gradients: a vector-Jacobian product
import torch


def linear_gradients(x, grad_output):
    w, b = torch.zeros(grad_output.shape[-1], x.shape[-1]), torch.zeros(grad_output.shape[-1])
    _, backward = torch.func.vjp(lambda w, b: torch.nn.functional.linear(x, w, b), w, b)
    return backward(grad_output)


# %% wrong linear_gradients GIVEN_VALUES_CHANGED 0: works in place on grad_output
def linear_gradients(x, grad_output):
    rows = grad_output.reshape(-1, grad_output.shape[-1])
    weight, bias = rows.t() @ x.reshape(-1, x.shape[-1]), rows.sum(0)
    grad_output.zero_()
    return weight, bias


# %% wrong linear_gradients GIVEN_VALUES_CHANGED 5: adds an axis in place
import torch


def linear_gradients(x, grad_output):
    if x.dim() == 1:
        x.unsqueeze_(0)
        grad_output.unsqueeze_(0)
    rows = grad_output.reshape(-1, grad_output.shape[-1])
    return rows.t() @ x.reshape(-1, x.shape[-1]), rows.sum(0)


# %% wrong name_elements FOREIGN_NAMED 7: the plain sum, with which different things look the same
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).sum().backward()
    handle.remove()
    true = {"input": x.grad, "weight": layer.weight.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()
    if layer.bias is not None:
        true["bias"] = layer.bias.grad

    def name(element):
        fits = (
            word
            for word, g in true.items()
            if g is not None and g.shape == element.shape and torch.allclose(g, element)
        )
        return next(fits, "other")

    return [None if element is None else name(element) for element in received]


# %% wrong name_elements LAYER_HOOK_LEFT 0: hooks on the parameters stay
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).pow(2).sum().backward()
    handle.remove()
    true = {"input": x.grad, "weight": layer.weight.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()
    if layer.bias is not None:
        true["bias"] = layer.bias.grad

    def name(element):
        fits = (
            word
            for word, g in true.items()
            if g is not None and g.shape == element.shape and torch.allclose(g, element)
        )
        return next(fits, "other")

    for p in layer.parameters():
        p.register_hook(lambda grad: None)
    return [None if element is None else name(element) for element in received]


# %% right name_elements: another loss
import torch


def name_elements(layer, x):
    received = []
    handle = layer.register_backward_hook(lambda m, gi, go: received.extend(gi))
    layer(x).exp().sum().backward()
    handle.remove()
    true = {"input": x.grad, "weight": layer.weight.grad}
    if layer.weight.dim() == 2:
        true["weight.T"] = layer.weight.grad.t()
    if layer.bias is not None:
        true["bias"] = layer.bias.grad

    def name(element):
        fits = (
            word
            for word, g in true.items()
            if g is not None and g.shape == element.shape and torch.allclose(g, element)
        )
        return next(fits, "other")

    return [None if element is None else name(element) for element in received]


# %% wrong last_node OUTPUT_HAS_A_NODE 3: asks x, whatever the parameters are
def last_node(module, x):
    node = module(x).grad_fn
    return node.name() if node is not None and x.requires_grad else None


# %% wrong last_node RETURNS_NONE 3: an Identity never has a node
import torch


def last_node(module, x):
    node = module(x).grad_fn
    if node is None or isinstance(module, torch.nn.Identity):
        return None
    return node.name()


# %% wrong last_node WRONG_VALUE 3: the last part of the module
def last_node(module, x):
    parts = list(module.children())
    node = (parts[-1] if parts else module)(x).grad_fn
    return None if node is None else node.name()


# %% right last_node: is_leaf, and the class of the node
def last_node(module, x):
    out = module(x)
    return None if out.is_leaf else type(out.grad_fn).__name__


# %% wrong full_shapes WRONG_VALUE 3: only a leaf gets a gradient
def full_shapes(module, x):
    return (x.shape if x.requires_grad and x.is_leaf else None), module(x).shape


# %% wrong full_shapes REQUIRES_GRAD_CHANGED 0: freezes the parameters
def full_shapes(module, x):
    for p in module.parameters():
        p.requires_grad_(False)
    return (x.shape if x.requires_grad else None), module(x).shape


# %% wrong full_shapes REQUIRES_GRAD_CHANGED 2: lets x require a gradient, and leaves it so
def full_shapes(module, x):
    had = x.requires_grad
    out = module(x.requires_grad_() if x.is_leaf else x)
    return (x.shape if had else None), out.shape


# %% wrong full_shapes NOT_THE_OUTPUT_SHAPE 0: both like the input
def full_shapes(module, x):
    return (x.shape if x.requires_grad else None), x.shape


# %% wrong full_shapes NOT_THE_OUTPUT_SHAPE 1: the number of outputs
def full_shapes(module, x):
    return (x.shape if x.requires_grad else None), (module(x).numel(),)


# %% wrong full_shapes NOT_TWO_SHAPES 0: tensors
def full_shapes(module, x):
    return x, module(x)


# %% wrong watch_input OUTSIDE_COUNTED 5: tensor hooks on x or on the output, from a forward hook
def watch_input(module, seen):
    def after(m, args, out):
        if args[0].requires_grad:
            args[0].register_hook(lambda grad: seen.append(grad))
        else:
            out.register_hook(lambda grad: seen.append(None))

    return module.register_forward_hook(after)


# %% wrong watch_input WRONG_VALUE 5: the full hook of the first part
def watch_input(module, seen):
    first = next(module.children(), module)
    return first.register_full_backward_hook(lambda m, gi, go: seen.append(gi[0]))


# %% wrong watch_input NONE_IS_MISSING 5: leaves the None out
def watch_input(module, seen):
    def hook(m, gi, go):
        if gi[0] is not None:
            seen.append(gi[0])

    return module.register_full_backward_hook(hook)


# %% wrong watch_input NOT_ONCE_EACH 5: leaves zeros out
def watch_input(module, seen):
    def hook(m, gi, go):
        if gi[0] is None or gi[0].any():
            seen.append(gi[0])

    return module.register_full_backward_hook(hook)


# %% wrong watch_input WATCHER_CHANGES_GRADIENT 1: edits in place
def watch_input(module, seen):
    def hook(m, gi, go):
        seen.append(gi[0])
        if gi[0] is not None:
            gi[0].mul_(2)

    return module.register_full_backward_hook(hook)


# %% wrong watch_parameters HOLDS_OLDER_GRADIENTS 4: a difference that starts from nothing
def watch_parameters(module, seen):
    older = {}

    def keeper(name):
        def hook(p):
            seen[name] = p.grad - older.get(name, 0)
            older[name] = p.grad.clone()

        return hook

    named = module.named_parameters()
    return [p.register_post_accumulate_grad_hook(keeper(n)) for n, p in named if p.requires_grad]


# %% wrong watch_parameters ZEROS_LEFT_OUT 4: leaves zeros out
def watch_parameters(module, seen):
    def keeper(name):
        def hook(grad):
            if grad.any():
                seen[name] = grad

        return hook

    named = module.named_parameters()
    return [p.register_hook(keeper(n)) for n, p in named if p.requires_grad]


# %% wrong watch_parameters PARAMETERS_LEFT_OUT 4: only weights and biases
def watch_parameters(module, seen):
    return [
        p.register_hook(lambda grad, name=name: seen.update({name: grad}))
        for name, p in module.named_parameters()
        if p.requires_grad and name.endswith(("weight", "bias"))
    ]


# %% wrong watch_parameters PARAMETERS_LEFT_OUT 0: the weight alone
def watch_parameters(module, seen):
    for name, p in module.named_parameters():
        if p.requires_grad and name.endswith("weight"):
            return [p.register_hook(lambda grad: seen.update({name: grad}))]


# %% wrong watch_parameters PARTS_NOT_SEEN 4: without the parts
def watch_parameters(module, seen):
    return [
        p.register_hook(lambda grad, name=name: seen.update({name: grad}))
        for name, p in module.named_parameters(recurse=False)
        if p.requires_grad
    ]


# %% wrong watch_parameters REQUIRES_GRAD_CHANGED 4: thaws what is frozen
def watch_parameters(module, seen):
    return [
        p.requires_grad_().register_hook(lambda grad, name=name: seen.update({name: grad}))
        for name, p in module.named_parameters()
    ]


# %% right watch_parameters: one hook for all of them
import torch


def watch_parameters(module, seen):
    tracked = {n: p for n, p in module.named_parameters() if p.requires_grad}

    def keep(grads):
        seen.update(zip(tracked, grads))

    return [torch.autograd.graph.register_multi_grad_hook(list(tracked.values()), keep)]


# %% wrong double_weight_gradient SHARED_GRADIENT_CHANGED 5: in place, given back
def double_weight_gradient(layer):
    return layer.weight.register_hook(lambda grad: grad.mul_(2))


# %% wrong double_weight_gradient SHARED_GRADIENT_CHANGED 5: in place
def double_weight_gradient(layer):
    def hook(grad):
        grad *= 2

    return layer.weight.register_hook(hook)


# %% wrong double_weight_gradient RAISED 5: adds the new part once more in the module's hook
class Both:
    def __init__(self, *handles):
        self.handles = handles

    def remove(self):
        for handle in self.handles:
            handle.remove()


def double_weight_gradient(layer):
    older = []

    def before(m, go):
        older.append(None if m.weight.grad is None else m.weight.grad.clone())

    def after(m, gi, go):
        old = older.pop()
        m.weight.grad += m.weight.grad - (0 if old is None else old)

    return Both(
        layer.register_full_backward_pre_hook(before), layer.register_full_backward_hook(after)
    )


# %% wrong linear_gradients RAISED 3: the sizes of one layer
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, 3), grad_output.reshape(-1, 2)
    return g.t() @ rows, g.sum(0)


# %% wrong linear_gradients NOT_THE_PARAMETERS_SHAPE 4: drops a dimension of one
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return (g.t() @ rows).squeeze(), g.sum(0).squeeze()


# %% wrong linear_gradients GIVEN_VALUES_CHANGED 0: x requires a gradient afterwards
import torch


def linear_gradients(x, grad_output):
    x.requires_grad_()
    weight = torch.zeros(grad_output.shape[-1], x.shape[-1], requires_grad=True)
    bias = torch.zeros(grad_output.shape[-1], requires_grad=True)
    torch.nn.functional.linear(x, weight, bias).backward(grad_output)
    return weight.grad, bias.grad


# %% wrong linear_gradients NOT_THE_PARAMETERS_SHAPE 0: the bias gets the sum of everything
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.t() @ rows, g.sum()


# %% wrong linear_gradients NOT_THE_PARAMETERS_SHAPE 0: the bias keeps a dimension
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return g.t() @ rows, g.sum(0, keepdim=True)


# %% wrong linear_gradients NOT_THE_PARAMETERS_SHAPE 0: the weight gets a dimension
def linear_gradients(x, grad_output):
    rows, g = x.reshape(-1, x.shape[-1]), grad_output.reshape(-1, grad_output.shape[-1])
    return (g.t() @ rows)[None], g.sum(0)


# %% wrong OldLinear RAISED 4: the sizes of one layer
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        product = x.reshape(-1, 3) @ self.weight.t()
        return product.reshape(*x.shape[:-1], 2) + self.bias


# %% wrong OldLinear RAISED 5: a constructor of its own
import torch


class OldLinear(torch.nn.Linear):
    def __init__(self, n_in=3, n_out=2):
        super().__init__(n_in, n_out)

    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight) + self.bias


# %% wrong OldLinear GRAPH_IS_CUT 0: a detached weight, and the rest as it must be
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight.detach()) + self.bias


# %% wrong OldLinear GRAPH_IS_CUT 0: a detached input
import torch


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return torch.nn.functional.linear(x.detach(), self.weight) + self.bias


# %% wrong OldLinear OTHER_GRADIENTS 0: a backward of its own that gives the mean
import torch


class Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, product, bias):
        return product + bias

    @staticmethod
    def backward(ctx, grad):
        return grad, grad.reshape(-1, grad.shape[-1]).mean(0)


class OldLinear(torch.nn.Linear):
    def forward(self, x):
        return Add.apply(torch.nn.functional.linear(x, self.weight), self.bias)
