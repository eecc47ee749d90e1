// A lab in the browser: controls on one side, what Python computed on the other. Python sends its
// part as finished HTML and SVG; this file only asks again when a control moves.

const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");

function render({ model, el }) {
  const spec = model.get("spec");
  let state = structuredClone(model.get("shown").settings);
  let step = null; // null: the end, whatever its number
  const ask = latest((request) => model.send(request), { slow: () => say(waits, "The kernel has not answered yet. If it was restarted, run this cell again.") });
  const send = () => ask.push({ settings: state, step });

  function change(part, value) {
    state = { ...state, [part]: part === "values" ? { ...state.values, ...value } : structuredClone(value) };
    send();
  }

  // ---- controls
  const parts = [];
  const wants = (control) => spec.controls.includes(control);
  if (wants("values") && spec.leaves.length) parts.push(leafRows(spec, change));
  if (wants("requires_grad")) {
    const row = boxes("requires_grad", spec.switches, (name) => `${name} requires_grad`, (name, on) => change("requires_grad", { ...state.requires_grad, [name]: on }));
    parts.push({ element: row.element, set: (settings) => row.set((name) => settings.requires_grad[name]) });
  }
  if (wants("hooks")) {
    const rows = hookRows(spec, (hooks) => change("hooks", hooks));
    parts.push({ element: rows.element, set: (settings) => rows.set(settings.hooks) });
  }
  if (wants("retain_grad") && spec.keep.length) {
    const row = boxes("retain_grad()", spec.keep, (name) => `${name}.retain_grad()`, (name, on) => change("retain", spec.keep.filter((n) => (n === name ? on : state.retain.includes(n)))));
    parts.push({ element: row.element, set: (settings) => row.set((name) => settings.retain.includes(name)) });
  }
  if (wants("backward")) parts.push(backwardControls(spec, change));
  const set = (settings) => parts.forEach((part) => part.set(settings));
  const reset = button("Reset", "Reset all controls of this lab", () => {
    state = structuredClone(spec.start);
    step = null;
    set(state);
    send();
  });

  // ---- what Python shows
  const notes = h("div", { className: "hl-notes" });
  const picture = h("div", { className: "hl-picture", role: "region", ariaLabel: "Picture of backward", tabIndex: 0 });
  const caption = h("p", { className: "hl-caption" });
  const scrub = keepKeys(h("input", { type: "range", min: 0, step: 1, ariaLabel: "Step of backward" }));
  const count = h("span", { className: "hl-count" });
  scrub.addEventListener("input", () => {
    step = scrub.value === scrub.max ? null : Number(scrub.value);
    send();
  });
  const player = playButton(scrub, CALM);
  const table = h("div", { className: "hl-table", role: "region", ariaLabel: "Tensors and their gradients", tabIndex: 0 });
  const code = codeBlock((text) => say(live, text));
  const words = h("pre", { tabIndex: 0, ariaLabel: "The picture in words" });
  const warning = h("pre", { tabIndex: 0, ariaLabel: "The warning" });
  const printed = h("pre", { className: "hl-printed", tabIndex: 0, ariaLabel: "What was printed" });
  const waits = h("p", { className: "hl-waits" });
  const live = h("div", { className: "hl-live", role: "status", ariaLive: "polite" });
  const announce = announcer((text) => say(live, text));

  el.replaceChildren(
    h("div", { className: "hl-lab hl-widget", role: "group", ariaLabel: `Lab: ${spec.title}` },
      h("div", { className: "hl-columns" },
        h("div", { className: "hl-controls" }, ...parts.map((part) => part.element), h("div", { className: "hl-end" }, reset, waits)),
        h("div", { className: "hl-shown" }, notes, picture, h("div", { className: "hl-scrub" }, player.element, scrub, count), caption, printed, table),
        h("div", { className: "hl-wide" }, code.element, more("The warning when a lost gradient is read", warning), more("The picture in words", words))),
      live),
  );
  hideStatic(model, el);

  function show() {
    const shown = model.get("shown");
    if (!ask.answered(shown.seq) && ask.idle()) set((state = structuredClone(shown.settings)));
    say(waits, "");
    notes.innerHTML = shown.notes;
    picture.innerHTML = shown.picture;
    markChanges(table, shown.table);
    scrub.max = shown.steps;
    scrub.value = shown.step;
    scrub.setAttribute("aria-valuetext", `${shown.step} of ${shown.steps}: ${shown.caption}`);
    count.textContent = `${shown.step} / ${shown.steps}`;
    caption.textContent = shown.caption;
    say(words, shown.words);
    say(printed, shown.printed);
    printed.hidden = !shown.printed;
    say(warning, shown.warning);
    warning.parentElement.hidden = !shown.warning;
    code.set(shown.code);
    announce(shown);
  }

  set(state);
  show();
  model.on("change:shown", show);
  return () => {
    model.off("change:shown", show);
    ask.stop();
    player.stop();
  };
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function backwardControls(spec, change) {
  const calls = keepKeys(h("input", { type: "number", min: 1, max: 5, step: 1, ariaLabel: `calls of ${spec.root}.backward()` }));
  calls.addEventListener("input", () => {
    if (calls.validity.valid && calls.value) change("backwards", calls.valueAsNumber);
  });
  const keep = checkbox("retain_graph=True", false, (on) => change("retain_graph", on), "retain_graph=True on every call but the last");
  return {
    element: group("Backward", h("div", { className: "hl-line" }, h("code", {}, `${spec.root}.backward()`), h("span", {}, "×"), calls), h("div", { className: "hl-line" }, keep.element)),
    set(settings) {
      calls.value = settings.backwards;
      keep.set(settings.retain_graph);
    },
  };
}

/** Plays the steps; there is no such button when the system asks for less motion. */
function playButton(scrub, calm) {
  let timer = null;
  const element = button("▶", "Play the steps of backward", () => (timer ? stop() : start()));
  function show() {
    element.textContent = timer ? "❚❚" : "▶";
    element.ariaLabel = element.title = timer ? "Pause" : "Play the steps of backward";
    element.hidden = calm.matches;
  }
  function to(value) {
    scrub.value = value;
    scrub.dispatchEvent(new Event("input"));
  }
  function start() {
    if (scrub.value === scrub.max) to(0);
    timer = setInterval(() => (scrub.value === scrub.max ? stop() : to(Number(scrub.value) + 1)), 700);
    show();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    show();
  }
  const calmer = () => stop();
  calm.addEventListener("change", calmer);
  show();
  return {
    element,
    stop() {
      stop();
      calm.removeEventListener("change", calmer);
    },
  };
}

function more(title, content) {
  return h("details", { className: "hl-more" }, keepKeys(h("summary", {}, title)), content);
}

function codeBlock(tell) {
  const pre = h("pre", { tabIndex: 0, ariaLabel: "PyTorch code for these settings" });
  const copy = button("Copy", "Copy the PyTorch code", async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch {
      getSelection().selectAllChildren(pre); // no clipboard here: select it, the old way may still work
      done = document.execCommand("copy");
    }
    tell(done ? "Copied." : "Selected: press Ctrl+C to copy.");
    copy.textContent = done ? "Copied" : "Selected";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
  return {
    element: more("PyTorch code for these settings", h("div", { className: "hl-code" }, copy, pre)),
    set: (text) => say(pre, text),
  };
}

/** Put the new table in place and mark the cells whose text is not what it was. */
function markChanges(table, html) {
  const texts = () => new Map([...table.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
  const before = new Map([...texts()].map(([key, cell]) => [key, cell.textContent]));
  table.innerHTML = html;
  for (const [key, cell] of texts()) if (before.size && before.get(key) !== cell.textContent) cell.classList.add("hl-changed");
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

export default { render };
