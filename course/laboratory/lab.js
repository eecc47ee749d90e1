// A lab in the browser: controls on one side, what Python computed on the other. Python sends its
// part as finished HTML and SVG; this file only asks again when a control moves.

function render({ model, el }) {
  const spec = model.get("spec");
  let state = structuredClone(model.get("shown").settings);
  const ask = latest((request) => model.send(request), { slow: () => view.waits(true) });
  const opened = []; // folded parts: Python makes them from now on
  const send = () => ask.push({ settings: state });

  const controls = controlsOf(spec, (part, value) => {
    state = { ...state, [part]: structuredClone(value) };
    send();
  });
  const reset = button("Reset", "Reset all controls of this lab", () => {
    state = structuredClone(spec.start);
    controls.set(state);
    ask.push({ settings: state, step: null }); // null: the end, whatever its number
  });
  const view = viewOf(
    (step) => ask.push({ step }),
    (part) => {
      opened.push(part);
      ask.push({ opened });
    },
  );

  function show() {
    const shown = model.get("shown");
    const mine = ask.answered(shown.seq);
    const moved = JSON.stringify(shown.settings) !== JSON.stringify(state);
    if (!mine && moved && ask.idle()) controls.set((state = structuredClone(shown.settings)));
    view.waits(false);
    view.show(shown, ask.idle());
  }

  const main = div("hl-columns", div("hl-controls", ...controls.elements, reset), ...view.elements);
  const lab = div("hl-lab hl-widget", main, view.live);
  lab.role = "group";
  lab.ariaLabel = `Lab: ${spec.title}`;
  el.replaceChildren(lab);
  hideStatic(model, el);
  controls.set(state);
  show();
  model.on("change:shown", show);
  return () => {
    model.off("change:shown", show);
    ask.stop();
    view.stop();
  };
}

export default { render };
