"""`tracepact calibrate`: write a calibration set made of the user's own references."""

import sys
from pathlib import Path

import click

from tracepact.calibration.reading import read_calibration
from tracepact.diagnostics import Diagnostics, InvalidInput, RowPlace, Source, did_you_mean
from tracepact.files import write_whole
from tracepact.io import durations_from, events_from
from tracepact.show.lines import print_diagnostics, say
from tracepact.tools.parameters import complete_starter, durations_option, named_contract
from tracepact.tools.select.draft import (
    FAULTS,
    best_clip,
    draft_calibration,
    fitting_faults,
    report_left_out,
    within_clips,
)
from tracepact.wording import listed

_WORST = {
    "misses": ("missing activity",),
    "false alarms": ("extra activity", "silence bleed"),
    "late": ("late onset", "late release"),
    "early": ("early onset", "early release"),
    "pieces": ("fragmentation",),
}


@click.command()
@click.option("--ref", type=click.Path(), required=True, help="Reference events: a file or folder of any format.")
@click.option(
    "--contract",
    default="boundary_gate",
    show_default=True,
    shell_complete=complete_starter,
    help="The contract whose step and tolerances the amounts are tied to.",
)
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@durations_option("without them a clip ends a second after its last event")
@click.option("--label", help="Take the events of this label (default: the label and clip with the most).")
@click.option("--worst", type=click.Choice(list(_WORST)), help="What hurts most: it gets the highest rank.")
@click.option("--early-is-worse", is_flag=True, help="An early edge is worse than a late one.")
@click.option("--whole", is_flag=True, help="Events must stay whole: pieces are as bad as misses.")
def command(
    ref: str,
    contract: str,
    out: Path,
    durations: str | None,
    label: str | None,
    worst: str | None,
    early_is_worse: bool,
    whole: bool,
) -> None:
    """Write a calibration set made of your own references: nine faults, at amounts tied to a contract's tolerances.

    Ranks are those of the shipped set unless the answers to three questions say otherwise (--worst, --early-is-worse,
    --whole; a terminal asks them if none is given). Every case is a line to edit, and `tracepact select` works on the
    file at once.
    """
    if worst == "late" and early_is_worse:
        raise click.UsageError("--worst late says that late is worse than early, --early-is-worse the opposite")
    if out.exists():
        raise click.UsageError(f"`{out}` already exists; choose another name")
    compiled, diagnostics = named_contract(contract), Diagnostics()
    table = events_from(Path(ref), diagnostics, name=ref)
    lengths = durations_from(durations, diagnostics) if durations is not None else None
    diagnostics.raise_errors()
    table = within_clips(table, lengths, diagnostics)
    found = best_clip(compiled, table, lengths, label)
    if found is None:
        what = f"no event has the label `{label}`" if label else "the references have no event"
        labels = {event.label for events in table.clips.values() for event in events}
        near = did_you_mean(label, labels) if label else None
        diagnostics.add("empty-calibration", f"{what}; there is nothing to make faults of", RowPlace(ref), near)
        raise InvalidInput(diagnostics)
    report_left_out(table, {found[0]: found[1]}, diagnostics)
    if worst is None and not early_is_worse and not whole and sys.stdin.isatty():
        worst, early_is_worse, whole = _asked()
    ranks = _ranks(worst, early_is_worse, whole)
    _check_faults(fitting_faults(compiled, *found[1:]), ranks, ref, diagnostics)
    text = draft_calibration(compiled, out.stem, *found, ranks)
    read_calibration(Source(str(out), text))
    print_diagnostics(diagnostics)
    write_whole({out: text})
    say(f"wrote {out}; `tracepact select {out}` selects a contract for it")


def _asked() -> tuple[str | None, bool, bool]:
    """The three questions."""
    worst = click.prompt("What hurts most", type=click.Choice(list(_WORST)), default="misses")
    early = worst not in ("late", "early") and click.confirm("Is early worse than late?", default=False)
    return worst, early, click.confirm("Must events stay whole?", default=False)


def _check_faults(fitting: list[str], ranks: dict[str, int], ref: str, diagnostics: Diagnostics) -> None:
    """InvalidInput if the faults that fit the events have fewer than two ranks."""
    if len({ranks[name] for name in fitting}) > 1:
        return
    which = f"only {listed(fitting)} fits" if len(fitting) == 1 else f"only faults of one rank fit: {listed(fitting)}"
    headline = f"no other fault fits events this short or close: {which}" if fitting else "no fault fits these events"
    help = "take a label or clips with longer events further apart, or a contract with a smaller step and tolerance"
    diagnostics.add("one-rank", headline, RowPlace(ref), help)
    raise InvalidInput(diagnostics)


def _ranks(worst: str | None, early_is_worse: bool, whole: bool) -> dict[str, int]:
    """The ranks that differ from those of the shipped set."""
    ranks = {fault.name: fault.rank for fault in FAULTS}
    if early_is_worse:
        ranks |= {"early onset": 4, "early release": 4, "late onset": 3, "late release": 3}
    if whole:
        ranks["fragmentation"] = ranks["missing activity"]
    for name in _WORST.get(worst or "", ()):
        ranks[name] = max(ranks.values()) + 1 if name == _WORST[worst or ""][0] else max(ranks.values())
    return ranks
