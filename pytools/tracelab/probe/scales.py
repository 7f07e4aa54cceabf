"""The sizes at which the probe can be run."""

from dataclasses import dataclass, replace

from tracelab.detectors.recipes import DETECTORS, Recipe
from tracelab.protocol import Protocol

HEAD = replace(
    next(recipe for recipe in DETECTORS if recipe.name == "contract_tcn_aug"),
    name="boundary_head",
    augmented=False,
    epochs=40,
    batch=8,
)


@dataclass(frozen=True, slots=True)
class ProbeScale:
    """One size of the probe: clips for the encoders, clips for the detectors, how much training, draws of a bootstrap.

    The head is the one of `contract_tcn_aug`. Its training clips are heard once each, under a condition drawn for each
    at the severity of training; small batches and more epochs give it about as many steps as the study has.
    """

    name: str
    encoders: Protocol
    detectors: Protocol
    epochs: float
    draws: int

    @property
    def head(self) -> Recipe:
        """The head with the epochs of this scale, one at least."""
        return replace(HEAD, epochs=max(1, round(HEAD.epochs * self.epochs)))


PROBE_SCALES = {
    "smoke": ProbeScale("smoke", Protocol(train_clips=16, test_clips=7), Protocol(test_clips=14), 0.05, 100),
    "small": ProbeScale("small", Protocol(train_clips=64, test_clips=35), Protocol(test_clips=70), 0.5, 500),
    "paper": ProbeScale("paper", Protocol(train_clips=128, test_clips=70), Protocol(), 1.0, 1000),
}
