"""A contract to train with: a differentiable loss, and a metric of the training loop, for PyTorch."""

from tracepact.torch.extra import MissingExtra
from tracepact.torch.loss import ContractLoss, ContractOutput
from tracepact.torch.metric import ContractMetric

__all__ = ["ContractLoss", "ContractMetric", "ContractOutput", "MissingExtra"]
