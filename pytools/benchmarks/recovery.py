"""Hidden contracts found again: `tracepact.select` beside fits of metrics, of guards and of all candidates.

A hidden contract has two to five clauses with whole weights and tolerances drawn from a continuous range, so few are
candidates. It judges all pairs of the outputs of six made systems on some clips; one judgement in twenty is turned
round. Four ways see these judgements, and each judges the pairs of other clips, as the hidden contract does: the
contract that `select` finds; a logistic regression on standard metrics; one on the clauses of the starter contract
`boundary_gate`; and one on the values of all candidates with an L1 penalty, its strength by cross-validation.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tracepact
from benchmarks.data import starter
from benchmarks.harness import Options, Row, Target, sized
from benchmarks.outputs import FRAMES, STEP, Clips, Run, calibration_of, made_outputs, seconds_of

SUBJECT = "recovery"
HIDDEN, CLIPS, SYSTEMS = sized((20, 24, 6), (2, 8, 4))
NOISE, FOLDS, MOST = 0.05, 5, 7
PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
CLAUSES = (
    "on ref_onset : N[{t}ms] pred_onset",
    "on ref_offset : N[{t}ms] pred_offset",
    "on ref_active : N[{t}ms] pred_active",
    "on pred_active : N[{t}ms] ref_active",
    "on pred_onset : N[{t}ms] ref_onset",
    "on pred_offset : N[{t}ms] ref_offset",
    "on each ref : covering <= 1",
    "on each ref : matched",
    "on each ref : coverage >= {s}",
    "on each pred : iou >= {s}",
    "on each pred : purity >= {s}",
    "on each matched : abs(pred.onset - ref.onset) <= {t}ms",
    "on each matched : abs(pred.offset - ref.offset) <= {t}ms",
)
Output = tuple[str, str]
"""A clip and a system."""
Judged = tuple[Output, Output]
"""The worse output and the better one, on one clip."""
Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Way:
    """How many held-out pairs a way judges as the hidden contract does, and how many numbers it needs."""

    alike: float
    size: int


def measure(_: Options) -> Iterator[Row]:
    """The mean held-out agreement of each way over the hidden contracts, with its interval at 95 %."""
    ways: dict[str, list[_Way]] = {}
    for seed in range(HIDDEN):
        for name, way in _recovered(random.Random(seed)).items():
            ways.setdefault(name, []).append(way)
    others = [np.mean([way.alike for way in ways[name]]) for name in ways if name != "select"]
    for name, several in ways.items():
        shares = np.array([way.alike for way in several])
        half = 1.96 * shares.std(ddof=1) / sqrt(len(shares))
        sizes = np.array([way.size for way in several])
        target = Target(float(max(others))) if name == "select" else None
        note = f"± {half:.3f} over {len(shares)} hidden contracts; {sizes.mean():.1f} terms, at most {sizes.max()}"
        yield Row(SUBJECT, f"{name}: held-out agreement", float(shares.mean()), "", target, note)
    apart = np.array([a.alike - b.alike for a, b in zip(ways["select"], ways["L1 on all candidates"], strict=True)])
    half = 1.96 * apart.std(ddof=1) / sqrt(len(apart))
    yield Row(SUBJECT, "select less L1, contract by contract", float(apart.mean()), "", note=f"± {half:.3f}")
    yield Row(SUBJECT, "select: clauses at most", max(w.size for w in ways["select"]), "", Target(MOST, at_least=False))


def _recovered(generator: random.Random) -> dict[str, _Way]:
    reference, systems = made_outputs([f"c{k}" for k in range(CLIPS)], SYSTEMS, generator)
    outputs = [(clip, name) for name in systems for clip in reference]
    hidden = _means(_hidden(generator), reference, systems)
    pairs = [((clip, a), (clip, b)) for clip in reference for a in systems for b in systems if a < b]
    judged = [(a, b) if hidden[a] < hidden[b] else (b, a) for a, b in pairs if hidden[a] != hidden[b]]
    half = {clip for k, clip in enumerate(reference) if k < CLIPS // 2}
    seen = [pair for pair in judged if pair[0][0] in half]
    held = [pair for pair in judged if pair[0][0] not in half]
    generator.shuffle(seen)
    seen = [(b, a) if generator.random() < NOISE else (a, b) for a, b in seen]
    found = _selected(seen, reference, systems)
    means = _means(found.contract.text, reference, systems)
    ways = {"select": _Way(np.mean([means[a] < means[b] for a, b in held]), found.selected.count)}
    for name, table in {
        "metrics": {one: _metrics(reference[one[0]], systems[one[1]][one[0]]) for one in outputs},
        "guards": _values(starter(), reference, systems),
        "L1 on all candidates": _candidates(reference, systems, outputs),
    }.items():
        fit = _lasso if name.startswith("L1") else _ridge
        weights = fit(_apart(table, seen))
        ways[name] = _Way(float((_apart(table, held) @ weights > 0).mean()), int(np.count_nonzero(weights)))
    return ways


def _hidden(generator: random.Random) -> str:
    """Two to five clauses with whole weights."""
    chosen = generator.sample(CLAUSES, generator.randint(2, 5))
    clauses = [
        f"clause c{k} {text.format(t=round(generator.uniform(15, 260), 1), s=round(generator.uniform(0.3, 0.9), 3))}"
        for k, text in enumerate(chosen)
    ]
    weights = ", ".join(f"c{k} = {generator.randint(1, 5)}" for k in range(len(chosen)))
    return "\n".join(["contract hidden", "step 20ms", "aggregate macro_clips", *clauses, f"profile harm : {weights}"])


def _selected(judged: Sequence[Judged], reference: Clips, systems: dict[str, Clips]) -> Any:
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "set.calibration").write_text(calibration_of(""), encoding="utf-8")
        rows = "".join(f"{clip},{a},{b},a\n" for (clip, a), (_, b) in judged)
        (folder / "judged.csv").write_text(f"clip,a,b,worse\n{rows}", encoding="utf-8")
        return tracepact.select(
            folder / "set.calibration",
            preferences=folder / "judged.csv",
            ref=_times(reference),
            systems={name: _times(clips) for name, clips in systems.items()},
            durations=FRAMES * STEP,
        )


def _candidates(reference: Clips, systems: dict[str, Clips], outputs: Sequence[Output]) -> dict[Output, Table]:
    """The values of the retained basis of the default family, on all outputs."""
    from tracepact.data.events import Event
    from tracepact.selection.basis import observe_family
    from tracepact.selection.calibration import CalibrationCase
    from tracepact.selection.calibration_reader import load_calibration
    from tracepact.selection.judgements import with_cases
    from tracepact.selection.selection import retain_basis

    def events(runs: list[Run]) -> tuple[Event, ...]:
        return tuple(Event(Fraction(a, 50), Fraction(b, 50), "event") for a, b in runs)

    cases = tuple(
        CalibrationCase(
            f"{clip} {name}", "", Fraction(0), "", "", Fraction(FRAMES, 50), events(reference[clip]), events(heard)
        )
        for clip, name in outputs
        for heard in [systems[name][clip]]
    )
    calibration = with_cases(load_calibration("boundary_gate"), cases, SUBJECT)
    basis = retain_basis(observe_family(calibration, calibration.family), ()).basis
    table = np.array([[float(value) for value in one.values] for one in basis.coordinates]).T
    return dict(zip(outputs, table, strict=True))


def _values(contract: tracepact.Contract, reference: Clips, systems: dict[str, Clips]) -> dict[Output, Table]:
    """By output the values of the clauses of a contract, when it is scored alone."""
    found = {}
    for system, clips in systems.items():
        for clip, runs in reference.items():
            vector = tracepact.score(
                contract, seconds_of(runs), seconds_of(clips[clip]), durations=FRAMES * STEP
            ).vector
            found[clip, system] = np.array([float(vector[clause.name]) for clause in contract.clauses])
    return found


def _means(text: str, reference: Clips, systems: dict[str, Clips]) -> dict[Output, Fraction]:
    """By output the weighted mean of a contract with a profile, exactly, when it is scored alone."""
    contract = tracepact.parse_contract(text)
    weights = dict(contract.profiles[0].weights)
    found = {}
    for system, clips in systems.items():
        for clip, runs in reference.items():
            vector = tracepact.score(
                contract, seconds_of(runs), seconds_of(clips[clip]), durations=FRAMES * STEP
            ).vector
            found[clip, system] = sum((vector[name] * weight for name, weight in weights.items()), Fraction(0))
    return found


# Standard metrics of one output, by their definitions.


def _metrics(wanted: list[Run], heard: list[Run]) -> Table:
    """F-scores of frames, of segments of 0.1 and 1 s, and of events by onset, by both ends and by overlap; counts."""
    frames = [_frames(wanted), _frames(heard)]
    segments = [
        [np.array([side[k : k + size].any() for k in range(0, FRAMES, size)]) for side in frames] for size in (5, 50)
    ]
    shares = [_f(int((a & b).sum()), int(a.sum()), int(b.sum())) for a, b in (frames, *segments)]
    hit = int((frames[0] & frames[1]).sum())
    shares += [hit / max(1, int(frames[0].sum())), hit / max(1, int(frames[1].sum()))]

    def onset(a: Run, b: Run) -> bool:
        return abs(a[0] - b[0]) <= 10

    def ends(a: Run, b: Run) -> bool:
        return onset(a, b) and abs(a[1] - b[1]) <= max(10, (a[1] - a[0]) / 5)

    def overlap(a: Run, b: Run) -> bool:
        both = min(a[1], b[1]) - max(a[0], b[0])
        return both > 0 and 2 * both >= max(a[1], b[1]) - min(a[0], b[0])

    shares += [_f(_matched(wanted, heard, pair), len(wanted), len(heard)) for pair in (onset, ends, overlap)]
    return np.array([*shares, -abs(len(wanted) - len(heard)) / max(1, len(wanted))])


def _frames(runs: list[Run]) -> NDArray[np.bool_]:
    active = np.zeros(FRAMES, dtype=np.bool_)
    for a, b in runs:
        active[a:b] = True
    return active


def _f(hits: int, wanted: int, heard: int) -> float:
    return 2 * hits / (wanted + heard) if wanted + heard else 1.0


def _matched(wanted: list[Run], heard: list[Run], pair: Callable[[Run, Run], bool]) -> int:
    """Pairs by taking the first that is free, as most scorers do."""
    free = list(heard)
    hits = 0
    for one in wanted:
        match = next((other for other in free if pair(one, other)), None)
        if match is not None:
            free.remove(match)
            hits += 1
    return hits


# Fits


def _apart(table: dict[Output, Table], pairs: Sequence[Judged]) -> Table:
    return np.array([table[better] - table[worse] for worse, better in pairs])


def _ridge(apart: Table) -> Table:
    return _fitted(apart, "l2", 10.0)


def _lasso(apart: Table) -> Table:
    """The strength of the penalty that keeps most judgements of folds left out."""
    fold = np.arange(len(apart)) % FOLDS
    kept = [
        sum(int((apart[fold == k] @ _fitted(apart[fold != k], "l1", strength) > 0).sum()) for k in range(FOLDS))
        for strength in PENALTIES
    ]
    return _fitted(apart, "l1", PENALTIES[kept.index(max(kept))])


def _fitted(apart: Table, penalty: str, strength: float) -> Table:
    from sklearn.linear_model import LogisticRegression

    # a pair is a row and its mirror image, so that there is no intercept to fit
    rows, kinds = np.vstack([apart, -apart]), np.repeat([1, 0], len(apart))
    solver = LogisticRegression(
        l1_ratio=float(penalty == "l1"),
        C=strength,
        solver="liblinear",
        fit_intercept=False,
        max_iter=1000,
        random_state=0,
    )
    weights: Table = solver.fit(rows, kinds).coef_[0]
    return weights


def _times(clips: Clips) -> dict[str, list[tuple[str, str]]]:
    return {clip: seconds_of(runs) for clip, runs in clips.items()}
