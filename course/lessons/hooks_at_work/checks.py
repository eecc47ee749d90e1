"""What the exercises of lesson 6 observe, and how their facts tell misconceptions apart."""

import torch
from torch import nn

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, is_tensor, kind_of
from course.lessons.hooks_at_work.reasons import REASONS
from course.lessons.module_hooks.nets import hooks_on, line, linear, named, numbers_of

__all__ = ["REASONS"]

TOOLS = (
    "forward pre-hook",
    "forward hook",
    "backward pre-hook",
    "tensor hook",
    "post-accumulate hook",
    "no hook",
)


class choose_the_hook(Exercise):
    cases = (
        Case("the first three", 2, keys=("features", "new input", "one way")),
        Case("the other three", 2, True, keys=("early step", "layer gradient", "total clip")),
    )
    hints = (
        "Features and inputs are values: hooks of forward. All else is about gradients.",
        "A module hook sees all that comes to a module. A tensor hook sees one way only, if the "
        "tensor is used on that way only.",
        "No hook sees all gradients together.",
    )

    @staticmethod
    def observe(answer, given, rng):
        said = answer()
        if not isinstance(said, dict):
            return {"kind": kind_of(describe(said))}
        words = describe(said)
        return {key: words.get(key) for key in given["keys"]}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        missing = [key for key in expected if facts[key] not in TOOLS]
        if missing:
            return "TOOL_MISSING", {"names": quoted(missing)}
        return "TOOL_FOR_OTHER_WORK", {
            "names": quoted([key for key in expected if facts[key] != expected[key]])
        }


class turned(Exercise):
    cases = (
        Case("a result, turned around", 1, leaf=False, factors=(-1,)),
        Case("a leaf, another factor", 1, leaf=True, factors=(3, 5)),
        Case("stopped with the factor 0", 1, hidden=True, leaf=False, factors=(0,)),
        Case("two backward calls", 1, hidden=True, leaf=False, factors=(-3, -2), backwards=2),
    )
    hints = (
        "A hook on `t` sees the gradient of all ways together. You need a tensor of its own.",
        "`t.view_as(t)` is another tensor object with the same values, and it has a history.",
        "`way.register_hook(lambda grad: grad * factor)`, then give back `way`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        factor = float(rng.choice(given["factors"]))
        leaf = floats(rng, 2, 3).requires_grad_()
        t = leaf if given["leaf"] else leaf * 2
        way = answer(t, factor)
        if not is_tensor(way):
            return {"kind": kind_of(describe(way))}
        if not torch.equal(way.detach(), t.detach()):
            return {"same values": False}
        factors = floats(rng, 2, 3)
        for _ in range(given.get("backwards", 1)):
            # the node of the sum hands one gradient to both: an edit in place reaches t as well
            ((t + way) * factors).sum().backward(retain_graph=True)
        plain = factors * (2 if given["leaf"] else 4) * given.get("backwards", 1)
        return {
            "same values": True,
            "tracked": way.requires_grad,
            "gradient": numbers_of(leaf.grad),
            "_without": numbers_of(plain),
            "_both": numbers_of(plain * factor),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if not facts["same values"]:
            return "VALUES_CHANGED"
        if not facts["tracked"]:
            return "WAY_IS_CUT"
        if facts["gradient"] == facts["_both"]:
            return "OTHER_WAY_TURNED"
        if facts["gradient"] == facts["_without"]:
            return "GRADIENT_UNCHANGED"
        return None


class clip_each(Exercise):
    cases = (
        Case("one above, one below the threshold", 2, gradients=("large", "small")),
        Case("a gradient of zeros", 1, hidden=True, gradients=("zero", "large")),
        Case("other tensors, two backward calls", 2, True, gradients=("large", "small", "large")),
    )
    hints = (
        "In the hook: compute `grad.norm()` and compare it with the threshold.",
        "The scaled gradient is `grad * (threshold / norm)`. For a small one give back None.",
        "`[p.register_hook(clip) for p in parameters]` is the list of handles.",
    )

    @staticmethod
    def observe(answer, given, rng):
        threshold = float(rng.choice([4, 5, 6]))
        parameters = [
            floats(rng, 2, 3 + i).requires_grad_() for i in range(len(given["gradients"]))
        ]
        other = floats(rng, 2, 3).requires_grad_()  # shares its gradient with the first one

        def backward():
            other.grad = None
            for p in parameters:
                p.grad = None
            gradients = []
            for p, kind in zip(parameters, given["gradients"], strict=True):
                by = {"large": 20 + rng.randint(1, 9), "small": 0.125, "zero": 0.0}[kind]
                gradients.append(floats(rng, *p.shape) * by)
            used = [parameters[0] + other * 1, *parameters[1:]]
            sum((p * g).sum() for p, g in zip(used, gradients, strict=True)).backward()
            if not torch.equal(other.grad, gradients[0]):
                others.append("changed")
            return [numbers_of(g) for g in gradients], [p.grad.clone() for p in parameters]

        handles = answer(parameters, threshold)
        if not isinstance(handles, (list, tuple)) or len(handles) != len(parameters):
            return {"kind": kind_of(describe(handles))}
        others = []
        runs = [backward() for _ in range(2)]
        for handle in handles:
            handle.remove()
        true, after = backward()
        return {
            "clipped": [[numbers_of(g) for g in got] for _, got in runs],
            "after remove": [numbers_of(g) for g in after] == true,
            "others": others,
            "_true": [true for true, _ in runs],
            "_norms": [[describe(g.norm().item()) for g in got] for _, got in runs],
            "_threshold": threshold,
            "_kinds": list(given["gradients"]),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "HANDLES_MISSING")
        if not facts["after remove"]:
            return "HOOK_STILL_ACTS"
        if facts["others"]:
            return "NEIGHBOUR_CHANGED"
        kinds, norms, limit = facts["_kinds"], facts["_norms"][0], facts["_threshold"]
        for i, kind in enumerate(kinds):
            if norms[i] == "nan":
                return "ZERO_BECOMES_NAN"
            if kind != "large" and facts["clipped"][0][i] != facts["_true"][0][i]:
                total = sum(norm**2 for norm in norms) ** 0.5
                together = abs(total - limit) < 0.01
                return "CLIPPED_ALL_TOGETHER" if together else "SMALL_GRADIENT_CHANGED"
        if any(norms[i] > limit * 1.001 for i in range(len(kinds))):
            largest = max(abs(v) for g in facts["clipped"][0] for row in g for v in row)
            return "CLIPPED_BY_VALUE" if largest <= limit * 1.001 else "NOT_CLIPPED"
        return "CLIPPED_ALL_TOGETHER" if "small" in kinds else None


class first_bad(Exercise):
    cases = (
        Case("a logarithm of a negative number", 1, net="log"),
        Case("a network that is well", 1, net="well"),
        Case("an infinity, and blocks in blocks", 1, hidden=True, net="blocks"),
        Case("a division of two results", 1, hidden=True, net="ratio"),
        Case("a NaN that is made between two modules", 1, hidden=True, net="foreign"),
    )
    hints = (
        "A forward hook sees the inputs and the output of each module.",
        "The guilty module has finite inputs and an output that is not finite.",
        "`t.isfinite().all()` is False for NaN and for infinity. Skip modules that have children.",
    )

    @staticmethod
    def observe(answer, given, rng):
        net = BAD[given["net"]](rng)
        before, state, runs = hooks_on(net), state_of(net), []
        net.forward = counted(net.forward, runs)
        path = describe(answer(net, floats(rng, 2, 3).abs()))
        return {
            "path": path,
            "hooks": hooks_on(net) - before,
            "network kept": state_of(net) == state,
            "ran again": len(runs) > 1,
            "_containers": [p for p, m in net.named_modules() if list(m.children())],
        }

    @staticmethod
    def diagnose(facts, expected):
        got, right = facts["path"], expected["path"]
        if got is not None and type(got) is not str:
            return "WRONG_TYPE", {"got": kind_of(got)}
        if facts["hooks"] > 0 and got == right:
            return "MODULE_HOOKS_LEFT", {"count": facts["hooks"]}
        if got == right:
            return "RAN_AGAIN" if facts["ran again"] else "NETWORK_CHANGED"
        if got in facts["_containers"]:
            return "CONTAINER_BLAMED"
        if got is None:
            return "ONLY_NAN_SEEN"
        return "NAMED_WITHOUT_NEED" if right is None else "VICTIM_BLAMED"


def counted(forward, runs):
    """The same forward, which also says that it ran."""

    def run(*args):
        runs.append("ran")
        return forward(*args)

    return run


class weight_norms(Exercise):
    cases = (
        Case("two layers, one backward", 2, sizes=(3, 4, 2), backwards=1),
        Case("three layers, two backward calls, nothing cleared", 3, True, sizes=(2, 3, 3, 2)),
    )
    hints = (
        "When is the gradient of a weight known? Not when the one of the layer's input is.",
        "`layer.weight.register_hook(…)` is called with the gradient of the weight, of this "
        "backward.",
        "Keep the name: `def record(grad, name=name)`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        sizes = given["sizes"]
        pairs = zip(("first", "second", "third"), sizes, sizes[1:], strict=False)
        net = named(**{name: linear(rng, i, o) for name, i, o in pairs})
        norms = answer(net)
        if not isinstance(norms, dict):
            return {"kind": kind_of(describe(norms))}
        seen = []
        for _ in range(given.get("backwards", 2)):
            x = floats(rng, 4, sizes[0])
            (net(x) * floats(rng, 4, sizes[-1])).sum().backward()
            entries = describe(dict(norms))
            seen.append({f"of {name}": value for name, value in entries.items()})
        return {
            "seen": seen,
            "stored": [numbers_of(p.grad) for p in net.parameters()],
            "_names": sorted(map(str, norms)),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["stored"] != expected["stored"]:
            return "STORED_GRADIENT_CHANGED"
        if any(set(a) != set(b) for a, b in zip(facts["seen"], expected["seen"], strict=True)):
            names = facts["_names"]
            if list(facts["seen"][0].values()) == [expected["seen"][0]["of first"]]:
                return "LOOP_VARIABLE", {"names": names[0]}
            return "NORMS_MISSING", {"names": quoted(names) or "none"}
        values = [value for entry in facts["seen"] for value in entry.values()]
        other = next((v for v in values if type(v) is not float), 0.0)
        if type(other) is not float:
            return "RECORDS_TENSORS", {"got": kind_of(other)}
        return "OLD_GRADIENT_SEEN"


def telling_parts(rng, given, threshold):
    """The parts of a gradient. Their sum is clearly above the threshold, or clearly below it."""
    while True:
        factors = [floats(rng, 3) * given["size"] for _ in range(given["parts"])]
        if given.get("cancel"):
            factors[1] = -factors[0] + floats(rng, 3)
        if given.get("bump"):  # two parts above the threshold whose sum is below it
            factors[0] = factors[0] + 40
            factors[1] = factors[1] - 40
        whole = torch.stack(factors).sum(0)
        if not given.get("bump"):
            uneven = all(len(set(t.abs().tolist()) - {0}) > 1 for t in (whole, *factors))
            if uneven and whole.norm() > 2 * threshold:  # no length can be taken for a cut
                return factors
        elif 0.25 < whole.norm() < 0.9 * threshold and whole.abs().max() <= threshold / 2:
            return factors


class clipped_sum(Exercise):
    cases = (
        Case("two parts", 2, parts=2, size=20),
        Case("parts that take each other away", 2, hidden=True, parts=3, size=20, cancel=True),
        Case("a small sum is not clipped", 1, hidden=True, parts=4, size=0.125, bump=True),
    )
    hints = (
        "A hook on the weight sees one part at a time. Who sees the sum?",
        "After the last backward, `weight.grad` holds the sum.",
        "`nn.utils.clip_grad_norm_([weight], threshold)` changes `weight.grad` if it is too large.",
    )

    @staticmethod
    def observe(answer, given, rng):
        weight, threshold = floats(rng, 3).requires_grad_(), float(rng.choice([2, 3]))
        factors = telling_parts(rng, given, threshold)
        losses = [lambda factor=factor: (weight * factor).sum() for factor in factors]
        before = weight.detach().clone()
        answer(weight, losses, threshold)
        clipped = [f * (threshold / f.norm().clamp(min=threshold)) for f in factors]
        return {
            "grad": None if weight.grad is None else rounded(weight.grad),
            "hooks": sum(map(len, filter(None, hooks_of(weight)))),
            "weight kept": torch.equal(weight, before),
            "_parts": rounded(sum(clipped)),
            "_sum": rounded(sum(factors)),
        }

    @staticmethod
    def diagnose(facts, expected):
        if facts["grad"] is None:
            return "PARTS_MISSING"
        if facts["grad"] == facts["_parts"]:
            return "PARTS_CLIPPED"
        if facts["grad"] == facts["_sum"] and facts["grad"] != expected["grad"]:
            return "SUM_NOT_CLIPPED"
        if facts["grad"] == expected["grad"]:
            kept = facts["weight kept"]
            return ("TENSOR_HOOK_LEFT", {"count": facts["hooks"]}) if kept else "WEIGHT_CHANGED"
        if parallel(facts["grad"], facts["_sum"]):
            plain = expected["grad"] == facts["_sum"]
            return "SMALL_GRADIENT_CHANGED" if plain else "OTHER_LENGTH"
        most = max(map(abs, facts["grad"]))
        cut = [max(min(v, most), -most) for v in facts["_sum"]]
        return "CLIPPED_BY_VALUE" if facts["grad"] == cut else "PARTS_MISSING"


class step_in_backward(Exercise):
    cases = (
        Case("one backward", 2, sizes=(3, 4, 2), backwards=1),
        Case("two steps", 2, hidden=True, sizes=(2, 3, 4, 1), backwards=2),
        Case("a frozen parameter, and removed hooks", 2, True, sizes=(3, 3, 2), frozen=True),
    )
    hints = (
        "`p.register_post_accumulate_grad_hook(step)` calls `step(p)` when `p.grad` is stored.",
        "In `step`: under `torch.no_grad()`, `p -= lr * p.grad`. Then `p.grad = None`.",
        "Leave out parameters with `requires_grad=False`: they refuse the hook.",
    )

    @staticmethod
    def observe(answer, given, rng):
        net, lr = line(rng, *given["sizes"]), rng.choice([0.25, 0.5])
        parameters = list(net.parameters())
        if given.get("frozen"):
            parameters[0].requires_grad_(False)
        start, alive = [p.detach().clone() for p in parameters], []
        handles = answer(parameters, lr)
        if not isinstance(handles, (list, tuple)):
            return {"kind": kind_of(describe(handles))}
        watched = [p for p in parameters if p.requires_grad]
        watchers = [
            p.register_hook(lambda _: alive.append(sum(q.grad is not None for q in watched)))
            for p in watched
        ]
        for _ in range(given.get("backwards", 1)):
            net(floats(rng, 4, given["sizes"][0])).sum().backward()
        values = [rounded(p) for p in parameters]
        left = sum(p.grad is not None for p in parameters)
        for handle in (*handles, *watchers):
            handle.remove()
        net(floats(rng, 4, given["sizes"][0])).sum().backward()
        return {
            "values": values,
            "gradients left": left,
            "most alive": max(alive),
            "after remove": [rounded(p) for p in parameters] == values,
            "stored after remove": sum(p.grad is not None for p in parameters),
            "_moved": any(not torch.equal(a, b) for a, b in zip(start, parameters, strict=True)),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "HANDLES_MISSING")
        if not facts["_moved"]:
            return "NO_STEP_TAKEN"
        same = facts["values"] == expected["values"]
        if facts["gradients left"]:
            return "GRADIENT_KEPT"
        if same and facts["most alive"] > expected["most alive"]:
            return "ALL_AT_ONCE", {"got": facts["most alive"] + 1}
        if same:
            return "HOOK_STILL_ACTS"
        return "TOO_EARLY_STEP"


def telling_pictures(rng, given):
    """A net, pictures and a class that tell apart what a mistaken heat map would show.

    For the class there is heat, and places that must not be hot; no picture has its largest score
    there; no other class has the same heat.
    """
    while True:
        net = small_net(rng, given.get("inplace", False))
        x = floats(rng, given.get("pictures", 2), 1, 5, 5)
        signed = []
        for of in (0, 1, 2):
            maps, gradient = by_hand(net, given["layer"], x, of)
            signed.append((gradient.mean((2, 3), keepdim=True) * maps).sum(1))
        with torch.no_grad():
            largest = net(x).argmax(1).tolist()
        for of in {0, 1, 2} - set(largest):
            heats = [rounded(heat.clamp(min=0)) for heat in signed]
            if signed[of].max() > 0.1 and signed[of].min() < -0.1 and heats.count(heats[of]) == 1:
                return net, x, of


class heat_map(Exercise):
    cases = (
        Case("the last maps", 2, layer="conv2", pictures=1),
        Case("a batch, another layer", 2, layer="conv1", pictures=3),
        Case(
            "a layer with an in-place ReLU behind it", 2, hidden=True, layer="conv1", inplace=True
        ),
        Case(
            "gradients that were there before", 2, hidden=True, layer="conv2", pictures=2, grad=True
        ),
    )
    hints = (
        "A forward hook on the layer keeps the maps: `output.detach().clone()`. In the same hook, "
        "`output.register_hook(…)` keeps their gradient.",
        "`torch.autograd.grad(scores[:, of].sum(), list(net.parameters()), allow_unused=True)` "
        "runs the hooks and writes no `.grad`.",
        "`gradient.mean((2, 3), keepdim=True)` are the weights. Multiply, sum over the channels, "
        "`clamp(min=0)`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        net, x, of = telling_pictures(rng, given)
        if given.get("grad"):
            for p in net.parameters():
                p.grad = torch.full_like(p, 7.0)
        stored = [None if p.grad is None else numbers_of(p.grad) for p in net.parameters()]
        before, state = hooks_on(net), state_of(net)
        heat = answer(net, given["layer"], x, of)
        if not is_tensor(heat):
            return {"kind": kind_of(describe(heat))}
        now = [None if p.grad is None else numbers_of(p.grad) for p in net.parameters()]
        maps, gradient = by_hand(net, given["layer"], x, of)
        weights = gradient.mean((2, 3), keepdim=True)
        relu = maps.clamp(min=0) if given.get("inplace") else maps
        others = [by_hand(net, given["layer"], x, other) for other in (0, 1, 2) if other != of]
        return {
            "heat": {"tensor": list(heat.shape), "values": describe(heat)["values"]},
            "history": heat.requires_grad,
            "hooks": hooks_on(net) - before,
            "stored": now == stored,
            "network kept": state_of(net) == state,
            "_negative": rounded((weights * maps).sum(1)),
            "_absolute": rounded((weights * maps).sum(1).abs()),
            "_sum": rounded((gradient.sum((2, 3), keepdim=True) * maps).sum(1).clamp(min=0)),
            "_per place": rounded((gradient * maps).sum(1).clamp(min=0)),
            "_after relu": rounded((weights * relu).sum(1).clamp(min=0)),
            "_others": [rounded(heat_by_hand(m, g)) for m, g in others],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        got, right = facts["heat"], expected["heat"]
        if got["tensor"] != right["tensor"]:
            return "WRONG_SHAPE", {"got": got["tensor"]}
        values = [round(v, 3) if isinstance(v, float) else v for v in got["values"]]
        if values == [round(v, 3) for v in right["values"]]:
            if facts["hooks"] > 0:
                return "MODULE_HOOKS_LEFT", {"count": facts["hooks"]}
            if facts["history"]:
                return "HEAT_HAS_HISTORY"
            return "GRAD_LEFT" if not facts["stored"] else "NETWORK_CHANGED"
        for code, key in (
            ("HEAT_NEGATIVE", "_negative"),
            ("ABSOLUTE_HEAT", "_absolute"),
            ("WEIGHTS_NOT_MEAN", "_sum"),
            ("GRADIENT_PER_PLACE", "_per place"),
            ("FEATURES_OVERWRITTEN", "_after relu"),
        ):
            if values == facts[key]:
                return code
        return "OTHER_CLASS" if values in facts["_others"] else None


def state_of(net):
    """What a careless instrument changes: the modes, and which parameters are frozen."""
    modes = [module.training for module in net.modules()]
    return modes, [p.requires_grad for p in net.parameters()]


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def hooks_of(tensor):
    return tensor._backward_hooks, tensor._post_accumulate_grad_hooks


def parallel(got, true):
    """Whether two lists of numbers have the same direction."""
    got, true = torch.tensor(got), torch.tensor(true)
    return torch.cosine_similarity(got, true, dim=0).item() > 0.9999


def rounded(tensor):
    return [round(v, 3) for v in tensor.detach().flatten().tolist()]


class Log(nn.Module):
    def forward(self, x):
        return x.log()


class Square(nn.Module):
    """Leaves the range of float32 for large numbers."""

    def forward(self, x):
        return (x * 1e15) ** 3


class Clean(nn.Module):
    """Puts finite numbers in the place of others."""

    def forward(self, x):
        return x.nan_to_num(1.0, 1.0, 1.0)


class Halves(nn.Module):
    """Divides one result by another, later takes a bad logarithm. The child that is called last
    stands first."""

    def __init__(self, rng):
        super().__init__()
        self.late, self.ratio, self.below = Log(), Ratio(), Zero()
        self.above = linear(rng, 3, 3)

    def forward(self, x):
        result = self.ratio(self.above(x), self.below(x))
        return self.late(result.nan_to_num() - 1)


class Ratio(nn.Module):
    def forward(self, above, below):
        return above * 0 / below


class Zero(nn.Module):
    """Zeros, and one 1: a division by them makes some NaN, not only NaN."""

    def forward(self, x):
        return torch.zeros_like(x).index_fill(1, torch.tensor([0]), 1.0)


class Foreign(nn.Module):
    """The NaN is made in this forward, not in a child; the last child gets it as second input."""

    def __init__(self, rng):
        super().__init__()
        self.first, self.add = linear(rng, 3, 3), Plus()

    def forward(self, x):
        return self.add(self.first(x), (x - x) / (x - x))


class Plus(nn.Module):
    def forward(self, a, b):
        return a + b


def bad_blocks(rng):
    inner = named(fc=linear(rng, 3, 3), power=Square(), clean=Clean(), again=Square())
    with torch.no_grad():
        inner.fc.weight[0], inner.fc.bias[0] = 0.0, 0.0  # of this one, the power is finite
    return named(stem=linear(rng, 3, 3), block=named(inner=inner, tail=nn.Identity()))


def bad_log(rng):
    first = linear(rng, 3, 3)
    with torch.no_grad():
        first.weight[1:] = -first.weight[1:].abs()
        first.bias.fill_(-1.0)
        first.weight[0], first.bias[0] = 0.0, 2.0  # of this one, the logarithm is finite
    return named(first=first, log=Log(), head=linear(rng, 3, 2))


BAD = {
    "log": bad_log,
    "well": lambda rng: named(first=linear(rng, 3, 3), act=nn.Tanh(), head=linear(rng, 3, 2)),
    "blocks": bad_blocks,
    "ratio": lambda rng: named(
        first=linear(rng, 3, 3), body=Halves(rng), act=nn.ReLU(), head=linear(rng, 3, 2)
    ),
    "foreign": lambda rng: named(
        body=Foreign(rng), clean=Clean(), power=Square(), head=linear(rng, 3, 2)
    ),
}


def small_net(rng, inplace):
    """Two convolutions and a head with three classes; whole numbers as weights."""
    net = named(
        conv1=nn.Conv2d(1, 2, 3, padding=1),
        relu=nn.ReLU(inplace=inplace),
        conv2=nn.Conv2d(2, 3, 2),
        act=nn.Tanh(),
        flat=nn.Flatten(),
        head=nn.Linear(48, 3),
    )
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(floats(rng, *p.shape) / 8)
    return net


def by_hand(net, layer, x, of):
    """The maps of a layer and the gradient of the class's scores, without any hook."""
    value, maps = x, None
    for name, module in net.named_children():
        value = torch.relu(value) if name == "relu" else module(value)
        if name == layer:
            maps = value = value.detach().requires_grad_()
    (gradient,) = torch.autograd.grad(value[:, of].sum(), maps)
    return maps.detach(), gradient


def heat_by_hand(maps, gradient):
    return (gradient.mean((2, 3), keepdim=True) * maps).sum(1).clamp(min=0)
