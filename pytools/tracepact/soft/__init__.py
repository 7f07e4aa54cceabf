"""Soft readings of score fields: how far each verdict is from its opposite, in score (chapter 18)."""

from tracepact.soft.algebra import Levels, RankAlgebra
from tracepact.soft.family import SoftAtoms, SoftFamily, SoftMask
from tracepact.soft.fields import FieldReading, read_fields
from tracepact.soft.margins import Margins
from tracepact.soft.reference import SoftEnvironment, soft_offsets, soft_onsets, soft_others, soft_truth
from tracepact.soft.scores import SoftCard, SoftEntry, SoftScore, aggregate_soft, soft_scores
from tracepact.soft.settled import Settled, settled
from tracepact.soft.values import BOTTOM, TOP, Margin, margin_of, mask_margin, parse_margin

__all__ = [
    "BOTTOM",
    "TOP",
    "FieldReading",
    "Levels",
    "Margin",
    "Margins",
    "RankAlgebra",
    "Settled",
    "SoftAtoms",
    "SoftCard",
    "SoftEntry",
    "SoftEnvironment",
    "SoftFamily",
    "SoftMask",
    "SoftScore",
    "aggregate_soft",
    "margin_of",
    "mask_margin",
    "parse_margin",
    "read_fields",
    "settled",
    "soft_offsets",
    "soft_onsets",
    "soft_others",
    "soft_scores",
    "soft_truth",
]
