"""Random cases that only exact numbers and whole rules tell apart: ties beside a hair, overlaps, settings together."""

from fractions import Fraction
from random import Random

from tracepact.tools.conform.boundaries import Case, Experiment
from tracepact.tools.conform.boundary_intervals import HAIRS, STEPS, seconds
from tracepact.tools.conform.vectors import Profile


def _hair(rng: Random, step: Fraction) -> Fraction:
    """Nothing, or what no float of a time sees, on either side."""
    return rng.choice((0, 1, -1)) * step * rng.choice(HAIRS)


def _exact(rng: Random, dimension: str, size: int) -> Case:
    """Events whose ends lie on the centre of a frame, or a hair beside it; of late frames a float sees less."""
    step = Fraction(rng.choice(STEPS))
    first = rng.randrange(size)
    ends = [(first + Fraction(1, 2)) * step + _hair(rng, step), (size + Fraction(1, 2)) * step + _hair(rng, step)]
    events = [[seconds(end) for end in sorted(ends)]]
    projection = rng.choice(("centre", "centre", "touch", "inside"))
    frames = seconds((size + 2) * step)
    return {"ask": "project", "step": seconds(step), "duration": frames, "projection": projection, "events": events}


def _late_edges(rng: Random, dimension: str, size: int) -> Case:
    """Runs that begin and end at this frame and about it, in a mask that goes on a little."""
    edges = sorted(rng.sample((size - 1, size, size + 1, size + 2, size + 4, size + 5), 2))
    mask = rng.choice("01") * edges[0] + "1" * (edges[1] - edges[0]) + "0" * rng.randrange(1, 4) + rng.choice(("1", ""))
    return {"ask": "runs", "mask": mask, "step": "1", "merge_gap": rng.choice(("0", "1", "2"))}


def _tied_costs(rng: Random, dimension: str, size: int) -> Case:
    """One run amid two, so long that their costs, or how near their ends are, differ by a hair or not at all."""
    step = Fraction(rng.choice(STEPS))
    gap, within = rng.randrange(1, 4), rng.randrange(1, size + 1)
    lengths = [size + 1, size + 1 + rng.choice((0, 0, 1, -1))]
    two = [[0, lengths[0]], [lengths[0] + gap, sum(lengths) + gap]]
    one = [[max(lengths[0] - within, 1), lengths[0] + gap + within + rng.choice((0, 0, 1))]]
    ref, pred = (two, one) if rng.random() < 0.5 else (one, two)
    ends = [abs(a[k] - b[k]) for a in ref for b in pred for k in (0, 1)]
    search = max(Fraction(0), rng.choice((*ends, 4 * size)) * step + _hair(rng, step))
    reward = Fraction(rng.choice(("0", "1/2", "1", "2"))) + rng.choice((0, 0, 1)) * rng.choice(HAIRS)
    kind = rng.choice(("greedy", "greedy", "optimal"))
    matcher = {"kind": kind, "search": str(search), "overlap_reward": str(reward)}
    return {"ask": "match", "step": str(step), "ref": ref, "pred": pred, "matcher": matcher}


def _hair_apart(rng: Random, dimension: str, size: int) -> Case:
    """One run and two that overlap its ends: what the second overlaps more it lies farther off, but for a hair."""
    whole, more = rng.randrange(3), rng.randrange(1, 4)
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


def _terms(rng: Random, dimension: str, size: int) -> Case:
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


_EXACT = {"project": _exact, "edges": _late_edges, "costs": _tied_costs, "hairs": _hair_apart, "terms": _terms}


def _ties(rng: Random, dimension: str, size: int) -> Case:
    return _EXACT[dimension](rng, dimension, size)


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


def _classes(rng: Random, dimension: str, size: int) -> Case:
    """Few classes, or about as many as a byte counts, all active in one frame, or all but one."""
    size = rng.choice((255, 256, 257, 258)) if rng.random() < 0.3 else rng.randrange(1, 40)
    names = [f"c{k}" for k in range(size)]
    whole = [["0", "1", name] for name in names]
    most = [*whole[: -rng.choice((1, 2))], ["1", "2", names[-1]]]
    sides = {"ref": whole, "pred": most} if rng.random() < 0.5 else {"ref": most, "pred": whole}
    text = "contract c\nstep 1s\nclause r on true : other_ref_active\nclause p on ref_active : other_pred_active\n"
    return {"ask": "score", "contract": text, "clips": [{"name": "a", "duration": "2", **sides}]}


def _far_edges(rng: Random, dimension: str, size: int) -> Case:
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


def _wide_scores(rng: Random, dimension: str, size: int) -> Case:
    return _classes(rng, dimension, size) if dimension == "classes" else _far_edges(rng, dimension, size)


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
    digits = rng.choice(
        ("9" * size, "1" + "0" * (size - 1) + "1", "".join(rng.choice("1234567890") for _ in range(size)))
    )
    bound = rng.choice((digits, str(max((1 << 63) + rng.randrange(-2, 3), 1)), str((1 << 53) + 1)))
    unit = rng.choice(("f", "f", "s", "ms", ""))
    form = rng.choice(("N[{}] p", "F[{}] p", "G[0,{}] p", "F[-{},0f] p", "p U[{}] q", "p S[{}] q", "G[-{0},{0}] p"))
    return {"ask": "formula", "text": form.format(f"{bound}{unit}"), "step": rng.choice(("1", "0.02", "0.001", "1/3"))}


TIE_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.TEXT: {
        "marks and counts": Experiment(_marked, {"sides": 1 << 2}),
        "huge bounds": Experiment(_huge_bounds, {"digits": 50}),
    },
    Profile.EVENTS: {
        "ties beside a hair": Experiment(
            _ties,
            {"project": 1 << 8, "edges": 1 << 16, "costs": 1 << 9, "hairs": 1 << 6, "terms": 1 << 3},
            {"project": 1 << 11, "edges": 1 << 17, "costs": 1 << 12, "hairs": 1 << 9, "terms": 1 << 5},
        ),
    },
    Profile.CONTRACTS: {
        "settings together": Experiment(_settings, {"clauses": 1 << 2}, {"clauses": 1 << 4}),
        "many classes, far edges": Experiment(_wide_scores, {"classes": 1, "edges": 1 << 11}),
    },
}
