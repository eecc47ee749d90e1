// The controls that an author chose for a lab, in one list.

function controlsOf(spec, change) {
  const make = {
    values: () => spec.leaves.length && leafRows(spec, (values) => change("values", values)),
    requires_grad: () =>
      boxes({
        title: "requires_grad",
        names: spec.switches,
        label: (name) => `${name} requires_grad`,
        read: (settings) => spec.switches.filter((name) => settings.requires_grad[name]),
        onchange: (on) =>
          change(
            "requires_grad",
            Object.fromEntries(spec.switches.map((n) => [n, on.includes(n)])),
          ),
      }),
    hooks: () => hookRows(spec, (hooks) => change("hooks", hooks)),
    retain_grad: () =>
      spec.keep.length &&
      boxes({
        title: "retain_grad()",
        names: spec.keep,
        label: (name) => `${name}.retain_grad()`,
        read: (settings) => settings.retain,
        onchange: (on) => change("retain", on),
      }),
    backward: () => backwardControls(spec, change),
  };
  const parts = Object.keys(make)
    .filter((name) => spec.controls.includes(name))
    .map((name) => make[name]())
    .filter(Boolean);
  return {
    elements: parts.map((part) => part.element),
    set: (settings) => parts.forEach((part) => part.set(settings)),
  };
}

/** A line of checkboxes under one title; `onchange` is given the names that are on. */
function boxes({ title, names, label, read, onchange }) {
  let on = [];
  const all = names.map((name) =>
    checkbox(
      name,
      false,
      (checked) => {
        on = names.filter((n) => (n === name ? checked : on.includes(n)));
        onchange(on);
      },
      label(name),
    ),
  );
  return {
    element: group(title, div("hl-line", ...all.map((box) => box.element))),
    set(settings) {
      on = read(settings);
      all.forEach((box, i) => box.set(on.includes(names[i])));
    },
  };
}

function backwardControls(spec, change) {
  const calls = keepKeys(
    h("input", {
      type: "number",
      min: 1,
      max: 5,
      step: 1,
      ariaLabel: `calls of ${spec.root}.backward()`,
    }),
  );
  calls.addEventListener("input", () => {
    if (calls.validity.valid && calls.value) change("backwards", calls.valueAsNumber);
  });
  const keep = checkbox(
    "retain_graph=True",
    false,
    (on) => change("retain_graph", on),
    "retain_graph=True on every call but the last",
  );
  return {
    element: group(
      "Backward",
      div("hl-line", h("code", {}, `${spec.root}.backward()`), h("span", {}, "×"), calls),
      div("hl-line", keep.element),
    ),
    set(settings) {
      calls.value = settings.backwards;
      keep.set(settings.retain_graph);
    },
  };
}
