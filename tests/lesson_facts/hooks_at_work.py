"""What the executed lesson 6 must print, in this order."""

FACTS = [
    "right on the 64 pictures of the training: 100%",
    "right on pictures without the mark: about half",
    # Grad-CAM
    "50 crosses with the mark: hottest on the mark more than 45 times: True",
    # statistics
    "fc2: alive | no gradient\nrelu2: dead  | a gradient\nfc3: alive | a gradient",
    "gradient of fc1 more than 1000 times smaller than that of fc8: True",
    # clipping
    "each tensor for itself: cosine with the true gradient 0.899\n"
    "all together          : cosine with the true gradient 1.000",
    # gradient reversal
    "hiding the camera is better by more than 4 of 100: True",
    # NaN
    "y 0.0 | x.grad nan",
    "the first to make a NaN: ['SqrtBackward0']",
    "made a number that is not finite: ['2 (Logarithm)']",
    "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
    "x.grad 0.0",
    # the step inside backward
    "the usual step: at most 10 gradients at once, 40960 bytes\n"
    "the step inside backward: at most 1 gradients at once, 4096 bytes\n"
    "the same weights afterwards: True",
    # traps
    "weight.grad is None in the backward hook of a first layer: True",
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation",
    "weights unchanged: True | no .grad: True\nhooks left: 0",
]
