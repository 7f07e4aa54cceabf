"""The standard metrics of a run that was scored."""

from tracepact.metrics import StandardMetrics, standard_metrics
from tracepact.tools.score.scored import Scored


def measured(run: Scored) -> StandardMetrics:
    """The metrics of the tables and traces of a run, clip by clip; its own pairs are those of the boundary metric."""
    card = run.card
    return standard_metrics(
        run.reference, run.prediction, card.family, card.contract, events=card.events, ignore=run.ignore
    )
