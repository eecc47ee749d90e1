"""From a key press on a slider to the changed number on screen, in a real JupyterLab.

    python bench/lab_browser.py [presses]

Beside the course's lab, in the same run and the same page, ipywidgets.interact redraws a small
matplotlib figure of the same numbers. Times are taken in the page: from the browser's own time
stamp of the key to the first frame after the new number (or picture) is there.
"""

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))
from front_ends import chromium, jupyter_server, open_notebook

CELLS = [
    """\
from course import lab

def products(a, b, d):
    c = a * b
    e = c * d
    return e

lab(products, a=2.0, b=3.0, d=4.0, retain="c",
    hooks={"c": ["shift 2", "observe"], "d": "shift 100", "e": "scale 2"})
""",
    """\
%matplotlib inline
import matplotlib.pyplot as plt
import torch
from ipywidgets import interact

def draw(a=2.0):
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (a, 3.0, 4.0))
    c = a * b
    e = c * d
    e.backward()
    plt.figure(figsize=(4, 3))
    plt.bar(["a", "b", "d"], [t.grad.item() for t in (a, b, d)])
    plt.show()

interact(draw, a=(-10.0, 10.0, 0.5));
""",
]
WATCH = """([selector, attribute]) => {
  window.times = [];
  window.next = () => new Promise((resolve) => { window.painted = resolve; });
  let pressed = null;
  const read = () => [...document.querySelectorAll(selector)].map(
    (e) => attribute ? e.getAttribute(attribute) : e.textContent).join();
  let last = read();
  document.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);
  new MutationObserver(() => {
    if (pressed === null || read() === "" || read() === last) return;
    last = read();
    const from = pressed;
    pressed = null;
    const painted = () => requestAnimationFrame(() => setTimeout(() => {
      window.times.push(performance.now() - from);
      window.painted();
    }));
    const image = document.querySelector(selector);
    image.decode ? image.decode().then(painted, painted) : painted();
  }).observe(document.body, {subtree: true, childList: true, characterData: true,
                             attributes: true, attributeFilter: ["src"]});
}"""


def measure(page, slider, selector, attribute, presses):
    """Milliseconds of each press."""
    page.evaluate(WATCH, [selector, attribute])
    slider.focus()
    for i in range(presses):
        page.evaluate("window.shown = window.next(), null")  # asking again and again takes frames
        page.keyboard.press("ArrowRight" if i % 4 < 2 else "ArrowLeft")
        page.evaluate("window.shown")
        page.wait_for_timeout(30)
    return page.evaluate("window.times")


def row(name, times):
    times = sorted(times)
    p95 = times[int(0.95 * len(times))]
    return statistics.median(times), f"{name:38}{statistics.median(times):9.1f}{p95:9.1f}"


def main(presses=100):
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        notebooks = Path(folder) / "notebooks"
        notebooks.mkdir()
        with jupyter_server(notebooks, Path(folder) / "home") as server:
            page = open_notebook(browser, server, "lab", CELLS)
            slider = page.get_by_role("slider", name="a", exact=True)
            slider.wait_for()
            ours = measure(page, slider, '.hl-lab [data-cell="b .grad"]', "", presses)
            other = page.locator(".widget-slider [role=slider]")
            theirs = measure(page, other, ".jp-OutputArea img", "src", presses)
    print(f"key press to screen, {presses} presses      median ms   95th %")
    first, line = row("course.lab", ours)
    print(line)
    second, line = row("ipywidgets.interact with matplotlib", theirs)
    print(line)
    print(f"ratio of the medians: {second / first:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
