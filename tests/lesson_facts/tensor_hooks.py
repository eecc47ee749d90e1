"""What the executed lesson 3 must print, in this order."""

FACTS = [
    # w=1, x=2, a=w+x, b=w+1, y=a·b, and a hook on w that returns grad * 3
    "the hook saw [tensor(5.)]\nw.grad tensor(15.)\nx.grad tensor(2.)",
    "a.grad None | b.grad None | y.grad None",
    "a hook on w sees dy/dw = 5.0\na hook on a sees dy/da = 2.0",
    "a.retains_grad False",
    # what hooks are used for
    "the hook sees tensor([2., 2.])",
    "t.grad tensor([ 4.,  8., 12.])",
    "norm of the gradient: 10.9545\nnorm of t itself:     5.4772",
    "x.is_leaf True\nthe hook saw the weight: True",
    "backward is done, and the hook was not called",
    # two hooks on c, then the same with d and e
    "first hook saw 1.0 | second hook saw 3.0",
    "a.grad tensor(9.) | b.grad tensor(6.) | c.grad tensor(3.)",
    "on c: the first hook saw 8.0 | the second saw 10.0",
    "a.grad tensor(30.) b.grad tensor(20.) c.grad tensor(10.) d.grad tensor(112.) "
    "e.grad tensor(2.)",
    # order
    "hook, then retain_grad: c.grad 3.0\nretain_grad, then hook: c.grad 3.0",
    "registered on x, a, b, c; called on c, b, a, x",
    "two backward calls: [[1.0, 1.0], [6.0, 6.0]]\none backward of the sum: [[7.0, 7.0]]",
    "['tensor hook 1.0', 'node prehook 10.0', 'node hook 30.0']",
    "post-accumulate: w.grad 2.0\nhook:            grad 5.0 | w.grad tensor(2.)",
    "post-accumulate: w.grad 7.0",
    "all together: [2.0, 1.0, None]",
    "autograd.grad gives 10.0 | called: ['y', 'x'] | x.grad None",
    # what a hook may give back
    "None: fine\na new tensor: fine",
    "its norm: RuntimeError: hook 'my_hook' has changed the size of value",
    "another dtype: RuntimeError: hook 'my_hook' has changed the type of value "
    "(was torch.FloatTensor got torch.DoubleTensor)",
    "a Python number: TypeError: expected Variable, but hook returned 'float'",
    "a tuple: TypeError: expected Variable, but hook returned 'tuple'",
    # traps
    "t.grad tensor([3., 3.])",
    "in place:       x.grad [100.0, 200.0] z.grad [100.0, 200.0]",
    "with a return:  x.grad [1.0, 2.0] z.grad [100.0, 200.0]",
    "after del handle: ['first']",
    "around one backward: ['first', 'first', 'second', 'first']",
    "run 3: weight.grad 2000.0",
    "lambda grad: … name         ['bias', 'bias']\nlambda grad, name=name: …   ['bias', 'weight']",
    "the hook saw [10.0] - the gradient of the old h.",
    "called: ['t']",
    "called after a late registration: []",
    "RuntimeError: cannot register a hook on a tensor that doesn't require gradient",
    "(t * 5).backward() gives t.grad 2.0",
    "the hook on the unused part saw [None]",
    "the hook uses its own tensor:      freed False",
    "the same, with handle.remove():    freed True",
    "backward raised ValueError: my hook failed\na.grad None | b.grad tensor(3.)",
    "recorded: ['first', 'last']\nrecorded after the block: []",
    "clipped in a hook, then added: 1.5\nadded, then clipped:           1.0",
]
