// The slider of the start page: it stops the film and shows the run for its factor.
for (const film of document.querySelectorAll(".film")) {
  const control = film.querySelector(".film-slider");
  const slider = control.querySelector("input");
  const stop = film.querySelector(".film-stop input");
  const turned = [...film.querySelectorAll(".turned")];
  const show = (factor) => {
    film.classList.toggle("by-hand", factor !== null);
    for (const run of turned) run.hidden = run.dataset.factor !== factor;
  };
  control.hidden = false;
  slider.addEventListener("input", () => {
    stop.checked = true;
    control.querySelector("output").textContent = slider.value.replace("-", "−");
    const words = turned.find((one) => one.matches("p") && one.dataset.factor === slider.value);
    slider.setAttribute("aria-valuetext", words.textContent);
    show(slider.value);
  });
  stop.addEventListener("change", () => stop.checked || show(null));
}

// What scrolls sideways can be reached with the keyboard, also where the browser does not see to it.
for (const box of document.querySelectorAll("pre, .scroll, .table-wrapper, .hl-static table")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
