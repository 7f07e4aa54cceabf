"""The counts of a scoring, clip by clip and class by class: what audits and intervals start from."""

from collections.abc import Mapping
from dataclasses import dataclass

from tracepact.scoring.aggregate import ClauseCounts
from tracepact.scoring.scorecard import Scorecard


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows:
    """The scores of a run by clause, each an array over classes and clips."""

    clips: tuple[str, ...]
    classes: tuple[str, ...]
    clauses: tuple[str, ...]
    counts: Mapping[str, ClauseCounts]

    @classmethod
    def of(cls, card: Scorecard) -> "ScoreRows":
        """The scores of a scorecard."""
        names = tuple(clause.name for clause in card.contract.clauses)
        return cls(card.family.clips, card.family.classes, names, card.counts)
