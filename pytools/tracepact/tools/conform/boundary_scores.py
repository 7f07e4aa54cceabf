"""Random scores at the boundaries of sizes: counts, clips, classes, clauses, and names of every shape."""

import re
from fractions import Fraction
from random import Random

from tracepact.core import Aggregation
from tracepact.tools.conform.boundaries import Case, Experiment, mask
from tracepact.tools.conform.boundary_intervals import seconds
from tracepact.tools.conform.names import CONFUSED, LABELS, NAMES, quoted, some_names
from tracepact.tools.conform.sizes import near
from tracepact.tools.conform.vectors import Profile


def _aggregate(rng: Random, dimension: str, size: int) -> Case:
    kind = rng.choice(("frame", "event"))
    classes, clips = rng.randrange(1, 4), rng.randrange(1, 4)
    if dimension == "classes":
        classes = size
    if dimension == "clips":
        clips = size

    def entry() -> Case:
        most = size if dimension == "counts" else 9
        obligated = rng.choice((0, 0, 1, 2, 3, rng.randrange(1, most + 1), most))
        counts: Case = {"satisfied": rng.choice((0, obligated, rng.randrange(obligated + 1))), "obligated": obligated}
        return counts if kind == "frame" else {**counts, "runs": obligated > 0 or rng.random() < 0.5}

    return {"ask": "aggregate", "kind": kind, "entries": [[entry() for _ in range(clips)] for _ in range(classes)]}


def _clip(rng: Random, name: str, step: Fraction, frames: int, labels: list[str], atoms: list[str]) -> Case:
    """A clip of a family: events of both sides that nearly agree, regions, masks."""
    ref: list[list[str]] = []
    pred: list[list[str]] = []
    for label in labels:
        at = rng.randrange(3)
        while at < frames and rng.random() < 0.85:
            length = rng.choice((1, 2, 3, near(rng, rng.randrange(1, 6), frames)))
            for events in rng.choice(((ref, pred), (ref, pred), (ref,), (pred,))):
                on = (at + rng.choice((0, 0, 0, 1, Fraction(1, 2)))) * step
                off = (at + length + rng.choice((0, 0, 0, -1, 1, Fraction(1, 3)))) * step
                if on < frames * step and on < off:
                    events.append([seconds(on), seconds(off), label])
            at += length + rng.randrange(1, 7)
    rng.shuffle(pred)
    clip: Case = {"name": name, "duration": seconds(frames * step), "ref": ref, "pred": pred}
    if rng.random() < 0.4:
        first = rng.randrange(frames)
        region = [seconds(first * step), seconds((first + rng.randrange(1, frames + 1)) * step)]
        clip["ignore"] = [[*region, rng.choice(labels)] if rng.random() < 0.5 else region]
    if atoms:
        clip["masks"] = {atom: mask(rng, frames) for atom in atoms}
    return clip


_FRAME_CLAUSES = (
    "ref_onset : ref_onset -> N[tol] pred_onset",
    "ref_offset : F[-1f,tol] pred_offset",
    "ref_active : (pred_active) & !other_pred_active",
    "pred_active : pred_active -> ( N[1f] ref_active )",
    "!ref_active : !pred_active U[3f] (ref_onset | zone)",
    "zone & ref_active : ref_active S[tol] pred_onset",
    "pred_onset | ref_onset : other_ref_active -> G[0f,2f] pred_active",
    "true : F[tol] ref_onset",
)
_EVENT_CLAUSES = (
    "each ref : matched and covering <= 1",
    "each matched : abs(pred.duration - ref.duration) <= 0.5 * ref.duration",
    "each pred : purity >= 0.5 and dominant",
    "each ref : longest_gap < 2f or (shortest_gap > 1f)",
    "each pred : coverage == 1 implies iou > 1/3",
    "each matched : ref.onset - pred.onset <= 0s and pred.offset - ref.offset != 1f",
)

_WEIGHTS = ("1", "1/3", "2", "0.7", "0.12345678901234567891", "9999999999999999999999", "0.0000000000000000000001")
"""Weights, some of which no float has."""


def _contract(rng: Random, step: Fraction, labels: list[str], clauses: int) -> str:
    """A contract with settings of every kind and so many clauses."""
    named = some_names(rng, NAMES, clauses) if rng.random() < 0.5 else [f"c{k}" for k in range(clauses)]
    lines = [
        "contract random",
        f"step {step}s",
        "param tol = 2f",
        "atom zone",
        f"sweep tol = 0f {rng.randrange(1, 9)}f",
    ]
    lines.append(f"merge_gap {rng.choice((0, 0, 1, 3))}f" if rng.random() < 0.7 else "merge_gap tol")
    lines.append(f"aggregate {rng.choice([a.value for a in Aggregation])}")
    lines.append(f"projection {rng.choice(('centre', 'touch', 'inside'))}")
    kind = rng.choice(("greedy", "optimal"))
    lines.append(
        f"matcher {kind}(search = {rng.choice((0, 1, 2, 5))}f, overlap_reward = {rng.choice(('0', '1/2', '1/3'))})"
    )
    if rng.random() < 0.5:
        lines.append("labels " + " ".join(quoted(label) for label in rng.sample(labels, len(labels))))
    for name in named:
        lines.append(f"clause {name} on {rng.choice(_FRAME_CLAUSES if rng.random() < 0.55 else _EVENT_CLAUSES)}")
    weights = ", ".join(f"{name} = {rng.choice(_WEIGHTS)}" for name in named[:3])
    lines.append(f"profile strict over {rng.choice([a.value for a in Aggregation])} : {weights}")
    return "\n".join(lines) + "\n"


def _score(rng: Random, dimension: str, size: int) -> Case:
    step = Fraction(rng.choice(("0.02", "1/3", "0.0232", "1")))
    labels = some_names(rng, LABELS, size if dimension == "classes" else rng.randrange(1, 4))
    frames = size if dimension == "frames" else rng.randrange(6, 20)
    clips = size if dimension == "clips" else rng.randrange(1, 3)
    text = _contract(rng, step, labels, size if dimension == "clauses" else rng.randrange(1, 4))
    mode = rng.choice(("class_indexed", "class_indexed", "union"))
    if mode == "union":
        text = text.replace(" & !other_pred_active", "").replace("other_ref_active", "ref_active")
    atom, parameter = some_names(rng, NAMES, 2) if rng.random() < 0.5 else ("zone", "tol")
    text = re.sub(r"\bzone\b", atom, re.sub(r"\btol\b", parameter, text))
    named = some_names(rng, LABELS, clips)
    some = [_clip(rng, name, step, max(frames, 1), labels, [atom]) for name in named]
    set_: Case = {"set": {parameter: rng.choice(("0f", "3f"))}} if rng.random() < 0.3 else {}
    return {"ask": "score", "contract": text, "mode": mode, **set_, "clips": some}


def _named_classes(rng: Random, dimension: str, size: int) -> Case:
    """So many classes or clips whose names are easily confused, each with something to tell of in its order."""
    labels = list(dict.fromkeys(name for pair in rng.sample(CONFUSED, min(size, len(CONFUSED))) for name in pair))
    names = some_names(rng, LABELS, size if dimension == "clips" else rng.choice((1, 2)))
    clips: list[Case] = []
    for name in names:
        rng.shuffle(labels)
        ref, pred = (
            [[str(at := rng.randrange(4)), str(at + 1), k] for k in labels if rng.random() < 0.8] for _ in "rp"
        )
        clips.append({"name": name, "duration": "4", "ref": ref, "pred": pred})
    declared = f"labels {' '.join(map(quoted, labels))}\n" if rng.random() < 0.3 else ""
    body = (
        "clause k on ref_active : pred_active\nclause w on each pred : matched\nclause o on true : !other_ref_active\n"
    )
    mode: Case = {"mode": "union"} if rng.random() < 0.1 else {}
    if mode:
        body = body.replace("other_ref_active", "ref_active")
    return {"ask": "score", "contract": f"contract c\nstep 1s\n{declared}{body}", "clips": clips, **mode}


SCORE_EXPERIMENTS: dict[Profile, dict[str, Experiment]] = {
    Profile.CONTRACTS: {
        "large counts": Experiment(_aggregate, {"counts": 1 << 62, "clips": 1 << 6, "classes": 1 << 6}),
        "large scores": Experiment(
            _score,
            {"frames": 1 << 6, "clips": 1 << 2, "classes": 1 << 2, "clauses": 1 << 4},
            {"frames": 1 << 8, "clips": 1 << 4, "classes": 1 << 3, "clauses": 1 << 6},
        ),
        "names of classes and clips": Experiment(_named_classes, {"classes": 1 << 3, "clips": 1 << 3}),
    },
}
