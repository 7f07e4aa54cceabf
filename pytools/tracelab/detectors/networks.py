"""The networks: clips × features × frames in, scores for frames and edges out."""

import torch
from torch import Tensor, nn

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
