"""Sphinx's configuration of the site; ``course/website/__init__.py`` calls it."""

from pathlib import Path

from course.website.docstrings import rst
from course.website.pages import STATIC

project = "Hooked on Backward"
author = "the Hooked on Backward authors"
language = "en"
highlight_language = "none"  # a block that names no language is a command or an output
smartquotes = False  # they would change code in docstrings and lessons
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.githubpages"]

# Pages are notebooks with outputs, and Markdown. Nothing is run here, and widgets are no part of
# the pages: with the default, each page would load programs for them from another host.
nb_execution_mode = "off"
nb_ipywidgets_js: dict = {}
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = [STATIC]

# Reference: docstrings of the course are plain text.
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
nitpick_ignore_regex = [("py:.*", r"(torch|numpy)\..*"), ("py:class", r"tuple\[str")]

# Looks.
html_theme = "furo"
html_title = "Hooked on Backward"
html_static_path = [str(Path(__file__).parent / "static")]
html_favicon = str(Path(__file__).parent / "static" / "hook.svg")
html_css_files = ["colours.css", "site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"source_repository": ""}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def setup(app):
    app.connect("autodoc-process-docstring", as_rst)
    app.config.html_static_path.append(str(app.srcdir / STATIC))  # written with the pages
    app.connect("html-page-context", level_captions, priority=900)  # after Furo's own


def level_captions(app, page, template, context, tree):
    """Sphinx calls the captions of the navigation headings and gives them no level."""
    context["furo_navigation_tree"] = context["furo_navigation_tree"].replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )


def as_rst(app, what, name, thing, options, lines):
    lines[:] = rst(lines)
