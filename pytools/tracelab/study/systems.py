"""The splits and systems of a study as stages: models, scores, run directories."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

import tracepact
from tracelab.detectors.decoding import CONTRACT
from tracelab.detectors.models import Detector, load_model, save_model
from tracelab.detectors.recipes import Recipe, same_model, same_training
from tracelab.detectors.training import TrainingClips, decoded_by, fit
from tracelab.features import UNION, BoolArray, Heard, events_of, hear
from tracelab.protocol import CLASSES, Protocol
from tracelab.scenes.corpus import ClipTask, OnClip, clean_tasks, held_out_tasks, view_tasks
from tracelab.scenes.voices import Voice
from tracelab.stages import Stages, code_digest
from tracepact.wording import parse_stored

# The splits of a study as stages: rendered and heard once, kept as arrays.

RENDERING = ("protocol.py", "scenes", "features.py", "files.py")


def tasks_of(protocol: Protocol, split: str, views: int = 0) -> list[ClipTask]:
    """The clips of a split: `clean`, `views` or `test`."""
    match split:
        case "clean":
            return clean_tasks(protocol)
        case "views":
            return view_tasks(protocol, views)
        case _:
            return held_out_tasks(protocol)


def heard_split(
    stages: Stages,
    protocol: Protocol,
    voice: Voice,
    split: str,
    *,
    views: int = 0,
    workers: int = 1,
    on_clip: OnClip = lambda: None,
) -> Path:
    """The stage of one split."""
    key = {
        "protocol": plain(protocol),
        "split": split,
        "views": views,
        "voice": voice.digest,
        "code": code_digest(*RENDERING),
    }
    tasks = tasks_of(protocol, split, views)

    def make(folder: Path) -> None:
        write_heard(hear(protocol, voice, tasks, workers=workers, on_clip=on_clip), folder)

    return stages.kept(f"split-{split}", key, make)


def plain(value: object) -> object:
    """A dataclass as JSON holds it; exact numbers as text."""
    return json.loads(json.dumps(asdict(value), default=str))  # type: ignore[call-overload]


def write_heard(heard: Heard, folder: Path) -> None:
    """A split as arrays, names and exact events."""
    np.savez(folder / "arrays.npz", features=heard.features, classes=np.packbits(heard.classes, axis=1))
    events = [[[str(onset), str(offset), label] for onset, offset, label in some] for some in heard.events]
    words = {"names": heard.names, "conditions": heard.conditions, "digests": heard.digests, "events": events}
    (folder / "clips.json").write_text(json.dumps(words) + "\n", encoding="utf-8")


def read_heard(folder: Path) -> Heard:
    """A split that was kept."""
    words = json.loads((folder / "clips.json").read_text(encoding="utf-8"))
    with np.load(folder / "arrays.npz") as arrays:
        features = arrays["features"]
        classes = np.unpackbits(arrays["classes"], axis=1, count=features.shape[1]).astype(np.bool_)
    events = tuple([(parse_stored(a), parse_stored(b), label) for a, b, label in some] for some in words["events"])
    names, conditions, digests = (tuple(words[name]) for name in ("names", "conditions", "digests"))
    return Heard(names, conditions, digests, features, classes, events)


# The systems of a study as stages: models, their scores, and a run directory of each.

_TRAINING = ("detectors/models.py", "detectors/training.py", "features.py")
_DECODING = ("detectors/decoding.py", "detectors/models.py", "features.py")

OnModel = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Splits:
    """The stages of one set of scenes."""

    protocol: Protocol
    clean: Path
    views: Path
    test: Path


@dataclass(frozen=True, slots=True)
class TrainedSystem:
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
    stages: Stages,
    splits: Splits,
    recipes: Iterable[tuple[str, Recipe]],
    *,
    workers: int,
    on_model: OnModel,
    device: str = "cpu",
) -> list[TrainedSystem]:
    """Train every recipe that is not trained yet, and score its predictions; equal recipes share one model."""
    wanted = list(recipes)
    distinct = {same_model(recipe): recipe for _, recipe in wanted}
    # Recipes that share a training are one job, so that no two workers train the same network.
    jobs: dict[Recipe, list[Recipe]] = {}
    for recipe in distinct.values():
        jobs.setdefault(same_training(recipe), []).append(recipe)
    done = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(_trained)(stages, splits, some, device) for some in jobs.values()
    )
    for names in done:
        for name in names:
            on_model(name)
    keys = [_model_key(splits, recipe, device) for _, recipe in wanted]
    return [
        TrainedSystem(group, recipe.name, recipe, stages.place("model", key), stages.place("run", key))
        for (group, recipe), key in zip(wanted, keys, strict=True)
    ]


def _network_key(splits: Splits, recipe: Recipe, device: str) -> dict[str, object]:
    # Another device rounds otherwise and gives another network; the processor is what is meant where none is named.
    where = {} if device == "cpu" else {"device": device}
    return {
        **where,
        "recipe": asdict(same_training(recipe)),
        "splits": [splits.clean.name, splits.views.name if recipe.augmented else ""],
        "seed": splits.protocol.seed,
        "code": code_digest(*_TRAINING),
    }


def _model_key(splits: Splits, recipe: Recipe, device: str) -> dict[str, object]:
    return {
        "network": _network_key(splits, recipe, device),
        "recipe": asdict(same_model(recipe)),
        "test": splits.test.name,
        "code": code_digest(*_DECODING),
        "contract": tracepact.load_contract(CONTRACT).digest,
    }


def _trained(stages: Stages, splits: Splits, recipes: Sequence[Recipe], device: str) -> list[str]:
    key = _network_key(splits, recipes[0], device)
    network = stages.kept("network", key, lambda folder: _fit(stages, splits, recipes[0], device, folder))
    for recipe in recipes:
        key = _model_key(splits, recipe, device)
        model = stages.kept("model", key, partial(_decode, splits, network, recipe))
        stages.kept("run", key, partial(_score, splits, model))
    return [recipe.name for recipe in recipes]


def _fit(stages: Stages, splits: Splits, recipe: Recipe, device: str, folder: Path) -> None:
    """Train with a checkpoint beside the stages, so that a stopped training goes on."""
    checkpoint = stages.folder / f"{stages.place('checkpoint', _network_key(splits, recipe, device)).name}.pt"
    training, seed = _training(splits, recipe), splits.protocol.seed
    save_model(fit(recipe, training, seed=seed, checkpoint=checkpoint, device=device), folder)
    checkpoint.unlink(missing_ok=True)


def _training(splits: Splits, recipe: Recipe) -> TrainingClips:
    return TrainingClips(read_heard(splits.clean), read_heard(splits.views) if recipe.augmented else None)


def _decode(splits: Splits, network: Path, recipe: Recipe, folder: Path) -> None:
    model = load_model(network)
    save_model(decoded_by(recipe, model, _training(splits, recipe), splits.protocol.seed), folder)


def _score(splits: Splits, model_folder: Path, folder: Path) -> None:
    score_model(load_model(model_folder), read_heard(splits.test), splits.protocol, folder)


def score_model(model: Detector, heard: Heard, protocol: Protocol, folder: Path) -> None:
    """The scores of the test clips, and the run directory of the events they give.

    A detector that tells classes apart is also scored on their union, to stand beside those that do not.
    """
    scores, decoded = model.heard_as(heard)
    score_masks(decoded, model.labels, heard, protocol.step, folder / "run")
    if model.recipe.typed:
        union = np.logical_or.reduce(decoded, axis=2, keepdims=True)
        score_masks(union, (UNION,), heard, protocol.step, folder / "union")
    np.savez_compressed(folder / "scores.npz", scores=np.round(scores * 10**4).astype(np.uint16))


def score_masks(masks: BoolArray, labels: tuple[str, ...], heard: Heard, step: Fraction, folder: Path) -> None:
    """The run directory of what masks (clips × frames × labels) give under the contract of the study."""
    tracepact.score(
        CONTRACT,
        ref=heard.reference(labels),
        pred=events_of(dict(zip(heard.names, masks, strict=True)), labels, step),
        durations=dict.fromkeys(heard.names, masks.shape[1] * step),
        conditions=heard.condition_of(),
    ).save(folder)
