"""What an answer must leave as it was: a network, the hooks on it, and the tensors that go into it.

A ``Before`` is made before the answer runs. Its ``changes`` are facts, ``diagnose_changes`` names
the first of them that matters.
"""

from course.lessons.module_hooks.nets import KINDS, global_hooks, numbers_of

GRAD = "the `.grad` of a parameter"


class Before:
    """A network and its inputs at one moment.

    What ``net(x)`` itself changes (the averages of a BatchNorm in ``train`` mode) counts as well:
    use networks that do not do that. Attributes that are new are not looked at.
    """

    def __init__(self, net, *inputs):
        self.net, self.inputs = net, inputs
        self.modules = dict(net.named_modules())
        self.settings = [
            (module, name)
            for module in self.modules.values()
            for name in ("forward", *vars(module))
            if not name.startswith("_") and name != "training"
        ]
        self.hooks, self.state = self.hooks_now(), self.state_now()

    def hooks_now(self) -> list[tuple]:
        """Every hook with its place: of the modules, of the tensors, and the global ones."""
        found: dict[tuple, dict] = dict(zip(enumerate(KINDS), global_hooks(), strict=True))
        for path, module in self.modules.items():
            found |= {(path, kind): getattr(module, kind) for kind in KINDS}
        tensors = [*self.net.named_parameters(), *(("", x) for x in self.inputs)]
        for name, tensor in tensors:
            found[name, "tensor"] = tensor._backward_hooks or {}
            found[name, "after"] = tensor._post_accumulate_grad_hooks or {}
        return [(place, *hook) for place, hooks in found.items() for hook in hooks.items()]

    def state_now(self) -> dict[str, list]:
        """All that can change, under the words with which a message names it."""
        parameters = list(self.net.parameters())
        return {
            "the mode of a module (`train` or `eval`)": [
                module.training for module in self.modules.values()
            ],
            "a setting or the `forward` of a module": [
                getattr(module, name, None) for module, name in self.settings
            ],
            "which modules there are": list(self.net.named_modules()),
            "the numbers of a parameter": [numbers_of(p) for p in parameters],
            "which parameters require a gradient": [p.requires_grad for p in parameters],
            GRAD: [gradient_of(p) for p in parameters],
            "the numbers of a buffer": [numbers_of(b) for b in self.net.buffers()],
            "the input": [(numbers_of(x), x.requires_grad, gradient_of(x)) for x in self.inputs],
        }

    def changes(self) -> dict:
        """What is not as it was. Nothing changed: ``{"left": 0, "gone": 0, "changed": []}``."""
        hooks, state = self.hooks_now(), self.state_now()
        gone = sum(hook not in hooks for hook in self.hooks)
        changed = [words for words, value in self.state.items() if state[words] != value]
        if not gone and [hook for hook in hooks if hook in self.hooks] != self.hooks:
            changed.append("the order of the hooks")
        left = sum(hook not in self.hooks for hook in hooks)
        return {"left": left, "gone": gone, "changed": changed}


def gradient_of(tensor) -> list | None:
    return None if tensor.grad is None else numbers_of(tensor.grad)


def diagnose_changes(changes: dict) -> tuple[str, dict] | None:
    """The reason code for what ``Before.changes`` found, with evidence, or None."""
    if changes["left"]:
        return "MODULE_HOOKS_LEFT", {"count": changes["left"]}
    if changes["gone"]:
        return "OTHERS_MODULE_HOOKS_GONE", {}
    if changes["changed"]:
        return "NETWORK_CHANGED", {"what": "; ".join(changes["changed"])}
    return None
