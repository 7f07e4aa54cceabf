"""The findings of the published study as statements, decided on our rows."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tracelab.detectors.recipes import DETECTORS, LEARNING
from tracelab.study.rows import MEAN, chosen
from tracelab.study.tables import GUARDS, Rows, guard_value, metric_value
from tracepact.show import Cell, Column, Table, Tone

_HALF = Fraction(1, 2)
_TRAINED_ON = ("onset_guard", "offset_guard", "missing_guard", "spurious_guard", "silence_guard")
_REVERB = frozenset(("offset_guard", "silence_guard", "duration_guard", "fragmentation_guard"))


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement, whether it holds on our data, and the figures that decide it."""

    statement: str
    holds: bool
    evidence: str


def findings(rows: Rows) -> list[Finding]:
    """Every statement, decided."""
    return [decide(rows) for decide in _STATEMENTS]


def finding_table(found: list[Finding]) -> Table:
    """The statements as a table."""
    body: list[list[Cell | str]] = [
        [finding.statement, Cell("true", Tone.GOOD) if finding.holds else Cell("false", Tone.BAD), finding.evidence]
        for finding in found
    ]
    return Table("Findings", [Column("statement"), Column("here"), Column("evidence")], body)


def _edges(rows: Rows) -> Finding:
    below = [
        recipe.name
        for recipe in DETECTORS
        if _metric(rows, recipe.name, "transition") < _metric(rows, recipe.name, "frame")
    ]
    return Finding(
        "The edge F1 is below the frame F1 for every detector.",
        len(below) == len(DETECTORS),
        f"below for {len(below)} of {len(DETECTORS)}: {', '.join(below) or 'none'}",
    )


def _augmentation(rows: Rows) -> Finding:
    clean, augmented, full = (_mean(rows, name) for name in ("clean_dilated", "augmentation_only", "union_full"))
    whole, part = full - clean, augmented - clean
    said = f"{float(part / whole):.0%} of the gain" if whole > 0 else "the full system gains nothing"
    return Finding(
        "Augmentation explains most of the repair.",
        whole > 0 and part / whole > _HALF,
        f"mean of the vector: clean {_3(clean)}, augmented {_3(augmented)}, full {_3(full)}; {said}",
    )


def _leaders(rows: Rows) -> Finding:
    ranked = chosen(rows["rankings"], kind="clause", best="true")
    leaders = sorted({row["system"] for row in ranked})
    return Finding("Different guards have different leaders.", len(leaders) > 1, f"leaders: {', '.join(leaders)}")


def _reverberation(rows: Rows) -> Finding:
    drops = {}
    for clause in GUARDS:
        clean, reverb = (
            guard_value(rows, "detectors", "contract_tcn_aug", clause, condition=condition)
            for condition in ("clean", "reverb")
        )
        drops[clause] = (clean or Fraction(0)) - (reverb or Fraction(0))
    worst = sorted(GUARDS, key=lambda clause: -drops[clause])[: len(_REVERB)]
    shown = ", ".join(f"{clause} {float(drops[clause]):+.3f}" for clause in sorted(GUARDS, key=lambda c: -drops[c]))
    return Finding(
        "Reverberation hurts offset, silence, duration and fragmentation most.",
        set(worst) == _REVERB,
        f"contract_tcn_aug, clean less reverb: {shown}",
    )


def _union(rows: Rows) -> Finding:
    pairs = [(Fraction(r["class_indexed"]), Fraction(r["union"])) for r in rows["union"] if r["union"]]
    higher = sum(union > typed for typed, union in pairs)
    return Finding(
        "A union of the classes hides typed failure.",
        bool(pairs) and higher > len(pairs) / 2,
        f"the union scores higher on {higher} of {len(pairs)} clause values",
    )


def _matching(rows: Rows) -> Finding:
    given = sum(int(row["changed"]) for row in chosen(rows["matcher"], what="given"))
    cases = sum(int(row["cases"]) for row in chosen(rows["matcher"], what="given"))
    bridges = sum(int(row["changed"]) for row in chosen(rows["matcher"], what="bridges"))
    return Finding(
        "Greedy and optimal matching agree on detector outputs and differ on bridges.",
        given == 0 and bridges > 0,
        f"matchings that differ: {given} of {cases} on outputs, {bridges} on bridges of the references",
    )


def _learning(rows: Rows) -> Finding:
    means = [_mean(rows, recipe.name, "learning") for recipe in LEARNING]
    rising = all(a <= b for a, b in pairwise(means))
    return Finding(
        "The learning curve need not be monotone.",
        not rising,
        "mean of the vector at each share: " + ", ".join(map(_3, means)) + ("; it rises throughout" if rising else ""),
    )


def _contract_loss(rows: Rows) -> Finding:
    gains = {
        clause: _ablated(rows, "contract_loss", clause) - _ablated(rows, "augmentation_decoded", clause)
        for clause in GUARDS
    }
    better = [clause for clause in _TRAINED_ON if gains[clause] > 0]
    others = ", ".join(f"{clause} {float(gains[clause]):+.3f}" for clause in GUARDS)
    return Finding(
        "Training with the contract's own loss improves the guards it is trained on.",
        len(better) == len(_TRAINED_ON),
        f"{len(better)} of {len(_TRAINED_ON)} improve over the same network without it: {others}",
    )


_STATEMENTS: tuple[Callable[[Rows], Finding], ...] = (
    _edges,
    _augmentation,
    _leaders,
    _reverberation,
    _union,
    _matching,
    _learning,
    _contract_loss,
)


def _metric(rows: Rows, system: str, metric: str) -> Fraction:
    return metric_value(rows, "detectors", system, metric) or Fraction(0)


def _mean(rows: Rows, system: str, group: str = "ablation") -> Fraction:
    return metric_value(rows, group, system, MEAN) or Fraction(0)


def _ablated(rows: Rows, system: str, clause: str) -> Fraction:
    return guard_value(rows, "ablation", system, clause) or Fraction(0)


def _3(value: Fraction) -> str:
    return f"{float(value):.3f}"
