"""What the classifiers hear: mel power by librosa, its logarithm, and cepstral coefficients averaged over time."""

from functools import cache, lru_cache
from typing import Any

import librosa
import numpy as np
import numpy.typing as npt

from tracelab.robustness.datasets import RATE
from tracelab.sound import Signal

WINDOW, HOP = 2048, 512
MFCC_BANDS, COEFFICIENTS = 128, 40
MEL_BANDS = 64


def mean_mfcc(samples: Signal) -> Signal:
    """The first 40 coefficients, averaged over time; fewer coefficients are the first of these."""
    coefficients = librosa.feature.mfcc(S=_decibels(samples, MFCC_BANDS), sr=RATE, n_mfcc=COEFFICIENTS)
    found: Signal = coefficients.mean(axis=1).astype(np.float64)
    return found


def log_mel(samples: Signal) -> Signal:
    """Decibels of 64 mel bands, bands × frames."""
    return _decibels(samples, MEL_BANDS)


def _decibels(samples: Signal, bands: int) -> Signal:
    found: Signal = librosa.power_to_db(_filters(bands) @ _power(samples.astype(np.float32).tobytes()))
    return found


@lru_cache(maxsize=1)
def _power(samples: bytes) -> npt.NDArray[Any]:
    """The power spectrum of each frame; classifiers that hear a clip one after another share it."""
    signal = np.frombuffer(samples, dtype=np.float32)
    padded = np.pad(signal, (0, max(0, WINDOW - len(signal))))
    power: npt.NDArray[Any] = np.abs(librosa.stft(padded, n_fft=WINDOW, hop_length=HOP)) ** 2
    return power


@cache
def _filters(bands: int) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = librosa.filters.mel(sr=RATE, n_fft=WINDOW, n_mels=bands)
    return found
