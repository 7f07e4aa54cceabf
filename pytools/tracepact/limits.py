"""How much is taken in one go: numbers that are declared, checked before anything is allocated, and can be raised.

Limits that cannot be raised are those of a contract (1.1, 1.6), of a time (13.39) and of the text of a number (13.40).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Limits(NamedTuple):
    """The limits of chapter 25 of the tools.

    Attributes:
        frames: frames of all clips of one scoring run, counted once for each class.
        scores: the same where every frame has a score of its own: curves over all thresholds, and their choice.
        candidates: pairs of events that are near enough to be looked at when events are matched.
        steps: steps of the search for the best matching of events (15.9).
    """

    frames: int = 10**9
    scores: int = 10**8
    candidates: int = 2 * 10**7
    steps: int = 10**6


NAMES = tuple(name.replace("_", "-") for name in Limits._fields)
"""What the limits are called on the command line."""

_USUAL = Limits()
_chosen: ContextVar[Limits] = ContextVar("limits", default=_USUAL)


def limits() -> Limits:
    """The limits that hold here."""
    return _chosen.get()


def raise_limit(name: str, number: int) -> None:
    """Have another limit of a name hold from now on, for the rest of the command or thread."""
    _chosen.set(_chosen.get()._replace(**{name.replace("-", "_"): number}))


@contextmanager
def with_limits(**numbers: int) -> Iterator[None]:
    """Other limits inside the block.

    Args:
        numbers: limits by name: `frames`, `scores`, `candidates`, `steps`.

    Returns:
        A context manager.

    Raises:
        ValueError: there is no limit of a name.

    Examples:
        >>> from tracepact.limits import limits
        >>> with with_limits(frames=10**11):
        ...     limits().frames
        100000000000
    """
    token = _chosen.set(_chosen.get()._replace(**numbers))
    try:
        yield
    finally:
        _chosen.reset(token)
