"""A league as one self-contained HTML page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tracepact.show.page import Section, html_page, templates
from tracepact.tools.league import tables
from tracepact.tools.league.base import Base
from tracepact.tools.league.columns import Group
from tracepact.tools.league.record import League, LeagueColumn, LeagueMap, column_id
from tracepact.tools.league.system import LeagueSystem
from tracepact.tools.league.timelines import clip_lanes
from tracepact.tools.score.report.sounds import SILENT, Sounds
from tracepact.wording import count, decimal

_FOLDER = Path(__file__).resolve().parent / "templates"


def league_page(league: League, base: Base, systems: Sequence[LeagueSystem], sounds: Sounds = SILENT) -> str:
    """The page of a league, which needs nothing beside itself but the sounds it names."""
    parts: Any = templates(_FOLDER).get_template("league.html").module
    about = [
        count(league.clips, "clip"),
        count(len(league.classes), "class", "classes"),
        league.aggregation.words,
        f"intervals {tables.how(league)}",
    ]
    return html_page(
        f"{league.contract.name}: league of {len(league.systems)} systems",
        parts.head(league, about, list(_tiles(league))),
        list(_sections(parts, league, base, systems, sounds)),
        scripts=["address.js", "league.js"],
        data=_data(league),
        media=sounds.media,
    )


def _tiles(league: League) -> Iterator[tuple[str, str]]:
    """Who is first by the column that orders the league, in each profile, and how many are ranked."""
    column = league.ranked_by
    for one in (column, *league.group(Group.PROFILE)):
        value = next((tables.number(value) for value in one.values if value.rank == 1), None)
        who = (
            tables.first_text(league, one.best[0])
            if len(one.best) == 1
            else f"{len(one.best)} tied"
            if one.best
            else "nobody"
        )
        yield who, f"first by {tables.column_title(one)}, {decimal(value)}"


def _sections(
    parts: Any, league: League, base: Base, systems: Sequence[LeagueSystem], sounds: Sounds
) -> Iterator[Section]:
    column = league.ranked_by
    lead = (
        f"Ordered by the {tables.column_title(column)}"
        + (f", {column.aggregation.words}" if column.aggregation else "")
        + ". Equal values share a rank (=). Choose a heading to sort by it."
    )
    shown = replace(tables.standings_table(league), title="")
    legend = f"Differences are from {league.settings.baseline}."
    yield Section("standings", "Standings", parts.standings(shown, legend), lead)
    lead = "Every clause of the contract. The stronger its shade, the more a cell has lost."
    yield Section("guards", "Guards", _scores(parts, league, Group.CLAUSE), lead)
    lead = "Weighted means of clauses: the same systems under other priorities."
    yield Section("profiles", "Profiles", _scores(parts, league, Group.PROFILE), lead)
    metrics = league.group(Group.METRIC)
    about = [(tables.column_title(one), one.about) for one in metrics]
    shown = replace(tables.score_table(league, Group.METRIC, detail=True), title="")
    lead = "The field’s own numbers on the same data. For error rates and errors in seconds lower is better."
    yield Section("metrics", "Metrics", parts.metrics(shown, about), lead)
    if league.group(Group.PSDS):
        lead = "Over all thresholds, for the systems whose scores were given; the others are not ranked here."
        yield Section("psds", "PSDS", _scores(parts, league, Group.PSDS), lead)
    lead = "One point for each system; a hollow one is not ranked on one of the two."
    names = [(column_id(one), tables.column_title(one)) for one in _plotted(league)]
    yield Section("scatter-section", "Scatter", parts.scatter(names), lead)
    if len(league.classes) > 1:
        lead = "Pooled over clips; ∅ where nothing was asked."
        yield Section("classes", "By class", _maps(parts, league, "class", league.by_class), lead)
    if league.by_condition is not None:
        lead = f"Aggregated as the contract says: {league.aggregation.words}."
        yield Section("conditions", "By condition", _maps(parts, league, "condition", league.by_condition), lead)
    if league.most_different:
        lead = "The clips on which two systems differ most on average: the reference on top, every system below it."
        lanes = clip_lanes(league, base, systems)
        yield Section("clips", "Clips that differ", parts.clips(lanes, sounds.sources), lead)
    shown = parts.declared(tables.declared(league), tables.systems_table(league), league.contract.text)
    yield Section("declared", "Declared", shown, "All systems share these; other runs are refused.")


def _scores(parts: Any, league: League, group: Group) -> Any:
    about = [(one.name, one.about) for one in league.group(group) if one.about]
    return parts.scores(replace(tables.score_table(league, group, detail=True), title=""), about)


def _maps(parts: Any, league: League, name: str, found: LeagueMap) -> Any:
    return parts.maps(
        name, [(clause, tables.map_table(league, found, clause, "")) for clause in tables.map_clauses(found)]
    )


def _plotted(league: League) -> list[LeagueColumn]:
    """The columns that can be put against each other: clauses first."""
    return [*league.group(Group.CLAUSE), *league.group(Group.HEADLINE, Group.PROFILE, Group.METRIC, Group.PSDS)]


def _data(league: League) -> dict[str, Any]:
    """What the script of the page needs."""
    return {
        "systems": league.names,
        "ranked": [value.rank is not None for value in league.ranked_by.values],
        "columns": {
            column_id(one): {
                "title": tables.column_title(one),
                "share": one.group is not Group.METRIC or not one.name.endswith(("error_rate", "_error")),
                "values": [value.decimal for value in one.values],
                "earned": [value.earned for value in one.values],
            }
            for one in _plotted(league)
        },
    }
