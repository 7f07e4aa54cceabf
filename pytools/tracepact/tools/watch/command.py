"""`tracepact watch`: monitor a stream of frames from standard input while it arrives."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import click
from rich.console import Console
from rich.live import Live

from tracepact.core import Contract
from tracepact.diagnostics import Diagnostic, InvalidInput, RowPlace
from tracepact.files import json_data, json_text, write_whole
from tracepact.inputs import LARGEST_DOCUMENT, read_bytes
from tracepact.records import Record, plain
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.screen import output
from tracepact.show.terminal import TerminalTable
from tracepact.stream import Arrival, StreamMonitor, restore_state, save_state
from tracepact.stream.lines import BadLine, EndLine, FrameBlock, FrameLine, Line, read_lines
from tracepact.tools.exits import Exit
from tracepact.tools.output_files import STATE, OutputFile
from tracepact.tools.parameters import STANDARD_INPUT, contract_argument, format_option, given_contract, set_option
from tracepact.tools.watch.live import summary_table, violation_text
from tracepact.tools.watch.record import BadLineRecord, WatchSummary, violation_record
from tracepact.trace.assembly import UNION_CLASS

_INPUT = "standard input"
_REFRESH = 0.1


@click.command()
@contract_argument
@set_option
@click.option("--stream", "streams", multiple=True, metavar="NAME", help="The name of a stream; repeatable, in order.")
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="NAME",
    help="The name of a class; repeatable, in order. With --stream a --stream b --class x --class y a value is a list "
    "of four channels [x of a, x of b, y of a, y of b]. Without classes all events are of one class.",
)
@click.option("--ignoring", is_flag=True, help="Allow frames to be marked as ignored.")
@click.option(
    "--on-bad",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    show_default=True,
    help="Stop at a bad line, or skip it: it is not a frame then, and later frames move up by one.",
)
@click.option("--resume", type=click.Path(path_type=Path), help="Continue from a saved state.")
@click.option(
    "--save",
    type=OutputFile(STATE),
    help="Save the state at the end of input instead of closing the streams.",
)
@click.option("--fail", is_flag=True, help="Exit with 1 if anything was violated, before --resume too.")
@format_option("text", "json")
def command(
    contract: str,
    overrides: tuple[tuple[str, str], ...],
    streams: tuple[str, ...],
    classes: tuple[str, ...],
    ignoring: bool,
    on_bad: str,
    resume: Path | None,
    save: Path | None,
    fail: bool,
    form: str,
) -> int:
    """Monitor frames from standard input and print violations as they are determined, with their delay.

    Each line is a frame: reference and prediction as `1 0`, or `{"ref": 1, "pred": 0, "masks": {"zone": 1}}`. With
    several streams or classes each value is a list, class by class. `{"end": "NAME"}` ends a stream. CONTRACT is a
    file, or the name of a starter contract. The end of input, or Ctrl-C, ends all streams; so does a reader of the
    output that leaves (`| head`); the exit code then covers what was seen until then. --format json prints a JSON
    document on each line.

    Exit codes: 0 monitored to the end, 1 with --fail something was violated, 2 stopped at a bad line.
    """
    if contract == STANDARD_INPUT:
        raise click.UsageError("the frames come from standard input; name a file or a starter contract")
    compiled = given_contract(contract, overrides)
    monitor = _monitor(compiled, streams, classes, ignoring, resume)
    stopped = False
    with reader_may_leave(), _screen(monitor, form) as screen:
        stopped = _watch(monitor, screen, on_bad)
        if save is None and not monitor.closed:
            screen.show(monitor.close())
        screen.finish()
        if not monitor.frames and not screen.bad_lines:
            say("no frame came in; each line is a frame: reference and prediction as `1 0`, or as JSON (--help)")
    if save is not None:
        write_whole({save: json_text(save_state(monitor))}, in_place=True)
        say(f"saved the state after {monitor.frames} frames to {save}")
    if stopped:
        say("stopped at the bad line; what came after it was not read")
        return Exit.INVALID
    return Exit.VIOLATED if fail and _any_violated(monitor) else Exit.OK


def _any_violated(monitor: StreamMonitor) -> bool:
    """Whether any obligation was violated since the stream began, a resumed part of it included."""
    counts = [monitor.counts(clause.name) for clause in monitor.contract.clauses]
    return any(bool((c.satisfied < c.obligated).any()) for c in counts)


def _monitor(
    contract: Contract, streams: tuple[str, ...], classes: tuple[str, ...], ignoring: bool, resume: Path | None
) -> StreamMonitor:
    for what, names in (("--stream", streams), ("--class", classes)):
        if len(set(names)) < len(names):
            raise click.UsageError(f"{what} names must differ")
    if resume is None:
        return StreamMonitor(
            contract, streams=streams or ("stream",), classes=classes or (UNION_CLASS,), ignoring=ignoring
        )
    if streams or classes or ignoring:
        raise click.UsageError("the state of --resume has its streams and classes; leave those options out")
    try:
        state = json_data(read_bytes(resume, LARGEST_DOCUMENT))
    except (OSError, ValueError) as fault:
        raise InvalidInput(
            [
                Diagnostic(
                    "wrong-state",
                    f"the state cannot be read: {getattr(fault, 'strerror', None) or fault}",
                    RowPlace(str(resume)),
                )
            ]
        ) from fault
    return restore_state(contract, state if isinstance(state, dict) else {})


def _watch(monitor: StreamMonitor, screen: "_Screen", on_bad: str) -> bool:
    """Push line after line to the end of input or Ctrl-C; whether a bad line stopped it."""
    try:
        for line in _lines(monitor, screen):
            bad = _take(monitor, line, screen)
            if bad is not None:
                screen.bad(bad)
                if on_bad == "stop":
                    return True
    except KeyboardInterrupt:
        pass
    return False


def _lines(monitor: StreamMonitor, screen: "_Screen") -> Iterator[Line]:
    """The lines of standard input that are to be taken one by one; blocks of frames are pushed as chunks before."""
    for line in read_lines(sys.stdin.buffer, monitor.lanes.channels):
        if not isinstance(line, FrameBlock):
            yield line
            continue
        try:
            arrival = None if monitor.closed else monitor.push(line.frames)
        except InvalidInput:
            arrival = None
        if arrival is None:  # every one of its lines is bad, and is told so
            yield from line.lines()
        else:
            screen.show(arrival)


def _take(monitor: StreamMonitor, line: Line, screen: "_Screen") -> BadLine | None:
    """Push one line; what is wrong with it, if it is not a frame."""
    match line:
        case BadLine():
            return line
        case EndLine(number, streams):
            unknown = [name for name in streams if name not in monitor.streams or name in monitor.ended]
            if unknown:
                return BadLine(number, f"`{unknown[0]}` is not an open stream")
            screen.show(monitor.end(*streams))
        case FrameLine(number, frames, ignore):
            if monitor.closed:
                return BadLine(number, "all streams have ended")
            try:
                arrival = monitor.push(frames, ignore=ignore)
            except InvalidInput as fault:
                first = fault.diagnostics[0]
                help = first.help or "a frame has `ref` and `pred`, and declared atoms in `masks`"
                return BadLine(number, "; ".join(d.headline for d in fault.diagnostics), help)
            screen.show(arrival)
    return None


class _Screen:
    """Where violations and bad lines go, as text or JSON lines."""

    def __init__(self, monitor: StreamMonitor, form: str, console: Console, live: Live | None) -> None:
        self.violations = 0
        self._monitor = monitor
        self._form = form
        self._console = console
        self._live = live
        self.bad_lines = 0
        self._drawn = 0.0
        self._named = monitor.lanes.channels > 1

    def show(self, arrival: Arrival) -> None:
        """Every violation that came out."""
        for violation in arrival.violations:
            self.violations += 1
            found = violation_record(self._monitor, violation)
            if self._form == "json":
                self._echo(found)
            else:
                self._console.print(violation_text(found, named=self._named), soft_wrap=True)
        if self._live is not None and monotonic() - self._drawn > _REFRESH:
            self._draw(self._live)

    def bad(self, bad: BadLine) -> None:
        """A bad line, counted."""
        self.bad_lines += 1
        if self._form == "json":
            self._echo(BadLineRecord.of(bad))
        else:
            print_diagnostics([Diagnostic("bad-line", bad.headline, RowPlace(_INPUT, bad.number), bad.help)])

    def finish(self) -> None:
        """The scores at the end."""
        if self._form == "json":
            self._echo(WatchSummary.of(self._monitor, self.bad_lines))
        elif self._live is not None:
            self._draw(self._live)
        else:
            self._console.print(TerminalTable(summary_table(self._monitor, self.bad_lines)))

    def _draw(self, live: Live) -> None:
        self._drawn = monotonic()
        live.update(TerminalTable(summary_table(self._monitor, self.bad_lines)), refresh=True)

    def _echo(self, line: Record) -> None:
        click.echo(json_text(plain(line), one_line=True), nl=False)


@contextmanager
def _screen(monitor: StreamMonitor, form: str) -> Iterator[_Screen]:
    """A live table below the violations on a terminal, plain lines elsewhere."""
    console = output()
    if form == "json" or not console.is_terminal:
        yield _Screen(monitor, form, console, None)
        return
    with Live(TerminalTable(summary_table(monitor, 0)), console=console, auto_refresh=False) as live:
        yield _Screen(monitor, form, console, live)
