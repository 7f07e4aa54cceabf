"""The tracks of `tracelab corpus`: what is computed, kept and verified, and the tables and page of it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any

from markupsafe import Markup

import tracepact
from tracelab.corpora.clips import (
    CLIP_SECONDS,
    RealClips,
    Row,
    ambiguity_rows,
    mechanism_rows,
    reading_rows,
    real_clips,
    sound_file,
    split,
)
from tracelab.corpora.maestro import Recordings
from tracelab.corpora.systems import (
    baseline_rows,
    clips_of,
    gap_rows,
    local_rows,
    make_runs,
    recipes,
    support_rows,
    system_rows,
)
from tracelab.detectors.recipes import CLASS_DETECTOR
from tracelab.files import fault, write_whole
from tracelab.protocol import SEED
from tracelab.stages import SILENT, StageListener, Stages, Verified, claim, written_digest
from tracelab.study.rows import rows_text
from tracelab.study.views import listed_section
from tracepact.inputs import LARGEST_DOCUMENT, read_within
from tracepact.show import Section, Table, csv_rows, html_page, html_table, numbers, table_lines, words
from tracepact.wording import parse_stored

# The rows of a corpus as tables beside the published figures, and one self-contained page.

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
    "gap": "The class detector scored class by class and as a union of its classes (rule 16.4): F1 as "
    "means over classes, the mean of the vector and the clauses pooled.",
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
    if name == "gap":
        for clause, known in published()["gap"].items():
            body.append([f"published {clause}", *(f"{known[head]:.3f}" for head in heads[1:])])
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
        return text if head != "within" else f"{float(parse_stored(text)):g}"
    value = parse_stored(text)
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
    sections.append(listed_section(record))
    head = Markup("<h1>{}</h1><p>{}</p>").format(title, f"Published figures: {published()['source']}")
    return {**files, "corpus.html": html_page(title, head, sections)}


# The tracks of `tracelab corpus`: what is computed, what is kept, and its verification.

RECORD = "corpus.json"
_OF_RUNS = {"systems", "gap", "support"}


def maestro_track(
    corpus: Recordings,
    out: Path,
    *,
    labels_only: bool = False,
    fold: int | None = None,
    epochs: int | None = None,
    seconds: int = CLIP_SECONDS,
    progress: StageListener = SILENT,
) -> Path:
    """MAESTRO Real: the annotation, and with its sound the detectors; the page."""
    for recording in () if labels_only else corpus.recordings:
        sound_file(recording)  # before anything is computed or written
    settings = {
        "track": "maestro",
        "recordings": len(corpus.recordings),
        "classes": list(corpus.classes),
        "labels": _labels_digest(corpus),
        "labels outside 0 to 1": len(corpus.warnings),
        "labels only": labels_only,
        "fold": fold,
        "epochs": epochs,
        "clip": seconds,
        "seed": SEED,
    }
    claim(out, settings, "corpus")
    progress.begin("annotation", 1)
    rows = {"annotation": list(ambiguity_rows(corpus)), "mechanisms": list(mechanism_rows(corpus))}
    rows["readings"] = list(reading_rows(corpus))
    progress.advance()
    if not labels_only:
        rows |= _heard_rows(corpus, out, fold, epochs, seconds, progress)
    return _write(out, "MAESTRO Real under boundary contracts", rows, settings)


def _heard_rows(
    corpus: Recordings, out: Path, fold: int | None, epochs: int | None, seconds: int, progress: StageListener
) -> dict[str, list[Row]]:
    parts = split(corpus, fold, SEED)
    learn = real_clips(corpus, (*parts["train"], *parts["val"]), seconds)
    test = real_clips(corpus, parts["test"], seconds)
    chosen = recipes(epochs)
    progress.begin("detectors", len(chosen))
    stages = Stages.within(out)
    runs = make_runs(stages, (learn, test), corpus.classes, chosen, SEED, lambda _: progress.advance())
    return {"split": [_part("training", learn), _part("test", test)], **_run_rows(runs)}


def _run_rows(runs: dict[str, Path]) -> dict[str, list[Row]]:
    """The rows that follow from stored runs alone."""
    typed = runs[CLASS_DETECTOR.name]
    return {
        "systems": list(system_rows(runs)),
        "gap": list(gap_rows(typed)),
        "support": list(support_rows(typed)),
    }


def _part(name: str, clips: RealClips) -> Row:
    recordings = {clip.rsplit("-", 1)[0] for clip in clips.heard.names}
    return {
        "part": name,
        "recordings": str(len(recordings)),
        "clips": str(len(clips.heard)),
        "left out, s": str(Fraction(clips.left_out)),
    }


def baseline_track(
    scores: Path,
    ref: Path,
    durations: Path | None,
    out: Path,
    *,
    local: Path | None = None,
    progress: StageListener = SILENT,
) -> Path:
    """Score files of a baseline at thresholds, beside the local class detector if its run is given; the page."""
    stems = clips_of(scores)
    if not stems:
        raise fault("bad-corpus", "there are no score files (CLIP.tsv)", scores)
    named = {
        Path(line.split("\t")[0]).stem: line.split("\t")[0] for line in ref.read_text(encoding="utf-8").splitlines()
    }
    clips = [named.get(stem, stem) for stem in stems]
    settings = {
        "track": "baseline",
        "clips": len(clips),
        "scores": _files_digest(scores),
        "reference": written_digest(ref),
    }
    claim(out, settings, "corpus")
    progress.begin("thresholds", 1)
    rows = list(baseline_rows(scores, ref, durations, clips))
    if local is not None:
        rows += local_rows(local)
    progress.advance()
    return _write(out, "A baseline's score files under boundary contracts", {"baseline": rows}, settings)


def _write(out: Path, title: str, rows: Mapping[str, list[Row]], settings: Mapping[str, Any]) -> Path:
    record = {"title": title, "tracepact": version("tracepact"), **settings}
    files = view_files(title, rows, record)
    for name, text in files.items():
        write_whole(out / name, text)
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    write_whole(out / RECORD, json.dumps({**record, "order": list(rows), "files": digests}, indent=2) + "\n")
    return out / "corpus.html"


def verify_corpus(folder: Path, progress: StageListener = SILENT) -> Verified:
    """Every run again from its predictions, the rows of runs, every view from its rows, every file by its digest.

    Rows of the labels, of the split and of a baseline's score files follow from nothing that the folder holds.
    """
    try:
        record = json.loads(read_within(folder, RECORD, LARGEST_DOCUMENT))
        files, order, title = dict(record.pop("files")), list(record.pop("order")), str(record["title"])
        texts = {name: read_within(folder, name).decode() for name in files}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fault("not-a-study", f"the record cannot be read: {error}", folder) from error
    runs = sorted((folder / "stages").glob("run-*/run"))
    progress.begin("runs", len(runs) + 1)
    drifts = []
    for run in runs:
        drifts += [f"{run.parent.name}: {drift.where}" for drift in tracepact.verify_run(run).drifts]
        progress.advance()
    rows: Rows = {name: csv_rows(texts[f"tables/{name}.csv"]) for name in order}
    if runs or rows.keys() & _OF_RUNS:
        drifts += _changed_rows(rows, {run.parent.name[len("run-") :].rpartition("-")[0]: run for run in runs})
    made = view_files(title, rows, record)
    drifts += [name for name, text in made.items() if texts.get(name) != text]
    drifts += [name for name, text in texts.items() if hashlib.sha256(text.encode()).hexdigest() != files[name]]
    progress.advance()
    return Verified(f"{len(runs)} runs and {len(files)} files", tuple(dict.fromkeys(drifts)))


def _changed_rows(stored: Rows, runs: Mapping[str, Path]) -> Iterator[str]:
    """The stored rows that are not those of the runs, and the runs that are missing."""
    chosen = [recipe.name for recipe in recipes(None)]
    if missing := [name for name in chosen if name not in runs]:
        yield from (f"run-{name}: it is missing" for name in missing)
        return
    for name, computed in _run_rows({run: runs[run] for run in chosen}).items():
        for number, (row, own) in enumerate(zip_longest(stored.get(name, ()), computed), 1):
            if row != own:
                place = " ".join(list((row or own or {}).values())[:3])
                yield f"tables/{name}.csv, row {number} ({place}): the runs do not give it"


def _labels_digest(corpus: Recordings) -> str:
    total = hashlib.sha256()
    for recording in corpus.recordings:
        total.update(repr((recording.name, recording.edges, recording.cells)).encode())
    return total.hexdigest()


def _files_digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.glob("*.tsv")):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
