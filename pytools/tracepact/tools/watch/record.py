"""The lines that `watch` prints, as records: violations as they are determined, bad lines, the scores at the end."""

from typing import Annotated, Literal

from msgspec import Meta, field

from tracepact.core import Aggregation
from tracepact.records import Count, Digest, Name, NotNegative, OneOf, Record
from tracepact.stream import FrameViolation, StreamMonitor, Violation
from tracepact.stream.lines import BadLine
from tracepact.tools.score.report.scores import ScoreRecord
from tracepact.tools.score.report.violations import ComparisonRecord, FailingPart

_Seconds = Annotated[tuple[NotNegative, NotNegative], Meta(description="Onset and offset in seconds, exact.")]
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
    interval: _Seconds
    partner: _Seconds | None
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


def violation_record(monitor: StreamMonitor, found: Violation) -> StreamFrameViolation | StreamEventViolation:
    """A violated frame or interval, with the frame that let its verdict out."""
    contract, step = monitor.contract, monitor.contract.step
    stream, label = monitor.place(found.channel)
    delay = Delay(found.delay, found.delay * step)
    if isinstance(found, FrameViolation):
        part = FailingPart.of(contract, found.span)
        time = found.frame * step
        return StreamFrameViolation(
            "violation", found.clause.name, stream, label, found.frame, time, part, found.out, delay
        )
    assert found.violation is not None
    compared = found.violation.comparison
    return StreamEventViolation(
        kind="violation",
        clause=found.clause.name,
        stream=stream,
        label=label,
        interval=(found.interval[0] * step, found.interval[1] * step),
        partner=(found.partner[0] * step, found.partner[1] * step) if found.partner else None,
        part=FailingPart.of(contract, found.violation.span),
        comparison=ComparisonRecord.of(compared) if compared else None,
        out=found.out,
        delay=delay,
    )
