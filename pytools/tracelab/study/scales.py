"""The sizes at which the study can be run."""

from dataclasses import dataclass, field, replace

from tracelab.detectors.recipes import Recipe
from tracelab.protocol import SEED, Protocol


@dataclass(frozen=True, slots=True)
class Scale:
    """One size of the study: its scenes, how much of the training, the seed pairs, and the draws of a bootstrap."""

    name: str
    protocol: Protocol
    epochs: float
    views: int
    seeds: tuple[Protocol, ...] = field(default=())
    draws: int = 4000

    def trained(self, recipe: Recipe) -> Recipe:
        """A recipe with the epochs of this scale, one at least."""
        return replace(recipe, epochs=max(1, round(recipe.epochs * self.epochs))) if recipe.epochs else recipe


def _seeds(train: int, test: int, count: int) -> tuple[Protocol, ...]:
    """Scene and model seeds of their own, after the study's own seed."""
    return tuple(Protocol(seed=SEED + 1 + k, train_clips=train, test_clips=test) for k in range(count))


SCALES = {
    "smoke": Scale("smoke", Protocol(train_clips=28, test_clips=14), 0.25, 1, _seeds(14, 7, 1), draws=200),
    "small": Scale("small", Protocol(train_clips=240, test_clips=140), 0.6, 2, _seeds(90, 42, 3), draws=2000),
    "paper": Scale("paper", Protocol(), 1.0, 3, _seeds(360, 168, 3)),
}
