"""What lesson 5 must print when it runs, in this order (on torch 2.13)."""

import torch
from torch.torch_version import TorchVersion

WARNED = [
    "UserWarning: Full backward hook is firing when gradients are computed with respect to "
    "module outputs since no inputs require gradients.\n"
]
if TorchVersion(torch.__version__) < "2.8":
    WARNED.clear()

FACTS = [
    # the question: a Linear(10, 5) on an input of shape (1, 1, 10)
    "grad_input  1 [(1, 5)]\ngrad_output 1 [(1, 1, 5)]",
    "grad_input[1] raised IndexError: tuple index out of range",
    "warnings at registration: 0 | in forward: 1\nFutureWarning:",
    # the X-ray in words
    "It ran on ViewBackward0. grad_input has 1 element.",
    "[0] (1, 3)  gradient of output, flattened to 2-D",
    "It ran on BackwardHookFunctionBackward. grad_input has 1 element.",
    "[0] (1, 1, 10)  gradient of input",
    # the hook hangs on the last node, by rank and bias
    "the last node: ViewBackward0\nit leads to:   ['AddmmBackward0']",
    "the module's hook and the node's hook got the same numbers: True",
    "bias=True   input (10,)       ViewBackward0        [(1, 3)]",
    "bias=True   input (4, 10)     AddmmBackward0       [(3,), (4, 10), (10, 3)]",
    "bias=True   input (2, 3, 10)  ViewBackward0        [(6, 3)]",
    "bias=False  input (10,)       SqueezeBackward4     [(1, 3)]",
    "bias=False  input (4, 10)     MmBackward0          [(4, 10), (10, 3)]",
    "bias=False  input (2, 3, 10)  UnsafeViewBackward0  [(6, 3)]",
    # the old result, today
    "by hand:         AddBackward0 [(1, 1, 5), (5,)]",
    "not contiguous:  AddBackward0 [(2, 3, 5), (5,)]",
    # the order of three
    "bias               (3,)\ninput              (2, 4)\nweight transposed  (4, 3)",
    "ConvolutionBackward0 ['input', 'weight', 'bias']",
    "SqueezeBackward1 [(1, 3, 3, 3)] for an input without a batch axis",
    # weight 2, bias 0, five ones
    "forward hook: (tensor([1., 1., 1., 1., 1.], requires_grad=True),) tensor([10.])",
    "legacy hook:  (tensor([[1.]]),) (tensor([1.]),)",
    "full hook:    (tensor([2., 2., 2., 2., 2.]),) (tensor([1.]),)",
    "by hand, legacy hook: (tensor([1.]), tensor([1.]))",
    # not only Linear
    "Sequential:       AddmmBackward0 [(2,), (5, 3), (3, 2)] input (5, 4)",
    "Dropout in eval:  [(3,), None, (4, 3)]",
    "BatchNorm1d  legacy [(5, 4), (4,), (4,)]  full [(5, 4)]",
    # the full hook's rule, and None
    "Linear     grad_input [(2, 3, 10)]  grad_output [(2, 3, 3)]  the rule holds: True",
    f"grad_input: (None,)\nwarnings in forward: 0 | in backward: {len(WARNED)}\n{''.join(WARNED)}",
    "grad_input: (tensor(5.), tensor(0.))",
    # when each hook runs
    "full,   input tracked:     "
    "['weight hook', 'weight.grad written', 'layer hook', 'backward returns']",
    "full,   input not tracked: "
    "['layer hook', 'weight hook', 'weight.grad written', 'backward returns']",
    "legacy, input tracked:     "
    "['layer hook', 'weight hook', 'weight.grad written', 'backward returns']",
    # traps
    "same shape: True\nsame numbers: False\nsame numbers, transposed: True",
    "TypeError: expected tuple, but hook returned 'Tensor'",
    "has returned an incorrect number of values (got 1, but expected 3)",
    "has changed the size of value",
    "Backward hook returned an invalid number of grad_input, got 4, but expected 1",
    "Cannot use both regular backward hooks and full backward hooks on a single Module.",
    "0.weight: every gradient is 0: True",
    "1.weight: every gradient is 0: False",
    # what to do instead
    "input   (1, 1, 10)\noutput  (1, 1, 5)\nweight  (5, 10)\nbias    (5,)",
    "input is x.grad: True\nweight is weight.grad: True",
]
