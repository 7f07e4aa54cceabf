"""A score field and a reference to be judged at every threshold: the options that name them, and how they are read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, one_of
from tracepact.io import Reading, durations_from, events_from, prepare, regions_from, score_field
from tracepact.io.clips import clip_choice_from
from tracepact.io.decoding import filtered
from tracepact.io.formats import FORMATS
from tracepact.io.outside import Outside
from tracepact.io.preparing import name_clips
from tracepact.thresholds import FieldFamily, field_family
from tracepact.tools.parameters import durations_option, with_options
from tracepact.tools.score.run import contract_from
from tracepact.trace import Durations, EventTable, Mode, Origin, Regions, ScoreField, Time


class FieldOptions(TypedDict):
    """What `field_options` hands to a command."""

    ref: str
    pred: str
    durations: str | None
    ignore: str | None
    ref_format: str | None
    clips: str | None
    class_indexed: bool


def field_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `FieldOptions`."""
    return with_options(
        (
            click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder."),
            click.option("--pred", type=click.Path(), required=True, help="Predicted scores: a file or folder."),
            durations_option(),
            click.option("--ignore", type=click.Path(), help="Regions without obligations, as for score."),
            click.option(
                "--ref-format",
                type=click.Choice(FORMATS),
                help="Format of the reference (default: found from its content).",
            ),
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
    """A contract, a reference and a field, ready to be put on the grid; what was read is in `diagnostics`."""

    contract: Contract
    reference: EventTable
    field: ScoreField
    durations: Durations | Fraction | None
    ignore: Regions | None
    mode: Mode
    diagnostics: Diagnostics

    def family(self, field: ScoreField | None = None) -> FieldFamily:
        """The reference beside the field, or beside another one made of it, on the contract's grid."""
        return field_family(
            self.contract,
            self.reference,
            self.field if field is None else field,
            durations=self.durations,
            mode=self.mode,
            ignore=self.ignore,
            diagnostics=self.diagnostics if field is None else Diagnostics(),
        )

    def filtered(self, median: int) -> "FieldTask":
        """The task with a median filter before every threshold."""
        return self if median == 1 else replace(self, field=filtered(self.field, median))


def field_task(
    contract: Contract | str | Any,
    ref: Any,
    pred: Any,
    *,
    durations: Any = None,
    ignore: Any = None,
    mode: Mode | str = Mode.CLASS_INDEXED,
    ref_reading: Reading | None = None,
    clips: Any = None,
    classes: Sequence[str] | None = None,
    step: Time | None = None,
    set: Mapping[str, str] | None = None,
) -> FieldTask:
    """Read a reference and a field. Errors raise InvalidInput; the arguments are those of `score`."""
    diagnostics = Diagnostics()
    compiled = contract_from(contract, set)
    diagnostics.extend(compiled.warnings)
    reference = events_from(ref, diagnostics, name="ref", reading=ref_reading)
    field = score_field(pred, classes=classes, step=step, name="pred")
    lengths = durations_from(durations, diagnostics)
    regions = None if ignore is None else regions_from(ignore, diagnostics)
    choice = clip_choice_from(clips, diagnostics)
    diagnostics.raise_errors()
    own = {clip: scores.edges[-1] for clip, scores in field.clips.items()}
    origin = Origin("scores", field.files, None, own, scores=field)
    table = EventTable(field.name, dict.fromkeys(field.clips, ()), field.digest, origin)
    known = lengths.clips if isinstance(lengths, Durations) else {}
    named, _ = name_clips(table, reference, known, diagnostics)
    renamed = dict(zip(named.clips, field.clips.values(), strict=True))
    named = replace(named, origin=Origin("scores", {}, None, dict(zip(named.clips, own.values(), strict=True))))
    ready = prepare(reference, named, lengths, regions, None, diagnostics, Outside.FALSE_ALARM, choice)
    diagnostics.raise_errors()
    field = replace(field, clips={clip: renamed[clip] for clip in ready.prediction.clips if clip in renamed})
    chosen = one_of(Mode, mode, "mode")
    return FieldTask(compiled, ready.reference, field, ready.durations, ready.ignore, chosen, diagnostics)


def task_from_options(contract: Contract, given: FieldOptions) -> FieldTask:
    """Read what the options name."""
    return field_task(
        contract,
        given["ref"],
        given["pred"],
        durations=given["durations"],
        ignore=given["ignore"],
        mode=Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION,
        ref_reading=Reading(given["ref_format"]),
        clips=given["clips"],
    )
