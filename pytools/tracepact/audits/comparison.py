"""`tracepact compare`: two runs side by side, and what changed obligation by obligation (rules 16.7 to 16.9)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import Annotated, TypeVar, Unpack

import click
import numpy as np
from msgspec import Meta, field

from tracepact.audits.audit_stability import ScoreDifference, difference_records, interval_words, p_words
from tracepact.audits.systems import aggregation_of, originals_option, paired_rows
from tracepact.data.family import Indices
from tracepact.evaluate.scorecard import Scorecard, obliged_frames, obliged_intervals
from tracepact.evaluate.scores import LOGIC, ClauseCounts, shown_name
from tracepact.evaluate.uncertainty import (
    USUAL,
    Bootstrap,
    BootstrapUsed,
    differences,
    exact_scores,
    few_clips_notes,
    holm,
    outside_notes,
    vacuous_shares,
)
from tracepact.language.contract import Aggregation
from tracepact.language.formula import FrameRun
from tracepact.options import aggregation_option
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.batch_run import NO_TABLES
from tracepact.runs.opening import OpenRun, RunLike, opened
from tracepact.runs.side_options import (
    VACUITY,
    OutputOptions,
    bootstrap_options,
    data_table,
    output_options,
    show,
    vacuous_mark,
)
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.lines import progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import decimal, print_number, rounded

# What changed from one run to another, obligation by obligation (rule 16.9).

_NO_CHANGES = f"which obligations changed is not known: a run in batches keeps no tables; {NO_TABLES}"

EventPlace = tuple[tuple[str, str], FrameRun]
"""Clip and class, and an interval of frames there."""
_T = TypeVar("_T", bound="ChangeCounts")
_S = TypeVar("_S", int, set[EventPlace])


class ChangeKind(Enum):
    """How an obligation changed."""

    FIXED = "fixed"
    BROKEN = "broken"
    NO_LONGER_ASKED = "no longer asked"
    NEWLY_ASKED = "newly asked"


class ChangedStretch(Record, frozen=True):
    """Neighbouring obligations that changed in the same way: a stretch of frames, or an interval."""

    clip: str
    label: str = field(name="class")
    clause: str
    kind: ChangeKind = field(name="change")
    onset: Fraction
    offset: Fraction
    obligations: Annotated[int, Meta(ge=1)]
    violated: Annotated[
        bool,
        Meta(
            description="Whether one of the runs violates them; if only one run asks for them, whether that one does."
        ),
    ]


class OneSided(Record, frozen=True):
    """Obligations that only one of the runs asks for, and how many of them it violates."""

    obligations: Count
    violated: Count


class ChangeCounts(Record, frozen=True, kw_only=True):
    """How many obligations changed, by kind."""

    fixed: Count
    broken: Count
    no_longer_asked: OneSided
    newly_asked: OneSided

    @property
    def net(self) -> int:
        """Fixed minus broken; obligations that only one run asks for do not count."""
        return self.fixed - self.broken

    @property
    def obligations(self) -> int:
        """All changed obligations."""
        return self.fixed + self.broken + self.no_longer_asked.obligations + self.newly_asked.obligations

    @property
    def violated(self) -> int:
        """Those of them that one of the runs violates."""
        return self.fixed + self.broken + self.no_longer_asked.violated + self.newly_asked.violated


class ClauseChanges(ChangeCounts, frozen=True):
    """How the obligations of a clause changed (rule 16.9)."""

    clause: str


class ClipTally(ChangeCounts, frozen=True):
    """How the obligations of a clip changed."""

    clip: str


def by_clause(stretches: Iterable[ChangedStretch], clauses: Iterable[str]) -> list[ClauseChanges]:
    """The changes of every one of these clauses."""
    parts: dict[str, list[ChangedStretch]] = {clause: [] for clause in clauses}
    for change in stretches:
        parts[change.clause].append(change)
    return [tally(some, partial(ClauseChanges, clause)) for clause, some in parts.items()]


def by_clip(stretches: Iterable[ChangedStretch]) -> list[ClipTally]:
    """The clips with changes, those with the largest net first."""
    parts: dict[str, list[ChangedStretch]] = {}
    for change in stretches:
        parts.setdefault(change.clip, []).append(change)
    clips = [tally(some, partial(ClipTally, clip)) for clip, some in parts.items()]
    # Where as much was fixed as broken, a clip with many changes is still worth a look before one with few.
    return sorted(clips, key=lambda c: (-abs(c.net), -c.violated, -c.obligations, c.clip))


def tally(stretches: Iterable[ChangedStretch], kind: Callable[..., _T]) -> _T:
    """The changes counted, in the record that `kind` makes of the fields of `ChangeCounts`."""
    obligations, violated = Counter[ChangeKind](), Counter[ChangeKind]()
    for change in stretches:
        obligations[change.kind] += change.obligations
        violated[change.kind] += change.obligations * change.violated

    def one_sided(kind: ChangeKind) -> OneSided:
        return OneSided(obligations[kind], violated[kind])

    return kind(
        fixed=obligations[ChangeKind.FIXED],
        broken=obligations[ChangeKind.BROKEN],
        no_longer_asked=one_sided(ChangeKind.NO_LONGER_ASKED),
        newly_asked=one_sided(ChangeKind.NEWLY_ASKED),
    )


def changes(before: Scorecard, after: Scorecard) -> list[ChangedStretch]:
    """Every stretch of changed obligations, by clip, class, clause and time."""
    stretches = list(_frame_changes(before, after))
    step = before.family.step
    for clause in before.contract.event_clauses:
        sides = *_intervals(before, clause.name), *_intervals(after, clause.name)
        for kind, is_violated, intervals in _kinds(*sides):
            for place, (start, end) in intervals:
                stretches.append(ChangedStretch(*place, clause.name, kind, start * step, end * step, 1, is_violated))
    order = {clip: index for index, clip in enumerate(before.family.clips)}
    clauses = {clause.name: index for index, clause in enumerate(before.contract.clauses)}
    return sorted(stretches, key=lambda c: (order[c.clip], c.label, clauses[c.clause], c.onset, c.kind.value))


def _frame_changes(before: Scorecard, after: Scorecard) -> Iterator[ChangedStretch]:
    """The changed frames of every frame clause, all masks in the layout of the first run."""
    obliged, obliged_now = obliged_frames(before), obliged_frames(after)
    step = before.family.step
    for clause in obliged:
        masks = (_carried(mask, after, before) for mask in (obliged_now[clause], after.violated[clause]))
        for kind, is_violated, mask in _kinds(obliged[clause], before.violated[clause], *masks):
            for segment, start, end in _stretches(before, mask):
                place = before.family.place(segment)
                yield ChangedStretch(*place, clause, kind, start * step, end * step, end - start, is_violated)


def _kinds(obliged: _S, violated: _S, asked_now: _S, violated_now: _S) -> Iterator[tuple[ChangeKind, bool, _S]]:
    """The obligations that changed, by how, and whether a run violates them; all of them as masks, or as sets."""
    # `a ^ (a & b)` is what a has beyond b, of integers and of sets alike.
    gone, come = obliged ^ (obliged & asked_now), asked_now ^ (obliged & asked_now)
    was, now = violated & asked_now, violated_now & obliged
    yield ChangeKind.FIXED, True, was ^ (was & violated_now)
    yield ChangeKind.BROKEN, True, now ^ (now & violated)
    yield ChangeKind.NO_LONGER_ASKED, True, gone & violated
    yield ChangeKind.NO_LONGER_ASKED, False, gone ^ (gone & violated)
    yield ChangeKind.NEWLY_ASKED, True, come & violated_now
    yield ChangeKind.NEWLY_ASKED, False, come ^ (come & violated_now)


def _carried(mask: int, card: Scorecard, like: Scorecard) -> int:
    """A mask of one run in the layout of another, whose clips and classes may be in another order."""
    # The usual case; the masks then mean the same bit by bit.
    if (card.family.clips, card.family.classes) == (like.family.clips, like.family.classes):
        return mask
    segments = {like.family.place(s): s for s in range(like.layout.segments)}
    there: Indices = np.array([segments[card.family.place(s)] for s in range(card.layout.segments)], dtype=np.int64)
    segment, frame = card.layout.locate(card.layout.positions(mask))
    bits = np.zeros(like.layout.words * 64, dtype=np.bool_)
    bits[like.layout.start[there[segment]] + frame] = True
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _stretches(card: Scorecard, mask: int) -> Iterator[tuple[int, int, int]]:
    """The maximal stretches of consecutive frames of one segment: segment, first frame, end."""
    positions = card.layout.positions(mask)
    if not len(positions):
        return
    # Layouts leave a gap between segments, so a stretch never runs from one clip into the next.
    breaks = np.flatnonzero(np.diff(positions) > 1) + 1
    starts = positions[np.concatenate(([0], breaks))]
    lengths = np.diff(np.concatenate(([0], breaks, [len(positions)])))
    segments, frames = card.layout.locate(starts)
    for segment, start, length in zip(segments.tolist(), frames.tolist(), lengths.tolist(), strict=True):
        yield segment, start, start + length


def _intervals(card: Scorecard, clause: str) -> tuple[set[EventPlace], set[EventPlace]]:
    """The intervals a clause obliges about (rule 9.1), and those that violate it."""
    # By clip and class: the runs may have them in different orders, so that their segments are not the same.
    evaluated, place = card.event_clause(clause), card.family.place
    obliged = obliged_intervals(card, evaluated.clause.each)
    violations = {(place(one.segment), one.interval) for one in evaluated.violations}
    return {(place(segment), run) for segment, runs in obliged.items() for run in runs}, violations


# `tracepact compare`: two runs side by side, and what changed clip by clip (rules 16.7 to 16.9).

_SHOWN = 15
_CHANGES = ("fixed", "broken", "dropped", "added")
_ONE_SIDED = (
    "dropped, added: obligations that only the first run has, or only the second (in parentheses: violated there); "
    "they count as neither fixed nor broken. JSON and CSV call them “no longer asked” and “newly asked” (rule 16.9)"
)


class ComparedScore(Record, frozen=True):
    """An exact score with its decimal, and the share that comes from entries without an obligation (rule 16.11)."""

    value: Share
    decimal: float
    vacuous: Share


class ComparedScores(Record, frozen=True):
    """The scores of both runs."""

    before: ComparedScore
    after: ComparedScore


class Comparison(Record, frozen=True):
    """What `tracepact compare --format json` prints: two runs of one contract on the same data (16.7, 16.8, 16.9)."""

    before: Annotated[str, Meta(description="The first run directory; `before` if it was in memory.")]
    after: Annotated[str, Meta(description="The second one; `after` if it was in memory.")]
    aggregation: Aggregation
    clips: Count
    bootstrap: BootstrapUsed
    scores: Annotated[Mapping[Name, ComparedScores], Meta(description="By clause, and `logic`.")]
    differences: Annotated[Mapping[Name, ScoreDifference], Meta(description="The second minus the first.")]
    changed: Annotated[
        tuple[ClauseChanges, ...] | None,
        Meta(description="The obligations that changed; null, like what follows, where a run keeps no tables (24.23)."),
    ]
    changed_clips: tuple[ClipTally, ...] | None
    changes: tuple[ChangedStretch, ...] | None


def compare(
    before: RunLike,
    after: RunLike,
    bootstrap: Bootstrap = USUAL,
    aggregation: Aggregation | None = None,
) -> Comparison:
    """Compare two runs of one contract on the same data (rules 16.7 to 16.9).

    Args:
        before: The first run: in memory, in batches, or the place of a run directory.
        after: The second one.
        bootstrap: How clips are drawn.
        aggregation: The aggregation of the scores; by default the contract's own.

    Returns:
        The comparison: scores, differences with intervals and their p, corrected over the clauses (Holm), and every
        obligation that changed; None for these where a run in batches keeps no tables.

    Raises:
        InvalidInput: A run cannot be read, or the runs cannot be compared.

    Examples:
        >>> import tracepact
        >>> runs = {
        ...     name: tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...     for name, end in (("early", 2), ("late", 4))
        ... }
        >>> comparison = tracepact.compare(runs["early"], runs["late"])
        >>> comparison.differences["missing_guard"].value, comparison.changed[2].fixed
        (Fraction(12, 25), 48)
    """
    return compared(opened(before, "before"), opened(after, "after"), bootstrap, aggregation)


def compared(
    first: OpenRun, second: OpenRun, bootstrap: Bootstrap = USUAL, aggregation: Aggregation | None = None
) -> Comparison:
    """The comparison of two runs that are opened."""
    a, b = paired_rows([first, second])
    chosen = aggregation_of(first.contract, aggregation)
    changed_scores = differences(a, b, chosen, bootstrap)
    corrected = dict(zip(changed_scores, holm([difference.p for difference in changed_scores.values()]), strict=True))
    ours, theirs = _scores(a.counts, chosen), _scores(b.counts, chosen)
    # Scores of batches are enough for differences; which obligations changed needs the events of both.
    whole = first.has_tables and second.has_tables
    changed = changes(first.rescore().card, second.rescore().card) if whole else None
    clauses = (name for name in changed_scores if name != LOGIC)
    return Comparison(
        first.place,
        second.place,
        chosen,
        len(a.clips),
        bootstrap.record,
        {name: ComparedScores(ours[name], theirs[name]) for name in changed_scores},
        difference_records(changed_scores, corrected),
        None if changed is None else tuple(by_clause(changed, clauses)),
        None if changed is None else tuple(by_clip(changed)),
        None if changed is None else tuple(changed),
    )


def _scores(counts: Mapping[str, ClauseCounts], aggregation: Aggregation) -> dict[str, ComparedScore]:
    shares = vacuous_shares(counts, aggregation)
    return {
        name: ComparedScore(value, rounded(value), shares[name])
        for name, value in exact_scores(counts, aggregation).items()
    }


# Shown


def tables(audit: Comparison) -> list[Table]:
    """The scores and differences of every clause, the changes by clause, and the clips with most changes."""
    if audit.changed is None or audit.changed_clips is None:
        return [_scores_table(audit)]
    by_clause = Table(
        "Obligations that changed, by clause",
        [*words("clause"), *numbers(*_CHANGES)],
        [[row.clause, *_counts(row)] for row in audit.changed],
        notes=[_ONE_SIDED],
    )
    clips = audit.changed_clips
    by_clip = Table(
        f"Clips with changes ({len(clips[:_SHOWN]):,} of {len(clips):,} shown; net is fixed − broken)",
        [*words("clip"), *numbers(*_CHANGES, "net")],
        [[row.clip, *_counts(row), f"{row.net:+,}"] for row in clips[:_SHOWN]],
    )
    return [_scores_table(audit), by_clause, by_clip]


def _scores_table(audit: Comparison) -> Table:
    how = audit.bootstrap.words(audit.clips)
    vacuous = any(score.vacuous for both in audit.scores.values() for score in (both.before, both.after))
    return Table(
        f"{audit.after} compared with {audit.before} ({audit.aggregation.words}), {how}",
        [*words("clause"), *numbers("before", "after", "difference", "p", "p (Holm over clauses)")],
        [
            [
                shown_name(name),
                _score(audit.scores[name].before),
                _score(audit.scores[name].after),
                interval_words(difference),
                *p_words(difference),
            ]
            for name, difference in audit.differences.items()
        ],
        notes=[
            *([VACUITY] if vacuous else []),
            *few_clips_notes(audit.clips),
            *outside_notes(map(interval_words, audit.differences.values())),
            *([] if audit.changes is not None else [_NO_CHANGES]),
        ],
    )


def _score(score: ComparedScore) -> str:
    return decimal(score.value) + vacuous_mark(score.vacuous)


def _counts(row: ChangeCounts) -> list[str]:
    """The cells of _CHANGES."""

    def one_sided(some: OneSided) -> str:
        return f"{some.obligations:,} ({some.violated:,})"

    return [f"{row.fixed:,}", f"{row.broken:,}", one_sided(row.no_longer_asked), one_sided(row.newly_asked)]


def rows(audit: Comparison) -> Table:
    """A row per change."""
    return data_table(
        ("filename", "event_label", "clause", "change", "onset", "offset", "obligations", "violated"),
        [
            (
                change.clip,
                change.label,
                change.clause,
                change.kind.value,
                print_number(change.onset),
                print_number(change.offset),
                change.obligations,
                str(change.violated).lower(),
            )
            for change in audit.changes or ()
        ],
    )


def figure(audit: Comparison) -> str:
    """The difference of every clause, and of their mean, with its interval."""
    bars = [Bar(shown_name(name), change.value, change.low, change.high) for name, change in audit.differences.items()]
    title = f"{audit.after} − {audit.before}, {audit.bootstrap.words(audit.clips)}"
    return bar_chart(title, [BarGroup("", bars)], x="difference")


# Command


@click.command()
@click.argument("before", type=click.Path(file_okay=False))
@click.argument("after", type=click.Path(file_okay=False))
@aggregation_option
@bootstrap_options
@originals_option
@output_options
def command(
    before: str,
    after: str,
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    originals: tuple[str, ...],
    **output: Unpack[OutputOptions],
) -> None:
    """Show what became better or worse from one run to another, and where.

    BEFORE and AFTER are run directories of one contract on the same data. The differences have intervals over clips; p
    is two-sided and corrected over the clauses (Holm). The rows of CSV are the obligations that changed.
    """
    with progress(1) as advance:
        advance("comparing")
        one, other = (opened(run, originals=originals) for run in (before, after))
        audit = compared(one, other, Bootstrap(draws, seed, level), aggregation)
    show(audit, tables, rows, figure, **output)
