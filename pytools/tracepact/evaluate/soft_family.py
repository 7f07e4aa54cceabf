"""Soft families, and a contract's soft values on them: ranks of margins in the place of bits (chapter 18)."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from tracepact.data.events import NOWHERE, ScoreField, ScoreLevels
from tracepact.data.family import Family, Layout, Runs, Side
from tracepact.evaluate.masks import complement, evaluate_masks
from tracepact.evaluate.reference import BOTTOM, TOP, Margin, margin_of, mask_margin
from tracepact.language.contract import Contract

# The margins of a field's scores at its threshold: one for each distinct score, exact when asked for.
#
# A field has as many distinct scores as frames, and fractions for all of them would cost more than the rest of an
# evaluation. So margins are ordered by floats, with exact signs, and become fractions only where someone reads one.

Sizes = NDArray[np.float64]
Signs = NDArray[np.bool_]


class Margins(Sequence[Margin]):
    """The margin of every score at a threshold; the last is that of a frame without a score (rule 18.11)."""

    def __init__(self, levels: ScoreLevels, threshold: Fraction) -> None:
        self.levels, self.threshold = levels, threshold

    def __len__(self) -> int:
        return len(self.levels) + 1

    @overload
    def __getitem__(self, index: int) -> Margin: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Margin]: ...

    def __getitem__(self, index: int | slice) -> Margin | Sequence[Margin]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        rank = range(len(self))[index]
        return BOTTOM if rank == len(self.levels) else margin_of(self.levels.value(rank) - self.threshold)

    @cached_property
    def estimates(self) -> tuple[Sizes, Signs]:
        """Every size as a float, and whether it is positive; the signs are exact."""
        positive = np.arange(len(self)) >= self.levels.above(self.threshold)
        positive[-1] = False
        return np.append(self.levels.floats - float(self.threshold), -np.inf), positive

    @cached_property
    def whole(self) -> tuple[list[int], int]:
        """Every margin that is a number as a whole number of parts, and how many parts are 1."""
        scores, parts_of_scores = self.levels.whole
        parts = lcm(parts_of_scores, self.threshold.denominator)
        threshold = int(self.threshold * parts)
        return [score * (parts // parts_of_scores) - threshold for score in scores], parts


def whole_sizes(values: Sequence[Margin]) -> tuple[list[int], int]:
    """The sizes of soft values as whole numbers of parts, and how many parts are 1; infinite ones are 0."""
    if isinstance(values, Margins):
        numbers, parts = values.whole
        return [*numbers, 0], parts
    sizes = [value.size if isinstance(value.size, Fraction) else Fraction(0) for value in values]
    parts = lcm(*(size.denominator for size in sizes))
    return [int(size * parts) for size in sizes], parts


def estimates(values: Sequence[Margin]) -> tuple[Sizes, Signs]:
    """The sizes of soft values as floats, and whether each is positive; the signs are exact."""
    if isinstance(values, Margins):
        return values.estimates
    sizes = np.array([float(value.size) for value in values], dtype=np.float64)
    return sizes, np.array([value.positive for value in values], dtype=np.bool_)


# The fast engine's algebra: soft values as ranks in whole arrays, with the windows of every other engine.
#
# A rank is a whole number: negation changes its sign, and minimum and maximum are those of numbers. Ranks outside the
# clips are the least, as bits outside are zero, so `evaluate/masks.py` moves and joins them as it does bits. That
# works because minimum and maximum are idempotent and distribute over each other.

Ranks = NDArray[np.signedinteger[Any]]


# A score, a threshold and their difference are each rounded to a float: half an ulp three times, below 2**-52 for
# sizes up to 1. Two sizes are compared, which doubles it; the rest is room.
_NEAR = 2.0**-49
"""Two sizes whose floats differ by more than this, relative to the greater one above 1, are in the order of these."""


_LIMB = 31
"""The bits of a limb of a size: 2**32 of them add up within a machine word."""


class Levels:
    """The sizes that occur, in order; the rank of a soft value is the place of its size, from one, with its sign.

    Floats order the sizes; those whose floats are too near to tell are compared exactly.
    """

    def __init__(self, sources: Iterable[Sequence[Margin]]) -> None:
        self._sources = tuple({id(source): source for source in sources}.values())
        self._starts = np.cumsum([0, *map(len, self._sources)])
        sizes = [np.abs(estimates(source)[0]) for source in self._sources]
        every = np.concatenate([np.zeros(0), *sizes])
        self._places, self._shown = self._in_order(every)
        self._floats = np.append(every[self._shown], np.inf)
        self.top = len(self._shown) + 1
        # Windows are bound by memory, so the shortest kind of number that holds every rank and its negative is best.
        kinds = (np.int16, np.int32, np.int64)
        self.dtype = next(np.dtype(kind) for kind in kinds if self.top < np.iinfo(kind).max)

    def _in_order(self, sizes: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The place of every size, and for every place one that has it; an infinite one has the place after all."""
        finite = np.flatnonzero(np.isfinite(sizes))
        order = finite[np.argsort(sizes[finite], kind="stable")]
        sorted_sizes = sizes[order]
        opens = np.ones(len(order), dtype=np.bool_)
        opens[1:] = np.diff(sorted_sizes) > _NEAR * np.maximum(1, sorted_sizes[1:])
        # Runs of sizes that floats cannot tell apart are short; only inside them fractions are made and compared.
        new = opens.copy()
        for start, end in _crowds(opens):
            exact = [abs(Fraction(self._value(index).size)) for index in order[start:end].tolist()]
            ranked = sorted(range(end - start), key=exact.__getitem__)
            order[start:end] = order[start:end][ranked]
            in_turn = [exact[i] for i in ranked]
            new[start + 1 : end] = [a != b for a, b in pairwise(in_turn)]
        places = np.full(len(sizes), int(new.sum()) + 1, dtype=np.int64)
        places[order] = np.cumsum(new)
        return places, order[new]

    def _value(self, index: int) -> Margin:
        """A soft value by its place among all."""
        source = int(np.searchsorted(self._starts, index, side="right")) - 1
        return self._sources[source][index - int(self._starts[source])]

    def below(self, amount: Fraction) -> int:
        """How many of the sizes are less than an amount; these have the ranks up to that, in size."""
        return bisect_left(range(1, self.top), True, key=lambda rank: self.value(rank).distance >= amount)

    def ranks(self, values: Sequence[Margin]) -> Ranks:
        """The ranks of one of the sources."""
        start = next(int(s) for s, source in zip(self._starts, self._sources, strict=False) if source is values)
        _, positive = estimates(values)
        places = self._places[start : start + len(values)]
        return np.where(positive, places, -places).astype(self.dtype)

    def value(self, rank: int) -> Margin:
        """The soft value of a rank."""
        if abs(rank) == self.top:
            return TOP if rank > 0 else BOTTOM
        shown = self._value(int(self._shown[abs(rank) - 1]))
        return shown if shown.positive == (rank > 0) else -shown

    def estimates(self, ranks: Ranks) -> Sizes:
        """The soft values of ranks as floats."""
        sizes: Sizes = np.copysign(self._floats[np.abs(ranks) - 1], ranks)
        return sizes

    @cached_property
    def _limbs(self) -> tuple[NDArray[np.int64], int]:
        """The cut size (rule 18.10) of every place in limbs of 31 bits, the lowest first, and how many parts are 1."""
        sources = [whole_sizes(source) for source in self._sources]
        parts = lcm(*(fineness for _, fineness in sources))
        every = [min(parts, abs(size) * (parts // fineness)) for sizes, fineness in sources for size in sizes]
        # Parts of all scores seldom fit into a machine word; limbs do, and so do their sums over 2**32 frames.
        kind = np.dtype(np.int64 if parts < 1 << 62 else np.object_)
        cut = np.append(np.array(every, dtype=kind)[self._shown], np.array([parts], dtype=kind))
        limbs = range(0, parts.bit_length(), _LIMB)
        return np.stack([(cut >> bits & (1 << _LIMB) - 1).astype(np.int64) for bits in limbs]), parts

    def totals(self, ranks: Ranks, first: NDArray[np.int64]) -> list[Fraction]:
        """The sums of soft values, each cut to [−1, 1], of the groups that begin at these places; exact."""
        limbs, parts = self._limbs
        places, signs = np.abs(ranks) - 1, np.sign(ranks)
        sums = [np.add.reduceat(limb[places] * signs, first).tolist() for limb in limbs]
        return [
            Fraction(sum(some << _LIMB * k for k, some in enumerate(one)), parts) for one in zip(*sums, strict=True)
        ]


class RankedMargins(Sequence[Margin]):
    """Soft values by their ranks; each becomes an exact number when it is asked for."""

    def __init__(self, levels: Levels, ranks: Ranks) -> None:
        self._levels, self._ranks = levels, ranks

    def __len__(self) -> int:
        return len(self._ranks)

    @overload
    def __getitem__(self, index: int) -> Margin: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Margin]: ...

    def __getitem__(self, index: int | slice) -> Margin | Sequence[Margin]:
        if isinstance(index, slice):
            return RankedMargins(self._levels, self._ranks[index])
        return self._levels.value(int(self._ranks[index]))

    @property
    def estimates(self) -> Sizes:
        """The values as floats."""
        return self._levels.estimates(self._ranks)

    @property
    def distinct(self) -> tuple["RankedMargins", NDArray[np.int64]]:
        """The different ones of them, and the place of each among these."""
        ranks, places = np.unique(self._ranks, return_inverse=True)
        return RankedMargins(self._levels, ranks), places.reshape(-1)


def _crowds(opens: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """The groups of more than one: where each starts and ends."""
    starts = np.flatnonzero(opens)
    ends = np.append(starts[1:], len(opens))[: len(starts)]
    several = ends - starts > 1
    yield from zip(starts[several].tolist(), ends[several].tolist(), strict=True)


class RankAlgebra:
    """Arrays of ranks in the place of masks; `valid` is the greatest rank inside the clips and the least outside."""

    def __init__(self, inside: NDArray[np.bool_], longest: int, levels: Levels) -> None:
        top = np.asarray(levels.top, dtype=levels.dtype)
        self.valid: Ranks = np.where(inside, top, -top)
        self.none: Ranks = np.full(len(inside), -top)
        self.longest = longest
        self._bottom = -levels.top

    def conjunction(self, a: Ranks, b: Ranks, /) -> Ranks:
        """The lesser of both."""
        return np.minimum(a, b)

    def disjunction(self, a: Ranks, b: Ranks, /) -> Ranks:
        """The greater of both."""
        return np.maximum(a, b)

    def difference(self, a: Ranks, b: Ranks, /) -> Ranks:
        """The soft value of `not (a iff b)`; from `valid`, the complement."""
        # `complement` asks for the difference from `valid` itself: one pass instead of the four of the general case.
        if a is self.valid:
            return np.minimum(-b, self.valid)
        return np.maximum(np.minimum(a, self.difference(self.valid, b)), np.minimum(b, self.difference(self.valid, a)))

    def later(self, a: Ranks, k: int, /) -> Ranks:
        """Move every value k frames later; those after the last are lost, in the gap behind the last clip."""
        moved = np.empty_like(a)
        moved[k:] = a[: len(a) - k]
        moved[:k] = self._bottom
        return moved

    def earlier(self, a: Ranks, k: int, /) -> Ranks:
        """Move every value k frames earlier; those before the first are lost."""
        moved = np.empty_like(a)
        moved[: len(a) - k] = a[k:]
        moved[len(a) - k :] = self._bottom
        return moved


# A soft family: the soft values of clips × classes, and the ranks of its atoms over a layout.

Places = NDArray[np.int64]
WORD = 64
"""The number of frames in a word of a layout."""


@dataclass(frozen=True, slots=True, eq=False)
class SoftMask:
    """The soft values of one atom: the distinct ones, and of every clip the place of each, frames × classes."""

    values: Sequence[Margin]
    clips: tuple[Places, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SoftFamily:
    """Clips × classes with the soft values of both sides and of the declared atoms, and the ignored frames."""

    step: Fraction
    clips: tuple[str, ...]
    frames: tuple[int, ...]
    classes: tuple[str, ...]
    masks: Mapping[str, SoftMask]
    """By atom: `ref_active`, `pred_active`, and those the contract declares."""
    ignored: tuple[NDArray[np.bool_], ...]
    """Of every clip, frames × classes."""

    def layout(self, gap: int) -> Layout:
        """The family as one long array whose clips are at least `gap` frames apart, class by class."""
        return Layout(np.tile(np.asarray(self.frames, dtype=np.int64), len(self.classes)), gap)


class SoftAtoms(dict[str, Ranks]):
    """The ranks of a family's atoms over a layout, each made when first asked for."""

    def __init__(self, family: SoftFamily, layout: Layout) -> None:
        super().__init__()
        self._family = family
        self.layout = layout
        self.levels = Levels(mask.values for mask in family.masks.values())
        inside = self.spread([np.ones((n, len(family.classes)), dtype=np.bool_) for n in family.frames], False)
        self.algebra = RankAlgebra(inside.astype(np.bool_), layout.longest, self.levels)

    def __missing__(self, name: str) -> Ranks:
        ranks = self[name] = self._make(name)
        return ranks

    def _make(self, name: str) -> Ranks:
        algebra = self.algebra
        match name:
            case "ref_onset" | "pred_onset":
                active = self[name.replace("onset", "active")]
                return algebra.conjunction(active, complement(algebra, algebra.later(active, 1)))
            case "ref_offset" | "pred_offset":
                active = self[name.replace("offset", "active")]
                return algebra.conjunction(complement(algebra, active), algebra.later(active, 1))
            case "other_ref_active" | "other_pred_active":
                rows = self[name.removeprefix("other_")].reshape(len(self._family.classes), -1)
                return greatest_of_others(rows, -self.levels.top).reshape(-1)
        mask = self._family.masks[name]
        ranks = self.levels.ranks(mask.values)
        return self.spread([ranks[clip] for clip in mask.clips], -self.levels.top)

    def spread(self, clips: Sequence[NDArray[Any]], between: int | bool) -> NDArray[Any]:
        """Arrays of frames × classes laid out one after another, class by class, with a value in the gaps."""
        layout = self.layout
        kind = clips[0].dtype if clips else np.dtype(np.int64)
        flat = np.full(layout.words * WORD, between, dtype=kind)
        starts = layout.start.reshape(len(self._family.classes), -1)
        for clip, values in enumerate(clips):
            for label, start in enumerate(starts[:, clip].tolist()):
                flat[start : start + len(values)] = values[:, label]
        return flat

    def gather(self, flat: NDArray[Any], segment: int) -> NDArray[Any]:
        """The frames of one segment."""
        start = int(self.layout.start[segment])
        return flat[start : start + int(self.layout.frames[segment])]


def greatest_of_others(rows: Ranks, least: int) -> Ranks:
    """Of every class the greatest rank of the other classes, classes × frames; `least` where there is no other."""
    # What comes before each class and what comes after it, accumulated once each, instead of a pass for every pair.
    before, after = (np.full_like(rows, least) for _ in range(2))
    before[1:] = np.maximum.accumulate(rows, axis=0)[:-1]
    after[:-1] = np.maximum.accumulate(rows[::-1], axis=0)[::-1][1:]
    return np.maximum(before, after)


# The soft family of a scored one: sides that a threshold decoded from scores as margins, all else as masks.


@dataclass(frozen=True, slots=True, eq=False)
class DecodedSide:
    """The field and the threshold a side was decoded with, and of every class of the family the columns it unites."""

    scores: ScoreField
    threshold: Fraction
    columns: Sequence[Sequence[int]]


def decoded_family(family: Family, decoded: Mapping[Side, DecodedSide]) -> SoftFamily:
    """The soft family whose Boolean reading is a family of traces projected by `centre` (rule 18.11)."""
    masks = {name: _mask(family, runs) for name, runs in family.masks.items()}
    for side in Side:
        own = decoded.get(side)
        masks[f"{side.value}_active"] = _mask(family, family.runs[side]) if own is None else _field(family, own)
    ignored = tuple(active_frames(family, family.ignored, clip) for clip in range(len(family.clips)))
    return SoftFamily(family.step, family.clips, family.frames, family.classes, masks, ignored)


def active_frames(family: Family, runs: Runs, clip: int) -> NDArray[np.bool_]:
    """The frames of a clip in which runs are, frames × classes."""
    active = np.zeros((family.frames[clip], len(family.classes)), dtype=np.bool_)
    for label in range(len(family.classes)):
        for start, end in runs.get(family.segment(label, clip), ()):
            active[start:end, label] = True
    return active


def _mask(family: Family, runs: Runs) -> SoftMask:
    clips = (active_frames(family, runs, clip).astype(np.int64) for clip in range(len(family.clips)))
    return SoftMask((mask_margin(False), mask_margin(True)), tuple(clips))


def _field(family: Family, side: DecodedSide) -> SoftMask:
    """The margins of a side by their places; a class of several columns has the greatest of theirs."""
    margins = Margins(side.scores.levels, side.threshold)
    clips = []
    for name, frames in zip(family.clips, family.frames, strict=True):
        places = np.full((frames, len(family.classes)), NOWHERE, dtype=np.int64)
        if (scores := side.scores.clips.get(name)) is not None:
            ranks = scores.projected(family.step, frames)
            for label, columns in enumerate(side.columns):
                if columns:
                    places[:, label] = ranks[:, list(columns)].max(axis=1)
        clips.append(np.where(places == NOWHERE, len(margins) - 1, places))
    return SoftMask(margins, tuple(clips))


# Soft values of a contract on a soft family: sums of margins over the obligations, exact (rule 18.10).

Flags = NDArray[np.bool_]


class SoftEntry(NamedTuple):
    """What one clip and class contribute to the soft score of a clause: the sum of the cut margins, and the counts."""

    total: Fraction
    satisfied: int
    obligated: int
    least: Margin | None


@dataclass(frozen=True, eq=False)
class SoftCard:
    """The soft values of every frame clause of a contract on a family.

    Attributes:
        contract: the contract.
        family: the clips and classes.
        atoms: the ranks of the atoms over their layout.
        judged: the frames of the clips that are not ignored.
        duties: by clause, the ranks of its obligation.
        values: by clause, the ranks of its formula.
    """

    contract: Contract
    family: SoftFamily
    atoms: SoftAtoms
    judged: Flags
    duties: Mapping[str, Ranks]
    values: Mapping[str, Ranks]

    @cached_property
    def obligations(self) -> Mapping[str, Flags]:
        """By clause, where it asks."""
        return {name: (ranks > 0) & self.judged for name, ranks in self.duties.items()}

    def pooled(self, clause: str) -> Fraction:
        """The pooled score of the Boolean reading: the share of the obligations that hold; 1 of none."""
        obliged = self.obligations[clause]
        asked, held = (int(np.count_nonzero(some)) for some in (obliged, obliged & (self.values[clause] > 0)))
        return Fraction(held, asked) if asked else Fraction(1)

    def violated(self, clause: str) -> RankedMargins:
        """The margin of every violated frame of a clause, by segment and time."""
        ranks = self.values[clause]
        return RankedMargins(self.atoms.levels, ranks[self.obligations[clause] & (ranks < 0)])

    def sums(self, clause: str) -> Iterator[tuple[int, Fraction, Margin]]:
        """The segments that are asked, each with the sum of its cut margins and the least of them."""
        positions = np.flatnonzero(self.obligations[clause])
        if not len(positions):
            return
        segments, _ = self.atoms.layout.locate(positions)
        first = np.flatnonzero(np.diff(segments, prepend=-1))
        ranks, levels = self.values[clause][positions], self.atoms.levels
        least = np.minimum.reduceat(ranks, first).tolist()
        for segment, total, rank in zip(segments[first].tolist(), levels.totals(ranks, first), least, strict=True):
            yield segment, total, levels.value(rank)

    def entry(self, clause: str, clip: int, label: int) -> SoftEntry:
        """The sum and counts of one clip and class."""
        segment = label * len(self.family.clips) + clip
        obliged = self.atoms.gather(self.obligations[clause], segment)
        ranks = self.atoms.gather(self.values[clause], segment)[obliged]
        if not len(ranks):
            return SoftEntry(Fraction(0), 0, 0, None)
        levels = self.atoms.levels
        (total,) = levels.totals(ranks, np.zeros(1, dtype=np.int64))
        return SoftEntry(total, int((ranks > 0).sum()), len(ranks), levels.value(int(ranks.min())))


def soft_scores(contract: Contract, family: SoftFamily) -> SoftCard:
    """Evaluate every frame clause of a contract softly on every clip and class of a family."""
    atoms = SoftAtoms(family, family.layout(contract.reach))
    ranks = evaluate_masks(contract.formulas, atoms, atoms.algebra)
    names = [clause.name for clause in contract.frame_clauses]
    judged = ~atoms.spread(family.ignored, True)
    duties, values = (dict(zip(names, some, strict=True)) for some in (ranks[::2], ranks[1::2]))
    return SoftCard(contract, family, atoms, judged, duties, values)
