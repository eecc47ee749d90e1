"""An X-ray in words and as HTML. Frozen data goes in, strings come out; no torch is needed."""

from html import escape

HEADS = {
    "legacy": "Legacy hook: register_backward_hook",
    "full": "Full hook: register_full_backward_hook",
}
FORMS = {
    "input 2-D": "input, flattened to 2-D",
    "output 2-D": "output, flattened to 2-D",
    "output[None]": "output, with a batch axis in front",
}
TUPLES = {"grad_input": "input", "grad_output": "output"}  # and whose gradient one expects there
MARK = "◀ the hook runs here"
SHORT = 150  # characters of a warning in the text; the HTML holds all of it


def conditions(measured) -> str:
    """What was measured, in one line."""
    module = " ".join(measured.module.split())
    memory = "contiguous" if measured.contiguous else "not contiguous"
    return (
        f"{module}, input {measured.input_shape}, requires_grad={measured.requires_grad}, "
        f"{memory}, torch {measured.torch}"
    )


def whose(element, first="input") -> str:
    """Whose gradient an element is: "gradient of weight, transposed".

    Where several gradients are equal, the one that is asked for comes first.
    """
    if element.shape is None:
        return "None"
    # a 2-D gradient is its own flattened form: that needs no words
    names = [n for n in element.names if n == plain(n) or plain(n) not in element.names]
    if not names:
        return "no gradient of this module"
    one, *others = (in_words(n) for n in sorted(names, key=lambda n: n != first))
    same = f" (here the same as: {'; '.join(others)})" if others else ""
    return f"gradient of {one}{same}"


def plain(name) -> str:
    return name.removesuffix(" 2-D")


def in_words(name) -> str:
    if name.endswith(".T"):
        return f"{name.removesuffix('.T')}, transposed"
    return FORMS.get(name, name)


def summary(received) -> str:
    """One sentence for a hook: how often it ran, on which node, how much it received."""
    if not received.calls:
        return "It was not called."
    on = next((node.name for node in received.chain if node.hooked), "no node")
    count = len(received.grad_input)
    times = "" if received.calls == 1 else f" {received.calls} times"
    return f"It ran{times} on {on}. grad_input has {count} element{'s' * (count != 1)}."


def text(measured) -> str:
    """The whole X-ray as plain text."""
    parts = [conditions(measured)]
    for received in (measured.legacy, measured.full):
        lines = ["", HEADS[received.kind], f"  {summary(received)}"]
        for node in received.chain:
            lines.append("    " + "  " * node.depth + "  ".join(node_words(node)))
        for title, first in TUPLES.items() if received.calls else ():
            lines.append(f"  {title}")
            for index, element in enumerate(getattr(received, title)):
                shape = "" if element.shape is None else f"{element.shape}  "
                lines.append(f"    [{index}] {shape}{whose(element, first)}")
        for warning in received.warnings:
            cut = warning if len(warning) <= SHORT else f"{warning[:SHORT]} …"
            lines.append(f"  warned: {cut}")
        parts += lines
    return "\n".join(parts)


def node_words(node) -> list[str]:
    """A node's line in pieces: its name, its leaf, what is to be said about it."""
    pieces = [node.name]
    pieces += [f"({node.leaf})"] if node.leaf else []
    pieces += ["(drawn above)"] if node.again else []
    return [*pieces, MARK] if node.hooked else pieces


def html(measured) -> str:
    """The same, both hooks side by side, with styles of its own: it must look right in a file."""
    columns = "".join(_column(received) for received in (measured.legacy, measured.full))
    return (
        f"<p>{escape(conditions(measured))}</p>"
        f'<div style="display:flex;flex-wrap:wrap;gap:16px 32px">{columns}</div>'
    )


def _column(received):
    tables = ""
    if received.calls:
        tables = "".join(_table(title, received) for title in TUPLES)
    notes = "".join(_warning(words) for words in received.warnings)
    label = escape(HEADS[received.kind])
    return (
        f'<section aria-label="{label}" style="flex:1 1 320px;min-width:0">'
        f"<p><strong>{label}</strong><br>{escape(summary(received))}</p>"
        f"{_tree(received.chain)}{tables}{notes}</section>"
    )


def _tree(chain):
    """Nested lists: a screen reader says the depth that the indent shows."""
    if not chain:
        return "<p>The output is a leaf: there is no node behind it.</p>"
    start = '<ul style="list-style:none;margin:0;padding:0 0 0 {}px">'
    parts, depth = [start.format(0)], 0
    for index, node in enumerate(chain):
        if node.depth > depth:
            parts.append(start.format(14))
        elif index:
            parts.append("</li>" + "</ul></li>" * (depth - node.depth))
        depth = node.depth
        parts.append(f"<li>{_node(node)}")
    return "".join(parts) + "</li></ul>" * (depth + 1)


def _node(node):
    name, *more = node_words(node)
    border = "3px solid currentColor" if node.hooked else "1px solid rgba(128,128,128,.5)"
    weight = "bold" if node.hooked else "normal"
    code = f"font:{weight} 12px/1.6 monospace;border-left:{border};padding-left:6px"
    return f'<span style="{code}">{escape(name)} {escape(" ".join(more))}</span>'


def _table(title, received):
    cell = 'style="text-align:left;font-size:12px;padding:2px 12px 2px 0;vertical-align:top"'
    heads = "".join(f'<th scope="col" {cell}>{h}</th>' for h in (title, "shape", "what it is"))
    rows = "".join(
        f'<tr><th scope="row" {cell}>[{index}]</th>'
        f'<td {cell} data-cell="{received.kind} {title} {index} shape">'
        f"{'' if element.shape is None else element.shape}</td>"
        f'<td {cell} data-cell="{received.kind} {title} {index}">'
        f"{escape(whose(element, TUPLES[title]))}</td></tr>"
        for index, element in enumerate(getattr(received, title))
    )
    return (
        f'<table style="margin:8px 0"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _warning(words):
    kind, _, message = words.partition(": ")
    return (
        f"<details><summary>It warned: {escape(kind)}</summary><p>{escape(message)}</p></details>"
    )
