"""A long list that is made as far as somebody looks, and kept."""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Drawn(Generic[Item]):
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
