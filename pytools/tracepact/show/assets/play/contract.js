"use strict";
// The contract's text: its diagnostics while it is typed, marked in the text and listed under it; and what `check` finds.
const contractView = (() => {
  const text = document.getElementById("text"), behind = document.getElementById("behind");
  const faults = document.getElementById("faults"), found = document.getElementById("found"), checking = document.getElementById("checking");
  const scroll = () => { behind.scrollTop = text.scrollTop; behind.scrollLeft = text.scrollLeft; };
  // Spans count characters; the text area counts units of UTF-16.
  const cut = (signs, from, to) => signs.slice(from, to).join("");
  const mark = (records) => {
    const signs = Array.from(text.value), spans = records.filter((one) => one.place && one.place.span)
      .map((one) => [...one.place.span, one.severity]).sort((a, b) => a[0] - b[0]);
    const parts = [];
    let at = 0;
    for (const [from, to, severity] of spans) {
      if (from < at) continue;
      parts.push(cut(signs, at, from), element("mark", { class: severity, text: cut(signs, from, Math.max(to, from + 1)) || " " }));
      at = Math.max(to, from + 1);
    }
    behind.replaceChildren(...parts, cut(signs, at), "\n");
    scroll();
  };
  const jump = (span) => {
    const signs = Array.from(text.value), from = cut(signs, 0, span[0]).length, to = cut(signs, 0, span[1]).length;
    text.focus();
    text.setSelectionRange(from, to);
  };
  const item = (one, clip) => {
    const made = element("li", { class: one.severity }, element("b", { text: `${one.severity}[${one.code}]` }), ` ${one.headline}`);
    if (one.place && one.place.span) {
      const button = element("button", { type: "button", class: "linklike", text: `line ${one.place.line}, column ${one.place.column}` });
      button.addEventListener("click", () => jump(one.place.span));
      made.append(" ", button);
    }
    if (one.help) made.append(element("span", { class: "help", text: one.help }));
    if (one.trace) made.append(element("pre", { class: "trace", text: one.trace }));
    if (clip) {
      const button = element("button", { type: "button", text: "Load this trace" });
      button.addEventListener("click", () => scene.load(clip));
      made.append(button);
    }
    return made;
  };
  let shown = "";
  text.addEventListener("input", () => {
    scene.state.contract = text.value;
    behind.textContent = text.value + "\n";
    scroll();
    scene.changed("contract");
  });
  text.addEventListener("scroll", scroll);
  return {
    item,
    fill() { if (text.value !== scene.state.contract) text.value = scene.state.contract; },
    show(records) {
      const key = JSON.stringify([text.value, records]);
      if (key === shown) return;
      shown = key;
      mark(records);
      faults.replaceChildren(...records.map((one) => item(one, null)));
      text.setAttribute("aria-invalid", records.some((one) => one.severity === "error"));
    },
    waiting() { checking.textContent = "checking …"; },
    showFindings(answer) {
      found.replaceChildren(...answer.findings.map((one) => item(one.diagnostic, one.clip)));
      const count = answer.findings.length;
      checking.textContent = answer.stopped ? `not checked: ${answer.stopped}` : count ? `check found ${count}` : "check found nothing";
    },
  };
})();
