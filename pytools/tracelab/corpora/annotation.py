"""The annotation itself: how ambiguous soft labels are by scene, and how much of a contract is decided inside that."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import fsum, log2
from pathlib import Path
from tempfile import TemporaryDirectory

import tracepact
from tracelab.corpora.clips import hard_events
from tracelab.corpora.maestro import Corpus, Recording
from tracelab.decoding import CONTRACT
from tracelab.files import write_whole
from tracelab.heard import Events

Row = Mapping[str, str]
WITHIN = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 4))
_QUARTER, _THREE_QUARTERS = Decimal("0.25"), Decimal("0.75")
_LATE = Fraction(1, 5)


def ambiguity_rows(corpus: Corpus) -> Iterator[Row]:
    """For each scene and for all: cells above zero, the share of those from 1/4 to 3/4, their mean entropy in bits."""
    scenes = sorted({recording.scene for recording in corpus.recordings})
    for scene in (*scenes, "all"):
        some = [r for r in corpus.recordings if scene in (r.scene, "all")]
        values = [value for r in some for row in r.cells for value in row]
        above = [value for value in values if value > 0]
        between = sum(_QUARTER <= value <= _THREE_QUARTERS for value in above)
        seconds = sum((Fraction(r.seconds) for r in some), Fraction(0))
        entropy = fsum(_entropy(float(value)) for value in above) / len(above) if above else None
        yield {
            "scene": scene,
            "recordings": str(len(some)),
            "seconds": str(seconds),
            "cells": str(len(values)),
            "above zero": str(len(above)),
            "ambiguous": str(between),
            "ambiguous share": str(Fraction(between, len(above))) if above else "",
            "entropy": f"{entropy:.6f}" if entropy is not None else "",
        }


def _entropy(value: float) -> float:
    return 0.0 if not 0 < value < 1 else -value * log2(value) - (1 - value) * log2(1 - value)


def reading_rows(corpus: Corpus) -> Iterator[Row]:
    """What of a score is decided inside the uncertainty of the labels (rule 16.14), for systems made of the labels.

    The systems are the hard labels themselves, and the same 200 ms late: whoever is scored on this corpus is judged by
    these labels.
    """
    with TemporaryDirectory() as folder:
        labels = _written(corpus.recordings, corpus.classes, Path(folder))
        durations = {r.name: Fraction(r.seconds) for r in corpus.recordings}
        for system, shift in (("the labels above one half", Fraction(0)), ("the same, 200 ms late", _LATE)):
            pred = {r.name: _shifted(hard_events(r, corpus.classes), shift, r) for r in corpus.recordings}
            run = tracepact.score(
                CONTRACT,
                labels,
                pred,
                durations=durations,
                ref_reading=tracepact.Reading(decoding="0.5"),
            )
            audit = tracepact.audit_reference(run, within=WITHIN)
            for row in audit.clauses:
                yield {
                    "system": system,
                    "clause": row.clause,
                    "within": str(row.within),
                    "obligated": str(row.obligated),
                    "inside": str(row.inside),
                    "score": str(row.score),
                    "low": str(row.low),
                    "high": str(row.high),
                }


def _shifted(events: Events, by: Fraction, recording: Recording) -> Events:
    end = Fraction(recording.seconds)
    return [(onset + by, min(offset + by, end), label) for onset, offset, label in events if onset + by < end]


def _written(recordings: Sequence[Recording], classes: Sequence[str], folder: Path) -> Path:
    """The soft labels as one table with a column for each class."""
    path = folder / "soft.csv"
    lines = ["\t".join(("filename", "onset", "offset", *classes))]
    for recording in recordings:
        for (onset, offset), row in zip(recording.edges, recording.cells, strict=True):
            lines.append("\t".join((recording.name, str(onset), str(offset), *(format(v, "f") for v in row))))
    write_whole(path, "\n".join(lines) + "\n")
    return path


def mechanism_rows(corpus: Corpus) -> Iterator[Row]:
    """By class, what parts union and class-indexed scoring before any system is heard: sparsity, softness, overlap."""
    for column, label in enumerate(corpus.classes):
        cells = [row for r in corpus.recordings for row in r.cells]
        own = [row[column] for row in cells]
        active = [row for row in cells if row[column] > Decimal("0.5")]
        beside = sum(sum(value > Decimal("0.5") for value in row) > 1 for row in active)
        above = [value for value in own if value > 0]
        soft = sum(_QUARTER <= value <= _THREE_QUARTERS for value in above)
        yield {
            "class": label,
            "active cells": str(len(active)),
            "sparsity": str(1 - Fraction(len(active), len(own))),
            "softness": str(Fraction(soft, len(above))) if above else "",
            "overlap": str(Fraction(beside, len(active))) if active else "",
        }
