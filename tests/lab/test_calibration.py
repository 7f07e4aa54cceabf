"""Metrics of classifiers against definitions written out and against scikit-learn; temperature and intervals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss

from tracelab.robustness import results as metrics
from tracelab.robustness.results import BINS, Predictions, Resampled, curve_mean, estimate, scores, severity_curve


def predictions(seed: int, clips: int = 60, classes: int = 5, sharp: float = 1.5) -> Predictions:
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=clips)
    logits = rng.standard_normal((clips, classes)) * sharp
    logits[np.arange(clips), labels] += rng.uniform(0, 3)
    return Predictions(logits.astype(np.float32), labels)


def probabilities(found: Predictions, temperature: float = 1.0) -> np.ndarray:
    powers = np.exp(found.logits.astype(np.float64) / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


def ece_written_out(sure: np.ndarray, right: np.ndarray) -> float:
    """Bin by bin, with exact edges."""
    total = 0.0
    for k in range(BINS):
        here = [
            i for i, value in enumerate(sure) if Fraction(k, BINS) < Fraction(float(value)) <= Fraction(k + 1, BINS)
        ]
        if here:
            total += len(here) / len(sure) * abs(np.mean(right[here]) - np.mean(sure[here]))
    return total


seeds = st.integers(0, 2**31)


@given(seeds, st.integers(2, 8), st.floats(0.2, 6))
def test_metrics_are_those_of_scikit_learn(seed, classes, temperature):
    found = predictions(seed, classes=classes)
    truth, given_ = found.labels, probabilities(found, temperature)
    every = list(range(classes))
    assert float(metrics.accuracy(found)) == pytest.approx(accuracy_score(truth, found.predicted))
    f1 = f1_score(truth, found.predicted, average="macro", labels=every, zero_division=0)
    assert float(metrics.macro_f1(found)) == pytest.approx(f1)
    assert metrics.clip_nll(found, temperature).mean() == pytest.approx(log_loss(truth, given_, labels=every))
    if classes > 2:
        brier = brier_score_loss(truth, given_, labels=every, scale_by_half=False)
        assert metrics.clip_brier(found, temperature).mean() == pytest.approx(brier)


@given(seeds, st.floats(0.2, 6))
def test_ece_is_its_definition(seed, temperature):
    found = predictions(seed, clips=20, classes=3)
    given_ = probabilities(found, temperature)
    sure = metrics.confidence(found, temperature)
    assert sure == pytest.approx(given_.max(axis=1))
    assert metrics.ece(found, temperature) == pytest.approx(ece_written_out(sure, found.correct))
    classwise = np.mean([ece_written_out(given_[:, k], found.labels == k) for k in range(given_.shape[1])])
    assert metrics.classwise_ece(found, temperature) == pytest.approx(classwise)
    bins = metrics.reliability(found, temperature)
    assert sum(one.clips for one in bins) == len(found)
    gap = sum(one.clips * abs(one.accuracy - one.confidence) for one in bins if one.clips) / len(found)
    assert gap == pytest.approx(metrics.ece(found, temperature))


def test_ece_by_hand():
    """Two clips at 0.9 (one right), two at 0.6 (both right): |1 − 1.8|/4 + |2 − 1.2|/4 = 0.4; equal mass likewise."""
    logits = np.log([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4], [0.6, 0.4]])
    found = Predictions(logits, np.array([0, 1, 0, 0]))
    assert metrics.ece(found) == pytest.approx(0.4)
    assert metrics.equal_mass_ece(found) == pytest.approx((0.1 + 0.9 + 0.4 + 0.4) / 4)


def test_a_confidence_on_an_edge_lies_below_it_and_one_in_the_last_bin():
    assert metrics.bin_of(np.array([0.0, 1 / 15, 0.2, 0.2000001, 1.0])).tolist() == [0, 0, 2, 3, 14]


def test_classes_that_nobody_predicts_count_zero():
    found = Predictions(np.array([[2.0, 1, 0], [2, 1, 0]]), np.array([0, 1]))
    assert metrics.accuracy(found) == Fraction(1, 2)
    assert metrics.macro_f1(found) == Fraction(2, 3) / 3
    assert metrics.class_counts(found) == [(1, 2, 1), (1, 0, 0), (0, 0, 0)]


def test_a_constant_classifier_has_the_share_of_its_class():
    labels = np.array([0, 0, 0, 1, 2])
    found = Predictions(np.tile([5.0, 0, 0], (5, 1)), labels)
    assert metrics.accuracy(found) == Fraction(3, 5)
    tempered = metrics.fit_temperature(found)
    assert metrics.confidence(found, tempered) == pytest.approx(3 / 5, abs=1e-6)
    assert metrics.ece(found, tempered) == pytest.approx(0, abs=1e-6)


@given(seeds, st.floats(0.3, 5))
def test_the_temperature_has_the_least_nll(seed, sharp):
    found = predictions(seed, sharp=sharp)
    tempered = metrics.fit_temperature(found)
    assume(1e-3 < tempered < 1e3)
    best = minimize_scalar(lambda t: metrics.clip_nll(found, np.exp(t)).mean(), bounds=(-7, 7), method="bounded")
    assert metrics.clip_nll(found, tempered).mean() <= best.fun + 1e-12
    scaled = Predictions(found.logits * 4, found.labels)
    assert metrics.fit_temperature(scaled) == pytest.approx(4 * tempered, rel=1e-6)


def test_a_temperature_without_a_least_nll_is_an_end():
    right, wrong = (Predictions(np.array([[3.0, 1.0], [1.0, 3.0]]), np.array(labels)) for labels in ([0, 1], [1, 0]))
    assert metrics.fit_temperature(right) == 1e-4
    assert metrics.fit_temperature(wrong) == 1e4


@given(seeds, st.floats(0.3, 5))
def test_a_draw_is_the_metric_of_the_clips_drawn(seed, temperature):
    found = predictions(seed, clips=30)
    resampled = Resampled.of(30, 3, seed)
    fast = {
        "accuracy": resampled.accuracies(found),
        "f1": resampled.macro_f1(found),
        "nll": resampled.means(metrics.clip_nll(found, temperature)),
        "ece": resampled.ece(found, temperature),
    }
    for draw, counts in enumerate(resampled.counts.astype(int)):
        assert counts.sum() == 30
        places = np.repeat(np.arange(30), counts)
        drawn = Predictions(found.logits[places], found.labels[places])
        assert fast["accuracy"][draw] == pytest.approx(float(metrics.accuracy(drawn)))
        assert fast["f1"][draw] == pytest.approx(float(metrics.macro_f1(drawn)))
        assert fast["nll"][draw] == pytest.approx(metrics.clip_nll(drawn, temperature).mean())
        assert fast["ece"][draw] == pytest.approx(metrics.ece(drawn, temperature))


def test_a_perfect_classifier_has_no_interval_and_no_error():
    found = Predictions(np.eye(4, dtype=np.float32)[[0, 1, 2, 3] * 5] * 50, np.array([0, 1, 2, 3] * 5))
    resampled = Resampled.of(20, 100, 1)
    scored = scores(found, resampled)
    assert (scored.accuracy.value, scored.accuracy.low, scored.accuracy.high) == (1, 1, 1)
    assert scored.accuracy.exact == "1"
    assert scored.ece.value == pytest.approx(0, abs=1e-9)


def test_an_interval_is_the_middle_of_the_draws():
    found = estimate(0.5, np.arange(1001) / 1000)
    assert (found.low, found.high) == pytest.approx((0.025, 0.975))


@given(st.lists(st.fractions(0, 1), min_size=6, max_size=6))
def test_the_mean_of_a_curve_is_the_mean_over_severities_exactly(values):
    curve = severity_curve(values[0], values[1:])
    assert curve_mean(curve) == sum(values[1:]) / 5
    assert [(piece.low, piece.high) for piece in curve] == [(s, s + 1) for s in range(6)]
    assert Fraction(curve[0].value) == values[0]
