"""What the exercises of lesson 3 observe, and how their facts tell misconceptions apart."""

import contextlib

import torch

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, is_tensor_facts, kind_of, same
from course.lessons.tensor_hooks.graphs import GRAPHS, Stop
from course.lessons.tensor_hooks.pairs import Pair, largest_stretch, matrix_of_two_norms
from course.lessons.tensor_hooks.readings import (
    all_zero,
    close,
    hooks_on,
    plain,
    stored,
)
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
        if {"h one", "h two"} <= set(words) and words.index("h two") < words.index("h one"):
            return "HOOKS_REVERSED"
        if any(words.count(word) > 1 for word in ("y", "h one", "h two")):
            return "RESULT_REACHED_AGAIN"
        if ("x", "x") in zip(words, words[1:], strict=False):
            return "ONE_CALL_PER_USE"
        if "x" in words and "x stored" in words[: words.index("x")]:
            return "STORED_BEFORE_HOOK"
        if words == expected["_all"][: len(words)]:
            return "LEAF_HOOK_STAYS"
        return None


class scale_gradient(Exercise):
    cases = (
        Case("a leaf, two backwards", 1, leaf=True, backwards=2, factors=(3, 5, 7, 11)),
        Case("a result that is added to another", 1, leaf=False, backwards=1, factors=(3, 5, 7)),
        Case(
            "two backwards, another factor",
            1,
            hidden=True,
            leaf=False,
            backwards=2,
            factors=(-0.5, -1.5, -2.5),
        ),
        Case(
            "two matrices, one of them with the factor 0",
            1,
            hidden=True,
            leaf=False,
            backwards=1,
            factors=(-2.5, -1.5),
            shape=(2, 3),
            dtype="float64",
            zero_too=True,
        ),
    )
    hints = (
        "`t.register_hook(function)` calls the function with the gradient of `t`.",
        "What the function returns takes the place of the gradient.",
        "`register_hook` itself gives back the handle.",
    )

    @staticmethod
    def observe(answer, given, rng):
        factor, calls = float(rng.choice(given["factors"])), []
        kind = {
            "shape": given.get("shape", (3,)),
            "dtype": getattr(torch, given.get("dtype", "float32")),
        }
        pair, other = Pair(rng, given["leaf"], **kind), Pair(rng, given["leaf"], **kind)
        if given.get("zero_too"):
            pair.t.register_hook(lambda grad: calls.append("own"))
        handle = answer(pair.t, factor)
        if given.get("zero_too"):
            answer(other.t, 0.0)
        if not callable(getattr(handle, "remove", None)):
            return {"kind": kind_of(describe(handle))}
        facts = pair.backward(given["backwards"])
        of_other = other.backward(1)
        own_calls = len(calls)
        handle.remove()
        return facts | {
            "after remove": pair.backward(1)["t"],
            "other": of_other["t"],
            "own hook called": own_calls,
            "_plain other": of_other["_plain"],
            "_factor": factor,
            "_two hooks": given.get("zero_too", False),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return "NO_HANDLE", {"got": facts["kind"]}
        if facts["error"]:
            return "EDITED_IN_PLACE", {"error": facts["error"]}
        if facts["s"] != expected["s"]:
            return "NEIGHBOUR_CHANGED"
        if facts["own hook called"] < expected["own hook called"]:
            return "OTHERS_HOOKS_GONE"
        if facts["t"] == facts["_plain"]:
            return "GRADIENT_UNCHANGED"
        if facts["other"] == facts["_plain other"] != expected["other"]:
            return "FACTOR_ZERO"
        if facts["t"] == expected["t"]:
            return "HOOK_NOT_REMOVED" if facts["other"] == expected["other"] else None
        if facts["_two hooks"]:
            zero = not torch.tensor(facts["t"] + facts["other"]).any()
            return "ONE_FACTOR_FOR_ALL" if zero else None
        if len(facts["t"]) > 1:
            first, second = map(torch.tensor, facts["t"])
            if second.equal((first + torch.tensor(facts["_plain"][1])) * facts["_factor"] - first):
                return "OLDER_GRADIENT_CHANGED"
        return None


class be_the_engine(Exercise):
    cases = (
        Case("two hooks that change", 1, kinds=("shift", "scale")),
        Case("a hook that only looks", 1, kinds=("shift", "look", "scale")),
        Case("no hooks", 1, hidden=True, kinds=()),
        Case(
            "more hooks, one gives back zero",
            1,
            hidden=True,
            kinds=("look", "shift", "zero", "look", "shift"),
        ),
        Case(
            "a vector, one function twice",
            1,
            hidden=True,
            shape=(3,),
            kinds=("shift", "look", "scale"),
            again=True,
        ),
    )
    hints = (
        "Keep the gradient in a variable. Each hook is called with what the variable holds.",
        "When a hook gives back something that is not None, it becomes the new value.",
        "Add to `seen` before you call the hook.",
    )

    @staticmethod
    def observe(answer, given, rng):
        shift, scale = floats(rng) + 10, floats(rng) + 6  # a factor that is not 0 and not 1
        calls, handed = [], []
        does = {
            "shift": lambda grad: grad + shift,
            "scale": lambda grad: grad * scale,
            "look": lambda grad: None,
            "zero": torch.zeros_like,
        }

        def watched(index, function):
            def hook(grad):
                calls.append(index)
                handed.append(describe(grad))
                return function(grad)

            return hook

        hooks = [watched(i, does[kind]) for i, kind in enumerate(given["kinds"])]
        if given.get("again"):
            hooks.append(hooks[0])
        arrived = floats(rng, *given.get("shape", ()))
        before = arrived.clone()
        got = describe(answer(arrived, list(hooks)))
        if type(got) is not list or len(got) != 2 or type(got[0]) is not list:
            return {"kind": kind_of(got)}
        seen, result = got
        return {
            "seen": seen,
            "result": result,
            "calls": calls,
            "handed": handed,
            "arrived gradient kept": torch.equal(arrived, before),
            "_arrived": describe(before),
            "_None": None in seen or result is None,
            "_looks": "look" in given["kinds"],
            "_times": {str(i): calls.count(i) for i in calls},
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"], "NOT_A_PAIR")
        for index, times in facts["_times"].items():
            if times > expected["_times"][index]:
                return "CALLED_AGAIN", {"got": times}
        if not expected["calls"] and not same(facts["result"], expected["result"]):
            return "NO_HOOK_NO_CHANGE"
        if facts["_None"] and facts["_looks"]:
            return "NONE_HANDED_ON"
        for item in facts["seen"]:
            if not is_tensor_facts(item):
                return "NOT_TENSORS", {"got": kind_of(item)}
        if not is_tensor_facts(facts["result"]):
            return "RESULT_NOT_A_TENSOR", {"got": kind_of(facts["result"])}
        if not facts["arrived gradient kept"]:
            return "ARRIVED_EDITED"
        if len(facts["calls"]) < len(expected["calls"]):
            return "HOOKS_NOT_CALLED", {"got": len(facts["calls"])}
        handed = facts["handed"]
        if len(handed) > 1 and all(grad == facts["_arrived"] for grad in handed):
            return "EACH_SEES_THE_FIRST"
        if facts["calls"] != expected["calls"]:
            return None
        if any(map(all_zero, expected["handed"])) and not any(map(all_zero, handed)):
            return "ZERO_TAKEN_FOR_NONE"
        if same(handed, expected["handed"]) and not same(facts["seen"], handed):
            return "SEEN_IS_NOT_THE_CALLS"
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
        for i in range(given["backwards"]):
            data = floats(rng, 2, sizes[0])
            if i:  # the gradient of the first weight is zero now
                data *= 0
            net(data).square().sum().backward()
        if not isinstance(said, dict):
            return {"kind": kind_of(describe(said))}
        sizes = {key: plain(value) for key, value in describe(said).items()}
        return {
            "sizes": sizes,
            "gradients": [describe(p.grad) for p in net.parameters()],
            "_names": sorted(sizes),
            "_last name": list(dict(net.named_parameters()))[-1],
            "_stored": {n: float(p.grad.norm()) for n, p in net.named_parameters()},
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if not facts["sizes"]:
            return "RECORD_EMPTY"
        if facts["_names"] != expected["_names"]:
            last = facts["_names"] == [facts["_last name"]]
            code = "LOOP_VARIABLE" if last else "NAMES_DIFFER"
            return code, {"names": ", ".join(facts["_names"])}
        if facts["gradients"] != expected["gradients"]:
            return "RECORDING_CHANGES"
        if same(facts["sizes"], facts["_stored"]):
            return "ACCUMULATED_SEEN"
        differ = [
            name for name, size in expected["sizes"].items() if not same(facts["sizes"][name], size)
        ]
        if all(expected["sizes"][name] == 0 for name in differ):
            return "ZERO_LEFT_OUT", {"names": ", ".join(differ)}
        return None


class only_positive(Exercise):
    cases = (
        Case("s + t", 2, loss="weighted"),
        Case("minus the sum of s + t", 1, loss="sum"),
        Case("three matrices, two backwards", 2, hidden=True, loss="three", shape=(2, 3)),
    )
    hints = (
        "The sum hands the same gradient tensor to `s` and to `t`. Who edits it?",
        "Give back a new tensor and leave `grad` as it is.",
        "`grad.clamp(min=0)` makes a new tensor without negative numbers.",
    )

    @staticmethod
    def observe(answer, given, rng):
        pair, calls = Pair(rng, leaf=False, loss=given["loss"], shape=given.get("shape", (3,))), []
        if given["loss"] == "three":
            pair.t.register_hook(lambda grad: calls.append("own"))
        answer(pair.t)
        facts = pair.backward(2 if given["loss"] == "three" else 1)
        return facts | {"own hook called": len(calls)}

    @staticmethod
    def diagnose(facts, expected):
        if facts["error"]:
            return "EDITED_IN_PLACE", {"error": facts["error"]}
        if facts["s"] != expected["s"]:
            return "NEIGHBOUR_CHANGED"
        if facts["own hook called"] < expected["own hook called"]:
            return "OTHERS_HOOKS_GONE"
        if facts["t"] == facts["_plain"]:
            return "GRADIENT_UNCHANGED"
        if (torch.tensor(facts["t"]) < 0).any():
            return "NEGATIVE_LEFT"
        return None


class row_gradients(Exercise):
    cases = (
        Case("a row of a matrix", 2, shape=(3, 2), row=1, backwards=1),
        Case("two backwards", 1, shape=(2, 3), row=0, backwards=2),
        Case(
            "three dimensions, counted from the end", 1, True, shape=(4, 2, 2), row=-1, backwards=3
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
        for i in range(given["backwards"]):
            # of three backwards the second has a gradient of zeros
            factors.append(floats(rng, *given["shape"]) * (given["backwards"] < 3 or i != 1))
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
        Case("one step, then no step", 1, steps=1, own_hook=False, no_step_too=True),
        Case("a matrix that has hooks already", 2, hidden=True, steps=2, own_hook=True),
    )
    hints = (
        "Count the hooks: how many hang on the weight in the third step?",
        "Register once, before the loop, and remove the hook when the loop is done.",
        "`with weight.register_hook(…):` removes the hook at the end of the block.",
    )

    @staticmethod
    def observe(answer, given, rng):
        weight = matrix_of_two_norms(rng) if given["own_hook"] else floats(rng, 3)
        weight.requires_grad_()
        calls, stretches = [], []

        def halve(grad):
            calls.append("own")
            stretches.append(largest_stretch(grad / 2))
            return grad / 2

        if given["own_hook"]:
            weight.register_hook(halve)
            weight.register_post_accumulate_grad_hook(lambda _: calls.append("own, stored"))
        log = answer(weight, given["steps"])
        if not isinstance(log, (list, tuple)):
            return {"kind": kind_of(describe(log))}
        entries, end = [plain(item) for item in describe(list(log))], describe(weight)
        in_training, hooks, grad = len(calls), hooks_on(weight), weight.grad
        weight.grad = None
        (weight * 2).sum().backward()
        after = len(calls) - in_training
        weight.grad = None
        no_step = describe(answer(weight, 0)) if given.get("no_step_too") else []
        return {
            "log": entries,
            "weight": end,
            "hooks": hooks,
            "own hooks called": {"in training": in_training, "after": after},
            "log grows": len(log) != len(entries),
            "gradient left": grad is not None and bool(grad.any()),
            "no step": no_step,
            "_steps": given["steps"],
            "_largest stretch": stretches[: given["steps"]],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        called, right = facts["own hooks called"], expected["own hooks called"]
        if called["after"] < right["after"]:
            return "OTHERS_HOOKS_GONE"
        if called["in training"] < right["in training"]:
            return "OTHERS_HOOKS_NOT_CALLED"
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
        if facts["log"] and same(facts["log"], facts["_largest stretch"]):
            return "NORM_OF_ANOTHER_KIND"
        if facts["log"] == expected["log"] and facts["gradient left"]:
            return "GRADIENT_LEFT"
        return None


class freeze_rows(Exercise):
    cases = (
        Case("one row of a matrix", 1, shape=(3, 2), rows=[1], dtype="float32"),
        Case(
            "the gradient is shared with another weight", 1, shape=(3, 2), rows=[0], dtype="float32"
        ),
        Case(
            "the first row and the last, half precision",
            1,
            shape=(4, 3),
            rows=[0, -1],
            dtype="float16",
        ),
        Case(
            "three dimensions, a row that is named twice",
            2,
            True,
            shape=(4, 2, 3),
            rows=[-1, 1, -1],
            dtype="float32",
        ),
        Case(
            "an older gradient in .grad",
            1,
            True,
            shape=(3, 2),
            rows=[2, 0],
            dtype="float32",
            older=True,
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
        if given.get("older"):
            t.grad = floats(rng, *given["shape"]).to(dtype)
        for _ in range(2):
            base.grad, old = None, stored(t)
            ((s + t) * factor).sum().backward(retain_graph=True)
            new = stored(t) - old
            frozen = frozen and not new[given["rows"]].any()
            grads.append(describe(new))
            neighbours.append(describe(base.grad))
        emptied = given.get("older", False) and not stored(t)[given["rows"]].any()
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
            "_emptied": emptied,
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
        if facts["_emptied"]:
            return "OLDER_GRADIENT_CHANGED"
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
        runs, error, changed, hooks, retained, grows = [], None, False, 0, False, False
        for _ in range(2 if given["graph"] == "twice" else 1):
            root, tensors = build()
            tracked = [t.requires_grad for t in tensors.values()]
            try:
                pairs = answer(root, dict(tensors))
            except Stop:
                error, pairs = "Stop", []
            said = describe(pairs)
            if type(said) is not list or not all(type(p) is list and len(p) == 2 for p in said):
                return {"kind": kind_of(said)}
            runs.append(said)
            changed = changed or tracked != [t.requires_grad for t in tensors.values()]
            hooks = max(hooks, sum(map(hooks_on, tensors.values())))
            retained = retained or any(t.retains_grad for t in tensors.values())
            grads = [None if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
            # the graph is used up, yet its first nodes still run before the error
            with contextlib.suppress(RuntimeError, Stop):
                root.backward()
            grows = grows or len(describe(pairs)) > len(said)
            for leaf, grad in zip(leaves, grads, strict=True):
                leaf.grad = grad
        return {
            "runs": runs,
            "error": error,
            "stored": [describe(leaf.grad) for leaf in leaves],
            "hooks": hooks,
            "list grows": grows,
            "retains_grad": retained,
            "requires_grad changed": changed,
            "_graph": given["graph"],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if expected["error"] and not facts["error"]:
            return "ERROR_SWALLOWED"
        if facts["hooks"] > expected["hooks"] or facts["list grows"]:
            return "HOOK_LEFT_AFTER_ERROR" if facts["error"] else "HOOKS_LEFT"
        if facts["hooks"] < expected["hooks"]:
            return "OTHERS_HOOKS_GONE"
        runs = [[name for name, _ in run] for run in facts["runs"]]
        got, right = (
            [name for run in each["runs"] for name, _ in run] for each in (facts, expected)
        )
        again = sorted({str(name) for run in runs for name in run if run.count(name) > 1})
        if again and set(got) == set(right):
            return "TENSOR_TWICE", {"names": ", ".join(again)}
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
        if facts["retains_grad"]:
            return "RETAINS_GRAD"
        if facts["_graph"] == "twice" and ["x", facts["stored"][0]] in facts["runs"][-1]:
            return "ACCUMULATED_SEEN"
        return "REQUIRES_GRAD_CHANGED" if facts["requires_grad changed"] else None
