"""The tables of a league: standings, scores, metrics, maps and what was declared; drawn by every medium."""

from collections.abc import Sequence
from fractions import Fraction

from tracepact.scoring.uncertainty import outside_mark, outside_notes
from tracepact.show.table import Bar, Cell, Column, Table, Tone, numbers, words
from tracepact.tools.league.columns import Group
from tracepact.tools.league.record import League, LeagueColumn, LeagueDifference, LeagueMap, LeagueValue
from tracepact.wording import UNDEFINED, count, decimal, percent, print_number, short

BEST = "*: best; equal values are all best"
NOT_EARNED = (
    "(…): shown but not ranked: the system predicts nothing, is silent or always on throughout, answers the same "
    "in every clip, or is never asked what others are asked"
)
HOLM = "p is corrected for the number of systems that are compared (Holm), so that adding a system can change it"
_TITLES = {Group.CLAUSE: "Guards", Group.PROFILE: "Profiles", Group.METRIC: "Standard metrics", Group.PSDS: "PSDS"}


def column_title(column: LeagueColumn) -> str:
    """What a column is called in tables."""
    if column.group is Group.METRIC:
        shown = column.name.replace(".", " ").replace("_", " ").replace("f1", "F1")
        return shown if column.ranked else f"{shown} in s"
    if column.group is Group.PSDS:
        return column.name.upper()
    return "headline mean" if column.group is Group.HEADLINE else column.name


def number(value: LeagueValue) -> Fraction | float | None:
    """The value, exact where it is."""
    return value.decimal if value.value is None else value.value


def rank_text(value: LeagueValue) -> str:
    """The rank; `=` before one that is shared."""
    return UNDEFINED if value.rank is None else f"={value.rank}" if value.tied else str(value.rank)


def rank_range(value: LeagueValue) -> str:
    """The interval of the rank."""
    if value.rank_low is None or value.rank_high is None:
        return ""
    return str(value.rank_low) if value.rank_low == value.rank_high else f"{value.rank_low} to {value.rank_high}"


def interval_text(found: LeagueValue | LeagueDifference) -> str:
    """The interval of a value."""
    if found.low is None or found.high is None:
        return ""
    return f"{_signed(found.low)} to {_signed(found.high)}{outside_mark(found.decimal, found.low, found.high)}"


def _interval_texts(value: LeagueValue) -> list[str]:
    """The intervals that the standings show of a system."""
    return [interval_text(found) for found in (value, value.difference) if found is not None]


def _signed(value: Fraction | float) -> str:
    """A decimal with the sign people write."""
    return decimal(value).replace("-", "−")


def value_text(league: League, value: LeagueValue) -> str:
    """The value: in parentheses if not earned, with a star if best, and `≈` if a nearly constant system is best."""
    found = number(value)
    shown = UNDEFINED if found is None else _signed(found)
    if not value.earned and number(value) is not None:
        return f"({shown})"
    return shown if value.rank != 1 else f"{shown}* ≈" if value.system in league.nearly_constant else f"{shown}*"


def first_text(league: League, name: str) -> str:
    """Who is first, with a mark if it hardly listens."""
    words = league.nearly_constant.get(name)
    return f"{name} (≈ {words})" if words else name


def standings_table(league: League, *, bars: bool = True) -> Table:
    """The systems by the column that orders the league: value, interval, rank, difference from the baseline."""
    column = league.ranked_by
    bounded = column.group is not Group.METRIC or not column.name.endswith("error_rate")
    rows: list[list[Cell | str]] = []
    for system, value in zip(league.systems, column.values, strict=True):
        bar = _bar(value) if bars and bounded else None
        rows.append(
            [
                _system(system.name, league),
                Cell(rank_text(value), Tone.STRONG),
                Cell(value_text(league, value), Tone.STRONG if value.earned else Tone.FAINT, bar=bar),
                interval_text(value),
                rank_range(value),
                *_difference_cells(league, value),
            ]
        )
    level = f"{short(league.settings.level * 100)} %"
    columns = [
        *words("system"),
        *numbers("rank"),
        Column(column_title(column), numbers=not bars),
        *numbers(
            f"{level} interval", "rank interval", f"− {league.settings.baseline}", "interval", "p (Holm over systems)"
        ),
    ]
    notes = [
        *_notes(league, [column]),
        *outside_notes(text for value in column.values for text in _interval_texts(value)),
    ]
    if any(value.difference and value.difference.corrected is not None for value in column.values):
        notes.append(HOLM)
    return Table(f"Standings by {column_title(column)}", columns, rows, notes)


def score_table(league: League, group: Group, *, detail: bool) -> Table:
    """Every system in the columns of a group; `detail` adds intervals and ranks to the cells."""
    columns = league.group(group)
    shaded = group is not Group.METRIC
    rows = [
        [_system(name, league), *(_cell(league, column, column.values[k], detail, shaded) for column in columns)]
        for k, name in enumerate(league.names)
    ]
    headings = [*words("system"), *numbers(*(column_title(column) for column in columns))]
    shown = [interval_text(value) for column in columns for value in column.values]
    return Table(_TITLES[group], headings, rows, [*_notes(league, columns), *(outside_notes(shown) if detail else [])])


def best_table(league: League) -> Table:
    """Who is first in every column."""
    columns = [column for column in league.columns if column.leading and column.ranked]
    rows = [
        [
            column_title(column),
            column.group.value,
            ("tie: " if len(column.best) > 1 else "") + ", ".join(first_text(league, name) for name in column.best),
            decimal(next((number(value) for value in column.values if value.rank == 1), None)),
        ]
        for column in columns
    ]
    return Table("Who is first", [*words("column", "kind", "first"), *numbers("value")], rows, _nearly(league, columns))


def map_table(league: League, found: LeagueMap, clause: str, title: str) -> Table:
    """Systems by classes or conditions, on one clause."""
    rows = [
        [_system(row.system, league), *(_map_cell(value) for value in row.values)]
        for row in found.rows
        if row.clause == clause
    ]
    return Table(title, [*words("system"), *numbers(*found.columns)], rows)


def map_clauses(found: LeagueMap) -> list[str]:
    """The clauses of a map, the mean first."""
    return list(dict.fromkeys(row.clause for row in found.rows))


def systems_table(league: League) -> Table:
    """Where every system came from."""
    rows: list[list[Cell | str]] = [
        [
            _system(one.name, league),
            one.prediction,
            one.format,
            one.decoding or "events as given",
            UNDEFINED if one.scores is None else one.scores.name,
            Cell((one.sha256 or UNDEFINED)[:16], code=True, title=one.sha256 or ""),
            Cell(one.run[:16], code=True, title=one.run),
        ]
        for one in league.systems
    ]
    return Table("Systems", words("system", "predictions", "format", "decoding", "scores", "SHA-256", "run"), rows)


def declared(league: League) -> list[tuple[str, str]]:
    """What was declared, each fact behind its name."""
    contract, settings, policies = league.contract, league.settings, league.policies
    facts = [
        ("contract", f"{contract.name}, digest {contract.digest}"),
        ("aggregation", league.aggregation.words),
        ("parameters set", contract.overridden or "none"),
        ("classes", f"{league.mode.replace('_', ' ')}: {', '.join(league.classes)}"),
        ("clips", f"{league.clips:,}"),
        *((f"{role} table", f"SHA-256 of its content {found}") for role, found in league.tables.items()),
        ("label map", policies.label_map or "none"),
        ("events outside clips", policies.outside),
        *((f"metric {name}", words) for name, words in policies.metrics.items()),
        ("ranked by", settings.rank_by),
        ("baseline", settings.baseline),
        ("intervals", how(league)),
        ("made with", ", ".join(f"{name} {value}" for name, value in league.versions.to_dict().items())),
    ]
    return [(name, text) for name, text in facts if text]


def how(league: League) -> str:
    """How intervals were made."""
    settings = league.settings
    level = f"{short(settings.level * 100)} %"
    clips = count(league.clips, "clip")
    return f"{level}, bootstrap over {clips} ({count(settings.draws, 'draw')}, seed {settings.seed}), paired"


def _system(name: str, league: League) -> Cell:
    return Cell(name, Tone.STRONG, note="baseline") if name == league.settings.baseline else Cell(name)


def _bar(value: LeagueValue) -> Bar | None:
    shown = number(value)
    if shown is None:
        return None
    share = min(max(Fraction(shown), Fraction(0)), Fraction(1))
    return Bar(share, low=value.low, high=value.high)


def _difference_cells(league: League, value: LeagueValue) -> list[Cell | str]:
    found = value.difference
    if found is None:
        return ["", "", ""] if value.system == league.settings.baseline else [UNDEFINED, UNDEFINED, UNDEFINED]
    mark = " ●" if found.significant else ""
    shown = found.decimal if found.value is None else found.value
    text = ("+" if shown > 0 else "") + _signed(shown)
    p = UNDEFINED if found.corrected is None else decimal(found.corrected, 4)
    return [Cell(text + mark, Tone.STRONG if found.significant else Tone.PLAIN), interval_text(found) or UNDEFINED, p]


def _cell(league: League, column: LeagueColumn, value: LeagueValue, detail: bool, shaded: bool) -> Cell:
    shown = number(value)
    rank = f"rank {rank_text(value)}{_range_words(value)}" if value.rank else ""
    said = "\n".join(part for part in (interval_text(value), rank) if part)
    difference = value.difference
    more = f"; {_signed(difference.decimal)} from the baseline" if difference else ""
    vacuous = f"; {percent(value.vacuous)} of it for clauses or classes that asked nothing" if value.vacuous else ""
    return Cell(
        value_text(league, value),
        Tone.STRONG if value.rank == 1 else Tone.PLAIN if value.earned else Tone.FAINT,
        note=said if detail else "",
        title=f"{column.name}: {said.replace(chr(10), ', ') or 'not ranked'}{more}{vacuous}",
        loss=float(1 - min(max(shown, 0), 1)) if shaded and shown is not None else None,
    )


def _range_words(value: LeagueValue) -> str:
    found = rank_range(value)
    return f" ({found})" if " " in found else ""


def _map_cell(value: Fraction | None) -> Cell:
    if value is None:
        return Cell("∅", Tone.FAINT, title="nothing was asked", loss=0.0)
    return Cell(decimal(value, 2), title=f"{decimal(value)} = {print_number(value)}", loss=float(1 - value))


def _notes(league: League, columns: Sequence[LeagueColumn]) -> list[str]:
    earned = all(value.earned or number(value) is None for column in columns for value in column.values)
    return [BEST, *([] if earned else [NOT_EARNED]), *_nearly(league, columns)]


def _nearly(league: League, columns: Sequence[LeagueColumn]) -> list[str]:
    """A note for each system that is first in one of these columns and answers the same nearly throughout."""
    first = {name for column in columns for name in column.best}
    return [
        f"≈: {name} is {words}; where that answer is asked for, being first says little"
        for name, words in league.nearly_constant.items()
        if name in first
    ]
