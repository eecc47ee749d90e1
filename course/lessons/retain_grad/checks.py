"""What the exercises of lesson 2 observe, and how their facts tell misconceptions apart."""

import warnings

import torch

from course import registered
from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, describe_number, is_tensor, is_tensor_facts, kind_of, same
from course.lessons.retain_grad.reasons import REASONS

__all__ = ["REASONS"]


class a_second_time(Exercise):
    cases = (
        Case("a, b and c", 2, names=("a", "b", "c")),
        Case("d, e and f", 2, hidden=True, names=("d", "e", "f")),
    )
    hints = (
        "Backward frees saved tensors. A node that saved none has nothing to miss.",
        "To find the gradient of `x + 3` you need no number. What about `x * 3` and `x.exp()`?",
        "When there are several operations, one that saved a tensor is enough.",
    )

    @staticmethod
    def observe(answer, given, rng):
        said = describe(answer())
        if not isinstance(said, dict) or set(said) == {"kind"} or "tensor" in said:
            return {"kind": kind_of(said)}
        return {name: said.get(name) for name in given["names"]}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        differ = [name for name in expected if facts[name] != expected[name]]
        missing = [name for name in differ if facts[name] not in ("works", "raises")]
        if missing:
            return "WORDS_MISSING", {"names": ", ".join(missing)}
        if differ == ["f"]:
            return "LAST_NODE_ONLY"
        raises = [name for name in differ if facts[name] == "raises"]
        code = "SECOND_ALWAYS_RAISES" if raises else "SAVED_NOT_SEEN"
        return code, {"names": ", ".join(raises or differ)}


def not_all_ones(rng, *shape):
    """A factor that changes a gradient: h.grad and the .grad of a leaf are not the same."""
    while True:
        factor = floats(rng, *shape)
        if not factor.eq(1).all():
            return factor


def unlike(rng, *others):
    """Numbers in the shape of the others, not the same as any of them."""
    while True:
        drawn = floats(rng, *others[0].shape)
        if not any(torch.equal(drawn, other) for other in others):
            return drawn


class hidden_gradient(Exercise):
    cases = (
        Case("two numbers", 2, shape=(2,), old=False),
        Case("a matrix, another loss", 2, hidden=True, shape=(2, 3), old=True),
    )
    hints = (
        "What is `h.retain_grad` before that line? Print it.",
        "`retain_grad` is a method. A method must be called.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x, w = (not_all_ones(rng, *given["shape"]).requires_grad_() for _ in range(2))
        factor, made = unlike(rng, x, w), []  # so that no gradient is the value of h
        for leaf in (x, w):
            leaf.grad = floats(rng, *given["shape"]) if given["old"] else None

        def loss_of(h):
            made.append(h)
            return (h * factor).sum() if len(given["shape"]) == 1 else (h * h * factor).sum()

        said = answer(x, w, loss_of)
        got = describe(said)
        return {
            "gradient": got,
            "tied": tied(said, x.grad, w.grad),
            "x.grad": describe(x.grad),
            "w.grad": describe(w.grad),
            "_kind": kind_of(got),
            "_replaced": any(not callable(h.retain_grad) for h in made),
            "_value": plain(describe(x * w)),
        }

    @staticmethod
    def diagnose(facts, expected):
        got = facts["gradient"]
        if got is None:
            return "METHOD_REPLACED" if facts["_replaced"] else "NOT_RETAINED"
        if not is_tensor_facts(got):
            return "WRONG_TYPE", {"got": facts["_kind"]}
        for name in ("x", "w"):
            if got == facts[f"{name}.grad"] and got != expected["gradient"]:
                return "GRADIENT_OF_ANOTHER", {"name_of": f"`{name}`"}
        if plain(got) == facts["_value"]:
            return "VALUES_NOT_GRADIENTS"
        for name in ("x", "w"):
            if same(got, expected["gradient"]) and not same(
                facts[f"{name}.grad"], expected[f"{name}.grad"]
            ):
                return "LEAF_WITHOUT_GRAD", {"what": f"`{name}`"}
        if same(got, expected["gradient"]):
            return "GRAD_TIED", {"what": "A gradient that you give back or leave in `.grad`"}
        return None


class gradient_at(Exercise):
    cases = (
        Case("a leaf without a .grad", 1, grad=None, shape=(2,)),
        Case("a leaf that has a .grad", 2, grad=5.0, shape=(3,)),
        Case("another graph", 2, hidden=True, grad=-3.0, shape=(2, 2)),
    )
    hints = (
        "`torch.autograd.grad(loss, h)` gives back a tuple with one gradient.",
        "It frees the saved tensors, like backward, unless you say otherwise.",
        "`retain_graph=True` keeps them for the caller.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x = floats(rng, *given["shape"]).requires_grad_()
        w = floats(rng, *given["shape"]).requires_grad_()
        x.grad = None if given["grad"] is None else torch.full(given["shape"], given["grad"])
        h = x * w
        loss = (h * h * w).sum() if x.dim() == 1 else (h.exp() * w + h * h).sum()
        said = answer(loss, h)
        got = describe(said)
        return {
            "gradient": got,
            "tied": tied(said),
            "leaves": [describe(x.grad), describe(w.grad)],
            "h.grad": describe(quiet_grad(h)),
            "h retains": h.retains_grad,
            "hooks": hooks_on([h]),
            "_kind": kind_of(got),
            "one more backward": one_more_backward(loss),
        }

    @staticmethod
    def diagnose(facts, expected):
        got = facts["gradient"]
        if got is None:
            return "RETURNS_NONE"
        if not is_tensor_facts(got):
            return "WRONG_TYPE", {"got": facts["_kind"]}
        if facts["leaves"] != expected["leaves"]:
            return "LEAF_GRAD_TOUCHED"
        if facts["h.grad"] is not None:
            return "H_GRAD_LEFT"
        if facts["h retains"]:
            return "H_RETAINS"
        if facts["hooks"]:
            return "HOOK_LEFT_BEHIND", {"where": "`h`"}
        if facts["one more backward"] == "freed":
            return "GRAPH_FREED"
        if facts["tied"]:
            return "GRAD_TIED", {"what": "The gradient that you give back"}
        return None


class layer_gradients(Exercise):
    cases = (
        Case("two layers", 2, sizes=(2, 3, 1), old=False),
        Case("layers with an activation between them", 1, sizes=(2, 3, None, 2, None), old=False),
        Case("a deeper chain", 2, hidden=True, sizes=(3, 4, None, 2, None, 2), old=True),
    )
    hints = (
        "Keep every output in a list while you go through the layers.",
        "Call `retain_grad()` on each output, before backward.",
        "After backward, read `.grad` of each output in the list.",
    )

    @staticmethod
    def observe(answer, given, rng):
        layers, wide, tanh = [], given["sizes"][0], torch.nn.Tanh()
        for size in given["sizes"][1:]:
            layers.append(tanh if size is None else torch.nn.Linear(wide, size))
            wide = size or wide
        parameters = [p for layer in layers for p in layer.parameters()]
        for p in parameters:
            p.grad = floats(rng, *p.shape) if given["old"] else None
        x, values = floats(rng, 2, given["sizes"][0]), []
        handed, handed_layers = x.clone(), list(layers)
        said = answer(handed_layers, handed)
        got = describe(said)
        grads = [describe(p.grad) for p in parameters]
        left = {
            "tied": tied(*parts_of(said), *(p.grad for p in parameters)),
            "hooks": sum(map(module_hooks, layers)),
            "x requires": handed.requires_grad,
            "x.grad": describe(handed.grad),
            "list kept": same_items(handed_layers, layers),
            "_first places": [layers.index(layer) for layer in layers],
        }
        for layer in layers:
            x = layer(x)
            values.append(plain(describe(x)))
        if type(got) is not list:
            return {"kind": kind_of(got)}
        return {"gradients": got, "parameters": grads, "_values": values, **left}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        got, right = facts["gradients"], expected["gradients"]
        if None in got:
            return "NOT_RETAINED"
        if [plain(g) for g in got] == facts["_values"]:
            return "VALUES_NOT_GRADIENTS"
        if len(got) != len(right):
            return "LIST_LENGTH", {"got": len(got)}
        if same(got, right[::-1]):
            return "GRADIENTS_REVERSED"
        if not same(got, right):
            first_places = facts["_first places"]
            repeated = len(set(first_places)) < len(got)
            by_module = got == [got[place] for place in first_places]
            return "ONE_FOR_EACH_MODULE" if repeated and by_module else None
        if not same(facts["parameters"], expected["parameters"]):
            return "LEAF_WITHOUT_GRAD", {"what": "a parameter"}
        if facts["hooks"]:
            return "HOOK_LEFT_BEHIND", {"where": "one of the layers"}
        if not facts["list kept"]:
            return "LIST_CHANGED"
        if facts["tied"]:
            return "GRAD_TIED", {"what": "A gradient that you give back or leave in `.grad`"}
        return "X_REQUIRES_GRAD" if facts["x requires"] else "X_GRAD_LEFT"


class repeat_backward(Exercise):
    cases = (Case("two times", 2, times=2), Case("five times", 2, hidden=True, times=5))
    hints = (
        "The error says that the saved tensors are freed. Which call freed them?",
        "`retain_graph=True` must stand on each call that is followed by another one.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x, calls = floats(rng, 2).requires_grad_(), []
        x.register_hook(lambda grad: calls.append(1))
        loss = (x * x).sum()
        answer(loss, given["times"])
        facts = {"grad": describe(x.grad), "backwards": len(calls), "tied": tied(x.grad)}
        return facts | {"one more backward": one_more_backward(loss)}

    @staticmethod
    def diagnose(facts, expected):
        if facts["backwards"] != expected["backwards"]:
            return "BACKWARD_COUNT", {"got": facts["backwards"]}
        if facts["one more backward"] != "freed":
            return "GRAPH_KEPT" if facts["one more backward"] == "works" else "LOSS_CUT_OFF"
        if facts["tied"]:
            return "GRAD_TIED", {"what": "The `.grad` that you leave"}
        return None


class grad_history(Exercise):
    cases = (
        Case("two losses", 2, losses=2, old=False),
        Case("four losses, w has a .grad", 2, hidden=True, losses=4, old=True),
    )
    hints = (
        "Print `history[0] is history[1]`.",
        "`.grad` is one tensor, and each backward adds to it in place.",
        "`w.grad.clone()` is a copy that does not change any more.",
    )

    @staticmethod
    def observe(answer, given, rng):
        w, grads = floats(rng, 2).requires_grad_(), []
        before = w.detach().clone()
        # all gradients have the sign of w: no sum of them is 0, and no two sums are equal
        w.grad = before * floats(rng, 2).abs() if given["old"] else None
        factors = [floats(rng, 2).abs() for _ in range(given["losses"])]

        def make(factor):
            def make_loss():
                grads.append((2 * before * factor).tolist())
                return (w * w * factor).sum()

            return make_loss

        said = answer(w, [make(factor) for factor in factors])
        got = describe(said)
        if type(got) is not list:
            return {"kind": kind_of(got)}
        return {
            "history": [plain(entry) for entry in got],
            "w.grad": describe(w.grad),
            "w": plain(describe(w)),
            "hooks": hooks_on([w]),
            "tied": tied(*parts_of(said), w.grad),
            "_alone": grads,
            "_one memory": share_memory(*said, w.grad),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        got, right = facts["history"], expected["history"]
        if facts["w"] != expected["w"]:
            return "W_CHANGED"
        if len(got) != len(right):
            return "LIST_LENGTH", {"got": len(got)}
        if got == facts["_alone"]:
            return "GRAD_NOT_SUMMED"
        if None in got:
            return "NOTED_TOO_EARLY"
        if facts["_one memory"]:
            return "ONE_TENSOR_MANY_TIMES"
        if all(same(entry, right[-1]) for entry in got):
            return "COPIED_TOO_LATE"
        if all(entry == facts["w"] for entry in got):
            return "VALUES_NOT_GRADIENTS"
        if not same(got, right):
            return None
        if facts["hooks"]:
            return "HOOK_LEFT_BEHIND", {"where": "`w`"}
        if facts["tied"]:
            return "GRAD_TIED", {"what": "A gradient that you give back or leave in `.grad`"}
        return "LEAF_WITHOUT_GRAD", {"what": "`w`"}


def largest_stretch(gradient):
    """What torch.linalg.norm(gradient, 2) is: of a matrix the largest singular value."""
    return float(torch.linalg.norm(gradient, 2))


def telling_factors(rng, count, shape):
    """Factors of a chain in which no two places have a gradient of the same norm; the gradients.

    Where they are matrices, the largest singular value is another number.
    """
    while True:
        factors = [floats(rng, *shape) for _ in range(count)]
        gradients = [torch.stack(factors[i:]).prod(0) for i in range(1, count)]
        norms = [gradient.norm().item() for gradient in gradients]
        told = len(shape) == 1 or all(
            largest_stretch(gradient) < 0.99 * norm
            for gradient, norm in zip(gradients, norms, strict=True)
        )
        if told and len({round(norm, 3) for norm in norms}) == count - 1:
            return factors, gradients


class norms_only(Exercise):
    cases = (
        Case("a chain", 2, order=(0, 1, 2), shape=(2,), own_hook=False),
        Case("matrices in another order", 1, order=(2, 0, 1), shape=(2, 3), own_hook=False),
        Case("a longer chain", 3, hidden=True, order=(1, 3, 0, 4), shape=(3, 2), own_hook=True),
    )
    hints = (
        "A hook on each tensor can measure the norm when the gradient comes by.",
        "Hooks are called in the order of backward. Give each hook its own place in the list.",
        "Remove every hook when backward is done.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x, values = floats(rng, *given["shape"]).requires_grad_(), []
        count = max(given["order"]) + 2
        (*factors, last), gradients = telling_factors(rng, count, given["shape"])
        value = x
        for factor in factors:
            value = value * factor
            values.append(value)
        tensors = [values[i] for i in given["order"]]
        if given["own_hook"]:
            tensors[0].register_hook(lambda grad: None)
        numbers, nodes = describe(tensors), [t.grad_fn for t in tensors]
        norms = [float(t.detach().norm()) for t in tensors]
        got = describe(answer((value * last).sum(), list(tensors)))
        if type(got) is not list:
            return {"kind": kind_of(got)}
        return {
            "norms": got,
            "kept": sum(quiet_grad(t) is not None for t in tensors),
            "hooks": hooks_on(tensors),
            "x.grad": describe(x.grad),
            "same numbers": describe(tensors) == numbers,
            "same nodes": all(t.grad_fn is node for t, node in zip(tensors, nodes, strict=True)),
            "_values": norms,
            "_order": list(given["order"]),
            "_largest stretch": [largest_stretch(gradients[i]) for i in given["order"]],
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(facts["kind"])
        got, right = facts["norms"], expected["norms"]
        if None in got:
            only_last = got[-1] is not None and got.count(None) == len(got) - 1
            return "PLACE_EMPTY" if only_last else "NOTHING_MEASURED"
        if any(type(entry) not in (int, float) for entry in got):
            return "WRONG_TYPE", {"got": "a list that does not hold numbers"}
        if facts["kept"]:
            return "GRADIENT_KEPT"
        if not facts["same nodes"]:
            return "TENSORS_CHANGED", {"what": "another `grad_fn`, or none"}
        if not facts["same numbers"]:
            return "TENSORS_CHANGED", {"what": "other numbers"}
        if facts["hooks"] > expected["hooks"]:
            return "HOOK_LEFT_BEHIND", {"where": "one of the tensors or on its node"}
        if facts["hooks"] < expected["hooks"]:
            return "OTHERS_HOOKS_GONE"
        if same(got, right):
            return "LEAF_WITHOUT_GRAD", {"what": "the leaf"}
        if len(got) != len(right):
            return "LIST_LENGTH", {"got": len(got)}
        if same(got, facts["_values"]):
            return "VALUES_NOT_GRADIENTS"
        by_place = dict(zip(facts["_order"], right, strict=True))
        if same(got, [by_place[i] for i in sorted(by_place, reverse=True)]):
            return "GRADIENTS_REVERSED"
        return "NORM_OF_ANOTHER_KIND" if same(got, facts["_largest stretch"]) else None


class kept_bytes(Exercise):
    cases = (
        Case("two tensors that retain", 1, names="ab", backward=True),
        Case("a leaf, and one that does not retain", 1, names="xan", backward=True),
        Case("another dtype", 1, names="ad", backward=True),
        Case("a mixture, one tensor twice", 2, hidden=True, names="uxadbndae", backward=True),
        Case("before backward", 1, hidden=True, names="abd", backward=False),
    )
    hints = (
        "Which tensors hold a gradient? `t.retains_grad` and not `t.is_leaf`.",
        "Then `t.grad` can still be None: no backward has run.",
        "Bytes are `grad.numel() * grad.element_size()`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        x = floats(rng, rng.choice([3, 5, 7])).requires_grad_()
        # of such sizes that two mistakes do not give the same number
        a, b, n = torch.cat([x] * 5) * 2, torch.stack([x, x]), torch.cat([x] * 6)
        d, u = torch.cat([x, x]).double(), torch.cat([x, x]) * 3
        e = a.view_as(a)  # the values of a, in the memory of a, and another tensor
        by_name = {"x": x, "a": a, "b": b, "n": n, "d": d, "e": e, "u": u}
        for name in "abdeu":
            by_name[name].retain_grad()
        if given["backward"]:  # it does not reach u
            (a.sum() + b.sum() + n.sum() + d.sum() + e.sum()).backward()
        tensors = [by_name[name] for name in given["names"]]
        handed = list(tensors)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            got = describe_number(answer(handed))
        lost = given["backward"] and any(by_name[name].grad is None for name in "xabde")
        held = {name for name in "xabde" if by_name[name].grad is not None}
        names = list(given["names"])
        own = [name for name in names if name in held and name != "x"]

        def size(chosen):
            return count_bytes(by_name[name] for name in chosen)

        empty = [
            chosen
            for group in ("abndeu", "xabndeu", "abdeu")
            for listed in [[name for name in names if name in group]]
            for chosen in (listed, set(listed))
            if set(chosen) - held
        ]
        return {
            "bytes": got,
            "warned": any("is not a leaf" in str(w.message) for w in caught),
            "gradients lost": lost,
            "retain": [name for name in "abdenu" if by_name[name].retains_grad],
            "list kept": same_items(handed, tensors),
            "_elements": sum(by_name[name].numel() for name in set(own)),
            "_twice": size(own),
            "_with leaf": size(set(names) & held),
            "_without gradient": [size(chosen) for chosen in empty],
        }

    @staticmethod
    def diagnose(facts, expected):
        got = facts["bytes"]
        if got is None:
            return "RETURNS_NONE"
        if type(got) not in (int, float):
            return "WRONG_TYPE", {"got": kind_of(got)}
        if facts["gradients lost"]:
            return "GRADIENTS_CLEARED"
        if got == expected["bytes"]:
            if facts["retain"] != expected["retain"]:
                return "RETAINS_NOW"
            return "READS_WITHOUT_ASKING" if facts["list kept"] else "LIST_CHANGED"
        if got == facts["_elements"]:
            return "ELEMENTS_NOT_BYTES"
        if got == 4 * facts["_elements"]:
            return "FOUR_BYTES_ASSUMED"
        if got == facts["_twice"]:
            return "COUNTED_TWICE"
        if got == facts["_with leaf"]:
            return "LEAVES_COUNTED"
        return "VALUES_COUNTED" if got in facts["_without gradient"] else None


class needs_retain_graph(Exercise):
    cases = (
        Case("a sum, and a product", 2, functions=("shift", "scale"), grad=None),
        Case(
            "a product and then a sum, and a minus", 1, functions=("scale, shift", "neg"), grad=None
        ),
        Case(
            "longer chains, x has a .grad",
            3,
            hidden=True,
            functions=(
                "flip, shift, exp, shift",
                "flip, neg, shift",
                "own",
                "here",
                "total",
                "table",
            ),
            grad=2.0,
        ),
        Case("a function that fails", 2, hidden=True, functions=("fail",), grad=None),
    )
    hints = (
        "Make your own leaf with the values of `x`.",
        "`y` can be a vector: give backward weights, `torch.ones_like(y)`.",
        "Run backward twice. Only the second call belongs into `try: … except RuntimeError:`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        steps = {
            "shift": lambda x: x + 3,
            "scale": lambda x: x * 3,
            "exp": torch.exp,
            "neg": torch.neg,
            "flip": lambda x: x.flip(0).reshape(-1, 1),
            "fail": fail,
            "own": OwnSquare.apply,
            "total": torch.sum,
            "table": lambda x: torch.outer(x, x),
            "here": lambda v: v * v if torch.equal(v.detach(), before) else v + 3,
        }
        x = floats(rng, 3)
        if given["grad"] is not None:
            x.requires_grad_()
            x.grad = torch.full((3,), given["grad"])
        before, tracked = x.detach().clone(), x.requires_grad
        said, error = [], None
        try:
            for names in given["functions"]:
                said.append(describe(answer(chained(map(steps.get, names.split(", "))), x)))
        except RuntimeError as raised:
            if "this function fails" not in str(raised):
                raise
            error = "from f"
        return {
            "said": said,
            "error": error,
            "values kept": torch.equal(x.detach(), before),
            "grad kept": describe(x.grad),
            "requires_grad kept": x.requires_grad == tracked,
        }

    @staticmethod
    def diagnose(facts, expected):
        said, right = facts["said"], expected["said"]
        if facts["error"] != expected["error"]:
            return "ERROR_OF_F_LOST"
        for key in ("values kept", "grad kept", "requires_grad kept"):
            if facts[key] != expected[key]:
                return "X_CHANGED", {"what": key.removesuffix(" kept")}
        if None in said:
            return "RETURNS_NONE"
        for got, wanted in zip(said, right, strict=True):
            if type(got) is not bool:
                return "WRONG_TYPE", {"got": kind_of(got)}
            if got is not wanted:
                return "ALWAYS_TRUE" if got else "ALWAYS_FALSE"
        return None


class OwnSquare(torch.autograd.Function):
    """An operation whose node has no `_saved_…` name that says what it keeps."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def fail(x):
    raise RuntimeError("this function fails")


def chained(steps):
    """One function out of several that are called one after the other."""
    steps = tuple(steps)

    def f(x):
        for step in steps:
            x = step(x)
        return x

    return f


def quiet_grad(t):
    """t.grad without the warning about a non-leaf."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return t.grad


def hooks_on(tensors):
    """How many hooks hang on the tensors, those after .grad and those of their nodes included."""
    return sum(len(found.hooks) for t in tensors for found in registered.hooks_on(t))


def one_more_backward(loss):
    """What PyTorch does when the caller runs backward after an answer."""
    try:
        loss.backward()
    except RuntimeError as error:
        return "freed" if "second time" in str(error) else "another error"
    return "works"


def tied(*things):
    """Whether a tensor among them requires a gradient: a gradient that is tied to a graph does."""
    return any(is_tensor(thing) and thing.requires_grad for thing in things)


def parts_of(said):
    return said if isinstance(said, (list, tuple)) else []


def share_memory(*things):
    return all(map(is_tensor, things)) and len({thing.data_ptr() for thing in things}) == 1


def same_items(items, others):
    """Whether two lists hold the very same objects in the same order."""
    return list(map(id, items)) == list(map(id, others))


def module_hooks(module):
    """How many hooks hang on the module."""
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(module, kind)) for kind in kinds)


def count_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def plain(facts):
    """The flat list of numbers of a described tensor; anything else as it is."""
    return facts.get("values", facts) if isinstance(facts, dict) else facts
