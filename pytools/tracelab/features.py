"""What detectors hear of a clip: seven numbers for each frame, and the scaler that makes them comparable."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tracelab.protocol import Protocol

FEATURES = ("log_energy", "zero_crossings", "centroid", "bandwidth", "flux", "low_band", "high_band")
_WINDOW = 256
_LOW_HZ, _HIGH_HZ = 500.0, 2000.0
_TINY = 1e-10

FloatArray = npt.NDArray[np.floating[Any]]


def frame_features(samples: npt.NDArray[np.int16], protocol: Protocol) -> FloatArray:
    """The features of every frame, frames × features; a window of 32 ms around each frame's centre."""
    signal = samples.astype(np.float64) / 32768
    hop = protocol.frame_samples
    before = (_WINDOW - hop) // 2
    padded = np.pad(signal, (before, _WINDOW - hop - before))
    windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::hop][: protocol.frames]
    spectrum = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1))
    power = spectrum**2
    total = power.sum(axis=1) + _TINY
    hertz = np.fft.rfftfreq(_WINDOW, 1 / protocol.rate)
    centroid = power @ hertz / total
    spread = np.sqrt(np.maximum(power @ hertz**2 / total - centroid**2, 0))
    shape = spectrum / (spectrum.sum(axis=1, keepdims=True) + _TINY)
    rises = np.maximum(np.diff(spectrum, axis=0, prepend=spectrum[:1]), 0)
    flux = np.log(rises.sum(axis=1) + _TINY)
    crossings = np.mean(np.diff(np.signbit(windows), axis=1), axis=1)
    low = shape[:, hertz < _LOW_HZ].sum(axis=1)
    high = shape[:, hertz >= _HIGH_HZ].sum(axis=1)
    columns = (np.log(total), crossings, centroid, spread, flux, low, high)
    return np.stack(columns, axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Scaler:
    """Mean and spread of each feature over training frames."""

    mean: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, features: FloatArray) -> "Scaler":
        """The scaler of clips × frames × features."""
        flat = features.reshape(-1, features.shape[-1]).astype(np.float64)
        return cls(flat.mean(axis=0).astype(np.float32), np.maximum(flat.std(axis=0), 1e-6).astype(np.float32))

    def __call__(self, features: FloatArray) -> FloatArray:
        """The features at zero mean and unit spread."""
        scaled: FloatArray = (features - self.mean) / self.spread
        return scaled
