"""`tracepact league`: many systems on the same data, as one page, CSV, JSON and Markdown (rules 16.15 to 16.19)."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import click
from click.core import ParameterSource
from rich.console import Group as Lines

from tracepact.scoring.uncertainty import Bootstrap
from tracepact.show.lines import print_diagnostics, reader_may_leave, say
from tracepact.show.progress import progress
from tracepact.show.screen import print_tables
from tracepact.show.terminal import TerminalTable
from tracepact.tools.bootstrap import bootstrap_options
from tracepact.tools.folders import LocalFolder
from tracepact.tools.league import tables
from tracepact.tools.league.base import Settings
from tracepact.tools.league.build import league_of
from tracepact.tools.league.columns import HEADLINE, Group
from tracepact.tools.league.files import COLUMNS, league_csv, league_json, league_markdown, league_rows
from tracepact.tools.league.league import league_parts
from tracepact.tools.league.making import Changes, Made, change_league
from tracepact.tools.league.page import league_page
from tracepact.tools.league.record import League
from tracepact.tools.league.store import check_place, open_league, write_league
from tracepact.tools.league.system import file_name
from tracepact.tools.parameters import format_option
from tracepact.tools.results import print_json, print_rows
from tracepact.tools.score.report.sounds import check_audio, embed_audio_option, find_sounds, sounds_line
from tracepact.tools.score.store.names import named_places

_KEPT = ("draws", "seed", "level", "conditions")


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
            changes = Changes(named_places(added), named_places(replaced), removed, given)
            made = change_league(stored, changes, settings, advance)
            kept = {name: data for name, data in kept.items() if name not in map(file_name, changes.gone)}
        else:
            if out is not None:
                check_place(out)
            how = Bootstrap(draws, seed, level)
            made = league_parts(runs, baseline, rank_by or HEADLINE, conditions, how, advance, given)
        advance("comparing")
        league = league_of(made.base, made.systems)
        advance("writing")
        if folder is not None:
            _write(folder, league, made, kept, audio, embed_audio)
    print_diagnostics(made.warnings)
    with reader_may_leave():
        _show(league, form)


def _named_scores(given: tuple[str, ...]) -> dict[str, str]:
    """The scores by system; several systems may share them."""
    found: dict[str, str] = {}
    for text in given:
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
    folder: Path, league: League, made: Made, kept: Mapping[str, bytes], audio: str | None, embed_audio: bool
) -> None:
    clips = [one.clip for one in league.most_different]
    sounds = find_sounds(audio, clips, folder, embed=embed_audio)
    views = {
        "league.html": league_page(league, made.base, made.systems, sounds),
        "league.md": league_markdown(league),
        "league.csv": league_csv(league),
        "league.json": league_json(league),
    }
    written = write_league(folder, made.base, made.systems, views, kept)
    if audio is not None:
        say(sounds_line(sounds, len(clips), audio))
    say(f"wrote {len(written)} files to {folder}; open {folder / 'league.html'} in a browser")


def _show(league: League, form: str) -> None:
    match form:
        case "json":
            print_json(league)
        case "csv":
            print_rows(COLUMNS, league_rows(league))
        case _:
            shown = [tables.standings_table(league), tables.score_table(league, Group.CLAUSE, detail=False)]
            print_tables(Lines(*(TerminalTable(table) for table in [*shown, tables.best_table(league)])))
