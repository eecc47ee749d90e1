"""What the exercises of lesson 1 observe, and how their facts tell misconceptions apart."""

import warnings
from contextlib import nullcontext

import torch

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, describe_number, is_tensor, kind_of, same
from course.lessons.leaf_tensors.reasons import REASONS
from course.steps import TooManySteps, at_most

__all__ = ["REASONS"]


class which_are_leaves(Exercise):
    cases = (
        Case("a, b and c", 2, names=("a", "b", "c")),
        Case("d, e and f", 2, hidden=True, names=("d", "e", "f")),
    )
    hints = (
        "Go line by line and ask: does this tensor require a gradient?",
        "A tensor that does not require a gradient is a leaf, whatever made it.",
        "`detach()` gives a tensor that does not require a gradient. `nn.Parameter(…)` makes a new "
        "leaf out of the numbers of any tensor.",
    )

    @staticmethod
    def observe(answer, given, rng):
        said = answer()
        if not isinstance(said, dict):
            return {"kind": kind_of(describe(said))}
        words = describe(said)
        return {name: words.get(name) for name in given["names"]}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        differ = [name for name in expected if facts[name] != expected[name]]
        words = ("made", "untracked", "result")
        groups = {
            "NAMES_MISSING": [n for n in differ if facts[n] not in words],
            "UNTRACKED_IS_LEAF": [
                n for n in differ if (facts[n], expected[n]) == ("result", "untracked")
            ],
            "MADE_IS_LEAF": [n for n in differ if facts[n] == "result"],
            "TRACKED_IS_NO_LEAF": [n for n in differ if expected[n] == "result"],
            "LEAF_FOR_ANOTHER_REASON": differ,
        }
        code = next(code for code, names in groups.items() if names)
        return code, {"names": ", ".join(groups[code])}


class history(Exercise):
    cases = (
        Case("x * 3, then / 2", 1, steps=("mul", "div")),
        Case("a tensor without a history", 1, steps=()),
        Case("a longer chain", 2, hidden=True, steps=("exp", "mul", "sum", "neg", "add", "mul")),
    )
    hints = (
        "The chain begins at `t.grad_fn`. Print it, and print its `next_functions`.",
        "Use a loop: while there is a node, keep its name and go to the next node.",
        "In `next_functions` skip the pairs whose node is None: they belong to constants.",
    )

    @staticmethod
    def observe(answer, given, rng):
        t = floats(rng, 3)
        t.requires_grad_()
        for step in given["steps"]:
            t = {
                "mul": lambda t: 3 * t,
                "div": lambda t: t / 2,
                "exp": torch.exp,
                "sum": torch.sum,
                "neg": torch.neg,
                "add": lambda t: torch.tensor(5.0) + t,
            }[step](t)
        names = describe(answer(t))
        if type(names) is list:  # the leaf's node says torch::autograd::AccumulateGrad of itself
            names = [n.split("::")[-1] if type(n) is str else n for n in names]
        return {"names": names}

    @staticmethod
    def diagnose(facts, expected):
        got, right = facts["names"], expected["names"]
        if got is None:
            return "RETURNS_NONE"
        if type(got) is not list:
            return "WRONG_TYPE", {"got": kind_of(got)}
        if any(type(name) is not str or "<" in name for name in got):
            return "NODES_NOT_NAMES"
        if got == right[::-1]:
            return "HISTORY_REVERSED"
        if got == right[: len(got)]:
            return "HISTORY_STOPS_EARLY", {"got": len(got)}
        return None


class leaf_copy(Exercise):
    cases = (
        Case("a copy of a leaf", 1, kind="leaf", dtype="float32", shape=(2, 2)),
        Case("a copy of a result", 1, kind="result", dtype="float32", shape=(2, 2)),
        Case("a copy in double precision", 1, True, kind="result", dtype="float64", shape=(3,)),
        Case("a copy of plain numbers", 1, True, kind="plain", dtype="float64", shape=(3,)),
    )
    hints = (
        "There are three steps: cut the connection, copy the numbers, ask for a gradient.",
        "`detach()` cuts, `clone()` copies, `requires_grad_()` asks.",
    )

    @staticmethod
    def observe(answer, given, rng):
        numbers = floats(rng, *given["shape"]).to(getattr(torch, given["dtype"]))
        base = numbers / 7  # none of them fits into fewer digits
        base.requires_grad_(given["kind"] != "plain")
        base.grad = numbers.clone() if base.requires_grad else None
        t = base * 2 if given["kind"] == "result" else base
        before = t.detach().clone()
        copy = answer(t)
        if not is_tensor(copy):
            return {"kind": kind_of(describe(copy))}
        facts = {
            "tensor": describe(copy),
            "tracked": copy.requires_grad,
            "leaf": copy.is_leaf,
            "connected": False,
            "t unchanged": True,
            "t requires": t.requires_grad,
            "t.grad": describe(base.grad),
            "every digit": torch.equal(copy.detach(), before),
        }
        if copy is t:
            return facts | {"connected": True, "t unchanged": False}
        shared = base.grad is not None and copy.is_leaf and copy.grad is base.grad
        if copy.requires_grad:
            (copy * 1).sum().backward()
            facts["connected"] = describe(base.grad) != facts["t.grad"]
        facts["_one .grad"] = shared
        with torch.no_grad():
            copy.detach().add_(1)
        facts["t unchanged"] = torch.equal(t.detach(), before)
        return facts

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if facts["connected"]:
            return "GRAD_SHARED" if facts.get("_one .grad") else "STILL_CONNECTED"
        if not facts["t unchanged"]:
            return "SHARES_MEMORY"
        if not facts["tracked"]:
            return "NOT_TRACKED", {"what": "Your copy"}
        if not facts["leaf"]:
            return "NOT_A_LEAF", {"what": "Your copy"}
        for key, what in (("t requires", "`requires_grad`"), ("t.grad", "`.grad`")):
            if facts[key] != expected[key]:
                return "T_CHANGED", {"what": what}
        return None


class weighted_gradient(Exercise):
    cases = (
        Case("x is a plain tensor", 1, f="triple", grad=None, tracked=False),
        Case("x already has a .grad", 1, f="square", grad=7.0, tracked=True),
        Case("another function", 1, True, f="rows", grad=-2.0, tracked=True, shape=(2, 3)),
        Case("x is a leaf without a .grad", 1, hidden=True, f="mixed", grad=None, tracked=True),
    )
    hints = (
        "You need a leaf that requires a gradient and whose `.grad` is empty.",
        "Make one from `x` with detach, clone and requires_grad_. Then call backward with `v`.",
        "`torch.autograd.grad(y, x, v)` is another way: it gives the gradient back and leaves "
        "`.grad` alone.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x = floats(rng, *given.get("shape", (3,)))
        f = {
            "triple": lambda x: x * 3,
            "square": lambda x: x * x,
            "mixed": lambda x: torch.cat([x * x.sum(), x[:2].exp()]),
            "rows": lambda x: (x * x).sum(1),
        }[given["f"]]
        x.requires_grad_(given["tracked"])
        v = floats(rng, len(f(x.detach()))) + 0.5
        old = None if given["grad"] is None else torch.full(x.shape, given["grad"])
        x.grad = None if old is None else old.clone()
        values = x.detach().clone()
        got = describe(answer(f, x, v))
        plain = values.clone().requires_grad_()
        f(plain).sum().backward()
        kept = x.grad is None if old is None else x.grad is not None and torch.equal(x.grad, old)
        return {
            "gradient": {"shape": got["tensor"], "values": got["values"]}
            if isinstance(got, dict) and "values" in got
            else got,
            "requires_grad kept": x.requires_grad == given["tracked"],
            "grad kept": bool(kept),
            "values kept": torch.equal(x.detach(), values),
            "_of the sum": plain.grad.flatten().tolist(),
            "_old": None if old is None else old.flatten().tolist(),
        }

    @staticmethod
    def diagnose(facts, expected):
        got, right = facts["gradient"], expected["gradient"]["values"]
        if got is None:
            return "RETURNS_NONE"
        if not isinstance(got, dict) or "values" not in got:
            return "WRONG_TYPE", {"got": kind_of(got)}
        values = got["values"]
        if values == facts["_of the sum"] and values != right:
            return "WEIGHTS_IGNORED"
        if facts["_old"] and values == [o + r for o, r in zip(facts["_old"], right, strict=True)]:
            return "GRADIENT_ACCUMULATED"
        if values == right:
            for key in ("requires_grad kept", "grad kept", "values kept"):
                if not facts[key]:
                    return "INPUT_CHANGED", {"what": key.removesuffix(" kept")}
        return None


class freeze(Exercise):
    cases = (
        Case("the first layer of two", 2, net="flat", part=0),
        Case("a block with blocks in it", 2, hidden=True, net="nested", part=1),
    )
    hints = (
        "A module does not require gradients; its parameters do.",
        "Go through `part.parameters()` and set `requires_grad` of each to False.",
        "Add up `p.numel()` in the same loop.",
    )

    @staticmethod
    def observe(answer, given, rng):
        net = NETS[given["net"]]()
        part = net[given["part"]]
        count = describe_number(answer(part))
        net(floats(rng, 4, 3)).square().sum().backward()
        inside = {id(p) for p in part.parameters()}
        with_grad = [id(p) in inside for p in net.parameters() if p.grad is not None]
        return {
            "count": count,
            "frozen with grad": sum(with_grad),
            "others with grad": len(with_grad) - sum(with_grad),
            "_tensors": len(inside),
        }

    @staticmethod
    def diagnose(facts, expected):
        if facts["frozen with grad"]:
            return "NOT_FROZEN", {"count": facts["frozen with grad"]}
        if facts["others with grad"] != expected["others with grad"]:
            return "FROZE_TOO_MUCH"
        if facts["count"] is None:
            return "RETURNS_NONE"
        if facts["count"] == facts["_tensors"]:
            return "COUNTS_TENSORS"
        if isinstance(facts["count"], bool) or not isinstance(facts["count"], (int, float)):
            return "WRONG_TYPE", {"got": kind_of(facts["count"])}
        return None


class why_no_grad(Exercise):
    cases = (
        Case("a leaf before backward", 1, kind="leaf", backward=False),
        Case("the result of an operation, after backward", 1, kind="result", backward=True),
        Case("a result that retains its gradient", 1, kind="retained", backward=True),
        Case(
            "a result that retains its gradient, before backward",
            1,
            True,
            kind="retained",
            backward=False,
        ),
        Case("computed from plain numbers", 1, True, kind="untracked", backward=False),
        Case("a leaf after backward", 1, True, kind="leaf", backward=True, factor=0),
    )
    hints = (
        "Begin with `t.requires_grad`.",
        "Then sort out the non-leaf tensors that do not retain their gradient.",
        "What is left keeps its gradient: now it is safe to read `t.grad`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x = floats(rng, 2).requires_grad_()
        y = x * 2
        y.retain_grad() if given["kind"] == "retained" else None
        if given["backward"]:
            (y * y * given.get("factor", 1)).sum().backward()
        untracked = floats(rng, 2) * 3
        t = {"leaf": x, "result": y, "retained": y, "untracked": untracked}[given["kind"]]
        before = state_of(t)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            word = describe(answer(t))
        return {
            "word": word,
            "warned": any("is not a leaf" in str(w.message) for w in caught),
            "changed": [name for name, was in before.items() if state_of(t)[name] != was],
            "_kind": given["kind"],
        }

    @staticmethod
    def diagnose(facts, expected):
        word = facts["word"]
        if word is None:
            return "RETURNS_NONE"
        if word not in ("has grad", "not tracked", "non-leaf", "not yet"):
            return "NOT_A_WORD", {"got": repr(word) if isinstance(word, str) else kind_of(word)}
        if word == expected["word"]:
            if facts["changed"]:
                return "T_CHANGED", {"what": f"`{facts['changed'][0]}`"}
            return "READS_GRAD_OF_NON_LEAF"
        said = {"got": f'"{word}"'}
        if facts["_kind"] == "retained" and word == "non-leaf":
            return "RETAINED_IS_KEPT", said
        if facts["_kind"] == "untracked":
            return "UNTRACKED_NOT_SEEN", said
        if expected["word"] == "not yet":
            return "NO_BACKWARD_YET", said
        return "RESULT_NOT_SEEN" if facts["_kind"] == "result" else "GRADIENT_NOT_SEEN", said


def state_of(t):
    """What a function that only looks at a tensor leaves as it is."""
    kept = t.is_leaf or t.retains_grad
    return {
        "requires_grad": t.requires_grad,
        "retains_grad": t.retains_grad,
        ".grad": describe(t.grad) if kept else None,
    }


class make_weights(Exercise):
    cases = (
        Case("two inputs, three hundred outputs", 2, n_in=2, n_out=300),
        Case("forty inputs, twenty outputs", 1, n_in=40, n_out=20),
        Case("other sizes", 3, hidden=True, n_in=25, n_out=30),
    )
    hints = (
        "Print `weight.is_leaf` and `weight.grad_fn` after the first line.",
        "`torch.randn(…, requires_grad=True) * 0.1` makes a leaf and throws its name away: what "
        "you keep is the product.",
        "Do the arithmetic on plain tensors. Then call `requires_grad_()` on the result.",
    )

    @staticmethod
    def observe(answer, given, rng):
        n_in, n_out = given["n_in"], given["n_out"]
        made = answer(n_in, n_out)
        if not isinstance(made, (tuple, list)) or len(made) != 2 or not all(map(is_tensor, made)):
            return {"kind": kind_of(describe(made))}
        weight, bias = made
        start = [t.detach().clone() for t in made]
        again = answer(n_in, n_out)[0].detach()
        facts = {
            "shapes": [list(weight.shape), list(bias.shape)],
            "leaves": [weight.is_leaf, bias.is_leaf],
            "tracked": [weight.requires_grad, bias.requires_grad],
            "weight like randn * 0.1": 0.07 < float(start[0].std()) < 0.13
            and abs(float(start[0].mean())) < 0.05
            and not torch.equal(again, start[0]),
            "bias is 0.5": bool((start[1] == 0.5).all()),
            "moved": [False, False],
        }
        right_shapes = facts["shapes"] == [[n_out, n_in], [n_out]]
        if right_shapes and facts["leaves"] == facts["tracked"] == [True, True]:
            loss = (floats(rng, 5, n_in).to(weight.dtype) @ weight.T + bias - 1).square().sum()
            loss.backward()
            with torch.no_grad():
                for t in made:
                    t -= 0.01 * t.grad
            facts["moved"] = [
                not torch.equal(t.detach(), s) for t, s in zip(made, start, strict=True)
            ]
        return facts

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        names = ("The weight", "The bias")
        for name, tracked in zip(names, facts["tracked"], strict=True):
            if not tracked:
                return "NOT_TRACKED", {"what": name}
        for name, leaf in zip(names, facts["leaves"], strict=True):
            if not leaf:
                return "NOT_A_LEAF", {"what": name}
        if facts["shapes"] != expected["shapes"]:
            return "WRONG_SHAPE", {"got": facts["shapes"]}
        if not facts["weight like randn * 0.1"]:
            return "INITIAL_NUMBERS_CHANGED", {"what": "the weight"}
        if not facts["bias is 0.5"]:
            return "INITIAL_NUMBERS_CHANGED", {"what": "the bias"}
        return None


class sgd_step(Exercise):
    cases = (
        Case("one step", 2, shapes=((3,), (2, 2)), unused=0, steps=1, lr=0.25),
        Case("a second step after the first", 1, shapes=((),), unused=0, steps=2, lr=0.125),
        Case(
            "three weights, one without a gradient",
            3,
            hidden=True,
            shapes=((2, 3), ()),
            unused=1,
            steps=2,
            lr=0.375,
        ),
    )
    hints = (
        "PyTorch must not record the update. `with torch.no_grad():` switches recording off.",
        "`w -= lr * w.grad` changes the tensor itself. `w = w - lr * w.grad` does not.",
        "Leave out a weight whose `.grad` is None, and set `.grad` to None after its update.",
    )

    @staticmethod
    def observe(answer, given, rng):
        weights = [floats(rng, *shape).requires_grad_() for shape in given["shapes"]]
        unused = [floats(rng, 2).requires_grad_() for _ in range(given["unused"])]
        targets = [w.detach() + floats(rng, *w.shape) for w in weights]  # no gradient is 0
        every = [*unused, *weights]
        same_objects, same_memory = list(every), [w.detach() for w in every]
        lengths = []  # of each number's first step, measured in gradients: the right one is -lr
        for _ in range(given["steps"]):
            losses = [(w - t).square().sum() for w, t in zip(weights, targets, strict=True)]
            (0.75 * sum(losses)).backward()
            before = [(w.detach().clone(), w.grad.clone()) for w in weights]
            answer(every, given["lr"])
            for w, (old, gradient) in zip(weights, before, strict=True):
                lengths += ((w.detach() - old) / gradient).flatten().tolist()
            leaves = [w.is_leaf and w.requires_grad for w in same_objects]
            cleared = [w.grad is None for w in same_objects]
            if not all(leaves):
                break
        first = lengths[: sum(w.numel() for w in weights)]
        return {
            "values": [describe(w) for w in same_objects],
            "in place": [describe(w) for w in same_memory],
            "leaves": leaves,
            "cleared": cleared,
            "the list holds them": list(map(id, every)) == list(map(id, same_objects)),
            "_first step": [min(first), max(first)],
            "_lr": given["lr"],
        }

    @staticmethod
    def diagnose(facts, expected):
        shortest, longest = facts["_first step"]
        if shortest == longest == 0:
            return "NAME_REBOUND"
        if not all(facts["leaves"]):
            return "NOT_A_LEAF", {"what": "A weight"}
        if shortest > 0:
            return "WRONG_DIRECTION"
        if same(shortest, longest) and not same(shortest, -facts["_lr"]):
            return "STEP_LENGTH"
        if not all(facts["cleared"]):
            return "GRADIENT_NOT_CLEARED"
        if same(facts["values"], expected["values"]) and facts["in place"] != facts["values"]:
            return "MEMORY_REPLACED"
        return None


STEPS = 10_000  # of a walk; the braid has fewer than a hundred nodes


class find_leaves(Exercise):
    cases = (
        Case("a product", 1, graph="product"),
        Case("a leaf that is used twice", 1, graph="shared"),
        Case("a loss with a part that is not tracked", 1, graph="untracked"),
        Case("few nodes, and very many ways through them", 1, graph="braid"),
        Case("a small network", 1, hidden=True, graph="network"),
        Case("a loss that is itself a leaf", 1, hidden=True, graph="leaf"),
        Case("three thousand operations in a row", 2, hidden=True, graph="chain"),
    )
    hints = (
        "Print `loss.grad_fn.next_functions`, then the `next_functions` of the nodes in it.",
        "Keep a list of nodes still to visit and a set of nodes already seen.",
        "A node of the kind AccumulateGrad has the attribute `variable`: that is the leaf.",
    )

    @staticmethod
    def observe(answer, given, rng):
        leaves, loss = GRAPHS[given["graph"]](rng)
        try:
            with at_most(STEPS) if given["graph"] == "braid" else nullcontext():
                said = answer(loss)
                if said is None or is_tensor(said) or isinstance(said, (str, bytes)):
                    return {"kind": kind_of(describe(said))}
                try:
                    items = list(said)  # a generator walks only now
                except TypeError:
                    return {"kind": kind_of(describe(said))}
        except TooManySteps:
            return {"walk": "does not end"}
        found = [next((n for n, leaf in leaves.items() if leaf is item), None) for item in items]
        return {
            "leaves": sorted(name for name in set(found) if name is not None),
            "doubled": len([n for n in found if n]) > len({n for n in found if n}),
            "others": found.count(None),
            "_nodes": any(hasattr(item, "next_functions") for item in items),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        if "walk" in facts:
            return "WALKS_EVERY_WAY"
        if facts["_nodes"]:
            return "NODES_NOT_TENSORS"
        if facts["others"]:
            return "NON_LEAVES_FOUND"
        if expected["leaves"] == ["loss"] and not facts["leaves"]:
            return "LEAF_ITSELF_MISSING"
        if len(facts["leaves"]) < len(expected["leaves"]):
            return "LEAVES_MISSING", {"got": len(facts["leaves"])}
        if facts["doubled"]:
            return "LEAVES_DOUBLED"
        return None


def flat():
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))


class Scaled(torch.nn.Module):
    """It has a parameter of its own, beside modules with parameters."""

    def __init__(self, inner):
        super().__init__()
        self.scale, self.inner = torch.nn.Parameter(torch.ones(1, 1, 5)), inner

    def forward(self, x):
        return self.inner(x * self.scale[0])


def nested():
    last = torch.nn.Sequential(torch.nn.BatchNorm1d(5), torch.nn.Tanh())
    block = torch.nn.Sequential(torch.nn.Linear(4, 5, bias=False), Scaled(last))
    return torch.nn.Sequential(torch.nn.Linear(3, 4), block, torch.nn.Linear(5, 1))


NETS = {"flat": flat, "nested": nested}


def product(rng):
    leaves = {name: floats(rng, 2).requires_grad_() for name in "ab"}
    return leaves, (leaves["a"] * leaves["b"]).sum()


def shared(rng):
    leaves = {name: floats(rng, 2).requires_grad_() for name in "wx"}
    hidden = leaves["w"] + leaves["x"]
    return leaves, (hidden * (leaves["w"] + 1)).sum()


def untracked(rng):
    leaves = {name: floats(rng, 2).requires_grad_() for name in "abc"}
    target = floats(rng, 2)
    left = (leaves["a"] * target).exp()
    right = leaves["b"].detach() * 2 + leaves["c"]
    return leaves, (left - right - target).square().sum()


def network(rng):
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    return dict(net.named_parameters()), net(floats(rng, 2, 3)).mean()


def single_leaf(rng):
    loss = floats(rng).requires_grad_()
    return {"loss": loss}, loss


def chain(rng):
    leaves = {"a": floats(rng, 2).requires_grad_()}
    leaves["b"] = leaves["a"].detach().clone().requires_grad_()  # equal, and another tensor
    value = leaves["a"]
    for _ in range(3000):
        value = value.t()  # the cheapest of all operations that make a node
    return leaves, (value * leaves["b"]).sum()


def braid(rng):
    """Each step doubles the ways: two to the power of 18, more than a walk can take one by one."""
    leaves = {name: floats(rng, 2).requires_grad_() for name in "ab"}
    left, right = leaves.values()
    for _ in range(18):
        left, right = left + right, left - right
    return leaves, (left * right).sum()


GRAPHS = {
    "product": product,
    "shared": shared,
    "untracked": untracked,
    "network": network,
    "leaf": single_leaf,
    "braid": braid,
    "chain": chain,
}
