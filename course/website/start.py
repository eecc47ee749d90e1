"""The start page: what the course is, in one screen; below it the lessons, from README's table."""

import re

from course.lessons import LESSONS
from course.published import readme as without_badges
from course.website.addresses import Links
from course.website.film import film

HERO = """\
---
hide-toc: true
---

# Hooked on Backward

<div class="hero">
<div class="hero-words">
<p class="lead">A course on PyTorch hooks that you play: turn a slider, a real backward runs again
with your hook in it, and you see the gradient change on its way.</p>
<p>The exercises check themselves and name the misconception behind a wrong answer. An instructor
marks them with nbgrader.</p>
<div class="ways">

[Lesson 1](01_leaf_tensors/lesson.ipynb)
[Field guide](field_guide.ipynb)
[Instructors](instructors/index.md)
[Contributors](contributing.md)

</div>

```
make lab    # set up, open the course
make test   # set up, run every test
```

<p class="small">Python 3.11 to 3.14. Without make:<br>
<code>python course/bootstrap.py lab</code></p>
</div>

{film}
</div>
"""
TREE = """
```{{toctree}}
:hidden:
:caption: Lessons

{lessons}
```

```{{toctree}}
:hidden:
:caption: Look up

Field guide <field_guide>
reference
```

```{{toctree}}
:hidden:
:caption: Teach and contribute

instructors/index
contributing
changelog
```
"""


def start_page(readme: str, links: Links) -> str:
    """The page, in MyST."""
    lessons = "\n".join(
        f"{lesson.number} · {lesson.title.partition(':')[0]} <{lesson.assignment}/lesson>"
        for lesson in LESSONS
    )
    return (
        HERO.format(film=film())
        + f"\n## The lessons\n\n{table(readme, links)}\n"
        + TREE.format(lessons=lessons)
    )


def table(readme: str, links: Links) -> str:
    """README's table of lessons; where the course is published, with links that run a lesson.

    README has pictures for them, which come from other hosts: the site has words.
    """
    text = without_badges(readme, [lesson.assignment for lesson in LESSONS], None)
    rows = re.findall(r"^\|.*\|$", text.split("\n## The lessons\n")[1], re.MULTILINE)
    rows = rows[: len(LESSONS) + 2]
    if links.place:
        rows[0], rows[1] = f"{rows[0]} run it |", f"{rows[1]}---|"
        for n, lesson in enumerate(LESSONS):
            path = f"release/{lesson.assignment}/lesson.ipynb"
            ways = f"[Binder]({links.place.binder(path)}) [Colab]({links.place.colab(path)})"
            rows[n + 2] += f" {ways} |"
    return links.rewrite("\n".join(rows), "README.md", "index.md")
