"""The tables of a report, each built once; terminal, Markdown and page draw them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import UnsetType

from tracepact.core import Aggregation, LeftOut, Projection
from tracepact.scoring import LOGIC, MEAN
from tracepact.scoring.bootstrap import DRAWS, SEED
from tracepact.scoring.tolerance import Tolerance
from tracepact.scoring.uncertainty import Interval, few_clips_notes, outside_mark, outside_notes
from tracepact.show.table import Bar, Cell, Column, Table, Tone, numbers, words
from tracepact.tools.score.report.record import Report
from tracepact.tools.score.report.scores import VACUOUS, ScoreRecord, margin_words
from tracepact.tools.score.report.violations import EventViolationRecord, FrameViolationRecord
from tracepact.wording import count, decimal, short

COUNTER = "⊥"
HEADLINE = f"mean without {VACUOUS} clauses"
INTERVAL = f"95 % interval over clips (bootstrap, {DRAWS:,} draws, seed {SEED})"
_WARNINGS = 200


def vector_table(
    report: Report,
    first: Aggregation | None = None,
    others: Sequence[Aggregation] = (),
    *,
    ranges: Mapping[str, Interval] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Table:
    """Every clause under one aggregation, by default the contract's own, and beside it under others.

    `ranges` are the intervals of the first, `texts` say each clause in words.
    """
    own = first or report.aggregation
    ranges, texts = ranges or {}, texts or {}
    columns = [Column("clause"), Column(own.words, tone=Tone.STRONG)]
    columns += numbers("95 % interval") if ranges else []
    columns += [*numbers("satisfied / obligated"), Column(f"{VACUOUS} +{COUNTER}", numbers=True, tone=Tone.FAINT)]
    columns += [Column(a.words, True, Tone.FAINT, wide_only=a is not Aggregation.POOLED) for a in others]
    rows: list[Sequence[Cell | str]] = []
    for index, row in enumerate(report.vector):
        score, found = row.scores[own], ranges.get(row.clause)
        rows.append(
            [
                Cell(row.clause, note=texts.get(row.clause, ""), title=_CHOOSE, choice={"clause": index}),
                Cell(score.text, Tone.STRONG, bar=_bar(score.value, score.free, found)),
                *([_interval(found)] if ranges else []),
                row.scores[Aggregation.POOLED].counts,
                score.empty,
                *(row.scores[a].text for a in others),
            ]
        )
    rows.append(_headline_row(report, own, others, ranges))
    notes = [*_entry_notes(report, own), *_headline_notes(report, own), *_range_notes(report, ranges)]
    notes += _margin_notes(report)
    return Table("The vector", columns, rows, notes, totals=1)


def headline_name(report: Report, aggregation: Aggregation) -> str:
    """What the headline mean is called: the mean of the vector, unless it leaves out vacuous clauses."""
    return HEADLINE if report.vacuous_clauses(aggregation) else MEAN


def headline_text(report: Report, aggregation: Aggregation) -> str:
    """The headline mean (rule 16.13), or the mark of vacuity where nothing was asked at all."""
    value = report.headline(aggregation)
    return VACUOUS if value is None else decimal(value)


def margin_table(report: Report) -> Table | None:
    """The soft score and the least margin of every frame clause; None where no margins are known (rule 13.36)."""
    own = report.aggregation
    rows = []
    for row in report.vector:
        if not isinstance(row.soft, UnsetType):
            least = VACUOUS if row.soft.least is None else margin_words(row.soft.least)
            middle = "" if row.soft.violated is None else margin_words(row.soft.violated)
            rows.append([row.clause, row.scores[own].text, decimal(row.soft.scores[own].value), least, middle])
    if not rows:
        return None
    notes = [
        "a margin is how far a verdict is from its opposite, in score; that of a violated obligation is negative",
        "soft score: the mean margin, each cut to ±1; it is aggregated like the score (rule 18.10)",
    ]
    columns = [*words("clause"), *numbers(own.words, "soft score", "least margin", "median violated")]
    return Table("Margins in score", columns, rows, notes)


def _margin_notes(report: Report) -> Iterator[str]:
    """Why scores that were decoded have no margins."""
    if report.preparation.is_filtered:
        yield "no margins: they are defined after a threshold alone, without median filter or hysteresis (13.36)"
    elif report.preparation.is_decoded and report.grid.projection is not Projection.CENTRE:
        yield "no margins: they are defined under the projection `centre` (13.36)"


def _headline_row(
    report: Report, own: Aggregation, others: Sequence[Aggregation], ranges: Mapping[str, Interval]
) -> list[Cell | str]:
    """The headline means; the interval is that of `logic`, so it is shown only where the two are one."""
    value, asked = report.headline(own), [row.scores[own] for row in report.vector if not row.scores[own].vacuous]
    found = ranges.get(LOGIC) if len(asked) == len(report.vector) else None
    bar = None
    if value is not None:
        bar = _bar(value, sum((score.free for score in asked), Fraction(0)) / len(asked), found)
    name = Cell(headline_name(report, own), Tone.STRONG)
    cell = Cell(headline_text(report, own), Tone.STRONG, bar=bar)
    middle = [_interval(found)] if ranges else []
    return [name, cell, *middle, "", "", *(headline_text(report, a) for a in others)]


def _headline_notes(report: Report, own: Aggregation) -> Iterator[str]:
    """Which clauses the headline leaves out, and what the mean is with them."""
    if left_out := report.vacuous_clauses(own):
        all_counted = f"counted as 1, the mean of the vector is {report.logic[own].text} (rule 16.13)"
        yield f"nothing was asked by {', '.join(left_out)}; {all_counted}"


_CHOOSE = "Show the clips that fail this clause"


def _bar(value: Fraction, free: Fraction, found: Interval | None) -> Bar:
    return Bar(value, min(free, value), found.low if found else None, found.high if found else None)


def _interval(found: Interval | None) -> str:
    if found is None:
        return ""
    return f"{decimal(found.low)} to {decimal(found.high)}{outside_mark(found.value, found.low, found.high)}"


def _entry_notes(report: Report, own: Aggregation) -> Iterator[str]:
    """What the marks for entries without an obligation mean, if there are some."""
    scores = [row.scores[own] for row in report.vector]
    entries = max(score.entries for score in scores)
    what = own.steps.entries
    counted = "each scores 1 (“no ∅” leaves them out)"
    if own.steps.leaves_out is LeftOut.VACUOUS:
        counted = "the mean leaves them out"
    if any(score.vacuous_entries for score in scores):
        yield f"{VACUOUS}: {what} (of {entries:,}) without an obligation; {counted}"
    if any(score.counter_entries for score in scores):
        yield f"{COUNTER}: {what} with events, but none that the clause judges; each scores 0 (rule 7.4)"


def _range_notes(report: Report, ranges: Mapping[str, Interval]) -> Iterator[str]:
    """How the intervals were made, and when not to rely on them."""
    if not ranges:
        return
    yield INTERVAL
    yield from few_clips_notes(report.family.clips)
    if any(found.low == found.high and 0 < found.value < 1 for found in ranges.values()):
        yield "an interval without width means that every draw gave the same value, not that the value is certain"
    yield from outside_notes(map(_interval, ranges.values()))


def sweep_table(report: Report) -> Table:
    """The vector at every point of every sweep."""
    rows = [(f"{p.parameter} = {p.value}", p.vector, None) for p in report.sweeps]
    return _vectors(f"Sweep ({report.aggregation.words})", "", report, rows)


def class_table(report: Report, most: int | None = None) -> Table:
    """The pooled vector of every class, or of the first so many and how many more there are."""
    rows = [(row.label, row.vector, {"class": index}) for index, row in enumerate(report.classes[:most])]
    left = len(report.classes) - len(rows)
    notes = [f"… and {count(left, 'more class', 'more classes')}, which --format json lists"] if left else []
    return _vectors("By class (pooled)", "class", report, rows, notes)


def condition_table(report: Report) -> Table:
    """The vector of every condition, under the contract's aggregation."""
    rows = [
        (
            f"{row.condition} ({count(row.clips, 'clip')})",
            {clause: scores[report.aggregation] for clause, scores in row.vector.items()},
            {"condition": index},
        )
        for index, row in enumerate(report.conditions)
    ]
    return _vectors(f"By condition ({report.aggregation.words})", "condition", report, rows)


def _vectors(
    title: str,
    first: str,
    report: Report,
    rows: Sequence[tuple[str, Mapping[str, ScoreRecord], Mapping[str, int] | None]],
    notes: Sequence[str] = (),
) -> Table:
    """A row for each named vector; a score leads to the clips behind it, and is the darker the more it loses."""
    clauses = [row.clause for row in report.vector]
    cells: list[list[Cell | str]] = [
        [name, *(_score(vector[clause], choice, index) for index, clause in enumerate(clauses))]
        for name, vector, choice in rows
    ]
    return Table(title, [*words(first), *numbers(*clauses)], cells, notes)


def _score(score: ScoreRecord, choice: Mapping[str, int] | None, clause: int) -> Cell:
    title = f"{score.satisfied:,} of {score.obligated:,} obligations satisfied"
    tone = Tone.FAINT if score.vacuous else Tone.PLAIN
    wanted = None if choice is None else {**choice, "clause": clause}
    return Cell(score.text, tone, title=title, choice=wanted, loss=1 - score.decimal)


def violation_table(report: Report, most: int = 3) -> Table:
    """The violations farthest from holding, up to a limit for each clause."""
    columns = [*words("clause"), *numbers("violations"), *words("clip", "class"), *numbers("at")]
    rows: list[list[Cell | str]] = []
    for found in report.violations:
        for index, item in enumerate(found.shown[:most]):
            assert isinstance(item, FrameViolationRecord | EventViolationRecord)
            head = [found.clause, f"{found.total:,}"] if index == 0 else ["", ""]
            place = [item.clip, item.label, f"{short(item.start)} s"]
            rows.append([*head, *place, Cell(item.part.line, code=True), item.how_far])
    return Table("Where it failed, farthest first", [*columns, *words("failing part", "how far")], rows)


def tolerance_table(tolerance: Tolerance) -> Table:
    """The curves of a parameter in numbers: at both ends, and on average."""
    ends = [f"at {_argument(tolerance, end)}" for end in (tolerance.low, tolerance.high)]
    rows = [
        [name, decimal(curve.at(tolerance.low)), decimal(curve.at(tolerance.high)), decimal(curve.mean)]
        for name, curve in {**tolerance.clauses, MEAN: tolerance.logic}.items()
    ]
    return Table("", [*words("clause"), *numbers(*ends, "mean over the range")], rows, totals=1)


def _argument(tolerance: Tolerance, value: Fraction) -> str:
    return f"{short(value * 1000)} ms" if tolerance.is_time else short(value)


def parameter_table(report: Report) -> Table:
    """The contract's parameters."""
    rows = [[p.name, p.value, "yes" if p.overridden else ""] for p in report.contract.parameters]
    return Table("", [*words("parameter"), *numbers("value"), *words("overridden")], rows)


def input_table(report: Report) -> Table:
    """The files that went into the run."""
    rows: list[list[Cell | str]] = [
        [item.role, item.name, Cell(f"{item.sha256[:16]}…", code=True)] for item in report.inputs
    ]
    return Table("", words("input", "file", "SHA-256"), rows)


def warning_table(report: Report) -> Table:
    """The first warnings, with how many there are beside."""
    items = report.diagnostics.items
    rows = [[item.code, item.headline, item.where] for item in items[:_WARNINGS]]
    rest = [f"… and {len(items) - _WARNINGS:,} more in report.json"] if len(items) > _WARNINGS else []
    return Table("", words("warning", "what", "where"), rows, rest)
