"""The published figures of LR-MFCC, as the spec holds them."""

from collections.abc import Mapping
from functools import cache

import msgspec

import tracepact


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clean figures, and accuracies by family and severity."""

    source: str
    model: str
    clean: Mapping[str, float]
    accuracy: Mapping[str, Mapping[int, float]]


@cache
def published() -> Published:
    """The published figures (spec/corruptions/published.json)."""
    return msgspec.json.decode(tracepact.spec_path("corruptions/published.json").read_bytes(), type=Published)
