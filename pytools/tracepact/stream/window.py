"""The sliding window: what has to be kept of a stream so that every verdict can be given at its frame (rule 12.2).

By locality a verdict at frame i depends on the frames from i − lookback to i + lookahead alone. So it is enough to keep
of every input the last lookback + lookahead frames, to put a chunk behind them, and to evaluate both as one trace: the
verdicts that are due are those of the whole stream. The Lean core proves it (`Thm/Delay.lean`).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tracepact.core import Dag, Formula, atoms, lookahead, lookback
from tracepact.diagnostics import Diagnostic, InvalidInput
from tracepact.stream.program import EDGES, Program, compile_formulas, inputs_of

_ALWAYS_WHOLE = 1 << 16
"""Windows up to this many frames are compiled once; longer ones again as the stream grows into them."""


Group = Sequence[Formula]
"""Formulas whose verdicts are due together, at the greatest of their lookaheads."""


class Part(NamedTuple):
    """The verdicts of one group that are due: some frames of a step's masks from frame `begin` on.

    `within` holds the bits of those frames, the first of which is `skip`.
    """

    begin: int
    frames: int
    skip: int
    within: int

    def of(self, channels: int) -> "Part":
        """The part in the channels of a mask alone."""
        return self._replace(within=self.within & channels)


class Step(NamedTuple):
    """The masks of all formulas over a window whose frame 0 is frame `first` of the stream, and what of them is due."""

    first: int
    last: int
    masks: tuple[int, ...]
    parts: tuple[Part, ...]

    def of(self, channels: int) -> "Step":
        """The step in the channels of a mask alone."""
        return self._replace(parts=tuple(part.of(channels) for part in self.parts))


WIDEST = 1 << 24
"""Frames that a stream keeps at most: more than ninety hours of them at 20 ms (rule 25.2)."""


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
        if self.width > WIDEST:
            headline = f"the contract looks {self.width:,} frames around a frame, and a stream keeps at most {WIDEST:,}"
            raise InvalidInput([Diagnostic("too-many-frames", headline, None, "use shorter windows, or a longer step")])
        self._formulas = formulas
        self.farthest = farthest(formulas)
        self._programs: dict[int, Program] = {}
        self._steady: tuple[int, tuple[Part, ...]] = -1, ()

    def push(self, frames: int, chunk: Sequence[int], valid: Callable[[int], int]) -> Step:
        """Put a chunk of some frames behind the window; `valid` gives the mask of a number of frames that exist."""
        held, channels = self.held, self.channels
        width = held + frames
        if held:
            shift = held * channels
            chunk = [old | new << shift for old, new in zip(self.kept, chunk)]  # noqa: B905  (one mask an input)
        masks = self._program(width)(valid(width), *chunk)
        surplus = width - self.width
        if surplus > 0:
            drop = surplus * channels
            self.kept = [mask >> drop for mask in chunk]
            self.held = self.width
        else:
            self.kept = list(chunk)
            self.held = width
        before = self.frames
        self.frames = before + frames
        if held != self.width:
            parts = self._parts(before, self.frames, held)
        elif frames == self._steady[0]:
            parts = self._steady[1]
        else:
            parts = self._parts(before, self.frames, held)
            self._steady = frames, parts
        return Step(before - held, self.frames - 1, masks, parts)

    def look(self, before: int, masks: Sequence[int], valid: Callable[[int], int]) -> Step:
        """The step of one frame behind a full window, which was taken in already."""
        width = self.width + 1
        parts = self._parts(before, before + 1, self.width)
        return Step(before - self.width, before, self._program(width)(valid(width), *masks), parts)

    def rest(self, valid: Callable[[int], int]) -> Step:
        """The verdicts that are not yet due, if the streams end here; the window stays as it is."""
        masks = self._program(self.held)(valid(self.held), *self.kept)
        first, end = self.frames - self.held, self.frames
        parts = (self._part(max(0, end - delay) - first, end - first) for delay in self.delays)
        return Step(first, end - 1, masks, tuple(parts))

    def _parts(self, before: int, after: int, held: int) -> tuple[Part, ...]:
        """What is due of each group; the same for every chunk of one length once the window is full."""
        first = before - held
        return tuple(self._part(max(0, before - d) - first, max(0, after - d) - first) for d in self.delays)

    def _part(self, start: int, end: int) -> Part:
        skip = start * self.channels
        return Part(start, end - start, skip, (1 << (end - start) * self.channels) - 1 << skip)

    def forget(self, lost: Callable[[int], int]) -> None:
        """Take channels out of the window; `lost` gives the mask of their frames."""
        mask = lost(self.held)
        self.kept = [kept & ~mask for kept in self.kept]

    def _program(self, width: int) -> Program:
        longest = self.farthest
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
