"""One scoring run: tables or in-memory data and a contract in, a scorecard with its diagnostics and inputs out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.io import (
    Conditions,
    Decoding,
    LabelMap,
    Reading,
    conditions_from,
    durations_from,
    durations_of_masks,
    events_from,
    label_map_from,
    masks_from,
    prepare,
    read_document,
    regions_from,
    table_of_masks,
)
from tracepact.io.reading import report_unused_readings
from tracepact.lang import load_contract, override, parse_contract
from tracepact.scoring import score_family
from tracepact.specs import shown_path
from tracepact.tools.score.report.data import report_data
from tracepact.tools.score.report.files import report_text
from tracepact.tools.score.report.notebook import notebook_html
from tracepact.tools.score.report.witnesses import all_witnesses
from tracepact.tools.score.scored import Input, OnStage, Scored, unwatched
from tracepact.tools.score.store.writing import write_run
from tracepact.trace import Durations, EventTable, Mode, Regions, Time, assemble
from tracepact.trace.assemble import FrameMask
from tracepact.wording import decimal

STAGES = ("reading", "assembling", "scoring")


@dataclass(frozen=True, slots=True, eq=False)
class Run(Scored):
    """What `score` returns: a scorecard with its inputs, its report and its directory."""

    def witnesses(self, clause: str) -> list[dict[str, Any]]:
        """Every violated obligation of a clause as plain data: where, when, which part, how far from holding."""
        return all_witnesses(self.card, clause)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data (spec/schemas/report.schema.json)."""
        return report_data(self)

    def save(self, folder: str | Path) -> list[Path]:
        """Write the run directory: rows, tables, contract, report and manifest."""
        return write_run(self, folder)

    def __str__(self) -> str:
        return report_text(self.to_dict())

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={decimal(value)}" for name, value in self.vector.items())
        return f"<Run of {self.card.contract.name}: {values}>"

    def _repr_html_(self) -> str:
        return notebook_html(self.to_dict())


def score(
    contract: Contract | str | Path,
    ref: Any,
    pred: Any,
    *,
    durations: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ignore: Any = None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None = None,
    conditions: Any = None,
    label_map: Any = None,
    decoding: Decoding | Time | None = None,
    ref_reading: Reading | None = None,
    pred_reading: Reading | None = None,
    set: Mapping[str, str] | None = None,
    strict: bool = False,
    on_stage: OnStage = unwatched,
) -> Run:
    """Score predictions against references under a contract.

    `contract` is a Contract, a path, or contract text. `ref` and `pred` are tables (paths), lists of intervals,
    mappings from clips to such lists, data frames, or masks of one clip (one truth value a frame). `durations` is
    a table, a mapping, or one time for all clips; masks bring their own. `label_map` is a TOML file or a mapping of
    its form; `decoding` (or a threshold alone) makes events of predicted scores; the readings say of a path what its
    content does not. Invalid input raises InvalidInput with every fault. `on_stage` is told each of the STAGES as it
    begins.
    """
    on_stage(STAGES[0])
    diagnostics = Diagnostics()
    compiled = _contract(contract, set)
    labels = label_map_from(label_map, diagnostics)
    readings = (ref_reading or Reading(), pred_reading or Reading())
    if decoding is not None:
        readings = (readings[0], replace(readings[1], decoding=decoding))
    masked = [masks_from(data, diagnostics, name=name) for name, data in (("ref", ref), ("pred", pred))]
    by_masks = durations_of_masks([m for m in masked if m is not None], compiled.step, diagnostics)
    reference, prediction = (
        events_from(data, diagnostics, name=name, reading=reading)
        if found is None
        else table_of_masks(found, compiled.step, name=name)
        for name, data, found, reading in zip(("ref", "pred"), (ref, pred), masked, readings, strict=True)
    )
    report_unused_readings(tuple(zip(readings, (reference, prediction), strict=True)), diagnostics)
    lengths = durations_from(by_masks if durations is None and by_masks else durations, diagnostics)
    regions = regions_from(ignore, diagnostics) if ignore is not None else None
    return _finish(
        compiled,
        reference,
        prediction,
        lengths,
        mode,
        regions,
        masks,
        conditions,
        labels,
        diagnostics,
        strict,
        on_stage,
    )


def score_document(
    contract: Contract | str | Path,
    document: str | Path,
    *,
    mode: Mode | str = Mode.CLASS_INDEXED,
    conditions: Any = None,
    label_map: Any = None,
    set: Mapping[str, str] | None = None,
    strict: bool = False,
    on_stage: OnStage = unwatched,
) -> Run:
    """Score one JSON document that holds both sides, durations, ignore regions and masks."""
    on_stage(STAGES[0])
    diagnostics = Diagnostics()
    compiled = _contract(contract, set)
    doc = read_document(document, diagnostics)
    return _finish(
        compiled,
        doc.reference,
        doc.prediction,
        doc.durations,
        mode,
        doc.ignore,
        doc.masks,
        conditions,
        label_map_from(label_map, diagnostics),
        diagnostics,
        strict,
        on_stage,
    )


def _finish(
    contract: Contract,
    reference: EventTable,
    prediction: EventTable,
    durations: Durations | Fraction | None,
    mode: Mode | str,
    ignore: Regions | None,
    masks: Mapping[str, Mapping[str, FrameMask]] | None,
    conditions: Any,
    labels: LabelMap | None,
    diagnostics: Diagnostics,
    strict: bool,
    on_stage: OnStage,
) -> Run:
    diagnostics.extend(contract.warnings)
    groups = conditions_from(conditions, diagnostics) if conditions is not None else None
    if is_incomplete(diagnostics, durations):
        diagnostics.raise_errors()
    ready = prepare(reference, prediction, durations, ignore, labels, diagnostics)
    durations = ready.durations
    on_stage(STAGES[1])
    family = assemble(
        contract,
        ready.reference,
        ready.prediction,
        durations=durations,
        mode=Mode(mode),
        ignore=ready.ignore,
        masks=masks,
        diagnostics=diagnostics,
    )
    if groups:
        _check_conditions(groups, family.clips, diagnostics)
    diagnostics.raise_errors(strict=strict)
    tables: list[tuple[str, EventTable | Durations | Conditions | LabelMap | None]] = [
        ("reference", reference),
        ("prediction", prediction),
        ("durations", durations if isinstance(durations, Durations) else None),
        ("ignore", ignore),
        ("conditions", groups),
        ("label_map", labels),
    ]
    on_stage(STAGES[2])
    inputs = tuple(Input(role, shown_path(Path(t.name)), t.digest) for role, t in tables if t is not None and t.digest)
    assert durations is not None  # assembling refuses clips without a length
    return Run(
        score_family(contract, family),
        ready.reference,
        ready.prediction,
        durations,
        tuple(diagnostics),
        inputs,
        ready.ignore,
        groups.clips if groups else None,
        ready.record,
    )


def _is_text(contract: str) -> bool:
    """Whether a string is contract text and not a path or the name of a starter: it has a clause."""
    return "clause" in contract.split()


def is_incomplete(diagnostics: Diagnostics, durations: Durations | Fraction | None) -> bool:
    """Whether a whole file or some durations are missing, so that going on would report faults that are none."""
    lengths = durations.name if isinstance(durations, Durations) else None
    return any(
        d.code == "bad-label-map" or not isinstance(d.place, RowPlace) or d.place.row is None or d.place.file == lengths
        for d in diagnostics.errors
    )


def _contract(contract: Contract | str | Path, set: Mapping[str, str] | None) -> Contract:
    match contract:
        case Contract():
            return override(contract, set) if set else contract
        case str() if _is_text(contract):
            return parse_contract(contract, set)
        case _:
            return load_contract(contract, set)


def _check_conditions(conditions: Conditions, clips: tuple[str, ...], diagnostics: Diagnostics) -> None:
    """Every clip has a condition; what the table says of other clips is ignored and said."""
    for clip in clips:
        if clip not in conditions.clips:
            diagnostics.add("missing-condition", f"clip `{clip}` has no condition", RowPlace(conditions.name))
    known = set(clips)
    for clip in conditions.clips:
        if clip not in known:
            headline = f"`{clip}` has a condition but is not a clip of the family"
            diagnostics.add("unused-condition", headline, RowPlace(conditions.name))
