"""Groups of commands that are imported when they are called, so that help and small commands start fast."""

import importlib
from collections.abc import Mapping
from typing import Any

import click

from tracepact.diagnostics import did_you_mean


class LazyGroup(click.Group):
    """A group that knows its commands' modules and summaries by name and imports one only to run it."""

    def __init__(self, *args: Any, modules: Mapping[str, str], summaries: Mapping[str, str], **more: Any) -> None:
        super().__init__(*args, **more)
        self.modules = modules
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; a usage error that offers the nearest one if there is none."""
        if cmd_name not in self.modules:
            hint = did_you_mean(cmd_name, self.modules)
            raise click.UsageError(f"there is no command `{cmd_name}`" + (f"; {hint}" if hint else ""), ctx)
        command = importlib.import_module(self.modules[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The names with their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.summaries[name]) for name in self.list_commands(ctx)])
