"""What one scoring gives: the scorecard with its inputs, before anything is shown or stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tracepact.diagnostics import Diagnostic
from tracepact.metrics import MetricSettings
from tracepact.scoring import Scorecard
from tracepact.scoring.by_clause import ByClause
from tracepact.tools.score.margins import ScoreMargins
from tracepact.trace import Durations, EventTable, Regions


@dataclass(frozen=True, slots=True)
class Input:
    """A file that went into a run: what it was, its name, and the SHA-256 of its bytes."""

    role: str
    name: str
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A scorecard with everything needed to say where it came from; what reports and run directories are made of."""

    card: Scorecard
    reference: EventTable
    prediction: EventTable
    durations: Durations | Fraction
    diagnostics: tuple[Diagnostic, ...]
    inputs: tuple[Input, ...]
    ignore: Regions | None = None
    conditions: Mapping[str, str] | None = None
    preparation: Mapping[str, Any] = field(default_factory=dict)
    margins: ScoreMargins | None = None
    settings: MetricSettings = field(default_factory=MetricSettings)
    violation_rows: bool = True

    @property
    def vector(self) -> dict[str, Fraction]:
        """The value of every clause under the contract's aggregation; a wrong name raises InvalidInput."""
        return ByClause({name: score.value for name, score in self.card.vector().items()})
