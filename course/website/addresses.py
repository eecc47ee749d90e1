"""Where a file of the repository is on the site, and links that lead there.

    links = Links({"SECURITY.md": "security.md"}, None)
    links.rewrite("[it](../SECURITY.md#advice)", "docs/a.md", "docs/a.md")  # [it](../security.md…

A link to a file that is no page leads to GitHub if the course is published, else it becomes text.
"""

import posixpath
import re
from dataclasses import dataclass, field

from course.published import Published

FENCE = re.compile(r"(^[ ]*(?P<mark>`{3,}).*?^[ ]*(?P=mark)[ ]*$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(
    r"(?P<picture>!?)\[(?P<words>[^\]]*)\]\((?P<path>(?!\w+:)[^)#\s]*)(?P<anchor>#[^)\s]+)?\)"
)
PICTURES = (".png", ".svg", ".jpg")
HREF = re.compile(r'href="(?P<path>(?!\w+:)[^"#]+)\.ipynb(?P<anchor>#[^"]*)?"')


@dataclass
class Links:
    """`pages`: file of the repository -> page of the site; `pictures` collects what pages show."""

    pages: dict[str, str]
    place: Published | None
    pictures: dict[str, str] = field(default_factory=dict)

    def rewrite(self, text: str, path: str, page: str) -> str:
        """Markdown of the file `path`, which becomes `page`, with links for the site."""
        parts = FENCE.split(text)  # text, fenced block, its mark, text, …
        return "".join(
            LINK.sub(lambda link: self._link(link, path, page), part) if n % 3 == 0 else part
            for n, part in enumerate(parts)
            if n % 3 != 2
        )

    def _link(self, link, path, page):
        words, anchor = link["words"], slug(link["anchor"] or "")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link["path"]))
        if not link["path"]:
            return f"[{words}]({anchor})"
        if link["picture"]:
            self.pictures[target] = f"pictures/{posixpath.basename(target)}"
            return f"![{words}]({relative(self.pictures[target], page)})"
        if target in self.pages:
            return f"[{words}]({relative(self.pages[target], page)}{anchor})"
        if self.place:
            return f"[{words}]({self.place.page(target)}{link['anchor'] or ''})"
        return words if words.startswith("`") else f"`{words}`" if words == target else words


def relative(target: str, page: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def slug(anchor: str) -> str:
    """A heading, or the anchor that JupyterLab or GitHub makes of it, as GitHub's anchor.

    >>> slug("#torch.tensor-of-a-tensor-cuts-the-graph")
    '#torchtensor-of-a-tensor-cuts-the-graph'
    """
    return re.sub(r"[^\w\s#-]", "", anchor.strip().lower()).replace(" ", "-")


def html_links(html: str) -> str:
    """HTML that a cell showed, with links to the pages of the notebooks."""
    return HREF.sub(lambda link: f'href="{link["path"]}.html{link["anchor"] or ""}"', html)
