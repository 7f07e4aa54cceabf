"""Audits of what would stand: scores over other clips (rules 16.7 and 16.8), winners without some systems (16.10)."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Literal, Unpack

import click
from msgspec import Meta, field

from tracepact.audits.audit_profile import (
    VALUE_COLUMNS,
    Ranking,
    SomeNames,
    SystemsAudit,
    best_marked,
    clause_profiles,
    contract_used,
    ranking,
    ranking_figure,
    vacuity_note,
    value_rows,
)
from tracepact.audits.systems import (
    Runs,
    Systems,
    aggregation_of,
    paired_rows,
    profile_option,
    read_systems,
    reading_systems,
    runs_argument,
    some_runs,
)
from tracepact.diagnostics.collection import require_type
from tracepact.evaluate.scorecard import ScoreRows
from tracepact.evaluate.scores import RiskProfiles, risk_profiles, shown_name
from tracepact.evaluate.uncertainty import (
    USUAL,
    Bootstrap,
    BootstrapUsed,
    Interval,
    SystemDifference,
    differences,
    few_clips_notes,
    holm,
    intervals,
    outside_mark,
    outside_notes,
)
from tracepact.language.contract import Aggregation, Profile
from tracepact.options import aggregation_option
from tracepact.records import Count, Name, Record, Share
from tracepact.runs.opening import opened
from tracepact.runs.side_options import OutputOptions, bootstrap_options, data_table, output_options, show
from tracepact.show.figures import Bar, BarGroup, bar_chart
from tracepact.show.lines import progress
from tracepact.show.tables import Table, numbers, words
from tracepact.wording import decimal, rounded

# `tracepact audit uncertainty`: scores and differences with their intervals over clips (rules 16.7 and 16.8).


class ScoreInterval(Record, frozen=True):
    """An exact score with its decimal, and the ends of its interval for reading."""

    value: Share
    decimal: float
    low: float
    high: float


class ScoreDifference(Record, frozen=True):
    """An exact difference with its decimal, the ends of its interval for reading, and its p before and after Holm."""

    value: Fraction
    decimal: float
    low: float
    high: float
    p: Share
    corrected: Share


class SystemScores(Record, frozen=True):
    """The scores of a system, and its differences from the first one."""

    name: str
    scores: Annotated[Mapping[Name, ScoreInterval], Meta(description="By clause, and `logic`.")]
    differences: Annotated[
        Mapping[Name, ScoreDifference],
        Meta(description="From the first system, by clause and for `logic`; empty for the first system."),
    ]


class UncertaintyAudit(Record, frozen=True):
    """What `tracepact audit uncertainty --format json` prints: scores with intervals over clips (16.7, 16.8)."""

    aggregation: Aggregation
    clips: Count
    bootstrap: BootstrapUsed
    systems: Annotated[tuple[SystemScores, ...], Meta(min_length=1)]


def audit_uncertainty(
    runs: Runs, aggregation: Aggregation | None = None, bootstrap: Bootstrap = USUAL
) -> UncertaintyAudit:
    """Intervals of the scores of runs over clips, and the differences of all runs from the first (rules 16.7 and 16.8).

    Args:
        runs: Runs of one contract on the same data: in memory, in batches, or the places of run directories. A mapping
            names them.
        aggregation: The aggregation of the scores; by default the contract's own.
        bootstrap: How clips are drawn.

    Returns:
        The audit: scores with intervals and, for all runs but the first, differences with their p, corrected over the
        runs (Holm).

    Raises:
        InvalidInput: A run cannot be read, or the runs cannot be compared.

    Examples:
        >>> import tracepact
        >>> runs = {
        ...     name: tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...     for name, end in (("early", 2), ("late", 4))
        ... }
        >>> audit = tracepact.audit_uncertainty(runs)
        >>> audit.systems[1].differences["missing_guard"].value
        Fraction(12, 25)
    """
    require_type(bootstrap, Bootstrap, "the bootstrap", "a Bootstrap")
    named = some_runs(runs)
    each = [opened(one.run, one.place) for one in named]
    paired = list(zip((one.name for one in named), paired_rows(each), strict=True))
    return uncertainty_of(paired, aggregation_of(each[0].contract, aggregation), bootstrap)


def uncertainty_of(
    systems: Sequence[tuple[str, ScoreRows]], aggregation: Aggregation, bootstrap: Bootstrap = USUAL
) -> UncertaintyAudit:
    """The audit of named score rows, all with the same clips, classes and clauses."""
    base = systems[0][1]
    changes = [differences(base, rows, aggregation, bootstrap) for _, rows in systems[1:]]
    # Holm's correction is clause by clause over the systems (rule 16.8): a system more makes a difference harder to
    # claim, a clause more does not.
    corrected = [dict[str, Fraction]() for _ in changes]
    for name in changes[0] if changes else ():
        for row, value in zip(corrected, holm([some[name].p for some in changes]), strict=True):
            row[name] = value
    # The first system is what the others are compared with: it has no difference.
    compared = [{}, *map(difference_records, changes, corrected)]
    return UncertaintyAudit(
        aggregation,
        len(base.clips),
        bootstrap.record,
        tuple(
            SystemScores(name, _scores(intervals(rows, aggregation, bootstrap)), difference)
            for (name, rows), difference in zip(systems, compared, strict=True)
        ),
    )


def difference_records(
    changes: Mapping[str, SystemDifference], corrected: Mapping[str, Fraction]
) -> dict[str, ScoreDifference]:
    """Differences by clause, each with its corrected p."""
    return {name: ScoreDifference(*_ends(one), one.p, corrected[name]) for name, one in changes.items()}


def _scores(scores: Mapping[str, Interval]) -> dict[str, ScoreInterval]:
    return {name: ScoreInterval(*_ends(one)) for name, one in scores.items()}


def _ends(bounded: Interval | SystemDifference) -> tuple[Fraction, float, float, float]:
    return bounded.value, rounded(bounded.value), rounded(bounded.low), rounded(bounded.high)


# Shown


def interval_words(bounded: ScoreInterval | ScoreDifference) -> str:
    """A value and its interval."""
    mark = outside_mark(bounded.value, bounded.low, bounded.high)
    return f"{decimal(bounded.value)} ({decimal(bounded.low)} to {decimal(bounded.high)}){mark}"


def p_words(change: ScoreDifference) -> list[str]:
    """The p of a difference, before and after Holm."""
    return [decimal(change.p, 4), decimal(change.corrected, 4)]


def uncertainty_tables(audit: UncertaintyAudit) -> list[Table]:
    """The scores of all systems, and for every system but the first its differences from the first."""
    first, *others = audit.systems
    how = audit.bootstrap.words(audit.clips)
    scores = Table(
        f"Scores ({audit.aggregation.words}), {how}",
        [*words("clause"), *numbers(*(system.name for system in audit.systems))],
        [
            [shown_name(name), *(interval_words(system.scores[name]) for system in audit.systems)]
            for name in first.scores
        ],
        [
            *few_clips_notes(audit.clips),
            *outside_notes(interval_words(one) for system in audit.systems for one in system.scores.values()),
        ],
    )
    return [scores, *(_differences(system, first) for system in others)]


def _differences(system: SystemScores, first: SystemScores) -> Table:
    return Table(
        f"Difference {system.name} − {first.name}",
        [*words("clause"), *numbers("difference", "p", "p (Holm over systems)")],
        [[shown_name(name), interval_words(change), *p_words(change)] for name, change in system.differences.items()],
        outside_notes(map(interval_words, system.differences.values())),
    )


def uncertainty_rows(audit: UncertaintyAudit) -> Table:
    """A row per system and score, and per difference."""
    columns = ("system", "clause", "quantity", "value", "decimal", "low", "high", "p", "corrected")
    rows: list[tuple[str, ...]] = []
    for system in audit.systems:
        rows += [(system.name, name, "score", *_numbers(one), "", "") for name, one in system.scores.items()]
        for name, change in system.differences.items():
            p = str(change.p), str(change.corrected)
            rows.append((system.name, name, "difference", *_numbers(change), *p))
    return data_table(columns, rows)


def _numbers(bounded: ScoreInterval | ScoreDifference) -> tuple[str, str, str, str]:
    return str(bounded.value), decimal(bounded.value, 6), decimal(bounded.low, 6), decimal(bounded.high, 6)


def uncertainty_figure(audit: UncertaintyAudit) -> str:
    """The score of every clause and system with its interval."""

    def bar(name: str, score: ScoreInterval) -> Bar:
        return Bar(name, score.value, score.low, score.high)

    groups = [
        BarGroup(shown_name(name), [bar(system.name, system.scores[name]) for system in audit.systems])
        for name in audit.systems[0].scores
    ]
    title = f"Scores ({audit.aggregation.words}), {audit.bootstrap.words(audit.clips)}"
    return bar_chart(title, groups, x="score", x_range=(0, 1))


# Command


@click.command()
@click.argument("runs", type=click.Path(file_okay=False), nargs=-1, required=True)
@aggregation_option
@bootstrap_options
@output_options
def uncertainty_command(
    runs: tuple[str, ...],
    aggregation: Aggregation | None,
    draws: int,
    seed: int,
    level: Fraction,
    **output: Unpack[OutputOptions],
) -> None:
    """Show intervals of the scores over clips, and the differences of all systems from the first.

    RUNS are run directories of one contract on the same data. Clips are drawn with replacement, the same clips for all
    systems; p is two-sided and corrected over the systems (Holm).
    """
    with progress(1) as advance:
        advance("drawing clips")
        audit = audit_uncertainty(runs, aggregation, Bootstrap(draws, seed, level))
    show(audit, uncertainty_tables, uncertainty_rows, uncertainty_figure, **output)


# `tracepact audit neutrality`: which winners change when systems are left out (rule 16.10).


class WinnerQuestion(Record, frozen=True):
    """Which system is best under a profile or on a clause, with and without the systems left out."""

    kind: Literal["profile", "coordinate"]
    name: str
    of_all: Annotated[Ranking, Meta(description="Of all systems.")] = field(name="all")
    of_rest: Annotated[Ranking, Meta(description="Of the remaining systems.")] = field(name="rest")
    changed: bool


class NeutralityAudit(SystemsAudit, frozen=True):
    """What `tracepact audit neutrality --format json` prints: the best with and without some systems (16.10)."""

    without: Annotated[SomeNames, Meta(description="The systems left out.")]
    questions: Annotated[tuple[WinnerQuestion, ...], Meta(min_length=1)]
    changed: Annotated[Count, Meta(description="How many answers change.")]


def audit_neutrality(
    systems: Runs,
    without: Sequence[str],
    profiles: RiskProfiles | Sequence[str] = (),
    aggregation: Aggregation | None = None,
) -> NeutralityAudit:
    """Find the best system under every profile and on every clause, with and without some systems (rule 16.10).

    Args:
        systems: Runs of one contract on the same data: in memory, in batches, or the places of run directories or of
            report.json files. A mapping names them.
        without: The names of the systems to leave out.
        profiles: Further profiles, each written as in a contract, such as `mine : onset_guard = 2`; or what
            `risk_profiles` returned.
        aggregation: The aggregation of the scores; by default the contract's own. A profile of the contract keeps the
            one it names.

    Returns:
        The audit: both rankings per profile and clause, and how many winners change.

    Raises:
        InvalidInput: A system cannot be read, the systems cannot be compared, a name is unknown or no system is left,
            or a profile is wrong.

    Examples:
        >>> import tracepact
        >>> runs = {
        ...     name: tracepact.score("boundary_gate", [(1, 3)], [(1, end)], durations=5)
        ...     for name, end in (("early", 2), ("late", 4))
        ... }
        >>> audit = tracepact.audit_neutrality(runs, ["late"])
        >>> [(row.name, row.of_all.best, row.of_rest.best) for row in audit.questions if row.name == "missing_guard"]
        [('missing_guard', ('late',), ('early',))]
    """
    compared = read_systems(systems)
    chosen = aggregation_of(compared.contract, aggregation)
    tried = risk_profiles(compared.contract, chosen, profiles)
    questions = tuple(_questions(compared, compared.without(without), tried, chosen))
    return NeutralityAudit(
        contract_used(compared),
        chosen,
        compared.names,
        tuple(dict.fromkeys(without)),
        questions,
        sum(question.changed for question in questions),
    )


def _questions(
    systems: Systems, rest: Systems, tried: RiskProfiles, aggregation: Aggregation
) -> Iterator[WinnerQuestion]:
    questions: dict[Literal["profile", "coordinate"], list[Profile]] = {
        "profile": [one.profile for one in tried.profiles],
        "coordinate": clause_profiles(systems.contract, aggregation),
    }
    for kind, profiles in questions.items():
        for profile in profiles:
            of_all, of_rest = (ranking(some, profile, Ranking) for some in (systems, rest))
            yield WinnerQuestion(kind, profile.name, of_all, of_rest, of_all.best != of_rest.best)


# Shown


def neutrality_tables(audit: NeutralityAudit) -> list[Table]:
    """A row per profile and per clause."""
    kinds = {"profile": "profile", "coordinate": "clause"}
    return [
        Table(
            f"The best system with and without {', '.join(audit.without)}",
            [
                *words("name", "kind", "best of all"),
                *numbers("margin"),
                *words("best of the rest"),
                *numbers("margin"),
                *words("changed"),
            ],
            [
                [
                    question.name,
                    kinds[question.kind],
                    best_marked(question.of_all),
                    decimal(question.of_all.margin),
                    best_marked(question.of_rest),
                    decimal(question.of_rest.margin),
                    "changed" if question.changed else "",
                ]
                for question in audit.questions
            ],
            notes=[
                *vacuity_note([question.of_all for question in audit.questions]),
                f"the best system changes in {audit.changed} of {len(audit.questions)} rows",
            ],
        )
    ]


def neutrality_rows(audit: NeutralityAudit) -> Table:
    """A row per question and system, of all systems and of the rest."""
    return data_table(
        ("kind", "name", "systems", *VALUE_COLUMNS),
        [
            (question.kind, question.name, which, *cells)
            for question in audit.questions
            for which, row in (("all", question.of_all), ("rest", question.of_rest))
            for cells in value_rows(row)
        ],
    )


def neutrality_figure(audit: NeutralityAudit) -> str:
    """Values by question and system; where the best changes, a second line for the rest."""
    lines: list[tuple[str, Ranking]] = []
    for question in audit.questions:
        lines.append((question.name, question.of_all))
        if question.changed:
            lines.append((f"{question.name}: the rest", question.of_rest))
    title = f"The best system with and without {', '.join(audit.without)}"
    return ranking_figure(title, lines, audit.systems)


# Command


@click.command()
@runs_argument
@click.option("--without", multiple=True, required=True, help="Name of a system to leave out; repeatable.")
@profile_option
@aggregation_option
@output_options
def neutrality_command(
    runs: tuple[str, ...],
    without: tuple[str, ...],
    profiles: tuple[str, ...],
    aggregation: Aggregation | None,
    **output: Unpack[OutputOptions],
) -> None:
    """Show which winners change when systems are left out.

    The best system is shown under each profile and on each clause, of all systems and of the rest. RUNS are run
    directories or report.json files of one contract on the same data. A profile of the contract keeps the aggregation
    it names.
    """
    with reading_systems(runs):
        audit = audit_neutrality(runs, without, profiles, aggregation)
    show(audit, neutrality_tables, neutrality_rows, neutrality_figure, **output)
