"""Two tables without a scoring run: every clip of either side counts, and the metrics are taken (rule 15.3)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.metrics.policy import Arithmetic, MetricSettings
from tracepact.metrics.standard import StandardMetrics, standard_metrics
from tracepact.trace import Durations, EventTable, Mode, Regions, assemble
from tracepact.trace.similar_names import by_stem, similar_clip
from tracepact.wording import count


@dataclass(frozen=True, slots=True)
class Whole:
    """What only the whole can tell of which two tables are a part: its classes, its clips, how many have no length."""

    classes: tuple[str, ...]
    clips: int
    unmeasured: int


def compare(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    *,
    durations: Durations | Fraction | None = None,
    mode: Mode = Mode.CLASS_INDEXED,
    ignore: Regions | None = None,
    settings: MetricSettings | None = None,
    arithmetic: Arithmetic = Arithmetic.EXACT,
    diagnostics: Diagnostics,
    allow_outside: bool = False,
    part_of: Whole | None = None,
) -> StandardMetrics:
    """Put both tables on the contract's grid and measure them; its clauses are not asked.

    Findings go to `diagnostics`; errors raise InvalidInput. `allow_outside` is as in `assemble`. Metrics of a part are
    such that they add up to those of the whole.
    """
    contract = replace(contract, clauses=(), declared_atoms=())
    lengths = _lengths(reference, prediction, durations, contract.step)
    unlisted = report_unlisted(reference, prediction, durations, diagnostics)
    family = assemble(
        contract,
        reference,
        prediction,
        durations=lengths,
        mode=mode,
        ignore=ignore,
        diagnostics=diagnostics,
        allow_outside=allow_outside,
        classes=part_of.classes if part_of else None,
    )
    measured = isinstance(durations, Fraction)
    unmeasured = 0 if measured else len(lengths.clips.keys() - _listed(durations).keys())
    return standard_metrics(
        reference,
        prediction,
        family,
        contract,
        settings=settings,
        arithmetic=arithmetic,
        ignore=ignore,
        durations=lengths.clips,
        unlisted=unlisted,
        unmeasured=part_of.unmeasured if part_of else unmeasured,
        clips=part_of.clips if part_of else None,
    )


def _lengths(
    reference: EventTable, prediction: EventTable, durations: Durations | Fraction | None, step: Fraction
) -> Durations:
    """How long every clip of either side is."""
    found = dict(_listed(durations))
    for clip in (*reference.clips, *prediction.clips):
        if isinstance(durations, Fraction):
            found[clip] = durations
        elif clip not in found:
            events = (*reference.clips.get(clip, ()), *prediction.clips.get(clip, ()))
            found[clip] = max((event.offset for event in events), default=Fraction(0)) + step
    return Durations(durations.name if isinstance(durations, Durations) else "durations", found)


def _listed(durations: Durations | Fraction | None) -> Mapping[str, Fraction]:
    return durations.clips if isinstance(durations, Durations) else {}


def report_unlisted(
    reference: EventTable, prediction: EventTable, durations: Durations | Fraction | None, diagnostics: Diagnostics
) -> int:
    """Say which clips only the predictions name, and count the events on them."""
    found = 0
    listed = _listed(durations)
    stems = by_stem({**reference.clips, **listed})
    for clip, events in prediction.clips.items():
        if clip in reference.clips or clip in listed:
            continue
        found += len(events)
        so = "counts as a false positive" if len(events) == 1 else "count as false positives"
        diagnostics.add(
            "unlisted-clip",
            f"neither the reference nor the durations name `{clip}`; its {count(len(events), 'event')} {so}",
            RowPlace(prediction.name, events[0].row if events else None),
            similar_clip(clip, stems) or "a tool that loops over the clips of the reference does not see them",
        )
    return found
