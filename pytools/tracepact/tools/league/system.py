"""One system of a league: what is read and drawn of its run, once, and kept in one file (rule 17.7)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, ValidationError

from tracepact.core import Aggregation, Contract
from tracepact.files import BadTable, json_data
from tracepact.io.npz import read_arrays
from tracepact.records import Digest, Record, record_of
from tracepact.scoring import ClauseCounts, Scorecard, ScoreRows
from tracepact.scoring.bootstrap import Values
from tracepact.scoring.constant import Answers, answers, is_constant
from tracepact.scoring.risk_profiles import risk_profiles
from tracepact.scoring.uncertainty import drawn_vector
from tracepact.tools.league.base import Base, frames_fit
from tracepact.tools.league.measures import Measure, drawn_measures, measures
from tracepact.tools.league.psds import GivenScores, ScoresRecord
from tracepact.tools.score.report.clips import clip_data
from tracepact.tools.score.report.measured import measured
from tracepact.tools.score.report.record import Report, Versions
from tracepact.tools.score.scored import Scored
from tracepact.tools.score.store.manifest import digest
from tracepact.tools.score.store.opening import StoredRun
from tracepact.tools.score.store.pairing import ordered

_LARGEST = 1 << 32
"""Octets that the arrays of a system may take."""
_NO_SYSTEM = "the file does not hold a system of this league"

Segments = Mapping[str, tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]


class SystemRecord(Record, frozen=True):
    """What is said of a system beside its numbers."""

    name: str
    run: Annotated[Digest, Meta(description="The SHA-256 of the manifest of its run.")]
    prediction: Annotated[str, Meta(description="The file of its predictions, as it was given.")]
    sha256: Annotated[Digest | None, Meta(description="The SHA-256 of that file.")]
    format: Annotated[str, Meta(description="The format it was read from (13.1).")]
    decoding: Annotated[str | None, Meta(description="How its scores became events (13.9), in words.")]
    versions: Versions
    nearly_constant: Annotated[
        Answers | None,
        Meta(description="How far it answers the same throughout, if it nearly does (16.12); else null."),
    ] = None
    scores: Annotated[ScoresRecord | None, Meta(description="The scores of its PSDS (16.20); null without.")] = None


class StoredSystem(Record, frozen=True):
    """What the file of a system holds beside its arrays."""

    about: SystemRecord
    constant: Annotated[bool, Meta(description="Whether it answers the same throughout, or in every clip (16.12).")]
    clauses: tuple[str, ...]
    measures: tuple[Measure, ...]
    aggregations: tuple[Aggregation, ...]
    segments: Annotated[
        Segments,
        Meta(description="By segment: predicted runs; and for each clause that failed, its number and its stretches."),
    ]
    psds: Annotated[tuple[Measure, ...], Meta(description="Its PSDS, where its scores were given (16.20).")] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LeagueSystem:
    """A system: its counts in the league's order of clips and classes, and the scores of every draw."""

    stored: StoredSystem
    rows: ScoreRows
    drawn: Mapping[Aggregation, Mapping[str, Values]]
    drawn_measures: Values

    @property
    def name(self) -> str:
        """What it is called."""
        return self.stored.about.name


def aggregations(contract: Contract) -> tuple[Aggregation, ...]:
    """The contract's own aggregation and those of its profiles."""
    profiles = risk_profiles(contract, contract.aggregation).profiles
    return tuple(dict.fromkeys([contract.aggregation, *(one.profile.aggregation for one in profiles)]))


def system_of(
    name: str, run: StoredRun, report: Report, scored: Scored, base: Base, scores: GivenScores | None = None
) -> LeagueSystem:
    """Read and draw one system; its run was found to be one of the league."""
    card, found, bootstrap = scored.card, measured(scored), base.settings.bootstrap
    rows = ordered(ScoreRows.of(card), base.clips, base.classes)
    kinds = aggregations(card.contract)
    constant, given = is_constant(card.family), answers(card.family)
    nearly = given if given.nearly_constant and not constant else None
    stored = StoredSystem(
        _about(name, run, report, nearly, None if scores is None else scores.record),
        constant,
        rows.clauses,
        measures(found),
        kinds,
        _segments(card, base),
        () if scores is None else scores.measures,
    )
    return LeagueSystem(
        stored,
        rows,
        {kind: drawn_vector(rows, kind, bootstrap) for kind in kinds},
        drawn_measures(found, base.clips, bootstrap),
    )


def _about(
    name: str, run: StoredRun, report: Report, nearly: Answers | None, scores: ScoresRecord | None
) -> SystemRecord:
    (table,) = (table for table in run.manifest["tables"] if table["role"] == "prediction")
    side = report.preparation.prediction
    decoding = side.decoding.words if side.decoding else None
    return SystemRecord(
        name,
        run.manifest["sha256"],
        table["name"],
        table["sha256"],
        side.format,
        decoding,
        report.versions,
        nearly,
        scores,
    )


def _segments(card: Scorecard, base: Base) -> Segments:
    """The predicted runs and the stretches that failed, by segment in the league's order."""
    data = clip_data(card, most=len(card.family.clips))
    clips = {clip: index for index, clip in enumerate(base.clips)}
    labels = {label: index for index, label in enumerate(base.classes)}
    widths = [len(clause["fields"]) for clause in data["clauses"]]
    found = {}
    for clip, label, _, pred, _, _, _, failures in data["segments"]:
        if not pred and not failures:
            continue
        segment = labels[data["classes"][label]] * len(clips) + clips[data["clips"][clip]]
        found[segment] = tuple(pred), tuple(_stretches(failed, widths[failed[0]]) for failed in failures)
    return {str(segment): found[segment] for segment in sorted(found)}


def _stretches(failed: Sequence[Any], width: int) -> tuple[int, ...]:
    """The number of a clause and, for each of its failures, start and length in frames."""
    clause, *fields = failed
    return clause, *(value for at in range(0, len(fields), width) for value in fields[at : at + 2])


# In a file


def file_name(system: str) -> str:
    """The file of a system, by the digest of its name, which may hold any sign."""
    return f"system-{digest(system.encode())[:16]}.npz"


def system_bytes(system: LeagueSystem) -> bytes:
    """A system as one file."""
    counts = system.rows.counts
    about = json.dumps(system.stored.to_dict(), ensure_ascii=False, separators=(",", ":")).encode()
    held = BytesIO()
    np.savez_compressed(
        held,
        about=np.frombuffer(about, dtype=np.uint8),
        satisfied=np.stack([counts[name].satisfied for name in system.rows.clauses]),
        obligated=np.stack([counts[name].obligated for name in system.rows.clauses]),
        counter=np.stack([counts[name].counter for name in system.rows.clauses]),
        drawn=np.stack([[system.drawn[kind][c] for c in system.rows.clauses] for kind in system.drawn]),
        drawn_measures=system.drawn_measures,
    )
    return held.getvalue()


def _segment_fits(stored: StoredSystem, segment: str, frames: int) -> bool:
    """Whether the predicted runs and the failures of a segment are of its frames and of the system's clauses."""
    runs, failures = stored.segments[segment]
    return frames_fit(runs, frames) and all(
        len(failure) % 2 == 1
        and 0 <= failure[0] < len(stored.clauses)
        and all(frames_fit(failure[at : at + 2], frames) for at in range(1, len(failure), 2))
        for failure in failures
    )


def read_system(data: bytes, base: Base) -> LeagueSystem:
    """The system a file holds; BadTable if it is not of its form."""
    try:
        arrays = read_arrays(data, _LARGEST)
        stored = record_of(json_data(arrays["about"].tobytes()), StoredSystem)
        satisfied, obligated, counter, drawn, of_measures = (
            arrays[name] for name in ("satisfied", "obligated", "counter", "drawn", "drawn_measures")
        )
    except (ValueError, KeyError, ValidationError) as error:
        raise BadTable(_NO_SYSTEM, 1) from error
    shape = len(stored.clauses), len(base.classes), len(base.clips)
    of_draws = len(stored.aggregations), len(stored.clauses), base.settings.draws
    if not (
        satisfied.shape == obligated.shape == counter.shape == shape
        and drawn.shape == of_draws
        and of_measures.shape == (len(stored.measures), base.settings.draws)
        and all(of.dtype.kind in "iu" for of in (satisfied, obligated))
        and all(of.dtype.kind == "f" for of in (drawn, of_measures))
        and all(_segment_fits(stored, segment, base.frames_of(segment)) for segment in stored.segments)
    ):
        raise BadTable(_NO_SYSTEM, 1)
    counts = {
        name: ClauseCounts(satisfied[k], obligated[k], counter[k].astype(np.bool_))
        for k, name in enumerate(stored.clauses)
    }
    return LeagueSystem(
        stored,
        ScoreRows(base.clips, base.classes, stored.clauses, counts),
        {
            kind: {name: drawn[a, k] for k, name in enumerate(stored.clauses)}
            for a, kind in enumerate(stored.aggregations)
        },
        of_measures,
    )
