"""Random cases that turn on one witness, or that only exact numbers and whole rules tell apart."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_events import HAIRS, STEPS, seconds
from tracepact.conform.boundary_traces import (
    NAMES,
    Case,
    Experiment,
    Experiments,
    boundary_places,
    by_dimension,
    formula_case,
    spread,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Tree, renamed

# Random cases that turn on one witness: far from the frames it decides, in traces long against the window.
#
# Masks drawn at random rarely have a long stretch that one frame decides. Here the left side goes on for the whole
# trace but for a hole or two, and the witness stands alone: whatever is forgotten, cut or lost on the way changes a
# verdict.

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
        # Twice as often mirrored: looking back is where a stream has to remember.
        one = rng.choice((one, _mirrored(one), _mirrored(one), ["F", -reach, reach, "q"], _both_ways(rng, reach)))
    if rng.random() < 0.25:
        # `iff` hides nothing: its verdict changes whenever either side does.
        return ["iff", one, _turning(rng, rng.choice((reach, max(reach - 1, 0), reach // 2)), back=back)]
    return one


def _both_ways(rng: Random, reach: int) -> Tree:
    """An operator that looks back over one that looks ahead, or the other way round."""
    near = rng.randrange(4)
    one: Tree = ["U", reach, "p", ["S", near, "p", "q"]]
    two: Tree = ["F", -near, near, ["U", reach, "p", "q"]]
    return rng.choice((one, _mirrored(one), two, _mirrored(two)))


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
        return {"ask": "verdicts", "formula": renamed(tree, names), "clips": clips}

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
            clause_reach = rng.choice((reach, reach, reach, max(reach - 1, 0), reach // 2))
            obligation = rng.choice((True, True, True, "p", "q", ["not", "q"], _turning(rng, clause_reach, back=True)))
            formula = _turning(rng, clause_reach, back=True)
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


WITNESS_EXPERIMENTS: Experiments = {
    ConformanceProfile.CORE: {
        "far witnesses, ahead": Experiment(_judged(back=False), {"reach": 1 << 16, "frames": 1 << 12})
    },
    ConformanceProfile.PAST: {"far witnesses": Experiment(_judged(back=True), {"reach": 1 << 16, "frames": 1 << 12})},
    ConformanceProfile.STREAMING: {
        "far witnesses in streams": Experiment(
            _streamed(chunked=False),
            {"reach": 1 << 7, "frames": 1 << 8, "clauses": 1 << 2},
            {"reach": 1 << 8, "frames": 1 << 10, "clauses": 1 << 4},
        ),
    },
    ConformanceProfile.CHUNKS: {
        "far witnesses in chunks": Experiment(
            _streamed(chunked=True),
            {"reach": 1 << 11, "frames": 1 << 13, "clauses": 1 << 2},
            {"reach": 1 << 13, "frames": 1 << 14, "clauses": 1 << 4},
        ),
    },
}


# Random cases that only exact numbers and whole rules tell apart: ties beside a hair, overlaps, settings together.


def _hair(rng: Random, step: Fraction) -> Fraction:
    """Nothing, or what no float of a time sees, on either side."""
    return rng.choice((0, 1, -1)) * step * rng.choice(HAIRS)


def _exact(rng: Random, size: int) -> Case:
    """Events whose ends lie on the centre of a frame, or a hair beside it; of late frames a float sees less."""
    step = Fraction(rng.choice(STEPS))
    # The later a frame is, the fewer bits of a float are left for the fraction of it.
    first = rng.randrange(size)
    ends = [(first + Fraction(1, 2)) * step + _hair(rng, step), (size + Fraction(1, 2)) * step + _hair(rng, step)]
    events = [[seconds(end) for end in sorted(ends)]]
    projection = rng.choice(("centre", "centre", "touch", "inside"))
    frames = seconds((size + 2) * step)
    return {"ask": "project", "step": seconds(step), "duration": frames, "projection": projection, "events": events}


def _late_edges(rng: Random, size: int) -> Case:
    """Runs that begin and end at this frame and about it, in a mask that goes on a little."""
    edges = sorted(rng.sample((size - 1, size, size + 1, size + 2, size + 4, size + 5), 2))
    mask = rng.choice("01") * edges[0] + "1" * (edges[1] - edges[0]) + "0" * rng.randrange(1, 4) + rng.choice(("1", ""))
    return {"ask": "runs", "mask": mask, "step": "1", "merge_gap": rng.choice(("0", "1", "2"))}


def _tied_costs(rng: Random, size: int) -> Case:
    """One run amid two, so long that their costs, or how near their ends are, differ by a hair or not at all."""
    step = Fraction(rng.choice(STEPS))
    gap, within = rng.randrange(1, 4), rng.randrange(1, size + 1)
    lengths = [size + 1, size + 1 + rng.choice((0, 0, 1, -1))]
    two = [[0, lengths[0]], [lengths[0] + gap, sum(lengths) + gap]]
    one = [[max(lengths[0] - within, 1), lengths[0] + gap + within + rng.choice((0, 0, 1))]]
    ref, pred = (two, one) if rng.random() < 0.5 else (one, two)
    # The search is exactly one of the distances: the candidate is just in, or out by a hair.
    ends = [abs(a[k] - b[k]) for a in ref for b in pred for k in (0, 1)]
    search = max(Fraction(0), rng.choice((*ends, 4 * size)) * step + _hair(rng, step))
    reward = Fraction(rng.choice(("0", "1/2", "1", "2"))) + rng.choice((0, 0, 1)) * rng.choice(HAIRS)
    kind = rng.choice(("greedy", "greedy", "optimal"))
    matcher = {"kind": kind, "search": str(search), "overlap_reward": str(reward)}
    return {"ask": "match", "step": str(step), "ref": ref, "pred": pred, "matcher": matcher}


def _hair_apart(rng: Random, size: int) -> Case:
    """One run and two that overlap its ends: what the second overlaps more it lies farther off, but for a hair."""
    whole, more = rng.randrange(3), rng.randrange(1, 4)
    # The cost is distance less reward times overlap. The reward is chosen so that both candidates cost the same but for
    # a hair; a float then takes either.
    early, overlap = rng.randrange(1, 5), rng.randrange(1, size + 1)
    long, late = 2 * overlap + more + rng.randrange(1, 4), early + (1 + whole) * more
    one = [[early, early + long]]
    two = [[0, early + overlap], [early + long - overlap - more, early + long + late]]
    step = Fraction(rng.choice(STEPS))
    reward = max(Fraction(0), whole + rng.choice((0, 1, 1, -1)) * rng.choice(HAIRS))
    ref, pred = (one, two) if rng.random() < 0.5 else (two, one)
    search = str(rng.choice((1, 4 * size + 40)) * early * step)
    matcher = {"kind": rng.choice(("greedy", "greedy", "optimal")), "search": search, "overlap_reward": str(reward)}
    return {"ask": "match", "step": str(step), "ref": ref, "pred": pred, "matcher": matcher}


_SIGNED = ("ref.onset - pred.onset", "pred.offset - ref.offset", "ref.duration - pred.duration", "-pred.onset")


def _terms(rng: Random, size: int) -> Case:
    """Terms of either sign within functions, compared with what they may be."""
    inner = rng.choice(_SIGNED)
    term = rng.choice(
        (f"abs({inner})", f"abs(-({inner}))", f"min({inner}, 0s)", f"max(-({inner}), 1s)", f"2 * abs({inner})")
    )
    text = f"{term} {rng.choice(('<=', '<', '>', '=='))} {rng.choice((0, 1, 2, size))}s"
    ref = [[4 * k * size, 4 * k * size + rng.randrange(1, 3 * size)] for k in range(1, 4)]
    near = [[a + rng.choice((-1, 0, 1)), b + rng.choice((0, 1, 1))] for a, b in ref if rng.random() < 0.8]
    pred = [[a, b] for a, b in near if a < b]
    each = rng.choice(("ref", "pred", "matched"))
    return {
        "ask": "events",
        "step": "1",
        "frames": 16 * size,
        "each": each,
        "predicate": text,
        "ref": ref,
        "pred": pred,
    }


_ties = by_dimension(
    {"project": _exact, "edges": _late_edges, "costs": _tied_costs, "hairs": _hair_apart, "terms": _terms}
)


# Settings together

_TURNED = (
    "each ref : abs(ref.onset - pred.onset) <= {}f",
    "each matched : abs(pred.onset - ref.onset) < {}f and abs(pred.duration - ref.duration) >= 0s",
    "each ref : shortest_gap < {}f",
    "each ref : matched and shortest_gap <= longest_gap - 1f",
    "ref_active : N[tol] pred_active",
    "ref_onset : F[-tol,wide] pred_onset",
)


def _settings(rng: Random, dimension: str, size: int) -> Case:
    """Clauses that need every setting: two parameters, one of them swept and the other set, regions by centres."""
    clauses = [f"clause k{k} on {rng.choice(_TURNED).format(rng.randrange(3))}" for k in range(size)]
    lines = ["contract c", "step 1s", "param tol = 1f", "param wide = 2f", "sweep tol = 0f 2f", *clauses]
    lines.append(f"projection {rng.choice(('centre', 'touch', 'inside'))}")
    text = "\n".join((*lines, "clause used on true : N[tol] F[wide] ref_active"))
    frames = rng.randrange(6, 14)
    clips: list[Case] = [_clip(rng, name, frames) for name in ("b", "a")[: rng.randrange(1, 3)]]
    more: Case = {"set": {"wide": rng.choice(("0f", "4f"))}} if rng.random() < 0.6 else {}
    if rng.random() < 0.1:
        more["extra_predictions"] = {"elsewhere": [["0", "1", "x"]]}
    return {"ask": "score", "contract": f"{text}\n", "clips": clips, **more}


def _clip(rng: Random, name: str, frames: int) -> Case:
    def events() -> list[list[str]]:
        starts = sorted(rng.sample(range(frames - 1), rng.randrange(1, 4)))
        ends = [*starts[1:], frames]
        return [[str(a), str(rng.randrange(a + 1, b + 1)), "x"] for a, b in zip(starts, ends, strict=True)]

    ends = sorted(Fraction(rng.randrange(4 * frames), 4) for _ in range(2))
    region = {"ignore": [[seconds(end) for end in ends]]} if rng.random() < 0.6 else {}
    return {"name": name, "duration": str(frames), "ref": events(), "pred": events(), **region}


# Classes and edges


def _classes(rng: Random, size: int) -> Case:
    """Few classes, or about as many as a byte counts, all active in one frame, or all but one."""
    # Classes that are counted in a byte are none at 256, and the frame looks as if nobody else were active.
    size = rng.choice((255, 256, 257, 258)) if rng.random() < 0.3 else rng.randrange(1, 40)
    names = [f"c{k}" for k in range(size)]
    whole = [["0", "1", name] for name in names]
    most = [*whole[: -rng.choice((1, 2))], ["1", "2", names[-1]]]
    sides = {"ref": whole, "pred": most} if rng.random() < 0.5 else {"ref": most, "pred": whole}
    text = "contract c\nstep 1s\nclause r on true : other_ref_active\nclause p on ref_active : other_pred_active\n"
    return {"ask": "score", "contract": text, "clips": [{"name": "a", "duration": "2", **sides}]}


def _far_edges(rng: Random, size: int) -> Case:
    """Edges so many frames apart: their distances, how close they are, and which of two is nearer."""
    size += rng.choice((0, 0, size // 5, size // 2))
    at = rng.randrange(3)
    ref = [[at, at + size + 3], [at + size + 9 + rng.randrange(3), at + 2 * size + 20]]
    pred = [[at + size, at + size + 1 + rng.randrange(2)]]
    step = Fraction(rng.choice(("0.001", "0.001", "0.02", "1/3")))
    if rng.random() < 0.5:
        ref, pred = pred, ref
    sides = {
        side: [[*(seconds(end * step) for end in run), "x"] for run in runs]
        for side, runs in (("ref", ref), ("pred", pred))
    }
    tol = rng.choice((0, 1, 5, 9))
    clauses = (
        f"clause on_ on ref_onset : N[{tol}f] pred_onset",
        f"clause off on ref_offset : F[-{tol}f,1f] pred_offset",
    )
    text = "\n".join(("contract c", f"step {step}s", f"soft_scale {rng.choice((1, size, 4 * size))}f", *clauses))
    frames = at + 2 * size + 22
    return {
        "ask": "score",
        "contract": f"{text}\n",
        "clips": [{"name": "a", "duration": seconds(frames * step), **sides}],
    }


_wide_scores = by_dimension({"classes": _classes, "edges": _far_edges})


# Texts

_HEAD = "contract c\nstep 1s\n"
_COUNTS = ("covering", "2 * covering", "0.5 * covering", "1/3 * covering", "-covering", "2.0 * covering")


def _marked(rng: Random, dimension: str, size: int) -> Case:
    """Contracts with a byte order mark or two, and comparisons of counts, scaled or not, with numbers, whole or not."""
    sides = [f"{rng.choice(_COUNTS)} {rng.choice(('==', '<='))} {rng.choice(('1', '0.5', '2/2', '3/2', '2.0'))}"]
    sides += [f"{rng.choice(_COUNTS)} > {rng.choice((*_COUNTS, 'coverage', '1s'))}" for _ in range(size - 1)]
    text = f"{_HEAD}clause k on each ref : {' and '.join(sides)}\n"
    mark = rng.choice(("", "", "\ufeff", "\ufeff", "\ufeff\ufeff"))
    return {"ask": "contract", "text": mark + text}


def _huge_bounds(rng: Random, dimension: str, size: int) -> Case:
    """Bounds of so many digits, in frames, in seconds or in milliseconds; most are no float, nor round in binary."""
    # 2^53 + 1 is the first whole number that no float has; beyond 2^63 signed words turn over.
    digits = rng.choice(
        ("9" * size, "1" + "0" * (size - 1) + "1", "".join(rng.choice("1234567890") for _ in range(size)))
    )
    bound = rng.choice((digits, str(max((1 << 63) + rng.randrange(-2, 3), 1)), str((1 << 53) + 1)))
    unit = rng.choice(("f", "f", "s", "ms", ""))
    form = rng.choice(("N[{}] p", "F[{}] p", "G[0,{}] p", "F[-{},0f] p", "p U[{}] q", "p S[{}] q", "G[-{0},{0}] p"))
    return formula_case(form.format(f"{bound}{unit}"), rng.choice(("1", "0.02", "0.001", "1/3")))


TIE_EXPERIMENTS: Experiments = {
    ConformanceProfile.TEXT: {
        "marks and counts": Experiment(_marked, {"sides": 1 << 2}),
        "huge bounds": Experiment(_huge_bounds, {"digits": 50}),
    },
    ConformanceProfile.EVENTS: {
        "ties beside a hair": Experiment(
            _ties,
            {"project": 1 << 8, "edges": 1 << 16, "costs": 1 << 9, "hairs": 1 << 6, "terms": 1 << 3},
            {"project": 1 << 11, "edges": 1 << 17, "costs": 1 << 12, "hairs": 1 << 9, "terms": 1 << 5},
        ),
    },
    ConformanceProfile.CONTRACTS: {
        "settings together": Experiment(_settings, {"clauses": 1 << 2}, {"clauses": 1 << 4}),
        "many classes, far edges": Experiment(_wide_scores, {"classes": 1, "edges": 1 << 11}),
    },
}
