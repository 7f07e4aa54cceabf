"""What long work tells: a stage that begins, and each part of it that is done."""

from collections.abc import Callable
from dataclasses import dataclass


def _nothing(*_: object) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Called with the name and number of parts of a stage as it begins, and after each part."""

    begin: Callable[[str, int], None] = _nothing
    advance: Callable[[], None] = _nothing


SILENT = Progress()
