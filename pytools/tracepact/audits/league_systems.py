"""What a league is made of: what its runs share, and each system, read and drawn once and kept in one file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from io import BytesIO
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, ValidationError

from tracepact.audits.systems import ordered, report_faults
from tracepact.data.event_rows import Outside
from tracepact.data.family import Side
from tracepact.data.sources import read_arrays
from tracepact.diagnostics.collection import Diagnostics
from tracepact.diagnostics.findings import Diagnostic, RowPlace, did_you_mean
from tracepact.evaluate.cast import SameAnswers, answers, is_constant
from tracepact.evaluate.draws import Values
from tracepact.evaluate.scorecard import Scorecard, ScoreRows
from tracepact.evaluate.scores import ClauseCounts, risk_profiles
from tracepact.evaluate.uncertainty import Bootstrap, drawn_vector
from tracepact.files import BadTable, json_data
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract
from tracepact.measures.policy import MetricCounts
from tracepact.measures.records import CountMetricRecord, MeanMetricRecord, MetricValue
from tracepact.measures.results import CountMetric, Measured
from tracepact.measures.uncertainty import metric_draws
from tracepact.records import Count, Digest, Record, Share, record_of
from tracepact.runs.manifest import digest
from tracepact.runs.opening import OpenRun, RunIdentity
from tracepact.runs.report import ContractRecord, Report, Versions
from tracepact.runs.tally import measured
from tracepact.runs.task import Scored, Task
from tracepact.runs.timelines import clip_data, packed
from tracepact.thresholds.family import Detections
from tracepact.thresholds.metrics import level_runs
from tracepact.thresholds.psds import SCENARIOS, Psds, psds
from tracepact.tuning.batches import field_sides
from tracepact.wording import print_number

# The standard metrics of a run as the columns of a league take them: one value each, and whether it was earned.

_LEADING = ("f1", "macro_f1", "error_rate", "mean")
# Of an error less is better; every other quantity is a share of what was right.
_LOWER = ("error_rate", "macro_error_rate", "mean", "macro_mean")


class Measure(Record, frozen=True):
    """One value of a standard metric, with the policy it depends on."""

    name: str
    policy: str
    value: MetricValue
    earned: bool
    higher_is_better: bool
    ranked: Annotated[bool, Meta(description="Whether systems are ranked by it (16.16).")]
    leading: Annotated[bool, Meta(description="Whether tables for people show it.")]


def measures(measured: Measured) -> Iterator[Measure]:
    """Every value of every metric."""
    for metric in measured.metrics:
        # A silent system has an error rate of 1 and may be ahead of one that tries: it has not earned it (rule 16.16).
        is_count = isinstance(metric, CountMetric)
        total = metric.total
        predicted = total.tp + total.fp > 0 if isinstance(total, MetricCounts) else total.pairs > 0
        name = metric.name.replace(" ", "_")
        for quantity, value in metric.values.items():
            yield Measure(
                name if quantity == "mean" else f"{name}_{quantity}",
                metric.policy,
                MetricValue.of(value),
                predicted and value is not None,
                quantity not in _LOWER,
                is_count,
                quantity in _LEADING,
            )


def drawn_measures(measured: Measured, clips: Sequence[str], bootstrap: Bootstrap) -> Values:
    """Every value in every draw, in the order of `measures`; the clips are drawn in this order."""
    # Draws pick clips by number: metrics and scores must number them alike, or a draw would not be of the same clips.
    drawn = metric_draws(measured.on_clips(tuple(clips)), bootstrap)
    values: Values = np.stack([drawn[metric.name, name] for metric in measured.metrics for name in metric.values])
    return values


# What the runs of a league have in common: contract, data, policies, clips; and how the league is made of them.

Flat = tuple[int, ...]
"""Runs of frames as gaps and lengths, one after the other."""
# 2⁶³ has 19: a longer number, read from a file, would only cost time to refuse.
_DIGITS = 19
"""The number of a segment has fewer."""


class Settings(Record, frozen=True):
    """How a league is made of its systems."""

    baseline: str
    rank_by: str
    draws: Annotated[int, Meta(ge=1)]
    seed: Count
    level: Share

    @property
    def bootstrap(self) -> Bootstrap:
        """How clips are drawn."""
        return Bootstrap(self.draws, self.seed, self.level)


class Policies(Record, frozen=True):
    """What values depend on beside contract and data, and systems of one league have in common (16.16)."""

    label_map: Annotated[str, Meta(description="The label map (13.11), in one line; empty without one.")]
    outside: Annotated[str, Meta(description="What became of predicted events outside their clips (13.31).")]
    metrics: Annotated[Mapping[str, str], Meta(description="The policy of each standard metric, and its arithmetic.")]


class Base(Record, frozen=True, kw_only=True):
    """What all runs of a league share."""

    format: Literal["tracepact-league-base/1"]
    mode: str
    tables: Mapping[str, Digest]
    contract: ContractRecord
    policies: Policies
    clips: tuple[str, ...]
    frames: tuple[int, ...]
    classes: tuple[str, ...]
    step: Fraction
    reference: Annotated[Mapping[str, Flat], Meta(description="The runs of the reference, by segment.")]
    ignored: Annotated[Mapping[str, Flat], Meta(description="The ignored frames, by segment.")]
    conditions: Mapping[str, str] | None
    settings: Settings

    @property
    def identity(self) -> RunIdentity:
        """The identity by which runs are compared."""
        return RunIdentity(self.contract.digest, self.mode, self.tables, self.clips, self.classes)

    @property
    def fits(self) -> bool:
        """Whether its parts are of one family: a number of frames for every clip, and runs inside their clips."""
        return (
            len(self.frames) == len(self.clips)
            and min(self.frames, default=0) >= 0
            and self.step > 0
            and all(
                frames_fit(flat, self.frames_of(segment))
                for runs in (self.reference, self.ignored)
                for segment, flat in runs.items()
            )
        )

    def frames_of(self, segment: str) -> int:
        """The number of frames of the clip of a segment; -1 if there is no such segment."""
        if not (segment.isascii() and segment.isdecimal() and len(segment) < _DIGITS):
            return -1
        number = int(segment)
        return self.frames[number % len(self.clips)] if number < len(self.clips) * len(self.classes) else -1

    def compiled(self) -> Contract:
        """The contract."""
        return parse_contract(self.contract.text, name=self.contract.source)


def frames_fit(flat: Flat, frames: int) -> bool:
    """Whether gaps and lengths are of runs that lie within a number of frames."""
    return frames >= 0 and len(flat) % 2 == 0 and min(flat, default=0) >= 0 and sum(flat) <= frames


def policies_of(report: Report) -> Policies:
    """The policies a run was made with."""
    preparation: dict[str, Any] = report.preparation.to_dict()
    labels = preparation["label_map"]
    outside = preparation.get("outside", {}).get("policy", Outside.FALSE_ALARM.value)
    metrics = {"arithmetic": report.metrics.policy.value}
    for metric in report.metrics.metrics:
        if isinstance(metric, CountMetricRecord | MeanMetricRecord):
            metrics[metric.name] = metric.policy
    return Policies("" if labels is None else _label_map(labels), outside, metrics)


def _label_map(labels: Mapping[str, Any]) -> str:
    """A label map in one line, whatever its file is called."""
    renamed = [f"{label['old']} → {label['new']}" for label in labels["labels"]]
    said = [*renamed, *(f"drop {name}" for name in labels["drop"]), *(f"ignore {name}" for name in labels["ignore"])]
    return ", ".join([*said, f"others: {labels['other']}"])


def base_of(
    run: OpenRun, report: Report, card: Scorecard, conditions: Mapping[str, str] | None, settings: Settings
) -> Base:
    """The shared part of a league, taken from its first run."""
    family, identity = card.family, run.identity
    return Base(
        format="tracepact-league-base/1",
        mode=identity.mode,
        tables=identity.tables,
        contract=report.contract,
        policies=policies_of(report),
        clips=family.clips,
        frames=tuple(family.frames),
        classes=family.classes,
        step=family.step,
        reference={str(s): tuple(packed(runs)) for s, runs in sorted(family.runs[Side.REF].items()) if runs},
        ignored={str(s): tuple(packed(runs)) for s, runs in sorted(family.ignored.items()) if runs},
        conditions=conditions,
        settings=settings,
    )


def report_differences(
    base: tuple[RunIdentity, Policies],
    where: str,
    other: tuple[RunIdentity, Policies],
    folder: str,
    diagnostics: Diagnostics,
) -> None:
    """Say what about a run differs from the others of a league, which `where` names, if anything does."""
    report_faults(base[0], where, other[0], folder, diagnostics)
    place = RowPlace(folder)
    for what, help, ours, theirs in _pairs(base[1], other[1]):
        if ours != theirs:
            headline = f"the {what} differs from that of `{where}`: `{theirs or 'none'}`, not `{ours or 'none'}`"
            diagnostics.add("incomparable-runs", headline, place, help)


def _pairs(base: Policies, other: Policies) -> Iterator[tuple[str, str, str, str]]:
    """Each policy by name, with the way out where the two differ and both values."""
    yield "label map", "score all systems with the same --label-map", base.label_map, other.label_map
    yield "treatment of events outside clips", "use the same --outside for all", base.outside, other.outside
    for name in sorted({*base.metrics, *other.metrics}):
        help = "score all systems with the same release and the same metric policies"
        yield f"policy of the metric `{name}`", help, base.metrics.get(name, ""), other.metrics.get(name, "")


# PSDS of the systems of a league whose scores were given (rule 16.20).


class ScoresRecord(Record, frozen=True):
    """The scores that PSDS was taken of."""

    name: Annotated[str, Meta(description="The file or folder of the scores, as it was given.")]
    sha256: Annotated[Digest | None, Meta(description="The SHA-256 of that file or folder.")]


@dataclass(frozen=True, slots=True)
class GivenScores:
    """The scores of a system: where they are from, its PSDS in every scenario, and what was odd."""

    record: ScoresRecord
    measures: tuple[Measure, ...]
    warnings: tuple[Diagnostic, ...]


def report_scores(scores: Mapping[str, Any], systems: Sequence[str], label_map: str, diagnostics: Diagnostics) -> None:
    """Refuse scores of a system that is not read, and scores beside a label map, which says nothing of columns."""
    for name in scores:
        if name not in systems:
            headline = f"there are scores of `{name}`, which is none of the systems that are read"
            diagnostics.add("unknown-system", headline, help=did_you_mean(name, systems))
    if scores and label_map:
        headline = f"the runs were made with a label map ({label_map}), and scores are not mapped"
        help = "name the columns of the scores as the classes are, and score without a label map"
        diagnostics.add("incomparable-runs", headline, help=help)


def given_scores(scores: Any, scored: Scored, base: Base) -> GivenScores:
    """The PSDS of scores against the reference of a run, on its clips; InvalidInput if they cannot be used."""
    whole = scored.card.contract
    contract = replace(whole, clauses=(), profiles=(), declared_atoms=())
    mode, durations, clips = scored.card.family.mode, scored.durations, base.clips
    task = Task(contract, scored.reference, scores, durations=durations, mode=mode, ignore=scored.ignore, clips=clips)
    sides = field_sides(task)
    family = sides.family()
    runs = level_runs(family)
    # Scores that are all the same have one threshold: they are no detector's, and earn nothing (rule 16.20).
    varied = len(runs) > 0 if isinstance(sides.field, Detections) else len(sides.field.levels) > 1
    measured_psds = []
    for name, how in SCENARIOS.items():
        value = MetricValue.of(psds(family, how, runs).value)
        earned = varied and value.shown is not None
        measured_psds.append(Measure(name, _words(how), value, earned, True, True, True))
    source = sides.field.table if isinstance(sides.field, Detections) else sides.field
    return GivenScores(ScoresRecord(source.name, source.digest), tuple(measured_psds), tuple(sides.diagnostics))


def _words(how: Psds) -> str:
    """The parameters of a PSDS in one line."""
    parts = {
        "dtc": how.criteria.dtc,
        "gtc": how.criteria.gtc,
        "cttc": how.criteria.cttc,
        "α_ct": how.alpha_ct,
        "α_st": how.alpha_st,
        "e_max": how.e_max,
    }
    said = ", ".join(f"{name} {print_number(value)}" for name, value in parts.items() if value is not None)
    return f"{said} an hour; over all thresholds of the scores that were given; without intervals"


# One system of a league: what is read and drawn of its run, once, and kept in one file (rule 17.7).

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
        SameAnswers | None,
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
        """The name of the system."""
        return self.stored.about.name


def aggregations(contract: Contract) -> tuple[Aggregation, ...]:
    """The contract's own aggregation and those of its profiles."""
    profiles = risk_profiles(contract, contract.aggregation).profiles
    return tuple(dict.fromkeys([contract.aggregation, *(one.profile.aggregation for one in profiles)]))


def system_of(
    name: str, run: OpenRun, report: Report, scored: Scored, base: Base, scores: GivenScores | None = None
) -> LeagueSystem:
    """Read and draw one system; its run was found to be one of the league."""
    card, metrics, bootstrap = scored.card, measured(scored), base.settings.bootstrap
    rows = ordered(ScoreRows.of(card), base.clips, base.classes)
    kinds = aggregations(card.contract)
    constant, same = is_constant(card.family), answers(card.family)
    nearly = same if same.nearly_constant and not constant else None
    source, side = run.source, report.preparation.prediction
    stored = StoredSystem(
        SystemRecord(
            name,
            source.run,
            source.name,
            source.sha256,
            side.format,
            side.decoding.words if side.decoding else None,
            report.versions,
            nearly,
            None if scores is None else scores.record,
        ),
        constant,
        rows.clauses,
        tuple(measures(metrics)),
        kinds,
        _segments(card, base),
        () if scores is None else scores.measures,
    )
    return LeagueSystem(
        stored,
        rows,
        {kind: drawn_vector(rows, kind, bootstrap) for kind in kinds},
        drawn_measures(metrics, base.clips, bootstrap),
    )


def _segments(card: Scorecard, base: Base) -> Segments:
    """The predicted runs and the stretches that failed, by segment in the league's order."""
    # The compact form in which pages of runs keep violations; it has all that the lanes of a league draw.
    data = clip_data(card, most=len(card.family.clips))
    clips = {clip: index for index, clip in enumerate(base.clips)}
    labels = {label: index for index, label in enumerate(base.classes)}
    widths = [len(clause["fields"]) for clause in data["clauses"]]
    segments = {}
    for clip, label, _, pred, _, _, _, failures in data["segments"]:
        if not pred and not failures:
            continue
        segment = labels[data["classes"][label]] * len(clips) + clips[data["clips"][clip]]
        segments[segment] = tuple(pred), tuple(_stretches(failed, widths[failed[0]]) for failed in failures)
    return {str(segment): segments[segment] for segment in sorted(segments)}


def _stretches(failed: Sequence[Any], width: int) -> tuple[int, ...]:
    """The number of a clause and, for each of its failures, start and length in frames."""
    clause, *fields = failed
    return clause, *(value for at in range(0, len(fields), width) for value in fields[at : at + 2])


def file_name(system: str) -> str:
    """The file of a system, by the digest of its name, which may hold any sign."""
    # 16 hexadecimal digits are 64 bits: with a thousand systems two of them collide less than once in 10¹³ leagues.
    return f"system-{digest(system.encode())[:16]}.npz"


def system_bytes(system: LeagueSystem) -> bytes:
    """A system as one file."""
    counts = system.rows.counts
    about = json.dumps(system.stored.to_dict(), ensure_ascii=False, separators=(",", ":")).encode()
    held = BytesIO()
    # One file a system, so that adding one to a league leaves the files of the others alone. Counts are mostly small
    # and repeat, which compression uses.
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
    # The arrays are read from a stranger's file: their shapes are held to what the rest of the file says before
    # anything is indexed by it.
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
