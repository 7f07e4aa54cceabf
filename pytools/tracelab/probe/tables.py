"""The tables of the probe: views of its rows, with the published figures beside the encoders."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import tracepact
from tracelab.probe.encoding import SPEECH_GATE
from tracelab.probe.rows import ENCODERS, GATES, METRICS, ONSETS, drawn_clips, quantile_interval
from tracelab.protocol import CONDITIONS
from tracelab.study.comparison import Rows, fraction, metric_value, plain_table, share
from tracelab.study.rows import GUARDS, MEAN, Row, chosen
from tracelab.study.tables import StudyTable
from tracepact.show import Cell, Column, Table, Tone
from tracepact.wording import parse_stored

CLAUSES = (
    "beginning_kept",
    "ending_kept",
    "speech_passed",
    "no_chatter",
    "hangover_bounded",
    "open_for_speech",
    "opening_justified",
)
CONTROL = "control"
_NONE = "—"
_HALF, _MOST = Fraction(1, 2), Fraction(9, 10)


@dataclass(frozen=True, slots=True)
class GateTimes:
    """When a gate opens and shuts, in milliseconds: quantiles with intervals, and how many utterances it opens."""

    utterances: int
    opened: int
    opening: tuple[float, float, float] | None
    slow: tuple[float, float, float] | None
    lead: tuple[float, float, float] | None
    closing: tuple[float, float, float] | None


def probe_tables(rows: Rows, draws: int) -> list[StudyTable]:
    """Every table that has rows, in reading order."""
    made: list[StudyTable] = []
    if chosen(rows["metrics"], group=GATES):
        made += [
            opening_table(rows, draws),
            _condition_guard(rows, "opening-conditions", GATES, "onset_guard", "Onsets within 40 ms by condition"),
            _condition_guard(
                rows, "beginning-conditions", SPEECH_GATE, "beginning_kept", "Beginnings kept by condition"
            ),
            latency_table(rows, draws),
            interval_table(rows, SPEECH_GATE, CLAUSES, "speech-gate", "The contract speech_gate"),
            interval_table(rows, GATES, GUARDS, "gate-guards", "Boundary guards of the detectors"),
            threshold_table(rows),
            metric_table(rows),
        ]
    if chosen(rows["metrics"], group=ONSETS):
        title = "Onsets of any sound"
        made.append(interval_table(rows, ONSETS, ("onset_found", "onset_justified"), "onsets", title))
    if chosen(rows["metrics"], group=ENCODERS):
        made += [
            encoder_table(rows),
            interval_table(rows, ENCODERS, GUARDS, "encoder-guards", "Boundary guards of the encoders"),
            encoder_condition_table(rows),
        ]
    return [*made, timing_table(rows), registry_table(rows)]


def opening_table(rows: Rows, draws: int) -> StudyTable:
    """Which detector opens on time: the guard of onsets, kept beginnings, and the times of the gate."""
    body: list[list[Cell | str]] = []
    for name in ranked_gates(rows):
        times = gate_times(rows, name, draws)
        body.append(
            [
                _name(rows, name),
                interval_text(rows, GATES, name, "onset_guard"),
                interval_text(rows, SPEECH_GATE, name, "beginning_kept"),
                interval_text(rows, SPEECH_GATE, name, "ending_kept"),
                f"{times.opened} of {times.utterances}",
                _times(times.opening),
                _times(times.slow),
                _times(times.lead),
                _times(times.closing),
            ]
        )
    headings = (
        "onset within 40 ms",
        "beginning kept",
        "ending kept",
        "utterances opened",
        "opens after, ms",
        "90 % open after, ms",
        "open before, ms",
        "shuts after, ms",
    )
    lead = (
        "Every detector with the defaults of its package, on the speech of all test clips; 95 % intervals over clips. "
        "Opens after: the median time from the start of an utterance to an open gate, of the utterances that were "
        "opened; 0 is open in time. Open before: how long it had been open by then. Shuts after: from the end of the "
        "utterance to the shut gate, negative if the end is cut. Best first, by the first column."
    )
    return StudyTable(
        "opening", plain_table("Which voice activity detector opens on time?", "system", headings, body), lead
    )


def latency_table(rows: Rows, draws: int) -> StudyTable:
    """The median opening by condition, with the share of utterances that were opened."""
    body = []
    for name in ranked_gates(rows):
        cells: list[Cell | str] = [_name(rows, name)]
        for condition in present_conditions(rows):
            times = gate_times(rows, name, 0, condition)
            share = f"{times.opened / times.utterances:.0%}" if times.utterances else _NONE
            cells.append(f"{_NONE if times.opening is None else f'{times.opening[0]:.0f}'} ({share})")
        body.append(cells)
    return StudyTable(
        "latency",
        plain_table("Opening by condition", "system", present_conditions(rows), body),
        "Median milliseconds from the start of an utterance to an open gate, and how many utterances were opened.",
    )


def threshold_table(rows: Rows) -> StudyTable:
    """What the defaults give, and what the best threshold on the same clips would."""
    body: list[list[Cell | str]] = []
    for name in ranked_gates(rows):
        best = chosen(rows["curves"], system=name, kind="best")
        if not best:
            continue
        of = {row["quantity"]: row for row in best}
        cells: list[Cell | str] = [_name(rows, name)]
        for quantity in ("onset_guard", "offset_guard", "mean"):
            found = of.get(quantity)
            own = guard(rows, GATES, name, MEAN if quantity == "mean" else quantity)
            cells += [share(own), _NONE if found is None else f"{share(parse_stored(found['value']))} at {_at(found)}"]
        body.append(cells)
    headings = ("onset_guard", "best", "offset_guard", "best", "mean of the vector", "best")
    return StudyTable(
        "thresholds",
        plain_table("Defaults and best thresholds", "system", headings, body),
        "A plain threshold on the scores of the detector, without its smoothing, at the value that is best on these "
        "very clips: an upper bound for tuning, not a result to report.",
    )


def metric_table(rows: Rows) -> StudyTable:
    """The standard metrics of the detectors on speech."""
    body: list[list[Cell | str]] = [
        [_name(rows, name), *(share(metric_value(rows, GATES, name, one)) for one in METRICS)]
        for name in ranked_gates(rows)
    ]
    return StudyTable("gate-metrics", plain_table("Standard metrics of the detectors", "system", METRICS, body))


def encoder_table(rows: Rows) -> StudyTable:
    """Every encoder behind the common head, and the published figures."""
    theirs = published()
    body: list[list[Cell | str]] = []
    names = _systems(rows, ENCODERS)
    for name in sorted(names, key=lambda one: -(metric_value(rows, ENCODERS, one, MEAN) or Fraction(0))):
        values = [metric_value(rows, ENCODERS, name, one) for one in METRICS]
        body.append([_name(rows, name), *map(share, values)])
        if name in theirs:
            body.append([Cell("  published", Tone.FAINT), *(share(theirs[name][one]) for one in METRICS)])
    for name, known in theirs.items():
        if name not in names:
            body.append([Cell(f"{name}, published only", Tone.FAINT), *(share(known[one]) for one in METRICS)])
    lead = (
        "Hidden sequences, projected to 64 dimensions by a seeded Gaussian map, on the 20 ms grid, standardised on the "
        "training clips, before the head of contract_tcn_aug; the union of the classes. The published rows are of "
        "another source of speech and other code: no equality is claimed."
    )
    title = "Frozen encoders behind one boundary head"
    return StudyTable("encoders", plain_table(title, "system", METRICS, body), lead)


def encoder_condition_table(rows: Rows) -> StudyTable:
    """Metrics of every encoder under every condition."""
    body: list[list[Cell | str]] = []
    for name in _systems(rows, ENCODERS):
        for condition in present_conditions(rows, ENCODERS):
            found = {
                row["metric"]: row["value"] for row in chosen(rows["conditions"], system=name, condition=condition)
            }
            body.append([f"{name}, {condition}", *(share(fraction(found.get(one, ""))) for one in METRICS)])
    table = plain_table("Encoders by condition", "encoder, condition", METRICS, body)
    return StudyTable("encoder-conditions", table)


def interval_table(rows: Rows, group: str, clauses: Sequence[str], name: str, title: str) -> StudyTable:
    """Every clause of every system with its interval over clips."""
    order = _systems(rows, group)
    if group in (GATES, SPEECH_GATE):
        order = [one for one in ranked_gates(rows) if one in order]
    body: list[list[Cell | str]] = [
        [_name(rows, one), *(interval_text(rows, group, one, clause) for clause in (*clauses, MEAN))] for one in order
    ]
    return StudyTable(
        name, plain_table(title, "system", (*clauses, MEAN), body), "Shares with 95 % intervals over clips."
    )


def timing_table(rows: Rows) -> StudyTable:
    """Processor time on the machine of this run."""
    body: list[list[Cell | str]] = []
    for row in rows["timing"]:
        pace = 1000 * float(row["seconds"]) / float(row["sound"])
        body.append([row["system"], f"{pace:.1f}", f"{float(row['sound']):.0f}"])
    headings = ("ms for each second of sound", "seconds of sound")
    return StudyTable(
        "timing",
        plain_table("Processor time", "system", headings, body),
        "Of one core of the machine of this run; resampling and the head are left out.",
    )


def registry_table(rows: Rows) -> StudyTable:
    """Every entry: what it is, its licence, and why it is not here."""
    body: list[list[Cell | str]] = [
        [
            row["name"],
            row["identifier"],
            f"{row['rate']} Hz, {1000 * float(parse_stored(row['hop'])):.1f} ms",
            row["licence"],
            row["decides"] or _NONE,
            Cell(f"not present: {row['absent']}", Tone.FAIR) if row["absent"] else "probed",
        ]
        for row in rows["registry"]
    ]
    headings = ("entry", "what it is", "hears", "licence", "decides", "here")
    return StudyTable("registry", Table("What was probed", [Column(one) for one in headings], body))


# Values from rows


def ranked_gates(rows: Rows) -> list[str]:
    """The detectors of speech, the best at onsets first."""
    return sorted(_systems(rows, GATES), key=lambda name: (-(guard(rows, GATES, name, "onset_guard") or 0), name))


def guard(rows: Rows, group: str, system: str, clause: str) -> Fraction | None:
    """A clause as the contract aggregates it."""
    found = _intervals(rows, group, system, clause)
    return None if found is None else parse_stored(found["value"])


def bounds(rows: Rows, group: str, system: str, clause: str) -> tuple[float, float] | None:
    """The interval of a clause."""
    found = _intervals(rows, group, system, clause)
    return None if found is None else (float(found["low"]), float(found["high"]))


def interval_text(rows: Rows, group: str, system: str, clause: str) -> str:
    """A clause and its interval."""
    value, ends = guard(rows, group, system, clause), bounds(rows, group, system, clause)
    return _NONE if value is None or ends is None else f"{share(value)} [{ends[0]:.3f}, {ends[1]:.3f}]"


def gate_times(rows: Rows, system: str, draws: int, condition: str = "") -> GateTimes:
    """When a gate opens and shuts over all clips or those of a condition; intervals if clips are drawn."""
    found = [row for row in chosen(rows["utterances"], system=system) if not condition or row["condition"] == condition]
    clips = sorted({row["clip"] for row in found})
    drawn = drawn_clips(len(clips), max(draws, 1), 0) if clips else drawn_clips(1, 1, 0)
    opened = [row for row in found if row["opened"]]

    def of(column: str, at: Fraction) -> tuple[float, float, float] | None:
        grouped: dict[str, list[float]] = defaultdict(list)
        for row in opened:
            grouped[row["clip"]].append(1000 * float(parse_stored(row[column])))
        return quantile_interval([grouped[clip] for clip in clips], at, drawn)

    return GateTimes(
        len(found), len(opened), of("opened", _HALF), of("opened", _MOST), of("lead", _HALF), of("closed", _HALF)
    )


def is_control(rows: Rows, name: str) -> bool:
    """Whether an entry is a control of ours."""
    return any(row["family"] == CONTROL for row in rows["registry"] if row["name"] == name)


def present_conditions(rows: Rows, group: str = GATES) -> list[str]:
    """The conditions that occur, in the order of the protocol."""
    found = {row["condition"] for row in rows["scores"] if row["group"] == group}
    return [condition for condition in CONDITIONS if condition in found]


Shares = Mapping[tuple[str, str, str, str], Fraction]


def pooled(rows: Rows) -> Shares:
    """Every clause under each condition, over what was asked, by group, system, clause and condition."""
    kept: dict[tuple[str, str, str, str], int] = defaultdict(int)
    asked: dict[tuple[str, str, str, str], int] = defaultdict(int)
    for row in rows["scores"]:
        key = (row["group"], row["system"], row["clause"], row["condition"])
        kept[key] += int(row["satisfied"])
        asked[key] += int(row["obligated"])
    return {key: Fraction(kept[key], count) for key, count in asked.items() if count}


@cache
def published() -> Mapping[str, Mapping[str, Fraction]]:
    """The published figures of encoders (spec/probe/published.json)."""
    text = tracepact.spec_path("probe/published.json").read_text(encoding="utf-8")
    data = json.loads(text, parse_float=Fraction)
    return {name: dict(zip(data["columns"], values, strict=True)) for name, values in data["rows"].items()}


def _condition_guard(rows: Rows, name: str, group: str, clause: str, title: str) -> StudyTable:
    conditions = present_conditions(rows)
    shares = pooled(rows)
    body: list[list[Cell | str]] = [
        [_name(rows, one), *(share(shares.get((group, one, clause, condition))) for condition in conditions)]
        for one in ranked_gates(rows)
    ]
    return StudyTable(
        name, plain_table(title, "system", conditions, body), f"The clause {clause}, pooled over the clips."
    )


def _intervals(rows: Rows, group: str, system: str, clause: str) -> Row | None:
    return next(iter(chosen(rows["intervals"], group=group, system=system, clause=clause)), None)


def _systems(rows: Rows, group: str) -> list[str]:
    return list(dict.fromkeys(row["system"] for row in chosen(rows["metrics"], group=group)))


def _name(rows: Rows, name: str) -> Cell:
    return Cell(f"{name} (control)", Tone.FAINT) if is_control(rows, name) else Cell(name, Tone.STRONG)


def _times(quantiles: tuple[float, float, float] | None) -> str:
    return _NONE if quantiles is None else f"{quantiles[0]:.0f} [{quantiles[1]:.0f}, {quantiles[2]:.0f}]"


def _at(row: Row) -> str:
    return f"{float(parse_stored(row['threshold'])):.3g}"
