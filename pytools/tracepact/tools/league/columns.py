"""The columns of a league: what each system has there, exact and drawn, and whether it was earned (rule 16.16)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from tracepact.core import Aggregation, Contract
from tracepact.scoring import Score, aggregate
from tracepact.scoring.bootstrap import Values, interval
from tracepact.scoring.risk_profiles import risk_profiles
from tracepact.scoring.uncertainty import Parts
from tracepact.scoring.vacuity import earned, headline_mean, score_share, weighted_mean
from tracepact.tools.league.system import LeagueSystem
from tracepact.wording import rounded

HEADLINE = "headline"
_ONE = Fraction(1)


class Group(Enum):
    """What a column is about."""

    HEADLINE = "headline"
    CLAUSE = "clause"
    PROFILE = "profile"
    METRIC = "metric"
    PSDS = "psds"


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What one system has in a column; `parts` are the clauses behind it, where it is a mean of clauses."""

    value: Fraction | float | None
    earned: bool
    vacuous: Fraction = Fraction(0)
    drawn: Values | None = None
    parts: Parts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One value of every system."""

    name: str
    group: Group
    about: str
    entries: tuple[Entry, ...]
    aggregation: Aggregation | None = None
    higher_is_better: bool = True
    ranked: bool = True
    leading: bool = True


def ends(drawn: Values, level: Fraction) -> tuple[float | None, float | None]:
    """The ends of the interval of the draws in which a value is defined, for reading; None if it never is."""
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return None, None
    low, high = interval(defined, level)
    return rounded(low), rounded(high)


def columns(contract: Contract, systems: Sequence[LeagueSystem]) -> list[Column]:
    """Every column, the headline first."""
    return [*_scores(contract, systems), *_metrics(systems), *_psds(systems)]


def _scores(contract: Contract, systems: Sequence[LeagueSystem]) -> Iterator[Column]:
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
    yield Column(HEADLINE, Group.HEADLINE, about, tuple(_headline(names, vector(own), systems, own)), own)
    for name in names:
        entries = _weighted({name: _ONE}, vector(own), systems, own)
        yield Column(name, Group.CLAUSE, "", tuple(entries), own)
    for one in risk_profiles(contract, own).profiles:
        profile = one.profile
        weights = {clause: weight for clause, weight in profile.weights if weight}
        about = ", ".join(f"{clause} × {weight}" for clause, weight in weights.items())
        entries = _weighted(weights, vector(profile.aggregation), systems, profile.aggregation)
        yield Column(profile.name, Group.PROFILE, about, tuple(entries), profile.aggregation)


def _headline(
    names: Sequence[str],
    vectors: Sequence[Mapping[str, Score]],
    systems: Sequence[LeagueSystem],
    aggregation: Aggregation,
) -> Iterator[Entry]:
    ranked = earned(names, [_idle(vector) for vector in vectors], _constant(systems))
    for system, vector, is_earned in zip(systems, vectors, ranked, strict=True):
        parts = {name: _ONE for name in names if not vector[name].vacuous}
        value = headline_mean((score.value, score.vacuous) for score in vector.values())
        if not parts:
            yield Entry(None, False, _ONE)
            continue
        share = weighted_mean((_ONE, score_share(vector[name])) for name in parts)
        yield Entry(value, is_earned, share, _mean(parts, system.drawn[aggregation]), parts)


def _weighted(
    parts: Parts, vectors: Sequence[Mapping[str, Score]], systems: Sequence[LeagueSystem], aggregation: Aggregation
) -> Iterator[Entry]:
    """The weighted mean of some clauses."""
    ranked = earned(list(parts), [_idle(vector) for vector in vectors], _constant(systems))
    for system, vector, is_earned in zip(systems, vectors, ranked, strict=True):
        value = weighted_mean((weight, vector[name].value) for name, weight in parts.items())
        share = weighted_mean((weight, score_share(vector[name])) for name, weight in parts.items())
        yield Entry(value, is_earned, share, _mean(parts, system.drawn[aggregation]), parts)


def _constant(systems: Sequence[LeagueSystem]) -> list[bool]:
    """Which systems answer the same throughout, or in every clip."""
    return [system.stored.constant for system in systems]


def _idle(vector: Mapping[str, Score]) -> list[str]:
    """The clauses that ask nothing of a system."""
    return [name for name, score in vector.items() if score.vacuous]


def _mean(parts: Parts, drawn: Mapping[str, Values]) -> Values:
    """The weighted mean of every draw."""
    weights = np.array([float(weight) for weight in parts.values()])
    found: Values = np.average(np.stack([drawn[name] for name in parts]), axis=0, weights=weights)
    return found


def _metrics(systems: Sequence[LeagueSystem]) -> Iterator[Column]:
    """A column for each value of the standard metrics; all systems have the same."""
    for number, same in enumerate(zip(*(system.stored.measures for system in systems), strict=True)):
        first = same[0]
        yield Column(
            first.name,
            Group.METRIC,
            first.policy,
            tuple(
                Entry(one.number, one.earned and not system.stored.constant, drawn=system.drawn_measures[number])
                for one, system in zip(same, systems, strict=True)
            ),
            higher_is_better=first.higher_is_better,
            ranked=first.ranked,
            leading=first.leading,
        )


def _psds(systems: Sequence[LeagueSystem]) -> Iterator[Column]:
    """A column for each scenario of PSDS, if the scores of a system were given; others have no value there."""
    found = [{one.name: one for one in system.stored.psds} for system in systems]
    known = {name: one for own in found for name, one in own.items()}
    for name, first in known.items():
        entries = (
            Entry(own[name].number, own[name].earned and not system.stored.constant)
            if name in own
            else Entry(None, False)
            for own, system in zip(found, systems, strict=True)
        )
        yield Column(name, Group.PSDS, first.policy, tuple(entries))
