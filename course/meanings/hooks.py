"""What PyTorch says about hooks: on tensors, on graph nodes, on modules."""

from course.meanings.meaning import Meaning

RETURNED = [
    Meaning(
        r"hook '(?P<hook>.*)' has changed the size of value",
        "The hook `{hook}` returned a gradient of another shape than the one it was given. "
        "A gradient must have exactly the shape of its tensor; PyTorch does not broadcast here. "
        "(A hook on a module is called 'hook' in this message, whatever its own name is.)",
        "Return a tensor with grad.shape. Print the shape of what you return. A sum, a mean, an "
        "index such as grad[0] or a transpose changes the shape. Return None to change nothing.",
    ),
    Meaning(
        r"hook '(?P<hook>.*)' has changed the type of value \(was (?P<was>\S+) got (?P<got>\S+)\)",
        "The hook `{hook}` was given a {was} and returned a {got}. A gradient must keep its dtype.",
        "Convert the result back before you return it: return result.to(grad.dtype).",
    ),
    Meaning(
        r"expected Variable, but hook returned '(?P<got>.*)'",
        "A hook on a tensor returned an object of type {got}. It may return only a tensor, which "
        "replaces the gradient, or None, which leaves it.",
        "If the hook should only look, let it return nothing: a lambda always returns its value, "
        "so write a def. If it should change the gradient, return a tensor, not a number, a tuple "
        "or a NumPy array.",
    ),
    Meaning(
        r"expected tuple, but hook returned '(?P<got>.*)'",
        "A hook on a graph node, or a hook from register_backward_hook, returned {got}. It must "
        "return a tuple with one gradient for each it was given, or None.",
        "Return a tuple, also for one gradient: return (new,). For a layer's input gradient use "
        "register_full_backward_hook.",
    ),
    Meaning(
        r"hook '(?P<hook>.*)' has returned an incorrect number of values "
        r"\(got (?P<got>\d+), but expected (?P<expected>\d+)\)",
        "The hook `{hook}` returned {got} gradients, but the graph node that it hangs on has "
        "{expected}. "
        "A hook from register_backward_hook hangs on the last operation of the layer, and gets "
        "the gradients of that operation's inputs: for a Linear also bias and weight.",
        "Return as many gradients as you were given, in the same order; or use "
        "register_full_backward_hook, which gives only the gradients of the layer's inputs.",
    ),
    Meaning(
        r"Backward hook returned an invalid number of grad_input, "
        r"got (?P<got>\d+), but expected (?P<expected>\d+)",
        "A full backward hook returned {got} gradients, but the layer has {expected} positional "
        "input(s). Its result replaces grad_input, one for one.",
        "Return a tuple of the same length as grad_input, with None where an input gets no "
        "gradient, or return None to change nothing.",
    ),
    Meaning(
        r"Backward pre hook returned an invalid number of grad_output, "
        r"got (?P<got>\d+), but expected (?P<expected>\d+)",
        "A full backward pre-hook returned {got} gradients, but the layer has {expected} "
        "output(s). Its result replaces grad_output, one for one.",
        "Return a tuple of the same length as grad_output, or None to change nothing.",
    ),
    Meaning(
        r"Backward hook for Modules where no input requires gradient should always return None",
        "A full backward hook returned gradients, but no input of this layer requires a gradient, "
        "so there is nothing that they could replace.",
        "Return None. To change the gradients of the layer's parameters use a full backward "
        "pre-hook, which changes grad_output, or hooks on the parameters. To get a gradient for "
        "the input, call requires_grad_() on it before the forward.",
    ),
    Meaning(
        r"Tensor post accumulate grad hooks should return None",
        "A hook from register_post_accumulate_grad_hook returned something. It runs after .grad "
        "is written, gets the tensor itself, and what it returns is not used.",
        "Let it return nothing, and change param.grad in the hook. To replace the gradient before "
        "it is written use register_hook.",
    ),
    Meaning(
        r"object of type '(?P<got>.*)' has no len\(\)",
        "Something that is not a tuple or a tensor was used where a tuple is needed. A full "
        "backward hook that returns a number causes this error.",
        "Return a tuple of tensors with one gradient for each input, or None.",
    ),
    Meaning(
        r"forward pre-hook must return None or a tuple of \(new_args, new_kwargs\)",
        "A forward pre-hook that was registered with with_kwargs=True returned only arguments. It "
        "must return both: the positional arguments as a tuple and the others as a dict.",
        "Write: return args, kwargs. Or return None to change nothing.",
    ),
]

REGISTERED = [
    Meaning(
        r"cannot register a hook on a tensor that doesn't require grad",
        "The tensor has requires_grad=False. No gradient will ever be computed for it, so a hook "
        "on it could never be called. Data, frozen parameters, and everything computed under "
        "no_grad are such tensors.",
        "Call requires_grad_() on a leaf before you register. If the tensor is a result, compute "
        "it from tensors that require a gradient, outside of torch.no_grad(). Inside a module "
        "hook, check output.requires_grad first.",
    ),
    Meaning(
        r"post accumulate grad hooks cannot be registered on non-leaf tensors",
        "This tensor is the result of an operation (it has a grad_fn). A post-accumulate hook "
        "runs after .grad of a leaf is written; a result has no such moment.",
        "Register it on a leaf, such as a parameter, or use register_hook on this tensor.",
    ),
    Meaning(
        r"Cannot use both regular backward hooks and full backward hooks on a single Module",
        "The module already has a hook from register_backward_hook (the old kind), and a module "
        "may not have backward hooks of both kinds. In a notebook the old one may come from a "
        "cell that ran earlier.",
        "Remove the old hook, and use register_full_backward_hook only. leftover_hooks(module) "
        "shows what is there.",
    ),
    Meaning(
        r"takes (?P<takes>(from )?\d.*) positional arguments? but (?P<given>\d+) (were|was) given",
        "A function takes {takes} positional argument(s) and got {given}. PyTorch looks at a "
        "hook's arguments only when it calls it, so a hook with a wrong signature fails late.",
        "Compare with: tensor hook (grad); post-accumulate hook (param); forward pre-hook (module, "
        "args); forward hook (module, args, output); full backward pre-hook (module, grad_output); "
        "full backward hook (module, grad_input, grad_output). A method also takes self. A tuple "
        "that a forward pre-hook returns is unpacked: it becomes all arguments of forward.",
    ),
    Meaning(
        r"missing (?P<missing>\d+) required positional arguments?",
        "A function was called with {missing} argument(s) too few. If it is a hook, it was written "
        "for another kind of hook.",
        "Compare with: tensor hook (grad); forward pre-hook (module, args); forward hook (module, "
        "args, output); full backward hook (module, grad_input, grad_output).",
    ),
    Meaning(
        r"'bool' object is not callable",
        "A True or False was called like a function. If the line calls t.retain_grad(), then "
        "t.retain_grad = True was written earlier: that replaced the method on this tensor by a "
        "bool, and kept no gradient.",
        "Make the tensor anew and call the method: t.retain_grad().",
    ),
    Meaning(
        r"'(?P<type>\w+)' object is not callable",
        "Something of type {type} was called like a function. A hook may be the cause: PyTorch "
        "registers anything without a check, and a hook that is not a function fails only when "
        "it is called.",
        "Give the function itself: register_hook(my_hook), without quotes and without "
        "parentheses after the name.",
    ),
]

CALLED = [
    Meaning(
        r"unsupported operand type\(s\) for .*'NoneType'",
        "A calculation got None where it needs a number or a tensor. Outside of a hook, look for a "
        ".grad that is None. In a hook, the gradient can be None: a tensor from unbind, split or "
        "chunk that was not used gets None when another one of them was used, and grad_input has "
        "None for inputs that need no gradient.",
        "Test for None first: in a hook, if grad is None: return None; in a loop over parameters, "
        "if p.grad is None: continue.",
    ),
    Meaning(
        r"'NoneType' object has no attribute '(?P<name>\w+)'",
        ".{name} was asked of None. Usual reasons: .grad is None; a hook was given None for a "
        "gradient that is not there; or a result of t.retain_grad() was stored, which is None.",
        "If it is a .grad, ask why_none(tensor). In a hook, test for None first. Write "
        "t.retain_grad() on a line of its own.",
    ),
    Meaning(
        r"tuple index out of range",
        "A tuple has fewer items than the index asks for. In a forward hook: args holds only "
        "positional arguments, and is empty after model(x=x). In a backward hook: grad_input of "
        "the old kind has as many items as the layer's last operation has inputs.",
        "Print len(...) of the tuple. For keyword arguments register with with_kwargs=True. For "
        "gradients of a layer's inputs use register_full_backward_hook.",
    ),
    Meaning(
        r"Output \d+ of BackwardHookFunction(?:Backward)? is a view and",
        "A module with a full backward hook gave its output (or got its input) through a view, so "
        "that PyTorch can watch the gradient, and this view was then changed in place. The change "
        "would go past the hook, so it is not allowed. ReLU(inplace=True), += and mul_() do this.",
        "Use the operation that is not in place: ReLU(inplace=False), y = y + x. Or register a "
        "forward hook and in it output.register_hook(...).",
    ),
    Meaning(
        r"unsupported operation: more than one element of the written-to tensor refers to a single",
        "A tensor was changed in place whose elements share one place in memory. The gradient of "
        "a sum is such a tensor: one number, shown at all places.",
        "Do not change a gradient in place in a hook: return a new one, grad * 2 instead of "
        "grad.mul_(2).",
    ),
    Meaning(
        r"Full backward hook is firing when gradients are computed with respect to module outputs",
        "No input of this module requires a gradient (a first layer gets data, for example), so "
        "the full backward hook cannot wait for grad_input. It was called at once, before the "
        "layer's own backward, with None for each input.",
        "If you need only grad_output, all is well. For grad_input call requires_grad_() on the "
        "input. Inputs given by keyword are not seen by full hooks: give them by position.",
    ),
    Meaning(
        r"For backward hooks to be called, module output should be a Tensor or a tuple of Tensors",
        "The module returned something else than a tensor or a tuple of tensors, a dict for "
        "example. Its full backward hooks cannot be called.",
        "Let forward return a tensor or a tuple, or register hooks on the tensors inside.",
    ),
    Meaning(
        r"[Uu]sing (a )?non-full backward hooks? (?P<where>when|on)",
        "The module has a hook from register_backward_hook, the old kind. It hangs on the last "
        "operation of the module only, so its grad_input is often not the gradient of the "
        "module's inputs.",
        "Use register_full_backward_hook. Its grad_input has one gradient for each input.",
    ),
    Meaning(
        r"backward hook (?P<hook>.*) on tensor will not be serialized",
        "A tensor with a hook is being saved. Hooks are not saved with a tensor: after loading it "
        "has none.",
        "Register the hook again after loading. Mark the function with "
        "@torch.utils.hooks.unserializable_hook if you know this.",
    ),
    Meaning(
        r"[Cc]an't (pickle|get) (<function|local object|.*<lambda>|.*<locals>)",
        "Python cannot save a function that was written inside another one, or a lambda. Saving a "
        "whole module also saves its hooks.",
        "Save model.state_dict(), which holds no hooks. Or remove the hooks first; "
        "leftover_hooks(model) shows them.",
    ),
]
