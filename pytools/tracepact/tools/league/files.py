"""The views of a league as files: rows as CSV, Markdown, JSON, the page."""

from collections.abc import Iterator

from tracepact.files import Row, json_text, table_text
from tracepact.records import plain
from tracepact.show.markdown import plain as plain_text
from tracepact.show.markdown import table_lines
from tracepact.show.table import Table
from tracepact.tools.league import tables
from tracepact.tools.league.columns import Group
from tracepact.tools.league.maps import MEAN
from tracepact.tools.league.record import League, LeagueColumn, LeagueValue
from tracepact.wording import decimal

COLUMNS = (
    "system",
    "group",
    "column",
    "value",
    "decimal",
    "low",
    "high",
    "vacuous",
    "earned",
    "rank",
    "tied",
    "rank_low",
    "rank_high",
    "difference",
    "difference_low",
    "difference_high",
    "p",
    "corrected",
    "significant",
)


def league_rows(league: League) -> Iterator[Row]:
    """A row for every system and column."""
    for column in league.columns:
        for value in column.values:
            yield _row(column, value)


def _row(column: LeagueColumn, value: LeagueValue) -> Row:
    found = value.difference
    compared: Row = ("", "", "", "", "", "")
    if found is not None:
        compared = (
            _text(found.decimal),
            _text(found.low),
            _text(found.high),
            "" if found.p is None else str(found.p),
            "" if found.corrected is None else str(found.corrected),
            _flag(found.significant),
        )
    return (
        value.system,
        column.group.value,
        column.name,
        "" if value.value is None else str(value.value),
        _text(value.decimal),
        _text(value.low),
        _text(value.high),
        str(value.vacuous),
        _flag(value.earned),
        *("" if rank is None else rank for rank in (value.rank,)),
        _flag(value.tied),
        *("" if rank is None else rank for rank in (value.rank_low, value.rank_high)),
        *compared,
    )


def _text(value: float | None) -> str:
    return "" if value is None else decimal(value, 6)


def _flag(value: bool) -> str:
    return str(value).lower()


def league_csv(league: League) -> str:
    """The rows of a league."""
    return table_text(COLUMNS, league_rows(league), ",")


def league_json(league: League) -> str:
    """The record of a league."""
    return json_text(plain(league))


def league_markdown(league: League) -> str:
    """A league as Markdown: standings, scores, metrics, maps, what was declared."""
    contract = league.contract
    lines = [f"# {plain_text(contract.name)}: league of {len(league.systems)} systems", ""]
    if contract.title:
        lines += [plain_text(contract.title), ""]
    lines += [plain_text(f"{league.clips:,} clips; intervals: {tables.how(league)}."), ""]
    for table in _markdown_tables(league):
        lines += [f"## {plain_text(table.title)}", "", *table_lines(table), ""]
    lines += ["## What was declared", ""]
    lines += [f"- {plain_text(name)}: {plain_text(text)}" for name, text in tables.declared(league)]
    return "\n".join(lines) + "\n"


def _markdown_tables(league: League) -> Iterator[Table]:
    yield tables.standings_table(league, bars=False)
    for group in (Group.CLAUSE, Group.PROFILE, Group.METRIC):
        yield tables.score_table(league, group, detail=False)
    if league.group(Group.PSDS):
        yield tables.score_table(league, Group.PSDS, detail=False)
    yield tables.best_table(league)
    if len(league.classes) > 1:
        yield tables.map_table(league, league.by_class, MEAN, "By class (mean of the clauses, pooled over clips)")
    if league.by_condition is not None:
        yield tables.map_table(league, league.by_condition, MEAN, "By condition (mean of the clauses)")
    yield tables.systems_table(league)
