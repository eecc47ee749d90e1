// What Python computed, put in place: picture, steps, table, code, words.

function viewOf(scrubbed, open) {
  const notes = div("hl-notes");
  const picture = region("hl-picture", "Picture of backward");
  const steps = stepSlider(scrubbed);
  const caption = h("p", { className: "hl-caption" });
  const printed = text("What was printed", "hl-printed");
  const table = region("hl-table", "Tensors and their gradients");
  const warning = text("The warning");
  const waits = h("p", { className: "hl-waits", hidden: true }, WAITS);
  const live = h("div", { className: "hl-live", role: "status", ariaLive: "polite" });
  const tell = (words) => say(live, words);
  const code = codeBlock(tell, open);
  const pre = text("The picture in words");
  const words = folded("words", more("The picture in words", pre), pre, open);
  const announce = announcer(tell);
  const rows = changeMarker(table);
  return {
    live,
    elements: [
      div("hl-shown", waits, notes, picture, steps.element, caption, printed, table),
      div(
        "hl-wide",
        code.element,
        more("The warning when a lost gradient is read", warning),
        words.element,
      ),
    ],
    waits: (on) => (waits.hidden = !on),
    stop() {
      steps.stop();
      rows.stop();
    },
    /** `rests`: no newer position of the controls waits for its turn. */
    show(shown, rests) {
      patch(notes, shown.notes);
      patch(picture, shown.picture);
      rows.show(shown.table);
      steps.show(shown, rests);
      say(caption, shown.caption);
      say(printed, shown.printed);
      printed.hidden = !shown.printed;
      say(warning, shown.warning);
      warning.parentElement.hidden = !shown.warning;
      code.show(shown);
      words.show(shown);
      announce(shown);
    },
  };
}

const WAITS = "The kernel has not answered yet. If it was restarted, run this cell again.";

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A part that can be scrolled, also by keyboard. */
function region(className, ariaLabel) {
  return keepKeys(h("div", { className, role: "region", ariaLabel, tabIndex: 0 }));
}

function text(ariaLabel, className = "") {
  return keepKeys(h("pre", { className, ariaLabel, role: "region", tabIndex: 0 }));
}

function stepSlider(scrubbed) {
  const range = keepKeys(
    h("input", { type: "range", min: 0, step: 1, ariaLabel: "Step of backward" }),
  );
  const count = h("span", { className: "hl-count" });
  const player = playButton(range);
  range.addEventListener("input", () =>
    scrubbed(range.value === range.max ? null : Number(range.value)),
  );
  return {
    element: div("hl-scrub", player.element, range, count),
    stop: player.stop,
    show({ step, steps, caption }, rests) {
      range.max = steps;
      if (rests) range.value = step;
      range.setAttribute("aria-valuetext", `${step} of ${steps}: ${caption}`);
      count.textContent = `${step} / ${steps}`;
    },
  };
}
