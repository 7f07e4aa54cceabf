"""Random event clauses that tell: every attribute against a value it has in the scene, or just beside it."""

from fractions import Fraction
from itertools import pairwise
from random import Random

from tracepact.core import ATTRIBUTES, Attribute, Each, Owner, writable_attributes
from tracepact.tools.conform.boundaries import Case, Experiment
from tracepact.tools.conform.boundary_intervals import HAIRS, Runs, matcher
from tracepact.tools.conform.engines import REFERENCE
from tracepact.tools.conform.sizes import near
from tracepact.tools.conform.vectors import Profile, answer

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
    found: Runs = []
    for start, end in runs:
        if found and start - found[-1][1] <= gap:
            found[-1][1] = end
        else:
            found.append([start, end])
    return found


def _gaps(runs: Runs) -> list[int]:
    return [later[0] - earlier[1] for earlier, later in pairwise(runs)]


def _shared(a: list[int], b: list[int]) -> int:
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def _value(rng: Random, attribute: Attribute, ref: Runs, pred: Runs) -> Fraction:
    """A value that the attribute has, or would have if it were counted a little differently; times in frames."""
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
        case = _clause(rng, dimension, size)
        found = answer(case, REFERENCE)
        if 0 < found["satisfied"] < found["obligated"]:
            break
    return case


def _clause(rng: Random, dimension: str, size: int) -> Case:
    """An attribute, the dimension, on runs that several of the other side cover; now and then beside another one."""
    step, each = Fraction(rng.choice(_STEPS)), rng.choice(_EACH.get(dimension, tuple(Each)))
    words = list(writable_attributes(each).items())
    own = [word for word in words if word[1].name == dimension]
    scale = rng.choice((1, 1, 1, near(rng, rng.randrange(2, 7), 1 << 6)))
    ref, pred = _whole_and_broken(rng, size + 2, scale)
    owner = own[0][1].owner if own else Owner.PAIR
    if owner is Owner.PRED or (owner is Owner.PAIR and rng.random() < 0.5):
        ref, pred = pred, ref
    frames = max(end for _, end in (*ref, *pred)) + rng.randrange(3)
    others = [_cut(_whole_and_broken(rng, size + 2, scale)[rng.choice((0, 1, 1))], frames) for _ in range(3)]
    least = sorted({*_gaps(ref), *_gaps(pred), *_gaps(others[0])})[:2]
    gap = rng.choice((0, *least, *least) if dimension == "dominant" else (0, 0, 0, *least))
    gap = max(gap - rng.choice((0, 0, 0, 1)), 0)
    after = _joined(ref, gap), _joined(pred, gap)
    text = _comparison(rng, rng.choice(own), *after, step) if own else _difference(rng, *after, step)
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
    found: Runs = []
    for start, end in runs:
        hole = rng.randrange(1, gap + 2)
        at = rng.randrange(start + 1, end) if end - start > 1 else end
        parts = [[start, at], [at + hole, end]] if at + hole < end else [[start, end - rng.choice((0, 0, 1))]]
        found += [part for part in parts if part[0] < part[1]]
    return found


def _cut(runs: Runs, frames: int) -> Runs:
    return [[start, min(end, frames)] for start, end in runs if start < frames]


# Many other classes, and ignored frames in pieces


def _crowded(rng: Random, dimension: str, size: int) -> Case:
    """So many other classes, of which at most one or two overlap; or so many ignored runs that touch one another."""
    length = rng.randrange(2, 9)
    at, step = rng.randrange(4), Fraction(rng.choice(_STEPS))
    pred = [[at, at + 2 * length]]
    own = [[at + rng.randrange(2), at + length]]
    case: Case = {"ask": "events", "step": str(step), "frames": at + 40 * length, "each": rng.choice(("ref", "pred"))}
    if dimension == "others":
        case |= {"each": "pred", "predicate": "dominant", "ref": own, "pred": pred}
        rivals: list[Runs] = [[[at, at + length + rng.choice((-1, 0, 0, 1))]] for _ in range(rng.choice((0, 1, 1, 2)))]
        some: list[Runs] = [rng.choice(([], [], [[at, at + 1]])) for _ in range(size)]
        case["others"] = some + rivals if rng.random() < 0.7 else rivals + some
        return case
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

ATTRIBUTE_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.EVENTS: {
        "attributes of pairs": Experiment(_attributes, dict.fromkeys(_REST, 1 << 4)),
        "attributes of covers": Experiment(_attributes, dict.fromkeys(_COVERS, 1 << 4)),
        "crowded clips": Experiment(
            _crowded, {"others": 1 << 8, "ignored": 1 << 5}, {"others": 1 << 10, "ignored": 64}
        ),
    }
}
"""Every attribute is drawn as often as every other, whatever its size."""
