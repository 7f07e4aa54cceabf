"""Random streams whose state is full or old: witnesses and failures without number, a witness from long ago.

Sizes are near powers of two and near round decimal numbers, for programs have bounds of both kinds. Most streams are
interrupted, some of them twice in a row.
"""

from collections.abc import Callable
from random import Random

from tracepact.tools.conform.boundaries import Case, Experiment, Tree
from tracepact.tools.conform.sizes import spread
from tracepact.tools.conform.vectors import Profile

_FEW = 40
"""Verdicts of a long stream of single frames that are out before its end: each costs a plain monitor the whole past."""

_SHORT = 200
"""A stream of single frames up to this length has its verdicts as early as can be."""


def _decimal(rng: Random, size: int) -> int:
    """The size, one between it and its double, or a round decimal number about as large, or one beside that."""
    tens = 10 ** (len(str(size)) - 1)
    rounds = [tens * k for k in (1, 2, 3, 5, 7) if tens * k <= 1.6 * size]
    return max(1, rng.choice((size, size + size // 5, rng.choice(rounds) + rng.choice((-1, 0, 1)), tens + 1)))


def _filled(pattern: str, frames: int) -> str:
    return (pattern * (frames // len(pattern) + 1))[:frames]


# Scenes: formulas, the masks of `p` and `q`, and the frames about which a state is most at stake

_Scene = tuple[list[Tree], str, str, tuple[int, ...]]


def _witnesses(rng: Random, size: int, most: int) -> _Scene:
    """So many witnesses within reach, each of which decides its own frame alone, for the left side never holds."""
    reach = size
    dense, other = rng.sample(("1", "1", "10", "110", "01111", "1000"), 2)
    before = rng.choice((0, reach, 2 * reach)) if most > _FEW else rng.randrange(1, _FEW // 2)
    after = reach + rng.randrange(1, _FEW // 2)
    q = _filled(dense, before) + _filled(other, after)
    holds = rng.choice(("0", "0", "0", "0" * 9 + "1"))
    formulas: list[Tree] = [
        ["U", reach, "p", "q"],
        ["not", ["U", reach, ["not", "q"], ["not", "p"]]],
        ["U", reach, "p", ["not", "q"]],
        ["F", reach, reach, "q"],
    ]
    return formulas, _filled(holds, len(q)), q, (before, before + reach, len(q) - 1)


def _failures(rng: Random, size: int, most: int) -> _Scene:
    """So many failures of the left side, then frames where it holds, then the witness."""
    failing = _filled(rng.choice(("0", "0", "10", "001")), size + rng.randrange(1, _FEW // 2))
    held = rng.choice((1, 2, 7, 30, min(size, 100)))
    p = failing + "1" * (held + rng.randrange(1, 4))
    at = len(failing) + held
    q = "0" * at + "1" + "0" * (len(p) - at - 1)
    reach = rng.choice((size, size + held, held + size // 2, held + 1))
    reach = max(reach, len(p) - most, 1)
    until: Tree = ["U", reach, "p", "q"]
    formulas: list[Tree] = [
        until,
        until,
        ["or", until, ["G", 0, reach, "p"]],
        ["G", 0, reach, ["implies", ["not", "q"], "p"]],
        ["not", ["F", 0, reach, ["not", "p"]]],
    ]
    return formulas, p, q, (len(failing), at, len(failing) // 2)


def _old(rng: Random, size: int, most: int) -> _Scene:
    """A witness, or a failure, and then nothing for so many frames."""
    age = _decimal(rng, size)
    at = rng.choice((0, 0, 1, 3))
    frames = at + age + rng.randrange(1, 4)
    reach = rng.choice((age, age + 1, age - 1, 2 * age, age + age // 3))
    p, q = "1" * frames, "0" * at + "1" + "0" * (frames - at - 1)
    if rng.random() < 0.2:
        p = p[:at] + "0" + p[at + 1 :]
    formulas: list[Tree] = [
        ["S", reach, "p", "q"],
        ["S", reach, "p", "q"],
        ["F", -reach, 0, "q"],
        ["F", -reach, -(age // 2), "q"],
        ["G", -reach, 0, ["not", "q"]],
        ["S", reach, "p", ["F", -1, 0, "q"]],
    ]
    return formulas, p, q, (at + age // 2, at + age, frames - 1)


_SCENES: dict[str, Callable[[Random, int, int], _Scene]] = {
    "witnesses": lambda rng, size, most: _witnesses(rng, _decimal(rng, size), most),
    "failures": _failures,
    "age": _old,
}


# Cases


def _streamed(*, chunked: bool) -> Callable[[Random, str, int], Case]:
    """A stream of one or two clauses."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        formulas, p, q, stakes = _SCENES[dimension](rng, size, 1 << 20 if chunked else _FEW)
        frames = len(p)
        obligation: Tree = True
        if not chunked and frames > _SHORT:
            obligation = ["F", 0, frames - _FEW, ["or", "p", ["not", "q"]]]  # it delays the verdicts, and nearly holds
        chosen = rng.sample(formulas, 2 if frames < 1 << 12 else 1)
        trace: Case = {"frames": frames, "masks": {"p": p, "q": q}}
        case: Case = {
            "ask": "stream",
            "clauses": [{"obligation": obligation, "formula": tree} for tree in chosen],
            "trace": trace,
        }
        places = sorted({min(max(at + d, 1), frames) for at in stakes for d in (0, 0, 1)})
        if chunked:
            case["chunks"] = _chunks(rng, frames, places)
            places = list(range(1, len(case["chunks"]) + 1))
        if rng.random() < 0.8:
            late = places[-2:][:1] if rng.random() < 0.7 else []
            some = {*late, *rng.sample(places, min(len(places), rng.choice((1, 1, 2))))}
            case["interrupt"] = sorted([*some] * rng.choice((1, 1, 2, 3)))
        return case

    return make


def _chunks(rng: Random, frames: int, places: list[int]) -> list[int]:
    """Chunks cut at some of these places and before the last frame, or a few of any size."""
    if rng.random() < 0.3:
        return spread(rng, frames, rng.randrange(1, 5))
    ends = sorted({*rng.sample(places, min(len(places), 2)), max(frames - 1, 1), frames})
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


STATE_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.STREAMING: {
        "full states in streams": Experiment(
            _streamed(chunked=False),
            {"witnesses": 1 << 11, "failures": 1 << 9, "age": 1 << 11},
            {"witnesses": 1 << 14, "failures": 1 << 11, "age": 1 << 14},
        ),
    },
    Profile.CHUNKS: {
        "full states in chunks": Experiment(
            _streamed(chunked=True), {"witnesses": 1 << 14, "failures": 1 << 10, "age": 1 << 16}
        ),
    },
}
