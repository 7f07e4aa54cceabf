"use strict";
// Files the user gives and takes: the browser reads and writes them, the server sees only what is in them.
const files = (() => {
  const input = document.getElementById("file"), side = document.getElementById("side"), faults = document.getElementById("import-faults");
  const frames = ([onset, offset]) => [times.number(onset), times.number(offset)].map((time) => times.nearestFrame(time));
  const save = (name, kind, text) => {
    const address = URL.createObjectURL(new Blob([text], { type: kind }));
    const link = element("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };
  const table = (rows) => rows.map((row) => row.join("\t")).join("\n") + "\n";
  const sideTable = (clip, events) => table([["filename", "onset", "offset", "event_label"],
    ...(events.length ? events.map(([onset, offset, label]) => [clip.name, onset, offset, label]) : [[clip.name, "", "", ""]])]);
  const documentText = (clip) => {
    const ignore = clip.ignore.map(([onset, offset, label]) => label ? [onset, offset, label] : [onset, offset]);
    const masks = Object.fromEntries(Object.entries(clip.masks).map(([atom, runs]) => [atom, runs.map(frames)]));
    const found = { name: clip.name, duration: clip.duration, ref: clip.ref, pred: clip.pred };
    if (ignore.length) found.ignore = ignore;
    if (Object.keys(masks).length) found.masks = masks;
    return JSON.stringify({ clips: [found] }, null, 1) + "\n";
  };
  const saves = {
    document: (clip) => ["scene.json", "application/json", documentText(clip)],
    ref: (clip) => ["reference.tsv", "text/tab-separated-values", sideTable(clip, clip.ref)],
    pred: (clip) => ["prediction.tsv", "text/tab-separated-values", sideTable(clip, clip.pred)],
    durations: (clip) => ["durations.tsv", "text/tab-separated-values", table([["filename", "duration"], [clip.name, clip.duration]])],
    contract: () => ["scene.contract", "text/plain", scene.state.contract],
  };
  for (const button of document.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => save(...saves[button.dataset.save](scene.closed())));
  }
  return {
    listen(ask, taken) {
      input.addEventListener("change", async () => {
        const [file] = input.files;
        if (!file) return;
        try {
          const found = await ask("import", { name: file.name, text: await file.text(), side: side.value, scene: scene.question() });
          faults.replaceChildren(...found.diagnostics.map((one) => contractView.item(one, null)));
          if (found.notice) faults.append(element("li", { class: "note", text: found.notice }));
          taken(found);
        } catch (error) {
          faults.replaceChildren(element("li", { class: "error", text: String(error.message) }));
        }
        input.value = "";
      });
    },
  };
})();
