"""The sliding window: what has to be kept of a stream so that every verdict can be given at its frame (rule 12.2).

By locality a verdict at frame i depends on the frames from i − lookback to i + lookahead alone. So it is enough to keep
of every input the last lookback + lookahead frames, to put a chunk behind them, and to evaluate both as one trace: the
verdicts that are due are those of the whole stream. The Lean core proves it (`Thm/Delay.lean`).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tracepact.core import Dag, Formula, atoms, lookahead, lookback
from tracepact.stream.program import EDGES, Program, compile_formulas, inputs_of

_ALWAYS_WHOLE = 1 << 16
"""Windows up to this many frames are compiled once; longer ones again as the stream grows into them."""


Group = Sequence[Formula]
"""Formulas whose verdicts are due together, at the greatest of their lookaheads."""


class Due(NamedTuple):
    """The verdicts of one group that are due: those of frames `start` to `start + frames`.

    The masks are those of the whole window; `within` holds the bits that are due, the first of which is `skip`.
    """

    start: int
    frames: int
    skip: int
    within: int
    masks: tuple[int, ...]


class Window:
    """The last frames of the inputs of some groups of formulas, for streams that advance together."""

    def __init__(self, groups: Sequence[Group], channels: int = 1) -> None:
        self.channels = channels
        self.frames = 0
        self.held = 0
        formulas = [formula for group in groups for formula in group]
        named = frozenset().union(*(atoms(formula) for formula in formulas))
        self.inputs = inputs_of(named)
        self.kept = [0] * len(self.inputs)
        self.delays = tuple(max(map(lookahead, group)) for group in groups)
        reaches = (max(map(lookahead, group)) + max(map(lookback, group)) for group in groups)
        self.width = max(reaches, default=0) + bool(named & EDGES.keys())
        self._formulas = formulas
        self._slices = tuple(_slices(groups))
        self._farthest = farthest(formulas)
        self._programs: dict[int, Program] = {}
        self._withins: dict[tuple[int, int], tuple[int, int]] = {}

    def push(self, frames: int, chunk: Sequence[int], valid: Callable[[int], int]) -> Iterator[Due]:
        """Put a chunk of some frames behind the window; `valid` gives the mask of a number of frames that exist."""
        before, held, channels = self.frames, self.held, self.channels
        width = held + frames
        if held:
            shift = held * channels
            chunk = [old | new << shift for old, new in zip(self.kept, chunk, strict=True)]
        masks = self._program(width)(valid(width), *chunk)
        surplus = width - self.width
        if surplus > 0:
            drop = surplus * channels
            self.kept = [mask >> drop for mask in chunk]
            self.held = self.width
        else:
            self.kept = list(chunk)
            self.held = width
        self.frames = before + frames
        return self._due(before, self.frames, held, masks)

    def rest(self, valid: Callable[[int], int]) -> Iterator[Due]:
        """The verdicts that are not yet due, if the streams end here; the window stays as it is."""
        masks = self._program(self.held)(valid(self.held), *self.kept)
        first, end = self.frames - self.held, self.frames
        for delay, part in zip(self.delays, self._slices, strict=True):
            start = max(0, end - delay)
            yield Due(start, end - start, *self._within(start - first, end - start), masks[part])

    def _due(self, before: int, after: int, held: int, masks: tuple[int, ...]) -> Iterator[Due]:
        first = before - held
        for delay, part in zip(self.delays, self._slices, strict=True):
            start = before - delay if before > delay else 0
            if start < after - delay:
                frames = after - delay - start
                yield Due(start, frames, *self._within(start - first, frames), masks[part])
            else:
                yield Due(start, 0, 0, 0, masks[part])

    def _within(self, first: int, frames: int) -> tuple[int, int]:
        """The first bit and the mask of some frames of the window; those asked for last are kept."""
        found = self._withins.get((first, frames))
        if found is None:
            if len(self._withins) > 2 * len(self.delays):
                self._withins.clear()
            skip = first * self.channels
            found = self._withins[first, frames] = skip, (1 << frames * self.channels) - 1 << skip
        return found

    def forget(self, lost: Callable[[int], int]) -> None:
        """Take channels out of the window; `lost` gives the mask of their frames."""
        mask = lost(self.held)
        self.kept = [kept & ~mask for kept in self.kept]

    def _program(self, width: int) -> Program:
        longest = self._farthest
        if longest > _ALWAYS_WHOLE:
            longest = min(longest, 1 << max(width, _ALWAYS_WHOLE).bit_length())
        found = self._programs.get(longest)
        if found is None:
            made = compile_formulas(self._formulas, self.inputs, channels=self.channels, longest=longest)
            self._programs = {longest: made}
            return made
        return found


def farthest(formulas: Sequence[Formula]) -> int:
    """The greatest number of frames that any window of some formulas moves."""
    dag, _ = Dag.of(formulas)
    bounds = (abs(bound) for node in dag.nodes for bound in node.parameters if isinstance(bound, int))
    return max(bounds, default=1)


def _slices(groups: Sequence[Group]) -> Iterator[slice]:
    start = 0
    for group in groups:
        yield slice(start, start + len(group))
        start += len(group)
