"""What a trial of a contract gives: values, order, what is wrong; as tables, lines, rows and a page."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field
from rich.console import Group
from rich.text import Text

from tracepact.language.contract import Aggregation
from tracepact.language.explanation import AGGREGATED
from tracepact.records import Count, Digest, Exact, Name, NotNegative, Record, Share, ShareDecimal
from tracepact.runs.timelines import Timeline, lane, timeline_figure
from tracepact.show.figures import heat_table, inline
from tracepact.show.lines import reader_may_leave
from tracepact.show.pages import Form, Lane, Section, html_page, html_table, lane_chart, templates
from tracepact.show.tables import Cell, Table, TerminalTable, Tone, numbers, output, print_tables, words
from tracepact.wording import count, decimal, time_text

# What a trial of a contract gives: the values of every system, how they order, and what is wrong, in sentences.

Systems = Annotated[tuple[str, ...], Meta(description="Names of systems of the cast.")]
Order = Annotated[
    tuple[Systems, ...], Meta(description="Systems from the highest value to the lowest; equal ones together.")
]
FindingKind = Literal[
    "perfect-violates",
    "unnoticed",
    "evaded",
    "beats-perfect",
    "useless-wins",
    "never-together",
    "never-satisfied",
    "same-for-all",
    "never-asked",
]


class ContractTolerance(Record, frozen=True):
    """A bound of a window or a time in a predicate."""

    name: Annotated[str, Meta(min_length=1, description="Its parameter, or the value as written.")]
    frames: Annotated[int, Meta(ge=1, description="What it comes to on the grid (2.6).")]
    tried: Annotated[bool, Meta(description="Whether the scenes are made for it; very long ones are left out.")]


class SceneRecord(Record, frozen=True):
    """A clip that the cast is played on."""

    name: str
    frames: Annotated[int, Meta(ge=1)]
    events: Annotated[Count, Meta(description="Reference events of all classes.")]


class ClauseValue(Record, frozen=True):
    """The score of a system on a clause, under the contract's aggregation (7.5)."""

    clause: Name
    value: Share
    decimal: ShareDecimal
    satisfied: Annotated[Count, Meta(description="Satisfied obligations over all clips and classes.")]
    obligated: Annotated[Count, Meta(description="Obligations over all clips and classes.")]
    vacuous: Annotated[bool, Meta(description="Whether the value has no obligation behind it (7.3).")]


class SystemTrial(Record, frozen=True):
    """A system of the cast and how it fares."""

    name: str
    words: Annotated[str, Meta(min_length=1, description="What it does, in plain words.")]
    strays: Annotated[bool, Meta(description="Whether its fault is larger than every tolerance.")]
    scores: Annotated[tuple[ClauseValue, ...], Meta(min_length=1, description="One for each clause, in source order.")]
    lanes: Annotated[
        tuple[Timeline, ...], Meta(description="What it predicts in the scenes that are drawn, for the first class.")
    ]
    worst: Annotated[Timeline | None, Meta(description="The clip and class in which it loses most; null if nowhere.")]


class ClauseOrder(Record, frozen=True):
    """How a clause orders the cast."""

    clause: Name
    order: Order


class ProfileTrial(Record, frozen=True):
    """How a risk profile orders the cast (7.8); `balanced` weighs every clause alike."""

    name: str
    aggregation: Aggregation
    values: Annotated[dict[str, Exact], Meta(description="The value of every system.")]
    order: Order


class TrialFinding(Record, frozen=True):
    """Something that is wrong with a contract, or that its author should know, seen in the trial (22.5)."""

    kind: FindingKind
    severity: Literal["warning", "note"]
    words: Annotated[str, Meta(min_length=1, description="The finding as a sentence.")]
    clauses: tuple[Name, ...] = ()
    systems: Systems = ()
    clip: Annotated[str | None, Meta(description="Where it is seen first.")] = None
    label: Annotated[str | None, Meta(description="The class there.")] = field(name="class", default=None)
    time: Annotated[NotNegative | None, Meta(description="When, in seconds.")] = None


class Trial(Record, frozen=True):
    """What `tracepact try --format json` prints: a fixed cast played against a contract (22).

    Attributes:
        contract: The name of the contract.
        digest: Its digest (11.3).
        step: The length of a frame in seconds.
        aggregation: How clips and classes become one value.
        given: Whether the references were given; else they are scenes made for the contract.
        seed: The seed of the system that is drawn at random.
        tolerances: The bounds and times that the scenes are made for.
        scenes: The clips.
        systems: The cast, with its values.
        orders: How each clause orders it.
        profiles: How each risk profile orders it.
        findings: What is wrong, in sentences.
    """

    contract: Name
    digest: Annotated[Digest, Meta(description="The digest of the contract (11.3).")]
    step: Annotated[NotNegative, Meta(description="The length of a frame in seconds, exact (3.2).")]
    aggregation: Aggregation
    given: Annotated[bool, Meta(description="Whether the references were given; else they are scenes (22.2).")]
    seed: Annotated[int, Meta(ge=0, description="The seed of `jittered`.")]
    tolerances: tuple[ContractTolerance, ...]
    scenes: Annotated[tuple[SceneRecord, ...], Meta(min_length=1)]
    systems: Annotated[tuple[SystemTrial, ...], Meta(min_length=2)]
    orders: Annotated[tuple[ClauseOrder, ...], Meta(min_length=1)]
    profiles: Annotated[tuple[ProfileTrial, ...], Meta(min_length=1)]
    findings: tuple[TrialFinding, ...]

    @property
    def warnings(self) -> tuple[TrialFinding, ...]:
        """The findings that are faults."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")


# A trial as tables, as lines of text, as rows of data and as a page.

_FOLDER = Path(__file__).resolve().parent
_MOST_TIED = 6
_WIDEST = 120
_MOST_FINDINGS = 5
"""With the heading and a line for each system, what one screen has room for."""
ROW_COLUMNS = ("system", "strays", "clause", "value", "decimal", "satisfied", "obligated", "vacuous")


def heading(trial: Trial) -> list[str]:
    """Lines on the systems and clips of a trial, the aggregation and the tolerances."""
    scenes = "given references" if trial.given else "scenes made for its step and tolerances"
    lines = [
        f"{count(len(trial.systems), 'system')} played on {count(len(trial.scenes), 'clip')} ({scenes})",
        f"a value is {AGGREGATED[trial.aggregation]}",
    ]
    tried = [f"{one.name} ({count(one.frames, 'frame')})" for one in trial.tolerances if one.tried]
    lines.append(f"tolerances: {', '.join(tried) or 'none'}")
    lines += [
        f"not tried, longer than the scenes allow: {one.name} ({count(one.frames, 'frame')})"
        for one in trial.tolerances
        if not one.tried
    ]
    return lines


def finding_lines(trial: Trial) -> list[str]:
    """The findings as sentences, or that there are none."""
    lines = [f"{one.severity}: {one.words}" for one in trial.findings]
    return lines or ["nothing is wrong as far as the cast can tell"]


# Tables


def tables(trial: Trial) -> list[Table]:
    """Values by system and clause; how each clause orders the cast; who wins and loses under each profile."""
    return [value_table(trial), order_table(trial), profile_table(trial)]


def value_table(trial: Trial, *, full: bool = True) -> Table:
    """A row for each system, a numbered column for each clause, and a column for each profile.

    Without `full`, moves by single tolerances are left out, and profiles after the first, the mean of the clauses.
    """
    profiles = trial.profiles if full else trial.profiles[:1]
    shown = trial.systems if full else [*trial.systems[:1], *(system for system in trial.systems if system.strays)]
    return Table(
        "Values",
        [*words("system"), *numbers(*(str(k) for k, _ in enumerate(trial.orders, 1)), *(p.name for p in profiles))],
        [[one.name, *map(_value, one.scores), *(decimal(p.values[one.name].value) for p in profiles)] for one in shown],
        ["numbered columns are the clauses below, the others are profiles; ∅: nothing was asked"] if full else [],
    )


def shown_columns(trial: Trial) -> str:
    """The meaning of the numbered columns of a short table, and of its sign for a value without an obligation."""
    clauses = ", ".join(f"{number} {row.clause}" for number, row in enumerate(trial.orders, 1))
    empty = any(score.vacuous for system in trial.systems for score in system.scores)
    return f"{clauses}{'; ∅: nothing was asked' if empty else ''}"


def _value(score: ClauseValue) -> Cell:
    text = "∅" if score.vacuous else decimal(score.value)
    return Cell(text, Tone.PLAIN if score.value == 1 else Tone.BAD if score.value == 0 else Tone.FAIR)


def order_table(trial: Trial) -> Table:
    """The cast in the order of each clause, without the shifts by single tolerances."""
    # Shifts by single tolerances are many and nearly alike: they are in the rows of data.
    shown = {system.name for system in trial.systems if system.strays} | {trial.systems[0].name}
    rows = [[str(k), row.clause, _order(row.order, shown)] for k, row in enumerate(trial.orders, 1)]
    return Table("How each clause orders the cast", [*words("", "clause", "from the highest value")], rows)


def _order(order: Order, shown: set[str]) -> str:
    kept = [[name for name in level if name in shown] for level in order]
    return " > ".join(_tied(level) for level in kept if level)


def _tied(level: Sequence[str]) -> str:
    if len(level) <= _MOST_TIED:
        return " = ".join(level)
    return f"{' = '.join(level[:_MOST_TIED])} = {len(level) - _MOST_TIED} more"


def profile_table(trial: Trial) -> Table:
    """The highest and the lowest values under each profile."""
    rows = []
    for profile in trial.profiles:
        best, worst = profile.order[0], profile.order[-1]
        rows.append(
            [
                profile.name,
                _tied(best),
                decimal(profile.values[best[0]].value),
                _tied(worst),
                decimal(profile.values[worst[0]].value),
            ]
        )
    columns = [*words("profile", "highest"), *numbers("value"), *words("lowest"), *numbers("value")]
    return Table("Who wins and loses under each profile", columns, rows)


def rows(trial: Trial) -> Iterator[tuple[str | int, ...]]:
    """A row for each system and clause, with exact values, as text."""
    for system, strays, clause, value, _, satisfied, obligated, vacuous in typed_rows(trial):
        shown = value, decimal(Fraction(value), 6), satisfied, obligated
        yield system, str(strays).lower(), clause, *shown, str(vacuous).lower()


def typed_rows(trial: Trial) -> Iterator[tuple[str, bool, str, str, float, int, int, bool]]:
    """The same rows for data frames: `decimal` is a float, `strays` and `vacuous` are bools."""
    for system in trial.systems:
        for score in system.scores:
            value = str(score.value), float(score.value)
            yield system.name, system.strays, score.clause, *value, score.satisfied, score.obligated, score.vacuous


# Timelines


def timeline_lines(trial: Trial, width: int) -> Iterator[str]:
    """The reference and what each system of the cast predicts, a line each; clips are separated by upright lines."""
    drawn = [system for system in trial.systems if system.lanes]
    if not drawn:
        return
    first = drawn[0].lanes
    label = max(len("reference"), *(len(system.name) for system in drawn))
    # Every clip gets two cells even where the terminal is too narrow for its share.
    room = max(width - label - 2 - len(first), 2 * len(first))
    total = sum(one.frames for one in first)
    sizes = [max(2, one.frames * room // total) for one in first]
    yield "from left to right: " + ", ".join(
        f"{one.clip}, class {one.label} ({time_text(one.duration)})" for one in first
    )
    refs = [lane(one.ref, one.frames, size, "█") for one, size in zip(first, sizes, strict=True)]
    yield _strip("reference", label, refs)
    for system in drawn:
        if system.strays:
            cells = [lane(one.pred, one.frames, size, "▓") for one, size in zip(system.lanes, sizes, strict=True)]
            yield _strip(system.name, label, cells)


def _strip(name: str, width: int, lanes: Sequence[str]) -> str:
    return f"{name:<{width}}  {'│'.join(lanes)}"


def cast_figure(trial: Trial) -> str:
    """The reference and what each system predicts, as lanes over the clips; shifts by a tolerance are left out."""
    drawn = [system for system in trial.systems if system.lanes and system.strays]
    first = drawn[0].lanes
    panels = [(f"{one.clip}, {one.label}", one.frames) for one in first]
    lanes = [Lane("reference", [one.ref for one in first], Form.SOLID)]
    lanes += [Lane(system.name, [one.pred for one in system.lanes], Form.OUTLINE) for system in drawn]
    return lane_chart("What each system predicts", panels, lanes)


# Terminal


def print_trial(trial: Trial, *, full: bool) -> None:
    """A trial on standard output; without `full` as much of it as one screen has room for."""
    console = output()
    with reader_may_leave():
        console.print(Text(trial.contract, style="bold"))
        for line in heading(trial):
            console.print(Text(line))
        console.print()
        lines = finding_lines(trial)
        for line in lines if full else lines[:_MOST_FINDINGS]:
            console.print(Text(line, style="bold yellow" if line.startswith("warning") else ""))
        if not full and len(lines) > _MOST_FINDINGS:
            console.print(Text(f"… and {count(len(lines) - _MOST_FINDINGS, 'finding')} more"))
        console.print()
        if not full:
            print_tables(TerminalTable(value_table(trial, full=False)))
            console.print(Text(f"columns: {shown_columns(trial)}"))
            more = "--full shows what each system predicts, moves by each tolerance, orders and profiles; --out a page"
            console.print(Text(more, style="dim"))
            return
        for number, line in enumerate(timeline_lines(trial, min(console.width, _WIDEST))):
            console.print(Text(line), no_wrap=bool(number), crop=False)
        console.print()
        print_tables(Group(*map(TerminalTable, tables(trial))))


# Page


def trial_page(trial: Trial) -> str:
    """The trial as one page."""
    parts: Any = templates(_FOLDER).get_template("trial.html").module
    return html_page(
        f"tracepact try {trial.contract}", parts.head(trial, heading(trial)), list(_sections(trial, parts))
    )


def _sections(trial: Trial, parts: Any) -> Iterator[Section]:
    yield Section("findings", "What the cast shows", parts.findings(finding_lines(trial)))
    if any(system.lanes for system in trial.systems):
        yield Section("cast", "The cast", parts.figure(inline(cast_figure(trial))))
    yield Section("values", "Values", parts.figure(inline(_heat(trial))), "As dark as a value is low.")
    yield Section("orders", "Orders", html_table(order_table(trial), kind="text"))
    yield Section("profiles", "Profiles", html_table(profile_table(trial), kind="text"))
    # Both sides there, and the frames where each clause fails.
    drawn = [
        (system, inline(timeline_figure(f"{system.name}: {worst.clip}, class {worst.label}", worst)))
        for system in trial.systems
        if (worst := system.worst) is not None and system.strays
    ]
    yield Section("systems", "Where each system loses most", parts.systems(drawn))


def _heat(trial: Trial) -> str:
    names = [*(row.clause for row in trial.orders), *(f"profile {profile.name}" for profile in trial.profiles)]
    values = [
        [
            *(None if v.vacuous else v.value for v in system.scores),
            *(p.values[system.name].value for p in trial.profiles),
        ]
        for system in trial.systems
    ]
    cast = [system.name for system in trial.systems]
    return heat_table("Values by system, clause and profile", cast, names, values, value_range=(0, 1), low_is_dark=True)
