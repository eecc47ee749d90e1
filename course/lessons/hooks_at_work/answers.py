# %% right choose_the_hook: a dict
def choose_the_hook():
    return dict(
        [
            ("total clip", "no hook"),
            ("layer gradient", "backward pre-hook"),
            ("early step", "post-accumulate hook"),
            ("one way", "tensor hook"),
            ("new input", "forward pre-hook"),
            ("features", "forward hook"),
        ]
    )


# %% right choose_the_hook: two lists
def choose_the_hook():
    work = "features", "new input", "one way", "early step", "layer gradient", "total clip"
    tools = ["forward hook", "forward pre-hook", "tensor hook", "post-accumulate hook"]
    return dict(zip(work, [*tools, "backward pre-hook", "no hook"], strict=True))


# %% right choose_the_hook: another kind of dict
from collections import OrderedDict


def choose_the_hook():
    tools = OrderedDict(features="forward hook")
    tools["new input"] = "forward pre-hook"
    tools["one way"] = "tensor hook"
    tools["early step"] = "post-accumulate hook"
    tools["layer gradient"] = "backward pre-hook"
    tools["total clip"] = "no hook"
    return tools


# %% wrong choose_the_hook TOOL_FOR_OTHER_WORK 2: a pre-hook for features
def choose_the_hook():
    return {
        "features": "forward pre-hook",
        "new input": "forward hook",
        "one way": "tensor hook",
        "early step": "post-accumulate hook",
        "layer gradient": "backward pre-hook",
        "total clip": "no hook",
    }


# %% wrong choose_the_hook TOOL_FOR_OTHER_WORK 2: a hook can do everything
def choose_the_hook():
    return {
        "features": "forward hook",
        "new input": "forward pre-hook",
        "one way": "tensor hook",
        "early step": "tensor hook",
        "layer gradient": "backward pre-hook",
        "total clip": "post-accumulate hook",
    }


# %% wrong choose_the_hook TOOL_FOR_OTHER_WORK 0: one way with a module hook
def choose_the_hook():
    return {
        "features": "forward hook",
        "new input": "forward pre-hook",
        "one way": "backward pre-hook",
        "early step": "post-accumulate hook",
        "layer gradient": "tensor hook",
        "total clip": "no hook",
    }


# %% wrong choose_the_hook TOOL_MISSING 2: half of it
def choose_the_hook():
    return {"features": "forward hook", "new input": "forward pre-hook", "one way": "tensor hook"}


# %% wrong choose_the_hook TOOL_MISSING 0: names of methods
def choose_the_hook():
    return {
        "features": "register_forward_hook",
        "new input": "register_forward_pre_hook",
        "one way": "register_hook",
        "early step": "register_post_accumulate_grad_hook",
        "layer gradient": "register_full_backward_pre_hook",
        "total clip": None,
    }


# %% wrong choose_the_hook WRONG_TYPE 0: a list
def choose_the_hook():
    return ["forward hook", "forward pre-hook", "tensor hook", "post-accumulate hook"]


# %% wrong choose_the_hook RETURNS_NONE 0: printed
def choose_the_hook():
    print({"features": "forward hook"})


# %% right turned: times one
def turned(t, factor):
    way = t * 1
    way.register_hook(lambda grad: factor * grad)
    return way


# %% right turned: an operation of its own
import torch


class Turn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, factor):
        ctx.factor = factor
        return t.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def turned(t, factor):
    return Turn.apply(t, factor)


# %% right turned: without a hook, with detach
def turned(t, factor):
    return t.detach() + factor * (t - t.detach())


# %% wrong turned OTHER_WAY_TURNED 0: a hook on t
def turned(t, factor):
    t.register_hook(lambda grad: grad * factor)
    return t


# %% wrong turned OTHER_WAY_TURNED 0: a view, and the hook on t
def turned(t, factor):
    way = t.view_as(t)
    t.register_hook(lambda grad: grad * factor)
    return way


# %% wrong turned VALUES_CHANGED 0: the values are multiplied
def turned(t, factor):
    return t * factor


# %% wrong turned WAY_IS_CUT 0: detached
def turned(t, factor):
    return t.detach()


# %% wrong turned GRADIENT_UNCHANGED 0: the hook gives nothing back
def turned(t, factor):
    way = t.clone()

    def hook(grad):
        grad = grad * factor

    way.register_hook(hook)
    return way


# %% wrong turned WRONG_VALUE 1: always turned by -1
def turned(t, factor):
    way = t.view_as(t)
    way.register_hook(lambda grad: -grad)
    return way


# %% wrong turned GRADIENT_UNCHANGED 0: a detached leaf of its own gets the hook
def turned(t, factor):
    way = t.detach().requires_grad_()
    way.register_hook(lambda grad: grad * factor)
    return t.view_as(t)


# %% wrong turned RETURNS_NONE 0: the handle is dropped, and the tensor too
def turned(t, factor):
    t.view_as(t).register_hook(lambda grad: grad * factor)


# %% right clip_each: clamp of the norm
def clip_each(parameters, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    handles = []
    for parameter in parameters:
        handles.append(parameter.register_hook(clip))
    return handles


# %% right clip_each: functional renorm
import torch


def clip_each(parameters, threshold):
    def clip(grad):
        norm = torch.linalg.vector_norm(grad).item()
        if norm <= threshold:
            return grad
        return grad / norm * threshold

    return tuple(p.register_hook(clip) for p in parameters)


# %% right clip_each: PyTorch's own function on the stored gradient
import torch


def clip_each(parameters, threshold):
    def clip(p):
        torch.nn.utils.clip_grad_norm_([p], threshold)

    return [p.register_post_accumulate_grad_hook(clip) for p in parameters]


# %% wrong clip_each CLIPPED_BY_VALUE 0: each number for itself
def clip_each(parameters, threshold):
    return [p.register_hook(lambda grad: grad.clamp(-threshold, threshold)) for p in parameters]


# %% wrong clip_each SMALL_GRADIENT_CHANGED 0: always scaled
def clip_each(parameters, threshold):
    return [p.register_hook(lambda grad: grad * threshold / grad.norm()) for p in parameters]


# %% wrong clip_each NOT_CLIPPED 0: the name is rebound
def clip_each(parameters, threshold):
    def clip(grad):
        if grad.norm() > threshold:
            grad = grad * threshold / grad.norm()

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each HANDLES_MISSING 0: one handle
def clip_each(parameters, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    for p in parameters:
        handle = p.register_hook(clip)
    return handle


# %% wrong clip_each RETURNS_NONE 0: no handles
def clip_each(parameters, threshold):
    for p in parameters:
        p.register_hook(lambda grad: grad * (threshold / grad.norm().clamp(min=threshold)))


# %% wrong clip_each HOOK_STILL_ACTS 0: registered twice
def clip_each(parameters, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    for p in parameters:
        p.register_hook(clip)
    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each CLIPPED_ALL_TOGETHER 0: the norms are added up over the tensors
def clip_each(parameters, threshold):
    seen = []

    def clip(grad):
        seen.append(grad.norm() ** 2)
        total = sum(seen) ** 0.5
        return grad * (threshold / total.clamp(min=threshold))

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each NOT_CLIPPED 1: only the last one
def clip_each(parameters, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    *others, last = parameters
    return [p.register_hook(lambda grad: None) for p in others] + [last.register_hook(clip)]


# %% right first_bad: an ExitStack and isnan
from contextlib import ExitStack


def first_bad(net, x):
    found = []

    def well(*tensors):
        return not any((t.isnan() | t.isinf()).any() for t in tensors)

    with ExitStack() as hooks:
        for path, module in net.named_modules():
            if not any(True for _ in module.children()):
                hooks.enter_context(
                    module.register_forward_hook(
                        lambda m, args, out, path=path: (
                            found.append(path) if well(*args) and not well(out) else None
                        )
                    )
                )
        net(x)
    return next(iter(found), None)


# %% wrong first_bad VICTIM_BLAMED 4.5: a global hook that does not look at the inputs
import torch
from torch.nn.modules.module import register_module_forward_hook


def first_bad(net, x):
    bad = []

    def look(module, args, output):
        if not list(module.children()) and not torch.isfinite(output).all():
            bad.append(module)

    with register_module_forward_hook(look):
        net(x)
    for path, module in net.named_modules():
        if bad and module is bad[0]:
            return path
    return None


# %% wrong first_bad VICTIM_BLAMED 4.5: the first output that is not finite, whatever came in
def first_bad(net, x):
    log, handles = [], []
    leaves = {m: p for p, m in net.named_modules() if len(list(m.children())) == 0}
    for module in leaves:
        handles.append(
            module.register_forward_hook(
                lambda m, args, out: log.append((leaves[m], bool(out.isfinite().all())))
            )
        )
    try:
        net(x)
    finally:
        for handle in handles:
            handle.remove()
    return next((path for path, well in log if not well), None)


# %% wrong first_bad VICTIM_BLAMED 1.5: the last one
def first_bad(net, x):
    bad, handles = None, []

    def look(module, args, output, path):
        nonlocal bad
        if not output.isfinite().all():
            bad = path

    for path, module in net.named_modules():
        if not list(module.children()):
            handles.append(
                module.register_forward_hook(lambda m, a, o, path=path: look(m, a, o, path))
            )
    net(x)
    for handle in handles:
        handle.remove()
    return bad


# %% wrong first_bad CONTAINER_BLAMED 1.5: the network itself is named
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[-1] if bad else None


# %% wrong first_bad BAD_NUMBER_MISSED 3.5: infinity is not seen
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if (output != output).any():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad MODULE_HOOKS_LEFT 0: hooks stay
def first_bad(net, x):
    bad = []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        module.register_forward_hook(look)
    net(x)
    return bad[0] if bad else None


# %% wrong first_bad VICTIM_BLAMED 0.5: the last module in any case
def first_bad(net, x):
    paths = [path for path, module in net.named_modules() if not list(module.children())]
    net(x)
    return paths[-1]


# %% wrong first_bad NAMED_WITHOUT_NEED 4: the last path where nothing was found
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else path


# %% wrong first_bad WRONG_TYPE 1: the module
def first_bad(net, x):
    bad, handles = [], []
    for module in net.modules():
        if list(module.children()):
            continue

        def look(module, args, output):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(module)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad VICTIM_BLAMED 1.5: the loop variable
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% right weight_norms: partial
from functools import partial


def weight_norms(net):
    norms = {}

    def record(name, grad):
        norms[name] = float(grad.norm())

    for name, layer in net.named_children():
        layer.weight.register_hook(partial(record, name))
    return norms


# %% right weight_norms: a lambda that gives nothing back
def weight_norms(net):
    norms = {}
    for name, p in net.named_parameters():
        if name.endswith(".weight"):
            key = name.removesuffix(".weight")
            p.register_hook(lambda grad, key=key: norms.update({key: grad.norm().item()}))
    return norms


# %% wrong weight_norms OLD_GRADIENT_SEEN 2: after accumulation, minus what was there last
import torch


def weight_norms(net):
    norms, before = {}, {}

    def make(name):
        def record(p):
            new = p.grad if name not in before else p.grad - before[name]
            norms[name] = torch.linalg.vector_norm(new).item()
            before[name] = p.grad.clone()

        return record

    for name, layer in net.named_children():
        layer.weight.register_post_accumulate_grad_hook(make(name))
    return norms


# %% wrong weight_norms RAISED 0: as it was
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(module, grad_input, grad_output, name=name):
            norms[name] = module.weight.grad.norm().item()

        layer.register_full_backward_hook(record)
    return norms


# %% wrong weight_norms NORMS_MISSING 0: None is left out
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(module, grad_input, grad_output, name=name):
            if module.weight.grad is not None:
                norms[name] = module.weight.grad.norm().item()

        layer.register_full_backward_hook(record)
    return norms


# %% wrong weight_norms OLD_GRADIENT_SEEN 2: after accumulation, the sum is seen
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():
        layer.weight.register_post_accumulate_grad_hook(
            lambda p, name=name: norms.update({name: p.grad.norm().item()})
        )
    return norms


# %% wrong weight_norms LOOP_VARIABLE 0: all under one name
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():
        layer.weight.register_hook(lambda grad: norms.update({name: grad.norm().item()}))
    return norms


# %% wrong weight_norms STORED_GRADIENT_CHANGED 0: gives the norm back
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(grad, name=name):
            norms[name] = grad.norm().item()
            return grad / grad.norm()

        layer.weight.register_hook(record)
    return norms


# %% wrong weight_norms RECORDS_TENSORS 0: tensors
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():
        layer.weight.register_hook(lambda grad, name=name: norms.update({name: grad.norm()}))
    return norms


# %% wrong weight_norms OUTPUT_GRADIENT_SEEN 0: the gradient of the output
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(module, grad_output, name=name):
            norms[name] = grad_output[0].norm().item()

        layer.register_full_backward_pre_hook(record)
    return norms


# %% wrong weight_norms RETURNS_NONE 0: nothing is given back
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():
        layer.weight.register_hook(lambda grad, name=name: norms.update({name: grad.norm().item()}))


# %% right clipped_sum: by hand
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    norm = weight.grad.norm()
    if norm > threshold:
        weight.grad *= threshold / norm


# %% wrong clipped_sum PARTS_HELD 0: the losses are added
import torch


def clipped_sum(weight, losses, threshold):
    sum(loss() for loss in losses).backward()
    torch.nn.utils.clip_grad_norm_(weight, threshold)


# %% right clipped_sum: torch.autograd.grad
import torch


def clipped_sum(weight, losses, threshold):
    total = torch.zeros_like(weight)
    for loss in losses:
        total += torch.autograd.grad(loss(), weight)[0]
    weight.grad = total * min(1.0, threshold / max(total.norm().item(), 1e-12))


# %% wrong clipped_sum PARTS_HELD 0: a hook, and one backward of the sum
def clipped_sum(weight, losses, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    total = sum(loss() for loss in losses)
    with weight.register_hook(clip):
        total.backward()


# %% wrong clipped_sum PARTS_CLIPPED 0: as it was
def clipped_sum(weight, losses, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    with weight.register_hook(clip):
        for loss in losses:
            loss().backward()


# %% wrong clipped_sum SUM_NOT_CLIPPED 1: not clipped at all
def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()


# %% wrong clipped_sum PARTS_MISSING 0: only the last part
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        weight.grad = None
        loss().backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% wrong clipped_sum CLIPPED_IN_BETWEEN 0: clipped after each part
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
        torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% wrong clipped_sum CLIPPED_BY_VALUE 1: clip by value
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    weight.grad.clamp_(-threshold / 2, threshold / 2)


# %% wrong clipped_sum TENSOR_HOOK_LEFT 0: the hook stays
def clipped_sum(weight, losses, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    weight.register_hook(clip)
    sum(loss() for loss in losses).backward()


# %% wrong clipped_sum GRADIENT_NOT_STORED 0: nothing is run
def clipped_sum(weight, losses, threshold):
    return [loss() for loss in losses]


# %% right step_in_backward: sub_ on data
def step_in_backward(parameters, lr):
    def step(p):
        p.data.sub_(p.grad, alpha=lr)
        p.grad = None

    handles = []
    for p in parameters:
        if p.requires_grad:
            handles.append(p.register_post_accumulate_grad_hook(step))
    return handles


# %% right step_in_backward: an optimizer for each parameter
import torch


def step_in_backward(parameters, lr):
    parameters = [p for p in parameters if p.requires_grad]
    optimizers = {p: torch.optim.SGD([p], lr=lr) for p in parameters}

    def step(p):
        optimizers[p].step()
        optimizers[p].zero_grad()

    return tuple(p.register_post_accumulate_grad_hook(step) for p in parameters)


# %% right step_in_backward: copy_
import torch


def step_in_backward(parameters, lr):
    @torch.no_grad()
    def step(p):
        p.copy_(p - lr * p.grad)
        p.grad = None

    return [
        p.register_post_accumulate_grad_hook(step)
        for p in filter(lambda p: p.requires_grad, parameters)
    ]


# %% wrong step_in_backward NO_STEP_TAKEN 0: another tensor
def step_in_backward(parameters, lr):
    def step(p):
        gradient = p.grad
        p.grad = None
        p = p - lr * gradient

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% wrong step_in_backward GRADIENT_KEPT 0: the gradient stays
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% wrong step_in_backward GRADIENT_KEPT 0: zeros instead of None
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad.zero_()

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% wrong step_in_backward RAISED 4: frozen parameters are forgotten
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in parameters]


# %% wrong step_in_backward RAISED 0: the step in a tensor hook
import torch


def step_in_backward(parameters, lr):
    def make(p):
        def step(grad):
            with torch.no_grad():
                p.sub_(lr * p.grad)
            p.grad = None

        return step

    return [p.register_hook(make(p)) for p in parameters if p.requires_grad]


# %% wrong step_in_backward ALL_AT_ONCE 0: all steps at the end
import torch


def step_in_backward(parameters, lr):
    wanted = [p for p in parameters if p.requires_grad]

    def step(_):
        if all(p.grad is not None for p in wanted):
            with torch.no_grad():
                for p in wanted:
                    p -= lr * p.grad
                    p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in wanted]


# %% wrong step_in_backward TOO_EARLY_STEP 0: the step goes up
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p += lr * p.grad
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% wrong step_in_backward RETURNS_NONE 0: no handles
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    for p in parameters:
        if p.requires_grad:
            p.register_post_accumulate_grad_hook(step)


# %% right heat_map: autograd.grad with respect to the maps
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    try:
        scores = net(x)
    finally:
        handle.remove()
    maps = kept[0]
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), maps)
    heat = torch.einsum("bc,bchw->bhw", gradient.mean((2, 3)), maps)
    return torch.relu(heat).detach()


# %% right heat_map: the gradients are put back
def heat_map(net, layer, x, of):
    maps, gradients = [], []

    def keep(module, args, output):
        maps.append(output.clone().detach())
        output.register_hook(lambda grad: gradients.append(grad.clone()))

    stored = [p.grad for p in net.parameters()]
    for p in net.parameters():
        p.grad = None
    handle = net.get_submodule(layer).register_forward_hook(keep)
    net(x)[:, of].sum().backward()
    handle.remove()
    for p, grad in zip(net.parameters(), stored, strict=True):
        p.grad = grad
    weights = gradients[0].mean(dim=-1).mean(dim=-1)
    return (maps[0] * weights[:, :, None, None]).sum(dim=1).clamp_min(0)


# %% right heat_map: on a deep copy, picture by picture
import copy

import torch


def heat_map(net, layer, x, of):
    net = copy.deepcopy(net)
    heats = []
    for picture in x:
        kept = {}

        def keep(module, args, output, kept=kept):
            kept["maps"] = output.detach().clone()

            def save(grad):
                kept["grad"] = grad.clone()

            output.register_hook(save)

        with net.get_submodule(layer).register_forward_hook(keep):
            net(picture[None])[0, of].backward()
        weights = kept["grad"][0].mean((1, 2))
        heats.append(torch.tensordot(weights, kept["maps"][0], 1).clamp(min=0))
    return torch.stack(heats)


# %% wrong heat_map HEAT_NEGATIVE 0: negative parts stay
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1)


# %% wrong heat_map ABSOLUTE_HEAT 0: abs instead of clamp
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).abs()


# %% wrong heat_map HEAT_SCALED 0: sum instead of mean
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].sum((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map GRADIENT_PER_PLACE 0: no mean
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    return (kept["gradient"] * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map FEATURES_OVERWRITTEN 6: no clone
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map GRAD_LEFT 0: backward fills .grad
def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        net(x)[:, of].sum().backward()
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map GRAD_LEFT 6: zero_grad at the end
def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        net(x)[:, of].sum().backward()
    net.zero_grad()
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map MODULE_HOOKS_LEFT 0: the hook stays
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    net.get_submodule(layer).register_forward_hook(keep)
    torch.autograd.grad(net(x)[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map WRONG_SHAPE 0: the channels are not added
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    return (kept["gradient"].mean((2, 3), keepdim=True) * kept["maps"]).clamp(min=0)


# %% wrong heat_map OTHER_CLASS 0: always the largest score
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    top = scores.max(1).values.sum()
    torch.autograd.grad(top, list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% right turned: a node hook on a clone
def turned(t, factor):
    way = t.clone()
    way.grad_fn.register_prehook(lambda grads: (grads[0] * factor,))
    return way


# %% wrong turned OTHER_WAY_TURNED 0: the shared gradient is edited in place
def turned(t, factor):
    way = t.clone()
    way.register_hook(lambda grad: grad.mul_(factor))
    return way


# %% wrong turned VALUES_CHANGED 0: flattened
def turned(t, factor):
    way = t.view(-1)
    way.register_hook(lambda grad: grad * factor)
    return way


# %% wrong turned WRONG_VALUE 3: always a negative factor
def turned(t, factor):
    way = t.view_as(t)
    way.register_hook(lambda grad: -abs(factor) * grad)
    return way


# %% wrong clip_each NEIGHBOUR_CHANGED 1: edited in place
def clip_each(parameters, threshold):
    def clip(grad):
        if grad.norm() > threshold:
            grad.mul_(threshold / grad.norm())

    return [p.register_hook(clip) for p in parameters]


# %% right first_bad: a global hook that looks at all inputs
from torch.nn.modules.module import register_module_forward_hook


def first_bad(net, x):
    paths = {module: path for path, module in net.named_modules()}
    bad = []

    def look(module, args, output):
        made = not output.isfinite().all() and all(t.isfinite().all() for t in args)
        if made and not list(module.children()):
            bad.append(paths[module])

    with register_module_forward_hook(look):
        net(x)
    return (bad + [None])[0]


# %% right first_bad: stops at once
def first_bad(net, x):
    class Found(Exception):
        pass

    def watch(path):
        def look(module, args, output):
            if all(t.isfinite().all() for t in args) and not output.isfinite().all():
                raise Found(path)

        return look

    leaves = [(path, m) for path, m in net.named_modules() if not list(m.children())]
    handles = [m.register_forward_hook(watch(path)) for path, m in leaves]
    try:
        net(x)
    except Found as found:
        return found.args[0]
    finally:
        for handle in handles:
            handle.remove()


# %% wrong first_bad VICTIM_BLAMED 4.5: only the first input
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if args[0].isfinite().all() and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad CONTAINER_BLAMED 4.5: also modules with children
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad VICTIM_BLAMED 3: the last one that made a NaN
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[-1] if bad else None


# %% wrong first_bad VICTIM_BLAMED 3: the first in the alphabet
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return min(bad, default=None)


# %% wrong first_bad BAD_NUMBER_MISSED 1: only where all numbers are bad
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().any():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad RAN_AGAIN 0: the network runs twice
def first_bad(net, x):
    bad, handles = [], []
    net(x)
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad NETWORK_CHANGED 0: eval stays
def first_bad(net, x):
    bad, handles = [], []
    net.eval()
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad BAD_NUMBER_MISSED 2.5: only the children of the network
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_children():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong clipped_sum TENSOR_HOOK_LEFT 0: a post-accumulate hook stays
import torch


def clipped_sum(weight, losses, threshold):
    weight.register_post_accumulate_grad_hook(lambda p: None)
    for loss in losses:
        loss().backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% wrong clipped_sum WEIGHT_CHANGED 0: takes the step as well
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)
    with torch.no_grad():
        weight -= weight.grad


# %% wrong clipped_sum SMALL_GRADIENT_CHANGED 4: a small sum is scaled up
def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    weight.grad *= threshold / weight.grad.norm()


# %% wrong clipped_sum OTHER_LENGTH 1: scaled to the norm 1
def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    if weight.grad.norm() > threshold:
        weight.grad /= weight.grad.norm()


# %% wrong clipped_sum MEAN_OF_PARTS 4: the mean of the parts
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    weight.grad /= len(losses)
    torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% wrong step_in_backward TOO_EARLY_STEP 0: lr is forgotten
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= p.grad
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% right heat_map: in double precision, as a new tensor
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().double()
        output.register_hook(lambda grad: kept.update(gradient=grad.double()))

    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3))
    return torch.einsum("bchw,bc->bhw", kept["maps"], weights).relu()


# %% wrong heat_map NETWORK_CHANGED 2: eval stays
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    net.eval()
    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map NETWORK_CHANGED 0: the parameters are frozen and stay so
import torch


def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    net.requires_grad_(False)
    x = x.clone().requires_grad_()
    with net.get_submodule(layer).register_forward_hook(keep):
        scores = net(x)
    torch.autograd.grad(scores[:, of].sum(), x)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong first_bad VICTIM_BLAMED 4: the first in the order of the modules
def first_bad(net, x):
    bad, handles = set(), []
    leaves = {path: m for path, m in net.named_modules() if not list(m.children())}
    for path, module in leaves.items():

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.add(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return next((path for path in leaves if path in bad), None)


# %% right first_bad: on a deep copy, with pre-hooks
import copy


def first_bad(net, x):
    net = copy.deepcopy(net)
    found, well = [], {}
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def before(module, args):
            well[module] = all(t.isfinite().all() for t in args)

        def after(module, args, output, path=path):
            if well[module] and not output.isfinite().all():
                found.append(path)

        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)
    net(x)
    return found[0] if found else None


# %% right first_bad: forward is wrapped, and put back
def first_bad(net, x):
    bad = []
    leaves = [(path, m) for path, m in net.named_modules() if not list(m.children())]
    for path, module in leaves:

        def forward(*args, run=module.forward, path=path):
            output = run(*args)
            if all(t.isfinite().all() for t in args) and not output.isfinite().all():
                bad.append(path)
            return output

        module.forward = forward
    try:
        net(x)
    finally:
        for _, module in leaves:
            del module.forward
    return bad[0] if bad else None


# %% right first_bad: without a graph, hooks first in the line
import torch


def first_bad(net, x):
    bad, handles = [], []
    modes = [(module, module.training) for module in net.modules()]
    net.eval()
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all((a * 0 == 0).all() for a in args) and not (output * 0 == 0).all():
                bad.append(path)

        handles.append(module.register_forward_hook(look, prepend=True))
    with torch.no_grad():
        net(x)
    for handle in handles:
        handle.remove()
    for module, mode in modes:
        module.training = mode
    return bad[0] if bad else None


# %% wrong first_bad BAD_NUMBER_MISSED 1: only the first row
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a[0].isfinite().all() for a in args) and not output[0].isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad BAD_NUMBER_MISSED 1: only the last row
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a[-1].isfinite().all() for a in args) and not output[-1].isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad NETWORK_CHANGED 0: a backward fills .grad
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x).sum().backward()
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad NETWORK_CHANGED 0: the parameters become zero
import torch


def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    with torch.no_grad():
        for p in net.parameters():
            p.zero_()
    return bad[0] if bad else None


# %% wrong first_bad OTHERS_MODULE_HOOKS_GONE 0: all hooks are cleared
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for module in net.modules():
        module._forward_hooks.clear()
    return bad[0] if bad else None


# %% wrong first_bad BAD_NUMBER_MISSED 4.5: an empty path is skipped
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if not path or list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad PATH_UNKNOWN 1: the name of the class
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(type(module).__name__)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad PATH_UNKNOWN 3: the last part of the path
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path.split(".")[-1])

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad CONTAINER_BLAMED 3: the first part of the path
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path.split(".")[0])

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad NAMED_WITHOUT_NEED 4: an empty path where nothing was found
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else ""


# %% wrong first_bad NAMED_WITHOUT_NEED 4: the sum of finite numbers is not finite
def first_bad(net, x):
    bad, handles = [], []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.sum().isfinite() for a in args) and not output.sum().isfinite():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad VICTIM_BLAMED 4: the last call of a module counts
def first_bad(net, x):
    well, handles = {}, []
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            well[path] = all(a.isfinite().all() for a in args) and not output.isfinite().all()

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return next((path for path, made in well.items() if made), None)


# %% wrong first_bad NETWORK_CHANGED 0.5: all modules get the mode of the network
def first_bad(net, x):
    bad, handles = [], []
    was = net.training
    net.eval()
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    net.train(was)
    return bad[0] if bad else None


# %% wrong first_bad NETWORK_CHANGED 4: in place no more
def first_bad(net, x):
    bad, handles = [], []
    for module in net.modules():
        if hasattr(module, "inplace"):
            module.inplace = False
    for path, module in net.named_modules():
        if list(module.children()):
            continue

        def look(module, args, output, path=path):
            if all(a.isfinite().all() for a in args) and not output.isfinite().all():
                bad.append(path)

        handles.append(module.register_forward_hook(look))
    net(x)
    for handle in handles:
        handle.remove()
    return bad[0] if bad else None


# %% wrong first_bad WELL_BLAMED 0.5: the first module in any case
def first_bad(net, x):
    net(x)
    return next(path for path, module in net.named_modules() if not list(module.children()))


# %% right clipped_sum: a hook on the last part only
import torch


def clipped_sum(weight, losses, threshold):
    *first, last = losses
    for loss in first:
        loss().backward()

    def clip(grad):
        so_far = torch.zeros_like(grad) if weight.grad is None else weight.grad
        total = so_far + grad
        return total * (threshold / total.norm().clamp(min=threshold)) - so_far

    with weight.register_hook(clip):
        last().backward()


# %% right clipped_sum: a post-accumulate hook that counts, and is removed
def clipped_sum(weight, losses, threshold):
    waiting = len(losses)

    def clip(p):
        nonlocal waiting
        waiting -= 1
        if not waiting:
            p.grad *= min(1.0, threshold / p.grad.norm().item())

    handle = weight.register_post_accumulate_grad_hook(clip)
    for loss in losses:
        loss().backward()
    handle.remove()


# %% right clipped_sum: the parts are kept as gradients
import torch


def clipped_sum(weight, losses, threshold):
    parts = [torch.autograd.grad(loss(), weight)[0] for loss in losses]
    total = torch.stack(parts).double().sum(0)
    weight.grad = (total / max(1.0, total.norm().item() / threshold)).float()


# %% wrong clipped_sum PARTS_HELD 0: all losses first, then each backward
import torch


def clipped_sum(weight, losses, threshold):
    computed = [loss() for loss in losses]
    for loss in computed:
        loss.backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% wrong clipped_sum OTHER_LENGTH 0: the norm without the root
def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()

    norm = weight.grad.pow(2).sum()
    if norm > threshold:
        weight.grad *= threshold / norm


# %% wrong clipped_sum OTHER_LENGTH 0: the norms of the parts are added
def clipped_sum(weight, losses, threshold):
    norms = []
    with weight.register_hook(lambda grad: norms.append(grad.norm())):
        for loss in losses:
            loss().backward()
    if sum(norms) > threshold:
        weight.grad *= threshold / sum(norms)


# %% wrong clipped_sum OTHER_LENGTH 3: another norm of a matrix
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()

    norm = torch.linalg.norm(weight.grad, 2)
    if norm > threshold:
        weight.grad *= threshold / norm


# %% wrong clipped_sum OTHER_GRADIENT 3: each row of a matrix for itself
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()

    rows = weight.grad if weight.dim() > 1 else weight.grad[None]
    weight.grad = torch.renorm(rows, 2, 0, threshold).reshape(weight.shape)


# %% wrong clipped_sum MEAN_OF_PARTS 4: each loss is divided
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        (loss() / len(losses)).backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% wrong clipped_sum GRADIENT_NOT_STORED 0: given back, not stored
import torch


def clipped_sum(weight, losses, threshold):
    total = sum(torch.autograd.grad(loss(), weight)[0] for loss in losses)
    return total * (threshold / total.norm().clamp(min=threshold))


# %% wrong clipped_sum OTHER_GRADIENT 0: clipped before the last part
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses[:-1]:
        loss().backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)
    losses[-1]().backward()


# %% wrong clipped_sum SUM_NOT_CLIPPED 0: the weight is scaled
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()

    with torch.no_grad():
        if weight.norm() > threshold:
            weight *= threshold / weight.norm()


# %% wrong clipped_sum PARTS_MISSING 2: two parts
import torch


def clipped_sum(weight, losses, threshold):
    for loss in losses[:2]:
        loss().backward()
    torch.nn.utils.clip_grad_norm_([weight], threshold)


# %% right heat_map: eval for a time, each module gets its mode back
import torch


def heat_map(net, layer, x, of):
    kept = []
    modes = [(module, module.training) for module in net.modules()]
    net.eval()

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    for module, mode in modes:
        module.training = mode
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% right heat_map: in place is switched off for a time
import torch


def heat_map(net, layer, x, of):
    kept = []
    places = [m for m in net.modules() if getattr(m, "inplace", False)]
    for module in places:
        module.inplace = False

    def keep(module, args, output):
        kept.append(output)
        return None

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    for module in places:
        module.inplace = True
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% right heat_map: a gradient for each picture
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(sum(row[of] for row in scores), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map OTHER_CLASS 0: always the first class
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, 0].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map OTHER_CLASS 0: always the last class
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, -1].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map OTHER_CLASS 0: all classes
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores.sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map CLAMPED_TOO_EARLY 0: only positive weights
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    weights = weights.relu()
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map CLAMPED_TOO_EARLY 0: each map for itself
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).clamp(min=0).sum(1)


# %% wrong heat_map RAISED 4: a path is no attribute
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = getattr(net, layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map NETWORK_CHANGED 0: eval, then train
import torch


def heat_map(net, layer, x, of):
    kept = []
    net.eval()

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    net.train()
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map NETWORK_CHANGED 2: all modules get the mode of the network
import torch


def heat_map(net, layer, x, of):
    kept = []
    was = net.training
    net.eval()

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    net.train(was)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map NETWORK_CHANGED 6: in place no more
import torch


def heat_map(net, layer, x, of):
    kept = []
    for module in net.modules():
        if hasattr(module, "inplace"):
            module.inplace = False

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map OTHERS_MODULE_HOOKS_GONE 0: all hooks are cleared
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    net.get_submodule(layer)._forward_hooks.clear()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map NETWORK_CHANGED 0: the input requires a gradient
import torch


def heat_map(net, layer, x, of):
    kept = []
    x.requires_grad_()

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map HEAT_SCALED 0: the mean over the channels
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).mean(1).clamp(min=0)


# %% wrong heat_map HEAT_SCALED 2: the mean of the scores
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].mean(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map WRONG_VALUE 2: only the first score
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[0, of], kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map WRONG_VALUE 2: one weight for all pictures
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    weights = weights.mean(0, keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map WRONG_VALUE 0: after a softmax
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores.softmax(1)[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map HEAT_SCALED 0: divided by the largest
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    heat = (weights * kept[0].detach()).sum(1).clamp(min=0)
    return heat / heat.max()


# %% wrong heat_map FEATURES_OVERWRITTEN 6: the gradient of what the ReLU made, too
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return None

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0)


# %% wrong heat_map HEAT_HAS_HISTORY 0: the maps are not detached
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0]).sum(1).clamp(min=0)


# %% wrong heat_map WRONG_SHAPE 6: a batch of one is squeezed
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    return (weights * kept[0].detach()).sum(1).clamp(min=0).squeeze()


# %% wrong heat_map GRAD_LEFT 6: the gradients are put back, with more in them
def heat_map(net, layer, x, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    stored = [p.grad for p in net.parameters()]
    with net.get_submodule(layer).register_forward_hook(keep):
        net(x)[:, of].sum().backward()
    for p, grad in zip(net.parameters(), stored, strict=True):
        p.grad = grad
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)


# %% wrong heat_map WRONG_VALUE 0: divided by the smallest
import torch


def heat_map(net, layer, x, of):
    kept = []

    def keep(module, args, output):
        kept.append(output)
        return output.clone()

    handle = net.get_submodule(layer).register_forward_hook(keep)
    scores = net(x)
    handle.remove()
    (gradient,) = torch.autograd.grad(scores[:, of].sum(), kept)
    weights = gradient.mean((2, 3), keepdim=True)
    heat = (weights * kept[0].detach()).sum(1).clamp(min=0)
    return heat / heat.min()


# %% wrong clipped_sum OTHER_GRADIENT 1: minus in the place of times
def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    if weight.grad.norm() > threshold:
        weight.grad -= threshold / weight.grad.norm()


# %% wrong clipped_sum OTHER_GRADIENT 0: divided by zero
def clipped_sum(weight, losses, threshold):
    for loss in losses:
        loss().backward()
    weight.grad *= threshold / (weight.grad - weight.grad).norm()


# %% wrong turned OTHER_WAY_TURNED 0: the mean of both factors, on t itself
def turned(t, factor):
    t.register_hook(lambda grad: grad * (1 + factor) / 2)
    return t


# %% wrong turned OTHER_WAY_TURNED 0: the mean of both factors, and a view
def turned(t, factor):
    t.register_hook(lambda grad: grad * (1 + factor) / 2)
    return t.view_as(t)


# %% wrong turned WAY_IS_CUT 0: a leaf of its own
def turned(t, factor):
    way = t.detach().requires_grad_()
    way.register_hook(lambda grad: grad * factor)
    return way


# %% wrong turned WRONG_VALUE 3: the factor 0 is taken for none
def turned(t, factor):
    way = t.clone()
    way.register_hook(lambda grad: (factor or -1) * grad)
    return way


# %% wrong clip_each CLIPPED_TOO_MUCH 0: the sum of the absolute values
def clip_each(parameters, threshold):
    def clip(grad):
        norm = grad.abs().sum()
        return grad * (threshold / norm) if norm > threshold else None

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each CLIPPED_TOO_MUCH 0: the norm without the root
def clip_each(parameters, threshold):
    def clip(grad):
        norm = (grad**2).sum()
        return grad * (threshold / norm) if norm > threshold else None

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each CLIPPED_TOO_MUCH 0: scaled to the norm 1
def clip_each(parameters, threshold):
    def clip(grad):
        norm = grad.norm()
        return grad / norm if norm > threshold else None

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each NOT_CLIPPED 0: each is halved
def clip_each(parameters, threshold):
    return [p.register_hook(lambda grad: grad * 0.5) for p in parameters]


# %% wrong clip_each WRONG_VALUE 0: the sign is wrong
def clip_each(parameters, threshold):
    def clip(grad):
        norm = grad.norm()
        return -grad * (threshold / norm) if norm > threshold else None

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each CLIPPED_BY_VALUE 0: all numbers become one
import torch


def clip_each(parameters, threshold):
    def clip(grad):
        if grad.norm() > threshold:
            return torch.full_like(grad, threshold / grad.numel() ** 0.5)

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each WORKS_ONCE 0: each hook takes itself away
def clip_each(parameters, threshold):
    handles = []
    for i, p in enumerate(parameters):

        def clip(grad, i=i):
            handles[i].remove()
            return grad * (threshold / grad.norm().clamp(min=threshold))

        handles.append(p.register_hook(clip))
    return handles


# %% wrong clip_each NOT_CLIPPED 0: the largest number for the norm
def clip_each(parameters, threshold):
    def clip(grad):
        norm = grad.abs().max()
        return grad * (threshold / norm) if norm > threshold else None

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each NOT_CLIPPED 0: the largest singular value
import torch


def clip_each(parameters, threshold):
    def clip(grad):
        norm = torch.linalg.norm(grad, 2)
        return grad * (threshold / norm) if norm > threshold else None

    return [p.register_hook(clip) for p in parameters]


# %% wrong clip_each HANDLES_MISSING 0: None for each handle
def clip_each(parameters, threshold):
    def clip(grad):
        return grad * (threshold / grad.norm().clamp(min=threshold))

    handles = []
    for p in parameters:
        p.register_hook(clip)
        handles.append(None)
    return handles


# %% right weight_norms: after accumulation, minus what the tensor hook found
def weight_norms(net):
    norms, before = {}, {}

    def prepare(name, p):
        before[name] = None if p.grad is None else p.grad.clone()

    def record(name, p):
        new = p.grad if before[name] is None else p.grad - before[name]
        norms[name] = new.norm().item()

    for name, layer in net.named_children():
        layer.weight.register_hook(lambda _, name=name, p=layer.weight: prepare(name, p))
        layer.weight.register_post_accumulate_grad_hook(lambda p, name=name: record(name, p))
    return norms


# %% wrong weight_norms OUTPUT_GRADIENT_SEEN 0: in a hook after the layer's backward
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(module, grad_input, grad_output, name=name):
            norms[name] = grad_output[0].norm().item()

        layer.register_full_backward_hook(record)
    return norms


# %% wrong weight_norms WRONG_VALUE 0: the sum of the absolute values
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(grad, name=name):
            norms[name] = grad.abs().sum().item()

        layer.weight.register_hook(record)
    return norms


# %% wrong weight_norms NORM_OF_ANOTHER_KIND 0: the largest singular value
import torch


def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(grad, name=name):
            norms[name] = torch.linalg.norm(grad, 2).item()

        layer.weight.register_hook(record)
    return norms


# %% wrong weight_norms STORED_GRADIENT_CHANGED 0: the gradient is thrown away
def weight_norms(net):
    norms = {}
    for name, layer in net.named_children():

        def record(p, name=name):
            norms[name] = p.grad.norm().item()
            p.grad = None

        layer.weight.register_post_accumulate_grad_hook(record)
    return norms


# %% right step_in_backward: requires_grad is switched off for the step
def step_in_backward(parameters, lr):
    def step(p):
        p.requires_grad_(False)
        p.sub_(lr * p.grad)
        p.requires_grad_(True)
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% wrong step_in_backward NO_GRADIENT_ANY_MORE 0: requires_grad is switched off and stays so
def step_in_backward(parameters, lr):
    def step(p):
        p.requires_grad_(False)
        p.sub_(lr * p.grad)
        p.grad = None

    return [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]


# %% wrong step_in_backward TOO_EARLY_STEP 4: the step in a tensor hook, with what it gets
import torch


def step_in_backward(parameters, lr):
    def forget(p):
        p.grad = None

    handles = []
    for p in parameters:
        if not p.requires_grad:
            continue

        def step(grad, p=p):
            with torch.no_grad():
                p.sub_(lr * grad)

        handles.append(p.register_hook(step))
        handles.append(p.register_post_accumulate_grad_hook(forget))
    return handles


# %% wrong step_in_backward HANDLES_MISSING 4: None for the frozen parameter
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    return [
        p.register_post_accumulate_grad_hook(step) if p.requires_grad else None for p in parameters
    ]


# %% wrong step_in_backward HANDLES_MISSING 0: functions for handles
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    handles = [p.register_post_accumulate_grad_hook(step) for p in parameters if p.requires_grad]
    return [handle.remove for handle in handles]


# %% wrong step_in_backward NO_STEP_TAKEN 0: another tensor takes the place in the list
def step_in_backward(parameters, lr):
    def make(i):
        def step(p):
            parameters[i] = (p - lr * p.grad).detach().requires_grad_()
            p.grad = None

        return step

    return [
        p.register_post_accumulate_grad_hook(make(i))
        for i, p in enumerate(parameters)
        if p.requires_grad
    ]


# %% wrong step_in_backward FROZEN_CHANGED 4: the frozen parameter takes steps, too
import torch


def step_in_backward(parameters, lr):
    def step(p):
        with torch.no_grad():
            p -= lr * p.grad
        p.grad = None

    return [p.requires_grad_().register_post_accumulate_grad_hook(step) for p in parameters]
