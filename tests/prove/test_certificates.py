"""Certificates: the kernel accepts what the monitor computed, and nothing else."""

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tracepact import Mode, Run, Scorecard, load_contract, parse_contract, score, starter_contracts
from tracepact.declarations import spec_path
from tracepact.prove.build import Build
from tracepact.prove.certificates import recheck
from tracepact.prove.core import cases_of, certificates_of, certify, check_certificate
from tracepact.prove.text import Certificate, CertificateCase, Claim, write_certificates

pytestmark = pytest.mark.slow


def _demo(contract: str = "boundary_gate", mode: Mode = Mode.CLASS_INDEXED) -> Run:
    demo = spec_path("demo")
    return score(
        load_contract(starter_contracts()[contract]),
        demo / "reference.tsv",
        demo / "over_firing.tsv",
        durations=demo / "durations.tsv",
        mode=mode,
    )


def _frames(seed: int, frames: int) -> list[bool]:
    """Runs of random lengths."""
    toggles = np.random.default_rng(seed).random(frames) < 0.02
    return [bool(active) for active in np.cumsum(toggles) % 2 == 1]


def test_the_demo_is_certified_and_its_files_can_be_checked_again(core: Build, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    card = _demo(mode=Mode.UNION).card
    found = certify(card, core, out=tmp_path / "certificates", progress=lambda done, total: seen.append((done, total)))
    assert found.ok, found.refusals
    assert found.clauses == ("onset_guard", "offset_guard", "missing_guard", "spurious_guard", "silence_guard")
    assert found.event_clauses == ("duration_guard", "fragmentation_guard")
    assert found.segments == len(card.family.clips)
    assert found.frames == sum(card.family.frames)
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))
    again = recheck(core, list(found.files), card=card)
    assert not again.refused
    assert again.is_of_given_tables
    assert sum(file.theorems for file in again.files) == found.theorems


def test_a_contract_with_other_classes_masks_and_ignored_regions_is_certified(core: Build) -> None:
    contract = parse_contract(
        "contract zones\nstep 20ms\natom zone\n"
        "clause held on ref_active & zone : ref_active U[60ms] (pred_onset | !zone)\n"
        "clause before on pred_active : G[-40ms,20ms] (other_ref_active -> zone) | true S[1s] ref_onset\n"
    )
    run = score(
        contract,
        {"a": [(0.1, 0.5, "x"), (0.2, 0.9, "y")], "b": [(0.0, 0.3, "y")]},
        {"a": [(0.14, 0.5, "x")], "b": [(0.1, 0.4, "x"), (0.6, 0.8, "y")]},
        durations={"a": 1, "b": "0.9"},
        ignore={"a": [(0.3, 0.36)]},
        masks={"zone": {"a": [True] * 30 + [False] * 20, "b": [False] * 9 + [True] * 36}},
    )
    found = certify(run.card, core)
    assert found.ok, found.refusals
    assert found.theorems == 2 * found.segments


def _flip_a_frame(claim: Claim) -> Claim:
    return dataclasses.replace(claim, verdict=claim.verdict ^ 1 << 7)


def _one_more_satisfied(claim: Claim) -> Claim:
    return dataclasses.replace(claim, satisfied=claim.satisfied + 1)


def _one_less_obligated(claim: Claim) -> Claim:
    return dataclasses.replace(claim, obligated=claim.obligated - 1)


def _a_frame_beyond_the_end(claim: Claim) -> Claim:
    return dataclasses.replace(claim, verdict=claim.verdict | 1 << 300)


@pytest.mark.parametrize("wrong", [_flip_a_frame, _one_more_satisfied, _one_less_obligated, _a_frame_beyond_the_end])
def test_a_wrong_mask_or_count_is_refused(wrong: Callable[[Claim], Claim], core: Build) -> None:
    card = score(load_contract(starter_contracts()["boundary_gate"]), _frames(1, 300), _frames(2, 300)).card
    (certificate,) = certificates_of(card, cases_of(card))
    assert check_certificate(core, certificate).refused == {}
    ((case, _),) = certificate.entries
    claims = (*case.claims[:2], wrong(case.claims[2]), *case.claims[3:])
    assert claims[2] != case.claims[2]
    changed = _rewritten(certificate, card, dataclasses.replace(case, claims=claims))
    assert set(check_certificate(core, changed).refused) == {(0, 2)}


def _rewritten(certificate: Certificate, card: Scorecard, case: CertificateCase) -> Certificate:
    ((_, segments),) = certificate.entries
    return write_certificates(card.contract, [[(case, segments)]], ignores=False)[0]


def test_an_hour_is_certified(core: Build) -> None:
    contract = load_contract(starter_contracts()["boundary_gate"])
    card = score(contract, _frames(3, 180_000), _frames(4, 180_000)).card
    started = time.monotonic()
    found = certify(card, core)
    seconds = time.monotonic() - started
    print(f"five guards over 180,000 frames: {seconds:.1f} s")
    assert found.ok
    assert found.frames == 180_000
