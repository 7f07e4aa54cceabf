"""Every detector of the study as data: its network, its training and its decoding."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a detector is made.

    `kind` is `threshold`, `logistic` or `network`. A network has a `body`, is trained on clean clips or on augmented
    views, and minimises the frame loss plus each weighted part. `calibrated` decoding chooses threshold, hysteresis
    and median on training clips that were held out; otherwise the threshold is one half.
    """

    name: str
    kind: str
    feature: str = ""
    body: str = ""
    augmented: bool = False
    typed: bool = False
    epochs: int = 0
    batch: int = 32
    optimiser: str = "adam"
    rate: float = 2e-3
    clip_gradient: float | None = None
    edge_weight: float = 0.0
    smooth_weight: float = 0.0
    contract_weight: float = 0.0
    calibrated: bool = False
    share: float = 1.0


_DILATED = Recipe("dilated_cnn", "network", body="dilated", epochs=18, batch=32, clip_gradient=1.0)
_TCN = Recipe("contract_tcn_aug", "network", body="depthwise", augmented=True, epochs=8, batch=32, optimiser="adamw")
_FULL = replace(_TCN, edge_weight=0.5, smooth_weight=0.05, calibrated=True)

DETECTORS = (
    Recipe("adaptive_energy", "threshold", feature="log_energy"),
    Recipe("spectral_flux", "threshold", feature="flux"),
    Recipe("logistic_features", "logistic"),
    Recipe("temporal_cnn", "network", body="temporal", epochs=14, batch=24),
    _DILATED,
    _FULL,
    replace(_TCN, name="contract_loss", contract_weight=1.0, calibrated=True),
)
CLASS_DETECTOR = replace(_FULL, name="class_tcn_aug", typed=True)

ABLATION = (
    replace(_DILATED, name="clean_dilated"),
    replace(_DILATED, name="decode_calibrated", calibrated=True),
    replace(_TCN, name="augmentation_only"),
    replace(_TCN, name="augmentation_decoded", calibrated=True),
    replace(_TCN, name="boundary_objective", edge_weight=0.5, smooth_weight=0.05),
    replace(_FULL, name="union_full"),
    replace(_FULL, name="class_full", typed=True),
    replace(_TCN, name="contract_loss", contract_weight=1.0, calibrated=True),
)
REGIME = (
    replace(_TCN, name="clean", augmented=False),
    replace(_TCN, name="augmented"),
    replace(_TCN, name="edge", edge_weight=0.5, smooth_weight=0.05),
    replace(_FULL, name="edge_stable_decoding"),
)
SEEDED = (_DILATED, _FULL, replace(_TCN, name="contract_loss", contract_weight=1.0, calibrated=True))
LEARNING_SHARES = (0.15, 0.35, 0.65, 1.0)
LEARNING = tuple(replace(_DILATED, name=f"dilated_{round(100 * share)}", share=share) for share in LEARNING_SHARES)


def same_training(recipe: Recipe) -> Recipe:
    """The recipe without its name: two that are equal in this give the same model."""
    return replace(recipe, name="")
