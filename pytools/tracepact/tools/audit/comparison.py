"""Two runs side by side: differences with intervals, and what changed clip by clip (rules 16.7 to 16.9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Aggregation
from tracepact.scoring.uncertainty import (
    USUAL,
    Bootstrap,
    Difference,
    differences,
    exact_scores,
    holm,
    vacuous_shares,
)
from tracepact.tools.audit.changes import Change, changes
from tracepact.tools.audit.pairing import paired_rows
from tracepact.tools.score.store.opening import StoredRun


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run B against run A: scores by clause and for `logic`, their differences, p after Holm, and the changes.

    `vacuous` has the vacuous shares (rule 16.11) of the scores before and after.
    """

    names: tuple[str, str]
    aggregation: Aggregation
    clips: int
    bootstrap: Bootstrap
    before: Mapping[str, Fraction]
    after: Mapping[str, Fraction]
    vacuous: tuple[Mapping[str, Fraction], Mapping[str, Fraction]]
    differences: Mapping[str, Difference]
    corrected: Mapping[str, Fraction]
    changes: tuple[Change, ...]


def compare(
    before: StoredRun, after: StoredRun, bootstrap: Bootstrap = USUAL, aggregation: Aggregation | None = None
) -> Comparison:
    """Compare two stored runs; InvalidInput if they are not of one contract and one set of data."""
    a, b = paired_rows([before, after])
    aggregation = aggregation or before.contract.aggregation
    found = differences(a, b, aggregation, bootstrap)
    corrected = holm([difference.p for difference in found.values()])
    return Comparison(
        (str(before.folder), str(after.folder)),
        aggregation,
        len(a.clips),
        bootstrap,
        exact_scores(a.counts, aggregation),
        exact_scores(b.counts, aggregation),
        (vacuous_shares(a.counts, aggregation), vacuous_shares(b.counts, aggregation)),
        found,
        dict(zip(found, corrected, strict=True)),
        tuple(changes(before.rescore().card, after.rescore().card)),
    )
