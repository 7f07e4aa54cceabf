"use strict";
// A league page: tables to sort and filter, maps to choose, a chart of one column against another, sounds to play.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filters");
  const status = document.getElementById("status");
  const tables = [...document.querySelectorAll("table.systems")];
  const selects = [...document.querySelectorAll("main select")];
  const order = new Map(data.systems.map((name, index) => [name, index]));
  const nameOf = (row) => row.cells[0].firstChild.textContent.trim();
  const state = { sort: "", down: "" };

  // Sorting: by the first number of a cell, its text if it has none; cells without a value last.
  const keyOf = (row, index) => {
    const cell = row.cells[index];
    const text = (cell.querySelector(".value") || cell.firstChild || cell).textContent.replace("−", "-").trim();
    const number = text.match(/-?\d[\d,]*(\.\d+)?/);
    return !text || text === "–" ? null : index && number ? Number(number[0].replaceAll(",", "")) : text;
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  const sortTable = (table, index, down) => {
    const body = table.tBodies[0], rows = [...body.rows];
    const place = (row) => order.get(nameOf(row)) ?? 0;
    rows.sort((a, b) => {
      if (index === null) return place(a) - place(b);
      const first = keyOf(a, index), second = keyOf(b, index);
      if (first === null || second === null) return (first === null) - (second === null) || place(a) - place(b);
      return (down ? -1 : 1) * compare(first, second) || place(a) - place(b);
    });
    body.append(...rows);
    [...table.tHead.rows[0].cells].forEach((cell, k) =>
      cell.setAttribute("aria-sort", k === index ? (down ? "descending" : "ascending") : "none"));
  };
  const idOf = (table) => table.closest("section").id;
  const showSorted = () => {
    const [section, heading] = state.sort ? state.sort.split(":") : [null, null];
    for (const table of tables) {
      const cells = [...table.tHead.rows[0].cells];
      const index = idOf(table) === section ? cells.findIndex((cell) => cell.textContent.trim() === heading) : -1;
      sortTable(table, index < 0 ? null : index, state.down === "1");
    }
  };
  for (const table of tables) {
    for (const cell of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorter";
      button.textContent = cell.textContent;
      button.title = "Sort by this; again for the other way round, a third time as at first";
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const key = `${idOf(table)}:${cell.textContent.trim()}`;
        if (state.sort !== key) Object.assign(state, { sort: key, down: cell.classList.contains("n") || cell.cellIndex ? "1" : "" });
        else if (state.down === (cell.cellIndex ? "1" : "")) state.down = state.down === "1" ? "" : "1";
        else Object.assign(state, { sort: "", down: "" });
        showSorted();
        save();
      });
    }
  }

  // Which systems are shown.
  const shown = () => {
    const asked = form.elements.systems.value.toLowerCase().split(",").map((part) => part.trim()).filter(Boolean);
    return data.systems.map((name, index) =>
      (!asked.length || asked.some((part) => name.toLowerCase().includes(part))) && (!form.elements.ranked.checked || data.ranked[index]));
  };
  const refresh = () => {
    const visible = shown();
    for (const table of tables) {
      for (const row of table.tBodies[0].rows) row.hidden = !visible[order.get(nameOf(row))];
    }
    for (const part of document.querySelectorAll("[data-system]")) part.toggleAttribute("hidden", !visible[order.get(part.dataset.system)]);
    document.body.classList.toggle("plain-cells", !form.elements.details.checked);
    const count = visible.filter(Boolean).length;
    status.textContent = count === data.systems.length ? `${count} systems` : `${count} of ${data.systems.length} systems`;
    for (const select of selects.filter((one) => one.dataset.maps)) {
      for (const map of document.querySelectorAll(`[data-map="${select.dataset.maps}"]`)) map.hidden = map.dataset.clause !== select.value;
    }
    drawScatter(visible);
  };

  // One column against another.
  const space = "http://www.w3.org/2000/svg";
  const svg = (name, attributes, ...children) => {
    const made = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const ticksOf = (low, high) => {
    const rough = (high - low) / 5, size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((k) => k * size).find((s) => s >= rough * 0.75);
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9; k++) found.push(+(k * step).toFixed(10));
    return found;
  };
  const rangeOf = (values) => {
    const known = values.filter((value) => value !== null);
    const low = Math.min(...known), high = Math.max(...known), pad = (high - low || 0.1) * 0.08;
    return [low - pad, high + pad];
  };
  const drawScatter = (visible) => {
    const [x, y] = ["x", "y"].map((name) => data.columns[selects.find((one) => one.name === name).value]);
    const points = data.systems.map((name, k) => ({ name, k, x: x.values[k], y: y.values[k], full: x.earned[k] && y.earned[k] }))
      .filter((point) => visible[point.k] && point.x !== null && point.y !== null);
    const holder = document.getElementById("scatter"), names = document.getElementById("scatter-names");
    const width = 640, height = 460, left = 56, right = 14, top = 14, bottom = 46;
    const [xr, yr] = points.length ? [rangeOf(points.map((p) => p.x)), rangeOf(points.map((p) => p.y))] : [[0, 1], [0, 1]];
    const px = (value) => left + (value - xr[0]) / (xr[1] - xr[0]) * (width - left - right);
    const py = (value) => height - bottom - (value - yr[0]) / (yr[1] - yr[0]) * (height - top - bottom);
    const parts = [];
    for (const tick of ticksOf(...xr)) {
      parts.push(svg("line", { x1: px(tick), x2: px(tick), y1: top, y2: height - bottom, class: "grid" }));
      parts.push(svg("text", { x: px(tick), y: height - bottom + 16, "text-anchor": "middle" }, `${tick}`.replace("-", "−")));
    }
    for (const tick of ticksOf(...yr)) {
      parts.push(svg("line", { x1: left, x2: width - right, y1: py(tick), y2: py(tick), class: "grid" }));
      parts.push(svg("text", { x: left - 7, y: py(tick) + 4, "text-anchor": "end" }, `${tick}`.replace("-", "−")));
    }
    parts.push(svg("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle", class: "name" }, x.title));
    parts.push(svg("text", { transform: `translate(14 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "name" }, y.title));
    for (const point of points) {
      const words = `${point.k + 1}. ${point.name}: ${x.title} ${point.x.toFixed(3)}, ${y.title} ${point.y.toFixed(3)}`;
      parts.push(svg("g", { class: point.full ? "point" : "point hollow", transform: `translate(${px(point.x).toFixed(1)} ${py(point.y).toFixed(1)})` },
        svg("title", {}, words), svg("circle", { r: 9 }), svg("text", { y: 4, "text-anchor": "middle" }, String(point.k + 1))));
    }
    holder.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${y.title} against ${x.title}` }, ...parts));
    names.replaceChildren(...points.map((point) => {
      const item = document.createElement("li");
      item.value = point.k + 1;
      item.textContent = point.name;
      return item;
    }));
  };

  // The address holds what was chosen.
  const firsts = Object.fromEntries(selects.map((select) => [select.name, select.value]));
  const save = () => {
    const chosen = Object.fromEntries(selects.map((select) => [select.name, select.value === firsts[select.name] ? "" : select.value]));
    address.write({
      systems: form.elements.systems.value.trim(), ranked: form.elements.ranked.checked ? "1" : "",
      details: form.elements.details.checked ? "" : "0", ...chosen, ...state,
    });
  };
  const load = () => {
    const found = address.read();
    if (!found) return;
    form.elements.systems.value = found.systems ?? "";
    form.elements.ranked.checked = found.ranked === "1";
    form.elements.details.checked = found.details !== "0";
    for (const select of selects) {
      const known = [...select.options].some((option) => option.value === found[select.name]);
      select.value = known ? found[select.name] : firsts[select.name];
    }
    Object.assign(state, { sort: found.sort ?? "", down: found.down ?? "" });
  };
  const changed = () => { refresh(); save(); };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    for (const select of selects) select.value = firsts[select.name];
    Object.assign(state, { sort: "", down: "" });
    showSorted();
    changed();
  }));
  for (const select of selects) select.addEventListener("change", changed);
  addEventListener("hashchange", () => { if (address.read()) { load(); showSorted(); refresh(); } });

  // A click on a mark plays the clip from there.
  document.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-at]");
    const sound = mark && mark.closest(".clip-lanes").querySelector("audio");
    if (!sound) return;
    for (const other of document.querySelectorAll("audio")) if (other !== sound) other.pause();
    const start = () => { sound.currentTime = Number(mark.dataset.at); sound.play(); };
    if (sound.readyState) start(); else { sound.addEventListener("loadedmetadata", start, { once: true }); sound.load(); }
  });

  load();
  showSorted();
  refresh();
})();
