"""All runs of a family in columns: matches, obligations, and predicates whose attributes are whole numbers, at once."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tracepact.core import (
    Absolute,
    And,
    Atom,
    Attribute,
    Constant,
    Difference,
    Each,
    Formula,
    Iff,
    Implies,
    Matcher,
    Maximum,
    Minimum,
    Not,
    Number,
    Or,
    Owner,
    Scaled,
    Sum,
    Term,
)
from tracepact.events.attributes import Obligation
from tracepact.events.matching import choose
from tracepact.events.predicate import PreparedAtom, PreparedComparison
from tracepact.events.terms import constant
from tracepact.frozen import dataclass
from tracepact.trace.run_columns import RunColumns

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
_ROOM = 1 << 62
_NONE = -1


def match_columns(refs: RunColumns, preds: RunColumns, matcher: Matcher, step: Fraction) -> tuple[Indices, Indices]:
    """The matched pairs of all segments by index, sorted by reference (chapter 8)."""
    first, last = refs.overlapping(preds)
    count = last - first
    ref = np.repeat(np.arange(len(refs.segment)), count)
    pred = np.arange(len(ref)) + np.repeat(first - (np.cumsum(count) - count), count)
    onset = np.abs(refs.start[ref] - preds.start[pred])
    offset = np.abs(refs.end[ref] - preds.end[pred])
    search = matcher.search // step
    near = np.minimum(onset, offset) <= min(search, _ROOM)
    ref, pred, onset, offset = ref[near], pred[near], onset[near], offset[near]
    alone = is_alone(ref, pred)
    rest = np.flatnonzero(~alone)
    overlap = np.minimum(refs.end[ref], preds.end[pred]) - np.maximum(refs.start[ref], preds.start[pred])
    reward, scale = matcher.overlap_reward.as_integer_ratio()
    found = [
        (scale * apart - reward * shared, i, j)
        for apart, shared, i, j in zip(
            *(column[rest].tolist() for column in (onset + offset, overlap, ref, pred)), strict=True
        )
    ]
    chosen = np.array(choose(matcher.kind, found), dtype=np.int64).reshape(-1, 2)
    pairs = np.concatenate([np.stack([ref[alone], pred[alone]], axis=1), chosen])
    pairs = pairs[np.argsort(pairs[:, 0])]
    return pairs[:, 0], pairs[:, 1]


def is_alone(ref: Indices, pred: Indices) -> Flags:
    """Which candidates share no end with another one: every matcher takes them."""
    if not len(ref):
        return np.zeros(0, dtype=np.bool_)
    alone: Flags = (np.bincount(ref)[ref] == 1) & (np.bincount(pred)[pred] == 1)
    return alone


@dataclass(frozen=True, slots=True, eq=False)
class Obligations:
    """The obligations of one kind: reference and prediction of each by index, -1 where one is missing.

    `one` makes one of them, for attributes that are asked about singly.
    """

    refs: RunColumns
    preds: RunColumns
    ref: Indices
    pred: Indices
    one: Callable[[int], Obligation]

    def __len__(self) -> int:
        return len(self.ref)


def obligation_indices(
    each: Each, refs: RunColumns, preds: RunColumns, pairs: tuple[Indices, Indices]
) -> tuple[Indices, Indices]:
    """Reference and prediction of each obligation, before any is ignored (rule 9.1)."""
    match each:
        case Each.REF:
            partner = np.full(len(refs.segment), _NONE)
            partner[pairs[0]] = pairs[1]
            return np.arange(len(refs.segment)), partner
        case Each.PRED:
            partner = np.full(len(preds.segment), _NONE)
            partner[pairs[1]] = pairs[0]
            return partner, np.arange(len(preds.segment))
        case Each.MATCHED:
            return pairs


def truth_column(formula: Formula, event_atoms: Mapping[str, PreparedAtom], some: Obligations, step: Fraction) -> Flags:
    """Which obligations make a predicate true (rules 4.1, 4.12 and 9.2)."""

    def truth(part: Formula) -> Flags:
        match part:
            case Atom(name):
                return _atom_column(event_atoms[name], some, step)
            case Constant(value):
                return np.full(len(some), value)
            case Not(body):
                return ~truth(body)
            case And(a, b):
                return truth(a) & truth(b)
            case Or(a, b):
                return truth(a) | truth(b)
            case Implies(a, b):
                return ~truth(a) | truth(b)
            case Iff(a, b):
                return ~(truth(a) ^ truth(b))
        raise TypeError(f"an event predicate has no modalities, found {part}")

    return truth(formula)


def _atom_column(atom: PreparedAtom, some: Obligations, step: Fraction) -> Flags:
    if isinstance(atom, PreparedComparison):
        comparison = atom.comparison
        sides = [_Column(some, step, atom.scale).of(term) for term in (comparison.left, comparison.right)]
        if all(column is not None for column, _ in sides):
            present = np.ones(len(some), dtype=np.bool_)
            if atom.needs_ref:
                present &= some.ref >= 0
            if atom.needs_pred:
                present &= some.pred >= 0
            return present & np.asarray(atom.holds(sides[0][0], sides[1][0]), dtype=np.bool_)
    elif atom.name in _TRUTHS:
        return _TRUTHS[atom.name](some)
    return np.fromiter((atom.truth(some.one(k)) for k in range(len(some))), np.bool_, len(some))


Whole = Indices | int | None
"""A value for every obligation, one for all of them, or None where it is not a whole number."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Terms over some obligations, times in frames, times a scale; with a bound on all values on the way."""

    some: Obligations
    step: Fraction
    scale: int

    def of(self, term: Term) -> tuple[Whole, int]:
        """The column of a term and how large its numbers can become; where a partner is missing it means nothing."""
        match term:
            case Number():
                value = self.scale * constant(term, self.step)
                is_whole = value.denominator == 1 and abs(value) < _ROOM
                return (value.numerator, abs(value.numerator)) if is_whole else (None, 0)
            case Attribute():
                values = self._attribute(term)
                if values is None:
                    return None, 0
                bound = self.scale * max(int(np.abs(values).max(initial=0)), 1)
                return (values * self.scale if bound < _ROOM else None), bound
            case Sum(a, b):
                return self._both(np.add, a, b)
            case Difference(a, b):
                return self._both(np.subtract, a, b)
            case Scaled(factor, body):
                scaled = self.scale * factor
                column, bound = _Column(self.some, self.step, 1).of(body)
                bound = max(bound, 1) * abs(scaled.numerator)
                if column is None or scaled.denominator != 1 or bound >= _ROOM:
                    return None, 0
                return column * scaled.numerator, bound
            case Absolute(body):
                column, bound = self.of(body)
                return (None if column is None else np.abs(column)), bound
            case Minimum(arguments):
                return self._fold(np.minimum, arguments)
            case Maximum(arguments):
                return self._fold(np.maximum, arguments)

    def _both(self, combine: "np.ufunc", a: Term, b: Term) -> tuple[Whole, int]:
        (left, left_bound), (right, right_bound) = self.of(a), self.of(b)
        bound = left_bound + right_bound
        return (None if left is None or right is None or bound >= _ROOM else combine(left, right)), bound

    def _fold(self, combine: "np.ufunc", arguments: tuple[Term, ...]) -> tuple[Whole, int]:
        first, *rest = [self.of(argument) for argument in arguments]
        whole, bound = first
        for column, other in rest:
            whole, bound = None if whole is None or column is None else combine(whole, column), max(bound, other)
        return whole, bound

    def _attribute(self, attribute: Attribute) -> Indices | None:
        """The values of an attribute; None where it has no column, or where one of its sides has no run at all."""
        refs, preds = self.some.refs, self.some.preds
        if attribute.owner is Owner.PAIR:
            of_pair = _OF_PAIR.get(attribute.name)
            return of_pair(self.some) if of_pair and len(refs.segment) and len(preds.segment) else None
        own, others, index = (
            (refs, preds, self.some.ref) if attribute.owner is Owner.REF else (preds, refs, self.some.pred)
        )
        of_interval = _OF_INTERVAL.get(attribute.name)
        return of_interval(own, others)[index] if of_interval and len(own.segment) else None


def _overlap(some: Obligations) -> Indices:
    ends = np.minimum(some.refs.end[some.ref], some.preds.end[some.pred])
    shared: Indices = ends - np.maximum(some.refs.start[some.ref], some.preds.start[some.pred])
    return np.maximum(shared, 0)


def _covering(own: RunColumns, others: RunColumns) -> Indices:
    first, last = own.overlapping(others)
    return last - first


_OF_INTERVAL: Mapping[str, Callable[[RunColumns, RunColumns], Indices]] = {
    "onset": lambda own, others: own.start,
    "offset": lambda own, others: own.end,
    "duration": lambda own, others: own.end - own.start,
    "covering": _covering,
}
"""Attributes of all runs of one side, given those of the other; the rest is asked about one obligation at a time."""

_OF_PAIR: Mapping[str, Callable[[Obligations], Indices]] = {"overlap": _overlap}
_TRUTHS: Mapping[str, Callable[[Obligations], Flags]] = {"matched": lambda some: (some.ref >= 0) & (some.pred >= 0)}
