# %% right which_are_leaves: a dict
def which_are_leaves():
    return dict(a="made", b="untracked", c="untracked", d="result", e="untracked", f="made")


# %% right which_are_leaves: asked of torch
import torch


def which_are_leaves():
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0)
    c = b * 4
    d = a * b
    e = d.detach()
    f = torch.nn.Parameter(a * 2)

    def word(t):
        if not t.requires_grad:
            return "untracked"
        return "made" if t.is_leaf else "result"

    return {name: word(t) for name, t in zip("abcdef", (a, b, c, d, e, f))}


# %% right which_are_leaves: filled in step by step, with an extra key
def which_are_leaves():
    words = {"loss": "?"}
    words["a"] = words["f"] = "made"
    for name in "bce":
        words[name] = "untracked"
    words["d"] = "result"
    return words


# %% right which_are_leaves: another kind of dict
from collections import defaultdict


def which_are_leaves():
    return defaultdict(
        lambda: "untracked",
        a="made",
        d="result",
        f="made",
        b="untracked",
        c="untracked",
        e="untracked",
    )


# %% wrong which_are_leaves NAMES_MISSING 2: names are left out
def which_are_leaves():
    return {"a": "made", "b": "untracked", "c": "untracked", "d": "result"}


# %% wrong sgd_step NAME_REBOUND 0: does nothing
def sgd_step(weights, lr):
    pass


# %% wrong which_are_leaves UNTRACKED_IS_LEAF 0: every result is a non-leaf
def which_are_leaves():
    return {"a": "made", "b": "untracked", "c": "result", "d": "result", "e": "result", "f": "made"}


# %% wrong which_are_leaves LEAF_FOR_ANOTHER_REASON 2: b was made by hand
def which_are_leaves():
    return {
        "a": "made",
        "b": "made",
        "c": "untracked",
        "d": "result",
        "e": "untracked",
        "f": "made",
    }


# %% wrong which_are_leaves UNTRACKED_IS_LEAF 2: detach gives a result
def which_are_leaves():
    return {
        "a": "made",
        "b": "untracked",
        "c": "untracked",
        "d": "result",
        "e": "result",
        "f": "made",
    }


# %% wrong which_are_leaves MADE_IS_LEAF 2: a Parameter keeps the history of what it is given
def which_are_leaves():
    return {
        "a": "made",
        "b": "untracked",
        "c": "untracked",
        "d": "result",
        "e": "untracked",
        "f": "result",
    }


# %% wrong which_are_leaves TRACKED_IS_NO_LEAF 2: everything with requires_grad is a leaf
def which_are_leaves():
    return {
        "a": "made",
        "b": "untracked",
        "c": "untracked",
        "d": "made",
        "e": "untracked",
        "f": "made",
    }


# %% wrong which_are_leaves NAMES_MISSING 0: True and False instead of the words
def which_are_leaves():
    return {"a": True, "b": True, "c": True, "d": False, "e": True, "f": True}


# %% wrong which_are_leaves WRONG_TYPE 0: a list of the leaves
def which_are_leaves():
    return ["a", "b", "c", "e", "f"]


# %% wrong which_are_leaves NOT_CALLABLE 0: the dict itself, no function
which_are_leaves = {
    "a": "made",
    "b": "untracked",
    "c": "untracked",
    "d": "result",
    "e": "untracked",
    "f": "made",
}


# %% wrong which_are_leaves RETURNS_NONE 0: printed, not given back
def which_are_leaves():
    print({"a": "made", "b": "untracked"})


# %% right history: a loop
def history(t):
    names = []
    node = t.grad_fn
    while node:
        names.append(node.name())
        nexts = [n for n, _ in node.next_functions if n is not None]
        node = nexts[0] if nexts else None
    return names


# %% right history: a function that calls itself
def history(t):
    def walk(node):
        if node is None:
            return []
        parents = [pair[0] for pair in node.next_functions if pair[0]]
        return [node.name()] + (walk(parents[0]) if parents else [])

    return walk(t.grad_fn)


# %% right history: class names, given back as a tuple
def history(t):
    names, node = (), t.grad_fn
    while node is not None:
        names += (type(node).__name__,)
        for following, _ in node.next_functions:
            if following is not None:
                node = following
                break
        else:
            node = None
    return names


# %% wrong history HISTORY_STOPS_EARLY 1: only the last operation
def history(t):
    return [t.grad_fn.name()] if t.grad_fn is not None else []


# %% wrong history HISTORY_STOPS_EARLY 1: without the leaf
def history(t):
    names, node = [], t.grad_fn
    while node is not None and node.next_functions:
        names.append(node.name())
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


# %% wrong history RAISED 2: the first pair can be empty
def history(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
        if node is None and names[-1] != "torch::autograd::AccumulateGrad":
            raise ValueError("where is the next node?")
    return names


# %% wrong history HISTORY_REVERSED 1: from the leaf forward
def history(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.insert(0, node.name())
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


# %% wrong history NODES_NOT_NAMES 1: the nodes themselves
def history(t):
    nodes, node = [], t.grad_fn
    while node is not None:
        nodes.append(node)
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return nodes


# %% wrong history NODES_NOT_NAMES 1: the printed form
def history(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.append(str(node))
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


# %% wrong history RAISED 3: a tensor without a grad_fn is forgotten
def history(t):
    node = t.grad_fn
    names = [node.name()]
    while node.next_functions:
        node = next((n for n, _ in node.next_functions if n is not None), None)
        names.append(node.name())
    return names


# %% wrong history RAISED 1: does not stop at the leaf
def history(t):
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0]
    return names


# %% wrong history WRONG_VALUE 1: the example from the text
def history(t):
    return ["SubBackward0", "MulBackward0", "AccumulateGrad"] if t.grad_fn else []


# %% wrong history WRONG_VALUE 2: each name once
def history(t):
    names, node = [], t.grad_fn
    while node is not None:
        if node.name() not in names:
            names.append(node.name())
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


# %% wrong history RETURNS_NONE 0: printed, not given back
def history(t):
    node = t.grad_fn
    while node is not None:
        print(node.name())
        node = next((n for n, _ in node.next_functions if n is not None), None)


# %% right leaf_copy: clone first
def leaf_copy(t):
    return t.clone().detach().requires_grad_(True)


# %% right leaf_copy: a Parameter is a tensor too
import torch


def leaf_copy(t):
    return torch.nn.Parameter(t.detach().clone())


# %% right leaf_copy: through a new tensor
import torch


def leaf_copy(t):
    copy = torch.empty_like(t, requires_grad=True)
    with torch.no_grad():
        copy.copy_(t)
    return copy


# %% right leaf_copy: torch.tensor, which warns
import torch


def leaf_copy(t):
    return torch.tensor(t, requires_grad=True)


# %% wrong leaf_copy STILL_CONNECTED 0: clone is a recorded operation
def leaf_copy(t):
    return t.clone()


# %% wrong leaf_copy STILL_CONNECTED 1: requires_grad_ does not cut
def leaf_copy(t):
    return (t * 1).requires_grad_()


# %% wrong leaf_copy SHARES_MEMORY 0: detach does not copy
def leaf_copy(t):
    return t.detach().requires_grad_()


# %% wrong leaf_copy SHARES_MEMORY 0: .data does not copy either
def leaf_copy(t):
    return t.data.requires_grad_()


# %% wrong leaf_copy NOT_TRACKED 0: asks for no gradient
def leaf_copy(t):
    return t.detach().clone()


# %% wrong leaf_copy NOT_A_LEAF 0: arithmetic after requires_grad_
def leaf_copy(t):
    return t.detach().clone().requires_grad_() * 1


# %% wrong leaf_copy STILL_CONNECTED 0: the tensor itself
def leaf_copy(t):
    return t


# %% wrong leaf_copy RAISED 1: deepcopy only copies leaves
import copy


def leaf_copy(t):
    return copy.deepcopy(t)


# %% wrong leaf_copy WRONG_VALUE 2: the dtype is lost
import torch


def leaf_copy(t):
    return torch.tensor(t.tolist(), requires_grad=True)


# %% wrong leaf_copy WRONG_VALUE 2: digits are lost
import torch


def leaf_copy(t):
    return torch.tensor(t.tolist()).to(t.dtype).requires_grad_()


# %% wrong leaf_copy WRONG_VALUE 0: new zeros
import torch


def leaf_copy(t):
    return torch.zeros_like(t, requires_grad=True)


# %% wrong leaf_copy WRONG_TYPE 0: a list of numbers
def leaf_copy(t):
    return t.tolist()


# %% right leaf_copy: an empty tensor that is filled
def leaf_copy(t):
    copy = t.detach().new_empty(t.shape)
    copy[...] = t.detach()
    copy.requires_grad = True
    return copy


# %% wrong leaf_copy NOT_TRACKED 3: asks for a gradient only where t does
def leaf_copy(t):
    return t.detach().clone().requires_grad_(t.requires_grad)


# %% wrong leaf_copy NOT_TRACKED 3: deepcopy of a leaf, whatever its requires_grad is
import copy


def leaf_copy(t):
    return copy.deepcopy(t) if t.is_leaf else t.detach().clone().requires_grad_()


# %% wrong leaf_copy GRAD_SHARED 3: hands on the gradient itself
def leaf_copy(t):
    copy = t.detach().clone().requires_grad_()
    copy.grad = t.grad if t.is_leaf else None
    return copy


# %% wrong leaf_copy T_CHANGED 3: the gradient of t is cleared
def leaf_copy(t):
    copy = t.detach().clone().requires_grad_()
    if t.is_leaf:
        t.grad = None
    return copy


# %% wrong leaf_copy T_CHANGED 1: detaches t itself
def leaf_copy(t):
    return t.detach_().clone().requires_grad_()


# %% right weighted_gradient: torch.autograd.grad on a copy
import torch


def weighted_gradient(f, x, v):
    x = x.detach().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x, grad_outputs=v)
    return g


# %% right weighted_gradient: the weighted sum
def weighted_gradient(f, x, v):
    x = x.clone().detach().requires_grad_()
    (v * f(x)).sum().backward()
    return x.grad


# %% right weighted_gradient: torch.func
import torch


def weighted_gradient(f, x, v):
    _, pull_back = torch.func.vjp(f, x.detach())
    return pull_back(v)[0]


# %% right weighted_gradient: on x itself, and everything put back
import torch


def weighted_gradient(f, x, v):
    old, tracked = x.grad, x.requires_grad
    x.grad = None
    x.requires_grad_()
    f(x).backward(v)
    result = x.grad
    x.grad = old
    x.requires_grad_(tracked)
    return result


# %% wrong weighted_gradient WEIGHTS_IGNORED 0: backward from the sum
def weighted_gradient(f, x, v):
    x = x.detach().clone().requires_grad_()
    f(x).sum().backward()
    return x.grad


# %% wrong weighted_gradient RAISED 0: backward without v
def weighted_gradient(f, x, v):
    x = x.detach().clone().requires_grad_()
    f(x).backward()
    return x.grad


# %% wrong weighted_gradient INPUT_CHANGED 0: works on x itself
def weighted_gradient(f, x, v):
    x.requires_grad_()
    x.grad = None
    f(x).backward(v)
    return x.grad


# %% wrong weighted_gradient INPUT_CHANGED 0: adds to the old gradient of x
def weighted_gradient(f, x, v):
    x.requires_grad_()
    before = 0 if x.grad is None else x.grad.clone()
    f(x).backward(v)
    return x.grad - before


# %% wrong weighted_gradient GRADIENT_ACCUMULATED 2: the old gradient is in the result
def weighted_gradient(f, x, v):
    tracked = x.requires_grad
    old = None if x.grad is None else x.grad.clone()
    x.requires_grad_()
    f(x).backward(v)
    result = x.grad.clone()
    x.grad = old
    x.requires_grad_(tracked)
    return result


# %% wrong weighted_gradient RAISED 0: x does not require a gradient
import torch


def weighted_gradient(f, x, v):
    return torch.autograd.grad(f(x.detach()), x, v)[0]


# %% wrong weighted_gradient WRONG_VALUE 1: the derivative of the first function, learned by heart
def weighted_gradient(f, x, v):
    return 3 * v


# %% wrong weighted_gradient WRONG_TYPE 0: the tuple of autograd.grad
import torch


def weighted_gradient(f, x, v):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(f(x), x, v)


# %% wrong weighted_gradient RETURNS_NONE 0: what backward gives back
def weighted_gradient(f, x, v):
    x = x.detach().clone().requires_grad_()
    return f(x).backward(v)


# %% right weighted_gradient: one number of y after the other
import torch


def weighted_gradient(f, x, v):
    x = x.detach().clone().requires_grad_()
    parts = zip(f(x), v, strict=True)
    return sum(w * torch.autograd.grad(y, x, retain_graph=True)[0] for y, w in parts)


# %% wrong weighted_gradient WRONG_VALUE 3: the transposed jacobian, for vectors only
import torch


def weighted_gradient(f, x, v):
    jacobian = torch.autograd.functional.jacobian(f, x.detach())
    return jacobian.permute(*reversed(range(jacobian.dim()))) @ v


# %% right freeze: a loop
def freeze(part):
    frozen = 0
    for parameter in part.parameters():
        parameter.requires_grad = False
        frozen += parameter.numel()
    return frozen


# %% right freeze: the module's own method
def freeze(part):
    part.requires_grad_(False)
    return sum(p.numel() for p in part.parameters())


# %% right freeze: by name
import torch


def freeze(part):
    numbers = []
    for name, _ in list(part.named_parameters()):
        p = part.get_parameter(name)
        p.requires_grad_(False)
        numbers.append(torch.tensor(p.shape).prod().item())
    return sum(numbers)


# %% right freeze: numbers of numpy
import numpy as np


def freeze(part):
    for p in part.parameters():
        p.requires_grad = False
    return np.sum([np.prod(p.shape) for p in part.parameters()])


# %% right freeze: the count is a tensor
import torch


def freeze(part):
    part.requires_grad_(False)
    return torch.cat([p.flatten() for p in part.parameters()]).numel() * torch.ones(())


# %% wrong freeze NOT_FROZEN 0: an attribute of the module
def freeze(part):
    part.requires_grad = False
    return sum(p.numel() for p in part.parameters())


# %% wrong freeze NOT_FROZEN 0: detached copies
def freeze(part):
    count = 0
    for p in part.parameters():
        p = p.detach()
        count += p.numel()
    return count


# %% wrong freeze NOT_FROZEN 0: eval mode does not freeze
def freeze(part):
    part.eval()
    return sum(p.numel() for p in part.parameters())


# %% wrong freeze NOT_FROZEN 0: no_grad around nothing
import torch


def freeze(part):
    with torch.no_grad():
        return sum(p.numel() for p in part.parameters())


# %% wrong freeze NOT_FROZEN 0: only the weights
def freeze(part):
    count = 0
    for name, p in part.named_parameters():
        if name.endswith("weight"):
            p.requires_grad_(False)
        count += p.numel()
    return count


# %% wrong freeze COUNTS_TENSORS 0: counts tensors
def freeze(part):
    part.requires_grad_(False)
    return len(list(part.parameters()))


# %% wrong freeze RETURNS_NONE 0: no return
def freeze(part):
    for p in part.parameters():
        p.requires_grad = False


# %% wrong freeze WRONG_VALUE 2: only the numbers of the example
def freeze(part):
    part.requires_grad_(False)
    return 16


# %% right freeze: each module's own parameters
def freeze(part):
    numbers = []

    def freeze_own(module):
        for p in module.parameters(recurse=False):
            p.requires_grad_(False)
            numbers.append(p.numel())

    part.apply(freeze_own)
    return sum(numbers)


# %% wrong freeze NOT_FROZEN 2: by the names weight and bias
def freeze(part):
    count = 0
    for module in part.modules():
        for name in ("weight", "bias"):
            p = getattr(module, name, None)
            if p is not None:
                p.requires_grad_(False)
                count += p.numel()
    return count


# %% wrong freeze NOT_FROZEN 2: only modules without modules in them
def freeze(part):
    count = 0
    for module in part.modules():
        if not list(module.children()):
            for p in module.parameters():
                p.requires_grad_(False)
                count += p.numel()
    return count


# %% wrong freeze NOT_FROZEN 2: two levels deep
def freeze(part):
    count = 0
    for module in [part, *part.children()]:
        for p in module.parameters(recurse=False):
            p.requires_grad_(False)
            count += p.numel()
    return count


# %% wrong freeze WRONG_VALUE 2: the numbers of a vector or a matrix
def freeze(part):
    part.requires_grad_(False)
    return sum(p.shape[0] * (p.shape[1] if p.dim() > 1 else 1) for p in part.parameters())


# %% right why_no_grad: tests in another order
def why_no_grad(t):
    if t.is_leaf or t.retains_grad:
        if not t.requires_grad:
            return "not tracked"
        if t.grad is None:
            return "not yet"
        return "has grad"
    return "non-leaf"


# %% right why_no_grad: by grad_fn
def why_no_grad(t):
    if t.grad_fn is None and not t.requires_grad:
        word = "not tracked"
    elif t.grad_fn is not None and not t.retains_grad:
        word = "non-leaf"
    elif t.grad is not None:
        word = "has grad"
    else:
        word = "not yet"
    return word


# %% right why_no_grad: with match
def why_no_grad(t):
    match (t.requires_grad, t.is_leaf or t.retains_grad):
        case (False, _):
            return "not tracked"
        case (True, False):
            return "non-leaf"
        case _:
            return "has grad" if t.grad is not None else "not yet"


# %% wrong why_no_grad READS_GRAD_OF_NON_LEAF 5: reads .grad first
def why_no_grad(t):
    if t.grad is not None:
        return "has grad"
    if not t.requires_grad:
        return "not tracked"
    return "not yet" if t.is_leaf or t.retains_grad else "non-leaf"


# %% wrong why_no_grad RETAINED_IS_KEPT 4: forgets retain_grad
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    if not t.is_leaf:
        return "non-leaf"
    return "not yet" if t.grad is None else "has grad"


# %% wrong why_no_grad UNTRACKED_NOT_SEEN 5: every leaf can have a gradient
def why_no_grad(t):
    if not t.is_leaf and not t.retains_grad:
        return "non-leaf"
    return "not yet" if t.grad is None else "has grad"


# %% wrong why_no_grad NO_BACKWARD_YET 4: what can keep a gradient has one
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    return "has grad" if t.is_leaf or t.retains_grad else "non-leaf"


# %% wrong why_no_grad RESULT_NOT_SEEN 5: leaf is not asked, and the warning is silenced
import warnings


def why_no_grad(t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grad = t.grad
    if not t.requires_grad:
        return "not tracked"
    return "not yet" if grad is None else "has grad"


# %% wrong why_no_grad NOT_A_WORD 0: True and False
def why_no_grad(t):
    return t.requires_grad and t.is_leaf


# %% wrong why_no_grad NOT_A_WORD 1: words of one's own
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    return "leaf" if t.is_leaf else "result"


# %% wrong why_no_grad RETURNS_NONE 0: printed, not given back
def why_no_grad(t):
    print("not tracked" if not t.requires_grad else "non-leaf")


# %% wrong why_no_grad GRADIENT_NOT_SEEN 5: a gradient of zeros is no gradient
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    if not t.is_leaf and not t.retains_grad:
        return "non-leaf"
    return "has grad" if t.grad is not None and t.grad.any() else "not yet"


# %% wrong why_no_grad T_CHANGED 5: retain_grad keeps PyTorch silent
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    if t.is_leaf or t.retains_grad:
        return "has grad" if t.grad is not None else "not yet"
    t.retain_grad()
    return "non-leaf"


# %% wrong why_no_grad T_CHANGED 4: takes the gradient away
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    if not t.is_leaf and not t.retains_grad:
        return "non-leaf"
    if t.grad is None:
        return "not yet"
    t.grad = None
    return "has grad"


# %% wrong why_no_grad NO_BACKWARD_YET 2: always has grad
def why_no_grad(t):
    return "has grad"


# %% wrong why_no_grad RESULT_NOT_SEEN 5: what keeps no gradient is called not yet
def why_no_grad(t):
    if not t.requires_grad:
        return "not tracked"
    if t.is_leaf or t.retains_grad:
        return "has grad" if t.grad is not None else "not yet"
    return "not yet"


# %% right make_weights: arithmetic first
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in) * 0.1
    bias = torch.zeros(n_out) + 0.5
    weight.requires_grad_()
    bias.requires_grad_()
    return weight, bias


# %% right make_weights: parameters
import torch


def make_weights(n_in, n_out):
    return (
        torch.nn.Parameter(torch.randn(n_out, n_in) * 0.1),
        torch.nn.Parameter(torch.full((n_out,), 0.5)),
    )


# %% right make_weights: in place, not recorded
import torch


def make_weights(n_in, n_out):
    weight = torch.empty(n_out, n_in, requires_grad=True)
    bias = torch.empty(n_out, requires_grad=True)
    with torch.no_grad():
        weight.normal_(0, 0.1)
        bias.fill_(0.5)
    return [weight, bias]


# %% right make_weights: detached from the broken form
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in, requires_grad=True) * 0.1
    bias = torch.zeros(n_out, requires_grad=True) + 0.5
    return weight.detach().requires_grad_(), bias.detach().requires_grad_()


# %% right make_weights: torch.nn.init
import torch


def make_weights(n_in, n_out):
    weight = torch.nn.init.normal_(torch.empty(n_out, n_in), std=0.1)
    bias = torch.nn.init.constant_(torch.empty(n_out), 0.5)
    return weight.requires_grad_(), bias.requires_grad_()


# %% right make_weights: in double precision
import torch


def make_weights(n_in, n_out):
    weight = (torch.randn(n_out, n_in, dtype=torch.float64) * 0.1).requires_grad_()
    return weight, torch.full((n_out,), 0.5, dtype=torch.float64, requires_grad=True)


# %% wrong make_weights INITIAL_NUMBERS_CHANGED 0: not random
import torch


def make_weights(n_in, n_out):
    weight = torch.linspace(-0.173, 0.173, n_out * n_in).reshape(n_out, n_in).requires_grad_()
    return weight, torch.full((n_out,), 0.5, requires_grad=True)


# %% wrong make_weights NOT_A_LEAF 0: as it was
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in, requires_grad=True) * 0.1
    bias = torch.zeros(n_out, requires_grad=True) + 0.5
    return weight, bias


# %% wrong make_weights NOT_A_LEAF 0: requires_grad_ on a result changes nothing
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in, requires_grad=True) * 0.1
    bias = torch.zeros(n_out, requires_grad=True) + 0.5
    return weight.requires_grad_(), bias.requires_grad_()


# %% wrong make_weights NOT_A_LEAF 0: retain_grad makes no leaf
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in, requires_grad=True) * 0.1
    bias = torch.zeros(n_out, requires_grad=True) + 0.5
    weight.retain_grad()
    bias.retain_grad()
    return weight, bias


# %% wrong make_weights NOT_TRACKED 0: detach alone
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in, requires_grad=True) * 0.1
    bias = torch.zeros(n_out, requires_grad=True) + 0.5
    return weight.detach(), bias.detach()


# %% wrong make_weights NOT_TRACKED 0: the bias is forgotten
import torch


def make_weights(n_in, n_out):
    weight = (torch.randn(n_out, n_in) * 0.1).requires_grad_()
    bias = torch.zeros(n_out) + 0.5
    return weight, bias


# %% wrong make_weights NOT_A_LEAF 0: only the weight is repaired
import torch


def make_weights(n_in, n_out):
    weight = (torch.randn(n_out, n_in) * 0.1).requires_grad_()
    bias = torch.zeros(n_out, requires_grad=True) + 0.5
    return weight, bias


# %% wrong make_weights INITIAL_NUMBERS_CHANGED 0: the factor is lost
import torch


def make_weights(n_in, n_out):
    weight = torch.randn(n_out, n_in, requires_grad=True)
    bias = torch.full((n_out,), 0.5, requires_grad=True)
    return weight, bias


# %% wrong make_weights INITIAL_NUMBERS_CHANGED 0: zeros train, but are not random
import torch


def make_weights(n_in, n_out):
    return torch.zeros(n_out, n_in, requires_grad=True), torch.full(
        (n_out,), 0.5, requires_grad=True
    )


# %% wrong make_weights INITIAL_NUMBERS_CHANGED 0: the bias starts at 0
import torch


def make_weights(n_in, n_out):
    weight = (torch.randn(n_out, n_in) * 0.1).requires_grad_()
    return weight, torch.zeros(n_out, requires_grad=True)


# %% wrong make_weights WRONG_SHAPE 0: transposed
import torch


def make_weights(n_in, n_out):
    weight = (torch.randn(n_in, n_out) * 0.1).requires_grad_()
    return weight, torch.full((n_out,), 0.5, requires_grad=True)


# %% wrong make_weights WRONG_TYPE 0: only the weight
import torch


def make_weights(n_in, n_out):
    return (torch.randn(n_out, n_in) * 0.1).requires_grad_()


# %% right sgd_step: no_grad and -=
import torch


@torch.no_grad()
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is None:
            continue
        w -= lr * w.grad
        w.grad = None


# %% right sgd_step: through .data
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is not None:
            w.data.sub_(w.grad, alpha=lr)
            w.grad = None


# %% right sgd_step: through a detached view of the same memory
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is not None:
            w.detach().add_(w.grad, alpha=-lr)
            w.grad = None
    return weights


# %% right sgd_step: copy_
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in [w for w in weights if w.grad is not None]:
            w.copy_(w - lr * w.grad)
            w.grad = None


# %% right sgd_step: torch's own optimizer
import torch


def sgd_step(weights, lr):
    optimizer = torch.optim.SGD(weights, lr=lr)
    optimizer.step()
    optimizer.zero_grad()


# %% wrong sgd_step NAME_REBOUND 0: a new tensor under the same name
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is not None:
            g, w.grad = w.grad, None
            w = w - lr * g


# %% wrong sgd_step NAME_REBOUND 0: new tensors in the list
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for i, w in enumerate(weights):
            if w.grad is not None:
                weights[i] = (w - lr * w.grad).requires_grad_()
                w.grad = None


# %% wrong sgd_step RAISED 0: the update is recorded
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is not None:
            w -= lr * w.grad
            w.grad = None


# %% wrong sgd_step GRADIENT_NOT_CLEARED 0: the gradient stays
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= lr * w.grad


# %% wrong sgd_step GRADIENT_NOT_CLEARED 0: zeros instead of None
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= lr * w.grad
                w.grad.zero_()


# %% wrong sgd_step WRONG_DIRECTION 0: adds
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w += lr * w.grad
                w.grad = None


# %% wrong sgd_step RAISED 3: a weight without a gradient is forgotten
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            w -= lr * w.grad
            w.grad = None


# %% wrong sgd_step STEP_LENGTH 2: the learning rate of the first case
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= 0.25 * w.grad
                w.grad = None


# %% wrong sgd_step STEP_LENGTH 0: the learning rate is ignored
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= 0.1 * w.grad
                w.grad = None


# %% wrong sgd_step NOT_A_LEAF 0: the weights no longer ask for a gradient
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= lr * w.grad
                w.grad = None
                w.requires_grad_(False)


# %% right sgd_step: detached in place, and tracked again
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is not None:
            g = w.grad
            w.grad = None
            w.detach_()
            w -= lr * g
            w.requires_grad_()


# %% right sgd_step: not tracked for a moment
def sgd_step(weights, lr):
    for w in weights:
        g = w.grad
        if g is None:
            continue
        w.requires_grad = False
        w.sub_(g.mul(lr))
        w.requires_grad = True
        del w.grad


# %% right sgd_step: written with out=
import torch


def sgd_step(weights, lr):
    with torch.set_grad_enabled(False):
        for w in filter(lambda w: w.grad is not None, weights):
            torch.sub(w, w.grad, alpha=lr, out=w)
            w.grad = None


# %% wrong sgd_step STEP_LENGTH 0: lr is forgotten
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= w.grad
                w.grad = None


# %% wrong sgd_step STEP_LENGTH 0: divides by lr
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= w.grad / lr
                w.grad = None


# %% wrong sgd_step STEP_LENGTH 0: ten times too long
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                w -= 10 * lr * w.grad
                w.grad = None


# %% wrong sgd_step MEMORY_REPLACED 0: new memory under the same name
def sgd_step(weights, lr):
    for w in weights:
        if w.grad is not None:
            w.data = w.data - lr * w.grad
            w.grad = None


# %% wrong sgd_step RAISED 2: number by number, for vectors and matrices
import torch


def sgd_step(weights, lr):
    with torch.no_grad():
        for w in weights:
            if w.grad is not None:
                for i in range(len(w)):
                    w[i] -= lr * w.grad[i]
                w.grad = None


# %% right find_leaves: a stack of nodes
def find_leaves(loss):
    if loss.is_leaf:
        return [loss] if loss.requires_grad else []
    stack, seen, leaves = [loss.grad_fn], set(), []
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            leaves.append(node.variable)
        stack.extend(n for n, _ in node.next_functions)
    return leaves


# %% right find_leaves: level by level, leaves in a dict by id
def find_leaves(loss):
    if loss.grad_fn is None:
        return {loss} if loss.requires_grad else set()
    level, seen, leaves = {loss.grad_fn}, set(), {}
    while level:
        seen |= level
        for node in level:
            if node.name().endswith("AccumulateGrad"):
                leaves[id(node.variable)] = node.variable
        level = {n for node in level for n, _ in node.next_functions if n} - seen
    return leaves.values()


# %% right find_leaves: as a generator
from collections import deque


def find_leaves(loss):
    if loss.grad_fn is None:
        if loss.requires_grad:
            yield loss
        return
    queue, seen = deque([loss.grad_fn]), {loss.grad_fn}
    while queue:
        node = queue.popleft()
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            yield leaf
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                queue.append(following)


# %% wrong find_leaves LEAVES_DOUBLED 1: the first leaf once more
def find_leaves(loss):
    if loss.grad_fn is None:
        return [loss]
    todo, leaves = [loss.grad_fn], []
    while todo:
        node = todo.pop()
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [n for n, _ in node.next_functions if n is not None]
    return leaves + leaves[:1]


# %% right find_leaves: a node may wait twice, and is looked at once
def find_leaves(loss):
    if loss.is_leaf:
        return [loss] * loss.requires_grad
    waiting, done = [loss.grad_fn], {}
    for node in waiting:
        if node not in done:
            done[node] = getattr(node, "variable", None)
            waiting += [following for following, _ in node.next_functions if following]
    return [leaf for leaf in done.values() if leaf is not None]


# %% wrong find_leaves WALKS_EVERY_WAY 7: remembers the leaves, not the nodes
def find_leaves(loss):
    if loss.grad_fn is None:
        return [loss]
    todo, leaves = [loss.grad_fn], {}
    while todo:
        node = todo.pop()
        if hasattr(node, "variable"):
            leaves[id(node.variable)] = node.variable
        todo += [n for n, _ in node.next_functions if n is not None]
    return list(leaves.values())


# %% wrong find_leaves WALKS_EVERY_WAY 7: level by level, and a level can hold a node many times
def find_leaves(loss):
    if loss.grad_fn is None:
        return [loss]
    level, leaves = [loss.grad_fn], set()
    while level:
        leaves |= {n.variable for n in level if hasattr(n, "variable")}
        level = [n for node in level for n, _ in node.next_functions if n is not None]
    return leaves


# %% wrong find_leaves WALKS_EVERY_WAY 5: calls itself, remembers nothing, and hides every error
def find_leaves(loss):
    def walk(node):
        try:
            if hasattr(node, "variable"):
                return {node.variable}
            return set().union(*(walk(n) for n, _ in node.next_functions if n is not None))
        except Exception:
            return set()

    return [loss] if loss.grad_fn is None else walk(loss.grad_fn)


# %% wrong find_leaves LEAVES_DOUBLED 6: a leaf that is used twice is found twice
def find_leaves(loss):
    if loss.grad_fn is None:
        return [loss]
    todo, leaves = [loss.grad_fn], []
    while todo:
        node = todo.pop()
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [n for n, _ in node.next_functions if n is not None]
    return leaves


# %% wrong find_leaves LEAVES_MISSING 1: only the first way
def find_leaves(loss):
    if loss.grad_fn is None:
        return [loss]
    node = loss.grad_fn
    while node.next_functions:
        node = next(n for n, _ in node.next_functions if n is not None)
    return [node.variable]


# %% wrong find_leaves RAISED 6: calls itself for each node
def find_leaves(loss):
    leaves, seen = [], set()

    def walk(node):
        if node is None or node in seen:
            return
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        for following, _ in node.next_functions:
            walk(following)

    if loss.grad_fn is None:
        return [loss]
    walk(loss.grad_fn)
    return leaves


# %% wrong find_leaves NODES_NOT_TENSORS 0: the AccumulateGrad nodes
def find_leaves(loss):
    todo, seen, found = [loss.grad_fn], set(), []
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            found.append(node)
        todo += [n for n, _ in node.next_functions if n is not None]
    return found


# %% wrong find_leaves LEAVES_MISSING 1: the loss itself
def find_leaves(loss):
    return [loss] if loss.is_leaf else []


# %% wrong find_leaves NON_LEAVES_FOUND 1: the loss is no leaf
def find_leaves(loss):
    if loss.grad_fn is None:
        return [loss]
    todo, seen, found = [loss.grad_fn], set(), [loss]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [n for n, _ in node.next_functions if n is not None]
    return found


# %% wrong find_leaves LEAF_ITSELF_MISSING 7: no leaf for a loss that is one
def find_leaves(loss):
    if loss.grad_fn is None:
        return []
    todo, seen, found = [loss.grad_fn], set(), []
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [n for n, _ in node.next_functions if n is not None]
    return found


# %% wrong find_leaves RAISED 7: a loss that is a leaf is forgotten
def find_leaves(loss):
    todo, seen, found = [loss.grad_fn], set(), []
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo += [n for n, _ in node.next_functions if n is not None]
    return found


# %% wrong find_leaves RETURNS_NONE 0: printed, not given back
def find_leaves(loss):
    print(loss.grad_fn)


# %% wrong find_leaves WRONG_TYPE 0: one tensor instead of a list
def find_leaves(loss):
    node = loss.grad_fn
    while node is not None and node.next_functions:
        node = next(n for n, _ in node.next_functions if n is not None)
    return loss if node is None else node.variable
