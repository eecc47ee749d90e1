"""The misconceptions that the exercises of lesson 4 can tell apart."""

from course.exercise import Reason
from course.lessons.tensor_hooks.reasons import REASONS as OF_TENSOR_HOOKS

SHARED = (
    "NOT_A_LABEL",
    "GRADIENT_UNCHANGED",
    "RECORD_EMPTY",
    "RECORDS_TENSORS",
    "CALLED_AGAIN",
    "ONLY_THE_LAST_BACKWARD",
)

REASONS = {code: OF_TENSOR_HOOKS[code] for code in SHARED} | {
    "ZERO_TAKEN_FOR_NONE": Reason(
        "A hook gave back zero or an empty list, and you took it for None.",
        "`x or y` and `if x:` ask whether something is zero or empty. Ask `is None`.",
    ),
    "MODULE_REGISTRATION_ORDER": Reason(
        "Your list follows the order in which the hooks were registered.",
        "Hooks of different kinds and of different modules run when their moment comes: before or "
        "after forward, before or after backward.",
    ),
    "CHILD_ENTERED_FIRST": Reason(
        "In your answer a layer is entered before the network that holds it.",
        "`net(x)` first calls the pre-hook of `net`. Then its forward calls the layers.",
    ),
    "PARENT_LEFT_FIRST": Reason(
        "In your answer the network is left before the layer inside it.",
        "The forward hook of `net` runs when the forward of `net` is done, with all its layers.",
    ),
    "PARENT_BACK_FIRST": Reason(
        'In your answer "net back" comes before "inner back".',
        "The input requires a gradient. The backward hook of `net` waits for it, and it is "
        "computed last. The backward *pre*-hook is the one that comes first.",
        guide="network-hook-runs-first",
    ),
    "FORWARD_CALLS_HOOKS": Reason(
        "In your answer the hooks of `net` are called twice.",
        "The second time, the code says `net.forward(x)`. That calls no hook of `net`.",
        guide="forward-called-directly",
    ),
    "LAYER_HOOKS_STAY": Reason(
        "Your list ends before the last word.",
        "`net.forward(x)` calls `inner` in the usual way, and so calls the hooks of `inner`.",
    ),
    "PATHS_MISSING": Reason(
        "Your dict does not hold these paths: {names}.",
        "Make an entry for each path before anything is called.",
    ),
    "LATE_PATH": Reason(
        "What happened was written down under the wrong paths.",
        "A function looks up `path` when it is called, and then the loop is over. Keep it with "
        "`def hook(module, args, output, path=path)`.",
        guide="loop-variable",
    ),
    "REPEATED_CALL_LOST": Reason(
        "A module was called more than once, and your answer has one call of it.",
        "A hook is called for each call of the module. Add to what is there.",
        guide="last-call-wins",
    ),
    "UNUSED_COUNTED": Reason(
        "You counted a call of a module that was never called.",
        "That a layer is defined does not mean that forward uses it. Let a forward hook count.",
        guide="module-never-called",
    ),
    "NOT_A_COUNT": Reason(
        "A value in your dict is {got}.",
        "Each value says how often the module was called. Begin with 0 and add 1 for each call.",
    ),
    "PATHS_TOO_MANY": Reason(
        "Your dict holds paths that are not in `net.named_modules()`: {names}.",
        "`net.named_modules()` gives each module once, also one that is in two places.",
    ),
    "NETWORK_NOT_CALLED": Reason(
        "Your function did not call the network.",
        "Call `net(x)` after your hooks are registered.",
    ),
    "CALL_COUNTED_AGAIN": Reason(
        "Your answer has more calls of a module than there were.",
        "One hook on each module is enough. Let it add 1.",
    ),
    "CALL_NOT_SEEN": Reason(
        "A module was called, and your answer has fewer calls of it.",
        "Not every call takes part in backward: count in a forward hook or in a pre-hook.",
    ),
    "MODULE_HOOKS_LEFT": Reason(
        "After your code is done, {count:hook of yours is|hooks of yours are} still registered.",
        "Keep each handle and call `remove()`, or put it into a `with` block or an ExitStack.",
        guide="hooks-pile-up",
    ),
    "MODULE_HOOKS_LEFT_AFTER_ERROR": Reason(
        "There was an error, and hooks of yours are still on the modules.",
        "Remove them in a `finally:` part, or use an ExitStack: both work when there is an error.",
    ),
    "OTHERS_MODULE_HOOKS_GONE": Reason(
        "Hooks that were there before are not there any more.",
        "Remove only your own hooks, with their own handles.",
    ),
    "LOG_FLAT": Reason(
        "Your answer says that one and the same module called all others.",
        "A layer inside a block was called by the block. Remember which modules are open.",
    ),
    "CLOSED_MODULE_CALLS": Reason(
        "Your answer names a caller that was left already.",
        '"out NAME" closes a module. The caller is the module that was opened last and is still '
        "open.",
    ),
    "NOT_THE_LAST_OPENED": Reason(
        "For one module, your answer is not the module that was opened last and was still open.",
        'Look at what is open just before "in NAME". NAME itself is opened after that.',
    ),
    "NAMES_CUT": Reason(
        "Your dict does not hold these names: {names}.",
        "A name can hold spaces: only the first space of an entry ends the first word. And each "
        "module has an entry, also the one that was called from outside.",
    ),
    "OUTSIDE_IS_NONE": Reason(
        "The callers are right, but not the value for the module that was called from outside.",
        "Nobody in the log called it. Its value is None, not a string.",
    ),
    "CALLEES_NOT_CALLERS": Reason(
        "Your dict goes from a caller to what it calls.",
        "It must go the other way: from each module to its one caller.",
    ),
    "FORWARD_CALLED_DIRECTLY": Reason(
        "The hooks of the network itself were not called.",
        "`net.forward(x)` goes around them. `net(x)` calls the hooks and forward.",
        guide="forward-called-directly",
    ),
    "NETWORK_CALLED_AGAIN": Reason(
        "The network ran more than once.",
        "Call it once, and use what this one call gives.",
    ),
    "GRAPH_RECORDED": Reason(
        "PyTorch recorded a graph while the network ran.",
        "Keep the call of the network inside the `torch.no_grad()` block. `detach()` comes too "
        "late for that.",
    ),
    "GRAD_MODE_CHANGED": Reason(
        "Your code changed whether PyTorch records graphs, and did not put it back.",
        "At its end, a `with torch.no_grad():` block puts back what was there before. A bare call "
        "of `torch.set_grad_enabled` does not.",
    ),
    "REQUIRES_GRAD_CHANGED": Reason(
        "After your function, `requires_grad` of a parameter or of `x` is not what it was before.",
        "Use `torch.no_grad()`. It records no graph and leaves all tensors as they are.",
    ),
    "MODE_CHANGED": Reason(
        "The network was not used in the eval mode, or it is not in its old mode afterwards.",
        "Keep `net.eval()` before the call and `net.train(was_training)` after it.",
    ),
    "FEATURES_OVERWRITTEN": Reason(
        "What you kept is what the next layer made of it, in place.",
        "`detach()` does not copy: it looks at the same memory. `clone()` copies.",
        guide="kept-output-changes",
    ),
    "FEATURES_ATTACHED": Reason(
        "What you kept has a history: it keeps the graph of the network alive.",
        "`detach()` gives the numbers without the history.",
        guide="kept-outputs-attached",
    ),
    "KEPT_NO_LIST": Reason(
        "A value in your dict is {got}, and a list is asked for.",
        "Begin with an empty list for each path, and let the hook of this path append to it.",
    ),
    "KEPT_NOT_TENSORS": Reason(
        "You kept {got}, and a tensor is asked for.",
        "Keep each output as a tensor of its own.",
    ),
    "FEATURES_MISSING": Reason(
        "You kept {got:output|outputs}, and the modules were called another number of times.",
        "Add one entry for each call of the module, and begin with an empty list.",
        guide="last-call-wins",
    ),
    "FEATURES_OF_THE_INPUT": Reason(
        "You kept what goes into the layer.",
        "A forward hook is called with `module, args, output`. Keep the output.",
    ),
    "NETWORK_CHANGED": Reason(
        "With your hook, the network does not compute the same outputs or gradients as without it.",
        "A hook that only looks gives back None and does not edit what it gets.",
        guide="output-replaced",
    ),
    "NO_MODULE_HANDLE": Reason(
        "Your function gave back {got}, not the handle.",
        "Each of the `register_…` methods gives back a handle: return that.",
    ),
    "MODULE_HOOK_NOT_REMOVED": Reason(
        "After `remove()` of your handle, your hook still has an effect.",
        "Register one hook, and give back the handle of that hook.",
    ),
    "NOT_A_TUPLE": Reason(
        "Backward stopped with {error}.",
        "A backward hook gives back a tuple with one element for each input: `(grad,)` for one.",
        guide="backward-hook-returns-tuple",
    ),
    "OWN_WEIGHTS_CHANGED": Reason(
        "The gradients of the module's own parameters changed.",
        "Change `grad_input`, which leaves the module. What comes in, `grad_output`, reaches the "
        "parameters as well.",
        guide="grad-input-spares-own-weights",
    ),
    "INPUTS_FORGOTTEN": Reason(
        "The gradient of one input is right, and that of another is not.",
        "`grad_input` has one element for each input. Change each of them.",
    ),
    "GRADIENT_EDITED": Reason(
        "The factor acts more than once: the inputs share one gradient, and you edit it in place.",
        "Give back new tensors: `grad * factor`, not `grad.mul_(factor)`.",
        guide="backward-hook-without-return",
    ),
    "NONE_REPLACED": Reason(
        "An input without a gradient had None in `grad_input`, and your hook did not keep it.",
        "Give back None at the place of that input. Zeros are not the same.",
    ),
    "WORKS_ONCE": Reason(
        "Your hook did its work the first time, and not after that.",
        "A hook is called every time, until its handle is removed. Let it do the same each time.",
    ),
    "STOPPED_IN_PLACE": Reason(
        "Forward stopped with {error}.",
        "A full backward hook does not go together with an in-place layer behind it. In a forward "
        "hook, put a tensor hook on the output.",
        guide="inplace-after-full-hook",
    ),
    "OUTPUT_MADE_A_LEAF": Reason(
        "Forward stopped with {error}.",
        "Your hook makes a leaf of the output: `detach()` and `requires_grad_()` do that. Leave "
        "the output as it is, and ask `output.requires_grad`.",
    ),
    "OUTPUT_NOT_ASKED": Reason(
        "A gradient came to the output of the layer, and your list has no number.",
        "Put the hook on the output wherever `output.requires_grad` is True. Neither the input nor "
        "a weight of the layer has to require a gradient for that.",
    ),
    "PARAMETER_GRADIENT_SEEN": Reason(
        "Your list holds the norm of the gradient of a parameter of the layer.",
        "The gradient of the output is asked for. In a legacy hook that is `grad_output[0]`.",
        guide="legacy-order-of-gradients",
    ),
    "INPUT_GRADIENT_SEEN": Reason(
        "Your list holds the norm of the gradient of the layer's input.",
        "The gradient of the output is asked for.",
        guide="grad-input-or-output",
    ),
    "NORM_OF_THE_OUTPUT": Reason(
        "Your list holds the norm of what the layer computes, not of a gradient.",
        "A forward hook gets values. Only a hook on a tensor or a node gets its gradient.",
    ),
    "KEYWORDS_NOT_SCALED": Reason(
        "An input that was given by keyword did not change as it should.",
        "Register with `with_kwargs=True`; then the hook gets `module, args, kwargs` and gives "
        "back both.",
        guide="keyword-inputs-missing",
    ),
    "POSITIONS_NOT_SCALED": Reason(
        "An input that was given by position did not change as it should.",
        "Scale each tensor in `args`, and give back a tuple of all.",
    ),
    "NON_TENSORS_CHANGED": Reason(
        "An input that is not a tensor was changed or left out.",
        "Ask `isinstance(value, torch.Tensor)` before you multiply. Hand on all other values.",
    ),
    "HISTORY_CUT": Reason(
        "What forward gets has the right numbers, but backward does not give the caller's tensors "
        "the right gradients.",
        "Multiply the tensor itself, without `detach()`, `.data` or `torch.no_grad()`.",
    ),
    "CALLERS_TENSOR_CHANGED": Reason(
        "The caller's own tensor was changed.",
        "Make a new tensor, `value * factor`. Do not work in place.",
    ),
    "EACH_HOOK_SEES_THE_FIRST": Reason(
        "A hook was not called with what the hook before it made.",
        "Keep `args` and `output` in variables. Each hook is called with what they hold.",
        guide="order-of-forward-hooks",
    ),
    "FORWARD_GETS_OTHERS": Reason(
        "`forward` was not called with what the pre-hooks made.",
        "After the pre-hooks, `args` must hold what the last of them made: call `forward(*args)`.",
    ),
    "NEW_OUTPUT_LOST": Reason(
        "A forward hook gave back something that is not None, and it did not become the output.",
        "Whatever it is (a number, a tuple, a list): only None means that the output stays.",
    ),
    "MODULE_NOT_HANDED_ON": Reason(
        "A hook was called with something else as its module.",
        "Hand on the `module` that you got: it is the first argument of each hook.",
    ),
    "HOOKS_USED_UP": Reason(
        "After the call, the lists of hooks are not as they were.",
        "The next call needs the same hooks. Go through the lists with `for`, without `pop`.",
    ),
    "NONE_REPLACES": Reason(
        "A hook gave back None, and that changed something.",
        "None means: all stays as it is.",
        guide="output-replaced",
    ),
    "ONE_INPUT_UNPACKED": Reason(
        "A pre-hook gave back one new input that is not a tuple, and what was called next did not "
        "get it as its one input.",
        "`isinstance(made, tuple)` tells the two apart. One input becomes `(made,)`.",
        guide="pre-hook-returns-list",
    ),
    "FORWARD_NOT_ONCE": Reason(
        "You called `forward` {got:time|times}.",
        "Call it once, after all pre-hooks and before all forward hooks.",
    ),
    "NOT_A_CONTEXT": Reason(
        "What your `features` gives back, {got}, cannot be used in a `with` block.",
        "Write a class with `__enter__` and `__exit__`, or a generator with "
        "`contextlib.contextmanager`.",
    ),
    "NOT_A_DICT": Reason(
        "`with features(…) as kept` gives {got} as `kept`.",
        "Yield a dict, or give it back from `__enter__`. Its values are lists.",
    ),
    "KEPT_TOO_LATE": Reason(
        "After the block your dict is right. During the block it was not.",
        "Make the lists before the block runs, and let each hook add to them.",
    ),
    "BLOCK_ERROR_SWALLOWED": Reason(
        "The block raised an error, and this error did not come out of the `with` statement.",
        "`__exit__` must not give back True. A generator must not catch the error for good, or "
        "raise another one.",
    ),
    "WRONG_PATH_ACCEPTED": Reason(
        "A path that does not exist raised no AttributeError.",
        "`net.get_submodule(path)` raises it. Call it for each path before the block runs.",
    ),
}
