"""Random cases at the boundaries of sizes: long traces and windows, many clips, names of every shape."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Tree, formula_of
from tracepact.language.formula import atoms

# Names of every shape that the language allows, for random cases: what programs take for something else.

NAMES = (
    *("p", "q", "r", "_", "p1", "p10", "p9", "P", "N1", "Fx", "True", "notp", "iff_", "ons", "steps", "U_U", "__"),
    *("__proto__", "constructor", "toString", "hasOwnProperty", "length", "None", "self", "null", "NaN", "e1"),
)
"""Names (rule 1.3): beginnings of reserved words, and what means something in the languages monitors are written in."""

LABELS = (
    *("a", "A", "b", "ab", "a b", " a", "a ", "B", "_", "-", "1", "9", "10", "1.0", "on", "step", "null"),
    *("\u00e9", "e\u0301", "\u00c9", "\u00df", "SS", "\u0131", "I", "\u4e2d", "\u4e2d\u6587"),
    *("\ue000", "\uf8ff", "\uff21", "\uffee", "\ufffd", "\U00010000", "\U0001f600", "\U0001f600a", "\U0010fffd"),
    *("\uff21\U0001f600", "\U0001f600\uff21", "a\ue000", "a\U0001f600"),
    *('say "hi"', "back\\slash", "# no comment", "__proto__", "constructor", "*", "%", "a/b", "=1"),
    *("a\x0cb", "a\x08b", "a\tb", "a\rb", "\x7f", "\u2028"),
)
"""Labels, any text: UTF-16 puts what is beyond U+FFFF before U+E000, code points do not; others fold, trim, compose."""

CONFUSED = (
    *(("\uff21", "\U0001f600"), ("\ue000", "\U00010000"), ("\uffee", "\U0010fffd"), ("a\ue000", "a\U0001f600")),
    *(("\u00e9", "e\u0301"), ("\u00e9", "\u00c9"), ("a", "A"), ("B", "a"), ("\u00df", "SS"), ("\u0131", "I")),
    *(("10", "9"), ("1", "1.0"), ("a", "a b"), ("a", " a"), ("a ", "a"), ("_", "B"), ("*", "a"), ("-", "a")),
)
"""Two labels each, which are one, or in another order, for who folds, trims, composes or orders by anything else."""

RESERVED = (
    *("contract", "step", "param", "merge_gap", "sweep", "aggregate", "matcher", "projection", "labels", "atom"),
    *("soft_scale", "clause", "profile", "on", "each", "over", "N", "F", "G", "U", "S"),
    *("true", "false", "not", "and", "or", "implies", "iff"),
)
"""The reserved words (rule 1.3): as a label each is in quotation marks (rule 11.6)."""


def some_names(rng: Random, pool: Sequence[str], count: int) -> list[str]:
    """So many names of a pool, each once; where it has too few, some with a number."""
    names = rng.sample(pool, min(count, len(pool)))
    return names + [f"{rng.choice(names)}_{k}" for k in range(count - len(names))]


def shuffled_names(rng: Random, pool: Sequence[str], count: int) -> list[str]:
    """So many names of a pool, each once, in an order that no sorting gives."""
    names = some_names(rng, pool, count)
    rng.shuffle(names)
    return names


def quoted(text: str) -> str:
    """A text in quotation marks, as the language writes it (rule 11.6)."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# Sizes that programs get wrong, and the steering of random cases towards those that were seen least.

Cell = tuple[str, int]
"""A dimension of a case and the power of two that its size is near."""


def near(rng: Random, power: int, most: int) -> int:
    """A size at, just below, just above or a little beyond a power of two, at most `most`."""
    # One less and one more as well: a fault at a machine word begins with the first bit beyond, or with the last one
    # inside.
    base = 1 << power
    size = rng.choice((base - 1, base, base, base + 1, base + 1, base + rng.randrange(1, base + 1)))
    return max(1, min(size, most))


def powers(most: int) -> range:
    """The powers of two up to a size."""
    return range(most.bit_length() if most & (most - 1) == 0 else most.bit_length() - 1 + 1)


class Guide:
    """Which sizes of an experiment were drawn how often; the next one is one of those that were drawn least.

    Where the implementation tells of itself (its branches), a size that showed something new is drawn again.
    """

    def __init__(self, dimensions: Mapping[str, int], rng: Random) -> None:
        self._most = dict(dimensions)
        self._rng = rng
        self._drawn: Counter[Cell] = Counter({(d, k): 0 for d, most in dimensions.items() for k in powers(most)})
        self._last: Cell | None = None

    def next(self) -> tuple[str, int]:
        """The dimension and the size of the next case."""
        # The least drawn first, and no free choice: among thirty sizes a hundred free draws would miss one or two.
        least = min(self._drawn.values())
        cell = self._rng.choice([cell for cell, times in self._drawn.items() if times == least])
        self._drawn[cell] += 1
        self._last = cell
        dimension, power = cell
        return dimension, near(self._rng, power, self._most[dimension])

    def welcome(self) -> None:
        """The last case showed something new: its size comes once more."""
        if self._last is not None:
            self._drawn[self._last] -= 1

    @property
    def drawn(self) -> dict[Cell, int]:
        """How often each size was drawn."""
        return dict(self._drawn)


def spread(rng: Random, total: int, parts: int) -> list[int]:
    """So many sizes of at least one that add up to a total."""
    # Distinct cuts, so that no part is empty.
    cuts = sorted(rng.sample(range(1, total), min(parts, total) - 1)) if total > 1 else []
    return [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def boundary_places(rng: Random, frames: int, near_to: Sequence[int]) -> int:
    """A frame of a trace: often its first or last, at a multiple of 8, 64 or 2^16, or near to a given one."""
    choices = [0, frames - 1, rng.randrange(frames), rng.randrange(frames)]
    choices += [at + d for at in near_to for d in (-1, 0, 1)]
    # The widths of bytes, of machine words and vector registers, and what 16 bits count.
    for word in (8, 16, 32, 64, 256, 1 << 16):
        if word < frames:
            choices.append(word * rng.randrange(1, (frames - 1) // word + 1) + rng.choice((-1, 0)))
    return min(max(rng.choice(choices), 0), frames - 1)


# Random cases at the boundaries of sizes: long traces and windows, many clips, atoms, clauses, chunks and candidates.
#
# Nothing here needs Hypothesis. A case is drawn from a dimension and a size; `sizes.Guide` says which come next.

Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A kind of case, the dimensions it has, each with its greatest size, by default and in a long run."""

    make: Callable[[Random, str, int], Case]
    most: Mapping[str, int]
    longest: Mapping[str, int] | None = None

    def dimensions(self, *, long: bool) -> Mapping[str, int]:
        """The greatest size of every dimension."""
        return self.longest if long and self.longest is not None else self.most


def by_dimension(makers: Mapping[str, Callable[[Random, int], Case]]) -> Callable[[Random, str, int], Case]:
    """What makes the cases of an experiment whose dimensions are kinds of cases."""
    return lambda rng, dimension, size: makers[dimension](rng, size)


Experiments = Mapping[ConformanceProfile, Mapping[str, Experiment]]
"""Experiments by their names, for each profile that has any."""


def formula_case(text: str, step: str = "0.02") -> Case:
    """The question what a formula's text means."""
    return {"ask": "formula", "text": text, "step": step}


def contract_case(lines: Sequence[str]) -> Case:
    """The question what the lines of a contract mean."""
    return {"ask": "contract", "text": "\n".join(lines) + "\n"}


# Masks


def mask(rng: Random, frames: int, near_to: tuple[int, ...] = (), *, dense: float = 0.5) -> str:
    """A mask with few runs, most of their ends at boundaries; short ones are often noise."""
    if frames == 0:
        return ""
    # Noise finds faults in short traces. In long ones it makes every window hold and every until fail, so those have
    # few runs.
    if frames <= 64 and rng.random() < 0.6:
        return "".join(rng.choice("01") if rng.random() < 0.9 else "1" for _ in range(frames))
    digits = bytearray(b"1" if rng.random() < dense else b"0") * frames
    for _ in range(rng.randrange(1, 7)):
        at = boundary_places(rng, frames, near_to)
        length = rng.choice((1, 1, 1, 2, near(rng, rng.randrange(1, 8), frames), rng.randrange(1, frames + 1)))
        digits[at : at + length] = (b"0" if digits[at] == 49 else b"1") * len(digits[at : at + length])
    return digits.decode()


def clip(rng: Random, names: list[str], frames: int, near_to: tuple[int, ...] = ()) -> Case:
    """A clip with a mask for every name."""
    return {"frames": frames, "masks": {name: mask(rng, frames, near_to) for name in names}}


# Formulas


def leaf(rng: Random, names: list[str]) -> Tree:
    """An atom, or now and then a constant."""
    return rng.choice(names) if rng.random() < 0.92 else rng.random() < 0.5


def far(rng: Random, names: list[str], radius: int, *, back: bool) -> Tree:
    """A window or an until with this radius over atoms; with `back` also one that looks back."""
    a, b = rng.sample(names, 2) if len(names) > 1 else names * 2
    lo = rng.choice((0, 0, radius, max(radius - 1, 0), radius // 2))
    kinds = ["F", "G", "U"] + (["F-", "G-", "S", "N"] if back else [])
    match rng.choice(kinds):
        case "U":
            return ["U", radius, rng.choice([a, ["not", a]]), b]
        case "S":
            return ["S", radius, rng.choice([a, ["not", a]]), b]
        case "N":
            return ["F", -radius, radius, a]
        case "F-" | "G-" as kind:
            return [kind[0], -radius, -lo if rng.random() < 0.7 else rng.choice((0, lo)), a]
        case kind:
            return [kind, lo, radius, a]


def joined(rng: Random, left: Tree, right: Tree) -> Tree:
    """Two formulas, joined either way round."""
    pair = [left, right] if rng.random() < 0.5 else [right, left]
    return [rng.choice(("and", "or", "implies", "iff")), *pair]


def alike(rng: Random, names: list[str], radius: int, *, back: bool) -> Tree:
    """Parts that differ in one thing: the order of operands, the direction, a bound by one."""
    # Monitors that share equal parts of formulas take two for one when their keys lack something: each pair here
    # differs in one thing that a key may lack.
    a, b = rng.sample(names, 2)
    more = max(radius - 1, 0) if rng.random() < 0.5 else radius + 1
    pairs: list[tuple[Tree, Tree]] = [
        (["implies", a, b], ["implies", b, a]),
        (["U", radius, a, b], ["U", radius, b, a]),
        (["U", radius, a, b], ["U", more, a, b]),
        (["F", 0, radius, a], ["G", 0, radius, a]),
        (["F", 0, radius, a], ["F", 0, more, a]),
        (["F", min(1, radius), radius, a], ["F", 0, radius, a]),
        (["G", 0, radius, ["not", a]], ["G", 0, radius, a]),
        (["not", ["and", a, b]], ["and", ["not", a], b]),
    ]
    if back:
        pairs += [
            (["U", radius, a, b], ["S", radius, a, b]),
            (["S", radius, a, b], ["S", radius, b, a]),
            (["F", 0, radius, a], ["F", -radius, 0, a]),
            (["G", -radius, 0, a], ["F", -radius, 0, a]),
        ]
    return joined(rng, *rng.choice(pairs))


def formula(rng: Random, names: list[str], radius: int, *, back: bool) -> Tree:
    one = far(rng, names, radius, back=back)
    match rng.randrange(6):
        case 0:
            return ["not", one]
        case 1:
            return joined(rng, leaf(rng, names), one)
        case 2:
            return joined(rng, one, far(rng, names, rng.choice((1, 2, radius)), back=back))
        case 3:
            return alike(rng, names, radius, back=back)
        case _:
            return one


def _long(back: bool) -> Callable[[Random, str, int], Case]:
    """Traces long against their windows, and windows long against their traces."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        if dimension == "frames":
            frames, radius = size, rng.choice((0, 1, 2, 5, 63, 64, 65, size // 2, max(size - 1, 0), size))
        else:
            radius = size
            frames = rng.choice((max(radius // 2, 1), radius, radius + 1, radius + 2, 2 * radius + 3))
        names = ["p", "q"]
        tree = formula(rng, names, radius, back=back)
        at = rng.randrange(frames)
        return {"ask": "verdicts", "formula": tree, "clips": [clip(rng, names, frames, (at, at + radius, at - radius))]}

    return make


def _clips(back: bool) -> Callable[[Random, str, int], Case]:
    """Families of many clips, and of long ones, whose ends windows must not cross."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        names = ["p", "q"]
        radius = rng.choice((1, 2, 3, 7, 40))
        if dimension == "clips":
            lengths = [rng.choice((0, 1, 1, 2, 3, 9)) for _ in range(size)]
        else:
            lengths = [size, rng.choice((1, 2, size)), *[rng.randrange(1, 70) for _ in range(rng.randrange(3))]]
            rng.shuffle(lengths)
        tree = formula(rng, names, radius, back=back)
        return {"ask": "verdicts", "formula": tree, "clips": [clip(rng, names, n) for n in lengths]}

    return make


def _wide(rng: Random, dimension: str, size: int) -> Case:
    """Formulas of many atoms or of many levels."""
    names = [f"{rng.choice('pqrXY_')}{'_' * rng.randrange(2)}{k}" for k in range(size if dimension == "atoms" else 3)]
    if dimension == "atoms":
        # A balanced tree: a chain of as many atoms would be deeper than the protocol allows.
        parts: list[Tree] = list(names)
        while len(parts) > 1:
            rest = [joined(rng, a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
            parts = rest + parts[len(rest) * 2 :]
        tree = parts[0]
    else:
        tree = rng.choice(names)
        for _ in range(size):
            tree = rng.choice(
                [
                    ["not", tree],
                    joined(rng, rng.choice(names), tree),
                    ["F", 0, rng.randrange(3), tree],
                    ["G", 0, rng.randrange(2), tree],
                    ["U", rng.randrange(3), rng.choice(names), tree],
                    ["U", rng.randrange(3), tree, rng.choice(names)],
                ]
            )
    named = _names_of(tree)
    return {"ask": "verdicts", "formula": tree, "clips": [clip(rng, named, rng.randrange(1, 12)) for _ in range(2)]}


def _names_of(*trees: Tree) -> list[str]:
    """The atoms of some formulas."""
    return sorted(frozenset().union(*(atoms(formula_of(tree)) for tree in trees)))


def _counted(rng: Random, dimension: str, size: int) -> Case:
    """Clauses with many obligations, over frames or over clips, some frames ignored."""
    # Counts go wrong where a byte, or 16 bits, of obligations are full.
    names = ["p", "q"]
    lengths = [size] if dimension == "frames" else [rng.choice((0, 1, 2, 4)) for _ in range(size)]
    clips = [clip(rng, names, n) for n in lengths]
    for one in clips:
        if one["frames"] and rng.random() < 0.4:
            one["ignored"] = mask(rng, one["frames"], dense=0.2)
    obligation = rng.choice([True, "p", ["not", "p"], ["F", 0, 2, "p"]])
    body = rng.choice(["q", ["F", 0, 1, "q"], ["G", 0, 3, "q"], ["implies", "p", "q"]])
    for one in clips:
        one["masks"] = {name: one["masks"][name] for name in _names_of(obligation, body)}
    return {"ask": "clause", "obligation": obligation, "formula": body, "clips": clips}


FRAME_EXPERIMENTS: Experiments = {
    ConformanceProfile.CORE: {
        "long traces, ahead": Experiment(_long(back=False), {"frames": 1 << 17, "radius": 1 << 16}),
        "many clips, ahead": Experiment(_clips(back=False), {"clips": 1 << 10, "frames": 1 << 13}),
        "many atoms, many levels": Experiment(_wide, {"atoms": 1 << 9, "levels": 199}),
        "many obligations": Experiment(_counted, {"frames": 1 << 17, "clips": 1 << 10}),
    },
    ConformanceProfile.PAST: {
        "long traces": Experiment(_long(back=True), {"frames": 1 << 17, "radius": 1 << 16}),
        "many clips": Experiment(_clips(back=True), {"clips": 1 << 10, "frames": 1 << 13}),
    },
}
