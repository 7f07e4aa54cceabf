"""How `watch` is shown in a terminal: a line for each violation, and a table of the scores so far."""

from rich.text import Text

from tracepact.core import Each, FrameClause
from tracepact.show.table import Table, numbers, words
from tracepact.stream import StreamMonitor
from tracepact.tools.score.report.violations import comparison_words
from tracepact.tools.watch.record import StreamEventViolation, StreamFrameViolation
from tracepact.wording import UNDEFINED, count, decimal, moment, short

_EACH = {Each.REF: "reference event", Each.PRED: "predicted event", Each.MATCHED: "matched pair"}


def violation_text(found: StreamFrameViolation | StreamEventViolation, *, named: bool) -> Text:
    """A violation on one line; the stream and class are named if there are several."""
    match found:
        case StreamFrameViolation():
            when, far = moment(found.time), ""
        case StreamEventViolation():
            when = "–".join(moment(time) for time in found.interval)
            far = f"  {comparison_words(found.comparison, has_partner=found.partner is not None)}"
    where = f"  {found.stream}/{found.label}" if named else ""
    return Text.assemble(
        (f"{when} s", "cyan"),
        where,
        (f"  {found.clause}", "bold red"),
        f"  {found.part.line}{far}",
        (f"  (delay {count(found.delay.frames, 'frame')}, {short(found.delay.seconds)} s)", "dim"),
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
    """What the numbers of the table do not say by themselves: clauses without an obligation, and open intervals."""
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
