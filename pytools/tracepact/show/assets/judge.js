"use strict";
// Shows one pair after the other; an answer is a key or a button, and is on disk before the next pair is shown.
(() => {
  const by = (id) => document.getElementById(id);
  const said = by("said"), sound = by("sound");
  let state = { pair: null, answers: 0 }, waiting = false;
  const number = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const show = (found) => {
    state = found;
    by("picture").innerHTML = found.picture;
    said.textContent = found.notice || (found.pair === null ? "every pair has been asked" : found.clip);
    for (const id of ["left", "same", "right"]) by(id).disabled = found.pair === null;
    sound.hidden = !found.sound;
    if (found.sound && !sound.src.endsWith(found.sound)) sound.src = found.sound;
    if (!found.sound) sound.removeAttribute("src");
    by("progress").textContent = `${number(found.answers, "answer")}, of ${number(found.pairs, "pair")} that differ. `
      + `${number(found.possible, "contract")} tried can still be meant`
      + (found.violated ? `, each against ${number(found.violated, "answer")}` : "")
      + `; they are divided on ${number(found.open, "pair")} not asked yet.`;
    by("settled").textContent = found.told;
  };
  const ask = async (question, body) => {
    if (waiting) return;
    waiting = true;
    try {
      const answer = await fetch(question, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(await answer.text());
      show(await answer.json());
    } catch (error) {
      said.textContent = error instanceof TypeError ? "the server has ended; start `tracepact judge` again to go on" : error.message;
    } finally { waiting = false; }
  };
  const answer = (word) => { if (state.pair !== null) ask("answer", { pair: state.pair, said: word, after: state.answers }); };
  const undo = () => ask("undo", { after: state.answers });
  for (const id of ["left", "same", "right"]) by(id).addEventListener("click", () => answer(id));
  by("undo").addEventListener("click", undo);
  const keys = { ArrowLeft: () => answer("left"), ArrowRight: () => answer("right"), ArrowDown: () => answer("same"), Backspace: undo,
    p: () => { if (!sound.hidden) sound.paused ? sound.play() : sound.pause(); } };
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target === sound) return;
    event.preventDefault();
    act();
  });
  ask("next", {});
})();
