"""Random cases on the limits of numbers in intervals, texts and scores; `frame_limits` says how they are drawn."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tracepact.conform.frame_limits import Case, Draw, LimitFamily, edges
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import LONGEST

# Intervals: hundreds of runs over one, thousands of runs, far frames, times just beside a frame's end.

_RELATIONS = st.sampled_from(["<=", "<", ">=", ">", "==", "!="])


def _matcher(draw: Draw, search: str | None = None) -> Case:
    kind = draw(st.sampled_from(["greedy", "optimal"]))
    reward = draw(st.sampled_from(["0", "0.5", "1/3", "1.000000000000000000001"]))
    return {"kind": kind, "search": search or str(draw(edges(0, LONGEST))), "overlap_reward": reward}


def _comb(count: int, wide_gap_at: int, gap: int) -> list[list[int]]:
    """So many runs of one frame, a frame apart, one of their gaps wider."""
    shift = [0] * count
    for k in range(wide_gap_at, count):
        shift[k] = gap
    return [[2 * k + shift[k], 2 * k + shift[k] + 1] for k in range(count)]


@st.composite
def _over_one(draw: Draw, most: int) -> Case:
    """One interval over very many of the other side: what counts them, their gaps, or the pairs it may have."""
    count = draw(edges(2, most))
    gap = draw(st.integers(1, 3))
    many = _comb(count, draw(st.sampled_from([count - 1, count // 2, 1, 16, 17]).map(lambda k: min(k, count - 1))), gap)
    one = [[0, many[-1][1] + draw(st.integers(0, 2))]]
    swapped = draw(st.booleans())
    sides = {"ref": many, "pred": one} if swapped else {"ref": one, "pred": many}
    # A search that reaches over all of them makes each a candidate.
    search = draw(st.sampled_from(["0", str(one[0][1])]))
    if draw(st.integers(0, 2)) == 0:
        return {"ask": "match", "step": "1", **sides, "matcher": _matcher(draw, search)}
    texts = [f"covering {draw(_RELATIONS)} {count - draw(st.integers(0, 1))}", f"coverage == {count}/{one[0][1]}"]
    if not swapped:
        texts += [f"longest_gap == {gap + 1}s", "shortest_gap >= 1s", f"covering == {count} and longest_gap > 1s"]
    return {
        "ask": "events",
        "step": "1",
        "frames": one[0][1] + 1,
        "each": "pred" if swapped else "ref",
        "predicate": draw(st.sampled_from(texts)),
        **sides,
        "matcher": _matcher(draw, search),
    }


@st.composite
def _many_runs(draw: Draw, most: int) -> Case:
    """Very many runs of a mask, a few of them joined."""
    count = draw(edges(1, most))
    mask = ("10" * count)[: -draw(st.integers(0, 1)) or None] + draw(st.sampled_from(["", "0011", "1"]))
    return {"ask": "runs", "mask": mask, "step": "1", "merge_gap": draw(st.sampled_from(["0", "0.5", "1"]))}


@st.composite
def _many_pairs(draw: Draw, most: int) -> Case:
    """Very many runs on both sides, pair by pair, all late by a little."""
    count, late = draw(edges(1, most)), draw(st.integers(0, 2))
    sides = {
        "ref": [[4 * k, 4 * k + 3] for k in range(count)],
        "pred": [[4 * k + late, 4 * k + 3] for k in range(count)],
    }
    if draw(st.booleans()):
        return {"ask": "match", "step": "0.02", **sides, "matcher": _matcher(draw, "1")}
    each = draw(st.sampled_from(["ref", "pred", "matched"]))
    rest = {"predicate": draw(st.sampled_from(["matched", "not matched", "overlap > 1s"])), **sides}
    return {"ask": "events", "step": "1", "frames": 4 * count, "each": each, **rest, "matcher": _matcher(draw, "1")}


@st.composite
def _far_frames(draw: Draw, most: int) -> Case:
    """A few runs whose ends, lengths, gaps and differences are as large as frames may be."""
    places = edges(0, most - 1)

    def side(most: int) -> list[list[int]]:
        ends = sorted(draw(st.lists(places, min_size=2, max_size=2 * most, unique=True)))
        ends = ends[: len(ends) // 2 * 2]
        return [list(pair) for pair in zip(ends[::2], ends[1::2], strict=True)]

    sides = {"ref": side(3), "pred": side(3)}
    step = draw(st.sampled_from(["1", "0.02", "1/3", "0.0232"]))
    if draw(st.booleans()):
        return {"ask": "match", "step": step, **sides, "matcher": _matcher(draw)}
    each = draw(st.sampled_from(["ref", "pred", "matched"]))
    place = edges(1, most)
    texts = [f"iou {draw(_RELATIONS)} {draw(place)}/{most}", f"overlap {draw(_RELATIONS)} {draw(place)}f"]
    texts += [f"abs(ref.onset - pred.onset) {draw(_RELATIONS)} {draw(place)}f"]
    own = {"ref": "ref.coverage", "pred": "pred.coverage", "matched": "ref.coverage"}[each]
    texts += [f"{own} {draw(_RELATIONS)} {draw(place)}/{most}"]
    if each != "pred":
        # 2^31 and what stands for "unbounded" in programs that have no word for it.
        huge = draw(st.sampled_from([10**9, 2**31, 2**32, 2**53, 2**63, 10**30]))
        texts += [f"ref.longest_gap {draw(_RELATIONS)} {draw(place)}f", f"ref.shortest_gap {draw(_RELATIONS)} {huge}s"]
    rest = {"predicate": draw(st.sampled_from(texts)), **sides, "matcher": _matcher(draw)}
    return {"ask": "events", "step": step, "frames": most, "each": each, **rest}


def _decimal(number: Fraction) -> str:
    """An exact number as the protocol writes it, in decimals where there are any."""
    for places in range(31):
        scaled = number * 10**places
        if scaled.denominator == 1:
            digits = f"{abs(scaled.numerator):0{places + 1}d}"
            sign = "-" if number < 0 else ""
            return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
    return str(number)


@st.composite
def _beside(draw: Draw, step: Fraction, frames: int) -> Fraction:
    """A time at a frame's end or centre, or beside it by as little as floats and epsilons forgive, or a little more."""
    place = draw(st.one_of(edges(0, frames), st.integers(0, frames)))
    halves = draw(st.sampled_from([Fraction(0), Fraction(1, 2)]))
    apart = Fraction(draw(st.integers(-3, 3)), 10 ** draw(st.integers(6, 24)))
    time: Fraction = (place + halves) * step + apart
    return time


@st.composite
def _exact_times(draw: Draw) -> Case:
    step = Fraction(draw(st.sampled_from(["0.02", "0.01", "1/3", "0.0232", "1", "0.1", "0.001"])))
    frames = draw(st.one_of(edges(1, 12_000), st.integers(1, 300)))
    times = _beside(step, frames)
    duration = max(draw(_beside(step, frames)), Fraction(0))
    events = [sorted(map(abs, draw(st.tuples(times, times)))) for _ in range(draw(st.integers(1, 3)))]
    return {
        "ask": "project",
        "step": str(step) if step == Fraction(1, 3) else _decimal(step),
        "duration": _decimal(duration),
        "projection": draw(st.sampled_from(["centre", "touch", "inside"])),
        "events": [[_decimal(a), _decimal(b)] for a, b in events],
    }


@st.composite
def _vanishing(draw: Draw) -> Case:
    count = draw(edges(1, 300))
    return {"ask": "project", "step": "1", "duration": "2", "projection": "centre", "events": [["1", "1"]] * count}


@st.composite
def _wide_terms(draw: Draw) -> Case:
    """Terms of many arguments whose exact value needs hundreds of bits; two sides differ by a hair or by nothing."""

    # Denominators beside powers of two have few factors in common, so those of a sum multiply.
    def part() -> str:
        return f"{draw(edges(1, 10**6))}/{2 ** draw(st.integers(20, 90)) - draw(st.sampled_from([1, 3, 5]))}s"

    parts = [part() for _ in range(draw(st.integers(1, 9)))]
    left, right = " + ".join(parts), " + ".join(reversed(parts))
    hair = draw(st.sampled_from(["", f" + 1/{10 ** draw(st.integers(5, 50))}s"]))
    many = [f"ref.onset + {k}f" for k in range(1, draw(edges(2, 60)) + 1)]
    least = draw(st.sampled_from([[*many, "ref.onset"], ["ref.onset", *many], many]))
    texts = [
        f"ref.duration + {left} {draw(_RELATIONS)} ref.duration + {right}{hair}",
        f"min({', '.join(least)}) {draw(_RELATIONS)} ref.onset",
        f"max({', '.join(least)}) {draw(_RELATIONS)} ref.onset + {len(many)}f",
        f"{draw(edges(1, 2**64))} * ref.duration {draw(_RELATIONS)} {draw(edges(1, 2**64))} * ref.duration",
    ]
    return {
        "ask": "events",
        "step": draw(st.sampled_from(["1", "1/3", "0.0232"])),
        "frames": 9,
        "each": "ref",
        "predicate": draw(st.sampled_from(texts)),
        "ref": [[1, 4]],
        "pred": [],
    }


# Texts: places beyond 16 bits, quantities of sixty characters, two hundred levels of every kind.

_FAULTY = (
    *(
        "clause a on foo : true",
        "clause b on each ref : foo",
        "param x = y",
        "step -1s",
        "clause d on true : F[2s,1s] true",
    ),
    *("profile p : zz = 1", "contract c", "clause e on true : )", "clause f on each ref : 1 < ref.onset", "clause g $"),
)


def _filler(draw: Draw, size: int) -> str:
    filler: str = draw(
        st.sampled_from(["#" + "x" * size + "\n", " " * size, "\n" * size, "#" + "\U0001f600" * (size // 4) + "\n"])
    )
    return filler


@st.composite
def _far_spans(draw: Draw, most: int) -> Case:
    lines = ["contract c", "step 20ms", "clause k on true : true"]
    faults = draw(st.lists(st.sampled_from(_FAULTY), min_size=1, max_size=3, unique=True))
    at = draw(st.integers(0, 3))
    text = "\n".join([*lines[:at], _filler(draw, draw(edges(1, most))), *lines[at:], *faults, ""])
    return {"ask": "contract", "text": text}


@st.composite
def _long_strings(draw: Draw) -> Case:
    size = draw(edges(1, 70_000))
    words = draw(st.sampled_from(["x", "é", "\U0001f600", "\\\\", '\\"'])) * size
    title, name = draw(st.sampled_from([(f' "{words}"', "k"), ("", "k" * min(size, 70_000))]))
    text = f"contract c{title}\nstep 20ms\nlabels {'a' if title else name}\nclause {name} on true : true\n"
    return {"ask": "contract", "text": text}


@st.composite
def _sixty(draw: Draw) -> Case:
    """Quantities of about sixty characters, with and without a unit."""
    length = draw(st.integers(56, 63))
    unit = draw(st.sampled_from(["", "s", "ms", "f"]))
    rest = length - len(unit)
    number = draw(
        st.sampled_from(
            [
                "1" * rest,
                "0." + "3" * (rest - 2),
                "1/" + "7" * (rest - 2),
                "9" * (rest - 2) + "/3",
                "." + "1" * (rest - 1),
            ]
        )
    )
    return {"ask": "formula", "text": f"F[{number}{unit}] p", "step": draw(st.sampled_from(["0.02", "1/3"]))}


@st.composite
def _levels(draw: Draw) -> Case:
    """Two hundred levels, and one more or less, of one kind of nesting or two."""
    depth = draw(st.integers(198, 202))
    inside = draw(st.integers(0, 3))
    formulas = [
        ("!", ""),
        ("(", ")"),
        ("F[1f] ", ""),
        ("p -> ", ""),
        ("p U[1f] ", ""),
        ("N[1f] (", ")"),
        ("G[0f] !", ""),
    ]
    terms = [("-", ""), ("abs(", ")"), ("min(1s, ", ")"), ("(", ")"), ("-(", ")"), ("1s + (", ")"), ("2 * ", "")]
    predicates = [("not ", ""), ("(", ")"), ("matched implies ", ""), ("not (", ")")]

    def nested(pairs: Sequence[tuple[str, str]], core: str) -> str:
        (a, b), (c, d) = [pairs[draw(st.integers(0, len(pairs) - 1))] for _ in range(2)]
        text: str = a * (depth - inside) + c * inside + core + d * inside + b * (depth - inside)
        return text

    kind = draw(st.integers(0, 3))
    if kind == 0:
        text = nested(formulas, "p")
        return {"ask": "formula", "text": draw(st.sampled_from([text, f"({text}) & ({text})"])), "step": "0.02"}
    body = nested(predicates, "matched") if kind == 1 else f"{nested(terms, 'ref.onset')} < 1s"
    head = draw(st.sampled_from(["clause a on each ref : ", "clause b on each pred : not "]))
    return {"ask": "contract", "text": f"contract c\nstep 20ms\n{head}{body}\n"}


# Scores: sums beyond words, two sweeps, reports of ten thousand violations, many classes.


@st.composite
def _sums(draw: Draw) -> Case:
    def entry() -> Case:
        obligated = draw(st.one_of(edges(0, 2**63 - 1), edges(2**62, 2**63 - 1)))
        return {"satisfied": min(draw(edges(0, 2**63 - 1)), obligated), "obligated": obligated}

    classes, clips = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    rows = [[entry() for _ in range(clips)] for _ in range(classes)]
    return {"ask": "aggregate", "kind": draw(st.sampled_from(["frame", "event"])), "entries": rows}


def _score(text: str, clips: Sequence[Mapping[str, Any]], **more: Any) -> Case:
    return {"ask": "score", "contract": text, "clips": list(clips), **more}


def _event(at: int, length: int, label: str = "x") -> list[str]:
    return [f"{at}", f"{at + length}", label]


@st.composite
def _sweeps(draw: Draw) -> Case:
    """Several parameters that are swept, each with other values, one perhaps overridden."""
    names = ["a", "b", "c"][: draw(st.integers(1, 3))]
    params = "".join(f"param {name} = {draw(st.integers(0, 3))}f\n" for name in names)
    sweeps = "".join(
        f"sweep {n} = {' '.join(f'{draw(st.integers(0, 4))}f' for _ in range(draw(edges(1, 18))))}\n"
        for n in draw(st.permutations(names))
    )
    clauses = "".join(f"clause k{n} on ref_onset : N[{n}] pred_onset\n" for n in names)
    both = f"clause all on ref_onset : F[{names[0]}] pred_onset and N[{names[-1]}] pred_onset\n"
    clip = {"name": "a", "duration": "30", "ref": [_event(2, 2), _event(12, 3)]}
    clip["pred"] = [_event(2 + draw(st.integers(0, 3)), 2), _event(11 - draw(st.integers(0, 3)), 4)]
    override = {"set": {draw(st.sampled_from(names)): f"{draw(st.integers(0, 4))}f"}} if draw(st.booleans()) else {}
    return _score(f"contract c\nstep 1s\n{params}{sweeps}{clauses}{both}", [clip], **override)


@st.composite
def _far_reports(draw: Draw, most: int) -> Case:
    """Violations far into a text, and many of them, some at a distance beyond 16 bits."""
    frames = draw(edges(1, most))
    body = draw(st.sampled_from(["pred_active", "N[1f] pred_onset", "ref_active -> F[0f,2f] pred_onset", "false"]))
    filler = _filler(draw, draw(edges(1, 70_000)))
    obligation = draw(st.sampled_from(["true", "ref_active", "ref_onset"]))
    text = f"contract c\nstep 1s\n{filler}\nclause k on {obligation} : {body}\n"
    ends = {"ref": [_event(0, 1)], "pred": [_event(frames - 1, 1)]}
    return _score(text, [{"name": "a", "duration": str(frames), **ends}])


@st.composite
def _odd_settings(draw: Draw) -> Case:
    """What is a warning or an error of `score`, and what lies just beside it."""
    step = draw(st.sampled_from(["1s", "0.02s", "1/3s"]))
    grid = Fraction(step[:-1])
    frames = draw(st.one_of(st.integers(0, 12), edges(100, 1100)))
    duration = max(frames * grid - draw(st.sampled_from([Fraction(0), grid / 4])), Fraction(0))
    ends = _beside(grid, max(frames, 1))
    lines = [
        draw(st.sampled_from(["", "labels x y", "labels y"])),
        draw(st.sampled_from(["", "merge_gap 12", "soft_scale 11"])),
        draw(st.sampled_from(["", "projection touch", "projection inside"])),
        draw(st.sampled_from(["clause k on true : N[3f] ref_active", "clause k on true : F[-40] ref_active"])),
        *(["clause m on true : G[0f,1f] true"] if draw(st.booleans()) else []),
    ]

    def rows(least: int) -> list[list[str]]:
        times = [sorted(map(abs, draw(st.tuples(ends, ends)))) for _ in range(draw(st.integers(least, 2)))]
        return [[_decimal(a), _decimal(b), draw(st.sampled_from("xxxy"))] for a, b in times]

    clip = {"name": "a", "duration": _decimal(duration), "ref": rows(0), "pred": rows(0), "ignore": rows(1)}
    mode = draw(st.sampled_from(["class_indexed", "union"]))
    return _score("\n".join(["contract c", f"step {step}", *filter(None, lines), ""]), [clip], mode=mode)


@st.composite
def _many_classes(draw: Draw, most: int) -> Case:
    """The only other class that is active, or the largest overlap, is the last of very many."""
    count = draw(edges(3, most))
    kind = draw(
        st.sampled_from(["on true : other_ref_active", "on each pred : dominant", "on true : other_pred_active"])
    )
    ref = [_event(0, 2, "c0")] * draw(st.integers(0, 1)) + [_event(0, 3, f"c{count - 1}")]
    clip = {"name": "a", "duration": "4", "ref": ref, "pred": [_event(0, 4, f"c{draw(st.integers(0, 1))}")]}
    labels = " ".join(f"c{k}" for k in range(count))
    return _score(f"contract c\nstep 1s\nlabels {labels}\nclause k {kind}\n", [clip])


@st.composite
def _wide_weights(draw: Draw) -> Case:
    """A profile whose value has a denominator of hundreds of bits."""
    names = [f"k{k}" for k in range(draw(st.integers(1, 9)))]
    weights = [f"{draw(edges(1, 10**9))}/{2 ** draw(st.integers(20, 150)) - 1}" for _ in names]
    clauses = "".join(f"clause {n} on true : F[{k}f] ref_active\n" for k, n in enumerate(names))
    profile = ", ".join(f"{n} = {w}" for n, w in zip(names, weights, strict=True))
    clip = {"name": "a", "duration": "11", "ref": [_event(draw(st.integers(1, 10)), 1)], "pred": []}
    return _score(f"contract c\nstep 1s\n{clauses}profile p : {profile}\n", [clip])


VALUE_FAMILIES: dict[ConformanceProfile, dict[str, LimitFamily]] = {
    ConformanceProfile.TEXT: {
        "far spans": LimitFamily(_far_spans(70_000), 30, _far_spans(1_000_000)),
        "long strings": LimitFamily(_long_strings(), 20),
        "sixty characters": LimitFamily(_sixty(), 60),
        "two hundred levels": LimitFamily(_levels(), 60),
    },
    ConformanceProfile.EVENTS: {
        "many over one": LimitFamily(_over_one(1100), 36, _over_one(5000)),
        "thousands of runs": LimitFamily(_many_runs(10**4), 16, _many_runs(1 << 18)),
        "many pairs": LimitFamily(_many_pairs(1100), 9, _many_pairs(1 << 13)),
        "far frames": LimitFamily(_far_frames(150_000), 50, _far_frames(LONGEST)),
        "times beside frames": LimitFamily(_exact_times()),
        "events that vanish": LimitFamily(_vanishing(), 12),
        "wide terms": LimitFamily(_wide_terms()),
    },
    ConformanceProfile.CONTRACTS: {
        "sums beyond words": LimitFamily(_sums(), 50),
        "sweeps together": LimitFamily(_sweeps(), 30),
        "far reports": LimitFamily(_far_reports(10_003), 12, _far_reports(70_000)),
        "odd settings": LimitFamily(_odd_settings(), 60),
        "hundreds of classes": LimitFamily(_many_classes(300), 14),
        "wide weights": LimitFamily(_wide_weights(), 30),
    },
}
"""What sits on limits of intervals, texts and scores, for each profile that has any."""
