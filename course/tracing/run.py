"""One run of torch's engine over a graph: our hooks on its nodes, spies in place of its hooks.

For the time of the run there hangs on each node one pre-hook after the user's own pre-hooks and
one post-hook before the user's own post-hooks. A node with hooks of the user's gets one more at
the other end, since what came in first and what went out last is known only there. Registering a
hook also tells where torch keeps the user's hooks of that node: all are in one dictionary.
"""

import gc

import torch
from torch.nn.modules import module as torch_module
from torch.utils.hooks import BackwardHook

from course.tracing.spies import Spy
from course.tracing.steps import Steps


class Run:
    """Sets its hooks and spies in `start` and takes them away in `stop`."""

    def __init__(self, log, roots, engine_frame):
        self.log = log
        self.roots = roots
        self.engine_frame = engine_frame  # the frame that starts the engine
        self.steps = Steps(log)
        self.collects = gc.isenabled()
        self.attached = []  # notes on nodes that carry hooks of this run
        self.handles = []  # (dictionary of hooks, key)
        self.spies = []  # (dictionary or list, key, spy)

    def start(self, known_tensors):
        log = self.log
        outermost = not log.depth
        gc.disable()  # thousands of small notes would set it off again and again
        log.depth += 1
        log.runs.append(self)
        if outermost:
            log.backwards += 1
        for notes in self._walk():
            self._attach(notes)
            if notes.is_leaf:
                leaf = log.tensor(notes.node.variable)
                leaf.node, notes.outputs[0] = notes.node, leaf
        if outermost:
            keys = [log.tensor(root).key for root in self.roots if _is_tensor(root)]
            log.roots = log.roots or keys
            known_tensors()
            log.part_with_changed()
        for notes in list(log.tensors.values()):
            self.spy_on_tensor(notes)
        if any(notes.number < log.first_number for notes in self.attached):
            self.steps.listen_for_strangers(self.engine_frame)

    def stop(self):
        log = self.log
        self.steps.finish()
        for hooks, key in self.handles:
            hooks.pop(key, None)
        for hooks, key, spy in self.spies:
            spy.report = None
            if _get(hooks, key) is spy:
                hooks[key] = spy.hook
        for notes in self.attached:
            notes.attached = False
        if self.collects:
            gc.enable()
        log.depth -= 1
        log.runs.remove(self)
        self.roots = self.attached = self.handles = self.spies = self.engine_frame = None

    def spy_on_tensor(self, notes):
        """Put spies on the tensor's hooks, if it belongs to a graph that is known."""
        node_notes = self.log.nodes.get(id(notes.node))
        if node_notes is None:
            return
        node_notes.outputs[notes.output] = notes
        if notes.hooks:
            self._spy(notes.hooks, "tensor_hook", notes)
        tensor = notes.tensor
        if tensor is not None:
            self._spy(tensor._backward_hooks, "tensor_hook", notes)
            self._spy(tensor._post_accumulate_grad_hooks, "post_accumulate_hook", notes)

    def _walk(self):
        """Notes on every node that can be reached from the roots, breadth first."""
        found = {}
        queue = [node for root in self.roots if (node := _node_of(root)) is not None]
        for node in queue:
            if id(node) not in found:
                notes = self.log.node(node)
                found[id(node)] = notes
                notes.waiting.clear()
                queue += [target for target, _ in notes.next if target is not None]
        return found.values()

    def _attach(self, notes):
        if notes.attached:  # by the run around this one: they share a leaf
            return
        notes.attached = True
        self.attached.append(notes)
        register = notes.node.register_prehook
        hooks = self._hang(register, self.steps.starts)
        notes.has_pre_hooks = len(hooks) > 1
        notes.is_quiet = False
        if notes.has_pre_hooks:
            self._hang(register, self.steps.arrives, first=True)
            self._spy_on_node_hooks(hooks, "node_pre_hook", notes)
        elif notes.is_leaf and not notes.node.variable._post_accumulate_grad_hooks:
            notes.is_quiet = True
            hooks.clear()
        register = notes.node.register_hook
        hooks = self._hang(register, self.steps.ends, first=True)
        notes.has_hooks = len(hooks) > 1
        if notes.has_hooks:
            self._hang(register, self.steps.leaves)
            self._spy_on_node_hooks(hooks, "node_hook", notes)

    def _hang(self, register, hook, first=False):
        handle = register(hook)
        hooks = handle.hooks_dict_ref()
        self.handles.append((hooks, handle.id))
        if first and len(hooks) > 1:
            # torch reads the order of insertion, which move_to_end does not change
            others = [(key, other) for key, other in dict.items(hooks) if key != handle.id]
            hooks.clear()
            hooks[handle.id] = hook
            hooks.update(others)
        return hooks

    def _spy_on_node_hooks(self, hooks, kind, notes):
        for key, hook in list(hooks.items()):
            holder = _backward_hook_of(hook)
            if holder is not None:
                notes.module = holder.module
                self._spy(holder.user_pre_hooks, "full_backward_pre_hook", holder.module)
                self._spy(holder.user_hooks, "full_backward_hook", holder.module)
            elif type(hook).__name__ == "_WrappedHook":  # made by register_backward_hook
                self._spy_one(hooks, key, "legacy_backward_hook", hook.module(), key)
            elif getattr(hook, "__self__", None) is not self.steps:
                self._spy_one(hooks, key, kind, notes, key)

    def _spy(self, hooks, kind, target):
        if not hooks:
            return
        if isinstance(hooks, dict):
            for key in list(hooks):
                self._spy_one(hooks, key, kind, target, key)
        else:  # a list that BackwardHook made at the time of forward
            for i, hook in enumerate(hooks):
                self._spy_one(hooks, i, kind, target, _handle_of(hook, target, kind))

    def _spy_one(self, hooks, key, kind, target, handle):
        if not isinstance(hooks[key], Spy):
            hooks[key] = spy = Spy(hooks[key], kind, target, handle, self.steps.report)
            self.spies.append((hooks, key, spy))


def _is_tensor(root):
    return isinstance(root, torch.Tensor)


def _node_of(root):
    if not _is_tensor(root):
        return root.node  # a GradientEdge
    return torch.autograd.graph._get_grad_fn_or_grad_acc(root) if root.requires_grad else None


def _get(hooks, key):
    if isinstance(hooks, dict):
        return hooks.get(key)
    return hooks[key] if key < len(hooks) else None


def _backward_hook_of(hook):
    """torch's BackwardHook, when this node hook is one of the two that it makes for a module."""
    if getattr(hook, "__module__", None) == "torch.utils.hooks":
        for cell in getattr(hook, "__closure__", None) or ():
            if isinstance(cell.cell_contents, BackwardHook):
                return cell.cell_contents
    return None


def _handle_of(hook, module, kind):
    """The .id of the handle of a module's hook; None when it is removed by now."""
    pre = "_pre" if kind == "full_backward_pre_hook" else ""
    for hooks in (
        getattr(module, f"_backward{pre}_hooks"),
        getattr(torch_module, f"_global_backward{pre}_hooks"),
    ):
        for key, registered in hooks.items():
            if registered is hook:
                return key
    return None
