"""Random cases at the boundaries of sizes: long traces and windows, many clips, atoms, clauses, chunks and candidates.

Nothing here needs Hypothesis. A case is drawn from a dimension and a size; `sizes.Guide` says which come next.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from tracepact.tools.conform.sizes import boundary_places, near, spread
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


def _formula(rng: Random, names: list[str], radius: int, *, back: bool) -> Tree:
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
        tree = _formula(rng, names, radius, back=back)
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
        tree = _formula(rng, names, radius, back=back)
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
    formula = rng.choice(["q", ["F", 0, 1, "q"], ["G", 0, 3, "q"], ["implies", "p", "q"]])
    for one in clips:
        one["masks"] = {name: one["masks"][name] for name in sorted(_names_of(obligation) | _names_of(formula))}
    return {"ask": "clause", "obligation": obligation, "formula": formula, "clips": clips}


# Streams


def _streamed(chunked: bool) -> Callable[[Random, str, int], Case]:
    """Streams with long delays and pasts, many clauses, interruptions at every kind of place, and opened anew."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        names = ["p", "q"]
        clauses = size if dimension == "clauses" else rng.choice((1, 1, 2, 3))
        radius = size if dimension == "delay" else rng.choice((0, 1, 2, 9, 17))
        if dimension in ("frames", "chunk"):
            frames = size if dimension == "frames" else size + rng.randrange(1, 9)
        else:
            frames = rng.choice((max(radius // 2, 2), radius + 1, radius + 3, radius * 2 + 5)) if clauses < 9 else 6
        case: Case = {
            "ask": "stream",
            "clauses": [
                {
                    "obligation": rng.choice(
                        [True, True, "p", ["not", "q"], far(rng, names, min(radius, 3), back=True)]
                    ),
                    "formula": _formula(rng, names, rng.choice((radius, radius, rng.randrange(radius + 1))), back=True),
                }
                for _ in range(clauses)
            ],
            "trace": clip(rng, names, frames, (radius, frames - radius)),
        }
        if chunked:
            case["chunks"] = _cut(rng, frames, size if dimension == "chunk" else 0)
        arrivals = len(case["chunks"]) if chunked else frames
        if rng.random() < 0.5:
            places = {0, arrivals, rng.randrange(arrivals + 1), min(radius, arrivals), min(radius + 1, arrivals)}
            case["interrupt"] = sorted(rng.sample(sorted(places), rng.randrange(1, len(places) + 1)))
        if rng.random() < 0.3:
            case["reopen"] = min(arrivals, rng.choice((1, 2, radius + 1)))
        return case

    return make


def _cut(rng: Random, frames: int, chunk: int) -> list[int]:
    """Chunks that add up: one of a given size among small ones, equal ones, or any."""
    if chunk:
        before = rng.randrange(frames - chunk + 1)
        return [n for n in (before, chunk, frames - chunk - before) if n]
    match rng.randrange(3):
        case 0:
            size = rng.choice([n for n in (1, 7, 8, 9, 63, 64, 65, 256) if n <= frames])
            return [size] * (frames // size) + ([frames % size] if frames % size else [])
        case 1:
            return [frames]
    return spread(rng, frames, rng.randrange(1, 9))


def _measured(rng: Random, dimension: str, size: int) -> Case:
    """Formulas that look far, by one bound or by many levels."""
    tree: Tree = "p"
    bounds = [size] if dimension == "bound" else [rng.randrange(-9, 10) for _ in range(min(size, 199))]
    for bound in bounds:
        other = rng.randrange(4)
        lo, hi = sorted((bound * rng.choice((-1, 1)), rng.choice((0, bound, -bound, 5))))
        tree = rng.choice(
            [
                [rng.choice("FG"), lo, hi, tree],
                ["U", abs(bound), tree, ["F", 0, other, "q"]],
                ["U", abs(bound), ["F", 0, other, "q"], tree],
                ["S", abs(bound), tree, ["F", -other, 0, "q"]],
                ["S", abs(bound), ["F", -other, 0, "q"], tree],
                joined(rng, tree, ["G", -other, other, "q"]),
            ]
        )
    return {"ask": "measure", "formula": tree}


def _components(rng: Random, dimension: str, size: int) -> Case:
    """Two masks whose runs bridge one another."""
    step = rng.choice(("1", "0.02", "1/3", "0.001"))
    times = ("0", step, "1", "2", "0.04", "0.06", "2/3", "0.0005")
    masks = ["".join(rng.choice("0111" if rng.random() < 0.8 else "01") for _ in range(size)) for _ in range(2)]
    gap, search = rng.choice(times), rng.choice(times)
    return {"ask": "components", "step": step, "merge_gap": gap, "search": search, "ref": masks[0], "pred": masks[1]}


_LINES = (
    "1 0",
    "0 1",
    "1\t1",
    " 0 0 ",
    "",
    "#",
    "  # 1 0",
    "\t",
    "1",
    "2 0",
    "1 0 1",
    "10",
    "{}",
    "1\x0c0",
    "1\u00a00",
)
_OBJECTS = (
    '{"ref": 1, "pred": 0}',
    '{"pred": true, "ref": false}',
    '{"ref": [1], "pred": [0]}',
    '{"ref": [1, 0], "pred": [0, 0]}',
    '{"ref": [], "pred": []}',
    '{"ref": 1, "pred": 1, "ignore": 1}',
    '{"ref": 0, "pred": 1, "masks": {"zone": 1}}',
    '{"masks": {"a": 0, "b": true}}',
    '{"masks": {"ref_active": 1}}',
    '{"end": "a"}',
    '{"end": ["a", "b"]}',
    '{"end": "a", "ref": 1}',
    '{"ref": 2, "pred": 0}',
    '{"ref": 1.0, "pred": 0}',
    '{"ref": 1, "ref": 1, "pred": 0}',
    '{"ref": 1, "pred": 0, "t": 1}',
    '{"ref": 1, "pred": 0',
    "[1, 0]",
)


def _lines(rng: Random, dimension: str, size: int) -> Case:
    """Lines of every kind, good and bad."""
    end = rng.choice(("\n", "\n", "\r\n"))
    some = [rng.choice(_LINES[:4] if rng.random() < 0.4 else (*_LINES, *_OBJECTS)) for _ in range(size)]
    text = rng.choice(("", "", "\ufeff")) + end.join(some) + rng.choice(("", end))
    return {"ask": "lines", "text": text, **({"channels": 2} if rng.random() < 0.3 else {})}


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
    Profile.STREAMING: {
        "long streams": Experiment(
            _streamed(chunked=False),
            {"frames": 1 << 8, "delay": 1 << 7, "clauses": 1 << 5},
            {"frames": 1 << 17, "delay": 1 << 10, "clauses": 1 << 7},
        ),
        "measures": Experiment(_measured, {"bound": 1 << 31, "levels": 64}),
        "components": Experiment(_components, {"frames": 1 << 5}, {"frames": 1 << 6}),
        "lines": Experiment(_lines, {"lines": 1 << 6}, {"lines": 1 << 12}),
    },
    Profile.CHUNKS: {
        "large chunks": Experiment(
            _streamed(chunked=True),
            {"chunk": 1 << 16, "frames": 1 << 17, "delay": 1 << 9, "clauses": 1 << 4},
            {"chunk": 1 << 16, "frames": 1 << 17, "delay": 1 << 16, "clauses": 1 << 6},
        ),
    },
}
