"""Random scores with long or odd reports: many violations and classes, windows beyond a clip, unbounded gaps."""

from fractions import Fraction
from random import Random

from tracepact.tools.conform.boundaries import Case, Experiment
from tracepact.tools.conform.boundary_intervals import seconds
from tracepact.tools.conform.names import LABELS, quoted, shuffled_names
from tracepact.tools.conform.vectors import Profile

_STEPS = ("1", "0.02", "1/3")


def _score(rng: Random, lines: list[str], step: Fraction, clips: list[Case]) -> Case:
    """A score; its contract now and then begins with a byte order mark (rule 1.1)."""
    mark = rng.choice(("", "", "", "\ufeff"))
    text = f"{mark}contract c\nstep {step}s\n" + "\n".join(lines) + "\n"
    return {"ask": "score", "contract": text, "clips": clips}


def _clip(name: str, step: Fraction, frames: int, ref: list[list[object]], pred: list[list[object]]) -> Case:
    """A clip with events in frames, each with its label."""

    def timed(events: list[list[object]]) -> list[list[object]]:
        return [[seconds(int(str(a)) * step), seconds(int(str(b)) * step), label] for a, b, label in events]

    return {"name": name, "duration": seconds(frames * step), "ref": timed(ref), "pred": timed(pred)}


# Many violations


def _violated_frames(rng: Random, size: int) -> Case:
    """A clip of so many frames, most of which violate a clause or two."""
    step = Fraction(rng.choice(_STEPS))
    at = rng.randrange(size)
    clauses = rng.sample(
        (
            "clause a on ref_active : pred_active",
            "clause b on true : ref_active -> F[1f,3f] pred_onset",
            "clause d on !pred_active : N[2f] pred_active",
            "clause e on ref_active | pred_active : G[1f] pred_active",
        ),
        rng.choice((1, 2)),
    )
    clip = _clip("a", step, size, [[0, size, "x"]], [[at, at + 1, "x"]])
    return _score(rng, clauses, step, [clip])


def _violated_runs(rng: Random, size: int) -> Case:
    """So many runs of one side against few of the other."""
    step = Fraction(rng.choice(_STEPS))
    many: list[list[object]] = [[2 * k, 2 * k + 1, "x"] for k in range(size)]
    few: list[list[object]] = [[2 * k, 2 * k + 1, "x"] for k in sorted(rng.sample(range(size), min(size, 3)))]
    clauses = ["clause a on each ref : matched and covering == 1", "clause b on each pred : coverage > 1/2"]
    sides = (many, few) if rng.random() < 0.6 else (few, many)
    return _score(rng, clauses, step, [_clip("a", step, 2 * size, *sides)])


def _violated_clips(rng: Random, size: int) -> Case:
    """So many clips of few frames."""
    step = Fraction(1)
    clips = []
    for name in shuffled_names(rng, LABELS, size):
        frames = rng.randrange(1, 4)
        clips.append(_clip(name, step, frames, [[0, frames, "x"]], [[0, 1, "x"]] if rng.random() < 0.3 else []))
    return _score(rng, ["clause a on ref_active : pred_active", "clause b on each ref : matched"], step, clips)


def _declared_classes(rng: Random, size: int) -> Case:
    """So many declared labels, in an order that no sorting gives, few of which have events."""
    labels = shuffled_names(rng, LABELS, size)
    some = rng.sample(labels, min(size, 12))
    ref: list[list[object]] = [[0, 1, label] for label in some]
    pred: list[list[object]] = [[rng.choice((0, 1)), 2, label] for label in some if rng.random() < 0.3]
    lines = [
        f"labels {' '.join(map(quoted, labels))}",
        "clause a on ref_active : pred_active",
        "clause b on each ref : matched",
    ]
    return _score(rng, lines, Fraction(1), [_clip("a", Fraction(1), 2, ref, pred)])


def _violations(rng: Random, dimension: str, size: int) -> Case:
    make = {
        "frames": _violated_frames,
        "runs": _violated_runs,
        "clips": _violated_clips,
        "classes": _declared_classes,
    }
    return make[dimension](rng, size)


# Windows and clips


def _beyond(rng: Random, dimension: str, size: int) -> Case:
    """Clips of unequal length, and windows about as long as one of them, in the obligation or in the formula."""
    step = Fraction(rng.choice(_STEPS))
    lengths = [size, *(rng.choice((1, 5, size, 2 * size, 10 * size)) for _ in range(rng.randrange(3)))]
    rng.shuffle(lengths)
    reach = max(rng.choice((min(lengths), max(lengths), rng.choice(lengths))) + rng.choice((-1, 0, 1, 1)), 0)
    window = rng.choice((f"F[{reach}f]", f"G[0f,{reach}f]", f"N[{reach}f]", f"F[-{reach}f,-{reach // 2}f]"))
    inner = rng.choice(("true", "ref_active", "(ref_active & pred_active)", "F[1f] pred_active", "!pred_active"))
    far = rng.choice((f"{window} {inner}", f"ref_active & !{window} {inner}", f"(ref_active U[{reach}f] pred_active)"))
    near = rng.choice(("true", "ref_active", "F[1f] ref_active"))
    sides = (far, near) if rng.random() < 0.5 else (near, far)
    clips = [_clip(f"k{k}", step, n, [[0, n, "x"]], [[n // 2, n, "x"]]) for k, n in enumerate(lengths)]
    return _score(rng, [f"clause a on {sides[0]} : {sides[1]}"], step, clips)


# Gaps


def _gaps(rng: Random, dimension: str, size: int) -> Case:
    """Reference runs without a gap, with one and with several, compared with the length of a gap."""
    step = Fraction(rng.choice(_STEPS))
    ref: list[list[object]] = []
    pred: list[list[object]] = []
    at = 0
    for _ in range(size):
        silences = [rng.choice((1, 1, 2, 3)) for _ in range(rng.choice((0, 0, 1, 2)))]
        end = at
        for silence in (*silences, 0):
            pred.append([end, end + 1, "x"])
            end += 1 + silence
        ref.append([at, end, "x"])
        pred = pred if rng.random() < 0.8 else [one for one in pred if int(str(one[0])) < at]
        at = end + 2
    lines = []
    for k in range(rng.randrange(1, 4)):
        gap, relation = f"{rng.randrange(1, 4)}f", rng.choice(("==", "==", "!=", "<=", "<", ">=", ">"))
        name = rng.choice(("shortest_gap", "shortest_gap", "longest_gap"))
        lines.append(
            f"clause c{k} on each ref : {' '.join(rng.choice(((name, relation, gap), (gap, relation, name))))}"
        )
    return _score(rng, lines, step, [_clip("a", step, at + 1, ref, pred)])


REPORT_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.CONTRACTS: {
        "many violations": Experiment(
            _violations,
            {"frames": 1 << 9, "runs": 1 << 7, "clips": 1 << 8, "classes": 1 << 8},
            {"frames": 1 << 11, "runs": 1 << 9, "clips": 1 << 10, "classes": 1 << 9},
        ),
        "windows and clips": Experiment(_beyond, {"frames": 1 << 5}, {"frames": 1 << 7}),
        "gaps": Experiment(_gaps, {"runs": 1 << 3}, {"runs": 1 << 5}),
    },
}
