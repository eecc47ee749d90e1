"""Where in the graph a hook call is shown: on a tensor, on a node, at a module's way in or out.

Backward enters a module at the node that made its output and leaves it at the first node of its
forward. The hooks that see grad_output belong to the one, those that see grad_input to the other,
unless a module has several ways in: then everything is shown where it made its output.
"""

from course.record import Record

AT_OUTPUT = ("forward_hook", "full_backward_pre_hook", "legacy_backward_hook")


def spots(record: Record) -> list[str | None]:
    """For each event the id of the tensor or node it is shown on; None: nowhere in the graph."""
    known = {t.id for t in record.tensors} | {n.id for n in record.nodes}
    doors = {}
    result = []
    for event in record.events:
        target = event.target
        if target.kind != "module":
            result.append(target.id if target.id in known else None)
            continue
        way = (target.id, event.kind in AT_OUTPUT)
        if way not in doors:
            doors[way] = _door(record, *way)
        result.append(doors[way])
    return result


def inside(path: str | None, module: str | None) -> bool:
    """Whether `path` is `module` or a part of it: "block.fc" is inside "block"."""
    return path is not None and (path == module or not module or path.startswith(f"{module}."))


def _door(record, module, output):
    """The node of `module` where backward enters (output) or leaves; None: it has no node."""
    own = {n.id: n for n in record.nodes if n.kind != "accumulate" and inside(n.module, module)}
    if output:
        beyond = {e.target for e in record.edges if e.source in own}
    else:
        beyond = {e.source for e in record.edges if e.target in own}
    doors = [n for n in own.values() if n.id not in beyond]
    if len(doors) > 1 and not output:
        return _door(record, module, True)
    doors.sort(key=lambda n: (n.module != module, n.kind != "module boundary"))
    return doors[0].id if doors else None
