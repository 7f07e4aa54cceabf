"""Random cases that turn on one witness: far from the frames it decides, in traces long against the window.

Masks drawn at random rarely have a long stretch that one frame decides. Here the left side goes on for the whole trace
but for a hole or two, and the witness stands alone: whatever is forgotten, cut or lost on the way changes a verdict.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tracepact.tools.conform.boundaries import Case, Experiment, Tree
from tracepact.tools.conform.names import NAMES
from tracepact.tools.conform.sizes import boundary_places, spread
from tracepact.tools.conform.vectors import Profile

_SHORT = 1 << 9
"""A window up to this reach gets a trace several times as long; a longer one a trace just long enough."""

_SMALL = 8
"""Streams of shorter reach are drawn elsewhere; one between two powers of two takes their place."""


# Formulas


def _ahead(rng: Random, reach: int) -> Tree:
    """An operator that looks so far ahead along `p` for `q`, or one within another."""
    low = rng.choice((0, 0, reach, reach // 2, max(reach - 1, 0)))
    near = rng.randrange(4)
    until: Tree = ["U", reach, "p", "q"]
    return rng.choice(
        (
            until,
            until,
            ["or", until, ["G", 0, reach, "p"]],
            ["not", ["U", reach, ["not", "q"], ["not", "p"]]],
            ["F", low, reach, "q"],
            ["F", low, reach, "q"],
            ["G", low, reach, "p"],
            ["G", low, reach, ["not", "q"]],
            ["U", reach, "p", ["F", 0, near, "q"]],
            ["U", reach, ["F", 0, near, "p"], "q"],
            ["F", 0, near, until],
            ["and", "p", until],
        )
    )


def _mirrored(tree: Tree) -> Tree:
    """The formula with future and past exchanged."""
    if not isinstance(tree, list):
        return tree
    operator, *rest = tree
    if operator in ("F", "G"):
        return [operator, -rest[1], -rest[0], _mirrored(rest[2])]
    return [{"U": "S", "S": "U"}.get(operator, operator), *map(_mirrored, rest)]


def _turning(rng: Random, reach: int, *, back: bool) -> Tree:
    """One operator; or whether two agree, which changes with either; with `back` also those that look back."""
    one = _ahead(rng, reach)
    if back:
        one = rng.choice((one, _mirrored(one), _mirrored(one), ["F", -reach, reach, "q"], _both_ways(rng, reach)))
    if rng.random() < 0.25:
        return ["iff", one, _turning(rng, rng.choice((reach, max(reach - 1, 0), reach // 2)), back=back)]
    return one


def _both_ways(rng: Random, reach: int) -> Tree:
    """An operator that looks back over one that looks ahead, or the other way round."""
    near = rng.randrange(4)
    one: Tree = ["U", reach, "p", ["S", near, "p", "q"]]
    two: Tree = ["F", -near, near, ["U", reach, "p", "q"]]
    return rng.choice((one, _mirrored(one), two, _mirrored(two)))


def _named(tree: Tree, names: dict[str, str]) -> Tree:
    if isinstance(tree, str):
        return names[tree]
    return [tree[0], *(_named(part, names) for part in tree[1:])] if isinstance(tree, list) else tree


# Traces


@dataclass(frozen=True, slots=True)
class _Scene:
    """A trace of `p` with few holes and of `q` with few witnesses, one of these, and the reach that it is for."""

    frames: int
    witness: int
    reach: int
    holes: tuple[int, ...]
    witnesses: tuple[int, ...]

    @property
    def masks(self) -> dict[str, str]:
        """The masks of both."""
        return {"p": _but_for("1", self.frames, self.holes), "q": _but_for("0", self.frames, self.witnesses)}

    def places(self, rng: Random) -> set[int]:
        """Where a state is most at stake: about the witness, half way to the frames it decides, late, at a boundary."""
        reach, at = self.reach, self.witness
        some = {at, at + 1, at + reach // 2, at + reach, at + reach + 1, at - reach // 2, self.frames, self.frames // 2}
        some |= {boundary_places(rng, self.frames, ()), boundary_places(rng, self.frames, (at,))}
        return {place for place in some if 0 < place <= self.frames}


def _but_for(digit: str, frames: int, places: tuple[int, ...]) -> str:
    digits = bytearray(digit.encode()) * frames
    for place in places:
        if 0 <= place < frames:
            digits[place] ^= 1
    return digits.decode()


def _scene(rng: Random, reach: int, frames: int = 0) -> _Scene:
    """A lone witness, or one of two, with as many frames on both sides as the reach asks for."""
    if frames:
        witness = boundary_places(rng, frames, (reach, frames - reach - 1))
    else:
        before = rng.choice((reach, reach + 1, reach + 2))
        after = rng.choice((0, 1, reach, reach + 1, reach + 2)) if reach <= _SHORT else rng.choice((1, reach + 2))
        more = rng.choice((0, 0, reach, 64, 3)) if reach <= _SHORT else 0
        witness, frames = before + more, before + more + 1 + after
    holes: tuple[int, ...] = ()
    if rng.random() < 0.5:
        away = rng.choice((reach, reach + 1, reach // 2, max(reach - 1, 1)))
        holes = tuple(rng.sample((witness - away, witness + away, witness - away - 1, witness), rng.randrange(1, 3)))
    second = (witness + rng.choice((1, 1, -1)) * (reach + rng.choice((1, 2, reach + 1))),) if rng.random() < 0.3 else ()
    return _Scene(frames, witness, reach, holes, (witness, *second))


def _names(rng: Random) -> dict[str, str]:
    """Names for the two atoms, now and then odd ones."""
    return dict(zip("pq", rng.sample(NAMES, 2) if rng.random() < 0.3 else "pq", strict=True))


# Cases


def _judged(*, back: bool) -> Callable[[Random, str, int], Case]:
    """Whole traces."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        reach = size if dimension == "reach" else rng.choice((9, 40, 64, 100, 255, size // 2))
        scene = _scene(rng, reach, size if dimension == "frames" else 0)
        names = _names(rng)
        tree = ["iff", _turning(rng, reach, back=back), _turning(rng, reach, back=back)]
        tree = rng.choice((tree, _turning(rng, reach, back=back)))
        masks = {names[name]: mask for name, mask in scene.masks.items()}
        clips: list[Case] = [{"frames": scene.frames, "masks": masks}]
        return {"ask": "verdicts", "formula": _named(tree, names), "clips": clips}

    return make


def _streamed(*, chunked: bool) -> Callable[[Random, str, int], Case]:
    """Streams, most of them interrupted where the state is most at stake."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        reach = size if dimension == "reach" and size > _SMALL else rng.choice((5, 17, 33, 40, 50, 65, 90, 100))
        scene = _scene(rng, reach, max(size, reach + 2) if dimension == "frames" else 0)
        names = _names(rng)
        count = size if dimension == "clauses" else rng.choice((1, 2, 2, 3))
        clauses = []
        for _ in range(count):
            own = rng.choice((reach, reach, reach, max(reach - 1, 0), reach // 2))
            obligation = rng.choice((True, True, True, "p", "q", ["not", "q"], _turning(rng, own, back=True)))
            formula = _turning(rng, own, back=True)
            clauses.append({"obligation": _named(obligation, names), "formula": _named(formula, names)})
        masks = {names[name]: mask for name, mask in scene.masks.items()}
        case: Case = {"ask": "stream", "clauses": clauses, "trace": {"frames": scene.frames, "masks": masks}}
        places = scene.places(rng)
        if chunked:
            case["chunks"] = _chunks(rng, scene.frames, places)
            places = set(range(1, len(case["chunks"]) + 1))
        if rng.random() < 0.7:
            case["interrupt"] = sorted(rng.sample(sorted(places), min(len(places), rng.randrange(1, 4))))
        if rng.random() < 0.15:
            case["reopen"] = min(max(places), rng.choice((1, 2, 3)))
        return case

    return make


def _chunks(rng: Random, frames: int, places: set[int]) -> list[int]:
    """Chunks cut at some of these places, equal ones, or any."""
    match rng.randrange(4):
        case 0:
            size = rng.choice([n for n in (1, 5, 8, 16, 31, 64, 100) if 32 * n >= frames and n <= frames] or [frames])
            return [size] * (frames // size) + ([frames % size] if frames % size else [])
        case 1:
            return spread(rng, frames, rng.randrange(1, 9))
    ends = sorted({*rng.sample(sorted(places), rng.randrange(1, len(places) + 1)), frames})
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


WITNESS_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.CORE: {"far witnesses, ahead": Experiment(_judged(back=False), {"reach": 1 << 16, "frames": 1 << 12})},
    Profile.PAST: {"far witnesses": Experiment(_judged(back=True), {"reach": 1 << 16, "frames": 1 << 12})},
    Profile.STREAMING: {
        "far witnesses in streams": Experiment(
            _streamed(chunked=False),
            {"reach": 1 << 7, "frames": 1 << 8, "clauses": 1 << 2},
            {"reach": 1 << 8, "frames": 1 << 10, "clauses": 1 << 4},
        ),
    },
    Profile.CHUNKS: {
        "far witnesses in chunks": Experiment(
            _streamed(chunked=True),
            {"reach": 1 << 11, "frames": 1 << 13, "clauses": 1 << 2},
            {"reach": 1 << 13, "frames": 1 << 14, "clauses": 1 << 4},
        ),
    },
}
