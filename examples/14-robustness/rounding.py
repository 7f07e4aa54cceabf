"""How far the canonical reading moves if its coefficients differ by rounding: python rounding.py RUN [DRAWS]."""

import sys
from pathlib import Path

import numpy as np

from tracelab.robustness import results
from tracelab.robustness.classifiers import LogisticMfcc
from tracelab.robustness.results import Predictions

READINGS = (
    LogisticMfcc("40, unstandardised, 800 iterations", 40, standardised=False, iterations=800),
    LogisticMfcc("40, unstandardised, 1,000 iterations", 40, standardised=False, iterations=1000),
    LogisticMfcc("20, standardised, converged", 20, standardised=True, iterations=20000, tolerance=1e-6),
)
ROUNDING = 2.0**-24  # half of the last digit of a float of 32 bits, in which librosa computes

run, draws = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 16
heard = dict(np.load(next(run.glob("stages/mfcc-*")) / "mfcc.npz"))
labels = dict(np.load(run / "logits" / "explanation.npz"))
print("| reading | accuracy | macro F1 | T | NLL after | Brier after | ECE after |\n|:--|--:|--:|--:|--:|--:|--:|")
for reading in READINGS:
    found = []
    for draw in range(draws):
        generator = np.random.default_rng(draw)
        moved = {
            part: heard[part] * (1 + ROUNDING * generator.uniform(-1, 1, heard[part].shape))
            for part in ("training", "validation", "test")
        }
        state = reading.fit(moved["training"], heard["targets"])
        checked, tested = (
            Predictions(reading.logits(state, moved[part]).astype(np.float32), labels[f"labels_{part}"])
            for part in ("validation", "test")
        )
        warmth = results.fit_temperature(checked)
        calibrated = (results.clip_nll(tested, warmth), results.clip_brier(tested, warmth))
        figures = [results.accuracy(tested), results.macro_f1(tested), warmth, *(one.mean() for one in calibrated)]
        found.append([*map(float, figures), results.ece(tested, warmth)])
    low, high = np.min(found, axis=0), np.max(found, axis=0)
    print(f"| {reading.name} | " + " | ".join(f"{a:.3f} to {b:.3f}" for a, b in zip(low, high, strict=True)) + " |")
