"""Scores in order: each score's rank among the distinct ones, exact as the decimals written.

A float is as near to its decimal as floats come, so decimals in order have floats in order. Only where different texts
have one float, the decimals themselves are compared.
"""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int64]
_PLAIN = re.compile(r"[-+0-9.eE\t]*", re.ASCII)


DUST = Decimal("0.000001")
"""By how much sums of floats may leave 0 to 1 (rule 13.25)."""


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


def ranked(columns: Sequence[Sequence[str]], slack: Decimal = Decimal(0)) -> tuple[tuple[str, ...], Ranks] | None:
    """The texts of the distinct scores in order, and the rank of each by frame and class; None if some are no scores.

    The scores come as one column of texts a class, all of one length, from 0 to 1 but for so much slack.
    """
    flat = [text for column in columns for text in column]
    found = _by_floats(flat, slack) or _by_decimals(flat, slack)
    if found is None:
        return None
    levels, ranks = found
    return levels, np.ascontiguousarray(ranks.reshape(len(columns), -1).T)


def _by_floats(flat: list[str], slack: Decimal) -> tuple[tuple[str, ...], Ranks] | None:
    """Ranks where every float stands for one text and none lies at the edge of what a score may be."""
    if not _PLAIN.fullmatch("\t".join(flat)):
        return None
    try:
        values = np.array(list(map(float, flat)))
    except ValueError:
        return None
    distinct, first, ranks = np.unique(values, return_index=True, return_inverse=True)
    if len(set(flat)) > len(distinct):
        return None
    levels = tuple(flat[place] for place in first.tolist())
    try:
        score_value(levels[0], slack)
        score_value(levels[-1], slack)
    except ValueError:
        return None
    return levels, ranks


def _by_decimals(flat: list[str], slack: Decimal) -> tuple[tuple[str, ...], Ranks] | None:
    """Ranks by the decimals themselves."""
    try:
        values = {text: score_value(text, slack) for text in set(flat)}
    except ValueError:
        return None
    levels: list[str] = []
    rank: dict[str, int] = {}
    for text in sorted(values, key=values.__getitem__):
        if not levels or values[text] != values[levels[-1]]:
            levels.append(text)
        rank[text] = len(levels) - 1
    return tuple(levels), np.array([rank[text] for text in flat], dtype=np.int64)
