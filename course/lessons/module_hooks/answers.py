# %% right hook_order: a tuple
def hook_order():
    first = "net in", "inner in", "inner out", "net out", "net back pre", "inner back", "net back"
    return first + ("inner in", "inner out", "inner back")


# %% right hook_order: put together
def hook_order():
    inner = [f"inner {word}" for word in ("in", "out")]
    return ["net in", *inner, "net out", "net back pre", "inner back", "net back"] + [
        *inner,
        "inner back",
    ]


# %% right hook_order: asked of torch
import torch
from torch import nn


def hook_order():
    words = []

    def say(word):
        return lambda *_: words.append(word)

    inner = nn.Linear(2, 2)
    net = nn.Sequential(inner, nn.Tanh())
    inner.register_forward_hook(say("inner out"))
    net.register_forward_hook(say("net out"))
    net.register_forward_pre_hook(say("net in"))
    inner.register_forward_pre_hook(say("inner in"))
    inner.register_full_backward_hook(say("inner back"))
    net.register_full_backward_hook(say("net back"))
    net.register_full_backward_pre_hook(say("net back pre"))
    x = torch.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    net.forward(x).sum().backward()
    return words


# %% wrong hook_order MODULE_REGISTRATION_ORDER 0: the order of registration
def hook_order():
    return ["inner out", "net out", "net in", "inner in", "inner back", "net back", "net back pre"]


# %% wrong hook_order CHILD_ENTERED_FIRST 0: from the inside out
def hook_order():
    return ["inner in", "inner out", "net in", "net out", "inner back", "net back pre", "net back"]


# %% wrong hook_order PARENT_LEFT_FIRST 0: left in the order of entering
def hook_order():
    return ["net in", "inner in", "net out", "inner out", "net back pre", "net back", "inner back"]


# %% wrong hook_order PARENT_BACK_FIRST 2: the network before its layers
def hook_order():
    words = ["net in", "inner in", "inner out", "net out", "net back pre", "net back", "inner back"]
    return [*words, "inner in", "inner out", "inner back"]


# %% wrong hook_order FORWARD_CALLS_HOOKS 2: forward called directly is the same
def hook_order():
    words = ["net in", "inner in", "inner out", "net out", "net back pre", "inner back", "net back"]
    return words * 2


# %% wrong hook_order LAYER_HOOKS_STAY 2: forward called directly switches all hooks off
def hook_order():
    return ["net in", "inner in", "inner out", "net out", "net back pre", "inner back", "net back"]


# %% wrong hook_order NOT_A_LABEL 0: other words
def hook_order():
    return ["net", "inner", "inner", "net"]


# %% wrong hook_order RETURNS_NONE 0: printed, not given back
def hook_order():
    print(["net in", "inner in", "inner out", "net out"])


# %% wrong hook_order WRONG_TYPE 0: one string
def hook_order():
    return "net in, inner in, inner out, net out"


# %% right call_counts: a Counter, pre-hooks and an ExitStack
from collections import Counter
from contextlib import ExitStack


def call_counts(net, x):
    path_of = {module: path for path, module in net.named_modules()}
    counts = Counter(dict.fromkeys(path_of.values(), 0))
    with ExitStack() as hooks:
        for module in path_of:
            hooks.enter_context(
                module.register_forward_pre_hook(lambda m, _: counts.update([path_of[m]]))
            )
        net(x)
    return counts


# %% right call_counts: one global hook
from torch.nn.modules.module import register_module_forward_hook


def call_counts(net, x):
    calls = []
    handle = register_module_forward_hook(lambda module, args, output: calls.append(id(module)))
    try:
        net(x)
    finally:
        handle.remove()
    return {path: calls.count(id(module)) for path, module in net.named_modules()}


# %% right call_counts: lists of calls, counted at the end
from functools import partial


def call_counts(net, x):
    seen = {path: [] for path, _ in net.named_modules()}

    def note(path, *args):
        seen[path].append(1)

    handles = [m.register_forward_hook(partial(note, p)) for p, m in net.named_modules()]
    net(x)
    [handle.remove() for handle in handles]
    return {path: len(calls) for path, calls in seen.items()}


# %% right call_counts: the counts are tensors with one number
from contextlib import ExitStack

import torch


def call_counts(net, x):
    counts = {}
    with ExitStack() as hooks:
        for path, module in net.named_modules():
            counts[path] = torch.tensor(0)

            def count(module, args, path=path):
                counts[path] += 1

            hooks.enter_context(module.register_forward_pre_hook(count))
        net(x)
    return counts


# %% right call_counts: hooks on a copy of the network
from copy import deepcopy


def call_counts(net, x):
    copy = deepcopy(net)
    counts = {path: 0 for path, _ in copy.named_modules()}
    for path, module in copy.named_modules():

        def count(module, args, output, path=path):
            counts[path] += 1

        module.register_forward_hook(count)
    copy(x)
    return counts


# %% wrong call_counts PATHS_MISSING 1: only what was called
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules():

        def count(module, args, output, path=path):
            counts[path] = counts.get(path, 0) + 1

        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts PATHS_MISSING 0: only the children of the network
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_children():
        counts[path] = 0

        def count(module, args, output, path=path):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts LATE_PATH 0: the loop variable
def call_counts(net, x):
    counts, handles = {path: 0 for path, _ in net.named_modules()}, []
    for path, module in net.named_modules():

        def count(module, args, output):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts MODULE_HOOKS_LEFT 0: hooks stay
def call_counts(net, x):
    counts = {}
    for path, module in net.named_modules():
        counts[path] = 0

        def count(module, args, output, path=path):
            counts[path] += 1

        module.register_forward_hook(count)
    net(x)
    return counts


# %% wrong call_counts REPEATED_CALL_LOST 1: one place for each path
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules():
        counts[path] = 0
        handles.append(
            module.register_forward_hook(lambda m, args, out, path=path: counts.update({path: 1}))
        )
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts UNUSED_COUNTED 0: what is defined is called
def call_counts(net, x):
    net(x)
    return {path: 1 for path, _ in net.named_modules()}


# %% wrong call_counts OTHERS_MODULE_HOOKS_GONE 0: all hooks are cleared
def call_counts(net, x):
    counts = {}
    for path, module in net.named_modules():
        counts[path] = 0

        def count(module, args, output, path=path):
            counts[path] += 1

        module.register_forward_hook(count)
    net(x)
    for module in net.modules():
        module._forward_hooks.clear()
    return counts


# %% wrong call_counts FORWARD_CALLED_DIRECTLY 0: forward is called directly, and the root is never seen
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules():
        counts[path] = 1

        def count(module, args, output, path=path):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net.forward(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts RETURNS_NONE 0: printed
def call_counts(net, x):
    for path, module in net.named_modules():
        print(path, type(module).__name__)


# %% wrong call_counts MODULE_HOOKS_LEFT 0: a global hook stays
from torch.nn.modules.module import register_module_forward_hook


def call_counts(net, x):
    path_of = {module: path for path, module in net.named_modules()}
    counts = dict.fromkeys(path_of.values(), 0)

    def count(module, args, output):
        if module in path_of:
            counts[path_of[module]] += 1

    register_module_forward_hook(count)
    net(x)
    return counts


# %% wrong call_counts CALL_NOT_SEEN 2: backward hooks count
from contextlib import ExitStack


def call_counts(net, x):
    counts = {}
    with ExitStack() as hooks:
        for path, module in net.named_modules():
            counts[path] = 0

            def count(module, grad_input, grad_output, path=path):
                counts[path] += 1

            hooks.enter_context(module.register_full_backward_hook(count))
        net(x.clone().requires_grad_()).sum().backward()
    return counts


# %% wrong call_counts FORWARD_CALLED_DIRECTLY 0: forward is called directly
from contextlib import ExitStack


def call_counts(net, x):
    counts = {}
    with ExitStack() as hooks:
        for path, module in net.named_modules():
            counts[path] = 0

            def count(module, args, output, path=path):
                counts[path] += 1

            hooks.enter_context(module.register_forward_hook(count))
        net.forward(x)
    return counts


# %% wrong call_counts NETWORK_CALLED_AGAIN 0: the network runs twice
from contextlib import ExitStack


def call_counts(net, x):
    counts = {}
    with ExitStack() as hooks:
        for path, module in net.named_modules():
            counts[path] = 0

            def count(module, args, output, path=path):
                counts[path] += 1

            hooks.enter_context(module.register_forward_hook(count))
        net(x)
        net(x)
    return counts


# %% wrong call_counts NETWORK_NOT_CALLED 0: the network never runs
def call_counts(net, x):
    return {path: 0 for path, _ in net.named_modules()}


# %% wrong call_counts NOT_A_COUNT 0: called or not called
from contextlib import ExitStack


def call_counts(net, x):
    called = {}
    with ExitStack() as hooks:
        for path, module in net.named_modules():
            called[path] = False

            def note(module, args, output, path=path):
                called[path] = True

            hooks.enter_context(module.register_forward_hook(note))
        net(x)
    return called


# %% wrong call_counts NETWORK_CALLED_AGAIN 0: once without hooks, once with them
def call_counts(net, x):
    net(x)
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


# %% wrong call_counts FORWARD_CALLED_DIRECTLY 0: forward, and 1 for the network by hand
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules():
        counts[path] = 0

        def count(module, args, output, path=path):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net.forward(x)
    counts[""] = 1
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts PATHS_TOO_MANY 2: each path of a shared module
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules(remove_duplicate=False):
        counts[path] = 0

        def count(module, args, output, path=path):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts CALL_COUNTED_AGAIN 0: a hook and a pre-hook, and both count
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules():
        counts[path] = 0

        def count(module, *_, path=path):
            counts[path] += 1

        handles.append(module.register_forward_pre_hook(count))
        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% wrong call_counts CALL_NOT_SEEN 0: no hook on the network itself
def call_counts(net, x):
    counts, handles = {}, []
    for path, module in net.named_modules():
        counts[path] = 0
        if path == "":
            continue

        def count(module, args, output, path=path):
            counts[path] += 1

        handles.append(module.register_forward_hook(count))
    net(x)
    for handle in handles:
        handle.remove()
    return counts


# %% right parents: a function that calls itself
def parents(log):
    callers, rest = {}, iter(log)

    def read(caller):
        for entry in rest:
            if entry.startswith("out "):
                return
            name = entry.removeprefix("in ")
            callers[name] = caller
            read(name)

    read(None)
    return callers


# %% right parents: each caller holds its own way up
def parents(log):
    callers, now = {}, None
    for entry in log:
        word, _, name = entry.partition(" ")
        if word == "in":
            callers[name] = now
            now = name
        else:
            now = callers[name]
    return callers


# %% right parents: by depth
def parents(log):
    at_depth, depth, callers = {0: None}, 0, {}
    for entry in log:
        if entry[:3] == "in ":
            callers[entry[3:]] = at_depth[depth]
            depth += 1
            at_depth[depth] = entry[3:]
        else:
            depth -= 1
    return callers


# %% wrong parents LOG_FLAT 0: the first one calls all others
def parents(log):
    names = [entry[3:] for entry in log if entry.startswith("in ")]
    return {name: None if name == names[0] else names[0] for name in names}


# %% wrong parents CLOSED_MODULE_CALLS 1: the one before is the caller
def parents(log):
    callers, last = {}, None
    for entry in log:
        if entry.startswith("in "):
            callers[entry[3:]] = last
            last = entry[3:]
    return callers | {log[0][3:]: None}


# %% wrong parents NAMES_CUT 4: the name ends at the first space
def parents(log):
    callers, open_modules = {}, [None]
    for entry in log:
        word, name = entry.split(" ")[:2]
        if word == "in":
            callers[name] = open_modules[-1]
            open_modules.append(name)
        else:
            open_modules.pop()
    return callers


# %% wrong parents NAMES_CUT 0: without the one that was called from outside
def parents(log):
    callers, open_modules = {}, []
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            if open_modules:
                callers[name] = open_modules[-1]
            open_modules.append(name)
        else:
            open_modules.pop()
    return callers


# %% wrong parents CALLEES_NOT_CALLERS 0: from a caller to what it calls
def parents(log):
    callees, open_modules = {}, []
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            callees.setdefault(name, [])
            if open_modules:
                callees[open_modules[-1]].append(name)
            open_modules.append(name)
        else:
            open_modules.pop()
    return callees


# %% wrong parents NOT_THE_LAST_OPENED 1: the example from the text
def parents(log):
    names = {entry.split(" ", 1)[1]: None for entry in log}
    return names | (
        {"net": None, "block": "net", "fc": "block", "head": "net"} if "head" in names else {}
    )


# %% wrong parents RAISED 0: nothing is open at the beginning
def parents(log):
    callers, open_modules = {}, []
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            callers[name] = open_modules[-1]
            open_modules.append(name)
        else:
            open_modules.pop()
    return callers


# %% wrong parents OUTSIDE_IS_NONE 0: a word for None
def parents(log):
    callers, open_modules = {}, ["None"]
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            callers[name] = open_modules[-1]
            open_modules.append(name)
        else:
            open_modules.pop()
    return callers


# %% wrong parents NOT_THE_LAST_OPENED 2: only the outermost and the one just before
def parents(log):
    callers = {}
    for place, entry in enumerate(log):
        word, name = entry.split(" ", 1)
        if word == "in":
            before = log[place - 1].split(" ", 1)
            callers[name] = before[1] if before[0] == "in" else log[0][3:]
    callers[log[0][3:]] = None
    return callers


# %% wrong parents NOT_THE_LAST_OPENED 3: a name is opened the first time only
def parents(log):
    callers, stack = {}, []
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            if name not in callers:
                callers[name] = stack[-1] if stack else None
                stack.append(name)
        elif stack:
            stack.pop()
    return callers


# %% wrong parents NAMES_CUT 4: two spaces become one
def parents(log):
    callers, stack = {}, [None]
    for entry in log:
        name = " ".join(entry.split()[1:])
        if entry.startswith("in "):
            callers[name] = stack[-1]
            stack.append(name)
        else:
            stack.pop()
    return callers


# %% wrong parents NOT_THE_LAST_OPENED 0: each module is its own caller
def parents(log):
    callers, stack = {}, []
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            stack.append(name)
            callers[name] = stack[-1]
        else:
            stack.pop()
    return callers


# %% wrong parents NOT_THE_LAST_OPENED 0: the caller of the caller
def parents(log):
    callers, stack = {}, [None, None]
    for entry in log:
        word, name = entry.split(" ", 1)
        if word == "in":
            callers[name] = stack[-2]
            stack.append(name)
        else:
            stack.pop()
    return callers


# %% wrong parents NOT_THE_LAST_OPENED 1: a caller only where the line before opens it
def parents(log):
    callers = {}
    for before, entry in zip([""] + log, log):
        word, name = entry.split(" ", 1)
        if word == "in":
            callers[name] = before[3:] if before.startswith("in ") else None
    return callers


# %% right logged_prediction: called in the usual way
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        y = net.__call__(x)
    net.train(was_training)
    return y


# %% right logged_prediction: inference mode, and finally
import torch


def logged_prediction(net, x):
    mode = net.training
    try:
        with torch.inference_mode():
            return net.eval()(x)
    finally:
        net.train(mode)


# %% right logged_prediction: a decorator
import torch


@torch.no_grad()
def logged_prediction(net, x):
    modes = {module: module.training for module in net.modules()}
    net.eval()
    y = net(x)
    for module, mode in modes.items():
        module.training = mode
    return y


# %% wrong logged_prediction FORWARD_CALLED_DIRECTLY 0: as it was
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        y = net.forward(x)
    net.train(was_training)
    return y


# %% wrong logged_prediction FORWARD_CALLED_DIRECTLY 0: layer by layer
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        for layer in net:
            x = layer(x)
    net.train(was_training)
    return x


# %% wrong logged_prediction NETWORK_CALLED_AGAIN 0: once for the hooks, once for the result
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        net(x)
        y = net(x)
    net.train(was_training)
    return y


# %% wrong logged_prediction FORWARD_CALLED_DIRECTLY 0: calls the forward hooks by hand
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        y = net.forward(x)
        for hook in list(net._forward_pre_hooks.values()):
            hook(net, (x,))
    net.train(was_training)
    return y


# %% wrong logged_prediction GRAPH_RECORDED 0: outside of no_grad
import torch


def logged_prediction(net, x):
    was_training = net.training
    with torch.no_grad():
        net.eval()
    y = net(x)
    net.train(was_training)
    return y


# %% wrong logged_prediction MODE_CHANGED 2: eval stays
import torch


def logged_prediction(net, x):
    net.eval()
    with torch.no_grad():
        return net(x)


# %% wrong logged_prediction MODE_CHANGED 2: eval is forgotten
import torch


def logged_prediction(net, x):
    with torch.no_grad():
        return net(x)


# %% wrong logged_prediction RETURNS_NONE 0: nothing is given back
import torch


def logged_prediction(net, x):
    with torch.no_grad():
        net(x)


# %% wrong logged_prediction GRAPH_RECORDED 0: detached afterwards
def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    y = net(x).detach()
    net.train(was_training)
    return y


# %% wrong logged_prediction REQUIRES_GRAD_CHANGED 0: frozen instead of no_grad
def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    net.requires_grad_(False)
    y = net(x)
    net.train(was_training)
    return y


# %% wrong logged_prediction GRAD_MODE_CHANGED 0: switched off for good
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    torch.set_grad_enabled(False)
    y = net(x)
    net.train(was_training)
    return y


# %% wrong logged_prediction OTHERS_MODULE_HOOKS_GONE 0: tidies up too much
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        y = net(x)
    net._forward_hooks.clear()
    net.train(was_training)
    return y


# %% wrong logged_prediction NETWORK_CALLED_AGAIN 0: a call, and then forward again
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        net(x)
        y = net.forward(x)
    net.train(was_training)
    return y


# %% wrong logged_prediction RAISED 2: all hooks called by hand
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        for hook in net._forward_pre_hooks.values():
            made = hook(net, (x,))
            if made is not None:
                x = made[0] if isinstance(made, tuple) else made
        y = net.forward(x)
        for hook in net._forward_hooks.values():
            made = hook(net, (x,), y)
            y = y if made is None else made
    net.train(was_training)
    return y


# %% wrong logged_prediction GRAD_MODE_CHANGED 3: off, and then on
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    torch.set_grad_enabled(False)
    y = net(x)
    torch.set_grad_enabled(True)
    net.train(was_training)
    return y


# %% wrong logged_prediction GRAPH_RECORDED 3: frozen, and then all unfrozen
def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    net.requires_grad_(False)
    y = net(x)
    net.requires_grad_(True)
    net.train(was_training)
    return y


# %% wrong logged_prediction GRAPH_RECORDED 3: frozen, and then as before
def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    before = [(p, p.requires_grad) for p in net.parameters()]
    net.requires_grad_(False)
    y = net(x)
    for p, required in before:
        p.requires_grad_(required)
    net.train(was_training)
    return y


# %% wrong logged_prediction REQUIRES_GRAD_CHANGED 3: no_grad, and all unfrozen at the end
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval().requires_grad_(False)
    with torch.no_grad():
        y = net(x)
    net.train(was_training).requires_grad_(True)
    return y


# %% wrong logged_prediction REQUIRES_GRAD_CHANGED 3: the input of the caller is frozen
import torch


def logged_prediction(net, x):
    was_training = net.training
    net.eval()
    with torch.no_grad():
        y = net(x.requires_grad_(False))
    net.train(was_training)
    return y


# %% right keep_output: cloned first
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda m, args, output: kept.append(output.clone().detach()))
    return kept


# %% right keep_output: the network gets the copy
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        kept.append(output.detach())
        return output.clone()

    layer.register_forward_hook(keep)
    return kept


# %% right keep_output: a copy made of numbers
import torch


def keep_output(layer):
    kept = []

    def keep(module, args, output):
        kept.append(torch.tensor(output.tolist()))

    layer.register_forward_hook(keep)
    return kept


# %% right keep_output: a list that is its own hook
def keep_output(layer):
    class Kept(list):
        def __call__(self, module, args, output):
            self.append(output.detach().clone())

    kept = Kept()
    layer.register_forward_hook(kept)
    return kept


# %% right keep_output: a copy that is a new leaf
def keep_output(layer):
    kept = []
    layer.register_forward_hook(
        lambda module, args, output: kept.append(output.detach().clone().requires_grad_())
    )
    return kept


# %% wrong keep_output FEATURES_OVERWRITTEN 0: as it was
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda m, args, output: kept.append(output.detach()))
    return kept


# %% wrong keep_output FEATURES_OVERWRITTEN 0: .data is no copy
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda m, args, output: kept.append(output.data))
    return kept


# %% wrong keep_output FEATURES_ATTACHED 0: a copy with history
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda m, args, output: kept.append(output.clone()))
    return kept


# %% wrong keep_output FEATURES_OF_THE_INPUT 0: the input
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda m, args, output: kept.append(args[0].detach().clone()))
    return kept


# %% wrong keep_output NETWORK_CHANGED 0: gives back a copy without history
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        kept.append(output.detach().clone())
        return kept[-1].clone().requires_grad_() * 1

    layer.register_forward_hook(keep)
    return kept


# %% wrong keep_output FEATURES_MISSING 0: the list is replaced
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        kept = [output.detach().clone()]  # noqa: F841  # the mistake: another list

    layer.register_forward_hook(keep)
    return kept


# %% wrong keep_output FEATURES_MISSING 2: only the last call
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        kept[:] = [output.detach().clone()]

    layer.register_forward_hook(keep)
    return kept


# %% wrong keep_output FEATURES_MISSING 0: the hook is removed again
def keep_output(layer):
    kept = []
    handle = layer.register_forward_hook(lambda m, a, out: kept.append(out.detach().clone()))
    handle.remove()
    return kept


# %% wrong keep_output RETURNS_NONE 0: the list is not given back
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda m, args, output: kept.append(output.detach().clone()))


# %% wrong keep_output KEPT_NOT_TENSORS 0: lists of numbers
def keep_output(layer):
    kept = []
    layer.register_forward_hook(lambda module, args, output: kept.append(output.tolist()))
    return kept


# %% wrong keep_output FEATURES_MISSING 2: not under no_grad
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        if output.requires_grad:
            kept.append(output.detach().clone())

    layer.register_forward_hook(keep)
    return kept


# %% wrong keep_output OTHERS_MODULE_HOOKS_GONE 0: begins with an empty layer
def keep_output(layer):
    kept = []
    layer._forward_hooks.clear()
    layer.register_forward_hook(lambda module, args, out: kept.append(out.detach().clone()))
    return kept


# %% wrong keep_output GRAD_MODE_CHANGED 2: recording is switched off, and then on
import torch


def keep_output(layer):
    kept = []

    def keep(module, args, output):
        torch.set_grad_enabled(False)
        kept.append(output.clone())
        torch.set_grad_enabled(True)

    layer.register_forward_hook(keep)
    return kept


# %% wrong keep_output RAISED 3: computes what a linear layer computes
from torch import nn


def keep_output(layer):
    kept = []

    def keep(module, args, output):
        made = nn.functional.linear(args[0], module.weight, module.bias)
        kept.append(made.detach())

    layer.register_forward_hook(keep)
    return kept


# %% wrong keep_output NETWORK_CHANGED 3: runs forward a second time
def keep_output(layer):
    kept = []
    layer.register_forward_pre_hook(
        lambda module, args: kept.append(module.forward(*args).detach())
    )
    return kept


# %% wrong keep_output WRONG_VALUE 3: always a matrix
def keep_output(layer):
    kept = []

    def keep(module, args, output):
        kept.append(output.detach().clone().view(-1, output.shape[-1]))

    layer.register_forward_hook(keep)
    return kept


# %% right scaled_back: a list made to a tuple
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        scaled = []
        for grad in grad_input:
            scaled.append(None if grad is None else factor * grad)
        return tuple(scaled)

    return module.register_full_backward_hook(hook)


# %% right scaled_back: tensor hooks on the inputs
import torch


def scaled_back(module, factor):
    def watch(module, args):
        changed = []
        for arg in args:
            if isinstance(arg, torch.Tensor) and arg.requires_grad:
                arg = arg.view_as(arg)
                arg.register_hook(lambda grad: grad * factor)
            changed.append(arg)
        return tuple(changed)

    return module.register_forward_pre_hook(watch)


# %% right scaled_back: an operation with its own backward
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def scaled_back(module, factor):
    return module.register_forward_pre_hook(
        lambda module, args: tuple(
            Scale.apply(arg, factor) if isinstance(arg, torch.Tensor) else arg for arg in args
        )
    )


# %% wrong scaled_back NOT_A_TUPLE 0: as it was
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return grad_input[0] * factor

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back NOT_A_TUPLE 2: a tuple of one, always
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return (grad_input[0] * factor,)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back INPUTS_FORGOTTEN 2: the others stay as they are
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return (grad_input[0] * factor, *grad_input[1:])

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back RAISED 4: None times a number
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(grad * factor for grad in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back GRADIENT_EDITED 3: in place
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        for grad in grad_input:
            if grad is not None:
                grad.mul_(factor)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back OWN_WEIGHTS_CHANGED 0: what comes in
def scaled_back(module, factor):
    return module.register_full_backward_pre_hook(
        lambda module, grad_output: tuple(grad * factor for grad in grad_output)
    )


# %% wrong scaled_back OWN_WEIGHTS_CHANGED 0: the output is scaled
def scaled_back(module, factor):
    return module.register_forward_hook(lambda module, args, output: output * factor)


# %% wrong scaled_back GRADIENT_UNCHANGED 0: the name is rebound
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        grad_input = tuple(g if g is None else g * factor for g in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back NO_MODULE_HANDLE 0: the module is given back
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(g if g is None else g * factor for g in grad_input)

    module.register_full_backward_hook(hook)
    return module


# %% wrong scaled_back RETURNS_NONE 0: no handle
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(g if g is None else g * factor for g in grad_input)

    module.register_full_backward_hook(hook)


# %% wrong scaled_back NONE_REPLACED 4: zeros for None
import torch


def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(torch.zeros(1) if g is None else g * factor for g in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back WORKS_ONCE 0: only the first backward
def scaled_back(module, factor):
    done = []

    def hook(module, grad_input, grad_output):
        if not done:
            done.append(True)
            return tuple(grad if grad is None else grad * factor for grad in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back OTHERS_MODULE_HOOKS_GONE 2: the only hook
def scaled_back(module, factor):
    module._backward_hooks.clear()

    def hook(module, grad_input, grad_output):
        return tuple(grad if grad is None else grad * factor for grad in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back MODULE_HOOK_NOT_REMOVED 0: hooks on the tensors of the caller
import torch


def scaled_back(module, factor):
    def pre_hook(module, args):
        for arg in args:
            if isinstance(arg, torch.Tensor):
                arg.register_hook(lambda grad: grad * factor)

    return module.register_forward_pre_hook(pre_hook)


# %% wrong scaled_back NOT_A_TUPLE 3: one or two inputs
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        if len(grad_input) == 1:
            return (grad_input[0] * factor,)
        return tuple(None if g is None else g * factor for g in grad_input[:2])

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back WRONG_VALUE 0: the factor acts twice
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(grad if grad is None else grad * factor * factor for grad in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back OWN_WEIGHTS_CHANGED 0: the legacy hook
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(grad if grad is None else grad * factor for grad in grad_input)

    return module.register_backward_hook(hook)


# %% wrong scaled_back INPUTS_FORGOTTEN 2: the first gradient for each input
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        return tuple(None if g is None else grad_input[0] * factor for g in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back GRADIENT_UNCHANGED 4: asks only the first input for None
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        if grad_input[0] is None:
            return None
        return tuple(None if g is None else g * factor for g in grad_input)

    return module.register_full_backward_hook(hook)


# %% wrong scaled_back WRONG_VALUE 3: the factor once for each input
def scaled_back(module, factor):
    def hook(module, grad_input, grad_output):
        k = factor ** sum(g is not None for g in grad_input)
        return tuple(None if g is None else g * k for g in grad_input)

    return module.register_full_backward_hook(hook)


# %% right watch_gradient: a hook on the node
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if output.grad_fn is not None:
            output.grad_fn.register_prehook(lambda grads: norms.append(grads[0].norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% right watch_gradient: a multi-grad hook
from torch.autograd.graph import register_multi_grad_hook


def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if output.requires_grad:
            register_multi_grad_hook((output,), lambda grads: norms.append(float(grads[0].norm())))

    layer.register_forward_hook(watch)
    return norms


# %% right watch_gradient: a clone for the next layer
import torch


def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if not output.requires_grad:
            return None
        output = output.clone()

        def record(grad):
            norms.append(torch.linalg.vector_norm(grad).item())

        output.register_hook(record)
        return output

    layer.register_forward_hook(watch)
    return norms


# %% right watch_gradient: a legacy hook, and the gradient of the output in it
def watch_gradient(layer):
    norms = []
    layer.register_backward_hook(lambda m, gi, go: norms.append(go[0].norm().item()))
    return norms


# %% right watch_gradient: tries it
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        try:
            output.register_hook(lambda grad: norms.append(grad.norm().item()))
        except RuntimeError:
            pass

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient OUTPUT_NOT_ASKED 4: asks the input
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if args[0].requires_grad:
            output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient RAISED 3: asks the weight
import torch


def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if layer.weight.requires_grad and torch.is_grad_enabled():
            output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient OUTPUT_NOT_ASKED 3: asks the parameters
import torch


def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if torch.is_grad_enabled() and any(p.requires_grad for p in module.parameters()):
            output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient PARAMETER_GRADIENT_SEEN 0: the first element of a legacy hook
def watch_gradient(layer):
    norms = []
    layer.register_backward_hook(lambda m, gi, go: norms.append(gi[0].norm().item()))
    return norms


# %% wrong watch_gradient OUTPUT_MADE_A_LEAF 0: a fresh leaf goes on
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        output = output.detach().requires_grad_()
        output.register_hook(lambda grad: norms.append(grad.norm().item()))
        return output

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient ONLY_THE_LAST_BACKWARD 4: each forward begins again
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        norms.clear()
        if output.requires_grad:
            output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient STOPPED_IN_PLACE 0: as it was
def watch_gradient(layer):
    norms = []

    def watch(module, grad_input, grad_output):
        norms.append(grad_output[0].norm().item())

    layer.register_full_backward_hook(watch)
    return norms


# %% wrong watch_gradient STOPPED_IN_PLACE 0: a full pre-hook
def watch_gradient(layer):
    norms = []
    layer.register_full_backward_pre_hook(lambda m, gos: norms.append(gos[0].norm().item()))
    return norms


# %% wrong watch_gradient STOPPED_IN_PLACE 0: a clone in a forward hook is too early
def watch_gradient(layer):
    norms = []

    def watch(module, grad_input, grad_output):
        norms.append(grad_output[0].norm().item())

    layer.register_full_backward_hook(watch)
    layer.register_forward_hook(lambda module, args, output: output.clone())
    return norms


# %% wrong watch_gradient NORM_OF_THE_OUTPUT 0: the value
def watch_gradient(layer):
    norms = []
    layer.register_forward_hook(lambda m, args, output: norms.append(output.norm().item()))
    return norms


# %% wrong watch_gradient INPUT_GRADIENT_SEEN 0: the input
def watch_gradient(layer):
    norms = []

    def watch(module, args):
        if args[0].requires_grad:
            args[0].register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_pre_hook(watch)
    return norms


# %% wrong watch_gradient RECORD_EMPTY 0: hook on a detached tensor
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        output.detach().requires_grad_().register_hook(lambda grad: norms.append(grad.norm()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient RECORDS_TENSORS 0: tensors
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if output.requires_grad:
            output.register_hook(lambda grad: norms.append(grad.norm()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient RAISED 4: no_grad is forgotten
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient NETWORK_CHANGED 0: the graph is cut
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        fresh = output.detach().requires_grad_()
        fresh.register_hook(lambda grad: norms.append(grad.norm().item()))
        return fresh * 1

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient RAISED 4: asks for the grad mode only
import torch


def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if torch.is_grad_enabled():
            output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient OUTPUT_MADE_A_LEAF 4: makes every output require a gradient
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        output.requires_grad_()
        output.register_hook(lambda grad: norms.append(grad.norm().item()))

    layer.register_forward_hook(watch)
    return norms


# %% wrong watch_gradient WORKS_ONCE 4: the hook removes itself
def watch_gradient(layer):
    norms = []

    def watch(module, args, output):
        if output.requires_grad:
            output.register_hook(lambda grad: norms.append(grad.norm().item()))
            handle.remove()

    handle = layer.register_forward_hook(watch)
    return norms


# %% right scale_inputs: loops
import torch


def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        new_args, new_kwargs = [], {}
        for value in args:
            new_args.append(value * factor if torch.is_tensor(value) else value)
        for name in kwargs:
            value = kwargs[name]
            new_kwargs[name] = value * factor if torch.is_tensor(value) else value
        return tuple(new_args), new_kwargs

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% right scale_inputs: tree_map
import torch
from torch.utils._pytree import tree_map


def scale_inputs(module, factor):
    def scaled(value):
        return factor * value if isinstance(value, torch.Tensor) else value

    return module.register_forward_pre_hook(
        lambda module, args, kwargs: tree_map(scaled, (args, kwargs)), with_kwargs=True
    )


# %% right scale_inputs: changes the dict, which is a new one in each call
import torch


def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        for name, value in list(kwargs.items()):
            if isinstance(value, torch.Tensor):
                kwargs[name] = torch.mul(value, factor)
        return tuple(v * factor if isinstance(v, torch.Tensor) else v for v in args), kwargs

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs KEYWORDS_NOT_SCALED 1: without with_kwargs
import torch


def scale_inputs(module, factor):
    return module.register_forward_pre_hook(
        lambda m, args: tuple(v * factor if isinstance(v, torch.Tensor) else v for v in args)
    )


# %% wrong scale_inputs RAISED 0: only args are given back
import torch


def scale_inputs(module, factor):
    return module.register_forward_pre_hook(
        lambda m, args, kwargs: tuple(v * factor for v in args), with_kwargs=True
    )


# %% wrong scale_inputs RAISED 3: all is multiplied
def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        return tuple(v * factor for v in args), {n: v * factor for n, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs NON_TENSORS_CHANGED 3: numbers too
import torch


def scale_inputs(module, factor):
    def scaled(value):
        return value * factor if isinstance(value, (torch.Tensor, int, float)) else value

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {n: scaled(v) for n, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs CALLERS_TENSOR_CHANGED 0: in place
import torch


def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        for value in (*args, *kwargs.values()):
            if isinstance(value, torch.Tensor):
                value.mul_(factor)

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs POSITIONS_NOT_SCALED 0: only the first input
import torch


def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        if not args:
            return None
        return (args[0] * factor, *args[1:]), kwargs

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs POSITIONS_NOT_SCALED 0: the names are bound to new values
import torch


def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        args = tuple(v * factor for v in args if isinstance(v, torch.Tensor))

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs MODULE_HOOK_NOT_REMOVED 0: the handle of another hook
import torch


def scale_inputs(module, factor):
    def scaled(value):
        return value * factor if isinstance(value, torch.Tensor) else value

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {n: scaled(v) for n, v in kwargs.items()}

    module.register_forward_pre_hook(hook, with_kwargs=True)
    return module.register_forward_hook(lambda *_: None)


# %% wrong scale_inputs RETURNS_NONE 0: no handle
import torch


def scale_inputs(module, factor):
    def scaled(value):
        return value * factor if isinstance(value, torch.Tensor) else value

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {n: scaled(v) for n, v in kwargs.items()}

    module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs HISTORY_CUT 0: detached
import torch


def scale_inputs(module, factor):
    def scaled(value):
        return value.detach() * factor if isinstance(value, torch.Tensor) else value

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {name: scaled(value) for name, value in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs KEYWORDS_NOT_SCALED 4: a Parameter is a tensor too
import torch


def scale_inputs(module, factor):
    def scaled(value):
        return value * factor if type(value) is torch.Tensor else value

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {name: scaled(value) for name, value in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs WORKS_ONCE 0: only the first call
import torch


def scale_inputs(module, factor):
    done = []

    def scaled(value):
        return value * factor if isinstance(value, torch.Tensor) else value

    def hook(module, args, kwargs):
        if not done:
            done.append(True)
            return tuple(map(scaled, args)), {name: scaled(v) for name, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs POSITIONS_NOT_SCALED 0: forward runs again with other inputs
import torch


def scale_inputs(module, factor):
    def scaled(value):
        return value * factor if isinstance(value, torch.Tensor) else value

    def hook(module, args, kwargs, output):
        return module.forward(*map(scaled, args), **{n: scaled(v) for n, v in kwargs.items()})

    return module.register_forward_hook(hook, with_kwargs=True)


# %% wrong scale_inputs HISTORY_CUT 0: new leaves that ask for a gradient
import torch


def scale_inputs(module, factor):
    def scaled(v):
        if not isinstance(v, torch.Tensor):
            return v
        return (v.detach().clone() * factor).requires_grad_(v.requires_grad)

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {name: scaled(v) for name, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs HISTORY_CUT 0: backward does not see the factor
import torch


def scale_inputs(module, factor):
    def scaled(v):
        if not isinstance(v, torch.Tensor):
            return v
        new = v * 1.0
        new.data.mul_(factor)
        return new

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {name: scaled(v) for name, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs POSITIONS_NOT_SCALED 3: tensors of floats only
import torch


def scale_inputs(module, factor):
    def scaled(v):
        return v * factor if torch.is_tensor(v) and v.is_floating_point() else v

    def hook(module, args, kwargs):
        return tuple(map(scaled, args)), {name: scaled(v) for name, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs NON_TENSORS_CHANGED 3: the first input, whatever it is
import torch


def scale_inputs(module, factor):
    def scaled(v):
        return v * factor if torch.is_tensor(v) else v

    def hook(module, args, kwargs):
        new = tuple(v * factor for v in args[:1]) + tuple(map(scaled, args[1:]))
        return new, {name: scaled(v) for name, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs NON_TENSORS_CHANGED 3: what is not a tensor is left out
import torch


def scale_inputs(module, factor):
    def hook(module, args, kwargs):
        new = tuple(v * factor for v in args if torch.is_tensor(v))
        return new, {name: v * factor for name, v in kwargs.items() if torch.is_tensor(v)}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs NON_TENSORS_CHANGED 3: keywords that are no tensors are left out
import torch


def scale_inputs(module, factor):
    def scaled(v):
        return v * factor if torch.is_tensor(v) else v

    def hook(module, args, kwargs):
        named = {name: v * factor for name, v in kwargs.items() if torch.is_tensor(v)}
        return tuple(map(scaled, args)), named

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% wrong scale_inputs WRONG_VALUE 3: tensors first, then the rest
import torch


def scale_inputs(module, factor):
    def scaled(v):
        return v * factor if torch.is_tensor(v) else v

    def hook(module, args, kwargs):
        new = tuple(v * factor for v in args if torch.is_tensor(v))
        rest = tuple(v for v in args if not torch.is_tensor(v))
        return new + rest, {name: scaled(v) for name, v in kwargs.items()}

    return module.register_forward_pre_hook(hook, with_kwargs=True)


# %% right be_the_call: torch does it
from torch import nn


def be_the_call(module, forward, pre_hooks, hooks, args):
    class Call(nn.Module):
        def forward(self, *args):
            return forward(*args)

    call = Call()
    for hook in pre_hooks:
        call.register_forward_pre_hook(lambda _, args, hook=hook: hook(module, args))
    for hook in hooks:
        call.register_forward_hook(lambda _, args, output, hook=hook: hook(module, args, output))
    return call(*args)


# %% right be_the_call: functools.reduce
from functools import reduce


def be_the_call(module, forward, pre_hooks, hooks, args):
    def before(args, hook):
        made = hook(module, args)
        return args if made is None else made if type(made) is tuple else (made,)

    args = reduce(before, pre_hooks, args)

    def after(output, hook):
        made = hook(module, args, output)
        return output if made is None else made

    return reduce(after, hooks, forward(*args))


# %% right be_the_call: two small functions
def new_args(module, pre_hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is None:
            continue
        if not isinstance(made, tuple):
            made = (made,)
        args = made
    return args


def be_the_call(module, forward, pre_hooks, hooks, args):
    args = new_args(module, pre_hooks, tuple(args))
    output = forward(*args)
    for hook in hooks:
        if (made := hook(module, args, output)) is not None:
            output = made
    return output


# %% wrong be_the_call ZERO_TAKEN_FOR_NONE 5: or
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        output = hook(module, args, output) or output
    return output


# %% wrong be_the_call ONE_INPUT_UNPACKED 5: a list is taken for a tuple
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = tuple(made)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made
    return output


# %% wrong be_the_call EACH_HOOK_SEES_THE_FIRST 2: each hook gets what there was at first
def be_the_call(module, forward, pre_hooks, hooks, args):
    new = args
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            new = made if isinstance(made, tuple) else (made,)
    output = first = forward(*new)
    for hook in hooks:
        made = hook(module, new, first)
        if made is not None:
            output = made
    return output


# %% wrong be_the_call EACH_HOOK_SEES_THE_FIRST 2: forward hooks get the inputs of the caller
def be_the_call(module, forward, pre_hooks, hooks, args):
    new = args
    for hook in pre_hooks:
        made = hook(module, new)
        if made is not None:
            new = made if isinstance(made, tuple) else (made,)
    output = forward(*new)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made
    return output


# %% wrong be_the_call FORWARD_NOT_ONCE 0: forward is called for each hook
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, forward(*args))
        if made is not None:
            output = made
    return output


# %% wrong be_the_call NONE_REPLACES 2: what a forward hook gives back is the output
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        output = hook(module, args, output)
    return output


# %% wrong be_the_call CALLED_AGAIN 1: called to look, called to use
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        if hook(module, args) is not None:
            made = hook(module, args)
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        if hook(module, args, output) is not None:
            output = hook(module, args, output)
    return output


# %% wrong be_the_call RETURNS_NONE 0: the output is not given back
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made


# %% wrong be_the_call ZERO_TAKEN_FOR_NONE 5: or, for the inputs
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args) or args
        args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        output = output if made is None else made
    return output


# %% wrong be_the_call MODULE_NOT_HANDED_ON 0: None for the module
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(None, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(None, args, output)
        output = output if made is None else made
    return output


# %% wrong be_the_call HOOKS_USED_UP 0: pop
def be_the_call(module, forward, pre_hooks, hooks, args):
    while pre_hooks:
        made = pre_hooks.pop(0)(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    while hooks:
        made = hooks.pop(0)(module, args, output)
        output = output if made is None else made
    return output


# %% wrong be_the_call ONE_INPUT_UNPACKED 5: a tuple for forward only
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made
    output = forward(*args) if isinstance(args, tuple) else forward(args)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made
    return output


# %% wrong be_the_call ZERO_TAKEN_FOR_NONE 5: zero is an output, an empty list is not
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if made or made == 0:
            output = made
    return output


# %% wrong be_the_call NEW_OUTPUT_LOST 5: only tensors and numbers are outputs
import torch


def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if isinstance(made, (torch.Tensor, int, float)):
            output = made
    return output


# %% wrong be_the_call NEW_OUTPUT_LOST 5: the first of a tuple
def be_the_call(module, forward, pre_hooks, hooks, args):
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made[0] if isinstance(made, tuple) else made
    return output


# %% wrong be_the_call FORWARD_GETS_OTHERS 2: forward gets the inputs of the caller
def be_the_call(module, forward, pre_hooks, hooks, args):
    given = args
    for hook in pre_hooks:
        made = hook(module, args)
        if made is not None:
            args = made if isinstance(made, tuple) else (made,)
    output = forward(*given)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made
    return output


# %% wrong be_the_call WRONG_VALUE 1: no pre-hook is called
def be_the_call(module, forward, pre_hooks, hooks, args):
    output = forward(*args)
    for hook in hooks:
        made = hook(module, args, output)
        if made is not None:
            output = made
    return output


# %% right features: a class
class features:
    def __init__(self, net, paths):
        self.modules = {path: net.get_submodule(path) for path in paths}
        self.kept = {path: [] for path in paths}
        self.handles = []

    def __enter__(self):
        for path, module in self.modules.items():
            self.handles.append(module.register_forward_hook(self.keep(path)))
        return self.kept

    def __exit__(self, *error):
        for handle in self.handles:
            handle.remove()

    def keep(self, path):
        return lambda module, args, output: self.kept[path].append(output.clone().detach())


# %% right features: a generator with try and finally
import contextlib
from functools import partial


@contextlib.contextmanager
def features(net, paths):
    kept, handles = {}, []

    def keep(path, module, args, output):
        kept[path].append(output.detach().clone())

    try:
        for path in paths:
            kept[path] = []
            handles += [net.get_submodule(path).register_forward_hook(partial(keep, path))]
        yield kept
    finally:
        while handles:
            handles.pop().remove()


# %% right features: a dict that is its own context
class features(dict):
    def __init__(self, net, paths):
        super().__init__((path, []) for path in paths)
        self.net = net

    def __enter__(self):
        modules = [self.net.get_submodule(path) for path in self]
        self.handles = [
            module.register_forward_hook(
                lambda module, args, output, kept=kept: kept.append(output.detach().clone())
            )
            for module, kept in zip(modules, self.values(), strict=True)
        ]
        return self

    def __exit__(self, kind, error, trace):
        for handle in self.handles:
            handle.remove()
        return False


# %% right features: one global hook
from contextlib import contextmanager

from torch.nn.modules.module import register_module_forward_hook


@contextmanager
def features(net, paths):
    modules = {path: net.get_submodule(path) for path in paths}
    kept = {path: [] for path in paths}

    def keep(module, args, output):
        for path, one in modules.items():
            if one is module:
                kept[path].append(output.detach().clone())

    with register_module_forward_hook(keep):
        yield kept


# %% right features: copies that are new leaves
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach().clone().requires_grad_())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features MODULE_HOOKS_LEFT_AFTER_ERROR 5: no finally
from contextlib import contextmanager


@contextmanager
def features(net, paths):
    kept, handles = {path: [] for path in paths}, []
    for path in paths:

        def keep(module, args, output, path=path):
            kept[path].append(output.detach().clone())

        handles.append(net.get_submodule(path).register_forward_hook(keep))
    yield kept
    for handle in handles:
        handle.remove()


# %% wrong features MODULE_HOOKS_LEFT 0: hooks stay
from contextlib import contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    for path in paths:

        def keep(module, args, output, path=path):
            kept[path].append(output.detach().clone())

        net.get_submodule(path).register_forward_hook(keep)
    yield kept


# %% wrong features FEATURES_OVERWRITTEN 2: no copy
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features FEATURES_ATTACHED 1: with history
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features LATE_PATH 1: the loop variable
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output):
                kept[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features FEATURES_MISSING 1: one place for each path
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path] = [output.detach().clone()]

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features PATHS_MISSING 7: only what was called
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept.setdefault(path, []).append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features BLOCK_ERROR_SWALLOWED 6: __exit__ gives back True
class features:
    def __init__(self, net, paths):
        self.net, self.kept, self.handles = net, {path: [] for path in paths}, []

    def __enter__(self):
        for path, kept in self.kept.items():
            module = self.net.get_submodule(path)
            self.handles.append((module, kept))
        self.handles = [
            m.register_forward_hook(lambda _, args, out, k=k: k.append(out.detach().clone()))
            for m, k in self.handles
        ]
        return self.kept

    def __exit__(self, *error):
        for handle in self.handles:
            handle.remove()
        return True


# %% wrong features WRONG_PATH_ACCEPTED 7: a wrong path is skipped
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path, module in net.named_modules(remove_duplicate=False):
            if path in kept:

                def keep(module, args, output, path=path):
                    kept[path].append(output.detach().clone())

                hooks.enter_context(module.register_forward_hook(keep))
        yield kept


# %% wrong features OTHERS_MODULE_HOOKS_GONE 1: all hooks are cleared
from contextlib import contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    modules = [net.get_submodule(path) for path in paths]
    for path, module in zip(paths, modules, strict=True):

        def keep(module, args, output, path=path):
            kept[path].append(output.detach().clone())

        module.register_forward_hook(keep)
    try:
        yield kept
    finally:
        for module in net.modules():
            module._forward_hooks.clear()


# %% wrong features NOT_A_CONTEXT 0: a dict is given back
def features(net, paths):
    kept = {path: [] for path in paths}
    for path in paths:
        net.get_submodule(path).register_forward_hook(
            lambda m, args, output, path=path: kept[path].append(output.detach().clone())
        )
    return kept


# %% wrong features NOT_A_DICT 1: nothing is yielded
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield


# %% wrong features NOT_A_DICT 1: a list is yielded
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = []
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output):
                kept.append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features MODULE_HOOKS_LEFT 1: a global hook that is only switched off
from contextlib import contextmanager

from torch.nn.modules.module import register_module_forward_hook


@contextmanager
def features(net, paths):
    modules = {path: net.get_submodule(path) for path in paths}
    kept, on = {path: [] for path in paths}, [True]

    def keep(module, args, output):
        for path, one in modules.items():
            if on and one is module:
                kept[path].append(output.detach().clone())

    register_module_forward_hook(keep)
    try:
        yield kept
    finally:
        on.clear()


# %% wrong features FEATURES_MISSING 1: not under no_grad
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                if output.requires_grad:
                    kept[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features NETWORK_CHANGED 0: the network stays in eval mode
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    net.eval()
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features KEPT_TOO_LATE 1: the dict is filled at the end
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    found, kept = {path: [] for path in paths}, {}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                found[path].append(output.detach().clone())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept
    kept.update(found)


# %% wrong features KEPT_NOT_TENSORS 1: arrays of numpy
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path].append(output.detach().numpy().copy())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features OTHERS_MODULE_HOOKS_GONE 1: all hooks of the watched layers are cleared
from contextlib import contextmanager


@contextmanager
def features(net, paths):
    modules = {path: net.get_submodule(path) for path in paths}
    kept = {path: [] for path in paths}
    for path, module in modules.items():

        def keep(module, args, output, path=path):
            kept[path].append(output.detach().clone())

        module.register_forward_hook(keep)
    try:
        yield kept
    finally:
        for module in modules.values():
            module._forward_hooks.clear()


# %% wrong features GRAD_MODE_CHANGED 1: recording is switched off, and then on
from contextlib import ExitStack, contextmanager

import torch


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                torch.set_grad_enabled(False)
                kept[path].append(output.clone())
                torch.set_grad_enabled(True)

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features NETWORK_CHANGED 7: runs forward a second time
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, path=path):
                kept[path].append(module.forward(*args).detach())

            hooks.enter_context(net.get_submodule(path).register_forward_pre_hook(keep))
        yield kept


# %% wrong features RAISED 7: computes what a linear layer computes
from contextlib import ExitStack, contextmanager

from torch import nn


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                made = nn.functional.linear(args[0], module.weight, module.bias)
                kept[path].append(made.detach())

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept


# %% wrong features FEATURES_MISSING 7: one path for each module
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    path_of = {net.get_submodule(path): path for path in paths}

    def keep(module, args, output):
        kept[path_of[module]].append(output.detach().clone())

    with ExitStack() as hooks:
        for module in path_of:
            hooks.enter_context(module.register_forward_hook(keep))
        yield kept


# %% wrong features BLOCK_ERROR_SWALLOWED 6: a new error comes out
from contextlib import contextmanager


@contextmanager
def features(net, paths):
    kept, handles = {path: [] for path in paths}, []
    modules = [net.get_submodule(path) for path in paths]
    for path, module in zip(paths, modules):

        def keep(module, args, output, path=path):
            kept[path].append(output.detach().clone())

        handles.append(module.register_forward_hook(keep))
    try:
        yield kept
    except Exception as error:
        raise type(error)() from None
    finally:
        for handle in handles:
            handle.remove()


# %% wrong features KEPT_NO_LIST 1: one tensor for each path
from contextlib import ExitStack, contextmanager


@contextmanager
def features(net, paths):
    kept = {path: [] for path in paths}
    with ExitStack() as hooks:
        for path in paths:

            def keep(module, args, output, path=path):
                kept[path] = output.detach().clone()

            hooks.enter_context(net.get_submodule(path).register_forward_hook(keep))
        yield kept
