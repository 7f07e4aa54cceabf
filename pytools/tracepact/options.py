"""The options that commands share: exact shares and times, contracts with `--set`, formats, draws of clips."""

import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from tracepact.declarations import CONTRACT_ENDING, starter_contracts
from tracepact.diagnostics.collection import DIAGNOSTIC_FORMATS, Diagnostics, InvalidInput
from tracepact.diagnostics.findings import Severity
from tracepact.language.compilation import compile_source, decode_source, load_contract
from tracepact.language.contract import Aggregation, Contract
from tracepact.language.reader import read_time
from tracepact.language.scope import missing_unit
from tracepact.show.lines import say
from tracepact.wording import is_whole, parse_exact, parse_whole, print_number

# The parameters of the command line: exact shares and times, contracts with `--set`, formats.

TEXT = "text"
STANDARD_INPUT = "-"
STANDARD_INPUT_NAME = "<stdin>"
"""What messages call a contract that is read from standard input."""
_JSON = "tracepact.json"
LONGEST_WAIT = 10**7
"""Seconds: no question may take longer, which is some months, and the clocks of systems still count them."""
LONGEST_WAIT_FOR_PROCESS = 86_400
SHORTEST_WAIT_FOR_PROCESS = 0.01
"""Seconds: no process answers in no time at all, and none is worth a wait of more than a day."""
_FAILING = tuple(severity.value for severity in Severity)
_NEVER = "never"
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
    """A time greater than zero, or zero where that is a length too; a small number without a unit is in seconds."""

    name = "TIME"

    def __init__(self, *, zero: bool = False) -> None:
        self.zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read it exactly; 10 and more without a unit is refused, for it is most likely meant in milliseconds."""
        if isinstance(value, Fraction):
            return value
        length, unit = self.read(value, param, ctx)
        if not length and not self.zero:
            self.fail(f"`{value}` is not a length; it must be greater than zero", param, ctx)
        text = str(value).strip()
        # `--collar 200` would be 200 s: what is most likely meant in milliseconds is asked for, not guessed.
        if way := missing_unit(text, length, unit):
            self.fail(f"`{text}` has no unit; {way}", param, ctx)
        return length

    def read(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Fraction, str]:
        """The time a text denotes, and the unit it is written with."""
        time = read_time(str(value))
        if time is None and read_time(str(value), Fraction(1)):
            self.fail(f"`{value}`: frames are not accepted here; write a time such as 40ms", param, ctx)
        if time is None:
            self.fail(f"`{value}` is not a time, such as 200ms or 1.5s", param, ctx)
        return time


class Seconds(Length):
    """A time of zero or more for an option that says that it is in seconds: any number may do without its unit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read it exactly."""
        return value if isinstance(value, Fraction) else self.read(value, param, ctx)[0]


class WholeNumber(click.IntRange):
    """A whole number of a range, in digits and nothing else (rule 13.40)."""

    def _describe_range(self) -> str:
        """The range as help shows it; nothing where every whole number will do."""
        return "" if self.min is self.max is None else super()._describe_range()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read it, and hold it to the range."""
        try:
            number = value if isinstance(value, int) else parse_whole(str(value).strip())
        except ValueError:
            self.fail(f"`{str(value)[:60]}` is not a whole number of at most 60 digits", param, ctx)
        return super().convert(number, param, ctx)


class _Wait(click.FloatRange):
    """A number of seconds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read it, and hold it to the range."""
        try:
            number = value if isinstance(value, int | float) else parse_exact(str(value))
        except ValueError:
            self.fail(f"`{str(value)[:60]}` is not a number of seconds", param, ctx)
        return super().convert(float(min(number, LONGEST_WAIT + 1)), param, ctx)


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
        ends = Share().convert(low.strip(), param, ctx), Share().convert(high.strip(), param, ctx)
        if ends[0] > ends[1]:
            self.fail(f"the low threshold {low.strip()} is greater than the high one {high.strip()}", param, ctx)
        return ends


class OddLength(click.ParamType):  # type: ignore[type-arg]  # as above
    """The length of a median filter: an odd number of frames."""

    name = "FRAMES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A whole number that has a middle."""
        text = str(value).strip()
        # Longer digits are refused before they are read: a filter of a million frames would be hours long.
        number = int(text) if is_whole(text) and len(text) <= 6 else 0
        if number < 1:
            self.fail(f"`{value}` is not a number of frames", param, ctx)
        if number % 2 == 0:
            self.fail(f"{text} is even and has no middle frame; take {number - 1} or {number + 1}", param, ctx)
        return number


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
    name = ctx.params.get("contract") or next(iter(ctx.args), None)
    try:
        return load_contract(name) if name else None
    except InvalidInput:
        return None


def contract_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """The CONTRACT argument: a file, the name of a starter contract, or - for standard input."""
    return click.argument("contract", shell_complete=complete_starter)(function)


def contract_files(names: Sequence[str]) -> tuple[str, ...]:
    """Contracts to check, with the contract files below a folder in place of the folder.

    The name of a starter contract is no folder. A usage error for a folder that has none.
    """
    contracts: list[str] = []
    for name in names:
        folder = Path(name)
        if not folder.is_dir() or name in starter_contracts():
            contracts.append(name)
            continue
        files = sorted(str(path) for path in folder.rglob(f"*{CONTRACT_ENDING}") if path.is_file())
        if not files:
            raise click.UsageError(f"there is no file that ends in {CONTRACT_ENDING} below `{name}`")
        contracts += files
    return tuple(contracts)


class _EarlierName(click.Option):
    """The earlier name of an option: hidden, and what is given under it counts as given under the present one."""

    def __init__(self, declarations: Sequence[str], *, present: str, **more: Any) -> None:
        super().__init__(declarations, hidden=True, is_eager=True, expose_value=False, **more)
        self.present = present

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Hand the value on before the option itself is read, which being eager makes sure of."""
        assert isinstance(opts, MutableMapping)
        if self.name in opts:
            option = next(param for param in ctx.command.params if self.present in param.opts)
            value = opts.pop(self.name)
            say(f"{self.opts[0]} is called {self.present} now; the old name goes with the next version")
            if option.multiple:
                value = [*opts.get(option.name, ()), *value]
            elif option.name in opts:
                raise click.UsageError(f"{self.opts[0]} is the old name of {self.present}: give one of them", ctx)
            opts[option.name] = value
        return super().handle_parse_result(ctx, opts, args)


def earlier_name(earlier: str, present: str) -> Decorator:
    """Take an option, which is declared below this, under its earlier name too: hidden, with a line that says so."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        options: list[click.Parameter] = getattr(function, "__click_params__")  # noqa: B009  (click's, undeclared)
        option = next(one for one in options if isinstance(one, click.Option) and present in one.opts)
        return click.option(
            earlier,
            f"earlier_{option.name}",
            cls=_EarlierName,
            present=present,
            multiple=option.multiple,
            is_flag=option.is_flag,
        )(function)

    return decorate


def with_options(options: Sequence[Decorator], function: Callable[..., Any]) -> Callable[..., Any]:
    """A command with these options, in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def with_default(name: str, kind: Any, default: Any, help: str) -> Decorator:
    """An option whose default value the help shows."""
    return click.option(name, type=kind, default=default, show_default=True, help=help)


def choice_of(words: type[Enum]) -> Any:
    """The values of an enumeration, one of which an option takes."""
    return click.Choice([one.value for one in words])


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
    form = "A table (filename, duration), or one duration for all clips: 10, in seconds, or 10s"
    return click.option("--durations", help=f"{form}{f': {use}' if use else ''}.")


def full_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --full option; without it a command that prints text answers on one screen."""
    function = click.option("--brief", is_flag=True, hidden=True, expose_value=False)(function)
    return click.option("--full", is_flag=True, help="Show everything there is, and every warning.")(function)


def aggregation_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option --aggregation; None stands for the contract's own."""
    return click.option(
        "--aggregation",
        type=click.Choice([a.value for a in Aggregation]),
        callback=lambda ctx, param, value: None if value is None else Aggregation(value),
        help="Aggregation over clips and classes (default: the contract's own).",
    )(function)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of scoring in batches."""
    return with_options(
        (
            click.option(
                "--engine",
                metavar="ENGINE",
                help="Score in batches of clips: local, processes, processes:N, dask or dask:N (a cluster started "
                "here), or dask:tcp://HOST:PORT (a scheduler that is there). The result is that without it.",
            ),
            click.option(
                "--memory",
                metavar="SIZE",
                help="The memory that the data of all batches at work may take together, at least 64MB, such as 2GB "
                "(the default).",
            ),
        ),
        function,
    )


def strict_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --strict option."""
    return click.option("--strict", is_flag=True, help="Treat warnings as errors.")(function)


def fail_on_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --fail-on option."""
    return click.option(
        "--fail-on",
        type=click.Choice((*_FAILING, _NEVER)),
        default=Severity.ERROR.value,
        show_default=True,
        help="Exit with 2 if there is a finding at least this severe.",
    )(function)


def has_failed(fail_on: str, severities: Iterable[str]) -> bool:
    """Whether any finding is at least as severe as --fail-on says."""
    failing = () if fail_on == _NEVER else _FAILING[: _FAILING.index(fail_on) + 1]
    return not set(failing).isdisjoint(severities)


def timeout_option(seconds: float) -> Decorator:
    """The --timeout option: how long one question to the solver may take."""
    return click.option(
        "--timeout",
        type=_Wait(min=0, max=LONGEST_WAIT),
        default=seconds,
        show_default=True,
        help="Seconds of wall time allowed for each question; after that its answer is unknown.",
    )


def wait_option(seconds: float, help: str) -> Decorator:
    """The --wait option: how long an answer of another program is waited for."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        wait = click.option(
            "--wait",
            "timeout",
            type=_Wait(min=SHORTEST_WAIT_FOR_PROCESS, max=LONGEST_WAIT_FOR_PROCESS),
            default=seconds,
            show_default=True,
            help=help,
        )
        return earlier_name("--timeout", "--wait")(wait(function))

    return decorate


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
    # The callback of --json runs first, since it is eager; what it noted is settled here.
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
    compiled = compile_source(source, diagnostics, overrides) if source is not None else None
    if compiled is None:
        raise InvalidInput(diagnostics)
    return compiled


def given_contract(contract: str, overrides: Sequence[tuple[str, str]]) -> Contract:
    """A contract with the values that `--set` gives; InvalidInput as `load_contract`."""
    return named_contract(contract, dict(overrides))
