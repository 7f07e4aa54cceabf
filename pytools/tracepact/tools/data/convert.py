"""`tracepact convert`: write events or scores in another format, exactly."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import click

from tracepact.diagnostics import Diagnostics, RowPlace
from tracepact.files import encoded, write_folder, write_whole
from tracepact.io import Reading, durations_from, read_events, read_scores
from tracepact.io.field_writing import FIELD_FORMATS, NPZ, written_field
from tracepact.io.field_writing import PARQUET as PARQUET_FILE
from tracepact.io.formats import FORMATS, TABLE
from tracepact.io.reading import report_unused_readings
from tracepact.io.writing import WRITABLE, check_place, regions_text, written
from tracepact.metrics import point_frames
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.progress import progress
from tracepact.tools.exits import Exit
from tracepact.tools.output_files import EVENTS, PARQUET, SCORE_ARRAYS, OutputFile, check_file
from tracepact.tools.parameters import Length, durations_option
from tracepact.tools.score.arguments import decoding_from, reading_options
from tracepact.tools.score.store.writing import owner
from tracepact.trace import EventTable
from tracepact.wording import count

_KINDS = {TABLE: EVENTS, NPZ: SCORE_ARRAYS, PARQUET_FILE: PARQUET}
"""What is one file; all the others are a folder with a file for each clip."""


@click.command()
@click.argument("source", type=click.Path())
@click.option(
    "--to",
    "target",
    type=click.Choice((*WRITABLE, *FIELD_FORMATS)),
    required=True,
    help="The format to write; the last three hold scores.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A file for a table, else a new folder.")
@click.option("--from", "given", type=click.Choice(FORMATS), help="The format to read, where it is not recognised.")
@reading_options
@durations_option("where TextGrids end")
@click.option(
    "--as-points", type=Length(), help="Write each event as the one frame of this length that holds its onset."
)
@click.option(
    "--regions",
    type=OutputFile(EVENTS, owner, in_new_folder=True),
    help="Write the ignore regions of the data too, as --ignore reads them.",
)
def command(
    source: str,
    target: str,
    out: Path,
    given: str | None,
    columns: tuple[str, ...],
    rate: str | None,
    label_column: str | None,
    tier: tuple[str, ...],
    threshold: Fraction | None,
    hysteresis: tuple[Fraction, Fraction] | None,
    median: int | None,
    durations: str | None,
    as_points: Fraction | None,
    regions: Path | None,
) -> int:
    """Read SOURCE, a file or folder of any format, and write its events; times keep every digit.

    A table is one file. Audacity label tracks and TextGrids are a folder with a file for each clip. Scores stay scores
    where the format holds them: `scores` is a folder with a file for each clip, `npz` and `parquet` one file for all.
    """
    diagnostics = Diagnostics()
    if target in FIELD_FORMATS:
        if threshold is not None or hysteresis is not None or median is not None:
            raise click.UsageError(f"--to {target} keeps the scores; leave out how they become events")
        return _convert_scores(source, target, out, diagnostics)
    decoding = decoding_from(threshold, hysteresis, median)
    reading = Reading(given, label_column, tier, decoding, columns or None, rate)
    with progress(2) as advance:
        advance(f"reading {source}")
        table = read_events(source, diagnostics, reading)
        report_unused_readings(((reading, table),), diagnostics)
        lengths = durations_from(durations, diagnostics)
        _check_out(out, source, target, diagnostics)
        if as_points is not None:
            table = point_frames(table, as_points)
        advance(f"writing {out}")
        contents = written(table, target, lengths, diagnostics)
        diagnostics.raise_errors()
        beside = _regions_file(table, regions, diagnostics)
        diagnostics.raise_errors()
        _write(out, contents, beside)
    print_diagnostics(diagnostics)
    events = sum(map(len, table.clips.values()))
    say(f"wrote {count(events, 'event')} of {count(len(table.clips), 'clip')} to {out}")
    return Exit.OK


def _convert_scores(source: str, target: str, out: Path, diagnostics: Diagnostics) -> int:
    """Write the scores of a file or folder in another format."""
    with progress(2) as advance:
        advance(f"reading {source}")
        scores = read_scores(source, diagnostics)
        _check_out(out, source, target, diagnostics)
        advance(f"writing {out}")
        contents = written_field(scores, target, diagnostics)
        diagnostics.raise_errors()
        _write(out, contents)
    print_diagnostics(diagnostics)
    frames = sum(len(own.ranks) for own in scores.clips.values())
    say(f"wrote {count(frames, 'frame')} of {count(len(scores.clips), 'clip')} to {out}")
    return Exit.OK


def _check_out(out: Path, source: str, target: str, diagnostics: Diagnostics) -> None:
    """InvalidInput if something is wrong so far, or would be lost at the place."""
    kind = _KINDS.get(target)
    check_place(out, [Path(source)], diagnostics, folder=kind is None)
    diagnostics.raise_errors()
    if kind is not None:
        check_file(out, kind)


def _write(out: Path, contents: Mapping[str, str | bytes], beside: Mapping[Path, str] = MappingProxyType({})) -> None:
    """Write a file, or a folder whole, and files beside it."""
    files: dict[Path, str | bytes] = dict(beside)
    if "" in contents:
        files[out] = contents[""]
    for folder in {path.parent for path in files}:
        folder.mkdir(parents=True, exist_ok=True)
    if "" not in contents:
        write_folder(out, {name: encoded(d) if isinstance(d, str) else d for name, d in contents.items()})
    write_whole(files)


def _regions_file(table: EventTable, place: Path | None, diagnostics: Diagnostics) -> dict[Path, str]:
    """The ignore regions that the data holds, where they are to be written; nothing is left out unsaid."""
    text = regions_text(table, diagnostics)
    if text is None:
        return {}
    if place is None:
        headline = "the data holds ignore regions, which this format does not"
        diagnostics.add("regions-left-out", headline, RowPlace(table.name), "write them too: --regions FILE")
        return {}
    check_place(place, [Path(table.name)], diagnostics, folder=False)
    return {place: text}
