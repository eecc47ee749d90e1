"""The bytes that a backward leaves behind, drawn over the depth of the chain: data in, SVG out.

The three kinds of bytes differ in pattern as well as in colour, and the same numbers stand in a
text. No torch and no notebook is needed here.
"""

from html import escape

WIDTH, HEIGHT = 560, 230
LEFT, RIGHT, TOP, BOTTOM = 62, 8, 12, 34
PARTS = (  # attribute of Held, how it reads, and how it is filled
    ("gradients", "gradients", "fill:var(--hl-accent,#1976d2)"),
    ("values", "values of the layers", "fill:url(#PATTERN)"),
    ("graph", "saved by the graph", "fill:none;stroke:currentColor;stroke-dasharray:3 2"),
)


def chart(rows, top: int, pattern: str) -> str:
    """Stacked bars, one for each `(depth, Held)`; `top` is the number of bytes at full height.

    `pattern` is an id that no other picture on the page has.
    """
    plot_height = HEIGHT - TOP - BOTTOM
    step = (WIDTH - LEFT - RIGHT) / max(len(rows), 1)
    shapes = []
    for share in (0, 0.5, 1):
        y = TOP + plot_height * (1 - share)
        shapes.append(
            f'<path d="M{LEFT} {y:g}H{WIDTH - RIGHT}" stroke="currentColor" opacity=".2"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end">{size(top * share)}</text>'
        )
    for i, (depth, held) in enumerate(rows):
        x, y = LEFT + step * (i + 0.2), TOP + plot_height
        for part, _, look in PARTS:
            tall = plot_height * getattr(held, part) / top
            y -= tall
            if tall:
                shapes.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{step * 0.6:.1f}" height="{tall:.1f}" '
                    f'style="{look.replace("PATTERN", pattern)}"/>'
                )
        shapes.append(
            f'<text x="{x + step * 0.3:.1f}" y="{HEIGHT - BOTTOM + 16}" '
            f'text-anchor="middle">{depth}</text>'
        )
    shapes.append(
        f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 3}" text-anchor="middle">layers</text>'
    )
    stripes = (
        f'<defs><pattern id="{pattern}" width="5" height="5" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)">'
        '<rect width="5" height="5" fill="currentColor" opacity=".12"/>'
        '<path d="M0 0V5" stroke="currentColor" stroke-width="2"/></pattern></defs>'
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" style="max-width:{WIDTH}px;width:100%;'
        f'font:11px sans-serif" fill="currentColor"><title>{escape(headline(rows))}</title>'
        f"{stripes}{''.join(shapes)}</svg>"
    )


def legend(pattern: str) -> str:
    """What the three fillings mean, as HTML."""
    items = "".join(
        f'<span style="white-space:nowrap;margin-right:1.2em"><svg width="14" height="12" '
        f'aria-hidden="true"><rect x="1" y="1" width="12" height="10" '
        f'style="{look.replace("PATTERN", pattern)}"/></svg> {name}</span>'
        for _, name, look in PARTS
    )
    return f"<p>{items}</p>"


def headline(rows) -> str:
    """What stays for the deepest chain, in one sentence."""
    depth, held = rows[-1]
    parts = [f"{name} {size(getattr(held, part))}" for part, name, _ in PARTS]
    return f"With {depth} layers, {size(held.total)} stay after backward: {', '.join(parts)}."


def told(rows) -> str:
    """All numbers as text."""
    lines = [headline(rows), "layers  gradients  values  saved by the graph (bytes)"]
    lines += [
        f"{depth:6}  {held.gradients:9}  {held.values:6}  {held.graph:6}" for depth, held in rows
    ]
    return "\n".join(lines)


def size(count: float) -> str:
    """Bytes in words: 800 B, 4.0 kB, 1.6 MB."""
    if count < 1000:
        return f"{count:.0f} B"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
