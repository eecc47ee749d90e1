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
    "OTHERS_MODULE_HOOKS_GONE": OF_MODULE_HOOKS["OTHERS_MODULE_HOOKS_GONE"],
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
    "CLIPPED_TOO_MUCH": Reason(
        "A gradient whose norm was above the threshold has now a norm below the threshold.",
        "`grad.norm()` is the root of the sum of the squares of all numbers. The factor is "
        "threshold / norm: then the new norm is the threshold.",
    ),
    "WORKS_ONCE": OF_MODULE_HOOKS["WORKS_ONCE"],
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
    "WELL_BLAMED": Reason(
        "All outputs of the module that you named are finite.",
        "In the guilty one, all inputs are finite and the output is not.",
    ),
    "PATH_UNKNOWN": Reason(
        "No module of the network has the path that you gave back.",
        "Give back the whole path, as `named_modules()` gives it: for example `encoder.0.conv`, "
        "not only its last part, and not the name of the class.",
    ),
    "BAD_NUMBER_MISSED": Reason(
        "A number that is not finite was made, and you say there is none.",
        "Infinity counts as well: `isfinite()` finds both. One such number is enough. And look "
        "inside of blocks: `named_modules()` gives all modules.",
    ),
    "NAMED_WITHOUT_NEED": Reason(
        "All outputs are finite, and you named a module.",
        'Give back None where nothing was found. `""` is the path of the network itself.',
    ),
    "RAN_AGAIN": Reason(
        "Your function ran the network more than once.",
        "Register all hooks first. Then one call of `net(x)` is enough.",
    ),
    "NETWORK_CHANGED": Reason(
        "After your function, this is not as it was: {what}.",
        "A function that only looks leaves everything as it was. Do without the change, or take "
        "it back at the end, for each module and each tensor.",
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
    "OUTPUT_GRADIENT_SEEN": Reason(
        "A norm in your dict is that of the gradient of a layer's output.",
        "The gradient of the weight is asked for. A tensor hook on `layer.weight` gets it.",
    ),
    "NORM_OF_ANOTHER_KIND": OF_TENSOR_HOOKS["NORM_OF_ANOTHER_KIND"],
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
    "CLIPPED_IN_BETWEEN": Reason(
        "You clip after each part, so the next part is added to a gradient that is clipped.",
        "First call backward for all parts. Then clip, once.",
        guide="clip-hook-and-micro-batches",
    ),
    "PARTS_MISSING": Reason(
        "What `weight.grad` holds is not the gradient of all parts.",
        "Call backward for each part, and do not clear `.grad` in between.",
    ),
    "PARTS_HELD": Reason(
        "You asked for a part while an earlier one still waited for its backward: memory held "
        "both of them.",
        "In the loop, ask for one loss and call its `backward()` at once.",
    ),
    "MEAN_OF_PARTS": Reason(
        "What `weight.grad` holds is the mean of the parts.",
        "The gradient of the whole batch is their sum: do not divide by the number of parts.",
    ),
    "GRADIENT_NOT_STORED": Reason(
        "After your function, `weight.grad` is None.",
        "`backward()` adds to `weight.grad`. What you compute without it, you must store there.",
    ),
    "OTHER_GRADIENT": Reason(
        "What `weight.grad` holds does not have the direction of the sum of all parts.",
        "Call backward for each part, and change nothing in between. Then multiply `weight.grad` "
        "by one factor, if its norm is too large.",
    ),
    "OTHER_LENGTH": Reason(
        "What `weight.grad` holds has the direction of the sum, and another norm.",
        "After the last backward: one factor, threshold / norm. The norm is the root of the sum of "
        "the squares of all numbers of the sum.",
    ),
    "WEIGHT_CHANGED": Reason(
        "After your function, the weight itself has other values.",
        "Only its gradient is asked for. The step comes later.",
    ),
    "TENSOR_HOOK_LEFT": Reason(
        "After your function, a hook of yours is still on the weight.",
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
    "FROZEN_CHANGED": Reason(
        "A parameter that did not require a gradient is not as it was.",
        "Leave it out: put a hook only on parameters whose `requires_grad` is True, and do not "
        "switch it on for the others.",
    ),
    "NO_GRADIENT_ANY_MORE": Reason(
        "A parameter that required a gradient does not require one any more.",
        "Take the step under `torch.no_grad()`. Where you switch `requires_grad` off, switch it on "
        "again after the step.",
    ),
    "HEAT_NEGATIVE": Reason(
        "Your heat holds negative numbers.",
        "The last step replaces them by 0: `clamp(min=0)`.",
    ),
    "HEAT_SCALED": Reason(
        "Your heat has the right form, but it is some number of times too large or too small.",
        "The weight of a map is the mean of its gradient over height and width, not the sum. The "
        "scores and the weighted maps are added: take no mean of them. Do not divide the heat.",
    ),
    "CLAMPED_TOO_EARLY": Reason(
        "You replaced negative numbers by 0 before the maps were added.",
        "A map with a negative weight takes heat away. First add all maps, then `clamp(min=0)`.",
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
