"""What the exercises of lesson 6 observe, and how their facts tell misconceptions apart."""

import math
import weakref
from collections import Counter
from itertools import combinations

import torch

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, is_tensor, kind_of, same
from course.lessons.hooks_at_work.kept import GRAD, Before, diagnose_changes
from course.lessons.hooks_at_work.nets import (
    BAD,
    leaves_of,
    maps_and_scores,
    one_bad_row,
    picture_net,
)
from course.lessons.hooks_at_work.reasons import REASONS
from course.lessons.module_hooks.nets import (
    global_hooks_end_here,
    line,
    linear,
    named,
    numbers_of,
)

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
        Case("a NaN that is made between two modules", 0.5, hidden=True, net="foreign"),
        Case("a network without children", 0.5, hidden=True, net="alone"),
    )
    hints = (
        "A forward hook sees the inputs and the output of each module.",
        "The guilty module has finite inputs and an output that is not finite.",
        "`t.isfinite().all()` is False for NaN and for infinity. Skip modules that have children.",
    )

    @staticmethod
    def observe(answer, given, rng):
        net, x = BAD[given["net"]](rng), one_bad_row(rng)
        leaves, calls, bad = leaves_of(net), Counter(), set()
        if len(leaves) > 1:
            leaves[-1][1].eval()
        for path, module in leaves:  # the hooks of somebody, which are also on a copy of the net
            module.register_forward_pre_hook(lambda *_, path=path: calls.update([path]))
            module.register_forward_hook(
                lambda m, args, out, path=path: None if out.isfinite().all() else bad.add(path)
            )
        with torch.no_grad():
            net(x)
        once, was_bad = Counter(calls), sorted(bad)
        calls.clear()
        before = Before(net, x)
        with global_hooks_end_here():
            path = describe(answer(net, x))
            changes = before.changes()
        return {
            "path": path,
            "changes": changes,
            "ran again": any(calls[path] > once[path] for path in calls),
            "_paths": list(before.modules),
            "_leaves": [p for p, _ in leaves],
            "_bad": was_bad,
        }

    @staticmethod
    def diagnose(facts, expected):
        got, right = facts["path"], expected["path"]
        if got is not None and type(got) is not str:
            return "WRONG_TYPE", {"got": kind_of(got)}
        if got == right:
            return diagnose_changes(facts["changes"]) or "RAN_AGAIN"
        if got is None:
            return "BAD_NUMBER_MISSED"
        if got not in facts["_paths"]:
            return "PATH_UNKNOWN"
        if right is None:
            return "NAMED_WITHOUT_NEED"
        if got not in facts["_leaves"]:
            return "CONTAINER_BLAMED"
        return "VICTIM_BLAMED" if got in facts["_bad"] else "WELL_BLAMED"


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
    """The parts of a gradient, for which no mistaken way gives what the right one gives."""
    while True:
        parts = [floats(rng, *given["shape"]) * 16 for _ in range(given["parts"] - 1)]
        whole = floats(rng, *given["shape"]) * given["size"]
        parts.append(whole - sum(parts))
        norm, right = whole.norm(), clip(whole, threshold)
        if given["size"] < 1:  # changed by who takes the square of the norm, not by who cuts
            fits = math.sqrt(threshold) * 1.05 < norm < 0.9 * threshold
            fits &= whole.abs().max() <= threshold / 2
        else:  # clipped by who takes the mean, too; no other norm of a matrix is the same
            fits = norm > 1.1 * threshold * len(parts) and len(whole.abs().unique()) > 1
            if whole.dim() == 2:
                fits &= torch.linalg.matrix_norm(whole, 2) < 0.95 * norm
        mistaken = [g for g in ways_to_clip(parts, threshold).values() if not torch.equal(g, whole)]
        apart = all((g - right).norm() > 0.1 * right.norm() for g in mistaken)
        if fits and apart and all(part.norm() > 2 * threshold for part in parts):
            return parts


def ways_to_clip(parts, threshold):
    """What mistaken ways give, under their reason codes."""
    running = torch.zeros_like(parts[0])
    for part in parts:
        running = clip(running + part, threshold)
    return {
        "PARTS_CLIPPED": sum(clip(part, threshold) for part in parts),
        "CLIPPED_IN_BETWEEN": running,
        "PARTS_MISSING": clip(parts[-1], threshold),
        "MEAN_OF_PARTS": sum(parts) / len(parts),
        "SUM_NOT_CLIPPED": sum(parts),
    }


def clip(gradient, threshold):
    return gradient * (threshold / gradient.norm().clamp(min=threshold))


class Passage:
    """A hook on a part: it lives as long as the part's graph, and knows whether backward came."""

    def __init__(self, came, number):
        self.came, self.number, self.waits = came, number, True

    def __call__(self, grad):
        self.waits = False
        self.came.add(self.number)


class clipped_sum(Exercise):
    cases = (
        Case("two parts", 2, parts=2, shape=(3,), size=8),
        Case(
            "a matrix, and parts that take each other away", 2, True, parts=3, shape=(2, 2), size=8
        ),
        Case("a small sum is not clipped", 1, hidden=True, parts=4, shape=(3,), size=0.5),
    )
    hints = (
        "A hook on the weight sees one part at a time. Who sees the sum?",
        "After the last backward, `weight.grad` holds the sum.",
        "`nn.utils.clip_grad_norm_([weight], threshold)` changes `weight.grad` if it is too large.",
    )

    @staticmethod
    def observe(answer, given, rng):
        threshold = float(rng.choice([4, 5]))
        weight = (4 * floats(rng, *given["shape"])).requires_grad_()  # its norm is larger, too
        parts = telling_parts(rng, given, threshold)
        passages, came, held = [], set(), []

        def loss_of(number):
            asked = [passage() for passage in passages]
            held.extend(passage for passage in asked if passage and passage.waits)
            product, passage = weight * parts[number], Passage(came, number)
            product.register_hook(passage)
            passages.append(weakref.ref(passage))
            return product.sum()

        before = weight.detach().clone()
        answer(weight, [lambda i=i: loss_of(i) for i in range(len(parts))], threshold)
        return {
            "grad": values_of(weight.grad),
            "hooks": sum(map(len, filter(None, hooks_of(weight)))),
            "weight kept": torch.equal(weight, before),
            "held": len(held),
            "_without backward": len(parts) - len(came),
            "_ways": {code: values_of(g) for code, g in ways_to_clip(parts, threshold).items()},
        }

    @staticmethod
    def diagnose(facts, expected):
        got, right, ways = facts["grad"], expected["grad"], facts["_ways"]
        if same(got, right):
            if facts["hooks"]:
                return "TENSOR_HOOK_LEFT"
            return "PARTS_HELD" if facts["weight kept"] else "WEIGHT_CHANGED"
        if got is None:
            return "GRADIENT_NOT_STORED"
        if facts["_without backward"]:
            return "PARTS_MISSING"
        for code, values in ways.items():
            if same(got, values):
                return code
        if not finite(got):
            return "OTHER_GRADIENT"
        if times(got, right):
            plain = same(right, ways["SUM_NOT_CLIPPED"])
            return "SMALL_GRADIENT_CHANGED" if plain else "OTHER_LENGTH"
        most = max(map(abs, got))
        cut = [max(min(v, most), -most) for v in ways["SUM_NOT_CLIPPED"]]
        return "CLIPPED_BY_VALUE" if same(got, cut) else "OTHER_GRADIENT"


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
    """A net, pictures and a class for which no mistaken way gives the right heat or none.

    Each picture has heat, and places that must not be hot. The class is neither the first one nor
    the last.
    """
    layer, many = given["layer"], given.get("pictures", 2)
    while True:
        net, of = picture_net(rng, given.get("inplace", False)), rng.choice([1, 2])
        drawn = floats(rng, 8 * many, 1, 4, 4)  # a pass takes its time: eight tries in each
        picks = [lambda scores, i=i: scores[:, i] for i in range(4)]
        picks += [lambda scores: scores.amax(1), lambda scores, of=of: scores.softmax(1)[:, of]]
        seen = [gradients_by_hand(net, layer, drawn, picks)]
        if given.get("inplace"):
            seen.append(gradients_by_hand(net, "stem.relu", drawn, picks[of : of + 1]))
        for start in range(0, len(drawn), many):
            part = slice(start, start + many)
            signed, ways = ways_to_heat(*[[t[part] for t in tensors] for tensors in seen], of=of)
            heats = [("right", signed.clamp(min=0)), ("none", torch.zeros_like(signed))]
            heats += [(code, heat) for code, found in ways.items() for heat in found]
            pairs = combinations(heats, 2)
            hot = signed.amax((1, 2)).min() > 0.1 and signed.amin((1, 2)).max() < -0.1
            if hot and all(apart(heat, other) for (a, heat), (b, other) in pairs if a != b):
                return net, drawn[part].clone(), of, ways


def ways_to_heat(before, after=(), *, of):
    """The heat with its negative numbers, and what mistaken ways give, by their reason codes.

    ``before`` are the maps and their gradients for each of the ``picks``, ``after`` the same for
    the one pick of the class, after an in-place ReLU.
    """
    maps, *gradients = before
    gradient = gradients[of]
    weights = gradient.mean((2, 3), keepdim=True)
    others = [*gradients[:of], *gradients[of + 1 : 5], sum(gradients[:4])]
    ways = {
        "ABSOLUTE_HEAT": [heat_of(maps, gradient).abs()],
        "GRADIENT_PER_PLACE": [(gradient * maps).sum(1)],
        "CLAMPED_TOO_EARLY": [(weights.relu() * maps).sum(1), (weights * maps).relu().sum(1)],
        "OTHER_CLASS": [heat_of(maps, other) for other in others],
        "WRONG_VALUE": [heat_of(maps, gradients[5])],
    }
    if len(maps) > 1:  # the score of the first picture alone, and one weight for all pictures
        first, together = gradient * 1, gradient.mean(0, keepdim=True)
        first[1:] = 0
        ways["WRONG_VALUE"] += [heat_of(maps, first), heat_of(maps, together)]
    if after:
        ways["FEATURES_OVERWRITTEN"] = [heat_of(after[0], gradient), heat_of(*after)]
    signed = heat_of(maps, gradient)
    return signed, {code: [h.clamp(min=0) for h in heats] for code, heats in ways.items()}


def gradients_by_hand(net, layer, x, picks):
    """The maps of a layer and, for each way to pick a score, their gradient: in one backward."""
    maps, scores = maps_and_scores(net, layer, x.repeat(len(picks), 1, 1, 1))
    parts = zip(picks, scores.chunk(len(picks)), strict=True)
    (gradient,) = torch.autograd.grad(sum(pick(part).sum() for pick, part in parts), maps)
    return maps.detach()[: len(x)], *gradient.chunk(len(picks))


def heat_of(maps, gradient):
    """The weighted sum of the maps, with its negative numbers."""
    return (gradient.mean((2, 3), keepdim=True) * maps).sum(1)


def apart(heat, other):
    return (heat - other).abs().max() > 0.02 * torch.maximum(heat.abs().max(), other.abs().max())


class heat_map(Exercise):
    cases = (
        Case("the last maps", 2, layer="conv2", pictures=1),
        Case("a batch, a layer in a block", 2, layer="stem.conv1", pictures=3, eval=True),
        Case("an in-place ReLU after the layer", 2, True, layer="stem.conv1", inplace=True),
        Case("gradients that were there before", 2, True, layer="conv2", pictures=2, grad=True),
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
        net, x, of, ways = telling_pictures(rng, given)
        if given.get("eval"):
            net.eval()
        if given.get("grad"):
            for p in net.parameters():
                p.grad = torch.full_like(p, 7.0)
        before = Before(net, x)
        with global_hooks_end_here():
            heat = answer(net, given["layer"], x, of)
            changes = before.changes()
        if not is_tensor(heat):
            return {"kind": kind_of(describe(heat))}
        return {
            "shape": list(heat.shape),
            "heat": values_of(heat),
            "history": heat.requires_grad,
            "changes": changes,
            "_ways": {code: [values_of(heat) for heat in heats] for code, heats in ways.items()},
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["shape"] != expected["shape"]:
            return "WRONG_SHAPE", {"got": facts["shape"]}
        got, right = facts["heat"], expected["heat"]
        if same(got, right):
            if facts["history"]:
                return "HEAT_HAS_HISTORY"
            if GRAD in facts["changes"]["changed"]:
                return "GRAD_LEFT"
            return diagnose_changes(facts["changes"])
        for code, heats in facts["_ways"].items():
            if any(same(got, heat) for heat in heats):
                return code
        if not finite(got):
            return None
        if min(got) < 0:
            return "HEAT_NEGATIVE"
        return "HEAT_SCALED" if times(got, right) else None


def quoted(names):
    return ", ".join(f'"{name}"' for name in names)


def hooks_of(tensor):
    return tensor._backward_hooks, tensor._post_accumulate_grad_hooks


def times(got, true):
    """Whether one list of numbers is the other one, times a number above zero."""
    factor = max(map(abs, got)) / max(map(abs, true))
    return factor > 0 and same([number / factor for number in got], true)


def finite(values):
    """Whether no number is NaN or infinite: facts hold those as words."""
    return not any(isinstance(value, str) for value in values)


def values_of(tensor):
    """The numbers of a tensor in one list."""
    return None if tensor is None else describe(tensor)["values"]


def rounded(tensor):
    return [round(v, 3) for v in tensor.detach().flatten().tolist()]
