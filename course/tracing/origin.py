"""What a hook is called and where it was written, read off the function itself."""

import functools
import os
import sys


def hook_name(hook) -> str:
    """The name a learner gave it: "double", "Recorder.save", "<lambda>"; a type's name if none."""
    hook = users_function(hook)
    name = getattr(hook, "__name__", None) or type(hook).__name__
    full = getattr(hook, "__qualname__", name).rsplit("<locals>.", 1)[-1]
    return full if full.endswith(name) else name  # not when somebody has given it a new __name__


def defined_at(hook) -> str | None:
    """Where: "lesson.py:12", or "In[3]:2" for a notebook cell; None for a builtin function."""
    code = code_of(users_function(hook))
    return defined_in(code) if code else None


def defined_in(code, line=None) -> str:
    """The same for the code of a function, or a line in it."""
    return f"{_file(code.co_filename)}:{line or code.co_firstlineno}"


def users_function(hook):
    """What the user passed, taken out of the wrappers that functools and torch put around it."""
    while True:
        if isinstance(hook, functools.partial):
            hook = hook.func
        elif type(hook).__name__ == "_WrappedHook":  # torch's, around hooks that want the module
            hook = hook.hook
        elif getattr(hook, "__module__", None) == "torch.autograd.graph" and _free(hook, "fn"):
            hook = _free(hook, "fn")  # register_multi_grad_hook's, one on every tensor
        else:
            return hook


def code_of(function):
    """Its code object; that of __call__ for an object one can call; None for a builtin."""
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__code__"):
        function = getattr(type(function), "__call__", None)  # noqa: B004 - the method is wanted
    return getattr(function, "__code__", None)


def _free(function, name):
    """The value of a function's free variable."""
    code = getattr(function, "__code__", None)
    if code is None or name not in code.co_freevars:
        return None
    return function.__closure__[code.co_freevars.index(name)].cell_contents


def _file(filename):
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        named = getattr(getattr(shell, "compile", None), "format_code_name", lambda _: None)
        if cell := named(filename):
            return cell[1]  # ("Cell", "In[3]")
    return os.path.basename(filename)
