"""All that people wrote as pages for Sphinx: notebooks and Markdown in one folder.

    write_pages(Path("build/site/pages"), played(…))

The folder of a lesson stays a folder, so links between notebooks lead where they led. A page whose
text is the same is not written again, and Sphinx then does not read it again.
"""

from pathlib import Path

import nbformat

from course.drawing.theme import DARK, LIGHT
from course.guide.notebook import guide_notebook
from course.lessons import LESSONS
from course.published import published
from course.website.addresses import Links
from course.website.notebooks import exercises_page, guide_page, lesson_page
from course.website.reference import reference_page
from course.website.start import start_page

ROOT = Path(__file__).parent.parent.parent
INSTRUCTOR = "docs/instructor"
TEXTS = {
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
STATIC = "_static"
INSTRUCTORS = """
```{{toctree}}
:hidden:

{pages}
/security
```
"""


def write_pages(folder: Path, lessons: dict[str, nbformat.NotebookNode]) -> None:
    """Write every page below the folder; a file that is no page any more is removed."""
    made = pages(lessons)
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder).as_posix() not in made:
            path.unlink()
    for name, data in made.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def page_of() -> dict[str, str]:
    """Each file of the repository that is a page, and where that page is."""
    found = {"README.md": "index.md", "release/field_guide.ipynb": "field_guide.ipynb"} | TEXTS
    found[INSTRUCTOR] = "instructors/index.md"
    for path in sorted((ROOT / INSTRUCTOR).rglob("*.md")):
        name = path.relative_to(ROOT / INSTRUCTOR).as_posix()
        page = "index.md" if name == "README.md" else name
        found[f"{INSTRUCTOR}/{name}"] = f"instructors/{page}"
    for path in sorted((ROOT / "release").glob("*/*.ipynb")):
        found[path.relative_to(ROOT).as_posix()] = f"{path.parent.name}/{path.name}"
    return found


def pages(lessons: dict[str, nbformat.NotebookNode]) -> dict[str, bytes]:
    """Every page and every picture: ``{path below the folder of the pages: bytes}``."""
    links = Links(page_of(), published())
    made: dict[str, str] = {}
    for lesson in LESSONS:
        path = f"{lesson.assignment}/lesson.ipynb"
        made[path] = lesson_page(lesson, lessons[lesson.assignment], links)
        path = f"{lesson.assignment}/exercises.ipynb"
        if f"release/{path}" in links.pages:
            notebook = nbformat.read(ROOT / "release" / path, 4)
            made[path] = exercises_page(lesson, notebook, links)
    made["field_guide.ipynb"] = guide_page(guide_notebook(), links)
    for path, page in links.pages.items():
        if path.endswith(".md") and path != "README.md":
            made[page] = links.rewrite((ROOT / path).read_text("utf-8"), path, page)
    readme = (ROOT / "README.md").read_text("utf-8")
    made["instructors/index.md"] = instructors(readme, made, links)
    made["index.md"] = start_page(readme, links)
    made["reference.md"] = reference_page()
    made[f"{STATIC}/colours.css"] = colours()
    pictures = {page: (ROOT / path).read_bytes() for path, page in links.pictures.items()}
    return {path: text.encode() for path, text in made.items()} | pictures


def instructors(readme: str, made: dict[str, str], links: Links) -> str:
    """What README says to instructors, or their own first page, and below it all their pages."""
    page = "instructors/index.md"
    text = made.get(page) or links.rewrite(
        f"# For instructors\n{section(readme, 'For instructors')}", "README.md", page
    )
    names = sorted(
        Path(name).name for name in made if name.startswith("instructors/") and name != page
    )
    names.sort(key=lambda name: text.find(f"({name}") % (len(text) + 1))  # in the text's own order
    return text + INSTRUCTORS.format(pages="\n".join(Path(name).stem for name in names))


def section(text: str, heading: str) -> str:
    """What stands below a heading of the second level."""
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def colours() -> str:
    """The colours of pictures where the reader chose light or dark: Furo says it on the body."""
    return "".join(
        f'body[data-theme="{theme}"] .hob.hob.hob.hob{{'
        + "".join(f"--hob-{name}:{value};" for name, value in named.items())
        + "}\n"
        for theme, named in (("light", LIGHT), ("dark", DARK))
    )
