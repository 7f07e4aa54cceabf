"""Z3, loaded when something is first asked of it, and deadlines that it does not look at itself."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Timer
from time import monotonic
from typing import Any, Generic, TypeVar

# A long list that is made as far as somebody looks, and kept.

Item = TypeVar("Item")


class LazyList(Generic[Item]):
    """The items of an iterator, each drawn when it is first asked for."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._waiting = iter(items)
        self._drawn: list[Item] = []

    def __iter__(self) -> Iterator[Item]:
        number = 0
        while True:
            if number == len(self._drawn):
                try:
                    self._drawn.append(next(self._waiting))
                except StopIteration:
                    return
            yield self._drawn[number]
            number += 1


# Keeps a deadline where Z3's own timeout does not look at the clock, as in turning vectors into bits.

_GRACE = 0.02
"""Seconds after the deadline: Z3's own timeout, which says why it stopped, comes first where it works."""


@contextmanager
def interrupted(context: Any, deadline: float) -> Iterator[None]:
    """Whatever the context computes is interrupted at the deadline."""
    timer = Timer(max(0.0, deadline - monotonic()) + _GRACE, context.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


# Z3, loaded when something is first asked of it: most commands never ask, and loading it takes longer than they do.


def __getattr__(name: str) -> Any:
    """A name of the package `z3`; what Python asks of every module is not worth loading it."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(import_module("z3"), name)
