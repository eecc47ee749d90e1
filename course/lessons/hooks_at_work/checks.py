"""What the exercises of lesson 6 observe, and how their facts tell misconceptions apart."""

import math
import weakref
from collections import Counter

import torch

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, is_tensor, kind_of, same
from course.lessons.hooks_at_work.factors import factor_between, flat, gradient_to_clip, times
from course.lessons.hooks_at_work.kept import GRAD, Before, diagnose_changes
from course.lessons.hooks_at_work.mistaken_norms import mistaken_norms, stored
from course.lessons.hooks_at_work.nets import (
    BAD,
    leaves_of,
    one_bad_row,
)
from course.lessons.hooks_at_work.parts import Passage, telling_parts, ways_to_clip
from course.lessons.hooks_at_work.reasons import REASONS
from course.lessons.hooks_at_work.telling import telling_pictures
from course.lessons.module_hooks.nets import (
    global_hooks_end_here,
    line,
    linear,
    named,
    numbers_of,
)
from course.lessons.tensor_hooks.readings import hooks_on

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
        factors, times = floats(rng, 2, 3), given.get("backwards", 1)

        def gradient(used):
            leaf.grad = None
            for _ in range(times):
                (used * factors).sum().backward(retain_graph=True)
            return None if leaf.grad is None else numbers_of(leaf.grad)

        plain = factors * (1 if given["leaf"] else 2) * times
        return {
            "same values": True,
            "tracked": way.requires_grad,
            # the node of the sum hands one gradient to both: an edit in place reaches t as well
            "both ways": gradient(t + way),
            "other way": gradient(t),
            "this way": gradient(way) if way.requires_grad else None,
            "_plain": numbers_of(plain),
            "_both turned": numbers_of(2 * plain * factor),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if not facts["same values"]:
            return "VALUES_CHANGED"
        if facts["this way"] is None:
            return "WAY_IS_CUT"
        if facts["other way"] != expected["other way"]:
            return "OTHER_WAY_TURNED"
        if facts["this way"] != expected["this way"]:
            return "GRADIENT_UNCHANGED" if facts["this way"] == facts["_plain"] else None
        return "OTHER_WAY_TURNED" if facts["both ways"] == facts["_both turned"] else None


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
                gradients.append(gradient_to_clip(rng, kind, p.shape))
            used = [parameters[0] + other * 1, *parameters[1:]]
            sum((p * g).sum() for p, g in zip(used, gradients, strict=True)).backward()
            if not torch.equal(other.grad, gradients[0]):
                others.append("changed")
            return [numbers_of(g) for g in gradients], [p.grad.clone() for p in parameters]

        handles = answer(parameters, threshold)
        if found := no_handles(handles, len(parameters)):
            return {"kind": found}
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
        runs, trues, rights = facts["clipped"], facts["_true"], expected["clipped"]
        first_right, limit = same(runs[0], rights[0]), facts["_threshold"]
        if first_right and same(runs[1], trues[1]):
            return "WORKS_ONCE"
        got, true, right = runs[first_right], trues[first_right], rights[first_right]
        wrong = [i for i, gradient in enumerate(got) if not same(gradient, right[i])]
        kind, numbers, before = facts["_kinds"][wrong[0]], flat(got[wrong[0]]), flat(true[wrong[0]])
        if kind == "zero" and any(map(math.isnan, numbers)):
            return "ZERO_BECOMES_NAN"
        factor = factor_between(numbers, before)
        for together in (true, [g for run in trues[: first_right + 1] for g in run]):
            total = math.hypot(*[number for gradient in together for number in flat(gradient)])
            if factor and same(factor, limit / total):
                return "CLIPPED_ALL_TOGETHER"
        if kind != "large":
            return "SMALL_GRADIENT_CHANGED"
        if not all(map(math.isfinite, numbers)) or (factor is not None and factor < 0):
            return None
        if factor is None:
            return "CLIPPED_BY_VALUE"
        return "NOT_CLIPPED" if math.hypot(*numbers) > limit else "CLIPPED_TOO_MUCH"


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
        Case("three layers, three backward calls", 3, True, sizes=(2, 3, 3, 2), cleared=2),
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
        seen, ways, after = [], [], stored(net)
        for number in range(given.get("backwards", 3)):
            if number == given.get("cleared"):
                net.zero_grad()
            last = {name: (grad, after[name]) for name, grad in stored(net).items()}
            x, arriving = floats(rng, 4, sizes[0]), floats(rng, 4, sizes[-1])
            (net(x) * arriving).sum().backward()
            after = stored(net)
            entries = describe(dict(norms))
            seen.append({f"of {name}": value for name, value in entries.items()})
            ways.append(mistaken_norms(net, x, arriving, last))
        grads = [p.grad for p in net.parameters()]
        return {
            "seen": seen,
            "stored": [None if grad is None else numbers_of(grad) for grad in grads],
            "_ways": ways,
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["stored"] != expected["stored"]:
            return "STORED_GRADIENT_CHANGED"
        pairs = list(zip(facts["seen"], expected["seen"], strict=True))
        other = next((entries for entries, right in pairs if set(entries) != set(right)), None)
        if other is not None:
            names = sorted(name.removeprefix("of ") for name in other)
            if list(facts["seen"][0].values()) == [expected["seen"][0]["of first"]]:
                return "LOOP_VARIABLE", {"names": names[0]}
            return "NORMS_MISSING", {"names": quoted(names) or "none"}
        values = [value for entries in facts["seen"] for value in entries.values()]
        other = next((v for v in values if type(v) is not float), 0.0)
        if type(other) is not float:
            return "RECORDS_TENSORS", {"got": kind_of(other)}
        for (entries, right), ways in zip(pairs, facts["_ways"], strict=True):
            wrong = {name[3:]: v for name, v in entries.items() if not same(v, right[name])}
            for code, norms in ways.items():
                if any(same(v, norm) for name, v in wrong.items() for norm in norms[name]):
                    return code
        return None


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
            "hooks": hooks_on(weight),
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
        Case("two steps", 2, hidden=True, sizes=(2, 3, 4, 1), backwards=2, halved=True),
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
        frozen = [p for p in parameters if not p.requires_grad]
        start, alive = [p.detach().clone() for p in parameters], []
        handles = answer(list(parameters), lr)
        if found := no_handles(handles):
            return {"kind": found}
        watched = [p for p in parameters if p.requires_grad]

        def watch(grad):
            alive.append(sum(p.grad is not None for p in watched))
            return grad / 2 if given.get("halved") else None

        def backward():
            loss = net(floats(rng, 4, given["sizes"][0])).sum()
            if loss.requires_grad:
                loss.backward()

        watchers = [p.register_hook(watch) for p in watched]
        for _ in range(given.get("backwards", 1)):
            backward()
        values, tracked = [rounded(p) for p in parameters], [p.requires_grad for p in parameters]
        left = sum(p.grad is not None for p in parameters)
        for handle in (*handles, *watchers):
            handle.remove()
        backward()
        moved = [not torch.equal(a, b) for a, b in zip(start, parameters, strict=True)]
        return {
            "values": values,
            "tracked": tracked,
            "gradients left": left,
            "most alive": max(alive, default=0),
            "after remove": [rounded(p) for p in parameters] == values,
            "stored after remove": sum(p.grad is not None for p in parameters),
            "_moved": any(moved),
            "_frozen moved": any(
                m for m, p in zip(moved, parameters, strict=True) if any(p is f for f in frozen)
            ),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "HANDLES_MISSING")
        tracked = list(zip(facts["tracked"], expected["tracked"], strict=True))
        if facts["_frozen moved"] or (True, False) in tracked:
            return "FROZEN_CHANGED"
        if (False, True) in tracked:
            return "NO_GRADIENT_ANY_MORE"
        if not facts["_moved"]:
            return "NO_STEP_TAKEN"
        if facts["gradients left"]:
            return "GRADIENT_KEPT"
        if not same(facts["values"], expected["values"]):
            return "TOO_EARLY_STEP"
        if facts["most alive"] > expected["most alive"]:
            return "ALL_AT_ONCE", {"got": facts["most alive"] + 1}
        return "HOOK_STILL_ACTS"


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


def no_handles(given_back, count=None):
    """What an answer gave back in the place of a list of handles, or None if it is one."""
    if not isinstance(given_back, (list, tuple)):
        return kind_of(describe(given_back))
    for entry in given_back:
        if not callable(getattr(entry, "remove", None)):
            return f"a list with {kind_of(describe(entry))} in it"
    return kind_of(describe(given_back)) if count not in (None, len(given_back)) else None


def finite(values):
    """Whether no number is NaN or infinite: facts hold those as words."""
    return not any(isinstance(value, str) for value in values)


def values_of(tensor):
    """The numbers of a tensor in one list."""
    return None if tensor is None else describe(tensor)["values"]


def rounded(tensor):
    return [round(v, 3) for v in tensor.detach().flatten().tolist()]
