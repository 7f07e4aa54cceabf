"""Old names: each gives what the new one gives, and warns."""

from collections.abc import Callable
from typing import Any

import pytest

import tracepact
import tracepact.stream

GATE = "boundary_gate"
ABSENT = {"ref_active": [0, 1, 1, 1] + [0] * 16, "pred_active": [0] * 20}


def run() -> tracepact.Run:
    return tracepact.score(GATE, [(1.0, 2.0)], [(1.06, 2.4)], durations=5)


def arrival() -> Any:
    return tracepact.StreamMonitor(GATE).push(ABSENT)


OLD_NAMES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any]]] = {
    "Run.witnesses": (run, lambda r: r.witnesses("onset_guard"), lambda r: r.violations("onset_guard")),
    "Scorecard.frame_witnesses": (
        lambda: run().card,
        lambda card: card.frame_witnesses("onset_guard"),
        lambda card: card.frame_violations("onset_guard"),
    ),
    "EventClauseEvaluation.witnesses": (
        lambda: run().card.event_clause("duration_guard"),
        lambda found: found.witnesses,
        lambda found: found.violations,
    ),
    "Arrival.witnesses": (arrival, lambda a: a.witnesses, lambda a: a.violations),
    "FrameVerdicts.witnesses": (
        lambda: arrival().verdicts[0],
        lambda verdicts: verdicts.witnesses,
        lambda verdicts: verdicts.violations,
    ),
    "EventVerdict.witness": (
        lambda: arrival().judged[0],
        lambda verdict: verdict.witness,
        lambda verdict: verdict.violation,
    ),
    "tracepact.stream.FrameWitness": (
        lambda: tracepact.stream,
        lambda module: module.FrameWitness,
        lambda module: module.FrameViolation,
    ),
    "tracepact.stream.Witness": (
        lambda: tracepact.stream,
        lambda module: module.Witness,
        lambda module: module.Violation,
    ),
}


@pytest.mark.parametrize("name", OLD_NAMES)
def test_an_old_name_gives_what_the_new_one_does_and_warns(name: str) -> None:
    make, old, new = OLD_NAMES[name]
    thing = make()
    with pytest.warns(DeprecationWarning, match=f"{name} is called") as caught:
        found = old(thing)
    assert found == new(thing)
    assert found, "an empty result shows nothing"
    assert caught[0].filename == __file__, "the warning points to the caller"


def test_a_name_that_never_was_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="Witnes"):
        tracepact.stream.Witnes  # noqa: B018
