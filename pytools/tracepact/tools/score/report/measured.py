"""The standard metrics of a run that was scored."""

from fractions import Fraction

from tracepact.metrics import StandardMetrics, standard_metrics
from tracepact.tools.score.scored import Scored


def measured(run: Scored) -> StandardMetrics:
    """The metrics of the tables and traces of a run, clip by clip; its own pairs are those of the boundary metric."""
    card, lengths = run.card, run.durations
    return standard_metrics(
        run.reference,
        run.prediction,
        card.family,
        card.contract,
        settings=run.settings,
        events=card.events,
        ignore=run.ignore,
        durations=dict.fromkeys(card.family.clips, lengths) if isinstance(lengths, Fraction) else lengths.clips,
    )
