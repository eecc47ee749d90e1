"""What the executed lesson 4 must print, in this order."""

FACTS = [
    # SumNet on 1, 2, 3 with a pre-hook (+10 on a and c) and a forward hook (+100)
    "pre-hook gets     1.0 2.0 3.0\nforward gets      11.0 2.0 13.0",
    "forward hook gets 11.0 2.0 13.0 and the output 26.0\nd = 126.0",
    "a is still 1.0 | a.grad tensor(1.)",
    # what a forward hook gets, and hooks by name
    "Conv2d inputs: tuple, first input: Tensor, output: Tensor\nConv2d inputs: tuple",
    "modules: ['', 'conv1', 'conv2', 'fc1', 'fc2', 'fc3']",
    "conv1: (1, 3, 32, 32) → (1, 6, 28, 28)\nthe whole model: (1, 3, 32, 32) → (1, 10)",
    "model has get_module_shortcuts: False",
    # Linear(5, 1) with weight 2, bias 0 on ones(5)
    "forward hook: args        (tensor([1., 1., 1., 1., 1.]),) | output tensor([10.])",
    "register_backward_hook: grad_input (tensor([[1.]]),), grad_output (tensor([1.]),)",
    "register_full_backward_hook: grad_input (None,), grad_output (tensor([1.]),)",
    # parents and children
    "pre net\npre fc1\nforward fc1\npre act\nforward act\npre fc2\nforward fc2\nforward net",
    "backward pre net\nbackward pre fc2\nbackward fc2\nbackward pre act\nbackward act\n"
    "backward pre fc1\nbackward fc1\nbackward net\n",
    "backward pre net\nbackward net\nbackward pre fc2\nbackward fc2\nbackward pre act\n"
    "backward act\nbackward pre fc1\nbackward fc1\n",
    # a full hook is part of the graph
    "no hook:                 ['MulBackward0', 'AccumulateGrad']",
    "['BackwardHookFunctionBackward', 'MulBackward0', 'BackwardHookFunctionBackward', "
    "'AccumulateGrad']",
    "a hook, untracked input: ['BackwardHookFunctionBackward', 'MulBackward0', 'AccumulateGrad']",
    "a full backward hook, removed between forward and backward: called 1 times",
    "a full backward pre-hook, removed between forward and backward: called 1 times",
    "a tensor hook on x, removed between forward and backward: called 0 times",
    "a full backward hook, registered after forward: called 0 times",
    # torch up to 2.8 writes BackwardHookFunctionBackward
    "hook on Linear, then ReLU(inplace=True): RuntimeError: Output 0 of BackwardHookFunction",
    " is a view and is being modified inplace\nhook on the ReLU(inplace=True) itself: RuntimeError",
    "hook on Linear, then ReLU(): fine",
    "the gradient of the output was seen, shape [(1, 3)]",
    # what a hook may give back
    "forward_hook, None: output [[3.0, 3.0]], x.grad [[2.0, 2.0]]",
    "forward_hook, the number 0: output 0",
    "forward_pre_hook, a tuple: output [[21.0, 21.0]], x.grad [[20.0, 20.0]]",
    "forward_pre_hook, a list: TypeError",
    "full_backward_hook, a tuple: output [[3.0, 3.0]], x.grad [[20.0, 20.0]]",
    "full_backward_hook, a bare tensor: RuntimeError: hook 'hook' has changed the size of value",
    "full_backward_hook, a tuple of two: RuntimeError: Backward hook returned an invalid number of "
    "grad_input, got 2, but expected 1",
    "zeros for grad_input  → weights with a gradient: [False, True, True]",
    "zeros for grad_output → weights with a gradient: [False, False, True]",
    # the gradient over depth
    "sigmoid norm in layer 12: 1, in layer 1: 8e-08",
    "each layer by [100, 100, 100, 100, 100, 1, 1, 1, 1, 1, 1, 1]",
    # features
    "{'conv1': [(2, 6, 28, 28)], 'fc2': [(2, 84)]}\nhooks left on conv1: 0",
    "calls seen: {'fc': 2, 'unused': 0}",
    "with clone, some number is negative:    True\nwithout clone, some number is negative: False",
    # options
    "plain:       args ()\nwith_kwargs: args () kwargs {'x': tensor(2.)}",
    "RuntimeError: forward pre-hook must return None or a tuple of (new_args, new_kwargs)",
    "['prepended', 'first', 'second']\nforward failed; called: ['always']",
    # traps
    "layer.forward(x): []\nlayer(x):         ['forward hook', 'backward hook']",
    "run 3 of the cell: 3 calls for one forward",
    "backward: TypeError: <lambda>() takes 2 positional arguments but 3 were given",
    "both require one:       [5.0, 3.0]\nonly a requires one:    [5.0, 0.0]\n"
    "b given by keyword:     [5.0]",
    "data into a layer: grad_input (None,), weight.grad at that time None",
    "eval and no_grad: ['forward']",
    "removed from the original, then both were called: 1 call",
    "the same tensor: False\ngradient of the kept tensor: backward hook called 0 times\n"
    "backward of the result:      backward hook called 1 times",
    "a global hook saw: ['Linear', 'MSELoss']",
    "hooks left: 0",
]
