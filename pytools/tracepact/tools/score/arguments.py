"""The options by which commands take references and predictions, and the run they make of them."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypedDict, Unpack

import click

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostics, Source
from tracepact.io import Decoding, Prepared, Reading, durations_from, events_from, label_map_from, prepare, regions_from
from tracepact.io.formats import FORMATS
from tracepact.io.reading import report_unused_readings
from tracepact.lang import syntax
from tracepact.lang.reader import read_value
from tracepact.tools.score.run import Run, is_incomplete, score, score_document
from tracepact.tools.score.scored import unwatched
from tracepact.trace import Durations, EventTable, Mode, exact


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


class Share(click.ParamType):  # type: ignore[type-arg]  # generic in some releases of click only
    """A number from 0 to 1, exact."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """The number a text denotes."""
        try:
            share = exact(str(value))
        except ValueError:
            self.fail(f"`{value}` is not a number such as 0.5", param, ctx)
        if not 0 <= share <= 1:
            self.fail(f"{value} lies outside 0 to 1", param, ctx)
        return share


class Length(click.ParamType):  # type: ignore[type-arg]  # as above
    """A time greater than zero, with its unit; a small number without one is in seconds."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read it exactly; 10 and more without a unit is refused, for it is most likely meant in milliseconds."""
        if isinstance(value, Fraction):
            return value
        match read_value(Source("option", str(value)), Diagnostics()):
            case syntax.Value(syntax.Quantity(number, unit), False) if unit in _UNITS:
                length: Fraction = number * _UNITS[unit]
            case _:
                self.fail(f"`{value}` is not a time, such as 200ms or 1.5s", param, ctx)
        if not length:
            self.fail(f"`{value}` is no length; it must be greater than zero", param, ctx)
        if not unit and length >= _SUSPICIOUS:
            text = str(value).strip()
            self.fail(f"`{text}` has no unit; write {text}ms, or {text}s if you mean seconds", param, ctx)
        return length


_UNITS = {"": Fraction(1), "s": Fraction(1), "ms": Fraction(1, 1000)}
_SUSPICIOUS = 10


class LowHigh(click.ParamType):  # type: ignore[type-arg]  # as above
    """`low,high`, two numbers from 0 to 1 in order."""

    name = "LOW,HIGH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Fraction, Fraction]:
        """Split at the comma."""
        low, comma, high = str(value).partition(",")
        if not comma:
            self.fail(f"`{value}` is not of the form low,high, such as 0.3,0.6", param, ctx)
        found = Share().convert(low.strip(), param, ctx), Share().convert(high.strip(), param, ctx)
        if found[0] > found[1]:
            self.fail(f"the low threshold {low.strip()} is greater than the high one {high.strip()}", param, ctx)
        return found


class OddLength(click.ParamType):  # type: ignore[type-arg]  # as above
    """The length of a median filter: an odd number of frames."""

    name = "FRAMES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A whole number that has a middle."""
        text = str(value).strip()
        if not text.isdecimal() or len(text) > 6 or int(text) < 1:
            self.fail(f"`{value}` is not a number of frames", param, ctx)
        if int(text) % 2 == 0:
            self.fail(f"{text} is even and has no middle frame; take {int(text) - 1} or {int(text) + 1}", param, ctx)
        return int(text)


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
