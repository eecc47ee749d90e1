// The hooks of a lab as rows, in the order of their registration.

function hookRows(spec, change) {
  const list = h("ol", { className: "hl-hooks" });
  const none = h("p", { className: "hl-none" }, "No hook yet.");
  const add = button("+ Add a hook", "Add a hook", () => {
    const on = spec.targets[0].options[0].value;
    hooks.push({ ...place(on), kind: "observe", by: null, only: null, active: true });
    changed(() => list.lastElementChild.querySelector("select").focus());
  });
  add.disabled = !spec.targets.length; // forward raised before it made a tensor
  const kinds = spec.kinds.map(({ kind, label }) => ({ value: kind, text: label }));
  const usual = Object.fromEntries(spec.kinds.map(({ kind, usual }) => [kind, usual]));
  let hooks = [];

  function place(value) {
    const [at, on] = value.split("|");
    return { at, on };
  }

  function changed(focus) {
    draw();
    focus?.();
    change(hooks);
  }

  function move(from, to) {
    hooks.splice(to, 0, ...hooks.splice(from, 1));
    changed(() => {
      const again = `[data-move="${to > from ? "down" : "up"}"]:not(:disabled)`;
      const row = list.children[to];
      (row.querySelector(again) ?? row.querySelector("select")).focus();
    });
  }

  function row(hook, i) {
    const name = `hook_${i + 1}`;
    const active = checkbox(
      name,
      hook.active,
      (on) => {
        hook.active = on;
        change(hooks);
      },
      `${name} is registered`,
    );
    const target = choice(`${name} hangs on`, spec.targets, `${hook.at}|${hook.on}`, (value) => {
      Object.assign(hook, place(value), { only: null });
      change(hooks);
    });
    const kind = choice(`${name} does`, kinds, hook.kind, (value) => {
      hook.kind = value;
      hook.by = usual[value];
      changed(() => list.children[i].querySelectorAll("select")[1].focus());
    });
    const up = button("↑", `Register ${name} earlier`, () => move(i, i - 1));
    const down = button("↓", `Register ${name} later`, () => move(i, i + 1));
    const remove = button("×", `Remove ${name}`, () => {
      hooks.splice(i, 1);
      changed(() =>
        (list.children[Math.min(i, hooks.length - 1)]?.querySelector("select") ?? add).focus(),
      );
    });
    up.dataset.move = "up";
    down.dataset.move = "down";
    up.disabled = i === 0;
    down.disabled = i === hooks.length - 1;
    const line = h(
      "li",
      { className: "hl-hook" },
      div("hl-hook-what", active.element, target, kind),
      div("hl-hook-order", up, down, remove),
    );
    if (usual[hook.kind] !== null) {
      const span = Math.max(10, 2 * Math.abs(hook.by));
      const by = numberControl({
        label: `${name}, how much`,
        value: hook.by,
        low: -span,
        high: span,
        step: span > 20 ? 1 : 0.5,
        onchange: (value) => {
          hook.by = value;
          change(hooks);
        },
      });
      line.append(div("hl-hook-by", by.range, by.field));
    }
    return line;
  }

  function draw() {
    list.replaceChildren(...hooks.map(row));
    none.hidden = hooks.length > 0;
  }

  return {
    element: group("Hooks", none, list, add),
    set(settings) {
      hooks = settings.hooks.map((hook) => ({ ...hook }));
      draw();
    },
  };
}
