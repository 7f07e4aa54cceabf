"""The --format option: what a command prints on standard output, the same for every command that has it."""

from collections.abc import Callable
from typing import Any

import click
from click.core import ParameterSource

_JSON = "tracepact.json"


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
            type=click.Choice(formats),
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
