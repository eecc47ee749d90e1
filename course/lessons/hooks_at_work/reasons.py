"""The misconceptions that the exercises of lesson 6 can tell apart."""

from course.exercise import Reason
from course.lessons.module_hooks.reasons import REASONS as OF_MODULE_HOOKS
from course.lessons.tensor_hooks.reasons import REASONS as OF_TENSOR_HOOKS

REASONS = {
    "GRADIENT_UNCHANGED": OF_TENSOR_HOOKS["GRADIENT_UNCHANGED"],
    "NEIGHBOUR_CHANGED": OF_TENSOR_HOOKS["NEIGHBOUR_CHANGED"],
    "RECORDS_TENSORS": OF_TENSOR_HOOKS["RECORDS_TENSORS"],
    "LOOP_VARIABLE": OF_TENSOR_HOOKS["LOOP_VARIABLE"],
    "MODULE_HOOKS_LEFT": OF_MODULE_HOOKS["MODULE_HOOKS_LEFT"],
    "FEATURES_OVERWRITTEN": OF_MODULE_HOOKS["FEATURES_OVERWRITTEN"],
    "TOOL_MISSING": Reason(
        "Your dict does not hold a tool of the list for {names}.",
        "Give each of the six pieces of work one of the six tools.",
    ),
    "TOOL_FOR_OTHER_WORK": Reason(
        "For {names} another tool is needed.",
        "Ask: does it need values or gradients? Of a layer, of a tensor or of a parameter? One "
        "gradient, or all of them at once?",
    ),
    "OTHER_WAY_TURNED": Reason(
        "The gradient on the other way changed too.",
        "A hook on `t` sees the sum of all ways. Put the hook on a tensor of its own: "
        "`t.view_as(t)`. In the hook, give back a new gradient: several tensors can share one.",
    ),
    "VALUES_CHANGED": Reason(
        "Your tensor does not have the same values and shape as `t`.",
        "Only the gradient changes. `t.view_as(t)` has the same values.",
    ),
    "WAY_IS_CUT": Reason(
        "No gradient flows through your tensor back to `t`.",
        "`detach()` cuts the history. A view keeps it.",
        guide="hook-off-the-way",
    ),
    "HANDLES_MISSING": Reason(
        "You gave back {got}, not a list with one handle for each hook.",
        "Every register method gives back a handle. Collect them in a list.",
    ),
    "SMALL_GRADIENT_CHANGED": Reason(
        "A gradient whose norm is not above the threshold was changed.",
        "Scale only where the norm is larger than the threshold.",
    ),
    "CLIPPED_BY_VALUE": Reason(
        "A clipped gradient does not have its old direction.",
        "Multiply all of its numbers by one factor. `clamp` cuts each number for itself.",
    ),
    "CLIPPED_ALL_TOGETHER": Reason(
        "The gradients are not clipped each for itself.",
        "Each hook uses the norm of the one gradient that it gets.",
    ),
    "ZERO_BECOMES_NAN": Reason(
        "A gradient of zeros became NaN.",
        "Do not divide by a norm of zero. Ask first whether the norm is above the threshold.",
    ),
    "NOT_CLIPPED": Reason(
        "A gradient whose norm is above the threshold is still too large.",
        "The hook must give back the scaled gradient: the factor is threshold / norm.",
    ),
    "HOOK_STILL_ACTS": Reason(
        "After `remove()` of all handles, a hook of yours still acts.",
        "Register each hook once, and give back its handle.",
    ),
    "CONTAINER_BLAMED": Reason(
        "You named a module that has children.",
        "Look at modules without children only: `if list(module.children()): continue`.",
    ),
    "VICTIM_BLAMED": Reason(
        "You named a module that got a bad input already, or one that came later.",
        "In the guilty one, all inputs are finite and the output is not. It comes first.",
    ),
    "ONLY_NAN_SEEN": Reason(
        "A number that is not finite was made, and you say there is none.",
        "Infinity counts as well: `isfinite()` finds both. One such number is enough. And look "
        "inside of blocks: `named_modules()` gives all modules.",
    ),
    "NAMED_WITHOUT_NEED": Reason(
        "All outputs are finite, and you named a module.",
        "Give back None where nothing was found.",
    ),
    "RAN_AGAIN": Reason(
        "Your function ran the network more than once.",
        "Register all hooks first. Then one call of `net(x)` is enough.",
    ),
    "NETWORK_CHANGED": Reason(
        "After your function, a module is in another mode, or other parameters require a gradient.",
        "An instrument leaves the network as it was. You need neither `eval()` nor "
        "`requires_grad_()` here.",
    ),
    "NORMS_MISSING": Reason(
        "After a backward, your dict has these names: {names}.",
        "Each layer needs an entry of its own, in each backward.",
    ),
    "OLD_GRADIENT_SEEN": Reason(
        "A norm in your dict is not that of this backward.",
        "`.grad` holds the sum of all backward calls, or an older one. A hook on the parameter "
        "itself gets the gradient of this backward.",
        guide="grad-is-still-old-in-hook",
    ),
    "STORED_GRADIENT_CHANGED": Reason(
        "With your hooks, `.grad` is not what it is without them.",
        "A hook that only looks gives back None.",
        guide="record-gives-something-back",
    ),
    "PARTS_CLIPPED": Reason(
        "Each part was clipped for itself. The sum of them is another gradient.",
        "First add up all parts. Then clip `weight.grad`, once.",
        guide="clip-hook-and-micro-batches",
    ),
    "SUM_NOT_CLIPPED": Reason(
        "The sum is complete, and it is not clipped.",
        "After the last backward: `nn.utils.clip_grad_norm_([weight], threshold)`.",
    ),
    "PARTS_MISSING": Reason(
        "What `weight.grad` holds is not the gradient of all parts.",
        "Call backward for each part, and do not clear `.grad` in between.",
    ),
    "OTHER_LENGTH": Reason(
        "What `weight.grad` holds has the direction of the sum, and another norm.",
        "After the last backward: no mean, and one factor, threshold / norm.",
    ),
    "WEIGHT_CHANGED": Reason(
        "After your function, the weight itself has other values.",
        "Only its gradient is asked for. The step comes later.",
    ),
    "TENSOR_HOOK_LEFT": Reason(
        "After your function, {count} hooks are still on the weight.",
        "Keep the handle and call `remove()`, or do without a hook.",
        guide="hooks-pile-up",
    ),
    "NO_STEP_TAKEN": Reason(
        "After a backward, the parameters hold the same numbers as before.",
        "`p = p - …` makes a new tensor. `p -= …` under `torch.no_grad()` changes the parameter.",
        guide="update-makes-new-tensor",
    ),
    "GRADIENT_KEPT": Reason(
        "After a backward, a parameter still has its `.grad`.",
        "Set `p.grad = None` in the hook, after the step.",
    ),
    "TOO_EARLY_STEP": Reason(
        "A parameter did not become `p - lr * p.grad` with the gradient of this backward.",
        "Look at the sign and at `lr`. Look at the time, too: a tensor hook runs before `.grad` is "
        "stored, `register_post_accumulate_grad_hook` runs after it.",
        guide="grad-is-still-old-in-hook",
    ),
    "ALL_AT_ONCE": Reason(
        "There were {got} gradients in memory at one time.",
        "Take the step for one parameter in its own hook, and set its `.grad` to None there.",
    ),
    "HEAT_NEGATIVE": Reason(
        "Your heat holds negative numbers.",
        "The last step replaces them by 0: `clamp(min=0)`.",
    ),
    "WEIGHTS_NOT_MEAN": Reason(
        "Your heat has the right form, but it is some number of times too large or too small.",
        "The weight of a map is the mean of its gradient over height and width, not the sum.",
    ),
    "GRADIENT_PER_PLACE": Reason(
        "You multiplied each place of a map by the gradient of that place.",
        "First take the mean of the gradient over height and width: one weight for each map.",
    ),
    "ABSOLUTE_HEAT": Reason(
        "Your heat is positive where places speak against the class.",
        "Negative sums become 0. They do not change their sign.",
    ),
    "OTHER_CLASS": Reason(
        "Your heat is that of another class, or of all classes together.",
        "The gradient must start at `scores[:, of]`.",
    ),
    "HEAT_HAS_HISTORY": Reason(
        "Your heat has a history.",
        "Detach the maps that you keep.",
    ),
    "GRAD_LEFT": Reason(
        "After your function, the `.grad` of the network is not what it was.",
        "`torch.autograd.grad` runs the hooks and leaves `.grad` alone.",
    ),
}
