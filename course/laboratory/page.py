"""What a lab shows, as HTML and text: the table of tensors, the notes, the picture that stays.

An `Outcome` goes in, strings come out; the browser puts them in place as they are.
"""

import math
import warnings
from html import escape

from course.drawing.narrate import caption, steps
from course.drawing.numerals import LONGEST, amount, number
from course.drawing.picture import picture
from course.explanation import meaning_of
from course.laboratory.settings import flat

HEADS = (
    ("tensor", ""),
    ("value", "hl-number"),
    ("is", ""),
    ("grad_fn", "hl-optional"),
    (".grad", "hl-number"),
    ("", "hl-sign"),
    ("derivative", "hl-number"),
)
MEASURED = (
    "The derivative is measured without backward and without hooks, by finite differences: move "
    "the number a little, run forward again, see how far {root} moves."
)
DIFFERS = " Here a hook changed a gradient on its way, so .grad is not the derivative (≠)."

FOLDED = ("code", "words")  # parts of a lab that are closed until somebody opens them


def table(outcome) -> str:
    """Each named tensor: what it is, its .grad, and beside it the derivative without hooks."""
    heads = "".join(f'<th scope="col" class="{kind}">{text}</th>' for text, kind in HEADS)
    rows = "".join(_row(tensor, outcome) for tensor in listed(outcome))
    words = ""
    if outcome.derivatives:
        words = MEASURED.format(root=escape(outcome.tensors.root))
        if '"hl-sign hl-differs"' in rows and any(hook.active for hook in outcome.settings.hooks):
            words += DIFFERS
    body = f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
    return f"<table>{body}</table><p>{words}</p>"


def listed(outcome) -> list:
    """The record's tensors that have a name in the lab: leaves first, the root last."""
    by_name = {tensor.name: tensor for tensor in outcome.record.tensors}
    settings, made = outcome.settings, outcome.tensors
    names = dict.fromkeys([*settings.values, *settings.requires_grad, *made])
    return [by_name[name] for name in names if name in by_name]


def gradients(outcome) -> dict[str, str]:
    """.grad of each tensor as text, for saying what changed."""
    return {tensor.name: amount(tensor.grad_after) for tensor in listed(outcome)}


def _row(tensor, outcome):
    slope = outcome.derivatives.get(tensor.name)
    sign = compared(tensor, slope, outcome.settings)
    differs = " hl-differs" if sign == "≠" else ""
    cells = (
        (amount(tensor.value), "hl-number"),
        (_nature(tensor), ""),
        (tensor.grad_fn or "None", "hl-optional"),
        (amount(tensor.grad_after), f"hl-number{differs}"),
        (sign, f"hl-sign{differs}"),
        ("" if slope is None else _slope(slope), "hl-number"),
    )
    name = escape(tensor.name)
    rest = "".join(
        f'<td class="{css}" data-cell="{name} {head}">{escape(text)}</td>'
        for (text, css), (head, _) in zip(cells, HEADS[1:], strict=True)
    )
    return f'<tr><th scope="row">{name}</th>{rest}</tr>'


def _nature(tensor):
    what = "leaf" if tensor.is_leaf else "non-leaf"
    if not tensor.requires_grad:
        return f"{what}, no gradient"
    return f"{what}, retained" if tensor.retains_grad and not tensor.is_leaf else what


def compared(tensor, slope, settings) -> str:
    """How .grad stands to the derivative: "=", "≠", "= 2 ×", or "" where one is missing or nan."""
    if slope is None or tensor.grad_after is None or tensor.grad_after.values is None:
        return ""
    given, true = flat(tensor.grad_after.values), flat(slope)
    if any(math.isnan(x) for x in true):  # it could not be measured
        return ""
    if _close(given, true):
        return "="
    if settings.backwards > 1 and _close(given, [settings.backwards * x for x in true]):
        return f"= {settings.backwards} ×"
    return "≠"


def _close(these, those):
    size = max(map(abs, those), default=0.0)
    near = {"rel_tol": 1e-3, "abs_tol": 1e-4 * max(1.0, size)}
    return all(math.isclose(a, b, **near) for a, b in zip(these, those, strict=True))


def _slope(value):
    """As short as `amount` makes the .grad beside it."""
    text = _numbers(value)
    return text if len(text) <= LONGEST else f"norm {number(math.hypot(*flat(value)))}"


def _numbers(value):
    if isinstance(value, list):
        return f"[{', '.join(_numbers(item) for item in value)}]"
    return number(0.0 if abs(value) < 1e-9 else value)  # the noise of a difference is no slope


def page(lab, step: int | None = None, opened=FOLDED) -> dict:
    """All that changes in the browser when a control moves; `step` None shows the last one.

    `opened`: those of `FOLDED` that somebody has opened; the others are not made.
    """
    outcome = lab.outcome
    last = steps(outcome.record)
    step = last if step is None else min(step, last)
    drawn = picture(outcome.record, None if step == last else step)
    folded = {"code": lambda: lab.code, "words": lambda: drawn.text}
    return {
        "seq": "",
        "settings": outcome.settings.to_json(),
        "picture": drawn.svg or f"<pre>{escape(drawn.text)}</pre>",
        "step": step,
        "steps": last,
        "caption": caption(outcome.record, step),
        "notes": notes(outcome),
        "printed": outcome.printed,
        "table": table(outcome),
        "warning": lost_gradient_warning(outcome),
        "grads": gradients(outcome),
        "error": "" if outcome.error is None else f"{type(outcome.error).__name__}",
        **{name: make() for name, make in folded.items() if name in opened},
    }


def static(lab) -> tuple[str, str]:
    """The lab as HTML that needs no kernel and no style sheet, and as text."""
    drawn = picture(lab.outcome.record)
    return f"{notes(lab.outcome)}{drawn.html}{table(lab.outcome)}", drawn.text


def notes(outcome) -> str:
    """PyTorch's own error and warnings, as part of what the lab shows."""
    parts = []
    if outcome.error is not None:
        kind, message = type(outcome.error).__name__, str(outcome.error)
        parts.append(note("hl-error", f"It raised {kind}", message, str(meaning_of(message) or "")))
    for warning in dict.fromkeys(outcome.record.warnings):
        kind, _, message = warning.partition(": ")
        parts.append(note("hl-warning", f"It warned: {kind}", message))
    return "".join(parts)


def note(css: str, head: str, message: str, more: str = "") -> str:
    more = f"<p>{escape(more)}</p>" if more else ""
    body = f"<p><strong>{escape(head)}</strong></p><p><code>{escape(message)}</code></p>{more}"
    return f'<div class="hl-note {css}">{body}</div>'


def lost_gradient_warning(outcome) -> str:
    """What PyTorch prints when .grad of a tensor that did not keep it is read; "" if none is so."""
    for name, tensor in outcome.tensors.items():
        if tensor.requires_grad and not tensor.is_leaf and not tensor.retains_grad:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                tensor.grad  # noqa: B018  reading it is what warns
            words = [f"{w.category.__name__}: {w.message}" for w in caught]
            return f"Reading {name}.grad prints:\n{words[0]}" if words else ""
    return ""
