"""From a finished log to a `Record`: ids, names, and everything frozen."""

import torch

from course.record import Edge, Event, GraphNode, ModuleInfo, Record, Target, TensorInfo
from course.tracing.log import name_of
from course.tracing.origin import defined_at, hook_name
from course.tracing.reading import Reader
from course.tracing.spies import Spy
from course.tracing.summary import same_numbers


def assemble(log, modules, named, failure):
    """The record, and weak references to its tensors: [(reference, id)].

    named: key of a tensor -> its name, in the order in which to show them.
    """
    nodes = list(log.nodes.values())
    node_ids = {id(notes.node): f"n{i}" for i, notes in enumerate(nodes)}
    _note_module_outputs(log, nodes, modules)
    if failure is None and not all(notes.ran for notes in nodes):
        _note_where_the_backward_ended(nodes)
    keys = [key for key in named if key in log.tensors]
    keys += [key for key in log.tensors if key not in named]
    tensor_ids = {key: f"t{i}" for i, key in enumerate(keys)}
    _give_names(log, keys, named)
    makers = _makers(nodes, modules)
    targets = {id(notes): ("node", node_ids[id(notes.node)], notes.name) for notes in nodes}
    for key in keys:
        notes = log.tensors[key]
        targets[id(notes)] = "tensor", tensor_ids[key], notes.name
    reader = Reader(log)
    record = Record(
        tensors=tuple(
            _tensor_info(reader, log.tensors[key], tensor_ids[key], node_ids, makers)
            for key in keys
        ),
        nodes=tuple(_graph_node(notes, node_ids, targets, makers) for notes in nodes),
        edges=tuple(_edges(nodes, node_ids)),
        events=tuple(
            _event(seq, happening, targets, modules) for seq, happening in enumerate(log.events)
        ),
        roots=tuple(tensor_ids[key] for key in log.roots if key in tensor_ids),
        warnings=tuple(log.warnings),
        error=failure,
        torch=str(torch.__version__),
        modules=tuple(
            ModuleInfo(path, kind, modules.calls.get(path, 0))
            for path, kind in modules.types.items()
        ),
    )
    return record, [(log.tensors[key].ref, tensor_ids[key]) for key in keys]


def _note_module_outputs(log, nodes, modules):
    """Notes for what modules returned: the tensors are gone, their nodes are in the graph."""
    if not modules.outputs:
        return
    by_number = {notes.number: notes for notes in nodes if not notes.is_leaf}
    for (number, output), (path, value) in modules.outputs.items():
        notes = by_number.get(number)
        if notes is None:
            continue
        known = log.lost_tensor(notes.node, output)
        if notes.outputs.get(output) is not known:
            notes.outputs[output] = known
            known.value = value
            if notes.came:
                known.arrived = known.passed = notes.came.summaries[output]
        known.module = path
        known.name = f"{path}.output"


def _note_where_the_backward_ended(nodes):
    """autograd.grad takes the gradient of its inputs without running their nodes."""
    flowed = {}
    for notes in nodes:
        for slot, summary in notes.left.items():
            if summary is not None:
                target, input_index = notes.next[slot]
                flowed.setdefault((id(target), input_index), []).append(summary)
    for notes in nodes:
        for output, tensor in notes.outputs.items():
            alone = flowed.get((id(notes.node), output), ())
            if not notes.ran and tensor.arrived is None and len(alone) == 1:
                tensor.arrived = tensor.passed = alone[0]


def _give_names(log, keys, named):
    """Every tensor gets a name of its own, made from the graph where nobody gave one."""
    taken = set()
    for key in keys:
        notes = log.tensors[key]
        notes.name = _unique(
            named.get(key) or notes.name or _name_from_graph(key, notes, log), taken
        )
        taken.add(notes.name)
    for key in keys:
        notes = log.tensors[key]
        if notes.later != key and notes.later in log.tensors:
            notes.name = f"{log.tensors[notes.later].name} before in-place"


def _name_from_graph(key, notes, log):
    if key in log.roots:
        return "loss" if len(log.roots) == 1 else "root"
    if notes.node is None or not notes.node.next_functions:
        return "leaf"
    return name_of(notes.node).removesuffix("Backward0").lower()  # "mul"


def _unique(name, taken):
    if name not in taken:
        return name
    number = 2
    while f"{name} {number}" in taken:
        number += 1
    return f"{name} {number}"


def _makers(nodes, modules):
    """id(node) -> path of the module that made it, as far as it is known."""
    makers = {}
    for notes in nodes:
        if notes.module is not None:
            makers[id(notes.node)] = modules.path(notes.module)
        elif notes.is_leaf:
            makers[id(notes.node)] = notes.outputs[0].module if notes.outputs else None
        elif modules.calls:
            makers[id(notes.node)] = modules.maker_of(notes.number)
    if not modules.calls:  # the graph was made before the trace: go by the parameters
        for notes in nodes:
            owners = {_owner(target, makers) for target, _ in notes.next} - {None}
            if len(owners) == 1:
                makers.setdefault(id(notes.node), owners.pop())
    return makers


def _owner(node, makers, steps=3):
    """The module whose parameter reaches this node, straight or through a transpose or the like."""
    if node is None or not steps:
        return None
    onward = node.next_functions
    if not onward:
        return makers.get(id(node))
    return _owner(onward[0][0], makers, steps - 1) if len(onward) == 1 else None


def _tensor_info(reader, notes, tensor_id, node_ids, makers):
    tensor, node = notes.tensor, notes.node
    is_leaf = tensor.is_leaf if tensor is not None else False
    retains_grad = tensor is not None and tensor.retains_grad
    return TensorInfo(
        id=tensor_id,
        name=notes.name,
        is_leaf=is_leaf,
        requires_grad=tensor.requires_grad if tensor is not None else True,
        retains_grad=retains_grad,
        grad_fn=None if is_leaf or node is None else name_of(node),
        node=node_ids.get(id(node)),
        output=notes.output,
        module=notes.module or makers.get(id(node)),
        value=notes.value,
        arrived=notes.arrived,
        passed=notes.passed,
        grad_before=notes.grad_before,
        grad_after=reader.grad_at_the_end(notes) if is_leaf or retains_grad else None,
    )


def _graph_node(notes, node_ids, targets, makers):
    name = notes.name
    if notes.is_leaf:
        kind = "accumulate"
    elif name == "BackwardHookFunctionBackward":
        kind = "module boundary"
    else:
        kind = "custom" if notes.is_python else "operation"
    made = [targets[id(notes.outputs[output])][1] for output in sorted(notes.outputs)]
    return GraphNode(
        id=node_ids[id(notes.node)],
        name=name,
        kind=kind,
        module=makers.get(id(notes.node)),
        tensor=made[0] if made else None,
        ran=notes.ran,
    )


def _edges(nodes, node_ids):
    by_node = {id(notes.node): notes for notes in nodes}
    for notes in nodes:
        for slot, (target, input_index) in enumerate(notes.next):
            if target is None:
                continue
            tensor = by_node[id(target)].outputs.get(input_index)
            after = None
            if tensor is not None and not same_numbers(tensor.arrived, tensor.passed):
                after = tensor.passed
            yield Edge(
                source=node_ids[id(notes.node)],
                slot=slot,
                target=node_ids[id(target)],
                input=input_index,
                gradient=notes.left.get(slot),
                after_hooks=after,
            )


def _event(seq, happening, targets, modules):
    phase, kind, target, before, after, hook, call, error, backward = happening
    if id(target) in targets:
        target = Target(*targets[id(target)])
    else:
        path = modules.path(target)
        target = Target("module", path, path)
    if hook is None:
        return Event(
            seq, phase, kind, target, None, None, before, after, error=error, backward=backward
        )
    is_spy = isinstance(hook, Spy)
    return Event(
        seq=seq,
        phase=phase,
        kind=kind,
        target=target,
        hook=hook_name(hook.hook) if is_spy else hook.name,
        where=defined_at(hook.hook) if is_spy else hook.where,
        before=before,
        after=after,
        beside=call.beside,
        changed=call.changed,
        in_place=call.in_place,
        returned=call.returned,
        error=call.error,
        backward=backward,
        handle=hook.handle,
    )
