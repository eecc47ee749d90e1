"""What the executed lesson 2 must print, in this order."""

FACTS = [
    # retain_grad = True replaces the method
    "h.grad None | h.retains_grad False",
    "h.retain_grad() now raises TypeError: 'bool' object is not callable",
    "h.grad tensor([ 6., 12.]) | h.retains_grad True",
    "AttributeError: attribute 'retains_grad'",
    # when to call it, and on what
    "called too late:    grad None",
    "called on a leaf:   retains_grad False and no error",
    "without a gradient: RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
    "h = (x * 3).retain_grad() makes h None",
    "after backward: the value of h [3.0, 6.0] | its gradient None",
    # it adds up, and zero_grad() does not clear it
    "first backward:  y.grad 2.0 | weight.grad 6.0\n"
    "second backward: y.grad 4.0 | weight.grad 12.0\n"
    "after zero_grad(): y.grad 4.0 | weight.grad None",
    # which second backward raises
    "x + 3    saves none                       second backward: it works",
    "-x       saves none                       second backward: it works",
    "x.sum()  saves none                       second backward: it works",
    "x * 3    saves _saved_other               second backward: RuntimeError",
    "x.exp()  saves _saved_result              second backward: RuntimeError",
    "- Trying to backward through the graph a second time",
    "True, True, False: works, x.grad [6.0, 12.0]\nFalse, True:       RuntimeError in call 2",
    "only retain_graph=True: y.grad None\nonly retain_grad():     y.grad tensor(3.)",
    # accumulation
    "first:  tensor([300.0000,   0.3000])\nsecond: tensor([600.0000,   0.6000])",
    "two new graphs: tensor([600.0000,   0.6000])",
    # cost
    "retain_grad() on all layers: 80000 bytes of gradients",
    "a hook on all layers:        0 bytes, and 20 norms",
    # other ways
    "autograd.grad:      gives [6.0, 12.0] | h.grad None | x.grad None",
    "backward(inputs=…): h.grad [6.0, 12.0] | x.grad None",
    "h.grad [60.0, 120.0] | without the hook [6.0, 12.0]",
    # traps
    "first: 7.0 | the clone: 2.0 | w.grad: 7.0",
    "the new h retains: False | the old one has [10.0, 10.0]",
    "a.grad 1.0 | the hook saw [2.0]",
    "x.grad None | y.grad 2.0 | given back 6.0",
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation",
    "UserWarning: Using backward() with create_graph=True will create a reference cycle",
    "two calls: [21.0, 39.0] | one call of the sum: [21.0, 39.0]",
]
