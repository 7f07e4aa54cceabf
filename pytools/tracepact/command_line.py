"""The way into a command line: exit codes, groups loaded when they are called, requests to end, closed streams."""

import errno
import gc
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from enum import IntEnum
from fractions import Fraction
from io import StringIO, TextIOWrapper
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem

from tracepact.diagnostics.collection import InvalidInput
from tracepact.diagnostics.findings import Diagnostic, did_you_mean
from tracepact.inputs import NAMES, UnsafePlace, raise_limit, remembering_inputs, with_limits
from tracepact.show.lines import reader_may_leave, refuse, say
from tracepact.wording import parse_exact

# Exit codes, one meaning each, for every command.


class Exit(IntEnum):
    """What a command's exit code says."""

    OK = 0
    VIOLATED = 1
    INVALID = 2
    UNKNOWN = 3
    FAILURE = 4


# Requests to end that do what Ctrl-C does: what was started ends too, and what is kept is said.


@contextmanager
def ended_as_by_hand() -> Iterator[None]:
    """SIGTERM, and SIGHUP of a closed terminal, raise KeyboardInterrupt; what is ignored (`nohup`) stays ignored."""

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    # Whoever starts a command with `nohup` wants it to survive the terminal.
    heard = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# Groups of commands that are imported when they are called, so that help and small commands start fast.

_LIMIT = "limit"
_DATA = frozenset({"ref", "pred", "pair", "run", "runs", "before"})
"""Parameters of commands that read events or runs, which can be too large."""


def _limit_option(command: click.Command) -> click.Option:
    """The --limit option, which every command has; the help shows it where data can be refused for its size."""
    return click.Option(
        ["--limit"],
        metavar="NAME=NUMBER",
        multiple=True,
        hidden=_DATA.isdisjoint(param.name for param in command.params),
        expose_value=False,
        callback=_raise_limits,
        help=f"Raise the limit of what is taken in one go: {', '.join(NAMES)}; repeatable.",
    )


def _raise_limits(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> None:
    for value in values:
        name, sign, number = value.partition("=")
        if not sign or name not in NAMES:
            raise click.BadParameter(f"`{value}` is not of the form NAME=NUMBER; the limits are {', '.join(NAMES)}")
        try:
            limit = parse_exact(number)
        except ValueError:
            limit = Fraction(0)
        if limit < 1 or limit.denominator != 1:
            raise click.BadParameter(f"`{number}` is not a number of things, such as 1e10")
        raise_limit(name, int(limit))


_HELP, _ALL = {"-h", "--help"}, "--all"


def _with_usual(command: click.Command, usual: Sequence[str], path: str) -> click.Command:
    """A command for its help alone: it shows these options, in this order, and says how many more there are."""
    options = {word: p for p in command.params if isinstance(p, click.Option) and not p.hidden for word in p.opts}
    shown = [options[word] for word in usual]
    rest = [param for param in command.params if param not in shown]
    more = sum(isinstance(param, click.Option) and not param.hidden for param in rest)
    brief = copy(command)
    brief.params = [*(param for param in rest if isinstance(param, click.Argument)), *shown]
    brief.epilog = f"{more} more options: {path} --help --all"
    return brief


class LazyGroup(click.Group):
    """A group that knows its commands' modules and summaries by name and imports one only to run it.

    `usual` names the options that the help of a command with many of them shows, the first that a reader needs first.
    """

    def __init__(
        self,
        *args: Any,
        modules: Mapping[str, str],
        summaries: Mapping[str, str],
        sections: Mapping[str, Sequence[str]] | None = None,
        usual: Mapping[str, Sequence[str]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.modules = modules
        self.summaries = summaries
        self.usual = usual or {}
        self.sections = sections or {"Commands": sorted(modules)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; a usage error that offers the nearest one if there is none."""
        if cmd_name not in self.modules:
            hint = did_you_mean(cmd_name, self.modules)
            raise click.UsageError(f"there is no command `{cmd_name}`" + (f"; {hint}" if hint else ""), ctx)
        command = command_at(self.modules[cmd_name])
        assert isinstance(command, click.Command)
        # Commands are kept by their modules: one that is asked for twice must not get the option twice.
        if not isinstance(command, click.Group) and all(param.name != _LIMIT for param in command.params):
            command.params.append(_limit_option(command))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is called; of many options its help shows the usual ones, and all with `--help --all`."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.usual and command is not None and _HELP & {*rest}:
            if _ALL in rest:
                rest = [word for word in rest if word != _ALL]
            else:
                command = _with_usual(command, self.usual[name], f"{ctx.command_path} {name}")
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names with their summaries, by section; all summaries begin in one column."""
        width = max(map(len, self.modules))
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", self.summaries[name]) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names that begin so, with their summaries; no command is imported for it."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        return [CompletionItem(n, help=self.summaries[n]) for n in sorted(self.modules) if n.startswith(incomplete)]


def command_at(home: str) -> Any:
    """The command of a home such as `tracepact.runs.score_command:command`."""
    module, _, name = home.partition(":")
    return getattr(_loaded(module), name)


def _loaded(module: str) -> ModuleType:
    """A module; while it is loaded nothing is garbage, and what is loaded never becomes any."""
    if module in sys.modules:
        return sys.modules[module]
    # Loading makes very many objects that stay; the collector would go through them again and again, for nothing.
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()


# The way into a command line: every way out is one of the exit codes.


def run_command_line(commands: click.Group, name: str = "tracepact") -> None:
    """Run a group of commands as tracepact runs its own, and exit.

    Input that is not taken is shown as diagnostics (exit code 2), what the operating system refuses as one line (4).

    Args:
        commands: the group.
        name: the program to blame for a fault that is not of the input.

    Raises:
        InvalidInput: never; it is shown.

    Returns:
        Nothing: the process exits.

    Examples:
        >>> import click, sys
        >>> import tracepact
        >>> @click.group()
        ... def tool(): "A tool of your own."
        >>> @tool.command()
        ... def check(): tracepact.load_contract("boundary_gat")
        >>> sys.argv = ["tool", "check"]
        >>> try:
        ...     tracepact.run_command_line(tool, "tool")
        ... except SystemExit as left:
        ...     print(int(left.code))
        2
    """
    _fill_descriptors()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What is read and written means the same under every locale, and every name can be told from every other.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = None
        with reader_may_leave(), remembering_inputs(), with_limits():
            code = commands(standalone_mode=False)
        end: int | Exception | KeyboardInterrupt = code if isinstance(code, int) else Exit.OK
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (the last line of defence)
        end = error
    if not isinstance(end, int):
        with suppress(OSError, ValueError):  # nobody can be told; how it ends is told by the code
            _tell(end, name)
        end = _code(end)
    _let_go()
    sys.exit(end)


class _Screen(StringIO):
    """Text as click writes it on a terminal; elsewhere it leaves signs out, and so names other arguments."""

    def isatty(self) -> bool:
        """It is taken for one."""
        return True


def _code(error: BaseException) -> Exit:
    """The exit code of what ended a command."""
    is_input = isinstance(error, InvalidInput | click.ClickException | UnsafePlace | UnicodeEncodeError)
    return Exit.INVALID if is_input or _is_long_name(error) else Exit.FAILURE


def _is_long_name(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG


def _tell(error: Exception | KeyboardInterrupt, name: str) -> None:
    """Say on standard error what ended a command."""
    match error:
        case InvalidInput():
            refuse(error.diagnostics, error.summary, sys.argv[1] if len(sys.argv) > 1 else "")
        case click.Abort() | KeyboardInterrupt():
            say("stopped")
        case click.ClickException():
            shown = _Screen()
            error.show(shown)  # quotes arguments as they are
            say(shown.getvalue().rstrip("\n"), verbatim=True)
        case UnsafePlace():
            headline = f"`{error.filename or ''}` is not written: {error.strerror}"
            refuse([Diagnostic("unsafe-place", headline, None, "name another place")], "1 error")
        case UnicodeEncodeError():  # from the system, which cannot even be asked for such a name
            refuse([Diagnostic("unreadable-file", f"`{error.object[:60]}` cannot be the name of a file")], "1 error")
        case OSError() if _is_long_name(error):
            headline = f"`{(error.filename or '')[:60]}…` is longer than the name of a file can be"
            refuse([Diagnostic("unreadable-file", headline)], "1 error")
        case OSError() if error.errno == errno.EBADF and not error.filename:
            say("error: standard input or standard output is closed")
        case OSError():
            say(f"error: {error.filename or ''}: {error.strerror or error}".replace(" : ", " "))
        case _:
            say("".join(traceback.format_exception(error)).rstrip("\n"), verbatim=True)
            say(f"this is a fault of {name}, not of your input; please report it")


def _fill_descriptors() -> None:
    """Something in the place of every standard stream that was closed, so that no file that is opened takes its number.

    What reads from or writes to a closed one is refused by the system, as if it were closed still; only messages may
    be lost.
    """
    for number, (stream, mode, flags) in enumerate(
        (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
    ):
        if getattr(sys, stream) is None:
            try:
                os.fstat(number)
            except OSError:
                place = os.open(os.devnull, flags)
                if place != number:
                    os.dup2(place, number)
                    os.close(place)
            setattr(sys, stream, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  (it stays open)


def _let_go() -> None:
    """Drop what could not be written, which Python would try again when it ends, and blame the program for."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
