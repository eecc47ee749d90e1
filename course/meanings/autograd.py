"""What PyTorch says about leaves, .grad, the graph and backward."""

from course.meanings.meaning import Meaning

BACKWARD = [
    Meaning(
        r"element (?P<which>\d+) of tensors does not require grad and does not have a grad_fn",
        "backward was called on a tensor that no tracked operation made: none of the tensors it "
        "was computed from has requires_grad=True, or it was computed under no_grad, or a "
        "detach(), .item() or torch.tensor(...) cut the graph.",
        "Set requires_grad=True on the leaves before the forward. Then print loss.grad_fn: it "
        "must not be None.",
    ),
    Meaning(
        r"grad can be implicitly created only for scalar outputs",
        "backward was called without a gradient on a tensor with several elements (or none). "
        "Only for a single number does PyTorch know where to start: at 1.",
        "Call backward on a number, such as y.sum() or y.mean(); or give the gradient: "
        "y.backward(v), with v of the shape of y.",
    ),
    Meaning(
        r"Mismatch in shape: grad_output\[\d+\] has a shape of (?P<got>torch\.Size\(\[.*?\]\)) "
        r"and output\[\d+\] has a shape of (?P<expected>torch\.Size\(\[.*?\]\))",
        "The gradient given to backward has the shape {got}, the tensor has {expected}.",
        "Give a gradient with exactly the shape of the tensor: torch.ones_like(y), for example.",
    ),
    Meaning(
        r"Trying to backward through the graph a second time",
        "backward ran through this graph before, and then the values that its operations had "
        "saved were freed. Operations that saved nothing, such as x + 3, would run again; x * 3 "
        "does not.",
        "Run the forward again to get a new graph. Or call every backward but the last with "
        "retain_graph=True; on the last it is not needed.",
    ),
    Meaning(
        r"got an unexpected keyword argument '(?P<name>\w+)'",
        "The function has no argument called {name}. Perhaps it is misspelt.",
        "Compare the letters. backward has: gradient, retain_graph, create_graph, inputs.",
    ),
    Meaning(
        r"[Tt]he differentiated Tensors? .*appears? to not have been used in the graph",
        "torch.autograd.grad was asked for the gradient of a tensor that the output does not "
        "depend on. The usual cause: another tensor object was used in the forward, after "
        ".to(), detach() or a new assignment to the name.",
        "Use the same object in forward and in grad; or say allow_unused=True and get None.",
    ),
    Meaning(
        r"Using backward\(\) with create_graph=True will create a reference cycle",
        "With create_graph=True the gradient in .grad has a graph of its own, which holds the "
        "parameter, which holds .grad. Such a circle is not freed by itself.",
        "Use torch.autograd.grad(loss, inputs, create_graph=True), which writes no .grad; or set "
        ".grad = None when you are done.",
    ),
    Meaning(
        r"one of the variables needed for gradient computation has been modified by an inplace "
        r"operation: \[(?P<what>.*?)\].* at version (?P<now>\d+); expected version (?P<then>\d+)",
        "An operation saved a tensor ({what}) for the backward, and since then it was changed in "
        "place: it is at version {now}, and {then} is needed. With the new values the gradient "
        "would be wrong. optimizer.step() between two backward calls does this too.",
        "Use the operation that is not in place (y = y + 1 instead of y += 1), call step() after "
        "all backward calls, or run the forward again. torch.autograd.set_detect_anomaly(True) "
        "shows the operation that had saved it.",
    ),
]

LEAVES = [
    Meaning(
        r"The \.grad attribute of a Tensor that is not a leaf Tensor is being accessed",
        "You read .grad of the result of an operation. Backward computes its gradient and lets it "
        "go; only leaves keep theirs. So it is None.",
        "Call t.retain_grad() after the forward and before backward. Ask why_none(t) about a "
        "tensor of yours.",
    ),
    Meaning(
        r"can't retain_grad on Tensor that has requires_grad=False",
        "retain_grad() was called on a tensor for which no gradient is computed.",
        "Compute it from tensors with requires_grad=True, outside of torch.no_grad().",
    ),
    Meaning(
        r"attribute 'retains_grad' .*is not writable",
        "retains_grad only tells whether the tensor keeps its gradient; it cannot be set.",
        "Call the method: t.retain_grad().",
    ),
    Meaning(
        r"Only Tensors of floating point and complex dtype can require gradients",
        "The tensor holds integers or bools. Derivatives are defined for real and complex numbers.",
        "Write the numbers with a point, torch.tensor([1.0, 2.0]), or convert with .float().",
    ),
    Meaning(
        r"you can only change requires_grad flags of leaf variables",
        "requires_grad was set on the result of an operation. A result requires a gradient if "
        "what it was computed from does; that cannot be changed afterwards.",
        "Set it on the leaves, or take t.detach(), which is a leaf.",
    ),
    Meaning(
        r"a (?P<view>view of a )?leaf Variable that requires grad is being used in an in-place",
        "A leaf that requires a gradient, or a part of it, was changed in place while gradients "
        "are tracked. Then it would be a leaf no more.",
        "To update a parameter by hand do it inside torch.no_grad(): with torch.no_grad(): "
        "w -= lr * w.grad.",
    ),
    Meaning(
        r"Only Tensors created explicitly by the user \(graph leaves\) support the deepcopy",
        "copy.deepcopy met a tensor that is the result of an operation. A module cannot be copied "
        "either while one of its attributes holds such a tensor, an activation that a hook kept "
        "for example.",
        "Keep activations detached: self.features = output.detach().",
    ),
    Meaning(
        r"To copy construct from a tensor, it is recommended to use",
        "torch.tensor(t) makes a copy that has no connection to t: no gradient flows back to t.",
        "Use t itself or t.clone() to stay connected, t.detach().clone() for a copy without.",
    ),
    Meaning(
        r"Can't call numpy\(\) on Tensor that requires grad",
        "NumPy knows nothing of gradients, so PyTorch does not hand out a tracked tensor.",
        "Write t.detach().numpy(), outside of what should have a gradient.",
    ),
    Meaning(
        r"attempting to assign a gradient (of size|with dtype)",
        ".grad was set to a tensor of another shape or dtype than the tensor has.",
        "Give .grad the shape and the dtype of its tensor, or set it to None.",
    ),
    Meaning(
        r"Output \d+ of (?P<function>\w+?)(?:Backward\d*)? is a view and",
        "A tensor from {function} shares memory with others, and it, or what it is a view of, was "
        "changed in place in a way that the graph cannot follow.",
        "Use the operation that is not in place, or clone() first.",
    ),
]

SPECIAL = [
    Meaning(
        r"Setting requires_grad=True on inference tensor outside InferenceMode is not allowed",
        "The tensor was made under torch.inference_mode(). Such a tensor can never take part in a "
        "graph.",
        "Take t.clone() outside of inference_mode, or use torch.no_grad() instead of it.",
    ),
    Meaning(
        r"Inference tensors cannot be saved for backward",
        "An operation has to save a tensor for backward, but it was made under "
        "torch.inference_mode(), where nothing is prepared for that.",
        "Take t.clone() outside of inference_mode, or use torch.no_grad() instead of it.",
    ),
    Meaning(
        r"saved tensor pack hook is modifying its input in place",
        "A pack hook (of saved_tensors_hooks) changed its tensor in place. The forward uses the "
        "same memory.",
        "Return a new tensor: t * 0.5 instead of t.mul_(0.5).",
    ),
    Meaning(
        r"saved tensor unpack_hook expected to be a Tensor but got result of type (?P<got>\S+)",
        "An unpack hook returned {got}. What the pack hook put away must come back as a tensor.",
        "Convert it in the unpack hook, with torch.from_numpy(...) for example.",
    ),
    Meaning(
        r"must override the setup_context staticmethod",
        "A custom autograd.Function was used inside torch.func (vmap, grad, jvp). There forward "
        "may not take ctx. A full backward hook is made with such a function.",
        "In your own Function write forward(...) and setup_context(ctx, inputs, output). Take "
        "full backward hooks off a module before you give it to torch.func.",
    ),
    Meaning(
        r"torch\.utils\.checkpoint is incompatible with \.grad\(\) or passing an `inputs`",
        "A checkpoint with use_reentrant=True runs a backward of its own inside the backward, and "
        "cannot limit it to some inputs.",
        "Call checkpoint(..., use_reentrant=False).",
    ),
    Meaning(
        r"None of the inputs have requires_grad=True. Gradients will be None",
        "A checkpoint with use_reentrant=True needs an input that requires a gradient, else even "
        "the parameters inside get none.",
        "Call checkpoint(..., use_reentrant=False), or requires_grad_() on the input.",
    ),
]
