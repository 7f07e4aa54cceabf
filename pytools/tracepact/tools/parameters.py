"""The parameters of the command line: exact shares and times, contracts with `--set`, formats."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from tracepact.core import Aggregation, Contract
from tracepact.diagnostics import DIAGNOSTIC_FORMATS, Diagnostics, InvalidInput
from tracepact.lang import compile_source, decode_source, load_contract
from tracepact.lang.reader import read_time
from tracepact.lang.scope import missing_unit
from tracepact.specs import starter_contracts
from tracepact.wording import parse_exact, print_number

TEXT = "text"
CONTRACT_ENDING = ".contract"
STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "<stdin>"
"""What messages call a contract that is read from standard input."""
_JSON = "tracepact.json"
LONGEST_WAIT = 10**7
"""Seconds: no question may take longer, which is some months, and the clocks of systems still count them."""
_EARLIER = {"terminal": TEXT}
"""Earlier names of formats, which are still taken."""


class Share(click.ParamType):  # type: ignore[type-arg]  # generic in some releases of click only
    """A number from 0 to 1, exact."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """The number a text denotes."""
        try:
            share = parse_exact(str(value))
        except ValueError:
            self.fail(f"`{value}` is not a number such as 0.5", param, ctx)
        if not 0 <= share <= 1:
            percent = f"; for {value} % write {print_number(share / 100)}" if 1 < share <= 100 else ""
            self.fail(f"{value} lies outside 0 to 1{percent}", param, ctx)
        return share


class Length(click.ParamType):  # type: ignore[type-arg]  # as above
    """A time greater than zero, with its unit; a small number without one is in seconds."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read it exactly; 10 and more without a unit is refused, for it is most likely meant in milliseconds."""
        if isinstance(value, Fraction):
            return value
        length, unit = self.read(value, param, ctx)
        if not length:
            self.fail(f"`{value}` is not a length; it must be greater than zero", param, ctx)
        text = str(value).strip()
        if way := missing_unit(text, length, unit):
            self.fail(f"`{text}` has no unit; {way}", param, ctx)
        return length

    def read(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Fraction, str]:
        """The time a text denotes, and the unit it is written with."""
        found = read_time(str(value))
        if found is None and read_time(str(value), Fraction(1)):
            self.fail(f"`{value}`: frames are not accepted here; write a time such as 40ms", param, ctx)
        if found is None:
            self.fail(f"`{value}` is not a time, such as 200ms or 1.5s", param, ctx)
        return found


class Seconds(Length):
    """A time of zero or more for an option that says that it is in seconds: any number may do without its unit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read it exactly."""
        return value if isinstance(value, Fraction) else self.read(value, param, ctx)[0]


class LowHigh(click.ParamType):  # type: ignore[type-arg]  # as above
    """`low,high`, two numbers from 0 to 1 in order."""

    name = "LOW,HIGH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Fraction, Fraction]:
        """Split at the comma."""
        low, comma, high = str(value).partition(",")
        if not comma:
            self.fail(f"`{value}` is not of the form low,high, such as 0.3,0.6", param, ctx)
        found = Share().convert(low.strip(), param, ctx), Share().convert(high.strip(), param, ctx)
        if found[0] > found[1]:
            self.fail(f"the low threshold {low.strip()} is greater than the high one {high.strip()}", param, ctx)
        return found


class OddLength(click.ParamType):  # type: ignore[type-arg]  # as above
    """The length of a median filter: an odd number of frames."""

    name = "FRAMES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A whole number that has a middle."""
        text = str(value).strip()
        if not text.isdecimal() or len(text) > 6 or int(text) < 1:
            self.fail(f"`{value}` is not a number of frames", param, ctx)
        if int(text) % 2 == 0:
            self.fail(f"{text} is even and has no middle frame; take {int(text) - 1} or {int(text) + 1}", param, ctx)
        return int(text)


class Assignment(click.ParamType):  # type: ignore[type-arg]  # as above
    """`name=value`, such as the example."""

    name = "NAME=VALUE"

    def __init__(self, example: str) -> None:
        self.example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Split at the first equals sign."""
        name, sign, text = str(value).partition("=")
        if not sign or not name.strip() or not text.strip():
            self.fail(f"`{value}` is not of the form name=value, such as {self.example}", param, ctx)
        return name.strip(), text.strip()


class _Format(click.Choice):  # type: ignore[type-arg]  # generic in some releases of click only
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_EARLIER.get(value, value), param, ctx)


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def complete_starter(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The starter contracts whose names begin so, and files, for the completion of shells."""
    names = [CompletionItem(name) for name in starter_contracts() if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


def complete_parameter(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The parameters of the contract that was given before, as `name=`."""
    contract = _contract_before(ctx)
    known = () if contract is None else contract.parameters
    return [CompletionItem(f"{p.name}=", help=p.text) for p in known if f"{p.name}=".startswith(incomplete)]


def complete_clause(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The clauses of the contract that was given before, after an aggregation and a dot if the word has them."""
    contract = _contract_before(ctx)
    known = () if contract is None else contract.clauses
    before, dot, _ = incomplete.rpartition(".")
    if dot and before not in [aggregation.value for aggregation in Aggregation]:
        return []
    names = [f"{before}{dot}{clause.name}" for clause in known]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def complete_profile(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The profiles of the contract that was given before."""
    contract = _contract_before(ctx)
    known = () if contract is None else contract.profiles
    return [CompletionItem(profile.name) for profile in known if profile.name.startswith(incomplete)]


def _contract_before(ctx: click.Context) -> Contract | None:
    """The contract that a half-written line names, if it can be read.

    Where the line ends in an option without its value, click has not yet told the arguments apart.
    """
    given = ctx.params.get("contract") or next(iter(ctx.args), None)
    try:
        return load_contract(given) if given else None
    except InvalidInput:
        return None


def contract_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """The CONTRACT argument: a file, the name of a starter contract, or - for standard input."""
    return click.argument("contract", shell_complete=complete_starter)(function)


def contract_files(given: Sequence[str]) -> tuple[str, ...]:
    """Contracts to check, with the contract files below a folder in place of the folder.

    The name of a starter contract is no folder. A usage error for a folder that has none.
    """
    found: list[str] = []
    for name in given:
        folder = Path(name)
        if not folder.is_dir() or name in starter_contracts():
            found.append(name)
            continue
        files = sorted(str(path) for path in folder.rglob(f"*{CONTRACT_ENDING}") if path.is_file())
        if not files:
            raise click.UsageError(f"there is no file that ends in {CONTRACT_ENDING} below `{name}`")
        found += files
    return tuple(found)


def with_options(options: Sequence[Decorator], function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with these options, in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def set_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --set option."""
    return click.option(
        "--set",
        "overrides",
        type=Assignment("tol=80ms"),
        multiple=True,
        shell_complete=complete_parameter,
        help="Give a parameter another value: --set tol=80ms.",
    )(function)


def durations_option(use: str = "") -> Decorator:
    """The --durations option; `use` says what the command needs them for."""
    form = "A table (filename, duration), or one duration in seconds for all clips"
    return click.option("--durations", help=f"{form}{f': {use}' if use else ''}.")


def fail_on_option(*levels: str) -> Decorator:
    """The --fail-on option; the first level is the default."""
    return click.option(
        "--fail-on",
        type=click.Choice(levels),
        default=levels[0],
        show_default=True,
        help="Exit with 2 if there is a finding at least this severe.",
    )


def timeout_option(
    seconds: float,
    *,
    at_least: float = 0,
    at_most: float | None = None,
    help: str = "Seconds allowed for each question; after that its answer is unknown.",
) -> Decorator:
    """The --timeout option: how long one question, or one answer, may take."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=at_least, max=min(at_most or LONGEST_WAIT, LONGEST_WAIT)),
        callback=_not_nan,
        default=seconds,
        show_default=True,
        help=help,
    )


def _not_nan(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """The value, which is not nan: that one is in every range."""
    if math.isnan(value):
        raise click.BadParameter("nan is not a number of seconds")
    return value


def format_option(*formats: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option --format with these formats, the first by default; the command takes it as `form`.

    Where `json` is one of them, `--json` means the same and is not listed in the help.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if "json" in formats:
            function = click.option(
                "--json", is_flag=True, hidden=True, is_eager=True, expose_value=False, callback=_note_json
            )(function)
        return click.option(
            "--format",
            "form",
            type=_Format(formats),
            default=formats[0],
            show_default=True,
            callback=_chosen,
            help="Format of the standard output.",
        )(function)

    return decorate


def _note_json(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.meta[_JSON] = value


def _chosen(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """The format that is asked for by either option."""
    if not ctx.meta.get(_JSON) or value == "json":
        return value
    if ctx.get_parameter_source("form") is not ParameterSource.DEFAULT:
        raise click.UsageError(f"--json contradicts --format {value}; leave one of them out", ctx)
    return "json"


def diagnostics_format_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --format option of a command whose results are diagnostics."""
    more = sorted(DIAGNOSTIC_FORMATS.keys() - {TEXT, "json"})
    return format_option(TEXT, "json", *more)(function)


def named_contract(contract: str, overrides: Mapping[str, str] | None = None) -> Contract:
    """A contract by its file or the name of a starter, or that on standard input; InvalidInput as `load_contract`."""
    if contract != STANDARD_INPUT:
        return load_contract(contract, overrides)
    diagnostics = Diagnostics()
    source = decode_source(sys.stdin.buffer.read(), STANDARD_INPUT_NAME, diagnostics)
    found = compile_source(source, diagnostics, overrides) if source is not None else None
    if found is None:
        raise InvalidInput(diagnostics)
    return found


def given_contract(contract: str, overrides: Sequence[tuple[str, str]]) -> Contract:
    """A contract with the values that `--set` gives; InvalidInput as `load_contract`."""
    return named_contract(contract, dict(overrides))
