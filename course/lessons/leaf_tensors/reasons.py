"""The misconceptions that the exercises of lesson 1 can tell apart."""

from course.exercise import Reason

REASONS = {
    "UNTRACKED_IS_LEAF": Reason(
        "You call {names} a non-leaf. It does not require a gradient, and PyTorch calls every such "
        "tensor a leaf, also when it is the result of an operation.",
        "Two questions decide: does it require a gradient? If not, it is a leaf. If so, does it "
        "have a grad_fn? Then it is not.",
        guide="is-leaf-is-not-trainable",
    ),
    "MADE_IS_LEAF": Reason(
        "You call {names} a non-leaf. It requires a gradient and has no grad_fn: it was made "
        "directly.",
        "`nn.Parameter(t)` and `detach()` take the numbers of `t` and leave its history behind.",
        guide="weight-is-no-leaf",
    ),
    "TRACKED_IS_NO_LEAF": Reason(
        "You call {names} a leaf. It is computed from a tensor that requires a gradient, so it has "
        "a grad_fn.",
        "A result of a recorded operation is never a leaf.",
        guide="weight-is-no-leaf",
    ),
    "LEAF_FOR_ANOTHER_REASON": Reason(
        "{names}: leaf or not is right, but the reason is another one.",
        "There are two kinds of leaves: those made directly that require a gradient, and all "
        "tensors that do not require one.",
        guide="is-leaf-is-not-trainable",
    ),
    "NAMES_MISSING": Reason(
        "Your dict does not hold {names} with one of the three words.",
        'Give back all six names, with "made", "untracked" or "result".',
    ),
    "HISTORY_STOPS_EARLY": Reason(
        "Your list has {got:name|names}, and the chain goes on after the last of them.",
        "Go on until there is no next node. The last one, AccumulateGrad, stands for the leaf.",
    ),
    "HISTORY_REVERSED": Reason(
        "Your list has the right names, from the leaf forward.",
        "Begin at `t.grad_fn`, the last operation, and go back.",
    ),
    "NODES_NOT_NAMES": Reason(
        "Your list holds nodes or their printed form, not their names.",
        "`node.name()` gives the bare name, without an address.",
    ),
    "STILL_CONNECTED": Reason(
        "Your tensor is connected to `t`: a backward from it goes on into the graph of `t`.",
        "`detach()` gives a tensor that has no history.",
    ),
    "SHARES_MEMORY": Reason(
        "When your tensor was changed in place, `t` changed too.",
        "`detach()` does not copy: both tensors look at the same memory. `clone()` copies.",
    ),
    "NOT_TRACKED": Reason(
        "{what} does not require a gradient.",
        "A tensor collects a gradient only where requires_grad is True.",
    ),
    "NOT_A_LEAF": Reason(
        "{what} is not a leaf: it is the result of an operation that PyTorch recorded.",
        "First compute the numbers, then call `requires_grad_()` on the result.",
        guide="weight-is-no-leaf",
    ),
    "GRAD_SHARED": Reason(
        "A backward from your copy changes `t.grad`: both tensors have the same one.",
        "A fresh leaf begins with `.grad` None. There is no need to hand it the old one.",
    ),
    "T_CHANGED": Reason(
        "After your function, {what} of `t` is not what it was.",
        "Leave `t` itself as it is: read it, and set or call nothing that changes it.",
    ),
    "WEIGHTS_IGNORED": Reason(
        "Your result is the gradient of y.sum(). The weights in `v` have no effect.",
        "Hand `v` to backward: `y.backward(v)`.",
        guide="backward-of-a-vector",
    ),
    "GRADIENT_ACCUMULATED": Reason(
        "Your result holds an older gradient as well: `.grad` adds up over backward calls.",
        "Work with a fresh leaf, or use torch.autograd.grad, which does not touch `.grad`.",
        guide="gradients-add-up",
    ),
    "INPUT_CHANGED": Reason(
        "After your function, {what} of `x` is not what it was.",
        "Do the work on a detached copy of `x`.",
    ),
    "NOT_FROZEN": Reason(
        "After a backward, there is still a gradient in {count:parameter|parameters} of the part.",
        "A module has no switch of its own: `module.requires_grad = False` only makes a new "
        "attribute. Set requires_grad of each parameter.",
    ),
    "FROZE_TOO_MUCH": Reason(
        "After a backward, parameters outside of the part have no gradient either.",
        "Change only what `part.parameters()` gives.",
    ),
    "COUNTS_TENSORS": Reason(
        "The part is frozen. You count the tensors, and the exercise asks for the numbers in them.",
        "`p.numel()` is how many numbers a tensor holds.",
    ),
    "READS_GRAD_OF_NON_LEAF": Reason(
        "Your word is right, but PyTorch printed its warning: `.grad` of a non-leaf was read.",
        "Ask `t.is_leaf` and `t.retains_grad` before you read `t.grad`.",
        guide="non-leaf-grad-none",
    ),
    "RETAINED_IS_KEPT": Reason(
        "`t` is a non-leaf for which retain_grad() was called, and you say {got}.",
        "Such a tensor keeps its gradient like a leaf does: ask `t.retains_grad`.",
        guide="non-leaf-grad-none",
    ),
    "UNTRACKED_NOT_SEEN": Reason(
        "`t` does not require a gradient, and you say {got}.",
        "Ask `t.requires_grad` first. A tensor that does not require a gradient is a leaf as well.",
        guide="is-leaf-is-not-trainable",
    ),
    "NO_BACKWARD_YET": Reason(
        "`t` keeps its gradient, but no backward has run, and you say {got}.",
        "Only `t.grad is None` tells whether a backward has reached `t`.",
    ),
    "RESULT_NOT_SEEN": Reason(
        "`t` is the result of a recorded operation and does not keep its gradient, and you say "
        "{got}.",
        "Ask both: `t.is_leaf` and `t.retains_grad`.",
        guide="non-leaf-grad-none",
    ),
    "GRADIENT_NOT_SEEN": Reason(
        "`t.grad` holds a gradient, and you say {got}.",
        "Whether there is a gradient is told by `t.grad is None`, not by the numbers in it.",
    ),
    "NOT_A_WORD": Reason(
        "You gave back {got}, which is none of the four words.",
        'Give back exactly "has grad", "not tracked", "non-leaf" or "not yet".',
    ),
    "INITIAL_NUMBERS_CHANGED": Reason(
        "It trains now, but {what} does not begin with the numbers that the text asks for.",
        "Keep `torch.randn(…) * 0.1` for the weight and 0.5 for the bias; change only where the "
        "tracking begins.",
    ),
    "NAME_REBOUND": Reason(
        "After your step, the tensors in the list hold the same numbers as before.",
        "`w = w - …` makes a new tensor and calls it `w`. `w -= …` changes the tensor itself.",
        guide="update-makes-new-tensor",
    ),
    "GRADIENT_NOT_CLEARED": Reason(
        "After your step, `.grad` is not None. The next backward would add to it.",
        "Set `w.grad = None` for each weight.",
        guide="gradients-add-up",
    ),
    "WRONG_DIRECTION": Reason(
        "Your step goes along the gradient, to where the loss grows.",
        "The gradient points to where the loss grows. Subtract it.",
    ),
    "STEP_LENGTH": Reason(
        "Your step goes against the gradient, but it is not `lr` times as long as the gradient.",
        "Multiply the gradient by the `lr` that your function is given.",
    ),
    "MEMORY_REPLACED": Reason(
        "Your weights have the right numbers, but in new memory: `w.detach()`, taken before your "
        "step, still holds the old ones.",
        "`w.data = …` replaces the memory of `w`. `w -= …` writes into it.",
    ),
    "LEAVES_MISSING": Reason(
        "You found {got:leaf|leaves}, and a backward reaches more.",
        "Follow every pair of `next_functions`, not only the first.",
    ),
    "LEAF_ITSELF_MISSING": Reason(
        "For a loss without a `grad_fn` your list is empty.",
        "Read the last sentence of the text again: what is the leaf of such a loss?",
    ),
    "LEAVES_DOUBLED": Reason(
        "The same leaf is in your list more than once.",
        "Several ways lead to the same AccumulateGrad node. Remember which nodes you have seen.",
    ),
    "WALKS_EVERY_WAY": Reason(
        "Your walk was stopped: it takes up the same node again on each way that leads to it. "
        "Where branches split and join again and again, there are more ways than it could ever go.",
        "Keep a set of the nodes that you have seen, and go on only from a node that is new.",
    ),
    "NON_LEAVES_FOUND": Reason(
        "Your list holds tensors that are not leaves, or that a backward does not reach.",
        "Only a node with the attribute `variable` stands for a leaf.",
    ),
    "NODES_NOT_TENSORS": Reason(
        "Your list holds nodes, not tensors.",
        "The leaf of an AccumulateGrad node is `node.variable`.",
    ),
}
