"""The tables of a league, and timelines of the clips on which systems differ most."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np

from tracepact.audits.league_columns import (
    ClipDifference,
    ColumnGroup,
    League,
    LeagueColumn,
    LeagueDifference,
    LeagueMap,
    LeagueValue,
    losses,
)
from tracepact.audits.league_systems import Base, LeagueSystem
from tracepact.evaluate.uncertainty import outside_mark, outside_notes
from tracepact.show.tables import Cell, Column, ShareBar, Table, Tone, numbers, words
from tracepact.wording import UNDEFINED, count, decimal, percent, print_number, short

# Timelines of the clips on which systems differ most: the reference on top, every system below it (rule 16.19).

_CLASSES = 3


@dataclass(frozen=True, slots=True)
class LaneMark:
    """A stretch of a lane, in percent of the clip; `at` is its start in seconds, `words` what it is."""

    start: str
    width: str
    at: str
    words: str


@dataclass(frozen=True, slots=True)
class SideLane:
    """One side of a clip and class: its runs, and the stretches where clauses fail."""

    name: str
    runs: tuple[LaneMark, ...]
    failed: tuple[LaneMark, ...] = ()
    loss: str = ""


@dataclass(frozen=True, slots=True)
class ClassLanes:
    """The lanes of one class: the reference and every system."""

    label: str
    ignored: tuple[LaneMark, ...]
    lanes: tuple[SideLane, ...]


@dataclass(frozen=True, slots=True)
class ClipLanes:
    """A clip with the classes on which systems differ most, and the marks of its axis."""

    clip: str
    seconds: str
    difference: float
    classes: tuple[ClassLanes, ...]
    left_out: int
    ticks: tuple[tuple[str, str], ...]


def clip_lanes(league: League, base: Base, unordered: Sequence[LeagueSystem]) -> list[ClipLanes]:
    """The timelines of the clips that the league names, systems in its order."""
    by_name = {system.name: system for system in unordered}
    systems = [by_name[name] for name in league.names]
    places = {clip: index for index, clip in enumerate(base.clips)}
    return [_clip(found, places[found.clip], base, systems) for found in league.most_different]


def _clip(shown: ClipDifference, clip: int, base: Base, systems: Sequence[LeagueSystem]) -> ClipLanes:
    by_class = np.stack([losses(system)[:, clip] for system in systems])
    # All pairs at once: a league has few systems and a clip few classes.
    spread = np.abs(by_class[:, None, :] - by_class[None, :, :]).mean(axis=(0, 1))
    differing = [k for k in np.argsort(-spread, kind="stable").tolist() if spread[k] > 0]
    frames = base.frames[clip]
    classes = tuple(
        _class(label, clip, base, systems, [float(loss) for loss in by_class[:, label]])
        for label in sorted(differing[:_CLASSES])
    )
    length = frames * base.step
    return ClipLanes(
        shown.clip,
        f"{short(length)} s",
        shown.difference,
        classes,
        max(0, len(differing) - _CLASSES),
        tuple(_ticks(length)),
    )


def _class(label: int, clip: int, base: Base, systems: Sequence[LeagueSystem], lost: Sequence[float]) -> ClassLanes:
    segment = str(label * len(base.clips) + clip)
    frames, step = base.frames[clip], base.step
    reference = SideLane("reference", _marks(_runs(base.reference.get(segment, ())), frames, step, "reference"))
    lanes = [reference]
    for system, loss in zip(systems, lost, strict=True):
        pred, failures = system.stored.segments.get(segment, ((), ()))
        runs = _marks(_runs(pred), frames, step, system.name)
        lanes.append(SideLane(system.name, runs, _failed(system, failures, frames, step), f"{loss:.2f}"))
    ignored = _marks(_runs(base.ignored.get(segment, ())), frames, step, "ignored: no obligations here")
    return ClassLanes(base.classes[label], ignored, tuple(lanes))


def _failed(
    system: LeagueSystem, failures: Sequence[Sequence[int]], frames: int, step: Fraction
) -> tuple[LaneMark, ...]:
    """The stretches where clauses fail, each with the names of those clauses; stretches that touch are joined."""
    edges: list[tuple[int, int, str]] = []
    for clause, *flat in failures:
        name = system.stored.clauses[clause]
        edges += [(start, start + length, name) for start, length in zip(flat[::2], flat[1::2], strict=True)]
    joined: list[tuple[int, int, dict[str, None]]] = []
    # Clauses that fail at the same place are one mark that names all of them: marks over each other could not be
    # pointed at.
    for start, end, name in sorted(edges):
        if joined and start <= joined[-1][1]:
            last = joined[-1]
            joined[-1] = last[0], max(last[1], end), {**last[2], name: None}
        else:
            joined.append((start, end, {name: None}))
    return tuple(_mark(start, end, frames, step, f"violated: {', '.join(names)}") for start, end, names in joined)


def _runs(flat: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of frames from gaps and lengths."""
    runs, last = [], 0
    for gap, length in zip(flat[::2], flat[1::2], strict=True):
        runs.append((last + gap, last + gap + length))
        last += gap + length
    return runs


def _marks(runs: Sequence[tuple[int, int]], frames: int, step: Fraction, words: str) -> tuple[LaneMark, ...]:
    return tuple(_mark(start, end, frames, step, words) for start, end in runs)


def _mark(start: int, end: int, frames: int, step: Fraction, words: str) -> LaneMark:
    at, until = short(start * step), short(end * step)
    return LaneMark(
        f"{100 * start / frames:.2f}%", f"{100 * (end - start) / frames:.2f}%", at, f"{words}, {at} to {until} s"
    )


def _ticks(length: Fraction) -> list[tuple[str, str]]:
    """The places and texts of the numbers on the axis, about five; none for a length too small for a float."""
    rough = float(length) / 5
    if not rough:
        return []
    size = 10.0 ** np.floor(np.log10(rough))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= rough * 0.75)
    times = [k * step for k in range(int(float(length) / step + 1e-9) + 1)]
    return [(f"{100 * time / float(length):.2f}%", f"{short(time)} s") for time in times]


# The tables of a league: standings, scores, metrics, maps and what was declared; drawn by every medium.

BEST = "*: best; equal values are all best"
NOT_EARNED = (
    "(…): shown but not ranked: the system predicts nothing, is silent or always on throughout, answers the same "
    "in every clip, or is never asked what others are asked"
)
HOLM = "p is corrected for the number of systems that are compared (Holm), so that adding a system can change it"
_TITLES = {
    ColumnGroup.CLAUSE: "Guards",
    ColumnGroup.PROFILE: "Profiles",
    ColumnGroup.METRIC: "Standard metrics",
    ColumnGroup.PSDS: "PSDS",
}


def column_title(column: LeagueColumn) -> str:
    """The heading of a column in tables."""
    if column.group is ColumnGroup.METRIC:
        shown = column.name.replace(".", " ").replace("_", " ").replace("f1", "F1")
        return shown if column.ranked else f"{shown} in s"
    if column.group is ColumnGroup.PSDS:
        return column.name.upper()
    return "headline mean" if column.group is ColumnGroup.HEADLINE else column.name


def number(value: LeagueValue) -> Fraction | float | None:
    """The value, exact where it is."""
    return value.decimal if value.value is None else value.value


def rank_text(value: LeagueValue) -> str:
    """The rank; `=` before one that is shared."""
    return UNDEFINED if value.rank is None else f"={value.rank}" if value.tied else str(value.rank)


def rank_range(value: LeagueValue) -> str:
    """The interval of the rank."""
    if value.rank_low is None or value.rank_high is None:
        return ""
    return str(value.rank_low) if value.rank_low == value.rank_high else f"{value.rank_low} to {value.rank_high}"


def interval_text(bounded: LeagueValue | LeagueDifference) -> str:
    """The interval of a value."""
    if bounded.low is None or bounded.high is None:
        return ""
    return (
        f"{_signed(bounded.low)} to {_signed(bounded.high)}{outside_mark(bounded.decimal, bounded.low, bounded.high)}"
    )


def _signed(value: Fraction | float) -> str:
    """A decimal with the sign people write."""
    return decimal(value).replace("-", "−")


def value_text(league: League, value: LeagueValue) -> str:
    """The value: in parentheses if not earned, with a star if best, and `≈` if a nearly constant system is best."""
    exact = number(value)
    shown = UNDEFINED if exact is None else _signed(exact)
    if not value.earned and number(value) is not None:
        return f"({shown})"
    return shown if value.rank != 1 else f"{shown}* ≈" if value.system in league.nearly_constant else f"{shown}*"


def first_text(league: League, name: str) -> str:
    """The name of a system that is first, with a mark if it answers the same nearly throughout."""
    words = league.nearly_constant.get(name)
    return f"{name} (≈ {words})" if words else name


def standings_table(league: League, *, bars: bool = True, most: int | None = None) -> Table:
    """The systems by the column that orders the league: value, interval, rank, difference from the baseline.

    With `most`, only that many are shown, and a note says how many are not.
    """
    column = league.ranked_by
    # An error rate may exceed 1, and a bar of it would be cut.
    bounded = column.group is not ColumnGroup.METRIC or not column.name.endswith("error_rate")
    rows: list[list[Cell | str]] = []
    for system, value in islice(zip(league.systems, column.values, strict=True), most):
        bar = _bar(value) if bars and bounded else None
        rows.append(
            [
                _system(system.name, league),
                Cell(rank_text(value), Tone.STRONG),
                Cell(value_text(league, value), Tone.STRONG if value.earned else Tone.FAINT, bar=bar),
                interval_text(value),
                rank_range(value),
                *_difference_cells(league, value),
            ]
        )
    level = f"{short(league.settings.level * 100)} %"
    columns = [
        *words("system"),
        *numbers("rank"),
        Column(column_title(column), numbers=not bars),
        *numbers(
            f"{level} interval", "rank interval", f"− {league.settings.baseline}", "interval", "p (Holm over systems)"
        ),
    ]
    notes = [
        *_notes(league, [column]),
        *outside_notes(
            interval_text(bounded) for value in column.values for bounded in (value, value.difference) if bounded
        ),
    ]
    if any(value.difference and value.difference.corrected is not None for value in column.values):
        notes.append(HOLM)
    if most is not None and len(league.systems) > most:
        notes.append(f"{count(len(league.systems) - most, 'more system')}")
    return Table(f"Standings by {column_title(column)}", columns, rows, notes)


def score_table(league: League, group: ColumnGroup, *, detail: bool) -> Table:
    """Every system in the columns of a group; `detail` adds intervals and ranks to the cells."""
    columns = league.group(group)
    shaded = group is not ColumnGroup.METRIC
    rows = [
        [_system(name, league), *(_cell(league, column, column.values[k], detail, shaded) for column in columns)]
        for k, name in enumerate(league.names)
    ]
    headings = [*words("system"), *numbers(*(column_title(column) for column in columns))]
    shown = [interval_text(value) for column in columns for value in column.values]
    return Table(_TITLES[group], headings, rows, [*_notes(league, columns), *(outside_notes(shown) if detail else [])])


def best_table(league: League, *groups: ColumnGroup, most: int | None = None) -> Table:
    """The first system of each column, of all columns or of those of some groups; `most` limits their number."""
    every = [one for one in league.columns if one.leading and one.ranked and (not groups or one.group in groups)]
    columns = every[:most]
    more = [f"{len(every) - len(columns)} more with --full"] if len(columns) < len(every) else []
    rows = [
        [
            column_title(column),
            column.group.value,
            ("tie: " if len(column.best) > 1 else "") + ", ".join(first_text(league, name) for name in column.best),
            decimal(next((number(value) for value in column.values if value.rank == 1), None)),
        ]
        for column in columns
    ]
    notes = [*_nearly(league, columns), *more]
    return Table("Who is first", [*words("column", "kind", "first"), *numbers("value")], rows, notes)


def map_table(league: League, scores: LeagueMap, clause: str, title: str) -> Table:
    """Systems by classes or conditions, on one clause."""
    rows = [
        [_system(row.system, league), *(_map_cell(value) for value in row.values)]
        for row in scores.rows
        if row.clause == clause
    ]
    return Table(title, [*words("system"), *numbers(*scores.columns)], rows)


def systems_table(league: League) -> Table:
    """The origin of every system: its files, its format, its run."""
    rows: list[list[Cell | str]] = [
        [
            _system(one.name, league),
            one.prediction,
            one.format,
            one.decoding or "events as given",
            UNDEFINED if one.scores is None else one.scores.name,
            Cell((one.sha256 or UNDEFINED)[:16], code=True, title=one.sha256 or ""),
            Cell(one.run[:16], code=True, title=one.run),
        ]
        for one in league.systems
    ]
    return Table("Systems", words("system", "predictions", "format", "decoding", "scores", "SHA-256", "run"), rows)


def declared(league: League) -> list[tuple[str, str]]:
    """The facts that were declared, each with its name."""
    contract, settings, policies = league.contract, league.settings, league.policies
    facts = [
        ("contract", f"{contract.name}, digest {contract.digest}"),
        ("aggregation", league.aggregation.words),
        ("parameters set", contract.overridden or "none"),
        ("classes", f"{league.mode.replace('_', ' ')}: {', '.join(league.classes)}"),
        ("clips", f"{league.clips:,}"),
        *((f"{role} table", f"SHA-256 of its content {digest}") for role, digest in league.tables.items()),
        ("label map", policies.label_map or "none"),
        ("events outside clips", policies.outside),
        *((f"metric {name}", words) for name, words in policies.metrics.items()),
        ("ranked by", settings.rank_by),
        ("baseline", settings.baseline),
        ("intervals", how(league)),
        ("made with", ", ".join(f"{name} {value}" for name, value in league.versions.to_dict().items())),
    ]
    return [(name, text) for name, text in facts if text]


def how(league: League) -> str:
    """The way intervals were drawn, in words."""
    settings = league.settings
    level = f"{short(settings.level * 100)} %"
    clips = count(league.clips, "clip")
    return f"{level}, bootstrap over {clips} ({count(settings.draws, 'draw')}, seed {settings.seed}), paired"


def _system(name: str, league: League) -> Cell:
    return Cell(name, Tone.STRONG, note="baseline") if name == league.settings.baseline else Cell(name)


def _bar(value: LeagueValue) -> ShareBar | None:
    shown = number(value)
    if shown is None:
        return None
    # A bar is drawn of a share; what lies outside, such as a negative mean, is an empty or a full one.
    share = min(max(Fraction(shown), Fraction(0)), Fraction(1))
    return ShareBar(share, low=value.low, high=value.high)


def _difference_cells(league: League, value: LeagueValue) -> list[Cell | str]:
    difference = value.difference
    if difference is None:
        return ["", "", ""] if value.system == league.settings.baseline else [UNDEFINED, UNDEFINED, UNDEFINED]
    mark = " ●" if difference.significant else ""
    shown = difference.decimal if difference.value is None else difference.value
    text = ("+" if shown > 0 else "") + _signed(shown)
    p = UNDEFINED if difference.corrected is None else decimal(difference.corrected, 4)
    return [
        Cell(text + mark, Tone.STRONG if difference.significant else Tone.PLAIN),
        interval_text(difference) or UNDEFINED,
        p,
    ]


def _cell(league: League, column: LeagueColumn, value: LeagueValue, detail: bool, shaded: bool) -> Cell:
    shown = number(value)
    ranks = rank_range(value)
    rank = f"rank {rank_text(value)}{f' ({ranks})' if ' ' in ranks else ''}" if value.rank else ""
    said = "\n".join(part for part in (interval_text(value), rank) if part)
    difference = value.difference
    more = f"; {_signed(difference.decimal)} from the baseline" if difference else ""
    vacuous = f"; {percent(value.vacuous)} of it for clauses or classes that asked nothing" if value.vacuous else ""
    return Cell(
        value_text(league, value),
        Tone.STRONG if value.rank == 1 else Tone.PLAIN if value.earned else Tone.FAINT,
        note=said if detail else "",
        title=f"{column.name}: {said.replace(chr(10), ', ') or 'not ranked'}{more}{vacuous}",
        # A shade, which no verdict hangs on.
        loss=float(1 - min(max(shown, 0), 1)) if shaded and shown is not None else None,
    )


def _map_cell(value: Fraction | None) -> Cell:
    if value is None:
        return Cell("∅", Tone.FAINT, title="nothing was asked", loss=0.0)
    return Cell(decimal(value, 2), title=f"{decimal(value)} = {print_number(value)}", loss=float(1 - value))


def _notes(league: League, columns: Sequence[LeagueColumn]) -> list[str]:
    earned = all(value.earned or number(value) is None for column in columns for value in column.values)
    return [BEST, *([] if earned else [NOT_EARNED]), *_nearly(league, columns)]


def _nearly(league: League, columns: Sequence[LeagueColumn]) -> list[str]:
    """A note for each system that is first in one of these columns and answers the same nearly throughout."""
    first = {name for column in columns for name in column.best}
    return [
        f"≈: {name} is {words}; where that answer is asked for, being first says little"
        for name, words in league.nearly_constant.items()
        if name in first
    ]
