"""The course as a site of plain pages, built offline: ``python -m course site``.

Text flows one way here too. The lessons are run, once for each change (``played.py``); all that
people write becomes pages in ``build/site/pages`` (``pages.py``); Sphinx makes the site of them in
``build/site/html``, and every link is followed (``inspect_links.py``). Nothing else is written.
"""

import argparse
import importlib.util
import shutil
import sys
from pathlib import Path

from course.author_text import BuildError

ROOT = Path(__file__).parent.parent.parent
PLACE = ROOT / "build" / "site"
NEEDED = ("sphinx", "myst_nb", "furo")


def main(arguments: list[str] | None = None) -> int:
    """Build the site; give the exit status. What is wrong with a page is a line on stderr."""
    parser = argparse.ArgumentParser(
        prog="python -m course site", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--to", type=Path, default=PLACE, metavar="DIR", help="build there, not in build/site"
    )
    place = parser.parse_args(arguments).to.resolve()
    missing = [name for name in NEEDED if not importlib.util.find_spec(name)]
    if missing:
        print(
            f"The site needs {', '.join(missing)}: run `make site`, which installs what it needs, "
            "or `python -m pip install -c constraints.txt -e .[site]`.",
            file=sys.stderr,
        )
        return 1
    from course.website.inspect_links import broken_links

    try:
        status = build(place)
    except BuildError as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    broken = broken_links(place / "html")
    for line in broken:
        print(f"site: {line}", file=sys.stderr)
    if not status and not broken:
        print(f"The site is built: open {place / 'html' / 'index.html'}")
    return 1 if status or broken else 0


def build(place: Path) -> int:
    """Run what changed, write the pages, call Sphinx. What did not change is not made again."""
    from sphinx.cmd.build import build_main

    from course.website.pages import write_pages
    from course.website.played import played

    print("Running the lessons that changed …", flush=True)
    write_pages(place / "pages", played(place / "played"))
    print("Making the pages …", flush=True)
    config = ["-c", str(Path(__file__).parent)]
    strict = ["--fail-on-warning", "--nitpicky", "--quiet"]
    folders = [str(place / "pages"), str(place / "html")]
    kept = place / "doctrees"
    status = build_main(["-b", "html", *config, *strict, "-d", str(kept), *folders])
    if status:  # pages that Sphinx does not read again would not be complained of again
        shutil.rmtree(kept, ignore_errors=True)
    return status
