"""`tracepact play`: a workbench for a contract in the browser, on this machine alone."""

from typing import Unpack

import click

from tracepact.core import Contract
from tracepact.show.lines import print_diagnostics, say
from tracepact.tools.exits import Exit
from tracepact.tools.page_server import PageServer, server_options
from tracepact.tools.parameters import complete_starter, given_contract, set_option
from tracepact.tools.play.clips import MOST_CLIPS, clips_of_contract, clips_of_run
from tracepact.tools.play.page import play_page
from tracepact.tools.play.scene import Clip
from tracepact.tools.play.workbench import Workbench
from tracepact.tools.score.arguments import DataOptions, check_data_options, data_options, score_from_options

_FIRST = "boundary_gate"


@click.command()
@click.argument("contract", default=_FIRST, shell_complete=complete_starter)
@data_options
@set_option
@server_options
def command(
    contract: str, overrides: tuple[tuple[str, str], ...], port: int, opens: bool, **given: Unpack[DataOptions]
) -> int:
    """Play with a contract in the browser: draw events, and see every verdict at once.

    CONTRACT is a file, the name of a starter contract, or - for standard input; boundary_gate by default. The page
    begins with scenes made for the contract, or with the clips of --ref and --pred or of --pair. It is served on
    127.0.0.1 only, at an address with a token, loads nothing from elsewhere, and reads and writes no file: files are
    taken from and given to the browser. Ctrl-C ends it.

    Exit codes: 0 ended, 2 invalid input.
    """
    compiled = given_contract(contract, overrides)
    clips = _clips(compiled, given)
    page = play_page(compiled.source.text, clips, dict(overrides), union=not given["class_indexed"])
    with PageServer(page, Workbench().questions, port) as server:
        server.serve_page(opens=opens)
    return Exit.OK


def _clips(contract: Contract, given: DataOptions) -> tuple[Clip, ...]:
    """The clips of the data that the options name; without any, scenes made for the contract."""
    if all(given[name] is None for name in ("ref", "pred", "pair")):
        return clips_of_contract(contract)
    check_data_options(given)
    run = score_from_options(contract, **given)
    print_diagnostics(run.diagnostics)
    if len(run.card.family.clips) > MOST_CLIPS:
        say(f"the page has the first {MOST_CLIPS} of {len(run.card.family.clips):,} clips")
    return clips_of_run(run)
