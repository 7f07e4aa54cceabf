"""Random streams at boundaries of sizes, and states that are full or old."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_traces import (
    LABELS,
    NAMES,
    Case,
    Experiment,
    Experiments,
    clip,
    far,
    formula,
    joined,
    mask,
    spread,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Tree

# Random streams at boundaries of sizes: long ones, late verdicts, clauses, chunks; measures, components, lines.

_OFTEN = 0.25
"""How many of the cases that may be long streams of single frames are."""


def _long_stream(chunked: bool) -> Callable[[Random, str, int], Case]:
    """Streams with long delays and pasts, many clauses, interruptions at every kind of place, and opened anew."""

    def make(rng: Random, dimension: str, size: int) -> Case:
        if dimension == "turn" and rng.random() < _OFTEN:
            return _turned(rng)
        names = ["p", "q"]
        clauses = size if dimension == "clauses" else rng.choice((1, 1, 2, 3) if size < 1 << 14 else (1, 1, 2))
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
                    "formula": formula(rng, names, rng.choice((radius, radius, rng.randrange(radius + 1))), back=True),
                }
                for _ in range(clauses)
            ],
            "trace": clip(rng, names, frames, (radius, frames - radius)),
        }
        if chunked:
            case["chunks"] = _cut(rng, frames, size if dimension == "chunk" else 0)
        arrivals = len(case["chunks"]) if chunked else frames
        # Before the first frame, behind the last, anywhere, and where the first verdict is out.
        if rng.random() < 0.5:
            places = {0, arrivals, rng.randrange(arrivals + 1), min(radius, arrivals), min(radius + 1, arrivals)}
            case["interrupt"] = sorted(rng.sample(sorted(places), rng.randrange(1, len(places) + 1)))
        if rng.random() < 0.3:
            case["reopen"] = min(arrivals, rng.choice((1, 2, radius + 1)))
        return case

    return make


def _turned(rng: Random) -> Case:
    """A stream of more frames than 16 bits number, one at a time; it takes seconds, so few of them are drawn."""
    frames = (1 << 16) + rng.randrange(3, 60)
    clauses = [{"obligation": True, "formula": "p"}, {"obligation": "p", "formula": ["F", -2, 1, "q"]}]
    return {"ask": "stream", "clauses": clauses, "trace": clip(rng, ["p", "q"], frames, (1 << 16,))}


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


def _long_components(rng: Random, dimension: str, size: int) -> Case:
    """Few runs that go on for long, with a gap and a search that are long too, so that a component stays open."""
    step = Fraction(rng.choice(("1", "0.02", "1/3")))
    far_away = (0, 1, 2, 5, size // 2, size // 3, 33, 64)
    gap, search = (rng.choice(far_away) * step - rng.choice((0, 0, 0, step / 10**20)) for _ in range(2))
    places = (rng.randrange(size), size // 2)
    ref, pred = (mask(rng, size, places, dense=dense) for dense in rng.sample((0.8, 0.2, 0.5), 2))
    times = {"step": str(step), "merge_gap": str(max(gap, Fraction(0))), "search": str(max(search, Fraction(0)))}
    return {"ask": "components", **times, "ref": ref, "pred": pred}


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
        "long streams": Experiment(
            _long_stream(chunked=False),
            {"frames": 1 << 8, "delay": 1 << 7, "clauses": 1 << 5},
            {"frames": 1 << 12, "delay": 1 << 8, "clauses": 1 << 6, "turn": 1},
        ),
        "measures": Experiment(_measured, {"bound": 1 << 31, "levels": 64}),
        "components": Experiment(_components, {"frames": 1 << 5}, {"frames": 1 << 6}),
        "long components": Experiment(_long_components, {"frames": 1 << 8}, {"frames": 1 << 9}),
        "lines": Experiment(_lines, {"lines": 1 << 6}, {"lines": 1 << 12}),
        "many lines": Experiment(
            _many_lines, {"lines": 1 << 10, "channels": 1 << 7}, {"lines": 1 << 14, "channels": 1 << 9}
        ),
    },
    ConformanceProfile.CHUNKS: {
        "large chunks": Experiment(
            _long_stream(chunked=True),
            {"chunk": 1 << 16, "frames": 1 << 16, "delay": 1 << 9, "clauses": 1 << 4},
            {"chunk": 1 << 16, "frames": 1 << 17, "delay": 1 << 16, "clauses": 1 << 6},
        ),
    },
}


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
            case["chunks"] = _chunks(rng, frames, places)
            places = list(range(1, len(case["chunks"]) + 1))
        if rng.random() < 0.8:
            # Mostly near the end, where the state is fullest.
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


STATE_EXPERIMENTS: Experiments = {
    ConformanceProfile.STREAMING: {
        "full states in streams": Experiment(
            _full_stream(chunked=False),
            {"witnesses": 1 << 11, "failures": 1 << 9, "age": 1 << 11},
            {"witnesses": 1 << 14, "failures": 1 << 11, "age": 1 << 14},
        ),
    },
    ConformanceProfile.CHUNKS: {
        "full states in chunks": Experiment(
            _full_stream(chunked=True), {"witnesses": 1 << 14, "failures": 1 << 10, "age": 1 << 16}
        ),
    },
}
