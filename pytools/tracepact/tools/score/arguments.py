"""The options by which commands take references and predictions, and the run they make of them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypedDict, Unpack

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.io import (
    AudioFolder,
    Decoding,
    Prepared,
    Reading,
    durations_from,
    events_from,
    label_map_from,
    prepare,
    read_decoding,
    regions_from,
)
from tracepact.io.clips import clip_choice_from
from tracepact.io.columns import columns_from
from tracepact.io.decoding import Declared, keep_confident
from tracepact.io.formats import FORMATS
from tracepact.io.outside import Outside
from tracepact.io.reading import report_unused_readings
from tracepact.io.score_lengths import report_table_lengths
from tracepact.progress import OnStage, silent
from tracepact.tools.parameters import LowHigh, OddLength, Share, durations_option, with_options
from tracepact.tools.score.inputs import is_incomplete
from tracepact.tools.score.run import Run, score, score_document
from tracepact.trace import Durations, EventTable, Mode
from tracepact.trace.assembly import report_unknown_clips


class SideOptions(TypedDict):
    """What `side_options` hands to a command: both sides, and what is to be done to them."""

    ref: str | None
    pred: str | None
    durations: str | None
    audio: str | None
    ignore: str | None
    ref_format: str | None
    pred_format: str | None
    label_column: str | None
    tier: tuple[str, ...]
    columns: tuple[str, ...]
    rate: str | None
    label_map: str | None
    threshold: Fraction | None
    hysteresis: tuple[Fraction, Fraction] | None
    median: int | None
    decoding: str | None
    ref_threshold: Fraction | None
    outside: str
    clips: str | None


class DataOptions(SideOptions):
    """What `data_options` hands to a command."""

    pair: str | None
    class_indexed: bool
    strict: bool


def columns_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --columns option."""
    return click.option(
        "--columns",
        multiple=True,
        metavar="MAP",
        help="Read a table by a map of its columns, such as onset=Start,offset=End with clip= and label= in the same "
        "way, or by a TOML file that names them; label==up gives every event the label up. Repeatable: each table is "
        "read by the first map that fits it.",
    )(function)


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say of one file what its content does not."""
    return with_options(
        (
            columns_option,
            click.option(
                "--rate",
                metavar="NUMBER",
                help="The number of time units in a second, for label files and tables read with --columns; "
                "16000 if times are samples at 16 kHz.",
            ),
            click.option(
                "--label-column", metavar="NAME", help="The column of Raven and BirdNET tables that holds the labels."
            ),
            click.option(
                "--tier", multiple=True, metavar="NAME", help="Read only this tier (TextGrid, ELAN, JAMS); repeatable."
            ),
            click.option(
                "--threshold",
                type=Share(),
                help="Scores greater than this are active, events of greater confidence kept.",
            ),
            click.option(
                "--hysteresis",
                type=LowHigh(),
                help="Scores are active above LOW, in every stretch that somewhere exceeds HIGH.",
            ),
            click.option(
                "--median",
                type=OddLength(),
                help="Length of a median filter applied to predicted scores first, in frames.",
            ),
        ),
        function,
    )


def side_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `SideOptions`."""
    return with_options(
        (
            click.option("--ref", type=click.Path(), help="Reference events: a file or folder of any format."),
            click.option("--pred", type=click.Path(), help="Predicted events or scores: a file or folder."),
            durations_option(),
            click.option(
                "--audio",
                type=click.Path(exists=True, file_okay=False),
                help="A folder of sound files; without --durations, their headers give the durations of the clips. "
                "The page plays them.",
            ),
            click.option(
                "--ignore",
                type=click.Path(),
                help="Regions without obligations: filename, onset, offset, event_label; or a UEM file.",
            ),
            click.option(
                "--ref-format",
                type=click.Choice(FORMATS),
                metavar="FORMAT",
                help=f"Format of the reference, if it is not detected: {', '.join(FORMATS)}.",
            ),
            click.option(
                "--pred-format",
                type=click.Choice(FORMATS),
                metavar="FORMAT",
                help="Format of the predictions, if it is not detected.",
            ),
            reading_options,
            click.option(
                "--decoding", type=click.Path(), help="A decoding file (TOML), such as tune writes: one for each class."
            ),
            click.option("--ref-threshold", type=Share(), help="Soft reference labels greater than this are events."),
            click.option(
                "--label-map", type=click.Path(), help="A TOML file: labels to rename, merge, keep, drop, ignore."
            ),
            click.option(
                "--outside",
                type=click.Choice([policy.value for policy in Outside]),
                default=Outside.FALSE_ALARM.value,
                show_default=True,
                help="What becomes of a predicted event that starts after its clip's end; in the reference it is an "
                "error.",
            ),
            click.option(
                "--clips",
                metavar="reference|durations|all|LIST",
                help="Evaluate these clips only; LIST is a file with a clip in each line. Without it a prediction on a "
                "clip that neither the reference nor the durations name is an error.",
            ),
        ),
        function,
    )


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of scoring in batches."""
    return with_options(
        (
            click.option(
                "--engine",
                metavar="ENGINE",
                help="Score in batches of clips: local, processes, processes:N, dask or dask:N (a cluster started "
                "here), or dask:tcp://HOST:PORT (a scheduler that is there). The result is that without it.",
            ),
            click.option(
                "--memory",
                metavar="SIZE",
                help="The memory that the data of all batches at work may take together, at least 64MB, such as 2GB "
                "(the default).",
            ),
        ),
        function,
    )


def mode_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --class-indexed and --union options."""
    return click.option(
        "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or treat them as one."
    )(function)


def strict_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --strict option."""
    return click.option("--strict", is_flag=True, help="Treat warnings as errors.")(function)


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `DataOptions`."""
    pair = click.option("--pair", type=click.Path(), help="Both sides, durations and masks in one JSON document.")
    return with_options((side_options, pair, mode_option, strict_option), function)


_ALONE = SideOptions.__annotations__.keys() - {"label_map", "outside", "clips"}


def check_data_options(given: DataOptions) -> None:
    """Refuse anything but both tables, or one document with at most a label map beside it."""
    if given["pair"] is None and (given["ref"] is None or given["pred"] is None):
        raise click.UsageError("give --ref and --pred, or --pair alone")
    beside = [name for name, value in given.items() if name in _ALONE and value not in (None, ())]
    if given["pair"] is not None and beside:
        options = ", ".join("--" + name.replace("_", "-") for name in beside)
        raise click.UsageError(f"--pair holds the whole task; leave out {options}")


def decoding_from(
    threshold: Fraction | None, hysteresis: tuple[Fraction, Fraction] | None, median: int | None
) -> Decoding | None:
    """The decoding the options declare, if any."""
    if threshold is not None and hysteresis is not None:
        raise click.UsageError("--hysteresis holds both thresholds; leave out --threshold")
    low, high = hysteresis or (None, threshold)
    if high is None and median is not None:
        raise click.UsageError("--median filters scores before a threshold; give --threshold or --hysteresis too")
    return None if high is None else Decoding(high, low, median or 1)


def _declared(given: SideOptions) -> Declared | None:
    """The decoding of the options, or of the file they name; InvalidInput if that cannot be used."""
    decoding = decoding_from(given["threshold"], given["hysteresis"], given["median"])
    if given["decoding"] is None:
        return decoding
    if decoding is not None:
        raise click.UsageError("--decoding holds thresholds and filters; leave out --threshold and the like")
    diagnostics = Diagnostics()
    found = read_decoding(given["decoding"], diagnostics)
    diagnostics.raise_errors()
    return found


def readings(given: SideOptions) -> tuple[Reading, Reading]:
    """How each side is to be read, as the options say; InvalidInput for a column map that cannot be used."""
    decoding = _declared(given)
    faults = Diagnostics()
    maps = columns_from(given["columns"], faults) or None
    faults.raise_errors()
    column, tiers, rate = given["label_column"], given["tier"], given["rate"]
    return (
        Reading(given["ref_format"], column, tiers, given["ref_threshold"], maps, rate),
        Reading(given["pred_format"], column, tiers, decoding, maps, rate),
    )


def lengths_from(given: SideOptions, diagnostics: Diagnostics) -> Durations | Fraction | AudioFolder | None:
    """How long the clips are, as the options say: by --durations, else by --audio."""
    if given["durations"] is None and given["audio"] is not None:
        return AudioFolder(given["audio"])
    return durations_from(given["durations"], diagnostics)


def read_sides(
    given: SideOptions, diagnostics: Diagnostics, *, lenient: bool = False
) -> tuple[Prepared, Durations | Fraction | None]:
    """Both sides prepared, and the durations: for commands without a contract. Errors raise InvalidInput.

    `lenient` goes on when single rows cannot be read: only what makes a whole file useless raises.
    """
    ref_reading, pred_reading = readings(given)
    labels = label_map_from(given["label_map"], diagnostics)
    reference = events_from(given["ref"], diagnostics, name="ref", reading=ref_reading)
    prediction = (
        events_from(given["pred"], diagnostics, name="pred", reading=pred_reading)
        if given["pred"] is not None
        else EventTable("pred", {})
    )
    reference = keep_confident(reference, ref_reading.decoding, diagnostics)
    prediction = keep_confident(prediction, pred_reading.decoding, diagnostics)
    if given["pred"] is not None:
        report_unused_readings(((ref_reading, reference), (pred_reading, prediction)), diagnostics)
    durations = lengths_from(given, diagnostics)
    ignore = regions_from(given["ignore"], diagnostics) if given["ignore"] is not None else None
    choice = clip_choice_from(given["clips"], diagnostics)
    if not lenient or is_incomplete(diagnostics, durations):
        diagnostics.raise_errors()
    outside = Outside.ERROR if lenient else Outside(given["outside"])
    ready = prepare(reference, prediction, durations, ignore, labels, diagnostics, outside, choice)
    for table in (ready.reference, ready.prediction):
        report_table_lengths(table, ready.durations, diagnostics)
    if not lenient and choice is None:
        listed = ready.durations.clips if isinstance(ready.durations, Durations) else ()
        report_unknown_clips(ready.prediction, ready.reference, listed, diagnostics)
    if not lenient:
        diagnostics.raise_errors()
    return ready, ready.durations


def score_from_options(
    contract: Contract,
    conditions: str | None = None,
    on_stage: OnStage = silent,
    **given: Unpack[DataOptions],
) -> Run:
    """Score what the options name."""
    mode = Mode.CLASS_INDEXED if given["class_indexed"] else Mode.UNION
    if given["pair"] is not None:
        return score_document(
            contract,
            given["pair"],
            mode=mode,
            conditions=conditions,
            label_map=given["label_map"],
            outside=given["outside"],
            clips=given["clips"],
            strict=given["strict"],
            on_stage=on_stage,
        )
    ref_reading, pred_reading = readings(given)
    return score(
        contract,
        given["ref"],
        given["pred"],
        durations=AudioFolder(audio)
        if given["durations"] is None and (audio := given["audio"])
        else given["durations"],
        mode=mode,
        ignore=given["ignore"],
        conditions=conditions,
        label_map=given["label_map"],
        ref_reading=ref_reading,
        pred_reading=pred_reading,
        outside=given["outside"],
        clips=given["clips"],
        strict=given["strict"],
        on_stage=on_stage,
    )
