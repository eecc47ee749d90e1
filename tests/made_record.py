"""Records made by hand, so that the tests of pictures need no torch and no trace.

A graph is written down with the derivative of each operation towards each input; `backward` then
plays autograd on plain numbers and logs what it does. What torch really does is tested elsewhere.
"""

import math

from course.record import Edge, Event, Failure, GraphNode, Record, Summary, Target, TensorInfo


def flat(values):
    if isinstance(values, tuple):
        return [number for value in values for number in flat(value)]
    return [values]


def summary(values) -> Summary | None:
    """Of a number or of nested tuples."""
    if values is None or isinstance(values, Summary):
        return values
    shape, inner = [], values
    while isinstance(inner, tuple):
        shape.append(len(inner))
        inner = inner[0]
    numbers = flat(values)
    norm = math.sqrt(sum(v * v for v in numbers))
    return Summary(tuple(shape), "float32", values, norm, min(numbers), max(numbers))


def large(*shape, norm, low=-1.0, high=1.0) -> Summary:
    """Of a tensor too large to keep."""
    return Summary(shape, "float32", None, norm, low, high)


def times(factor):
    """A derivative: multiplies a number, or a tuple element by element."""

    def back(gradient):
        if isinstance(gradient, Summary):
            return Summary(gradient.shape, gradient.dtype, None, gradient.norm * factor, -1.0, 1.0)
        if isinstance(factor, tuple):
            if not isinstance(gradient, tuple):
                return tuple(gradient * f for f in factor)
            return tuple(g * f for g, f in zip(gradient, factor, strict=True))
        if isinstance(gradient, tuple):
            return tuple(back(g) for g in gradient)
        return gradient * factor

    return back


def add(a, b):
    if isinstance(a, Summary):
        return a
    if isinstance(a, tuple):
        return tuple(add(x, y) for x, y in zip(a, b, strict=True))
    return a + b


class Made:
    """A graph under construction; a node is known by its number."""

    def __init__(self):
        self.nodes = []  # dicts: name, kind, tensor, value, inputs, hooks, retains, module

    def _new(self, **what):
        self.nodes.append({"hooks": [], "retains": False, "module": None, "before": None} | what)
        return len(self.nodes) - 1

    def leaf(self, name, value, module=None):
        kind = {"op": "AccumulateGrad", "kind": "accumulate", "name": name, "value": value}
        return self._new(**kind, inputs=[], module=module)

    def op(self, op, name, value, *inputs, module=None, kind="operation"):
        """inputs: pairs (node, factor or function of the gradient)."""
        return self._new(op=op, kind=kind, name=name, value=value, inputs=inputs, module=module)

    def hook(self, node, name, change=None, kind="tensor_hook", error=None):
        self.nodes[node]["hooks"].append((name, change, kind, error))

    def retain(self, node):
        self.nodes[node]["retains"] = True

    def backward(self, root, seed=1.0, outside=(), warnings=()) -> Record:
        return _Run(self, root, seed).record(outside, warnings)


class _Run:
    def __init__(self, made, root, seed):
        self.made, self.events, self.root = made, [], root
        self.arrived, self.passed, self.grads, self.flowed = {root: seed}, {}, {}, {}
        self.error = None
        for node in range(root, -1, -1):
            if node in self.arrived and self.error is None:
                self._visit(node)

    def _log(self, kind, target, before, after, **more):
        tuples = tuple(map(summary, before)), tuple(map(summary, after))
        self.events.append(
            Event(len(self.events), "backward", kind, target, more.pop("hook", None), None, *tuples,
                  backward=1, **more)
        )  # fmt: skip

    def _visit(self, node):
        what, gradient = self.made.nodes[node], self.arrived[node]
        tensor = Target("tensor", f"t{node}", what["name"] or "")
        for name, change, kind, error in what["hooks"]:
            if kind != "tensor_hook":
                continue
            after = change(gradient) if change else gradient
            more = {"hook": name, "changed": after != gradient, "error": error}
            self._log(kind, tensor, [gradient], [] if error else [after], **more)
            if error:
                self.error = Failure(*error.split(": ", 1), len(self.events) - 1)
                return
            gradient = after
        self.passed[node] = gradient
        if what["retains"]:
            self.grads[node] = gradient
            self._log("retain_grad", tensor, [gradient], [gradient])
        here = Target("node", f"n{node}", what["op"])
        if what["kind"] == "accumulate":
            before = what["before"]
            self.grads[node] = gradient if before is None else add(before, gradient)
            self._log("accumulate", here, [gradient], [self.grads[node]])
        else:
            sent = []
            for slot, (target, factor) in enumerate(what["inputs"]):
                back = factor(gradient) if callable(factor) else times(factor)(gradient)
                sent.append(back)
                self.flowed[node, slot] = back
                known = self.arrived.get(target)
                self.arrived[target] = back if known is None else add(known, back)
            self._log("node", here, [gradient], sent)
        for name, _, kind, _ in what["hooks"]:
            if kind == "post_accumulate_hook":
                self._log(kind, tensor, [self.grads[node]], [self.grads[node]], hook=name)

    def record(self, outside, warnings) -> Record:
        tensors, nodes, edges = list(outside), [], []
        for i, what in enumerate(self.made.nodes):
            leaf = what["kind"] == "accumulate"
            if what["name"]:
                tensors.append(
                    TensorInfo(
                        f"t{i}", what["name"], leaf, True, what["retains"],
                        None if leaf else what["op"], f"n{i}", 0, what["module"],
                        summary(what["value"]), summary(self.arrived.get(i)),
                        summary(self.passed.get(i)), summary(what["before"]),
                        summary(self.grads.get(i, what["before"])),
                    )
                )  # fmt: skip
            made = f"t{i}" if what["name"] else None
            ran = i in self.passed
            nodes.append(GraphNode(f"n{i}", what["op"], what["kind"], what["module"], made, ran))
            for slot, (target, _) in enumerate(what["inputs"]):
                gradient = summary(self.flowed.get((i, slot)))
                edges.append(Edge(f"n{i}", slot, f"n{target}", 0, gradient, None))
        events, roots = tuple(self.events), (f"t{self.root}",)
        warned = tuple(warnings)
        return Record(
            tuple(tensors), tuple(nodes), tuple(edges), events, roots, warned, self.error, "2.13.0"
        )


def constant(name, value) -> TensorInfo:
    """A tensor that needs no gradient."""
    return TensorInfo(
        "k" + name, name, True, False, False, None, None, 0, None, summary(value), *[None] * 4
    )


def triple() -> Record:
    """w=1, x=2, a=w+x, b=w+1, y=a·b, with a hook on w that multiplies by 3."""
    g = Made()
    w, x = g.leaf("w", 1.0), g.leaf("x", 2.0)
    a = g.op("AddBackward0", "a", 3.0, (w, 1.0), (x, 1.0))
    b = g.op("AddBackward0", "b", 2.0, (w, 1.0))
    y = g.op("MulBackward0", "y", 6.0, (a, 2.0), (b, 3.0))
    g.hook(w, "triple", times(3.0))
    return g.backward(y)


def chain() -> Record:
    """c=a·b, e=c·d with hooks on c, d and e, and c retained."""
    g = Made()
    a, b = g.leaf("a", 2.0), g.leaf("b", 3.0)
    c = g.op("MulBackward0", "c", 6.0, (a, 3.0), (b, 2.0))
    d = g.leaf("d", 4.0)
    e = g.op("MulBackward0", "e", 24.0, (c, 4.0), (d, 6.0))
    g.hook(e, "double", times(2.0))
    g.hook(c, "add_two", lambda v: v + 2)
    g.hook(c, "show")
    g.hook(d, "add_hundred", lambda v: v + 100)
    g.retain(c)
    return g.backward(e, outside=[constant("k", 7.0)])


def squares() -> Record:
    """sum(t·t): one tensor used twice by one operation, a hook that doubles."""
    g = Made()
    t = g.leaf("t", (1.0, -2.0, 3.0))
    s = g.op("MulBackward0", None, None, (t, (1.0, -2.0, 3.0)), (t, (1.0, -2.0, 3.0)))
    loss = g.op("SumBackward0", "loss", 14.0, (s, lambda v: (v, v, v)))
    g.hook(t, "double", times(2.0))
    return g.backward(loss)


def raised() -> Record:
    """A hook on c returns the wrong shape."""
    g = Made()
    a, b = g.leaf("a", 2.0), g.leaf("b", -3.0)
    c = g.op("MulBackward0", "c", -6.0, (a, -3.0), (b, 2.0))
    e = g.op("ExpBackward0", "e", 0.0025, (c, 0.0025))
    words = "RuntimeError: hook 'wrong' has changed the size of value"
    g.hook(c, "wrong", error=words)
    return g.backward(e)


def linear() -> Record:
    """A Linear and a sum: a parameter passes TBackward0, x needs no gradient."""
    g = Made()
    bias = g.leaf("fc.bias", (0.5, -0.5))
    weight = g.leaf("fc.weight", large(2, 3, norm=1.31), "fc")
    t = g.op("TBackward0", None, None, (weight, 1.0), module="fc")
    out = g.op("AddmmBackward0", "out", ((0.25, -1.5),), (bias, lambda v: v[0]),
               (t, lambda _: large(3, 2, norm=3.742)), module="fc")  # fmt: skip
    loss = g.op("SumBackward0", "loss", -1.25, (out, lambda v: ((v, v),)))
    g.hook(out, "show")
    return g.backward(loss, outside=[constant("x", ((1.0, 2.0, 3.0),))])


def conv_net(convolutions=2) -> Record:
    """Convolutions with ReLU and pooling, then a Linear: the largest graph of the lessons."""
    g = Made()
    before, channels = None, (1, 6, 16, 16, 16)
    for k in range(convolutions):
        path = f"conv{k + 1}"
        weight = g.leaf(f"{path}.weight", large(channels[k + 1], channels[k], 5, 5, norm=1.7), path)
        bias = g.leaf(f"{path}.bias", large(channels[k + 1], norm=0.3), path)
        inputs = [(weight, 0.5), (bias, 0.7)] + ([(before, 0.9)] if before is not None else [])
        name = "features" if k == convolutions - 1 else None
        value = large(1, 16, 8, 8, norm=9.0) if name else None
        out = g.op("ConvolutionBackward0", name, value, *inputs, module=path)
        relu = g.op("ReluBackward0", None, None, (out, 0.8))
        before = g.op("MaxPool2DWithIndicesBackward0", None, None, (relu, 0.6))
        if name:
            g.hook(out, "clip", times(0.1))
            g.retain(out)
    view = g.op("ViewBackward0", None, None, (before, 1.0))
    bias = g.leaf("fc.bias", large(10, norm=0.2), "fc")
    weight = g.leaf("fc.weight", large(10, 256, norm=2.2), "fc")
    turned = g.op("TBackward0", None, None, (weight, 1.0), module="fc")
    logits = g.op("AddmmBackward0", "logits", large(1, 10, norm=0.9), (bias, 1.0), (view, 2.0),
                  (turned, 1.5), module="fc")  # fmt: skip
    soft = g.op("LogSoftmaxBackward0", None, None, (logits, lambda _: large(1, 10, norm=0.8)))
    loss = g.op("NllLossBackward0", "loss", 2.31, (soft, lambda _: large(1, 10, norm=1.0)))
    return g.backward(loss)


def deep(layers=50) -> Record:
    """A Linear and a Tanh, many times over: too large for a card each."""
    g = Made()
    before = None
    for k in range(layers):
        path = f"net.{2 * k}"
        weight = g.leaf(f"{path}.weight", large(8, 8, norm=1.0), path)
        bias = g.leaf(f"{path}.bias", large(8, norm=0.1), path)
        turned = g.op("TBackward0", None, None, (weight, 1.0), module=path)
        inputs = [(bias, 0.8), (turned, 0.9)] + ([(before, 0.9)] if before is not None else [])
        out = g.op("AddmmBackward0", None, None, *inputs, module=path)
        tanh = f"net.{2 * k + 1}"
        before = g.op("TanhBackward0", None, None, (out, 0.95), module=tanh)
    loss = g.op("MeanBackward0", "loss", 0.1, (before, lambda _: large(4, 8, norm=0.5)))
    g.hook(weight, "clip", times(0.5))
    return g.backward(loss)


def forty() -> Record:
    """A small residual net: about forty nodes, each with a card of its own."""
    g = Made()
    state = g.leaf("x", large(4, 8, norm=5.0))
    for k in range(5):
        weight = g.leaf(f"w{k}", large(8, 8, norm=1.0))
        bias = g.leaf(f"b{k}", large(8, norm=0.2))
        turned = g.op("TBackward0", None, None, (weight, 1.0))
        out = g.op("AddmmBackward0", f"h{k}", large(4, 8, norm=2.0), (bias, 0.8), (state, 0.5),
                   (turned, 0.9))  # fmt: skip
        relu = g.op("ReluBackward0", None, None, (out, 0.7))
        state = g.op("AddBackward0", f"s{k}", large(4, 8, norm=3.0), (state, 1.0), (relu, 1.0))
        if k == 2:
            g.hook(state, "clip", times(0.25))
            g.hook(state, "look")
    square = g.op("PowBackward0", None, None, (state, 2.0))
    mean = g.op("MeanBackward0", "mean", 0.7, (square, lambda _: large(4, 8, norm=0.3)))
    log = g.op("LogBackward0", None, None, (mean, 1.4))
    return g.backward(g.op("NegBackward0", "loss", 0.36, (log, -1.0)))


def accumulated() -> Record:
    """A second backward: .grad was there before, and a post-accumulate hook looks at it."""
    g = Made()
    x = g.leaf("x", (1.0, 2.0))
    g.nodes[x]["before"] = (300.0, -0.5)
    y = g.op("MulBackward0", "y", (3.0, 6.0), (x, 3.0))
    g.hook(x, "step", kind="post_accumulate_hook")
    return g.backward(
        y,
        (100.0, 0.1),
        warnings=["UserWarning: The .grad attribute of a Tensor that is not a leaf"],
    )


def modules() -> Record:
    """A module with a hook of every kind, and one that is nowhere in the graph."""
    g = Made()
    x = g.leaf("x", 2.0)
    entry = g.op("BackwardHookFunctionBackward", None, None, (x, 1.0), module="net.fc",
                 kind="module boundary")  # fmt: skip
    inner = g.op("MulBackward0", None, None, (entry, 5.0), module="net.fc")
    out = g.op("BackwardHookFunctionBackward", "out", 10.0, (inner, 1.0), module="net.fc",
               kind="module boundary")  # fmt: skip
    record = g.backward(g.op("NegBackward0", "loss", -10.0, (out, -1.0)))
    fc, other = Target("module", "net.fc", "net.fc"), Target("module", "net.norm", "net.norm")
    one = (summary(-5.0),)

    def call(kind, target, before, after=None, phase="backward", hook="spy"):
        changed = after is not None and after != before
        turn = {"changed": changed, "backward": int(phase == "backward")}
        return Event(0, phase, kind, target, hook, None, before, after or before, **turn)

    forward = [
        call("forward_pre_hook", fc, (summary(2.0),), phase="forward"),
        call("forward_hook", fc, (summary(10.0),), (summary(11.0),), phase="forward"),
        call("forward_hook", other, (large(8, norm=3.0), None), phase="forward"),
    ]
    backward = list(record.events)
    backward.insert(1, call("full_backward_pre_hook", fc, (summary(-1.0),)))
    backward.insert(5, call("full_backward_hook", fc, one, hook="look"))
    backward.insert(
        6, call("node_hook", Target("node", "n1", "BackwardHook"), one, hook="<lambda>")
    )
    events = tuple(e._replace(seq=i) for i, e in enumerate(forward + backward))
    return record._replace(events=events)


LESSONS = {
    "triple": triple,
    "chain": chain,
    "squares": squares,
    "raised": raised,
    "linear": linear,
    "conv_net": conv_net,
}
