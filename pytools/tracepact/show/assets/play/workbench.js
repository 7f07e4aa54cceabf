"use strict";
// Ties the parts together: every change is judged at once, slower questions wait until the hand rests.
(() => {
  const said = document.getElementById("said"), clips = document.getElementById("clips"), duration = document.getElementById("duration");
  const cast = document.getElementById("cast"), { state } = scene;
  const ask = async (question, body, signal) => {
    const answer = await fetch(question, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const fail = (error) => {
    if (error.name === "AbortError") return;
    said.textContent = error instanceof TypeError ? "the server has ended; start `tracepact play` again" : error.message;
  };

  // Verdicts: one question at a time, always of the latest scene.
  let asking = false, again = false;
  const judge = async () => {
    if (asking) { again = true; return; }
    asking = true;
    try {
      do {
        again = false;
        show(await ask("verdicts", scene.question()));
      } while (again);
      performance.measure("change to verdicts", "changed");
    } catch (error) { fail(error); } finally { asking = false; }
  };
  let grid = "";
  const show = (found) => {
    const own = JSON.stringify([found.step, found.labels, found.atoms, found.parameters]);
    if (found.contract && own !== grid) {
      grid = own;
      times.use(found.step);
      scene.addClasses(found.labels ?? []);
      timeline.declare(found.atoms);
      parameterView.show(found.parameters);
    }
    verdictView.show(found);
    contractView.show(found.diagnostics);
  };

  // What waits until nothing changed for a while.
  const later = (wait, what) => {
    let timer = 0, stop = new AbortController();
    return () => {
      clearTimeout(timer);
      stop.abort();
      stop = new AbortController();
      const { signal } = stop;
      timer = setTimeout(() => what(signal).catch(fail), wait);
    };
  };
  const check = later(500, async (signal) => {
    contractView.waiting();
    contractView.showFindings(await ask("findings", scene.question(), signal));
  });
  const drawCurve = later(350, async (signal) => {
    const parameter = parameterView.chosen();
    parameterView.showCurve(parameter ? await ask("curve", { scene: scene.question(), parameter }, signal) : null);
  });
  const listCast = later(400, async (signal) => {
    const { players } = await ask("cast", scene.question(), signal);
    const names = players.map(({ name }) => name);
    if (!names.length) return; // a contract or scene with errors: the buttons stay
    if (names.join() === [...cast.children].map((button) => button.textContent).join()) return;
    cast.replaceChildren(...players.map(({ name, words }) => {
      const button = element("button", { type: "button", text: name, title: words });
      button.addEventListener("click", async () => {
        try {
          const now = await ask("cast", scene.question());
          const found = now.players.find((player) => player.name === name);
          if (found) scene.predict(found.pred);
        } catch (error) { fail(error); }
      });
      return button;
    }));
  });
  const save = later(300, async () => address.write({ scene: scene.text() }));

  const sayOfLength = (words) => {
    document.getElementById("duration-fault").textContent = words;
    duration.setAttribute("aria-invalid", words !== "");
  };

  scene.listen((what) => {
    if (what === "contract") contractView.fill();
    if (what === "clip" && document.activeElement !== duration) {
      duration.value = state.clip.duration;
      sayOfLength("");
    }
    judge(); // first, so that the answer is made while the timeline is drawn
    timeline.draw();
    if (what !== "clip") check();
    listCast();
    drawCurve();
    save();
  });

  // Clips, lengths, classes.
  const listClips = () => {
    clips.replaceChildren(...scene.clips.map((clip, index) => element("option", { value: index, text: clip.name })));
  };
  clips.addEventListener("change", () => scene.load(scene.clips[Number(clips.value)]));
  duration.addEventListener("change", () => {
    const typed = duration.value.trim().replace(",", ".").replace(/^\./, "0.");
    const isLength = /^\d+(\.\d+)?(\/\d+)?$/.test(typed) && times.number(typed) > 0 && Number.isFinite(times.number(typed));
    sayOfLength(isLength ? "" : `not a length in seconds; still ${state.clip.duration} s`);
    if (!isLength || typed === state.clip.duration) return;
    scene.remember();
    state.clip.duration = typed;
    scene.changed("clip");
  });
  document.getElementById("undo").addEventListener("click", () => scene.undo());
  document.getElementById("clear").addEventListener("click", () => scene.predict([]));
  document.getElementById("add-class").addEventListener("submit", (event) => {
    event.preventDefault();
    const { label } = event.target.elements;
    if (!label.value.trim()) return;
    scene.addClasses([label.value.trim()]);
    label.value = "";
    scene.changed("clip");
  });
  document.getElementById("share").addEventListener("click", async (event) => {
    address.write({ scene: scene.text() });
    // What stands before `#` holds the token of this page, and opens it for nobody else: only the scene is shared.
    try { await navigator.clipboard.writeText(location.hash); event.target.textContent = "Copied: tracepact play '…' opens it, as does the address of any page of play with it behind"; } catch { event.target.textContent = "Copy what follows # in the address bar"; }
  });
  files.listen(ask, (found) => {
    if (found.contract !== null) {
      Object.assign(state, { contract: found.contract, set: {} });
      scene.changed("contract");
    }
    if (found.clips.length) {
      scene.clips.splice(0, scene.clips.length, ...found.clips);
      listClips();
      scene.load(found.clips[0]);
    }
  });

  const start = () => {
    const shared = address.read()?.scene || scene.copied;
    if (!(shared && scene.read(shared))) return false;
    contractView.fill();
    scene.changed("contract");
    duration.value = state.clip.duration;
    return true;
  };
  addEventListener("hashchange", start);
  listClips();
  if (!start()) {
    contractView.fill();
    scene.load(scene.clips[0]);
    scene.changed("contract");
  }
})();
