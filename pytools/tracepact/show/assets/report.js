"use strict";
// Draws the clips of a report from the data in the page: a list to filter, and a timeline for each clip that is opened.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const clauses = data.clauses.map((clause) => clause.name);
  const page = 40, opened = 3, most = 4000; // clips listed at a time, opened at first; marks drawn at once
  const narrow = matchMedia("(max-width: 46rem)");
  const form = document.getElementById("filters");
  const list = document.getElementById("clips");
  const status = document.getElementById("status");
  const more = document.getElementById("more");

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "text") made.textContent = value;
      else if (key === "place") Object.assign(made.style, value); // the page's policy takes no style attributes
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  };
  const plural = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
  const seconds = (frames) => `${+(frames * data.seconds).toFixed(4)} s`;
  const unpack = (flat) => {
    const runs = [];
    let last = 0;
    for (let i = 0; i < flat.length; i += 2) {
      const start = last + flat[i];
      last = start + flat[i + 1];
      runs.push([start, last]);
    }
    return runs;
  };

  // What each clip holds, by clip.
  const byClip = data.clips.map(() => []);
  for (const [clip, label, ref, pred, ignored, matches, scores, failures] of data.segments) {
    byClip[clip].push({ label, ref, pred, ignored, matches, scores, failures });
  }
  const lossOf = (segment, clause) => {
    const satisfied = segment.scores[2 * clause], obligated = segment.scores[2 * clause + 1];
    return isCounter(segment, clause) ? 1 : obligated ? 1 - satisfied / obligated : 0;
  };
  const violated = (segment, clause) =>
    isCounter(segment, clause) ? 0 : segment.scores[2 * clause + 1] - segment.scores[2 * clause];
  const isCounter = (segment, clause) => segment.scores[2 * clause] < 0; // nothing to judge, but events: counts 0

  // The filter: which clauses, classes and clips are wanted.
  const wanted = () => {
    const get = (name) => form.elements[name] ? form.elements[name].value : "";
    return {
      clause: get("clause") === "" ? null : Number(get("clause")),
      label: get("class") === "" ? null : Number(get("class")),
      condition: get("condition") === "" ? null : Number(get("condition")),
      text: get("search").trim().toLowerCase(),
      order: get("order"),
      failing: form.elements.failing.checked,
    };
  };
  const chosenClauses = (filter) => filter.clause === null ? clauses.map((_, i) => i) : [filter.clause];
  const chosenSegments = (filter, clip) =>
    filter.label === null ? byClip[clip] : byClip[clip].filter((segment) => segment.label === filter.label);
  const select = (filter) => {
    const chosen = chosenClauses(filter), found = [];
    data.clips.forEach((name, clip) => {
      if (filter.condition !== null && data.condition[clip] !== filter.condition) return;
      if (filter.text && !name.toLowerCase().includes(filter.text)) return;
      let loss = 0;
      for (const segment of chosenSegments(filter, clip)) for (const clause of chosen) loss += lossOf(segment, clause);
      if (filter.failing && !loss) return;
      found.push({ clip, loss });
    });
    if (filter.order === "worst") found.sort((a, b) => b.loss - a.loss || a.clip - b.clip);
    if (filter.order === "name") found.sort((a, b) => data.clips[a.clip] < data.clips[b.clip] ? -1 : 1);
    return found;
  };

  let filter = wanted(), found = [], shown = 0;
  const refresh = () => {
    hideTip();
    filter = wanted();
    found = select(filter);
    shown = 0;
    list.replaceChildren();
    grow();
    for (const item of [...list.children].slice(0, filter.order === "worst" ? opened : 0)) toggle(item, true);
  };
  const grow = () => {
    const upTo = Math.min(found.length, shown + page);
    for (; shown < upTo; shown++) list.append(row(found[shown]));
    const what = [];
    if (filter.clause !== null) what.push(`clause ${clauses[filter.clause]}`);
    if (filter.label !== null) what.push(`class ${data.classes[filter.label]}`);
    if (filter.condition !== null) what.push(`condition ${data.conditions[filter.condition]}`);
    const failing = filter.failing ? " with a failure" : "";
    const held = data.total > data.clips.length ? ` (of ${data.total.toLocaleString("en")} clips this page holds those that lose most)` : "";
    status.textContent = `${plural(found.length, "clip")} of ${data.clips.length.toLocaleString("en")}${held}${failing}` +
      `${what.length ? " in " + what.join(", ") : ""}; ${shown.toLocaleString("en")} listed`;
    more.hidden = shown >= found.length;
    more.textContent = `Show ${Math.min(page, found.length - shown)} more`;
  };

  const row = ({ clip, loss }) => {
    const segments = chosenSegments(filter, clip), parts = [];
    for (const clause of chosenClauses(filter)) {
      const count = segments.reduce((sum, segment) => sum + violated(segment, clause), 0);
      const empty = segments.some((segment) => isCounter(segment, clause)) ? " ⊥" : "";
      if (count || empty) parts.push(`${clauses[clause]}${count ? ` ${count.toLocaleString("en")}` : ""}${empty}`);
    }
    const sum = parts.join(" · ");
    const most = chosenClauses(filter).length * (filter.label === null ? data.classes.length : 1);
    const button = element("button", { type: "button", "aria-expanded": "false", "aria-controls": `detail-${clip}` },
      element("span", { class: "sign", "aria-hidden": "true" }),
      element("span", { class: "name", text: data.clips[clip], title: data.clips[clip] }),
      element("span", {
        class: "loss", text: `${(loss && Math.max(loss, 0.01)).toFixed(2)} of ${most.toLocaleString("en")} lost`,
        title: `Each of ${plural(most, "score")} (clauses × classes) can lose 1`,
      }),
      element("span", { class: "sum", text: sum || "nothing violated", title: sum }));
    const item = element("li", { class: "clip", id: `clip-${clip}`, "data-clip": clip },
      element("h3", {}, button), element("div", { class: "detail", id: `detail-${clip}`, hidden: true }));
    button.addEventListener("click", () => toggle(item));
    return item;
  };
  const toggle = (item, open) => {
    const button = item.querySelector("button"), detail = item.querySelector(".detail");
    const opens = open ?? button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", String(opens));
    detail.hidden = !opens;
    if (opens && !detail.childElementCount) detail.append(...timeline(Number(item.dataset.clip)));
  };

  // Timelines
  // A long recording has more marks than can be shown: only those in view are drawn, and those too near to tell as one.
  const sideMark = (name, kind, percent) => ({ start, end, count }) => element("i", {
    class: kind, place: place(start, end, percent),
    "data-tip": count > 1 ? `${name}\n${count.toLocaleString("en")} events; zoom in to tell them apart`
      : `${name}\n${seconds(start)} to ${seconds(end)}, ${seconds(end - start)} long`,
  });
  const spans = (runs) => runs.map(([start, end]) => ({ start, end }));
  const inView = (items, from, to, grain) => {
    let low = 0, high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (items[middle].start < from) low = middle + 1; else high = middle;
    }
    const seen = [];
    for (let i = Math.max(0, low - 1); i < items.length && items[i].start < to; i++) {
      const last = seen[seen.length - 1], item = items[i];
      if (item.end <= from) continue;
      if (last && item.end - last.start <= grain) Object.assign(last, { end: Math.max(last.end, item.end), count: last.count + 1 });
      else seen.push({ ...item, count: 1 });
    }
    return seen;
  };
  const place = (start, end, percent) => ({ left: `${percent(start)}%`, width: `${percent(end) - percent(start)}%` });
  const describe = (clause, failure) => {
    const { start, length, nearest, farthest, text } = failure;
    const event = data.clauses[clause].fields.includes("text");
    const when = event || length > 1 ? `${seconds(start)} to ${seconds(start + length)}` : `at ${seconds(start)}`;
    const many = event ? "" : length > 1 ? `${plural(length, "frame")} in a row` : "";
    const far = (offset) => `${seconds(Math.abs(offset))} ${offset > 0 ? "later" : "earlier"}`;
    const target = data.clauses[clause].target;
    let how = "";
    if (event) how = data.texts[text];
    else if (target && nearest === null) how = `no ${target} in the clip`;
    else if (target) how = nearest === farthest ? `nearest ${target} ${far(nearest)}` : `nearest ${target} ${far(nearest)} at best, ${far(farthest)} at worst`;
    return { when, many, how, part: data.texts[failure.part] };
  };
  const failuresOf = (segment, clause) => {
    const flat = segment.failures.find(([index]) => index === clause);
    if (!flat) return [];
    const fields = data.clauses[clause].fields, found = [];
    for (let i = 1; i < flat.length; i += fields.length) {
      found.push(Object.fromEntries(fields.map((field, k) => [field, flat[i + k]])));
    }
    return found;
  };
  const timeline = (clip) => {
    const frames = data.frames[clip], percent = (frame) => +(100 * frame / frames).toFixed(4);
    const labels = element("div", { class: "labels" }), lanes = element("div", { class: "lanes" });
    const add = (kind, label, lane) => {
      labels.append(element("div", { class: kind, text: label, title: label }));
      lane.classList.add(...(kind ? [kind] : []));
      lanes.append(lane);
    };
    const rows = [], painted = [];
    const paint = (holder, items, make) => painted.push({ holder, items, make });
    const lane = (items, make) => {
      const holder = element("div", { class: "lane" });
      paint(holder, items, make);
      return holder;
    };
    for (const segment of chosenSegments(filter, clip)) {
      add("class", data.classes[segment.label] === "*" ? "all classes" : data.classes[segment.label], element("div"));
      const ref = lane(spans(unpack(segment.ignored)), ({ start, end }) => element("i", {
        class: "ignored", place: place(start, end, percent), "data-tip": "ignored: no obligations here",
      }));
      paint(ref, spans(unpack(segment.ref)), sideMark("reference", "ref", percent));
      add("", "reference", ref);
      add("link", "", links(segment.matches, frames, paint));
      add("", "prediction", lane(spans(unpack(segment.pred)), sideMark("prediction", "pred", percent)));
      for (const clause of chosenClauses(filter)) {
        const failures = failuresOf(segment, clause);
        if (isCounter(segment, clause)) {
          add("", clauses[clause], element("div", { class: "lane" }, element("span", { class: "counter", text: "⊥ events, but none that this clause judges: counts 0" })));
        }
        if (!failures.length) continue;
        const mark = ({ failure, start, end, count }) => {
          const { when, many, how, part } = describe(clause, failure);
          const text = count > 1 ? `${clauses[clause]} violated ${count.toLocaleString("en")} times\nzoom in to tell them apart`
            : [`${clauses[clause]} violated, ${when}${many ? `, ${many}` : ""}`, how].filter(Boolean).join("\n");
          return element("span", {
            class: "fail", role: data.sounds[clip] ? "button" : "img", "data-at": start * data.seconds, tabindex: "-1", place: place(start, end, percent),
            "aria-label": `${text.replace("\n", "; ")}; ${part}`, "data-tip": text, "data-part": part,
          });
        };
        add("", clauses[clause], lane(failures.map((failure) => ({ failure, start: failure.start, end: failure.start + failure.length })), mark));
        for (const failure of failures) rows.push([segment, clause, failure]);
      }
    }
    if (!lanes.childElementCount) return [element("p", { class: "muted", text: "No events on either side: nothing to draw." })];
    add("axis", "", axis(frames, lanes));
    const view = element("div", { class: "view" }, lanes);
    view.addEventListener("keydown", (event) => walk(event, lanes));
    const many = painted.reduce((sum, { items }) => sum + items.length, 0) > most;
    const clear = () => { for (const { holder } of painted) holder.replaceChildren(); };
    const draw = () => {
      clear();
      const width = Math.max(lanes.clientWidth, 600), seen = Math.max(view.clientWidth, 600);
      const from = many ? frames * (view.scrollLeft - seen / 2) / width : 0, to = many ? frames * (view.scrollLeft + 1.5 * seen) / width : frames;
      // Marks of two pixels where they are few enough; of many lanes they are joined until they are.
      let grain = many ? 2 * frames / width : 0, marks, times;
      do {
        marks = painted.map(({ items }) => inView(items, from, to, grain));
        times = marks.reduce((sum, some) => sum + some.length, 0) / most;
        grain *= Math.max(2, times);
      } while (grain && grain < frames && times > 1);
      painted.forEach(({ holder, make }, k) => holder.append(...marks[k].map(make)));
      const first = lanes.querySelector(".fail");
      if (first) first.tabIndex = 0;
    };
    draw();
    // Zooming scrolls as well, and a wheel scrolls many times a frame: what is asked for before a frame is drawn once.
    let due = false;
    const later = () => {
      if (due) return;
      due = true;
      requestAnimationFrame(() => { due = false; draw(); });
    };
    if (many) {
      view.addEventListener("scroll", later);
      later();
    }
    const parts = [...player(clip), tools(clip, lanes, view, many ? clear : () => {}, many ? later : () => {}), element("div", { class: "timeline" }, labels, view)];
    if (rows.length) parts.push(asTable(rows));
    return parts;
  };
  const player = (clip) => data.sounds[clip] ? [element("p", { class: "sound" },
    element("audio", { controls: true, preload: "none", src: data.sounds[clip] }),
    element("small", { text: "a click on a violation plays from there" }))] : [];
  const pairs = (matches) => {
    const found = [];
    for (let i = 0; i < matches.length; i += 4) {
      const [a, b, c, d] = matches.slice(i, i + 4);
      found.push({ start: Math.min(a, c), end: Math.max(b, d), a, b, c, d });
    }
    return found.sort((one, other) => one.start - other.start);
  };
  const space = "http://www.w3.org/2000/svg";
  const links = (matches, frames, paint) => {
    const holder = element("div");
    if (!matches.length) return holder;
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", `0 0 ${frames} 10`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    paint(svg, pairs(matches), link);
    holder.append(svg);
    return holder;
  };
  const link = ({ a, b, c, d, start, end, count }) => {
    const shape = document.createElementNS(space, "polygon");
    shape.setAttribute("points", count > 1 ? `${start},0 ${end},0 ${end},10 ${start},10` : `${a},0 ${b},0 ${d},10 ${c},10`);
    shape.dataset.tip = count > 1 ? `${count.toLocaleString("en")} matched pairs\nzoom in to tell them apart`
      : `matched\nreference ${seconds(a)} to ${seconds(b)}\nprediction ${seconds(c)} to ${seconds(d)}`;
    return shape;
  };
  const axis = (frames, lanes) => {
    const whole = frames * data.seconds, lane = element("div");
    const rough = whole / (narrow.matches ? 4 : 8), size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * size).find((s) => s >= rough * 0.999);
    lanes.style.backgroundSize = `${100 * step / whole}% 100%`;
    for (let k = 0; k * step <= whole * 1.0001; k++) {
      const time = k * step, at = Math.min(100, 100 * time / whole);
      lane.append(element("span", { class: at > 97 ? "end" : null, place: { left: `${at.toFixed(3)}%` }, text: `${+time.toFixed(6)} s` }));
    }
    return lane;
  };
  const tools = (clip, lanes, view, cleared, drawn) => {
    const largest = Math.max(64, 2 ** Math.ceil(Math.log2(data.frames[clip] / 1000)));
    let zoom = 1;
    const shownZoom = element("span", { text: "1×" });
    const set = (next) => {
      const middle = (view.scrollLeft + view.clientWidth / 2) / lanes.clientWidth;
      cleared(); // else the browser would lay out at the new width what is drawn anew
      zoom = Math.min(largest, Math.max(1, next));
      lanes.style.width = `${100 * zoom}%`;
      shownZoom.textContent = `${zoom}×`;
      view.scrollLeft = middle * lanes.clientWidth - view.clientWidth / 2;
      drawn();
    };
    const button = (text, label, act) => {
      const made = element("button", { type: "button", "aria-label": label, title: label, text });
      made.addEventListener("click", act);
      return made;
    };
    view.addEventListener("keydown", (event) => {
      if (event.key === "+" || event.key === "=") set(zoom * 2);
      if (event.key === "-") set(zoom / 2);
    });
    const condition = data.condition.length ? ` · ${data.conditions[data.condition[clip]]}` : "";
    return element("div", { class: "tools" },
      button("−", "Zoom out", () => set(zoom / 2)), button("+", "Zoom in", () => set(zoom * 2)), shownZoom,
      element("span", { text: `${seconds(data.frames[clip])}${condition} · arrow keys walk through the violations` }));
  };
  const asTable = (rows) => {
    const holder = element("details", {}, element("summary", { text: `${plural(rows.length, "violation")} as a table${rows.length > most ? `, the first ${most.toLocaleString("en")}` : ""}` }));
    holder.addEventListener("toggle", () => {
      if (!holder.open || holder.querySelector("table")) return;
      const body = element("tbody");
      for (const [segment, clause, failure] of rows.slice(0, most)) {
        const { when, many, how, part } = describe(clause, failure);
        const row = [data.classes[segment.label], clauses[clause], `${when}${many ? ` (${many})` : ""}`, part, how];
        const cells = row.map((text, i) => i === 3 ? element("td", {}, element("code", { text })) : element(i ? "td" : "th", { text, scope: i ? null : "row" }));
        body.append(element("tr", {}, ...cells));
      }
      const heads = ["class", "clause", "when", "failing part", "how far"].map((text) => element("th", { text, scope: "col" }));
      holder.append(element("div", { class: "scroll" },
        element("table", { class: "text" }, element("thead", {}, element("tr", {}, ...heads)), body)));
    });
    return holder;
  };

  // A click on a violation, or Enter on it, plays the clip from there.
  const play = (mark) => {
    const sound = mark.closest(".detail").querySelector("audio");
    if (!sound) return;
    for (const other of document.querySelectorAll("audio")) if (other !== sound) other.pause();
    const start = () => { sound.currentTime = Number(mark.dataset.at); sound.play(); };
    if (sound.readyState) start(); else { sound.addEventListener("loadedmetadata", start, { once: true }); sound.load(); }
  };
  list.addEventListener("click", (event) => { const mark = event.target.closest(".fail"); if (mark) play(mark); });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.closest(".fail")) play(event.target);
  });

  // From failure to failure: left and right in time within a lane, up and down between lanes.
  const walk = (event, lanes) => {
    const here = event.target.closest(".fail");
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (event.key === "Escape") hideTip();
    if (!here || !step) return;
    event.preventDefault();
    const rows = [...lanes.children].filter((lane) => lane.querySelector(".fail"));
    const row = rows.indexOf(here.parentElement);
    let next = null;
    if (step[0]) next = step[0] > 0 ? here.nextElementSibling : here.previousElementSibling;
    else if (rows[row + step[1]]) {
      const left = parseFloat(here.style.left);
      const near = (mark) => Math.abs(parseFloat(mark.style.left) - left);
      next = [...rows[row + step[1]].children].reduce((best, mark) => near(mark) < near(best) ? mark : best);
    }
    if (!next) return;
    here.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };

  // One note for whatever the pointer or the focus is on.
  const tip = element("div", { class: "tip", role: "status", hidden: true });
  document.body.append(tip);
  const hideTip = () => { tip.hidden = true; };
  const showTip = (mark) => {
    const [first, ...rest] = mark.dataset.tip.split("\n");
    tip.replaceChildren(element("b", { text: first }), ...rest.map((text) => element("div", { text })));
    if (mark.dataset.part) tip.append(element("code", { text: mark.dataset.part }));
    tip.hidden = false;
    const box = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left), window.innerWidth - own.width - 8);
    const below = box.bottom + own.height + 12 < window.innerHeight;
    tip.style.left = `${left + window.scrollX}px`;
    tip.style.top = `${(below ? box.bottom + 8 : box.top - own.height - 8) + window.scrollY}px`;
  };
  for (const name of ["mouseover", "focusin"]) {
    list.addEventListener(name, (event) => {
      const mark = event.target.closest("[data-tip]");
      if (mark) showTip(mark); else if (name === "mouseover") hideTip();
    });
  }
  list.addEventListener("mouseleave", hideTip);
  list.addEventListener("focusout", hideTip);

  // Cells and clause names of the tables lead to the clips behind them.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-filter]");
    if (!link) return;
    const choice = JSON.parse(link.dataset.filter);
    for (const name of ["clause", "class", "condition"]) {
      if (form.elements[name]) form.elements[name].value = choice[name] ?? "";
    }
    form.elements.search.value = "";
    changed();
    document.getElementById("clips-section").scrollIntoView();
    form.elements.clause.focus({ preventScroll: true });
  });
  // The address holds the filter, by names.
  const lists = { clause: clauses, class: data.classes, condition: data.conditions };
  const save = () => {
    const named = (name) => form.elements[name] && form.elements[name].value !== "" ? lists[name][form.elements[name].value] : "";
    address.write({
      clause: named("clause"), class: named("class"), condition: named("condition"), search: form.elements.search.value.trim(),
      order: filter.order === "worst" ? "" : filter.order, failing: filter.failing ? "" : "0",
    });
  };
  const load = () => {
    const held = address.read();
    if (!held) return false;
    for (const [name, values] of Object.entries(lists)) {
      const index = values.indexOf(held[name]);
      if (form.elements[name]) form.elements[name].value = index < 0 ? "" : String(index);
    }
    form.elements.search.value = held.search ?? "";
    form.elements.order.value = ["name", "given"].includes(held.order) ? held.order : "worst";
    form.elements.failing.checked = held.failing !== "0";
    return true;
  };
  const changed = () => { refresh(); save(); };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  addEventListener("hashchange", () => { if (load()) refresh(); });
  more.addEventListener("click", () => {
    const first = shown;
    grow();
    list.children[first].querySelector("button").focus();
  });

  const held = load();
  refresh();
  if (held) document.getElementById("clips-section").scrollIntoView();
  const named = location.hash.match(/^#clip-(\d+)$/);
  if (named && data.clips[named[1]] !== undefined) {
    form.elements.search.value = data.clips[named[1]];
    form.elements.failing.checked = false;
    refresh();
  }
})();
