"""The published figures of the study this one follows, as the spec holds them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import tracepact


@dataclass(frozen=True, slots=True)
class Published:
    """Published values by row and column."""

    rows: Mapping[str, Mapping[str, Fraction]]


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """Every published table that ours has a counterpart of, and its source."""

    source: str
    speech: str
    metrics: Published
    guards: Published
    tolerance: Published


@cache
def published() -> PublishedStudy:
    """The published figures (spec/study/published.json)."""
    data = json.loads(tracepact.spec_path("study/published.json").read_text(encoding="utf-8"), parse_float=Fraction)
    tables = {name: _table(data[name]) for name in ("metrics", "guards", "tolerance")}
    return PublishedStudy(data["source"], data["speech"], **tables)


def _table(data: Mapping[str, Mapping[str, list[Fraction]]]) -> Published:
    columns = data["columns"]
    return Published({name: dict(zip(columns, values, strict=True)) for name, values in data["rows"].items()})
