"""Hooked on Backward: a course on PyTorch hooks that you play with.

Names are imported when first used, so that ``import course`` costs next to nothing.
"""

from importlib import import_module

_HOME = {  # public name -> the module that defines it
    "timeline": "course.drawing.timeline",
    "grad_norms": "course.drawing.plots",
    "histogram": "course.drawing.plots",
    "picture": "course.drawing.picture",
    "trace": "course.tracing",
    "explain": "course.explanation",
    "why_none": "course.why",
    "why_not_called": "course.why",
    "leftover_hooks": "course.hygiene",
    "attach": "course.hygiene",
    "lab": "course.laboratory",
    "Hook": "course.laboratory.hook",
    "predict": "course.laboratory.prediction",
    "xray": "course.radiology",
    "course_map": "course.progress.live",
    "reset_progress": "course.progress.live",
}

__all__ = sorted(_HOME)


def __getattr__(name):
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'course' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_HOME])
