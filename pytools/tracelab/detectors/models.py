"""A trained detector: its recipe, scaler and parameters, the scores it gives, and the files it is kept in."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tracelab.detectors.networks import network
from tracelab.detectors.recipes import Recipe
from tracelab.faults import fault
from tracelab.features import FEATURES, FloatArray, Scaler
from tracelab.files import write_whole
from tracelab.heard import UNION, Heard
from tracelab.protocol import CLASSES
from tracepact import Decoding

DIGITS = 4
_BATCH = 64
_WEIGHTS, _MANIFEST = "weights.pt", "model.json"

State = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A detector that can be asked."""

    recipe: Recipe
    scaler: Scaler
    state: State
    decoding: Decoding
    notes: dict[str, Any] = field(default_factory=dict)
    classes: tuple[str, ...] = CLASSES

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the detector tells apart."""
        return self.classes if self.recipe.typed else (UNION,)

    def scores(self, heard: Heard) -> FloatArray:
        """The scores of every clip, clips × frames × labels, rounded to four digits: what is stored is what is used."""
        features = adapted(self.recipe, heard.features)
        match self.recipe.kind:
            case "threshold":
                found = _ranks(features, self.state["quantiles"].numpy())
            case "logistic":
                weights, offset = self.state["weights"].numpy(), self.state["offset"].numpy()
                found = 1 / (1 + np.exp(-(self.scaler(features) @ weights.T + offset)))
            case _:
                found = _network_scores(self, self.scaler(features))
        rounded: FloatArray = np.round(found.astype(np.float64), DIGITS)
        return rounded


def adapted(recipe: Recipe, features: FloatArray) -> FloatArray:
    """The features a detector looks at; an energy is taken above the clip's own floor."""
    if recipe.kind != "threshold":
        return features
    chosen = features[..., [FEATURES.index(recipe.feature)]]
    if recipe.feature == "log_energy":
        chosen = chosen - np.quantile(chosen, 0.1, axis=1, keepdims=True)
    return chosen.astype(np.float32)


def save_model(model: Model, folder: Path) -> None:
    """The model with its manifest; the manifest comes last and vouches for the weights."""
    state = {**model.state, "scaler.mean": torch.from_numpy(model.scaler.mean)}
    state["scaler.spread"] = torch.from_numpy(model.scaler.spread)
    write_state(folder / _WEIGHTS, state)
    manifest = {
        "recipe": asdict(model.recipe),
        "decoding": model.decoding.data,
        "weights": hashlib.sha256((folder / _WEIGHTS).read_bytes()).hexdigest(),
        "notes": model.notes,
        "classes": model.classes,
    }
    write_whole(folder / _MANIFEST, json.dumps(manifest, indent=2) + "\n")


def load_model(folder: Path) -> Model:
    """A stored model; one that is not what its manifest says is refused."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        recipe, decoding = Recipe(**manifest["recipe"]), manifest["decoding"]
        found = hashlib.sha256((folder / _WEIGHTS).read_bytes()).hexdigest()
        low = None if decoding["low"] is None else Fraction(decoding["low"])
        how = Decoding(Fraction(decoding["threshold"]), low, decoding["median"])
        weights, notes = manifest["weights"], manifest["notes"]
        classes = tuple(map(str, manifest.get("classes", CLASSES)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise fault("bad-checkpoint", f"the model cannot be read: {error}", folder, "train it again") from error
    if found != weights:
        raise fault("bad-checkpoint", "the weights are not those of the manifest", folder / _WEIGHTS, "train it again")
    state = read_state(folder / _WEIGHTS)
    if not {"scaler.mean", "scaler.spread"} <= state.keys():
        raise fault("bad-checkpoint", "the weights have no scaler", folder / _WEIGHTS, "train it again")
    scaler = Scaler(state.pop("scaler.mean").numpy(), state.pop("scaler.spread").numpy())
    return Model(recipe, scaler, state, how, notes, classes)


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Tensors and plain values in one file, whole or not at all."""
    stored = BytesIO()
    torch.save(state, stored)
    write_whole(path, stored.getvalue())


def read_state(path: Path) -> dict[str, Any]:
    """Tensors and plain values, and nothing that could run."""
    try:
        found: dict[str, Any] = torch.load(path, weights_only=True)
    except Exception as error:
        raise fault("bad-checkpoint", f"the stored parameters cannot be read: {error}", path, "train again") from error
    if not isinstance(found, dict):
        raise fault("bad-checkpoint", "the file holds no stored parameters", path, "train again")
    return found


def _ranks(features: FloatArray, quantiles: FloatArray) -> FloatArray:
    """The share of training frames that are lower."""
    ranks: FloatArray = np.searchsorted(quantiles, features) / len(quantiles)
    return ranks


def _network_scores(model: Model, features: FloatArray) -> FloatArray:
    body = network(model.recipe.body, features.shape[-1], len(model.labels))
    body.load_state_dict(model.state)
    body.eval()
    parts = []
    with torch.inference_mode():
        for start in range(0, len(features), _BATCH):
            batch = torch.from_numpy(features[start : start + _BATCH]).transpose(1, 2)
            parts.append(torch.sigmoid(body(batch)[0]).transpose(1, 2).numpy())
    return np.concatenate(parts)
