
// Controls of the memory lab; Python sends the finished chart (memory_lab.py).

function render({ model, el }) {
  const spec = model.get("spec");
  const state = { ...spec.start };
  const requests = latest((message) => model.send(message));
  const chart = h("div", { className: "hl-shown" });
  const words = h("p", { className: "hl-caption", role: "status", ariaLive: "polite" });

  function move(name, value) {
    state[name] = value;
    requests.push({ settings: { ...state } });
  }

  function slider(label, name) {
    const [low, high, step] = spec.limits[name];
    const control = numberControl({ label, value: state[name], low, high, step, onchange: (x) => move(name, x) });
    return h("div", { className: "hl-leaf" }, h("span", {}, label), control.range, control.field);
  }

  function select(label, name) {
    const options = spec[name].map(([value, text]) => ({ value, text }));
    return group(label, choice(label, options, state[name], (value) => move(name, value)));
  }

  const controls = h("div", { className: "hl-controls" },
    select("To look at the gradients of the layers:", "keep"),
    group("The chain", slider("numbers in a layer", "width")),
    group("Backward", slider("how many backwards", "backwards")),
    select("retain_graph=True on:", "retain_graph"));

  function show() {
    const shown = model.get("shown");
    chart.innerHTML = shown.html;
    words.textContent = shown.words;
    requests.answered(shown.seq);
  }

  el.replaceChildren(h("div", { className: "hl-lab hl-widget" },
    h("div", { className: "hl-columns" }, controls, h("div", { className: "hl-shown" }, chart, words))));
  hideStatic(model, el);
  show();
  model.on("change:shown", show);
  return () => {
    requests.stop();
    model.off("change:shown", show);
  };
}

export default { render };
