"""What the browser must know to build a lab's controls: names, limits, choices. Plain data."""

from itertools import product

from course.laboratory.hook import KINDS, MODULE_PLACES
from course.laboratory.inputs import slider_limits

PLACES = {  # place -> the group of its choices, and how one of them reads
    "tensor": ("Tensors", "{}"),
    "accumulated": ("Leaves, after .grad is written", "{}.grad"),
    "forward_pre": ("Modules, forward pre-hook", "{} args"),
    "forward": ("Modules, forward hook", "{} output"),
    "backward_pre": ("Modules, full backward pre-hook", "{} grad_output"),
    "backward": ("Modules, full backward hook", "{} grad_input"),
}


def spec(lab) -> dict:
    """The controls of a lab as JSON-ready data."""
    start, made = lab.experiment.start, lab.outcome.tensors
    leaves = list(start.values)
    switches = list(start.requires_grad)
    inner = [name for name in made if name not in switches]
    modules = [
        f"{name}.{path}" if path else name
        for name, module in lab.experiment.modules.items()
        for path, _ in module.named_modules()
    ]
    on = {place: modules for place in MODULE_PLACES}
    on |= {"tensor": [*switches, *inner], "accumulated": switches}
    return {
        "title": lab.name,
        "controls": list(lab.controls),
        "leaves": [leaf(name, start.values[name], lab.limits.get(name)) for name in leaves],
        "switches": switches,
        "keep": inner,
        "root": getattr(made, "root", "loss"),
        "targets": [_targets(place, on[place]) for place in PLACES if on[place]],
        "kinds": [
            {"kind": kind, "label": label, "usual": usual}
            for kind, (label, usual, _) in KINDS.items()
        ],
        "start": start.to_json(),
    }


def leaf(name, value, limits=None) -> dict:
    """A leaf's sliders: one for each of its numbers."""
    low, high, step = limits or slider_limits(value)
    labels = [
        name + "".join(f"[{i}]" for i in index) for index in product(*map(range, shape(value)))
    ]
    return {"name": name, "labels": labels, "low": low, "high": high, "step": step}


def shape(value) -> tuple[int, ...]:
    """How deep and how long nested lists are: () for a number."""
    return (len(value), *shape(value[0])) if isinstance(value, list) and value else ()


def _targets(place, names):
    label, reads = PLACES[place]
    options = [{"value": f"{place}|{name}", "text": reads.format(name)} for name in names]
    return {"label": label, "options": options}
