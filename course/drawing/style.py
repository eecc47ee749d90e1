"""The style sheet of pictures: what each class of shape and text looks like.

Every rule starts with .hob and every class with hb-, so that a page and a picture in it leave each
other alone.
"""

from course.drawing.theme import COLOURS, MONO, SANS

AROUND = (  # of the text below a drawing
    f"{COLOURS}.hob summary{{font:12px {SANS};color:var(--hob-muted)}}"
    ".hob summary{cursor:pointer;margin:4px 8px}"
    f".hob pre{{font:12px/1.5 {MONO};color:var(--hob-ink);margin:4px 8px}}"
    ".hob pre{white-space:pre-wrap}"
)
STYLE = (
    f"<style>{AROUND}"
    # Text: plain, label, tensor's name, operation's name, small, muted, bold; end and centre.
    f".hob text{{font:12px {MONO};fill:var(--hob-ink);white-space:pre}}"
    f".hob .hb-l{{font:11.5px {SANS};fill:var(--hob-muted)}}"
    f".hob .hb-t{{font:600 13.5px {MONO}}}.hob .hb-o{{font-size:11px}}"
    ".hob .hb-s{font-size:10.5px;fill:var(--hob-muted)}.hob .hb-m{fill:var(--hob-muted)}"
    ".hob .hb-b{font-weight:600}.hob .hb-e{text-anchor:end}.hob .hb-c{text-anchor:middle}"
    # Meaning: positive, negative, error or nan, hook, leaf.
    ".hob .hb-fill{fill:var(--hob-ink);stroke:none}"
    ".hob .hb-p{fill:var(--hob-pos)}.hob .hb-n{fill:var(--hob-neg)}.hob .hb-x{fill:var(--hob-bad)}"
    ".hob .hb-h{fill:var(--hob-hook)}.hob .hb-f{fill:var(--hob-leaf)}"
    # Shapes.
    ".hob .hb-card{fill:var(--hob-card);stroke:var(--hob-line);stroke-width:1.2}"
    ".hob .hb-leaf{stroke:var(--hob-leaf);stroke-width:1.6}.hob .hb-error{stroke:var(--hob-bad)}"
    ".hob .hb-dash{stroke-dasharray:4 3}.hob .hb-pill{fill:var(--hob-soft);stroke:var(--hob-line)}"
    ".hob .hb-wait{fill:var(--hob-card)}.hob .hb-badge{fill:var(--hob-card)}"
    ".hob .hb-soft{fill:var(--hob-soft)}.hob .hb-tint{fill:var(--hob-tint)}"
    ".hob .hb-rule{stroke:var(--hob-edge);fill:none}.hob .hb-faint{stroke-dasharray:1 3}"
    ".hob .hb-link{stroke:var(--hob-line);stroke-width:1.3;fill:none}"
    ".hob .hb-tip{fill:var(--hob-line)}.hob .hb-chip{fill:var(--hob-card);stroke:var(--hob-edge)}"
    ".hob .hb-ring{fill:none;stroke:var(--hob-muted);stroke-width:1.6}"
    ".hob .hb-cross{fill:none;stroke:var(--hob-bad);stroke-width:2}"
    ".hob .hb-later{fill:var(--hob-line)}"
    ".hob .hb-wrote{fill:var(--hob-card);stroke:var(--hob-leaf);stroke-width:2}"
    ".hob .hb-cursor{fill:var(--hob-soft);stroke:var(--hob-ink);stroke-width:1.4}"
    ".hob .hb-now{stroke:var(--hob-ink);stroke-width:2.4}"
    "</style>"
)
