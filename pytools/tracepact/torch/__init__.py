"""A contract to train with: a differentiable loss of probabilities against a reference, for PyTorch."""

from tracepact.torch.extra import MissingExtra
from tracepact.torch.loss import ContractLoss, ContractOutput

__all__ = ["ContractLoss", "ContractOutput", "MissingExtra"]
