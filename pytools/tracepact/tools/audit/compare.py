"""`tracepact compare`: two runs side by side, and what changed clip by clip (rules 16.7 to 16.9)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Unpack

import click
from msgspec import Meta

from tracepact.core import Aggregation
from tracepact.records import Count, Name, Record, Share
from tracepact.scoring import LOGIC, ClauseCounts, shown_name
from tracepact.scoring.uncertainty import (
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
from tracepact.show.figure import Bar, BarGroup, bar_chart
from tracepact.show.progress import progress
from tracepact.show.table import Table, numbers, words
from tracepact.tools.audit.changes import Change, ClauseTally, ClipTally, OneSided, Tally, by_clause, by_clip, changes
from tracepact.tools.audit.run_directories import stored_run
from tracepact.tools.audit.uncertainty import (
    ScoreDifference,
    difference_records,
    interval_words,
    p_words,
)
from tracepact.tools.bootstrap import bootstrap_options
from tracepact.tools.score.shown import (
    VACUITY,
    OutputOptions,
    aggregation_option,
    data_table,
    output_options,
    show,
    vacuous_mark,
)
from tracepact.tools.score.store.names import Place
from tracepact.tools.score.store.opening import StoredRun
from tracepact.tools.score.store.pairing import paired_rows
from tracepact.wording import decimal, print_number, rounded

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

    before: Annotated[str, Meta(description="The first run directory.")]
    after: Annotated[str, Meta(description="The second one.")]
    aggregation: Aggregation
    clips: Count
    bootstrap: BootstrapUsed
    scores: Annotated[Mapping[Name, ComparedScores], Meta(description="By clause, and `logic`.")]
    differences: Annotated[Mapping[Name, ScoreDifference], Meta(description="The second minus the first.")]
    changed: tuple[ClauseTally, ...]
    changed_clips: tuple[ClipTally, ...]
    changes: tuple[Change, ...]


def compare(
    before: StoredRun | Place,
    after: StoredRun | Place,
    bootstrap: Bootstrap = USUAL,
    aggregation: Aggregation | None = None,
) -> Comparison:
    """Compare two runs of one contract on the same data (rules 16.7 to 16.9).

    Args:
        before: The first run directory.
        after: The second one.
        bootstrap: How clips are drawn.
        aggregation: The aggregation of the scores; by default the contract's own.

    Returns:
        The comparison: scores, differences with intervals and their p, corrected over the clauses (Holm), and every
        obligation that changed.

    Raises:
        InvalidInput: A run cannot be read, or the runs cannot be compared.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> import tracepact
        >>> with TemporaryDirectory() as folder:
        ...     for name, end in (("early", 2), ("late", 4)):
        ...         run = tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...         files = run.save(f"{folder}/{name}")
        ...     comparison = tracepact.compare(f"{folder}/early", f"{folder}/late")
        >>> comparison.differences["missing_guard"].value, comparison.changed[2].fixed
        (Fraction(12, 25), 48)
    """
    first, second = stored_run(before), stored_run(after)
    a, b = paired_rows([first, second])
    chosen = aggregation or first.contract.aggregation
    found = differences(a, b, chosen, bootstrap)
    corrected = dict(zip(found, holm([difference.p for difference in found.values()]), strict=True))
    ours, theirs = _scores(a.counts, chosen), _scores(b.counts, chosen)
    changed = changes(first.rescore().card, second.rescore().card)
    return Comparison(
        str(first.folder),
        str(second.folder),
        chosen,
        len(a.clips),
        bootstrap.record,
        {name: ComparedScores(ours[name], theirs[name]) for name in found},
        difference_records(found, corrected),
        tuple(by_clause(changed, (name for name in found if name != LOGIC))),
        tuple(by_clip(changed)),
        tuple(changed),
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
    return [_scores_table(audit), _clauses_table(audit), _clips_table(audit)]


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
        ],
    )


def _clauses_table(audit: Comparison) -> Table:
    return Table(
        "Obligations that changed, by clause",
        [*words("clause"), *numbers(*_CHANGES)],
        [[row.clause, *_counts(row)] for row in audit.changed],
        notes=[_ONE_SIDED],
    )


def _clips_table(audit: Comparison) -> Table:
    shown = audit.changed_clips[:_SHOWN]
    return Table(
        f"Clips with changes ({len(shown):,} of {len(audit.changed_clips):,} shown; net is fixed − broken)",
        [*words("clip"), *numbers(*_CHANGES, "net")],
        [[row.clip, *_counts(row), f"{row.net:+,}"] for row in shown],
    )


def _score(score: ComparedScore) -> str:
    return decimal(score.value) + vacuous_mark(score.vacuous)


def _counts(row: Tally) -> list[str]:
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
            for change in audit.changes
        ],
    )


def figure(audit: Comparison) -> str:
    """The difference of every clause, and of their mean, with its interval."""
    bars = [Bar(shown_name(name), found.value, found.low, found.high) for name, found in audit.differences.items()]
    title = f"{audit.after} − {audit.before}, {audit.bootstrap.words(audit.clips)}"
    return bar_chart(title, [BarGroup("", bars)], x="difference")


# Command


@click.command()
@click.argument("before", type=click.Path(file_okay=False))
@click.argument("after", type=click.Path(file_okay=False))
@aggregation_option
@bootstrap_options
@output_options
def command(
    before: str,
    after: str,
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    **output: Unpack[OutputOptions],
) -> None:
    """Show what became better or worse from one run to another, and where.

    BEFORE and AFTER are run directories of one contract on the same data. The differences have intervals over clips; p
    is two-sided and corrected over the clauses (Holm). The rows of CSV are the obligations that changed.
    """
    with progress(1) as advance:
        advance("comparing")
        audit = compare(before, after, Bootstrap(draws, seed, level), aggregation)
    show(audit, tables, rows, figure, **output)
