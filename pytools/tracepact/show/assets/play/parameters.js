"use strict";
// A slider for each parameter, and the score curve of the one that was moved last.
const parameterView = (() => {
  const holder = document.getElementById("sliders"), figure = document.getElementById("curve");
  let shown = new Map(), chosen = null;
  const hide = (hidden) => {
    for (const part of document.querySelectorAll("#parameters, a[href='#parameters']")) part.hidden = hidden;
  };
  hide(true); // until there are some
  const textOf = (parameter, value) => {
    const plain = String(+value.toFixed(6));
    return parameter.is_time ? `${plain}ms` : plain;
  };
  const valueOf = (parameter) => parameter.value;
  const choose = (name) => { if (chosen !== name) { chosen = name; scene.changed("set"); } };
  const write = (name) => {
    const { parameter } = shown.get(name), escaped = parameter.written.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const declared = new RegExp(`(\\bparam\\s+${name}\\s*=\\s*)${escaped}`);
    scene.state.contract = scene.state.contract.replace(declared, (_, before) => before + parameter.text);
    delete scene.state.set[name];
    scene.changed("contract");
  };
  const makeRow = (parameter) => {
    const name = parameter.name;
    const slider = element("input", { type: "range", min: "0", id: `slider-${name}` }), output = element("output", { for: `slider-${name}` });
    const reset = element("button", { type: "button", text: "Reset" }), keep = element("button", { type: "button", text: "Write into the contract" });
    slider.addEventListener("input", () => {
      const { parameter: now } = shown.get(name), text = textOf(now, Number(slider.value));
      if (Math.abs(Number(slider.value) - own(now)) < 1e-9) delete scene.state.set[name]; else scene.state.set[name] = text;
      chosen = name;
      scene.changed("set");
    });
    slider.addEventListener("focus", () => choose(name));
    reset.addEventListener("click", () => { delete scene.state.set[name]; scene.changed("set"); });
    keep.addEventListener("click", () => write(name));
    return { parameter, slider, output, reset, keep, row: element("div", { class: "slider" },
      element("label", { for: `slider-${name}`, text: name }), slider, output, reset, keep) };
  };
  const own = (parameter) => {
    const found = /^([\d.]+)\s*(ms|s|f)?$/.exec(parameter.written);
    if (!found) return NaN;
    return Number(found[1]) * ({ ms: 1, s: 1000, f: times.step() * 1000 }[found[2]] ?? (parameter.is_time ? 1000 : 1));
  };
  return {
    chosen: () => chosen,
    show(parameters) {
      const names = parameters.map(({ name }) => name);
      if (names.join() !== [...shown.keys()].join()) {
        shown = new Map(parameters.map((parameter) => [parameter.name, makeRow(parameter)]));
        holder.replaceChildren(...[...shown.values()].map(({ row }) => row));
        if (!names.includes(chosen)) chosen = names[0] ?? null;
        hide(!names.length);
      }
      for (const parameter of parameters) {
        const made = shown.get(parameter.name);
        made.parameter = parameter;
        made.slider.max = String(parameter.high);
        made.slider.step = String(parameter.step);
        if (document.activeElement !== made.slider) made.slider.value = String(valueOf(parameter));
        const moved = parameter.text !== parameter.written;
        made.output.textContent = moved ? `${parameter.text} (written ${parameter.written})` : parameter.text;
        made.slider.setAttribute("aria-valuetext", parameter.text);
        made.reset.hidden = made.keep.hidden = !moved;
      }
    },
    showCurve(answer) {
      if (!answer) { figure.replaceChildren(); return; }
      if (!answer.svg) { figure.replaceChildren(element("ol", { class: "faults" }, ...answer.diagnostics.map((one) => contractView.item(one, null)))); return; }
      figure.replaceChildren(document.importNode(new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement, true));
    },
  };
})();
