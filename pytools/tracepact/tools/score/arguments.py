"""The options by which commands take references and predictions, and the run they make of them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypedDict, Unpack

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics
from tracepact.io import Decoding, Prepared, Reading, durations_from, events_from, label_map_from, prepare, regions_from
from tracepact.io.formats import FORMATS
from tracepact.io.reading import report_unused_readings
from tracepact.tools.parameters import LowHigh, OddLength, Share
from tracepact.tools.score.run import Run, is_incomplete, score, score_document
from tracepact.tools.score.scored import unwatched
from tracepact.trace import Durations, EventTable, Mode


class Sides(TypedDict):
    """What `side_options` hands to a command: both sides, and what is to be done to them."""

    ref: str | None
    pred: str | None
    durations: str | None
    ignore: str | None
    ref_format: str | None
    pred_format: str | None
    label_column: str | None
    tier: tuple[str, ...]
    label_map: str | None
    threshold: Fraction | None
    hysteresis: tuple[Fraction, Fraction] | None
    median: int | None
    ref_threshold: Fraction | None


class Given(Sides):
    """What `data_options` hands to a command."""

    pair: str | None
    class_indexed: bool
    strict: bool


_READING = (
    click.option("--label-column", metavar="NAME", help="The column of Raven tables that holds the labels."),
    click.option("--tier", multiple=True, metavar="NAME", help="Read only this tier of TextGrids; repeatable."),
    click.option("--threshold", type=Share(), help="Predicted scores greater than this are active."),
    click.option("--hysteresis", type=LowHigh(), help="Two thresholds: runs above low that reach above high."),
    click.option("--median", type=OddLength(), help="Filter predicted scores first, over so many frames."),
)
_SIDES = (
    click.option("--ref", type=click.Path(), help="Reference events: a file or folder of any format."),
    click.option("--pred", type=click.Path(), help="Predicted events or scores, likewise."),
    click.option("--durations", help="A table (filename, duration), or one duration in seconds for all clips."),
    click.option(
        "--ignore", type=click.Path(), help="Regions without obligations: filename, onset, offset, event_label."
    ),
    click.option("--ref-format", type=click.Choice(FORMATS), help="The reference's format, where it is not found out."),
    click.option("--pred-format", type=click.Choice(FORMATS), help="The predictions' format, likewise."),
    *_READING,
    click.option("--ref-threshold", type=Share(), help="Soft reference labels greater than this are events."),
    click.option("--label-map", type=click.Path(), help="A TOML file: labels to rename, merge, keep, drop, ignore."),
)
_REST = (
    click.option("--pair", type=click.Path(), help="Both sides, durations and masks in one JSON document."),
    click.option(
        "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or take them as one."
    ),
    click.option("--strict", is_flag=True, help="Treat warnings as errors."),
)


_ALONE = Sides.__annotations__.keys() - {"label_map"}


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say of one file what its content does not."""
    return _with(_READING, function)


def side_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `Sides`."""
    return _with(_SIDES, function)


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `Given`."""
    return _with((*_SIDES, *_REST), function)


def _with(options: Sequence[Callable[..., Any]], function: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        function = option(function)
    return function


def check_given(given: Given) -> None:
    """Both tables, or one document and nothing beside it but a label map."""
    if given["pair"] is None and (given["ref"] is None or given["pred"] is None):
        raise click.UsageError("give --ref and --pred, or --pair alone")
    beside = [name for name, value in given.items() if name in _ALONE and value not in (None, ())]
    if given["pair"] is not None and beside:
        options = ", ".join("--" + name.replace("_", "-") for name in beside)
        raise click.UsageError(f"--pair holds the whole task; leave out {options}")


def decoding_given(
    threshold: Fraction | None, hysteresis: tuple[Fraction, Fraction] | None, median: int | None
) -> Decoding | None:
    """The decoding the options declare, if any."""
    if threshold is not None and hysteresis is not None:
        raise click.UsageError("--hysteresis holds both thresholds; leave out --threshold")
    low, high = hysteresis or (None, threshold)
    if high is None and median is not None:
        raise click.UsageError("--median filters scores before a threshold; give --threshold or --hysteresis too")
    return None if high is None else Decoding(high, low, median or 1)


def readings(given: Sides) -> tuple[Reading, Reading]:
    """How each side is to be read, as the options say."""
    decoding = decoding_given(given["threshold"], given["hysteresis"], given["median"])
    column, tiers = given["label_column"], given["tier"]
    return (
        Reading(given["ref_format"], column, tiers, given["ref_threshold"]),
        Reading(given["pred_format"], column, tiers, decoding),
    )


def read_sides(
    given: Sides, diagnostics: Diagnostics, *, lenient: bool = False
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
    if given["pred"] is not None:
        report_unused_readings(((ref_reading, reference), (pred_reading, prediction)), diagnostics)
    durations = durations_from(given["durations"], diagnostics)
    ignore = regions_from(given["ignore"], diagnostics) if given["ignore"] is not None else None
    if not lenient or is_incomplete(diagnostics, durations):
        diagnostics.raise_errors()
    ready = prepare(reference, prediction, durations, ignore, labels, diagnostics)
    if not lenient:
        diagnostics.raise_errors()
    return ready, ready.durations


def score_given(
    contract: Contract,
    conditions: str | None = None,
    on_stage: Callable[[str], None] = unwatched,
    **given: Unpack[Given],
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
            strict=given["strict"],
            on_stage=on_stage,
        )
    ref_reading, pred_reading = readings(given)
    return score(
        contract,
        given["ref"],
        given["pred"],
        durations=given["durations"],
        mode=mode,
        ignore=given["ignore"],
        conditions=conditions,
        label_map=given["label_map"],
        ref_reading=ref_reading,
        pred_reading=pred_reading,
        strict=given["strict"],
        on_stage=on_stage,
    )
