"use strict";
// The scene: a contract, values of its parameters, one clip. Whoever changes it says so; others listen.
const scene = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const listeners = [], past = [];
  let number = 0;
  const clips = data.clips.slice();
  const state = { contract: data.contract, set: { ...data.set }, union: data.union, clip: null, classes: [] };

  const open = (clip) => {
    const event = ([onset, offset, label]) => ({ id: ++number, onset, offset, label });
    const lit = Object.entries(clip.masks ?? {}).map(([atom, runs]) => [atom, runs.map(([a, b]) => event([a, b, atom]))]);
    return {
      name: clip.name, duration: clip.duration, ref: (clip.ref ?? []).map(event), pred: (clip.pred ?? []).map(event),
      ignore: clip.ignore ?? [], masks: Object.fromEntries(lit),
    };
  };
  const events = (some) => some.map(({ onset, offset, label }) => [onset, offset, label]);
  const closed = (clip = state.clip) => ({
    name: clip.name, duration: clip.duration, ref: events(clip.ref), pred: events(clip.pred), ignore: clip.ignore,
    masks: Object.fromEntries(Object.entries(clip.masks).map(([atom, some]) => [atom, some.map(({ onset, offset }) => [onset, offset])])),
  });
  const addClasses = (labels) => { for (const label of labels) if (!state.classes.includes(label)) state.classes.push(label); };
  const classesOf = (clip) => [...clip.ref, ...clip.pred].map(({ label }) => label);

  return {
    clips, state, closed, copied: data.copied,
    question: () => ({ contract: state.contract, clip: closed(), set: state.set, union: state.union }),
    listen: (listener) => listeners.push(listener),
    // `what` is one of contract, set, clip.
    changed(what) {
      performance.mark("changed");
      for (const listener of listeners) listener(what);
    },
    remember() {
      past.push(JSON.stringify([closed(), state.classes]));
      if (past.length > 200) past.shift();
    },
    undo() {
      if (!past.length) return;
      const [clip, classes] = JSON.parse(past.pop());
      state.clip = open(clip);
      state.classes = classes;
      this.changed("clip");
    },
    load(clip) {
      if (state.clip) this.remember();
      state.clip = open(clip);
      state.classes = [];
      addClasses(classesOf(state.clip));
      if (!state.classes.length) addClasses(["a"]);
      this.changed("clip");
    },
    predict(found) {
      this.remember();
      state.clip.pred = found.map(([onset, offset, label]) => ({ id: ++number, onset, offset, label: label === "*" ? state.classes[0] : label }));
      addClasses(classesOf(state.clip));
      this.changed("clip");
    },
    addClasses,
    newEvent: (onset, offset, label) => ({ id: ++number, onset, offset, label }),
    // The whole scene as text for the address.
    text() {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...this.question(), classes: state.classes }));
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    },
    read(text) {
      try {
        const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
        const found = JSON.parse(new TextDecoder().decode(bytes));
        const clip = open(found.clip);
        Object.assign(state, { contract: String(found.contract), set: { ...found.set }, union: Boolean(found.union), clip, classes: [] });
        addClasses(Array.isArray(found.classes) ? found.classes.map(String) : []);
        addClasses(classesOf(clip));
        return true;
      } catch { return false; }
    },
  };
})();
// The children of a holder from [key, make] pairs: a child whose key is as before stays as it is.
const patch = (() => {
  const shown = new WeakMap();
  return (holder, wanted) => {
    const before = shown.get(holder) ?? [];
    const now = wanted.map(([key, make], index) => before[index]?.key === key ? before[index] : { key, node: make() });
    shown.set(holder, now);
    if (now.length !== before.length) { holder.replaceChildren(...now.map(({ node }) => node)); return; }
    now.forEach((one, index) => { if (one !== before[index]) before[index].node.replaceWith(one.node); });
  };
})();
// A name that may break after its underscores.
const breakable = (name) => name.split(/(?<=_)/).flatMap((part, index) => index ? [document.createElement("wbr"), part] : [part]);
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "text") made.textContent = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};
