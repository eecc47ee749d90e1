"""What the executed lesson 1 must print, in this order."""

FACTS = [
    "a.grad tensor(12.)\nb.grad tensor(8.)\nc.grad None",
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed",
    "a.is_leaf True\nb.is_leaf True\nc.is_leaf False",
    "v.requires_grad False | v.grad_fn None | v.is_leaf True",
    "(a * b).detach()        requires_grad False  grad_fn False  is_leaf True",
    "nn.Parameter(a * b)     requires_grad True   grad_fn False  is_leaf True",
    "y ← MulBackward0\nz ← DivBackward0\nw ← AddBackward0",
    "AccumulateGrad  ← the leaf [-0.5, 2.0]",
    "the same node: True\nits leaf is x: True",
    "RuntimeError: grad can be implicitly created only for scalar outputs",
    "x.grad tensor([300.0000,   0.3000])",
    "y.backward(...) raised RuntimeError: element 0 of tensors does not require grad",
    "x.grad is None and to read it is no error",
    "torch.ones(3, requires_grad=True) * 0.1       is_leaf False\n"
    "t.to(torch.float64)                           is_leaf False\n"
    "t[0]                                          is_leaf False",
    "the new p: is_leaf False",
    "a leaf Variable that requires grad is being used in an in-place operation",
    "after:  is_leaf False",
    "Only Tensors of floating point and complex dtype can require gradients",
    "deepcopy: Only Tensors created explicitly by the user",
    "torch.tensor(product): is_leaf True | grad_fn None",
    "p after the update: tensor([0.8000, 1.6000]) | is_leaf True",
    "a.grad tensor(103.)",
]
