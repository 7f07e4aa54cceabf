"""The systems of a study as stages: models, their scores, and a run directory of each."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import tracepact
from tracelab.decoding import CONTRACT, active
from tracelab.detectors.models import Model, load_model, save_model
from tracelab.detectors.recipes import Recipe, same_training
from tracelab.detectors.training import Training, train
from tracelab.heard import UNION, Heard, events_of
from tracelab.protocol import CLASSES, Protocol
from tracelab.stages import Stages, code_digest
from tracelab.study.splits import read_heard

_CODE = ("detectors", "decoding.py", "features.py", "heard.py", "randomness.py")

OnModel = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Splits:
    """The stages of one set of scenes."""

    protocol: Protocol
    clean: Path
    views: Path
    test: Path


@dataclass(frozen=True, slots=True)
class System:
    """A detector that was trained and run: its group and name, and where its model and run are."""

    group: str
    name: str
    recipe: Recipe
    model: Path
    run: Path

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its predictions."""
        return CLASSES if self.recipe.typed else (UNION,)


def make_systems(
    stages: Stages, splits: Splits, recipes: Iterable[tuple[str, Recipe]], *, workers: int, on_model: OnModel
) -> list[System]:
    """Train every recipe that is not trained yet, and score its predictions; equal recipes share one model."""
    wanted = list(recipes)
    distinct = {stages.place("model", _model_key(splits, recipe)): recipe for _, recipe in wanted}
    made = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(_made)(stages, splits, recipe) for recipe in distinct.values()
    )
    for name in made:
        on_model(name)
    return [
        System(
            group,
            recipe.name,
            recipe,
            stages.place("model", _model_key(splits, recipe)),
            stages.place("run", _model_key(splits, recipe)),
        )
        for group, recipe in wanted
    ]


def _model_key(splits: Splits, recipe: Recipe) -> dict[str, object]:
    return {
        "recipe": asdict(same_training(recipe)),
        "splits": [splits.clean.name, splits.views.name, splits.test.name],
        "seed": splits.protocol.seed,
        "code": code_digest(*_CODE),
        "contract": tracepact.load_contract(CONTRACT).digest,
    }


def _made(stages: Stages, splits: Splits, recipe: Recipe) -> str:
    key = _model_key(splits, recipe)
    model = stages.kept("model", key, lambda folder: _train(stages, splits, recipe, folder))
    stages.kept("run", key, lambda folder: _score(splits, model, folder))
    return recipe.name


def _train(stages: Stages, splits: Splits, recipe: Recipe, folder: Path) -> None:
    """Train with a checkpoint beside the stages, so that a stopped training goes on."""
    checkpoint = stages.folder / f"{stages.place('checkpoint', _model_key(splits, recipe)).name}.pt"
    views = read_heard(splits.views) if recipe.augmented else None
    model = train(recipe, Training(read_heard(splits.clean), views), seed=splits.protocol.seed, checkpoint=checkpoint)
    save_model(model, folder)
    checkpoint.unlink(missing_ok=True)


def _score(splits: Splits, model_folder: Path, folder: Path) -> None:
    score_model(load_model(model_folder), read_heard(splits.test), splits.protocol, folder)


def score_model(model: Model, heard: Heard, protocol: Protocol, folder: Path) -> None:
    """The scores of the test clips, and the run directory of the events they give."""
    scores = model.scores(heard)
    np.savez_compressed(folder / "scores.npz", scores=np.round(scores * 10**4).astype(np.uint16))
    masks = dict(zip(heard.names, active(scores, model.decoding), strict=True))
    tracepact.score(
        CONTRACT,
        ref=heard.reference(model.labels),
        pred=events_of(masks, model.labels, protocol.step),
        durations=dict.fromkeys(heard.names, scores.shape[1] * protocol.step),
        conditions=heard.condition_of(),
    ).save(folder / "run")
