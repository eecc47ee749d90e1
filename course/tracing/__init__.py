"""trace: run a real backward and write down what happened.

>>> import torch
>>> from course import trace
>>> a = torch.tensor(2.0, requires_grad=True)
>>> b = torch.tensor(3.0, requires_grad=True)
>>> c = a * b
>>> handle = c.register_hook(lambda grad: grad * 10)
>>> record = trace(c)
>>> record.tensor("a").grad_after.values
30.0
>>> print(*record.order(), sep="\\n")
tensor_hook <lambda> on c
node on MulBackward0
accumulate on a
accumulate on b

On a net of your own, with its forward, and with names and modules found by themselves:

>>> _ = torch.manual_seed(0)
>>> net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
>>> handle = net[1].register_full_backward_hook(lambda module, grad_input, grad_output: None)
>>> x = torch.ones(4, 3)
>>> record = trace(lambda: net(x).pow(2).mean())
>>> [(m.path, m.type, m.calls) for m in record.modules]
... # doctest: +NORMALIZE_WHITESPACE
[('net', 'Sequential', 1), ('net.0', 'Linear', 1), ('net.1', 'Tanh', 1), ('net.2', 'Linear', 1)]
>>> record.order()[-6:]  # doctest: +NORMALIZE_WHITESPACE
['node on BackwardHookFunctionBackward', 'full_backward_hook <lambda> on net.1',
 'node on AddmmBackward0', 'accumulate on net.0.bias', 'node on TBackward0',
 'accumulate on net.0.weight']
>>> record.tensor("net.0.weight").arrived.shape
(2, 3)
>>> record.tensor("net.1.output").arrived.shape
(4, 2)

`course.picture(record)` draws the graph, `course.timeline(record)` what fired, in order.

The stages: `names` finds names, `forward` and `engine` watch torch while the user's code runs (with
`run`, `spies`, `reading` and `summary` under them), all write in a `log`, and `assemble` makes the
frozen `Record` of it.
"""

import sys

from course.record import Record
from course.tracing.tracer import Tracer


def trace(
    loss,
    *named,
    gradient=None,
    retain_graph=None,
    create_graph=False,
    inputs=None,
    catch=False,
    **names,
) -> Record:
    """Run a real backward and return a `Record` of what happened.

    >>> record = trace(loss)                    # names are taken from your variables
    >>> record = trace(loss, model)             # and from model.named_parameters()
    >>> record = trace(lambda: net(x).sum())    # a function: its forward is seen as well

    loss: a tensor, several tensors, or a function without arguments. A function returns the loss,
        several losses, or a dict of named tensors whose last one is the loss; or it runs backward
        itself, as a training step does.
    named: modules whose parameters give names, or dicts of name -> tensor or module. A dict is
        read when backward starts: a function may fill it while it runs.
    gradient: the gradient of the loss, of its shape; for several losses a sequence of them.
    retain_graph, create_graph, inputs: as in torch.Tensor.backward.
    catch: an error ends the trace and is in `record.error`; else it is raised as without trace.
    names: tensors or modules by the name to show.

    Gradients, hook order, warnings and errors are those of the same run without trace, and nothing
    stays behind on tensors, modules or graph. What is not seen: a builtin function, such as
    list.append, as a hook on a tensor that nobody holds any more, in a graph that was made before
    the trace; give a function that makes it. One backward at a time: other threads wait.

    Raises TypeError for a loss that is none of the above, RuntimeError inside another trace.
    """
    __tracebackhide__ = True
    options = {
        "gradient": gradient,
        "retain_graph": retain_graph,
        "create_graph": create_graph,
        "inputs": inputs,
    }
    return Tracer(loss, named, names, sys._getframe(1)).run(options, catch)
