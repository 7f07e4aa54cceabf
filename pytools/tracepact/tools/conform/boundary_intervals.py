"""Random cases at the boundaries of sizes, for times, runs, matches and event clauses."""

from fractions import Fraction
from random import Random

from tracepact.core import ATTRIBUTES, Each, writable_attributes
from tracepact.tools.conform.boundaries import Case, Experiment, mask
from tracepact.tools.conform.vectors import Profile

Runs = list[list[int]]
STEPS = ("0.02", "0.01", "1/3", "0.0232", "1/7", "0.1")
"""Most of them no binary float."""

HAIRS = (Fraction(1, 10**9), Fraction(1, 10**20))
"""How far beside a tie, in steps: a float of the time may see the first and cannot see the second."""


def seconds(value: Fraction) -> str:
    """A time as cases write it: a decimal where there is one, else a fraction."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1:
        places = next(k for k in range(80) if (value * 10**k).denominator == 1)
        digits = str(int(value * 10**places)).rjust(places + 1, "0")
        return f"{digits[: len(digits) - places]}.{digits[len(digits) - places :]}" if places else digits
    return str(value)


def _tied(rng: Random, step: Fraction, frames: int) -> Fraction:
    """A time at a frame's edge or centre, or a hair beside it, or anywhere."""
    hair = rng.choice((0, 0, 1, -1)) * step / 10**6
    return max(
        Fraction(0), rng.choice((Fraction(frames), frames + Fraction(1, 2), Fraction(frames * 2, 3))) * step + hair
    )


def _project(rng: Random, dimension: str, size: int) -> Case:
    step = Fraction(rng.choice(STEPS))
    frames = size if dimension == "frames" else rng.randrange(3, 40)
    events = []
    for _ in range(size if dimension == "events" else rng.randrange(4)):
        start = rng.randrange(frames)
        ends = sorted(
            (_tied(rng, step, start), _tied(rng, step, min(start + rng.choice((0, 1, 3, frames)), frames + 2)))
        )
        events.append([seconds(end) for end in ends])
    duration = max(Fraction(0), frames * step - rng.choice((0, 0, 1)) * step / rng.choice((2, 1000)))
    projection = rng.choice(("centre", "touch", "inside"))
    return {
        "ask": "project",
        "step": seconds(step),
        "duration": seconds(duration),
        "projection": projection,
        "events": events,
    }


def _runs(rng: Random, dimension: str, size: int) -> Case:
    step = Fraction(rng.choice(STEPS))
    gap = size if dimension == "gap" else rng.choice((0, 1, 2, 3))
    frames = size if dimension == "frames" else 2 * gap + rng.randrange(4, 9)
    digits = mask(rng, frames, (gap, gap + 1))
    if dimension == "gap":
        more = rng.choice((-1, 0, 0, 1))
        digits = f"1{'0' * max(gap + more, 1)}11{'0' * max(gap - more, 1)}1"
    tie = gap * step + rng.choice((0, 0, 0, 1, -1)) * step * rng.choice(HAIRS)
    return {"ask": "runs", "mask": digits, "step": seconds(step), "merge_gap": seconds(max(tie, Fraction(0)))}


def side(rng: Random, runs: int, longest: int) -> Runs:
    """Runs in order, apart from one another."""
    found: Runs = []
    at = rng.randrange(3)
    for _ in range(runs):
        length = rng.randrange(1, longest + 1)
        found.append([at, at + length])
        at += length + rng.randrange(1, 4)
    return found


def chain(rng: Random, runs: int) -> tuple[Runs, Runs]:
    """Two sides whose runs bridge one another: each overlaps the next of the other side."""
    ref: Runs = []
    pred: Runs = []
    at = 0
    for _ in range(runs):
        a, b, c, d = (rng.randrange(1, 5) for _ in range(4))
        ref.append([at, at + a + b])
        pred.append([at + a, at + a + b + c + rng.choice((0, d))])
        at = max(pred[-1][1], ref[-1][1] + 1) - rng.choice((0, 0, 1)) * (pred[-1][1] > ref[-1][1] + 1)
        if at <= ref[-1][1]:
            at = ref[-1][1] + 1
        if rng.random() < 0.15:
            at = pred[-1][1] + 1
    fixed: Runs = []
    for start, end in pred:
        start = max(start, fixed[-1][1] + 1) if fixed else start
        if start < end:
            fixed.append([start, end])
    return ref, fixed


def mirrored(rng: Random, times: int) -> tuple[Runs, Runs]:
    """One run amid two that cost the same, several times: ties at every step."""
    one: Runs = []
    two: Runs = []
    at = 0
    for _ in range(times):
        length, gap, within = rng.randrange(2, 5), rng.randrange(1, 4), rng.randrange(1, 3)
        two += [[at, at + length], [at + length + gap, at + 2 * length + gap]]
        one.append([at + length - within, at + length + gap + within])
        at += 2 * length + gap + rng.randrange(1, 6)
    return (one, two) if rng.random() < 0.5 else (two, one)


def matcher(rng: Random, step: Fraction, kind: str = "") -> Case:
    """A matcher whose search is often exactly some frames."""
    frames = rng.choice((0, 1, 2, 3, 5, 8, 40))
    search = frames * step + rng.choice((0, 0, 0, -1)) * step * rng.choice(HAIRS)
    return {
        "kind": kind or rng.choice(("greedy", "optimal")),
        "search": str(max(search, Fraction(0))),
        "overlap_reward": rng.choice(("0", "1/2", "1/3", "2", "1/7", "1", f"1.{'0' * 19}1", "0." + "3" * 20)),
    }


def _sides(rng: Random, count: int, longest: int = 9) -> tuple[Runs, Runs]:
    match rng.randrange(4):
        case 0:
            return side(rng, count, longest), side(rng, max(1, count + rng.randrange(-1, 2)), longest)
        case 1:
            return mirrored(rng, max(1, count // 2))
    return chain(rng, count)


def _match(rng: Random, dimension: str, size: int) -> Case:
    step = Fraction(rng.choice(STEPS))
    if dimension == "length":
        ref, pred = _stretched(rng, size)
    else:
        ref, pred = _sides(rng, size)
    kind = dimension if dimension in ("greedy", "optimal") else ""
    return {"ask": "match", "step": str(step), "ref": ref, "pred": pred, "matcher": matcher(rng, step, kind)}


_FEW = 24
"""Components that a plain matcher has time for; more of them are drawn at once as many as matter."""


def _many_components(rng: Random, dimension: str, size: int) -> Case:
    """Components, each a run with two to choose from; few, or more than a byte counts or nearly so."""
    size = min(size, _FEW) if size < 100 else rng.randrange(240, 300)
    ref: Runs = []
    pred: Runs = []
    for k in range(size):
        at, cut = 20 * k, rng.randrange(1, 8)
        ref.append([at, at + 10])
        pred += [[at, at + cut], [at + cut + rng.randrange(1, 3), at + 10]]
    if rng.random() < 0.3:
        ref, pred = pred, ref
    kind = "greedy" if rng.random() < 0.2 else "optimal"
    chosen = {"kind": kind, "search": rng.choice(("10", "0", "3")), "overlap_reward": rng.choice(("0", "1/2"))}
    return {"ask": "match", "step": "1", "ref": ref, "pred": pred, "matcher": chosen}


def _stretched(rng: Random, size: int) -> tuple[Runs, Runs]:
    """Few runs, about so many frames long and apart."""
    ref, pred = chain(rng, rng.randrange(1, 5))
    short = [[a * size + (a > 0), b * size - 1] for a, b in pred]
    return [[a * size, b * size] for a, b in ref], [[a, b] for a, b in short if a < b]


def predicate(rng: Random, each: Each, step: Fraction, length: int) -> str:
    """Comparisons of every attribute with values that tie, joined without needless parentheses."""
    words = list(writable_attributes(each).items())
    parts = []
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        text, attribute = rng.choice(words)
        kind = ATTRIBUTES[attribute.name]
        relation = rng.choice(("<=", "<", ">=", ">", "==", "!="))
        match attribute.quantity.value:
            case "truth":
                part = text
            case "ratio":
                part = f"{text} {relation} {rng.choice(('0', '1', '1/2', '1/3', '2/3', '3/7', '0.3333333'))}"
            case "count":
                part = f"{text} {relation} {rng.randrange(4)}"
            case _:
                bound = rng.choice((rng.randrange(6), length, length - 1)) * step
                term = (
                    text
                    if kind.may_be_unbounded
                    else rng.choice(
                        (
                            text,
                            f"2 * {text}",
                            f"min({text}, {bound}s, 2s)",
                            f"max({text}, 1f)",
                            f"{text} - 1f",
                            f"-{text}",
                        )
                    )
                )
                part = f"{term} {relation} {rng.choice(('', '', '-'))}{bound}s"
        parts.append(f"{rng.choice(('', '', '', 'not ', 'not not '))}{part}")
    text = parts[0]
    for part in parts[1:]:
        text += f" {rng.choice(('and', 'or', 'implies', 'iff', '->', '<->', '&', '|'))} {part}"
    return text


def _events(rng: Random, dimension: str, size: int) -> Case:
    step = Fraction(rng.choice(("1", "0.02", "1/3", "0.0232")))
    each = rng.choice(list(Each))
    length = size if dimension == "length" else 4
    ref, pred = _stretched(rng, size) if dimension == "length" else _sides(rng, size, 6)
    frames = max([end for _, end in (*ref, *pred)], default=1) + 3
    case: Case = {
        "ask": "events",
        "step": str(step),
        "frames": frames,
        "each": each.value,
        "predicate": predicate(rng, each, step, length),
        "ref": ref,
        "pred": pred,
        "merge_gap": str(rng.choice((0, 0, 1, 2)) * step),
        "matcher": matcher(rng, step),
    }
    if rng.random() < 0.5:
        case["others"] = [_within(side(rng, max(1, size // 2), 6), frames) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.4:
        case["ignored"] = _within(side(rng, max(1, size // 2), 9), frames)
    return case


def _within(runs: Runs, frames: int) -> Runs:
    return [[start, min(end, frames)] for start, end in runs if start < frames]


INTERVAL_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.EVENTS: {
        "long projections": Experiment(
            _project, {"frames": 1 << 11, "events": 1 << 5}, {"frames": 1 << 14, "events": 99}
        ),
        "long runs": Experiment(_runs, {"frames": 1 << 17, "gap": 1 << 12}),
        "many candidates": Experiment(
            _match,
            {"greedy": 1 << 6, "optimal": 1 << 6, "length": 1 << 12},
            {"greedy": 1 << 8, "optimal": 1 << 8, "length": 1 << 14},
        ),
        "many components": Experiment(_many_components, {"components": 1 << 7}),
        "long intervals": Experiment(_events, {"length": 1 << 6, "runs": 1 << 4}, {"length": 1 << 9, "runs": 1 << 6}),
    },
}
