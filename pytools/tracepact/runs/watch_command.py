"""`tracepact watch`: monitor a stream of frames from standard input while it arrives."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated, Literal

import click
from msgspec import Meta, field
from rich.console import Console
from rich.live import Live
from rich.text import Text

from tracepact.command_line import Exit
from tracepact.data.family import UNION_CLASS
from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, RowPlace
from tracepact.files import json_data, json_text, write_whole
from tracepact.inputs import LARGEST_DOCUMENT, read_bytes
from tracepact.language.contract import Aggregation, Contract, FrameClause
from tracepact.language.predicate import Each
from tracepact.options import STANDARD_INPUT, contract_argument, format_option, given_contract, set_option, with_default
from tracepact.outputs import STATE, OutputFile
from tracepact.records import Count, Digest, Name, NotNegative, OneOf, Record, plain
from tracepact.runs.violations import ComparisonRecord, EndsField, FailingPart, ScoreRecord, comparison_words
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.tables import Table, TerminalTable, numbers, output, words
from tracepact.stream.frames import BadLine, EndLine, FrameBlock, FrameLine, Line, read_lines
from tracepact.stream.monitor import StreamMonitor
from tracepact.stream.state import restore_state, save_state
from tracepact.stream.verdicts import Arrival, FrameViolation, Violation
from tracepact.wording import UNDEFINED, count, decimal, moment, short

# The lines that `watch` prints, as records: violations as they are determined, bad lines, the scores at the end.

_Out = Annotated[Count, Meta(description="The frame whose arrival let the verdict out (12.2, 12.7).")]


class WatchLine(OneOf):
    """A line that `tracepact watch --format json` prints. Numbers in parentheses are rules of language.md."""


class Delay(Record, frozen=True):
    """From the violation to its verdict."""

    frames: Count
    seconds: NotNegative


class StreamFrameViolation(Record, WatchLine, frozen=True):
    """A frame that violates a frame clause (7.1)."""

    kind: Literal["violation"]
    clause: Name
    stream: str
    label: str = field(name="class")
    frame: Count
    time: NotNegative
    part: FailingPart
    out: _Out
    delay: Delay


class StreamEventViolation(Record, WatchLine, frozen=True):
    """An interval that violates an event clause (9.2)."""

    kind: Literal["violation"]
    clause: Name
    stream: str
    label: str = field(name="class")
    interval: EndsField
    partner: EndsField | None
    part: FailingPart
    comparison: Annotated[
        ComparisonRecord | None, Meta(description="The sides of the comparison that failed, if one did (10.4).")
    ]
    out: _Out
    delay: Delay


class BadLineRecord(Record, WatchLine, frozen=True):
    """A line that is not a frame (12.10)."""

    kind: Literal["bad_line"]
    line: Annotated[int, Meta(ge=1)]
    headline: Annotated[str, Meta(min_length=1)]
    help: str | None

    @classmethod
    def of(cls, bad: BadLine) -> "BadLineRecord":
        """The record of a bad line."""
        return cls("bad_line", bad.number, bad.headline, bad.help)


class WatchedContract(Record, frozen=True):
    """The contract that is monitored."""

    name: Name
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]


class ClauseScore(Record, frozen=True):
    """The score of a clause."""

    clause: Name
    score: ScoreRecord


class WatchSummary(Record, WatchLine, frozen=True):
    """The last line: where the streams are, and the scores of the verdicts that are out."""

    kind: Literal["summary"]
    contract: WatchedContract
    frames: Count
    ended: Annotated[dict[str, Count], Meta(description="The streams that have ended, and after how many frames.")]
    bad_lines: Count
    aggregation: Aggregation
    vector: Annotated[
        tuple[ClauseScore, ...], Meta(min_length=1, description="The scores of the verdicts that are out (12.5).")
    ]

    @classmethod
    def of(cls, monitor: StreamMonitor, bad_lines: int) -> "WatchSummary":
        """Where a stream is, or how it ended."""
        contract = monitor.contract
        return cls(
            kind="summary",
            contract=WatchedContract(contract.name, contract.digest),
            frames=monitor.frames,
            ended=dict(monitor.ended),
            bad_lines=bad_lines,
            aggregation=contract.aggregation,
            vector=tuple(ClauseScore(name, ScoreRecord.of(score)) for name, score in monitor.vector().items()),
        )


def violation_record(monitor: StreamMonitor, violation: Violation) -> StreamFrameViolation | StreamEventViolation:
    """A violated frame or interval, with the frame that let its verdict out."""
    contract, step = monitor.contract, monitor.contract.step
    stream, label = monitor.place(violation.channel)
    delay = Delay(violation.delay, violation.delay * step)
    if isinstance(violation, FrameViolation):
        part = FailingPart.of(contract, violation.span)
        time = violation.frame * step
        return StreamFrameViolation(
            "violation", violation.clause.name, stream, label, violation.frame, time, part, violation.out, delay
        )
    assert violation.violation is not None
    compared = violation.violation.comparison
    return StreamEventViolation(
        kind="violation",
        clause=violation.clause.name,
        stream=stream,
        label=label,
        interval=(violation.interval[0] * step, violation.interval[1] * step),
        partner=(violation.partner[0] * step, violation.partner[1] * step) if violation.partner else None,
        part=FailingPart.of(contract, violation.violation.span),
        comparison=ComparisonRecord.of(compared) if compared else None,
        out=violation.out,
        delay=delay,
    )


# How `watch` is shown in a terminal: a line for each violation, and a table of the scores so far.

_EACH = {Each.REF: "reference event", Each.PRED: "predicted event", Each.MATCHED: "matched pair"}


def violation_text(violation: StreamFrameViolation | StreamEventViolation, *, named: bool) -> Text:
    """A violation on one line; the stream and class are named if there are several."""
    match violation:
        case StreamFrameViolation():
            when, far = moment(violation.time), ""
        case StreamEventViolation():
            when = "–".join(moment(time) for time in violation.interval)
            far = f"  {comparison_words(violation.comparison, has_partner=violation.partner is not None)}"
    where = f"  {violation.stream}/{violation.label}" if named else ""
    return Text.assemble(
        (f"{when} s", "cyan"),
        where,
        (f"  {violation.clause}", "bold red"),
        f"  {violation.part.line}{far}",
        (f"  (delay {count(violation.delay.frames, 'frame')}, {short(violation.delay.seconds)} s)", "dim"),
    )


def summary_table(monitor: StreamMonitor, bad_lines: int) -> Table:
    """The scores of the verdicts that are out."""
    seconds = short(monitor.frames * monitor.contract.step)
    title = f"{monitor.contract.name}: {count(monitor.frames, 'frame')}, {seconds} s"
    rows = []
    for clause in monitor.contract.clauses:
        score = monitor.score(clause.name)
        delay = count(monitor.delays[clause.name], "frame") if isinstance(clause, FrameClause) else "until settled"
        value = UNDEFINED if score.vacuous else decimal(score.value, 4)
        counts = (score.satisfied, score.obligated, score.obligated - score.satisfied)
        rows.append([clause.name, value, *(f"{number:,}" for number in counts), delay])
    columns = [*words("clause"), *numbers("score", "satisfied", "obligated", "violated"), *words("delay")]
    return Table(title + (f", {count(bad_lines, 'bad line')}" if bad_lines else ""), columns, rows, notes(monitor))


def notes(monitor: StreamMonitor) -> list[str]:
    """Notes below the table: clauses without an obligation, and open intervals."""
    found = []
    vacuous = [clause.name for clause in monitor.contract.clauses if monitor.score(clause.name).vacuous]
    if vacuous:
        found.append(f"{UNDEFINED}  no obligation: {', '.join(vacuous)}")
    for clause in monitor.contract.event_clauses:
        score = monitor.score(clause.name)
        if not score.obligated and not score.vacuous:
            found.append(f"{clause.name}: no {_EACH[clause.each]} although there are events; this scores 0 (rule 7.4)")
    if monitor.events is not None and monitor.events.pending and not monitor.closed:
        found.append(f"{count(monitor.events.pending, 'interval')} not yet settled")
    return found


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
@with_default(
    "--on-bad",
    click.Choice(["stop", "skip"]),
    "stop",
    "Stop at a bad line, or skip it: it is not a frame then, and later frames move up by one.",
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


def _watch(monitor: StreamMonitor, screen: "_LiveScreen", on_bad: str) -> bool:
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


def _lines(monitor: StreamMonitor, screen: "_LiveScreen") -> Iterator[Line]:
    """The lines of standard input that are to be taken one by one; blocks of frames are pushed as chunks before."""
    # Many frames that wait are pushed as one block, which takes a fraction of the time of as many single ones.
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


def _take(monitor: StreamMonitor, line: Line, screen: "_LiveScreen") -> BadLine | None:
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


class _LiveScreen:
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
        # Frames may come by the thousand a second: the table is drawn for eyes, not for each of them.
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
def _screen(monitor: StreamMonitor, form: str) -> Iterator[_LiveScreen]:
    """A live table below the violations on a terminal, plain lines elsewhere."""
    console = output()
    if form == "json" or not console.is_terminal:
        yield _LiveScreen(monitor, form, console, None)
        return
    with Live(TerminalTable(summary_table(monitor, 0)), console=console, auto_refresh=False) as live:
        yield _LiveScreen(monitor, form, console, live)
