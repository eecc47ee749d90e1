"""Plots of gradients: their norm over depth, before and after hooks, and their histogram.

    from course import grad_norms, histogram, trace
    grad_norms(trace(loss))
    histogram(weight.grad)

matplotlib draws them, imported when first used, and the colours are handed over to the page: a plot
turns dark with it, like a picture. Before and after differ in marker and line as well as in colour.
"""

from io import StringIO
from typing import Any

from course.drawing.clock import ENDS
from course.drawing.face import short
from course.drawing.numerals import number
from course.drawing.picture import Picture
from course.drawing.style import AROUND
from course.drawing.theme import SANS, classes
from course.record import Record

SIZE = (7.0, 2.9)  # inches, at 72 pixels each
# Drawn in colours that nobody uses, which then become the page's own.
STAND_INS = {
    name: f"#0102{i:02x}" for i, name in enumerate(("ink", "muted", "edge", "pos", "hook"))
}


def grad_norms(record: Record, *, leaves: bool = False, theme: str = "auto") -> Picture:
    """The norm of the gradient that reached each tensor, from the input on the left to the loss.

    `grad_norms(trace(loss, model=net))`. Where a tensor's hooks changed the gradient, the norm
    after them is drawn too. leaves=True: only leaves, which are mostly parameters. Raises
    ValueError when no gradient reached any of them.
    """
    classes(theme)
    rows = [
        (t.name, t.arrived.norm, (t.passed or t.arrived).norm)
        for t in _by_depth(record)
        if t.arrived is not None and t.arrived.norm is not None and (t.is_leaf or not leaves)
    ]
    if not rows:
        what = "leaf" if leaves else "tensor"
        raise ValueError(f"no gradient reached a named {what} in this record, so nothing to plot")
    return Picture(lambda: _norms_drawn(rows, theme), lambda: _norms_told(rows), theme)


def histogram(gradient, after=None, *, bins: int = 30, theme: str = "auto") -> Picture:
    """How the elements of a gradient are spread: `histogram(w.grad)`.

    gradient: a tensor, an array or a list, of any shape; after: the same after a hook, to compare.
    Elements that are nan or infinite are left out and counted in the text. Raises ValueError when
    nothing is left, TypeError for None.
    """
    classes(theme)
    if gradient is None:
        raise TypeError("this gradient is None: run backward first, or ask course.why_none")
    series = [("gradient" if after is None else "before", *_finite(gradient))]
    if after is not None:
        series.append(("after", *_finite(after)))
    return Picture(lambda: _bars_drawn(series, bins, theme), lambda: _bars_told(series), theme)


def _by_depth(record):
    """The tensors in forward's order: the reverse of the order in which backward came by."""
    turn = {}
    node_of = {t.id: t.node for t in record.tensors}
    for event in record.events:
        if event.kind in ENDS:
            turn.setdefault(node_of.get(event.target.id, event.target.id), event.seq)
    return sorted(record.tensors, key=lambda t: -turn.get(t.node, len(record.events)))


def _norms_told(rows):
    lines = ["Norm of the gradient at each tensor, from the input to the loss"]
    wide = max(len(name) for name, _, _ in rows)
    for name, before, after in rows:
        change = f" → {number(after)} after its hooks" if after != before else ""
        lines.append(f"  {name:{wide}}  {number(before)}{change}")
    return "\n".join(lines)


def _norms_drawn(rows, theme):
    def draw(axes):
        names, before, after = zip(*rows, strict=True)
        places = range(len(rows))
        changed = [i for i in places if before[i] != after[i]]
        label = "gradient that arrived"
        axes.plot(places, before, "o--", color=STAND_INS["pos"], mfc="none", ms=5, label=label)
        if changed:
            axes.plot(places, after, color=STAND_INS["hook"], lw=1, alpha=0.6)
            points = changed, [after[i] for i in changed]
            axes.plot(*points, "D", color=STAND_INS["hook"], ms=6, label="after its hooks")
        shown_norms = [n for n in (*before, *after) if n > 0]
        if shown_norms and max(shown_norms) > 30 * min(shown_norms):
            axes.set_yscale("log")
        else:
            axes.set_ylim(bottom=0)
        every = -(-len(names) // 24)
        axes.set_xticks(places[::every], [short(n, 20) for n in names[::every]])
        if sum(len(short(n, 20)) for n in names[::every]) > 70:
            axes.tick_params("x", rotation=90)
        axes.set_ylabel("norm of the gradient")
        axes.legend(frameon=False)

    return _figure(draw, "Norm of the gradient at each tensor", theme)


def _finite(values):
    import numpy as np

    values = values.detach().cpu() if hasattr(values, "detach") else values
    flat = np.asarray(values, dtype=float).ravel()
    kept = flat[np.isfinite(flat)]
    if not kept.size:
        raise ValueError("this gradient has no finite element, so it has no histogram")
    return kept, flat.size - kept.size


def _bars_told(series):
    lines = []
    for name, values, lost in series:
        low, middle, high = (number(float(f())) for f in (values.min, values.mean, values.max))
        zeros = int((values == 0).sum())
        lines.append(
            f"{name}: {values.size} elements from {low} to {high}, mean {middle}, {zeros} are 0"
            + (f", {lost} are nan or infinite" if lost else "")
        )
    return "\n".join(lines)


def _bars_drawn(series, bins, theme):
    def draw(axes):
        import numpy as np

        edges = np.histogram_bin_edges(np.concatenate([values for _, values, _ in series]), bins)
        looks = ({"color": STAND_INS["pos"], "alpha": 0.55}, {"histtype": "step", "lw": 2})
        for (name, values, _), look in zip(series, looks, strict=False):
            axes.hist(values, edges, label=name, **{"color": STAND_INS["hook"]} | look)
        axes.axvline(0, color=STAND_INS["muted"], lw=1, ls=":")
        axes.set_xlabel("value of an element")
        axes.set_ylabel("elements")
        if len(series) > 1:
            axes.legend(frameon=False)

    return _figure(draw, "Histogram of a gradient", theme)


def _figure(draw, title, theme):
    """The SVG of one plot, and its width in pixels."""
    import matplotlib
    from matplotlib.figure import Figure

    ink, muted, edge = (STAND_INS[name] for name in ("ink", "muted", "edge"))
    settings: Any = {
        "svg.fonttype": "none",
        "svg.hashsalt": title,
        "font.size": 9,
        "text.color": ink,
        "axes.labelcolor": muted,
        "axes.edgecolor": edge,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "grid.color": edge,
        "grid.alpha": 0.5,
        "xtick.color": edge,
        "ytick.color": edge,
        "xtick.labelcolor": muted,
        "ytick.labelcolor": muted,
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=SIZE, layout="constrained")
        draw(figure.add_subplot())
        out = StringIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    for name, colour in STAND_INS.items():
        svg = svg.replace(colour, f"var(--hob-{name})")
    size, _, rest = svg.removeprefix("<svg").partition(">")
    style = f"{AROUND}.hob-plot text{{font-family:{SANS}!important}}"
    head = f'<svg class="hob-plot {classes(theme)}" role="img"{size}><title>{title}</title>'
    return f"{head}<style>{style}</style>{rest}", SIZE[0] * 72
