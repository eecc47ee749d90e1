"""The picture of the start page: a backward, step by step, and a slider for what its hook does.

    film()      # HTML: each step of a real trace as a drawing, and a drawing for each factor

The steps follow each other by CSS alone; a reader who asked for less motion sees the last one.
``static/site.js`` adds the slider, which shows runs that were traced when the site was built.
"""

import re
from html import escape

from course.drawing.narrate import caption, steps
from course.drawing.picture import picture
from course.record import Record

FACTORS = (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
FIRST = 3.0
SECONDS = 2.0  # for each step; the last one stays twice as long
OWN_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
WORDS = (
    "A backward from e = c * d, where c = a * b, in {steps} steps. The gradient on its way to c is "
    "{before}. The hook on c makes {after} of it. Then a.grad is {grad}."
)


def film() -> str:
    """The figure. Its drawings share one style sheet, that of the first."""
    record = run(FIRST)
    last = steps(record)
    turned = {factor: run(factor) for factor in FACTORS}
    drawings = [
        *(frame("div", n, last, drawing(picture(record, n).svg)) for n in range(last + 1)),
        *(by_hand("div", factor, drawing(picture(r).svg)) for factor, r in turned.items()),
    ]
    lines = [
        frame("p", 0, last, "Forward has run. Backward begins at e."),
        *(frame("p", n, last, escape(caption(record, n))) for n in range(1, last + 1)),
        *(by_hand("p", factor, escape(told(r, factor))) for factor, r in turned.items()),
    ]
    (style,) = OWN_STYLE.findall(picture(record).svg or "")
    return (
        f"<style>{timing(last + 1)}</style>"
        f'<figure class="film">{style}'
        f'<p class="film-words">{escape(described(record))}</p>'
        '<div class="scroll" role="group" aria-label="Scrolls sideways">'
        f'<div class="frames" aria-hidden="true">{"".join(drawings)}</div></div>'
        f'<div class="frames" aria-hidden="true">{"".join(lines)}</div>{controls()}</figure>'
    )


def frame(tag: str, step: int, last: int, content: str) -> str:
    """What is seen at a step of the film."""
    kind = "frame last" if step == last else "frame"
    return f'<{tag} class="{kind}" style="--n:{step}">{content}</{tag}>'


def by_hand(tag: str, factor: float, content: str) -> str:
    """What is seen when the slider stands on a factor."""
    return f'<{tag} class="turned" data-factor="{factor:g}" hidden>{content}</{tag}>'


def run(factor: float) -> Record:
    """Trace a backward with a hook on c that multiplies."""
    import torch

    from course.tracing import trace

    a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 4.0))

    def multiply(grad):
        return grad * factor

    def forward():
        c = a * b
        c.register_hook(multiply)
        return {"c": c, "e": c * d}

    return trace(forward, a=a, b=b, d=d)


def drawing(svg: str | None) -> str:
    """A drawing without its style sheet and, as its words stand beside it, without a title."""
    assert svg is not None, "the drawing of the start page failed"
    svg = re.sub(r"<title>.*?</title><desc>.*?</desc>", "", svg, flags=re.DOTALL)
    return OWN_STYLE.sub("", svg).replace(' role="img"', "")


def told(record: Record, factor: float) -> str:
    c, a = record.tensor("c"), record.tensor("a")
    assert c.arrived and c.passed and a.grad_after
    return (
        f"The hook multiplies by {factor:g}: {c.arrived.values:g} becomes {c.passed.values:g}, "
        f"and a.grad is {a.grad_after.values:g}."
    )


def described(record: Record) -> str:
    c, a = record.tensor("c"), record.tensor("a")
    assert c.arrived and c.passed and a.grad_after
    return WORDS.format(
        steps=steps(record),
        before=f"{c.arrived.values:g}",
        after=f"{c.passed.values:g}",
        grad=f"{a.grad_after.values:g}",
    )


def controls() -> str:
    """A box that stops the film; and the slider, which site.js shows."""
    low, high = min(FACTORS), max(FACTORS)
    return (
        '<figcaption><label class="film-stop"><input type="checkbox"> Stop</label>'
        '<span class="film-slider" hidden><label for="factor">The hook on c multiplies by</label>'
        f'<output for="factor">{FIRST:g}</output>'
        f'<input id="factor" type="range" min="{low:g}" max="{high:g}" step="1" value="{FIRST:g}">'
        "</span></figcaption>"
    )


def timing(frames: int) -> str:
    """When each frame is seen: all in one circle, the last twice as long as the others."""
    whole = SECONDS * (frames + 1)
    one, two = 100 / (frames + 1), 200 / (frames + 1)
    return (
        f"@keyframes film{{0%{{visibility:visible}}{one:.3f}%{{visibility:hidden}}}}"
        f"@keyframes film-last{{0%{{visibility:visible}}{two:.3f}%{{visibility:hidden}}}}"
        f".film{{--whole:{whole:g}s;--one:{SECONDS:g}s}}"
    )
