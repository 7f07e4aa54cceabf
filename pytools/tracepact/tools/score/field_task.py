"""Scores and a reference to be judged at every threshold: the options that name them, and how they are read."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, Diagnostics, InvalidInput, RowPlace, one_of
from tracepact.io import Decoding, LabelMap, Reading, durations_from, events_from, label_map_from, prepare, regions_from
from tracepact.io.arrays import report_unequal_arrays
from tracepact.io.clips import clip_choice_from
from tracepact.io.decoding import filtered
from tracepact.io.formats import FORMATS, MAESTRO
from tracepact.io.outside import Outside
from tracepact.io.preparing import name_clips
from tracepact.io.reading import with_frames
from tracepact.io.score_lengths import report_score_lengths, report_table_lengths
from tracepact.io.source import shown
from tracepact.thresholds import Detections, FieldFamily, detection_family, detections_of, field_family
from tracepact.tools.parameters import durations_option, with_options
from tracepact.tools.score.arguments import columns_option
from tracepact.tools.score.inputs import contract_from
from tracepact.trace import Durations, EventTable, Mode, Origin, Regions, ScoreField, Time
from tracepact.wording import quoted

_PRED = "Predicted scores, or events with confidences: a file or folder."
KEEP_SCORES = Decoding(Fraction(1))
"""A decoding that leaves no event: the scores are what is wanted."""


class FieldOptions(TypedDict):
    """What `field_options` hands to a command."""

    ref: str
    pred: str
    durations: str | None
    ignore: str | None
    ref_format: str | None
    pred_format: str | None
    columns: tuple[str, ...]
    label_map: str | None
    clips: str | None
    class_indexed: bool


def field_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `FieldOptions`."""
    return with_options(
        (
            click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder."),
            click.option("--pred", type=click.Path(), required=True, help=_PRED),
            durations_option(),
            click.option("--ignore", type=click.Path(), help="Regions without obligations, as for score."),
            click.option(
                "--ref-format",
                type=click.Choice(FORMATS),
                metavar="FORMAT",
                help="Format of the reference (default: found from its content).",
            ),
            click.option("--pred-format", type=click.Choice(FORMATS), help="Format of the predictions, likewise."),
            columns_option,
            click.option("--label-map", type=click.Path(), help="A label map (TOML), as for score."),
            click.option(
                "--clips", metavar="reference|durations|all|LIST", help="Evaluate these clips only, as for score."
            ),
            click.option(
                "--class-indexed/--union",
                default=True,
                show_default=True,
                help="Keep labels apart, or treat them as one.",
            ),
        ),
        function,
    )


@dataclass(frozen=True, slots=True, eq=False)
class FieldTask:
    """A contract, a reference and scores, ready to be put on the grid; what was read is in `diagnostics`.

    The scores are those of frames, or the confidences of events. `names` are the classes that a label map makes of the
    labels of the predictions; empty without one. `classes` are those of a whole of which this is a part.
    """

    contract: Contract
    reference: EventTable
    field: ScoreField | Detections
    durations: Durations | Fraction | None
    ignore: Regions | None
    mode: Mode
    diagnostics: Diagnostics
    names: Mapping[str, str]
    classes: tuple[str, ...] | None = None

    def family(self, field: ScoreField | Detections | None = None) -> FieldFamily:
        """The reference beside the scores, or beside others made of them, on the contract's grid."""
        chosen = self.field if field is None else field
        diagnostics = self.diagnostics if field is None else Diagnostics()
        if isinstance(chosen, Detections):
            return detection_family(
                self.contract,
                self.reference,
                chosen,
                durations=self.durations,
                mode=self.mode,
                ignore=self.ignore,
                diagnostics=diagnostics,
                classes=self.classes,
            )
        return field_family(
            self.contract,
            self.reference,
            chosen,
            durations=self.durations,
            mode=self.mode,
            ignore=self.ignore,
            diagnostics=diagnostics,
            classes=self.classes,
        )

    def filtered(self, median: int) -> "FieldTask":
        """The task with a median filter before every threshold; InvalidInput if there are no frames to filter."""
        return self if median == 1 else replace(self, field=filtered(self.frames("a median filter"), median))

    def frames(self, what: str) -> ScoreField:
        """The scores of frames, which something needs; InvalidInput if there are none."""
        if isinstance(self.field, Detections):
            headline = f"`{shown(self.field.name)}` holds events, and {what} is for scores of frames"
            raise InvalidInput([Diagnostic("bad-decoding", headline, help="take a threshold alone")])
        return self.field


def field_task(
    contract: Contract | str | Any,
    ref: Any,
    pred: Any,
    *,
    durations: Any = None,
    ignore: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ref_reading: Reading | None = None,
    pred_reading: Reading | None = None,
    clips: Any = None,
    classes: Sequence[str] | None = None,
    step: Time | None = None,
    set: Mapping[str, str] | None = None,
    label_map: Any = None,
) -> FieldTask:
    """Read a reference, and scores or detections. Errors raise InvalidInput; the arguments are those of `score`."""
    diagnostics = Diagnostics()
    compiled = contract_from(contract, set)
    diagnostics.extend(compiled.warnings)
    readings = [with_frames(own, classes, step) for own in (ref_reading, pred_reading)]
    reference = events_from(ref, diagnostics, name="ref", reading=readings[0])
    found = events_from(pred, diagnostics, name="pred", reading=replace(readings[1], decoding=KEEP_SCORES))
    refuse_soft_labels(found, diagnostics)
    report_unequal_arrays(reference, found, diagnostics)
    lengths = durations_from(durations, diagnostics)
    regions = None if ignore is None else regions_from(ignore, diagnostics)
    choice = clip_choice_from(clips, diagnostics)
    labels = label_map_from(label_map, diagnostics)
    diagnostics.raise_errors()
    scores = found.origin.scores if found.origin else None
    table = found if scores is None else _silent(scores, reference, lengths, diagnostics)
    columns = () if scores is None else scores.classes
    ready = prepare(reference, table, lengths, regions, labels, diagnostics, Outside.FALSE_ALARM, choice, columns)
    names = {} if labels is None else class_names(labels, columns or found.labels)
    if scores is not None and labels is not None:
        scores = renamed_columns(scores, labels, names, diagnostics)
    diagnostics.raise_errors()
    field = detections_of(ready.prediction, diagnostics) if scores is None else _chosen(scores, table, ready.prediction)
    report_table_lengths(ready.reference, ready.durations, diagnostics)
    if isinstance(field, ScoreField):
        report_score_lengths(field, ready.durations, diagnostics)
    kind = one_of(Mode, mode, "mode")
    return FieldTask(compiled, ready.reference, field, ready.durations, ready.ignore, kind, diagnostics, names)


def refuse_soft_labels(found: EventTable, diagnostics: Diagnostics) -> None:
    """Report predictions that are soft labels of annotators."""
    if found.origin is not None and found.origin.format == MAESTRO:
        headline = f"`{shown(found.name)}` holds soft labels, which are references"
        help = "give scores of frames, or events with confidences"
        diagnostics.add("bad-field", headline, RowPlace(found.name), help)


def class_names(labels: LabelMap, own: Collection[str]) -> dict[str, str]:
    """What labels that stay are called under a label map."""
    return {label: labels.renamed.get(label, label) for label in own if labels.treatment(label) == "keep"}


def renamed_columns(
    field: ScoreField, labels: LabelMap, names: Mapping[str, str], diagnostics: Diagnostics
) -> ScoreField:
    """The columns that stay, by the names of their classes; two that become one, and unmapped ones, are reported."""
    place = RowPlace(field.name)
    for label in (label for label in field.classes if labels.treatment(label) == "error"):
        headline = f"the label map says nothing about the column `{shown(label)}`"
        diagnostics.add("unmapped-label", headline, place, "add it to the map, or say what becomes of all others")
    for name in sorted({name for name in names.values() if list(names.values()).count(name) > 1}):
        joined = quoted([label for label, own in names.items() if own == name])
        headline = f"the label map makes one class `{shown(name)}` of the columns {joined}, which have thresholds each"
        diagnostics.add("bad-field", headline, place, "join the scores first, for instance their greatest")
    kept = [k for k, label in enumerate(field.classes) if label in names]
    clips = {clip: replace(scores, ranks=scores.ranks[:, kept]) for clip, scores in field.clips.items()}
    return replace(field, classes=tuple(names[field.classes[k]] for k in kept), clips=clips)


def silent_table(field: ScoreField) -> EventTable:
    """A table of the clips of a field without events, with the lengths of their scores and the field itself."""
    own = {clip: scores.edges[-1] for clip, scores in field.clips.items()}
    origin = Origin("scores", field.files, None, own, scores=field)
    return EventTable(field.name, dict.fromkeys(field.clips, ()), field.digest, origin)


def _silent(
    field: ScoreField, reference: EventTable, lengths: Durations | Fraction | None, diagnostics: Diagnostics
) -> EventTable:
    """A table of the clips of a field, named as the others are (rule 13.3), with the lengths of their scores."""
    table = silent_table(field)
    own = {clip: scores.edges[-1] for clip, scores in field.clips.items()}
    known = lengths.clips if isinstance(lengths, Durations) else {}
    named, _ = name_clips(table, reference, known, diagnostics)
    return replace(named, origin=Origin("scores", {}, None, dict(zip(named.clips, own.values(), strict=True))))


def _chosen(field: ScoreField, named: EventTable, chosen: EventTable) -> ScoreField:
    """The field of the clips that were chosen, under the names they were given."""
    renamed = dict(zip(named.clips, field.clips.values(), strict=True))
    return replace(field, clips={clip: renamed[clip] for clip in chosen.clips if clip in renamed})


def task_from_options(contract: Contract, given: FieldOptions) -> FieldTask:
    """Read what the options name."""
    maps = given["columns"] or None
    return field_task(
        contract,
        given["ref"],
        given["pred"],
        durations=given["durations"],
        ignore=given["ignore"],
        mode=Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION,
        ref_reading=Reading(given["ref_format"], columns=maps),
        pred_reading=Reading(given["pred_format"], columns=maps),
        clips=given["clips"],
        label_map=given["label_map"],
    )
