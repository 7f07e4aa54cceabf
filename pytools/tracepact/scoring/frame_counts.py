"""The counts of frame clauses over a family, block by block: so few words at a time that masks stay in the cache."""

from collections.abc import Iterator, Sequence

import numpy as np

from tracepact.core import FrameClause
from tracepact.monitor import IntegerAlgebra, masks_evaluator
from tracepact.scoring.aggregate import ClauseCounts
from tracepact.trace.family import Atoms, AtomWords, BlockAtoms, Family
from tracepact.trace.layout import Layout


def frame_counts(
    clauses: Sequence[FrameClause], family: Family, layout: Layout, atoms: Atoms
) -> Iterator[tuple[str, ClauseCounts, int]]:
    """The name of each frame clause, its counts, and the mask of its violated frames."""
    if not clauses:
        return
    evaluate = masks_evaluator(formula for clause in clauses for formula in (clause.obligation, clause.formula))
    asked, failed = (np.zeros((len(clauses), layout.segments), dtype=np.int64) for _ in range(2))
    masks: list[list[bytes]] = [[] for _ in clauses]
    whole = AtomWords(atoms, layout)
    for block in layout.blocks():
        part, here = BlockAtoms(whole, block), slice(block.first, block.last)
        found = evaluate(part, IntegerAlgebra(part.valid, layout.longest))
        obliged = part.valid ^ part.ignored
        for number, (obligation, formula) in enumerate(zip(found[::2], found[1::2], strict=True)):
            obligated = obligation & obliged
            asked[number, here] = layout.block_counts(block.octets(obligated), block)
            violated = block.octets(obligated & ~formula)
            failed[number, here] = layout.block_counts(violated, block)
            masks[number].append(violated)
    shape = len(family.classes), len(family.clips)
    no_counter = np.zeros(shape, dtype=np.bool_)
    for clause, total, fails, parts in zip(clauses, asked, failed, masks, strict=True):
        counts = ClauseCounts((total - fails).reshape(shape), total.reshape(shape), no_counter)
        yield clause.name, counts, int.from_bytes(b"".join(parts), "little")
