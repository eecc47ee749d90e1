"""The words for what happened: one vocabulary for cards, captions, the text and the timeline."""

from course.drawing.numerals import amounts
from course.record import Event

HOOKS = {
    "tensor_hook": "hook",
    "retain_grad": "retain_grad",
    "post_accumulate_hook": "post-accumulate hook",
    "node_pre_hook": "node pre-hook",
    "node_hook": "node hook",
    "forward_pre_hook": "forward pre-hook",
    "forward_hook": "forward hook",
    "full_backward_pre_hook": "full backward pre-hook",
    "full_backward_hook": "full backward hook",
    "legacy_backward_hook": "legacy backward hook",
}
FORWARD = ("forward_pre_hook", "forward_hook")  # see values, not gradients: no plus sign


def hook_name(event: Event) -> str:
    """ "hook double", "full backward hook"; a lambda has no name worth reading."""
    named = event.hook and "<" not in event.hook and event.kind != "retain_grad"
    return f"{HOOKS[event.kind]} {event.hook}" if named else HOOKS[event.kind]


def outcome(event: Event) -> str:
    """What a hook did: "saw +1", "+1 → +3", "+1 → +3 in place", "raised ValueError"."""
    if event.error:
        return f"raised {event.error.partition(':')[0]}"
    signed = event.kind not in FORWARD
    before = amounts(event.before, signed)
    if not (event.changed or event.in_place):
        return f"saw {before}"
    return f"{before} → {amounts(event.after, signed)}{' in place' if event.in_place else ''}"
