"""The same run once more, with something changed: the mode, the contract, the predictions."""

from fractions import Fraction

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.scoring import Scorecard, score_family
from tracepact.tools.score.run import Run
from tracepact.trace import Durations, EventTable, Family, Mode, assemble


def scored_again(
    run: Run, *, contract: Contract | None = None, prediction: EventTable | None = None, mode: Mode | None = None
) -> Scorecard:
    """What a run would have given; InvalidInput if it cannot be."""
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
    )
    diagnostics.raise_errors()
    return score_family(compiled, family)


def _durations(run: Run) -> Durations:
    """The lengths of all clips of a run, those without events included."""
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
