"""All that a marked notebook of this course imports: for ``c.SafeExecute.preload``.

    python -c 'import course.warm'

Every notebook runs in a fork of a process that has imported this once. What a fork misses it
imports for itself, in each notebook again. Solutions and answer banks are not in here: nobody
could import them where they are withheld.
"""

from importlib import import_module

from course.lessons import LESSONS
from course.private_cases import private_cases

TORCH = (
    "torch",
    # what torch imports when it is used:
    "torch.fx.experimental.symbolic_shapes",  # torch.autograd.grad
    "torch._dynamo",  # torch.optim and torch.func: more than a second
    "torch._subclasses.schema_check_mode",  # a tensor that is printed
)
COURSE = ("course.check", "course.reasons", "course.testimony", "course.own_marks.live")

for name in (*TORCH, *COURSE):
    import_module(name)
for lesson in LESSONS:
    for part in ("checks", "reasons"):
        if (lesson.folder / f"{part}.py").exists():
            import_module(f"course.lessons.{lesson.name}.{part}")
    private_cases(lesson.name)  # a fork may not see the package that they are in
