"""Runs as the audits take them: as `score` returns them or from a run directory, and scored again with a change."""

from fractions import Fraction
from pathlib import Path

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.scoring import Scorecard, score_family
from tracepact.tools.score.run import Run
from tracepact.tools.score.store.names import Place
from tracepact.tools.score.store.opening import StoredRun, open_run
from tracepact.trace import Durations, EventTable, Family, Mode, assemble


def stored_run(run: StoredRun | Place) -> StoredRun:
    """A run directory, opened unless it already is; InvalidInput if it cannot be."""
    return run if isinstance(run, StoredRun) else open_run(Path(run), Diagnostics())


def scored_run(run: Run | Place) -> Run:
    """A run as `score` returns it, or the run a directory holds, computed again from its tables."""
    return run if isinstance(run, Run) else stored_run(run).rescore()


def rescored(
    run: Run, *, contract: Contract | None = None, prediction: EventTable | None = None, mode: Mode | None = None
) -> Scorecard:
    """The scorecard of a run with another contract, other predictions or another mode, all else equal.

    InvalidInput if that cannot be scored.
    """
    card = run.card
    compiled = contract or card.contract
    diagnostics = Diagnostics()
    family = assemble(
        compiled,
        run.reference,
        prediction or run.prediction,
        durations=_durations(run),
        mode=mode or card.family.mode,
        ignore=run.ignore,
        masks={name: by_clip for name, by_clip in _masks(card.family).items() if name in compiled.declared_atoms},
        diagnostics=diagnostics,
        allow_outside=True,
    )
    diagnostics.raise_errors()
    return score_family(compiled, family)


def _durations(run: Run) -> Durations:
    """The durations of all clips of a run, including those without events."""
    if isinstance(run.durations, Fraction):
        return Durations("durations", dict.fromkeys(run.card.family.clips, run.durations))
    return run.durations


def _masks(family: Family) -> dict[str, dict[str, int]]:
    """The masks a caller supplied, by clip; bit i is frame i."""
    return {
        name: {
            clip: sum(((1 << end) - 1) ^ ((1 << start) - 1) for start, end in runs.get(index, ()))
            for index, clip in enumerate(family.clips)
        }
        for name, runs in family.masks.items()
    }
