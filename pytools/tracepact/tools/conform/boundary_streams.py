"""Random streams at boundaries of sizes: long ones, late verdicts, clauses, chunks; measures, components, lines."""

import json
from collections.abc import Callable
from fractions import Fraction
from random import Random

from tracepact.tools.conform.boundaries import Case, Experiment, Tree, clip, far, formula, joined, mask
from tracepact.tools.conform.names import LABELS, NAMES
from tracepact.tools.conform.sizes import spread
from tracepact.tools.conform.vectors import Profile

_OFTEN = 0.25
"""How many of the cases that may be long streams of single frames are."""


def _streamed(chunked: bool) -> Callable[[Random, str, int], Case]:
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

    def given() -> object:
        values = [rng.choice((0, 1, True, False)) for _ in range(channels)]
        return values if channels > 1 or rng.random() < 0.2 else values[0]

    frame: Case = {side: given() for side in rng.sample(("ref", "pred"), rng.choice((1, 2, 2)))}
    if rng.random() < 0.3:
        names = (*NAMES, "ref_onset", "pred_offset", "other_ref_active") if rng.random() < 0.1 else NAMES
        frame["masks"] = {name: given() for name in rng.sample(names[-12:], rng.choice((1, 2)))}
    if rng.random() < 0.2:
        frame["ignore"] = given()
    if rng.random() < 0.1:
        _spoil(rng, frame)
    return json.dumps(frame)


def _spoil(rng: Random, frame: Case) -> None:
    """Put what is no value in the place of one, or in a list of several."""
    places = [(frame, key) for key in frame if key != "masks"] + [
        (frame["masks"], key) for key in frame.get("masks", ())
    ]
    holder, key = rng.choice(places)
    given = holder[key]
    if isinstance(given, list) and rng.random() < 0.5:
        given[rng.choice((0, -1))] = rng.choice(_WRONG)
    else:
        holder[key] = rng.choice(_WRONG)


def _end_line(rng: Random) -> str:
    names = rng.sample(LABELS, rng.randrange(1, 4))
    return json.dumps({"end": names if rng.random() < 0.6 else names[0]}, ensure_ascii=rng.random() < 0.5)


STREAM_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.STREAMING: {
        "long streams": Experiment(
            _streamed(chunked=False),
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
    Profile.CHUNKS: {
        "large chunks": Experiment(
            _streamed(chunked=True),
            {"chunk": 1 << 16, "frames": 1 << 16, "delay": 1 << 9, "clauses": 1 << 4},
            {"chunk": 1 << 16, "frames": 1 << 17, "delay": 1 << 16, "clauses": 1 << 6},
        ),
    },
}
