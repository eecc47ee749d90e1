"""What the exercises of lesson 5 observe, and how their facts tell misconceptions apart."""

import math
from itertools import combinations

import torch
from torch import nn

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, is_tensor, kind_of, same
from course.lessons.linear_quirk.reasons import REASONS

__all__ = ["REASONS"]


class read_the_log(Exercise):
    cases = (
        Case("A, C and D", 2, lines=("A", "C", "D")),
        Case("B, E and F", 2, hidden=True, lines=("B", "E", "F")),
    )
    hints = (
        "How many elements has the tuple? A 3-D Linear ends with a view, which has one operand.",
        "Four-dimensional shapes belong to a convolution. In a Linear the weight comes transposed.",
        "None stands where no gradient was asked for: at an input that does not require one.",
    )
    WORDS = {
        "linear 2-D",
        "linear 2-D no bias",
        "linear 2-D data",
        "linear 3-D",
        "conv",
        "conv data",
    }

    @staticmethod
    def observe(answer, given, rng):
        said = describe(answer())
        if not isinstance(said, dict) or set(said) == {"kind"}:
            return {"kind": said}
        return {line: said.get(line) for line in given["lines"]}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(kind_of(facts["kind"]))
        differ = [line for line in expected if facts[line] != expected[line]]
        said = {line: facts[line] for line in differ}
        unknown = [n for n, word in said.items() if word not in read_the_log.WORDS]
        if unknown:
            return "LINES_MISSING", {"names": ", ".join(unknown)}
        groups = {
            "LINEAR_OR_CONV": lambda n: said[n].split()[0] != expected[n].split()[0],
            "NONE_NOT_READ": lambda n: ("data" in said[n]) != ("data" in expected[n]),
            "RANK_NOT_READ": lambda n: ("3-D" in said[n]) != ("3-D" in expected[n]),
            "BIAS_NOT_READ": lambda n: True,
        }
        code = next(code for code, belongs in groups.items() if any(map(belongs, differ)))
        return code, {"names": ", ".join(filter(groups[code], differ))}


class last_node(Exercise):
    cases = (
        Case("a Linear and a 2-D input", 1, calls=(("linear", (4, 3), True),)),
        Case("a Linear and a 3-D input", 1, calls=(("linear", (2, 4, 3), True),)),
        Case(
            "other layers",
            1,
            hidden=True,
            calls=(("conv", (1, 2, 5, 5), True), ("conv", (2, 5, 5), True), ("tanh", (3,), True)),
        ),
        Case("no node", 1, hidden=True, calls=(("same", (3,), True), ("tanh", (3,), False))),
    )
    hints = (
        "PyTorch hangs the legacy hook on the last node of the output.",
        "A tensor knows the node that made it: `grad_fn`. A node has a method `name()`.",
        "The output of `nn.Identity` is its input. If that is a leaf, `grad_fn` is None.",
    )

    @staticmethod
    def observe(answer, given, rng):
        return {"names": [last_node.ask(answer, rng, *call) for call in given["calls"]]}

    @staticmethod
    def ask(answer, rng, kind, shape, tracked):
        """One call of the answer, with evidence about the module."""
        module, x = layer(kind, rng), floats(rng, *shape).requires_grad_(tracked)
        said = describe(answer(module, x))
        if type(said) is str:
            said = said.split("::")[-1]
        node = module(x.detach().requires_grad_(tracked)).grad_fn
        following = [n.name().split("::")[-1] for n, _ in node.next_functions if n] if node else []
        return {
            "name": said,
            "_class": type(module).__name__,
            "_next": following,
            "_has a node": node is not None,
        }

    @staticmethod
    def diagnose(facts, expected):
        pairs = zip(facts["names"], expected["names"], strict=True)
        facts = next(got for got, right in pairs if not same(got, right))
        said = facts["name"]
        if said is None and facts["_has a node"]:
            return "RETURNS_NONE"
        if isinstance(said, dict) and "Backward" in said.get("kind", ""):
            return "NODE_NOT_NAME"
        if type(said) is not str:
            return wrong_kind(kind_of(said))
        if "<" in said or " at 0x" in said:
            return "NODE_NOT_NAME"
        if said == facts["_class"]:
            return "LAYER_NOT_NODE"
        if said in facts["_next"]:
            return "ONE_NODE_TOO_FAR", {"got": said}
        return None


class full_shapes(Exercise):
    cases = (
        Case("a Linear, 3-D input", 1, module="linear", shape=(2, 4, 3), tracked=True),
        Case("a convolution on data", 1, module="conv", shape=(1, 2, 5, 5), tracked=False),
        Case("a Sequential", 1, hidden=True, module="net", shape=(5, 3), tracked=True),
        Case("a 1-D input", 1, hidden=True, module="linear", shape=(3,), tracked=False),
    )
    hints = (
        "grad_input belongs to the inputs, grad_output to the outputs.",
        "Nothing is computed for an input that does not require a gradient.",
        "`x.shape` and `module(x).shape` are all that you need.",
    )

    @staticmethod
    def observe(answer, given, rng):
        module = layer(given["module"], rng)
        x = floats(rng, *given["shape"]).requires_grad_(given["tracked"])
        said = describe(answer(module, x))
        return {
            "said": said,
            "no hook is left": not hooks_on(module),
            "_tracked": given["tracked"],
            "_weights": [list(p.shape) for p in module.parameters()],
        }

    @staticmethod
    def diagnose(facts, expected):
        said, right = facts["said"], expected["said"]
        if type(said) is not list:
            return wrong_kind(kind_of(said))
        if len(said) != 2 or not all(s is None or type(s) is list for s in said):
            return "NOT_TWO_SHAPES", {"got": said}
        if not facts["no hook is left"]:
            return "LAYER_HOOK_LEFT"
        if said[0] == right[1]:
            return "SHAPES_SWAPPED"
        if not facts["_tracked"] and said[0] is not None and said[1] == right[1]:
            return "UNTRACKED_HAS_NO_GRADIENT", {"got": said[0]}
        if any(s in facts["_weights"] for s in said if s is not None):
            return "SHAPE_OF_A_WEIGHT"
        if flat(said[0]) == flat(right[0]) or flat(said[0]) == flat(right[1]):
            return "FLATTENED_SHAPE", {"got": said[0]}
        return None


class order(Exercise):
    cases = (
        Case("x requires a gradient", 2, tracked=True),
        Case("x does not require a gradient", 2, hidden=True, tracked=False),
    )
    hints = (
        "backward() returns when everything is done.",
        "The full hook needs grad_input. When is the gradient of x known?",
        "With an x that requires no gradient there is nothing to wait for but grad_output.",
    )

    @staticmethod
    def observe(answer, given, rng):
        return {"order": describe(answer(given["tracked"])), "_tracked": given["tracked"]}

    @staticmethod
    def diagnose(facts, expected):
        said, right = facts["order"], expected["order"]
        if type(said) is not list:
            return wrong_kind(kind_of(said))
        if "x" in said and not facts["_tracked"]:
            return "HOOK_ON_UNTRACKED"
        if any(type(word) is not str for word in said) or sorted(said) != sorted(right):
            return "NOT_THESE_EVENTS"
        if said[-1] != "after":
            return "HOOKS_AFTER_BACKWARD"
        if "x" in said and said.index("x") < said.index("layer"):
            return "INPUT_BEFORE_LAYER"
        return "LAYER_TOO_EARLY" if facts["_tracked"] else "LAYER_TOO_LATE"


class watch_input(Exercise):
    cases = (
        Case("a Linear without bias", 1, module="no bias", shape=(4, 3), tracked=True),
        Case("a 3-D input, two backwards", 2, module="linear", shape=(2, 2, 3), tracked=True),
        Case("a convolution", 1, hidden=True, module="conv", shape=(1, 2, 4, 4), tracked=True),
        Case("a Sequential", 1, hidden=True, module="net no bias", shape=(4, 3), tracked=True),
        Case("a Linear on data", 1, hidden=True, module="no bias", shape=(4, 3), tracked=False),
    )
    hints = (
        "No index of the legacy tuple is right for every layer.",
        "The full hook's grad_input has one element for each input of the module.",
        "Register with `register_full_backward_hook`, and give back what it returns.",
    )

    @staticmethod
    def observe(answer, given, rng):
        module, seen, kinds, flowing = layer(given["module"], rng), [], [], []
        handle = answer(module, seen)
        removable = hasattr(handle, "remove")
        for _ in range(2):
            idle, x = (
                floats(rng, *given["shape"]).requires_grad_(given["tracked"]) for _ in range(2)
            )
            module(idle)  # a forward alone adds nothing
            out = module(x)
            gradient = floats(rng, *out.shape)
            module.zero_grad()
            out.backward(gradient)
            kinds.append(whose(seen[-1], module, x, gradient) if seen else "nothing")
            flowing.append(describe(x.grad))
        kept = describe(seen)
        if removable:
            handle.remove()
            x = floats(rng, *given["shape"]).requires_grad_(given["tracked"])
            module(x).sum().backward()
        return {
            "seen": kept,
            "handle": removable,
            "after remove": len(seen),
            "x.grad": flowing,
            "_kinds": kinds,
        }

    @staticmethod
    def diagnose(facts, expected):
        seen, kind = facts["seen"], facts["_kinds"][-1]
        if not seen:
            return "NOTHING_SEEN"
        if not same(facts["x.grad"], expected["x.grad"]):
            return "INPUT_GRADIENT_CHANGED"
        if kind != "input" and (kind, expected["seen"][-1]) != ("None", None):
            known = {
                "output": "OUTPUT_NOT_INPUT",
                "output, flattened": "OUTPUT_NOT_INPUT",
                "weight": "WEIGHT_NOT_INPUT",
                "weight.T": "WEIGHT_NOT_INPUT",
                "value": "VALUE_NOT_GRADIENT",
                "tuple": "TUPLE_IN_THE_LIST",
            }
            return known.get(kind, "WRONG_VALUE")
        if len(seen) != len(expected["seen"]):
            return "NOT_ONCE_EACH", {"got": len(seen)}
        if not facts["handle"]:
            return "HANDLE_NOT_RETURNED"
        if facts["after remove"] != expected["after remove"]:
            return "STILL_CALLED"
        return None


class watch_parameters(Exercise):
    cases = (
        Case("a Linear", 2, module="linear", freeze=(), backwards=1),
        Case("a second backward, .grad not cleared", 2, module="linear", freeze=(), backwards=2),
        Case("a frozen one", 2, hidden=True, module="net", freeze=("0.weight",), backwards=2),
    )
    hints = (
        "A parameter is a tensor, and a tensor has hooks of its own.",
        "`p.register_hook(f)` calls f with the gradient of this backward, before it is added.",
        "A function made in a loop must remember its own name: `lambda grad, name=name: …`.",
    )

    @staticmethod
    def observe(answer, given, rng):
        module, seen = layer(given["module"], rng), {}
        for name, p in module.named_parameters():
            p.requires_grad_(name not in given["freeze"])
        said = answer(module, seen)
        try:
            handles = [h for h in said if hasattr(h, "remove")]
        except TypeError:
            handles = []
        for _ in range(given["backwards"]):
            module(floats(rng, 4, 3)).backward(floats(rng, 4, 2))
        facts = {
            "seen": describe(seen),
            "handles": bool(handles),
            ".grad": {n: describe(p.grad) for n, p in module.named_parameters()},
        }
        for handle in handles:
            handle.remove()
        seen.clear()
        module(floats(rng, 4, 3)).backward(floats(rng, 4, 2))
        return facts | {"after remove": sorted(map(str, seen))}

    @staticmethod
    def diagnose(facts, expected):
        seen, right = facts["seen"], expected["seen"]
        if not seen:
            return "NOTHING_SEEN"
        if set(seen) < set(right):
            return "NAMES_LOST", {"names": ", ".join(sorted(seen))}
        if set(seen) != set(right):
            return "OTHER_NAMES", {"names": ", ".join(sorted(set(seen) - set(right)))}
        for name, gradient in seen.items():
            if not isinstance(gradient, dict) or "tensor" not in gradient:
                return "NO_GRADIENT_YET", {"name": name, "got": kind_of(gradient)}
            if gradient["tensor"] != right[name]["tensor"]:
                return "GRADIENT_OF_ANOTHER_SHAPE", {"name": name, "got": gradient["tensor"]}
        if not same(seen, right):
            summed = all(same(seen[n], facts[".grad"][n]) for n in seen)
            return "HOLDS_OLDER_GRADIENTS" if summed else None
        if not same(facts[".grad"], expected[".grad"]):
            return "STORED_GRADIENT_CHANGED"
        if not facts["handles"]:
            return "HANDLE_NOT_RETURNED"
        if facts["after remove"]:
            return "STILL_CALLED"
        return None


class double_weight_gradient(Exercise):
    cases = (
        Case("a Linear, 3-D input", 1, module="linear", shape=(2, 2, 3), backwards=1),
        Case("without bias, two backwards", 2, module="no bias", shape=(4, 3), backwards=2),
        Case("a convolution", 1, hidden=True, module="conv", shape=(1, 2, 4, 4), backwards=1),
        Case("a 1-D input, twice", 2, hidden=True, module="linear", shape=(3,), backwards=2),
    )
    hints = (
        "The weight's gradient does not pass through the layer's hook in every case.",
        "A tensor hook on the weight gets its gradient and may return another one.",
        "`.grad` may already hold an older gradient: change the new one, not the sum.",
    )

    @staticmethod
    def observe(answer, given, rng):
        module = layer(given["module"], rng)
        before = {name: p.detach().clone() for name, p in module.named_parameters()}
        handle = answer(module)
        inputs = [floats(rng, *given["shape"]).requires_grad_() for _ in range(3)]
        for x in inputs[: given["backwards"]]:
            out = module(x)
            out.backward(floats(rng, *out.shape).abs())  # so that the bias's sum is not 0
        facts = {
            "weight": describe(module.weight.grad),
            "bias": describe(getattr(module.bias, "grad", None)),
            "inputs": [describe(x.grad) for x in inputs[: given["backwards"]]],
            "values kept": all(torch.equal(p, before[n]) for n, p in module.named_parameters()),
            "handle": hasattr(handle, "remove"),
        }
        if facts["handle"]:
            handle.remove()
            module.zero_grad()
            module(inputs[2]).sum().backward()
            facts["plain after remove"] = describe(module.weight.grad)
        return facts

    @staticmethod
    def diagnose(facts, expected):
        if not facts["values kept"]:
            return "PARAMETER_CHANGED"
        if not same(facts["inputs"], expected["inputs"]):
            return "INPUT_GRADIENT_CHANGED"
        if not same(facts["bias"], expected["bias"]):
            return "BIAS_GRADIENT_CHANGED"
        if not same(facts["weight"], expected["weight"]):
            plain = same(facts["weight"], scaled(expected["weight"], 0.5))
            return "WEIGHT_GRADIENT_PLAIN" if plain else "WEIGHT_GRADIENT_OTHER"
        if not facts["handle"]:
            return "HANDLE_NOT_RETURNED"
        return "STILL_CALLED"


class linear_gradients(Exercise):
    cases = (
        Case("2-D", 2, front=(4,), contiguous=True),
        Case("3-D", 1, front=(2, 3), contiguous=True),
        Case("1-D", 1, hidden=True, front=(), contiguous=True),
        Case("4-D, not contiguous", 2, hidden=True, front=(2, 2, 3), contiguous=False),
    )
    hints = (
        "Flatten both tensors to rows: every row is one use of the weight.",
        "The weight's gradient sums, over all rows, gradient times input. It is (n_out, n_in).",
        "`g.t() @ rows` makes the sum; the bias gets the sum of the rows of g.",
    )

    @staticmethod
    def observe(answer, given, rng):
        front = given["front"]
        if given["contiguous"]:
            x, gradient = floats(rng, *front, 3), floats(rng, *front, 2)
        else:
            turned = (front[1], front[0], *front[2:])
            x = floats(rng, *turned, 3).transpose(0, 1)
            gradient = floats(rng, *turned, 2).transpose(0, 1)
        given_values = describe([x, gradient])
        said = answer(x, gradient)
        if is_tensor(said) or not isinstance(said, (tuple, list)) or len(said) != 2:
            return {"kind": describe(said)}
        facts = dict(zip(("weight", "bias"), map(describe_any_precision, said), strict=True))
        return facts | {"given values kept": describe([x, gradient]) == given_values}

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(kind_of(facts["kind"]))
        weight, bias = facts["weight"], facts["bias"]
        for got in (weight, bias):
            if not isinstance(got, dict) or "tensor" not in got:
                return wrong_kind(kind_of(got))
        right = expected["weight"]["tensor"], expected["bias"]["tensor"]
        if (weight["tensor"], bias["tensor"]) == right[::-1]:
            return "WEIGHT_AND_BIAS_SWAPPED"
        if weight["tensor"] == right[0][::-1]:
            return "WEIGHT_TRANSPOSED"
        if weight["tensor"] != right[0]:
            return "ROWS_NOT_SUMMED", {"what": "weight", "got": weight["tensor"]}
        if bias["tensor"] != right[1]:
            return "ROWS_NOT_SUMMED", {"what": "bias", "got": bias["tensor"]}
        for name in ("weight", "bias"):
            if not same(facts[name], expected[name]):
                return "SCALED_OR_PARTIAL", {"what": name}
        return "GIVEN_VALUES_CHANGED"


class OldLinear(Exercise):
    cases = (
        Case("a 3-D input", 2, shape=(1, 2, 3)),
        Case("a 2-D input", 1, shape=(4, 3)),
        Case("a 1-D input", 1, hidden=True, shape=(3,)),
        Case("a 4-D input", 2, hidden=True, shape=(2, 1, 2, 3)),
    )
    hints = (
        "The last operation decides. Which one has the product and the bias as operands?",
        "nn.Linear computes x @ W.t() + b. Write it with an operator, and the addition is a node.",
        "The order of the two elements is the order of the two operands.",
    )

    @staticmethod
    def observe(answer, given, rng):
        made = answer(3, 2)
        if not isinstance(made, nn.Linear):
            return {"kind": describe(made)}
        fill(made, rng)
        x = floats(rng, *given["shape"]).requires_grad_()
        out = made(x)
        if not is_tensor(out):
            return {"kind": describe(out)}
        received = []
        made.register_backward_hook(lambda module, gi, go: received.extend(gi))
        out = made(x)
        truth = nn.functional.linear(x.detach(), made.weight.detach(), made.bias.detach())
        facts = {"right output": out.shape == truth.shape and torch.allclose(out, truth)}
        if facts["right output"]:
            gradient = floats(rng, *out.shape)
            out.backward(gradient)
            facts["received"] = [describe(g) for g in received]
            facts["gradients"] = [describe(p.grad) for p in (x, made.weight, made.bias)]
            facts["_node"] = out.grad_fn.name()
        return facts

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(kind_of(facts["kind"]))
        if not facts["right output"]:
            return "OUTPUT_DIFFERS"
        got, right = facts["received"], expected["received"]
        if same(got, right[::-1]):
            return "OPERANDS_SWAPPED"
        if not same(facts["gradients"], expected["gradients"]):
            return "GRAPH_IS_CUT"
        return "LAST_NODE_IS_ANOTHER", {"got": len(got), "node": facts["_node"]}


def telling_input(rng, module, shape):
    """An input whose columns have different sums: else a square weight.grad may be its transpose.

    What the module makes of it is small enough for a loss with exp. With a loss like
    `out.pow(2).sum()` no gradient equals another one or its transpose.
    """
    while True:
        x = floats(rng, *shape).requires_grad_()
        sums, out = x.reshape(-1, shape[-1]).sum(0).tolist(), module(x)
        found = torch.autograd.grad(out.pow(2).sum(), [x, out, module.weight])
        found = [*found, found[-1].t()] if module.weight.ndim == 2 else found
        alike = any(a.shape == b.shape and torch.allclose(a, b) for a, b in combinations(found, 2))
        if len(set(sums)) > 1 and out.abs().max() < 60 and not alike:
            return x.detach()


class name_elements(Exercise):
    cases = (
        Case("a Linear, 2-D input", 2, module="linear", shape=(4, 3), tracked=True),
        Case("a Linear on data", 1, module="linear", shape=(4, 3), tracked=False),
        Case("a convolution", 1, module="conv", shape=(1, 2, 4, 4), tracked=True),
        Case("without bias", 1, hidden=True, module="no bias", shape=(4, 3), tracked=True),
        Case("a 3-D input", 1, hidden=True, module="linear", shape=(2, 2, 3), tracked=True),
        Case("an addition", 1, hidden=True, module="exchange", shape=(1, 1, 3), tracked=True),
        Case("a square weight", 1, hidden=True, module="square", shape=(4, 3), tracked=True),
    )
    hints = (
        "Collect grad_input in the hook and compare after backward: before, .grad is empty.",
        "Compare the shapes first; torch.allclose raises an error for shapes that do not fit.",
        "`weight.grad.t()` exists only for a 2-D weight, and `x.grad` is None for data.",
    )

    @staticmethod
    def observe(answer, given, rng):
        module = layer(given["module"], rng)
        x = telling_input(rng, module, given["shape"]).requires_grad_(given["tracked"])
        return {
            "names": describe(answer(module, x)),
            "no hook is left": not hooks_on(module),
            "_full hook": module._is_full_backward_hook is True,
        }

    @staticmethod
    def diagnose(facts, expected):
        said, right = facts["names"], expected["names"]
        if type(said) is not list:
            return wrong_kind(kind_of(said))
        if facts["_full hook"] and said != right:
            return "FULL_HOOK_USED"
        if len(said) != len(right):
            return "NOT_ONE_WORD_EACH", {"got": len(said)}
        words = ("input", "weight", "bias", "weight.T", "other", None)
        if any(type(w) not in (str, type(None)) or w not in words for w in said):
            return "NOT_THESE_WORDS"
        pairs = [(s, r) for s, r in zip(said, right, strict=True) if s != r]
        if ("weight", "weight.T") in pairs or ("weight.T", "weight") in pairs:
            return "TRANSPOSE_NOT_SEEN"
        if any(r is None for _, r in pairs):
            return "NONE_NAMED"
        if any(s is None for s, _ in pairs):
            return "TENSOR_CALLED_NONE"
        if any(r == "other" for _, r in pairs):
            return "FOREIGN_NAMED", {"got": next(s for s, r in pairs if r == "other")}
        called_other = {r for s, r in pairs if s == "other"}
        if called_other:
            transpose = called_other == {"weight.T"}
            return "TRANSPOSE_CALLED_OTHER" if transpose else "KNOWN_CALLED_OTHER"
        if pairs:
            return "ORDER_ASSUMED", {"got": ", ".join(str(s) for s, _ in pairs)}
        return "LAYER_HOOK_LEFT"


class Exchange(nn.Linear):
    """Exchanges the numbers of its input, and adds a bias. For gradients of only ones, the
    gradient of the input equals that of the product: `layer(x).sum()` cannot tell them apart.
    With one row, the gradient of the product has the numbers of that of the bias."""

    def __init__(self):
        super().__init__(3, 3)

    def forward(self, x):
        return x @ self.weight.t() + self.bias


LAYERS = {
    "linear": lambda: nn.Linear(3, 2),
    "no bias": lambda: nn.Linear(3, 2, bias=False),
    "square": lambda: nn.Linear(3, 3),
    "exchange": Exchange,
    "tanh": nn.Tanh,
    "conv": lambda: nn.Conv2d(2, 3, 3),
    "net": lambda: nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)),
    "net no bias": lambda: nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2, bias=False)),
    "same": lambda: nn.Identity(),
}


def layer(kind, rng):
    """A module of that kind whose parameters are small whole numbers."""
    return fill(LAYERS[kind](), rng)


def fill(module, rng):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(floats(rng, *p.shape))
        if isinstance(module, Exchange):
            module.weight.copy_(torch.eye(3).roll(1, 0))
    return module


def hooks_on(module):
    """How many hooks of any kind are left on a module, its parts and its parameters."""
    of_modules = ("_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks")
    of_tensors = ("_backward_hooks", "_post_accumulate_grad_hooks")
    return sum(len(getattr(m, kind)) for m in module.modules() for kind in of_modules) + sum(
        len(getattr(p, kind) or ()) for p in module.parameters() for kind in of_tensors
    )


def describe_any_precision(thing):
    """The facts of a tensor, where a double is as good as a float."""
    return describe(thing.float() if is_tensor(thing) else thing)


def whose(element, module, x, gradient):
    """What a kept element is: evidence for a message."""
    if element is None:
        return "None"
    if isinstance(element, (tuple, list)):
        return "tuple"
    if not is_tensor(element):
        return "something else"
    weights = [p.grad for p in module.parameters() if p.grad is not None]
    candidates = [("input", x.grad), ("output", gradient), ("value", x.detach())]
    candidates += [("output, flattened", gradient.reshape(-1, gradient.shape[-1]))]
    candidates += [("weight", g) for g in weights]
    candidates += [("weight.T", g.t()) for g in weights if g.ndim == 2]
    for name, g in candidates:
        if g is not None and g.shape == element.shape and torch.allclose(g, element.detach()):
            return name
    return "something else"


def flat(shape):
    """The shape after flattening to 2-D."""
    if not shape:
        return shape
    return [math.prod(shape[:-1]), shape[-1]]


def scaled(facts, factor):
    return {**facts, "values": [factor * v for v in facts["values"]]}
