"""Progress of long work: whoever does it calls a function with the name of each stage as it begins."""

from collections.abc import Callable

OnStage = Callable[[str], None]


def silent(stage: str) -> None:
    """Tell nobody: what is called where no progress is shown."""
