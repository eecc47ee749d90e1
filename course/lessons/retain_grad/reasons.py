"""The misconceptions that the exercises of lesson 2 can tell apart."""

from course.exercise import Reason

REASONS = {
    "WORDS_MISSING": Reason(
        "Your dict does not hold {names} with one of the two words.",
        'Give back all six names, each with "works" or "raises".',
    ),
    "SECOND_ALWAYS_RAISES": Reason(
        "You say that the second backward raises for {names}, and it works there.",
        "Only a node that saved a tensor raises. Does its gradient need a value from forward?",
        guide="second-backward-sometimes",
    ),
    "LAST_NODE_ONLY": Reason(
        "You look at the last operation alone. Another one before it saved a tensor.",
        "Backward goes through all nodes, and each of them may need its saved tensors.",
        guide="second-backward-sometimes",
    ),
    "SAVED_NOT_SEEN": Reason(
        "You say that the second backward works for {names}, and it raises there.",
        "Ask for each operation: does its gradient need a value from forward? Even the Python "
        "number in a product is such a value.",
        guide="second-backward-sometimes",
    ),
    "METHOD_REPLACED": Reason(
        "Your function gave back None, and `h.retain_grad` is no longer a method.",
        "`retain_grad` must be called: `h.retain_grad()`.",
        guide="retain-grad-assigned",
    ),
    "NOT_RETAINED": Reason(
        "What you gave back holds None where a gradient is asked for.",
        "Call `retain_grad()` on the tensor itself, after it exists and before backward runs.",
        guide="non-leaf-grad-none",
    ),
    "GRADIENT_OF_ANOTHER": Reason(
        "You gave back the gradient of {name_of}.",
        "Read `.grad` of the tensor that is asked for.",
    ),
    "VALUES_NOT_GRADIENTS": Reason(
        "You gave back values of forward, not gradients.",
        "The gradient of `t` is in `t.grad`, when `t` retains it.",
    ),
    "LEAF_WITHOUT_GRAD": Reason(
        "After your function, {what} does not have the `.grad` that this backward gives.",
        "`loss.backward()` adds to the `.grad` of the leaf tensors; torch.autograd.grad does not. "
        "And do not clear a `.grad` that was there before.",
    ),
    "LEAF_GRAD_TOUCHED": Reason(
        "After your function, the `.grad` of a leaf has changed.",
        "`torch.autograd.grad(loss, h)` gives a gradient back and stores nothing.",
    ),
    "H_GRAD_LEFT": Reason(
        "After your function, `h.grad` is not None.",
        "`torch.autograd.grad(loss, h)` gives a gradient back and stores nothing.",
    ),
    "H_RETAINS": Reason(
        "After your function, `h.retains_grad` is True: the caller's backward will fill `h.grad`.",
        "`h.retain_grad()` does that, and `backward(inputs=[h])` too. "
        "`torch.autograd.grad(loss, h)` does not.",
    ),
    "GRAPH_FREED": Reason(
        "Now the caller's `loss.backward()` raises: the saved tensors are freed.",
        "Another call follows yours, so yours needs `retain_graph=True`.",
        guide="second-backward-sometimes",
    ),
    "GRAPH_KEPT": Reason(
        "After the last backward, one more still works: the saved tensors are still in memory.",
        "`retain_graph=True` belongs on every call but the last.",
    ),
    "LOSS_CUT_OFF": Reason(
        "After the last backward, one more stops with another error: not because of freed tensors.",
        "The last backward frees the saved tensors itself. Change nothing on `loss`.",
    ),
    "GRAD_TIED": Reason(
        "{what} requires a gradient itself: it is tied to the graph.",
        "`create_graph=True` does that. To allow one more backward, `retain_graph=True` is enough.",
        guide="create-graph-leaks",
    ),
    "BACKWARD_COUNT": Reason(
        "Backward ran {got:time|times}.",
        "Call `loss.backward(…)` as often as `times` says.",
    ),
    "GRADIENTS_REVERSED": Reason(
        "Your list has the right entries in the order of backward.",
        "The list must have the order of what you were given. Backward comes the other way.",
    ),
    "LIST_LENGTH": Reason(
        "Your list has {got:entry|entries}.",
        "Give back one entry for each item that is asked for.",
    ),
    "X_REQUIRES_GRAD": Reason(
        "After your function, the caller's `x` requires a gradient, and before it did not.",
        "The first output requires a gradient by itself, because the parameters of the layer do.",
    ),
    "X_GRAD_LEFT": Reason(
        "After your function, the caller's `x` has a `.grad`, and before it had none.",
        "The first output requires a gradient by itself, because the parameters of the layer do.",
    ),
    "LIST_CHANGED": Reason(
        "After your function, the list that you were given does not hold what it held.",
        "Go through it with a `for` loop, or work on a copy: `list(…)`.",
    ),
    "ONE_FOR_EACH_MODULE": Reason(
        "A module is in the list more than once, and you have one gradient for all its outputs.",
        "Each output is a tensor of its own. Keep a gradient for each place, not for each module.",
    ),
    "NOTED_TOO_EARLY": Reason(
        "Your list holds None: `w.grad` was noted before a backward had filled it.",
        "Note `w.grad` after each backward.",
    ),
    "NOTHING_MEASURED": Reason(
        "Your list holds None where a norm is asked for.",
        "First register a hook on each tensor, then call `loss.backward()`, then give back the "
        "list. Each hook writes into its own place.",
    ),
    "TENSORS_CHANGED": Reason(
        "After your function, a tensor of the list has {what}.",
        "Only look at the tensors. `detach_()` and other methods whose name ends with `_` change "
        "a tensor for everybody.",
    ),
    "NORM_OF_ANOTHER_KIND": Reason(
        "Of a matrix, you have the largest singular value: `torch.linalg.norm(matrix, 2)` is that.",
        "`grad.norm()` is the square root of the sum of all squares, whatever the shape is.",
    ),
    "PLACE_EMPTY": Reason(
        "Only the last place of your list holds a norm. In all others is None.",
        "Each hook must know its own place: `def measure(grad, i=i)`. Without the default value "
        "all hooks use the last `i` of the loop.",
        guide="loop-variable",
    ),
    "ONE_TENSOR_MANY_TIMES": Reason(
        "All entries of your list share the memory of `w.grad`: each backward changes all of them.",
        "`.grad` is added to in place. Keep a copy: `w.grad.clone()`.",
        guide="grad-is-not-a-snapshot",
    ),
    "COPIED_TOO_LATE": Reason(
        "Every entry of your list is the whole sum, as `w.grad` is at the end.",
        "`.grad` is added to in place. Make each copy inside the loop, after its own backward.",
        guide="grad-is-not-a-snapshot",
    ),
    "W_CHANGED": Reason(
        "After your function, the numbers of `w` are not what they were.",
        "Only run backward and note. A step of gradient descent is not asked for.",
    ),
    "GRAD_NOT_SUMMED": Reason(
        "Your list holds the gradient of each backward alone. The exercise asks for what `.grad` "
        "is after each one.",
        "Do not clear `w.grad`, and note a copy of it.",
        guide="grad-is-not-a-snapshot",
    ),
    "GRADIENT_KEPT": Reason(
        "After your function, a gradient is still kept on one of the tensors.",
        "A hook can measure the gradient and let it go.",
    ),
    "HOOK_LEFT_BEHIND": Reason(
        "After your function, a hook of yours still hangs on {where}.",
        "Keep the handle that registering a hook gives, and call its `remove()`.",
    ),
    "OTHERS_HOOKS_GONE": Reason(
        "A hook that was there before your function does not hang on its tensor any more.",
        "Remove only your own hooks, each with its own handle.",
    ),
    "GRADIENTS_CLEARED": Reason(
        "After your function, a gradient that was kept is gone.",
        "Only count. Do not set `.grad`.",
    ),
    "ELEMENTS_NOT_BYTES": Reason(
        "You count the elements, and the exercise asks for bytes.",
        "Multiply by `grad.element_size()`.",
    ),
    "FOUR_BYTES_ASSUMED": Reason(
        "You count four bytes for each element. One of the gradients has another dtype.",
        "`grad.element_size()` is 4 for float32 and 8 for float64.",
    ),
    "LEAVES_COUNTED": Reason(
        "You count the gradient of a leaf as well.",
        "Leave out a tensor whose `is_leaf` is True.",
    ),
    "VALUES_COUNTED": Reason(
        "You count a tensor that holds no gradient.",
        "Count `t.grad`, and only where it is not None.",
    ),
    "COUNTED_TWICE": Reason(
        "You count a tensor twice that is in the list twice.",
        "Remember which tensors you have counted, for example by `id(t)`.",
    ),
    "RETAINS_NOW": Reason(
        "After your function, a tensor retains its gradient that did not before.",
        "Only count. Ask `t.retains_grad`; `t.retain_grad()` changes the tensor.",
    ),
    "READS_WITHOUT_ASKING": Reason(
        "Your number is right, but PyTorch printed its warning: `.grad` of a non-leaf was read.",
        "Ask `t.retains_grad` first.",
        guide="non-leaf-grad-none",
    ),
    "ALWAYS_TRUE": Reason(
        "You say True for a function where a second backward works.",
        "Which error did you catch? A vector needs weights: `y.backward(torch.ones_like(y))`.",
        guide="backward-of-a-vector",
    ),
    "ALWAYS_FALSE": Reason(
        "You say False for a function where a second backward raises.",
        "Run backward twice on the same `y`, and give the first call no `retain_graph=True`.",
        guide="second-backward-sometimes",
    ),
    "X_CHANGED": Reason(
        "After your function, {what} of `x` is not what it was.",
        "Do the experiment with `x.detach().clone().requires_grad_()`.",
    ),
    "ERROR_OF_F_LOST": Reason(
        "`f` raised an error, and it did not come out of your function.",
        "Put only the second backward into the `try` block.",
    ),
}
