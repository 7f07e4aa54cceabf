"""Trained detectors: networks, scalers, parameters, and the files they are kept in."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tracelab.detectors.decoding import SnappedDecoding
from tracelab.detectors.recipes import Recipe
from tracelab.features import FEATURES, UNION, BoolArray, FloatArray, Heard, Scaler
from tracelab.files import fault, write_whole
from tracelab.protocol import CLASSES
from tracepact import Decoding
from tracepact.inputs import LARGEST_DOCUMENT, digest_within, read_within
from tracepact.wording import parse_stored

# The networks: clips × features × frames in, scores for frames and edges out.

CHANNELS = 32
_DILATIONS = (1, 2, 4, 8)


class Outputs(nn.Module):
    """A pointwise layer for each output: whether a frame is active, and whether it is an edge."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.frame = nn.Conv1d(channels, classes, 1)
        self.edge = nn.Conv1d(channels, classes, 1)

    def forward(self, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of activity and of edges."""
        return self.frame(hidden), self.edge(hidden)


class ResidualBlock(nn.Module):
    """A dilated convolution with group norm, added to its input."""

    def __init__(self, channels: int, dilation: int, *, depthwise: bool) -> None:
        super().__init__()
        mix = [nn.Conv1d(channels, channels, 5, padding=2 * dilation, dilation=dilation, groups=channels)]
        full = [nn.Conv1d(channels, channels, 3, padding=dilation, dilation=dilation)]
        self.layers = nn.Sequential(
            *(mix if depthwise else full),
            nn.GroupNorm(4, channels),
            nn.ReLU(),
            nn.Conv1d(channels, channels, 1),
        )

    def forward(self, hidden: Tensor) -> Tensor:
        """The input and what the block adds to it."""
        added: Tensor = hidden + self.layers(hidden)
        return added


def network(body: str, features: int, classes: int) -> nn.Module:
    """A network by the name of its body: `temporal`, `dilated` or `depthwise`."""
    match body:
        case "temporal":
            layers = [
                nn.Conv1d(features, CHANNELS, 5, padding=2),
                nn.ReLU(),
                nn.Conv1d(CHANNELS, CHANNELS, 5, padding=2),
                nn.ReLU(),
            ]
        case "dilated":
            blocks = [ResidualBlock(CHANNELS, dilation, depthwise=False) for dilation in _DILATIONS]
            layers = [nn.Conv1d(features, CHANNELS, 1), *blocks, nn.ReLU()]
        case "depthwise":
            blocks = [ResidualBlock(2 * CHANNELS, dilation, depthwise=True) for dilation in _DILATIONS]
            layers = [nn.Conv1d(features, 2 * CHANNELS, 3, padding=1), *blocks, nn.ReLU()]
        case _:
            raise ValueError(f"unknown network {body!r}")
    channels = 2 * CHANNELS if body == "depthwise" else CHANNELS
    return nn.Sequential(*layers, Outputs(channels, classes))


def parameters_of(model: nn.Module) -> int:
    """The number of parameters."""
    return sum(parameter.numel() for parameter in model.parameters())


def edges_of(masks: Tensor) -> Tensor:
    """Frames at or beside a change of the mask (clips × classes × frames)."""
    changes = (masks[..., 1:] != masks[..., :-1]).to(masks.dtype)
    near = torch.zeros_like(masks)
    near[..., 1:] += changes
    near[..., :-1] += changes
    return near.clamp(max=1)


# A trained detector: its recipe, scaler and parameters, the scores it gives, and the files it is kept in.

DIGITS = 4
_BATCH = 64
MANIFEST = "model.json"
_WEIGHTS = "weights.pt"

State = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class Detector:
    """A detector that can be asked."""

    recipe: Recipe
    scaler: Scaler
    state: State
    decoding: SnappedDecoding
    notes: dict[str, Any] = field(default_factory=dict)
    classes: tuple[str, ...] = CLASSES

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the detector tells apart."""
        return self.classes if self.recipe.typed else (UNION,)

    def scores(self, heard: Heard) -> FloatArray:
        """The scores of every clip, clips × frames × labels, rounded to four digits: what is stored is what is used."""
        return self.outputs(heard)[0]

    def heard_as(self, heard: Heard) -> tuple[FloatArray, BoolArray]:
        """The scores of every clip and the masks they are decoded to."""
        scores, edges = self.outputs(heard)
        return scores, self.decoding.masks(scores, edges)

    def outputs(self, heard: Heard) -> tuple[FloatArray, FloatArray | None]:
        """The scores of frames, and of edges where the detector was trained to find them."""
        features = adapted(self.recipe, heard.features)
        edges = None
        match self.recipe.kind:
            case "threshold":
                frames = _ranks(features, self.state["quantiles"].numpy())
            case "logistic":
                weights, offset = self.state["weights"].numpy(), self.state["offset"].numpy()
                frames = 1 / (1 + np.exp(-(self.scaler(features) @ weights.T + offset)))
            case _:
                frames, edges = _network_scores(self, self.scaler(features))
        return _rounded(frames), _rounded(edges) if edges is not None and self.recipe.edge_weight else None


def _rounded(scores: FloatArray) -> FloatArray:
    rounded: FloatArray = np.round(scores.astype(np.float64), DIGITS)
    return rounded


def adapted(recipe: Recipe, features: FloatArray) -> FloatArray:
    """The features a detector looks at; a threshold has one, the same for every clip."""
    if recipe.kind != "threshold":
        return features
    energy, flux = (features[..., [FEATURES.index(name)]] for name in ("log_energy", "flux"))
    # Both are logarithms, the first of a power and the second of an amplitude: this is that of their product.
    return (energy / 2 + flux if recipe.feature == "energy and flux" else energy).astype(np.float32)


def save_model(model: Detector, folder: Path) -> None:
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
    write_whole(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def load_model(folder: Path) -> Detector:
    """A stored model; one that is not what its manifest says is refused."""
    try:
        manifest = json.loads(read_within(folder, MANIFEST, LARGEST_DOCUMENT))
        recipe, decoding = Recipe(**manifest["recipe"]), manifest["decoding"]
        found = digest_within(folder, _WEIGHTS)
        low = None if decoding["low"] is None else parse_stored(decoding["low"])
        base = Decoding(parse_stored(decoding["threshold"]), low, decoding["median"])
        how = SnappedDecoding(base, int(decoding.get("snap", 0)))
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
    return Detector(recipe, scaler, state, how, notes, classes)


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


def _network_scores(model: Detector, features: FloatArray) -> tuple[FloatArray, FloatArray]:
    body = network(model.recipe.body, features.shape[-1], len(model.labels))
    body.load_state_dict(model.state)
    body.eval()
    parts = []
    with torch.inference_mode():
        for start in range(0, len(features), _BATCH):
            batch = torch.from_numpy(features[start : start + _BATCH]).transpose(1, 2)
            parts.append([torch.sigmoid(out).transpose(1, 2).numpy() for out in body(batch)])
    frames, edges = (np.concatenate(part) for part in zip(*parts, strict=True))
    return frames, edges
