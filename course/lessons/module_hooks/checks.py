"""What the exercises of lesson 4 observe, and how their facts tell misconceptions apart."""

from copy import deepcopy

import torch
from torch import nn

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, describe_number, kind_of
from course.lessons.module_hooks.evidence import (
    after_relu,
    copied,
    gradients_of_the_sum,
    inputs_and_outputs,
    length_of,
    names_a_closed_module,
    not_a_tensor,
    numbers_or_same,
    quoted,
    scaled,
    tracked,
)
from course.lessons.module_hooks.nets import (
    Add,
    Numbered,
    Repeat,
    Residual,
    Skip,
    Stop,
    count_forward,
    follow,
    global_hooks_end_here,
    grow,
    hooks_on,
    line,
    linear,
    named,
    numbers_of,
    weight_gradients,
    with_a_shared_layer,
)
from course.lessons.module_hooks.reasons import REASONS

__all__ = ["REASONS"]

WORDS = ("net in", "inner in", "inner out", "net out", "net back pre", "inner back", "net back")


class hook_order(Exercise):
    cases = (
        Case("the first four words", 2, part=slice(0, 4)),
        Case("all words after them", 2, hidden=True, part=slice(4, None)),
    )
    hints = (
        "The network comes first and last: it is entered before its layers and left after them. "
        "That holds for backward as well.",
        "The backward pre-hook of `net` runs when the gradient of its output is there, the "
        "backward hook when that of its input is there.",
        "`net.forward(x)` calls no hook of `net`. But it calls `inner(x)`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        words = describe(answer())
        if type(words) is not list:
            return {"kind": kind_of(words)}
        return {"words": words[given["part"]], "_all": words}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        words = facts["_all"]
        for word in words:
            if word not in WORDS:
                return "NOT_A_LABEL", {"got": f'"{word}"' if type(word) is str else kind_of(word)}

        def before(one, other):
            return one in words and other in words and words.index(one) < words.index(other)

        if words[:4] == ["inner out", "net out", "net in", "inner in"]:
            return "MODULE_REGISTRATION_ORDER"
        if before("inner in", "net in"):
            return "CHILD_ENTERED_FIRST"
        if before("net out", "inner out"):
            return "PARENT_LEFT_FIRST"
        if before("net back", "inner back"):
            return "PARENT_BACK_FIRST"
        if any(words.count(word) > 1 for word in WORDS if word.startswith("net")):
            return "FORWARD_CALLS_HOOKS"
        if words == expected["_all"][: len(words)]:
            return "LAYER_HOOKS_STAY"
        return None


class call_counts(Exercise):
    cases = (
        Case("a layer that is never called", 1, net="skip"),
        Case("a layer that is called several times", 1, net="repeat"),
        Case("blocks in blocks, and a hook of somebody else", 2, hidden=True, net="blocks"),
    )
    hints = (
        "Begin with a 0 for each path of `net.named_modules()`.",
        "A forward hook is called for each call of its module. Let it add 1.",
        "Keep the path of each hook: `def count(module, args, output, path=path)`. At the end "
        "call `remove()` of each handle.",
    )

    @staticmethod
    @global_hooks_end_here()
    def observe(answer, given, rng):
        net = {
            "skip": lambda: Skip(rng),
            "repeat": lambda: Repeat(rng, times=rng.choice([2, 3, 4])),
            "blocks": lambda: with_a_shared_layer(rng),
        }[given["net"]]()
        called, entered = [], []
        net.register_forward_hook(lambda *_: called.append("by a call"))
        count_forward(net, entered)
        before = hooks_on(net)
        counts = answer(net, floats(rng, 2, 3))
        left = hooks_on(net) - before
        if not isinstance(counts, dict):
            return {"kind": kind_of(describe(counts))}
        return {
            "counts": {f"path {describe(path)}": describe_number(n) for path, n in counts.items()},
            "hooks": left,
            "called": len(called),
            "entered": len(entered),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        counts, right = facts["counts"], expected["counts"]
        missing = [path.removeprefix("path ") for path in right if path not in counts]
        if missing:
            return "PATHS_MISSING", {"names": quoted(missing)}
        if facts["hooks"] < 0:
            return "OTHERS_MODULE_HOOKS_GONE"
        if facts["hooks"]:
            return "MODULE_HOOKS_LEFT", {"count": facts["hooks"]}
        not_counts = [count for count in counts.values() if type(count) not in (int, float)]
        if not_counts:
            return "NOT_A_COUNT", {"got": kind_of(not_counts[0])}
        if facts["entered"] > 1:
            return "NETWORK_CALLED_AGAIN"
        if facts["entered"] == 0:
            return "NETWORK_NOT_CALLED"
        if facts["called"] == 0:
            return "FORWARD_CALLED_DIRECTLY"
        more = [path.removeprefix("path ") for path in counts if path not in right]
        if more:
            return "PATHS_TOO_MANY", {"names": quoted(more)}
        differ = [path for path in right if counts[path] != right[path]]
        if any(right[path] > 1 and counts[path] == 1 for path in differ):
            return "REPEATED_CALL_LOST"
        if sum(counts.values()) == sum(right.values()):
            return "LATE_PATH"
        if any(right[path] == 0 for path in differ):
            return "UNUSED_COUNTED"
        if any(counts[path] < right[path] for path in differ):
            return "CALL_NOT_SEEN"
        return "CALL_COUNTED_AGAIN"  # nothing else is left in the facts


class parents(Exercise):
    cases = (
        Case("the log of the text", 1, tree={"net": {"block": {"fc": {}}, "head": {}}}),
        Case(
            "a deeper network, called twice",
            1,
            tree={"net": {"stem": {}, "body": {"left": {"conv": {}, "act": {}}, "right": {}}}},
            calls=2,
        ),
        Case("names with spaces", 1, hidden=True, tree={"my net": {"in block": {"the  out": {}}}}),
        Case("another network", 2, hidden=True, tree=None, first=2),
    )
    hints = (
        'Go through the log and remember which modules are open: "in" opens one, "out" closes it.',
        "The caller of a module is the one that was opened last and is still open.",
        'A list works: `append` at an "in", `pop` at an "out". `entry.split(\' \', 1)` splits at '
        "the first space only.",
    )

    @staticmethod
    def observe(answer, given, rng):
        tree = given["tree"] or grow(rng)
        log = follow(tree, given.get("calls", 1), given.get("first", 1))
        callers = describe(answer(list(log)))
        if not isinstance(callers, dict) or "kind" in callers or "tensor" in callers:
            return {"kind": kind_of(callers)}
        return {
            "callers": {f"of {name}": caller for name, caller in callers.items()},
            "_log": log,
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        callers, right = facts["callers"], expected["callers"]
        if any(isinstance(caller, list) for caller in callers.values()):
            return "CALLEES_NOT_CALLERS"
        missing = [name.removeprefix("of ") for name in right if name not in callers]
        if missing:
            return "NAMES_CUT", {"names": quoted(missing)}
        differ = [name for name in right if callers[name] != right[name]]
        if set(callers) == set(right) and not any(right[name] for name in differ):
            return "OUTSIDE_IS_NONE"
        called = [callers[name] for name in right if right[name]]
        if called[0] and all(caller == called[0] for caller in called):
            return "LOG_FLAT"
        if set(callers) != set(right):
            return None
        closed = names_a_closed_module(callers, facts["_log"])
        return "CLOSED_MODULE_CALLS" if closed else "NOT_THE_LAST_OPENED"


class logged_prediction(Exercise):
    cases = (
        Case("a hook that writes a log", 1, hook="log", training=False),
        Case("a pre-hook that changes the input", 1, hook="input", training=False),
        Case("a hook that changes the output, a net in training", 1, True, hook="output"),
        Case("a frozen parameter, and a call under no_grad", 1, True, hook="output", frozen=True),
    )
    hints = (
        "Two ways lead to the result: `net.forward(x)` and `net(x)`. Which one calls hooks?",
        "`net(x)` calls the pre-hooks, forward, and the forward hooks.",
    )

    @staticmethod
    def observe(answer, given, rng):
        inner = line(rng, 3, 3)
        net = nn.Sequential(inner, nn.Dropout(0.5)).train(given.get("training", True))
        calls, modes, tracked, shift = [], [], [], floats(rng, 3)

        def note(module, args, output):
            modes.append(module.training)
            tracked.append(output.requires_grad)

        inner.register_forward_hook(note)
        net.register_forward_hook(lambda *_: calls.append("net"))
        if given["hook"] == "input":
            net.register_forward_pre_hook(lambda module, args: (args[0] + shift,))
        if given["hook"] == "output":
            net.register_forward_hook(lambda m, args, kw, output: output + shift, with_kwargs=True)
        x = floats(rng, 2, 3)
        if given.get("frozen"):
            inner.a.bias.requires_grad_(False)
            x.requires_grad_()
        hooks, grad_modes = hooks_on(net), []
        y = answer(net, x)
        grad_modes.append(torch.is_grad_enabled())
        if given.get("frozen"):
            with torch.no_grad():
                answer(net, x)
                grad_modes.append(torch.is_grad_enabled())
        facts = describe(y)
        if not isinstance(facts, dict) or "tensor" not in facts:
            return {"kind": kind_of(facts)}
        return {
            "output": facts,
            "calls": calls,
            "history": y.requires_grad or any(tracked),
            "hooks": hooks_on(net) - hooks,
            "grad modes": grad_modes,
            "requires grad": [t.requires_grad for t in (*net.parameters(), x)],
            "training": [bool(m) for m in modes] + [net.training, inner.training],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if not facts["calls"]:
            return "FORWARD_CALLED_DIRECTLY"
        if any(len(facts[key]) > len(expected[key]) for key in ("calls", "training")):
            return "NETWORK_CALLED_AGAIN"
        if facts["history"]:
            return "GRAPH_RECORDED"
        if facts["training"] != expected["training"]:
            return "MODE_CHANGED"
        if facts["hooks"] < 0:
            return "OTHERS_MODULE_HOOKS_GONE"
        if facts["grad modes"] != expected["grad modes"]:
            return "GRAD_MODE_CHANGED"
        if facts["requires grad"] != expected["requires grad"]:
            return "REQUIRES_GRAD_CHANGED"
        return None


class keep_output(Exercise):
    cases = (
        Case("a ReLU that works in place follows", 2, sizes=(3, 4), calls=1),
        Case("a deeper network, several calls", 1, hidden=True, sizes=(2, 3, 4), calls=2),
        Case("another kind of layer", 1, hidden=True, sizes=(2, 3), calls=2, numbered=True),
    )
    hints = (
        "`output.detach()` and `output` share their memory. What happens when the next layer works "
        "in place?",
        "Keep a copy: `clone()`.",
    )

    @staticmethod
    @global_hooks_end_here()
    def observe(answer, given, rng):
        layers = []
        for i, o in zip(given["sizes"], given["sizes"][1:], strict=False):
            layers += [linear(rng, i, o), nn.ReLU(inplace=True)]
        shape = [4, given["sizes"][0]]
        if given.get("numbered"):
            layers += [Numbered(rng), nn.ReLU(inplace=True)]
            shape = [2, *shape]
        net = nn.Sequential(*layers)
        twin = deepcopy(net)  # on which no hook of the answer is
        xs = [floats(rng, *shape) for _ in range(given["calls"])]
        somebody, tracked = [], []
        net[-2].register_forward_hook(lambda *_: somebody.append("called"))
        kept = answer(net[-2])
        outputs = []
        for x in xs:
            y = net(x)
            outputs.append(numbers_of(y))
            (y * y).sum().backward()
        if given["calls"] > 1:
            with torch.no_grad():
                y = net(xs[-1])
                tracked = [y.requires_grad, torch.is_grad_enabled()]
            outputs.append(numbers_of(y))
            xs.append(xs[-1])
        inputs, made = inputs_and_outputs(twin, twin[-2], xs)
        if not isinstance(kept, list):
            return {"kind": kind_of(describe(kept))}
        if not_a_tensor(kept):
            return {"not a tensor": not_a_tensor(kept)}
        return {
            "kept": [numbers_of(t) for t in kept],
            "history": any(t.grad_fn is not None for t in kept),
            "somebody": len(somebody) > 0,
            "outputs": outputs,
            "tracked": tracked,
            "gradients": weight_gradients(net),
            "_overwritten": [numbers_of(t.clamp(min=0)) for t in made],
            "_inputs": [numbers_of(t) for t in inputs],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if "not a tensor" in facts:
            return "KEPT_NOT_TENSORS", {"got": facts["not a tensor"]}
        if facts["tracked"][1:] != expected["tracked"][1:]:
            return "GRAD_MODE_CHANGED"
        if any(facts[key] != expected[key] for key in ("outputs", "gradients", "tracked")):
            return "NETWORK_CHANGED"
        if len(facts["kept"]) != len(expected["kept"]):
            return "FEATURES_MISSING", {"got": len(facts["kept"])}
        if facts["kept"] == facts["_overwritten"]:
            return "FEATURES_OVERWRITTEN"
        if facts["kept"] == facts["_inputs"]:
            return "FEATURES_OF_THE_INPUT"
        if facts["history"]:
            return "FEATURES_ATTACHED"
        if not facts["somebody"]:
            return "OTHERS_MODULE_HOOKS_GONE"
        return None


class scaled_back(Exercise):
    cases = (
        Case("a batch of several", 1, rows=4, inputs="one"),
        Case("a batch of one", 1, rows=1, inputs="one"),
        Case("three inputs that are added", 2, hidden=True, rows=3, inputs="three"),
        Case("an input that is a number", 1, hidden=True, rows=2, inputs="number"),
    )
    hints = (
        "What a full backward hook gives back is a tuple, like `grad_input`.",
        "It has one element for each input of forward.",
        "Go through all of `grad_input`. Leave None as it is.",
    )

    @staticmethod
    def observe(answer, given, rng):
        factor = rng.choice([-1.5, 2.5, 3.5])
        module = Add(rng)
        x, y, z = (floats(rng, given["rows"], 3).requires_grad_() for _ in range(3))
        args = {"one": (x,), "three": (x, y, z), "number": (2.0, x)}[given["inputs"]]
        weights, arrived, nones = floats(rng, given["rows"], 3), [], []

        def backward():
            x.grad = y.grad = z.grad = module.weight.grad = None
            (module(*args) * weights).sum().backward()
            grads = {"x": x.grad, "y": y.grad, "z": z.grad, "weight": module.weight.grad}
            return {name: None if g is None else numbers_of(g) for name, g in grads.items()}

        if given["inputs"] != "one":
            module.register_full_backward_hook(
                lambda m, grad_input, _: arrived.append([(g, copied(g)) for g in grad_input])
            )
        plain = backward()
        handle = answer(module, factor)
        if not callable(getattr(handle, "remove", None)):
            return {"kind": kind_of(describe(handle))}
        if given["inputs"] != "one":
            module.register_full_backward_hook(
                lambda m, grad_input, _: nones.append([grad is None for grad in grad_input])
            )
        error, grads, again = None, plain, plain
        try:
            grads, again = backward(), backward()
        except RuntimeError as raised:
            if "invalid number" not in str(raised) and "size of value" not in str(raised):
                raise
            error = f"RuntimeError: {raised}"
        handle.remove()
        return {
            "error": error,
            "gradients": grads,
            "again": again,
            "after remove": backward(),
            "nones": nones,
            "somebody": len(arrived),
            "_plain": plain,
            "_edited": any(g is not None and not g.equal(old) for gs in arrived for g, old in gs),
            "_twice": scaled(plain["x"], factor**2),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "NO_MODULE_HANDLE")
        if facts["error"]:
            return "NOT_A_TUPLE", {"error": facts["error"].rstrip(".")}
        got, right, plain = facts["gradients"], expected["gradients"], facts["_plain"]
        if got["weight"] != right["weight"]:
            return "OWN_WEIGHTS_CHANGED"
        if got == plain:
            return "GRADIENT_UNCHANGED"
        if got == right:
            return scaled_back.aside(facts, expected)
        if facts["_edited"] and got["x"] == facts["_twice"]:
            return "GRADIENT_EDITED"
        inputs = [name for name in "xyz" if right[name] is not None]
        if any(got[name] == right[name] for name in inputs):
            return "INPUTS_FORGOTTEN"
        return None

    @staticmethod
    def aside(facts, expected):
        """What is wrong where the gradients of the first backward are right."""
        if facts["after remove"] != expected["after remove"]:
            return "MODULE_HOOK_NOT_REMOVED"
        if facts["again"] != expected["again"]:
            return "WORKS_ONCE"
        if facts["somebody"] < expected["somebody"]:
            return "OTHERS_MODULE_HOOKS_GONE"
        return "NONE_REPLACED"  # nothing else is left in the facts


def norms_seen(net, layer, x, scale):
    """The norm of the gradient at the layer's output, and those that a mistaken hook would see."""
    seen = {}

    def look(module, args, output):
        seen["entered"], seen["made"] = args[0].detach().clone(), output.detach().clone()
        if args[0].requires_grad:
            args[0].register_hook(lambda grad: seen.update(input=grad))
        output.register_hook(lambda grad: seen.update(right=grad))

    with layer.register_forward_hook(look):
        (net(x) * scale).sum().backward()
    entered = seen["entered"].requires_grad_()
    own = [p for p in layer.parameters() if p.requires_grad]
    alone, *parameters = torch.autograd.grad(layer(entered), [entered, *own], seen["right"])
    grads = {name: seen.get(name) for name in ("right", "made", "input")} | {"alone": alone}
    grads |= {f"parameter {i}": grad for i, grad in enumerate(parameters)}
    return {name: round(grad.norm().item(), 3) for name, grad in grads.items() if grad is not None}


def telling_gradients(rng, net, layer, tracked, earlier):
    """An input, factors for what the net makes of it, and the norms, by name, that a hook can see.

    The right one is not that of an earlier backward, and no other norm looks like it.
    """
    while True:
        x, scale = floats(rng, 2, 3).requires_grad_(tracked), floats(rng, 2, 3)
        norms = norms_seen(net, layer, x, scale)
        x.grad = None
        right, others = norms["right"], [n for name, n in norms.items() if name != "right"]
        apart = all(abs(right - other) > 0.01 * right for other in [*others, *earlier])
        if apart and norms["made"] != norms.get("input"):
            return x, scale, norms


class watch_gradient(Exercise):
    cases = (
        Case("a ReLU that works in place follows", 1, net="relu"),
        Case("two backwards", 1, net="relu", backwards=2),
        Case("the first layer of a network, on plain data", 1, net="first", data=True),
        Case("an input that is added in place", 1, hidden=True, net="residual"),
        Case("first a forward without a gradient", 1, hidden=True, net="frozen", first=True),
    )
    hints = (
        "A full backward hook puts a node behind the output, and that forbids in-place changes. "
        "Which other hook sees the output?",
        "A forward hook gets `module, args, output`. In it, `output.register_hook(…)` puts a hook "
        "on the tensor.",
        "Ask `output.requires_grad` first.",
    )

    @staticmethod
    def network(kind, rng):
        """A net, and the layer in it that is watched."""
        layer = nn.LeakyReLU(0.5) if kind == "residual" else linear(rng, 3, 3)
        if kind == "residual":
            return Residual(layer), layer
        before = [] if kind == "first" else [linear(rng, 3, 3)]
        return nn.Sequential(*before, layer, nn.ReLU(inplace=True)), layer

    @staticmethod
    def observe(answer, given, rng):
        net, layer = watch_gradient.network(given["net"], rng)
        twin, twin_layer = deepcopy((net, layer))  # on which no hook of the answer is
        norms = answer(layer)
        if not isinstance(norms, list):
            return {"kind": kind_of(describe(norms))}
        error, outputs, inputs, seen, tracked = None, [], [], [], False
        try:
            if given.get("first"):
                tracked = tracks_without_gradient(net, floats(rng, 2, 3))
            if given["net"] == "frozen":
                layer.requires_grad_(False)
                twin_layer.requires_grad_(False)
            for _ in range(given.get("backwards", 1)):
                earlier = [norms["right"] for norms in seen]
                x, scale, telling = telling_gradients(
                    rng, twin, twin_layer, not given.get("data"), earlier
                )
                y = net(x)
                outputs.append(numbers_of(y))
                (y * scale).sum().backward()
                inputs.append(None if x.grad is None else numbers_of(x.grad))
                seen.append(telling)
        except RuntimeError as raised:
            error = str(raised).split(". ")[0].rstrip(".")
            if "modified inplace" not in error and "leaf Variable that requires grad" not in error:
                raise
        said = describe(norms)
        return {
            "error": error,
            "norms": [round(n, 3) if type(n) is float else n for n in said],
            "outputs": outputs,
            "tracked": tracked,
            "gradients": [weight_gradients(net), inputs],
            "_seen": {name: [norms[name] for norms in seen] for name in (seen or [{}])[0]},
            "_only the output asks": given["net"] != "relu",
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["error"]:
            made_leaf = "leaf Variable" in facts["error"]
            code = "OUTPUT_MADE_A_LEAF" if made_leaf else "STOPPED_IN_PLACE"
            return code, {"error": f"RuntimeError: {facts['error']}"}
        if any(facts[key] != expected[key] for key in ("outputs", "tracked", "gradients")):
            return "NETWORK_CHANGED"
        norms, right, seen = facts["norms"], expected["norms"], facts["_seen"]
        if not norms:
            return "OUTPUT_NOT_ASKED" if facts["_only the output asks"] else "RECORD_EMPTY"
        if any(type(norm) is not float for norm in norms):
            got = next(norm for norm in norms if type(norm) is not float)
            return "RECORDS_TENSORS", {"got": kind_of(got)}
        others = {
            "INPUT_GRADIENT_SEEN": ("input", "alone"),
            "NORM_OF_THE_OUTPUT": ("made",),
            "PARAMETER_GRADIENT_SEEN": [name for name in seen if name.startswith("parameter")],
        }
        for code, names in others.items():
            if any(norms[-len(seen[name]) :] == seen[name] for name in names if name in seen):
                return code
        if len(norms) < len(right) and norms == right[: len(norms)]:
            return "WORKS_ONCE"
        if len(norms) < len(right) and norms == right[-len(norms) :]:
            return "ONLY_THE_LAST_BACKWARD", {"got": len(norms)}
        return None


class scale_inputs(Exercise):
    cases = (
        Case("inputs by position", 1, args=2, names=()),
        Case("inputs by keyword", 1, args=1, names=("bias",)),
        Case("inputs that are not tensors", 2, hidden=True, args=1, names=("bias",), plain=True),
        Case("all by keyword", 1, hidden=True, args=0, names=("a", "b")),
    )
    hints = (
        "`register_forward_pre_hook` has the option `with_kwargs=True`.",
        "The hook is then called with `module, args, kwargs` and gives back both: "
        "`return args, kwargs`.",
        "Make a new tuple and a new dict, in which tensors are multiplied and all else is as "
        "before.",
    )

    @staticmethod
    def observe(answer, given, rng):
        factor, received = float(rng.choice([2, 5, 10])), []

        class Receiver(nn.Module):
            def forward(self, *args, **kwargs):
                received.append((args, kwargs))

        module = Receiver()
        leaves = [floats(rng, 2).requires_grad_() for _ in range(given["args"])]
        args = [leaf * 1 for leaf in leaves]
        kwargs = {name: floats(rng, 3) for name in given["names"]}
        if not args:
            kwargs["b"] = nn.Parameter(kwargs["b"])
            leaves.append(kwargs["b"])
        before = [tensor.detach().clone() for tensor in (*args, *kwargs.values())]
        plain = {"mode": "fast", "power": 3, "mask": None} if given.get("plain") else {}
        positions = list(args)
        if plain:
            number = rng.choice([4, 6])
            positions = [number, *args, torch.tensor([number, 1])]
        handle = answer(module, factor)
        if not callable(getattr(handle, "remove", None)):
            return {"kind": kind_of(describe(handle))}
        for _ in range(2):
            module(*positions, **kwargs, **plain)
        handle.remove()
        module(*positions, **kwargs, **plain)
        seen = [
            {
                "args": [numbers_of(value) for value in got if torch.is_tensor(value)],
                "kwargs": {name: numbers_or_same(named.get(name)) for name in kwargs},
                "plain": describe(
                    [[v for v in got if not torch.is_tensor(v)], {n: named.get(n) for n in plain}]
                ),
                "names": sorted(named),
                "places": [torch.is_tensor(value) for value in got],
                "tracked": [tracked(value) for value in (*got, *named.values())],
                "gradients": gradients_of_the_sum([*got, *named.values()], leaves),
            }
            for got, named in received
        ]
        now = [*args, *kwargs.values()]
        same = all(torch.equal(old, new) for old, new in zip(before, now, strict=True))
        keys = ("seen", "again", "after remove")
        return {**dict(zip(keys, seen, strict=False)), "caller unchanged": same}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "NO_MODULE_HANDLE")
        if not facts["caller unchanged"]:
            return "CALLERS_TENSOR_CHANGED"
        seen, right = facts["seen"], expected["seen"]
        if seen["args"] != right["args"]:
            return "POSITIONS_NOT_SCALED"
        if seen["kwargs"] != right["kwargs"]:
            return "KEYWORDS_NOT_SCALED"
        if seen["plain"] != right["plain"] or set(seen["names"]) < set(right["names"]):
            return "NON_TENSORS_CHANGED"
        if any(seen[key] != right[key] for key in ("names", "places")):
            return None
        if any(seen[key] != right[key] for key in ("tracked", "gradients")):
            return "HISTORY_CUT"
        if facts["again"] != expected["again"]:
            return "WORKS_ONCE"
        return "MODULE_HOOK_NOT_REMOVED"  # nothing else is left in the facts


class be_the_call(Exercise):
    cases = (
        Case("one hook before, one after", 1, before=("shift",), after=("scale",)),
        Case("hooks that only look", 1, before=("look",), after=("look",)),
        Case(
            "several hooks of each kind",
            2,
            hidden=True,
            before=("shift", "look", "swap"),
            after=("scale", "look", "scale"),
        ),
        Case(
            "one new input, not in a tuple",
            1,
            hidden=True,
            before=("shift", "empty", "look"),
            after=("look",),
        ),
        Case(
            "forward hooks that give back 0, a tuple, a list",
            1,
            hidden=True,
            before=(),
            after=("scale", "zero", "pair", "list"),
        ),
    )
    hints = (
        "`args` and `output` are variables. A hook that gives back something that is not None "
        "changes them.",
        "`isinstance(made, tuple)` tells a tuple of inputs from one new input.",
        "Ask `is not None`. The number 0 is a new output.",
    )

    @staticmethod
    def observe(answer, given, rng):
        net, calls, modules, k = nn.Identity(), [], [], rng.randint(2, 9)
        makes = {
            "shift": lambda args: tuple(arg + k for arg in args),
            "swap": lambda args: args[::-1],
            "empty": lambda args: [],
            "look": lambda value: None,
            "scale": lambda output: output * k,
            "zero": lambda output: 0,
            "pair": lambda output: (k, k + 1),
            "list": lambda output: [],
        }

        def pre_hook(kind):
            def hook(module, args):
                calls.append(["before", describe(args)])
                modules.append(module)
                return makes[kind](args)

            return hook

        def hook(kind):
            def hook(module, args, output):
                calls.append(["after", describe(args), describe(output)])
                modules.append(module)
                return makes[kind](output)

            return hook

        def forward(*args):
            calls.append(["forward", describe(args)])
            first, *rest = [sum(arg) if isinstance(arg, list) else arg for arg in args] or [0]
            return first - sum(rest)

        args = (rng.randint(10, 30), rng.randint(1, 9))
        args = args[:1] if "empty" in given["before"] else args
        pre_hooks, hooks = map(pre_hook, given["before"]), map(hook, given["after"])
        lists = list(pre_hooks), list(hooks)
        output = answer(net, forward, *lists, args)
        calls_seen = list(calls)
        return {
            "output": describe(output),
            "calls": calls_seen,
            "module": all(module is net for module in modules),
            "hooks": [len(hooks) for hooks in lists],
            "_kinds": [*given["before"], "forward", *given["after"]],
            "_returns nothing": output is None and answer(net, forward, [], [], args) is None,
        }

    @staticmethod
    def diagnose(facts, expected):
        calls, right = facts["calls"], expected["calls"]
        runs = [call for call in calls if call[0] == "forward"]
        if len(runs) != 1:
            return "FORWARD_NOT_ONCE", {"got": len(runs)}
        if len(calls) > len(right):
            most = max(sum(c[0] == kind for c in calls) for kind in ("before", "after"))
            return "CALLED_AGAIN", {"got": most}
        if not facts["module"]:
            return "MODULE_NOT_HANDED_ON"
        if facts["_returns nothing"]:
            return "RETURNS_NONE"
        if facts["hooks"] != expected["hooks"]:
            return "HOOKS_USED_UP"
        steps = [*calls, ["the end", facts["output"]]]
        wanted = [*right, ["the end", expected["output"]]]
        if [step[0] for step in steps] != [step[0] for step in wanted]:
            return None
        turn = next((i for i, step in enumerate(steps) if step != wanted[i]), 0)
        return be_the_call.first_difference(steps, wanted, turn, facts["_kinds"])

    @staticmethod
    def first_difference(steps, wanted, turn, kinds):
        """Why a hook, forward or the end got something else than what the one before it made."""
        if turn == 0:
            return None
        step, before, kind = steps[turn], wanted[turn - 1], kinds[turn - 1]
        if step[0] == "after" and step[1] != wanted[turn][1]:
            return "EACH_HOOK_SEES_THE_FIRST"
        if kind == "look" and step[-1] in (None, [None]):
            return "NONE_REPLACES"
        if kind in ("empty", "zero", "list") and step[-1] == before[-1]:
            return "ZERO_TAKEN_FOR_NONE"
        if kind == "empty":
            return "ONE_INPUT_UNPACKED"
        if step[0] == "forward":
            return "FORWARD_GETS_OTHERS"
        if step[0] == "the end" or kind in ("pair", "list"):
            return None if kind in ("look", "forward") else "NEW_OUTPUT_LOST"
        return "NONE_REPLACES" if kind == "look" else "EACH_HOOK_SEES_THE_FIRST"


class features(Exercise):
    cases = (
        Case("two layers, two calls of the network", 2, net="line", paths=("a", "c")),
        Case("a path inside a block, and a layer that is not called", 1, net="skip"),
        Case("a ReLU that works in place, and gradients", 1, True, net="line", paths=("b", "a")),
        Case("other layers, and one layer under two paths", 1, True, net="shared"),
        Case("an error in the block", 2, True, net="line", paths=("c", "b"), error=True),
        Case("a path that does not exist", 1, True, net="line", paths=("a", "nobody")),
    )
    hints = (
        "Make the dict first, with an empty list for each path. Then register one forward hook for "
        "each path and keep the handles.",
        "What comes after `yield` in a `finally:` part, or in `__exit__`, runs also after an "
        "error. An ExitStack does it for you.",
        "Keep `output.detach().clone()`, and the path of each hook: `path=path`.",
    )

    @staticmethod
    @global_hooks_end_here()
    def observe(answer, given, rng):
        shape, one = [2, 3], Numbered(rng)
        if given["net"] == "line":
            net, paths = line(rng, 3, 4, 4, 2), list(given["paths"])
        elif given["net"] == "skip":
            net, paths = named(block=Skip(rng), act=nn.Tanh()), ["block.used", "block.unused"]
        else:
            net = named(one=one, relu=nn.ReLU(inplace=True), block=Repeat(rng, 2), again=one)
            paths, shape = ["one", "block", "again"], [2, *shape]
        twin = deepcopy(net)  # on which no hook of the answer is
        somebody, tracked, stop = [], [], Stop()
        for module in net.modules():
            module.register_forward_hook(lambda *_: somebody.append("called"))
        before = hooks_on(net)
        xs = [floats(rng, *shape) for _ in range(2)]
        error = raised = during = kept = None
        try:
            context = answer(net, paths)
            if not hasattr(type(context), "__enter__") or not hasattr(type(context), "__exit__"):
                return {"kind": kind_of(describe(context)), "_what": "context"}
            with context as kept:
                if not isinstance(kept, dict):
                    return {"kind": kind_of(describe(kept)), "_what": "dict"}
                for x in xs:
                    y = net(x)
                    (y * y).sum().backward()
                with torch.no_grad():
                    y = net(xs[-1])
                    tracked = [y.requires_grad, torch.is_grad_enabled()]
                during = {path: length_of(kept.get(path)) for path in paths}
                if given.get("error"):
                    raise stop
        except (Stop, AttributeError) as came:
            if isinstance(came, AttributeError) and "nobody" not in paths:
                raise
            raised, error = came, type(came).__name__
        left = hooks_on(net) - before
        with torch.no_grad():
            output = numbers_of(net(xs[0]))
        lists = {} if kept is None else {p: v for p, v in kept.items() if isinstance(v, list)}
        tensors = [t for some in lists.values() for t in some if isinstance(t, torch.Tensor)]
        return {
            "kept": {f"path {p}": [numbers_or_same(t) for t in v] for p, v in lists.items()},
            "during": during,
            "training": net.training,
            "tracked": tracked,
            "error": error,
            "same error": raised is stop,
            "hooks left": left,
            "history": any(t.grad_fn is not None for t in tensors),
            "output": output,
            "gradients": weight_gradients(net),
            "somebody": len(somebody),
            "_after relu": after_relu(twin, [*xs, xs[-1]], paths),
            "_not a tensor": not_a_tensor([t for some in lists.values() for t in some]),
            "_total": sum(map(len, lists.values())),
            "_no list": [
                kind_of(describe(kept[p])) for p in paths if p in (kept or {}) and p not in lists
            ],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            if facts["_what"] == "context":
                return wrong_kind(facts["kind"], "NOT_A_CONTEXT")
            return "NOT_A_DICT", {"got": facts["kind"]}
        if any(facts[key] != expected[key] for key in ("error", "same error")):
            wrong_path = expected["error"] == "AttributeError"
            return "WRONG_PATH_ACCEPTED" if wrong_path else "BLOCK_ERROR_SWALLOWED"
        if facts["hooks left"] > 0:
            after_error = facts["error"] is not None
            return ("MODULE_HOOKS_LEFT_AFTER_ERROR" if after_error else "MODULE_HOOKS_LEFT"), {
                "count": facts["hooks left"]
            }
        if facts["hooks left"] < 0:
            return "OTHERS_MODULE_HOOKS_GONE"
        kept, right = facts["kept"], expected["kept"]
        if facts["_no list"]:
            return "KEPT_NO_LIST", {"got": facts["_no list"][0]}
        missing = [path.removeprefix("path ") for path in right if path not in kept]
        if missing:
            return "PATHS_MISSING", {"names": quoted(missing)}
        if facts["tracked"][1:] != expected["tracked"][1:]:
            return "GRAD_MODE_CHANGED"
        if any(facts[key] != expected[key] for key in ("gradients", "training", "tracked")):
            return "NETWORK_CHANGED"
        if facts["_not a tensor"]:
            return "KEPT_NOT_TENSORS", {"got": facts["_not a tensor"]}
        lengths = {path: len(values) for path, values in kept.items()}
        if lengths != {path: len(values) for path, values in right.items()}:
            if facts["_total"] == expected["_total"]:
                return "LATE_PATH"
            return "FEATURES_MISSING", {"got": facts["_total"]}
        if kept != right and kept == facts["_after relu"]:
            return "FEATURES_OVERWRITTEN"
        if facts["history"]:
            return "FEATURES_ATTACHED"
        if kept == right and facts["during"] != expected["during"]:
            return "KEPT_TOO_LATE"
        return None


def tracks_without_gradient(net, x):
    """Run a net under no_grad, then with frozen parameters. Is its output tracked?"""
    with torch.no_grad():
        outputs = [net(x)]
    net.requires_grad_(False)
    outputs.append(net(x))
    net.requires_grad_(True)
    return any(output.requires_grad for output in outputs)
