// A button that has the notebook marked; Python shows the marks in an output of its own below.

function render({ model, el }) {
  const mark = button("Mark my notebook", "Mark my notebook", press);
  const bar = h("progress", { ariaLabel: "Marking" });
  const words = h("p", { className: "hl-status", role: "status", ariaLive: "polite" });

  function press() {
    model.send({ press: model.get("shown").running ? "stop" : "mark" });
  }

  function show() {
    const shown = model.get("shown");
    const name = shown.running ? "Stop marking" : "Mark my notebook";
    mark.textContent = mark.ariaLabel = mark.title = name;
    bar.hidden = !shown.running;
    words.textContent = shown.words;
  }

  el.replaceChildren(div("hl-lab hl-widget", div("hl-line", mark, bar, words)));
  hideStatic(model, el);
  show();
  model.on("change:shown", show);
  return () => model.off("change:shown", show);
}

export default { render };
