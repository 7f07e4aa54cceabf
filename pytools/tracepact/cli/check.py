"""`tracepact check`: say all that is wrong with contracts, and what they mean."""

import re
from fractions import Fraction
from math import ceil

import click

from tracepact.cli.exits import Exit
from tracepact.cli.sat import timeout_option
from tracepact.cli.screen import print_diagnostics, refuse, say
from tracepact.core import Contract, reach
from tracepact.diagnostics import (
    CODES,
    DIAGNOSTIC_FORMATS,
    Diagnostics,
    InvalidInput,
    TextPlace,
    did_you_mean,
    summarise,
)
from tracepact.io import durations_from
from tracepact.lang import compile_source, load_contract, read_source
from tracepact.logic import Budget
from tracepact.logic.diff import diff_contracts
from tracepact.logic.findings import CHECK_BUDGET, check_contract
from tracepact.specs import spec_path


@click.command()
@click.argument("contracts", nargs=-1, metavar="CONTRACT...")
@click.option("--format", "form", type=click.Choice(sorted(DIAGNOSTIC_FORMATS)), default="terminal", show_default=True)
@click.option("--strict", is_flag=True, help="Treat warnings as errors; the same as --fail-on warning.")
@click.option("--fail-on", type=click.Choice(["error", "warning"]), default="error", show_default=True)
@click.option("--notes", is_flag=True, help="Show notes too: implied clauses, the lookahead of the contract.")
@click.option("--against", metavar="CONTRACT", help="Say what changed in meaning from this version.")
@click.option("--durations", help="The clips' durations (a table, or one time in seconds): warn of longer windows.")
@timeout_option(CHECK_BUDGET.seconds)
@click.option("--explain", "code", metavar="CODE", help="Explain a code and exit.")
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
    """Check contract files (or starter contracts by name) and report every fault, not only the first.

    Beyond the text it says what a contract cannot do: obligations that never occur, clauses that never fail, windows
    that round to something else. Where a trace shows a finding it is drawn.
    """
    if code is not None:
        click.echo(explanation(code))
        return Exit.OK
    if not contracts:
        raise click.UsageError("give a contract, or --explain CODE")
    diagnostics = Diagnostics()
    earlier = load_contract(against) if against else None
    longest = _longest(durations)
    for given in contracts:
        own, contract = _compiled(given)
        if contract is not None:
            budget = Budget(seconds=timeout)
            own.extend(check_contract(contract, notes=notes, budget=budget))
            if longest is not None:
                _check_windows(contract, longest, own)
            if earlier is not None:
                own.extend(diff_contracts(contract, earlier, budget=budget))
        diagnostics.extend(own)
        if form == "terminal":
            say(f"{given}: {summarise(own) if len(own) else 'ok'}")
    return _end(diagnostics, form, strict=strict or fail_on == "warning")


def _end(diagnostics: Diagnostics, form: str, *, strict: bool) -> int:
    """Print, and pick the exit code: faults first, then questions that stayed open."""
    failed = diagnostics.errors or (strict and diagnostics.warnings)
    if failed and form == "terminal":
        refuse(diagnostics)
    else:
        print_diagnostics(diagnostics, form)
    if failed:
        return Exit.INVALID
    return Exit.UNKNOWN if any(d.code == "undecided" for d in diagnostics) else Exit.OK


def _compiled(given: str) -> tuple[Diagnostics, Contract | None]:
    """The findings on a contract's text, and the contract if it compiles."""
    found = Diagnostics()
    try:
        source = read_source(given, found)
    except InvalidInput as error:
        found.extend(error.diagnostics)
        return found, None
    return found, compile_source(source, found) if source is not None else None


def _longest(durations: str | None) -> Fraction | None:
    """The duration of the longest declared clip."""
    if durations is None:
        return None
    found = Diagnostics()
    known = durations_from(durations, found)
    found.raise_errors()
    if known is None or isinstance(known, Fraction):
        return known
    return max(known.clips.values(), default=None)


def _check_windows(contract: Contract, longest: Fraction, found: Diagnostics) -> None:
    """Warn of a clause whose window is longer than every declared clip."""
    frames = ceil(longest / contract.step)
    for clause in contract.frame_clauses:
        widest = max(reach(clause.formula), reach(clause.obligation))
        if widest > frames:
            found.add(
                "window-beyond-trace",
                f"clause `{clause.name}` looks {widest} frames away, and the longest clip has {frames}",
                TextPlace(contract.source, clause.span),
                "its window is cut at the ends of every clip; take a smaller bound",
            )


def explanation(code: str) -> str:
    """What a code means, with the rules it rests on."""
    if code not in CODES:
        raise click.UsageError(f"there is no code `{code}`; {did_you_mean(code, CODES) or 'see the codes of check'}")
    kind = CODES[code]
    lines = [f"{kind.severity.value}[{code}]: {kind.meaning}"]
    language = spec_path("language.md").read_text(encoding="utf-8")
    for rule in kind.rules:
        found = re.search(rf"^- \*\*{re.escape(rule)}\*\* (.+?)(?=^- \*\*|^## |\Z)", language, re.MULTILINE | re.DOTALL)
        if found:
            lines.append(f"\nrule {rule}: {' '.join(found[1].split())}")
    return "\n".join(lines)
