"""A trial as tables, as lines of text, as rows of data and as a page."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tracepact.show.figure import heat_table, inline
from tracepact.show.lanes import Form, Lane, lane_chart
from tracepact.show.page import Section, html_page, html_table, templates
from tracepact.show.table import Cell, Table, Tone, numbers, words
from tracepact.tools.cast.record import ClauseValue, Order, SystemTrial, Trial
from tracepact.tools.score.figures import timeline_figure
from tracepact.tools.score.report.timeline import Timeline, lane
from tracepact.wording import count, decimal, time_text

_FOLDER = Path(__file__).resolve().parent
_MOST_TIED = 6
ROW_COLUMNS = ("system", "strays", "clause", "value", "decimal", "satisfied", "obligated", "vacuous")


def heading(trial: Trial) -> list[str]:
    """What was played on what."""
    made = "given references" if trial.given else "scenes made for its step and tolerances"
    lines = [
        f"{count(len(trial.systems), 'system')} played on {count(len(trial.scenes), 'clip')} ({made}); "
        f"values are {trial.aggregation.words}"
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
    found = [f"{one.severity}: {one.words}" for one in trial.findings]
    return found or ["nothing is wrong as far as the cast can tell"]


# Tables


def tables(trial: Trial) -> list[Table]:
    """Values by system and clause; how each clause orders the cast; who wins and loses under each profile."""
    return [value_table(trial), order_table(trial), profile_table(trial)]


def value_table(trial: Trial) -> Table:
    """A row for each system, a numbered column for each clause, and a column for each profile."""
    clauses = [row.clause for row in trial.orders]
    profiles = [profile.name for profile in trial.profiles]
    return Table(
        "Values",
        [*words("system"), *numbers(*(str(k) for k, _ in enumerate(clauses, 1)), *profiles)],
        [[system.name, *map(_value, system.scores), *_under_profiles(trial, system)] for system in trial.systems],
        ["numbered columns are the clauses below, the others are profiles; ∅: nothing was asked"],
    )


def _under_profiles(trial: Trial, system: SystemTrial) -> list[str]:
    return [decimal(profile.values[system.name].value) for profile in trial.profiles]


def _value(found: ClauseValue) -> Cell:
    text = "∅" if found.vacuous else decimal(found.value)
    return Cell(text, Tone.PLAIN if found.value == 1 else Tone.BAD if found.value == 0 else Tone.FAIR)


def order_table(trial: Trial) -> Table:
    """The cast in the order of each clause, without the shifts by single tolerances."""
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
    for system in trial.systems:
        for found in system.scores:
            value = str(found.value), decimal(found.value, 6)
            asked = found.satisfied, found.obligated, str(found.vacuous).lower()
            yield system.name, str(system.strays).lower(), found.clause, *value, *asked


def typed_rows(trial: Trial) -> Iterator[tuple[str | int | float | bool, ...]]:
    """The same rows for data frames: `decimal` is a float, `strays` and `vacuous` are bools."""
    for system in trial.systems:
        for found in system.scores:
            value = str(found.value), float(found.value)
            yield system.name, system.strays, found.clause, *value, found.satisfied, found.obligated, found.vacuous


# Timelines


def timeline_lines(trial: Trial, width: int) -> Iterator[str]:
    """The reference and what each system of the cast predicts, a line each; clips are separated by upright lines."""
    drawn = [system for system in trial.systems if system.lanes]
    if not drawn:
        return
    first = drawn[0].lanes
    label = max(len("reference"), *(len(system.name) for system in drawn))
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


def worst_figure(system: SystemTrial, worst: Timeline) -> str:
    """Where a system loses most: both sides, and the frames where each clause fails."""
    return timeline_figure(f"{system.name}: {worst.clip}, class {worst.label}", worst)


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
    drawn = [(s, inline(worst_figure(s, s.worst))) for s in trial.systems if s.worst is not None and s.strays]
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
