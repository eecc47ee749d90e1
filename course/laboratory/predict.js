// A question, its choices, and one commitment. It opens again for nobody: the next cell answers it.

let questions = 0;

function render({ model, el }) {
  const { question, choices, committed } = model.get("shown");
  const name = `hl-question-${(questions += 1)}`;
  const inputs = choices ? choices.map((text) => radio(name, text)) : [numberField()];
  const commit = button("Commit", "Commit to this prediction", send);
  const status = h("p", { className: "hl-status", role: "status", ariaLive: "polite" });
  const form = h(
    "form",
    { className: "hl-predict hl-widget" },
    h(
      "fieldset",
      {},
      h("legend", {}, question),
      h("div", { className: "hl-choices" }, ...inputs.map(({ element }) => element)),
      h("div", { className: "hl-line" }, commit, status),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault(); // in JupyterLab, Enter in a field submits no form
    send();
  });
  form.addEventListener("input", ready);

  function said() {
    return inputs.map(({ value }) => value()).find((value) => value !== null) ?? null;
  }

  function ready() {
    commit.disabled = said() === null || model.get("shown").committed !== null;
  }

  function send() {
    if (commit.disabled) return;
    model.send({ commit: said() });
  }

  function show() {
    const { committed, outcome, right } = model.get("shown");
    const had = form.contains(document.activeElement);
    for (const { input, is } of inputs) {
      if (committed !== null) is(committed);
      input.disabled = committed !== null;
    }
    commit.hidden = committed !== null;
    form.dataset.right = right ?? "open";
    status.textContent =
      outcome || (committed === null ? "" : `You said ${committed}. Now run the next cell.`);
    if (committed !== null && had) {
      status.tabIndex = -1; // the button that had the focus is gone
      status.focus();
    }
    ready();
  }

  el.replaceChildren(form);
  hideStatic(model, el);
  show();
  model.on("change:shown", show);
  return () => model.off("change:shown", show);
}

function radio(name, text) {
  const input = keepKeys(h("input", { type: "radio", name, value: text }));
  return {
    input,
    element: h("label", { className: "hl-check" }, input, h("span", {}, text)),
    value: () => (input.checked ? text : null),
    is: (committed) => (input.checked = committed === text),
  };
}

function numberField() {
  const input = keepKeys(h("input", { type: "number", step: "any", ariaLabel: "Your number" }));
  return {
    input,
    element: input,
    value: () => (input.value === "" ? null : input.value),
    is: (committed) => (input.value = committed),
  };
}

export default { render };
