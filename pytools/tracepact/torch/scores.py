"""Scores of degrees: obligations are weights, and what is asked of less than one frame counts in part as vacuous.

A score is a pair of tensors: the *share* of its obligations that is satisfied, and how much is *asked*, from 0 to 1.
Its value is share + (1 − asked), so that nothing asked gives 1 (rule 7.3). With truth values this is the score of
chapter 7; between them its slope is bounded, which satisfied / obligated alone is not where the obligations vanish.
"""

import torch
from torch import Tensor

from tracepact.core import Aggregation

_OVER_FRAMES = -1
_BATCH, _CLASSES = 0, 1


def clause_value(obligation: Tensor, formula: Tensor, aggregation: Aggregation) -> Tensor:
    """The score of a clause from its degrees by clip, class and frame, under an aggregation (rule 7.5)."""
    satisfied, obligated = (x.sum(dim=_OVER_FRAMES) for x in (obligation * formula, obligation))
    match aggregation:
        case Aggregation.POOLED:
            return _value(*_share(satisfied.sum(), obligated.sum()))
        case Aggregation.MACRO_CLASSES:
            return _value(*_share(satisfied.sum(dim=_BATCH), obligated.sum(dim=_BATCH))).mean()
        case Aggregation.MACRO_CLASSES_INFORMATIVE:
            return _mean(*_share(satisfied.sum(dim=_BATCH), obligated.sum(dim=_BATCH)))
        case Aggregation.MACRO_CLIPS:
            return _value(*_share(satisfied, obligated)).mean()
        case Aggregation.MACRO_CLIPS_INFORMATIVE:
            share, asked = (x.sum(dim=_CLASSES) for x in _share(satisfied, obligated))
            return _mean(*_share(share, asked))


def _share(satisfied: Tensor, obligated: Tensor) -> tuple[Tensor, Tensor]:
    missing = torch.relu(1 - obligated)
    return satisfied / (obligated + missing), 1 - missing


def _value(share: Tensor, asked: Tensor) -> Tensor:
    return share + (1 - asked)


def _mean(share: Tensor, asked: Tensor) -> Tensor:
    """The mean of what is asked; 1 if nothing is."""
    return _value(*_share(share.sum(), asked.sum()))
