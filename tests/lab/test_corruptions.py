"""The corruptions: each does what its rule says, severities order, and a clip alone is the clip in a run."""

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import tracepact
from tracelab.robustness.corruptions import SEVERITIES, GridCell, canonical, cells, corrupt, read_table, table_bytes

FAMILIES = [family.name for family in canonical().families]
RATE = 16000
seeds = st.integers(0, 2**31)


def sound(seed: int, samples: int = 4000) -> np.ndarray:
    """Noise with a tone, peak below one."""
    rng = np.random.default_rng(seed)
    found = 0.1 * rng.standard_normal(samples) + 0.2 * np.sin(np.arange(samples) * rng.uniform(0.05, 0.5))
    return (found / max(1.0, np.abs(found).max() * 1.1)).astype(np.float32)


def graded(clean: np.ndarray, family: str, seed: int = 1) -> list[np.ndarray]:
    return [
        corrupt(clean, GridCell(family, severity), seed=seed, index=0).astype(np.float64) for severity in SEVERITIES
    ]


def snr(clean: np.ndarray, heard: np.ndarray) -> float:
    clean = clean.astype(np.float64)
    return float(10 * np.log10(np.mean(clean**2) / np.mean((heard - clean) ** 2)))


def falling(values: list[float]) -> bool:
    return all(a > b for a, b in pairwise(values))


def power_above(heard: np.ndarray, share: float) -> float:
    """The power above a share of half the rate, as a part of the whole."""
    power = np.abs(np.fft.rfft(heard * np.hanning(len(heard)))) ** 2
    return float(power[int(share * len(power)) :].sum() / power.sum())


def test_the_table_is_the_published_grid_and_fits_its_schema():
    schema = json.loads(tracepact.spec_path("schemas/corruptions.schema.json").read_text())
    Draft202012Validator(schema).validate(json.loads(table_bytes()))
    assert FAMILIES == [
        "gaussian_snr",
        "lowpass",
        "clipping",
        "resample_roundtrip",
        "gain",
        "speed",
        "mulaw",
        "silence_edge",
    ]
    assert len(cells(canonical())) == 40


@pytest.mark.parametrize("change", ['"version": 1', '"gaussian_snr"', '"-30"', '"3/2"'])
def test_a_table_that_cannot_be_applied_is_refused(change):
    other = {
        '"version": 1': '"version": "one"',
        '"gaussian_snr"': '"louder"',
        '"-30"': '"very"',
        '"3/2"': '"3/0"',
    }[change]
    text = table_bytes().decode()
    assert change in text
    with pytest.raises(tracepact.InvalidInput, match="table of corruptions"):
        read_table(text.replace(change, other).encode())


@given(seeds, st.integers(0, 5000), st.sampled_from(FAMILIES), st.sampled_from(SEVERITIES))
def test_a_clip_alone_is_the_clip_after_others(seed, index, family, severity):
    clean, cell = sound(7, 2000), GridCell(family, severity)
    alone = corrupt(clean, cell, seed=seed, index=index)
    for other in FAMILIES:
        corrupt(clean, GridCell(other, severity), seed=seed, index=index + 1)
    again = corrupt(clean, cell, seed=seed, index=index)
    assert alone.dtype == np.float32
    assert np.array_equal(alone, again)


@given(seeds, st.integers(0, 5000))
def test_seed_index_and_severity_each_give_other_noise(seed, index):
    clean, cell = sound(3, 2000), GridCell("gaussian_snr", 3)
    base = corrupt(clean, cell, seed=seed, index=index) - clean
    for other in (
        corrupt(clean, cell, seed=seed + 1, index=index) - clean,
        corrupt(clean, cell, seed=seed, index=index + 1) - clean,
        corrupt(clean, GridCell("gaussian_snr", 4), seed=seed, index=index) - clean,
    ):
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.2


@given(seeds)
def test_noise_has_the_ratio_of_the_table(seed):
    clean = sound(seed)
    found = [snr(clean, heard) for heard in graded(clean, "gaussian_snr", seed)]
    assert found == pytest.approx([20, 15, 10, 5, 0], abs=1e-3)


@given(seeds)
def test_the_cut_off_falls(seed):
    """White noise: the part above each cut-off is nearly gone, and more of the whole is gone at each severity."""
    clean = np.random.default_rng(seed).standard_normal(8192).astype(np.float32) * 0.1
    for family in ("lowpass", "resample_roundtrip"):
        heard = graded(clean, family)
        assert falling([float(np.mean(one**2)) for one in heard])
        for one, share in zip(heard, canonical().family(family).severities, strict=True):
            assert power_above(one, min(1.0, 1.3 * float(Fraction(share)))) < 0.02
            assert len(one) == len(clean)


@given(seeds)
def test_more_samples_are_clipped_and_none_beyond_the_limit(seed):
    clean = sound(seed)
    peak = float(np.abs(clean).max())
    counts = []
    for heard, share in zip(graded(clean, "clipping"), canonical().family("clipping").severities, strict=True):
        limit = float(Fraction(share)) * peak
        assert np.abs(heard).max() <= limit * (1 + 1e-6)
        inside = np.abs(clean) < limit * (1 - 1e-6)
        assert np.array_equal(heard[inside].astype(np.float32), clean[inside])
        counts.append(int((~inside).sum()))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


@given(seeds)
def test_gain_is_exact_in_decibels(seed):
    clean = sound(seed)
    level = [20 * np.log10(np.abs(heard).max() / np.abs(clean).max()) for heard in graded(clean, "gain")]
    assert level == pytest.approx([-6, -12, -18, -24, -30], abs=1e-4)


@given(seeds, st.integers(1000, 6000))
def test_speed_shortens_by_its_factor(seed, samples):
    clean = sound(seed, samples)
    factors = [Fraction(text) for text in canonical().family("speed").severities]
    assert [len(heard) for heard in graded(clean, "speed")] == [-int(-samples // factor) for factor in factors]


def test_speed_moves_the_pitch_by_its_factor():
    tone = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE).astype(np.float32)
    factors = [Fraction(text) for text in canonical().family("speed").severities]
    for heard, factor in zip(graded(tone, "speed"), factors, strict=True):
        spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
        assert np.argmax(spectrum) * RATE / len(heard) == pytest.approx(1000 * float(factor), abs=2)


@given(seeds)
def test_mulaw_has_fewer_levels_and_more_noise_and_keeps_silence(seed):
    clean = sound(seed)
    heard = graded(clean, "mulaw")
    for one, bits in zip(heard, canonical().family("mulaw").severities, strict=True):
        assert len(np.unique(one)) <= 2 ** int(bits) - 1
    assert falling([snr(clean, one) for one in heard])
    assert not np.any(graded(np.zeros(100, dtype=np.float32), "mulaw")[-1])


@given(seeds, st.integers(100, 5000))
def test_the_edges_are_silent_and_the_rest_is_as_it_was(seed, samples):
    clean = sound(seed, samples) + np.float32(2)
    for heard, share in zip(graded(clean, "silence_edge"), canonical().family("silence_edge").severities, strict=True):
        edge = samples * Fraction(share).numerator // Fraction(share).denominator
        assert np.flatnonzero(heard == 0).tolist() == [*range(edge), *range(samples - edge, samples)]
        assert np.array_equal(heard[edge : samples - edge].astype(np.float32), clean[edge : samples - edge])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_silent_clip_stays_finite(family):
    for heard in graded(np.zeros(3000, dtype=np.float32), family):
        assert np.isfinite(heard).all()
