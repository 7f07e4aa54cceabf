"""Random cases at the boundaries of sizes: long traces and windows, many clips, atoms, clauses, chunks and candidates.

Nothing here needs Hypothesis. A case is drawn from a dimension and a size; `sizes.Guide` says which come next.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tracepact.tools.conform.sizes import boundary_places, near
from tracepact.tools.conform.vectors import Profile

Case = dict[str, Any]
Tree = Any


@dataclass(frozen=True, slots=True)
class Experiment:
    """A kind of case, the dimensions it has, each with its greatest size, by default and in a long run."""

    make: Callable[[Random, str, int], Case]
    most: Mapping[str, int]
    longest: Mapping[str, int] | None = None

    def dimensions(self, *, long: bool) -> Mapping[str, int]:
        """The greatest size of every dimension."""
        return self.longest if long and self.longest is not None else self.most


# Masks


def mask(rng: Random, frames: int, near_to: tuple[int, ...] = (), *, dense: float = 0.5) -> str:
    """A mask with few runs, most of their ends at boundaries; short ones are often noise."""
    if frames == 0:
        return ""
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
    named = sorted(_names_of(tree))
    return {"ask": "verdicts", "formula": tree, "clips": [clip(rng, named, rng.randrange(1, 12)) for _ in range(2)]}


def _names_of(tree: Tree) -> set[str]:
    if isinstance(tree, str):
        return {tree}
    if not isinstance(tree, list):
        return set()
    return set().union(*(_names_of(part) for part in tree[1:]))


def _counted(rng: Random, dimension: str, size: int) -> Case:
    """Clauses with many obligations, over frames or over clips, some frames ignored."""
    names = ["p", "q"]
    lengths = [size] if dimension == "frames" else [rng.choice((0, 1, 2, 4)) for _ in range(size)]
    clips = [clip(rng, names, n) for n in lengths]
    for one in clips:
        if one["frames"] and rng.random() < 0.4:
            one["ignored"] = mask(rng, one["frames"], dense=0.2)
    obligation = rng.choice([True, "p", ["not", "p"], ["F", 0, 2, "p"]])
    body = rng.choice(["q", ["F", 0, 1, "q"], ["G", 0, 3, "q"], ["implies", "p", "q"]])
    for one in clips:
        one["masks"] = {name: one["masks"][name] for name in sorted(_names_of(obligation) | _names_of(body))}
    return {"ask": "clause", "obligation": obligation, "formula": body, "clips": clips}


FRAME_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.CORE: {
        "long traces, ahead": Experiment(_long(back=False), {"frames": 1 << 17, "radius": 1 << 16}),
        "many clips, ahead": Experiment(_clips(back=False), {"clips": 1 << 10, "frames": 1 << 13}),
        "many atoms, many levels": Experiment(_wide, {"atoms": 1 << 9, "levels": 199}),
        "many obligations": Experiment(_counted, {"frames": 1 << 17, "clips": 1 << 10}),
    },
    Profile.PAST: {
        "long traces": Experiment(_long(back=True), {"frames": 1 << 17, "radius": 1 << 16}),
        "many clips": Experiment(_clips(back=True), {"clips": 1 << 10, "frames": 1 << 13}),
    },
}
