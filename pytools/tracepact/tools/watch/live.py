"""What is said while a stream is watched: violations as they are determined, bad lines, and where the scores stand."""

from typing import Any

from rich.table import Table
from rich.text import Text

from tracepact.core import FrameClause
from tracepact.records import record_of
from tracepact.stream import FrameViolation, StreamMonitor, Violation
from tracepact.stream.lines import BadLine
from tracepact.tools.score.report.scores import ScoreRecord
from tracepact.tools.score.report.violations import ComparisonRecord, FailingPart, comparison_words
from tracepact.wording import count, decimal, moment, short

Data = dict[str, Any]


def violation_data(monitor: StreamMonitor, violation: Violation) -> Data:
    """A violated frame or interval, with the frame that let its verdict out (spec/schemas/watch.schema.json)."""
    contract = monitor.contract
    step = contract.step
    stream, label = monitor.place(violation.channel)
    data: Data = {"kind": "violation", "clause": violation.clause.name, "stream": stream, "class": label}
    if isinstance(violation, FrameViolation):
        data |= {
            "frame": violation.frame,
            "time": str(violation.frame * step),
            "part": FailingPart.of(contract, violation.span).to_dict(),
        }
    else:
        assert violation.violation is not None
        compared = violation.violation.comparison
        data |= {
            "interval": [str(edge * step) for edge in violation.interval],
            "partner": [str(edge * step) for edge in violation.partner] if violation.partner else None,
            "part": FailingPart.of(contract, violation.violation.span).to_dict(),
            "comparison": ComparisonRecord.of(compared).to_dict() if compared else None,
        }
    return data | {"out": violation.out, "delay": {"frames": violation.delay, "seconds": str(violation.delay * step)}}


def bad_line_data(bad: BadLine) -> Data:
    """A line that is no frame."""
    return {"kind": "bad_line", "line": bad.number, "headline": bad.headline, "help": bad.help}


def summary_data(monitor: StreamMonitor, bad_lines: int) -> Data:
    """Where a stream stands, or how it ended."""
    return {
        "kind": "summary",
        "contract": {"name": monitor.contract.name, "digest": monitor.contract.digest},
        "frames": monitor.frames,
        "ended": dict(monitor.ended),
        "bad_lines": bad_lines,
        "aggregation": monitor.contract.aggregation.value,
        "vector": [
            {"clause": name, "score": ScoreRecord.of(score).to_dict()} for name, score in monitor.vector().items()
        ],
    }


def violation_text(data: Data, *, named: bool) -> Text:
    """A violation on one line; the stream and class are named if there are several."""
    times = data["interval"] if "interval" in data else [data["time"]]
    when = "–".join(moment(time) for time in times)
    where = f"  {data['stream']}/{data['class']}" if named else ""
    far = f"  {_how_far(data)}" if "interval" in data else ""
    delay = data["delay"]
    return Text.assemble(
        (f"{when} s", "cyan"),
        where,
        ("  " + data["clause"], "bold red"),
        f"  {' '.join(data['part']['text'].split())}{far}",
        (f"  (delay {count(delay['frames'], 'frame')}, {short(delay['seconds'])} s)", "dim"),
    )


def _how_far(data: Data) -> str:
    compared = data["comparison"]
    return comparison_words(
        None if compared is None else record_of(compared, ComparisonRecord), has_partner=data["partner"] is not None
    )


def summary_table(monitor: StreamMonitor, bad_lines: int) -> Table:
    """The scores of the verdicts that are out."""
    seconds = short(monitor.frames * monitor.contract.step)
    title = f"{monitor.contract.name}: {count(monitor.frames, 'frame')}, {seconds} s"
    table = Table(title=title + (f", {count(bad_lines, 'bad line')}" if bad_lines else ""), title_justify="left")
    table.caption, table.caption_justify = "\n".join(notes(monitor)) or None, "left"
    table.add_column("clause")
    for column in ("score", "satisfied", "obligated", "violated"):
        table.add_column(column, justify="right")
    table.add_column("delay")
    for clause in monitor.contract.clauses:
        score = monitor.score(clause.name)
        delay = count(monitor.delays[clause.name], "frame") if isinstance(clause, FrameClause) else "until settled"
        value = "–" if score.vacuous else decimal(score.value, 4)
        counts = (score.satisfied, score.obligated, score.obligated - score.satisfied)
        table.add_row(clause.name, value, *(f"{number:,}" for number in counts), delay)
    return table


def notes(monitor: StreamMonitor) -> list[str]:
    """What the numbers of the table do not say by themselves: clauses without an obligation, and open intervals."""
    told = []
    vacuous = [clause.name for clause in monitor.contract.clauses if monitor.score(clause.name).vacuous]
    if vacuous:
        told.append(f"–  nothing obligated: {', '.join(vacuous)}")
    for clause in monitor.contract.event_clauses:
        score = monitor.score(clause.name)
        if not score.obligated and not score.vacuous:
            each = {"ref": "reference event", "pred": "predicted event", "matched": "matched pair"}[clause.each.value]
            told.append(f"{clause.name}: no {each}, though there are events; that counts 0 (rule 7.4)")
    if monitor.events is not None and monitor.events.pending and not monitor.closed:
        told.append(f"{count(monitor.events.pending, 'interval')} not yet settled")
    return told
