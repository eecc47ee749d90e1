# %% right a_second_time: a dict by keywords
def a_second_time():
    return dict(a="works", b="raises", c="works", d="raises", e="works", f="raises")


# %% right a_second_time: tried out
import torch


def a_second_time():
    functions = dict(
        a=lambda x: x + 3,
        b=lambda x: x * 3,
        c=lambda x: -x,
        d=lambda x: x.exp(),
        e=lambda x: x - x,
        f=lambda x: x * x + 1,
    )
    said = {}
    for name, f in functions.items():
        y = f(torch.tensor([1.0, 2.0], requires_grad=True)).sum()
        y.backward()
        try:
            y.backward()
            said[name] = "works"
        except RuntimeError:
            said[name] = "raises"
    return said


# %% right a_second_time: by what raises
def a_second_time():
    said = dict.fromkeys("abcdef", "works")
    for name in ("b", "d", "f"):
        said[name] = "raises"
    return said


# %% wrong a_second_time SECOND_ALWAYS_RAISES 0: without retain_graph there is always an error
def a_second_time():
    return dict.fromkeys("abcdef", "raises")


# %% wrong a_second_time SAVED_NOT_SEEN 0: a second backward always works
def a_second_time():
    return dict.fromkeys("abcdef", "works")


# %% wrong a_second_time SAVED_NOT_SEEN 2: the 3 is not a tensor
def a_second_time():
    return {"a": "works", "b": "works", "c": "works", "d": "raises", "e": "works", "f": "raises"}


# %% wrong a_second_time LAST_NODE_ONLY 2: the last operation is a sum
def a_second_time():
    return {"a": "works", "b": "raises", "c": "works", "d": "raises", "e": "works", "f": "works"}


# %% wrong a_second_time SECOND_ALWAYS_RAISES 2: x is used twice
def a_second_time():
    return {"a": "works", "b": "raises", "c": "works", "d": "raises", "e": "raises", "f": "raises"}


# %% wrong a_second_time WORDS_MISSING 0: True and False
def a_second_time():
    return {"a": False, "b": True, "c": False, "d": True, "e": False, "f": True}


# %% wrong a_second_time WORDS_MISSING 2: names are left out
def a_second_time():
    return {"a": "works", "b": "raises", "c": "works", "d": "raises"}


# %% wrong a_second_time RETURNS_NONE 0: printed
def a_second_time():
    print({"a": "works"})


# %% wrong a_second_time WRONG_TYPE 0: a list
def a_second_time():
    return ["works", "raises", "works", "raises", "works", "raises"]


# %% right hidden_gradient: a hook
def hidden_gradient(x, w, loss_of):
    h = x * w
    seen = []
    h.register_hook(seen.append)
    loss_of(h).backward()
    return seen[0]


# %% right hidden_gradient: autograd.grad, then backward
import torch


def hidden_gradient(x, w, loss_of):
    h = x * w
    loss = loss_of(h)
    gradient = torch.autograd.grad(loss, h, retain_graph=True)[0]
    loss.backward()
    return gradient


# %% right hidden_gradient: later, but before backward
def hidden_gradient(x, w, loss_of):
    h = x * w
    loss = loss_of(h)
    h.retain_grad()
    loss.backward()
    return h.grad.clone()


# %% right hidden_gradient: backward with inputs
def hidden_gradient(x, w, loss_of):
    h = x * w
    loss_of(h).backward(inputs=[h, x, w])
    return h.grad


# %% wrong hidden_gradient METHOD_REPLACED 0: False instead of True
def hidden_gradient(x, w, loss_of):
    h = x * w
    h.retain_grad = False
    loss_of(h).backward()
    return h.grad


# %% wrong hidden_gradient RAISED 0: the attribute with an s
def hidden_gradient(x, w, loss_of):
    h = x * w
    h.retains_grad = True
    loss_of(h).backward()
    return h.grad


# %% wrong hidden_gradient NOT_RETAINED 0: after backward
def hidden_gradient(x, w, loss_of):
    h = x * w
    loss_of(h).backward()
    h.retain_grad()
    return h.grad


# %% wrong hidden_gradient NOT_RETAINED 0: retain_graph keeps the graph only
def hidden_gradient(x, w, loss_of):
    h = x * w
    loss_of(h).backward(retain_graph=True)
    return h.grad


# %% wrong hidden_gradient NOT_RETAINED 0: the method is not called
def hidden_gradient(x, w, loss_of):
    h = x * w
    h.retain_grad
    loss_of(h).backward()
    return h.grad


# %% wrong hidden_gradient RAISED 0: chained
def hidden_gradient(x, w, loss_of):
    h = (x * w).retain_grad()
    loss_of(h).backward()
    return h.grad


# %% wrong hidden_gradient GRADIENT_OF_ANOTHER 0: the gradient of x
def hidden_gradient(x, w, loss_of):
    h = x * w
    x.retain_grad()
    loss_of(h).backward()
    return x.grad


# %% wrong hidden_gradient LEAF_WITHOUT_GRAD 0: only h gets its gradient
def hidden_gradient(x, w, loss_of):
    h = x * w
    loss_of(h).backward(inputs=[h])
    return h.grad


# %% wrong hidden_gradient LEAF_WITHOUT_GRAD 0: h made a leaf
def hidden_gradient(x, w, loss_of):
    h = (x * w).detach().requires_grad_()
    loss_of(h).backward()
    return h.grad


# %% wrong hidden_gradient VALUES_NOT_GRADIENTS 0: the value of h
def hidden_gradient(x, w, loss_of):
    h = x * w
    h.retain_grad()
    loss_of(h).backward()
    return h.data


# %% right hidden_gradient: a detached leaf in the middle
def hidden_gradient(x, w, loss_of):
    h = x * w
    leaf = h.detach().requires_grad_()
    loss_of(leaf).backward()
    h.backward(leaf.grad)
    return leaf.grad


# %% right hidden_gradient: an object with __call__
class Gradient:
    def __call__(self, x, w, loss_of):
        h = x * w
        seen = []
        h.grad_fn.register_prehook(lambda grads: seen.append(grads[0]))
        loss_of(h).backward()
        return seen[0]


hidden_gradient = Gradient()


# %% wrong hidden_gradient LEAF_WITHOUT_GRAD 2: old gradients are cleared first
def hidden_gradient(x, w, loss_of):
    x.grad = w.grad = None
    h = x * w
    h.retain_grad()
    loss_of(h).backward()
    return h.grad


# %% wrong hidden_gradient WRONG_VALUE 2: the chain rule turned round on x.grad
def hidden_gradient(x, w, loss_of):
    loss_of(x * w).backward()
    return x.grad / w.detach()


# %% wrong hidden_gradient WRONG_TYPE 0: a list of numbers
def hidden_gradient(x, w, loss_of):
    h = x * w
    h.retain_grad()
    loss_of(h).backward()
    return h.grad.tolist()


# %% wrong hidden_gradient GRAD_TIED 0: create_graph
def hidden_gradient(x, w, loss_of):
    h = x * w
    h.retain_grad()
    loss_of(h).backward(create_graph=True)
    return h.grad


# %% right gradient_at: an index instead of unpacking
import torch


def gradient_at(loss, h):
    return torch.autograd.grad(outputs=loss, inputs=[h], retain_graph=True)[0]


# %% wrong gradient_at H_RETAINS 0: backward with inputs, and only h.grad put back
def gradient_at(loss, h):
    loss.backward(retain_graph=True, inputs=[h])
    gradient = h.grad
    h.grad = None
    return gradient


# %% right gradient_at: a hook and a pass without storing
import torch


def gradient_at(loss, h):
    seen = []
    with h.register_hook(seen.append):
        torch.autograd.grad(loss, h, retain_graph=True)
    return seen[0].clone()


# %% right gradient_at: create_graph keeps the graph too
import torch


def gradient_at(loss, h):
    (g,) = torch.autograd.grad(loss, h, create_graph=True)
    return g.detach()


# %% wrong gradient_at GRAPH_FREED 0: without retain_graph
import torch


def gradient_at(loss, h):
    return torch.autograd.grad(loss, h)[0]


# %% wrong gradient_at LEAF_GRAD_TOUCHED 0: retain_grad and backward
def gradient_at(loss, h):
    h.retain_grad()
    loss.backward(retain_graph=True)
    return h.grad


# %% wrong gradient_at H_GRAD_LEFT 0: stored in h.grad
def gradient_at(loss, h):
    loss.backward(inputs=[h], retain_graph=True)
    return h.grad


# %% wrong gradient_at WRONG_TYPE 0: the tuple
import torch


def gradient_at(loss, h):
    return torch.autograd.grad(loss, h, retain_graph=True)


# %% wrong gradient_at RETURNS_NONE 0: what backward gives back
def gradient_at(loss, h):
    h.retain_grad()
    return loss.backward(retain_graph=True)


# %% wrong gradient_at RETURNS_NONE 0: .grad of a non-leaf
def gradient_at(loss, h):
    loss.backward(retain_graph=True)
    return h.grad


# %% wrong gradient_at RAISED 0: a detached copy of h
import torch


def gradient_at(loss, h):
    copy = h.detach().requires_grad_()
    return torch.autograd.grad(loss, copy, retain_graph=True)[0]


# %% wrong gradient_at LEAF_GRAD_TOUCHED 1: the leaf gradients are cleared afterwards
def gradient_at(loss, h):
    seen = []
    with h.register_hook(seen.append):
        loss.backward(retain_graph=True)
    todo = [loss.grad_fn]
    while todo:
        node = todo.pop()
        if hasattr(node, "variable"):
            node.variable.grad = None
        todo += [n for n, _ in node.next_functions if n is not None]
    return seen[0]


# %% right gradient_at: backward, and every leaf gets its old .grad again
def gradient_at(loss, h):
    leaves, nodes = {}, [loss.grad_fn]
    while nodes:
        node = nodes.pop()
        if node is None:
            continue
        if hasattr(node, "variable"):
            leaf = node.variable
            leaves[leaf] = None if leaf.grad is None else leaf.grad.clone()
        nodes += [n for n, _ in node.next_functions]
    seen = []
    with h.register_hook(seen.append):
        loss.backward(retain_graph=True)
    for leaf, old in leaves.items():
        leaf.grad = old
    return seen[0]


# %% wrong gradient_at HOOK_LEFT_BEHIND 0: the hook stays
import torch


def gradient_at(loss, h):
    seen = []
    h.register_hook(seen.append)
    torch.autograd.grad(loss, h, retain_graph=True)
    return seen[0]


# %% wrong gradient_at H_RETAINS 0: retain_grad, then backward with inputs
def gradient_at(loss, h):
    h.retain_grad()
    loss.backward(inputs=[h], retain_graph=True)
    gradient = h.grad
    h.grad = None
    return gradient


# %% wrong gradient_at GRAD_TIED 0: create_graph keeps the graph, and ties the gradient to it
import torch


def gradient_at(loss, h):
    return torch.autograd.grad(loss, h, create_graph=True)[0]


# %% wrong gradient_at GRAPH_FREED 0: of another loss, and without retain_graph
import torch


def gradient_at(loss, h):
    return torch.autograd.grad(loss**2, h)[0]


# %% wrong gradient_at WRONG_VALUE 0: one number of the gradient
import torch


def gradient_at(loss, h):
    return torch.autograd.grad(loss, h, retain_graph=True)[0].sum()


# %% right layer_gradients: hooks with a place for each layer
def layer_gradients(layers, x):
    found = {}
    for i, layer in enumerate(layers):
        x = layer(x)
        x.register_hook(lambda grad, i=i: found.update({i: grad}))
    x.sum().backward()
    return [found[i] for i in range(len(layers))]


# %% right layer_gradients: autograd.grad, then backward
import torch


def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        outputs.append(layer(outputs[-1] if outputs else x))
    total = outputs[-1].sum()
    gradients = torch.autograd.grad(total, outputs, retain_graph=True)
    total.backward()
    return gradients


# %% right layer_gradients: hooks, and the list turned round
def layer_gradients(layers, x):
    seen = []
    for layer in layers:
        x = layer(x)
        x.register_hook(lambda grad: seen.append(grad.clone()))
    x.sum().backward()
    seen.reverse()
    return seen


# %% wrong layer_gradients GRADIENTS_REVERSED 0: in the order of backward
def layer_gradients(layers, x):
    seen = []
    for layer in layers:
        x = layer(x)
        x.register_hook(lambda grad: seen.append(grad))
    x.sum().backward()
    return seen


# %% wrong layer_gradients NOT_RETAINED 0: without retain_grad
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        outputs.append(x)
    x.sum().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients NOT_RETAINED 0: only the last output retains
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        outputs.append(x)
    x.retain_grad()
    x.sum().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients LEAF_WITHOUT_GRAD 0: no backward for the parameters
import torch


def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        outputs.append(x)
    return torch.autograd.grad(x.sum(), outputs)


# %% wrong layer_gradients VALUES_NOT_GRADIENTS 0: the outputs
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    return [output.data for output in outputs]


# %% wrong layer_gradients LIST_LENGTH 0: the last output is left out
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    return [output.grad for output in outputs[:-1]]


# %% wrong layer_gradients WRONG_VALUE 0: the mean instead of the sum
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.mean().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients RAISED 0: retain_grad on the input
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x.retain_grad()
        outputs.append(x)
        x = layer(x)
    x.sum().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients RETURNS_NONE 0: no return
def layer_gradients(layers, x):
    for layer in layers:
        x = layer(x)
        x.retain_grad()
    x.sum().backward()


# %% right layer_gradients: module hooks that are removed, one for each module
def layer_gradients(layers, x):
    seen = []
    handles = [
        layer.register_full_backward_hook(lambda module, gives, gets: seen.append(gets[0]))
        for layer in set(layers)
    ]
    for layer in layers:
        x = layer(x)
    x.sum().backward()
    for handle in handles:
        handle.remove()
    return seen[::-1]


# %% right layer_gradients: each layer has a graph of its own
import torch


def layer_gradients(layers, x):
    inputs, outputs = [], []
    for layer in layers:
        x = x.detach().requires_grad_()
        inputs.append(x)
        x = layer(x)
        outputs.append(x)
    grad, grads = torch.ones_like(x), []
    for given, output in zip(reversed(inputs), reversed(outputs)):
        grads.append(grad)
        output.backward(grad)
        grad = given.grad
    return grads[::-1]


# %% wrong layer_gradients HOOK_LEFT_BEHIND 0: forward hooks stay on the layers
def layer_gradients(layers, x):
    outputs = []

    def keep(module, given, output):
        output.retain_grad()
        outputs.append(output)

    for layer in layers:
        layer.register_forward_hook(keep)
        x = layer(x)
    x.sum().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients X_REQUIRES_GRAD 0: the caller's x is changed
def layer_gradients(layers, x):
    x.requires_grad_()
    outputs = []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients LEAF_WITHOUT_GRAD 3: old gradients are cleared first
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        layer.zero_grad()
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    return [output.grad for output in outputs]


# %% wrong layer_gradients LIST_LENGTH 2: module hooks, two on a module that is twice in the list
def layer_gradients(layers, x):
    seen = []
    handles = [
        layer.register_full_backward_hook(lambda module, gives, gets: seen.append(gets[0]))
        for layer in layers
    ]
    for layer in layers:
        x = layer(x)
    x.sum().backward()
    for handle in handles:
        handle.remove()
    return seen[::-1]


# %% wrong layer_gradients ONE_FOR_EACH_MODULE 2: outputs kept by module
def layer_gradients(layers, x):
    outputs = {}
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs[layer] = x
    x.sum().backward()
    return [outputs[layer].grad for layer in layers]


# %% wrong layer_gradients ONE_FOR_EACH_MODULE 2: gradients kept by module
def layer_gradients(layers, x):
    found = {}

    def keep(module, gives, gets):
        found[module] = gets[0]

    handles = [layer.register_full_backward_hook(keep) for layer in layers]
    for layer in layers:
        x = layer(x)
    x.sum().backward()
    for handle in handles:
        handle.remove()
    return [found[layer] for layer in layers]


# %% wrong layer_gradients NOT_RETAINED 2: the place is looked up in the list
def layer_gradients(layers, x):
    found = [None] * len(layers)
    for layer in layers:
        x = layer(x)
        place = layers.index(layer)
        x.register_hook(lambda grad, place=place: found.__setitem__(place, grad))
    x.sum().backward()
    return found


# %% wrong layer_gradients GRAD_TIED 0: create_graph
def layer_gradients(layers, x):
    outputs = []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward(create_graph=True)
    return [output.grad for output in outputs]


# %% wrong layer_gradients X_GRAD_LEFT 0: x is tracked for a moment
def layer_gradients(layers, x):
    given, outputs = x.requires_grad_(), []
    for layer in layers:
        x = layer(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    given.requires_grad_(False)
    return [output.grad for output in outputs]


# %% wrong layer_gradients LIST_CHANGED 0: takes the layers out of the list
def layer_gradients(layers, x):
    outputs = []
    while layers:
        x = layers.pop(0)(x)
        x.retain_grad()
        outputs.append(x)
    x.sum().backward()
    return [output.grad for output in outputs]


# %% right repeat_backward: the last call by itself
def repeat_backward(loss, times):
    for _ in range(times - 1):
        loss.backward(retain_graph=True)
    loss.backward()


# %% right repeat_backward: counted down
def repeat_backward(loss, times):
    while times:
        times -= 1
        loss.backward(retain_graph=times > 0)
    return loss


# %% right repeat_backward: calls itself
def repeat_backward(loss, times):
    if times == 1:
        loss.backward()
    else:
        loss.backward(retain_graph=True)
        repeat_backward(loss, times - 1)


# %% wrong repeat_backward GRAPH_KEPT 0: on every call
def repeat_backward(loss, times):
    for _ in range(times):
        loss.backward(retain_graph=True)


# %% wrong repeat_backward RAISED 0: on no call
def repeat_backward(loss, times):
    for _ in range(times):
        loss.backward()


# %% wrong repeat_backward RAISED 2: on the first call only
def repeat_backward(loss, times):
    for i in range(times):
        loss.backward(retain_graph=i == 0)


# %% wrong repeat_backward BACKWARD_COUNT 0: the error is caught
def repeat_backward(loss, times):
    for _ in range(times):
        try:
            loss.backward()
        except RuntimeError:
            pass


# %% wrong repeat_backward BACKWARD_COUNT 0: one call too many
def repeat_backward(loss, times):
    for _ in range(times):
        loss.backward(retain_graph=True)
    loss.backward()


# %% wrong repeat_backward BACKWARD_COUNT 0: one backward of a larger loss
def repeat_backward(loss, times):
    (loss * times).backward()


# %% wrong repeat_backward RAISED 0: retain_grad instead of retain_graph
def repeat_backward(loss, times):
    loss.retain_grad()
    for _ in range(times):
        loss.backward()


# %% wrong repeat_backward RAISED 0: a word that backward does not know
def repeat_backward(loss, times):
    for i in range(times):
        loss.backward(reatain_graph=i < times - 1)


# %% right repeat_backward: torch.autograd.backward
import torch


def repeat_backward(loss, times):
    for left in reversed(range(times)):
        torch.autograd.backward(loss, retain_graph=left > 0)


# %% wrong repeat_backward GRAD_TIED 0: create_graph instead of retain_graph
def repeat_backward(loss, times):
    for i in range(times):
        loss.backward(create_graph=i < times - 1)


# %% wrong repeat_backward LOSS_CUT_OFF 0: the loss is cut off, and its graph is kept
def repeat_backward(loss, times):
    for _ in range(times):
        loss.backward(retain_graph=True)
    loss.detach_()


# %% right grad_history: a copy by arithmetic
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad * 1)
    return history


# %% right grad_history: detach and clone in a comprehension
def grad_history(w, make_losses):
    def step(make_loss):
        make_loss().backward()
        return w.grad.detach().clone()

    return [step(make_loss) for make_loss in make_losses]


# %% right grad_history: autograd.grad and an own sum
import torch


def grad_history(w, make_losses):
    total = torch.zeros_like(w) if w.grad is None else w.grad.clone()
    history = []
    for make_loss in make_losses:
        total = total + torch.autograd.grad(make_loss(), w)[0]
        history.append(total)
    w.grad = total.clone()
    return history


# %% right grad_history: a new .grad before each backward
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        w.grad = None if w.grad is None else w.grad.clone()
        make_loss().backward()
        history.append(w.grad)
    return history


# %% wrong grad_history ONE_TENSOR_MANY_TIMES 0: detach shares the memory
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad.detach())
    return history


# %% wrong grad_history COPIED_TOO_LATE 0: copies are made at the end
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad)
    return [grad.clone() for grad in history]


# %% wrong grad_history GRAD_NOT_SUMMED 0: cleared each time
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        w.grad = None
        make_loss().backward()
        history.append(w.grad)
    return history


# %% wrong grad_history GRAD_NOT_SUMMED 0: a hook sees one backward
def grad_history(w, make_losses):
    history = []
    with w.register_hook(lambda grad: history.append(grad.clone())):
        for make_loss in make_losses:
            make_loss().backward()
    return history


# %% wrong grad_history NOTED_TOO_EARLY 0: noted before backward
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        history.append(None if w.grad is None else w.grad.clone())
        make_loss().backward()
    return history


# %% wrong grad_history LIST_LENGTH 0: only the last one
def grad_history(w, make_losses):
    for make_loss in make_losses:
        make_loss().backward()
    return [w.grad.clone()]


# %% wrong grad_history LEAF_WITHOUT_GRAD 0: w.grad is cleared at the end
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad.clone())
    w.grad = None
    return history


# %% wrong grad_history WRONG_VALUE 2: the old .grad is thrown away
def grad_history(w, make_losses):
    w.grad = None
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad.clone())
    return history


# %% wrong grad_history RETURNS_NONE 0: no return
def grad_history(w, make_losses):
    for make_loss in make_losses:
        make_loss().backward()
        print(w.grad)


# %% right grad_history: the numbers as lists
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad.tolist())
    return history


# %% right grad_history: a hook that is called after .grad is written
def grad_history(w, make_losses):
    history = []
    with w.register_post_accumulate_grad_hook(lambda leaf: history.append(leaf.grad.clone())):
        for make_loss in make_losses:
            make_loss().backward()
    return history


# %% wrong grad_history HOOK_LEFT_BEHIND 0: the hook stays
def grad_history(w, make_losses):
    history = []
    w.register_post_accumulate_grad_hook(lambda leaf: history.append(leaf.grad.clone()))
    for make_loss in make_losses:
        make_loss().backward()
    return history


# %% wrong grad_history ONE_TENSOR_MANY_TIMES 0: a slice shares the memory
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad[:])
    return history


# %% wrong grad_history COPIED_TOO_LATE 0: notes after all backward calls
def grad_history(w, make_losses):
    for make_loss in make_losses:
        make_loss().backward()
    return [w.grad.clone() for _ in make_losses]


# %% wrong grad_history WRONG_VALUE 0: cleared before the copy
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        w.grad.zero_()
        history.append(w.grad.clone())
    return history


# %% wrong grad_history VALUES_NOT_GRADIENTS 0: copies of w
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.detach().clone())
    return history


# %% wrong grad_history W_CHANGED 0: a step after each backward
import torch


def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward()
        history.append(w.grad.clone())
        with torch.no_grad():
            w -= 0.1 * w.grad
    return history


# %% wrong grad_history GRAD_TIED 0: create_graph makes a new .grad each time
def grad_history(w, make_losses):
    history = []
    for make_loss in make_losses:
        make_loss().backward(create_graph=True)
        history.append(w.grad)
    return history


# %% right norms_only: a dict of norms and a with block
from contextlib import ExitStack


def norms_only(loss, tensors):
    norms = {}
    with ExitStack() as stack:
        for t in tensors:
            stack.enter_context(
                t.register_hook(lambda grad, t=t: norms.update({id(t): grad.norm().item()}))
            )
        loss.backward()
    return [norms[id(t)] for t in tensors]


# %% right norms_only: autograd.grad first
import torch


def norms_only(loss, tensors):
    grads = torch.autograd.grad(loss, tensors, retain_graph=True)
    loss.backward()
    return [float(g.norm()) for g in grads]


# %% right norms_only: retain_grad, then cleared
def norms_only(loss, tensors):
    for t in tensors:
        t.retain_grad()
    loss.backward()
    norms = [t.grad.norm().item() for t in tensors]
    for t in tensors:
        t.grad = None
    return norms


# %% right norms_only: a hook that removes itself
def norms_only(loss, tensors):
    norms, handles = {}, {}

    def hook(i):
        def measure(grad):
            norms[i] = grad.square().sum().sqrt().item()
            handles[i].remove()

        return measure

    for i, t in enumerate(tensors):
        handles[i] = t.register_hook(hook(i))
    loss.backward()
    return [norms[i] for i in range(len(tensors))]


# %% wrong norms_only HOOK_LEFT_BEHIND 0: hooks on the nodes stay
def norms_only(loss, tensors):
    norms = [0.0] * len(tensors)
    for i, t in enumerate(tensors):

        def measure(grads, i=i, place=t.output_nr):
            norms[i] = grads[place].norm().item()

        t.grad_fn.register_prehook(measure)
    loss.backward()
    return norms


# %% wrong norms_only TENSORS_CHANGED 0: the tensors are cut off
def norms_only(loss, tensors):
    for t in tensors:
        t.retain_grad()
    loss.backward()
    norms = [t.grad.norm().item() for t in tensors]
    for t in tensors:
        t.grad = None
        t.detach_()
    return norms


# %% wrong norms_only NORM_OF_ANOTHER_KIND 2: of a matrix, the largest singular value
import torch


def norms_only(loss, tensors):
    grads = torch.autograd.grad(loss, tensors, retain_graph=True)
    loss.backward()
    return [torch.linalg.norm(g, 2).item() for g in grads]


# %% wrong norms_only NOTHING_MEASURED 0: backward is forgotten
def norms_only(loss, tensors):
    norms = [None] * len(tensors)
    handles = []
    for i, t in enumerate(tensors):

        def measure(grad, i=i):
            norms[i] = grad.norm().item()

        handles.append(t.register_hook(measure))
    for handle in handles:
        handle.remove()
    return norms


# %% wrong norms_only NOTHING_MEASURED 0: the hooks come after backward
def norms_only(loss, tensors):
    norms = [None] * len(tensors)
    loss.backward()
    for i, t in enumerate(tensors):
        with t.register_hook(lambda grad, i=i: norms.__setitem__(i, grad.norm().item())):
            pass
    return norms


# %% wrong norms_only GRADIENT_KEPT 0: retain_grad
def norms_only(loss, tensors):
    for t in tensors:
        t.retain_grad()
    loss.backward()
    return [t.grad.norm().item() for t in tensors]


# %% wrong norms_only HOOK_LEFT_BEHIND 0: the hooks stay
def norms_only(loss, tensors):
    norms = [0.0] * len(tensors)
    for i, t in enumerate(tensors):
        t.register_hook(lambda grad, i=i: norms.__setitem__(i, grad.norm().item()))
    loss.backward()
    return norms


# %% wrong norms_only GRADIENTS_REVERSED 0: in the order of backward
def norms_only(loss, tensors):
    norms = []
    handles = [t.register_hook(lambda grad: norms.append(grad.norm().item())) for t in tensors]
    loss.backward()
    for handle in handles:
        handle.remove()
    return norms


# %% wrong norms_only LEAF_WITHOUT_GRAD 0: no backward
import torch


def norms_only(loss, tensors):
    return [g.norm().item() for g in torch.autograd.grad(loss, tensors)]


# %% wrong norms_only VALUES_NOT_GRADIENTS 0: the norm of the values
def norms_only(loss, tensors):
    loss.backward()
    return [t.norm().item() for t in tensors]


# %% wrong norms_only PLACE_EMPTY 0: the loop variable
def norms_only(loss, tensors):
    norms = [None] * len(tensors)
    handles = []
    for i, t in enumerate(tensors):
        handles.append(t.register_hook(lambda grad: norms.__setitem__(i, grad.norm().item())))
    loss.backward()
    for handle in handles:
        handle.remove()
    return norms


# %% wrong norms_only RAISED 0: .grad that is None
def norms_only(loss, tensors):
    loss.backward()
    return [t.grad.norm().item() for t in tensors]


# %% wrong norms_only WRONG_TYPE 0: the gradients
import torch


def norms_only(loss, tensors):
    grads = torch.autograd.grad(loss, tensors, retain_graph=True)
    loss.backward()
    return list(grads)


# %% wrong norms_only RETURNS_NONE 0: printed
def norms_only(loss, tensors):
    for t in tensors:
        t.retain_grad()
    loss.backward()
    for t in tensors:
        print(t.grad.norm().item())


# %% right norms_only: a hook for all tensors together
from torch.autograd.graph import register_multi_grad_hook


def norms_only(loss, tensors):
    norms = []

    def measure(grads):
        norms.extend(float(grad.norm()) for grad in grads)

    with register_multi_grad_hook(tensors, measure):
        loss.backward()
    return norms


# %% right norms_only: hooks on the nodes
def norms_only(loss, tensors):
    norms, handles = [0.0] * len(tensors), []
    for i, t in enumerate(tensors):

        def measure(grads, i=i, place=t.output_nr):
            norms[i] = grads[place].norm().item()

        handles.append(t.grad_fn.register_prehook(measure))
    loss.backward()
    for handle in handles:
        handle.remove()
    return norms


# %% wrong norms_only WRONG_TYPE 0: norms that are tensors
def norms_only(loss, tensors):
    for t in tensors:
        t.retain_grad()
    loss.backward()
    norms = [t.grad.norm() for t in tensors]
    for t in tensors:
        t.grad = None
    return norms


# %% wrong norms_only OTHERS_HOOKS_GONE 3: all hooks are cleared
def norms_only(loss, tensors):
    norms = {}
    for i, t in enumerate(tensors):
        t.register_hook(lambda grad, i=i: norms.update({i: grad.norm().item()}))
    loss.backward()
    for t in tensors:
        t._backward_hooks.clear()
    return [norms[i] for i in range(len(tensors))]


# %% right kept_bytes: a loop
def kept_bytes(tensors):
    seen, total = set(), 0
    for t in tensors:
        if t.is_leaf or not t.retains_grad or id(t) in seen:
            continue
        seen.add(id(t))
        if t.grad is not None:
            total += t.grad.nbytes
    return total


# %% right kept_bytes: a set of tensors
def kept_bytes(tensors):
    total = 0
    for t in set(tensors):
        if t.grad_fn is not None and t.retains_grad and t.grad is not None:
            total += t.grad.numel() * t.grad.element_size()
    return total


# %% right kept_bytes: storages
def kept_bytes(tensors):
    grads = {}
    for t in tensors:
        if t.retains_grad:
            grads[id(t)] = t.grad
    return sum(g.untyped_storage().nbytes() for g in grads.values() if g is not None)


# %% right kept_bytes: the dtype says how many bytes
def kept_bytes(tensors):
    unique = []
    for t in tensors:
        if not any(t is u for u in unique):
            unique.append(t)
    sizes = [
        t.grad.numel() * t.dtype.itemsize for t in unique if t.retains_grad and t.grad is not None
    ]
    return sum(sizes)


# %% wrong kept_bytes ELEMENTS_NOT_BYTES 1: elements
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if t.retains_grad and t.grad is not None}
    return sum(t.grad.numel() for t in kept.values())


# %% wrong kept_bytes FOUR_BYTES_ASSUMED 3: four bytes each
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if t.retains_grad and t.grad is not None}
    return sum(4 * t.grad.numel() for t in kept.values())


# %% wrong kept_bytes LEAVES_COUNTED 3: leaf tensors too
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if (t.is_leaf or t.retains_grad) and t.grad is not None}
    return sum(t.grad.numel() * t.grad.element_size() for t in kept.values())


# %% wrong kept_bytes VALUES_COUNTED 2: every non-leaf
def kept_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in set(tensors) if not t.is_leaf)


# %% wrong kept_bytes COUNTED_TWICE 4: twice in the list
def kept_bytes(tensors):
    kept = [t for t in tensors if t.retains_grad and t.grad is not None]
    return sum(t.grad.numel() * t.grad.element_size() for t in kept)


# %% wrong kept_bytes READS_WITHOUT_ASKING 3: reads .grad of all
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if not t.is_leaf and t.grad is not None}
    return sum(t.grad.numel() * t.grad.element_size() for t in kept.values())


# %% wrong kept_bytes RAISED 3: before backward there is None
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if t.retains_grad}
    return sum(t.grad.numel() * t.grad.element_size() for t in kept.values())


# %% wrong kept_bytes VALUES_COUNTED 3: counts before there is a gradient
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if t.retains_grad}
    return sum(t.numel() * t.element_size() for t in kept.values())


# %% wrong kept_bytes RETURNS_NONE 0: printed
def kept_bytes(tensors):
    print(sum(t.grad.numel() for t in tensors if t.retains_grad and t.grad is not None))


# %% wrong kept_bytes WRONG_VALUE 4: equal values are taken for one tensor
import torch


def kept_bytes(tensors):
    counted = []
    for t in tensors:
        if t.is_leaf or not t.retains_grad or t.grad is None:
            continue
        if not any(t.shape == c.shape and torch.equal(t, c) for c in counted):
            counted.append(t)
    return sum(t.grad.nbytes for t in counted)


# %% wrong kept_bytes WRONG_VALUE 3: the length is taken for the number of elements
def kept_bytes(tensors):
    kept = {t for t in tensors if not t.is_leaf and t.retains_grad and t.grad is not None}
    return sum(len(t) * t.element_size() for t in kept)


# %% wrong kept_bytes GRADIENTS_CLEARED 1: the gradients are cleared to count each once
def kept_bytes(tensors):
    total = 0
    for t in tensors:
        if not t.is_leaf and t.retains_grad and t.grad is not None:
            total += t.grad.nbytes
            t.grad = None
    return total


# %% right kept_bytes: each tensor of the list once, by identity
def kept_bytes(tensors):
    def grad_bytes(t):
        return 0 if t.grad is None else t.grad.nbytes

    once = [t for i, t in enumerate(tensors) if all(t is not u for u in tensors[:i])]
    return sum(grad_bytes(t) for t in once if t.retains_grad)


# %% wrong kept_bytes WRONG_VALUE 1: eight bytes for each element
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if t.retains_grad and t.grad is not None}
    return sum(8 * t.grad.numel() for t in kept.values())


# %% wrong kept_bytes WRONG_VALUE 1: the tensor and its gradient
def kept_bytes(tensors):
    kept = {id(t): t for t in tensors if t.retains_grad and t.grad is not None}
    return sum(t.nbytes + t.grad.nbytes for t in kept.values())


# %% wrong kept_bytes LEAVES_COUNTED 3: each entry of the list, leaf or not
def kept_bytes(tensors):
    kept = [t for t in tensors if (t.is_leaf or t.retains_grad) and t.grad is not None]
    return sum(t.grad.nbytes for t in kept)


# %% wrong kept_bytes RETAINS_NOW 3: retain_grad keeps PyTorch silent
def kept_bytes(tensors):
    total = 0
    for t in set(tensors):
        if not t.is_leaf:
            t.retain_grad()
            total += 0 if t.grad is None else t.grad.nbytes
    return total


# %% wrong kept_bytes WRONG_VALUE 4: stops at the first tensor without a gradient
def kept_bytes(tensors):
    total = 0
    for t in dict.fromkeys(tensors):
        if t.is_leaf or not t.retains_grad:
            continue
        if t.grad is None:
            break
        total += t.grad.nbytes
    return total


# %% wrong kept_bytes WRONG_VALUE 4: one tensor for each memory
def kept_bytes(tensors):
    counted, total = set(), 0
    for t in tensors:
        if t.is_leaf or not t.retains_grad or t.grad is None:
            continue
        if t.data_ptr() not in counted:
            counted.add(t.data_ptr())
            total += t.grad.nbytes
    return total


# %% wrong kept_bytes LIST_CHANGED 0: takes the tensors out of the list
def kept_bytes(tensors):
    counted, total = set(), 0
    while tensors:
        t = tensors.pop()
        if t.retains_grad and t.grad is not None and t not in counted:
            counted.add(t)
            total += t.grad.nbytes
    return total


# %% right needs_retain_graph: autograd.grad twice
import torch


def needs_retain_graph(f, x):
    leaf = x.detach().requires_grad_()
    y = f(leaf).sum()
    torch.autograd.grad(y, leaf)
    try:
        torch.autograd.grad(y, leaf)
    except RuntimeError:
        return True
    else:
        return False


# %% right needs_retain_graph: random weights, and a flag
import torch


def needs_retain_graph(f, x):
    raised = False
    copy = torch.nn.Parameter(x.detach().clone())
    y = f(copy)
    weights = torch.rand_like(y)
    y.backward(weights)
    try:
        y.backward(weights)
    except RuntimeError as error:
        raised = "second time" in str(error)
    return raised


# %% right needs_retain_graph: on x itself, put back at the end
import torch


def needs_retain_graph(f, x):
    grad, tracked = x.grad, x.requires_grad
    x.grad = None
    x.requires_grad_()
    try:
        y = f(x)
        y.sum().backward()
        try:
            y.backward(torch.ones_like(y))
            return False
        except RuntimeError:
            return True
    finally:
        x.grad = grad
        x.requires_grad_(tracked)


# %% wrong needs_retain_graph ALWAYS_TRUE 2: without weights, and the wrong error is caught
def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    try:
        y.backward()
        y.backward()
    except RuntimeError:
        return True
    return False


# %% wrong needs_retain_graph ALWAYS_FALSE 2: retain_graph in the first call
import torch


def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    y.backward(torch.ones_like(y), retain_graph=True)
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return True
    return False


# %% wrong needs_retain_graph ALWAYS_FALSE 2: a new y each time
import torch


def needs_retain_graph(f, x):
    copy = x.detach().clone().requires_grad_()
    try:
        for _ in range(2):
            y = f(copy)
            y.backward(torch.ones_like(y))
    except RuntimeError as error:
        if "second time" not in str(error):
            raise
        return True
    return False


# %% wrong needs_retain_graph ALWAYS_FALSE 4: the last node alone
import torch


def needs_retain_graph(f, x):
    node = f(x.detach().clone().requires_grad_()).grad_fn
    saved = [n for n in dir(node) if n.startswith("_saved_")]
    return any(isinstance(getattr(node, n), torch.Tensor) for n in saved)


# %% wrong needs_retain_graph X_CHANGED 0: works on x itself
import torch


def needs_retain_graph(f, x):
    x.requires_grad_()
    y = f(x)
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return True
    return False


# %% wrong needs_retain_graph ERROR_OF_F_LOST 6: f is inside the try block
import torch


def needs_retain_graph(f, x):
    try:
        y = f(x.detach().clone().requires_grad_())
        y.backward(torch.ones_like(y))
        y.backward(torch.ones_like(y))
        return False
    except RuntimeError:
        return True


# %% wrong needs_retain_graph WRONG_TYPE 2: words instead of True and False
import torch


def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return "raises"
    return "works"


# %% wrong needs_retain_graph RETURNS_NONE 2: no return
import torch


def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    y.backward(torch.ones_like(y))


# %% wrong needs_retain_graph RAISED 2: x does not require a gradient
import torch


def needs_retain_graph(f, x):
    y = f(x.detach())
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
    except RuntimeError:
        return True
    return False


# %% wrong needs_retain_graph ALWAYS_FALSE 5: numbers of its own instead of x
import torch


def needs_retain_graph(f, x):
    y = f(torch.full_like(x, 0.5).requires_grad_()).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return True
    return False


# %% wrong needs_retain_graph ALWAYS_FALSE 5: looks for names of saved tensors
import torch


def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    nodes = [y.grad_fn]
    while nodes:
        node = nodes.pop()
        if node is None:
            continue
        nodes += [n for n, _ in node.next_functions]
        names = [name for name in dir(node) if name.startswith("_saved_")]
        if any(isinstance(getattr(node, name), torch.Tensor) for name in names):
            return True
    return False


# %% wrong needs_retain_graph RAISED 5: backward from the first number of y
def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    y[0].backward()
    try:
        y[0].backward()
    except RuntimeError:
        return True
    return False


# %% wrong needs_retain_graph RAISED 5: weights as long as x
import torch


def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_())
    weights = torch.ones(len(x)).reshape(y.shape)
    y.backward(weights)
    try:
        y.backward(weights)
    except RuntimeError:
        return True
    return False


# %% right needs_retain_graph: the mean
def needs_retain_graph(f, x):
    y = f(x.detach().clone().requires_grad_()).mean()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return True
    return False
