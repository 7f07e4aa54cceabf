"""The order of rows is no part of the data: a run on the same rows in another order says the same."""

from random import Random
from typing import Any

import pytest

import tracepact
from hostile.doors import MORE

Rows = list[tuple[str, str, str, str]]


def rows(rng: Random, number: int) -> Rows:
    """Events of three clips and classes; times in hundredths, so that ties are common."""
    found = []
    for _ in range(number):
        onset = rng.randrange(900)
        end = onset + rng.randrange(1, 200)
        found.append((rng.choice("cab"), f"{onset / 100:.2f}", f"{end / 100:.2f}", rng.choice("yxz")))
    return found


def said(ref: Rows, pred: Rows, clips: str) -> dict[str, Any]:
    """The report of a run, without what it says of rows and files by name."""

    def by_clip(given: Rows) -> dict[str, list[tuple[str, str, str]]]:
        return {clip: [row[1:] for row in given if row[0] == clip] for clip in dict.fromkeys(row[0] for row in given)}

    contract = tracepact.parse_contract(MORE)
    found = tracepact.score(contract, by_clip(ref), by_clip(pred), durations=dict.fromkeys(clips, 20)).to_dict()
    found["diagnostics"] = found["diagnostics"]["counts"]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    rng = Random(seed)
    ref, pred = rows(rng, 12), rows(rng, 14)
    first = said(ref, pred, "abc")
    rng.shuffle(ref)
    rng.shuffle(pred)
    assert said(ref, pred, "cba") == first
