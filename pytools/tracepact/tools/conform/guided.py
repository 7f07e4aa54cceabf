"""Guided exploration: cases at the boundaries of sizes, those seen least first, compared with the reference, shrunk."""

import time
from collections.abc import Callable
from random import Random
from typing import Any

from tracepact.tools.conform.boundaries import FRAME_EXPERIMENTS, Case, Experiment
from tracepact.tools.conform.boundary_attributes import ATTRIBUTE_EXPERIMENTS
from tracepact.tools.conform.boundary_contracts import CONTRACT_TEXT_EXPERIMENTS
from tracepact.tools.conform.boundary_intervals import INTERVAL_EXPERIMENTS
from tracepact.tools.conform.boundary_limits import LIMIT_EXPERIMENTS
from tracepact.tools.conform.boundary_reports import REPORT_EXPERIMENTS
from tracepact.tools.conform.boundary_scores import SCORE_EXPERIMENTS
from tracepact.tools.conform.boundary_states import STATE_EXPERIMENTS
from tracepact.tools.conform.boundary_streams import STREAM_EXPERIMENTS
from tracepact.tools.conform.boundary_texts import TEXT_EXPERIMENTS
from tracepact.tools.conform.boundary_ties import TIE_EXPERIMENTS
from tracepact.tools.conform.boundary_witnesses import WITNESS_EXPERIMENTS
from tracepact.tools.conform.differential import SHRINKING, case_of, reduced
from tracepact.tools.conform.findings import Finding, Tally, compare_chunks, judge
from tracepact.tools.conform.peer import AnyPeer, PeerFault
from tracepact.tools.conform.sizes import Guide
from tracepact.tools.conform.vectors import Profile

GUIDED: dict[Profile, dict[str, Experiment]] = {
    profile: {
        **FRAME_EXPERIMENTS.get(profile, {}),
        **STREAM_EXPERIMENTS.get(profile, {}),
        **WITNESS_EXPERIMENTS.get(profile, {}),
        **STATE_EXPERIMENTS.get(profile, {}),
        **INTERVAL_EXPERIMENTS.get(profile, {}),
        **ATTRIBUTE_EXPERIMENTS.get(profile, {}),
        **SCORE_EXPERIMENTS.get(profile, {}),
        **REPORT_EXPERIMENTS.get(profile, {}),
        **TEXT_EXPERIMENTS.get(profile, {}),
        **LIMIT_EXPERIMENTS.get(profile, {}),
        **CONTRACT_TEXT_EXPERIMENTS.get(profile, {}),
        **TIE_EXPERIMENTS.get(profile, {}),
    }
    for profile in Profile
}
"""What is drawn at the boundaries of sizes, for each profile, by name."""


def explore_sizes(
    peer: AnyPeer,
    profile: Profile,
    name: str,
    *,
    examples: int,
    seed: int,
    tally: Tally,
    tick: Callable[[], None],
    long: bool = False,
    shrink: bool = True,
) -> Finding | None:
    """Draw cases until the implementation fails on one; that case made smaller, or None."""
    experiment = GUIDED[profile][name]
    rng = Random(f"{seed} {name}")
    guide = Guide(experiment.dimensions(long=long), rng)
    for _ in range(examples):
        case = experiment.make(rng, *guide.next())
        vector = case_of(profile, name, case)
        try:
            finding = judge(peer, vector, tally, f"random: {name}")
        except PeerFault as fault:
            return Finding(fault.kind, fault.words, origin=f"random: {name}")
        tick()
        if peer.news():
            guide.welcome()
        if finding is not None:
            if not shrink or finding.kind in ("hangs", "out-of-order"):
                return finding
            return compare_chunks(peer, reduced(peer, profile, name, finding, time.monotonic() + SHRINKING))
    return None


def drawn(profile: Profile, name: str, examples: int, seed: int = 0, *, long: bool = False) -> list[Case]:
    """The first cases of an experiment."""
    rng = Random(f"{seed} {name}")
    experiment: Any = GUIDED[profile][name]
    guide = Guide(experiment.dimensions(long=long), rng)
    return [experiment.make(rng, *guide.next()) for _ in range(examples)]
