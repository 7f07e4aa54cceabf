"""The rows of a corpus as tables beside the published figures, and one self-contained page."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from markupsafe import Markup

import tracepact
from tracelab.corpora.annotation import Row
from tracelab.study.rows import rows_text
from tracepact.show import Section, Table, html_page, html_table, numbers, table_lines, words

Rows = Mapping[str, Sequence[Row]]
_TEXTS = {"scene", "system", "clause", "class", "labels", "threshold", "measure", "substitution", "within", "part"}
_EXACT = {"recordings", "seconds", "cells", "above zero", "ambiguous", "obligated", "inside", "active cells", "clips"}
_BY_MEASURE = {"systems": "system", "baseline": "threshold"}
_NONE = "—"
_LEADS = {
    "split": "By recording: no clip of a recording is in two parts. What is left out are the rests of recordings after "
    "their last whole clip.",
    "annotation": "Cells are one soft label each; ambiguous ones lie from 1/4 to 3/4; the entropy is of cells above "
    "zero, in bits.",
    "mechanisms": "By class: the share of cells that are not active, of cells above zero that are ambiguous, and of "
    "active cells in which another class is active as well.",
    "readings": "Of each frame clause the obligations that change if every label is wrong by less than so much, and "
    "the bounds of the pooled score (rule 16.14). The system is the reference itself, and the same late.",
    "systems": "The detectors of the study, trained on the training recordings without augmented views.",
    "gap": "The class detector scored class by class and as a union of its classes, pooled (rule 16.4).",
    "support": "Of the class detector: frames predicted for frames of the reference, and what is heard instead.",
    "baseline": "Mean of the vector and clauses under the contract's aggregation; a best value over all thresholds "
    "stands with the thresholds that give it.",
}
_TITLES = {
    "split": "Split by recording",
    "annotation": "Annotation audit by scene",
    "mechanisms": "What parts union and class-indexed scoring: the labels",
    "readings": "How much of a score is decided inside the labels' uncertainty",
    "systems": "Detectors on the test recordings",
    "gap": "Union against class-indexed scoring",
    "support": "What parts union and class-indexed scoring: support and substitution",
    "baseline": "Score files at thresholds",
}


@cache
def published() -> dict[str, Any]:
    """The published figures (spec/study/published-corpora.json)."""
    found: dict[str, Any] = json.loads(tracepact.spec_path("study/published-corpora.json").read_text(encoding="utf-8"))
    return found


def tables(rows: Rows) -> dict[str, Table]:
    """A table for every kind of row, with the published figures below where there are some."""
    return {name: _table(name, some) for name, some in rows.items() if some}


def _table(name: str, rows: Sequence[Row]) -> Table:
    if name in _BY_MEASURE:
        return _by_measure(name, rows)
    heads = list(rows[0])
    body = [[_shown(head, row[head]) for head in heads] for row in rows]
    if name == "annotation":
        paper = published()["annotation"]
        known = {**{head: f"{paper[head]:.3f}" for head in ("entropy", "ambiguous share")}}
        known["scene"] = f"published, {paper['classes']} classes"
        body.append([known.get(head, _NONE) for head in heads])
    return Table(_TITLES[name], [(words if head in _TEXTS else numbers)(head)[0] for head in heads], body)


def _by_measure(name: str, rows: Sequence[Row]) -> Table:
    """A row for each system or threshold and a column for each measure."""
    first = _BY_MEASURE[name]
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    values: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        values.setdefault((row[first], row["labels"]), {})[row["measure"]] = _shown("value", row["value"])
    if name == "baseline":
        paper = published()["baseline"]
        figures = {measure: f"{paper[measure]:.3f}" for measure in measures if measure in paper}
        values[f"published, at {paper['threshold']:g}", "classes"] = figures
    body = [[*key, *(found.get(measure, _NONE) for measure in measures)] for key, found in values.items()]
    heads = [measure.removesuffix("_guard") for measure in measures]
    return Table(_TITLES[name], [*words(first, "labels"), *numbers(*heads)], body)


def _shown(head: str, text: str) -> str:
    if not text:
        return _NONE
    if head in _TEXTS:
        return text if head != "within" else f"{float(Fraction(text)):g}"
    value = Fraction(text)
    return f"{int(value):,}" if head in _EXACT or head.endswith("frames") else f"{float(value):.3f}"


def view_files(title: str, rows: Rows, record: Mapping[str, Any]) -> dict[str, str]:
    """Every view by the name of its file."""
    made = tables(rows)
    files = {}
    for name, table in made.items():
        files[f"tables/{name}.csv"] = rows_text(rows[name])
        files[f"tables/{name}.md"] = "\n".join(table_lines(table)) + "\n"
    sections = [
        Section(name, table.title, html_table(replace(table, title="")), _LEADS[name]) for name, table in made.items()
    ]
    listed = Table("", words("what", "value"), [[key, str(value)] for key, value in record.items()])
    sections.append(Section("record", "Record", html_table(listed)))
    head = Markup("<h1>{}</h1><p>{}</p>").format(title, f"Published figures: {published()['source']}")
    return {**files, "corpus.html": html_page(title, head, sections)}
