// Parts of a lab's view that do something of their own: play, copy, mark and announce.

const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Plays the steps; there is no such button when the system asks for less motion. */
function playButton(scrub) {
  let timer = null;
  const element = button("▶", "Play the steps of backward", () => (timer ? stop() : start()));
  function show() {
    element.textContent = timer ? "❚❚" : "▶";
    element.ariaLabel = element.title = timer ? "Pause" : "Play the steps of backward";
    element.hidden = CALM.matches;
  }
  function to(value) {
    scrub.value = value;
    scrub.dispatchEvent(new Event("input"));
  }
  function start() {
    if (scrub.value === scrub.max) to(0);
    timer = setInterval(
      () => (scrub.value === scrub.max ? stop() : to(Number(scrub.value) + 1)),
      700,
    );
    show();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    show();
  }
  const calmer = () => stop();
  CALM.addEventListener("change", calmer);
  show();
  return {
    element,
    stop() {
      stop();
      CALM.removeEventListener("change", calmer);
    },
  };
}

function more(title, content) {
  return h("details", { className: "hl-more" }, keepKeys(h("summary", {}, title)), content);
}

/** What Python makes only for those who open it; `open(name)` asks for it, once. */
function folded(name, details, pre, open) {
  let text = null;
  details.addEventListener("toggle", () => {
    if (details.open && text === null) open(name);
  });
  return {
    element: details,
    show(shown) {
      if (shown[name] !== undefined) say(pre, (text = shown[name]));
    },
  };
}

function codeBlock(tell, open) {
  const pre = keepKeys(h("pre", { tabIndex: 0, ariaLabel: "PyTorch code for these settings" }));
  const copy = button("Copy", "Copy the PyTorch code", async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      getSelection().selectAllChildren(pre); // no clipboard: the old way may still work
      done = document.execCommand("copy");
    }
    tell(done ? "Copied." : "Selected: press Ctrl+C to copy.");
    copy.textContent = done ? "Copied" : "Selected";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
  copy.disabled = true; // until there is something to copy
  const details = more("PyTorch code for these settings", div("hl-code", copy, pre));
  const { element, show } = folded("code", details, pre, open);
  return {
    element,
    show(shown) {
      show(shown);
      copy.disabled = !pre.textContent;
    },
  };
}

/**
 * Puts each new table in place. The cells whose text is not what it was are marked when no other
 * table has come for a moment: what flashes while one drags tells nothing, and costs the next frame.
 */
function changeMarker(table, quiet = 150) {
  const cells = () => [...table.querySelectorAll("[data-cell]")];
  const texts = () => new Map(cells().map((cell) => [cell.dataset.cell, cell.textContent]));
  let before = null; // the texts when it was quiet last
  let timer = null;
  function mark() {
    for (const cell of cells())
      if (before.size && before.get(cell.dataset.cell) !== cell.textContent)
        cell.classList.add("hl-changed");
    before = null;
  }
  return {
    show(html) {
      clearTimeout(timer);
      before ??= texts();
      patch(table, html);
      timer = setTimeout(mark, quiet);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Says which gradients changed, once the controls have come to rest. */
function announcer(tell) {
  let last = null;
  let timer = null;
  return (shown) => {
    clearTimeout(timer);
    if (last === null) {
      last = shown;
      return;
    }
    timer = setTimeout(() => {
      if (JSON.stringify(shown.settings) === JSON.stringify(last.settings)) return; // only the step moved
      const moved = Object.entries(shown.grads).filter(([name, text]) => text !== last.grads[name]);
      const texts = moved.map(([name, text]) => `${name}.grad ${text}`);
      tell(shown.error || texts.join(", ") || "No .grad changed.");
      last = shown;
    }, 400);
  };
}
