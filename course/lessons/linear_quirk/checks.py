"""What the exercises of lesson 5 observe, and how their facts tell misconceptions apart."""

import copy
import math

import torch
from torch import nn

from course.draw import floats
from course.exercise import Case, Exercise, wrong_kind
from course.facts import describe, is_tensor, kind_of, same
from course.lessons.linear_quirk.evidence import (
    brief,
    describe_any_precision,
    flat,
    plus,
    scaled,
    stored_gradients,
    whose,
)
from course.lessons.linear_quirk.layers import fill, hooks_on, layer, made_input, telling_input
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
            calls=(
                ("conv", (1, 2, 5, 5), True),
                ("conv", (2, 5, 5), True),
                ("tanh", (3,), True),
                ("linear", (4, 3), False),
                ("residual", (4, 3), True),
                ("same", (3,), "a result"),
            ),
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
        module, x = layer(kind, rng), made_input(rng, shape, tracked)
        said = describe(answer(module, x))
        if type(said) is str:
            said = said.split("::")[-1]
        node = module(made_input(rng, shape, tracked)).grad_fn
        following = [n.name().split("::")[-1] for n, _ in node.next_functions if n] if node else []
        return {
            "name": said,
            "_class": type(module).__name__,
            "_next": following,
            "_has a node": node is not None,
            "_tracked": bool(tracked),
        }

    @staticmethod
    def diagnose(facts, expected):
        pairs = zip(facts["names"], expected["names"], strict=True)
        facts = next(got for got, right in pairs if not same(got, right))
        said = facts["name"]
        if said is None and facts["_has a node"]:
            return "RETURNS_NONE" if facts["_tracked"] else "OUTPUT_HAS_A_NODE"
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
        Case("a Sequential", 1, hidden=True, module="net", shape=(5, 3), tracked="a result"),
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
        x = made_input(rng, given["shape"], given["tracked"])
        before = [t.requires_grad for t in (x, *module.parameters())]
        said = describe(answer(module, x))
        return {
            "said": said,
            "no hook is left": not hooks_on(module),
            "requires_grad kept": [t.requires_grad for t in (x, *module.parameters())] == before,
            "_tracked": bool(given["tracked"]),
            "_weights": [list(p.shape) for p in module.parameters()],
        }

    @staticmethod
    def diagnose(facts, expected):
        said, right = facts["said"], expected["said"]
        if type(said) is not list:
            return wrong_kind(kind_of(said))
        if len(said) != 2 or not all(s is None or type(s) is list for s in said):
            return "NOT_TWO_SHAPES", {"got": brief(said)}
        if not facts["no hook is left"]:
            return "LAYER_HOOK_LEFT"
        if said == right:
            return "REQUIRES_GRAD_CHANGED"
        if said[0] == right[1]:
            return "SHAPES_SWAPPED"
        if not facts["_tracked"] and said[0] is not None and said[1] == right[1]:
            return "UNTRACKED_HAS_NO_GRADIENT", {"got": said[0]}
        wrong = [s for s, r in zip(said, right, strict=True) if s not in (r, None)]
        if any(s in facts["_weights"] for s in wrong):
            return "SHAPE_OF_A_WEIGHT"
        if said[0] == right[0]:
            return "NOT_THE_OUTPUT_SHAPE", {"got": said[1]}
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
        Case(
            "a convolution, and x is used outside too",
            1,
            hidden=True,
            module="conv",
            shape=(1, 2, 4, 4),
            tracked=True,
            outside=True,
        ),
        Case(
            "a residual block, first with zeros",
            1,
            hidden=True,
            module="residual",
            shape=(4, 3),
            tracked=True,
            zeros=True,
        ),
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
        plain = copy.deepcopy(module)
        handle = answer(module, seen)
        removable = hasattr(handle, "remove")
        for zeros in (given.get("zeros", False), False):
            idle, x = (
                floats(rng, *given["shape"]).requires_grad_(given["tracked"]) for _ in range(2)
            )
            module(idle)  # a forward alone adds nothing
            out = module(x)
            gradient = floats(rng, *out.shape) * (not zeros)
            module.zero_grad()
            loss = (out * gradient).sum()
            if given.get("outside"):
                loss = loss + (x * floats(rng, *x.shape)).sum()
            loss.backward()
            kinds.append(whose(seen[-1], plain, x, gradient) if seen else "nothing")
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
            "_tracked": given["tracked"],
        }

    @staticmethod
    def diagnose(facts, expected):
        seen, kind = facts["seen"], facts["_kinds"][-1]
        if not seen:
            return "NOTHING_SEEN" if facts["_tracked"] else "NONE_IS_MISSING"
        if not same(facts["x.grad"], expected["x.grad"]):
            return "WATCHER_CHANGES_GRADIENT"
        if kind != "input" and (kind, expected["seen"][-1]) != ("None", None):
            known = {
                "output": "OUTPUT_NOT_INPUT",
                "output, flattened": "OUTPUT_NOT_INPUT",
                "weight": "WEIGHT_NOT_INPUT",
                "weight.T": "WEIGHT_NOT_INPUT",
                "value": "VALUE_NOT_GRADIENT",
                "tuple": "TUPLE_IN_THE_LIST",
                "whole": "OUTSIDE_COUNTED",
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
        Case("a Linear", 2, module="linear", steps=("backward",)),
        Case(
            "a second backward, .grad not cleared",
            2,
            module="linear",
            steps=("backward", "backward"),
        ),
        Case(
            "a frozen one",
            2,
            hidden=True,
            module="scaled",
            freeze=("0.weight",),
            older=True,
            steps=("backward", "zeros", "clear", "backward"),
        ),
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
            p.requires_grad_(name not in given.get("freeze", ()))
        if given.get("older"):
            watch_parameters.run(module, rng, 1)
        said = answer(module, seen)
        try:
            handles = [h for h in said if hasattr(h, "remove")]
        except TypeError:
            handles = []
        backwards, cleared = [], {}
        for step in given["steps"]:
            if step == "clear":
                cleared = stored_gradients(module)
                module.zero_grad()
                continue
            watch_parameters.run(module, rng, step != "zeros")
            now = {"seen": describe(seen), ".grad": stored_gradients(module)}
            backwards.append(now | {"_zeros": step == "zeros", "_cleared": cleared})
        facts = {
            "backwards": backwards,
            "handles": bool(handles),
            "requires_grad": {n: p.requires_grad for n, p in module.named_parameters()},
        }
        for handle in handles:
            handle.remove()
        seen.clear()
        watch_parameters.run(module, rng, 1)
        return facts | {"after remove": sorted(map(str, seen))}

    @staticmethod
    def run(module, rng, factor):
        """One backward. All its numbers are above zero, so that no bias's gradient sums up to 0."""
        module(floats(rng, 4, 3)).backward(factor * floats(rng, 4, 2).abs())

    @staticmethod
    def diagnose(facts, expected):
        if facts["requires_grad"] != expected["requires_grad"]:
            return "REQUIRES_GRAD_CHANGED"
        older = {}
        for now, wanted in zip(facts["backwards"], expected["backwards"], strict=True):
            if not same(now, wanted):
                names = list(facts["requires_grad"])
                return watch_parameters.why(now, wanted, older, names)
            older = now["seen"]
        return "STILL_CALLED" if facts["handles"] else "HANDLE_NOT_RETURNED"

    @staticmethod
    def why(now, wanted, older, names):
        """Why the facts of one backward differ.

        `older` is what `seen` held before, `names` are those of all parameters, in their order.
        """
        seen, right = now["seen"], wanted["seen"]
        if not seen:
            own = any("." not in name for name in names)
            return "NOTHING_SEEN" if own else "PARTS_NOT_SEEN"
        if set(seen) < set(right):
            code = "NAMES_LOST" if list(seen) == names[-1:] else "PARAMETERS_LEFT_OUT"
            return code, {"names": ", ".join(sorted(seen))}
        if set(seen) != set(right):
            return "OTHER_NAMES", {"names": ", ".join(sorted(set(seen) - set(right)))}
        for name, gradient in seen.items():
            if not isinstance(gradient, dict) or "values" not in gradient:
                return "NO_GRADIENT_YET", {"name": name, "got": kind_of(gradient)}
            if gradient["tensor"] != right[name]["tensor"]:
                return "GRADIENT_OF_ANOTHER_SHAPE", {"name": name, "got": gradient["tensor"]}
        if same(seen, right):
            return "STORED_GRADIENT_CHANGED"
        if now["_zeros"] and same(seen, older):
            return "ZEROS_LEFT_OUT"
        if all(same(seen[n], now[".grad"][n]) for n in seen):
            return "HOLDS_OLDER_GRADIENTS"
        if now["_cleared"] and all(
            same(plus(seen[n], now["_cleared"][n]), now[".grad"][n]) for n in seen
        ):
            return "CLEARED_SUBTRACTED"
        return None


class double_weight_gradient(Exercise):
    cases = (
        Case("a Linear, 3-D input", 1, module="linear", shape=(2, 2, 3), clear=(False,)),
        Case(
            "without bias, two backwards", 2, module="no bias", shape=(4, 3), clear=(False, False)
        ),
        Case(
            "a convolution on data",
            1,
            hidden=True,
            module="conv",
            shape=(1, 2, 4, 4),
            tracked=False,
            clear=(False,),
        ),
        Case(
            "a 1-D input, three times",
            1,
            hidden=True,
            module="linear",
            shape=(3,),
            clear=(False, False, True),
        ),
        Case(
            "a layer that adds its weight",
            1,
            hidden=True,
            module="adds weight",
            shape=(3,),
            clear=(False,),
        ),
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
        count = len(given["clear"])
        tracked = given.get("tracked", True)
        inputs = [floats(rng, *given["shape"]).requires_grad_(tracked) for _ in range(count + 1)]
        weights = []
        for x, clear in zip(inputs, given["clear"], strict=False):
            if clear:
                module.zero_grad()
            out = module(x * 1)
            out.backward(floats(rng, *out.shape).abs())  # so that the bias's sum is not 0
            weights.append(describe(module.weight.grad))
        bias = getattr(module, "bias", None)
        facts = {
            "weights": weights,
            "bias": describe(getattr(bias, "grad", None)),
            "inputs": [describe(x.grad) for x in inputs[:count]],
            "values kept": all(torch.equal(p, before[n]) for n, p in module.named_parameters()),
            "handle": hasattr(handle, "remove"),
            "_shared": given["module"] == "adds weight",
        }
        if facts["handle"]:
            handle.remove()
            module.zero_grad()
            module(inputs[-1]).sum().backward()
            facts["plain after remove"] = describe(module.weight.grad)
        return facts

    @staticmethod
    def diagnose(facts, expected):
        if not facts["values kept"]:
            return "PARAMETER_CHANGED"
        if not same(facts["inputs"], expected["inputs"]):
            return "SHARED_GRADIENT_CHANGED" if facts["_shared"] else "INPUT_GRADIENT_CHANGED"
        if not same(facts["bias"], expected["bias"]):
            return "BIAS_GRADIENT_CHANGED"
        if not same(facts["weights"], expected["weights"]):
            plain = same(facts["weights"], [scaled(w, 0.5) for w in expected["weights"]])
            return "WEIGHT_GRADIENT_PLAIN" if plain else "WEIGHT_GRADIENT_OTHER"
        if not facts["handle"]:
            return "HANDLE_NOT_RETURNED"
        return "STILL_CALLED"


class linear_gradients(Exercise):
    cases = (
        Case("2-D", 2, front=(4,), sizes=(3, 2), contiguous=True),
        Case("3-D", 1, front=(2, 3), sizes=(3, 2), contiguous=True),
        Case("1-D", 1, hidden=True, front=(), sizes=(5, 4), contiguous=True),
        Case(
            "4-D, not contiguous, one output",
            2,
            hidden=True,
            front=(2, 2, 3),
            sizes=(4, 1),
            contiguous=False,
        ),
    )
    hints = (
        "Flatten both tensors to rows: every row is one use of the weight.",
        "The weight's gradient sums, over all rows, gradient times input. It is (n_out, n_in).",
        "`g.t() @ rows` makes the sum; the bias gets the sum of the rows of g.",
    )

    @staticmethod
    def observe(answer, given, rng):
        front, (n_in, n_out) = given["front"], given["sizes"]
        if given["contiguous"]:
            x, gradient = floats(rng, *front, n_in), floats(rng, *front, n_out)
        else:
            turned = (front[1], front[0], *front[2:])
            x = floats(rng, *turned, n_in).transpose(0, 1)
            gradient = floats(rng, *turned, n_out).transpose(0, 1)
        given_values = describe([x, gradient])
        said = answer(x, gradient)
        if is_tensor(said) or not isinstance(said, (tuple, list)) or len(said) != 2:
            return {"kind": describe(said)}
        facts = dict(zip(("weight", "bias"), map(describe_any_precision, said), strict=True))
        kept = describe([x, gradient]) == given_values
        return facts | {"given kept": kept and not (x.requires_grad or gradient.requires_grad)}

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
        for what, got, shape in (
            ("weight", weight["tensor"], right[0]),
            ("bias", bias["tensor"], right[1]),
        ):
            if got != shape:
                more = math.prod(got) > math.prod(shape)
                code = "ROWS_NOT_SUMMED" if more else "NOT_THE_PARAMETERS_SHAPE"
                return code, {"what": what, "got": got}
        for name in ("weight", "bias"):
            if not same(facts[name], expected[name]):
                return "SCALED_OR_PARTIAL", {"what": name}
        return "GIVEN_VALUES_CHANGED"


class OldLinear(Exercise):
    cases = (
        Case("a 3-D input", 2, sizes=(3, 2), shapes=((1, 2, 3),)),
        Case("a 2-D input", 1, sizes=(3, 2), shapes=((4, 3),)),
        Case(
            "a 1-D and a 2-D input, float64",
            1,
            hidden=True,
            sizes=(3, 2),
            shapes=((3,), (4, 3)),
            dtype=torch.float64,
        ),
        Case("a 4-D input", 2, hidden=True, sizes=(5, 4), shapes=((2, 1, 2, 5),)),
    )
    hints = (
        "The last operation decides. Which one has the product and the bias as operands?",
        "nn.Linear computes x @ W.t() + b. Write it with an operator, and the addition is a node.",
        "The order of the two elements is the order of the two operands.",
    )

    @staticmethod
    def observe(answer, given, rng):
        options = {key: given[key] for key in ("dtype",) if key in given}
        made = answer(*given["sizes"], **options)
        if not isinstance(made, nn.Linear):
            return {"kind": describe(made)}
        fill(made, rng)
        return {"inputs": [OldLinear.run(made, rng, shape) for shape in given["shapes"]]}

    @staticmethod
    def run(made, rng, shape):
        """One forward and backward, and what the legacy hook received in it."""
        made.zero_grad()
        x = floats(rng, *shape).to(made.weight.dtype).requires_grad_()
        out = made(x)
        if not is_tensor(out):
            return {"kind": describe(out)}
        truth = nn.functional.linear(x.detach(), made.weight.detach(), made.bias.detach())
        if (out.shape, out.dtype) != (truth.shape, truth.dtype) or not torch.allclose(out, truth):
            return {"right output": False}
        received = []
        handle = made.register_backward_hook(lambda module, gi, go: received.extend(gi))
        out = made(x)
        handle.remove()
        out.backward(floats(rng, *out.shape).to(out.dtype))
        return {
            "right output": True,
            "received": [describe(g) for g in received],
            "gradients": [describe(p.grad) for p in (x, made.weight, made.bias)],
            "_node": out.grad_fn.name(),
        }

    @staticmethod
    def diagnose(facts, expected):
        if "kind" in facts:
            return wrong_kind(kind_of(facts["kind"]))
        pairs = zip(facts["inputs"], expected["inputs"], strict=True)
        facts, expected = next((f, e) for f, e in pairs if not same(f, e))
        if "kind" in facts:
            return wrong_kind(kind_of(facts["kind"]))
        if not facts["right output"]:
            return "OUTPUT_DIFFERS"
        got, right = facts["received"], expected["received"]
        if not same(got, right) and same(got, right[::-1]):
            return "OPERANDS_SWAPPED"
        if None in facts["gradients"]:
            return "GRAPH_IS_CUT"
        if not same(facts["gradients"], expected["gradients"]):
            return "OTHER_GRADIENTS"
        return "LAST_NODE_IS_ANOTHER", {"got": len(got), "node": facts["_node"]}


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
