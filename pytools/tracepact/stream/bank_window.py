"""The sliding windows of many streams at once, each at its own frame: rows of words, one evaluation for all.

The frames a row holds end at the same place in every row, and its chunk follows there; so streams of every age and
chunks of every length are evaluated together, and only what exists (`valid`) and what is due differ from row to row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tracepact.core import Dag, Formula, Operator
from tracepact.stream import rows
from tracepact.stream.program import Program, compile_formulas
from tracepact.stream.window import Group, Window
from tracepact.trace.layout import Indices, Words


@dataclass(frozen=True, slots=True)
class BankStep:
    """The masks of all formulas, place `origin` being frame `before` of a row, and the places due of each group."""

    origin: int
    before: Indices
    after: Indices
    masks: Sequence[Words]
    due: Sequence[tuple[Indices, Indices]]

    def within(self, group: int) -> Words:
        """The places of a group that are due."""
        return rows.between(len(self.masks[0]), *self.due[group])


class BankWindow:
    """The last frames of the inputs of some groups of formulas, a row for each channel of each stream."""

    def __init__(self, groups: Sequence[Group]) -> None:
        plan = Window(groups)
        self.inputs, self.delays, self.width = plan.inputs, plan.delays, plan.width
        self._formulas = [formula for group in groups for formula in group]
        self._farthest, self._span = plan.farthest, widest_span(self._formulas)
        self._programs: dict[int, Program] = {}
        self.places = min(self.width, rows.WORD // 2)

    def empty(self, count: int) -> Words:
        """What new rows hold: inputs × words × rows."""
        return np.zeros((len(self.inputs), -(-self.places // rows.WORD), count), dtype=np.uint64)

    def grown(self, kept: Words, frames: int) -> Words:
        """Rows with room for streams of so many frames, if they need more than there is."""
        needed = min(self.width, frames)
        if needed <= self.places:
            return kept
        added = min(self.width, max(needed, 2 * self.places)) - self.places
        self.places += added
        wider = self.empty(kept.shape[2])
        wider[:, : kept.shape[1]] = kept
        return np.stack([rows.later(mask, added) for mask in wider]) if len(wider) else wider

    def step(
        self, kept: Words, chunk: Mapping[str, Words], before: Indices, lengths: Indices
    ) -> tuple[BankStep, Words]:
        """Put a chunk behind each row; what is due, and what the rows hold then."""
        longest = int(lengths.max(initial=0))
        reach = min(self._farthest, 1 << (self.places + longest).bit_length())
        spare = min(self._span, 2 * reach)  # a window spreads a mask up before it moves it down
        words = max(1, -(-(self.places + longest + spare) // rows.WORD))
        masks = [self._joined(kept[i], chunk[name], words) for i, name in enumerate(self.inputs)]
        held = np.minimum(before, self.places)
        valid = rows.between(words, self.places - held, self.places + lengths)
        found = self._program(reach)(valid, *masks)
        after = before + lengths
        due = [
            (self.places - np.minimum(delay, before), self.places + lengths - np.minimum(delay, after))
            for delay in self.delays
        ]
        step = BankStep(self.places, before, after, found, due)
        left = [rows.earlier_by(mask, lengths)[: kept.shape[1]] for mask in masks]
        last = rows.between(kept.shape[1], np.zeros_like(lengths), np.full_like(lengths, self.places))
        return step, np.stack([mask & last for mask in left]) if left else kept

    def rest(self, kept: Words, before: Indices) -> BankStep:
        """The verdicts that are not yet due, if the rows end here."""
        none = np.zeros_like(before)
        silent = {name: np.zeros((1, len(before)), dtype=np.uint64) for name in self.inputs}
        step, _ = self.step(kept, silent, before, none)
        due = [(self.places - np.minimum(delay, before), self.places + none) for delay in self.delays]
        return BankStep(step.origin, before, before, step.masks, due)

    def _joined(self, kept: Words, chunk: Words, words: int) -> Words:
        room: Words = np.zeros((words, chunk.shape[1]), dtype=np.uint64)
        room[: len(chunk)] = chunk
        room = rows.later(room, self.places)
        room[: len(kept)] |= kept
        return room

    def _program(self, reach: int) -> Program:
        if reach not in self._programs:
            moves = {"later": rows.later, "earlier": rows.earlier}
            self._programs[reach] = compile_formulas(self._formulas, self.inputs, longest=reach, moves=moves)
        return self._programs[reach]


def widest_span(formulas: Sequence[Formula]) -> int:
    """The greatest distance between the two ends of a window."""
    dag, _ = Dag.of(formulas)
    windows = (Operator.EVENTUALLY, Operator.ALWAYS)
    ends = [node.parameters for node in dag.nodes if node.operator in windows]
    return max((int(hi) - int(lo) for lo, hi in ends), default=0)
