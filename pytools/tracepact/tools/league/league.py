"""Leagues from Python: many systems on the same data as one record."""

from collections.abc import Mapping, Sequence
from typing import Any

from tracepact.progress import OnStage, silent
from tracepact.scoring.uncertainty import USUAL, Bootstrap
from tracepact.tools.league.base import Settings
from tracepact.tools.league.build import league_of
from tracepact.tools.league.columns import HEADLINE
from tracepact.tools.league.making import Made, make_league
from tracepact.tools.league.record import League
from tracepact.tools.score.store.names import Place, named_places


def league(
    runs: Sequence[Place],
    *,
    baseline: str | None = None,
    rank_by: str = HEADLINE,
    conditions: Any = None,
    bootstrap: Bootstrap = USUAL,
    scores: Mapping[str, Any] | None = None,
) -> League:
    """Compare many systems on the same data (rules 16.15 to 16.19).

    Args:
        runs: Run directories of one contract on the same data, each a place or `NAME=PLACE`.
        baseline: The system that the others are compared with; by default the first.
        rank_by: What orders the league: `headline`, a clause, a profile, `psds1`, or a metric such as `event_f1`.
        conditions: A table or a mapping from clips to conditions; by default those of the first run.
        bootstrap: How clips are drawn.
        scores: The scores of systems by their names, in the forms of `curves`; those systems have PSDS (rule 16.20).

    Returns:
        The league: for every column the values, intervals, ranks and differences from the baseline.

    Raises:
        InvalidInput: A run cannot be read, the runs do not make a league, or a name is unknown.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4), ("silent", 1)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)] if end > 1 else [], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     found = tracepact.league([f"{folder}/{name}" for name in ("early", "late", "silent")])
        >>> [(value.system, value.rank) for value in found.ranked_by.values]
        [('early', 1), ('late', 2), ('silent', None)]
    """
    made = league_parts(runs, baseline, rank_by, conditions, bootstrap, scores=scores)
    return league_of(made.base, made.systems)


def league_parts(
    runs: Sequence[Place],
    baseline: str | None,
    rank_by: str,
    conditions: Any,
    bootstrap: Bootstrap,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
) -> Made:
    """What a league is made of, read from its runs."""
    places = named_places(runs)
    settings = Settings(baseline or places[0].name, rank_by, bootstrap.number, bootstrap.seed, bootstrap.level)
    return make_league(places, settings, conditions, on_stage, scores)
