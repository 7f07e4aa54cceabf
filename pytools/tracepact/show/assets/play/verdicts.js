"use strict";
// Verdicts: the vector, where each clause applies and fails on the axis of the timeline, and how far violations are.
const verdictView = (() => {
  const lanes = document.getElementById("lanes"), mean = document.getElementById("mean"), said = document.getElementById("said");
  const body = document.getElementById("violations"), table = body.parentElement;
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
  const nameCell = (clause, name, label) => [JSON.stringify([clause.clause, name, label]), () => element("span", { class: "row-name", title: clause.clause },
    element("b", {}, ...breakable(name)), element("small", { text: label }))];
  const trackCell = (clause, lane, frames) => [JSON.stringify([clause.clause, lane, frames, times.step()]), () => track(clause, lane, frames)];
  const valueCell = (clause) => {
    const value = valueOf(clause), counts = countsOf(clause);
    return [JSON.stringify([clause.clause, value, counts]), () => element("span", { class: "row-value value", "data-clause": clause.clause, text: value, title: counts })];
  };
  // With several classes the clause has a line of its own, for its value is that of all of them.
  const rowsOf = (clause, frames) => {
    if (clause.lanes.length === 1) return [nameCell(clause, clause.clause, ""), trackCell(clause, clause.lanes[0], frames), valueCell(clause)];
    const counts = [JSON.stringify(["counts", countsOf(clause)]), () => element("span", { class: "row-counts", text: countsOf(clause) })];
    return [nameCell(clause, clause.clause, ""), counts, valueCell(clause),
      ...clause.lanes.flatMap((lane) => [nameCell(clause, "", lane.label), trackCell(clause, lane, frames), ["", () => element("span", { class: "row-value" })]])];
  };
  const violationRow = (clause, one) => [JSON.stringify([clause.clause, one]), () => element("tr", {},
    element("th", { scope: "row", text: clause.clause }), element("td", { text: one.label }),
    element("td", { class: "n", text: `${+times.number(one.at).toFixed(4)} s` }), element("td", { text: one.words }),
    element("td", {}, element("code", { text: one.part })))];
  return {
    show(found) {
      const judged = found.clauses.length > 0;
      for (const part of [lanes, table]) part.classList.toggle("stale", !judged);
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
