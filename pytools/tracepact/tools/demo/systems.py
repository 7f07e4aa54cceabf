"""The shipped demo: three imitation systems whose frame F1 is nearly the same and whose vectors are not."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tracepact.scoring import Scorecard
from tracepact.specs import spec_path, starter_contracts
from tracepact.tools.score.run import Run, score

SYSTEMS = ("late_long", "over_firing", "fragmenting")
CONTRACT = "boundary_gate"


@dataclass(frozen=True, slots=True, eq=False)
class DemoSystem:
    """One imitation system, scored."""

    name: str
    run: Run

    @property
    def frame_f1(self) -> Fraction:
        """Pooled frame F1: what a single number would have said."""
        return frame_f1(self.run.card)


def demo_contract() -> Path:
    """The starter contract the demo uses."""
    return starter_contracts()[CONTRACT]


def score_demo(name: str) -> DemoSystem:
    """Score one of the shipped SYSTEMS."""
    tables = spec_path("demo")
    run = score(
        demo_contract(),
        tables / "reference.tsv",
        tables / f"{name}.tsv",
        durations=tables / "durations.tsv",
        conditions=tables / "conditions.tsv",
    )
    return DemoSystem(name, run)


def frame_f1(card: Scorecard) -> Fraction:
    """Twice the frames active on both sides over all active frames, all clips and classes together."""
    ref, pred = card.atoms["ref_active"], card.atoms["pred_active"]
    active = ref.bit_count() + pred.bit_count()
    return Fraction(2 * (ref & pred).bit_count(), active) if active else Fraction(1)
