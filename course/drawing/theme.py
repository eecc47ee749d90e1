"""The colours and fonts of pictures, taken from the page where it has any.

JupyterLab and Notebook name theirs --jp-…, VS Code --vscode-…; a page without either follows the
reader's system. Meaning is never in colour alone, and every text has a contrast of at least 4.5 to
1 on its ground, in light and in dark.
"""

THEMES = ("auto", "light", "dark")
LIGHT = {
    "ink": "#1f2328",
    "card": "#ffffff",
    "muted": "#57606a",
    "line": "#8b949e",
    "edge": "#afb8c1",
    "soft": "#eef1f4",
    "tint": "#f3edfc",
    "pos": "#0a56c2",
    "neg": "#a63c06",
    "hook": "#6639ba",
    "bad": "#b81d24",
    "leaf": "#1a7f37",
}
DARK = {
    "ink": "#e6edf3",
    "card": "#1c2128",
    "muted": "#a3adb8",
    "line": "#7d8590",
    "edge": "#59636e",
    "soft": "#2d333b",
    "tint": "#35294d",
    "pos": "#82baff",
    "neg": "#ffa877",
    "hook": "#cbb0ff",
    "bad": "#ff9c9a",
    "leaf": "#5fd470",
}
_PAGE = {  # what the page may call it
    "ink": "var(--jp-content-font-color0,var(--vscode-editor-foreground,{}))",
    "card": "var(--jp-layout-color1,var(--vscode-editor-background,{}))",
}
SANS = (
    'var(--jp-ui-font-family,var(--vscode-font-family,system-ui)),"Segoe UI",Roboto,Helvetica,'
    "Arial,sans-serif"
)
MONO = (
    "var(--jp-code-font-family,var(--vscode-editor-font-family,ui-monospace)),Menlo,Consolas,"
    '"DejaVu Sans Mono",monospace'
)


def _variables(colours, page):
    return "".join(f"--hob-{k}:{page.get(k, '{}').format(v)};" for k, v in colours.items())


COLOURS = (
    f".hob{{{_variables(LIGHT, _PAGE)}}}"
    # A dark page says so in its own way: JupyterLab and Notebook, VS Code, Colab.
    'body[data-jp-theme-light="false"] .hob,body.vscode-dark .hob,'
    "body.vscode-high-contrast:not(.vscode-high-contrast-light) .hob,"
    f'html[theme="dark"] .hob{{{_variables(DARK, _PAGE)}}}'
    # A page that says nothing follows the reader's system.
    "@media(prefers-color-scheme:dark){html:not([theme])>body:not([data-jp-theme-light],"
    f"[class*=vscode]) .hob{{{_variables(DARK, _PAGE)}}}}}"
    # A caller who says which: three times, to outweigh all of the above.
    f".hob.hob-light.hob-light.hob-light{{{_variables(LIGHT, {})}}}"
    f".hob.hob-dark.hob-dark.hob-dark{{{_variables(DARK, {})}}}"
)


def classes(theme: str) -> str:
    """The class attribute for a theme: "auto", "light" or "dark"."""
    if theme not in THEMES:
        raise ValueError(f'theme is {theme!r}; it can be "auto", "light" or "dark"')
    return "hob" if theme == "auto" else f"hob hob-{theme}"
