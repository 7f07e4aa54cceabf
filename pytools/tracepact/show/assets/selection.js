"use strict";
// The sliders of a selection's page: values, means and order at other tolerances, in whole numbers, and the contract with them.
(() => {
  const by = (id) => document.getElementById(id);
  const data = JSON.parse(by("data").textContent);
  const chosen = new Map(data.sliders.map((slider) => [slider.clause, slider.at]));
  const scale = BigInt(data.scale), weights = data.weights.map(BigInt), total = weights.reduce((a, b) => a + b, 0n);
  const tables = data.values.map((row) => row.map(BigInt));  // by clause and case, as selected
  const moved = data.sliders.map((slider) => slider.values.map((row) => row.map(BigInt)));
  const value = (clause, place) => {
    const slider = data.sliders.findIndex((one) => one.clause === clause);
    return slider < 0 ? tables[clause][place] : moved[slider][chosen.get(clause)][place];
  };
  const name = (clause) => {  // a name that another clause has stays with that one
    const slider = data.sliders.find((one) => one.clause === clause), own = data.clauses[clause];
    const now = slider ? slider.names[chosen.get(clause)] : own;
    return now === own || !data.sliders.some((one) => one.clause < clause && one.names[chosen.get(one.clause)] === now) && !data.clauses.includes(now) ? now : `${now}_${clause + 1}`;
  };
  const sum = (place) => weights.reduce((all, weight, clause) => all + weight * value(clause, place), 0n);
  const decimal = (top, bottom, places) => {
    const unit = 10n ** BigInt(places), units = (2n * top * unit + bottom) / (2n * bottom);
    return `${units / unit}.${String(units % unit).padStart(places, "0")}`;
  };
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const show = () => {
    const sums = data.cases.map((_, place) => sum(place));
    by("moved").replaceChildren(...data.order.map((place) => {
      const row = document.createElement("tr");
      const head = element("th", data.cases[place].name);
      head.scope = "row";
      const rank = data.cases[place].rank;
      const cells = [...(rank === null ? [] : [rank]), decimal(sums[place], scale * total, 4), ...weights.map((_, clause) => decimal(value(clause, place), scale, 3))];
      row.append(head, ...cells.map((text) => Object.assign(element("td", text), { className: "n" })));
      return row;
    }));
    const unseen = data.cases.filter((one, place) => one.faulty && sums[place] === scale * total).map((one) => one.name);
    by("unseen").textContent = unseen.length ? `Not seen by this contract: ${unseen.join(", ")}.` : "";
    const wrong = data.pairs.filter(([worse, better]) => sums[worse] >= sums[better]);
    by("ordered").textContent = `${data.pairs.length - wrong.length} of ${data.pairs.length} pairs are ordered.`;
    by("reversed").replaceChildren(...wrong.map(([worse, better]) => {
      const higher = weights.map((weight, clause) => [weight * (value(clause, worse) - value(clause, better)), name(clause)])
        .filter(([gap]) => gap > 0n).sort((a, b) => (a[0] < b[0] ? 1 : -1)).map(([, name]) => name);
      const how = sums[worse] === sums[better] ? "as high as" : "above";
      return element("li", `${data.cases[worse].name} is ${how} ${data.cases[better].name}` + (higher.length ? `, because of ${higher.join(", ")}` : ""));
    }));
    for (const slider of data.sliders) {
      by(`at-${slider.clause}`).textContent = slider.numbers[chosen.get(slider.clause)].replace("ms", " ms");
      for (const one of document.querySelectorAll(`[data-clause="${slider.clause}"]`)) one.textContent = name(slider.clause);
    }
  };
  const renamed = (line, before, after) => line.split(/(\w+)/).map((word) => (word === before ? after : word)).join("");
  const contract = () => {
    const changed = data.sliders.filter((slider) => chosen.get(slider.clause) !== slider.at);
    const lines = data.contract.split("\n").map((line) => {
      const slider = changed.find((one) => line.startsWith(`clause ${data.clauses[one.clause]} `));
      if (slider) return `clause ${name(slider.clause)} ${slider.texts[chosen.get(slider.clause)]}`;
      return line.startsWith("profile ") ? changed.reduce((text, one) => renamed(text, data.clauses[one.clause], name(one.clause)), line) : line;
    });
    if (changed.length) {
      const names = changed.map((slider) => name(slider.clause)).join(", ");
      lines.unshift(`# Changed on the page of its selection: ${names}. The comments below are about the contract as it was selected.`);
    }
    return lines.join("\n");
  };
  for (const slider of data.sliders) {
    const input = by(`slider-${slider.clause}`);
    input.addEventListener("input", () => { chosen.set(slider.clause, Number(input.value)); show(); });
  }
  by("download").addEventListener("click", () => {
    const link = Object.assign(document.createElement("a"), { download: data.file, href: URL.createObjectURL(new Blob([contract()], { type: "text/plain" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  by("back").addEventListener("click", () => {
    for (const slider of data.sliders) { chosen.set(slider.clause, slider.at); by(`slider-${slider.clause}`).value = slider.at; }
    show();
  });
  show();
})();
