"""The command reference: every command and option of both programs with its help, read from click."""

import inspect
import re
from collections.abc import Iterator

import click

from tracelab.commands import commands as lab
from tracepact import cli
from tracepact.command_line import LazyGroup

PROGRAM, LAB = "tracepact", "tracelab"


def names() -> list[str]:
    """The pages, the table of commands first."""
    return ["commands/index.md", *(f"commands/{name}.md" for name in _commands(cli._group)), f"commands/{LAB}.md"]


def pages() -> dict[str, str]:
    """The text of each page."""
    root = click.Context(cli._group, info_name=PROGRAM)
    made = {"commands/index.md": _index(root), f"commands/{LAB}.md": "\n".join(_described(lab, None, LAB, 1))}
    for name, command in _commands(cli._group).items():
        made[f"commands/{name}.md"] = "\n".join(_described(command, root, name, 1))
    return made


def _commands(group: click.Group) -> dict[str, click.Command]:
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def _index(root: click.Context) -> str:
    group = cli._group
    assert isinstance(group, LazyGroup)
    rows = [f"| [`{name}`]({name}.md) | {_escaped(group.summaries[name])} |" for name in group.list_commands(root)]
    head = ["# Commands", "", _prose(group.help), "", "| command | what it does |", "|---|---|"]
    return "\n".join([*head, *rows, "", *_options(group, root), ""])


def _described(command: click.Command, parent: click.Context | None, name: str, level: int) -> Iterator[str]:
    """A command and the commands below it."""
    context = click.Context(command, parent=parent, info_name=name)
    yield f"{'#' * level} {context.command_path}\n"
    yield f"{_prose(command.help)}\n"
    yield f"    {context.command_path} {' '.join(command.collect_usage_pieces(context))}\n"
    yield from _options(command, context)
    if isinstance(command, click.Group):
        for part, inner in _commands(command).items():
            yield ""
            yield from _described(inner, context, part, level + 1)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """What the command's own help lists, as definitions."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield f"`{record[0]}`\n:   {_escaped(record[1])}\n"


def _prose(help: str | None) -> str:
    """Help as Markdown: its paragraphs; one that click is told to leave as it stands is set as code."""
    paragraphs = inspect.cleandoc(help or "").split("\n\n")
    return "\n\n".join(
        "\n".join(f"    {line}" for line in text.splitlines()[1:]) if text.startswith("\b") else _escaped(text)
        for text in paragraphs
    )


def _escaped(text: str) -> str:
    """Text with its signs kept as they are, and with what stands in backticks as code."""
    return re.sub(r"`[^`]+`|[<*_]", lambda found: found[0] if found[0][0] == "`" else f"&#{ord(found[0])};", text)
