"""Hidden contracts found again: a contract judges pairs of outputs, and `tracepact.select` sees some of the judgements.

Half of the hidden contracts are made of clauses that are candidates, half have tolerances that no candidate has. The
verdicts of the selected contract are those of its own scores, on the pairs it was selected from and on those held out.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import tracepact
from benchmarks.harness import Options, Row, Target
from benchmarks.outputs import FRAMES, STEP, Clips, calibration_of, made_outputs, seconds_of

SUBJECT = "recovery"
HIDDEN, CLIPS, SYSTEMS, SEEN = 12, 12, 6, 0.6
FAMILY = """tolerances = ["40ms", "80ms"]
shapes = ["near"]
operators = ["F"]
attributes = ["covering"]
"""
CLAUSES = (
    "on ref_onset : N[{}ms] pred_onset",
    "on ref_offset : N[{}ms] pred_offset",
    "on ref_active : N[{}ms] pred_active",
    "on pred_active : N[{}ms] ref_active",
    "on pred_onset : N[{}ms] ref_onset",
    "on each ref : covering <= 1",
)


def measure(_: Options) -> Iterator[Row]:
    """How many hidden contracts are answered without a violation, and how many held-out pairs are judged alike."""
    for inside, words in ((True, "of candidates"), (False, "with other tolerances")):
        found = [_recovered(random.Random(seed), inside=inside) for seed in range(HIDDEN)]
        kept = sum(one.violated == 0 for one in found)
        target = Target(HIDDEN) if inside else None
        yield Row(SUBJECT, f"hidden contracts {words}: all judgements kept", kept, f"of {HIDDEN}", target)
        alike, pairs = sum(one.alike for one in found), sum(one.held_out for one in found)
        note = f"{sum(one.seen for one in found):,} pairs seen, {sum(one.clauses for one in found)} clauses selected"
        yield Row(SUBJECT, f"hidden contracts {words}: held-out pairs judged alike", alike, f"of {pairs}", note=note)


@dataclass(frozen=True, slots=True)
class _Recovered:
    """What became of one hidden contract."""

    violated: Fraction
    clauses: int
    seen: int
    alike: int
    held_out: int


def _recovered(generator: random.Random, *, inside: bool) -> _Recovered:
    reference, systems = made_outputs([f"c{k}" for k in range(CLIPS)], SYSTEMS, generator)
    hidden = _means(_contract(generator, inside=inside), reference, systems)
    pairs = [(clip, a, b) for clip in reference for a in systems for b in systems if a < b]
    judged = [(clip, a, b) for clip, a, b in pairs if hidden[clip, a] != hidden[clip, b]]
    generator.shuffle(judged)
    seen, rest = judged[: round(SEEN * len(judged))], judged[round(SEEN * len(judged)) :]
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "set.calibration").write_text(calibration_of(FAMILY), encoding="utf-8")
        rows = (f"{clip},{a},{b},{'a' if hidden[clip, a] < hidden[clip, b] else 'b'}\n" for clip, a, b in seen)
        (folder / "judged.csv").write_text(f"clip,a,b,worse\n{''.join(rows)}", encoding="utf-8")
        found = tracepact.select(
            folder / "set.calibration",
            preferences=folder / "judged.csv",
            ref=_times(reference),
            systems={name: _times(clips) for name, clips in systems.items()},
            durations=FRAMES * STEP,
        )
    assert found.preferences is not None
    assert found.contract is not None
    means = _means(found.contract.text, reference, systems)
    alike = sum((means[c, a] < means[c, b]) == (hidden[c, a] < hidden[c, b]) for c, a, b in rest)
    return _Recovered(found.preferences.violated_weight, found.selected.count, len(seen), alike, len(rest))


def _contract(generator: random.Random, *, inside: bool) -> str:
    """One to three clauses with whole weights."""
    tolerances = (40, 80) if inside else (20, 60, 120)
    chosen = generator.sample(CLAUSES, generator.randint(1, 3))
    clauses = [f"clause c{k} {text.format(generator.choice(tolerances))}" for k, text in enumerate(chosen)]
    weights = ", ".join(f"c{k} = {generator.randint(1, 5)}" for k in range(len(chosen)))
    return "\n".join(["contract hidden", "step 20ms", "aggregate macro_clips", *clauses, f"profile harm : {weights}"])


def _means(contract: str, reference: Clips, systems: dict[str, Clips]) -> dict[tuple[str, str], Fraction]:
    """The weighted mean of a contract on every output, each scored alone."""
    read = tracepact.parse_contract(contract)
    weights = dict(read.profiles[0].weights)
    total = sum(weights.values(), Fraction(0))
    found = {}
    for system, clips in systems.items():
        for clip, runs in reference.items():
            vector = tracepact.score(read, seconds_of(runs), seconds_of(clips[clip]), durations=FRAMES * STEP).vector
            found[clip, system] = sum((vector[name] * weight for name, weight in weights.items()), Fraction(0)) / total
    return found


def _times(clips: Clips) -> dict[str, list[tuple[str, str]]]:
    return {clip: seconds_of(runs) for clip, runs in clips.items()}
