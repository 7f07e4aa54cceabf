"""Training: every recipe to a model, the same one for the same seed, with a checkpoint after every epoch."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from tracelab.detectors.decoding import SnappedDecoding, active, calibrate, frame_f1
from tracelab.detectors.models import (
    Detector,
    State,
    adapted,
    edges_of,
    network,
    parameters_of,
    read_state,
    write_state,
)
from tracelab.detectors.recipes import Recipe, contract_of
from tracelab.features import Heard, Scaler
from tracelab.files import fault
from tracelab.protocol import CLASSES, generator
from tracepact import Decoding
from tracepact.torch import ContractLoss

HELD_OUT = 0.15
_GRID = 80
_QUANTILES = 2001
_HALF = SnappedDecoding(Decoding(Fraction(1, 2)))
_SMOOTHED = 5
_TEMPERATURE = 0.1

OnEpoch = Callable[[str, int, int, float], None]


def silent(name: str, epoch: int, epochs: int, loss: float) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class TrainingClips:
    """The training clips: clean, and their augmented views."""

    clean: Heard
    views: Heard | None = None

    def of(self, recipe: Recipe, seed: int) -> tuple[Heard, Heard]:
        """The clips a recipe learns from, and those its decoding is calibrated on; no clip has a view on both sides."""
        clips = len(self.clean)
        order = generator(seed, "held out", clips).permutation(clips)
        held_out = round(HELD_OUT * clips) if recipe.holds_out else 0
        kept = np.sort(order[held_out:])[: max(1, round(recipe.share * (clips - held_out)))]
        if not recipe.augmented:
            return self.clean.part(kept), self.clean.part(np.sort(order[:held_out]))
        if self.views is None:
            raise ValueError("the recipe needs augmented views")
        rounds = range(0, len(self.views), clips)
        picked = [np.concatenate([start + part for start in rounds]) for part in (kept, np.sort(order[:held_out]))]
        return self.views.part(picked[0]), self.views.part(picked[1])


def fit(
    recipe: Recipe,
    training: TrainingClips,
    *,
    seed: int,
    classes: tuple[str, ...] = CLASSES,
    checkpoint: Path | None = None,
    on_epoch: OnEpoch = silent,
    device: str = "cpu",
) -> Detector:
    """A recipe's model of these classes, decoded at one half; with a checkpoint, it goes on where it was stopped."""
    began = perf_counter()
    learn, _ = training.of(recipe, seed)
    scaler = Scaler.of(adapted(recipe, learn.features))
    match recipe.kind:
        case "threshold":
            model = _threshold(recipe, learn, scaler)
        case "logistic":
            model = Detector(recipe, scaler, _logistic(learn, scaler), _HALF)
        case _:
            state, notes = _fit(recipe, learn, scaler, seed, checkpoint, on_epoch, torch.device(device))
            model = Detector(recipe, scaler, state, _HALF, notes, classes)
    notes = {"clips": len(learn), "seconds": round(perf_counter() - began, 1)}
    return replace(model, notes={**model.notes, **notes})


def train(
    recipe: Recipe,
    training: TrainingClips,
    *,
    seed: int,
    classes: tuple[str, ...] = CLASSES,
    checkpoint: Path | None = None,
    on_epoch: OnEpoch = silent,
    device: str = "cpu",
) -> Detector:
    """A recipe's model of these classes, fitted and decoded as the recipe says."""
    fitted = fit(recipe, training, seed=seed, classes=classes, checkpoint=checkpoint, on_epoch=on_epoch, device=device)
    return decoded_by(recipe, fitted, training, seed)


def decoded_by(recipe: Recipe, model: Detector, training: TrainingClips, seed: int) -> Detector:
    """A fitted model under a recipe's name, its decoding calibrated on the clips held out of its training."""
    model = replace(model, recipe=recipe)
    if not recipe.calibration:
        return model
    held_out = training.of(recipe, seed)[1]
    chosen = calibrate(recipe.calibration, *model.outputs(held_out), held_out, model.labels)
    return replace(model, decoding=chosen, notes={**model.notes, "held out": len(held_out)})


def _threshold(recipe: Recipe, heard: Heard, scaler: Scaler) -> Detector:
    """The quantile with the best frame F1 on the training frames, out of a grid; short runs and holes smoothed."""
    levels = np.quantile(adapted(recipe, heard.features), np.linspace(0, 1, _QUANTILES)).astype(np.float32)
    model = Detector(recipe, scaler, {"quantiles": torch.from_numpy(levels)}, _HALF)
    scores = model.scores(heard)
    choices = [Decoding(Fraction(rank, _GRID + 1), median=_SMOOTHED) for rank in range(1, _GRID + 1)]
    best = max(choices, key=lambda choice: frame_f1(active(scores, choice), heard.union))
    return replace(model, decoding=SnappedDecoding(best))


def _logistic(heard: Heard, scaler: Scaler) -> State:
    features = scaler(heard.features).reshape(-1, heard.features.shape[-1])
    fitted = LogisticRegression(class_weight="balanced", solver="lbfgs", max_iter=500).fit(
        features, heard.union.reshape(-1)
    )
    return {"weights": torch.from_numpy(fitted.coef_), "offset": torch.from_numpy(fitted.intercept_)}


def _fit(
    recipe: Recipe,
    heard: Heard,
    scaler: Scaler,
    seed: int,
    checkpoint: Path | None,
    on_epoch: OnEpoch,
    device: torch.device,
) -> tuple[State, dict[str, Any]]:
    """Train a network on one thread; the order of clips depends on the seed and the epoch alone."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        torch.manual_seed(seed)
        masks = heard.masks(() if recipe.typed else ("event",))
        body = network(recipe.body, heard.features.shape[-1], masks.shape[-1]).to(device)
        optimiser = _optimiser(recipe, body)
        done, losses = _resume(checkpoint, recipe, seed, body, optimiser)
        inputs = torch.from_numpy(scaler(heard.features)).transpose(1, 2).to(device)
        wanted = torch.from_numpy(masks).transpose(1, 2).float().to(device)
        criterion = _Criterion(recipe, wanted).to(device)
        for epoch in range(done, recipe.epochs):
            order = generator(seed, "order", recipe.body, epoch).permutation(len(inputs))
            losses.append(
                _epoch(recipe, body, optimiser, criterion, inputs, wanted, torch.from_numpy(order).to(device))
            )
            on_epoch(recipe.name, epoch + 1, recipe.epochs, losses[-1])
            if checkpoint is not None:
                kept = {"model": body.state_dict(), "optimiser": optimiser.state_dict()}
                write_state(checkpoint, {**kept, "epoch": epoch + 1, "losses": losses, "key": _key(recipe, seed)})
        notes = {
            "parameters": parameters_of(body),
            "device": str(device),
            "losses": [round(loss, 4) for loss in losses],
        }
        return {name: value.cpu().clone() for name, value in body.state_dict().items()}, notes
    finally:
        torch.set_num_threads(threads)


class _Criterion(nn.Module):
    """The loss of a recipe: frames, edges, smoothness away from edges, and the contract."""

    balance: Tensor

    def __init__(self, recipe: Recipe, wanted: Tensor) -> None:
        super().__init__()
        self.recipe = recipe
        share = wanted.mean().clamp(0.05, 0.95)
        self.register_buffer("balance", ((1 - share) / share).clamp(max=4.0))
        self.contract = (
            ContractLoss(contract_of(recipe.contract), temperature=_TEMPERATURE) if recipe.contract else None
        )

    def forward(self, frames: Tensor, edges: Tensor, wanted: Tensor) -> Tensor:
        loss = binary_cross_entropy_with_logits(frames, wanted, pos_weight=self.balance)
        if self.recipe.edge_weight:
            near = edges_of(wanted)
            loss = loss + self.recipe.edge_weight * binary_cross_entropy_with_logits(edges, near)
        if self.recipe.smooth_weight:
            away = 1 - edges_of(wanted)[..., 1:]
            steps = torch.sigmoid(frames).diff(dim=-1).abs()
            loss = loss + self.recipe.smooth_weight * (steps * away).mean()
        if self.contract is not None:
            loss = loss + self.contract(torch.sigmoid(frames), wanted).loss
        return loss


def _epoch(
    recipe: Recipe,
    body: nn.Module,
    optimiser: torch.optim.Optimizer,
    criterion: _Criterion,
    inputs: Tensor,
    wanted: Tensor,
    order: Tensor,
) -> float:
    """One pass over the clips; the mean loss."""
    body.train()
    total = 0.0
    for batch in torch.split(order, recipe.batch):
        optimiser.zero_grad()
        frames, edges = body(inputs[batch])
        loss: Tensor = criterion(frames, edges, wanted[batch])
        loss.backward()  # type: ignore[no-untyped-call]
        if recipe.clip_gradient is not None:
            nn.utils.clip_grad_norm_(body.parameters(), recipe.clip_gradient)
        optimiser.step()
        total += float(loss.detach()) * len(batch)
    return total / len(order)


def _optimiser(recipe: Recipe, body: nn.Module) -> torch.optim.Optimizer:
    kind = torch.optim.AdamW if recipe.optimiser == "adamw" else torch.optim.Adam
    return kind(body.parameters(), lr=recipe.rate)


def _key(recipe: Recipe, seed: int) -> str:
    return f"{recipe} {seed}"


def _resume(
    checkpoint: Path | None, recipe: Recipe, seed: int, body: nn.Module, optimiser: torch.optim.Optimizer
) -> tuple[int, list[float]]:
    """How many epochs are done, and their losses."""
    if checkpoint is None or not checkpoint.exists():
        return 0, []
    kept = read_state(checkpoint)
    if kept.get("key") != _key(recipe, seed):
        raise fault("bad-checkpoint", "the checkpoint is of another training", checkpoint, "remove it to begin anew")
    try:
        body.load_state_dict(kept["model"])
        optimiser.load_state_dict(kept["optimiser"])
        return int(kept["epoch"]), list(kept["losses"])
    except (KeyError, RuntimeError, ValueError, TypeError) as error:
        raise fault("bad-checkpoint", f"the checkpoint is damaged: {error}", checkpoint, "remove it") from error
