"""Union against class-indexed scoring, and what makes the difference (rule 16.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.core import Aggregation, EventClause, FrameClause, atoms
from tracepact.core.contract import CLASS_ATOMS
from tracepact.scoring import ClauseCounts, Score, Scorecard, aggregate
from tracepact.tools.audit.runs import scored_again
from tracepact.tools.score.run import Run
from tracepact.trace import Mode
from tracepact.trace.family import Atoms

Frames = NDArray[np.int64]

STRATA = ("none", "low", "even", "high")


@dataclass(frozen=True, slots=True)
class ClassSupport:
    """The active frames of a class on both sides."""

    label: str
    reference: int
    predicted: int

    @property
    def ratio(self) -> Fraction | None:
        """Predicted over reference frames; None without a reference."""
        return Fraction(self.predicted, self.reference) if self.reference else None

    @property
    def stratum(self) -> str | None:
        """Where the ratio lies; None for a class without a reference."""
        if self.ratio is None:
            return None
        if not self.predicted:
            return "none"
        return "low" if self.ratio < Fraction(1, 2) else "even" if self.ratio <= 2 else "high"


@dataclass(frozen=True, slots=True)
class Substitution:
    """Frames of a reference class where another class is predicted in its place."""

    reference: str
    predicted: str
    frames: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class Stratum:
    """The classes of one stratum and their pooled scores."""

    name: str
    classes: tuple[str, ...]
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class UnionGap:
    """Both scores of each clause under the contract's aggregation and pooled, and the mechanisms behind the gap.

    A clause without union score has None.
    """

    class_indexed: Mapping[Aggregation, Mapping[str, Score]]
    union: Mapping[Aggregation, Mapping[str, Score | None]]
    support: tuple[ClassSupport, ...]
    substitutions: tuple[Substitution, ...]
    confusion: tuple[tuple[Fraction | None, ...], ...]
    strata: tuple[Stratum, ...]

    @property
    def without_support(self) -> tuple[str, ...]:
        """The classes of the reference that are never predicted."""
        return tuple(found.label for found in self.support if found.stratum == "none")

    @property
    def aggregations(self) -> tuple[Aggregation, ...]:
        """The aggregations of the scores, the contract's first."""
        return tuple(self.class_indexed)

    def gap(self, clause: str, aggregation: Aggregation) -> Fraction | None:
        """Union minus class-indexed."""
        union = self.union[aggregation][clause]
        return None if union is None else union.value - self.class_indexed[aggregation][clause].value


def audit_union_gap(run: Run) -> UnionGap:
    """Score a run both ways and look at its classes frame by frame."""
    contract = run.card.contract
    classes = run.card if run.card.family.mode is Mode.CLASS_INDEXED else scored_again(run, mode=Mode.CLASS_INDEXED)
    possible = tuple(clause for clause in contract.clauses if not _compares_classes(clause))
    union = scored_again(run, contract=replace(contract, clauses=possible), mode=Mode.UNION) if possible else None
    aggregations = dict.fromkeys((contract.aggregation, Aggregation.POOLED))
    together, substituted = _overlaps(classes)
    labels = classes.family.classes
    support = _support(classes)
    return UnionGap(
        {aggregation: classes.vector(aggregation) for aggregation in aggregations},
        {
            aggregation: {
                clause.name: union.score(clause.name, aggregation) if union and clause in possible else None
                for clause in contract.clauses
            }
            for aggregation in aggregations
        },
        support,
        tuple(
            Substitution(a.label, b, int(substituted[i, j]), Fraction(int(substituted[i, j]), a.reference))
            for i, a in enumerate(support)
            for j, b in enumerate(labels)
            if substituted[i, j]
        ),
        tuple(
            tuple(Fraction(int(frames), a.reference) if a.reference else None for frames in row)
            for a, row in zip(support, together, strict=True)
        ),
        tuple(_strata(classes, support)),
    )


def _compares_classes(clause: FrameClause | EventClause) -> bool:
    if isinstance(clause, EventClause):
        return False
    return bool((atoms(clause.obligation) | atoms(clause.formula)) & set(CLASS_ATOMS))


def _masks(card: Scorecard) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The active frames of both sides that are not ignored, a row of words a class."""
    layout = card.family.layout(1)
    found = Atoms(card.family, layout)
    shape = len(card.family.classes), -1
    kept = ~layout.to_words(found.ignored)
    ref, pred = (layout.to_words(found[name]) & kept for name in ("ref_active", "pred_active"))
    return ref.reshape(shape), pred.reshape(shape)


def _overlaps(card: Scorecard) -> tuple[Frames, Frames]:
    """By reference class and predicted class: frames where both are active, and substitutions."""
    ref, pred = _masks(card)
    together = np.zeros((len(ref), len(pred)), dtype=np.int64)
    substituted = np.zeros_like(together)
    for index in range(len(ref)):
        together[index] = np.bitwise_count(ref[index] & pred).sum(axis=1)
        missed = ref[index] & ~pred[index]
        substituted[index] = np.bitwise_count(missed & pred & ~ref).sum(axis=1)
    return together, substituted


def _support(card: Scorecard) -> tuple[ClassSupport, ...]:
    ref, pred = (np.bitwise_count(words).sum(axis=1).tolist() for words in _masks(card))
    return tuple(map(ClassSupport, card.family.classes, ref, pred))


def _strata(card: Scorecard, support: tuple[ClassSupport, ...]) -> list[Stratum]:
    found = []
    for name in STRATA:
        rows = [index for index, item in enumerate(support) if item.stratum == name]
        counts = {
            clause: ClauseCounts(some.satisfied[rows], some.obligated[rows], some.counter[rows])
            for clause, some in card.counts.items()
        }
        scores = {clause: aggregate(some, Aggregation.POOLED) for clause, some in counts.items()} if rows else {}
        found.append(Stratum(name, tuple(support[index].label for index in rows), scores))
    return found
