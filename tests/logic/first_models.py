"""The smallest trace a formula holds in, found by enumeration: what the solver is compared with."""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from tracepact.language.formula import Formula, atoms
from tracepact.logic.catalogue import Universe
from tracepact.logic.models import Model, over_base_atoms


def first_model(formula: Formula, lengths: Iterable[int], *, free: bool = False) -> Model | None:
    """The first trace, by length and then fewest active frames, with a frame where the formula holds."""
    base = formula if free else over_base_atoms(formula)
    names = sorted(atoms(base))
    for frames in lengths:
        universe = Universe(names, frames)
        holding = universe.truth(base)
        somewhere = reduce(or_, holding)
        if somewhere:
            index = _least_bits(somewhere, universe)
            frame = next(i for i, mask in enumerate(holding) if mask >> index & 1)
            return Model(frames, universe.environment(index), frame, free, minimal=True)
    return None


def _least_bits(mask: int, universe: Universe) -> int:
    """The environment of a mask with the fewest active bits: layer by layer, each the neighbours above the last."""
    layer = 1
    while not layer & mask:
        above = 0
        for variable in range(universe.variables):
            low = universe.everything // ((1 << (1 << variable)) + 1)
            above |= (layer & low) << (1 << variable)
        layer = above
    found = layer & mask
    return (found & -found).bit_length() - 1
