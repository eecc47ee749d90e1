// Controls beside a page of HTML; Python makes the page (panel.py).

/** A slider over powers of ten. Beside it stands the number itself, of two digits: what is sent. */
function powerSlider({ label, value, low, high, step, onchange }) {
  const range = keepKeys(
    h("input", {
      type: "range",
      min: Math.log10(low),
      max: Math.log10(high),
      step,
      value: Math.log10(value),
      ariaLabel: label,
    }),
  );
  const field = h("span", { className: "hl-count" });
  const say = (number) => (field.textContent = range.ariaValueText = String(number));
  range.addEventListener("input", () => {
    const number = Number((10 ** Number(range.value)).toPrecision(2));
    say(number);
    onchange(number);
  });
  say(value); // where it starts may lie between two places of the slider
  return { range, field };
}

function render({ model, el }) {
  const spec = model.get("spec");
  const state = { ...spec.start };
  const requests = latest((message) => model.send(message));
  const page = div("hl-page");
  const words = h("p", { className: "hl-caption", role: "status", ariaLive: "polite" });

  function move(name, value) {
    state[name] = value;
    requests.push({ settings: { ...state } });
  }

  const made = {
    slider({ name, label, log, ...limits }) {
      const make = log ? powerSlider : numberControl;
      const control = make({ label, ...limits, value: state[name], onchange: (x) => move(name, x) });
      return group(label, h("div", { className: "hl-leaf" }, "", control.range, control.field));
    },
    choice({ name, label, options }) {
      const texts = options.map(([value, text]) => ({ value, text }));
      return group(label, choice(label, texts, state[name], (value) => move(name, value)));
    },
    check: ({ name, label }) => checkbox(label, state[name], (on) => move(name, on)).element,
  };
  const controls = div("hl-controls", ...spec.controls.map((control) => made[control.kind](control)));

  function show() {
    const shown = model.get("shown");
    page.innerHTML = shown.html;
    words.textContent = shown.words;
    requests.answered(shown.seq);
  }

  el.replaceChildren(
    div("hl-lab hl-widget", div("hl-columns", controls, div("hl-shown", page, words))),
  );
  hideStatic(model, el);
  show();
  model.on("change:shown", show);
  return () => {
    requests.stop();
    model.off("change:shown", show);
  };
}

export default { render };
