"""Scores: exact fractions with their counts, aggregations, and what counts without an obligation (chapter 7)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from math import lcm
from typing import NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tracepact.data.family import Atoms, AtomWords, BlockAtoms, Family, Layout
from tracepact.diagnostics.collection import InvalidInput, known_name
from tracepact.diagnostics.findings import Diagnostic, Source, Span, TextPlace
from tracepact.evaluate.masks import IntegerAlgebra, masks_evaluator
from tracepact.language.compilation import parse_contract
from tracepact.language.contract import Aggregation, Contract, FrameClause, OmittedEntries, Profile
from tracepact.records import Record

# Values by clause: a dictionary that answers the name of no clause with those there are.

_V = TypeVar("_V")


class ByClause(dict[str, _V]):
    """A dictionary of clauses; a wrong name raises InvalidInput with the choices and the nearest one."""

    __slots__ = ()

    def __missing__(self, name: str) -> NoReturn:
        known_name(name, self, "clause", "unknown-clause")
        raise AssertionError(f"`{name}` is there")


# Scores: exact fractions with their counts, and the aggregations over clips and classes (chapter 7).

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
LOGIC = "logic"
"""The key of the mean of the vector in data (rule 7.7), beside the names of clauses."""
MEAN = "mean of the vector"
"""What a reader sees in its place."""


@dataclass(frozen=True, slots=True)
class Score:
    """A value with the counts behind it.

    Attributes:
        value: the score, exact.
        satisfied: how many obligations are satisfied, over all clips and classes.
        obligated: how many obligations there are.
        vacuous: whether the value is 1 because there is no obligation at all (rules 7.3 and 7.5).
        entries: how many values a mean was taken of.
        vacuous_entries: how many of these are 1 because they have no obligation.
        counter_entries: how many of these are 0 because an event clause without obligations met events (rule 7.4).

    Examples:
        >>> import tracepact
        >>> run = tracepact.score("boundary_gate", ref=[(1, 2)], pred=[(1, 1.5)], durations=3)
        >>> missing = run.card.score("missing_guard")  # the last 23 of 50 frames have no prediction within 2 frames
        >>> missing.value, missing.satisfied, missing.obligated
        (Fraction(27, 50), 27, 50)
    """

    value: Fraction
    satisfied: int
    obligated: int
    vacuous: bool
    entries: int = 1
    vacuous_entries: int = 0
    counter_entries: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ClauseCounts:
    """Satisfied and obligated counts of one clause, by class and clip.

    `counter` marks where an empty obligation is counter evidence (rule 7.4); frame clauses have none.
    """

    satisfied: Counts
    obligated: Counts
    counter: Flags

    @property
    def vacuous(self) -> Flags:
        """Where there is no obligation and no counter evidence."""
        vacuous: Flags = (self.obligated == 0) & ~self.counter
        return vacuous

    def added(self, *, clips: bool, classes: bool) -> "ClauseCounts":
        """The counts of all clips, or of all classes, or of both, as one."""
        axes = tuple(axis for axis, asked in enumerate((classes, clips)) if asked)
        return ClauseCounts(
            self.satisfied.sum(axis=axes, keepdims=True),
            self.obligated.sum(axis=axes, keepdims=True),
            np.asarray(self.counter.any(axis=axes, keepdims=True)),
        )

    def select(self, *, clips: Counts | None = None, label: int | None = None) -> "ClauseCounts":
        """The counts of some clips, or of one class."""
        rows = slice(None) if label is None else slice(label, label + 1)
        columns = slice(None) if clips is None else clips
        return ClauseCounts(
            self.satisfied[rows][:, columns], self.obligated[rows][:, columns], self.counter[rows][:, columns]
        )

    def score(self, label: int, clip: int) -> Score:
        """The score of one clip and class."""
        return _score(
            int(self.satisfied[label, clip]), int(self.obligated[label, clip]), bool(self.counter[label, clip])
        )


def aggregate(counts: ClauseCounts, aggregation: Aggregation) -> Score:
    """One score for all clips and classes (rule 7.5)."""
    steps = aggregation.steps
    return mean_tally(counts.added(clips=steps.adds_clips, classes=steps.adds_classes), steps.leaves_out).score


def taken(empty: Flags, counter: Flags, leaves_out: OmittedEntries) -> Flags:
    """Which entries take part in a mean, given where nothing was obliged and where that is counter evidence."""
    match leaves_out:
        case OmittedEntries.NOTHING:
            return np.ones_like(empty)
        case OmittedEntries.VACUOUS:
            return ~empty | counter


def _score(satisfied: int, obligated: int, counter: bool) -> Score:
    """Rules 7.2 to 7.4."""
    if obligated:
        return Score(Fraction(satisfied, obligated), satisfied, obligated, vacuous=False)
    return Score(
        Fraction(0 if counter else 1),
        0,
        0,
        vacuous=not counter,
        vacuous_entries=int(not counter),
        counter_entries=int(counter),
    )


class MeanTally(Record, frozen=True):
    """What a mean over clips of the mean over classes is made of, exact, so that those of some clips can be added.

    Entry (class, clip) contributes satisfied / (obligated · entries of its clip). `sums` are the contributions by their
    denominator, as whole numbers; `idle` says that no entry has an obligation or counter evidence.
    """

    sums: dict[int, int]
    clips: int
    satisfied: int
    obligated: int
    idle: bool
    entries: int
    vacuous_entries: int
    counter_entries: int

    def __add__(self, other: "MeanTally") -> "MeanTally":
        sums = dict(self.sums)
        for kind, part in other.sums.items():
            sums[kind] = sums.get(kind, 0) + part
        return MeanTally(
            dict(sorted(sums.items())),
            self.clips + other.clips,
            self.satisfied + other.satisfied,
            self.obligated + other.obligated,
            self.idle and other.idle,
            self.entries + other.entries,
            self.vacuous_entries + other.vacuous_entries,
            self.counter_entries + other.counter_entries,
        )

    @property
    def score(self) -> Score:
        """The mean with its counts."""
        if not self.clips:
            return Score(Fraction(1), self.satisfied, self.obligated, vacuous=True, entries=0)
        common = lcm(*self.sums)
        total = sum(part * (common // kind) for kind, part in self.sums.items())
        counts = self.satisfied, self.obligated, self.idle
        return Score(
            Fraction(total, common * self.clips), *counts, self.entries, self.vacuous_entries, self.counter_entries
        )


def mean_tally(counts: ClauseCounts, leaves_out: OmittedEntries) -> MeanTally:
    """The mean over clips (columns) of the mean over classes (rows), as what it is made of."""
    # Every entry is a fraction of its own denominator. Sums by denominator stay whole numbers, so millions of entries
    # are added by NumPy, and a few fractions are left at the end.
    vacuous = counts.vacuous
    kept = taken(counts.obligated == 0, counts.counter, leaves_out)
    per_clip = kept.sum(axis=0)
    numerator = np.where(counts.obligated > 0, counts.satisfied, vacuous)[kept]
    denominator = (np.maximum(counts.obligated, 1) * per_clip)[kept]
    return MeanTally(
        _sums_by_kind(denominator, numerator),
        int((per_clip > 0).sum()),
        int(counts.satisfied.sum()),
        int(counts.obligated.sum()),
        bool(vacuous.all()),
        int(kept.sum()),
        int((vacuous & kept).sum()),
        int((counts.counter & (counts.obligated == 0) & kept).sum()),
    )


_DENSE = 64
"""If no denominator exceeds this many times their number, they are counted in a table, which needs no sorting."""


def _sums_by_kind(kinds: Counts, parts: Counts) -> dict[int, int]:
    """The sums of the parts of each kind, by kind; sums stay far below 2**53, where floats add exactly."""
    if not len(kinds):
        return {}
    # Denominators are products of obligated frames and entries: small, and often the same. Counting in a table beats
    # sorting until the table is mostly empty.
    if int(kinds.max()) <= _DENSE * len(kinds):
        distinct = np.flatnonzero(np.bincount(kinds))
        sums = np.bincount(kinds, weights=parts)[distinct].astype(np.int64)
    else:
        distinct, inverse = np.unique(kinds, return_inverse=True)
        sums = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(sums, inverse, parts)
    return dict(zip(distinct.tolist(), sums.tolist(), strict=True))


def shown_name(key: str) -> str:
    """A clause, or the mean of the vector, as a reader sees it."""
    return MEAN if key == LOGIC else key


# The counts of frame clauses over a family, block by block: so few words at a time that masks stay in the cache.


def frame_counts(
    clauses: Sequence[FrameClause], family: Family, layout: Layout, atoms: Atoms
) -> Iterator[tuple[str, ClauseCounts, int]]:
    """The name of each frame clause, its counts, and the mask of its violated frames."""
    if not clauses:
        return
    evaluate = masks_evaluator(formula for clause in clauses for formula in (clause.obligation, clause.formula))
    obligations, failed = (np.zeros((len(clauses), layout.segments), dtype=np.int64) for _ in range(2))
    masks: list[list[bytes]] = [[] for _ in clauses]
    whole = AtomWords(atoms, layout)
    # A graph of formulas goes over its masks dozens of times. Block by block the masks at hand stay in the cache.
    for block in layout.blocks():
        part, here = BlockAtoms(whole, block), slice(block.first, block.last)
        evaluated = evaluate(part, IntegerAlgebra(part.valid, layout.longest))
        obliged = part.valid ^ part.ignored
        for number, (obligation, formula) in enumerate(zip(evaluated[::2], evaluated[1::2], strict=True)):
            obligated = obligation & obliged
            obligations[number, here] = layout.block_counts(block.octets(obligated), block)
            violated = block.octets(obligated & ~formula)
            failed[number, here] = layout.block_counts(violated, block)
            masks[number].append(violated)
    shape = len(family.classes), len(family.clips)
    no_counter = np.zeros(shape, dtype=np.bool_)
    for clause, total, fails, parts in zip(clauses, obligations, failed, masks, strict=True):
        counts = ClauseCounts((total - fails).reshape(shape), total.reshape(shape), no_counter)
        yield clause.name, counts, int.from_bytes(b"".join(parts), "little")


# How much of a value counts without an obligation behind it (rules 7.3, 16.11 to 16.13).


def vacuous_share(vacuous: bool, vacuous_entries: int, entries: int) -> Fraction:
    """The share of the averaged entries that are vacuous and count 1; all of a value that is vacuous itself."""
    return Fraction(1) if vacuous else Fraction(vacuous_entries, entries)


def score_share(score: Score) -> Fraction:
    """The vacuous share of a score."""
    return vacuous_share(score.vacuous, score.vacuous_entries, score.entries)


def weighted_mean(parts: Iterable[tuple[Fraction, Fraction]]) -> Fraction:
    """The mean of values, each behind its weight."""
    weighted = list(parts)
    return sum((w * v for w, v in weighted), Fraction(0)) / sum((w for w, _ in weighted), Fraction(0))


class ScoredValue(Protocol):
    """A value and whether nothing was asked: a `Score`, or the record of one."""

    @property
    def value(self) -> Fraction:
        """The exact value."""

    @property
    def vacuous(self) -> bool:
        """Whether nothing was asked."""


def vector_mean(scores: Iterable[ScoredValue]) -> Fraction:
    """The mean of a vector (rule 7.7); a vacuous score counts as its value, 1."""
    values = [score.value for score in scores]
    return sum(values, Fraction(0)) / len(values)


def headline_mean(scores: Iterable[ScoredValue]) -> Fraction | None:
    """The mean of the scores that are not vacuous; None where all are (rule 16.13)."""
    telling = [score for score in scores if not score.vacuous]
    return vector_mean(telling) if telling else None


def profile_mean(profile: Profile, vector: Mapping[str, ScoredValue]) -> Fraction:
    """The weighted mean of a risk profile over a vector under the profile's aggregation (rule 7.8)."""
    return weighted_mean((weight, vector[clause].value) for clause, weight in profile.weights)


def earned(clauses: Collection[str], vacuous: Sequence[Collection[str]], constant: Sequence[bool]) -> list[bool]:
    """Whether each of several values over the clauses is earned (rule 16.12).

    Given are, for each, the vacuous clauses, and whether the system is constant.
    """
    telling = set(clauses) - set(clauses).intersection(*vacuous)
    return [
        bool(telling) and telling.isdisjoint(some) and not is_constant
        for some, is_constant in zip(vacuous, constant, strict=True)
    ]


# Risk profiles: those over the starter guards, the contract's own, and those a user writes (rule 16.10).

STARTER_PROFILES: dict[str, tuple[str, ...]] = {
    "support_recall": ("missing_guard",),
    "edge_timing": ("onset_guard", "offset_guard"),
    "silence_protection": ("spurious_guard", "silence_guard"),
    "event_integrity": ("duration_guard", "fragmentation_guard"),
}
"""The guards that each of them weighs, equally; every starter guard is in exactly one of them."""
BALANCED = "balanced"


class ProfileOrigin(Enum):
    """Where a profile comes from."""

    STARTER = "starter guards"
    CONTRACT = "contract"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class RiskProfile:
    """A profile and where it comes from."""

    profile: Profile
    origin: ProfileOrigin


@dataclass(frozen=True, slots=True)
class RiskProfiles:
    """The profiles of an audit; `absent` are those over starter guards that the contract lacks."""

    profiles: tuple[RiskProfile, ...]
    absent: tuple[str, ...]


def risk_profiles(
    contract: Contract, aggregation: Aggregation, profiles: RiskProfiles | Sequence[str] = ()
) -> RiskProfiles:
    """The profile `balanced`, those over the starter guards, the contract's own, and the given ones.

    A profile of the contract replaces one of the same name. A given one is written as in a contract, such as
    `mine : onset_guard = 2`, and uses `aggregation` unless it names its own with `over …`. InvalidInput if a given
    profile is wrong, or has the name of another. `RiskProfiles` are returned as they are.
    """
    if isinstance(profiles, RiskProfiles):
        return profiles
    declared = {profile.name: RiskProfile(profile, ProfileOrigin.CONTRACT) for profile in contract.profiles}
    clauses = tuple(clause.name for clause in contract.clauses)
    starter = {BALANCED: clauses, **STARTER_PROFILES}
    absent = tuple(n for n, guards in starter.items() if n not in declared and not set(guards) <= set(clauses))
    starters = {
        name: RiskProfile(_even(name, aggregation, guards), ProfileOrigin.STARTER)
        for name, guards in starter.items()
        if name not in declared and name not in absent
    }
    ordered = {name: declared.get(name) or starters[name] for name in starter if name in declared or name in starters}
    written = [RiskProfile(profile, ProfileOrigin.GIVEN) for profile in _written(contract, aggregation, profiles)]
    for profile in written:
        if (name := profile.profile.name) in ordered:
            help = "give it another name"
            raise InvalidInput([Diagnostic("repeated-name", f"there is already a profile `{name}`", None, help)])
    return RiskProfiles((*{**ordered, **declared}.values(), *written), absent)


def _even(name: str, aggregation: Aggregation, clauses: Sequence[str]) -> Profile:
    return Profile(name, aggregation, tuple((clause, Fraction(1)) for clause in clauses))


def _written(contract: Contract, aggregation: Aggregation, lines: Sequence[str]) -> tuple[Profile, ...]:
    """Profiles written as in a contract, without the word `profile`; parsed as if they were at its end."""
    profiles: list[Profile] = []
    text = contract.text.rstrip()
    for line in lines:
        text += f"\nprofile {' '.join(line.split())}"
        read = parse_contract(text + "\n", name="--profile")
        added = read.profiles[len(contract.profiles) + len(profiles) :]
        if len(added) != 1 or len(read.clauses) != len(contract.clauses):
            place = TextPlace(Source("--profile", line), Span(0, len(line)))
            help = "give --profile once for each"
            raise InvalidInput([Diagnostic("syntax", f"`{line}` is more than one profile", place, help)])
        says = line.partition(":")[0].split()[1:2] == ["over"]
        profiles += added if says else [replace(profile, aggregation=aggregation) for profile in added]
    return tuple(profiles)
