"""Pictures in a real browser: words stay in their boxes, colours follow the page, axe agrees."""

import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests/, for what is shared
import made_record

from course.drawing.picture import picture
from course.drawing.plots import grad_norms, histogram
from course.drawing.theme import DARK, LIGHT
from course.drawing.timeline import timeline

BOXES = """() => {
  const box = (e) => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.right, r.bottom]; };
  const texts = [...document.querySelectorAll("svg text")].filter((t) => t.textContent.trim());
  const frame = (t) => {  // the pill, badge or label a text is on, else its card, else the drawing
    if (t.matches(".hb-o.hb-c, .hb-s"))
      for (let e = t.previousElementSibling; e; e = e.previousElementSibling)
        if (e.matches("rect.hb-chip, rect.hb-pill, rect.hb-soft, rect.hb-badge")) return e;
        else if (e.matches("rect, g")) break;
    return t.closest("g")?.querySelector(":scope > .hb-card") ?? t.closest("svg");
  };
  return texts.map((t) => [t.textContent, box(t), box(frame(t))]);
}"""


def show(browser, html, *, scheme="light", head="<html>", body="<body>", width=740):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_content(f"<!doctype html>{head}<title>Pictures</title>{body}<main>{html}</main>")
    return page


@pytest.mark.parametrize("name", [*made_record.LESSONS, "forty", "deep", "modules", "accumulated"])
def test_words_stay_in_their_boxes_and_meet_no_other_words(browser, name):
    record = getattr(made_record, name)()
    for shown in (picture(record), timeline(record)):
        page = show(browser, shown.svg)
        texts = page.evaluate(BOXES)
        page.close()
        assert len(texts) > 5
        for words, (left, top, right, bottom), frame in texts:
            inside = (
                frame[0] <= left and right <= frame[2] and frame[1] <= top and bottom <= frame[3]
            )
            assert inside, f"{words!r} leaves its box"
        for i, (a, one, _) in enumerate(texts):
            for b, other, _ in texts[:i]:
                apart = (
                    one[2] <= other[0]
                    or other[2] <= one[0]
                    or one[3] <= other[1] + 4  # a line's box is higher than its letters
                    or other[3] <= one[1] + 4
                )
                assert apart, f"{a!r} and {b!r} overlap"


JUPYTER = "--jp-content-font-color0:#fafafa;--jp-layout-color1:#212121"
PAGES = [  # what the page says, what the system asks for, which colours follow
    ("<html>", "<body>", "light", LIGHT),
    ("<html>", "<body>", "dark", DARK),
    ("<html>", '<body data-jp-theme-light="true">', "dark", LIGHT),
    ("<html>", f'<body data-jp-theme-light="false" style="{JUPYTER}">', "light", DARK),
    ("<html>", '<body class="vscode-dark">', "light", DARK),
    ("<html>", '<body class="vscode-light">', "dark", LIGHT),
    ('<html theme="dark">', "<body>", "light", DARK),
    ('<html theme="light">', "<body>", "dark", LIGHT),
]


def colour(page, selector, what="fill"):
    script = f"(e) => getComputedStyle(e)['{what}']"
    red, green, blue = page.locator(selector).first.evaluate(script)[4:-1].split(", ")
    return f"#{int(red):02x}{int(green):02x}{int(blue):02x}"


@pytest.mark.parametrize("head, body, scheme, expected", PAGES)
def test_colours_follow_the_page_and_then_the_system(browser, head, body, scheme, expected):
    html = picture(made_record.chain()).html
    page = show(browser, html, head=head, body=body, scheme=scheme)
    own = "style=" not in body
    assert colour(page, "text.hb-p") == expected["pos"]
    assert colour(page, "text.hb-t") == (expected["ink"] if own else "#fafafa")
    assert colour(page, "rect.hb-card") == (expected["card"] if own else "#212121")
    page.close()


def test_a_caller_can_choose_the_theme(browser):
    for theme, scheme, expected in (("light", "dark", LIGHT), ("dark", "light", DARK)):
        page = show(browser, picture(made_record.chain(), theme=theme).html, scheme=scheme)
        assert colour(page, "text.hb-t") == expected["ink"]
        page.close()


def test_a_page_of_several_pictures_keeps_each_as_it_was(browser):
    parts = [
        picture(made_record.chain()).html,
        grad_norms(made_record.chain()).html,
        histogram([1.0, 2.0]).html,
        timeline(made_record.chain(), 3).html,
    ]
    script = "(e) => getComputedStyle(e).fontFamily"
    alone = show(browser, parts[0])
    font = alone.locator("text.hb-t").first.evaluate(script)
    together = show(browser, "".join(parts))
    assert together.locator("text.hb-t").first.evaluate(script) == font
    alone.close()
    together.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(browser, scheme):
    make = (made_record.chain, made_record.raised, made_record.forty)
    html = "<h1>Pictures</h1>" + "".join(picture(m()).html + timeline(m(), 2).html for m in make)
    page = show(browser, html, scheme=scheme, head='<html lang="en">', width=500)
    ground, ink = ("#111", "#eee") if scheme == "dark" else ("#fff", "#111")
    page.add_style_tag(content=f"body{{background:{ground};color:{ink}}}")
    page.locator("summary").first.click()
    found = Axe().run(page).response["violations"]
    page.close()
    assert [v["id"] for v in found] == []
