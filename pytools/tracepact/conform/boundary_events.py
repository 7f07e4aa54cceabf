"""Random scores at the boundaries of sizes, and runs, matches and bounds of windows that only exact numbers tell."""

import re
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_traces import (
    CONFUSED,
    LABELS,
    NAMES,
    Experiment,
    Experiments,
    by_dimension,
    formula_case,
    mask,
    near,
    quoted,
    some_names,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.conform.protocol import Case, decimal_text
from tracepact.language.contract import Aggregation
from tracepact.language.predicate import ATTRIBUTES, Each, writable_attributes

# Runs and matches that tie, or lie beside a tie by less than a float sees.

STEPS = ("0.02", "0.01", "1/3", "0.0232", "1/7", "0.1")
"""Most of them no binary float."""

HAIRS = (Fraction(1, 10**9), Fraction(1, 10**20))
"""How far beside a tie, in steps: a float of the time may see the first and cannot see the second."""


def _hair(rng: Random, step: Fraction) -> Fraction:
    """Nothing, or what no float of a time sees, on either side."""
    return rng.choice((0, 1, -1)) * step * rng.choice(HAIRS)


def _late_edges(rng: Random, size: int) -> Case:
    """Runs that begin and end at this frame and about it, in a mask that goes on a little."""
    edges = sorted(rng.sample((size - 1, size, size + 1, size + 2, size + 4, size + 5), 2))
    begins, ends = rng.choice("01") * edges[0], "0" * rng.randrange(1, 4) + rng.choice(("1", ""))
    digits = begins + "1" * (edges[1] - edges[0]) + ends
    return {"ask": "runs", "mask": digits, "step": "1", "merge_gap": rng.choice(("0", "1", "2"))}


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


# Bounds of windows beside a whole number of frames, and of many digits.

_LONGEST = 60
"""Characters of a quantity (1.4)."""


def _bound_beside(rng: Random, dimension: str, digits: int) -> Case:
    """A window whose bound is so many decimal places beside a whole number of frames, or a fraction near one."""
    step = rng.choice((*STEPS, "1"))
    frames = Fraction(rng.choice((0, 1, 2, 3, 7, 50)))
    if rng.random() < 0.5:
        value = frames * Fraction(step) + rng.choice((1, -1)) * Fraction(1, 10**digits)
    else:
        denominator = rng.choice((3, 7, 9, 11, 13, 49, 125, 10**9 + 7))
        value = Fraction(rng.randrange(1, 40), denominator) * Fraction(step)
    shown = decimal_text(abs(value))
    if len(shown) > _LONGEST - 2:
        shown = decimal_text(frames * Fraction(step))
    operator = rng.choice(("N[{}] p", "F[{}] p", "G[0,{}] p", "F[-{},0f] p", "p U[{}] q", "p S[{}] q"))
    return formula_case(operator.format(f"{shown}{rng.choice(('', 's'))}"), step)


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


# Event predicates as texts of contracts have them.


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


# Scores: counts, clips, classes, clauses, and names of every shape.


def _plain_clip(rng: Random, name: str, step: Fraction, frames: int, labels: list[str], atoms: list[str]) -> Case:
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
                    events.append([decimal_text(on), decimal_text(off), label])
            at += length + rng.randrange(1, 7)
    # Tables need not be in order of time.
    rng.shuffle(pred)
    clip: Case = {"name": name, "duration": decimal_text(frames * step), "ref": ref, "pred": pred}
    if rng.random() < 0.4:
        first = rng.randrange(frames)
        region = [decimal_text(first * step), decimal_text((first + rng.randrange(1, frames + 1)) * step)]
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
    "each ref : shortest_gap == 2f",
)

_WEIGHTS = ("1", "1/3", "2", "0.7", "0.12345678901234567891", "9999999999999999999999", "0.0000000000000000000001")
"""Weights, some of which no float has."""


def _plain_contract(rng: Random, step: Fraction, labels: list[str], clauses: int) -> str:
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


def _score_case(rng: Random, dimension: str, size: int) -> Case:
    step = Fraction(rng.choice(("0.02", "1/3", "0.0232", "1")))
    labels = some_names(rng, LABELS, size if dimension == "classes" else rng.randrange(1, 4))
    frames = size if dimension == "frames" else rng.randrange(6, 20)
    clips = size if dimension == "clips" else rng.randrange(1, 3)
    text = _plain_contract(rng, step, labels, size if dimension == "clauses" else rng.randrange(1, 4))
    mode = rng.choice(("class_indexed", "class_indexed", "union"))
    # In a union there are no other classes, and a contract that names them is faulty.
    if mode == "union":
        text = text.replace(" & !other_pred_active", "").replace("other_ref_active", "ref_active")
    atom, parameter = some_names(rng, NAMES, 2) if rng.random() < 0.5 else ("zone", "tol")
    text = re.sub(r"\bzone\b", atom, re.sub(r"\btol\b", parameter, text))
    named = some_names(rng, LABELS, clips)
    some = [_plain_clip(rng, name, step, max(frames, 1), labels, [atom]) for name in named]
    more: Case = {"set": {parameter: rng.choice(("0f", "3f"))}} if rng.random() < 0.3 else {}
    if rng.random() < 0.05:
        more["extra_predictions"] = {"elsewhere": [["0", "1", labels[0]]]}
    return {"ask": "score", "contract": text, "mode": mode, **more, "clips": some}


def _named_classes(rng: Random, dimension: str, size: int) -> Case:
    """So many classes or clips whose names are easily confused, each with something to tell of in its order."""
    # In pairs, for a label is confused only where the other one is there as well.
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


VALUE_EXPERIMENTS: Experiments = {
    ConformanceProfile.TEXT: {
        "bounds beside frames": Experiment(_bound_beside, {"places": 40}),
        "huge bounds": Experiment(_huge_bounds, {"digits": 50}),
    },
    ConformanceProfile.EVENTS: {
        "ties beside a hair": Experiment(
            by_dimension({"edges": _late_edges, "costs": _tied_costs, "hairs": _hair_apart}),
            {"edges": 1 << 16, "costs": 1 << 9, "hairs": 1 << 6},
            {"edges": 1 << 17, "costs": 1 << 12, "hairs": 1 << 9},
        ),
    },
    ConformanceProfile.CONTRACTS: {
        "large scores": Experiment(
            _score_case,
            {"frames": 1 << 6, "clips": 1 << 2, "classes": 1 << 2, "clauses": 1 << 4},
            {"frames": 1 << 8, "clips": 1 << 4, "classes": 1 << 3, "clauses": 1 << 6},
        ),
        "names of classes and clips": Experiment(_named_classes, {"classes": 1 << 3, "clips": 1 << 3}),
    },
}
