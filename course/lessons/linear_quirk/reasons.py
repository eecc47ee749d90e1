"""The misconceptions that the exercises of lesson 5 can tell apart."""

from course.exercise import Reason

REASONS = {
    "LINES_MISSING": Reason(
        "Your dict does not hold one of the six strings for {names}.",
        "Give back all six letters, each with a string from the text.",
    ),
    "LINEAR_OR_CONV": Reason(
        "{names}: a Linear and a convolution are mixed up.",
        "The weight of a Conv2d has four dimensions. The weight of a Linear has two.",
        guide="legacy-order-of-gradients",
    ),
    "NONE_NOT_READ": Reason(
        "{names}: what a None in the tuple says is not in your answer, or you see one that is not "
        "there.",
        "None stands where the input would be: no gradient was asked for it.",
    ),
    "RANK_NOT_READ": Reason(
        "{names}: the rank of the input is not right.",
        "Only after a 2-D input is the last node of a Linear the matrix product itself.",
        guide="legacy-second-element",
    ),
    "BIAS_NOT_READ": Reason(
        "{names}: whether there is a bias is not right.",
        "The gradient of a bias has one dimension.",
    ),
    "NODE_NOT_NAME": Reason(
        "You gave back the node or its printed form, not its name.",
        "`node.name()` gives the bare name, without an address.",
    ),
    "LAYER_NOT_NODE": Reason(
        "You gave back the name of the module's class. Autograd knows no modules, only nodes.",
        "Ask the module's output for its `grad_fn`.",
    ),
    "ONE_NODE_TOO_FAR": Reason(
        "{got} is a node that the last one leads to. The hook does not hang there.",
        "The last node is `grad_fn` of the output itself.",
    ),
    "OUTPUT_HAS_A_NODE": Reason(
        "You gave back None, but the output of the module has a node.",
        "Look at `grad_fn` of the output, whatever `x` is. A parameter can bring a node too.",
    ),
    "NOT_TWO_SHAPES": Reason(
        "You gave back {got}, which is not two shapes.",
        "Give back a pair: the shape for grad_input[0], or None, and the shape for grad_output[0].",
    ),
    "LAYER_HOOK_LEFT": Reason(
        "After your function, a hook is still on the module or on a parameter.",
        "Keep the handle that registering gives you, and call `handle.remove()`.",
    ),
    "REQUIRES_GRAD_CHANGED": Reason(
        "After your function, `requires_grad` of `x` or of a parameter is not what it was.",
        "Leave out what requires no gradient, and do not call `requires_grad_` on what is given.",
    ),
    "NOT_THE_OUTPUT_SHAPE": Reason(
        "Your first shape fits. Your second one, {got}, is not the shape of grad_output[0].",
        "grad_output[0] is the gradient of the module's output: `module(x)` has its shape.",
    ),
    "SHAPES_SWAPPED": Reason(
        "Your first shape is the one of the output. Backward runs in reverse, but the names do "
        "not: grad_input belongs to the input.",
        "grad_input[0] is the gradient of the module's input, grad_output[0] that of its output.",
        guide="grad-input-or-output",
    ),
    "UNTRACKED_HAS_NO_GRADIENT": Reason(
        "You say that grad_input[0] has the shape {got}. The input does not require a gradient.",
        "For an input that asks for no gradient, and where no other input does, there is a None.",
        guide="grad-input-none",
    ),
    "SHAPE_OF_A_WEIGHT": Reason(
        "One of your shapes belongs to a weight or a bias.",
        "A full hook receives the gradients of inputs and outputs, never those of parameters.",
        guide="grad-input-or-output",
    ),
    "FLATTENED_SHAPE": Reason(
        "Your shape {got} is what a legacy hook saw: a tensor on its way through the layer.",
        "The full hook's gradients have the shapes of the module's input and output.",
        guide="legacy-second-element",
    ),
    "HOOK_ON_UNTRACKED": Reason(
        "Your list holds a call of x's hook, but x does not require a gradient here.",
        "No hook can be registered on such a tensor, and no gradient comes to it.",
    ),
    "NOT_THESE_EVENTS": Reason(
        "Your list does not hold each event of the text exactly once.",
        "Each hook writes its word once, and one word is written after backward.",
    ),
    "HOOKS_AFTER_BACKWARD": Reason(
        "Your list says that a hook runs after backward() has returned.",
        "Hooks run inside backward(), as soon as their gradient is known.",
    ),
    "INPUT_BEFORE_LAYER": Reason(
        "Your list lets x's hook run before the hook of the layer.",
        "The layer's hook may still change the gradient of x, so it must run first.",
    ),
    "LAYER_TOO_EARLY": Reason(
        "Your list lets the layer's hook run before the weight's, though x requires a gradient.",
        "The full hook waits for grad_input. When that is known, the layer's own backward has run, "
        "and the hook of the weight was called already.",
    ),
    "LAYER_TOO_LATE": Reason(
        "Your list lets the layer's hook wait, though x does not require a gradient.",
        "No grad_input will come, so the hook runs as soon as grad_output is known.",
        guide="grad-input-none",
    ),
    "NOTHING_SEEN": Reason(
        "After a backward, `seen` is still empty.",
        "Register a function that writes into `seen`, and give that function to a register method.",
    ),
    "NONE_IS_MISSING": Reason(
        "After a backward, `seen` is still empty. The input requires no gradient here.",
        "Each backward adds one element. Where there is no gradient of the input, it is None.",
        guide="grad-input-none",
    ),
    "PARTS_NOT_SEEN": Reason(
        "After a backward, `seen` is still empty. All parameters of this module belong to its "
        "parts.",
        "`module.named_parameters()` also gives the parameters of the parts, as `0.bias`.",
    ),
    "WATCHER_CHANGES_GRADIENT": Reason(
        "The gradient of `x` is not what it is without your hook.",
        "A hook that only looks gives back None and edits nothing in place.",
        guide="record-gives-something-back",
    ),
    "OUTSIDE_COUNTED": Reason(
        "What you kept is the whole gradient of `x`. It holds what comes to `x` from outside of "
        "the module too.",
        "A hook on `x` sees the sum of all uses. The full hook sees only what this module adds.",
    ),
    "OUTPUT_NOT_INPUT": Reason(
        "What you kept is the gradient of the module's output.",
        "That is grad_output. The gradient of the input is in the full hook's grad_input.",
        guide="grad-input-or-output",
    ),
    "WEIGHT_NOT_INPUT": Reason(
        "What you kept is the gradient of a weight.",
        "In a legacy hook the index means something else for each layer. Use the full hook.",
        guide="legacy-order-of-gradients",
    ),
    "VALUE_NOT_GRADIENT": Reason(
        "What you kept is the input itself, not its gradient.",
        "A forward hook sees values. Gradients come in backward.",
    ),
    "TUPLE_IN_THE_LIST": Reason(
        "What you kept is a tuple. A tensor is asked for.",
        "grad_input is a tuple with one element for each input. Take the first.",
    ),
    "NOT_ONCE_EACH": Reason(
        "`seen` has {got:element|elements} after the backwards.",
        "Append exactly one element in each backward, and keep the older ones.",
    ),
    "HANDLE_NOT_RETURNED": Reason(
        "What you gave back has no method `remove`.",
        "Every register method gives you a handle. Give it back.",
    ),
    "STILL_CALLED": Reason(
        "After the handles were removed, a backward still had an effect.",
        "Each hook that you register has a handle of its own. All of them must go.",
    ),
    "NAMES_LOST": Reason(
        "`seen` holds only {names}.",
        "A lambda made in a loop looks its name up when it is called, and then the loop is over. "
        "Bind it: `lambda grad, name=name: …`.",
    ),
    "PARAMETERS_LEFT_OUT": Reason(
        "`seen` holds only {names}.",
        "Every parameter that requires a gradient belongs into it, whatever its name, its place in "
        "the module and its gradient are.",
    ),
    "ZEROS_LEFT_OUT": Reason(
        "The gradients of the last backward are all zeros, and `seen` still holds older ones.",
        "Zeros are a gradient too. Write down what the hook receives, without a condition.",
    ),
    "CLEARED_SUBTRACTED": Reason(
        "What you keep is `.grad` minus an older gradient, but that one was cleared in between.",
        "A tensor hook gets the gradient of this backward alone: nothing has to be subtracted.",
    ),
    "OTHER_NAMES": Reason(
        "`seen` holds {names}. No parameter that requires a gradient has such a name.",
        "Take the names that `module.named_parameters()` gives.",
    ),
    "NO_GRADIENT_YET": Reason(
        "seen[{name!r}] is {got}.",
        "While a module's hook runs, `.grad` of its parameters may not be written yet.",
    ),
    "GRADIENT_OF_ANOTHER_SHAPE": Reason(
        "seen[{name!r}] has the shape {got}, which is not the shape of that parameter.",
        "In a legacy tuple the weight of a Linear is transposed. A hook on the parameter sees it "
        "as it is.",
        guide="legacy-order-of-gradients",
    ),
    "HOLDS_OLDER_GRADIENTS": Reason(
        "What you keep is the sum in `.grad`: it holds the older gradient too.",
        "A tensor hook gets the gradient of this backward, before it is added to `.grad`.",
    ),
    "STORED_GRADIENT_CHANGED": Reason(
        "With your hooks, `.grad` is not what it is without them.",
        "A hook that only looks gives back None, and does not write into `.grad`.",
        guide="record-gives-something-back",
    ),
    "GIVEN_VALUES_CHANGED": Reason(
        "After your function, `x` or `grad_output` is not as it was.",
        "Compute new tensors. Operations whose name ends with `_`, and `*=`, work in place.",
    ),
    "PARAMETER_CHANGED": Reason(
        "After your function, a parameter itself has other values.",
        "Leave the parameters alone: only their gradients are asked for.",
    ),
    "INPUT_GRADIENT_CHANGED": Reason(
        "The gradient of the input is not what it is without your hook.",
        "What a module's hook returns flows on to the layers before. Hook the weight alone.",
    ),
    "SHARED_GRADIENT_CHANGED": Reason(
        "The gradient of the input is not what it is without your hook.",
        "This layer hands one and the same tensor to its weight and to its input. Hook the weight "
        "alone, and give back a new tensor: an edit in place changes both.",
    ),
    "BIAS_GRADIENT_CHANGED": Reason(
        "The gradient of the bias is not what it is without your hook.",
        "Hook the weight alone, not everything that comes into the layer.",
    ),
    "WEIGHT_GRADIENT_PLAIN": Reason(
        "The gradient of the weight is as if there was no hook.",
        "A full hook cannot reach the weight. A tensor hook on it can, if it returns a tensor.",
        guide="grad-input-spares-own-weights",
    ),
    "WEIGHT_GRADIENT_OTHER": Reason(
        "The gradient of the weight was changed, but not to twice that of each backward.",
        "Double the gradient that comes in, before it is added to `.grad`.",
    ),
    "WEIGHT_AND_BIAS_SWAPPED": Reason(
        "Your first result has the shape of the bias, and the second that of the weight.",
        "Give back the weight's gradient first.",
    ),
    "WEIGHT_TRANSPOSED": Reason(
        "Your gradient of the weight has the right numbers of rows and columns, but exchanged.",
        "weight has the shape (n_out, n_in), and so has its gradient.",
    ),
    "ROWS_NOT_SUMMED": Reason(
        "Your gradient of the {what} has the shape {got}: not all uses of it were summed.",
        "The layer uses the same weight and bias for every row. Flatten first, then sum over rows.",
    ),
    "NOT_THE_PARAMETERS_SHAPE": Reason(
        "Your gradient of the {what} has the shape {got}, which is not the shape of the {what}.",
        "The weight's gradient is (n_out, n_in), the bias's is (n_out,), whatever the sizes are.",
    ),
    "SCALED_OR_PARTIAL": Reason(
        "Your gradient of the {what} has the right shape, but other numbers.",
        "It is a plain sum over all rows: no mean, and no factor is missing.",
    ),
    "OUTPUT_DIFFERS": Reason(
        "Your layer does not compute the same output as torch.nn.Linear.",
        "The output is x times the transposed weight, plus the bias once.",
    ),
    "LAST_NODE_IS_ANOTHER": Reason(
        "The legacy hook ran on {node} and received {got:element|elements}, not the gradients "
        "of the product and of the bias.",
        "The last operation must be an addition with the product and the bias as its operands.",
        guide="legacy-hook-and-memory-layout",
    ),
    "OPERANDS_SWAPPED": Reason(
        "The hook received the bias first.",
        "The elements stand in the order of the operands: write the product first.",
    ),
    "GRAPH_IS_CUT": Reason(
        "The output is right, but a gradient does not reach the input or a parameter.",
        "Compute with `x`, `self.weight` and `self.bias` themselves, without detach or `.data`.",
    ),
    "OTHER_GRADIENTS": Reason(
        "The output is right, but a gradient of the input, the weight or the bias is not the one "
        "that torch.nn.Linear gives.",
        "Compute the output with operations of torch alone: each brings its own right backward.",
    ),
    "NOT_ONE_WORD_EACH": Reason(
        "Your list has {got:entry|entries}. A legacy hook receives another number of them here.",
        "Give back one entry for each element of grad_input, also for None.",
    ),
    "NOT_THESE_WORDS": Reason(
        "Your list holds something that is neither None nor one of the five words.",
        'Use "input", "weight", "bias", "weight.T", "other", and None itself, not the string.',
    ),
    "TRANSPOSE_NOT_SEEN": Reason(
        "You mixed up the gradient of the weight and its transpose.",
        "Compare the values with `layer.weight.grad` and with `layer.weight.grad.t()`.",
        guide="legacy-order-of-gradients",
    ),
    "NONE_NAMED": Reason(
        "You gave a name where the element is None for this `x`.",
        "Where an element is None, the entry is None. Call the layer with `x` as it is: it may "
        "require no gradient.",
    ),
    "FOREIGN_NAMED": Reason(
        'You call an element "{got}", and it is not that gradient.',
        "Compare both: shapes with ==, then values with torch.allclose. With `layer(x).sum()` or "
        "`.mean()` different things can look the same; `layer(x).pow(2).sum()` tells them apart.",
    ),
    "TRANSPOSE_CALLED_OTHER": Reason(
        'You call an element "other" which is the gradient of the weight, transposed.',
        "Compare a 2-D element with `layer.weight.grad.t()` as well.",
        guide="legacy-order-of-gradients",
    ),
    "TENSOR_CALLED_NONE": Reason(
        "You give None for an element that is a tensor.",
        'None stands only where the element is None. Where no gradient fits, the entry is "other".',
    ),
    "FULL_HOOK_USED": Reason(
        "You registered a full hook. It receives other elements than a legacy hook.",
        "`register_full_backward_hook` gives one element for each input of the layer. The legacy "
        "hook is `register_backward_hook`.",
    ),
    "KNOWN_CALLED_OTHER": Reason(
        'You call an element "other" which is the gradient of the input or of a parameter.',
        "Compare each element with the gradient of `x`, of the weight and of the bias. And compare "
        "after backward: inside the hook `.grad` may not be written yet.",
    ),
    "ORDER_ASSUMED": Reason(
        "You say {got}, but the values of those elements belong to other gradients.",
        "The order is not the same for all layers. Compare each element with each true gradient.",
        guide="legacy-order-of-gradients",
    ),
}
