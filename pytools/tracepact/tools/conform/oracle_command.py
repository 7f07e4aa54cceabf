"""`tracepact oracle`: the reference side of the oracle protocol on standard input and output."""

import sys

import click

from tracepact.tools.conform.engines import FAST, REFERENCE
from tracepact.tools.conform.serve import serve

_ENGINES = {engine.name: engine for engine in (REFERENCE, FAST)}


@click.command()
@click.option(
    "--engine",
    "name",
    type=click.Choice(sorted(_ENGINES)),
    default=REFERENCE.name,
    show_default=True,
    help="Answer from the definitions (reference) or from the fast path (fast).",
)
def command(name: str) -> None:
    """Answer cases, JSON lines on standard input, on standard output (spec/protocol.md), until the input ends."""

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    serve(sys.stdin, write, _ENGINES[name])
