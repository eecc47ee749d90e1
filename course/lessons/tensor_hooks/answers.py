# %% right firing_order: a tuple
def firing_order():
    return "y", "h one", "h two", "x", "x stored", "x", "x stored"


# %% right firing_order: put together from two backward calls
def firing_order():
    leaf = ["x", "x stored"]
    first = ["y"] + [f"h {n}" for n in ("one", "two")] + leaf
    return first + leaf


# %% right firing_order: asked of torch
import torch


def firing_order():
    words = []

    def say(word):
        return lambda _: words.append(word)

    x = torch.tensor(3.0, requires_grad=True)
    h = x * 2
    y = h * x
    x.register_post_accumulate_grad_hook(say("x stored"))
    x.register_hook(say("x"))
    h.register_hook(say("h one"))
    y.register_hook(say("y"))
    h.register_hook(say("h two"))
    y.backward()
    (x * 5).backward()
    return words


# %% wrong firing_order REGISTRATION_ORDER 0: the order of registration
def firing_order():
    return ["x stored", "x", "h one", "y", "h two", "x stored", "x"]


# %% wrong firing_order FORWARD_ORDER 0: in forward order
def firing_order():
    return ["x", "x stored", "h one", "h two", "y", "x", "x stored"]


# %% wrong firing_order HOOKS_REVERSED 2: backward turns the hooks of one tensor round too
def firing_order():
    return ["y", "h two", "h one", "x", "x stored", "x", "x stored"]


# %% wrong firing_order ONE_CALL_PER_USE 2: x is used twice
def firing_order():
    return ["y", "h one", "h two", "x", "x", "x stored", "x", "x stored"]


# %% wrong firing_order STORED_BEFORE_HOOK 2: the gradient is stored first
def firing_order():
    return ["y", "h one", "h two", "x stored", "x", "x stored", "x"]


# %% wrong firing_order LEAF_HOOK_STAYS 2: the second backward is forgotten
def firing_order():
    return ["y", "h one", "h two", "x", "x stored"]


# %% wrong firing_order NOT_A_LABEL 0: the names of the tensors
def firing_order():
    return ["y", "h", "h", "x", "x", "x", "x"]


# %% wrong firing_order WRONG_TYPE 0: one string
def firing_order():
    return "y, h one, h two, x, x stored, x, x stored"


# %% wrong firing_order RETURNS_NONE 0: printed
def firing_order():
    print("y", "h one", "h two", "x")


# %% right scale_gradient: a named function
def scale_gradient(t, factor):
    def hook(grad):
        larger = grad * factor
        return larger

    handle = t.register_hook(hook)
    return handle


# %% right scale_gradient: partial
from functools import partial
import torch


def scale_gradient(t, factor):
    return t.register_hook(partial(torch.mul, factor))


# %% right scale_gradient: a copy may be edited
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: grad.clone().mul_(factor))


# %% right scale_gradient: an object with __call__
class Scale:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, grad):
        print("gradient", grad)
        return self.factor * grad


def scale_gradient(t, factor):
    return t.register_hook(Scale(factor))


# %% wrong scale_gradient GRADIENT_UNCHANGED 0: the name is bound again
def scale_gradient(t, factor):
    def hook(grad):
        grad = grad * factor

    return t.register_hook(hook)


# %% wrong scale_gradient NEIGHBOUR_CHANGED 0: in place
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: grad.mul_(factor))


# %% wrong scale_gradient NEIGHBOUR_CHANGED 0: in place, then a return
def scale_gradient(t, factor):
    def hook(grad):
        grad *= factor
        return grad

    return t.register_hook(hook)


# %% wrong scale_gradient GRADIENT_UNCHANGED 0: a hook on a detached copy
def scale_gradient(t, factor):
    return t.detach().requires_grad_().register_hook(lambda grad: grad * factor)


# %% wrong scale_gradient NO_HANDLE 0: nothing is given back
def scale_gradient(t, factor):
    t.register_hook(lambda grad: grad * factor)


# %% wrong scale_gradient NO_HANDLE 0: the tensor is given back
def scale_gradient(t, factor):
    t.register_hook(lambda grad: grad * factor)
    return t


# %% wrong scale_gradient RAISED 0: a tuple, as a module hook gives back
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: (grad * factor,))


# %% wrong scale_gradient GRADIENT_UNCHANGED 0: removed at once
def scale_gradient(t, factor):
    with t.register_hook(lambda grad: grad * factor) as handle:
        return handle


# %% wrong scale_gradient HOOK_NOT_REMOVED 0: two hooks, one handle
def scale_gradient(t, factor):
    t.register_hook(lambda grad: grad * factor)
    return t.register_hook(lambda grad: None)


# %% wrong scale_gradient WRONG_VALUE 0: a factor learned by heart
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: grad * 2)


# %% wrong scale_gradient WRONG_VALUE 2: only whole numbers
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: grad * int(factor))


# %% wrong scale_gradient WRONG_VALUE 2: the factor without its sign
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: grad * abs(factor))


# %% right be_the_engine: asked of the real engine
def be_the_engine(grad, hooks):
    t = grad.clone().requires_grad_()
    seen = []
    for hook in hooks:
        t.register_hook(lambda g: seen.append(g))
        t.register_hook(hook)
    t.backward(grad)
    return seen, t.grad


# %% right be_the_engine: a function that calls itself
def be_the_engine(grad, hooks):
    if not hooks:
        return [], grad
    made = hooks[0](grad)
    seen, result = be_the_engine(grad if made is None else made, hooks[1:])
    return [grad, *seen], result


# %% right be_the_engine: the list holds one value more
def be_the_engine(grad, hooks):
    values = [grad]
    for hook in hooks:
        result = hook(values[-1])
        values.append(values[-1] if result is None else result)
    return [values[:-1], values[-1]]


# %% wrong be_the_engine EACH_SEES_THE_FIRST 1: every hook gets the first gradient
def be_the_engine(grad, hooks):
    seen, result = [], grad
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            result = made
    return seen, result


# %% wrong be_the_engine NONE_HANDED_ON 2: None goes on
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad)
        grad = hook(grad) if grad is not None else None
    return seen, grad


# %% wrong be_the_engine ZERO_TAKEN_FOR_NONE 3: zero is not None
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad)
        grad = hook(grad) or grad
    return seen, grad


# %% wrong be_the_engine CALLED_AGAIN 1: each hook is called twice
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad)
        if hook(grad) is not None:
            grad = hook(grad)
    return seen, grad


# %% wrong be_the_engine WRONG_VALUE 1: the last hook first
def be_the_engine(grad, hooks):
    seen = []
    for hook in reversed(hooks):
        seen.append(grad)
        made = hook(grad)
        grad = grad if made is None else made
    return seen, grad


# %% wrong be_the_engine SEEN_IS_NOT_THE_CALLS 1: the record holds the results
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        made = hook(grad)
        grad = grad if made is None else made
        seen.append(grad)
    return seen, grad


# %% wrong be_the_engine NOT_A_PAIR 0: only the gradient
def be_the_engine(grad, hooks):
    for hook in hooks:
        made = hook(grad)
        grad = grad if made is None else made
    return grad


# %% wrong be_the_engine RETURNS_NONE 0: no return
def be_the_engine(grad, hooks):
    for hook in hooks:
        grad = hook(grad)


# %% wrong be_the_engine EACH_SEES_THE_FIRST 1: the effects are added up
def be_the_engine(grad, hooks):
    changes, seen = 0, []
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        changes += 0 if made is None else made - grad
    return seen, grad + changes


# %% right be_the_engine: reduce, and copies in a list of two
from functools import reduce


def be_the_engine(grad, hooks):
    seen = []

    def step(value, hook):
        seen.append(value.clone())
        made = hook(value)
        return value if made is None else made

    return [seen, reduce(step, hooks, grad)]


# %% wrong be_the_engine ARRIVED_EDITED 1: what a hook gives back is copied into grad
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad.clone())
        made = hook(grad)
        if made is not None:
            grad.copy_(made)
    return seen, grad


# %% wrong be_the_engine HOOKS_NOT_CALLED 2: the first None ends it
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        if made is None:
            break
        grad = made
    return seen, grad


# %% right norm_log: a lambda, append gives back None
def norm_log(t):
    norms = []
    t.register_hook(lambda grad: norms.append(float(grad.norm())))
    return norms


# %% right norm_log: gives back the gradient as it is
def norm_log(t):
    values = []

    def hook(grad):
        values.append((grad * grad).sum().sqrt().item())
        return grad

    t.register_hook(hook)
    return values


# %% right norm_log: torch.linalg, and one list that grows
import torch


def norm_log(t):
    log = list()

    def hook(grad):
        log.extend([torch.linalg.vector_norm(grad).item()])
        return None

    t.register_hook(hook)
    return log


# %% right norm_log: a node hook for a result
def norm_log(t):
    log = []
    if t.grad_fn is None:
        t.register_hook(lambda grad: log.append(grad.norm().item()))
    else:
        t.grad_fn.register_prehook(lambda grads: log.append(grads[0].norm().item()))
    return log


# %% right norm_log: all numbers in one row
import torch


def norm_log(t):
    log = []
    t.register_hook(lambda grad: log.append(torch.linalg.norm(grad.flatten(), 2).item()))
    return log


# %% right norm_log: torch.linalg.norm without an order
import torch


def norm_log(t):
    log = []
    t.register_hook(lambda grad: log.append(torch.linalg.norm(grad).item()))
    return log


# %% wrong norm_log NORM_OF_ANOTHER_KIND 1: of a matrix, the largest singular value
import torch


def norm_log(t):
    log = []
    t.register_hook(lambda grad: log.append(torch.linalg.norm(grad, 2).item()))
    return log


# %% wrong norm_log ONLY_THE_LAST_BACKWARD 1: of a matrix, one norm for each row
def norm_log(t):
    log = []
    t.register_hook(lambda grad: log.extend(grad.norm(dim=-1).flatten().tolist()))
    return log


# %% wrong norm_log NEIGHBOUR_CHANGED 0: the squares are made in place
def norm_log(t):
    log = []

    def hook(grad):
        log.append(grad.pow_(2).sum().sqrt().item())

    t.register_hook(hook)
    return log


# %% wrong norm_log NEIGHBOUR_CHANGED 0: the gradient is set to zero
def norm_log(t):
    log = []

    def hook(grad):
        log.append(grad.norm().item())
        grad.zero_()

    t.register_hook(hook)
    return log


# %% wrong norm_log RECORDING_CHANGES 3: clears the stored gradient
def norm_log(t):
    log = []

    def hook(grad):
        log.append(grad.norm().item())
        t.grad = None

    t.register_hook(hook)
    return log


# %% wrong norm_log NORM_OF_THE_TENSOR 0: the norm of t
def norm_log(t):
    norms = []
    t.register_hook(lambda grad: norms.append(t.norm().item()))
    return norms


# %% wrong norm_log RAISED 0: the norm is given back to backward
def norm_log(t):
    norms = []

    def hook(grad):
        norms.append(grad.norm().item())
        return grad.norm()

    t.register_hook(hook)
    return norms


# %% wrong norm_log RECORDS_TENSORS 0: keeps tensors
def norm_log(t):
    norms = []
    t.register_hook(lambda grad: norms.append(grad.norm()))
    return norms


# %% wrong norm_log RECORDING_CHANGES 0: normalises in place on the way
def norm_log(t):
    norms = []

    def hook(grad):
        norms.append(grad.norm().item())
        return grad / grad.norm()

    t.register_hook(hook)
    return norms


# %% wrong norm_log RECORD_EMPTY 0: another list is made in the hook
def norm_log(t):
    norms = []

    def hook(grad):
        norms = [grad.norm().item()]
        print(norms)

    t.register_hook(hook)
    return norms


# %% wrong norm_log RECORD_EMPTY 0: a copy of the list is given back
def norm_log(t):
    norms = []
    t.register_hook(lambda grad: norms.append(grad.norm().item()))
    return list(norms)


# %% wrong norm_log ONLY_THE_LAST_BACKWARD 1: keeps one entry
def norm_log(t):
    norms = []

    def hook(grad):
        norms.clear()
        norms.append(grad.norm().item())

    t.register_hook(hook)
    return norms


# %% wrong norm_log ONLY_THE_LAST_BACKWARD 1: the hook removes itself
def norm_log(t):
    norms = []

    def hook(grad):
        norms.append(grad.norm().item())
        handle.remove()

    handle = t.register_hook(hook)
    return norms


# %% wrong norm_log ACCUMULATED_SEEN 1: reads .grad after it is stored
def norm_log(t):
    norms = []
    if t.is_leaf:
        t.register_post_accumulate_grad_hook(lambda t: norms.append(t.grad.norm().item()))
    return norms


# %% wrong norm_log RETURNS_NONE 0: no return
def norm_log(t):
    norms = []
    t.register_hook(lambda grad: norms.append(grad.norm().item()))


# %% right norm_log: a list that is its own hook
class Log(list):
    def __call__(self, grad):
        self.append(grad.square().sum().sqrt().item())


def norm_log(t):
    log = Log()
    t.register_hook(log)
    return log


# %% right norm_log: a number of numpy
import numpy as np


def norm_log(t):
    log = []
    t.register_hook(lambda grad: log.append(np.linalg.norm(grad.numpy())))
    return log


# %% wrong norm_log NOT_EMPTY_AT_FIRST 1: one list for all calls
def norm_log(t, log=[]):
    t.register_hook(lambda grad: log.append(grad.norm().item()))
    return log


# %% wrong norm_log NOT_EMPTY_AT_FIRST 0: runs a backward itself
def norm_log(t):
    log = []
    t.register_hook(lambda grad: log.append(grad.norm().item()))
    t.sum().backward(retain_graph=True)
    return log


# %% right gradient_sizes: partial
from functools import partial


def gradient_sizes(layer):
    sizes = {}

    def record(name, grad):
        sizes[name] = grad.norm().item()

    for name, parameter in layer.named_parameters():
        parameter.register_hook(partial(record, name))
    return sizes


# %% right gradient_sizes: a function that makes the hook
def gradient_sizes(layer):
    sizes = {}

    def make(name):
        return lambda grad: sizes.update({name: float(grad.norm())})

    for name, parameter in layer.named_parameters():
        parameter.register_hook(make(name))
    return sizes


# %% right gradient_sizes: a default value in a lambda
def gradient_sizes(layer):
    sizes = dict()
    [
        p.register_hook(lambda g, n=n: sizes.__setitem__(n, g.norm()))
        for n, p in layer.named_parameters()
    ]
    return sizes


# %% wrong gradient_sizes ACCUMULATED_SEEN 2: after the gradient is stored
def gradient_sizes(layer):
    names = {p: n for n, p in layer.named_parameters()}
    sizes = {}
    for p in names:
        p.register_post_accumulate_grad_hook(
            lambda p: sizes.update({names[p]: p.grad.norm().item()})
        )
    return sizes


# %% wrong gradient_sizes LOOP_VARIABLE 0: a new name for the same variable
def gradient_sizes(layer):
    sizes = {}
    for name, parameter in layer.named_parameters():
        key = name

        def record(grad):
            sizes[key] = grad.norm().item()

        parameter.register_hook(record)
    return sizes


# %% wrong gradient_sizes LOOP_VARIABLE 0: a lambda
def gradient_sizes(layer):
    sizes = {}
    for name, parameter in layer.named_parameters():
        parameter.register_hook(lambda grad: sizes.update({name: grad.norm().item()}))
    return sizes


# %% wrong gradient_sizes NAMES_DIFFER 0: numbers instead of names
def gradient_sizes(layer):
    sizes = {}
    for i, parameter in enumerate(layer.parameters()):
        parameter.register_hook(lambda grad, i=i: sizes.update({i: grad.norm().item()}))
    return sizes


# %% wrong gradient_sizes RAISED 0: setdefault gives back the number
def gradient_sizes(layer):
    sizes = {}
    for name, parameter in layer.named_parameters():
        parameter.register_hook(lambda grad, name=name: sizes.setdefault(name, grad.norm().item()))
    return sizes


# %% wrong gradient_sizes RECORD_EMPTY 0: .grad is read too early
def gradient_sizes(layer):
    return {n: p.grad.norm().item() for n, p in layer.named_parameters() if p.grad is not None}


# %% wrong gradient_sizes WRONG_VALUE 0: the norm of the parameter
def gradient_sizes(layer):
    sizes = {}
    for name, p in layer.named_parameters():
        p.register_hook(lambda grad, name=name, p=p: sizes.update({name: p.norm().item()}))
    return sizes


# %% wrong gradient_sizes WRONG_VALUE 2: only the first backward
def gradient_sizes(layer):
    sizes = {}

    def record(name, grad):
        if name not in sizes:
            sizes[name] = grad.norm().item()

    for name, p in layer.named_parameters():
        p.register_hook(lambda grad, name=name: record(name, grad))
    return sizes


# %% wrong gradient_sizes RECORDING_CHANGES 0: the gradient is normalised
def gradient_sizes(layer):
    sizes = {}
    for name, p in layer.named_parameters():

        def record(grad, name=name):
            sizes[name] = grad.norm().item()
            return grad / sizes[name]

        p.register_hook(record)
    return sizes


# %% wrong gradient_sizes RETURNS_NONE 0: the dict is not given back
def gradient_sizes(layer):
    sizes = {}
    for name, p in layer.named_parameters():
        p.register_hook(lambda grad, name=name: sizes.update({name: grad.norm().item()}))


# %% right gradient_sizes: all names are there before the first backward
def gradient_sizes(layer):
    sizes = dict.fromkeys(name for name, _ in layer.named_parameters())
    for name, parameter in layer.named_parameters():
        parameter.register_hook(lambda grad, name=name: sizes.update({name: grad.norm().item()}))
    return sizes


# %% wrong gradient_sizes NAMES_DIFFER 2: the name is looked up by the shape
def gradient_sizes(layer):
    sizes = {}
    names = {parameter.shape: name for name, parameter in layer.named_parameters()}

    def record(grad):
        sizes[names[grad.shape]] = grad.norm().item()

    for parameter in layer.parameters():
        parameter.register_hook(record)
    return sizes


# %% right only_positive: relu
import torch


def only_positive(t):
    t.register_hook(torch.relu)


# %% right only_positive: a copy, then in place
def only_positive(t):
    def hook(grad):
        grad = grad.clone()
        grad[grad < 0] = 0
        return grad

    t.register_hook(hook)


# %% right only_positive: times a mask, and the handle is given back
def only_positive(t):
    return t.register_hook(lambda grad: grad * (grad > 0))


# %% right only_positive: where
import torch


def only_positive(t):
    def hook(grad):
        return torch.where(grad > 0, grad, torch.zeros_like(grad))

    t.register_hook(hook)


# %% wrong only_positive NEIGHBOUR_CHANGED 0: clamp_ in place
def only_positive(t):
    t.register_hook(lambda grad: grad.clamp_(min=0))


# %% wrong only_positive NEIGHBOUR_CHANGED 0: the in-place edit without a return
def only_positive(t):
    def hook(grad):
        grad[grad < 0] = 0

    t.register_hook(hook)


# %% wrong only_positive GRADIENT_UNCHANGED 0: the return is forgotten
def only_positive(t):
    def hook(grad):
        grad = grad.clamp(min=0)

    t.register_hook(hook)


# %% wrong only_positive GRADIENT_UNCHANGED 0: the copy is changed and thrown away
def only_positive(t):
    def hook(grad):
        copy = grad.clone()
        copy[copy < 0] = 0
        return grad

    t.register_hook(hook)


# %% wrong only_positive GRADIENT_UNCHANGED 0: no hook at all
def only_positive(t):
    pass


# %% wrong only_positive WRONG_VALUE 0: the sign is taken away
def only_positive(t):
    t.register_hook(lambda grad: grad.abs())


# %% wrong only_positive NEIGHBOUR_CHANGED 0: detach shares the memory
def only_positive(t):
    def hook(grad):
        copy = grad.detach()
        copy[copy < 0] = 0
        return copy

    t.register_hook(hook)


# %% wrong only_positive RAISED 0: only the positive numbers, another size
def only_positive(t):
    t.register_hook(lambda grad: grad[grad > 0])


# %% wrong only_positive NEGATIVE_LEFT 0: only looks at the first number
def only_positive(t):
    def hook(grad):
        return grad * 1.5 if grad[0] < 0 else grad

    t.register_hook(hook)


# %% right only_positive: by way of numpy
import numpy as np
import torch


def only_positive(t):
    t.register_hook(lambda grad: torch.from_numpy(np.maximum(grad.numpy(), 0)))


# %% right row_gradients: a named hook
def row_gradients(weight, row):
    rows = []

    def hook(grad):
        rows.append(grad[row])

    weight.register_hook(hook)
    return rows


# %% right row_gradients: select, and the gradient is given back
def row_gradients(weight, row):
    seen = []

    def hook(grad):
        seen.append(grad.select(0, row).detach().clone())
        return grad

    weight.register_hook(hook)
    return seen


# %% right row_gradients: unbind
def row_gradients(weight, row):
    seen = list()
    weight.register_hook(lambda grad: seen.extend([grad.unbind()[row]]))
    return seen


# %% wrong row_gradients RECORD_EMPTY 0: a view
def row_gradients(weight, row):
    seen = []
    weight.select(0, row).register_hook(lambda grad: seen.append(grad))
    return seen


# %% wrong row_gradients RECORD_EMPTY 0: a detached row
def row_gradients(weight, row):
    seen = []
    weight[row].detach().requires_grad_().register_hook(seen.append)
    return seen


# %% wrong row_gradients RECORD_EMPTY 0: a row with retain_grad
def row_gradients(weight, row):
    watched = weight[row]
    watched.retain_grad()
    return [] if watched.grad is None else [watched.grad]


# %% wrong row_gradients WHOLE_GRADIENT 0: the whole gradient
def row_gradients(weight, row):
    seen = []
    weight.register_hook(seen.append)
    return seen


# %% wrong row_gradients RAISED 0: the row is given back to backward
def row_gradients(weight, row):
    seen = []

    def hook(grad):
        seen.append(grad[row])
        return grad[row]

    weight.register_hook(hook)
    return seen


# %% wrong row_gradients ACCUMULATED_SEEN 2: the stored gradient
def row_gradients(weight, row):
    seen = []
    weight.register_post_accumulate_grad_hook(lambda w: seen.append(w.grad[row].clone()))
    return seen


# %% wrong row_gradients RECORDING_CHANGES 0: the other rows become zero
import torch


def row_gradients(weight, row):
    seen = []

    def hook(grad):
        seen.append(grad[row])
        only = torch.zeros_like(grad)
        only[row] = grad[row]
        return only

    weight.register_hook(hook)
    return seen


# %% wrong row_gradients ONLY_THE_LAST_BACKWARD 2: the hook is removed after the first call
def row_gradients(weight, row):
    seen = []

    def hook(grad):
        seen.append(grad[row])
        handle.remove()

    handle = weight.register_hook(hook)
    return seen


# %% wrong row_gradients WRONG_VALUE 0: the row of the weight
def row_gradients(weight, row):
    seen = []
    weight.register_hook(lambda grad: seen.append(weight.detach()[row].clone() * 10))
    return seen


# %% wrong row_gradients RETURNS_NONE 0: no return
def row_gradients(weight, row):
    seen = []
    weight.register_hook(lambda grad: seen.append(grad[row]))


# %% wrong row_gradients WRONG_SHAPE 0: a slice keeps the dimension
def row_gradients(weight, row):
    seen = []
    weight.register_hook(lambda grad: seen.append(grad[row : row + 1]))
    return seen


# %% wrong row_gradients NOT_TENSORS 0: lists of numbers
def row_gradients(weight, row):
    seen = []
    weight.register_hook(lambda grad: seen.append(grad[row].tolist()))
    return seen


# %% wrong row_gradients ONLY_THE_LAST_BACKWARD 0: extend instead of append
def row_gradients(weight, row):
    seen = []
    weight.register_hook(lambda grad: seen.extend(grad[row]))
    return seen


# %% right train_and_log: try and finally
import torch


def train_and_log(weight, steps):
    norms = []
    handle = weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    try:
        for _ in range(steps):
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
            weight.grad = None
    finally:
        handle.remove()
    return norms


# %% right train_and_log: a hook for each step
import torch


def train_and_log(weight, steps):
    norms = []
    for _ in range(steps):
        handle = weight.register_hook(lambda grad: norms.append(grad.norm()))
        (weight * weight).sum().backward()
        handle.remove()
        with torch.no_grad():
            weight.sub_(weight.grad, alpha=0.25)
        weight.grad = None
    return norms


# %% right train_and_log: no hook is needed
import torch


def train_and_log(weight, steps):
    norms = []
    for _ in range(steps):
        (weight * weight).sum().backward()
        norms.append(weight.grad.norm().item())
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    return norms


# %% wrong train_and_log HOOKS_LEFT 0: before the loop, never removed
import torch


def train_and_log(weight, steps):
    norms = []
    weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    return norms


# %% wrong train_and_log HOOKS_LEFT 0: del handle
import torch


def train_and_log(weight, steps):
    norms = []
    handle = weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    del handle
    return norms


# %% wrong train_and_log TOO_MANY_ENTRIES 0: removes only the last hook
import torch


def train_and_log(weight, steps):
    norms = []
    for _ in range(steps):
        handle = weight.register_hook(lambda grad: norms.append(grad.norm().item()))
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    handle.remove()
    return norms


# %% wrong train_and_log OTHERS_HOOKS_GONE 3: all hooks are cleared
import torch


def train_and_log(weight, steps):
    norms = []
    weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    weight._backward_hooks.clear()
    return norms


# %% wrong train_and_log HOOKS_LEFT 0: the record is a copy, the hook stays
import torch


def train_and_log(weight, steps):
    norms = []
    weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    return norms[:steps]


# %% wrong train_and_log ONLY_THE_LAST_BACKWARD 1: removed after the first step
import torch


def train_and_log(weight, steps):
    norms = []
    handle = weight.register_hook(lambda grad: norms.append(grad.norm().item()))
    for _ in range(steps):
        (weight * weight).sum().backward()
        handle.remove()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    return norms


# %% wrong train_and_log RECORD_EMPTY 0: a hook on a copy
import torch


def train_and_log(weight, steps):
    norms = []
    copy = weight.clone()
    with copy.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
            weight.grad = None
    return norms


# %% wrong train_and_log TRAINING_CHANGED 0: trains a copy
import torch


def train_and_log(weight, steps):
    norms = []
    copy = weight.detach().clone().requires_grad_()
    with copy.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            (copy * copy).sum().backward()
            with torch.no_grad():
                copy -= 0.25 * copy.grad
            copy.grad = None
    return norms


# %% right train_and_log: an optimizer
import torch


def train_and_log(weight, steps):
    norms = []
    optimizer = torch.optim.SGD([weight], lr=0.25)
    with weight.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            optimizer.zero_grad()
            weight.square().sum().backward()
            optimizer.step()
    optimizer.zero_grad()
    return norms


# %% wrong train_and_log TRAINING_CHANGED 0: the gradient is not cleared
import torch


def train_and_log(weight, steps):
    norms = []
    with weight.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
    return norms


# %% right freeze_rows: times a mask
import torch


def freeze_rows(weight, rows):
    mask = torch.ones_like(weight, requires_grad=False)
    mask[rows] = 0
    return weight.register_hook(lambda grad: grad * mask)


# %% right freeze_rows: index_fill
import torch


def freeze_rows(weight, rows):
    index = torch.tensor(rows)
    return weight.register_hook(lambda grad: grad.index_fill(0, index, 0.0))


# %% wrong freeze_rows ROWS_NOT_FROZEN 3: built row by row, rows from the end forgotten
import torch


def freeze_rows(weight, rows):
    def hook(grad):
        return torch.stack([torch.zeros_like(g) if i in rows else g for i, g in enumerate(grad)])

    return weight.register_hook(hook)


# %% wrong freeze_rows NEIGHBOUR_CHANGED 0: in place
def freeze_rows(weight, rows):
    def hook(grad):
        grad[rows] = 0
        return grad

    return weight.register_hook(hook)


# %% wrong freeze_rows WEIGHT_CHANGED 0: the weight is set to zero
import torch


def freeze_rows(weight, rows):
    with torch.no_grad():
        weight[rows] = 0
    return weight.register_hook(lambda grad: None)


# %% wrong freeze_rows GRADIENT_UNCHANGED 0: a hook on the rows
import torch


def freeze_rows(weight, rows):
    return weight[rows].register_hook(torch.zeros_like)


# %% wrong freeze_rows GRADIENT_UNCHANGED 0: the changed copy is not given back
def freeze_rows(weight, rows):
    def hook(grad):
        copy = grad.clone()
        copy[rows] = 0

    return weight.register_hook(hook)


# %% wrong freeze_rows OTHER_ROWS_CHANGED 0: everything is frozen
import torch


def freeze_rows(weight, rows):
    return weight.register_hook(torch.zeros_like)


# %% wrong freeze_rows ROWS_NOT_FROZEN 2: only the first row of the list
def freeze_rows(weight, rows):
    def hook(grad):
        grad = grad.clone()
        grad[rows[0]] = 0
        return grad

    return weight.register_hook(hook)


# %% wrong freeze_rows ROWS_NOT_FROZEN 0: only in the first backward
def freeze_rows(weight, rows):
    def hook(grad):
        handle.remove()
        grad = grad.clone()
        grad[rows] = 0
        return grad

    handle = weight.register_hook(hook)
    return handle


# %% wrong freeze_rows RAISED 4: a mask for matrices only
import torch


def freeze_rows(weight, rows):
    mask = torch.ones(len(weight), 1, dtype=weight.dtype)
    mask[rows] = 0
    return weight.register_hook(lambda grad: torch.mm(torch.diag(mask.flatten()), grad))


# %% wrong freeze_rows RAISED 5: a gradient that becomes another dtype
import torch


def freeze_rows(weight, rows):
    def hook(grad):
        grad = grad.float().clone()
        grad[rows] = 0
        return grad

    return weight.register_hook(hook)


# %% wrong freeze_rows NO_HANDLE 0: no handle
def freeze_rows(weight, rows):
    def hook(grad):
        grad = grad.clone()
        grad[rows] = 0
        return grad

    weight.register_hook(hook)


# %% wrong freeze_rows RAISED 5: a mask in single precision
import torch


def freeze_rows(weight, rows):
    mask = torch.ones(weight.shape)
    mask[rows] = 0
    return weight.register_hook(lambda grad: grad * mask)


# %% wrong freeze_rows HOOK_NOT_REMOVED 2: a hook for each row, one handle
def freeze_rows(weight, rows):
    for row in rows:

        def hook(grad, row=row):
            grad = grad.clone()
            grad[row] = 0
            return grad

        handle = weight.register_hook(hook)
    return handle


# %% right record_backward: an exit stack
from contextlib import ExitStack


def record_backward(root, tensors):
    seen = []
    with ExitStack() as stack:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            stack.enter_context(
                t.register_hook(lambda g, n=name: None if g is None else seen.append([n, g]))
            )
        root.backward()
    return seen


# %% right record_backward: partial, and the record is filtered at the end
from functools import partial


def record_backward(root, tensors):
    pairs = []

    def hook(name, grad):
        pairs.append((name, grad))

    handles = [t.register_hook(partial(hook, n)) for n, t in tensors.items() if t.requires_grad]
    try:
        root.backward()
    finally:
        for handle in handles:
            handle.remove()
    return tuple(pair for pair in pairs if pair[1] is not None)


# %% right record_backward: except and raise
def record_backward(root, tensors):
    found = {}
    handles = []

    def watch(name):
        def hook(grad):
            if grad is None:
                return None
            found[name] = grad.detach().clone()
            return grad

        return hook

    for name in tensors:
        if tensors[name].requires_grad:
            handles.append(tensors[name].register_hook(watch(name)))
    try:
        root.backward()
    except Exception:
        for h in handles:
            h.remove()
        raise
    for h in handles:
        h.remove()
    return list(found.items())


# %% wrong record_backward LOOP_VARIABLE 2: the loop variable
def record_backward(root, tensors):
    seen, handles = [], []
    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(t.register_hook(lambda g: seen.append((name, g))))
    try:
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward HOOKS_LEFT 0: no handle is removed
def record_backward(root, tensors):
    seen = []
    for name, t in tensors.items():
        if t.requires_grad:
            t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
    root.backward()
    return seen


# %% wrong record_backward HOOK_LEFT_AFTER_ERROR 6: an error leaves the hooks
def record_backward(root, tensors):
    seen, handles = [], []
    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
    root.backward()
    for h in handles:
        h.remove()
    return seen


# %% wrong record_backward ERROR_SWALLOWED 6: the error is swallowed
def record_backward(root, tensors):
    seen, handles = [], []
    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
    try:
        root.backward()
    except Exception:
        pass
    for h in handles:
        h.remove()
    return seen


# %% wrong record_backward UNREACHED_LISTED 7: None is listed as well
def record_backward(root, tensors):
    seen, handles = [], []
    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(t.register_hook(lambda g, name=name: seen.append((name, g))))
    try:
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward RAISED 7: None has no clone
def record_backward(root, tensors):
    seen, handles = [], []
    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(t.register_hook(lambda g, name=name: seen.append((name, g.clone()))))
    try:
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward TENSORS_MISSING 2: only leaves, after backward
def record_backward(root, tensors):
    root.backward()
    return [(n, t.grad) for n, t in tensors.items() if t.is_leaf and t.grad is not None]


# %% wrong record_backward WRONG_ORDER 2: in the order of the dict
def record_backward(root, tensors):
    found, handles = {}, []
    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else found.update({name: g}))
            )
    try:
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return [(name, found[name]) for name in tensors if name in found]


# %% wrong record_backward RAISED 7: a hook on a tensor without a gradient
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward GRADIENTS_NOT_STORED 2: autograd.grad instead of backward
import torch


def record_backward(root, tensors):
    seen, handles = [], []
    tracked = {n: t for n, t in tensors.items() if t.requires_grad}
    try:
        for name, t in tracked.items():
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        torch.autograd.grad(root, list(tracked.values()), allow_unused=True)
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward WRONG_TYPE 0: a dict of gradients
def record_backward(root, tensors):
    with_grad = [t for t in tensors.values() if t.requires_grad]
    for t in with_grad:
        t.retain_grad()
    root.backward()
    return {n: t.grad for n, t in tensors.items() if t.requires_grad}


# %% wrong record_backward TENSORS_MISSING 6: a gradient of zeros is left out
def record_backward(root, tensors):
    record, handles = [], []

    def hook_for(name):
        def hook(grad):
            if grad is not None and grad.any():
                record.append((name, grad))

        return hook

    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(t.register_hook(hook_for(name)))
    try:
        root.backward()
    finally:
        for handle in handles:
            handle.remove()
    return record


# %% wrong record_backward REQUIRES_GRAD_CHANGED 7: every tensor is made to require a gradient
def record_backward(root, tensors):
    record, handles = [], []

    def hook_for(name):
        def hook(grad):
            if grad is not None:
                record.append((name, grad))

        return hook

    for name, t in tensors.items():
        handles.append(t.requires_grad_().register_hook(hook_for(name)))
    try:
        root.backward()
    finally:
        for handle in handles:
            handle.remove()
    return record


# %% wrong record_backward NOT_TENSORS 2: lists of numbers
def record_backward(root, tensors):
    record, handles = [], []

    def hook_for(name):
        def hook(grad):
            if grad is not None:
                record.append((name, grad.tolist()))

        return hook

    for name, t in tensors.items():
        if t.requires_grad:
            handles.append(t.register_hook(hook_for(name)))
    try:
        root.backward()
    finally:
        for handle in handles:
            handle.remove()
    return record


# %% wrong firing_order RESULT_REACHED_AGAIN 2: the second backward goes the whole way
def firing_order():
    return ["y", "h one", "h two", "x", "x stored"] * 2


# %% wrong scale_gradient OLDER_GRADIENT_CHANGED 3: of a leaf, the sum that is stored
def scale_gradient(t, factor):
    def hook(p):
        p.grad = p.grad * factor

    if t.is_leaf:
        return t.register_post_accumulate_grad_hook(hook)
    return t.register_hook(lambda grad: grad * factor)


# %% wrong scale_gradient FACTOR_ZERO 3: zero is no factor
def scale_gradient(t, factor):
    return t.register_hook(lambda grad: grad * factor if factor else None)


# %% wrong scale_gradient ONE_FACTOR_FOR_ALL 3: one factor for all calls
state = {}


def scale_gradient(t, factor):
    state["factor"] = factor
    return t.register_hook(lambda grad: grad * state["factor"])


# %% wrong scale_gradient RAISED 3: number by number
import torch


def scale_gradient(t, factor):
    return t.register_hook(lambda grad: torch.tensor([v * factor for v in grad.tolist()]))


# %% wrong scale_gradient OTHERS_HOOKS_GONE 3: all hooks go first
def scale_gradient(t, factor):
    if t._backward_hooks:
        t._backward_hooks.clear()
    return t.register_hook(lambda grad: grad * factor)


# %% wrong be_the_engine NOT_TENSORS 1: a record of numbers
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad.tolist())
        made = hook(grad)
        if made is not None:
            grad = made
    return seen, grad


# %% wrong be_the_engine RESULT_NOT_A_TENSOR 0: a number goes on
def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            grad = made
    return seen, grad.item()


# %% wrong be_the_engine RAISED 4: only for a gradient of one number
import torch


def be_the_engine(grad, hooks):
    seen = []
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            grad = torch.tensor(float(made))
    return seen, grad


# %% wrong be_the_engine HOOKS_NOT_CALLED 4: each function once
def be_the_engine(grad, hooks):
    seen = []
    for hook in dict.fromkeys(hooks):
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            grad = made
    return seen, grad


# %% wrong be_the_engine WRONG_VALUE 1: what the last hook gives back is lost
def be_the_engine(grad, hooks):
    seen, new = [], grad
    for hook in hooks:
        grad = new
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            new = made
    return seen, grad


# %% wrong be_the_engine NO_HOOK_NO_CHANGE 4: the result is set in the loop
def be_the_engine(grad, hooks):
    seen, out = [], None
    for hook in hooks:
        seen.append(grad)
        made = hook(grad)
        if made is not None:
            grad = made
        out = grad
    return seen, out


# %% wrong gradient_sizes ZERO_LEFT_OUT 2: a gradient of zeros is left out
def gradient_sizes(layer):
    sizes = {}
    for name, parameter in layer.named_parameters():

        def record(grad, name=name):
            if grad.any():
                sizes[name] = grad.norm().item()

        parameter.register_hook(record)
    return sizes


# %% wrong gradient_sizes NAMES_DIFFER 0: only the weight
def gradient_sizes(layer):
    sizes = {}
    weight = next(layer.parameters())
    weight.register_hook(lambda grad: sizes.update(weight=grad.norm().item()))
    return sizes


# %% wrong only_positive RAISED 3: number by number
import torch


def only_positive(t):
    t.register_hook(lambda grad: torch.tensor([max(v, 0.0) for v in grad.tolist()]))


# %% wrong only_positive OTHERS_HOOKS_GONE 3: all hooks go first
def only_positive(t):
    if t._backward_hooks:
        t._backward_hooks.clear()
    t.register_hook(lambda grad: grad.clamp(min=0))


# %% wrong row_gradients ONLY_THE_LAST_BACKWARD 3: a gradient of zeros is left out
def row_gradients(weight, row):
    seen = []

    def hook(grad):
        if grad.any():
            seen.append(grad[row].clone())

    weight.register_hook(hook)
    return seen


# %% wrong train_and_log NORM_OF_ANOTHER_KIND 3: of a matrix, the largest singular value
import torch


def train_and_log(weight, steps):
    norms = []
    with weight.register_hook(lambda grad: norms.append(torch.linalg.norm(grad, 2).item())):
        for _ in range(steps):
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
            weight.grad = None
    return norms


# %% wrong train_and_log WRONG_VALUE 3: the gradient is computed by hand
import torch


def train_and_log(weight, steps):
    norms = []
    for _ in range(steps):
        norms.append((2 * weight).norm().item())
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    return norms


# %% wrong train_and_log RAISED 4: a handle that only a step makes
import torch


def train_and_log(weight, steps):
    norms = []
    for step in range(steps):
        if step == 0:
            handle = weight.register_hook(lambda grad: norms.append(grad.norm().item()))
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    handle.remove()
    return norms


# %% wrong train_and_log OTHERS_HOOKS_GONE 3: all hooks of the other kind are cleared
import torch


def train_and_log(weight, steps):
    norms = []
    weight.register_post_accumulate_grad_hook(lambda w: norms.append(w.grad.norm().item()))
    for _ in range(steps):
        (weight * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.25 * weight.grad
        weight.grad = None
    weight._post_accumulate_grad_hooks.clear()
    return norms


# %% wrong train_and_log GRADIENT_LEFT 0: cleared at the start of each step
import torch


def train_and_log(weight, steps):
    norms = []
    with weight.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            weight.grad = None
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
    return norms


# %% right train_and_log: zeros are left in .grad
import torch


def train_and_log(weight, steps):
    norms = []
    with weight.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            (weight * weight).sum().backward()
            with torch.no_grad():
                weight -= 0.25 * weight.grad
                weight.grad.zero_()
    return norms


# %% wrong train_and_log OTHERS_HOOKS_NOT_CALLED 3: a copy is trained and copied back
import torch


def train_and_log(weight, steps):
    norms = []
    copy = weight.detach().clone().requires_grad_()
    with copy.register_hook(lambda grad: norms.append(grad.norm().item())):
        for _ in range(steps):
            (copy * copy).sum().backward()
            with torch.no_grad():
                copy -= 0.25 * copy.grad
            copy.grad = None
    with torch.no_grad():
        weight.copy_(copy)
    return norms


# %% right freeze_rows: built row by row, rows counted from the start
import torch


def freeze_rows(weight, rows):
    frozen = {row % len(weight) for row in rows}

    def hook(grad):
        return torch.stack([torch.zeros_like(g) if i in frozen else g for i, g in enumerate(grad)])

    return weight.register_hook(hook)


# %% wrong freeze_rows ROWS_NOT_FROZEN 3: a slice of one row
def freeze_rows(weight, rows):
    def hook(grad):
        grad = grad.clone()
        for row in rows:
            grad[row : row + 1] = 0
        return grad

    return weight.register_hook(hook)


# %% wrong freeze_rows ROWS_NOT_FROZEN 4: a row that is named twice is counted twice
import torch


def freeze_rows(weight, rows):
    mask = torch.ones_like(weight.detach())
    for row in rows:
        mask[row] -= 1
    return weight.register_hook(lambda grad: grad * mask)


# %% wrong freeze_rows RAISED 3: one_hot
import torch


def freeze_rows(weight, rows):
    frozen = torch.nn.functional.one_hot(torch.tensor(rows), len(weight)).amax(0)

    def hook(grad):
        return grad * (1 - frozen).view(-1, *[1] * (grad.dim() - 1))

    return weight.register_hook(hook)


# %% wrong freeze_rows OLDER_GRADIENT_CHANGED 5: after the gradient is stored
def freeze_rows(weight, rows):
    def hook(weight):
        weight.grad[rows] = 0

    return weight.register_post_accumulate_grad_hook(hook)


# %% wrong record_backward ACCUMULATED_SEEN 6: a leaf's gradient after it was added up
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            if t.is_leaf:
                handles.append(
                    t.register_post_accumulate_grad_hook(
                        lambda t, name=name: seen.append((name, t.grad.clone()))
                    )
                )
                continue
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward GRADIENTS_NOT_STORED 6: older gradients are cleared first
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            t.grad = None
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward HOOKS_LEFT 0: a hook of the other kind stays
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            if t.is_leaf:
                t.register_post_accumulate_grad_hook(
                    lambda t, name=name: seen.append((name, t.grad.clone()))
                )
                continue
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward RETAINS_GRAD 0: every tensor retains its gradient
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            t.retain_grad()
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward HOOKS_LEFT 6: hooks stay on the nodes
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            if t.grad_fn is not None:
                t.grad_fn.register_prehook(
                    lambda gs, name=name, i=t.output_nr: (
                        None if gs[i] is None else seen.append((name, gs[i]))
                    )
                )
                continue
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward OTHERS_HOOKS_GONE 6: all hooks are cleared
def record_backward(root, tensors):
    seen = []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
        root.backward()
    finally:
        for t in tensors.values():
            if t._backward_hooks:
                t._backward_hooks.clear()
    return seen


# %% wrong record_backward TENSOR_TWICE 2: two backward calls
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward(retain_graph=True)
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen


# %% wrong record_backward TENSOR_TWICE 2: two hooks for each leaf
def record_backward(root, tensors):
    seen, handles = [], []
    try:
        for name, t in tensors.items():
            if not t.requires_grad:
                continue
            if t.is_leaf:
                handles.append(
                    t.register_post_accumulate_grad_hook(
                        lambda t, name=name: seen.append((name, t.grad.clone()))
                    )
                )
            handles.append(
                t.register_hook(lambda g, name=name: None if g is None else seen.append((name, g)))
            )
        root.backward()
    finally:
        for h in handles:
            h.remove()
    return seen
