"""Follow every link of a built site that stays in it: its file and its anchor must be there.

broken_links(Path("build/site/html"))      # ["index.html: no file field_guide.htm"]
"""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ELSEWHERE = ("http", "https", "mailto", "data", "javascript")


class Page(HTMLParser):
    """The anchors of a page, and all that it points to."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors, self.links, self.twice = {"", "top"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                if value in self.anchors:
                    self.twice.append(value)
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken_links(folder: Path) -> list[str]:
    """What is wrong, a line each: a file or anchor that is missing, an id that is there twice."""
    pages = {
        path.resolve(): Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))
    }
    wrong = []
    for path, page in pages.items():
        here = path.relative_to(folder.resolve()).as_posix()
        wrong += [f"{here}: two elements have the id {name!r}" for name in page.twice]
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme in ELSEWHERE or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{here}: no file {link}")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{here}: no anchor {link}")
    return wrong
