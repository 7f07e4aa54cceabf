"""The matcher audit: greedy and optimal side by side on given data, on bridges, and on the stress track."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.core import Contract, MatcherKind
from tracepact.events.evaluate import EventEvaluation, evaluate_events
from tracepact.tools.audit.matcher_cases import (
    KNOWN_CASES,
    STRESS_STEP,
    Case,
    bridge_cases,
    family_of_cases,
    stress_track,
)
from tracepact.trace import Family


@dataclass(frozen=True, slots=True)
class MatcherOutcome:
    """What one matcher gives: pairs, boundary F1 and the pooled values of the event clauses."""

    pairs: int
    boundary_f1: Fraction
    values: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class MatcherComparison:
    """Both matchers on one family. A case is a clip and class with a run on either side."""

    refs: int
    preds: int
    cases: int
    changed: int
    greedy: MatcherOutcome
    optimal: MatcherOutcome

    @property
    def changed_share(self) -> Fraction:
        """The share of cases whose matches differ."""
        return Fraction(self.changed, self.cases) if self.cases else Fraction(0)

    @property
    def changed_values(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The clauses whose pooled values differ: greedy, optimal."""
        both = ((name, value, self.optimal.values[name]) for name, value in self.greedy.values.items())
        return {name: (greedy, optimal) for name, greedy, optimal in both if greedy != optimal}

    @property
    def boundary_f1_shift(self) -> Fraction:
        """Boundary F1 of optimal minus that of greedy."""
        return self.optimal.boundary_f1 - self.greedy.boundary_f1


@dataclass(frozen=True, slots=True)
class MatcherAudit:
    """The comparison on given data and bridges of its references, if any was given, and on built-in cases."""

    given: MatcherComparison | None
    bridges: MatcherComparison | None
    known: Mapping[str, MatcherComparison]
    stress: Mapping[str, MatcherComparison]


def audit_matcher(contract: Contract, family: Family | None = None) -> MatcherAudit:
    """Compare both matchers, with the contract's search, reward, merge gap and event clauses."""

    def on_cases(cases: Sequence[Case]) -> MatcherComparison:
        return compare_matchers(contract, family_of_cases(cases, STRESS_STEP))

    return MatcherAudit(
        None if family is None else compare_matchers(contract, family),
        None if family is None else compare_matchers(contract, bridge_family(contract, family)),
        {case.name: on_cases([case]) for case in KNOWN_CASES},
        {name: on_cases(cases) for name, cases in stress_track().items()},
    )


def compare_matchers(contract: Contract, family: Family) -> MatcherComparison:
    """Greedy and optimal on one family."""
    greedy, optimal = (
        evaluate_events(contract, family, replace(contract.matcher, kind=kind))
        for kind in (MatcherKind.GREEDY, MatcherKind.OPTIMAL)
    )
    return MatcherComparison(
        refs=_count(greedy.refs),
        preds=_count(greedy.preds),
        cases=len(greedy.refs.keys() | greedy.preds.keys()),
        changed=len({match.segment for match in set(greedy.matches) ^ set(optimal.matches)}),
        greedy=_outcome(greedy),
        optimal=_outcome(optimal),
    )


def bridge_family(contract: Contract, family: Family) -> Family:
    """The bridges between consecutive references of a family, one clip each."""
    refs = evaluate_events(replace(contract, clauses=()), family).refs
    search, joined = contract.matcher.search // family.step, contract.merge_gap // family.step
    return family_of_cases(bridge_cases(family, refs, search, joined), family.step)


def boundary_f1(pairs: int, refs: int, preds: int) -> Fraction:
    """Twice the pairs over all runs of both sides; 1 when there is nothing to match."""
    return Fraction(2 * pairs, refs + preds) if refs + preds else Fraction(1)


def _outcome(evaluation: EventEvaluation) -> MatcherOutcome:
    pairs = len(evaluation.matches)
    return MatcherOutcome(
        pairs,
        boundary_f1(pairs, _count(evaluation.refs), _count(evaluation.preds)),
        {found.clause.name: evaluation.pooled(found) for found in evaluation.clauses},
    )


def _count(runs: Mapping[int, tuple[tuple[int, int], ...]]) -> int:
    return sum(map(len, runs.values()))
