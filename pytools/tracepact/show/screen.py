"""What commands share: consoles, diagnostics on standard error, progress, contracts named by file or by name."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console, RenderableType

from tracepact.diagnostics import Diagnostic, Severity, render_diagnostics

_NARROWEST = 132


def output() -> Console:
    """Standard output; wide enough for tables when it is not a terminal."""
    console = Console(highlight=False, emoji=False)
    if console.is_terminal:
        return console
    return Console(highlight=False, emoji=False, width=max(console.width, _NARROWEST))


def print_tables(shown: RenderableType) -> None:
    """Tables on standard output: as wide as a terminal is, else so wide that no number and no name is cut."""
    from tracepact.show.width import needed_width

    console = output()
    if not console.is_terminal:
        console.width = needed_width(shown, console)
    console.print(shown)


def messages() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, emoji=False)


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
    """A line on standard error, or on standard output if it is what was asked for, as it stands."""
    with reader_may_leave():
        (output() if answer else messages()).print(text, style=style, markup=False, soft_wrap=True)


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """A bar on standard error for work of so many steps, quiet when nobody watches.

    The function it gives is called with what comes next, at the start of each step.
    """
    with counted() as update:
        done = iter(range(steps + 1))
        yield lambda what: update(next(done, steps), steps, what)


@contextmanager
def counted() -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error that is told how many steps are done, of how many, and what is going on."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = messages()
    if not console.is_terminal:
        yield lambda done, total, what: None
        return
    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


def print_diagnostics(diagnostics: Iterable[Diagnostic], form: str = "terminal", *, answer: bool = False) -> None:
    """Diagnostics: text goes to standard error, machine formats to standard output.

    Where they are the answer to what was asked, text goes to standard output too, and every one is shown in full.
    """
    found = list(diagnostics)
    text = render_diagnostics(found, form, every=answer)
    if form != "terminal":
        with reader_may_leave():
            click.echo(text, nl=bool(text))
        return
    styles = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
    for line in text.splitlines():
        style = next((style for severity, style in styles.items() if line.startswith(f"{severity.value}[")), None)
        say(line, style, answer=answer)


def refuse(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics of input that is not taken; warnings alone are the doing of --strict."""
    found = list(diagnostics)
    print_diagnostics(found)
    if all(d.severity is not Severity.ERROR for d in found):
        say("--strict makes these warnings errors")


class Overrides(click.ParamType):  # type: ignore[type-arg]  # generic in some releases of click only
    """`name=value`, as --set takes it."""

    name = "NAME=VALUE"
    example = "tol=80ms"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Split a setting at its first equals sign."""
        name, sign, text = str(value).partition("=")
        if not sign or not name.strip() or not text.strip():
            self.fail(f"`{value}` is not of the form name=value, such as {self.example}", param, ctx)
        return name.strip(), text.strip()


def set_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """The --set option."""
    return click.option(
        "--set", "overrides", type=Overrides(), multiple=True, help="Give a parameter another value: --set tol=80ms."
    )(function)
