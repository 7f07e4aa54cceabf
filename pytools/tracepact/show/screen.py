"""Consoles: standard output and standard error, as wide as what is printed needs."""

from rich.console import Console, RenderableType

from tracepact.show.width import needed_width

_NARROWEST = 132


def output() -> Console:
    """Standard output; wide enough for tables when it is not a terminal."""
    console = Console(highlight=False, emoji=False)
    if console.is_terminal:
        return console
    return Console(highlight=False, emoji=False, width=max(console.width, _NARROWEST))


def print_tables(shown: RenderableType) -> None:
    """Tables on standard output: as wide as a terminal is, else so wide that no number and no name is cut."""
    console = output()
    if not console.is_terminal:
        console.width = needed_width(shown, console)
    console.print(shown)


def messages() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, emoji=False)
