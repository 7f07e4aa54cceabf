"""Progress of long work: whoever does it calls a function with what comes next."""

from collections.abc import Callable

OnStep = Callable[[str], None]


def silent(step: str) -> None:
    """Tell nobody: what is called where no progress is shown."""
