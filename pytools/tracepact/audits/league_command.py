"""`tracepact league`: many systems on the same data, as one page, CSV, JSON and Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from rich.console import Group as Lines

from tracepact.audits import league_tables
from tracepact.audits.league import (
    LeagueChanges,
    LeagueParts,
    change_league,
    check_place,
    league_of,
    make_league,
    open_league,
    write_league,
)
from tracepact.audits.league_columns import (
    HEADLINE,
    MEAN,
    ColumnGroup,
    League,
    LeagueColumn,
    LeagueMap,
    LeagueValue,
    column_id,
)
from tracepact.audits.league_systems import Base, LeagueSystem, Settings, file_name
from tracepact.audits.league_tables import clip_lanes
from tracepact.audits.systems import Runs, listed_runs, originals_option, some_runs
from tracepact.declarations import OnStage, silent
from tracepact.evaluate.uncertainty import USUAL, Bootstrap
from tracepact.files import Row, json_text
from tracepact.options import format_option, full_option
from tracepact.outputs import LocalFolder, print_json, print_rows
from tracepact.records import plain
from tracepact.runs.originals import Places
from tracepact.runs.report_parts import SILENT, Sounds, check_audio, embed_audio_option, find_sounds, sounds_line
from tracepact.runs.side_options import bootstrap_options, exact
from tracepact.show.lines import print_diagnostics, progress, reader_may_leave, say
from tracepact.show.pages import Section, html_page, templates
from tracepact.show.tables import Table, TerminalTable, csv_text, print_tables, table_lines
from tracepact.show.tables import plain as plain_text
from tracepact.wording import count, decimal

# A league as one self-contained HTML page.

_FOLDER = Path(__file__).resolve().parent


def league_page(league: League, base: Base, systems: Sequence[LeagueSystem], sounds: Sounds = SILENT) -> str:
    """The page of a league, which needs nothing beside itself but the sounds it names."""
    parts: Any = templates(_FOLDER).get_template("league.html").module
    about = [
        count(league.clips, "clip"),
        count(len(league.classes), "class", "classes"),
        league.aggregation.words,
        f"intervals {league_tables.how(league)}",
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
    """The first system of the column that orders the league, and of each profile."""
    column = league.ranked_by
    for one in (column, *league.group(ColumnGroup.PROFILE)):
        value = next((league_tables.number(value) for value in one.values if value.rank == 1), None)
        who = (
            league_tables.first_text(league, one.best[0])
            if len(one.best) == 1
            else f"{len(one.best)} tied"
            if one.best
            else "nobody"
        )
        yield who, f"first by {league_tables.column_title(one)}, {decimal(value)}"


def _sections(
    parts: Any, league: League, base: Base, systems: Sequence[LeagueSystem], sounds: Sounds
) -> Iterator[Section]:
    column = league.ranked_by
    lead = (
        f"Ordered by the {league_tables.column_title(column)}"
        + (f", {column.aggregation.words}" if column.aggregation else "")
        + ". Equal values share a rank (=). Choose a heading to sort by it."
    )
    shown = replace(league_tables.standings_table(league), title="")
    legend = f"Differences are from {league.settings.baseline}."
    yield Section("standings", "Standings", parts.standings(shown, legend), lead)
    lead = "Every clause of the contract. The stronger its shade, the more a cell has lost."
    yield Section("guards", "Guards", _scores(parts, league, ColumnGroup.CLAUSE), lead)
    lead = "Weighted means of clauses: the same systems under other priorities."
    yield Section("profiles", "Profiles", _scores(parts, league, ColumnGroup.PROFILE), lead)
    metrics = league.group(ColumnGroup.METRIC)
    about = [(league_tables.column_title(one), one.about) for one in metrics]
    shown = replace(league_tables.score_table(league, ColumnGroup.METRIC, detail=True), title="")
    lead = "The field’s own numbers on the same data. For error rates and errors in seconds lower is better."
    yield Section("metrics", "Metrics", parts.metrics(shown, about), lead)
    if league.group(ColumnGroup.PSDS):
        lead = "Over all thresholds, for the systems whose scores were given; the others are not ranked here."
        yield Section("psds", "PSDS", _scores(parts, league, ColumnGroup.PSDS), lead)
    lead = "One point for each system; a hollow one is not ranked on one of the two."
    names = [(column_id(one), league_tables.column_title(one)) for one in _plotted(league)]
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
    shown = parts.declared(league_tables.declared(league), league_tables.systems_table(league), league.contract.text)
    yield Section("declared", "Declared", shown, "All systems share these; other runs are refused.")


def _scores(parts: Any, league: League, group: ColumnGroup) -> Any:
    about = [(one.name, one.about) for one in league.group(group) if one.about]
    return parts.scores(replace(league_tables.score_table(league, group, detail=True), title=""), about)


def _maps(parts: Any, league: League, name: str, scores: LeagueMap) -> Any:
    return parts.maps(
        name,
        [
            (clause, league_tables.map_table(league, scores, clause, ""))
            for clause in dict.fromkeys(row.clause for row in scores.rows)  # the mean is first
        ],
    )


def _plotted(league: League) -> list[LeagueColumn]:
    """The columns that can be put against each other: clauses first."""
    return [
        *league.group(ColumnGroup.CLAUSE),
        *league.group(ColumnGroup.HEADLINE, ColumnGroup.PROFILE, ColumnGroup.METRIC, ColumnGroup.PSDS),
    ]


def _data(league: League) -> dict[str, Any]:
    """The data for the script of the page."""
    return {
        "systems": league.names,
        "ranked": [value.rank is not None for value in league.ranked_by.values],
        # Decimals are enough for a picture; the exact values stand in the tables.
        "columns": {
            column_id(one): {
                "title": league_tables.column_title(one),
                "share": one.group is not ColumnGroup.METRIC or not one.name.endswith(("error_rate", "_error")),
                "values": [value.decimal for value in one.values],
                "earned": [value.earned for value in one.values],
            }
            for one in _plotted(league)
        },
    }


# The views of a league as files: rows as CSV, Markdown, JSON, the page.

COLUMNS = (
    *("system", "group", "column", "value", "decimal", "low", "high", "vacuous", "earned"),
    *("rank", "tied", "rank_low", "rank_high"),
    *("difference", "difference_low", "difference_high", "p", "corrected", "significant"),
)


def league_rows(league: League) -> Iterator[Row]:
    """A row for every system and column."""
    for column in league.columns:
        for value in column.values:
            yield _row(column, value)


def _row(column: LeagueColumn, value: LeagueValue) -> Row:
    compared: Row = ("", "", "", "", "", "")
    if (difference := value.difference) is not None:
        ends = map(_text, (difference.decimal, difference.low, difference.high))
        compared = (*ends, exact(difference.p), exact(difference.corrected), _flag(difference.significant))
    return (
        value.system,
        column.group.value,
        column.name,
        exact(value.value),
        *map(_text, (value.decimal, value.low, value.high)),
        str(value.vacuous),
        _flag(value.earned),
        "" if value.rank is None else value.rank,
        _flag(value.tied),
        *("" if rank is None else rank for rank in (value.rank_low, value.rank_high)),
        *compared,
    )


def _text(value: float | None) -> str:
    return "" if value is None else decimal(value, 6)


def _flag(value: bool) -> str:
    return str(value).lower()


def league_markdown(league: League) -> str:
    """A league as Markdown: standings, scores, metrics, maps, what was declared."""
    contract = league.contract
    lines = [f"# {plain_text(contract.name)}: league of {len(league.systems)} systems", ""]
    if contract.title:
        lines += [plain_text(contract.title), ""]
    lines += [plain_text(f"{count(league.clips, 'clip')}; intervals: {league_tables.how(league)}."), ""]
    for table in _markdown_tables(league):
        lines += [f"## {plain_text(table.title)}", "", *table_lines(table), ""]
    lines += ["## What was declared", ""]
    lines += [f"- {plain_text(name)}: {plain_text(text)}" for name, text in league_tables.declared(league)]
    return "\n".join(lines) + "\n"


def _markdown_tables(league: League) -> Iterator[Table]:
    yield league_tables.standings_table(league, bars=False)
    for group in (ColumnGroup.CLAUSE, ColumnGroup.PROFILE, ColumnGroup.METRIC):
        yield league_tables.score_table(league, group, detail=False)
    if league.group(ColumnGroup.PSDS):
        yield league_tables.score_table(league, ColumnGroup.PSDS, detail=False)
    yield league_tables.best_table(league)
    if len(league.classes) > 1:
        yield league_tables.map_table(
            league, league.by_class, MEAN, "By class (mean of the clauses, pooled over clips)"
        )
    if league.by_condition is not None:
        yield league_tables.map_table(league, league.by_condition, MEAN, "By condition (mean of the clauses)")
    yield league_tables.systems_table(league)


# Leagues from Python: many systems on the same data as one record.


def league(
    runs: Runs,
    *,
    baseline: str | None = None,
    rank_by: str = HEADLINE,
    conditions: Any = None,
    bootstrap: Bootstrap = USUAL,
    scores: Mapping[str, Any] | None = None,
) -> League:
    """Compare many systems on the same data (rules 16.15 to 16.19).

    Args:
        runs: Runs of one contract on the same data: in memory, or the places of run directories, each a place or
            `NAME=PLACE`. A mapping names them.
        baseline: The system that the others are compared with; by default the first.
        rank_by: What orders the league: `headline`, a clause, a profile, `psds1`, or a metric such as `event_f1`.
        conditions: A table or a mapping from clips to conditions; by default those of the first run.
        bootstrap: How clips are drawn.
        scores: The scores of systems by their names, in the forms of `curves`; those systems have PSDS (rule 16.20).

    Returns:
        The league: for every column the values, intervals, ranks and differences from the baseline.

    Raises:
        InvalidInput: A run cannot be read, the runs do not make a league, or a name is unknown.

    Examples:
        >>> import tracepact
        >>> predicted = {"early": [(1, 2)], "late": [(1, 4)], "silent": []}
        >>> ref = [(1, 3)]
        >>> runs = {name: tracepact.score("boundary_gate", ref, pred, durations=5) for name, pred in predicted.items()}
        >>> [(value.system, value.rank) for value in tracepact.league(runs).ranked_by.values]
        [('early', 1), ('late', 2), ('silent', None)]
    """
    parts = league_parts(runs, baseline, rank_by, conditions, bootstrap, scores=scores)
    return league_of(parts.base, parts.systems)


def league_parts(
    runs: Runs,
    baseline: str | None,
    rank_by: str,
    conditions: Any,
    bootstrap: Bootstrap,
    on_stage: OnStage = silent,
    scores: Mapping[str, Any] | None = None,
    originals: Places | None = None,
) -> LeagueParts:
    """The parts of a league, read from its runs."""
    places = some_runs(runs)
    settings = Settings(baseline or places[0].name, rank_by, bootstrap.number, bootstrap.seed, bootstrap.level)
    return make_league(places, settings, conditions, on_stage, scores, originals)


# `tracepact league`: many systems on the same data, as one page, CSV, JSON and Markdown (rules 16.15 to 16.19).

# The draws of stored systems were made with these and cannot be made again without their runs.
_KEPT = ("draws", "seed", "level", "conditions")


_MOST_ROWS = 10
"""Of each of two tables, which one screen has room for."""


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path())
@click.option("--add", "added", multiple=True, metavar="RUN", help="Add this run to the league directory; repeatable.")
@click.option(
    "--replace", "replaced", multiple=True, metavar="NAME=RUN", help="Replace a system of the league; repeatable."
)
@click.option("--remove", "removed", multiple=True, metavar="NAME", help="Remove a system of the league; repeatable.")
@click.option(
    "--scores",
    multiple=True,
    metavar="NAME=PATH",
    help="The scores of a system, or its events with confidences: it gets PSDS over all thresholds; repeatable.",
)
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with (default: the first).")
@click.option(
    "--rank-by",
    metavar="COLUMN",
    help="What orders the league: headline (the default), a clause, a profile, psds1, or a metric such as event_f1.",
)
@click.option("--conditions", type=click.Path(), help="A table (filename, condition) that groups the results.")
@bootstrap_options
@click.option(
    "--out",
    type=LocalFolder(),
    help="Also write the league directory: page, Markdown, CSV, JSON, and what adding a system needs.",
)
@click.option(
    "--audio",
    type=click.Path(exists=True, file_okay=False),
    help="A folder of sound files: a click on a mark of the page plays the clip from there.",
)
@embed_audio_option
@originals_option
@full_option
@format_option("text", "json", "csv")
@click.pass_context
def command(
    ctx: click.Context,
    runs: tuple[str, ...],
    added: tuple[str, ...],
    replaced: tuple[str, ...],
    removed: tuple[str, ...],
    scores: tuple[str, ...],
    baseline: str | None,
    rank_by: str | None,
    conditions: str | None,
    draws: int,
    seed: int,
    level: Fraction,
    out: Path | None,
    audio: str | None,
    embed_audio: bool,
    originals: tuple[str, ...],
    full: bool,
    form: str,
) -> None:
    """Compare many systems on the same data: scores, ranks, intervals, differences, and where they differ.

    RUNS are run directories of one contract on the same data, each as RUN or NAME=RUN. A league directory that --out
    wrote is changed by --add, --replace, --remove, --baseline and --rank-by: given runs are read, the other systems are
    taken as they are stored, and what compares systems (ranks, p, who is first) is computed again.
    """
    changed = bool(added or replaced or removed) or (len(runs) == 1 and bool(baseline or rank_by))
    _check(ctx, runs, changed, out, audio, embed_audio)
    folder = Path(runs[0]) if changed else out
    kept: Mapping[str, bytes] = {}
    given = _named_scores(scores)
    with progress((len(added) + len(replaced) if changed else len(runs)) + 2) as advance:
        if changed:
            stored, kept = open_league(Path(runs[0]))
            check_place(Path(runs[0]))
            old = stored.base.settings
            settings = Settings(baseline or old.baseline, rank_by or old.rank_by, old.draws, old.seed, old.level)
            changes = LeagueChanges(listed_runs(added), listed_runs(replaced), removed, given)
            parts = change_league(stored, changes, settings, advance, originals)
            # Systems that stay are written back octet by octet, so that their digests do not change.
            kept = {name: data for name, data in kept.items() if name not in map(file_name, changes.gone)}
        else:
            if out is not None:
                # Before the runs are read, which may take minutes, and not when all is done.
                check_place(out)
            how = Bootstrap(draws, seed, level)
            parts = league_parts(runs, baseline, rank_by or HEADLINE, conditions, how, advance, given, originals)
        advance("comparing")
        league = league_of(parts.base, parts.systems)
        advance("writing")
        if folder is not None:
            _write(folder, league, parts, kept, audio, embed_audio)
    print_diagnostics(parts.warnings)
    with reader_may_leave():
        _show(league, form, full=full)


def _named_scores(texts: tuple[str, ...]) -> dict[str, str]:
    """The scores by system; several systems may share them."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not (sign and name.strip() and path):
            raise click.UsageError(f"--scores names a system and its scores, NAME=PATH; `{text}` does not")
        if name.strip() in found:
            raise click.UsageError(f"--scores gives the scores of {name.strip()} twice")
        found[name.strip()] = path
    return found


def _check(
    ctx: click.Context,
    runs: tuple[str, ...],
    changed: bool,
    out: Path | None,
    audio: str | None,
    embed_audio: bool,
) -> None:
    """Refuse options that contradict each other."""
    if changed:
        if len(runs) != 1 or out is not None:
            raise click.UsageError(
                "--add takes one league directory, like --replace and --remove, and writes it: league DIR --add RUN"
            )
        given = [name for name in _KEPT if ctx.get_parameter_source(name) is not ParameterSource.DEFAULT]
        if given:
            raise click.UsageError(f"--{given[0]} cannot change in a league that is stored; make the league again")
    elif len(runs) < 2:
        raise click.UsageError(
            "give at least two runs, or change a league: league DIR --add RUN (also --replace, --remove)"
        )
    check_audio(audio, embed_audio)
    if audio is not None and out is None and not changed:
        raise click.UsageError("--audio is for the page: give --out as well")


def _write(
    folder: Path, league: League, parts: LeagueParts, kept: Mapping[str, bytes], audio: str | None, embed_audio: bool
) -> None:
    clips = [one.clip for one in league.most_different]
    sounds = find_sounds(audio, clips, folder, embed=embed_audio)
    views = {
        "league.html": league_page(league, parts.base, parts.systems, sounds),
        "league.md": league_markdown(league),
        "league.csv": csv_text(COLUMNS, league_rows(league)),
        "league.json": json_text(plain(league)),
    }
    written = write_league(folder, parts.base, parts.systems, views, kept)
    if audio is not None:
        say(sounds_line(sounds, len(clips), audio))
    say(f"wrote {len(written)} files to {folder}; open {folder / 'league.html'} in a browser")


def _show(league: League, form: str, *, full: bool) -> None:
    match form:
        case "json":
            print_json(league)
        case "csv":
            print_rows(COLUMNS, league_rows(league))
        case _ if not full:
            leaders = league_tables.best_table(league, ColumnGroup.CLAUSE, ColumnGroup.PROFILE, most=_MOST_ROWS)
            shown = [league_tables.standings_table(league, bars=False, most=_MOST_ROWS), leaders]
            print_tables(Lines(*map(TerminalTable, shown)))
            say("--full shows every column; --out DIR writes the page, Markdown, CSV and JSON", answer=True)
        case _:
            shown = [
                league_tables.standings_table(league),
                league_tables.score_table(league, ColumnGroup.CLAUSE, detail=False),
            ]
            print_tables(Lines(*(TerminalTable(table) for table in [*shown, league_tables.best_table(league)])))
