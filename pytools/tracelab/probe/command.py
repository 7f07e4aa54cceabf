"""The command that probes frozen encoders and the detectors of others."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from tracelab.bars import stage_bars
from tracelab.options import SPEECH, WORKERS
from tracelab.probe.probe import choose, run_probe
from tracelab.probe.registry import Entry, Registry, own_registry, read_registry
from tracelab.probe.scales import PROBE_SCALES
from tracelab.probe.weights import missing
from tracelab.scenes.voices import open_voice
from tracepact.show import Table, TerminalTable, print_tables, words

_CACHE = Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "tracelab"


@click.command()
@click.option("--scale", type=click.Choice(list(PROBE_SCALES)), default="small", show_default=True, help="Size of it.")
@SPEECH
@WORKERS
@click.option("--encoder", "encoders", multiple=True, help="An encoder of the registry, or `none`; may be repeated.")
@click.option("--detector", "detectors", multiple=True, help="A detector of the registry, or `none`; may be repeated.")
@click.option(
    "--registry",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Another registry than the one that comes with the package.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=_CACHE,
    help="Folder with weights that you fetched (default: tracelab in your cache folder).",
)
@click.option("--list", "listed", is_flag=True, help="Show the registry, and what of it is here; probe nothing.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the probe.")
def probe(
    scale: str,
    speech: str,
    workers: int,
    encoders: tuple[str, ...],
    detectors: tuple[str, ...],
    registry: Path | None,
    cache: Path,
    listed: bool,
    out: Path | None,
) -> None:
    """Probe frozen encoders and detectors of others, or go on with a probe.

    Without --encoder and --detector everything that is on this machine is probed, and the page names what is not.
    Nothing is fetched: what is missing is told with its install line.
    """
    known = read_registry(registry or own_registry())
    if listed:
        _show(known, cache)
        return
    if out is None:
        raise click.UsageError("name a folder with --out, or ask for --list")
    chosen = choose(known, _names(encoders), _names(detectors), cache)
    try:
        with stage_bars() as progress:
            page = run_probe(out, PROBE_SCALES[scale], open_voice(speech), chosen, workers=workers, progress=progress)
    except KeyboardInterrupt:
        click.echo("the same command goes on from here", err=True)
        raise
    for entry, why in chosen.absent:
        click.echo(f"not present: {why}" + (f" ({entry.install})" if entry.install else ""), err=True)
    click.echo(f"the probe: {page}")


def _names(given: tuple[str, ...]) -> Sequence[str] | None:
    """The names that were given; `none` is no entry at all, and nothing given is all that is here."""
    return [name for name in given if name != "none"] if given else None


def _show(registry: Registry, cache: Path) -> None:
    for title, entries in (("Encoders", registry.encoder), ("Detectors", registry.detector)):
        rows = [(entry.name, entry.identifier, entry.licence, _here(entry, cache)) for entry in entries]
        print_tables(TerminalTable(Table(title, words("name", "what it is", "licence", "here"), rows)))


def _here(entry: Entry, cache: Path) -> str:
    error = missing(entry, cache)
    if error is None:
        return "yes"
    found = error.diagnostics[0]
    return found.headline + (f": {found.help}" if found.help else "")
