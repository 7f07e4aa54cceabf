"""`tracepact audit matcher`: greedy against optimal matching."""

from pathlib import Path
from typing import Unpack

import click

from tracepact.diagnostics import Diagnostics
from tracepact.io import durations_from, events_from
from tracepact.lang import load_contract, override
from tracepact.show.lines import print_diagnostics
from tracepact.show.screen import progress
from tracepact.tools.audit.matcher import audit_matcher
from tracepact.tools.audit.matcher_view import matcher_view
from tracepact.tools.audit.show import Shown, show, show_options, stored
from tracepact.tools.parameters import set_option
from tracepact.trace import Mode, assemble


@click.command()
@click.argument("contract", default="boundary_gate")
@click.option("--ref", type=click.Path(), help="Reference events; their bridges are tried as well.")
@click.option("--pred", type=click.Path(), help="Predicted events.")
@click.option("--durations", help="A table (filename, duration), or one duration in seconds for all clips.")
@click.option("--class-indexed/--union", default=True, show_default=True)
@set_option
@show_options
def command(
    contract: str,
    ref: str | None,
    pred: str | None,
    durations: str | None,
    class_indexed: bool,
    overrides: tuple[tuple[str, str], ...],
    **shown: Unpack[Shown],
) -> None:
    """Greedy against optimal matching: on given data, on bridges between its references, on built-in cases.

    CONTRACT is a contract, or a run directory with its own contract and data. A bridge is a made-up prediction that
    spans two consecutive references. Boundary F1 is twice the matched pairs over all runs of both sides. The built-in
    cases are three named ones and a stress track over a grid of lengths and gaps.
    """
    if (ref is None) != (pred is None):
        raise click.UsageError("give both --ref and --pred, or neither")
    if ref is not None and Path(contract).is_dir():
        raise click.UsageError("a run directory has its own tables; leave out --ref and --pred")
    with progress(2) as advance:
        advance("reading")
        family = None
        if Path(contract).is_dir():
            card = stored(contract).card
            compiled = override(card.contract, dict(overrides)) if overrides else card.contract
            family = card.family
        else:
            compiled = load_contract(contract, dict(overrides))
        if ref is not None and pred is not None:
            diagnostics = Diagnostics()
            family = assemble(
                compiled,
                events_from(ref, diagnostics, name="ref"),
                events_from(pred, diagnostics, name="pred"),
                durations=durations_from(durations, diagnostics),
                mode=Mode.CLASS_INDEXED if class_indexed else Mode.UNION,
                diagnostics=diagnostics,
            )
            print_diagnostics(diagnostics)
        advance("matching")
        audit = audit_matcher(compiled, family)
    show(matcher_view(audit), **shown)
