"""Random event clauses and intervals that tell one reading from another, at the boundaries of sizes."""

from fractions import Fraction
from itertools import pairwise
from random import Random

from tracepact.conform.boundary_traces import Case, Experiment, Experiments, mask, near
from tracepact.conform.engines import REFERENCE
from tracepact.conform.oracle import ConformanceProfile, answer
from tracepact.language.predicate import ATTRIBUTES, Attribute, Each, Owner, writable_attributes

# Random cases at the boundaries of sizes, for times, runs, matches and event clauses.

Runs = list[list[int]]
STEPS = ("0.02", "0.01", "1/3", "0.0232", "1/7", "0.1")
"""Most of them no binary float."""

HAIRS = (Fraction(1, 10**9), Fraction(1, 10**20))
"""How far beside a tie, in steps: a float of the time may see the first and cannot see the second."""


def seconds(value: Fraction) -> str:
    """A time as cases write it: a decimal where there is one, else a fraction."""
    # A fraction has finitely many decimals just if its denominator has no prime factor but 2 and 5.
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
    # Exactly at the bound of joining most of the time, otherwise a hair beside it.
    tie = gap * step + rng.choice((0, 0, 0, 1, -1)) * step * rng.choice(HAIRS)
    return {"ask": "runs", "mask": digits, "step": seconds(step), "merge_gap": seconds(max(tie, Fraction(0)))}


def side(rng: Random, runs: int, longest: int) -> Runs:
    """Runs in order, apart from one another."""
    runs_apart: Runs = []
    at = rng.randrange(3)
    for _ in range(runs):
        length = rng.randrange(1, longest + 1)
        runs_apart.append([at, at + length])
        at += length + rng.randrange(1, 4)
    return runs_apart


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
    # Ties one after the other: an implementation may break the first as it should by accident, but hardly all.
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


INTERVAL_EXPERIMENTS: Experiments = {
    ConformanceProfile.EVENTS: {
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


# Random event clauses that tell: every attribute against a value it has in the scene, or just beside it.

_RELATIONS = ("<=", "<", ">=", ">", "==", "!=")
_JOINS = ("and", "or", "implies", "iff", "->", "<->", "&", "|")
_STEPS = ("1", "0.02", "1/3", "0.0232")
_TRIES = 8
_PRECEDENCE = "precedence"


def _whole_and_broken(rng: Random, pieces: int, scale: int) -> tuple[Runs, Runs]:
    """Few long runs, and so many pieces within and across them; gaps differ from one another."""
    broken: Runs = []
    at = rng.randrange(4)
    for _ in range(pieces):
        length = rng.randrange(1, 5)
        broken.append([at * scale, (at + length) * scale])
        at += length + rng.choice((1, 1, 2, 3, 5))
    whole: Runs = []
    start = rng.randrange(2)
    while start < at:
        length = rng.randrange(2, rng.choice((4, 9, at + 2, at + 2)) + 1)
        whole.append([start * scale + rng.choice((0, 1)), (start + length) * scale])
        start += length + rng.choice((1, 1, 2, 4))
    return whole, broken


def _joined(runs: Runs, gap: int) -> Runs:
    joined: Runs = []
    for start, end in runs:
        if joined and start - joined[-1][1] <= gap:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    return joined


def _gaps(runs: Runs) -> list[int]:
    return [later[0] - earlier[1] for earlier, later in pairwise(runs)]


def _shared(a: list[int], b: list[int]) -> int:
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def _value(rng: Random, attribute: Attribute, ref: Runs, pred: Runs) -> Fraction:
    """A value that the attribute has, or would have if it were counted a little differently; times in frames."""
    # The value is one that the attribute takes in this very scene: against any other number a comparison is nearly
    # always clear.
    mine, theirs = (pred, ref) if attribute.owner is Owner.PRED else (ref, pred)
    run = rng.choice(mine)
    over = [other for other in theirs if _shared(run, other)]
    other = rng.choice(over or theirs)
    shared = _shared(run, other)
    match attribute.name:
        case "onset":
            return Fraction(run[0])
        case "offset":
            return Fraction(run[1] - rng.choice((0, 0, 0, 1)))
        case "duration":
            return Fraction(run[1] - run[0])
        case "overlap":
            return Fraction(shared)
        case "iou":
            return Fraction(shared, run[1] - run[0] + other[1] - other[0] - shared)
        case "covering":
            return Fraction(len(over))
        case "coverage" | "purity":
            covered = sum(_shared(run, each) for each in over) if rng.random() < 0.8 else shared
            return Fraction(covered, run[1] - run[0])
    return Fraction(rng.choice(_gaps(over) or _gaps(theirs) or [1]))


def _time(frames: Fraction, step: Fraction) -> str:
    return f"{'-' if frames < 0 else ''}{abs(frames * step)}s"


def _difference(rng: Random, ref: Runs, pred: Runs, step: Fraction) -> str:
    """The ends or lengths of both sides against how far they are apart in some pair that overlaps."""
    pairs = [(r, p) for r in ref for p in pred if _shared(r, p)] or [(ref[0], pred[0])]
    r, p = rng.choice(pairs)
    name, apart = rng.choice((("onset", p[0] - r[0]), ("offset", p[1] - r[1]), ("duration", p[1] - p[0] - r[1] + r[0])))
    more = Fraction(rng.choice((0, 0, 0, 1, -1)))
    relation = rng.choice(_RELATIONS)
    match rng.randrange(4):
        case 0:
            return f"abs(pred.{name} - ref.{name}) {relation} {_time(abs(apart) + more, step)}"
        case 1:
            return f"pred.{name} - (ref.{name} - 1f) {relation} {_time(apart + 1 + more, step)}"
        case 2:
            return f"pred.{name} - ref.{name} - 1f {relation} {_time(apart - 1 + more, step)}"
    return f"ref.{name} {relation} pred.{name} + {_time(more, step) if more >= 0 else '1f'}"


def _comparison(rng: Random, word: tuple[str, Attribute], ref: Runs, pred: Runs, step: Fraction) -> str:
    text, attribute = word
    if attribute.quantity.value == "truth":
        return text
    value, relation = _value(rng, attribute, ref, pred), rng.choice(_RELATIONS)
    hair = rng.choice((0, 0, 0, 0, 1, -1)) * rng.choice(HAIRS)
    match attribute.quantity.value:
        case "time":
            bound = _time(max(value + rng.choice((0, 0, 0, 1, -1, hair)), Fraction(0)), step)
            if attribute.name == "shortest_gap" or rng.random() < 0.7:  # it stands alone (4.9)
                return f"{text} {relation} {bound}"
            term = rng.choice((f"max({text}, 1f)", f"min({text}, {bound}, 9s)", f"{text} + 0s", f"1 * {text}"))
            return f"{term} {relation} {bound}"
        case "ratio":
            return f"{text} {relation} {max(value + hair, Fraction(0))}"
    return f"{text} {relation} {value}"


def _attributes(rng: Random, dimension: str, size: int) -> Case:
    """A clause that some of its obligations satisfy and some violate, if one is drawn soon."""
    for _ in range(_TRIES):
        # Drawn until it tells, a few times: an obligation that all satisfy, or none, hides most wrong attributes.
        case = _clause(rng, dimension, size)
        counts = answer(case, REFERENCE)
        if 0 < counts["satisfied"] < counts["obligated"]:
            break
    return case


def _clause(rng: Random, dimension: str, size: int) -> Case:
    """An attribute, the dimension, on runs that several of the other side cover; now and then beside another one."""
    step, each = Fraction(rng.choice(_STEPS)), rng.choice(_EACH.get(dimension, tuple(Each)))
    words = list(writable_attributes(each).items())
    of_dimension = [word for word in words if word[1].name == dimension]
    scale = rng.choice((1, 1, 1, near(rng, rng.randrange(2, 7), 1 << 6)))
    ref, pred = _whole_and_broken(rng, size + 2, scale)
    owner = of_dimension[0][1].owner if of_dimension else Owner.PAIR
    if owner is Owner.PRED or (owner is Owner.PAIR and rng.random() < 0.5):
        ref, pred = pred, ref
    frames = max(end for _, end in (*ref, *pred)) + rng.randrange(3)
    others = [_within(_whole_and_broken(rng, size + 2, scale)[rng.choice((0, 1, 1))], frames) for _ in range(3)]
    least = sorted({*_gaps(ref), *_gaps(pred), *_gaps(others[0])})[:2]
    gap = rng.choice((0, *least, *least) if dimension == "dominant" else (0, 0, 0, *least))
    gap = max(gap - rng.choice((0, 0, 0, 1)), 0)
    # Predicates see joined runs (rule 5.8), so the values to compare with are theirs.
    after = _joined(ref, gap), _joined(pred, gap)
    text = _comparison(rng, rng.choice(of_dimension), *after, step) if of_dimension else _difference(rng, *after, step)
    for _ in range(3 if dimension == _PRECEDENCE else rng.choice((0, 0, 0, 0, 1, 2))):
        text += f" {rng.choice(_JOINS)} {rng.choice(('', 'not '))}{_comparison(rng, rng.choice(words), *after, step)}"
    case: Case = {
        "ask": "events",
        "step": str(step),
        "frames": frames,
        "each": each.value,
        "predicate": text,
        "ref": ref,
        "pred": pred,
        "merge_gap": str(gap * step),
        "matcher": matcher(rng, step),
    }
    if "dominant" in text:
        case["others"] = [_nearly(rng, after[0], gap), *others][: rng.randrange(5)]
    if rng.random() < 0.2:
        start = rng.randrange(frames)
        case["ignored"] = [[start, rng.randrange(start + 1, frames + 1)]]
    return case


def _nearly(rng: Random, runs: Runs, gap: int) -> Runs:
    """Runs that overlap anything as much as the given ones do, or a frame less, once they are joined."""
    copies: Runs = []
    for start, end in runs:
        hole = rng.randrange(1, gap + 2)
        at = rng.randrange(start + 1, end) if end - start > 1 else end
        parts = [[start, at], [at + hole, end]] if at + hole < end else [[start, end - rng.choice((0, 0, 1))]]
        copies += [part for part in parts if part[0] < part[1]]
    return copies


# Many other classes, and ignored frames in pieces


def _crowded(rng: Random, dimension: str, size: int) -> Case:
    """So many other classes, of which at most one or two overlap; or so many ignored runs that touch one another."""
    length = rng.randrange(2, 9)
    at, step = rng.randrange(4), Fraction(rng.choice(_STEPS))
    pred = [[at, at + 2 * length]]
    ref = [[at + rng.randrange(2), at + length]]
    case: Case = {"ask": "events", "step": str(step), "frames": at + 40 * length, "each": rng.choice(("ref", "pred"))}
    if dimension == "others":
        case |= {"each": "pred", "predicate": "dominant", "ref": ref, "pred": pred}
        rivals: list[Runs] = [[[at, at + length + rng.choice((-1, 0, 0, 1))]] for _ in range(rng.choice((0, 1, 1, 2)))]
        some: list[Runs] = [rng.choice(([], [], [[at, at + 1]])) for _ in range(size)]
        case["others"] = some + rivals if rng.random() < 0.7 else rivals + some
        return case
    # Pieces that touch are one region: an interval is ignored just if all its frames are, by whichever of them.
    ends = sorted(rng.sample(range(1, 20 * length), min(size, 20 * length - 1)))
    pieces = [[a, b] for a, b in pairwise([0, *ends, 20 * length])]
    if rng.random() < 0.3:
        del pieces[rng.randrange(len(pieces))]
    whole = [[at, at + rng.randrange(1, 20 * length - at + 1)], [30 * length, 31 * length]]
    predicate = rng.choice(("matched", "not matched", "coverage > 0"))
    return {**case, "predicate": predicate, "ref": whole, "pred": pred, "ignored": pieces}


_EACH = {
    name: tuple(each for each in Each if any(one.name == name for one in writable_attributes(each).values()))
    for name in ATTRIBUTES
}
"""The obligations that have an attribute."""

_COVERS = ("covering", "coverage", "longest_gap", "shortest_gap", "purity", "dominant")
_REST = (*(name for name in ATTRIBUTES if name not in _COVERS), "differences", _PRECEDENCE)

ATTRIBUTE_EXPERIMENTS: Experiments = {
    ConformanceProfile.EVENTS: {
        "attributes of pairs": Experiment(_attributes, dict.fromkeys(_REST, 1 << 4)),
        "attributes of covers": Experiment(_attributes, dict.fromkeys(_COVERS, 1 << 4)),
        "crowded clips": Experiment(
            _crowded, {"others": 1 << 8, "ignored": 1 << 5}, {"others": 1 << 10, "ignored": 64}
        ),
    }
}
"""Every attribute is drawn as often as every other, whatever its size."""
