// The X-ray in the browser: five controls, and beside them what Python measured, as finished HTML.

const SWITCHES = [
  ["bias", "bias"],
  ["requires_grad", "input.requires_grad"],
  ["contiguous", "input is contiguous"],
];

function render({ model, el }) {
  const spec = model.get("spec");
  let state = structuredClone(model.get("shown").settings);
  const slow = () => say(waits, "The kernel has not answered yet. If it was restarted, run this cell again.");
  const ask = latest((request) => model.send(request), { slow });

  function change(part) {
    state = { ...state, ...part };
    ask.push({ settings: state });
  }

  const layer = choice("layer", spec.layers.map(({ name }) => ({ text: name, value: name })), state.layer, (name) => {
    state = { ...state, layer: name };
    shapes();
    change({ shape: JSON.parse(shape.value) });
  });
  const shape = choice("input shape", [], "", (value) => change({ shape: JSON.parse(value) }));
  const boxes = SWITCHES.map(([name, label]) => [name, checkbox(label, state[name], (on) => change({ [name]: on }))]);

  /** The shapes that the chosen layer takes; the first one when the old one is not among them. */
  function shapes() {
    const known = spec.layers.find(({ name }) => name === state.layer).shapes;
    const values = known.map((sizes) => JSON.stringify(sizes));
    shape.replaceChildren(...known.map((sizes, i) => h("option", { value: values[i] }, written(sizes))));
    const wanted = JSON.stringify(state.shape);
    shape.value = values.includes(wanted) ? wanted : values[0];
  }

  function set(settings) {
    state = structuredClone(settings);
    layer.value = state.layer;
    shapes();
    for (const [name, box] of boxes) box.set(state[name]);
  }

  const picture = h("div", { className: "hl-xray", role: "region", ariaLabel: "What the two hooks receive", tabIndex: 0 });
  const code = h("pre", { tabIndex: 0, ariaLabel: "PyTorch code for these settings" });
  const words = h("pre", { tabIndex: 0, ariaLabel: "The X-ray in words" });
  const waits = h("p", { className: "hl-waits" });
  const live = h("div", { className: "hl-live", role: "status", ariaLive: "polite" });

  el.replaceChildren(
    h("div", { className: "hl-lab hl-widget", role: "group", ariaLabel: "X-ray of backward hooks" },
      h("div", { className: "hl-controls" },
        h("div", { className: "hl-line" },
          h("label", { className: "hl-check" }, h("span", {}, "layer"), layer),
          h("label", { className: "hl-check" }, h("span", {}, "input shape"), shape),
          ...boxes.map(([, box]) => box.element), waits),
        picture, fold("PyTorch code for these settings", code), fold("The X-ray in words", words)),
      live),
  );
  hideStatic(model, el);

  function show(first) {
    const shown = model.get("shown");
    if (!ask.answered(shown.seq) && ask.idle()) set(shown.settings);
    say(waits, "");
    picture.innerHTML = shown.picture;
    say(code, shown.code);
    say(words, shown.words);
    if (first !== true) say(live, shown.said);
  }

  const again = () => show();
  set(state);
  show(true);
  model.on("change:shown", again);
  return () => {
    model.off("change:shown", again);
    ask.stop();
  };
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function fold(title, content) {
  return h("details", { className: "hl-more" }, keepKeys(h("summary", {}, title)), content);
}

/** As Python writes a tuple: (10,), (1, 10). */
function written(sizes) {
  return sizes.length === 1 ? `(${sizes[0]},)` : `(${sizes.join(", ")})`;
}

export default { render };
