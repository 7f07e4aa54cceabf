"""`tracepact check`: find every fault of contracts, in their text and in their meaning."""

import sys
from collections.abc import Callable
from fractions import Fraction
from math import ceil

import click
from click.shell_completion import CompletionItem

from tracepact import io
from tracepact.core import Contract, longest_window
from tracepact.diagnostics import (
    CODES,
    Diagnostics,
    InvalidInput,
    Severity,
    TextPlace,
    did_you_mean,
    summarise,
)
from tracepact.lang import compile_source, decode_source, read_source
from tracepact.logic import Budget
from tracepact.logic.findings import CHECK_BUDGET, check_contract
from tracepact.show.lines import print_diagnostics, say
from tracepact.show.progress import counted
from tracepact.specs import rules
from tracepact.tools.exits import Exit
from tracepact.tools.parameters import (
    STANDARD_INPUT,
    STANDARD_INPUT_NAME,
    TEXT,
    complete_starter,
    contract_files,
    diagnostics_format_option,
    durations_option,
    fail_on_option,
    named_contract,
    timeout_option,
)

_EVERY_CODE = "*"
"""The value of `--explain` without a code."""


def _complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The codes that begin so, for the completion of shells."""
    return [CompletionItem(code) for code in CODES if code.startswith(incomplete)]


@click.command()
@click.argument("contracts", nargs=-1, metavar="CONTRACT...", shell_complete=complete_starter)
@click.option("--strict", is_flag=True, help="Treat warnings as errors; the same as --fail-on warning.")
@fail_on_option("error", "warning")
@click.option("--notes", is_flag=True, help="Also show notes: clauses that others imply, the contract's lookahead.")
@click.option("--against", metavar="CONTRACT", help="An earlier version; say which clauses became stronger or weaker.")
@durations_option("report windows longer than every clip")
@timeout_option(CHECK_BUDGET.seconds)
@click.option(
    "--explain",
    "code",
    metavar="[CODE]",
    is_flag=False,
    flag_value=_EVERY_CODE,
    shell_complete=_complete_code,
    help="Explain a diagnostic code and exit; without a code, list all of them.",
)
@diagnostics_format_option
def command(
    contracts: tuple[str, ...],
    form: str,
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
    found = Diagnostics()
    for number, given in enumerate(contracts):
        with counted() as update:

            def watch(question: str, done: int = number, given: str = given) -> None:
                update(done, len(contracts), f"{given}: whether {question}")

            own = _findings(given, earlier, longest, Budget(seconds=timeout), notes=notes, watch=watch)
        found.extend(own)
        if form == TEXT:
            shown = STANDARD_INPUT_NAME if given == STANDARD_INPUT else given
            say(f"{shown}: {summarise(own) if len(own) else 'ok'}", answer=True)
            print_diagnostics(own, answer=True)
    if form != TEXT:
        print_diagnostics(found, form)
    if found.errors:
        return Exit.INVALID
    if found.warnings and (strict or fail_on == "warning"):
        if form == TEXT:
            say(f"{'--strict' if strict else '--fail-on warning'} makes warnings errors")
        return Exit.INVALID
    return Exit.UNKNOWN if any(d.code == "undecided" for d in found) else Exit.OK


def _findings(
    given: str,
    earlier: Contract | None,
    longest: Fraction | None,
    budget: Budget,
    *,
    notes: bool,
    watch: Callable[[str], None],
) -> Diagnostics:
    """All that is found in one contract."""
    found, contract = _compiled(given)
    if contract is not None:
        found.extend(check_contract(contract, notes=notes, budget=budget, watch=watch))
        if longest is not None:
            _check_windows(contract, longest, found)
        if earlier is not None:
            from tracepact.logic.diff import diff_contracts

            found.extend(diff_contracts(contract, earlier, budget=budget, watch=watch))
    return found


def _compiled(given: str) -> tuple[Diagnostics, Contract | None]:
    """The findings on a contract's text, and the contract if it compiles."""
    found = Diagnostics()
    if given == STANDARD_INPUT:
        source = decode_source(sys.stdin.buffer.read(), STANDARD_INPUT_NAME, found)
    else:
        source = read_source(given, found)
    return found, compile_source(source, found) if source is not None else None


def _longest(durations: str | None) -> Fraction | None:
    """The duration of the longest declared clip."""
    if durations is None:
        return None

    found = Diagnostics()
    known = io.durations_from(durations, found)  # its readers are loaded here
    found.raise_errors()
    if known is None or isinstance(known, Fraction):
        return known
    return max(known.clips.values(), default=None)


def _check_windows(contract: Contract, longest: Fraction, found: Diagnostics) -> None:
    """Warn of a clause whose window is longer than every declared clip."""
    frames = ceil(longest / contract.step)
    for clause in contract.frame_clauses:
        widest = max(longest_window(clause.formula), longest_window(clause.obligation))
        if widest > frames:
            found.add(
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
