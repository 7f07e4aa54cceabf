"""Which pair to ask about next: what would narrow the contracts still possible, and when that is over (rule 14.31)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tracepact.tools.select.retain import Coordinate
from tracepact.tools.select.separate import Pair
from tracepact.tools.select.weigh.differences import Whole, differences_of

_WEIGHTS = ((1, 1), (1, 3), (3, 1))
"""How two clauses are weighed when they are tried together."""
_MOST_ENTRIES = 40_000_000
"""So many verdicts of tried contracts on pairs are kept at most."""
_CHUNK = 2000
Signs = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Contracts that were tried, one for each way to judge all pairs.

    An entry is 1 if the first case of a pair is worse, -1 if the second is, 0 if the contract does not say.
    """

    signs: Signs
    number: int
    """How many there were before those that judge alike were counted once."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What judgements leave: how many contracts are possible, the pair to ask next, and on how many they differ."""

    possible: int
    violated: int
    """How many judgements each of them violates; none violates fewer."""
    next: int | None
    open: int

    @property
    def settled(self) -> bool:
        """Whether all contracts still possible that judge a pair judge it alike."""
        return self.open == 0


def tried_contracts(coordinates: Sequence[Coordinate], pairs: Sequence[Pair], classes: Sequence[int]) -> Tried:
    """Every coordinate alone, and sums of two by a few weights, as many as there is room for, in order."""
    turned = [Pair(pair.better, pair.worse) for pair in pairs]
    first, second = (_both(coordinates, some, classes) for some in (pairs, turned))
    seen: dict[bytes, None] = {}
    number = 0
    room = max(len(coordinates), _MOST_ENTRIES // max(len(pairs), 1))
    for chunk in _chunks(len(coordinates), room):
        number += len(chunk)
        one, other, by, with_ = (np.array(part) for part in zip(*chunk, strict=True))
        shares = by[:, None], with_[:, None]
        sums = [  # a pair is ordered alone and within a corpus alike, or not at all
            (table[:, one] * shares[0] + table[:, other] * shares[1]).min(axis=0) for table in (first, second)
        ]
        signs = (sums[0] > 0).astype(np.int8) - (sums[1] > 0).astype(np.int8)
        seen |= dict.fromkeys(row.tobytes() for row in signs)
    signs = np.frombuffer(b"".join(seen), dtype=np.int8).reshape(len(seen), len(pairs))
    return Tried(signs, number)


def _both(coordinates: Sequence[Coordinate], pairs: Sequence[Pair], classes: Sequence[int]) -> Whole:
    """The differences by table (alone, within a corpus), coordinate and pair."""
    found = differences_of(coordinates, pairs, classes).of(slice(None))
    return np.ascontiguousarray(found.reshape(-1, len(pairs), len(coordinates)).transpose(0, 2, 1))


def _chunks(coordinates: int, room: int) -> Iterator[list[tuple[int, int, int, int]]]:
    def every() -> Iterator[tuple[int, int, int, int]]:
        yield from ((c, c, 1, 0) for c in range(coordinates))
        for by, with_ in _WEIGHTS:
            yield from ((a, b, by, with_) for a, b in combinations(range(coordinates), 2))

    chunk: list[tuple[int, int, int, int]] = []
    for number, one in enumerate(every()):
        if number == room:
            break
        chunk.append(one)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def outlook(tried: Tried, judged: Mapping[int, int], asked: frozenset[int]) -> Outlook:
    """What is possible after judgements: by pair the weight of the first being worse, less that of the second.

    The next pair is, of those not asked, the one that the possible contracts are divided on most evenly: whatever is
    answered, as many go as can be. Of equal ones the first.
    """
    violated = np.zeros(len(tried.signs), dtype=np.int64)
    for pair, sign in judged.items():
        violated += (tried.signs[:, pair] != np.sign(sign)) * abs(sign)
    least = int(violated.min()) if len(violated) else 0
    possible = tried.signs[violated == least]
    for_first, for_second = (possible == 1).sum(axis=0), (possible == -1).sum(axis=0)
    split = np.minimum(for_first, for_second)
    split[sorted(asked)] = 0
    best = int(split.argmax()) if split.size else 0
    left = [pair for pair in range(tried.signs.shape[1]) if pair not in asked]
    divided = split.size and split[best] > 0
    return Outlook(len(possible), least, best if divided else next(iter(left), None), int((split > 0).sum()))
