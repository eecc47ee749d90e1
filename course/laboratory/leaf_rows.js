// Sliders for the numbers of each leaf.

const FEW = 4; // a tensor with more numbers gets one slider and a choice of the element

function leafRows(spec, change) {
  let values = {};
  const rows = spec.leaves.map((leaf) =>
    leafRow(leaf, (numbers) => {
      values = { ...values, [leaf.name]: numbers };
      change(values);
    }),
  );
  return {
    element: group("Leaves", div("hl-leaves", ...rows.map((row) => row.element))),
    set(settings) {
      values = settings.values;
      rows.forEach((row) => row.set(values[row.name]));
    },
  };
}

function leafRow({ name, labels, low, high, step }, change) {
  const element = div("hl-leaf");
  let numbers = [];
  function moved(i, value) {
    numbers = numbers.map((old, k) => (k === i ? value : old));
    change(numbers);
  }
  if (labels.length <= FEW) {
    const sliders = labels.map((label, i) =>
      numberControl({ label, value: 0, low, high, step, onchange: (x) => moved(i, x) }),
    );
    sliders.forEach((slider, i) =>
      element.append(h("code", {}, labels[i]), slider.range, slider.field),
    );
    return { name, element, set: (next) => (numbers = next).forEach((x, i) => sliders[i].set(x)) };
  }
  const slider = numberControl({
    label: `the chosen element of ${name}`,
    value: 0,
    low,
    high,
    step,
    onchange: (x) => moved(Number(index.value), x),
  });
  const options = labels.map((text, i) => ({ text, value: String(i) }));
  const index = choice(`which element of ${name}`, options, "0", () =>
    slider.set(numbers[Number(index.value)]),
  );
  element.append(index, slider.range, slider.field);
  return { name, element, set: (next) => slider.set((numbers = next)[Number(index.value)]) };
}
