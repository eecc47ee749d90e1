"""What the exercises of lesson 3 observe, and how their facts tell misconceptions apart."""

import torch

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, kind_of, same
from course.lessons.tensor_hooks.reasons import REASONS

__all__ = ["REASONS"]


class firing_order(Exercise):
    cases = (
        Case("the first three words", 2, part=slice(0, 3)),
        Case("all words after them", 2, hidden=True, part=slice(3, None)),
    )
    hints = (
        "Backward starts at `y`. Which tensors does it reach next?",
        "Two hooks on one tensor are called in the order of their registration.",
        "`x` is used twice. PyTorch adds up first and then calls the hook of `x`, once. A hook on "
        "a leaf is still there in the next backward.",
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
            if word not in ("y", "h one", "h two", "x", "x stored"):
                return "NOT_A_LABEL", {"got": f'"{word}"' if type(word) is str else kind_of(word)}
        if words[:4] in (["x stored", "x", "h one", "y"], ["x", "h one", "y", "h two"]):
            return "REGISTRATION_ORDER"
        if words and words[0].startswith("x"):
            return "FORWARD_ORDER"
        if "h two" in words and "h one" in words[words.index("h two") :]:
            return "HOOKS_REVERSED"
        if ("x", "x") in zip(words, words[1:], strict=False):
            return "ONE_CALL_PER_USE"
        if "x" in words and "x stored" in words[: words.index("x")]:
            return "STORED_BEFORE_HOOK"
        if words == expected["_all"][: len(words)]:
            return "LEAF_HOOK_STAYS"
        return None


class scale_gradient(Exercise):
    cases = (
        Case("a leaf", 1, leaf=True, backwards=1, factors=(3, 5, 7, 11)),
        Case("a result that is added to another", 1, leaf=False, backwards=1, factors=(3, 5, 7)),
        Case(
            "two backwards, another factor",
            2,
            hidden=True,
            leaf=False,
            backwards=2,
            factors=(-0.5, -1.5, -2.5),
        ),
    )
    hints = (
        "`t.register_hook(function)` calls the function with the gradient of `t`.",
        "What the function returns takes the place of the gradient.",
        "`register_hook` itself gives back the handle.",
    )

    @staticmethod
    def observe(answer, given, rng):
        factor = float(rng.choice(given["factors"]))
        pair = Pair(rng, leaf=given["leaf"])
        handle = answer(pair.t, factor)
        if not callable(getattr(handle, "remove", None)):
            return {"kind": kind_of(describe(handle))}
        facts = pair.backward(given["backwards"])
        handle.remove()
        return facts | {"after remove": pair.backward(1)["t"]}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return "NO_HANDLE", {"got": facts["kind"]}
        if facts["error"]:
            return "EDITED_IN_PLACE", {"error": facts["error"]}
        if facts["s"] != expected["s"]:
            return "NEIGHBOUR_CHANGED"
        if facts["t"] == facts["_plain"]:
            return "GRADIENT_UNCHANGED"
        if facts["t"] == expected["t"]:
            return "HOOK_NOT_REMOVED"
        return None


class be_the_engine(Exercise):
    cases = (
        Case("two hooks that change", 1, kinds=("shift", "scale")),
        Case("a hook that only looks", 1, kinds=("shift", "look", "scale")),
        Case("no hooks", 1, hidden=True, kinds=()),
        Case(
            "more hooks, one gives back zero",
            2,
            hidden=True,
            kinds=("look", "shift", "zero", "look", "shift"),
        ),
    )
    hints = (
        "Keep the gradient in a variable. Each hook is called with what the variable holds.",
        "When a hook gives back something that is not None, it becomes the new value.",
        "Add to `seen` before you call the hook.",
    )

    @staticmethod
    def observe(answer, given, rng):
        shift, scale, calls = floats(rng) + 10, floats(rng) + 4, []  # no 0 by accident
        does = {
            "shift": lambda grad: grad + shift,
            "scale": lambda grad: grad * scale,
            "look": lambda grad: None,
            "zero": torch.zeros_like,
        }

        def watched(index, function):
            def hook(grad):
                calls.append(index)
                return function(grad)

            return hook

        hooks = [watched(i, does[kind]) for i, kind in enumerate(given["kinds"])]
        arrived = floats(rng)
        before = arrived.item()
        got = describe(answer(arrived, hooks))
        if type(got) is not list or len(got) != 2 or type(got[0]) is not list:
            return {"kind": kind_of(got)}
        seen, result = got
        return {
            "seen": [plain(item) for item in seen],
            "result": plain(result),
            "calls": calls,
            "arrived gradient kept": arrived.item() == before,
            "_None": None in seen or result is None,
            "_most calls": max((calls.count(i) for i in calls), default=0),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "NOT_A_PAIR")
        if facts["_most calls"] > 1:
            return "CALLED_AGAIN", {"got": facts["_most calls"]}
        if facts["_None"]:
            return "NONE_HANDED_ON"
        if not facts["arrived gradient kept"]:
            return "ARRIVED_EDITED"
        if len(facts["seen"]) > 1 and all(item == facts["seen"][0] for item in facts["seen"]):
            return "EACH_SEES_THE_FIRST"
        if facts["calls"] != expected["calls"]:
            return None
        if 0.0 in expected["seen"] and 0.0 not in facts["seen"]:
            return "ZERO_TAKEN_FOR_NONE"
        return None


class norm_log(Exercise):
    cases = (
        Case("one backward", 1, leaf=True, backwards=1, shape=(3,)),
        Case("a matrix, three backwards", 1, leaf=True, backwards=3, shape=(2, 3)),
        Case(
            "the result of an operation, two backwards",
            2,
            hidden=True,
            leaf=False,
            backwards=2,
            shape=(3, 2),
        ),
    )
    hints = (
        "Make a list, make a function that adds to it, register the function, give back the list.",
        "The function is called with the gradient. It needs no `return`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        pair = Pair(rng, leaf=given["leaf"], shape=given["shape"])
        with torch.no_grad():  # longer than any gradient of a Pair: no norm is taken for another
            pair.t *= 16
        log = answer(pair.t)
        if not isinstance(log, list):
            return {"kind": kind_of(describe(log))}
        empty = not log
        facts = pair.backward(given["backwards"])
        return facts | {
            "log": describe(log),
            "empty at first": empty,
            "_norm of t": float(pair.t.detach().norm()),
            "_norm of the sum": float(sum(map(torch.tensor, facts["t"])).norm()),
            "_largest stretch": [largest_stretch(torch.tensor(grad)) for grad in facts["t"]],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        log = facts["log"]
        if not facts["empty at first"]:
            return "NOT_EMPTY_AT_FIRST"
        if not log:
            return "RECORD_EMPTY"
        for entry in log:
            if type(entry) not in (int, float):
                return "RECORDS_TENSORS", {"got": kind_of(entry)}
        if facts["error"]:
            return "EDITED_IN_PLACE", {"error": facts["error"]}
        if facts["s"] != expected["s"]:
            return "NEIGHBOUR_CHANGED"
        if facts["t"] != expected["t"]:
            return "RECORDING_CHANGES"
        if close(log[0], facts["_norm of t"]):
            return "NORM_OF_THE_TENSOR"
        if len(log) != len(expected["log"]):
            return "ONLY_THE_LAST_BACKWARD", {"got": len(log)}
        if len(log) > 1 and close(log[-1], facts["_norm of the sum"]):
            return "ACCUMULATED_SEEN"
        if same(log, facts["_largest stretch"]):
            return "NORM_OF_ANOTHER_KIND"
        return None


class gradient_sizes(Exercise):
    cases = (
        Case("a linear layer", 2, sizes=(3, 2), backwards=1),
        Case("several layers, two backwards", 2, hidden=True, sizes=(3, 3, 3, 1), backwards=2),
    )
    hints = (
        "Print the keys of the dict after a backward. Which name is it?",
        "All functions of the loop share the variable `name`, and it changes after they are made.",
        "A default value is taken when the function is made: `def record(grad, name=name)`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        sizes = given["sizes"]
        layers = [torch.nn.Linear(i, o) for i, o in zip(sizes, sizes[1:], strict=False)]
        net = layers[0] if len(layers) == 1 else torch.nn.Sequential(*layers)
        said = answer(net)
        for _ in range(given["backwards"]):
            net.zero_grad()
            net(floats(rng, 2, sizes[0])).square().sum().backward()
        if not isinstance(said, dict):
            return {"kind": kind_of(describe(said))}
        sizes = {key: plain(value) for key, value in describe(said).items()}
        return {
            "sizes": sizes,
            "gradients": [describe(p.grad) for p in net.parameters()],
            "_names": sorted(sizes),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if not facts["sizes"]:
            return "RECORD_EMPTY"
        if facts["_names"] != expected["_names"]:
            code = "LOOP_VARIABLE" if len(facts["_names"]) == 1 else "NAMES_DIFFER"
            return code, {"names": ", ".join(facts["_names"])}
        if facts["gradients"] != expected["gradients"]:
            return "RECORDING_CHANGES"
        return None


class only_positive(Exercise):
    cases = (
        Case("s + t", 2, loss="weighted"),
        Case("minus the sum of s + t", 1, loss="sum"),
        Case("three tensors, two backwards", 2, hidden=True, loss="three"),
    )
    hints = (
        "The sum hands the same gradient tensor to `s` and to `t`. Who edits it?",
        "Give back a new tensor and leave `grad` as it is.",
        "`grad.clamp(min=0)` makes a new tensor without negative numbers.",
    )

    @staticmethod
    def observe(answer, given, rng):
        pair = Pair(rng, leaf=False, loss=given["loss"])
        answer(pair.t)
        return pair.backward(2 if given["loss"] == "three" else 1)

    @staticmethod
    def diagnose(facts, expected):
        if facts["error"]:
            return "EDITED_IN_PLACE", {"error": facts["error"]}
        if facts["s"] != expected["s"]:
            return "NEIGHBOUR_CHANGED"
        if facts["t"] == facts["_plain"]:
            return "GRADIENT_UNCHANGED"
        if any(value < 0 for grad in facts["t"] for value in grad):
            return "NEGATIVE_LEFT"
        return None


class row_gradients(Exercise):
    cases = (
        Case("a row of a matrix", 2, shape=(3, 2), row=1, backwards=1),
        Case("two backwards", 1, shape=(2, 3), row=0, backwards=2),
        Case(
            "three dimensions, counted from the end", 1, True, shape=(4, 2, 2), row=-1, backwards=2
        ),
    )
    hints = (
        "`weight[row]` makes a new tensor. Is the loss computed from that one?",
        "Put the hook on `weight`, and take the row out of the gradient.",
    )

    @staticmethod
    def observe(answer, given, rng):
        weight, factors = floats(rng, *given["shape"]).requires_grad_(), []
        seen = answer(weight, given["row"])
        if not isinstance(seen, (list, tuple)):
            return {"kind": kind_of(describe(seen))}
        rows = []
        for _ in range(given["backwards"]):
            factors.append(floats(rng, *given["shape"]))
            (weight * factors[-1]).sum().backward()
            rows += describe(list(seen))[len(rows) :]
        return {
            "rows": rows,
            "weight.grad": describe(weight.grad),
            "_whole": [describe(factor) for factor in factors],
            "_sum": describe(sum(factors)[given["row"]]),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if not facts["rows"]:
            return "RECORD_EMPTY"
        if facts["rows"] == facts["_whole"]:
            return "WHOLE_GRADIENT"
        if facts["weight.grad"] != expected["weight.grad"]:
            return "RECORDING_CHANGES"
        if len(facts["rows"]) != len(expected["rows"]):
            return "ONLY_THE_LAST_BACKWARD", {"got": len(facts["rows"])}
        if len(facts["rows"]) > 1 and facts["rows"][-1] == facts["_sum"]:
            return "ACCUMULATED_SEEN"
        row, right = facts["rows"][0], expected["rows"][0]
        if not isinstance(row, dict) or "tensor" not in row:
            return "NOT_TENSORS", {"got": kind_of(row)}
        return ("WRONG_SHAPE", {"got": row["tensor"]}) if row["tensor"] != right["tensor"] else None


class train_and_log(Exercise):
    cases = (
        Case("three steps", 2, steps=3, own_hook=False),
        Case("one step", 1, steps=1, own_hook=False),
        Case("a weight that has a hook already", 2, hidden=True, steps=2, own_hook=True),
    )
    hints = (
        "Count the hooks: how many hang on the weight in the third step?",
        "Register once, before the loop, and remove the hook when the loop is done.",
        "`with weight.register_hook(…):` removes the hook at the end of the block.",
    )

    @staticmethod
    def observe(answer, given, rng):
        weight, calls = floats(rng, 3).requires_grad_(), []
        if given["own_hook"]:
            weight.register_hook(lambda grad: calls.append("own"))
        log = answer(weight, given["steps"])
        if not isinstance(log, (list, tuple)):
            return {"kind": kind_of(describe(log))}
        entries, end = [plain(item) for item in describe(list(log))], describe(weight)
        own_calls = len(calls)
        hooks = len(weight._backward_hooks or {})
        hooks += len(getattr(weight, "_post_accumulate_grad_hooks", None) or {})
        weight.grad = None
        (weight * 2).sum().backward()
        return {
            "log": entries,
            "weight": end,
            "hooks": hooks,
            "own hook called": [own_calls, len(calls)],
            "log grows": len(log) != len(entries),
            "_steps": given["steps"],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["own hook called"][1] < expected["own hook called"][1]:
            return "OTHERS_HOOKS_GONE"
        if len(facts["log"]) > facts["_steps"]:
            return "TOO_MANY_ENTRIES", {"steps": facts["_steps"], "got": len(facts["log"])}
        if facts["log grows"] or facts["hooks"] > expected["hooks"]:
            return "HOOKS_LEFT"
        if not facts["log"]:
            return "RECORD_EMPTY"
        if len(facts["log"]) < facts["_steps"]:
            return "ONLY_THE_LAST_BACKWARD", {"got": len(facts["log"])}
        if facts["log"] == expected["log"] and facts["weight"] != expected["weight"]:
            return "TRAINING_CHANGED"
        return None


class freeze_rows(Exercise):
    cases = (
        Case("one row of a matrix", 1, shape=(3, 2), rows=[1], dtype="float32"),
        Case(
            "the gradient is shared with another weight", 1, shape=(3, 2), rows=[0], dtype="float32"
        ),
        Case("two rows, half precision", 1, shape=(4, 3), rows=[0, 2], dtype="float16"),
        Case(
            "three dimensions, two backwards",
            3,
            True,
            shape=(4, 2, 3),
            rows=[1, 3],
            dtype="float32",
        ),
    )
    hints = (
        "Inside the hook, make a tensor that is the gradient with zeros in the rows.",
        "Copy first: `grad = grad.clone()`, then `grad[rows] = 0`, then give it back.",
        "Give back what `register_hook` gives.",
    )

    @staticmethod
    def observe(answer, given, rng):
        dtype = getattr(torch, given["dtype"])
        # the gradient of s + t is shared; the node of s runs after the hooks of the leaf t
        base, t = (floats(rng, *given["shape"]).to(dtype).requires_grad_() for _ in range(2))
        s, factor, before = base * 1, floats(rng, *given["shape"]).to(dtype), t.detach().clone()
        handle = answer(t, list(given["rows"]))
        if not callable(getattr(handle, "remove", None)):
            return {"kind": kind_of(describe(handle))}
        grads, neighbours, frozen = [], [], True
        for _ in range(2):
            base.grad = t.grad = None
            ((s + t) * factor).sum().backward(retain_graph=True)
            frozen = frozen and not t.grad[given["rows"]].any()
            grads.append(describe(t.grad))
            neighbours.append(describe(base.grad))
        unchanged = torch.equal(t.detach(), before)
        handle.remove()
        t.grad = None
        (t * factor).sum().backward()
        return {
            "gradients": grads,
            "neighbour": neighbours,
            "weight unchanged": unchanged,
            "after remove": describe(t.grad),
            "_frozen": frozen,
            "_plain": describe(factor),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return "NO_HANDLE", {"got": facts["kind"]}
        if not facts["weight unchanged"]:
            return "WEIGHT_CHANGED"
        if facts["neighbour"] != expected["neighbour"]:
            return "NEIGHBOUR_CHANGED"
        if all(grad == facts["_plain"] for grad in facts["gradients"]):
            return "GRADIENT_UNCHANGED"
        if not facts["_frozen"]:
            return "ROWS_NOT_FROZEN"
        if facts["gradients"] != expected["gradients"]:
            return "OTHER_ROWS_CHANGED"
        return "HOOK_NOT_REMOVED"  # nothing else is left in the facts


class record_backward(Exercise):
    cases = (
        Case("a chain", 1, graph="chain"),
        Case("two ways, and the root itself", 1, graph="ways"),
        Case("tensors that no gradient reaches", 1, graph="unreached"),
        Case("another chain, twice", 2, hidden=True, graph="twice"),
        Case("an unbind of which one part is used", 1, hidden=True, graph="unbind"),
        Case("a backward that fails", 2, hidden=True, graph="fails"),
    )
    hints = (
        "Make a hook for each tensor that adds `(name, grad)` to one list.",
        "Take care of the loop variable: `def record(grad, name=name)`.",
        "`try: root.backward()` and `finally:` remove all handles.",
    )

    @staticmethod
    def observe(answer, given, rng):
        leaves, build = GRAPHS[given["graph"]](rng)
        runs, error, changed = [], None, False
        for _ in range(2 if given["graph"] == "twice" else 1):
            root, tensors = build()
            tracked = [t.requires_grad for t in tensors.values()]
            try:
                said = describe(answer(root, dict(tensors)))
            except Stop:
                error, said = "Stop", []
            if type(said) is not list or not all(type(p) is list and len(p) == 2 for p in said):
                return {"kind": kind_of(said)}
            runs.append(said)
            changed = changed or tracked != [t.requires_grad for t in tensors.values()]
        return {
            "runs": runs,
            "error": error,
            "stored": [describe(leaf.grad) for leaf in leaves],
            "hooks": sum(len(t._backward_hooks or {}) for t in tensors.values()),
            "requires_grad changed": changed,
            "_graph": given["graph"],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["_graph"] == "fails":
            return "HOOK_LEFT_AFTER_ERROR" if facts["error"] else "ERROR_SWALLOWED"
        got, right = ([name for run in f["runs"] for name, _ in run] for f in (facts, expected))
        if facts["hooks"] > expected["hooks"] or len(got) > len(right) and set(got) == set(right):
            return "HOOKS_LEFT"
        if set(got) - set(right):
            return "UNREACHED_LISTED", {"names": ", ".join(map(str, sorted(set(got) - set(right))))}
        if len(got) < len(right):
            return "TENSORS_MISSING", {"got": len(got)}
        if got != right and sorted(got) == sorted(right):
            return "WRONG_ORDER", {"got": ", ".join(got)}
        if got != right:
            return "LOOP_VARIABLE", {"names": ", ".join(got)}
        for gradient in (gradient for run in facts["runs"] for _, gradient in run):
            if not isinstance(gradient, dict) or "tensor" not in gradient:
                return "NOT_TENSORS", {"got": kind_of(gradient)}
        if facts["stored"] != expected["stored"]:
            return "GRADIENTS_NOT_STORED"
        return "REQUIRES_GRAD_CHANGED" if facts["requires_grad changed"] else None


class Pair:
    """Tensors `s` and `t` whose sum gives both the same gradient; `s` is reached after `t`."""

    def __init__(self, rng, leaf, loss="weighted", shape=(3,)):
        self.bases = [floats(rng, *shape).requires_grad_() for _ in range(3)]
        self.s, self.u = self.bases[0] * 1, self.bases[1] * 1
        self.t = self.bases[2] if leaf else self.bases[2] * 1
        self.rng, self.kind = rng, loss

    def backward(self, times):
        """Run backward; give the gradients of `s` and `t` in each one, and an in-place error."""
        grads, plain_grads, error = {"s": [], "t": []}, [], None
        for _ in range(times):
            before = [self.stored(0), self.stored(2)]
            factor = self.factor()
            try:
                self.loss(factor).backward(retain_graph=True)
            except RuntimeError as raised:
                if "single memory location" not in str(raised):
                    raise
                error = str(raised).partition(".")[0]
                break
            for name, i, old in zip("st", (0, 2), before, strict=True):
                grads[name].append((self.stored(i) - old).tolist())
            plain_grads.append([-1.0] * 3 if self.kind == "sum" else factor.tolist())
        return grads | {"error": error, "_plain": plain_grads}

    def factor(self):
        """Negative and positive numbers. The two norms that a matrix can have are not the same."""
        while True:
            factor = floats(self.rng, *self.t.shape)
            factor[0], factor[1] = -abs(factor[0]), abs(factor[1])
            if factor.dim() == 1 or largest_stretch(factor) < 0.99 * factor.norm():
                return factor

    def stored(self, i):
        grad = self.bases[i].grad
        return torch.zeros_like(self.bases[i]) if grad is None else grad.clone()

    def loss(self, factor):
        if self.kind == "sum":
            return -(self.s + self.t).sum()
        total = self.s + self.t if self.kind == "weighted" else self.s + (self.u + self.t)
        return (total * factor).sum()


def largest_stretch(grad):
    """What torch.linalg.norm(grad, 2) is: of a matrix the largest singular value."""
    return float(torch.linalg.norm(grad, 2)) if grad.dim() < 3 else None


class Stop(Exception):
    """What the backward of the last case raises."""


def chain(rng, names="xba", steps="ab", zero=None):
    x = floats(rng, 2).requires_grad_()
    factors = [floats(rng, 2) * (step != zero) for step in steps]

    def build():
        tensors, value = {"x": x}, x
        for step, factor in zip(steps, factors, strict=True):
            tensors[step] = value = value * factor
        return value.sum(), {name: tensors[name] for name in names}

    return [x], build


def ways(rng):
    w, x = (floats(rng, 2).abs().requires_grad_() for _ in range(2))  # so that no sum is 0

    def build():
        a = w + x
        b = w * 3
        y = (a * b).sum()
        return y, {"w": w, "y": y, "a": a, "b": b, "x": x}

    return [w, x], build


def unreached(rng):
    w, x, other = (floats(rng, 2).requires_grad_() for _ in range(3))
    data = floats(rng, 2)

    def build():
        h = w * data
        return (h * x).sum(), {"other": other, "w": w, "data": data, "h": h, "o": other * 2, "x": x}

    return [w, x, other], build


def unbind(rng):
    m = floats(rng, 2, 3).requires_grad_()

    def build():
        one, two = m.unbind()
        return (two * two).sum(), {"m": m, "one": one, "two": two}

    return [m], build


def fails(rng):
    [x], build = chain(rng)

    def stop(grad):
        raise Stop("this backward fails")

    x.register_hook(stop)
    return [x], build


GRAPHS = {
    "chain": chain,
    "ways": ways,
    "unreached": unreached,
    "twice": lambda rng: chain(rng, names="cxdab", steps="abcd", zero="b"),
    "unbind": unbind,
    "fails": fails,
}


def plain(facts):
    """The numbers of a described tensor: one number, or a flat list."""
    values = facts.get("values") if isinstance(facts, dict) else None
    if values is None:
        return facts
    return values[0] if len(values) == 1 else values


def close(a, b):
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b))
