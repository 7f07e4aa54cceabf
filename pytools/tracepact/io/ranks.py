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


def score_value(text: str) -> Decimal:
    """The decimal a score's text denotes; ValueError with words if it is none from 0 to 1."""
    if not text.strip():
        raise ValueError("is missing")
    try:
        value = Decimal(text) if text.isascii() and "_" not in text else None
    except InvalidOperation:
        value = None
    if value is None or not value.is_finite():
        raise ValueError("is not a number")
    if not 0 <= value <= 1:
        raise ValueError("lies outside 0 to 1")
    return value


def ranked(columns: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], Ranks] | None:
    """The texts of the distinct scores in order, and the rank of each by frame and class; None if some are no scores.

    The scores come as one column of texts a class, all of one length.
    """
    flat = [text for column in columns for text in column]
    found = _by_floats(flat) or _by_decimals(flat)
    if found is None:
        return None
    levels, ranks = found
    return levels, np.ascontiguousarray(ranks.reshape(len(columns), -1).T)


def _by_floats(flat: list[str]) -> tuple[tuple[str, ...], Ranks] | None:
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
        score_value(levels[0])
        score_value(levels[-1])
    except ValueError:
        return None
    return levels, ranks


def _by_decimals(flat: list[str]) -> tuple[tuple[str, ...], Ranks] | None:
    """Ranks by the decimals themselves."""
    try:
        values = {text: score_value(text) for text in set(flat)}
    except ValueError:
        return None
    levels: list[str] = []
    rank: dict[str, int] = {}
    for text in sorted(values, key=values.__getitem__):
        if not levels or values[text] != values[levels[-1]]:
            levels.append(text)
        rank[text] = len(levels) - 1
    return tuple(levels), np.array([rank[text] for text in flat], dtype=np.int64)
