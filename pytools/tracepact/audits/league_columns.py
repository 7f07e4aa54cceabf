"""A league as a record: columns, differences from the baseline, maps by class and condition."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, structs

from tracepact.audits.league_systems import Base, LeagueSystem, Policies, Settings, SystemRecord
from tracepact.data.family import Indices
from tracepact.evaluate.draws import Values, interval
from tracepact.evaluate.scores import (
    ClauseCounts,
    Score,
    aggregate,
    earned,
    headline_mean,
    risk_profiles,
    score_share,
    weighted_mean,
)
from tracepact.evaluate.uncertainty import NEAR, Parts, holm, p_of, two_sided
from tracepact.language.contract import Aggregation, Contract
from tracepact.records import Count, Digest, Record, Share
from tracepact.runs.report import ContractRecord, Versions
from tracepact.wording import rounded

# The columns of a league: what each system has there, exact and drawn, and whether it was earned (rule 16.16).

HEADLINE = "headline"
_ONE = Fraction(1)


class ColumnGroup(Enum):
    """What a column is about."""

    HEADLINE = "headline"
    CLAUSE = "clause"
    PROFILE = "profile"
    METRIC = "metric"
    PSDS = "psds"


@dataclass(frozen=True, slots=True, eq=False)
class LeagueEntry:
    """The value of one system in a column; `parts` are the clauses behind it, where it is a mean of clauses."""

    value: Fraction | float | None
    earned: bool
    vacuous: Fraction = Fraction(0)
    drawn: Values | None = None
    parts: Parts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """One value of every system."""

    name: str
    group: ColumnGroup
    about: str
    entries: tuple[LeagueEntry, ...]
    aggregation: Aggregation | None = None
    higher_is_better: bool = True
    ranked: bool = True
    leading: bool = True


def ends(drawn: Values, level: Fraction) -> tuple[float | None, float | None]:
    """The ends of the interval of the draws in which a value is defined, for reading; None if it never is."""
    # A draw may leave out every clip that a metric needs, and has no value then.
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return None, None
    low, high = interval(defined, level)
    return rounded(low), rounded(high)


def columns(contract: Contract, systems: Sequence[LeagueSystem]) -> list[ColumnValues]:
    """Every column, the headline first."""
    return [*_scores(contract, systems), *_metrics(systems), *_psds(systems)]


def _scores(contract: Contract, systems: Sequence[LeagueSystem]) -> Iterator[ColumnValues]:
    """The headline mean, the clauses and the profiles."""
    own = contract.aggregation
    vectors: dict[Aggregation, list[Mapping[str, Score]]] = {}

    def vector(aggregation: Aggregation) -> list[Mapping[str, Score]]:
        if aggregation not in vectors:
            vectors[aggregation] = [
                {name: aggregate(counts, aggregation) for name, counts in system.rows.counts.items()}
                for system in systems
            ]
        return vectors[aggregation]

    names = [clause.name for clause in contract.clauses]
    about = "mean of the clauses that ask something (16.13)"
    entries = _entries(dict.fromkeys(names, _ONE), vector(own), systems, own, only_asked=True)
    yield ColumnValues(HEADLINE, ColumnGroup.HEADLINE, about, tuple(entries), own)
    for name in names:
        entries = _entries({name: _ONE}, vector(own), systems, own)
        yield ColumnValues(name, ColumnGroup.CLAUSE, "", tuple(entries), own)
    for one in risk_profiles(contract, own).profiles:
        profile = one.profile
        weights = {clause: weight for clause, weight in profile.weights if weight}
        about = ", ".join(f"{clause} × {weight}" for clause, weight in weights.items())
        entries = _entries(weights, vector(profile.aggregation), systems, profile.aggregation)
        yield ColumnValues(profile.name, ColumnGroup.PROFILE, about, tuple(entries), profile.aggregation)


def _entries(
    weights: Parts,
    vectors: Sequence[Mapping[str, Score]],
    systems: Sequence[LeagueSystem],
    aggregation: Aggregation,
    *,
    only_asked: bool = False,
) -> Iterator[LeagueEntry]:
    """The weighted mean of some clauses; with `only_asked`, of those that ask something of a system (rule 16.13)."""
    # The clauses that ask nothing of each system, and which systems answer the same throughout, or in every clip.
    idle = [[name for name, score in vector.items() if score.vacuous] for vector in vectors]
    ranked = earned(list(weights), idle, [system.stored.constant for system in systems])
    for system, vector, is_earned in zip(systems, vectors, ranked, strict=True):
        parts = {name: weight for name, weight in weights.items() if not (only_asked and vector[name].vacuous)}
        if not parts:
            yield LeagueEntry(None, False, _ONE)
            continue
        value = weighted_mean((weight, vector[name].value) for name, weight in parts.items())
        share = weighted_mean((weight, score_share(vector[name])) for name, weight in parts.items())
        yield LeagueEntry(value, is_earned, share, _mean(parts, system.drawn[aggregation]), parts)


def _mean(parts: Parts, drawn: Mapping[str, Values]) -> Values:
    """The weighted mean of every draw."""
    weights = np.array([float(weight) for weight in parts.values()])
    means: Values = np.average(np.stack([drawn[name] for name in parts]), axis=0, weights=weights)
    return means


def _metrics(systems: Sequence[LeagueSystem]) -> Iterator[ColumnValues]:
    """A column for each value of the standard metrics; all systems have the same."""
    for number, same in enumerate(zip(*(system.stored.measures for system in systems), strict=True)):
        first = same[0]
        yield ColumnValues(
            first.name,
            ColumnGroup.METRIC,
            first.policy,
            tuple(
                LeagueEntry(
                    one.value.shown, one.earned and not system.stored.constant, drawn=system.drawn_measures[number]
                )
                for one, system in zip(same, systems, strict=True)
            ),
            higher_is_better=first.higher_is_better,
            ranked=first.ranked,
            leading=first.leading,
        )


def _psds(systems: Sequence[LeagueSystem]) -> Iterator[ColumnValues]:
    """A column for each scenario of PSDS, if the scores of a system were given; others have no value there."""
    by_name = [{one.name: one for one in system.stored.psds} for system in systems]
    known = {name: one for own in by_name for name, one in own.items()}
    for name, first in known.items():
        entries = (
            # No draws: each would need a PSD ROC of its own (rule 16.20).
            LeagueEntry(own[name].value.shown, own[name].earned and not system.stored.constant)
            if name in own
            else LeagueEntry(None, False)
            for own, system in zip(by_name, systems, strict=True)
        )
        yield ColumnValues(name, ColumnGroup.PSDS, first.policy, tuple(entries))


# A league as a record: what JSON holds and every view reads (spec/schemas/league.schema.json).

Rank = Annotated[int, Meta(ge=1)]
Names = Annotated[tuple[str, ...], Meta(extra_json_schema={"uniqueItems": True})]


class LeagueDifference(Record, frozen=True):
    """A system minus the baseline (16.18); the ends of the interval are for reading."""

    value: Annotated[Fraction | None, Meta(description="The exact difference; null where a value is a float.")]
    decimal: float
    low: float | None
    high: float | None
    p: Annotated[Share | None, Meta(description="Two-sided (16.7); null without draws.")]
    corrected: Annotated[Share | None, Meta(description="After Holm over the systems (16.8).")]
    significant: bool


class LeagueValue(Record, frozen=True):
    """What one system has in a column."""

    system: str
    value: Annotated[Fraction | None, Meta(description="The exact value; null where it is undefined or a float.")]
    decimal: float | None
    low: float | None
    high: float | None
    vacuous: Annotated[Share, Meta(description="The share from entries without an obligation (16.11).")]
    earned: Annotated[bool, Meta(description="Whether it is ranked (16.12, 16.16).")]
    rank: Rank | None
    tied: Annotated[bool, Meta(description="Whether another system has the same rank.")]
    rank_low: Rank | None
    rank_high: Rank | None
    difference: Annotated[
        LeagueDifference | None, Meta(description="From the baseline; null for itself, and where one is not earned.")
    ]


class LeagueColumn(Record, frozen=True):
    """One value of every system, in the league's order."""

    name: str
    group: ColumnGroup
    about: Annotated[str, Meta(description="The weights of a profile, the policy of a metric.")]
    aggregation: Annotated[Aggregation | None, Meta(description="Null for metrics, which bring their own.")]
    higher_is_better: bool
    ranked: Annotated[bool, Meta(description="False for means over matched pairs, which rank nobody (16.16).")]
    leading: Annotated[bool, Meta(description="Whether tables for people show it.")]
    best: Annotated[Names, Meta(description="Who is first; several are a tie, none if none is earned.")]
    values: Annotated[tuple[LeagueValue, ...], Meta(min_length=2)]


class MapRow(Record, frozen=True):
    """The scores of one system on one clause, by class or condition; null where nothing was asked."""

    system: str
    clause: Annotated[str, Meta(description="A clause, or `mean` for the mean of those that ask something.")]
    values: tuple[Share | None, ...]


class LeagueMap(Record, frozen=True):
    """The scores of the systems by class, pooled over clips, or by condition (16.19)."""

    columns: tuple[str, ...]
    rows: tuple[MapRow, ...]


class ClipDifference(Record, frozen=True):
    """A clip on which systems differ (16.19)."""

    clip: str
    difference: Annotated[float, Meta(ge=0, description="The mean absolute difference of the losses of two systems.")]
    losses: Annotated[tuple[float, ...], Meta(description="The loss of each system, in the league's order.")]


class League(Record, frozen=True, kw_only=True):
    """What `tracepact league --format json` prints: many systems on the same data (16.15 to 16.19)."""

    format: Literal["tracepact-league/1"]
    versions: Versions
    contract: ContractRecord
    aggregation: Aggregation
    mode: str
    clips: Count
    classes: tuple[str, ...]
    tables: Annotated[dict[str, Digest], Meta(description="The SHA-256 of what each table says, by role.")]
    policies: Policies
    settings: Settings
    systems: Annotated[tuple[SystemRecord, ...], Meta(min_length=2, description="In the order of the league.")]
    columns: tuple[LeagueColumn, ...]
    by_class: LeagueMap
    by_condition: Annotated[LeagueMap | None, Meta(description="Null without conditions.")]
    most_different: Annotated[tuple[ClipDifference, ...], Meta(description="The clips on which systems differ most.")]

    @property
    def names(self) -> list[str]:
        """The systems in the order of the league."""
        return [system.name for system in self.systems]

    @property
    def nearly_constant(self) -> dict[str, str]:
        """The systems that answer the same nearly throughout, each with what it answers and where (16.12)."""
        found = ((system.name, system.nearly_constant) for system in self.systems)
        return {name: answers.words(len(self.classes)) for name, answers in found if answers is not None}

    def group(self, *groups: ColumnGroup) -> list[LeagueColumn]:
        """The columns of some groups that tables for people show."""
        return [column for column in self.columns if column.group in groups and column.leading]

    @property
    def ranked_by(self) -> LeagueColumn:
        """The column that orders the league."""
        return next(column for column in self.columns if column_id(column) == self.settings.rank_by)


def column_id(column: LeagueColumn) -> str:
    """The full name of a column, such as `profile.balanced` or `metric.event_f1`; the headline has no group."""
    return full_name(column.group, column.name)


def full_name(group: ColumnGroup, name: str) -> str:
    """The name of a column behind that of its group."""
    # The headline is alone in its group.
    return name if group is ColumnGroup.HEADLINE else f"{group.value}.{name}"


# How systems differ from the baseline, with intervals and p corrected over the systems (rule 16.18).


def differences(column: ColumnValues, systems: Sequence[LeagueSystem], base: Base) -> list[LeagueDifference | None]:
    """The difference of every system from the baseline, None where there is none."""
    first = next(k for k, system in enumerate(systems) if system.name == base.settings.baseline)
    # One who has not earned a value is compared with nobody: the difference would be earned by the other alone.
    before = column.entries[first]
    results = [
        None if k == first or not (before.earned and after.earned) else _between(before, after)
        for k, after in enumerate(column.entries)
    ]
    drawn: dict[int, Values] = {}
    for k, after in enumerate(column.entries):
        if results[k] is not None and before.drawn is not None and after.drawn is not None:
            drawn[k] = after.drawn - before.drawn
    p = {k: _p(some, column, k, systems[first], systems[k], base) for k, some in drawn.items()}
    level = base.settings.level
    for k, corrected in zip(p, holm(list(p.values())), strict=True):
        if (one := results[k]) is not None:
            low, high = ends(drawn[k], level)
            is_significant = corrected <= 1 - level
            results[k] = structs.replace(
                one, low=low, high=high, p=p[k], corrected=corrected, significant=is_significant
            )
    return results


def _between(before: LeagueEntry, after: LeagueEntry) -> LeagueDifference | None:
    """The difference of two values, without draws."""
    if before.value is None or after.value is None:
        return None
    value = after.value - before.value
    exact = value if isinstance(value, Fraction) else None
    return LeagueDifference(exact, rounded(value), None, None, None, None, False)


def _p(
    drawn: Values, column: ColumnValues, index: int, baseline: LeagueSystem, system: LeagueSystem, base: Base
) -> Fraction:
    """The p of drawn differences; values of clauses that are earned are made of the same clauses."""
    parts = column.entries[index].parts
    if parts is None or column.aggregation is None:
        # Drawn metrics are floats: the sign of a difference that is only rounding would count as evidence (rule 16.18).
        signs = np.where(np.abs(drawn) < NEAR, 0, np.sign(np.nan_to_num(drawn)))
        return two_sided(signs.astype(np.int8))
    return p_of(drawn, parts, baseline.rows, system.rows, column.aggregation, base.settings.bootstrap)


# What systems score by class and by condition, and the clips on which they differ most (rule 16.19).

MEAN = "mean"
_SHOWN = 12


def by_class(systems: Sequence[LeagueSystem]) -> LeagueMap:
    """Every clause, and their mean, by class, pooled over clips."""
    classes = systems[0].rows.classes
    parts = [
        [{name: c.select(label=k) for name, c in system.rows.counts.items()} for k in range(len(classes))]
        for system in systems
    ]
    # Within one class there is nothing to average over but clips, of which many would be vacuous.
    return _map(systems, classes, parts, Aggregation.POOLED)


def by_condition(systems: Sequence[LeagueSystem], conditions: Mapping[str, str], aggregation: Aggregation) -> LeagueMap:
    """Every clause, and their mean, by the condition of the clips."""
    groups: dict[str, list[int]] = {}
    for index, clip in enumerate(systems[0].rows.clips):
        groups.setdefault(conditions[clip], []).append(index)
    names = tuple(sorted(groups))
    chosen: list[Indices] = [np.array(groups[name], dtype=np.int64) for name in names]
    parts = [
        [{name: c.select(clips=some) for name, c in system.rows.counts.items()} for some in chosen]
        for system in systems
    ]
    return _map(systems, names, parts, aggregation)


def _map(
    systems: Sequence[LeagueSystem],
    names: tuple[str, ...],
    parts: Sequence[Sequence[Mapping[str, ClauseCounts]]],
    aggregation: Aggregation,
) -> LeagueMap:
    rows: list[MapRow] = []
    for system, cells in zip(systems, parts, strict=True):
        scores = [{name: aggregate(counts, aggregation) for name, counts in cell.items()} for cell in cells]
        rows.append(MapRow(system.name, MEAN, tuple(headline_mean(vector.values()) for vector in scores)))
        for clause in scores[0] if scores else ():
            values = (None if vector[clause].vacuous else vector[clause].value for vector in scores)
            rows.append(MapRow(system.name, clause, tuple(values)))
    return LeagueMap(names, tuple(rows))


def most_different(systems: Sequence[LeagueSystem]) -> tuple[ClipDifference, ...]:
    """The clips on which systems differ most, of equal ones the first; clips without a difference are left out."""
    by_clip = np.stack([losses(system).sum(axis=0) for system in systems])
    ordered = np.sort(by_clip, axis=0)
    count = len(systems)
    # In sorted order the k-th loss is the greater one of k pairs and the smaller one of count − 1 − k.
    factors = 2 * np.arange(count) - (count - 1)
    spread = factors @ ordered / (count * (count - 1) / 2)
    # Stable: of clips on which systems differ alike the first are shown, in every run of the program.
    order = np.argsort(-spread, kind="stable")[:_SHOWN]
    clips = systems[0].rows.clips
    return tuple(
        ClipDifference(clips[k], rounded(float(spread[k])), tuple(rounded(float(loss)) for loss in by_clip[:, k]))
        for k in order.tolist()
        if spread[k] > 0
    )


def losses(system: LeagueSystem) -> Values:
    """The loss of a system in every class and clip, over the clauses."""
    total: Values = np.zeros((len(system.rows.classes), len(system.rows.clips)))
    for counts in system.rows.counts.values():
        # Where nothing is asked the loss is that of rule 7.4: all of it with counter-evidence, else none.
        asked = np.maximum(counts.obligated, 1)
        total += np.where(counts.obligated > 0, 1 - counts.satisfied / asked, counts.counter)
    return total
