// Native controls with names that a screen reader can say and arrow keys that work in a notebook.

/** An element: h("button", {class: "x", onclick: f}, "text", child). */
function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name === "className" ? "class" : name, value);
  }
  element.append(...children);
  return element;
}

function div(className, ...children) {
  return h("div", { className }, ...children);
}

/** JupyterLab and Notebook 7 take the arrow keys, unless the focused element itself says this. */
function keepKeys(element) {
  element.dataset.lmSuppressShortcuts = "true";
  return element;
}

function button(text, label, onclick) {
  return keepKeys(
    h(
      "button",
      { type: "button", className: "hl-button", ariaLabel: label, title: label, onclick },
      text,
    ),
  );
}

/** A checkbox with its text; `label` is the accessible name when the text alone is not clear. */
function checkbox(text, checked, onchange, label = text) {
  const box = keepKeys(h("input", { type: "checkbox", checked, ariaLabel: label }));
  box.addEventListener("change", () => onchange(box.checked));
  return {
    element: h("label", { className: "hl-check" }, box, h("span", {}, text)),
    set: (on) => (box.checked = on),
  };
}

/** A slider with a number field beside it: both show one number, either changes it. */
function numberControl({ label, value, low, high, step, onchange }) {
  const range = keepKeys(
    h("input", { type: "range", min: low, max: high, step, value, ariaLabel: label }),
  );
  const field = keepKeys(
    h("input", { type: "number", step, value, ariaLabel: `${label}, as a number` }),
  );
  range.addEventListener("input", () => {
    field.value = range.value;
    onchange(Number(range.value));
  });
  // A new value in a field that nobody edits is no selection of the reader's. Chromium tells the
  // whole page of one, and every code editor in it then measures itself, at each move of a slider.
  field.addEventListener("selectionchange", (event) => {
    if (document.activeElement !== field) event.stopPropagation();
  });
  field.addEventListener("input", () => {
    const number = field.valueAsNumber;
    if (!Number.isFinite(number)) return; // half typed: "-", or empty
    range.value = number;
    onchange(number);
  });
  return {
    range,
    field,
    set(number) {
      range.value = number;
      if (field.valueAsNumber !== number) field.value = number;
    },
    enable(on) {
      range.disabled = field.disabled = !on;
    },
  };
}

function choice(label, groups, value, onchange) {
  const options = ({ text, value }) => h("option", { value }, text);
  const select = keepKeys(
    h(
      "select",
      { ariaLabel: label },
      ...groups.map((g) =>
        g.label ? h("optgroup", { label: g.label }, ...g.options.map(options)) : options(g),
      ),
    ),
  );
  const fit = () =>
    select.style.setProperty("--letters", select.selectedOptions[0]?.text.length ?? 1);
  select.value = value;
  fit();
  select.addEventListener("change", () => {
    fit(); // as wide as what is chosen, not as the longest choice
    onchange(select.value);
  });
  return select;
}

function group(title, ...children) {
  return h("fieldset", { className: "hl-group" }, h("legend", {}, title), ...children);
}

/** Hide the picture that stands for this widget where no kernel runs (front_end.py). */
function hideStatic(model, el) {
  const still = `.hl-static[data-for="${model.get("static_id")}"]`;
  for (const element of el.ownerDocument.querySelectorAll(still)) element.hidden = true;
}
