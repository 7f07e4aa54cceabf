"""Lines and diagnostics on standard output and standard error, and readers that leave before the end."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from tracepact.diagnostics import Diagnostic, Severity, render_diagnostics


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Output whose reader may leave before its end (`| head`): the rest of it is dropped, quietly."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # click and rich make the second of the first
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str, style: str | None = None, *, answer: bool = False) -> None:
    """A line on standard error, or on standard output if it is what was asked for, as it stands.

    `style` is a colour, such as `red`, or a bold one, such as `bold red`.
    """
    bold, _, colour = (style or "").rpartition(" ")
    if style and not os.environ.get("NO_COLOR"):
        text = click.style(text, fg=colour, bold=bool(bold))
    with reader_may_leave():
        click.echo(text, err=not answer)


def print_diagnostics(diagnostics: Iterable[Diagnostic], form: str = "text", *, answer: bool = False) -> None:
    """Diagnostics: text goes to standard error, machine formats to standard output.

    Where they are the answer to what was asked, text goes to standard output too, and every one is shown in full.
    """
    found = list(diagnostics)
    text = render_diagnostics(found, form, every=answer)
    if form != "text":
        with reader_may_leave():
            click.echo(text, nl=bool(text))
        return
    styles = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
    for line in text.splitlines():
        style = next((style for severity, style in styles.items() if line.startswith(f"{severity.value}[")), None)
        say(line, style, answer=answer)


def refuse(diagnostics: Iterable[Diagnostic], summary: str, command: str = "") -> None:
    """Diagnostics of input that a command does not take, and how many; warnings alone are the doing of --strict."""
    found = list(diagnostics)
    print_diagnostics(found)
    if all(d.severity is not Severity.ERROR for d in found):
        say("--strict makes these warnings errors")
    say(f"{summary}; nothing was {'scored' if command == 'score' else 'done'}")
