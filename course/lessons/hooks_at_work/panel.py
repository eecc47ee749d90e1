"""Controls of ipywidgets over a page of HTML that is made anew at every move.

A lab of lesson 6 is a frozen dataclass with `moved(**changes)` and `page()`, which gives HTML and
the same as text. `panel(lab, controls)` shows it.
"""

from course.laboratory.front_end import show_widget

LOOK = {"style": {"description_width": "12em"}, "layout": {"width": "32em"}}


def panel(lab, controls: dict) -> None:
    """Display a lab: `controls` maps the names of its settings to widgets of ipywidgets."""
    import ipywidgets

    html, text = lab.page()
    shown = ipywidgets.HTML(html)

    def run(_):
        settings = {name: control.value for name, control in controls.items()}
        shown.value = lab.moved(**settings).page()[0]

    for control in controls.values():
        control.observe(run, "value")
    box = ipywidgets.VBox([*controls.values(), shown])
    box.add_class("hl-widget")  # hides the static page while this widget lives
    box.static_id = type(lab).__name__
    show_widget(box, html, text, "Run this cell to move the controls.")
