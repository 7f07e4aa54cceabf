"""A bad and a good example for diagnostic codes: a faulty contract of the conformance suite, and its repair."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tracepact.specs import spec_path

_FAULTS = "conformance/contracts"
REPAIRS = {
    "clause-never-fails": ("N[40ms] ref_active", "N[40ms] pred_active"),
    "unavailable-attribute": ("each pred", "each ref"),
    "bad-character": ("ref_onset @ pred_onset : ref_onset", "ref_onset & pred_onset : ref_active"),
    "bad-quantity": ("40xs", "40ms"),
    "off-grid-value": ("30ms", "40ms"),
    "clause-never-holds": ("!F[-1f,-1f] true", "F[-1f,-1f] pred_active"),
    "contradictory-bounds": (">= 300ms and abs(pred.offset - ref.offset) >= 300ms", "<= 100ms"),
    "constant-formula": ("longest_gap < 0s", "longest_gap <= 100ms"),
    "clauses-equivalent": ("!G[-40ms,40ms] !pred_active", "F[-20ms,20ms] pred_active"),
    "unbounded-in-term": ("shortest_gap + 20ms >= 60ms", "shortest_gap >= 40ms"),
    "unknown-atom": ("ref_onst", "ref_onset"),
    "negative-radius": ("N[-40ms]", "N[40ms]"),
    "missing-statement": ("contract no_step\n", "contract no_step\nstep 20ms\n"),
    "unit-mismatch": (">= 2", ">= 2s"),
    "obligation-never-occurs": ("ref_offset & !F[-1f,-1f] true", "ref_offset"),
    "ignores-prediction": ("ref.offset - ref.onset", "pred.offset - pred.onset"),
    "nonlinear-product": ("iou * pred.duration >= 1s", "2 * pred.duration >= 1s"),
    "unknown-clause": ("p : offset", "p : onset"),
    "rounding-adds-up": ("N[30ms] N[30ms]", "N[60ms]"),
    "bare-seconds": ("N[40]", "N[40ms]"),
    "shadowed-parameter": (
        "param overlap = 100ms\nclause c on ref_onset : N[overlap]",
        "clause c on ref_onset : N[100ms]",
    ),
    "silence-not-tighter": (
        "silence_guard on pred_active : pred_active -> N[40ms]",
        "silence_guard on pred_active : pred_active -> N[20ms]",
    ),
    "out-of-range": ("0ms", "20ms"),
    "off-grid-threshold": ("<= 30ms", "<= 40ms"),
    "type-mismatch": ("ref.duration + covering >= 1s", "ref.duration >= 1s"),
    "rounded-window": ("step 20ms", "step 5ms"),
    "repeated-name": ("clause onset on ref_offset", "clause offset on ref_offset"),
    "repeated-statement": ("step 10ms\n", ""),
    "unknown-parameter": ("step 20ms\n", "step 20ms\nparam tol = 40ms\n"),
    "unknown-attribute": ("ref.length", "ref.duration"),
    "unknown-function": ("mean(", "min("),
    "unknown-choice": ("hungarian", "optimal"),
    "unused-parameter": ("N[40ms]", "N[tol]"),
    "vacuous-implication": ("on ref_active :", "on zone & ref_onset :"),
    "empty-window": ("80ms,40ms", "40ms,80ms"),
    "syntax": ("c : on ref_onset pred_onset", "c on ref_onset : pred_onset"),
    "clause-implied": ("ref_active : N[60ms] pred_active", "ref_onset : N[60ms] pred_onset"),
    "clauses-clash": ("G[100ms] !ref_active", "N[100ms] ref_active"),
    "constant-prediction-passes": (
        "clause covered on each ref : coverage >= 0.5",
        "clause caused on pred_active : N[40ms] ref_active",
    ),
    "only-clause-passes": (
        "N[40ms] pred_active\n",
        "N[40ms] pred_active\nclause caused on pred_active : N[40ms] ref_active\n",
    ),
    "contract-lookahead": ("ref_onset : F[1s] pred_onset", "each ref : matched and pred.onset - ref.onset <= 1s"),
    "matcher-not-used": ("covering <= 1", "matched and covering <= 1"),
    "merge-gap-hides-fragments": ("merge_gap 100ms\n", ""),
    "perfect-prediction-fails": ("pred.duration <= 0.5", "pred.duration >= 0.5"),
    "redundant-part": ("covering <= 2 and covering <= 1", "covering <= 1"),
    "silence-scores-zero": (
        "each matched : abs(pred.onset - ref.onset)",
        "each ref : matched and abs(pred.onset - ref.onset)",
    ),
    "too-deep": ("(" * 201 + "pred_onset" + ")" * 201, "pred_onset"),
    "unused-atom": ("on ref_onset :", "on ref_onset & zone :"),
}
"""What to replace in the faulty contract of a code, and by what, so that it is reported no more."""


@dataclass(frozen=True, slots=True)
class Example:
    """A contract with the fault, and one without it if a repair is known."""

    bad: str
    good: str | None


@cache
def examples() -> dict[str, Example]:
    """The examples by code; a code that needs data or another contract beside it has none."""
    folder = spec_path(_FAULTS)
    found: dict[str, Example] = {}
    for fault in json.loads((folder / "faults.json").read_text(encoding="utf-8")):
        code, alone = fault["code"], not {"against", "durations"} & fault.keys()
        if code not in found and alone and (example := _example(folder / fault["file"], code)):
            found[code] = example
    return found


def _example(path: Path, code: str) -> Example | None:
    """The example that a faulty contract gives; None for one that is not text, or that the repair is not meant for."""
    try:
        bad = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
    if code not in REPAIRS:
        return Example(bad, None)
    before, after = REPAIRS[code]
    good = "".join(bad.splitlines(keepends=True)[1:])  # the first line says what is wrong
    return Example(bad, good.replace(before, after, 1)) if before in good else None
