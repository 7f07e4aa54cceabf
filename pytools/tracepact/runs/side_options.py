"""The options by which commands take references and predictions, judge them, and show their records."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import click
from rich.console import Group, RenderableType

from tracepact.data.decoding import Declared, Decoding, read_decoding
from tracepact.data.event_rows import Outside
from tracepact.data.events import EventTable
from tracepact.data.family import Mode
from tracepact.data.formats import FORMATS
from tracepact.data.memory import AudioFolder
from tracepact.data.readings import Reading, columns_from
from tracepact.declarations import OnStage, silent
from tracepact.diagnostics.collection import Diagnostics
from tracepact.evaluate.draws import DRAWS, SEED
from tracepact.files import json_text, table_text, write_whole
from tracepact.language.contract import Contract
from tracepact.measures.policy import Empty, Evaluated, EventPolicy, MacroOver, MetricSettings, OffsetRule
from tracepact.options import (
    Length,
    LowHigh,
    OddLength,
    Share,
    WholeNumber,
    choice_of,
    durations_option,
    format_option,
    strict_option,
    with_default,
    with_options,
)
from tracepact.outputs import PICTURE, ROWS, OutputFile
from tracepact.records import Record, plain
from tracepact.runs.directory import owner
from tracepact.runs.run import Run, score_document, score_task
from tracepact.runs.task import JudgingOptions, Task
from tracepact.show.lines import give, reader_may_leave, say
from tracepact.show.tables import Table, TerminalTable, print_tables, words
from tracepact.wording import ms, percent, print_number

# The policies of the standard metrics as options of commands.

_SETTINGS = MetricSettings()


class MetricOptions(TypedDict):
    """What `metric_options` hands to a command."""

    collar: Fraction
    offset: str
    share: Fraction
    segment: Fraction
    radius: Fraction
    evaluated: str
    empty: str
    macro: str


def metric_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `MetricOptions`."""
    event = _SETTINGS.event
    return with_options(
        (
            with_default("--collar", Length(), ms(event.collar), "How far apart onsets may be."),
            with_default(
                "--offset",
                choice_of(OffsetRule),
                event.offset.value,
                "Offsets within the greater (max) or the smaller (and) of collar and share, the collar alone, or any.",
            ),
            with_default(
                "--share",
                Share(),
                print_number(event.share),
                "The share of the reference's duration, as in DCASE; sed_eval itself takes 0.5 by default.",
            ),
            with_default("--segment", Length(), ms(_SETTINGS.segment), "The length of a segment."),
            with_default("--radius", Length(), ms(_SETTINGS.transition), "The reach of a transition."),
            with_default(
                "--evaluated",
                choice_of(Evaluated),
                _SETTINGS.evaluated.value,
                "Where a clip's segments end: with the last event of either side, or with the clip (sed_eval's "
                "evaluated length).",
            ),
            with_default(
                "--empty",
                choice_of(Empty),
                _SETTINGS.empty.value,
                "What the precision is where nothing is predicted: undefined, or 0 as with sed_eval's zero_score.",
            ),
            with_default(
                "--macro",
                choice_of(MacroOver),
                _SETTINGS.macro.value,
                "The classes that a macro mean is taken over: those whose value is defined, those of these that the "
                "reference has, or all, an undefined value counting as 0.",
            ),
        ),
        function,
    )


def metric_settings(options: MetricOptions) -> MetricSettings:
    """The policies that options declare."""
    return MetricSettings(
        EventPolicy(options["collar"], OffsetRule(options["offset"]), options["share"]),
        options["segment"],
        options["radius"],
        Evaluated(options["evaluated"]),
        Empty(options["empty"]),
        MacroOver(options["macro"]),
    )


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
    first_frame: int | None
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
                "--first-frame",
                type=click.IntRange(0, 1),
                help="The number of the first frame, in SELD files and tables read with --columns whose times are "
                "frames.",
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
            with_default(
                "--outside",
                choice_of(Outside),
                Outside.FALSE_ALARM.value,
                "What becomes of a predicted event that starts after its clip's end; in the reference it is an error.",
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


def mode_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --class-indexed and --union options."""
    return click.option(
        "--class-indexed/--union", default=True, show_default=True, help="Keep labels apart, or treat them as one."
    )(function)


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `DataOptions`."""
    pair = click.option("--pair", type=click.Path(), help="Both sides, durations and masks in one JSON document.")
    return with_options((side_options, pair, mode_option, strict_option), function)


# What of the options a document says itself; the three that are left out here go with it as well.
_ALONE = SideOptions.__annotations__.keys() - {"label_map", "outside", "clips"}


def check_data_options(data: DataOptions) -> None:
    """Refuse anything but both tables, or one document with at most a label map beside it."""
    if data["pair"] is None and (data["ref"] is None or data["pred"] is None):
        raise click.UsageError("give --ref and --pred, or --pair alone")
    beside = [name for name, value in data.items() if name in _ALONE and value not in (None, ())]
    if data["pair"] is not None and beside:
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


def _declared(options: SideOptions) -> Declared | None:
    """The decoding of the options, or of the file they name; InvalidInput if that cannot be used."""
    decoding = decoding_from(options["threshold"], options["hysteresis"], options["median"])
    if options["decoding"] is None:
        return decoding
    if decoding is not None:
        raise click.UsageError("--decoding holds thresholds and filters; leave out --threshold and the like")
    diagnostics = Diagnostics()
    found = read_decoding(options["decoding"], diagnostics)
    diagnostics.raise_errors()
    return found


def readings(options: SideOptions) -> tuple[Reading, Reading]:
    """How each side is to be read, as the options say; InvalidInput for a column map that cannot be used."""
    decoding = _declared(options)
    faults = Diagnostics()
    maps = columns_from(options["columns"], faults) or None
    faults.raise_errors()
    reading = Reading(
        label_column=options["label_column"],
        tiers=options["tier"],
        columns=maps,
        rate=options["rate"],
        first_frame=options["first_frame"],
    )
    return (
        replace(reading, format=options["ref_format"], decoding=options["ref_threshold"]),
        replace(reading, format=options["pred_format"], decoding=decoding),
    )


def task_from_options(contract: Contract, options: SideOptions, **more: Unpack[JudgingOptions]) -> Task:
    """The task that options name; lengths are those of --durations, else of --audio."""
    ref_reading, pred_reading = readings(options)
    # With both, the table says the lengths, and the sounds are only played.
    by_audio = options["durations"] is None and options["audio"] is not None
    return Task(
        contract,
        options["ref"],
        options["pred"] if options["pred"] is not None else EventTable("pred", {}),
        durations=AudioFolder(str(options["audio"])) if by_audio else options["durations"],
        ignore=options["ignore"],
        label_map=options["label_map"],
        ref_reading=ref_reading,
        pred_reading=pred_reading,
        outside=options["outside"],
        clips=options["clips"],
        **more,
    )


def judging(options: DataOptions, **more: Unpack[JudgingOptions]) -> JudgingOptions:
    """How the data is judged, as the options say, and what a command adds."""
    return {"mode": mode_of(options["class_indexed"]), "strict": options["strict"], **more}


def mode_of(class_indexed: bool) -> Mode:
    """The mode that --class-indexed or --union says."""
    return Mode.CLASS_INDEXED if class_indexed else Mode.UNION


def score_from_options(
    contract: Contract, options: DataOptions, on_stage: OnStage = silent, **more: Unpack[JudgingOptions]
) -> Run:
    """Score what the options name."""
    how = judging(options, **more)
    if options["pair"] is None:
        return score_task(task_from_options(contract, options, **how), on_stage)
    outside, labels, clips = options["outside"], options["label_map"], options["clips"]
    return score_document(
        contract, options["pair"], on_stage=on_stage, label_map=labels, outside=outside, clips=clips, **how
    )


# The options of commands that draw clips (rule 16.7).


def bootstrap_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options --draws, --seed and --level of a bootstrap."""
    draws = with_default("--draws", WholeNumber(1, 10**6), DRAWS, "Number of draws of clips.")
    seed = with_default("--seed", WholeNumber(0), SEED, "Seed of the generator.")
    level = with_default("--level", Share(), "0.95", "Level of the intervals.")
    return with_options((draws, seed, level), function)


# Shows a record: tables as text, the record as JSON, rows as CSV, a figure as SVG; and the options for that.

_Shown = TypeVar("_Shown", bound=Record)
VACUITY = (
    "∅: share of the value that comes from entries without an obligation, which score 1 (rule 16.11); "
    "∅ without a share: the whole value"
)


class OutputOptions(TypedDict):
    """What `output_options` passes to a command."""

    form: str
    csv_file: Path | None
    figure_file: Path | None


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options --format, --csv and --figure."""
    return with_options(
        (
            format_option("text", "json", "csv"),
            click.option(
                "--csv", "csv_file", type=OutputFile(ROWS, owner), help="Also write the rows to this CSV file."
            ),
            click.option(
                "--figure",
                "figure_file",
                type=OutputFile(PICTURE, owner),
                help="Also write the chart to this SVG file (.svg).",
            ),
        ),
        function,
    )


def show(
    audit: _Shown,
    tables: Callable[[_Shown], Sequence[Table]],
    rows: Callable[[_Shown], Table],
    figure: Callable[[_Shown], str],
    files: Mapping[Path, str] | None = None,
    **output: Unpack[OutputOptions],
) -> None:
    """Print a record in the chosen format, and write the files that were asked for.

    `tables`, `rows` and `figure` are called only if they are needed; `files` are further files to write, by place.
    """
    written = dict(files or {})
    if output["csv_file"] is not None:
        written[output["csv_file"]] = _csv(rows(audit))
    if output["figure_file"] is not None:
        written[output["figure_file"]] = figure(audit)
    write_whole(written)
    for path in written:
        say(f"wrote {path}")
    with reader_may_leave():
        match output["form"]:
            case "json":
                click.echo(json_text(plain(audit)), nl=False)
            case "csv":
                give(_csv(rows(audit)))
            case _:
                print_tables(Group(*_drawn(tables(audit))))


def data_table(columns: Sequence[str], rows: Iterable[Sequence[str | int]]) -> Table:
    """The rows of a record as a program reads them: exact values, plain numbers."""
    return Table("", words(*columns), [[str(cell) for cell in row] for row in rows])


def exact(value: Fraction | None) -> str:
    """An exact number in a row of data; empty for none."""
    return "" if value is None else str(value)


def vacuous_mark(share: Fraction) -> str:
    """The mark of a value that comes in part from vacuous entries, with their share; empty for a share of 0."""
    if not share:
        return ""
    return " ∅" if share == 1 else f" ∅ {percent(share)}"


def _csv(table: Table) -> str:
    return table_text([column.heading for column in table.columns], table.texts(), ",")


def _drawn(tables: Sequence[Table]) -> Iterator[RenderableType]:
    """Tables with an empty line between them; the notes of a table bring their own."""
    for index, table in enumerate(tables):
        if index and not tables[index - 1].notes:
            yield ""
        yield TerminalTable(table)
