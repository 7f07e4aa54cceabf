"""Random streams at the boundaries of sizes: far witnesses, states that are full or old, components, lines."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_traces import (
    LABELS,
    NAMES,
    Experiment,
    Experiments,
    atom_names,
    by_dimension,
    mask,
    spread,
    turning,
    witness_scene,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Case, Tree, renamed

# Streams with a far witness: where frames come one by one or in chunks, over restores, and opened anew.

_SMALL = 8
"""Streams of shorter reach are drawn elsewhere; one between two powers of two takes their place."""


def _streamed(*, chunked: bool) -> Callable[[Random, str, int], Case]:
    """Streams, most of them interrupted where the state is most at stake."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        reach = size if dimension == "reach" and size > _SMALL else rng.choice((5, 17, 33, 40, 50, 65, 90, 100))
        scene = witness_scene(rng, reach, max(size, reach + 2) if dimension == "frames" else 0)
        names = atom_names(rng)
        count = size if dimension == "clauses" else rng.choice((1, 2, 2, 3))
        clauses = []
        for _ in range(count):
            clause_reach = rng.choice((reach, reach, reach, max(reach - 1, 0), reach // 2))
            obligation = rng.choice((True, True, True, "p", "q", ["not", "q"], turning(rng, clause_reach, back=True)))
            formula = turning(rng, clause_reach, back=True)
            clauses.append({"obligation": renamed(obligation, names), "formula": renamed(formula, names)})
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


# Random streams whose state is full or old: witnesses and failures without number, a witness from long ago.
#
# Sizes are near powers of two and near round decimal numbers, for programs have bounds of both kinds. Most streams
# are interrupted, some of them twice in a row.

_FEW = 40
"""Verdicts of a long stream of single frames that are out before its end: each costs a plain monitor the whole past."""

_SHORT = 200
"""A stream of single frames up to this length has its verdicts as early as can be."""


def _decimal(rng: Random, size: int) -> int:
    """The size, one between it and its double, or a round decimal number about as large, or one beside that."""
    # Programmers write 1000 as often as 1024.
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
    # The left side never holds, so no witness stands for another: a state that keeps fewer of them than there are loses
    # a verdict.
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
    # What failed long ago still decides that nothing before it reaches the witness.
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
    # A state that counts frames since the witness in too few bits, or that drops what is old, loses it now.
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


def _full_stream(*, chunked: bool) -> Callable[[Random, str, int], Case]:
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
            case["chunks"] = _chunks(rng, frames, set(places))
            places = list(range(1, len(case["chunks"]) + 1))
        if rng.random() < 0.8:
            # Mostly near the end, where the state is fullest.
            late = places[-2:][:1] if rng.random() < 0.7 else []
            some = {*late, *rng.sample(places, min(len(places), rng.choice((1, 1, 2))))}
            case["interrupt"] = sorted([*some] * rng.choice((1, 1, 2, 3)))
        return case

    return make


# Components


def _short_components(rng: Random, size: int) -> Case:
    """Two masks whose runs bridge one another."""
    step = rng.choice(("1", "0.02", "1/3", "0.001"))
    times = ("0", step, "1", "2", "0.04", "0.06", "2/3", "0.0005")
    masks = ["".join(rng.choice("0111" if rng.random() < 0.8 else "01") for _ in range(size)) for _ in range(2)]
    gap, search = rng.choice(times), rng.choice(times)
    return {"ask": "components", "step": step, "merge_gap": gap, "search": search, "ref": masks[0], "pred": masks[1]}


def _long_components(rng: Random, size: int) -> Case:
    """Few runs that go on for long, with a gap and a search that are long too, so that a component stays open."""
    step = Fraction(rng.choice(("1", "0.02", "1/3")))
    far_away = (0, 1, 2, 5, size // 2, size // 3, 33, 64)
    gap, search = (rng.choice(far_away) * step - rng.choice((0, 0, 0, step / 10**20)) for _ in range(2))
    places = (rng.randrange(size), size // 2)
    ref, pred = (mask(rng, size, places, dense=dense) for dense in rng.sample((0.8, 0.2, 0.5), 2))
    times = {"step": str(step), "merge_gap": str(max(gap, Fraction(0))), "search": str(max(search, Fraction(0)))}
    return {"ask": "components", **times, "ref": ref, "pred": pred}


# Lines

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
    '{"ref": {"raw": "1"}, "pred": 0}',
    '{"ref": {"raw": "1"}}',
    '{"ref": "1", "pred": 0}',
    '{"ref": null, "pred": 1}',
    '{"ref": [[1]], "pred": 1}',
    '{"ref": 1, "pred": 1, "ignore": {"raw": 1}}',
    '{"ref": 1, "pred": 1, "masks": [["zone", 1]]}',
)
_WRONG: tuple[object, ...] = (
    *({"raw": "1"}, {"raw": 1}, {}, {"0": 1}, [[1]], [[]], ["1"], [{"raw": 1}], [None], [0.5]),
    *("1", "0", "", "true", None, 1.0, 0.0, 1.5, 2, -1, 1 << 64),
)
"""What stands in the place of a value and is none (12.10)."""


def _lines(rng: Random, dimension: str, size: int) -> Case:
    """Lines of every kind, good and bad."""
    end = rng.choice(("\n", "\n", "\r\n"))
    some = [rng.choice(_LINES[:4] if rng.random() < 0.4 else (*_LINES, *_OBJECTS)) for _ in range(size)]
    text = rng.choice(("", "", "\ufeff")) + end.join(some) + rng.choice(("", end))
    return {"ask": "lines", "text": text, **({"channels": 2} if rng.random() < 0.3 else {})}


def _many_lines(rng: Random, dimension: str, size: int) -> Case:
    """Many lines, or many channels, that are all alike but for a few; streams and atoms have names of every shape."""
    channels = size if dimension == "channels" else rng.choice((1, 1, 2))
    some = [_frame_line(rng, channels) for _ in range(size if dimension == "lines" else rng.randrange(1, 5))]
    for _ in range(rng.randrange(1, 5)):
        other = rng.choice((*_LINES, *_OBJECTS, _frame_line(rng, channels + 1)))
        odd = rng.choice((other, other, _end_line(rng)))
        some.insert(rng.choice((len(some), len(some), rng.randrange(len(some) + 1))), odd)
    return {"ask": "lines", "text": "\n".join(some) + "\n", "channels": channels}


def _frame_line(rng: Random, channels: int) -> str:
    if channels == 1 and rng.random() < 0.7:
        return rng.choice(("0 0", "1 0", "0 1", "1 1"))

    def value() -> object:
        values = [rng.choice((0, 1, True, False)) for _ in range(channels)]
        return values if channels > 1 or rng.random() < 0.2 else values[0]

    frame: Case = {side: value() for side in rng.sample(("ref", "pred"), rng.choice((1, 2, 2)))}
    if rng.random() < 0.3:
        names = (*NAMES, "ref_onset", "pred_offset", "other_ref_active") if rng.random() < 0.1 else NAMES
        frame["masks"] = {name: value() for name in rng.sample(names[-12:], rng.choice((1, 2)))}
    if rng.random() < 0.2:
        frame["ignore"] = value()
    if rng.random() < 0.1:
        _spoil(rng, frame)
    return json.dumps(frame)


def _spoil(rng: Random, frame: Case) -> None:
    """Put what is no value in the place of one, or in a list of several."""
    places = [(frame, key) for key in frame if key != "masks"] + [
        (frame["masks"], key) for key in frame.get("masks", ())
    ]
    holder, key = rng.choice(places)
    value = holder[key]
    if isinstance(value, list) and rng.random() < 0.5:
        value[rng.choice((0, -1))] = rng.choice(_WRONG)
    else:
        holder[key] = rng.choice(_WRONG)


def _end_line(rng: Random) -> str:
    names = rng.sample(LABELS, rng.randrange(1, 4))
    return json.dumps({"end": names if rng.random() < 0.6 else names[0]}, ensure_ascii=rng.random() < 0.5)


STREAM_EXPERIMENTS: Experiments = {
    ConformanceProfile.STREAMING: {
        "far witnesses in streams": Experiment(
            _streamed(chunked=False),
            {"reach": 1 << 7, "frames": 1 << 8, "clauses": 1 << 5},
            {"reach": 1 << 8, "frames": 1 << 12, "clauses": 1 << 6},
        ),
        "full states in streams": Experiment(
            _full_stream(chunked=False),
            {"witnesses": 1 << 11, "failures": 1 << 9, "age": 1 << 11},
            {"witnesses": 1 << 14, "failures": 1 << 11, "age": 1 << 14},
        ),
        "components": Experiment(
            by_dimension({"short": _short_components, "long": _long_components}),
            {"short": 1 << 5, "long": 1 << 8},
            {"short": 1 << 6, "long": 1 << 9},
        ),
        "lines": Experiment(_lines, {"lines": 1 << 6}, {"lines": 1 << 12}),
        "many lines": Experiment(
            _many_lines, {"lines": 1 << 10, "channels": 1 << 7}, {"lines": 1 << 14, "channels": 1 << 9}
        ),
    },
    ConformanceProfile.CHUNKS: {
        "far witnesses in chunks": Experiment(
            _streamed(chunked=True),
            {"reach": 1 << 11, "frames": (1 << 16) + 64, "clauses": 1 << 4},
            {"reach": 1 << 13, "frames": 1 << 17, "clauses": 1 << 6},
        ),
        "full states in chunks": Experiment(
            _full_stream(chunked=True), {"witnesses": 1 << 14, "failures": 1 << 10, "age": 1 << 16}
        ),
    },
}
