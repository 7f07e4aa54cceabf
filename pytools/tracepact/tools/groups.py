"""Groups of commands that are imported when they are called, so that help and small commands start fast."""

import gc
import importlib
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem

from tracepact.diagnostics import did_you_mean
from tracepact.limits import NAMES, raise_limit
from tracepact.wording import parse_exact

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
            found = parse_exact(number)
        except ValueError:
            found = Fraction(0)
        if found < 1 or found.denominator != 1:
            raise click.BadParameter(f"`{number}` is not a number of things, such as 1e10")
        raise_limit(name, int(found))


class LazyGroup(click.Group):
    """A group that knows its commands' modules and summaries by name and imports one only to run it."""

    def __init__(
        self,
        *args: Any,
        modules: Mapping[str, str],
        summaries: Mapping[str, str],
        sections: Mapping[str, Sequence[str]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.modules = modules
        self.summaries = summaries
        self.sections = sections or {"Commands": sorted(modules)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; a usage error that offers the nearest one if there is none."""
        if cmd_name not in self.modules:
            hint = did_you_mean(cmd_name, self.modules)
            raise click.UsageError(f"there is no command `{cmd_name}`" + (f"; {hint}" if hint else ""), ctx)
        command = _loaded(self.modules[cmd_name]).command
        assert isinstance(command, click.Command)
        if not isinstance(command, click.Group) and all(param.name != _LIMIT for param in command.params):
            command.params.append(_limit_option(command))
        return command

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


def _loaded(module: str) -> ModuleType:
    """A module; while it is loaded nothing is garbage, and what is loaded never becomes any."""
    if module in sys.modules:
        return sys.modules[module]
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()
