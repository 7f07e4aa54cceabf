"""Lines and diagnostics on standard output and standard error, progress bars, and readers that leave before the end."""

import os
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate, takewhile
from pathlib import PurePath
from typing import TextIO

import click

from tracepact.diagnostics.collection import render_diagnostics
from tracepact.diagnostics.findings import DOUBTS, Diagnostic, RowPlace, Severity, TextPlace
from tracepact.wording import visible

# Lines and diagnostics on standard output and standard error, and readers that leave before the end.

_FEW = 4
"""So many warnings beside an answer are shown as they are."""
_FILES = 3
_SCREEN = 34
"""Of the 40 lines of a screen: others are for the prompt, the headline of a contract, and lines that go on below."""
_USUAL = 80
"""The columns of a terminal that does not tell."""
# Patterns are compiled when they are first used: a command that has nothing to break or draw starts sooner.
_ENTRY = r"\s*(?:= help: |\S+\s{2,})?"
"""What stands before the text of an entry: an indent, a mark, the term of a list."""
_QUOTED_LINE = r"\s*\d* \|"
"""A line of the input, or of a picture, as a diagnostic quotes it."""

_HEAD = r"(?: *\| )?frame \d+ of \d+\b"
_ROW = r"(?: *\| )?\w+ {2,}(?=[█·…])"
_CELL = re.compile(r" ?…[^…]*… ?|.")
"""The parts of a picture: its first line, the name of a row, a frame or what is said of frames that are left out."""


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


def say(text: str, style: str | None = None, *, answer: bool = False, verbatim: bool = False) -> None:
    """Lines on standard error, or on standard output if they are what was asked for.

    In a terminal, a line that is too long goes on below unless it is `verbatim`, such as a quoted one. `style` is a
    colour, such as `red`, or a bold one, such as `bold red`.
    """
    text = visible(text)
    text = text if verbatim else fitted(text, sys.stdout if answer else sys.stderr)
    bold, _, colour = (style or "").rpartition(" ")
    if style and not os.environ.get("NO_COLOR"):
        text = click.style(text, fg=colour, bold=bool(bold))
    with reader_may_leave():
        click.echo(text, err=not answer)


def give(text: str) -> None:
    """Text of a file on standard output, as it is; a terminal is shown signs that act on it as escapes."""
    with reader_may_leave():
        click.echo(visible(text) if sys.stdout.isatty() else text, nl=False)


def fitted(text: str, stream: TextIO) -> str:
    """The lines as a terminal has room for them: what is too long goes on below, under the text of a list's entry.

    Where the stream is no terminal the text stays as it is. A word that is longer than a line is not broken.
    """
    width = terminal_width(stream)
    return text if width is None else "\n".join(_folded(line, width) for line in text.split("\n"))


def terminal_width(stream: TextIO) -> int | None:
    """The columns of a terminal; None where the stream is none."""
    return (os.get_terminal_size(stream.fileno()).columns or _USUAL) if stream.isatty() else None


def _folded(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    indent = min(len(re.match(_ENTRY, line)[0]), width // 2)  # type: ignore[index]  # it matches the empty text
    rest = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False, drop_whitespace=True)
    rest.subsequent_indent = " " * indent
    return rest.fill(line)


def parted(text: str, width: int | None) -> str:
    """Pictures of traces as a terminal has room for them: what is too wide goes on below, with the names again.

    Where there is no terminal, and so no width, the text stays as it is.
    """
    if width is None:
        return text
    shown: list[str] = []
    lines = text.split("\n")
    while lines:
        is_picture = re.match(_HEAD, lines[0]) is not None
        rows = list(takewhile(re.compile(_ROW).match, lines[1:])) if is_picture else []
        block, lines = lines[: len(rows) + 1], lines[len(rows) + 1 :]
        shown += _parts(block, width) if rows and max(map(len, block)) > width else block
    return "\n".join(shown)


def _parts(block: list[str], width: int) -> Iterator[str]:
    """A picture in parts of the width; cells and what is said in their place are not cut."""
    # Cells of all rows begin in one column, behind the longest name.
    start = min(len(re.match(_ROW, line)[0]) for line in block[1:])  # type: ignore[index]  # every row matches
    cells = max((line[start:] for line in block[1:]), key=len)
    low = 0
    while low < len(cells):
        high = low
        for cell in _CELL.finditer(cells, low):
            if high > low and start + cell.end() - low > width:
                break
            high = cell.end()
        if low:
            yield block[0][: len(block[0]) - len(block[0].lstrip(" |"))].rstrip()
        yield from ((line[:start].ljust(start) + line[start + low : start + high]).rstrip() for line in block)
        low = high


def print_diagnostics(diagnostics: Iterable[Diagnostic], form: str = "text", *, answer: bool = False) -> None:
    """Diagnostics: text goes to standard error, machine formats to standard output.

    Where they are the answer to what was asked, text goes to standard output too, and every one is shown in full.
    """
    shown = list(diagnostics)
    text = render_diagnostics(shown, form, every=answer)
    if form != "text":
        with reader_may_leave():
            click.echo(text, nl=bool(text))
        return
    text = parted(text, terminal_width(sys.stdout if answer else sys.stderr))
    styles = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
    for line in text.splitlines():
        style = next((style for severity, style in styles.items() if line.startswith(f"{severity.value}[")), None)
        say(line, style, answer=answer, verbatim=bool(re.match(_QUOTED_LINE, line)))


def print_answer(diagnostics: Iterable[Diagnostic], *, full: bool) -> None:
    """Diagnostics that were asked for: where one screen has no room for all of them, the later ones in a line each."""
    shown = list(diagnostics)
    text = render_diagnostics(shown, every=True)
    if full or text.count("\n") < _SCREEN:
        print_diagnostics(shown, answer=True)
        return
    shown.sort(key=lambda one: [*Severity].index(one.severity))
    heights = accumulate(render_diagnostics([one], every=True).count("\n") + 1 for one in shown)
    # A line for each that does not fit is part of the screen, as is the last, which says where the rest is.
    room = [height + len(shown) - k <= _SCREEN for k, height in enumerate(heights, 1)]
    whole = max(room.index(False), 1)
    print_diagnostics(shown[:whole], answer=True)
    for one in shown[whole:]:
        place = one.place
        at = f"{place.source.position(place.span.start)[0]}: " if isinstance(place, TextPlace) else ""
        say(f"{at}{one.severity.value}[{one.code}]: {one.headline}", answer=True)
    say("--full shows the place of each, a trace and a way out", answer=True)


def print_findings(diagnostics: Iterable[Diagnostic], *, full: bool, more: int = 0) -> None:
    """Warnings beside an answer: all of them if they are few or wanted, else a line that counts them by code and file.

    Of those that may make the answer worthless the first of each code is said all the same.

    `more` are of these codes, and are said elsewhere.
    """
    shown = list(diagnostics)
    if full or sum(one.number for one in shown) + more <= _FEW:
        print_diagnostics(shown)
        return
    counts: Counter[str] = Counter()
    for one in shown:
        counts[one.code] += one.number
    # A label of one side may be meant; one that is nearly a label of the other side is most likely a slip.
    doubts = {one.code: one for one in reversed(shown) if one.code in DOUBTS and one.help}
    print_diagnostics(list(reversed(doubts.values())))
    files = dict.fromkeys(PurePath(one.place.file).name for one in shown if isinstance(one.place, RowPlace))
    named = ", ".join([*files][:_FILES]) + (", …" if len(files) > _FILES else "")
    numbers = ", ".join(f"{times:,} {code}" for code, times in counts.most_common())
    say(f"warnings: {numbers}{f' (in {named})' if files else ''}; --full lists them", "yellow")


def refuse(diagnostics: Iterable[Diagnostic], summary: str, command: str = "") -> None:
    """Diagnostics of input that a command does not take, and how many; warnings alone are the doing of --strict."""
    shown = list(diagnostics)
    print_diagnostics(shown)
    if all(d.severity is not Severity.ERROR for d in shown):
        say("--strict makes these warnings errors")
    say(f"{summary}; nothing was {'scored' if command == 'score' else 'done'}")


# A progress bar on standard error; where that is not a terminal, nothing is drawn and nothing is loaded to draw it.


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """A bar for work of a known number of steps.

    The function it gives is called with what comes next, at the start of each step.
    """
    # One step more than there are: the end of the last is its own state, and a step too many does not fail.
    with counted() as update:
        done = iter(range(steps + 1))
        yield lambda what: update(next(done, steps), steps, what)


@contextmanager
def counted() -> Iterator[Callable[[int, int, str], None]]:
    """A bar that is told how many steps are done, of how many, and what is going on."""
    # Before the import: rich takes longer to load than many commands to run.
    if not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from tracepact.show.tables import Screen

    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)
