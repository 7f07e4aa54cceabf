"""Scores that are text: each one's rank among the distinct ones, exact as the decimals written."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from tracepact.trace import Ranks, ScoreLevels, levels_of_texts

_PLAIN = re.compile(r"[-+0-9.eE\t]*", re.ASCII)

DUST = Decimal("0.000001")
"""By how much sums of floats may leave 0 to 1 (rule 13.25)."""
PROBABILITIES = "give probabilities; logits must go through a sigmoid first"
FINITE = "give a number from 0 to 1 for every frame and class"


def score_value(text: str, slack: Decimal = Decimal(0)) -> Decimal:
    """The decimal a score's text denotes; ValueError with words if it is none from 0 to 1, but for so much slack."""
    if not text.strip():
        raise ValueError("is missing")
    try:
        value = Decimal(text) if text.isascii() and "_" not in text else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite():
        raise ValueError("is not a number")
    if not -slack <= value <= 1 + slack:
        raise ValueError("lies outside 0 to 1")
    return value


def ranked(columns: Sequence[Sequence[str]], slack: Decimal = Decimal(0)) -> tuple[ScoreLevels, Ranks] | None:
    """The distinct scores in order, and the rank of each by frame and class; None if some are no scores.

    The scores come as one column of texts a class, all of one length, from 0 to 1 but for so much slack.
    """
    flat = [text for column in columns for text in column]
    try:
        if not _PLAIN.fullmatch("\t".join(flat)):
            for text in set(flat):
                score_value(text, slack)
        levels, ranks = levels_of_texts(flat)
        for end in (0, len(levels) - 1):
            score_value(levels.text(end), slack)
    except (ValueError, InvalidOperation):
        return None
    return levels, np.ascontiguousarray(ranks.reshape(len(columns), -1).T)
