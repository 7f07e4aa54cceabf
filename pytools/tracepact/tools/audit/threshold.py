"""Decodings of one score file side by side: the vector at each threshold (rule 16.6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.core import Aggregation
from tracepact.diagnostics import Diagnostics
from tracepact.io import Decoding, ScoreTable, decode
from tracepact.io.labels import LabelMap, apply_map
from tracepact.io.prepare import name_clips
from tracepact.scoring import Score
from tracepact.tools.audit.runs import scored_again
from tracepact.tools.score.run import Run
from tracepact.trace import Durations
from tracepact.wording import short


@dataclass(frozen=True, slots=True)
class DecodedVector:
    """The vector of one decoding, its mean, and how many events it gave."""

    decoding: Decoding
    events: int
    vector: Mapping[str, Score]
    logic: Fraction


@dataclass(frozen=True, slots=True)
class ThresholdAudit:
    """The vectors by threshold, ascending, and the aggregation they are under."""

    aggregation: str
    points: tuple[DecodedVector, ...]

    def best(self, clause: str) -> tuple[DecodedVector, ...]:
        """The decodings under which a clause scores highest, more than one if they tie; `logic` is the mean."""
        top = max(_value(point, clause) for point in self.points)
        return tuple(point for point in self.points if _value(point, clause) == top)


def audit_thresholds(
    run: Run,
    scores: ScoreTable,
    values: Sequence[Fraction],
    *,
    median: int = 1,
    aggregation: Aggregation | None = None,
    labels: LabelMap | None = None,
    advance: Callable[[str], None] = lambda what: None,
) -> ThresholdAudit:
    """Decode scores at each value and score the events in place of a run's predictions; InvalidInput if that fails."""
    lengths = run.durations.clips if isinstance(run.durations, Durations) else {}
    chosen = aggregation or run.card.contract.aggregation
    points = []
    for value in sorted(set(values)):
        advance(f"threshold {short(value)}")
        diagnostics = Diagnostics()
        decoding = Decoding(value, None, median)
        table, _ = name_clips(decode(scores, decoding), run.reference, lengths, diagnostics)
        if labels is not None:
            table = apply_map(labels, table, diagnostics).table
        diagnostics.raise_errors()
        card = scored_again(run, prediction=replace(table, digest=None))
        events = sum(map(len, table.clips.values()))
        points.append(DecodedVector(decoding, events, card.vector(chosen), card.logic(chosen)))
    return ThresholdAudit(chosen.value, tuple(points))


def _value(point: DecodedVector, clause: str) -> Fraction:
    return point.logic if clause == "logic" else point.vector[clause].value
