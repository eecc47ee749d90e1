"""Numbers as a reader wants them: short, with a sign in the text, never hiding nan.

A gradient always shows its sign ("+3", "−3"), so that colour is never the only cue. A tensor too
long to print is shown by its norm.
"""

import math

from course.record import Summary

LONGEST = 22  # characters; a longer list of numbers is shown by its norm
MINUS = "\N{MINUS SIGN}"  # read out as "minus", where a hyphen is often skipped


def number(value, signed: bool = False) -> str:
    """`number(0.30000001)` is "0.3", `number(3, signed=True)` is "+3": four digits at most."""
    if isinstance(value, bool):
        return str(value)
    try:
        text = f"{value:+.4g}" if signed and value == value and value != 0 else f"{value:.4g}"
    except (TypeError, ValueError):  # complex numbers cannot be ordered; others say what they are
        return str(value)
    return text.replace("-", MINUS)


def shape(summary: Summary | None) -> str:
    """ "[1×28×28]"; the empty string for a scalar, or when there is nothing to tell."""
    return f"[{'×'.join(map(str, summary.shape))}]" if summary and summary.shape else ""


def amount(summary: Summary | None, signed: bool = False) -> str:
    """One tensor in at most `LONGEST` characters: "+3", "[1, 2, 3]", "norm 10.95", "None"."""
    if summary is None:
        return "None"
    values = summary.values
    if values is not None:
        if not isinstance(values, tuple):
            return number(values, signed)
        if math.prod(summary.shape) <= 8:
            text = _listed(values, signed)
            if len(text) <= LONGEST:
                return text
    if summary.norm is None:
        return "empty" if 0 in summary.shape else summary.dtype
    return f"norm {number(summary.norm)}"


def amounts(summaries: tuple, signed: bool = False) -> str:
    """Several tensors: the one alone, or "(+1, None)"."""
    if len(summaries) == 1:
        return amount(summaries[0], signed)
    return f"({', '.join(amount(s, signed) for s in summaries)})"


def sign(text: str) -> str:
    """The sign that a reader sees in a signed text, for its colour: "+", "-", "nan", or ""."""
    if "nan" in text or "inf" in text:
        return "nan"
    plus, minus = "+" in text, MINUS in text.replace(f"e{MINUS}", "")
    return "" if plus == minus or text.startswith("norm") else "+" if plus else "-"


def _listed(values, signed):
    if isinstance(values, tuple):
        return f"[{', '.join(_listed(v, signed) for v in values)}]"
    return number(values, signed)
