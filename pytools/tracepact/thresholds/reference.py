"""The definition of the curves: decode the field at one threshold, and score what comes out (rule 19.4)."""

from collections.abc import Mapping
from fractions import Fraction

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.io import Decoding, decode
from tracepact.scoring import Scorecard, score_family
from tracepact.thresholds.family import contract_of_field
from tracepact.trace import Durations, EventTable, Mode, Regions, ScoreField, assemble
from tracepact.trace.assembly import FrameMask


def scored_at(
    contract: Contract,
    reference: EventTable,
    field: ScoreField,
    decoding: Decoding,
    *,
    durations: Durations | Fraction | None = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None = None,
) -> Scorecard:
    """The scorecard of a field at one decoding."""
    own = Durations(field.name, {clip: scores.edges[-1] for clip, scores in field.clips.items()})
    labelled = contract_of_field(contract, reference, field.classes)
    family = assemble(
        labelled,
        reference,
        decode(field, decoding),
        durations=own if durations is None else durations,
        mode=mode,
        ignore=ignore,
        masks=masks,
        diagnostics=Diagnostics(),
        allow_outside=True,
    )
    return score_family(labelled, family)
