"""The misconceptions that the exercises of lesson 3 can tell apart."""

from course.exercise import Reason
from course.lessons.retain_grad.reasons import REASONS as OF_RETAIN_GRAD

REASONS = {
    "NOT_A_LABEL": Reason(
        "Your list holds {got}, which this code does not print.",
        "Use the words exactly as they are handed to `say`.",
    ),
    "REGISTRATION_ORDER": Reason(
        "Your list follows the order in which the hooks were registered.",
        "Registration decides only between hooks of one tensor. Between tensors, backward decides: "
        "it begins at the root.",
        guide="order-across-tensors",
    ),
    "FORWARD_ORDER": Reason(
        "Your list begins with the leaf. Backward goes the other way.",
        "Backward starts at the tensor on which it is called.",
        guide="order-across-tensors",
    ),
    "HOOKS_REVERSED": Reason(
        "In your answer the hook that was registered later is called earlier.",
        "Hooks of one tensor are called in the order of their registration, first come, first "
        "called.",
        guide="hooks-form-a-chain",
    ),
    "RESULT_REACHED_AGAIN": Reason(
        "In your answer a hook of `y` or of `h` is called more than once.",
        "Which tensors does `x * 5` come from? Its backward reaches no others.",
    ),
    "ONE_CALL_PER_USE": Reason(
        "You call a hook of `x` for each use of `x`.",
        "PyTorch first adds up what comes from all uses. Then it calls the hook, once in each "
        "backward.",
    ),
    "STORED_BEFORE_HOOK": Reason(
        'In your answer "x stored" comes before "x".',
        "A tensor hook runs before `.grad` is written, a post-accumulate hook after it.",
        guide="grad-is-still-old-in-hook",
    ),
    "LEAF_HOOK_STAYS": Reason(
        "Your list ends before the last word.",
        "A hook on a leaf stays there after a backward. Here are two backward calls.",
        guide="hook-runs-per-backward",
    ),
    "GRADIENT_UNCHANGED": Reason(
        "A backward ran, and the gradient came out as it would without your hook.",
        "Only what the hook returns takes the place of the gradient. Check also on which tensor "
        "the hook hangs.",
        guide="forgotten-return",
    ),
    "NEIGHBOUR_CHANGED": Reason(
        "The gradient of another tensor changed too, and no hook hangs on that one.",
        "Several tensors can share one gradient. Do not edit it in place: make a new tensor.",
        guide="gradient-edited-in-place",
    ),
    "EDITED_IN_PLACE": Reason(
        "Backward stopped with {error}",
        "The gradient that a hook gets can be a view on shared memory. Do not edit it: give back a "
        "new tensor.",
        guide="gradient-edited-in-place",
    ),
    "NO_HANDLE": Reason(
        "Your function gave back {got}, not the handle.",
        "`register_hook` gives back the handle: return that.",
    ),
    "HOOK_NOT_REMOVED": Reason(
        "After `remove()` of your handle, the gradient is still changed.",
        "Put one hook on the tensor, and give back the handle of that hook.",
    ),
    "FACTOR_ZERO": Reason(
        "With the factor 0 the gradient came out as it would without your hook.",
        "`if factor:` and `factor or …` ask whether a number is zero. 0 is a factor as others are.",
    ),
    "ONE_FACTOR_FOR_ALL": Reason(
        "Two tensors got a hook, each with its own factor. Both gradients were scaled with the "
        "second factor.",
        "Each call of your function has its own `factor`. Let the hook use that one, not a "
        "variable that all calls share.",
    ),
    "OLDER_GRADIENT_CHANGED": Reason(
        "A backward changed what an older backward had left in `.grad`.",
        "`.grad` holds the sum of all backwards. A tensor hook gets the gradient of this backward "
        "alone: change that.",
        guide="grad-is-still-old-in-hook",
    ),
    "EACH_SEES_THE_FIRST": Reason(
        "You call every hook with the gradient that arrived.",
        "Each hook gets what the one before it gave back.",
        guide="hooks-form-a-chain",
    ),
    "NONE_HANDED_ON": Reason(
        "A hook that gives back None changed what goes on.",
        "None means: the gradient stays as it is.",
        guide="hooks-form-a-chain",
    ),
    "NO_HOOK_NO_CHANGE": Reason(
        "The list `hooks` is empty, and your second result is not the gradient that arrived.",
        "Without a hook, the gradient goes on as it is.",
    ),
    "HOOKS_NOT_CALLED": Reason(
        "Your function made {got:call|calls}, and the list holds more functions to call.",
        "Call each hook of the list, also after one that gives back None.",
    ),
    "RESULT_NOT_A_TENSOR": Reason(
        "Your second result is {got}, and a tensor is asked for.",
        "Give back the gradient itself: no `.item()`, no `float(…)`.",
    ),
    "SEEN_IS_NOT_THE_CALLS": Reason(
        "You call the hooks with the right gradients, but your first list holds other tensors.",
        "Add to the list what you call a hook with, before you call it.",
    ),
    "ZERO_TAKEN_FOR_NONE": Reason(
        "A hook gave back zero, and you took it for None.",
        "`x or y` and `if x:` ask whether a number is zero. Ask `is None`.",
    ),
    "CALLED_AGAIN": Reason(
        "You called a hook {got:time|times}.",
        "Call each hook once and keep what it gives back in a variable.",
    ),
    "NOT_A_PAIR": Reason(
        "Your function gave back {got}.",
        "Give back two things, the list first: `return seen, grad`.",
    ),
    "ARRIVED_EDITED": Reason(
        "Your function changed the numbers of the gradient that arrived.",
        "That tensor may belong to others. Give your variable another tensor, do not edit it.",
        guide="gradient-edited-in-place",
    ),
    "NOT_EMPTY_AT_FIRST": Reason(
        "The list that you give back has entries in it before any backward of the caller.",
        "Make a new list in each call, and only let the hook add to it. A default value "
        "`log=[]` is made once and shared by all calls.",
    ),
    "RECORD_EMPTY": Reason(
        "After a backward, your record is empty.",
        "The hook must hang on a tensor that the loss is computed from, and it must add to the "
        "object that you gave back.",
        guide="hook-off-the-way",
    ),
    "NORM_OF_THE_TENSOR": Reason(
        "Your list holds the norm of the tensor, not of its gradient.",
        "The gradient is what the hook is called with.",
    ),
    "NORM_OF_ANOTHER_KIND": OF_RETAIN_GRAD["NORM_OF_ANOTHER_KIND"],
    "RECORDS_TENSORS": Reason(
        "Your record holds {got} where a Python number is asked for.",
        "`grad.norm().item()` gives a Python number. It does not keep the gradient alive.",
    ),
    "RECORDING_CHANGES": Reason(
        "The record is there, but the gradient of the tensor is not the same as without it.",
        "A hook that only looks gives back None. It does not edit the gradient in place, and it "
        "does not touch `.grad`. Look also at what its last line gives back.",
        guide="record-gives-something-back",
    ),
    "ACCUMULATED_SEEN": Reason(
        "Your record holds the sum of several backwards.",
        "A tensor hook gets the gradient of this backward. `t.grad` holds the sum of all.",
        guide="grad-is-still-old-in-hook",
    ),
    "ONLY_THE_LAST_BACKWARD": Reason(
        "Your record has {got:entry|entries}. That is not one for each backward.",
        "Each backward adds one entry, and none is taken away.",
    ),
    "LOOP_VARIABLE": Reason(
        "After a backward, your record has these names: {names}.",
        "The function looks up `name` when it is called, and then the loop is over. Keep it with "
        "`def record(grad, name=name)`.",
        guide="loop-variable",
    ),
    "NAMES_DIFFER": Reason(
        "After a backward, your dict has these names: {names}. These are not the names of all "
        "parameters.",
        "Use each name as `named_parameters()` gives it. Nothing else tells two parameters apart.",
    ),
    "ZERO_LEFT_OUT": Reason(
        "The last backward had a gradient of zeros for {names}, and your dict holds another norm.",
        "A gradient of zeros is a gradient, with the norm 0.",
    ),
    "NEGATIVE_LEFT": Reason(
        "The gradient of `t` still has negative numbers in it.",
        "Give back a tensor in which they are zero: `grad.clamp(min=0)`.",
    ),
    "NOT_TENSORS": Reason(
        "Your list holds {got} where a tensor is asked for.",
        "Keep the gradient itself, or the part of it that is asked for.",
    ),
    "WHOLE_GRADIENT": Reason(
        "You record the gradient of the whole weight.",
        "In the hook, take the row out of the gradient.",
    ),
    "TOO_MANY_ENTRIES": Reason(
        "After {steps:step|steps} your list has {got:number|numbers}.",
        "Each call of `register_hook` adds one more hook, and all of them are called. Register "
        "once, before the loop.",
        guide="hooks-pile-up",
    ),
    "HOOKS_LEFT": Reason(
        "After your function, a backward still calls a hook of yours.",
        "Keep the handle and call `remove()`, or use `with t.register_hook(hook):`. `del` does not "
        "remove a hook.",
        guide="del-handle",
    ),
    "HOOK_LEFT_AFTER_ERROR": Reason(
        "After a backward that raised an error, hooks of yours still hang on the tensors.",
        "Remove them in a `finally:` part, or use a `with` block.",
        guide="hook-raises",
    ),
    "OTHERS_HOOKS_GONE": Reason(
        "A hook that was there before your function is not called any more.",
        "Remove only your own hook, with its own handle.",
    ),
    "OTHERS_HOOKS_NOT_CALLED": Reason(
        "While your function ran, a hook that was there before was not called in each step.",
        "Leave the caller's hooks on `weight`, and call `backward()` on a loss that is computed "
        "from `weight` itself.",
    ),
    "GRADIENT_LEFT": Reason(
        "The record is right, but after your function a gradient is left in `weight.grad`.",
        "Clear it after each step: `weight.grad = None`. Later work would add to it.",
    ),
    "TRAINING_CHANGED": Reason(
        "The record is right, but the weight does not end where the training leads it.",
        "Change only where the hook is registered and removed.",
    ),
    "ROWS_NOT_FROZEN": Reason(
        "After a backward, a frozen row has a gradient that is not zero.",
        "The hook must give back a tensor that is zero in these rows, in every backward.",
    ),
    "OTHER_ROWS_CHANGED": Reason(
        "The frozen rows are zero, but another row has not its usual gradient.",
        "Change only the rows in the list. Take care of more dimensions: a row is all of "
        "`weight[i]`.",
    ),
    "WEIGHT_CHANGED": Reason(
        "Your function changed the numbers of the weight itself.",
        "Only the gradient becomes zero. The weight keeps its numbers.",
    ),
    "WRONG_ORDER": Reason(
        "Your list has the right tensors in the order {got}, and backward reached them in another.",
        "Let each hook add its own entry when it is called.",
        guide="order-across-tensors",
    ),
    "UNREACHED_LISTED": Reason(
        "Your list holds {names}, and no gradient reached it.",
        "Only a hook that is called with a gradient adds an entry.",
        guide="hook-gets-none",
    ),
    "TENSORS_MISSING": Reason(
        "Your list has {got:entry|entries}, and backward reached more of the tensors.",
        "Put a hook on each tensor that requires a gradient, non-leaf tensors too. A gradient of "
        "zeros is a gradient.",
    ),
    "TENSOR_TWICE": Reason(
        "These names are in your list more than once: {names}.",
        "Use one hook for each tensor, and call `root.backward()` once.",
    ),
    "RETAINS_GRAD": Reason(
        "After your function, a tensor retains its gradient that did not do so before.",
        "`retain_grad()` cannot be taken back. Keep the gradient that a hook is called with.",
    ),
    "ERROR_SWALLOWED": Reason(
        "Backward raised an error, and it did not come out of your function.",
        "`try: … finally: …` removes the hooks and lets the error go on.",
        guide="hook-raises",
    ),
    "REQUIRES_GRAD_CHANGED": Reason(
        "After your function, a tensor requires a gradient that did not require one before.",
        "Ask `t.requires_grad` and leave such a tensor out.",
    ),
    "GRADIENTS_NOT_STORED": Reason(
        "After your function the leaf tensors do not have the `.grad` of `root.backward()`.",
        "Call `root.backward()` once, and let your hooks give back None.",
    ),
}
