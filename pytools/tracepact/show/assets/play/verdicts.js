"use strict";
// Verdicts: the vector, where each clause applies and fails on the axis of the timeline, and how far violations are.
const verdictView = (() => {
  const lanes = document.getElementById("lanes"), mean = document.getElementById("mean"), said = document.getElementById("said");
  const body = document.getElementById("violations");
  const part = (kind, [from, to], frames, words) => {
    const made = element("i", { class: kind, title: words });
    made.style.left = `${100 * from / frames}%`;
    made.style.width = `${100 * (to - from) / frames}%`;
    return made;
  };
  const seconds = ([from, to]) => `${+(from * times.step()).toFixed(4)} to ${+(to * times.step()).toFixed(4)} s`;
  const track = (clause, lane, frames) => {
    const words = `${clause.clause} of ${lane.label}: applies in ${lane.obligated.length} places, fails in ${lane.violated.length}`;
    return element("div", { class: "track still", role: "img", "aria-label": words },
      ...lane.obligated.map((run) => part("duty", run, frames, `applies from ${seconds(run)}`)),
      ...lane.violated.map((run) => part("bad", run, frames, `violated from ${seconds(run)}`)));
  };
  const valueOf = (clause) => clause.vacuous ? "∅" : clause.value;
  const countsOf = (clause) => clause.vacuous ? "nothing is asked" : `${clause.satisfied} of ${clause.obligated} ${clause.kind === "frames" ? "frames" : clause.kind.slice(5)}`;
  const rowsOf = (clause, frames) => clause.lanes.flatMap((lane, index) => {
    const name = index ? "" : clause.clause, label = clause.lanes.length > 1 ? lane.label : "";
    const value = index ? "" : valueOf(clause), counts = countsOf(clause);
    return [
      [JSON.stringify([name, label]), () => element("span", { class: "row-name", title: clause.clause }, element("b", {}, ...breakable(name)), element("small", { text: label }))],
      [JSON.stringify([clause.clause, lane, frames, times.step()]), () => track(clause, lane, frames)],
      [JSON.stringify([name, value, counts]), () => element("span", { class: `row-value${index ? "" : " value"}`, "data-clause": name || null, text: value, title: counts })],
    ];
  });
  const violationRow = (clause, one) => [JSON.stringify([clause.clause, one]), () => element("tr", {},
    element("th", { scope: "row", text: clause.clause }), element("td", { text: one.label }),
    element("td", { class: "n", text: `${+times.number(one.at).toFixed(4)} s` }), element("td", { text: one.words }),
    element("td", {}, element("code", { text: one.part })))];
  return {
    show(found) {
      const judged = found.clauses.length > 0;
      lanes.classList.toggle("stale", !judged);
      if (!judged) {
        said.textContent = "not judged: see the diagnostics of the contract and the scene";
        mean.textContent = "";
        return;
      }
      patch(lanes, found.clauses.flatMap((clause) => rowsOf(clause, found.frames)));
      mean.textContent = `mean of the vector ${found.mean} (${found.aggregation}); ∅: nothing is asked`;
      const failing = found.clauses.filter((clause) => clause.satisfied < clause.obligated).map((clause) => clause.clause);
      said.textContent = `${found.contract}: mean ${found.mean}; ${failing.length ? `violated: ${failing.join(", ")}` : "nothing is violated"}`;
      patch(body, found.clauses.flatMap((clause) => clause.violations.map((one) => violationRow(clause, one))));
    },
  };
})();
