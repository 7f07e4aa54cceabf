"""Controls that need no package: two encoders without training, and gates that know nothing, the level, or all."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tracelab.features import FloatArray, frame_features
from tracelab.probe.hidden import Hidden
from tracelab.probe.loading import Detect, Encode, Found, Span
from tracelab.probe.registry import DetectorEntry, EncoderEntry
from tracelab.protocol import Protocol

_WINDOW = 256
_TINY = 1e-10
_OPEN_DB = 10.0
_AUDIBLE = 0.008  # twice the loudest floor of the scenes


def frame_features_encoder(entry: EncoderEntry, cache: Path) -> Encode:
    """The seven numbers that the detectors of the study hear."""

    def encode(samples: FloatArray) -> Hidden:
        protocol = Protocol(clip_seconds=Fraction(len(samples), entry.rate))
        whole = np.round(np.clip(samples, -1, 1) * 32767).astype(np.int16)
        return Hidden(frame_features(whole, protocol), protocol.step / 2, protocol.step)

    return encode


def log_mel_encoder(entry: EncoderEntry, cache: Path) -> Encode:
    """Log-mel bands every 10 ms; the first window is centred at the start of the clip."""
    hop = int(entry.hop_seconds * entry.rate)
    bands = _mel_bands(entry.dims, entry.rate)

    def encode(samples: FloatArray) -> Hidden:
        padded = np.pad(samples, _WINDOW // 2)
        windows = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::hop]
        power = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1)) ** 2
        return Hidden(np.log(power @ bands + _TINY).astype(np.float32), Fraction(0), entry.hop_seconds)

    return encode


def always_open(entry: DetectorEntry, cache: Path) -> Detect:
    """A gate that is never shut."""
    return lambda samples: Found([(0.0, len(samples) / entry.rate)])


def energy_gate(entry: DetectorEntry, cache: Path) -> Detect:
    """Open where a frame is at least 10 dB above the quietest tenth; its score is the level above it, 60 dB at one."""
    hop = int(entry.hop_seconds * entry.rate)

    def detect(samples: FloatArray) -> Found:
        level = 10 * np.log10(_power(samples, hop) + _TINY)
        above = level - np.quantile(level, 0.1)
        return Found(spans_of(above >= _OPEN_DB, float(entry.hop_seconds)), np.clip(above / 60, 0, 1))

    return detect


def speech_alone(entry: DetectorEntry, cache: Path) -> Detect:
    """Open where the speech alone, which it is given in place of the clip, is louder than the floor."""
    hop = int(entry.hop_seconds * entry.rate)
    return lambda samples: Found(spans_of(np.sqrt(_power(samples, hop)) > _AUDIBLE, float(entry.hop_seconds)))


def spans_of(active: npt.NDArray[np.bool_], hop: float) -> list[Span]:
    """The spans of active frames, in seconds."""
    edges = np.flatnonzero(np.diff(active.astype(np.int8), prepend=0, append=0))
    return [(float(start * hop), float(end * hop)) for start, end in edges.reshape(-1, 2)]


def _power(samples: FloatArray, hop: int) -> FloatArray:
    frames = samples[: len(samples) // hop * hop].reshape(-1, hop).astype(np.float64)
    power: FloatArray = np.mean(frames**2, axis=1)
    return power


def _mel_bands(count: int, rate: int) -> FloatArray:
    """Triangles of equal width on the mel scale, frequencies × bands."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    corners = 700 * (10 ** (np.linspace(0, top, count + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(_WINDOW, 1 / rate)[:, None]
    low, middle, high = corners[:-2], corners[1:-1], corners[2:]
    bands: FloatArray = np.maximum(np.minimum((hertz - low) / (middle - low), (high - hertz) / (high - middle)), 0)
    return bands
