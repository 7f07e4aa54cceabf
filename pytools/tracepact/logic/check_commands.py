"""`tracepact check` and `fmt`: a contract's faults, and its canonical form."""

import difflib
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from tracepact.command_line import Exit
from tracepact.declarations import rules, starter_contracts
from tracepact.diagnostics.collection import Diagnostics, InvalidInput, summarise
from tracepact.diagnostics.findings import CODES, Severity, Source, TextPlace, did_you_mean
from tracepact.files import write_whole
from tracepact.language.compilation import compile_source, decode_source, read_file, read_source
from tracepact.language.contract import Contract
from tracepact.language.formula import longest_window
from tracepact.language.printer import format_document
from tracepact.language.reader import read_document
from tracepact.logic.contract_findings import check_contract
from tracepact.logic.decisions import QUESTION_SECONDS, Budget
from tracepact.options import (
    STANDARD_INPUT,
    STANDARD_INPUT_NAME,
    TEXT,
    complete_starter,
    contract_files,
    diagnostics_format_option,
    durations_option,
    fail_on_option,
    full_option,
    has_failed,
    named_contract,
    timeout_option,
)
from tracepact.show.lines import counted, give, print_answer, print_diagnostics, say

# `tracepact check`: find every fault of contracts, in their text and in their meaning.

_EVERY_CODE = "*"
"""The value of `--explain` without a code."""


def _complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes that begin so, for the completion of shells."""
    return [CompletionItem(code) for code in CODES if code.startswith(incomplete)]


@click.command()
@click.argument("contracts", nargs=-1, metavar="CONTRACT...", shell_complete=complete_starter)
@click.option("--strict", is_flag=True, help="Treat warnings as errors; the same as --fail-on warning.")
@fail_on_option
@click.option("--notes", is_flag=True, help="Also show notes: clauses that others imply, the contract's lookahead.")
@click.option("--against", metavar="CONTRACT", help="An earlier version; say which clauses became stronger or weaker.")
@durations_option("report windows longer than every clip")
@timeout_option(QUESTION_SECONDS)
@click.option(
    "--explain",
    "code",
    metavar="[CODE]",
    is_flag=False,
    flag_value=_EVERY_CODE,
    shell_complete=_complete_code,
    help="Explain a diagnostic code and exit; without a code, list all of them.",
)
@full_option
@diagnostics_format_option
def check_command(
    contracts: tuple[str, ...],
    form: str,
    full: bool,
    strict: bool,
    fail_on: str,
    notes: bool,
    against: str | None,
    durations: str | None,
    timeout: float,
    code: str | None,
) -> int:
    """Check contracts and report every fault, not only the first.

    CONTRACT is a file, a folder of files that end in .contract, the name of a starter contract, or - for standard
    input. Beyond faults of the text, it finds
    obligations that never occur, clauses that can never fail or never hold, and windows that the grid rounds. Where a
    trace shows the problem, the trace is printed. Findings go to standard output.

    Exit codes: 0 no errors (with --fail-on warning: no warnings either), 2 errors, 3 no errors, but a question was not
    decided within --timeout.
    """
    if code is not None:
        click.echo(every_code() if code == _EVERY_CODE else explanation(code))
        return Exit.OK
    if not contracts:
        raise click.UsageError("give a contract (a file, the name of a starter contract, or - for standard input)")
    contracts = contract_files(contracts)
    try:
        earlier = named_contract(against) if against else None
    except InvalidInput as error:
        if form == TEXT:
            raise
        print_diagnostics(error.diagnostics, form)
        return Exit.INVALID
    longest = _longest(durations)
    all_findings = Diagnostics()
    for number, name in enumerate(contracts):
        with counted() as update:

            def watch(question: str, done: int = number, name: str = name) -> None:
                update(done, len(contracts), f"{name}: whether {question}")

            findings = _findings(name, earlier, longest, Budget(seconds=timeout), notes=notes, watch=watch)
        all_findings.extend(findings)
        if form == TEXT:
            shown = STANDARD_INPUT_NAME if name == STANDARD_INPUT else name
            say(f"{shown}: {summarise(findings) if len(findings) else 'ok'}", answer=True)
            print_answer(findings, full=full)
    if form != TEXT:
        print_diagnostics(all_findings, form)
    level = Severity.WARNING.value if strict and fail_on == Severity.ERROR.value else fail_on
    if has_failed(level, (one.severity.value for one in all_findings)):
        if form == TEXT and not all_findings.errors:
            by_strict = strict and all_findings.warnings
            kind, cause = ("warnings", "--strict") if by_strict else (f"{level}s", f"--fail-on {level}")
            say(f"{cause} makes {kind} errors")
        return Exit.INVALID
    return Exit.UNKNOWN if any(d.code == "undecided" for d in all_findings) else Exit.OK


def _findings(
    name: str,
    earlier: Contract | None,
    longest: Fraction | None,
    budget: Budget,
    *,
    notes: bool,
    watch: Callable[[str], None],
) -> Diagnostics:
    """All that is found in one contract."""
    diagnostics, contract = _compiled(name)
    if contract is not None:
        diagnostics.extend(check_contract(contract, notes=notes, budget=budget, watch=watch))
        if longest is not None:
            _check_windows(contract, longest, diagnostics)
        if earlier is not None:
            from tracepact.logic.versions import diff_contracts

            diagnostics.extend(diff_contracts(contract, earlier, budget=budget, watch=watch))
    return diagnostics


def _compiled(name: str) -> tuple[Diagnostics, Contract | None]:
    """The findings on a contract's text, and the contract if it compiles."""
    diagnostics = Diagnostics()
    if name == STANDARD_INPUT:
        source = decode_source(sys.stdin.buffer.read(), STANDARD_INPUT_NAME, diagnostics)
    else:
        source = read_source(name, diagnostics)
    return diagnostics, compile_source(source, diagnostics) if source is not None else None


def _longest(durations: str | None) -> Fraction | None:
    """The duration of the longest declared clip."""
    if durations is None:
        return None

    diagnostics = Diagnostics()
    from tracepact.data.memory import durations_from

    known = durations_from(durations, diagnostics)
    diagnostics.raise_errors()
    if known is None or isinstance(known, Fraction):
        return known
    return max(known.clips.values(), default=None)


def _check_windows(contract: Contract, longest: Fraction, diagnostics: Diagnostics) -> None:
    """Warn of a clause whose window is longer than every declared clip."""
    frames = ceil(longest / contract.step)
    for clause in contract.frame_clauses:
        widest = max(longest_window(clause.formula), longest_window(clause.obligation))
        if widest > frames:
            diagnostics.add(
                "window-beyond-trace",
                f"clause `{clause.name}` looks {widest} frames away, but the longest clip has {frames}",
                TextPlace(contract.source, clause.span),
                "its window is cut at the ends of every clip; use a smaller bound",
            )


def every_code() -> str:
    """All codes with their meanings, by severity."""
    width = max(map(len, CODES))
    lines = []
    for severity in Severity:
        lines.append(f"{severity.value}s:")
        lines += [f"  {c.name:<{width}}  {c.meaning}" for c in CODES.values() if c.severity is severity]
    return "\n".join([*lines, "`tracepact check --explain CODE` shows the rules behind a code"])


def explanation(code: str) -> str:
    """What a code means, with the rules it rests on."""
    if code not in CODES:
        hint = did_you_mean(code, CODES)
        listing = "`tracepact check --explain` lists them all"
        raise click.UsageError(f"there is no code `{code}`; " + (f"{hint} {listing}" if hint else listing))
    kind = CODES[code]
    lines = [f"{kind.severity.value}[{code}]: {kind.meaning}"]
    lines += [f"\nrule {rule}: {rules()[rule]}" for rule in kind.rules]
    return "\n".join(lines)


# `tracepact fmt`: write contracts in their canonical form.


@click.command()
@click.argument("contracts", nargs=-1, required=True, metavar="CONTRACT...")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file is not in canonical form.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
def fmt_command(contracts: tuple[str, ...], check: bool, diff: bool) -> int:
    """Format contract files in place, comments kept; of a folder, those that end in .contract below it.

    `-` formats standard input to standard output.
    """
    diagnostics = Diagnostics()
    formatted: list[tuple[Source, str]] = []
    for name in contract_files(contracts):
        starter = "a starter contract belongs to the package: copy it first" if name in starter_contracts() else None
        source = _read(name, diagnostics, starter)
        if source is not None:
            source = source if name == STANDARD_INPUT else replace(source, name=name)
            faults = Diagnostics()
            document = read_document(source, faults)
            diagnostics.extend(faults)
            if not faults.errors:
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


def _read(name: str, diagnostics: Diagnostics, help: str | None) -> Source | None:
    if name == STANDARD_INPUT:
        return decode_source(sys.stdin.buffer.read(), STANDARD_INPUT_NAME, diagnostics)
    return read_file(name, diagnostics, help)


def _difference(source: Source, text: str) -> str:
    """A unified diff from the source to its canonical text."""
    before, after = source.text.splitlines(True), text.splitlines(True)
    lines = difflib.unified_diff(before, after, source.name, f"{source.name} (canonical)")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
