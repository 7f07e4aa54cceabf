"""Random scores at the boundaries of sizes, with long or odd reports."""

import re
from fractions import Fraction
from random import Random

from tracepact.conform.boundary_events import STEPS, seconds
from tracepact.conform.boundary_traces import (
    CONFUSED,
    LABELS,
    NAMES,
    RESERVED,
    Case,
    Experiment,
    Experiments,
    by_dimension,
    contract_case,
    formula_case,
    mask,
    near,
    quoted,
    shuffled_names,
    some_names,
)
from tracepact.conform.oracle import ConformanceProfile
from tracepact.language.contract import Aggregation

# Random scores at the boundaries of sizes: counts, clips, classes, clauses, and names of every shape.


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
                    events.append([seconds(on), seconds(off), label])
            at += length + rng.randrange(1, 7)
    # Tables need not be in order of time.
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
    set_: Case = {"set": {parameter: rng.choice(("0f", "3f"))}} if rng.random() < 0.3 else {}
    return {"ask": "score", "contract": text, "mode": mode, **set_, "clips": some}


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


SCORE_EXPERIMENTS: Experiments = {
    ConformanceProfile.CONTRACTS: {
        "large counts": Experiment(_aggregate, {"counts": 1 << 62, "clips": 1 << 6, "classes": 1 << 6}),
        "large scores": Experiment(
            _score_case,
            {"frames": 1 << 6, "clips": 1 << 2, "classes": 1 << 2, "clauses": 1 << 4},
            {"frames": 1 << 8, "clips": 1 << 4, "classes": 1 << 3, "clauses": 1 << 6},
        ),
        "names of classes and clips": Experiment(_named_classes, {"classes": 1 << 3, "clips": 1 << 3}),
    },
}


# Random scores with long or odd reports: many violations and classes, windows beyond a clip, unbounded gaps.

_STEPS = ("1", "0.02", "1/3")


def _report_case(rng: Random, lines: list[str], step: Fraction, clips: list[Case]) -> Case:
    """A score; its contract now and then begins with a byte order mark (rule 1.1)."""
    mark = rng.choice(("", "", "", "\ufeff"))
    text = f"{mark}contract c\nstep {step}s\n" + "\n".join(lines) + "\n"
    return {"ask": "score", "contract": text, "clips": clips}


def _report_clip(name: str, step: Fraction, frames: int, ref: list[list[object]], pred: list[list[object]]) -> Case:
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
    clip = _report_clip("a", step, size, [[0, size, "x"]], [[at, at + 1, "x"]])
    return _report_case(rng, clauses, step, [clip])


def _violated_runs(rng: Random, size: int) -> Case:
    """So many runs of one side against few of the other."""
    step = Fraction(rng.choice(_STEPS))
    many: list[list[object]] = [[2 * k, 2 * k + 1, "x"] for k in range(size)]
    few: list[list[object]] = [[2 * k, 2 * k + 1, "x"] for k in sorted(rng.sample(range(size), min(size, 3)))]
    clauses = ["clause a on each ref : matched and covering == 1", "clause b on each pred : coverage > 1/2"]
    sides = (many, few) if rng.random() < 0.6 else (few, many)
    return _report_case(rng, clauses, step, [_report_clip("a", step, 2 * size, *sides)])


def _violated_clips(rng: Random, size: int) -> Case:
    """So many clips of few frames."""
    step = Fraction(1)
    clips = []
    for name in shuffled_names(rng, LABELS, size):
        frames = rng.randrange(1, 4)
        clips.append(_report_clip(name, step, frames, [[0, frames, "x"]], [[0, 1, "x"]] if rng.random() < 0.3 else []))
    return _report_case(rng, ["clause a on ref_active : pred_active", "clause b on each ref : matched"], step, clips)


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
    return _report_case(rng, lines, Fraction(1), [_report_clip("a", Fraction(1), 2, ref, pred)])


_violations = by_dimension(
    {"frames": _violated_frames, "runs": _violated_runs, "clips": _violated_clips, "classes": _declared_classes}
)


# Windows and clips


def _beyond(rng: Random, dimension: str, size: int) -> Case:
    """Clips of unequal length, and windows about as long as one of them, in the obligation or in the formula."""
    step = Fraction(rng.choice(_STEPS))
    lengths = [size, *(rng.choice((1, 5, size, 2 * size, 10 * size)) for _ in range(rng.randrange(3)))]
    rng.shuffle(lengths)
    # A window as long as a clip, one frame less or more: beyond the clip it must see nothing, not the next one.
    reach = max(rng.choice((min(lengths), max(lengths), rng.choice(lengths))) + rng.choice((-1, 0, 1, 1)), 0)
    window = rng.choice((f"F[{reach}f]", f"G[0f,{reach}f]", f"N[{reach}f]", f"F[-{reach}f,-{reach // 2}f]"))
    inner = rng.choice(("true", "ref_active", "(ref_active & pred_active)", "F[1f] pred_active", "!pred_active"))
    far = rng.choice((f"{window} {inner}", f"ref_active & !{window} {inner}", f"(ref_active U[{reach}f] pred_active)"))
    near = rng.choice(("true", "ref_active", "F[1f] ref_active"))
    sides = (far, near) if rng.random() < 0.5 else (near, far)
    clips = [_report_clip(f"k{k}", step, n, [[0, n, "x"]], [[n // 2, n, "x"]]) for k, n in enumerate(lengths)]
    return _report_case(rng, [f"clause a on {sides[0]} : {sides[1]}"], step, clips)


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
    return _report_case(rng, lines, step, [_report_clip("a", step, at + 1, ref, pred)])


REPORT_EXPERIMENTS: Experiments = {
    ConformanceProfile.CONTRACTS: {
        "many violations": Experiment(
            _violations,
            {"frames": 1 << 9, "runs": 1 << 7, "clips": 1 << 8, "classes": 1 << 8},
            {"frames": 1 << 11, "runs": 1 << 9, "clips": 1 << 10, "classes": 1 << 9},
        ),
        "windows and clips": Experiment(_beyond, {"frames": 1 << 5}, {"frames": 1 << 7}),
        "gaps": Experiment(_gaps, {"runs": 1 << 3}, {"runs": 1 << 5}),
    },
}


# Random contracts with long or many parts, and with quantities that only exact numbers keep.

_HEAD = ["contract c", "step 20ms"]
_ONE = "clause a on true : ref_active"
_ATOMS = ("ref_active", "pred_active", "ref_onset", "pred_onset", "ref_offset")
_CHARACTERS = ("a", " ", "é", "\U0001f600", '"', "\\", "\x0c", "\x08", "\t", "\r", "#", "\u2028", "\x7f")
"""What a text between quotation marks may have: every character but a line feed."""


# Long and many parts


def _title(rng: Random, size: int) -> Case:
    """A title, or the words of an atom, of so many characters; the last one is seldom the one before."""
    # Few characters repeated, and the last one different: a reader that cuts, or that compares by a prefix, takes it
    # for another.
    whole = "".join(rng.choice(_CHARACTERS) for _ in range(min(size, 40)))
    words = quoted((whole * (size // len(whole) + 1))[: size - 1] + rng.choice("xyz"))
    if rng.random() < 0.7:
        return contract_case([f"contract c {words}", "step 20ms", _ONE])
    return contract_case([*_HEAD, f"atom p {words}", "clause a on true : p"])


_WORDS = tuple(dict.fromkeys((*LABELS, *RESERVED, *NAMES)))


def _labels(rng: Random, size: int) -> Case:
    """So many labels, few of them all reserved words; names now and then without quotation marks."""
    pool = RESERVED if size <= len(RESERVED) and rng.random() < 0.5 else _WORDS
    labels = shuffled_names(rng, pool, size)
    written = [label if label in NAMES and rng.random() < 0.5 else quoted(label) for label in labels]
    return contract_case([*_HEAD, _ONE, f"labels {' '.join(written)}"])


def _clauses(rng: Random, size: int) -> Case:
    """So many parameters, clauses that use them, and a profile that weighs all of these in another order."""
    parameters, clauses = (shuffled_names(rng, NAMES, size) for _ in range(2))
    lines = [f"param {name} = {k}f" for k, name in enumerate(parameters)]
    lines += [f"clause {name} on true : N[{k}] ref_active" for name, k in zip(clauses, parameters, strict=True)]
    # Weights in another order than the clauses: who goes through the clauses prints them otherwise (rule 11.1).
    order = rng.sample(clauses, size)
    return contract_case(
        [*_HEAD, *lines, f"profile all : {', '.join(f'{name} = {rng.randrange(1, 9)}' for name in order)}"]
    )


def _columns(rng: Random, size: int) -> Case:
    """An obligation or a name of about so many characters beside short ones."""
    long = f" {rng.choice('&|')} ".join(rng.choice(_ATOMS) for _ in range(min(size // 13 + 1, 200)))
    name = rng.choice(("x", "long_name", "n" * min(size, 300)))
    lines = [f"clause {name} on {long} : true", _ONE, f"clause b on each {rng.choice(('ref', 'matched'))} : matched"]
    return contract_case([*_HEAD, *rng.sample(lines, len(lines))])


# Many faults


def _faulty(rng: Random, kind: str, size: int) -> list[str]:
    """Statements with so many faults of one kind, or of one stage (P20)."""
    some = range(size)
    match kind:
        case "atoms":
            cut = rng.choice((10, 50, 190))
            parts = [" | ".join(f"u{k}" for k in some[at : at + cut]) for at in range(0, size, cut)]
            return [f"clause c{k} on true : {part}" for k, part in enumerate(parts)]
        case "windows":
            window = ("F[2f,1f] ref_active", "N[-1f] ref_active", "N[none] ref_active", "(ref_active U[-2f] zone)")
            return [f"clause c{k} on {rng.choice(window)} : {rng.choice(window)}" for k in range((size + 1) // 2)]
        case "statements":
            words = ("param = 3f", "clause c on : true", "sweep tol 1f", "matcher ( )", "labels", "profile p a = 1")
            return [rng.choice(words) for _ in some]
        case "quantities":
            return [f"param t{k} = {rng.choice(('1/0s', '1' * 61, '0.' + '0' * 60 + '1'))}" for k in some]
        case "characters":
            return [f"param t{k} = {rng.choice(('$', '3x', '1e3', '// a b', '§ 2f'))}" for k in some]
        case "names":
            return [f"param {rng.choice('ab')} = {k}f" for k in some]
        case "weights":
            return ["profile p : " + ", ".join(f"none{k} = {rng.choice(('1', '-1', '2f'))}" for k in some)]
    part = ("covering == 0.5", "purity > 1", "iou > 1s", "foo > 1", "overlap > 1", "matched > 0")
    return [f"clause c{k} on each ref : {rng.choice(part)}" for k in some]


_KINDS = ("atoms", "windows", "statements", "quantities", "characters", "names", "weights", "types")


def _faults(rng: Random, size: int) -> Case:
    """So many faults of one kind, or of two in any order."""
    if rng.random() < 0.15:
        text = " & ".join(rng.choice(("N[-1f] p", "F[2f,1f] q", "N[x] p")) for _ in range(min(size, 190)))
        return formula_case(text)
    lines = [line for kind in rng.sample(_KINDS, rng.choice((1, 2, 2))) for line in _faulty(rng, kind, size)]
    rng.shuffle(lines)
    return contract_case([*_HEAD, _ONE, *lines])


_many = by_dimension({"title": _title, "labels": _labels, "clauses": _clauses, "columns": _columns, "faults": _faults})


# Quantities


def _number(rng: Random, digits: int) -> str:
    """A decimal of so many digits: whole, small, or with a point anywhere, now and then with needless zeros."""
    some = "".join(rng.choice("0123456789") for _ in range(digits - 1)) + rng.choice("1234567")
    match rng.randrange(5):
        case 0:
            return rng.choice("123456789") + some[1:]
        case 1:
            return "9" * digits
        case 2:
            return f"0.{'0' * (digits - 1)}{rng.choice('123456789')}"
        case 3:
            return f"{rng.choice(('0', ''))}.{some}{rng.choice(('', '0', '00'))}"
    cut = rng.randrange(digits)
    return f"{rng.choice(('', '0'))}{some[:cut] or '0'}.{some[cut:]}"


def _written(rng: Random, size: int) -> Case:
    """Quantities of so many digits in every place that a contract has for one."""

    def number() -> str:
        return _number(rng, size)

    lines = [
        f"clause a on true : F[{number()}{rng.choice(('s', 'ms', 'f', ''))}] ref_active & N[t] pred_active",
        f"clause b on each matched : {number()} * ref.onset <= {number()}{rng.choice(('s', 'ms', 'f'))}",
        f"clause d on each matched : iou > {number()}",
        f"param t = {number()}{rng.choice(('s', 'ms', 'f'))}",
        f"sweep t = {number()}s {number()}f",
        f"merge_gap {number()}ms",
        f"soft_scale {number()}s",
        f"matcher greedy(search = {number()}s, overlap_reward = {number()})",
        f"profile p : a = {number()}, b = {number()}",
    ]
    rng.shuffle(lines)
    case = contract_case([*_HEAD, *lines])
    return {**case, "set": {"t": f"{number()}s"}} if rng.random() < 0.2 else case


def _window(rng: Random, step: Fraction, size: int) -> str:
    """A window with one bound in frames and one in a time that is as long, or a little more or less."""
    frames = rng.choice((0, 1, 2, size, size, 30, 800))
    # An order of the two bounds that holds for exact numbers, and not when one is rounded to frames or to a float.
    little = rng.choice((Fraction(1, 1000), step / 2, step, 100 * step, Fraction(1, 10**9), Fraction(1, 10**20)))
    time = max(frames * step + rng.choice((0, 1, 1, -1)) * little, Fraction(0))
    unit = rng.choice(("ms", "ms", "s", ""))
    bounds = [f"{frames}f", seconds(time * (1000 if unit == "ms" else 1)) + unit]
    if rng.random() < 0.3:
        bounds.reverse()
    if rng.random() < 0.2:
        bounds = [f"-{bound}" for bound in bounds[::-1]]
    return f"{rng.choice('FG')}[{','.join(bounds)}] {rng.choice('pq')}"


def _mixed(rng: Random, size: int) -> Case:
    """Windows of mixed units near the place where their bounds are equal."""
    step = Fraction(rng.choice(("1/50", "1/50", *STEPS, "1")))
    text = " | ".join(_window(rng, step, size) for _ in range(rng.randrange(1, 4)))
    if rng.random() < 0.6:
        return formula_case(text, str(step))
    return contract_case(["contract c", f"step {step}s", "atom p", "atom q", f"clause a on p | q : {text}"])


_quantities = by_dimension({"digits": _written, "mixed": _mixed})

CONTRACT_TEXT_EXPERIMENTS: Experiments = {
    ConformanceProfile.TEXT: {
        "long and many parts": Experiment(
            _many,
            {"title": 1 << 14, "labels": 1 << 9, "clauses": 1 << 9, "columns": 1 << 11, "faults": 1 << 8},
            {"title": 1 << 18, "labels": 1 << 12, "clauses": 1 << 11, "columns": 1 << 11, "faults": 1 << 10},
        ),
        "quantities of contracts": Experiment(_quantities, {"digits": 55, "mixed": 1 << 10}),
    }
}
