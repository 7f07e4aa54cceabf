"""`tracepact fmt`: write contracts in their canonical form."""

import difflib
import sys
from dataclasses import replace
from pathlib import Path

import click

from tracepact.diagnostics import Diagnostics, Source
from tracepact.files import write_whole
from tracepact.lang import decode_source, format_document, read_document, read_file
from tracepact.show.lines import give, say
from tracepact.specs import starter_contracts
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import STANDARD_INPUT, STANDARD_INPUT_NAME, contract_files


@click.command()
@click.argument("contracts", nargs=-1, required=True, metavar="CONTRACT...")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file is not in canonical form.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
def command(contracts: tuple[str, ...], check: bool, diff: bool) -> int:
    """Format contract files in place, comments kept; of a folder, those that end in .contract below it.

    `-` formats standard input to standard output.
    """
    diagnostics = Diagnostics()
    formatted: list[tuple[Source, str]] = []
    for given in contract_files(contracts):
        starter = "a starter contract belongs to the package: copy it first" if given in starter_contracts() else None
        source = _read(given, diagnostics, starter)
        if source is not None:
            source = source if given == STANDARD_INPUT else replace(source, name=given)
            own = Diagnostics()
            document = read_document(source, own)
            diagnostics.extend(own)
            if not own.errors:
                formatted.append((source, format_document(document, source)))
    changed = [(source, text) for source, text in formatted if text != source.text]
    if check and diagnostics.errors:
        _name(changed)
    diagnostics.raise_errors()
    for source, text in formatted:
        if diff:
            give(_difference(source, text))
        elif source.name == STANDARD_INPUT_NAME and not check:
            give(text)
    if check or diff:
        _name(changed)
        return Exit.VIOLATED if changed else Exit.OK
    files = {Path(source.name): text for source, text in changed if source.name != STANDARD_INPUT_NAME}
    write_whole(files, in_place=True)
    for path in files:
        say(f"{path}: formatted")
    return Exit.OK


def _name(changed: list[tuple[Source, str]]) -> None:
    """Say which sources are not in canonical form."""
    for source, _ in changed:
        say(f"{source.name}: not in canonical form")


def _read(given: str, diagnostics: Diagnostics, help: str | None) -> Source | None:
    if given == STANDARD_INPUT:
        return decode_source(sys.stdin.buffer.read(), STANDARD_INPUT_NAME, diagnostics)
    return read_file(given, diagnostics, help)


def _difference(source: Source, text: str) -> str:
    """A unified diff from the source to its canonical text."""
    before, after = source.text.splitlines(True), text.splitlines(True)
    lines = difflib.unified_diff(before, after, source.name, f"{source.name} (canonical)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
