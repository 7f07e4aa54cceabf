"""Scenes built from amounts: runs of both sides in which an obligation has the wanted overlaps and gaps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tracepact.core import Contract, Each, EventAtom, Formula
from tracepact.events.attributes import Obligation, Scene, overlap
from tracepact.events.predicate import prepare, truth
from tracepact.lang.printer import print_number
from tracepact.trace import Run

_MOST_PIECES = 50


@dataclass(frozen=True, slots=True)
class Pieces:
    """How many runs overlap an interval, how many frames they cover, and the gaps between them."""

    number: int
    covered: int
    longest: int
    shortest: int


@dataclass(frozen=True, slots=True)
class Amounts:
    """An obligation in numbers: both intervals, whether they are partners, and what overlaps each."""

    ref: Run
    pred: Run
    matched: bool
    dominant: bool
    of_ref: Pieces
    of_pred: Pieces


@dataclass(frozen=True, slots=True)
class EventObligation:
    """An obligation that shows an answer, with the other runs of its scene."""

    obligation: Obligation

    def satisfies(self, formula: Formula, event_atoms: Mapping[str, EventAtom], step: Fraction) -> bool:
        """Whether the predicate is true for it, asked of the code that scores."""
        prepared = {name: prepare(atom, step) for name, atom in event_atoms.items()}
        return truth(formula, prepared)(self.obligation)

    def words(self, step: Fraction) -> str:
        """The runs of both sides in seconds."""
        scene = self.obligation.scene

        def runs(some: tuple[Run, ...], own: Run | None) -> str:
            shown = (
                f"[{print_number(s * step)}, {print_number(e * step)}){'*' if (s, e) == own else ''}" for s, e in some
            )
            return " ".join(shown) or "none"

        lines = [
            f"ref   {runs(scene.refs, self.obligation.ref)}",
            f"pred  {runs(scene.preds, self.obligation.pred)}",
        ]
        lines += [f"ref of another class  {runs(some, None)}" for some in scene.refs_of_other_classes]
        return "\n".join([*lines, "times in seconds; * marks the obligated interval and its partner"])


def build(amounts: Amounts, each: Each, contract: Contract) -> EventObligation | None:
    """An obligation with these amounts, or None if no layout that was tried has them."""
    hole = contract.merge_gap // contract.step + 1
    ref, pred = amounts.ref, amounts.pred
    refs: tuple[Run, ...] | None = (ref,) if each is not Each.PRED or amounts.matched else ()
    preds: tuple[Run, ...] | None = (pred,) if each is not Each.REF or amounts.matched else ()
    if each is not Each.PRED:
        preds = _around(ref, pred if amounts.matched else None, amounts.of_ref, hole)
    if each is not Each.REF:
        refs = _around(pred, ref if amounts.matched else None, amounts.of_pred, hole)
    if refs is None or preds is None:
        return None
    covered = amounts.of_pred.covered if each is not Each.REF else 0
    others = ((pred,),) if each is not Each.REF and covered and not amounts.dominant else ()
    own_ref = ref if each is not Each.PRED or amounts.matched else None
    own_pred = pred if each is not Each.REF or amounts.matched else None
    return EventObligation(Obligation(own_ref, own_pred, Scene(refs, preds, others)))


def _around(own: Run, partner: Run | None, pieces: Pieces, hole: int) -> tuple[Run, ...] | None:
    """Runs of the other side that overlap an interval as wanted; its partner is one of them if it has one."""
    if pieces.number > _MOST_PIECES:
        return None
    for gaps in _gaps(pieces, hole):
        if partner is None:
            runs = _from_start(own, pieces, gaps)
            if runs is not None:
                return runs
            continue
        for left in range(pieces.number):
            runs = _beside(own, partner, pieces, gaps, left)
            if runs is not None:
                return runs
    return None


def _gaps(pieces: Pieces, hole: int) -> Iterator[list[int]]:
    """The gaps between consecutive runs: one is the longest, the others the shortest, in each order."""
    number = max(0, pieces.number - 1)
    if number == 0:
        yield []
    for place in range(number):
        yield [max(hole, pieces.longest if k == place else pieces.shortest) for k in range(number)]


def _from_start(own: Run, pieces: Pieces, gaps: list[int]) -> tuple[Run, ...] | None:
    """Runs of one frame from the interval's start, the last one as long as is needed."""
    if pieces.number == 0:
        return ()
    runs, at = [], own[0]
    for gap in gaps:
        runs.append((at, at + 1))
        at += 1 + gap
    last = (at, at + pieces.covered - pieces.number + 1)
    return (*runs, last) if last[1] <= own[1] else None


def _beside(own: Run, partner: Run, pieces: Pieces, gaps: list[int], left: int) -> tuple[Run, ...] | None:
    """The partner with so many runs left of it and the others right of it; the outermost ones take what is to cover."""
    more = pieces.covered - overlap(own, partner) - (pieces.number - 1)
    right = pieces.number - 1 - left
    before: list[Run] = []
    at = partner[0]
    for gap in reversed(gaps[:left]):
        at -= gap + 1
        before.insert(0, (at, at + 1))
    after: list[Run] = []
    to = partner[1]
    for gap in gaps[left:]:
        to += gap + 1
        after.append((to - 1, to))
    if (left and at < own[0]) or (right and to > own[1]) or more < 0:
        return None
    if left:
        taken = min(more, at - own[0])
        before[0] = (before[0][0] - taken, before[0][1])
        more -= taken
    if right:
        taken = min(more, own[1] - to)
        after[-1] = (after[-1][0], after[-1][1] + taken)
        more -= taken
    return (*before, partner, *after) if more == 0 else None
