"""`tracepact conformance`: results of conformance runs side by side."""

from pathlib import Path

import click
import msgspec

from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.files import write_whole
from tracepact.show.lines import reader_may_leave, say
from tracepact.show.screen import output
from tracepact.show.terminal import drawn
from tracepact.tools.conform.outcome import ConformanceRecord
from tracepact.tools.conform.side_by_side import by_topic, overview, page
from tracepact.tools.exits import Exit
from tracepact.tools.output_files import PAGE, OutputFile
from tracepact.tools.score.store.writing import owner

_LARGEST = 1 << 26


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT...")
@click.option("--out", "place", type=OutputFile(PAGE, owner), help="Write an HTML page to this file.")
def command(results: tuple[Path, ...], place: Path | None) -> int:
    """Compare conformance results, JSON that `tracepact conform --format json` printed, side by side.

    A table in the terminal, and with --out a page of all topics, rules and findings that loads nothing.

    Exit codes: 0 the results were read.
    """
    records = [_read(path) for path in results]
    if place is not None:
        write_whole({place: page(records)})
        say(f"wrote {place}")
    with reader_may_leave():
        console = output()
        console.print(drawn(overview(records)))
        console.print(drawn(by_topic(records)))
    return Exit.OK


def _read(path: Path) -> ConformanceRecord:
    """A result; InvalidInput if the file has none."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidInput(
                [Diagnostic("bad-json", f"the file is larger than {_LARGEST} octets", RowPlace(str(path)))]
            )
        return msgspec.json.decode(path.read_bytes(), type=ConformanceRecord)
    except OSError as error:
        headline = f"`{path}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise InvalidInput([Diagnostic("unreadable-file", headline, RowPlace(str(path)))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        headline = f"this is not a result of `tracepact conform`: {error}"
        help = "write one with `tracepact conform --format json -- COMMAND > result.json`"
        raise InvalidInput([Diagnostic("bad-json", headline, RowPlace(str(path)), help)]) from None
