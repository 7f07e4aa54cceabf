"use strict";
// The timeline: lanes of reference, prediction and declared atoms, drawn and dragged by pointer or keys.
const timeline = (() => {
  const holder = document.getElementById("timeline"), snap = document.getElementById("snap");
  const words = { ref: "reference", pred: "prediction", mask: "atom" };
  let rows = [], shape = "", atoms = [], drag = null;
  const length = () => Math.max(times.number(scene.state.clip.duration) || 0, 1e-9);
  const listOf = (row) => row.side === "mask" ? (scene.state.clip.masks[row.label] ??= []) : scene.state.clip[row.side];
  const eventsOf = (row) => row.side === "mask" ? listOf(row) : listOf(row).filter((event) => event.label === row.label);
  const place = (made, from, to) => {
    made.style.left = `${100 * from / length()}%`;
    made.style.width = `${100 * Math.max(to - from, 0) / length()}%`;
  };

  // Rows: made anew only when classes or atoms change.
  const makeRow = (side, label) => {
    const name = side === "mask" ? `atom ${label}` : `${words[side]} of ${label}`;
    const track = element("div", { class: "track", tabindex: "0", role: "group", "aria-label": `${name}: Enter adds an event at the mark` });
    const mark = element("i", { class: "mark" });
    track.append(mark);
    const row = { side, label, name, track, mark, at: 0, shown: new Map() };
    track.addEventListener("pointerdown", (event) => startDrag(row, event));
    track.addEventListener("keydown", (event) => keyOnTrack(row, event));
    return row;
  };
  const makeRows = () => {
    const { classes } = scene.state;
    const wanted = JSON.stringify([classes, atoms]);
    if (wanted === shape) return;
    shape = wanted;
    rows = [...classes.flatMap((label) => [makeRow("ref", label), makeRow("pred", label)]), ...atoms.map((atom) => makeRow("mask", atom))];
    holder.replaceChildren(...rows.flatMap((row) => [
      element("span", { class: `row-name ${row.side}`, title: row.name },
        element("b", { text: row.side === "pred" ? "" : row.label }), element("small", { text: row.side === "mask" ? "atom" : row.side })),
      row.track, element("span", { class: "row-value" })]),
      element("span", { class: "row-name" }), element("div", { class: "axis", id: "axis" }), element("span", { class: "row-value", text: "s" }));
  };
  const drawAxis = () => {
    const end = length(), rough = end / 8, size = 10 ** Math.floor(Math.log10(rough));
    const tick = [1, 2, 5, 10].map((k) => k * size).find((value) => value >= rough);
    const ticks = [];
    for (let k = 0; k * tick <= end * (1 + 1e-9); k++) {
      const made = element("span", { text: String(+(k * tick).toFixed(6)) });
      made.style.left = `${100 * k * tick / end}%`;
      ticks.push(made);
    }
    document.getElementById("axis").replaceChildren(...ticks);
  };
  const drawRow = (row) => {
    const found = eventsOf(row), left = new Map(row.shown);
    for (const event of found) {
      let made = row.shown.get(event.id);
      left.delete(event.id);
      if (!made) {
        made = element("button", { type: "button", class: `event ${row.side}` });
        made.addEventListener("keydown", (key) => keyOnEvent(row, event.id, key));
        row.shown.set(event.id, made);
        row.track.append(made);
      }
      place(made, times.number(event.onset), times.number(event.offset));
      made.setAttribute("aria-label", `${row.name}, ${event.onset} to ${event.offset} s`);
      made.title = `${event.onset} to ${event.offset} s`;
    }
    for (const [id, made] of left) { made.remove(); row.shown.delete(id); }
    row.mark.style.left = `${100 * row.at / length()}%`;
    for (const old of row.track.querySelectorAll(".ignored")) old.remove();
    for (const [onset, offset, label] of scene.state.clip.ignore) {
      if (row.side === "mask" || (label && label !== row.label)) continue;
      const made = element("i", { class: "ignored", title: `ignored from ${onset} to ${offset} s` });
      place(made, times.number(onset), times.number(offset));
      row.track.prepend(made);
    }
  };
  const draw = () => {
    makeRows();
    rows.forEach(drawRow);
    drawAxis();
  };

  // Edits: times of an event, kept within the clip and at least a frame long.
  const least = () => snap.checked ? times.step() : 0.001;
  const setEnds = (event, from, to) => {
    event.onset = times.at(from, snap.checked);
    event.offset = times.at(to, snap.checked);
  };
  const bounded = (low, value, high) => Math.min(Math.max(value, low), high);
  const moveStart = (event, to) => setEnds(event, bounded(0, to, times.number(event.offset) - least()), times.number(event.offset));
  const moveEnd = (event, to) => setEnds(event, times.number(event.onset), bounded(times.number(event.onset) + least(), to, length()));
  const moveBy = (event, to) => {
    const size = times.number(event.offset) - times.number(event.onset);
    const from = bounded(0, to, Math.max(0, length() - size));
    const [onset, offset] = snap.checked ? [times.nearestFrame(from), times.nearestFrame(from) + Math.max(1, times.nearestFrame(size))] : [from, from + size];
    if (snap.checked) Object.assign(event, { onset: times.frames(onset), offset: times.frames(offset) });
    else setEnds(event, onset, offset);
  };
  const remove = (row, id) => {
    scene.remember();
    const list = listOf(row);
    list.splice(list.findIndex((event) => event.id === id), 1);
    row.track.focus();
    scene.changed("clip");
  };

  // Pointers: an end is dragged, the middle moves the event, an empty place draws a new one.
  const timeAt = (row, x) => {
    const box = row.track.getBoundingClientRect();
    return bounded(0, (x - box.left) / box.width, 1) * length();
  };
  const startDrag = (row, pointer) => {
    if (pointer.button) return;
    pointer.preventDefault();
    const at = timeAt(row, pointer.clientX), made = pointer.target.closest(".event");
    const event = made && eventsOf(row).find(({ id }) => row.shown.get(id) === made);
    scene.remember();
    if (event) {
      const box = made.getBoundingClientRect(), grip = Math.min(pointer.pointerType === "touch" ? 18 : 9, box.width / 3);
      const how = pointer.clientX - box.left < grip ? moveStart : box.right - pointer.clientX < grip ? moveEnd : moveBy;
      const from = how === moveEnd ? times.number(event.offset) : times.number(event.onset);
      drag = { row, event, how, off: at - from, id: pointer.pointerId };
      made.focus();
    } else {
      const begun = scene.newEvent(times.at(at, snap.checked), times.at(at, snap.checked), row.label);
      drag = { row, event: begun, how: null, from: at, off: 0, id: pointer.pointerId };
      row.at = at;
      row.track.focus();
    }
    row.track.setPointerCapture(pointer.pointerId);
  };
  const dragTo = (pointer) => {
    if (!drag || pointer.pointerId !== drag.id) return;
    const { row, event, how } = drag, at = timeAt(row, pointer.clientX) - drag.off;
    const before = event.onset + event.offset;
    if (how) how(event, at);
    else {
      setEnds(event, Math.min(drag.from, at), Math.max(drag.from, at));
      const isIn = listOf(row).includes(event), hasLength = event.onset !== event.offset;
      if (hasLength && !isIn) listOf(row).push(event);
      if (!hasLength && isIn) listOf(row).splice(listOf(row).indexOf(event), 1);
    }
    if (before !== event.onset + event.offset) scene.changed("clip");
  };
  const endDrag = (pointer) => {
    if (!drag || pointer.pointerId !== drag.id) return;
    const { row, event } = drag;
    drag = null;
    row.shown.get(event.id)?.focus();
  };
  addEventListener("pointermove", dragTo);
  addEventListener("pointerup", endDrag);
  addEventListener("pointercancel", endDrag);

  // Keys.
  const size = (key) => key === "PageUp" || key === "PageDown" ? 10 : 1;
  const sign = (key) => ({ ArrowLeft: -1, PageDown: -1, ArrowRight: 1, PageUp: 1 })[key];
  const keyOnEvent = (row, id, key) => {
    const event = eventsOf(row).find((one) => one.id === id);
    if (!event) return;
    if (key.key === "Delete" || key.key === "Backspace") { key.preventDefault(); key.stopPropagation(); remove(row, id); return; }
    if (!sign(key.key)) return;
    key.preventDefault();
    key.stopPropagation();
    scene.remember();
    const by = sign(key.key) * size(key.key) * times.step();
    if (key.shiftKey) moveEnd(event, times.number(event.offset) + by);
    else if (key.ctrlKey) moveStart(event, times.number(event.onset) + by);
    else moveBy(event, times.number(event.onset) + by);
    scene.changed("clip");
  };
  const keyOnTrack = (row, key) => {
    if (key.target !== row.track) return;
    if (sign(key.key)) {
      key.preventDefault();
      row.at = bounded(0, row.at + sign(key.key) * size(key.key) * times.step(), length());
      drawRow(row);
    } else if (key.key === "Enter") {
      key.preventDefault();
      scene.remember();
      const event = scene.newEvent("0", "0", row.label);
      setEnds(event, row.at, bounded(0, row.at + Math.max(10 * times.step(), length() / 20), length()));
      if (event.onset === event.offset) return;
      listOf(row).push(event);
      scene.changed("clip");
      row.shown.get(event.id).focus();
    }
  };
  return { draw, declare(names) { atoms = names; draw(); }, length };
})();
