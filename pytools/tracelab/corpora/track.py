"""The tracks of `tracelab corpus`: what is computed, what is kept, and its verification."""

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import tracepact
from tracelab.corpora.annotation import Row, ambiguity_rows, mechanism_rows, reading_rows
from tracelab.corpora.baseline import baseline_rows, clips_of, local_rows
from tracelab.corpora.clips import CLIP_SECONDS, RealClips, real_clips, sound_file, split
from tracelab.corpora.maestro import Corpus
from tracelab.corpora.systems import gap_rows, make_runs, recipes, support_rows, system_rows
from tracelab.corpora.views import Rows, view_files
from tracelab.detectors.recipes import CLASS_DETECTOR
from tracelab.faults import fault
from tracelab.files import write_whole
from tracelab.progress import SILENT, Progress
from tracelab.protocol import SEED
from tracelab.stages import Stages, claim
from tracelab.verification import Verified
from tracepact.show import csv_rows

RECORD = "corpus.json"


def maestro_track(
    corpus: Corpus,
    out: Path,
    *,
    labels_only: bool = False,
    fold: int | None = None,
    epochs: int | None = None,
    seconds: int = CLIP_SECONDS,
    progress: Progress = SILENT,
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
    corpus: Corpus, out: Path, fold: int | None, epochs: int | None, seconds: int, progress: Progress
) -> dict[str, list[Row]]:
    parts = split(corpus, fold, SEED)
    learn = real_clips(corpus, (*parts["train"], *parts["val"]), seconds)
    test = real_clips(corpus, parts["test"], seconds)
    chosen = recipes(epochs)
    progress.begin("detectors", len(chosen))
    stages = Stages.within(out)
    runs = make_runs(stages, (learn, test), corpus.classes, chosen, SEED, lambda _: progress.advance())
    typed = runs[CLASS_DETECTOR.name]
    return {
        "split": [_part("training", learn), _part("test", test)],
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
    progress: Progress = SILENT,
) -> Path:
    """Score files of a baseline at thresholds, beside the local class detector if its run is given; the page."""
    stems = clips_of(scores)
    if not stems:
        raise fault("bad-corpus", "there are no score files (CLIP.tsv)", scores)
    named = {
        Path(line.split("\t")[0]).stem: line.split("\t")[0] for line in ref.read_text(encoding="utf-8").splitlines()
    }
    clips = [named.get(stem, stem) for stem in stems]
    settings = {"track": "baseline", "clips": len(clips), "scores": _files_digest(scores), "reference": _digest(ref)}
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


def verify_corpus(folder: Path, progress: Progress = SILENT) -> Verified:
    """Every run again from its predictions, every view from its rows, and every file by its digest."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        files, order, title = dict(record.pop("files")), list(record.pop("order")), str(record["title"])
        texts = {name: (folder / name).read_text(encoding="utf-8") for name in files}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fault("not-a-study", f"the record cannot be read: {error}", folder) from error
    runs = sorted((folder / "stages").glob("run-*/run"))
    progress.begin("runs", len(runs) + 1)
    drifts = []
    for run in runs:
        drifts += [f"{run.parent.name}: {drift.where}" for drift in tracepact.verify_run(run).drifts]
        progress.advance()
    rows: Rows = {name: csv_rows(texts[f"tables/{name}.csv"]) for name in order}
    made = view_files(title, rows, record)
    drifts += [name for name, text in made.items() if texts.get(name) != text]
    drifts += [name for name, text in texts.items() if hashlib.sha256(text.encode()).hexdigest() != files[name]]
    progress.advance()
    return Verified(f"{len(runs)} runs and {len(files)} files", tuple(dict.fromkeys(drifts)))


def _labels_digest(corpus: Corpus) -> str:
    total = hashlib.sha256()
    for recording in corpus.recordings:
        total.update(repr((recording.name, recording.edges, recording.cells)).encode())
    return total.hexdigest()


def _files_digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.glob("*.tsv")):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
